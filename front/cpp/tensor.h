/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor.h - GlobalTensor and LocalTensor: a typed view of GM or UB.
 *
 * Both hold a plain pointer, so that a scalar loop over GetValue or operator() compiles to what
 * the same loop over an array does. Rule: neither owns memory; copying one copies the view.
 */
#ifndef NPU_FRONT_TENSOR_H
#define NPU_FRONT_TENSOR_H
#include "types.h"

namespace nputwin {

/* What `a + b` of two tensors is until it is assigned: the instruction still to be issued. */
template <class T> struct binary_expr {
    npu_op op;
    const T *a, *b;
};
template <class T> struct compare_expr {
    npu_relation relation;
    const T *a, *b;
    uint32_t count;
};

} // namespace nputwin

namespace AscendC {

template <typename T> class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() {}
    LocalTensor(T *p, uint32_t len_bytes, TPosition at) : p_(p), bytes_(len_bytes), pos_(at) {}
    /* Static tensor programming: n elements at a byte address of UB. */
    LocalTensor(TPosition at, uint32_t addr_bytes, uint32_t n)
        : p_(reinterpret_cast<T *>(nputwin::core()->mem[MEM_UB].base + addr_bytes)),
          bytes_(n * uint32_t(sizeof(T))), pos_(at)
    {
    }

    T GetValue(uint32_t i) const { return p_[i]; }
    template <typename V> void SetValue(uint32_t i, V v) const { p_[i] = static_cast<T>(v); }
    T &operator()(uint32_t i) const { return p_[i]; }

    LocalTensor operator[](uint32_t offset) const
    {
        const uint32_t skip = offset * uint32_t(sizeof(T));
        LocalTensor t = *this;
        t.p_ += offset;
        t.bytes_ = skip < bytes_ ? bytes_ - skip : 0;
        return t;
    }
    template <typename U> LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> t(reinterpret_cast<U *>(p_), bytes_, pos_);
        t.SetUserTag(tag_);
        return t;
    }
    template <typename S> void SetAddrWithOffset(LocalTensor<S> &src, uint32_t offset)
    {
        *this = src[offset].template ReinterpretCast<T>();
    }

    uint64_t GetPhyAddr() const { return uint64_t(uintptr_t(p_)); }
    uint64_t GetPhyAddr(uint32_t offset) const { return uint64_t(uintptr_t(p_ + offset)); }
    uint32_t GetSize() const { return bytes_ / uint32_t(sizeof(T)); }
    uint32_t GetLength() const { return bytes_; }
    int32_t GetPosition() const { return int32_t(pos_); }
    void SetSize(uint32_t n) { bytes_ = n * uint32_t(sizeof(T)); }
    void SetBufferLen(uint32_t len_bytes) { bytes_ = len_bytes; }
    void SetUserTag(TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }

    /* The pointer itself, for this door only. */
    T *raw() const { return p_; }

    /* dst = a + b: over the whole of dst. */
    LocalTensor &operator=(const nputwin::binary_expr<T> &e)
    {
        npu_vec(nputwin::core(), e.op, nputwin::type_of<T>, p_, e.a, e.b, 0, GetSize(),
                {nullptr, 0});
        nputwin::after_count(nputwin::core());
        return *this;
    }
    /* dst = a < b: one bit an element of a. */
    template <typename U> LocalTensor &operator=(const nputwin::compare_expr<U> &e);

private:
    T *p_ = nullptr;
    uint32_t bytes_ = 0;
    TPosition pos_ = TPosition::VECCALC;
    TTagType tag_ = 0;
};

#define NPU_TENSOR_OP(o, row)                                                                      \
    template <typename T>                                                                          \
    nputwin::binary_expr<T> operator o(const LocalTensor<T> &a, const LocalTensor<T> &b)           \
    {                                                                                              \
        NPU_TAKES("operator " #o, OP_##row, T);                                                    \
        return {OP_##row, a.raw(), b.raw()};                                                       \
    }
NPU_TENSOR_OP(+, vadd)
NPU_TENSOR_OP(-, vsub)
NPU_TENSOR_OP(*, vmul)
NPU_TENSOR_OP(/, vdiv)
NPU_TENSOR_OP(&, vand)
NPU_TENSOR_OP(|, vor)
#undef NPU_TENSOR_OP
#define NPU_TENSOR_CMP(o, relation)                                                                \
    template <typename T>                                                                          \
    nputwin::compare_expr<T> operator o(const LocalTensor<T> &a, const LocalTensor<T> &b)          \
    {                                                                                              \
        NPU_TAKES("operator " #o, OP_vcmp, T);                                                     \
        return {relation, a.raw(), b.raw(), a.GetSize()};                                          \
    }
NPU_TENSOR_CMP(<, CMP_LT)
NPU_TENSOR_CMP(>, CMP_GT)
NPU_TENSOR_CMP(==, CMP_EQ)
NPU_TENSOR_CMP(<=, CMP_LE)
NPU_TENSOR_CMP(>=, CMP_GE)
NPU_TENSOR_CMP(!=, CMP_NE)
#undef NPU_TENSOR_CMP

template <typename T> class GlobalTensor {
public:
    using PrimType = T;

    void SetGlobalBuffer(T *p, uint64_t n)
    {
        p_ = p;
        n_ = n;
    }
    void SetGlobalBuffer(T *p) { SetGlobalBuffer(p, 0); }

    T GetValue(uint64_t i) const { return p_[i]; }
    void SetValue(uint64_t i, T v) const { p_[i] = v; }
    T &operator()(uint64_t i) const { return p_[i]; }
    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor t = *this;
        t.p_ += offset;
        t.n_ = offset < n_ ? n_ - offset : 0;
        return t;
    }
    template <typename U> GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> t;
        t.SetGlobalBuffer(reinterpret_cast<U *>(p_), n_ * sizeof(T) / sizeof(U));
        return t;
    }

    const T *GetPhyAddr() const { return p_; }
    T *GetPhyAddr(uint64_t offset) const { return p_ + offset; }
    uint64_t GetSize() const { return n_; }
    /* The twin has no L2: a hint about it changes nothing that a kernel could see. */
    void SetL2CacheHint(CacheMode) {}

    T *raw() const { return p_; }

private:
    T *p_ = nullptr;
    uint64_t n_ = 0; /* elements; 0 when the kernel did not say */
};

} // namespace AscendC
#endif

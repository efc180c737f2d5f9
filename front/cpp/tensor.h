/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor.h - GlobalTensor and LocalTensor: a typed view of GM or UB.
 *
 * Both hold a plain pointer, so that a scalar loop over GetValue or operator() compiles to what
 * the same loop over an array does; in GM a strict scalar cache is one predictable branch away.
 * Rule: neither owns memory; copying one copies the view.
 */
#ifndef NPU_FRONT_TENSOR_H
#define NPU_FRONT_TENSOR_H
#include "address.h"
#include "shape.h"

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

namespace nputwin {

/* Two 4-bit integers share a byte; of any other type an element has its sizeof. */
template <class T> constexpr uint32_t per_unit = std::is_same_v<T, int4b_t> ? 2 : 1;
template <class T> constexpr uint64_t bytes_of_n(uint64_t n)
{
    return (n + per_unit<T> - 1) / per_unit<T> * sizeof(T);
}
template <class T> constexpr uint64_t n_in_bytes(uint64_t bytes)
{
    return bytes / sizeof(T) * per_unit<T>;
}
/* How many T in memory lie before element n, which begins a byte. */
template <class T> inline uint64_t units_before(uint64_t n, npu_where where = {nullptr, 0})
{
    if constexpr (per_unit<T> > 1)
        if (NPU_UNLIKELY(n % per_unit<T>))
            npu_fault(core(), NPU_E_ALIGN, where,
                      "a tensor of int4b_t at offset %llu: two elements share a byte, so offsets "
                      "are even",
                      (unsigned long long)n);
    return n / per_unit<T>;
}
#define NPU_WHOLE_BYTES(name)                                                                      \
    static_assert(nputwin::per_unit<PrimType> == 1,                                                \
                  name ": two int4b_t share a byte; ReinterpretCast<int8_t>() reaches both")

/* The scalar unit at GM. */
template <class T> inline T *scalar_at(T *p, bool writes, npu_where where)
{
    if (NPU_LIKELY(!npu_scalar_strict))
        return p;
    npu_core *c = core();
    return c ? static_cast<T *>(npu_scalar_at(c, p, sizeof(T), writes, where)) : p;
}

/* The scalar unit at UB: behind what the vendor's compiler orders it. */
inline void before_scalar()
{
    if (NPU_LIKELY(!npu_scalar_settles))
        return;
    if (npu_core *c = core())
        npu_settle(c);
}

} // namespace nputwin

namespace AscendC {

template <typename T> class LocalTensor {
public:
    using PrimType = PrimT<T>;

    LocalTensor() {}
    LocalTensor(PrimType *p, uint32_t len_bytes, TPosition at)
        : address_({reinterpret_cast<uint8_t *>(p), len_bytes, at})
    {
    }
    explicit LocalTensor(const TBuffAddr &address) : address_(address) {}
    /* Static tensor programming: n elements at a byte address of the position's memory. */
    LocalTensor(TPosition at, uint32_t addr_bytes, uint32_t n, npu_where where = NPU_HERE)
        : address_({nputwin::address_in(at, addr_bytes, where),
                    uint32_t(nputwin::bytes_of_n<PrimType>(n)), at})
    {
    }
    /* The same with the position of the trait, and its layout's number of elements. */
    explicit LocalTensor(uint32_t addr_bytes, npu_where where = NPU_HERE)
    {
        static_assert(is_tensorTrait_v<T>,
                      "LocalTensor(addr) is for tensors of a TensorTrait; else LocalTensor(pos, "
                      "addr, tileSize)");
        if constexpr (is_tensorTrait_v<T>) {
            const npu_bank &bank = nputwin::core()->mem[nputwin::mem_of(T::tPos)];
            address_.at = {nputwin::address_in(T::tPos, addr_bytes, where),
                           addr_bytes < bank.bytes ? bank.bytes - addr_bytes : 0, T::tPos};
        }
    }

    PrimType GetValue(uint32_t i) const
    {
        NPU_WHOLE_BYTES("GetValue");
        nputwin::before_scalar();
        return raw()[i];
    }
    template <typename V> void SetValue(uint32_t i, V v) const
    {
        NPU_WHOLE_BYTES("SetValue");
        nputwin::before_scalar();
        raw()[i] = static_cast<PrimType>(v);
    }
    PrimType &operator()(uint32_t i) const
    {
        NPU_WHOLE_BYTES("operator()");
        nputwin::before_scalar();
        return raw()[i];
    }

    LocalTensor operator[](uint32_t offset) const
    {
        const uint32_t units = uint32_t(nputwin::units_before<PrimType>(offset));
        const uint32_t skip = units * uint32_t(sizeof(PrimType));
        LocalTensor t = *this;
        t.address_.at.p += skip;
        t.address_.at.bytes = skip < GetLength() ? GetLength() - skip : 0;
        return t;
    }
    template <typename U> LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> t(address_);
        t.SetUserTag(tag_);
        return t;
    }
    template <typename S> void SetAddrWithOffset(LocalTensor<S> &src, uint32_t offset)
    {
        *this = src[offset].template ReinterpretCast<T>();
    }

    /* What the documents leave out: the tensor is where `address` says, or size elements at a byte
     * offset of the memory that its position names. */
    void SetAddr(const TBuffAddr &address) { address_ = address; }
    void InitBuffer(uint32_t offset_bytes, uint32_t size)
    {
        SetSize(size);
        address_.bufferAddr = offset_bytes;
    }

    uint64_t GetPhyAddr() const { return uint64_t(uintptr_t(raw())); }
    uint64_t GetPhyAddr(uint32_t offset) const
    {
        return uint64_t(uintptr_t(raw() + nputwin::units_before<PrimType>(offset)));
    }
    uint32_t GetSize() const { return uint32_t(nputwin::n_in_bytes<PrimType>(GetLength())); }
    uint32_t GetLength() const { return address_.at.bytes; }
    int32_t GetPosition() const { return int32_t(address_.at.pos); }
    void SetSize(uint32_t n) { address_.at.bytes = uint32_t(nputwin::bytes_of_n<PrimType>(n)); }
    void SetBufferLen(uint32_t len_bytes) { address_.at.bytes = len_bytes; }
    void SetUserTag(TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }
    void SetShapeInfo(const ShapeInfo &shapeInfo) { shape_ = nputwin::keep_shape(shapeInfo); }
    ShapeInfo GetShapeInfo() const { return shape_ ? *shape_ : ShapeInfo(); }
    /* A blk a line, to the user's stdout; the second writes the bytes and says 0 when it could. */
    void Print() const { Print(GetSize()); }
    void Print(uint32_t len) const; /* debug.h */
    template <class Name> int32_t ToFile(const Name &fileName) const;

    /* The pointer itself, for this door only. */
    PrimType *raw() const { return reinterpret_cast<PrimType *>(address_.at.p); }

    /* dst = a + b: over the whole of dst. */
    LocalTensor &operator=(const nputwin::binary_expr<T> &e)
    {
        npu_vec(nputwin::core(), e.op, nputwin::type_of<T>, raw(), e.a, e.b, 0, GetSize(),
                {nullptr, 0});
        nputwin::after_count(nputwin::core());
        return *this;
    }
    /* dst = a < b: one bit an element of a. */
    template <typename U> LocalTensor &operator=(const nputwin::compare_expr<U> &e);

    TBuffAddr address_;

private:
    TTagType tag_ = 0;
    const ShapeInfo *shape_ = nullptr;
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
    using PrimType = PrimT<T>;

    void SetGlobalBuffer(PrimType *p, uint64_t n)
    {
        p_ = p;
        n_ = n;
    }
    void SetGlobalBuffer(PrimType *p) { SetGlobalBuffer(p, 0); }

    PrimType GetValue(uint64_t i, npu_where where = NPU_HERE) const
    {
        NPU_WHOLE_BYTES("GetValue");
        return *nputwin::scalar_at(p_ + i, false, where);
    }
    void SetValue(uint64_t i, PrimType v, npu_where where = NPU_HERE) const
    {
        NPU_WHOLE_BYTES("SetValue");
        *nputwin::scalar_at(p_ + i, true, where) = v;
    }
    PrimType &operator()(uint64_t i) const
    {
        NPU_WHOLE_BYTES("operator()");
        return *nputwin::scalar_at(p_ + i, true, {nullptr, 0});
    }
    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor t = *this;
        t.p_ += nputwin::units_before<PrimType>(offset);
        t.n_ = offset < n_ ? n_ - offset : 0;
        return t;
    }
    template <typename U> GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> t;
        t.SetGlobalBuffer(
            reinterpret_cast<PrimT<U> *>(p_),
            nputwin::n_in_bytes<PrimT<U>>(n_ * sizeof(PrimType) / nputwin::per_unit<PrimType>));
        return t;
    }

    const PrimType *GetPhyAddr() const { return p_; }
    PrimType *GetPhyAddr(uint64_t offset) const
    {
        return p_ + nputwin::units_before<PrimType>(offset);
    }
    uint64_t GetSize() const { return n_; }
    void SetShapeInfo(const ShapeInfo &shapeInfo) { shape_ = nputwin::keep_shape(shapeInfo); }
    ShapeInfo GetShapeInfo() const { return shape_ ? *shape_ : ShapeInfo(); }
    /* The twin has no L2: a hint about it changes nothing that a kernel could see. */
    template <CacheRwMode rwMode = CacheRwMode::RW> void SetL2CacheHint(CacheMode) {}

    PrimType *raw() const { return p_; }

private:
    PrimType *p_ = nullptr;
    uint64_t n_ = 0; /* elements; 0 when the kernel did not say */
    const ShapeInfo *shape_ = nullptr;
};
#undef NPU_WHOLE_BYTES

} // namespace AscendC
#endif

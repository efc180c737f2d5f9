/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listdesc.h - TensorDesc and ListTensorDesc: a list of tensors that a kernel gets as one address.
 *
 *   uint64_t offset of the pointers in bytes | dim index shape[dim] | dim index shape[dim] .. |
 * pointers
 *
 * dim and index have 32 bits each, a shape 64 a dimension.
 */
#ifndef NPU_FRONT_LISTDESC_H
#define NPU_FRONT_LISTDESC_H
#include "tensor.h"

namespace AscendC {

template <class T> class TensorDesc {
public:
    TensorDesc() {}
    ~TensorDesc() {}
    /* Where GetDesc writes the shape: 64 bits a dimension, the kernel's memory. */
    void SetShapeAddr(uint64_t *shapePtr) { shape_ = shapePtr; }
    uint64_t GetDim() { return dim_; }
    uint64_t GetIndex() { return index_; }
    uint64_t GetShape(uint32_t offset, npu_where where = NPU_HERE)
    {
        if (NPU_UNLIKELY(!shape_ || offset >= dim_)) {
            npu_fault(nputwin::core(), NPU_E_ARG, where,
                      "TensorDesc: GetShape(%u) of %u dimensions%s", offset, dim_,
                      shape_ ? "" : "; SetShapeAddr comes before GetDesc");
            return 0;
        }
        return shape_[offset];
    }
    T *GetDataPtr() { return data_; }
    GlobalTensor<T> GetDataObj()
    {
        GlobalTensor<T> t;
        t.SetGlobalBuffer(data_);
        return t;
    }

private:
    friend class ListTensorDesc;
    uint64_t *shape_ = nullptr;
    uint32_t dim_ = 0, index_ = 0;
    T *data_ = nullptr;
};

class ListTensorDesc {
public:
    ListTensorDesc() {}
    /* length and shapeSize (bytes, pointers) are checked when they are given. */
    ListTensorDesc(void *data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
                   npu_where where = NPU_HERE)
    {
        Init(data, length, shapeSize, where);
    }
    void Init(void *data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
              npu_where where = NPU_HERE)
    {
        data_ = static_cast<uint8_t *>(data);
        n_ = 0;
        if (NPU_UNLIKELY(!data_)) {
            npu_fault(nputwin::core(), NPU_E_ARG, where, "ListTensorDesc of a null address");
            return;
        }
        uint64_t at = 8;
        for (; at < Pointers(); n_++)
            at += 8 + uint64_t(Word32(at)) * 8;
        if (NPU_UNLIKELY(at != Pointers() ||
                         (length != 0xffffffff && Pointers() + n_ * 8 != length) ||
                         (shapeSize != 0xffffffff && n_ != shapeSize))) {
            npu_fault(
                nputwin::core(), NPU_E_ARG, where,
                "ListTensorDesc: the pointers begin at byte %llu, %u descriptors end at %llu; "
                "length %u, shapeSize %u",
                (unsigned long long)Pointers(), n_, (unsigned long long)at, length, shapeSize);
            n_ = 0;
        }
    }
    template <class T> void GetDesc(TensorDesc<T> &desc, uint32_t index, npu_where where = NPU_HERE)
    {
        if (!Has(index, where))
            return;
        uint64_t at = 8;
        for (uint32_t i = 0; i < index; i++)
            at += 8 + uint64_t(Word32(at)) * 8;
        desc.dim_ = Word32(at);
        desc.index_ = Word32(at + 4);
        desc.data_ = static_cast<T *>(Pointer(index));
        if (desc.shape_)
            std::memcpy(desc.shape_, data_ + at + 8, desc.dim_ * 8);
    }
    template <class T> T *GetDataPtr(uint32_t index, npu_where where = NPU_HERE)
    {
        return Has(index, where) ? static_cast<T *>(Pointer(index)) : nullptr;
    }
    uint32_t GetSize() { return n_; }

private:
    uint8_t *data_ = nullptr;
    uint32_t n_ = 0;

    uint32_t Word32(uint64_t at) const
    {
        uint32_t v;
        std::memcpy(&v, data_ + at, sizeof(v));
        return v;
    }
    uint64_t Pointers() const
    {
        uint64_t v;
        std::memcpy(&v, data_, sizeof(v));
        return v;
    }
    void *Pointer(uint32_t index) const
    {
        void *p;
        std::memcpy(&p, data_ + Pointers() + index * 8, sizeof(p));
        return p;
    }
    bool Has(uint32_t index, npu_where where) const
    {
        if (NPU_LIKELY(index < n_))
            return true;
        npu_fault(nputwin::core(), NPU_E_ARG, where, "ListTensorDesc: tensor %u of %u", index, n_);
        return false;
    }
};

} // namespace AscendC
#endif

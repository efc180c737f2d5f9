/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_tensor.h - TensorDesc and ListTensorDesc: the tensors of a DYNAMIC input or output.
 *
 * What lies in memory, in 8-byte words: the offset in bytes of the pointers; of each tensor its
 * number of dimensions (low half) and its number (high half), then its dimensions; the pointers.
 */
#ifndef NPU_FRONT_LIST_TENSOR_H
#define NPU_FRONT_LIST_TENSOR_H
#include "tensor.h"

namespace AscendC {

template <class T> class TensorDesc {
public:
    void SetShapeAddr(uint64_t *shape) { shape_ = shape; }
    uint64_t GetDim() const { return dim_; }
    uint64_t GetIndex() const { return index_; }
    uint64_t GetShape(uint32_t i) const { return shape_ && i < dim_ ? shape_[i] : 0; }
    T *GetDataPtr() const { return data_; }
    GlobalTensor<T> GetDataObj() const
    {
        GlobalTensor<T> t;

        t.SetGlobalBuffer(data_);
        return t;
    }

private:
    friend class ListTensorDesc;
    uint64_t *shape_ = nullptr, dim_ = 0, index_ = 0;
    T *data_ = nullptr;
};

class ListTensorDesc {
public:
    ListTensorDesc() = default;
    explicit ListTensorDesc(void *data, uint32_t length = UINT32_MAX,
                            uint32_t shapeSize = UINT32_MAX, npu_where where = NPU_HERE)
    {
        Init(data, length, shapeSize, where);
    }
    /* length and shapeSize, bytes and tensors, are held against what is there when given. */
    void Init(void *data, uint32_t length = UINT32_MAX, uint32_t shapeSize = UINT32_MAX,
              npu_where where = NPU_HERE)
    {
        const uint64_t *words = static_cast<const uint64_t *>(data);
        uint32_t n = 0;

        words_ = nullptr;
        size_ = 0;
        if (!data) {
            npu_fault(nputwin::core(), NPU_E_ARG, where, "ListTensorDesc: the list is null");
            return;
        }
        const uint64_t end = words[0] / sizeof *words;
        for (uint64_t at = 1; at < end; at += 1 + (words[at] & UINT32_MAX))
            n++;
        if ((length != UINT32_MAX && length < words[0] + n * sizeof *words) ||
            (shapeSize != UINT32_MAX && shapeSize != n)) {
            npu_fault(nputwin::core(), NPU_E_ARG, where,
                      "ListTensorDesc: %u tensors in %u bytes were announced; %u are there in %u",
                      shapeSize, length, n, unsigned(words[0] + n * sizeof *words));
            return;
        }
        words_ = words;
        size_ = n;
    }
    uint32_t GetSize() const { return size_; }
    template <class T> T *GetDataPtr(uint32_t index, npu_where where = NPU_HERE) const
    {
        return has(index, where) ? reinterpret_cast<T *>(words_[words_[0] / 8 + index]) : nullptr;
    }
    template <class T>
    void GetDesc(TensorDesc<T> &desc, uint32_t index, npu_where where = NPU_HERE) const
    {
        uint64_t at = 1;

        if (!has(index, where))
            return;
        for (uint32_t i = 0; i < index; i++)
            at += 1 + (words_[at] & UINT32_MAX);
        desc.dim_ = words_[at] & UINT32_MAX;
        desc.index_ = words_[at] >> 32;
        for (uint64_t d = 0; desc.shape_ && d < desc.dim_; d++)
            desc.shape_[d] = words_[at + 1 + d];
        desc.data_ = GetDataPtr<T>(index, where);
    }

private:
    bool has(uint32_t index, npu_where where) const
    {
        if (index < size_)
            return true;
        npu_fault(nputwin::core(), NPU_E_ARG, where, "ListTensorDesc: tensor %u of %u", index,
                  size_);
        return false;
    }
    const uint64_t *words_ = nullptr;
    uint32_t size_ = 0;
};

} // namespace AscendC
#endif

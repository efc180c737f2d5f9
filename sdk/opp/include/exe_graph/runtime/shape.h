/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h - gert::Shape, and the pair of shapes that a tensor has. */
#ifndef NPUTWIN_GERT_SHAPE_H
#define NPUTWIN_GERT_SHAPE_H
#include "../../nputwin/opp.h"
#include <initializer_list>

namespace gert {

class Shape : private npu_opp_shape {
public:
    static constexpr size_t kMaxDimNum = NPU_OPP_DIMS;
    static constexpr int64_t kInvalidDimValue = INT64_MIN;

    Shape() : npu_opp_shape{} {}
    Shape(std::initializer_list<int64_t> dims) : npu_opp_shape{}
    {
        for (int64_t d : dims)
            AppendDim(d);
    }

    size_t GetDimNum() const { return n_dims; }
    void SetDimNum(size_t n) { n_dims = n < kMaxDimNum ? n : size_t(kMaxDimNum); }
    int64_t GetDim(size_t i) const { return i < n_dims ? dim[i] : kInvalidDimValue; }
    void SetDim(size_t i, int64_t value)
    {
        if (i < kMaxDimNum)
            dim[i] = value;
    }
    int64_t operator[](size_t i) const { return GetDim(i); }
    int64_t &operator[](size_t i) { return dim[i < kMaxDimNum ? i : size_t(kMaxDimNum) - 1]; }
    Shape &AppendDim(int64_t value)
    {
        if (n_dims < kMaxDimNum)
            dim[n_dims++] = value;
        return *this;
    }
    /* Elements; 1 for a scalar, negative when a dimension is unknown or they are too many. */
    int64_t GetShapeSize() const
    {
        int64_t n = 1;

        for (size_t i = 0; i < n_dims; i++)
            if (dim[i] < 0 || __builtin_mul_overflow(n, dim[i], &n))
                return -1;
        return n;
    }
    bool IsScalar() const { return n_dims == 0; }
    void SetScalar() { n_dims = 0; }
    bool operator==(const Shape &o) const
    {
        if (n_dims != o.n_dims)
            return false;
        for (size_t i = 0; i < n_dims; i++)
            if (dim[i] != o.dim[i])
                return false;
        return true;
    }
    bool operator!=(const Shape &o) const { return !(*this == o); }

    static Shape *Of(npu_opp_shape *s) { return static_cast<Shape *>(s); }
    static const Shape *Of(const npu_opp_shape *s) { return static_cast<const Shape *>(s); }
};

class StorageShape : private npu_opp_storage_shape {
public:
    StorageShape() : npu_opp_storage_shape{} {}
    StorageShape(std::initializer_list<int64_t> origin_dims,
                 std::initializer_list<int64_t> storage_dims)
        : npu_opp_storage_shape{}
    {
        MutableOriginShape() = Shape(origin_dims);
        MutableStorageShape() = Shape(storage_dims);
    }
    const Shape &GetOriginShape() const { return *Shape::Of(&origin); }
    const Shape &GetStorageShape() const { return *Shape::Of(&storage); }
    Shape &MutableOriginShape() { return *Shape::Of(&origin); }
    Shape &MutableStorageShape() { return *Shape::Of(&storage); }

    static const StorageShape *Of(const npu_opp_storage_shape *s)
    {
        return static_cast<const StorageShape *>(s);
    }
};

} // namespace gert
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.h - ge::Shape, the shape that the host side of the high-level API takes. */
#ifndef INC_EXTERNAL_GRAPH_TENSOR_H_ /* types.h says why */
#define INC_EXTERNAL_GRAPH_TENSOR_H_
#include "types.h"
#include <cstddef>
#include <utility>
#include <vector>

namespace ge {

class Shape {
public:
    Shape() = default;
    explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

    size_t GetDimNum() const { return dims_.size(); }
    /* 0 beyond the last dimension. */
    int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : 0; }
    graphStatus SetDim(size_t i, int64_t value)
    {
        if (i >= dims_.size())
            return GRAPH_FAILED;
        dims_[i] = value;
        return GRAPH_SUCCESS;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    /* Elements: 0 without dimensions, -1 when one is unknown or they are too many. */
    int64_t GetShapeSize() const
    {
        int64_t n = dims_.empty() ? 0 : 1;

        for (int64_t d : dims_)
            if (d < 0 || __builtin_mul_overflow(n, d, &n))
                return -1;
        return n;
    }

private:
    std::vector<int64_t> dims_;
};

} // namespace ge
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.h - gert::Tensor and gert::CompileTimeTensorDesc: one operand of a call. */
#ifndef NPUTWIN_GERT_TENSOR_H
#define NPUTWIN_GERT_TENSOR_H
#include "../../graph/types.h"
#include "shape.h"

namespace gert {

class CompileTimeTensorDesc : private npu_opp_tensor {
public:
    ge::DataType GetDataType() const { return ge::DataType(type); }
    ge::Format GetOriginFormat() const { return ge::Format(origin_format); }
    ge::Format GetStorageFormat() const { return ge::Format(storage_format); }

    static const CompileTimeTensorDesc *Of(const npu_opp_tensor *t)
    {
        return static_cast<const CompileTimeTensorDesc *>(t);
    }
};

/* The memory of a tensor is the device's and not written yet when a TilingFunc runs: GetData() is
 * null but for scalars and for the inputs that ValueDepend asks for. */
class Tensor : private npu_opp_tensor {
public:
    const Shape &GetOriginShape() const { return *Shape::Of(&shape.origin); }
    const Shape &GetStorageShape() const { return *Shape::Of(&shape.storage); }
    int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
    ge::DataType GetDataType() const { return ge::DataType(type); }
    ge::Format GetOriginFormat() const { return ge::Format(origin_format); }
    ge::Format GetStorageFormat() const { return ge::Format(storage_format); }
    size_t GetSize() const
    {
        return size_t(GetShapeSize()) * size_t(ge::GetSizeByDataType(GetDataType()));
    }

    template <class T> const T *GetData() const { return static_cast<const T *>(host); }
    const void *GetAddr() const { return host; }

    static const Tensor *Of(const npu_opp_tensor *t) { return static_cast<const Tensor *>(t); }
};

} // namespace gert
#endif

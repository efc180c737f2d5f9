/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.h - gert::Tensor and gert::CompileTimeTensorDesc: one operand of a call. */
#ifndef NPUTWIN_GERT_TENSOR_H
#define NPUTWIN_GERT_TENSOR_H
#include "../../graph/types.h"
#include "shape.h"

namespace gert {

/* Which dimensions a storage format adds: none of the formats that the twin has adds any. */
class ExpandDimsType {};
class StorageFormat {
public:
    StorageFormat() = default;
    StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType &)
        : origin_(origin), storage_(storage)
    {
    }
    ge::Format GetOriginFormat() const { return origin_; }
    ge::Format GetStorageFormat() const { return storage_; }

private:
    ge::Format origin_ = ge::FORMAT_ND, storage_ = ge::FORMAT_ND;
};

class CompileTimeTensorDesc : private npu_opp_tensor {
public:
    CompileTimeTensorDesc() : npu_opp_tensor{} {}
    void SetDataType(ge::DataType t) { type = t; }
    void SetOriginFormat(ge::Format f) { origin_format = f; }
    void SetStorageFormat(ge::Format f) { storage_format = f; }
    ge::DataType GetDataType() const { return ge::DataType(type); }
    ge::Format GetOriginFormat() const { return ge::Format(origin_format); }
    ge::Format GetStorageFormat() const { return ge::Format(storage_format); }

    static const CompileTimeTensorDesc *Of(const npu_opp_tensor *t)
    {
        return static_cast<const CompileTimeTensorDesc *>(t);
    }
};

/* Where the bytes of a tensor are that a TilingFunc may ask for. */
enum TensorPlacement { kOnDeviceHbm, kOnHost, kFollowing, kOnDeviceP2p, kTensorPlacementEnd };
class TensorPlacementUtils {
public:
    static bool IsOnHost(TensorPlacement p) { return p == kOnHost || p == kFollowing; }
    static bool IsOnDevice(TensorPlacement p) { return p == kOnDeviceHbm || p == kOnDeviceP2p; }
};
enum class TilingPlacement { TILING_ON_HOST, TILING_ON_AICPU };

/* The memory of a tensor is the device's and not written yet when a TilingFunc runs: GetData() is
 * null but for scalars and for the inputs that ValueDepend asks for. */
class Tensor : private npu_opp_tensor {
public:
    Tensor() : npu_opp_tensor{} {}
    /* Without memory: for a program that calls a TilingFunc itself. */
    Tensor(const StorageShape &dims, const StorageFormat &format, ge::DataType t) : npu_opp_tensor{}
    {
        *Shape::Of(&shape.origin) = dims.GetOriginShape();
        *Shape::Of(&shape.storage) = dims.GetStorageShape();
        type = t;
        origin_format = format.GetOriginFormat();
        storage_format = format.GetStorageFormat();
        is_given = 1;
    }
    const StorageShape &GetShape() const { return *StorageShape::Of(&shape); }
    const Shape &GetOriginShape() const { return *Shape::Of(&shape.origin); }
    const Shape &GetStorageShape() const { return *Shape::Of(&shape.storage); }
    int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
    ge::DataType GetDataType() const { return ge::DataType(type); }
    ge::Format GetOriginFormat() const { return ge::Format(origin_format); }
    ge::Format GetStorageFormat() const { return ge::Format(storage_format); }
    size_t GetSize() const { return size_t(ge::GetSizeInBytes(GetShapeSize(), GetDataType())); }

    template <class T> const T *GetData() const { return static_cast<const T *>(host); }
    const void *GetAddr() const { return host; }
    TensorPlacement GetPlacement() const { return host ? kOnHost : kOnDeviceHbm; }

    static const Tensor *Of(const npu_opp_tensor *t) { return static_cast<const Tensor *>(t); }
};

} // namespace gert
#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "../op_kernel/axpy_custom_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {

constexpr uint64_t BYTES_IN_UB = 16; /* of an element, in the hungrier of the two ways */
constexpr uint64_t ALIGN = 64;       /* elements: whole 32-byte blocks in either type */

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const int64_t length = context->GetInputShape(0)->GetOriginShape().GetShapeSize();
    const bool is_half = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
    const float *alpha = context->GetAttrs()->GetAttrPointer<float>(0);
    auto *tiling = context->GetTilingData<AxpyCustomTilingData>();
    uint64_t ub_bytes = 0;

    if (length < 0 || !alpha || !tiling)
        return ge::GRAPH_FAILED;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub_bytes);
    const uint64_t most = ub_bytes / 2 / BYTES_IN_UB / ALIGN * ALIGN; /* half of UB is left alone */
    const uint64_t cores = platform.GetCoreNumAiv();
    const uint64_t share = (uint64_t(length) + cores - 1) / cores;
    const uint64_t tile = std::min(most, (share + ALIGN - 1) / ALIGN * ALIGN);
    const uint64_t tiles = (uint64_t(length) + tile - 1) / tile;
    const uint64_t blocks = std::min(cores, tiles);

    tiling->length = uint64_t(length);
    tiling->tile = uint32_t(tile);
    tiling->alpha = *alpha;
    context->SetBlockDim(uint32_t(blocks));
    context->SetTilingKey(is_half ? AXPY_WIDE : AXPY_DIRECT);
    context->GetWorkspaceSizes(1)[0] = is_half ? blocks * tile * sizeof(float) : 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

} // namespace ge

namespace ops {

class AxpyCustom : public OpDef {
public:
    explicit AxpyCustom(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("z")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("alpha").AttrType(OPTIONAL).Float(1.0f);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
        this->AICore().AddConfig("ascend950");
    }
};
OP_ADD(AxpyCustom);

} // namespace ops

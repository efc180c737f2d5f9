/* SPDX-License-Identifier: Apache-2.0 */
/* x = x * times + offsets[i % n] + or - bias, in place; negated when flip is set. */
#include "older_custom_tiling.h"
#include "graph/operator_reg.h"
#include "log/log.h"
#include "platform/platform_infos_def.h"
#include "register/op_def_registry.h"

namespace optiling {

/* Filled in once a process; the TilingFunc of each call reads it. */
struct OlderCompileInfo {
    uint32_t n_cores = 0, most_offsets = 0;
};
static ge::graphStatus TilingParse(gert::TilingParseContext *context)
{
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    auto *info = context->GetCompiledInfo<OlderCompileInfo>();

    OP_CHECK_NULL_WITH_CONTEXT(context, info);
    info->n_cores = platform.GetCoreNumAiv();
    info->most_offsets = 4;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const gert::RuntimeAttrs *attrs = context->GetAttrs();
    const auto *offsets = attrs->GetListInt(1);
    const bool minus = !std::strcmp(attrs->GetStr(2), "minus");
    OlderTilingData tiling;

    const auto *info = context->GetCompileInfo<OlderCompileInfo>();
    OP_CHECK_IF(!info || !info->n_cores, OP_LOGE(context, "TilingParse did not run"),
                return ge::GRAPH_FAILED);
    OP_CHECK_IF(offsets->GetSize() < 1 || offsets->GetSize() > info->most_offsets,
                OP_LOGE_FOR_INVALID_SHAPESIZE(context, "offsets",
                                              std::to_string(offsets->GetSize()), "1 to 4"),
                return ge::GRAPH_FAILED);
    tiling.set_flip(*attrs->GetBool(3));
    tiling.set_length(uint32_t(context->GetInputTensor(0)->GetShapeSize()));
    tiling.set_times(*attrs->GetInt(0));
    tiling.offsets.set_count(uint8_t(offsets->GetSize()));
    int64_t value[4] = {};
    std::memcpy(value, offsets->GetData(), offsets->GetSize() * sizeof *value);
    tiling.offsets.set_value(value);
    tiling.set_bias(!context->GetOptionalInputDesc(1) ? 0 : minus ? -1 : 1);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                        context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ops {

class OlderCustom : public OpDef {
public:
    explicit OlderCustom(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataTypeList({ge::DT_INT32, ge::DT_INT64});
        this->Input("bias").ParamType(OPTIONAL).Follow("x", FollowType::DTYPE);
        this->Output("x").ParamType(REQUIRED).Follow("x");
        this->Attr("times").Int();
        this->Attr("offsets").AttrType(OPTIONAL).ListInt({0});
        this->Attr("word").AttrType(OPTIONAL).String("plus");
        this->Attr("flip").AttrType(OPTIONAL).Bool(false);
        this->AICore().SetTiling(optiling::TilingFunc).SetTilingParse(optiling::TilingParse);
    }
};
OP_ADD(OlderCustom, optiling::OlderCompileInfo);

} // namespace ops

/* For graphs; taken, and says nothing. */
namespace ge {
REG_OP(OlderCustom)
    .INPUT(x, TensorType({DT_INT32, DT_INT64}))
    .OPTIONAL_INPUT(bias, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(x, TensorType({DT_INT32, DT_INT64}))
    .REQUIRED_ATTR(times, Int)
    .OP_END_FACTORY_REG(OlderCustom)
} // namespace ge

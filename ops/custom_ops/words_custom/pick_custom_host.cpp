/* SPDX-License-Identifier: Apache-2.0 */
/* y = x * times, negated on demand; uint32 runs the kernel of int32, whose bits come out the same.
 */
#include "pick_custom_key.h"
#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const uint32_t times = uint32_t(*context->GetAttrs()->GetInt(0));
    const uint32_t flip = *context->GetAttrs()->GetBool(1);

    *context->GetTilingData<uint32_t>() = uint32_t(context->GetInputTensor(0)->GetShapeSize());
    ASCENDC_TPL_SEL_PARAM(context, uint32_t(ge::DT_INT32), times, flip);
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ops {

class PickCustom : public OpDef {
public:
    explicit PickCustom(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_UINT32, ge::DT_INT32})
            .DataTypeForBinQuery({ge::DT_INT32, ge::DT_INT32});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_UINT32, ge::DT_INT32})
            .DataTypeForBinQuery({ge::DT_INT32, ge::DT_INT32});
        this->Attr("times").Int();
        this->Attr("flip").AttrType(OPTIONAL).Bool(false);
        this->AICore()
            .SetTiling(optiling::TilingFunc)
            .LaunchWithZeroEleOutputTensors(true)
            .AddConfig("ascend910b");
    }
};
OP_ADD(PickCustom);

} // namespace ops

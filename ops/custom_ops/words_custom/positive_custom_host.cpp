/* SPDX-License-Identifier: Apache-2.0 */
/* y: the elements of x that are greater than 0, and where they stood; how many there are only the
 * kernel knows (OutputShapeDependOnCompute).
 */
#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    *context->GetTilingData<uint32_t>() = uint32_t(context->GetInputTensor(0)->GetShapeSize());
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    context->SetOutputDataType(0, context->GetInputDataType(0));
    context->SetOutputDataType(1, DT_INT64);
    return GRAPH_SUCCESS;
}

} // namespace ge

namespace ops {

class PositiveCustom : public OpDef {
public:
    explicit PositiveCustom(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_INT32})
            .OutputShapeDependOnCompute();
        this->Output("place")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64})
            .OutputShapeDependOnCompute();
        this->Output("first").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT});
        this->SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(PositiveCustom);

} // namespace ops

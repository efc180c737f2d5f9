/* SPDX-License-Identifier: Apache-2.0 */
/* Two operators whose tiling key says on which cores they run. */
#include "cores_pick_custom_key.h"
#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus ByKey(gert::TilingContext *context)
{
    context->SetTilingKey(uint64_t(*context->GetAttrs()->GetInt(0)));
    context->SetBlockDim(2);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus ByTemplate(gert::TilingContext *context)
{
    const uint32_t how = uint32_t(*context->GetAttrs()->GetInt(0));

    ASCENDC_TPL_SEL_PARAM(context, how);
    context->SetBlockDim(2);
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ops {

#define CORES(name, tiling, attribute)                                                             \
    class name : public OpDef {                                                                    \
    public:                                                                                        \
        explicit name(const char *type) : OpDef(type)                                              \
        {                                                                                          \
            this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32});                         \
            this->Output("y").ParamType(REQUIRED).DataType({ge::DT_INT32});                        \
            this->Attr(attribute).Int();                                                           \
            this->AICore().SetTiling(tiling).AddConfig("ascend910b");                              \
        }                                                                                          \
    };                                                                                             \
    OP_ADD(name)
CORES(CoresCustom, optiling::ByKey, "key");
CORES(CoresPickCustom, optiling::ByTemplate, "how");

} // namespace ops

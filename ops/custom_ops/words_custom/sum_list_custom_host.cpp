/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = 3 + scale * (w[0] * x[0] + w[1] * x[1] + ...) + shifts + bias + sum of w, negated on demand;
 * y holds 3 before the kernel runs, and the kernel adds.
 */
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "sum_list_custom_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const size_t n = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
    const gert::Tensor *weights = context->GetRequiredInputTensor(1);
    const gert::Tensor *shifts = context->GetOptionalInputTensor(3);
    const auto *table = context->GetAttrs()->GetListListInt(1);
    auto *t = context->GetTilingData<SumListTilingData>();

    if (!n || !weights->GetData<int64_t>() || size_t(weights->GetShapeSize()) != n)
        return ge::GRAPH_FAILED;
    *t = {};
    t->length = uint32_t(context->GetOutputShape(0)->GetOriginShape().GetShapeSize());
    for (size_t k = 0; k < n; k++) {
        if (context->GetDynamicInputShape(0, k)->GetOriginShape().GetShapeSize() != t->length)
            return ge::GRAPH_FAILED;
        t->weight_sum += weights->GetData<int64_t>()[k];
    }
    t->n_tensors = uint32_t(n);
    t->n_shifts = shifts ? uint32_t(shifts->GetShapeSize()) : 0;
    t->has_bias = context->GetOptionalInputDesc(4) != nullptr;
    t->negate = *context->GetAttrs()->GetBool(0);
    for (size_t i = 0; i < table->GetSize(); i++)
        for (size_t k = 0; k < table->Get(i)->GetSize(); k++)
            t->plus += int32_t(static_cast<const int64_t *>(table->Get(i)->GetData())[k]);
    context->SetNeedAtomic(true);
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 64;
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(SumListCustom).Tiling(TilingFunc);

} // namespace optiling

namespace ops {

class SumListCustom : public OpDef {
public:
    explicit SumListCustom(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT, ge::DT_INT32}).AutoContiguous();
        this->Input("weights")
            .ParamType(REQUIRED)
            .DataTypeList({ge::DT_INT64})
            .ValueDepend(REQUIRED);
        this->Input("scale").ParamType(REQUIRED).Follow("x", FollowType::DTYPE).Scalar().To("x");
        this->Input("shifts")
            .ParamType(OPTIONAL)
            .DataTypeList({ge::DT_FLOAT})
            .ScalarList()
            .To(ge::DT_FLOAT);
        this->Input("bias").ParamType(OPTIONAL).Follow("x", FollowType::DTYPE).Version(1);
        this->Output("y").ParamType(REQUIRED).Follow("x").InitValue({ScalarType::INT32, 3});
        this->Attr("negate").AttrType(OPTIONAL).Bool(false).Version(3);
        this->Attr("table").AttrType(OPTIONAL).ListListInt({{1, 2}, {-3}});
        this->AICore().AddConfig("ascend910b");
        OpAICoreConfig a5;
        a5.Input("x").DataType({ge::DT_FLOAT16}).AutoContiguous();
        a5.Input("scale").Follow("x", FollowType::DTYPE);
        a5.Input("bias").Follow("x", FollowType::DTYPE);
        a5.Output("y").Follow("x");
        this->AICore().AddConfig("ascend950", a5);
    }
};
OP_ADD(SumListCustom);

} // namespace ops

/* SPDX-License-Identifier: Apache-2.0 */
/* infer_datatype_context.h - gert::InferDataTypeContext. */
#ifndef NPUTWIN_GERT_INFER_DATATYPE_CONTEXT_H
#define NPUTWIN_GERT_INFER_DATATYPE_CONTEXT_H
#include "context.h"

namespace gert {

class InferDataTypeContext : public Context {
public:
    ge::DataType GetInputDataType(size_t i) const { return TypeOf(Input(i)); }
    ge::DataType GetRequiredInputDataType(size_t i) const { return TypeOf(InputOf(i, 0)); }
    ge::DataType GetOptionalInputDataType(size_t i) const { return TypeOf(InputOf(i, 0)); }
    ge::DataType GetDynamicInputDataType(size_t i, size_t k) const { return TypeOf(InputOf(i, k)); }
    ge::DataType GetOutputDataType(size_t i) const { return TypeOf(Output(i)); }
    ge::graphStatus SetOutputDataType(size_t i, ge::DataType type)
    {
        npu_opp_tensor *t = Output(i);

        if (!t)
            return ge::GRAPH_FAILED;
        t->type = type;
        return ge::GRAPH_SUCCESS;
    }

private:
    static ge::DataType TypeOf(const npu_opp_tensor *t)
    {
        return t ? ge::DataType(t->type) : ge::DT_UNDEFINED;
    }
};

} // namespace gert
#endif

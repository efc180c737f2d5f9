/* SPDX-License-Identifier: Apache-2.0 */
/* infer_datatype_context.h - gert::InferDataTypeContext. */
#ifndef NPUTWIN_GERT_INFER_DATATYPE_CONTEXT_H
#define NPUTWIN_GERT_INFER_DATATYPE_CONTEXT_H
#include "context.h"

namespace gert {

class InferDataTypeContext : public Context {
public:
    ge::DataType GetInputDataType(size_t i) const
    {
        const npu_opp_tensor *t = Input(i);

        return t ? ge::DataType(t->type) : ge::DT_UNDEFINED;
    }
    ge::DataType GetOptionalInputDataType(size_t i) const { return GetInputDataType(i); }
    ge::DataType GetOutputDataType(size_t i) const
    {
        const npu_opp_tensor *t = Output(i);

        return t ? ge::DataType(t->type) : ge::DT_UNDEFINED;
    }
    ge::graphStatus SetOutputDataType(size_t i, ge::DataType type)
    {
        npu_opp_tensor *t = Output(i);

        if (!t)
            return ge::GRAPH_FAILED;
        t->type = type;
        return ge::GRAPH_SUCCESS;
    }
};

} // namespace gert
#endif

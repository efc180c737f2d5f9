/* SPDX-License-Identifier: Apache-2.0 */
/* context.h - what TilingFunc, InferShape and InferDataType have in common: inputs and attributes.
 */
#ifndef NPUTWIN_GERT_CONTEXT_H
#define NPUTWIN_GERT_CONTEXT_H
#include "runtime_attrs.h"
#include "tensor.h"

namespace gert {

/* A getter of an operand that does not exist or was not given returns nullptr. */
class Context : protected npu_opp_call {
public:
    const char *GetNodeType() const { return op->type; }
    const char *GetNodeName() const { return op->type; }
    size_t GetComputeNodeInputNum() const { return op->n_in; }
    size_t GetComputeNodeOutputNum() const { return op->n_out; }
    const RuntimeAttrs *GetAttrs() const { return RuntimeAttrs::Of(this); }
    const CompileTimeTensorDesc *GetInputDesc(size_t i) const
    {
        return CompileTimeTensorDesc::Of(Input(i));
    }
    const CompileTimeTensorDesc *GetOptionalInputDesc(size_t i) const { return GetInputDesc(i); }
    const Tensor *GetInputTensor(size_t i) const { return Tensor::Of(Input(i)); }
    const Tensor *GetOptionalInputTensor(size_t i) const { return Tensor::Of(Input(i)); }

protected:
    npu_opp_tensor *Input(size_t i) const
    {
        return i < op->n_in && in[i].is_given ? &in[i] : nullptr;
    }
    npu_opp_tensor *Output(size_t i) const
    {
        return i < op->n_out && out[i].is_given ? &out[i] : nullptr;
    }
};

} // namespace gert
#endif

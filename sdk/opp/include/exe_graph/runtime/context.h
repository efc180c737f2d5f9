/* SPDX-License-Identifier: Apache-2.0 */
/* context.h - what TilingFunc, InferShape and InferDataType have in common: inputs and attributes.
 */
#ifndef NPUTWIN_GERT_CONTEXT_H
#define NPUTWIN_GERT_CONTEXT_H
#include "runtime_attrs.h"
#include "tensor.h"

namespace gert {

/* Where the tensors of one parameter stand among all of them. */
class AnchorInstanceInfo {
public:
    size_t GetInstanceStart() const { return at_[0]; }
    size_t GetInstanceNum() const { return at_[1] - at_[0]; }

    static const AnchorInstanceInfo *Of(const uint32_t *at)
    {
        return reinterpret_cast<const AnchorInstanceInfo *>(at);
    }

private:
    uint32_t at_[2];
};

/* The operands of a call, counted. */
class ComputeNodeInfo : private npu_opp_call {
public:
    const char *GetNodeType() const { return op->type; }
    const char *GetNodeName() const { return op->type; }
    size_t GetIrInputsNum() const { return op->n_in; }
    size_t GetIrOutputsNum() const { return op->n_out; }
    size_t GetInputsNum() const { return in_at[op->n_in]; }
    size_t GetOutputsNum() const { return out_at[op->n_out]; }

    static const ComputeNodeInfo *Of(const npu_opp_call *c)
    {
        return static_cast<const ComputeNodeInfo *>(c);
    }
};

/* A getter of an operand that does not exist or was not given returns nullptr. Plain getters count
 * tensors (each of a DYNAMIC list is one); GetRequired, GetOptional and GetDynamic count the
 * parameters of the OpDef. */
class Context : protected npu_opp_call {
public:
    const char *GetNodeType() const { return op->type; }
    const char *GetNodeName() const { return op->type; }
    const ComputeNodeInfo *GetComputeNodeInfo() const { return ComputeNodeInfo::Of(this); }
    size_t GetComputeNodeInputNum() const { return in_at[op->n_in]; }
    size_t GetComputeNodeOutputNum() const { return out_at[op->n_out]; }
    const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t i) const
    {
        return i < op->n_in ? AnchorInstanceInfo::Of(in_at + i) : nullptr;
    }
    const AnchorInstanceInfo *GetIrOutputInstanceInfo(size_t i) const
    {
        return i < op->n_out ? AnchorInstanceInfo::Of(out_at + i) : nullptr;
    }
    const RuntimeAttrs *GetAttrs() const { return RuntimeAttrs::Of(this); }
    const CompileTimeTensorDesc *GetInputDesc(size_t i) const
    {
        return CompileTimeTensorDesc::Of(Input(i));
    }
    const CompileTimeTensorDesc *GetRequiredInputDesc(size_t i) const
    {
        return GetDynamicInputDesc(i, 0);
    }
    const CompileTimeTensorDesc *GetOptionalInputDesc(size_t i) const
    {
        return GetDynamicInputDesc(i, 0);
    }
    const CompileTimeTensorDesc *GetDynamicInputDesc(size_t i, size_t k) const
    {
        return CompileTimeTensorDesc::Of(InputOf(i, k));
    }
    const Tensor *GetInputTensor(size_t i) const { return Tensor::Of(Input(i)); }
    const Tensor *GetRequiredInputTensor(size_t i) const { return Tensor::Of(InputOf(i, 0)); }
    const Tensor *GetOptionalInputTensor(size_t i) const { return Tensor::Of(InputOf(i, 0)); }
    const Tensor *GetDynamicInputTensor(size_t i, size_t k) const
    {
        return Tensor::Of(InputOf(i, k));
    }

protected:
    npu_opp_tensor *Input(size_t i) const
    {
        return i < in_at[op->n_in] && in[i].is_given ? &in[i] : nullptr;
    }
    npu_opp_tensor *InputOf(size_t i, size_t k) const
    {
        return i < op->n_in && k < in_at[i + 1] - in_at[i] ? Input(in_at[i] + k) : nullptr;
    }
    npu_opp_tensor *Output(size_t i) const
    {
        return i < out_at[op->n_out] && out[i].is_given ? &out[i] : nullptr;
    }
    npu_opp_tensor *OutputOf(size_t i, size_t k) const
    {
        return i < op->n_out && k < out_at[i + 1] - out_at[i] ? Output(out_at[i] + k) : nullptr;
    }
};

} // namespace gert
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer_norm_v4.cpp - Pattern C: CANN's LayerNormV4 as torch.ops.npu.layer_norm_v4.
 *
 * Holds no kernel: checks, outputs, and the name of the operator with its inputs and attributes.
 * The shape is an input that stays on the host, and an absent gamma or beta is an empty Input().
 */
#include <torch_npu/csrc/framework/OpCommand.h>

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace {

using Outputs = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

void CheckParameter(const at::Tensor &x, const std::optional<at::Tensor> &p,
                    at::IntArrayRef normalizedShape, const char *name)
{
    if (!p)
        return;
    TORCH_CHECK(p->scalar_type() == x.scalar_type(), "layer_norm_v4: x is ", x.scalar_type(), ", ",
                name, " is ", p->scalar_type());
    TORCH_CHECK(p->device() == x.device(), "layer_norm_v4: x is on ", x.device(), ", ", name,
                " on ", p->device());
    TORCH_CHECK(p->sym_sizes() == c10::fromIntArrayRefSlow(normalizedShape),
                "layer_norm_v4: ", name, " must have shape ", normalizedShape, ", got ",
                p->sym_sizes());
}

/* The first normalised dimension. */
int64_t Check(const at::Tensor &x, at::IntArrayRef normalizedShape,
              const std::optional<at::Tensor> &gamma, const std::optional<at::Tensor> &beta)
{
    at::ScalarType type = x.scalar_type();
    int64_t axis = x.dim() - static_cast<int64_t>(normalizedShape.size());

    TORCH_CHECK(type == at::kHalf || type == at::kBFloat16 || type == at::kFloat,
                "layer_norm_v4: x must be float16, bfloat16 or float32, got ", type);
    TORCH_CHECK(!normalizedShape.empty() && axis >= 0 &&
                    x.sym_sizes().slice(axis) == c10::fromIntArrayRefSlow(normalizedShape),
                "layer_norm_v4: normalized_shape must be the last dimensions of x, whose shape is ",
                x.sym_sizes(), ", got ", normalizedShape);
    CheckParameter(x, gamma, normalizedShape, "gamma");
    CheckParameter(x, beta, normalizedShape, "beta");
    return axis;
}

/* y as x; mean and rstd, float32, with 1 in place of every normalised dimension. */
Outputs MakeOutputs(const at::Tensor &x, int64_t axis)
{
    c10::SymDimVector sizes(x.sym_sizes().begin(), x.sym_sizes().end());
    at::Tensor y = at::empty_symint(sizes, x.options());
    at::TensorOptions options = x.options().dtype(at::kFloat);

    std::fill(sizes.begin() + axis, sizes.end(), 1);
    return {y, at::empty_symint(sizes, options), at::empty_symint(sizes, options)};
}

void AddOptional(at_npu::native::OpCommand &command, const std::optional<at::Tensor> &p)
{
    if (p)
        command.Input(p->contiguous());
    else
        command.Input();
}

Outputs run_layer_norm_v4(const at::Tensor &x, at::IntArrayRef normalizedShape,
                          const std::optional<at::Tensor> &gamma,
                          const std::optional<at::Tensor> &beta, double eps)
{
    using at_npu::native::CompileType;
    int64_t axis = Check(x, normalizedShape, gamma, beta);
    c10::DeviceGuard guard(x.device());
    auto [y, mean, rstd] = MakeOutputs(x, axis);
    at_npu::native::OpCommand command;

    if (x.numel() == 0)
        return {y, mean, rstd};
    command.Name("LayerNormV4")
        .Input(x.contiguous())
        .Input(normalizedShape, at::kLong, CompileType::MEMORY_HOST_COMPILE_DEPENDENT);
    AddOptional(command, gamma);
    AddOptional(command, beta);
    command.Output(y).Output(mean).Output(rstd).Attr("epsilon", static_cast<float>(eps)).Run();
    return {y, mean, rstd};
}

Outputs meta_layer_norm_v4(const at::Tensor &x, at::IntArrayRef normalizedShape,
                           const std::optional<at::Tensor> &gamma,
                           const std::optional<at::Tensor> &beta, double)
{
    return MakeOutputs(x, Check(x, normalizedShape, gamma, beta));
}

} // namespace

TORCH_LIBRARY_FRAGMENT(npu, m)
{
    m.def("layer_norm_v4(Tensor x, int[] normalized_shape, Tensor? gamma=None, Tensor? beta=None, "
          "float eps=1e-5) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) { m.impl("layer_norm_v4", TORCH_FN(run_layer_norm_v4)); }

TORCH_LIBRARY_IMPL(npu, Meta, m) { m.impl("layer_norm_v4", TORCH_FN(meta_layer_norm_v4)); }

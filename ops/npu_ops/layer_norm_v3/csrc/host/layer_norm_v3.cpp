/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer_norm_v3.cpp - Pattern C: CANN's LayerNormV3 as torch.ops.npu.layer_norm_v3.
 *
 * Holds no kernel: checks, outputs, and the name of the operator with its inputs and attributes.
 */
#include <torch_npu/csrc/framework/OpCommand.h>

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <algorithm>
#include <tuple>

namespace {

using Outputs = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

/* axis counted from the front */
int64_t CheckAxis(const at::Tensor &x, int64_t axis, const char *name)
{
    int64_t dims = x.dim();

    TORCH_CHECK(axis >= -dims && axis < dims, "layer_norm_v3: ", name, " must be in [", -dims, ", ",
                dims - 1, "] for x of shape ", x.sym_sizes(), ", got ", axis);
    return axis < 0 ? axis + dims : axis;
}

void CheckParameter(const at::Tensor &x, const at::Tensor &p, int64_t axis, const char *name)
{
    TORCH_CHECK(p.scalar_type() == x.scalar_type(), "layer_norm_v3: x is ", x.scalar_type(), ", ",
                name, " is ", p.scalar_type());
    TORCH_CHECK(p.device() == x.device(), "layer_norm_v3: x is on ", x.device(), ", ", name, " on ",
                p.device());
    TORCH_CHECK(p.sym_sizes() == x.sym_sizes().slice(axis), "layer_norm_v3: ", name,
                " must have the shape of x from begin_params_axis on, ", x.sym_sizes().slice(axis),
                ", got ", p.sym_sizes());
}

/* begin_norm_axis, counted from the front */
int64_t Check(const at::Tensor &x, const at::Tensor &gamma, const at::Tensor &beta,
              int64_t beginNormAxis, int64_t beginParamsAxis)
{
    at::ScalarType type = x.scalar_type();

    TORCH_CHECK(type == at::kHalf || type == at::kBFloat16 || type == at::kFloat,
                "layer_norm_v3: x must be float16, bfloat16 or float32, got ", type);
    TORCH_CHECK(x.dim() > 0,
                "layer_norm_v3: x must have at least one dimension, got a 0-dim tensor");
    int64_t paramsAxis = CheckAxis(x, beginParamsAxis, "begin_params_axis");
    CheckParameter(x, gamma, paramsAxis, "gamma");
    CheckParameter(x, beta, paramsAxis, "beta");
    return CheckAxis(x, beginNormAxis, "begin_norm_axis");
}

/* y as x; mean and rstd with 1 in place of every normalised dimension. */
Outputs MakeOutputs(const at::Tensor &x, int64_t normAxis)
{
    c10::SymDimVector sizes(x.sym_sizes().begin(), x.sym_sizes().end());
    at::Tensor y = at::empty_symint(sizes, x.options());

    std::fill(sizes.begin() + normAxis, sizes.end(), 1);
    return {y, at::empty_symint(sizes, x.options()), at::empty_symint(sizes, x.options())};
}

Outputs meta_layer_norm_v3(const at::Tensor &x, const at::Tensor &gamma, const at::Tensor &beta,
                           int64_t beginNormAxis, int64_t beginParamsAxis, double)
{
    return MakeOutputs(x, Check(x, gamma, beta, beginNormAxis, beginParamsAxis));
}

} // namespace

std::tuple<at::Tensor, at::Tensor, at::Tensor>
run_layer_norm_v3(const at::Tensor &x, const at::Tensor &gamma, const at::Tensor &beta,
                  int64_t beginNormAxis, int64_t beginParamsAxis, double eps)
{
    int64_t axis = Check(x, gamma, beta, beginNormAxis, beginParamsAxis);
    TORCH_CHECK(x.is_privateuseone(), "layer_norm_v3: x must be on an npu, is on ", x.device());
    c10::DeviceGuard guard(x.device());
    auto [y, mean, rstd] = MakeOutputs(x, axis);

    if (x.numel() > 0)
        at_npu::native::OpCommand()
            .Name("LayerNormV3")
            .Input(x.contiguous())
            .Input(gamma.contiguous())
            .Input(beta.contiguous())
            .Output(y)
            .Output(mean)
            .Output(rstd)
            .Attr("begin_norm_axis", beginNormAxis)
            .Attr("begin_params_axis", beginParamsAxis)
            .Attr("epsilon", static_cast<float>(eps))
            .Run();
    return {y, mean, rstd};
}

TORCH_LIBRARY_FRAGMENT(npu, m)
{
    m.def("layer_norm_v3(Tensor x, Tensor gamma, Tensor beta, int begin_norm_axis, "
          "int begin_params_axis, float eps) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) { m.impl("layer_norm_v3", TORCH_FN(run_layer_norm_v3)); }

TORCH_LIBRARY_IMPL(npu, Meta, m) { m.impl("layer_norm_v3", TORCH_FN(meta_layer_norm_v3)); }

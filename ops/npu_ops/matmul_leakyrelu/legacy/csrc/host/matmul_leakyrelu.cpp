/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_leakyrelu.cpp - torch.ops.npu.matmul_leakyrelu(a, b, bias, negative_slope): checks,
 * output, workspace, tiling, launch; and the Meta shape.
 */
#include "aclrtlaunch_matmul_leakyrelu.h"
#include "tiling/matmul_leakyrelu_tiling.h"
#include "utils.h"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <cstring>
#include <limits>

namespace {

using matmul_leakyrelu_ext::Plan;

void Check(const at::Tensor &a, const at::Tensor &b, const at::Tensor &bias)
{
    TORCH_CHECK(a.scalar_type() == at::kHalf && b.scalar_type() == at::kHalf,
                "matmul_leakyrelu: a and b must be float16, got ", a.scalar_type(), " and ",
                b.scalar_type());
    TORCH_CHECK(bias.scalar_type() == at::kFloat, "matmul_leakyrelu: bias must be float32, got ",
                bias.scalar_type());
    TORCH_CHECK(a.device() == b.device() && a.device() == bias.device(),
                "matmul_leakyrelu: a, b and bias must be on one device, got ", a.device(), ", ",
                b.device(), " and ", bias.device());
    TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.sym_size(1) == b.sym_size(0),
                "matmul_leakyrelu: a and b must be [M, K] and [K, N], got ", a.sym_sizes(), " and ",
                b.sym_sizes());
    TORCH_CHECK(a.sym_size(1) > 0, "matmul_leakyrelu: K must not be 0, got ", a.sym_sizes(),
                " and ", b.sym_sizes());
    TORCH_CHECK(bias.dim() == 1 && bias.sym_size(0) == b.sym_size(1),
                "matmul_leakyrelu: bias must have shape [", b.sym_size(1), "], got ",
                bias.sym_sizes());
}

int32_t Length(int64_t n)
{
    TORCH_CHECK(n <= std::numeric_limits<int32_t>::max(),
                "matmul_leakyrelu: M, N and K are at most 2147483647, got ", n);
    return static_cast<int32_t>(n);
}

/* The tiling as a tensor on the device, copied in stream order: the kernel gets its address. */
at::Tensor Upload(const MatmulLeakyReluTilingData &tiling, at::Device device)
{
    at::Tensor bytes = at::empty({sizeof(tiling)}, at::TensorOptions(at::kByte));

    memcpy(bytes.mutable_data_ptr(), &tiling, sizeof(tiling));
    return bytes.to(device);
}

at::Tensor run_matmul_leakyrelu(const at::Tensor &a, const at::Tensor &b, const at::Tensor &bias,
                                double negativeSlope)
{
    Check(a, b, bias);
    c10::DeviceGuard guard(a.device());
    /* The kernel walks memory, not strides. */
    at::Tensor denseA = a.contiguous(), denseB = b.contiguous(), denseBias = bias.contiguous();
    at::Tensor c = at::empty({a.size(0), b.size(1)}, bias.options());

    if (c.numel() > 0) {
        Plan plan =
            matmul_leakyrelu_ext::MakePlan(Length(a.size(0)), Length(b.size(1)), Length(a.size(1)),
                                           static_cast<float>(negativeSlope));
        TORCH_CHECK(plan.failure == nullptr, "matmul_leakyrelu: ", plan.failure);
        at::Tensor workspace =
            at::empty({static_cast<int64_t>(plan.workspaceBytes)}, bias.options().dtype(at::kByte));
        at::Tensor tiling = Upload(plan.tiling, a.device());

        EXEC_KERNEL_CMD(matmul_leakyrelu, plan.blocks, denseA, denseB, denseBias, c, workspace,
                        tiling);
    }
    return c;
}

at::Tensor meta_matmul_leakyrelu(const at::Tensor &a, const at::Tensor &b, const at::Tensor &bias,
                                 double)
{
    Check(a, b, bias);
    return at::empty_symint({a.sym_size(0), b.sym_size(1)}, bias.options());
}

} // namespace

TORCH_LIBRARY_FRAGMENT(npu, m)
{
    m.def("matmul_leakyrelu(Tensor a, Tensor b, Tensor bias, float negative_slope=0.001) -> "
          "Tensor");
}

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m)
{
    m.impl("matmul_leakyrelu", TORCH_FN(run_matmul_leakyrelu));
}

TORCH_LIBRARY_IMPL(npu, Meta, m) { m.impl("matmul_leakyrelu", TORCH_FN(meta_matmul_leakyrelu)); }

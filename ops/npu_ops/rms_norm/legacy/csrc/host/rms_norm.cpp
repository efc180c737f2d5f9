/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rms_norm.cpp - torch.ops.npu.rms_norm(x, gamma, eps): checks, output, workspace, tiling, launch;
 * and the Meta shape.
 */
#include "aclrtlaunch_rms_norm.h"
#include "tiling/rms_norm_tiling.h"
#include "utils.h"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <cstring>

namespace {

using rms_norm_ext::Chip;
using rms_norm_ext::Plan;

void Check(const at::Tensor &x, const at::Tensor &gamma, double eps)
{
    at::ScalarType type = x.scalar_type();

    TORCH_CHECK(type == at::kHalf || type == at::kBFloat16 || type == at::kFloat,
                "rms_norm: x must be float16, bfloat16 or float32, got ", type);
    TORCH_CHECK(gamma.scalar_type() == type, "rms_norm: x is ", type, ", gamma is ",
                gamma.scalar_type());
    TORCH_CHECK(gamma.device() == x.device(), "rms_norm: x is on ", x.device(), ", gamma on ",
                gamma.device());
    TORCH_CHECK(x.dim() > 0, "rms_norm: x must have at least one dimension, got a 0-dim tensor");
    TORCH_CHECK(gamma.sym_sizes() == x.sym_sizes().slice(static_cast<size_t>(x.dim() - 1)),
                "rms_norm: gamma must have the shape of a row of x, [", x.sym_size(-1), "], got ",
                gamma.sym_sizes());
    TORCH_CHECK(eps >= 0, "rms_norm: eps must not be negative, got ", eps);
}

RmsNormType TypeOf(at::ScalarType type)
{
    return type == at::kHalf ? RMS_NORM_F16 : type == at::kBFloat16 ? RMS_NORM_BF16 : RMS_NORM_F32;
}

Plan PlanOf(const at::Tensor &x, double eps)
{
    static const Chip chip = rms_norm_ext::GetChip();

    TORCH_CHECK(chip.vectorCores > 0, "rms_norm: the platform library does not know this chip");
    Plan plan = rms_norm_ext::MakePlan(chip, TypeOf(x.scalar_type()),
                                       static_cast<uint32_t>(x.element_size()),
                                       static_cast<uint64_t>(x.numel() / x.size(-1)),
                                       static_cast<uint64_t>(x.size(-1)), static_cast<float>(eps));
    TORCH_CHECK(plan.tiling.tileLength > 0, "rms_norm: the UB of this chip, ", chip.ubBytes,
                " bytes, has no room for one tile");
    return plan;
}

/* The tiling as a tensor on the device, copied in stream order: the kernel gets its address. */
at::Tensor Upload(const RmsNormTilingData &tiling, at::Device device)
{
    at::Tensor bytes = at::empty({sizeof(tiling)}, at::TensorOptions(at::kByte));

    memcpy(bytes.mutable_data_ptr(), &tiling, sizeof(tiling));
    return bytes.to(device);
}

at::Tensor meta_rms_norm(const at::Tensor &x, const at::Tensor &gamma, double eps)
{
    Check(x, gamma, eps);
    return at::empty_symint(x.sym_sizes(), x.options());
}

} // namespace

at::Tensor run_rms_norm(const at::Tensor &x, const at::Tensor &gamma, double eps)
{
    Check(x, gamma, eps);
    TORCH_CHECK(x.is_privateuseone(), "rms_norm: x must be on an npu, is on ", x.device());
    c10::DeviceGuard guard(x.device());
    /* The kernel walks memory, not strides. */
    at::Tensor denseX = x.contiguous(), denseGamma = gamma.contiguous();
    at::Tensor y = at::empty(x.sizes(), denseX.options());

    if (y.numel() > 0) {
        Plan plan = PlanOf(denseX, eps);
        at::Tensor workspace = at::empty({static_cast<int64_t>(plan.workspaceBytes)},
                                         denseX.options().dtype(at::kByte));
        at::Tensor tiling = Upload(plan.tiling, x.device());

        EXEC_KERNEL_CMD(rms_norm, plan.blocks, denseX, denseGamma, y, workspace, tiling);
    }
    return y;
}

TORCH_LIBRARY_FRAGMENT(npu, m)
{
    m.def("rms_norm(Tensor x, Tensor gamma, float eps=1e-6) -> Tensor");
}

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) { m.impl("rms_norm", TORCH_FN(run_rms_norm)); }

TORCH_LIBRARY_IMPL(npu, Meta, m) { m.impl("rms_norm", TORCH_FN(meta_rms_norm)); }

/* SPDX-License-Identifier: Apache-2.0 */
/* scale_custom.cpp - Pattern A: torch.ops.npu.scale_custom(x, factor), a kernel of this library. */
#include "aclrtlaunch_scale_custom.h"
#include "utils.h"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <algorithm>
#include <limits>

namespace {

constexpr int64_t TILE = 4096, MOST_BLOCKS = 40; /* more blocks than tiles would idle */

void CheckType(const at::Tensor &x)
{
    TORCH_CHECK(x.scalar_type() == at::kFloat, "scale_custom: x must be float32, got ",
                x.scalar_type());
}

at::Tensor run_scale_custom(const at::Tensor &x, double factor)
{
    CheckType(x);
    TORCH_CHECK(x.numel() <= std::numeric_limits<uint32_t>::max(),
                "scale_custom: at most 2^32 - 1 elements, got ", x.numel());
    c10::DeviceGuard guard(x.device());
    at::Tensor dense = x.contiguous(), y = at::empty(x.sizes(), dense.options());
    float by = static_cast<float>(factor); /* arguments of a launch are variables */
    uint32_t length = static_cast<uint32_t>(x.numel());

    if (length > 0)
        EXEC_KERNEL_CMD(scale_custom,
                        static_cast<uint32_t>(std::min(MOST_BLOCKS, (x.numel() + TILE - 1) / TILE)),
                        dense, y, by, length);
    return y;
}

at::Tensor meta_scale_custom(const at::Tensor &x, double)
{
    CheckType(x);
    return at::empty_symint(x.sym_sizes(), x.options());
}

} // namespace

TORCH_LIBRARY_FRAGMENT(npu, m) { m.def("scale_custom(Tensor x, float factor) -> Tensor"); }

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) { m.impl("scale_custom", TORCH_FN(run_scale_custom)); }

TORCH_LIBRARY_IMPL(npu, Meta, m) { m.impl("scale_custom", TORCH_FN(meta_scale_custom)); }

/* SPDX-License-Identifier: Apache-2.0 */
/* add_custom.cpp - torch.ops.npu.add_custom(x, y): checks, output, launch; and the Meta shape. */
#include "aclrtlaunch_add_custom.h"
#include "utils.h"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <algorithm>
#include <limits>

#include "tiling/platform/platform_ascendc.h"

namespace {

constexpr int64_t TILE = 4096; /* of the kernel: more blocks than tiles would idle */

void Check(const at::Tensor &x, const at::Tensor &y)
{
    TORCH_CHECK(x.scalar_type() == at::kHalf && y.scalar_type() == at::kHalf,
                "add_custom: x and y must be float16, got ", x.scalar_type(), " and ",
                y.scalar_type());
    TORCH_CHECK(x.sym_sizes() == y.sym_sizes(), "add_custom: x and y must have one shape, got ",
                x.sym_sizes(), " and ", y.sym_sizes());
}

uint32_t Blocks(int64_t length)
{
    auto *platform = platform_ascendc::PlatformAscendCManager::GetInstance();

    TORCH_CHECK(platform != nullptr, "add_custom: the platform library does not know this chip");
    int64_t cores = platform->GetCoreNumAiv();
    return static_cast<uint32_t>(std::min(cores, (length + TILE - 1) / TILE));
}

at::Tensor meta_add_custom(const at::Tensor &x, const at::Tensor &y)
{
    Check(x, y);
    return at::empty_symint(x.sym_sizes(), x.options());
}

} // namespace

/* Outside of the unnamed namespace: a binding may call it too. */
at::Tensor run_add_custom(const at::Tensor &x, const at::Tensor &y)
{
    Check(x, y);
    TORCH_CHECK(x.is_privateuseone(), "add_custom: x must be on an npu, is on ", x.device());
    TORCH_CHECK(x.device() == y.device(), "add_custom: x is on ", x.device(), ", y on ",
                y.device());
    TORCH_CHECK(x.numel() <= std::numeric_limits<uint32_t>::max() - TILE,
                "add_custom: at most 2^32 - 4097 elements, got ", x.numel());
    c10::DeviceGuard guard(x.device());
    /* The kernel walks memory, not strides. */
    at::Tensor denseX = x.contiguous(), denseY = y.contiguous();
    at::Tensor z = at::empty(x.sizes(), denseX.options());
    uint32_t length = static_cast<uint32_t>(z.numel());

    if (length > 0)
        EXEC_KERNEL_CMD(add_custom, Blocks(length), denseX, denseY, z, length);
    return z;
}

TORCH_LIBRARY_FRAGMENT(npu, m) { m.def("add_custom(Tensor x, Tensor y) -> Tensor"); }

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) { m.impl("add_custom", TORCH_FN(run_add_custom)); }

TORCH_LIBRARY_IMPL(npu, Meta, m) { m.impl("add_custom", TORCH_FN(meta_add_custom)); }

/* SPDX-License-Identifier: Apache-2.0 */
/* pick_custom.cpp - Pattern C: torch.ops.npu.pick_custom(x, times, flip) by the name of OP_ADD. */
#include <torch_npu/csrc/framework/OpCommand.h>

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

namespace {

at::Tensor run_pick_custom(const at::Tensor &x, int64_t times, bool flip)
{
    c10::DeviceGuard guard(x.device());
    at::Tensor dense = x.contiguous(), y = at::empty(x.sizes(), dense.options());

    at_npu::native::OpCommand()
        .Name("PickCustom")
        .Input(dense, "x")
        .Output(y, "y")
        .Attr("times", times)
        .Attr("flip", flip)
        .Run();
    return y;
}

at::Tensor meta_pick_custom(const at::Tensor &x, int64_t, bool)
{
    return at::empty_symint(x.sym_sizes(), x.options());
}

} // namespace

TORCH_LIBRARY_FRAGMENT(npu, m)
{
    m.def("pick_custom(Tensor x, int times, bool flip=False) -> Tensor");
}

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) { m.impl("pick_custom", TORCH_FN(run_pick_custom)); }

TORCH_LIBRARY_IMPL(npu, Meta, m) { m.impl("pick_custom", TORCH_FN(meta_pick_custom)); }

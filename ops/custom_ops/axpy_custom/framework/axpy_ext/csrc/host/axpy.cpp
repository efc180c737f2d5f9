/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axpy.cpp - Pattern C: AxpyCustom of the installed package, by both of its doors.
 *
 *   torch.ops.npu.axpy          OpCommand with the name of OP_ADD
 *   torch.ops.npu.axpy_aclnn    the aclnn functions that the package generated
 */
#include <torch_npu/csrc/framework/OpCommand.h>

#include "npu_cpp_extension.h"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

namespace {

at::Tensor Result(const at::Tensor &x) { return at::empty(x.sizes(), x.options()); }

at::Tensor run_axpy(const at::Tensor &x, const at::Tensor &y, double alpha)
{
    c10::DeviceGuard guard(x.device());
    at::Tensor z = Result(x);

    at_npu::native::OpCommand()
        .Name("AxpyCustom")
        .Input(x, "x")
        .Input(y, "y")
        .Output(z, "z")
        .Attr("alpha", static_cast<float>(alpha))
        .Run();
    return z;
}

at::Tensor run_axpy_aclnn(const at::Tensor &x, const at::Tensor &y, double alpha)
{
    c10::DeviceGuard guard(x.device());
    at::Tensor z = Result(x);

    EXEC_NPU_CMD_EXT(aclnnAxpyCustom, x, y, alpha, z);
    return z;
}

at::Tensor meta_axpy(const at::Tensor &x, const at::Tensor &, double)
{
    return at::empty_symint(x.sym_sizes(), x.options());
}

} // namespace

TORCH_LIBRARY_FRAGMENT(npu, m)
{
    m.def("axpy(Tensor x, Tensor y, float alpha=1.0) -> Tensor");
    m.def("axpy_aclnn(Tensor x, Tensor y, float alpha=1.0) -> Tensor");
}

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m)
{
    m.impl("axpy", TORCH_FN(run_axpy));
    m.impl("axpy_aclnn", TORCH_FN(run_axpy_aclnn));
}

TORCH_LIBRARY_IMPL(npu, Meta, m)
{
    m.impl("axpy", TORCH_FN(meta_axpy));
    m.impl("axpy_aclnn", TORCH_FN(meta_axpy));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pybind.cpp - the quick route: Python calls the host function, past torch's dispatcher.
 *
 * So no autograd and no Meta; torch.ops.npu.rms_norm of the same library has both.
 */
#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>

at::Tensor run_rms_norm(const at::Tensor &x, const at::Tensor &gamma, double eps);

PYBIND11_MODULE(_C, m)
{
    /* The launch may wait for torch_npu's queue, whose thread may need the interpreter. */
    m.def("rms_norm", &run_rms_norm, pybind11::arg("x"), pybind11::arg("gamma"),
          pybind11::arg("eps") = 1e-6, pybind11::call_guard<pybind11::gil_scoped_release>());
}

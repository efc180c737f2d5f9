/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pybind.cpp - the quick route: Python calls the host function, past torch's dispatcher.
 *
 * So no autograd and no Meta; torch.ops.npu.add_custom of the same library has both.
 */
#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>

at::Tensor run_add_custom(const at::Tensor &x, const at::Tensor &y);

PYBIND11_MODULE(_C, m)
{
    /* The launch may wait for torch_npu's queue, whose thread may need the interpreter. */
    m.def("add_custom", &run_add_custom, pybind11::arg("x"), pybind11::arg("y"),
          pybind11::call_guard<pybind11::gil_scoped_release>());
}

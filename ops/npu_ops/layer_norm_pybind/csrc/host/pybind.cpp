/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pybind.cpp - the quick route: Python calls the host function, past torch's dispatcher.
 *
 * So no autograd and no Meta; torch.ops.npu.layer_norm_v3 of the same library has both.
 */
#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>

#include <tuple>

std::tuple<at::Tensor, at::Tensor, at::Tensor>
run_layer_norm_v3(const at::Tensor &x, const at::Tensor &gamma, const at::Tensor &beta,
                  int64_t beginNormAxis, int64_t beginParamsAxis, double eps);

PYBIND11_MODULE(_C, m)
{
    /* The call may wait for torch_npu's queue, whose thread may need the interpreter. */
    m.def("layer_norm_v3", &run_layer_norm_v3, pybind11::arg("x"), pybind11::arg("gamma"),
          pybind11::arg("beta"), pybind11::arg("begin_norm_axis"),
          pybind11::arg("begin_params_axis"), pybind11::arg("eps"),
          pybind11::call_guard<pybind11::gil_scoped_release>());
}

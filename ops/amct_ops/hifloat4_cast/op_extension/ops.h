/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ops.h - the host side of the operators, between the dispatcher (register.cpp) and the kernel
 * launches (hifloat4_cast_torch.cpp). Arguments are checked by the caller; qdim is not negative.
 */
#ifndef HIFLOAT4_CAST_OPS_H
#define HIFLOAT4_CAST_OPS_H
#include <ATen/core/Tensor.h>

#include <tuple>

namespace AscendKernel {

/* What is left of half, bfloat16 or float after HiFloat4: same shape and type. Any strides. */
at::Tensor HiFloat4FakeQuant(const at::Tensor &input, int64_t qdim);

/* Codes (qdim halved) and scales (a sixteenth of it), both uint8. Any strides. */
std::tuple<at::Tensor, at::Tensor> HiFloat4Pack(const at::Tensor &input, int64_t qdim);

/* Elements of dtype from what HiFloat4Pack gives. Any strides. */
at::Tensor HiFloat4Unpack(const at::Tensor &values, const at::Tensor &scales, int64_t qdim,
                          at::ScalarType dtype);

} // namespace AscendKernel
#endif

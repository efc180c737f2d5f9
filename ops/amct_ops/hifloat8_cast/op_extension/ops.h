/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ops.h - the host side of the operator, between the dispatcher (register.cpp) and the kernel
 * launch (hifloat8_cast_torch.cpp). Arguments are checked by the caller.
 */
#ifndef HIFLOAT8_CAST_OPS_H
#define HIFLOAT8_CAST_OPS_H
#include <ATen/core/Tensor.h>

namespace AscendKernel {

/* half or bfloat16 on an NPU -> uint8 codes of the same shape. Any strides. */
at::Tensor EncodeToHiFloat8(const at::Tensor &input);

/* uint8 codes on an NPU -> dtype (half or bfloat16) of the same shape. Any strides. */
at::Tensor DecodeFromHiFloat8(const at::Tensor &input, at::ScalarType dtype);

} // namespace AscendKernel
#endif

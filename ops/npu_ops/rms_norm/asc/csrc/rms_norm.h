/* SPDX-License-Identifier: Apache-2.0 */
/* rms_norm.h - the host function, for both bindings. */
#pragma once
#include <ATen/core/Tensor.h>

namespace npu_ops {

/* x / sqrt(mean(x * x) + eps) * gamma over the last dimension of an NPU tensor; launches on the
 * current stream. */
at::Tensor RmsNorm(const at::Tensor &x, const at::Tensor &gamma, double eps);

} // namespace npu_ops

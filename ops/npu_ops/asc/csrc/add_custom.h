/* SPDX-License-Identifier: Apache-2.0 */
/* add_custom.h - the host function, for both bindings. */
#pragma once
#include <ATen/core/Tensor.h>

namespace npu_ops {

/* x + y of NPU tensors of one shape and type; launches on the current stream. */
at::Tensor Add(const at::Tensor &x, const at::Tensor &y);

} // namespace npu_ops

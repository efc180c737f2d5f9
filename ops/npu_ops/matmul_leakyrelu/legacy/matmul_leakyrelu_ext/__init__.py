# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.matmul_leakyrelu(a, b, bias, negative_slope=0.001): leaky_relu(a @ b + bias), float32."""
from . import _load  # noqa: F401

# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.add_custom(x, y): x + y on float16 NPU tensors of one shape. Differentiable in both."""
from . import _load  # noqa: F401  first: it compares versions before torch is imported

import torch  # noqa: E402


def _backward(ctx, grad):
    """d(x + y) = dx + dy."""
    return grad, grad


torch.library.register_autograd("npu::add_custom", _backward)

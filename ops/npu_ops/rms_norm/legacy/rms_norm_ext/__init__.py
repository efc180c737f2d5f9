# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.rms_norm(x, gamma, eps=1e-6): x / sqrt(mean(x * x) + eps) * gamma, over the last dimension.

Differentiable in x and gamma.
"""
from . import _load  # noqa: F401  first: it compares versions before torch is imported

import torch  # noqa: E402


def _setup(ctx, inputs, output):
    x, gamma, ctx.eps = inputs
    ctx.save_for_backward(x, gamma)


def _backward(ctx, dy):
    """With z = x * rstd and g = dy * gamma: dx = rstd * (g - z * mean(g * z)), in float32."""
    x, gamma = ctx.saved_tensors
    rstd = (x.float().square().mean(-1, True) + ctx.eps).rsqrt()
    z = x.float() * rstd
    g = dy.float() * gamma.float()
    dx = rstd * (g - z * (g * z).mean(-1, True))
    d_gamma = (dy.float() * z).sum_to_size(gamma.shape)
    return dx.to(x.dtype), d_gamma.to(gamma.dtype), None


torch.library.register_autograd("npu::rms_norm", _backward, setup_context=_setup)

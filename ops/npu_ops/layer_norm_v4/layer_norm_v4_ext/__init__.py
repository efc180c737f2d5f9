# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.layer_norm_v4(x, normalized_shape, gamma=None, beta=None, eps=1e-5) -> (y, mean, rstd).

Differentiable in x, gamma and beta; mean and rstd carry no gradient.
"""
from . import _load  # noqa: F401  first: it compares versions before torch is imported

import torch  # noqa: E402


def _setup(ctx, inputs, output):
    x, normalized_shape, gamma, beta, _ = inputs
    _, mean, rstd = output
    ctx.axes = tuple(range(x.dim() - len(normalized_shape), x.dim()))
    ctx.has_beta = beta is not None
    ctx.save_for_backward(x, gamma, mean, rstd)
    ctx.mark_non_differentiable(mean, rstd)


def _backward(ctx, dy, _mean, _rstd):
    """With z = (x - mean) * rstd and g = dy * gamma: dx = rstd * (g - mean(g) - z * mean(g * z)), in float32."""
    x, gamma, mean, rstd = ctx.saved_tensors
    dy, shape = dy.float(), x.shape[ctx.axes[0]:]
    z = (x.float() - mean) * rstd
    g = dy if gamma is None else dy * gamma.float()
    dx = rstd * (g - g.mean(ctx.axes, True) - z * (g * z).mean(ctx.axes, True))
    d_gamma = None if gamma is None else (dy * z).sum_to_size(shape).to(gamma.dtype)
    d_beta = dy.sum_to_size(shape).to(x.dtype) if ctx.has_beta else None
    return dx.to(x.dtype), None, d_gamma, d_beta, None


torch.library.register_autograd("npu::layer_norm_v4", _backward, setup_context=_setup)

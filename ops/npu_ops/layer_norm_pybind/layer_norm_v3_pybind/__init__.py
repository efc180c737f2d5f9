# SPDX-License-Identifier: Apache-2.0
"""CANN's LayerNormV3 by both routes: (x, gamma, beta, begin_norm_axis, begin_params_axis, eps) -> (y, mean, rstd).

torch.ops.npu.layer_norm_v3          torch.library: Meta, torch.compile, autograd
layer_norm_v3_pybind.layer_norm_v3   pybind: the call alone
"""
from . import _load  # noqa: F401  first: it compares versions before torch is imported

import torch  # noqa: E402
import torch_npu  # noqa: E402, F401  the library links to it

from ._C import layer_norm_v3  # noqa: E402  opening it registers torch.ops.npu.layer_norm_v3 too

__all__ = ["layer_norm_v3"]


def _setup(ctx, inputs, output):
    x, gamma, _, begin_norm_axis, _, _ = inputs
    _, mean, rstd = output
    ctx.axes = tuple(range(begin_norm_axis % x.dim(), x.dim()))
    ctx.save_for_backward(x, gamma, mean, rstd)
    ctx.mark_non_differentiable(mean, rstd)


def _backward(ctx, dy, _mean, _rstd):
    """With z = (x - mean) * rstd and g = dy * gamma: dx = rstd * (g - mean(g) - z * mean(g * z)), in float32."""
    x, gamma, mean, rstd = ctx.saved_tensors
    z = (x.float() - mean.float()) * rstd.float()
    g = dy.float() * gamma.float()
    dx = rstd.float() * (g - g.mean(ctx.axes, True) - z * (g * z).mean(ctx.axes, True))
    d_gamma = (dy.float() * z).sum_to_size(gamma.shape)
    d_beta = dy.float().sum_to_size(gamma.shape)
    return dx.to(x.dtype), d_gamma.to(gamma.dtype), d_beta.to(gamma.dtype), None, None, None


torch.library.register_autograd("npu::layer_norm_v3", _backward, setup_context=_setup)

# SPDX-License-Identifier: Apache-2.0
"""x / sqrt(mean(x * x) + eps) * gamma, over the last dimension, by both routes.

torch.ops.npu.rms_norm(x, gamma, eps=1e-6)    torch.library: autograd, Meta, torch.compile
rms_norm_pybind.rms_norm(x, gamma, eps=1e-6)  pybind: the launch alone
"""
from . import _load  # noqa: F401  first: it compares versions before torch is imported

import torch  # noqa: E402
import torch_npu  # noqa: E402, F401  the library links to it

from ._C import rms_norm  # noqa: E402  opening it registers torch.ops.npu.rms_norm too

__all__ = ["rms_norm"]


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

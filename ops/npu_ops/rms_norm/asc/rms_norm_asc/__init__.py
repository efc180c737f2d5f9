# SPDX-License-Identifier: Apache-2.0
"""x / sqrt(mean(x * x) + eps) * gamma, over the last dimension of x, by both routes.

torch.ops.npu_ops.rms_norm(x, gamma, eps=1e-6)   torch.library: autograd, Meta, torch.compile
rms_norm_asc.rms_norm(x, gamma, eps=1e-6)        pybind: the launch alone
"""
import json
from importlib.metadata import version
from pathlib import Path


def _refuse_another_torch(record):
    """A library that was built for another torch may end the process while it is opened: this comes before."""
    if not record.is_file():
        raise ImportError(
            f"{record} is missing: this is the source folder. Build with `python setup.py bdist_wheel`, install the "
            "wheel from dist/, and run Python from another folder"
        )
    built = json.loads(record.read_text())
    running = {name: version(name) for name in ("torch", "torch_npu")}
    if any(built[name].split(".")[:2] != running[name].split(".")[:2] for name in running):
        raise ImportError(
            f"rms_norm_asc was built for torch {built['torch']} / torch_npu {built['torch_npu']}, running torch "
            f"{running['torch']} / torch_npu {running['torch_npu']}: build it again here, or pip install "
            f"torch=={built['torch'].split('+')[0]} torch_npu=={built['torch_npu']}"
        )


_refuse_another_torch(Path(__file__).resolve().parent / "_C.nputwin-build.json")

import torch  # noqa: E402  behind the comparison
import torch_npu  # noqa: E402, F401  the library links to it

from ._C import rms_norm  # noqa: E402  loading it registers torch.ops.npu_ops too

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


torch.library.register_autograd("npu_ops::rms_norm", _backward, setup_context=_setup)

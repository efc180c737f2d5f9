# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu_ops.matmul_leakyrelu(a, b, bias, negative_slope=0.001): leaky_relu(a @ b + bias), float32.

Differentiable in a, b and bias.
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
            f"matmul_leakyrelu_asc was built for torch {built['torch']} / torch_npu {built['torch_npu']}, running torch "
            f"{running['torch']} / torch_npu {running['torch_npu']}: build it again here, or pip install "
            f"torch=={built['torch'].split('+')[0]} torch_npu=={built['torch_npu']}"
        )


_LIBRARY = Path(__file__).resolve().parent / "libmatmul_leakyrelu_asc.so"
_refuse_another_torch(Path(f"{_LIBRARY}.nputwin-build.json"))

import torch  # noqa: E402  behind the comparison
import torch_npu  # noqa: E402, F401  the library links to it

torch.ops.load_library(str(_LIBRARY))


def _setup(ctx, inputs, output):
    a, b, _, ctx.slope = inputs
    ctx.save_for_backward(a, b, output)


def _backward(ctx, dc):
    """The sign of the result tells that of the product, unless the slope is not positive: then nothing does."""
    if ctx.slope <= 0:
        raise RuntimeError(f"matmul_leakyrelu: no gradient for negative_slope {ctx.slope}, which must be above 0 for one")
    a, b, c = ctx.saved_tensors
    d = torch.where(c > 0, dc, dc * ctx.slope)
    narrow = d.to(a.dtype)
    return narrow @ b.t(), a.t() @ narrow, d.sum(0), None


torch.library.register_autograd("npu_ops::matmul_leakyrelu", _backward, setup_context=_setup)

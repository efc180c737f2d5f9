# SPDX-License-Identifier: Apache-2.0
"""x + y on float16 NPU tensors of one shape, by both routes.

torch.ops.npu.add_custom(x, y)       torch.library: autograd, Meta, torch.compile
add_custom_pybind.add_custom(x, y)   pybind: the launch alone
"""
import json
import sysconfig
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
            f"add_custom_pybind was built for torch {built['torch']} / torch_npu {built['torch_npu']}, running torch "
            f"{running['torch']} / torch_npu {running['torch_npu']}: build it again here, or pip install "
            f"torch=={built['torch'].split('+')[0]} torch_npu=={built['torch_npu']}"
        )


_refuse_another_torch(Path(__file__).resolve().parent / f"_C{sysconfig.get_config_var('EXT_SUFFIX')}.nputwin-build.json")

import torch  # noqa: E402  behind the comparison
import torch_npu  # noqa: E402, F401  the library links to it

from ._C import add_custom  # noqa: E402  loading it registers torch.ops.npu.add_custom too

__all__ = ["add_custom"]

torch.library.register_autograd("npu::add_custom", lambda ctx, grad: (grad, grad))

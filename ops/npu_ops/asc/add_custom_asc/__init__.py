# SPDX-License-Identifier: Apache-2.0
"""x + y on NPU tensors of float16, float32 or int32 and one shape, by both routes.

torch.ops.npu_ops.add_custom(x, y)   torch.library: autograd, Meta, torch.compile
add_custom_asc.add_custom(x, y)      pybind: the launch alone
"""
import torch
import torch_npu  # noqa: F401  the library links to it

try:
    from ._C import add_custom  # loading it registers torch.ops.npu_ops too
except ModuleNotFoundError as e:
    raise ImportError(
        f"{e.name} is missing: this is the source folder. Build with `python setup.py bdist_wheel`, install the "
        "wheel from dist/, and run Python from another folder"
    ) from e

__all__ = ["add_custom"]

torch.library.register_autograd("npu_ops::add_custom", lambda ctx, grad: (grad, grad))

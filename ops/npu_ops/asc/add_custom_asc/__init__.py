# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu_ops.add_custom(x, y): x + y on NPU tensors of float16, float32 or int32 and one shape."""
from pathlib import Path

import torch
import torch_npu  # noqa: F401  the library links to it

_LIBRARY = Path(__file__).resolve().parent / "libadd_custom_asc.so"
if not _LIBRARY.is_file():
    raise ImportError(
        f"{_LIBRARY} is missing: this is the source folder. Build with `python setup.py bdist_wheel`, install the "
        "wheel from dist/, and run Python from another folder"
    )
torch.ops.load_library(str(_LIBRARY))

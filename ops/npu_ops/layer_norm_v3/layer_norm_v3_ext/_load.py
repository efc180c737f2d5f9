# SPDX-License-Identifier: Apache-2.0
"""Loads liblayer_norm_v3_ext.so, which registers the operator."""
from pathlib import Path

import torch
import torch_npu  # noqa: F401  the library links to it

_LIBRARY = Path(__file__).resolve().parent / "liblayer_norm_v3_ext.so"
if not _LIBRARY.is_file():
    raise ImportError(
        f"{_LIBRARY} is missing: this is the source folder. Build with `python setup.py bdist_wheel`, install the "
        "wheel from dist/, and run Python from another folder"
    )
torch.ops.load_library(str(_LIBRARY))

# SPDX-License-Identifier: Apache-2.0
"""HiFloat4 in blocks of 64. Importing this loads the library, which registers torch.ops.amct.*."""
from pathlib import Path

_LIBRARY = Path(__file__).resolve().parent / "libhifloat4_cast_ops.so"
if not _LIBRARY.is_file():
    raise ImportError(
        f"{_LIBRARY} is missing: this is the source tree or a package that was not built. "
        "Run `bash ops_build.sh hifloat4_cast` in amct_ops/ and install dist/amct_ops-*.whl, "
        "or put amct_ops/staging on PYTHONPATH."
    )

import torch  # noqa: E402  takes seconds, so not before it is needed
import torch_npu  # noqa: E402, F401  the library links to it

torch.ops.load_library(str(_LIBRARY))

from .ops import hifloat4_fake_quant, hifloat4_pack, hifloat4_unpack  # noqa: E402

__all__ = ["hifloat4_fake_quant", "hifloat4_pack", "hifloat4_unpack"]

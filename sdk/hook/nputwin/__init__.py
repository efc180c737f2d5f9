# SPDX-License-Identifier: Apache-2.0
"""nputwin: a software Ascend NPU. `nputwin.prefix()` is what ASCEND_HOME_PATH points at."""

from .hook import prefix

__version__ = "0.1.0"
__all__ = ["prefix"]

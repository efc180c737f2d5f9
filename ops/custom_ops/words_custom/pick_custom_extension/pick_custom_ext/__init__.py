# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.pick_custom(x, times, flip): PickCustom of the installed package."""
from . import _load  # noqa: F401

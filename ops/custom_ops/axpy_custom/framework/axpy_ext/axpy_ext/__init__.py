# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.axpy and axpy_aclnn (AxpyCustom of the installed package), torch.ops.npu.scale_custom (a kernel here)."""
from . import _load  # noqa: F401

# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.rms_norm(x, gamma, eps=1e-6): x / sqrt(mean(x * x) + eps) * gamma, over the last dimension."""
from . import _load  # noqa: F401

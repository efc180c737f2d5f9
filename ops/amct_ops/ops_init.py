# SPDX-License-Identifier: Apache-2.0
"""NPU operators of amct. `from amct_ops.<op> import <fn>` or torch.ops.amct.<fn>.

Importing the package loads every operator that it was built with, and no other: a wheel of one
operator imports as well as a wheel of all.
"""
import importlib
import pkgutil

__all__ = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg)

for _name in __all__:
    importlib.import_module(f"{__name__}.{_name}")

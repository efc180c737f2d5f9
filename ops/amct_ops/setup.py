# SPDX-License-Identifier: Apache-2.0
"""Packs staging/ into a wheel. Called by ops_build.sh, which fills staging/ first.

torch and torch_npu are no hard dependency: `pip install --force-reinstall` of this wheel must never
replace the torch that the libraries were compiled against. The package checks at import instead.
"""
import os
from pathlib import Path

from setuptools import Distribution, find_packages, setup

OUT = Path(os.environ.get("AMCT_OPS_OUT", Path(__file__).resolve().parent))
STAGING = OUT / "staging"
PACKAGES = find_packages(where=str(STAGING)) if STAGING.is_dir() else []
if not PACKAGES:
    raise SystemExit(f"{STAGING} holds no package: run `bash ops_build.sh` instead of setup.py")


class BinaryDistribution(Distribution):
    """The libraries are compiled for one Python and one machine, so the wheel says so."""

    def has_ext_modules(self):
        return True


setup(
    name="amct_ops",
    version="1.0.0",
    description="NPU operators of amct: HiFloat8 and HiFloat4",
    license="Apache-2.0",
    python_requires=">=3.9",
    packages=PACKAGES,
    package_dir={"": os.path.relpath(STAGING, Path(__file__).resolve().parent)},
    package_data={"": ["*.so"]},
    distclass=BinaryDistribution,
    options={
        "build": {"build_base": str(OUT / "build" / "setup")},
        "egg_info": {"egg_base": str(OUT / "build")},
    },
)

# SPDX-License-Identifier: Apache-2.0
"""python setup.py bdist_wheel: runs CMake and packs the module _C with the Python package.

SOC_VERSION=Ascend950PR_9599 python setup.py ... compiles for another chip than CMakeLists.txt names.
torch and torch_npu are no hard dependency: a forced re-install must not replace them.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
NAME = "rms_norm_pybind"


class CMakeBuild(build_ext):
    def run(self):
        if shutil.which("cmake") is None:
            sys.exit("setup.py: cmake is missing: pip install cmake, or apt-get install cmake")
        work = Path(self.build_temp).resolve() / "cmake"
        options = [f"-DPython3_EXECUTABLE={sys.executable}"]
        if os.environ.get("SOC_VERSION"):
            options.append(f"-DSOC_VERSION={os.environ['SOC_VERSION']}")
        subprocess.run(["cmake", "-S", str(HERE), "-B", str(work), *options], check=True)
        subprocess.run(["cmake", "--build", str(work), f"-j{os.cpu_count()}"], check=True)
        target = Path(self.build_lib) / NAME
        target.mkdir(parents=True, exist_ok=True)
        (library,) = work.rglob("_C*.so")
        for file in (library, f"{library}.nputwin-build.json"):
            shutil.copy2(file, target)


setup(
    name=NAME,
    version="1.0.0",
    packages=[NAME],
    ext_modules=[Extension(f"{NAME}._C", [])],  # makes the wheel one of this machine
    cmdclass={"build_ext": CMakeBuild},
)

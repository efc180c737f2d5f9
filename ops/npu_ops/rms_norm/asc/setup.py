# SPDX-License-Identifier: Apache-2.0
"""python setup.py bdist_wheel: one bisheng command compiles and links kernel and bindings.

NPU_ARCH=dav-3510 python setup.py ... compiles for A5 (dav-2201, A2 and A3, without it).
torch and torch_npu are no hard dependency: a forced re-install must not replace them.
"""
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
NAME = "rms_norm_asc"
SOURCES = ("rms_norm.asc", "pybind.asc")


def command(output):
    home = os.environ.get("ASCEND_HOME_PATH")
    if not home or shutil.which("bisheng") is None:
        sys.exit("setup.py: no bisheng: source set_env.sh of your CANN installation first")
    import torch
    import torch_npu

    torch_dir, npu_dir = Path(torch.__file__).parent, Path(torch_npu.__file__).parent
    arch_dir = Path(home) / f"{platform.machine()}-linux"
    includes = [torch_dir / "include", torch_dir / "include/torch/csrc/api/include", sysconfig.get_paths()["include"], npu_dir / "include",
                arch_dir / "include", arch_dir / "asc/include"]
    libraries = [npu_dir / "lib", torch_dir / "lib", arch_dir / "lib64"]
    return ["bisheng", "-x", "asc", f"--npu-arch={os.environ.get('NPU_ARCH', 'dav-2201')}",
            "-shared", "-fPIC", "-O2", "-std=c++17",
            f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
            *[f"-I{p}" for p in includes], *[str(HERE / "csrc" / f) for f in SOURCES], "-o", str(output),
            *[f"-L{p}" for p in libraries], "-ltorch_npu", "-ltorch_python", "-ltorch_cpu", "-lc10", "-lplatform"]


class BishengBuild(build_ext):
    def run(self):
        target = Path(self.build_lib).resolve() / NAME
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(command(target / f"_C{sysconfig.get_config_var('EXT_SUFFIX')}"), check=True)
        built = {"torch": version("torch"), "torch_npu": version("torch_npu"),
                 "arch": os.environ.get("NPU_ARCH", "dav-2201")}
        (target / "_C.nputwin-build.json").write_text(json.dumps(built) + "\n")  # for __init__.py


setup(
    name=NAME,
    version="1.0.0",
    packages=[NAME],
    ext_modules=[Extension(f"{NAME}._C", [])],  # makes the wheel one of this machine
    cmdclass={"build_ext": BishengBuild},
)

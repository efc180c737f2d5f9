# SPDX-License-Identifier: Apache-2.0
"""Builds a torch extension once and keeps it by the content of what it was made from.

A translation unit with torch headers takes half a minute; the tests share one build and a second
run compiles nothing.
"""
import hashlib
import os
import pathlib
import subprocess
import sysconfig

import torch
import torch_npu

SOURCES = pathlib.Path(__file__).parent / "src"
CACHE = pathlib.Path(os.environ.get("NPUTWIN_TEST_CACHE", SOURCES.parents[2] / "build" / "cache"))


def _flags():
    torch_dir, npu_dir = (pathlib.Path(m.__file__).parent for m in (torch, torch_npu))
    include = [torch_dir / "include", torch_dir / "include/torch/csrc/api/include",
               npu_dir / "include", npu_dir / "include/third_party/acl/inc",
               sysconfig.get_path("include")]
    libs = [torch_dir / "lib", npu_dir / "lib"]
    version = "V%dR%d" % tuple(int(p) for p in torch.__version__.split(".")[:2])
    return (["-std=c++17", "-O1", "-fPIC", "-shared", "-w", "-DCURRENT_VERSION=" + version]
            + ["-I%s" % p for p in include] + ["-L%s" % p for p in libs]
            + ["-Wl,-rpath,%s" % p for p in libs] + ["-ltorch_npu", "-ltorch_cpu", "-lc10"])


def _prefix():
    return pathlib.Path(os.environ["ASCEND_HOME_PATH"])


def _stamp(source, command):
    digest = hashlib.sha256(source.read_bytes())
    digest.update(repr((command, torch.__version__, torch_npu.__version__)).encode())
    if source.suffix == ".asc":  # what the compiler puts into the object
        parts = [_prefix() / "bin/bisheng"]
        parts += sorted((_prefix() / "x86_64-linux/asc/include").rglob("*.h"))
        for part in parts:
            digest.update(part.read_bytes())
    return digest.hexdigest()[:16]


def build(name):
    """Path of the shared object made from tests/torch/src/<name> (.asc by bisheng, .cpp by g++)."""
    source = SOURCES / name
    if source.suffix == ".asc":
        command = [str(_prefix() / "bin/bisheng"), "-x", "asc", "--npu-arch=dav-2201",
                   "--aclrt-launch"]
    else:
        command = ["g++"]
    command += [str(source)] + _flags()
    out = CACHE / ("%s-%s.so" % (source.stem, _stamp(source, command)))
    if not out.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        part = out.with_suffix(".part%d" % os.getpid())
        made = subprocess.run(command + ["-o", str(part)], capture_output=True, text=True)
        if made.returncode != 0:
            raise RuntimeError("%s\n%s" % (" ".join(command), made.stderr))
        part.rename(out)
    return str(out)

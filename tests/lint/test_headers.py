# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone, in each language that it is for."""

import re
import subprocess

import pytest

from layers import ROOT, tracked_files

# Bodies rather than headers: whoever includes them sets their macros (or rewrites their marks) first.
BODIES = {"engine/lane_loop.h", "engine/lane_math.h", "engine/lane_rows.h", "engine/lanes.h", "engine/panel_loops.h", "isa/typeset.h", "front/launch/nputwin_launch.h"}
KERNEL_SIDE = ("ops/", "bench/kernels/", "tests/cc/src/", "tests/torch/src/")  # written for bisheng, which the build of the operators calls
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
C = ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-x", "c"]
CXX = ["g++", "-std=gnu++17", "-x", "c++"]


def headers():
    names = (path.relative_to(ROOT).as_posix() for path in sorted(tracked_files())
             if path.suffix in (".h", ".hpp") and path.is_file())
    return [name for name in names if name not in BODIES and not name.startswith(KERNEL_SIDE)]


def compilers(name):
    """front speaks C++, interfaces speak both, the inside of a C room speaks C."""
    is_cxx = name.startswith(("front/cpp/", "front/c/", "front/cce/", "front/launch/")) or name.endswith(".hpp") or re.search(r"^(namespace|template|class|enum class|constexpr)\b", (ROOT / name).read_text(), re.M)
    if is_cxx or name.startswith(("sdk/opp/", "sdk/include/tiling/")):  # graph and tiling interfaces are C++ throughout
        return [CXX]
    if name.startswith("sdk/") or name in ("base/base.h", "isa/isa.h", "engine/engine.h", "engine/kernel.h", "rt/rt.h"):
        return [C, CXX]
    return [C]


@pytest.mark.parametrize("name", headers())
def test_compiles_alone(name):
    for compiler in compilers(name):
        search = [f"-I{ROOT}", f"-I{ROOT}/sdk/include", f"-I{ROOT}/sdk/opp/include", f"-I{ROOT}/front/cpp"]
        done = subprocess.run(
            [*compiler, *WARNINGS, *search, "-"], input=f'#include "{name}"\n', cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(compiler)}\n{done.stderr}"

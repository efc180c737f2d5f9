# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all tests under ops/: a CANN installation, and where builds are kept between runs."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def build_root():
    """The build tree that NPU_BUILD_DIR names."""
    return Path(os.environ.get("NPU_BUILD_DIR", ROOT / "build")).resolve()


@pytest.fixture(scope="session")
def cann(build_root):
    """Environment of a shell that has sourced set_env.sh of ASCEND_HOME_PATH, or of the build tree's own prefix."""
    home = Path(os.environ.get("ASCEND_HOME_PATH", build_root / "cann"))
    assert (home / "set_env.sh").is_file(), f"no CANN at {home}: `make prefix`, or set ASCEND_HOME_PATH"
    run = subprocess.run(["bash", "-c", f"source {home}/set_env.sh && env -0"], text=True, capture_output=True, check=True)
    env = dict(line.split("=", 1) for line in run.stdout.split("\0") if "=" in line)
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    return env

# SPDX-License-Identifier: Apache-2.0
"""The commands as installed: the programs beside the interpreter that runs the tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent


@pytest.fixture
def run():
    """run(program, *args, env=extra) in an environment that holds PATH and HOME alone."""

    def call(program, *args, env=None, cwd="/"):
        clean = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
        return subprocess.run(
            [str(BIN / program), *args], env=clean | (env or {}), cwd=cwd, capture_output=True, text=True, timeout=600)

    return call

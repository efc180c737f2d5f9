# SPDX-License-Identifier: Apache-2.0
"""Programs against the installed prefix, as a user's own build makes them.

NPUTWIN_TEST_PREFIX names another prefix than the one in this environment's site-packages.
"""

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parent / "src"


class Bench:
    """One directory to build and run in, and the prefix."""

    src = SRC

    def __init__(self, directory, prefix):
        self.directory, self.prefix = directory, prefix
        self.env = {key: value for key, value in os.environ.items() if not key.startswith(("NPUTWIN_", "ASCEND_"))}
        self.env |= {"LC_ALL": "C", "LD_LIBRARY_PATH": str(prefix / "lib64")}

    def run(self, *words, env=None, expect=0):
        done = subprocess.run([str(w) for w in words], cwd=self.directory, env=self.env | (env or {}),
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == expect, f"{words} gave {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def binary(self, source, output, *words):
        self.run(self.prefix / "bin" / "bisheng", "--cce-aicore-only", *words, "-o", output, source)

    def program(self, source, output, *words):
        compiler = ["gcc"] if source.suffix == ".c" else ["g++", "-std=c++17"]
        self.run(*compiler, "-Wall", "-Wextra", "-g", f"-I{self.prefix}/include", source, "-o", output,
                 f"-L{self.prefix}/lib64", "-lascendcl", *words)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    named = os.environ.get("NPUTWIN_TEST_PREFIX")
    prefix = Path(named) if named else Path(sysconfig.get_path("platlib")) / "nputwin" / "cann"
    assert (prefix / "bin" / "bisheng").exists(), f"{prefix} holds no nputwin"
    return Bench(tmp_path_factory.mktemp("acl"), prefix)

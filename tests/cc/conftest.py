# SPDX-License-Identifier: Apache-2.0
"""The driver of the installed prefix, and a runtime double (src/runtime_double.c) to run what it makes.

NPUTWIN_TEST_PREFIX names another prefix than the one in this environment's site-packages.
"""

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = Path(__file__).resolve().parent / "src"


def find_prefix():
    named = os.environ.get("NPUTWIN_TEST_PREFIX")
    installed = Path(sysconfig.get_path("platlib")) / "nputwin" / "cann"
    return Path(named) if named else installed


class Driver:
    """Runs programs in one directory, with nothing of the outer environment but PATH and HOME."""

    src = SRC

    def __init__(self, directory, prefix, double):
        self.directory, self.prefix, self.double = directory, prefix, double
        self.bisheng = prefix / "bin" / "bisheng"
        self.env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C",
                    "TMPDIR": str(directory), "LD_LIBRARY_PATH": str(double)}

    def run(self, *words, env=None, expect=0):
        """The program's answer; the test fails when its exit code is not the expected one."""
        done = subprocess.run([str(w) for w in words], cwd=self.directory, env=self.env | (env or {}),
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == expect, f"{words} gave {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def compile(self, *words, **how):
        return self.run(self.bisheng, f"-I{ROOT}/engine", f"-L{self.double}", *words, **how)

    def output(self, *words, **how):
        return self.run(*words, **how).stdout

    def source(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return path

    @property
    def runtime(self):
        return [f"-L{self.double}", "-lascendc_runtime"]


@pytest.fixture(scope="session")
def prefix():
    found = find_prefix()
    assert (found / "bin" / "bisheng").exists(), f"no driver in {found}: run `make install` first"
    return found


@pytest.fixture(scope="session")
def double(tmp_path_factory):
    """A directory with the libraries that the driver links by itself."""
    directory = tmp_path_factory.mktemp("double")
    empty = directory / "empty.c"
    empty.write_text("")
    for name, source in (("ascendc_runtime", SRC / "runtime_double.c"), ("ascendcl", empty)):
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(directory / f"lib{name}.so"), str(source)], check=True)
    return directory


@pytest.fixture
def cc(tmp_path, prefix, double):
    return Driver(tmp_path, prefix, double)

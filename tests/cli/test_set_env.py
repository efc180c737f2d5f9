# SPDX-License-Identifier: Apache-2.0
"""set_env.sh: silent, repeatable, and in every shell that is here."""

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

HOME = Path(sysconfig.get_path("purelib")) / "nputwin/cann"
SHOW = 'printf "%s\\n" "$ASCEND_HOME_PATH" "$ASCEND_OPP_PATH" "$LD_LIBRARY_PATH" "$PATH" "$CMAKE_PREFIX_PATH"'


def source(shell, script, cwd="/"):
    return subprocess.run([shell, "-c", script], env={"PATH": "/usr/bin:/bin"}, cwd=cwd, capture_output=True, text=True)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_sets_a_cann(shell, times):
    # A plain sh cannot know where a sourced file lies: there the file's directory is the current one.
    script = ". ./set_env.sh; " * times + SHOW
    done = source(shell, script, cwd=HOME)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        str(HOME), f"{HOME}/opp", f"{HOME}/lib64", f"{HOME}/bin:/usr/bin:/bin", f"{HOME}/lib64/cmake"]


def test_bash_from_anywhere_with_strict_options():
    done = source("bash", f"set -eu; source {HOME}/set_env.sh; {SHOW}")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith(str(HOME))


def test_elsewhere_it_says_what_is_missing(tmp_path):
    shutil.copy(HOME / "set_env.sh", tmp_path)
    done = source("bash", f"source {tmp_path}/set_env.sh; {SHOW}")
    assert "is not an nputwin prefix" in done.stderr and done.stdout.splitlines()[0] == ""

# SPDX-License-Identifier: Apache-2.0
"""The import hook: torch_npu finds the twin in an empty environment, and only where it should."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

PREFIX = Path(sysconfig.get_path("purelib")) / "nputwin/cann"
AVAILABLE = "print(torch.npu.is_available())"


def python(*args, **env):
    """A fresh interpreter with nothing but the given environment."""
    return subprocess.run([sys.executable, *args], env=env, cwd="/", capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    "args",
    [
        ["-c", "import torch, torch_npu; " + AVAILABLE],
        ["-c", "import torch; " + AVAILABLE],
        ["-c", "import torch_npu, torch; " + AVAILABLE],
        ["-I", "-c", "import torch, torch_npu; " + AVAILABLE],
    ],
)
def test_a_device_in_an_empty_environment(args):
    done = python(*args)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_computes():
    done = python("-c", "import torch; x = torch.arange(4.).npu(); print((x + x).cpu().tolist())")
    assert (done.returncode, done.stdout) == (0, "[0.0, 2.0, 4.0, 6.0]\n"), done.stderr


def test_spawned_process(tmp_path):
    script = tmp_path / "spawn.py"
    script.write_text(
        "import multiprocessing, torch\n"
        "def work(n):\n    return float(torch.ones(n).npu().sum().cpu())\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n        print(pool.map(work, [3, 5]))\n")
    done = python(str(script))
    assert (done.returncode, done.stdout) == (0, "[3.0, 5.0]\n"), done.stderr


def test_c_environment_sees_the_prefix():
    done = python("-c", "import torch, ctypes, os; get = ctypes.CDLL(None).getenv; get.restype = ctypes.c_char_p; "
                  "print(get(b'ASCEND_HOME_PATH').decode(), get(b'ASCEND_OPP_PATH').decode())")
    assert done.stdout == f"{PREFIX} {PREFIX}/opp\n", done.stderr


def test_off_means_off():
    done = python("-c", "import torch_npu", NPUTWIN="0", TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode != 0 and "libhccl.so" in done.stderr


def test_real_cann_is_left_alone(tmp_path):
    for name in ("runtime", "compiler", "opp"):
        (tmp_path / name).mkdir()
    env = {"ASCEND_HOME_PATH": str(tmp_path), "ASCEND_OPP_PATH": str(tmp_path / "opp")}
    done = python("-c", "import torch_npu", TORCH_DEVICE_BACKEND_AUTOLOAD="0", **env)
    assert done.returncode != 0 and "libhccl.so" in done.stderr
    forced = python("-c", "import torch, os; print(os.environ['ASCEND_HOME_PATH']); " + AVAILABLE, NPUTWIN="1", **env)
    assert forced.stdout == f"{PREFIX}\nTrue\n", forced.stderr


def test_a_prefix_of_ours_is_not_a_real_cann():
    done = python("-c", "import torch, torch_npu; " + AVAILABLE,
                  ASCEND_HOME_PATH=str(PREFIX), ASCEND_OPP_PATH=str(PREFIX / "opp"))
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_nputwin_run_needs_no_hook():
    nputwin = Path(sys.executable).parent / "nputwin"
    done = subprocess.run(
        [nputwin, "run", "--devices", "2", "--", sys.executable, "-c", "import torch; print(torch.npu.device_count())"],
        env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr


def test_start_up_reads_one_line():
    done = python("-c", "import sys; print(sorted(m for m in sys.modules if m.startswith(('nputwin', 'ctypes', 'torch'))))")
    assert done.stdout == "[]\n", done.stderr


def test_looking_for_torch_npu_loads_nothing():
    done = python("-c", "import importlib.util, os; print(importlib.util.find_spec('torch_npu').name); "
                  "print('ASCEND_HOME_PATH' in os.environ, 'libascend' in open('/proc/self/maps').read())")
    assert done.stdout == "torch_npu\nFalse False\n", done.stderr

# SPDX-License-Identifier: Apache-2.0
"""The eager tests again, in fresh processes, for each TASK_QUEUE_ENABLE and SoC.

0 runs kernels on the user's thread, 1 launches and 2 also prepares them on a thread of torch_npu:
three different threads and orders under the same operators.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EAGER = Path(__file__).parent / "test_eager.py"
SOCS = ["Ascend910B2", "Ascend910_9391", "Ascend950PR_9599"]


def run(queue_mode, soc, *pytest_args):
    env = os.environ | {"TASK_QUEUE_ENABLE": queue_mode, "NPUTWIN_SOC": soc}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(EAGER), "-q", "-p", "no:cacheprovider", *pytest_args],
        env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout[-1000:]
    return int(passed.group(1))


@pytest.mark.parametrize("soc", SOCS)
@pytest.mark.parametrize("queue_mode", ["0", "1", "2"])
def test_smoke(queue_mode, soc):
    assert run(queue_mode, soc, "-m", "smoke") >= 10


@pytest.mark.parametrize("queue_mode,soc", [("0", "Ascend910B2"), ("2", "Ascend910_9391"),
                                            ("1", "Ascend950PR_9599"), ("0", "Ascend950PR_9599")])
def test_all(queue_mode, soc):
    assert run(queue_mode, soc) > 150

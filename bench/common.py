# SPDX-License-Identifier: Apache-2.0
"""What the programs of the bench share: least time of many, candidate and limit in turn."""

import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("NPU_BUILD_DIR", ROOT / "build"))


def report(**values):
    """One line of JSON on stdout, read by run.py."""
    json.dump(values, sys.stdout)
    sys.stdout.write("\n")


def seconds(function, times=1):
    begin = time.perf_counter()
    for _ in range(times):
        function()
    return (time.perf_counter() - begin) / times


SPIN_SECONDS = 0.004


def best_of_each(rounds, *functions, spins=False):
    """Least value of each function, called in turn, so that a noisy moment hits all of them.

    spins: one of them leaves threads behind that wait for work by spinning, as those of torch on the CPU do for
    a millisecond or so. On a machine with no core to spare the next one would be measured with a core less. So each
    begins when they sleep, and is measured at its second call, as in a row of its own.
    """
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for i, function in enumerate(functions):
            if spins:
                time.sleep(SPIN_SECONDS)
                function()
            best[i] = min(best[i], function())
    return best

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


def best_of_each(rounds, *functions):
    """Least value of each function, called in turn, so that a noisy moment hits all of them."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for i, function in enumerate(functions):
            best[i] = min(best[i], function())
    return best

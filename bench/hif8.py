#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hif8 - HiFloat8 casts of 16M elements on npu:0 against numpy with en_dtypes, as JSON lines.

Operator and reference take turns in one process; the best of each counts. The operator's time is from call to
synchronise, with the result allocated in it; the reference allocates its result too.
"""
import argparse
import json
import time

import en_dtypes
import numpy as np
import torch
import torch_npu  # noqa: F401

from amct_ops import hifloat8_cast

ELEMENTS = 1 << 24
GOAL = 10


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def on_npu(call):
    def run():
        call()
        torch.npu.synchronize()

    return run


def best_of(rounds, *calls):
    """The best time of each call, the calls taking turns; one round to warm up."""
    times = [[seconds(c) for c in calls] for _ in range(rounds + 1)][1:]
    return [min(column) for column in zip(*times)]


def metric(name, ours, reference):
    """One line of JSON for bench/run.py; the speeds go along for the reader."""
    return json.dumps({
        "name": name, "value": reference / ours, "unit": "ratio", "better": "higher", "against": "numpy and en-dtypes",
        "goal": GOAL, "melem_per_s": ELEMENTS / ours / 1e6, "reference_melem_per_s": ELEMENTS / reference / 1e6,
    })


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds

    halves = np.random.default_rng(8).standard_normal(ELEMENTS, np.float32).astype(np.float16)
    codes = halves.astype(en_dtypes.hifloat8)
    npu_halves = torch.from_numpy(halves).npu()
    npu_codes = hifloat8_cast.encode_to_hifloat8(npu_halves)
    if not np.array_equal(npu_codes.cpu().numpy(), codes.view(np.uint8)):  # a fast wrong answer is no answer
        raise SystemExit("hif8: the operator's codes differ from en_dtypes'")

    ours, reference = best_of(rounds, on_npu(lambda: hifloat8_cast.encode_to_hifloat8(npu_halves)),
                              lambda: halves.astype(en_dtypes.hifloat8))
    print(metric("hif8_encode_f16_vs_endtypes", ours, reference), flush=True)
    ours, reference = best_of(rounds,
                              on_npu(lambda: hifloat8_cast.decode_from_hifloat8(npu_codes, torch.float16)),
                              lambda: codes.astype(np.float16))
    print(metric("hif8_decode_f16_vs_endtypes", ours, reference), flush=True)


if __name__ == "__main__":
    main()

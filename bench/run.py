#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - measures the metrics of metrics.def and writes BUILD/bench.json.

Each program below measures some of them, candidate and limit in turn within one process, and prints
them as JSON. A figure that misses its goal is shown as such; it does not fail the run. A program that
fails does.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r'^METRIC\((\w+),\s*"([^"]*)",\s*(\w+),\s*"([^"]*)",\s*([\d.]+),\s*"([^"]*)"\)', re.M)

# (program, environment, metrics that it gives)
PROGRAMS = [
    ("vector.py", {}, "launch_us_8blocks add_f16_16M_of_limit add_f16_1M_of_limit add_f32_16M_of_limit"),
    ("unary.py", {}, "exp_f32_1M_vs_torch cast_f32_f16_1M_vs_torch"),
    ("rows.py", {}, "softmax_f32_vs_torch layernorm_f16_vs_torch"),
    ("matmul.py", {"NPUTWIN_THREADS": "1", "OMP_NUM_THREADS": "1"},
     "matmul_f16_1024_vs_torch_f32 matmul_f16_512_vs_torch_f32 matmul_f16_2048_vs_torch_f32 matmul_bf16_1024_vs_torch_f32 "
     "matmul_s8_1024_vs_torch_f32 mmad_f16_1024_vs_torch_f32"),
    ("torch_ops.py", {}, "npu_add_1M_vs_cpu npu_add_64K_vs_cpu npu_matmul_1024_vs_cpu npu_mlp_step_vs_cpu npu_small_add_us"),
    ("item.py", {"TASK_QUEUE_ENABLE": "0"}, "npu_item_us"),
    ("item.py", {"TASK_QUEUE_ENABLE": "1"}, "npu_item_queue_us"),
    ("hifloat8.py", {}, "hif8_encode_f16_vs_endtypes hif8_decode_f16_vs_endtypes"),
    ("hifloat4.py", {}, "hif4_quant_vs_reference"),
    ("compile.py", {}, "compile_add_s"),
    ("imports.py", {}, "import_extra_ms"),
]


def read_metrics():
    rows = ROW.findall((ROOT / "bench/metrics.def").read_text())
    return {
        name: {"name": name, "unit": unit, "better": better, "against": against, "goal": float(goal)}
        for name, unit, better, against, goal, _ in rows
    }


def environment(build):
    drop = ("ASCEND", "NPUTWIN", "TASK_QUEUE", "LD_LIBRARY_PATH", "PYTHONPATH", "OMP_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(drop)}
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
    env["NPU_BUILD_DIR"] = str(build)
    return env


def run_program(program, extra, build):
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / program], env=environment(build) | extra, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"bench: {program} ended with {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def show(metric):
    reached = metric["value"] >= metric["goal"] if metric["better"] == "higher" else metric["value"] <= metric["goal"]
    sign = ">=" if metric["better"] == "higher" else "<="
    mark = "" if reached else "   (goal missed)"
    print(f"{metric['name']:28} {metric['value']:10.3f} {metric['unit']:6} goal {sign} {metric['goal']:g}{mark}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--match", default=".", help="regular expression of metric names")
    args = parser.parse_args()
    build, metrics = args.build.resolve(), read_metrics()
    given = {name for _, _, names in PROGRAMS for name in names.split()}
    if given != set(metrics):
        sys.exit(f"bench: metrics.def and run.py differ: {sorted(given ^ set(metrics))}")
    wanted = [name for name in metrics if re.search(args.match, name)]
    if not wanted:
        sys.exit(f"bench: no metric matches '{args.match}'; `nputwin list metrics` names them")

    begin, results = time.monotonic(), []
    for program, extra, names in PROGRAMS:
        if set(names.split()) & set(wanted):
            values = run_program(program, extra, build)
            for name in names.split():
                if name in wanted:
                    results.append(metrics[name] | {"value": values[name]})
                    show(results[-1])
    path = build / "bench.json"
    path.write_text(json.dumps(results, indent=1) + "\n")
    print(f"bench: {len(results)} metrics in {time.monotonic() - begin:.0f} s, {path}")


if __name__ == "__main__":
    main()

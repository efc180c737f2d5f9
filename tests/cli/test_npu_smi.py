# SPDX-License-Identifier: Apache-2.0
"""npu-smi, read by two programs that parse it in the field: nptop, and build scripts' regex."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from nputop.backend import parse_npu_smi


def chip_as_build_scripts_find_it(output):
    """First data row of the table, as setup scripts of C++ extensions pick the chip's name."""
    for line in output.split("\n"):
        if not line.strip() or re.search(r"Health|NPU\s+ID|Name|Version|\+|---|=", line):
            continue
        match = re.search(r"^\s*\|?\s*\d+\s*\|?\s*([A-Za-z0-9]+)", line)
        if match:
            return match.group(1)
    return None


@pytest.mark.parametrize(
    "soc, name, hbm_mb",
    [("Ascend910B2", "910B2", 65536), ("Ascend910B4", "910B4", 32768), ("Ascend910_9391", "Ascend910", 65536),
     ("Ascend950PR_9599", "Ascend950PR", 131072)],
)
def test_table_is_parsed(run, soc, name, hbm_mb):
    done = run("npu-smi", "info", env={"NPUTWIN_SOC": soc, "NPUTWIN_DEVICES": "2"})
    assert done.returncode == 0
    assert chip_as_build_scripts_find_it(done.stdout) == name
    snapshot = parse_npu_smi(done.stdout)
    assert [(d.index, d.name, d.health) for d in snapshot.devices] == [(0, name, "OK"), (1, name, "OK")]
    assert {d.memory_total_mb for d in snapshot.devices} == {hbm_mb} and all(0 <= d.utilization_percent <= 100 for d in snapshot.devices)
    for device in snapshot.devices:  # other tests may have processes; each rounds up to a MB
        held = [p.npu_memory_mb for p in snapshot.processes if p.device_index == device.index]
        assert sum(held) - len(held) <= device.memory_used_mb <= sum(held)


def test_lines_are_of_one_width(run):
    lines = run("npu-smi", "info").stdout.splitlines()
    assert {len(line) for line in lines} == {98}


WORKS = """
import os, sys, threading, torch, torch_npu
x, a = torch.ones(100 << 18, device="npu"), torch.ones(700, 700, device="npu")
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
def work():
    while True:
        torch.mm(a, a)
threading.Thread(target=work, daemon=True).start()
print("works", flush=True)
sys.stdin.read()
os._exit(0)
"""


def test_what_a_process_has(run):
    """Its memory and work on the device of the machine that it was given, once though it forked; nothing when it was killed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND")} | {"NPUTWIN_DEVICES": "2", "ASCEND_RT_VISIBLE_DEVICES": "1"}

    def seen():
        snapshot = parse_npu_smi(run("npu-smi", "info", env={"NPUTWIN_DEVICES": "2"}).stdout)
        return snapshot.devices, [p for p in snapshot.processes if p.pid == worker.pid]
    worker = subprocess.Popen([sys.executable, "-c", WORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env, cwd="/")
    try:
        assert worker.stdout.readline() == "works\n"
        devices, mine = seen()
        assert [(p.device_index, p.chip, p.name) for p in mine] == [(1, 0, Path(sys.executable).name[:15])]
        assert 100 <= mine[0].npu_memory_mb < 200 and devices[1].memory_used_mb >= 100 and devices[1].utilization_percent > 20
        usages = run("npu-smi", "info", "-t", "proc-mem", "-i", "1", env={"NPUTWIN_DEVICES": "2"}).stdout
        assert re.search(rf"Process id +: {worker.pid}\n", usages)
    finally:
        worker.kill()
        worker.communicate()
    assert seen()[1] == []


def test_board_names_the_chip_in_two_parts(run):
    done = run("npu-smi", "info", "-t", "board", "-i", "0", "-c", "0", env={"NPUTWIN_SOC": "Ascend910_9391"})
    fields = dict(re.findall(r"^\s*(.+?)\s+: (.+)$", done.stdout, re.M))
    assert fields["Chip Name"] + "_" + fields["NPU Name"] == "Ascend910_9391"


TYPES = {"board": ("NPU Name", "910B4"), "usages": ("HBM Capacity(MB)", "32768"), "memory": ("HBM Capacity(MB)", "32768"),
         "power": ("NPU Real-time Power(W)", "NA"), "temp": ("NPU Temperature (C)", "NA"), "common": ("Aicore Count", "20"),
         "health": ("Health Status", "OK"), "ecc": ("HBM Double Bit Error Count", "NA"), "product": ("Product Type", "Ascend910B4"),
         "proc-mem": ("Chip ID", "0")}


@pytest.mark.parametrize("kind", TYPES)
def test_types(run, kind):
    """What a driver would measure on a chip reads NA; what the chip's row says is there."""
    done = run("npu-smi", "info", "-t", kind, "-i", "1", env={"NPUTWIN_SOC": "Ascend910B4", "NPUTWIN_DEVICES": "2"})
    fields = dict(re.findall(r"^\t(.+?)\s+: (.+)$", done.stdout, re.M))
    assert done.returncode == 0 and (fields["NPU ID"], fields["Chip ID"]) == ("1", "0")
    assert fields[TYPES[kind][0]] == TYPES[kind][1]


def test_list_map_version(run):
    assert "Total Count                    : 3" in run("npu-smi", "info", "-l", env={"NPUTWIN_DEVICES": "3"}).stdout
    assert "Ascend910B2" in run("npu-smi", "info", "-m").stdout
    assert re.fullmatch(r"npu-smi version: [\d.]+\n", run("npu-smi", "-v").stdout)


@pytest.mark.parametrize(
    "args, env, says",
    [
        (["top"], {}, "unknown command 'top'"),
        (["info", "-t", "usage", "-i", "0"], {}, "not a type that the twin has: 'usage'; did you mean 'usages'?"),
        (["info", "-x"], {}, "unknown option '-x'"),
        (["info", "-t"], {}, "no value after '-t'"),
        (["info", "-t", "power", "-i", "0x"], {}, "no device -1"),
        (["info", "-t", "board", "-i", "9"], {}, "no device 9"),
        (["info"], {"NPUTWIN_SOC": "Ascend310P3"}, "Ascend310P3"),
    ],
)
def test_refusals(run, args, env, says):
    done = run("npu-smi", *args, env=env)
    assert done.returncode == 2 and done.stdout == "" and says in done.stderr

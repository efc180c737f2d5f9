# SPDX-License-Identifier: Apache-2.0
"""ops_build.sh as a user runs it: what it refuses, what it packs, what it builds twice, and A5."""
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

OPS = Path(__file__).resolve().parents[2]
SCRIPT = OPS / "amct_ops/ops_build.sh"


def ops_build(*args, env=None, out=None):
    env = dict(os.environ if env is None else env, PYTHON=sys.executable)
    if out:
        env["AMCT_OPS_OUT"] = str(out)
    return subprocess.run(["bash", str(SCRIPT), *args], env=env, text=True, capture_output=True, timeout=900, cwd="/")


@pytest.mark.parametrize("args,code,said", [
    (["--soc", "ascend910"], 2, "unknown --soc 'ascend910'; allowed: ascend910b, ascend910_93, ascend950"),
    (["--soc"], 1, "--soc needs a value"),
    (["--fast"], 2, "unknown option --fast"),
    (["no_such_op"], 2, "no operator 'no_such_op' here; there is: hifloat4_cast hifloat8_cast"),
])
def test_refuses(args, code, said):
    run = ops_build(*args)
    assert (run.returncode, run.stdout) == (code, "")
    assert said in run.stderr


def test_needs_a_cann(tmp_path):
    env = {k: v for k, v in os.environ.items() if k != "ASCEND_HOME_PATH"}
    run = ops_build(env=env, out=tmp_path)
    assert run.returncode == 1 and "ASCEND_HOME_PATH is not set: source set_env.sh" in run.stderr
    run = ops_build(env=env | {"ASCEND_HOME_PATH": str(tmp_path)}, out=tmp_path)
    assert run.returncode == 1 and f"{tmp_path}/set_env.sh is not there" in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_names_what_python_lacks(cann, tmp_path):
    """An interpreter without torch: one line that says what to install."""
    bare = tmp_path / "python3"
    bare.write_text(f"#!/bin/sh\nexec {sys.executable} -I -S \"$@\"\n")
    bare.chmod(0o755)
    env = dict(cann, PYTHON=str(bare), AMCT_OPS_OUT=str(tmp_path))
    run = subprocess.run(["bash", str(SCRIPT)], env=env, text=True, capture_output=True, timeout=60)
    assert run.returncode == 1
    assert "lacks torch, torch_npu" in run.stderr and "pip install torch torch_npu" in run.stderr


@pytest.fixture(scope="module")
def a5(cann, build_root):
    """Built for A5, of one operator: the case in which a package that imports all of them would break."""
    out = build_root / "amct_ops-a5"
    run = ops_build("--soc", "ascend950", "hifloat8_cast", env=cann, out=out)
    assert run.returncode == 0, run.stderr
    return out, Path(run.stdout.splitlines()[-1])


def test_second_build_does_nothing(a5, cann):
    out, wheel = a5
    before = wheel.stat().st_mtime_ns
    run = ops_build("--soc", "ascend950", "hifloat8_cast", env=cann, out=out)
    assert run.returncode == 0 and run.stdout.splitlines() == [str(wheel)]
    assert "hifloat8_cast for dav-3510: unchanged" in run.stderr and "wheel: unchanged" in run.stderr
    assert wheel.stat().st_mtime_ns == before


def test_wheel(a5):
    with zipfile.ZipFile(a5[1]) as z:
        names = [n for n in z.namelist() if ".dist-info/" not in n]
        metadata = next(z.read(n).decode() for n in z.namelist() if n.endswith("/METADATA"))
        tags = next(z.read(n).decode() for n in z.namelist() if n.endswith("/WHEEL"))
    assert sorted(names) == ["amct_ops/__init__.py", "amct_ops/hifloat8_cast/__init__.py",
                             "amct_ops/hifloat8_cast/libhifloat8_cast_ops.so", "amct_ops/hifloat8_cast/ops.py"]
    assert "Requires-Dist" not in metadata  # a forced re-install must not touch torch
    assert "-any" not in tags


def test_runs_on_a5_from_the_wheel(a5, cann, tmp_path):
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(tmp_path), str(a5[1])],
                   check=True, capture_output=True)
    env = dict(cann, PYTHONPATH=str(tmp_path), NPUTWIN_SOC="Ascend950PR_9599")
    tests = [f"tests.amct_ops.test_hifloat8_cast.{c}" for c in ("Patterns", "Shapes", "BadInput")]
    run = subprocess.run([sys.executable, "-m", "unittest", *tests], env=env, cwd=OPS, text=True, capture_output=True,
                         timeout=600)
    assert run.returncode == 0, run.stderr[-4000:]
    assert "OK" in run.stderr.splitlines(), run.stderr[-1000:]


def test_import_brings_the_operators(a5, cann):
    """From another folder; stdout carries only what the program prints."""
    program = "import torch, amct_ops; print(amct_ops.__all__, torch.ops.amct.encode_to_hifloat8.default._schema)"
    run = subprocess.run([sys.executable, "-c", program], env=dict(cann, PYTHONPATH=str(a5[0] / "staging")), cwd="/",
                         text=True, capture_output=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout == "['hifloat8_cast'] amct::encode_to_hifloat8(Tensor input) -> Tensor\n"


def test_source_tree_says_that_it_is_not_built(cann):
    run = subprocess.run([sys.executable, "-c", "import hifloat8_cast"], cwd="/", text=True, capture_output=True,
                         env=dict(cann, PYTHONPATH=str(OPS / "amct_ops/hifloat8_cast/python")), timeout=120)
    assert run.returncode != 0 and "bash ops_build.sh hifloat8_cast" in run.stderr

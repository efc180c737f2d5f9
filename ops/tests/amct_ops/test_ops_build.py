# SPDX-License-Identifier: Apache-2.0
"""ops_build.sh as a user runs it: what it refuses, what it packs, what it does not build twice, and A5."""
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


def packed(*args, env, out):
    """The wheel of a build that passes."""
    run = ops_build(*args, env=env, out=out)
    assert run.returncode == 0, run.stderr
    wheel, = run.stdout.splitlines()
    return Path(wheel)


@pytest.fixture(scope="module")
def everything(cann, build_root):
    """All operators for A2, in the folder of `make ops`, which has built them."""
    return packed(env=cann, out=build_root / "ops")


@pytest.fixture(scope="module")
def one_for_a5(cann, build_root):
    """Of one operator: the case in which a package that imports all of them would break."""
    return packed("--soc", "ascend950", "hifloat8_cast", env=cann, out=build_root / "amct_ops-a5")


def files_of(wheel):
    with zipfile.ZipFile(wheel) as z:
        return sorted(n for n in z.namelist() if ".dist-info/" not in n)


def files_expected(*ops):
    return ["amct_ops/__init__.py", *[f"amct_ops/{op}/{name}" for op in ops for name in ("__init__.py", f"lib{op}_ops.so", "ops.py")]]


def test_second_build_does_nothing(everything, cann):
    before = everything.stat().st_mtime_ns
    run = ops_build(env=cann, out=everything.parents[1])
    assert run.returncode == 0 and run.stdout.splitlines() == [str(everything)]
    for op in ("hifloat4_cast", "hifloat8_cast"):
        assert f"{op} for dav-2201: unchanged" in run.stderr
    assert "wheel: unchanged" in run.stderr and everything.stat().st_mtime_ns == before


def test_wheel(everything):
    assert files_of(everything) == files_expected("hifloat4_cast", "hifloat8_cast")
    with zipfile.ZipFile(everything) as z:
        metadata, tags = (next(z.read(n).decode() for n in z.namelist() if n.endswith(f".dist-info/{f}")) for f in ("METADATA", "WHEEL"))
    assert "Requires-Dist" not in metadata  # a forced re-install must not touch torch
    assert "-any" not in tags


def imported(wheel, cann):
    """What a program sees that imports the package from staging/, in another folder; stdout carries only what it prints."""
    program = "import torch, amct_ops; print(amct_ops.__all__, torch.ops.amct.encode_to_hifloat8.default._schema)"
    run = subprocess.run([sys.executable, "-c", program], env=dict(cann, PYTHONPATH=str(wheel.parents[1] / "staging")), cwd="/",
                         text=True, capture_output=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout


SCHEMA = "amct::encode_to_hifloat8(Tensor input) -> Tensor"


def test_import_brings_the_operators(everything, cann):
    assert imported(everything, cann) == f"['hifloat4_cast', 'hifloat8_cast'] {SCHEMA}\n"


@pytest.mark.long
def test_one_operator_alone(one_for_a5, cann):
    """In the quick run tests/seeds builds one, for A2."""
    assert files_of(one_for_a5) == files_expected("hifloat8_cast")
    assert imported(one_for_a5, cann) == f"['hifloat8_cast'] {SCHEMA}\n"


@pytest.mark.long
def test_runs_on_a5_from_the_wheel(one_for_a5, cann, tmp_path):
    """In the quick run ops/examples has both operators' kernels on A5."""
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(tmp_path), str(one_for_a5)],
                   check=True, capture_output=True)
    env = dict(cann, PYTHONPATH=str(tmp_path), NPUTWIN_SOC="Ascend950PR_9599")
    tests = [f"tests.amct_ops.test_hifloat8_cast.{c}" for c in ("Patterns", "Shapes", "BadInput")]
    run = subprocess.run([sys.executable, "-m", "unittest", *tests], env=env, cwd=OPS, text=True, capture_output=True,
                         timeout=600)
    assert run.returncode == 0, run.stderr[-4000:]
    assert "OK" in run.stderr.splitlines(), run.stderr[-1000:]


def test_source_tree_says_that_it_is_not_built(cann):
    run = subprocess.run([sys.executable, "-c", "import hifloat8_cast"], cwd="/", text=True, capture_output=True,
                         env=dict(cann, PYTHONPATH=str(OPS / "amct_ops/hifloat8_cast/python")), timeout=120)
    assert run.returncode != 0 and "bash ops_build.sh hifloat8_cast" in run.stderr

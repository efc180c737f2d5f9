# SPDX-License-Identifier: Apache-2.0
"""Builds the example projects through their own setup.py, for A2 and A5, and runs their own tests.

The CANN installation is ASCEND_HOME_PATH, or the build tree that NPU_BUILD_DIR names. Build folders are kept
there, so a second run compiles only what changed.
"""
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def shell(command, **kw):
    run = subprocess.run(["bash", "-c", command], text=True, capture_output=True, timeout=900, **kw)
    assert run.returncode == 0, f"{command}\n{run.stdout[-3000:]}\n{run.stderr[-5000:]}"
    return run.stdout


def fingerprint(project, cann, env):
    """Changes with anything that decides the binary: sources, target, compiler, headers of the installation."""
    home = Path(cann["ASCEND_HOME_PATH"])
    arch = home / f"{platform.machine()}-linux"
    h = hashlib.sha256(repr((sorted(env.items()), sys.executable, str(home))).encode())
    for f in sorted(f for folder in {project, *SHARES.get(project, ())} for f in (HERE / folder).rglob("*")):
        if f.is_file() and "__pycache__" not in f.parts:
            h.update(f.read_bytes())
    h.update((home / "bin" / "bisheng").read_bytes())
    for folder in (arch / "include", arch / "asc" / "include"):
        for f in sorted(folder.rglob("*.h*")):
            h.update(f"{f} {f.stat().st_size} {f.stat().st_mtime_ns}".encode())
    return h.hexdigest()


def build(project, cann, build_root, tag, **env):
    """The folder that holds the built package."""
    out = build_root / "npu_ops" / f"{project}-{tag}"
    out.mkdir(parents=True, exist_ok=True)
    stamp, now = out / "fingerprint", fingerprint(project, cann, env)
    if not stamp.exists() or stamp.read_text() != now:
        stamp.unlink(missing_ok=True)
        shutil.rmtree(out / "work", ignore_errors=True)
        shell(f"{sys.executable} setup.py -q egg_info --egg-base {out} build --build-base {out / 'work'} "
              f"--build-lib {out / 'lib'} --build-temp {out / 'work'}", cwd=HERE / project, env={**cann, **env})
        stamp.write_text(now)
    return out / "lib"


SHARES = {"pybind": ["legacy"], "rms_norm/pybind": ["rms_norm/legacy"], "layer_norm_pybind": ["layer_norm_v3"]}  # projects that compile files of another one

PROJECTS = {
    "pybind": ("add_custom_pybind", {"a2": {"SOC_VERSION": "Ascend910B2"}, "a5": {"SOC_VERSION": "Ascend950PR_9599"}}),
    "legacy": ("add_custom_ext", {"a2": {"SOC_VERSION": "Ascend910B2"}, "a5": {"SOC_VERSION": "Ascend950PR_9599"}}),
    "asc": ("add_custom_asc", {"a2": {"NPU_ARCH": "dav-2201"}, "a5": {"NPU_ARCH": "dav-3510"}}),
    "rms_norm/legacy": ("rms_norm_ext", {"a2": {"SOC_VERSION": "Ascend910B2"}, "a5": {"SOC_VERSION": "Ascend950PR_9599"}}),
    "rms_norm/pybind": ("rms_norm_pybind", {"a2": {"SOC_VERSION": "Ascend910B2"}, "a5": {"SOC_VERSION": "Ascend950PR_9599"}}),
    "rms_norm/asc": ("rms_norm_asc", {"a2": {"NPU_ARCH": "dav-2201"}, "a5": {"NPU_ARCH": "dav-3510"}}),
    "matmul_leakyrelu/legacy": ("matmul_leakyrelu_ext", {"a2": {"SOC_VERSION": "Ascend910B2"}}),  # cube cores: A2, A3
    "matmul_leakyrelu/asc": ("matmul_leakyrelu_asc", {"a2": {"NPU_ARCH": "dav-2201"}}),
    "layer_norm_v3": ("layer_norm_v3_ext", {"a2": {}}),  # torch_npu has no Pattern C on A5
    "layer_norm_pybind": ("layer_norm_v3_pybind", {"a2": {}}),
    "layer_norm_v4": ("layer_norm_v4_ext", {"a2": {}}),
}


# (target, chip, TASK_QUEUE_ENABLE): A2 and A3 share a binary
RUNS = [("a2", "Ascend910B2", "0"), ("a2", "Ascend910B2", "2"), ("a2", "Ascend910_9391", "1"),
        ("a5", "Ascend950PR_9599", "1")]


# What the quick run takes: one run a project, among them every chip and every setting. The long run takes all.
# legacy is not here: tests/seeds builds, installs and tests it by the lines of the seed. layer_norm_v3 is layer_norm_v4's like.
QUICK = {"asc": ("Ascend910B2", "2"), "rms_norm/legacy": ("Ascend910_9391", "1"), "rms_norm/asc": ("Ascend950PR_9599", "1"),
         "matmul_leakyrelu/legacy": ("Ascend910B2", "0"), "matmul_leakyrelu/asc": ("Ascend910_9391", "1"),
         "layer_norm_v4": ("Ascend910B2", "0")}


def long_unless(quick):
    return () if quick else pytest.mark.long


def runs():
    for project in PROJECTS:
        for target, soc, queue in RUNS:
            if target in PROJECTS[project][1]:
                yield pytest.param(project, target, soc, queue, marks=long_unless(QUICK.get(project) == (soc, queue)))


def test_the_quick_run_has_every_chip_and_setting():
    assert set(QUICK.values()) == {run[1:] for run in RUNS}


@pytest.mark.parametrize("project,target,soc,queue", list(runs()))
def test_its_own_tests_pass(project, target, soc, queue, cann, build_root):
    lib = build(project, cann, build_root, target, **PROJECTS[project][1][target])
    env = {**cann, "NPUTWIN_SOC": soc, "TASK_QUEUE_ENABLE": queue, "PYTHONPATH": str(lib)}
    run = subprocess.run([sys.executable, str(HERE / project / "test" / "test.py")], text=True, capture_output=True,
                         timeout=600, env=env, cwd="/")
    assert run.returncode == 0, run.stderr[-5000:]
    assert "OK" in run.stderr.splitlines(), run.stderr[-1000:]  # with a skip it would say "OK (skipped=1)"


PAIRS = {  # operator: (projects of the two generations, arguments)
    "add_custom": (("legacy", "asc"), "(torch.randn(12345).half().npu(), torch.randn(12345).half().npu())"),
    "rms_norm": (("rms_norm/legacy", "rms_norm/asc"), "(torch.randn(3, 50_001).npu(), torch.randn(50_001).npu())"),
    "matmul_leakyrelu": (("matmul_leakyrelu/legacy", "matmul_leakyrelu/asc"),
                         "(torch.randn(200, 99).half().npu(), torch.randn(99, 77).half().npu(), torch.randn(77).npu())"),
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=long_unless(n == "matmul_leakyrelu")) for n in PAIRS])
def test_both_generations_are_in_step(name, cann, build_root):
    """Both register in one process, in their own namespaces, and agree."""
    projects, arguments = PAIRS[name]
    paths = [str(build(p, cann, build_root, "a2", **PROJECTS[p][1]["a2"])) for p in projects]
    program = (f"import torch, torch_npu, {', '.join(PROJECTS[p][0] for p in projects)}\n"
               f"args = {arguments}\n"
               f"assert torch.equal(torch.ops.npu.{name}(*args).cpu(), torch.ops.npu_ops.{name}(*args).cpu())\n"
               f"assert torch._C._dispatch_has_kernel_for_dispatch_key('npu::{name}', 'PrivateUse1')\n"
               "print('same')\n")
    run = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, timeout=300, cwd="/",
                         env={**cann, "PYTHONPATH": os.pathsep.join(paths)})
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout == "same\n"


OTHER = """
import importlib, sys
try:
    importlib.import_module(sys.argv[1])
except ImportError as e:
    opened = [line for line in open("/proc/self/maps") if sys.argv[1] in line or "libtorch" in line]
    print(len(opened), e)
"""


@pytest.mark.parametrize("name,built", [("torch", "2.9.0+cpu"), ("torch_npu", "2.9.0.post4"), ("torch", None)])
@pytest.mark.parametrize("project", [pytest.param(p, marks=long_unless(p in QUICK)) for p in PROJECTS])
def test_a_package_of_another_torch_is_not_opened(project, name, built, cann, build_root, tmp_path):
    """Case C05: the record of the build is compared before the library is opened; without one nothing is."""
    package, targets = PROJECTS[project]
    soc = QUICK.get(project, RUNS[0][1:])[0]
    target = next(run[0] for run in RUNS if run[1] == soc)  # the one that is built
    shutil.copytree(build(project, cann, build_root, target, **targets[target]) / package, tmp_path / package)
    record, = (tmp_path / package).glob("*.nputwin-build.json")
    now = json.loads(record.read_text())
    assert (now["torch"], now["torch_npu"]) == (version("torch"), version("torch_npu"))
    if built:
        record.write_text(json.dumps(now | {name: built}))
    else:
        record.unlink()
    run = subprocess.run([sys.executable, "-c", OTHER, package], text=True, capture_output=True, timeout=300, cwd="/",
                         env={**cann, "PYTHONPATH": str(tmp_path)})
    assert run.returncode == 0, run.stderr
    said, = run.stdout.splitlines()
    if not built:
        assert said.startswith("0 ") and "nputwin-build.json is missing" in said
        return
    was = now | {name: built}
    assert f"was built for torch {was['torch']} / torch_npu {was['torch_npu']}, running torch {now['torch']} / torch_npu {now['torch_npu']}: " in said
    assert said.endswith(f"pip install torch=={was['torch'].split('+')[0]} torch_npu=={was['torch_npu']}") and said.startswith("0 ")


def test_missing_compiler_is_one_line(tmp_path):
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND")} | {"PATH": "/usr/bin:/bin"}
    run = subprocess.run([sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(tmp_path), "build",
                          "--build-base", str(tmp_path)], cwd=HERE / "asc", env=env, text=True, capture_output=True,
                         timeout=120)
    assert run.returncode != 0
    assert "no bisheng: source set_env.sh" in run.stderr.splitlines()[-1]

# SPDX-License-Identifier: Apache-2.0
"""Builds both example projects through their own setup.py, for A2 and A5, and runs their own tests.

The CANN installation is ASCEND_HOME_PATH, or the build tree that NPU_BUILD_DIR names. Build folders are kept
there, so a second run compiles only what changed.
"""
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def shell(command, **kw):
    run = subprocess.run(["bash", "-c", command], text=True, capture_output=True, timeout=900, **kw)
    assert run.returncode == 0, f"{command}\n{run.stdout[-3000:]}\n{run.stderr[-5000:]}"
    return run.stdout


@pytest.fixture(scope="session")
def build_root():
    return Path(os.environ.get("NPU_BUILD_DIR", ROOT / "build")).resolve()


@pytest.fixture(scope="session")
def cann(build_root):
    """Environment of a shell that has sourced set_env.sh."""
    home = Path(os.environ.get("ASCEND_HOME_PATH", build_root / "cann"))
    assert (home / "set_env.sh").is_file(), f"no CANN at {home}: `make prefix`, or set ASCEND_HOME_PATH"
    lines = shell(f"source {home}/set_env.sh && env -0").split("\0")
    env = dict(line.split("=", 1) for line in lines if "=" in line)
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    return env


def build(project, cann, build_root, tag, **env):
    """The folder that holds the built package."""
    out = build_root / "npu_ops" / f"{project}-{tag}"
    out.mkdir(parents=True, exist_ok=True)
    shell(f"{sys.executable} setup.py -q egg_info --egg-base {out} build --build-base {out / 'work'} "
          f"--build-lib {out / 'lib'} --build-temp {out / 'work'}", cwd=HERE / project, env={**cann, **env})
    return out / "lib"


PROJECTS = {
    "legacy": ("add_custom_ext", {"a2": {"SOC_VERSION": "Ascend910B2"}, "a5": {"SOC_VERSION": "Ascend950PR_9599"}}),
    "asc": ("add_custom_asc", {"a2": {"NPU_ARCH": "dav-2201"}, "a5": {"NPU_ARCH": "dav-3510"}}),
}


@pytest.mark.parametrize("soc", ["Ascend910B2", "Ascend910_9391"])
@pytest.mark.parametrize("project", PROJECTS)
def test_runs_on_a2_and_a3(project, soc, cann, build_root):
    package, targets = PROJECTS[project]
    lib = build(project, cann, build_root, "a2", **targets["a2"])
    for queue in ("0", "1"):
        run_own_tests(project, lib, {**cann, "NPUTWIN_SOC": soc, "TASK_QUEUE_ENABLE": queue})


@pytest.mark.parametrize("project", PROJECTS)
def test_runs_on_a5(project, cann, build_root):
    package, targets = PROJECTS[project]
    lib = build(project, cann, build_root, "a5", **targets["a5"])
    run_own_tests(project, lib, {**cann, "NPUTWIN_SOC": "Ascend950PR_9599"})


def run_own_tests(project, lib, env):
    run = subprocess.run([sys.executable, str(HERE / project / "test" / "test.py")], text=True, capture_output=True,
                         timeout=600, env={**env, "PYTHONPATH": str(lib)}, cwd="/")
    assert run.returncode == 0, run.stderr[-5000:]
    assert "OK" in run.stderr.splitlines()[-1] and "skipped" not in run.stderr.splitlines()[-1], run.stderr[-500:]


def test_kernels_of_both_are_in_step(cann, build_root):
    """Both register in one process, in their own namespaces, and agree."""
    paths = [str(build(p, cann, build_root, "a2", **PROJECTS[p][1]["a2"])) for p in PROJECTS]
    program = ("import torch, torch_npu, add_custom_ext, add_custom_asc\n"
               "x, y = torch.randn(12345).half().npu(), torch.randn(12345).half().npu()\n"
               "assert torch.equal(torch.ops.npu.add_custom(x, y).cpu(), torch.ops.npu_ops.add_custom(x, y).cpu())\n"
               "assert torch._C._dispatch_has_kernel_for_dispatch_key('npu::add_custom', 'PrivateUse1')\n"
               "print('same')\n")
    run = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, timeout=300, cwd="/",
                         env={**cann, "PYTHONPATH": os.pathsep.join(paths)})
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout == "same\n"


def test_missing_compiler_is_one_line(tmp_path):
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND")} | {"PATH": "/usr/bin:/bin"}
    run = subprocess.run([sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(tmp_path), "build",
                          "--build-base", str(tmp_path)], cwd=HERE / "asc", env=env, text=True, capture_output=True,
                         timeout=120)
    assert run.returncode != 0
    assert "no bisheng: source set_env.sh" in run.stderr.splitlines()[-1]

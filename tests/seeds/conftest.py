# SPDX-License-Identifier: Apache-2.0
"""What the command blocks of the seeds and of docs/references run in: copies, an environment, a container.

Copies lie in build/seeds and keep what was built in them, so a second run compiles only what changed.
"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv as venv_module
from pathlib import Path

import pytest
from blocks import ROOT

BIN = Path(sys.executable).parent
CONTAINER = "npu_dev"

_spec = importlib.util.spec_from_file_location("ops_conftest", ROOT / "ops/conftest.py")
_ops = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_ops)
build_root, cann = _ops.build_root, _ops.cann


def sync(source, target, keep=("build", "dist", "staging")):
    """target becomes a copy of source; files that are equal keep their times, and what builds left stays."""
    names = set()
    for f in sorted(source.rglob("*")):
        part = f.relative_to(source)
        if f.is_file() and not {"__pycache__", "build", "dist", "staging"} & set(part.parts) and "egg-info" not in str(part):
            names.add(part)
            there = target / part
            there.parent.mkdir(parents=True, exist_ok=True)
            if not there.exists() or there.read_bytes() != f.read_bytes():
                shutil.copy2(f, there)
    for f in sorted(target.rglob("*"), reverse=True):
        part = f.relative_to(target)
        if f.is_file() and part not in names and not set(keep) & set(part.parts) and "egg-info" not in str(part):
            f.unlink()
    return target


@pytest.fixture(scope="session")
def copies(build_root):
    """build/seeds: what the container sees as /workspace."""
    folder = build_root / "seeds"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def package(copies):
    """A package of Plan A, Pattern A: {pkg} add_custom_ext, {op_name} and {kernel_name} add_custom."""
    return sync(ROOT / "ops/npu_ops/legacy", copies / "add_custom_ext")


@pytest.fixture(scope="session")
def ops(copies):
    """The folder above amct_ops, with tests/amct_ops beside it, as the second seed has them."""
    target = copies / "ops"
    sync(ROOT / "ops/amct_ops", target / "amct_ops")
    sync(ROOT / "ops/tests", target / "tests")
    return target


@pytest.fixture(scope="session")
def venv(tmp_path_factory):
    """A virtual environment of its own that finds this one's packages; pip installs into it alone."""
    where = tmp_path_factory.mktemp("environment") / "venv"
    venv_module.create(where, with_pip=False)
    site = subprocess.run([where / "bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                          capture_output=True, text=True, check=True).stdout.strip()
    (Path(site) / "zz_base.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    pip = where / "bin/pip"
    pip.write_text(f"#!/bin/sh\nexec {where}/bin/python -m pip --disable-pip-version-check \"$@\"\n")
    pip.chmod(0o755)
    for tool in ("cmake", "ninja", "nputwin", "npu-smi"):
        if (BIN / tool).exists():
            (where / "bin" / tool).symlink_to(BIN / tool)
    return where


@pytest.fixture(scope="session")
def shell(cann, venv):
    """shell(text, cwd): bash runs text, with CANN sourced and the environment active. (code, stdout, stderr)"""

    def run(text, cwd="/", sourced=True, **env):
        base = dict(cann) if sourced else {"HOME": os.environ.get("HOME", "/"), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        base["PATH"] = f"{venv}/bin:{base['PATH']}"
        return subprocess.run(["bash", "-c", text], cwd=cwd, env=base | env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1200)

    return run


@pytest.fixture(scope="session")
def built(shell, package):
    """The package is built and installed, by the lines of the first seed."""
    from blocks import seed

    for block, cwd in (("A12", package), ("A13", package)):
        done = shell(seed(block), cwd)
        assert done.returncode == 0, f"{seed(block)}\n{done.stdout[-3000:]}\n{done.stderr[-5000:]}"
    return package


@pytest.fixture(scope="session")
def container(tmp_path_factory, copies, venv, cann):
    """Environment with a docker and a podman on PATH that know one container, CONTAINER."""
    folder = tmp_path_factory.mktemp("docker")
    mounts = {"/workspace": str(copies), "/opt/venv": str(venv), "/usr/local/Ascend/ascend-toolkit": cann["ASCEND_HOME_PATH"]}
    (folder / "docker.json").write_text(json.dumps({"name": CONTAINER, "mounts": mounts, "shared": str(copies)}))
    for name in ("docker", "podman"):
        (folder / name).write_text(f"#!/bin/sh\nexec {sys.executable} {Path(__file__).parent}/docker.py {folder}/docker.json \"$@\"\n")
        (folder / name).chmod(0o755)
    (folder / "nputwin").symlink_to(BIN / "nputwin")
    return {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), "WORK": str(copies)}

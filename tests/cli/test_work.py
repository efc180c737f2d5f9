# SPDX-License-Identifier: Apache-2.0
"""`nputwin build`, `install`, `test` and `report` on a small package, here and in a container.

The container is a program `docker` that runs the command with another name for the shared folder and
nothing of our environment, so that a lost variable or an unmapped path fails as it would.
"""

import json
import os
import sys
from pathlib import Path

import pytest

PACKAGE = {
    "setup.py": """
from setuptools import Extension, setup
setup(name="scale_ext", version="1.0.0", packages=["scale_ext"], ext_modules=[Extension("scale_ext._C", ["csrc/c.c"])])
""",
    "csrc/c.c": "int scale_ext(void) { return 0; }\n",
    "scale_ext/__init__.py": """
import torch
_library = torch.library.Library("scale_ext", "FRAGMENT")
_library.define("scale(Tensor x) -> Tensor")
_library.impl("scale", lambda x: x * 2, "PrivateUse1")
_library.impl("scale", lambda x: torch.empty_like(x), "Meta")
""",
    "test/test.py": """
import torch, torch_npu, scale_ext
assert torch.equal(torch.ops.scale_ext.scale(torch.ones(3).npu()).cpu(), torch.full((3,), 2.0))
print("tested", scale_ext.__file__)
""",
}


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "scale rows 算子"
    for name, text in PACKAGE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def work(run, package, tmp_path):
    """work(command, *args): in the package, installing into a folder of the test's own."""
    site = str(tmp_path / "site")
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PIP_TARGET": site, "PYTHONPATH": site,
           "PIP_NO_BUILD_ISOLATION": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return lambda *args, **more: run("nputwin", *args, env=env | more, cwd=package)


def test_from_build_to_report(work, package):
    assert work("report").returncode == 1  # nothing was run
    for command, says in (("build", "has its library and Python files"), ("install", "registered scale_ext::scale npu: True meta: True"),
                          ("test", "tested ")):
        done = work(command, "--python", sys.executable)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        assert says in done.stderr and f"nputwin {command}: {command}: ok, " in done.stderr
    done = work("report")
    assert done.returncode == 0 and "every step passed" in done.stdout and "A2 hardware" in done.stdout
    data = json.loads(work("report", "--format", "json").stdout)
    assert [step["step"] for step in data["steps"]] == ["build", "wheel", "install", "import", "test", "fake", "views", "strict"]
    assert data["not_run"] == [] and all(step["exit_code"] == 0 for step in data["steps"])
    assert ["software, not hardware" in name for name in data["covered"]] == [True]
    assert work("report", "--format", "markdown").stdout.startswith(f"## {package.name}: every step passed")


def test_a_test_that_fails_is_reported(work, package):
    (package / "test/test.py").write_text("raise SystemExit(3)\n")
    assert work("test", "--python", sys.executable).returncode == 1
    done = work("report")
    assert done.returncode == 1 and "FAILED" in done.stdout and "not run:\n  build\n  install\n" in done.stdout


OPERATORS = """
import torch, torch_npu
from torch_npu.testing.testcase import TestCase, run_tests
library = torch.library.Library("looked_at", "FRAGMENT")
library.define("half_rows(Tensor x) -> Tensor")
library.define("flat(Tensor x) -> Tensor")
library.define("twice(Tensor x) -> Tensor")
library.define("refuses(Tensor x) -> Tensor")
library.impl("half_rows", lambda x: x[: x.shape[0] // 2].clone(), "PrivateUse1")
library.impl("flat", lambda x: torch.as_strided(x, x.shape, torch.empty(x.shape).stride()) * 2, "PrivateUse1")
library.impl("twice", lambda x: x * 2, "PrivateUse1")
def refuses(x):
    if not x.is_contiguous():
        raise RuntimeError("x must be contiguous")
    return x * 2
library.impl("refuses", refuses, "PrivateUse1")
for name in ("flat", "twice", "refuses"):
    library.impl(name, lambda x: torch.empty(x.shape, dtype=x.dtype, device="meta"), "Meta")
%s
class Test(TestCase):
    def test(self):
        x = torch.arange(24.).reshape(6, 4).npu()
        %s
run_tests()
"""
WRONG_META = 'library.impl("half_rows", lambda x: torch.empty_like(x), "Meta")'


@pytest.mark.parametrize("define, call, kind, says", [
    ("", "torch.ops.looked_at.twice(x); torch.ops.looked_at.refuses(x)", None, "2 calls on fake tensors agree"),
    ("", "torch.ops.looked_at.half_rows(x)", "fake", "looked_at::half_rows: fails on fake tensors"),
    (WRONG_META, "torch.ops.looked_at.half_rows(x)", "fake", "looked_at::half_rows: fake (6, 4) float32 npu strides (4, 1) vs real (3, 4)"),
    ("", "torch.ops.looked_at.flat(x)", "views", "transposed of the same values give another result: 22 of 24 elements, first [0, 1]: got 8.0, want 2.0, "),
    ("", "self.assertRtolEqual(torch.cat([torch.ones(20000), torch.tensor([5.])]), torch.ones(20001))", "strict",
     "assertRtolEqual lets pass 1 of 20001 elements, first [20000]: got 5.0, want 1.0, 18874368 ulp"),
], ids=["right", "no-meta", "wrong-meta", "flat", "strict"])
def test_what_is_looked_at_while_tests_run(work, package, define, call, kind, says):
    """Cases C13 and C17 at run time: every call again on fake tensors and on views; assertRtolEqual element by element."""
    (package / "test/test.py").write_text(OPERATORS % (define, call))
    done = work("test", "--python", sys.executable)
    assert "nputwin test: test: ok" in done.stderr and says in done.stderr, done.stderr
    assert done.returncode == bool(kind)
    steps = json.loads(work("report", "--format", "json").stdout)["steps"]
    assert [step["step"] for step in steps if step["exit_code"]] == [kind] * bool(kind)


def test_a_wheel_without_its_library(work, package):
    (package / "setup.py").write_text('from setuptools import setup\nsetup(name="scale_ext", packages=["scale_ext"])\n')
    done = work("build", "--python", sys.executable)
    assert done.returncode == 1 and "NO library" in done.stderr


@pytest.mark.parametrize("args, code, says", [
    (["build", "scale"], 2, "only a package with ops_build.sh, or op-plugin, builds one operator"),
    (["build", "--path", "/no/such"], 2, "/no/such: No such file"),
    (["build", "--path", "/"], 1, "no package in /"),
    (["install"], 1, "nputwin build makes one"),
    (["test", "--path", "csrc"], 1, "no package in"),
    (["test", "--pyton", "x"], 2, "did you mean --python?"),
    (["report", "--format", "xml"], 2, "text, json or markdown"),
    (["build", "--python", "/no/python"], 1, "/no/python: No such file"),
])
def test_mistakes(work, args, code, says):
    done = work(*args)
    assert (done.returncode, done.stdout) == (code, "") and says in done.stderr


@pytest.fixture
def container(tmp_path):
    """A program `docker` and the folder inside; returns the environment and the arguments."""
    (tmp_path / "bin").mkdir()
    inside = tmp_path / "inside"
    inside.symlink_to(tmp_path)
    (tmp_path / "set_env.sh").write_text(f"export PATH={Path(sys.executable).parent}:$PATH SOURCED=1\n")
    docker = tmp_path / "bin/docker"
    docker.write_text("""#!/bin/bash
[ "$1" = exec ] || exit 125
[ "$2" = npu ] || { echo "Error: No such container: $2" >&2; exit 1; }
shift 2
exec env -i HOME=/root PATH=/usr/bin:/bin "$@"
""")
    docker.chmod(0o755)
    args = ["--container", "npu", "--mount", f"{tmp_path}:{inside}", "--python", sys.executable, "--set-env",
            f"{inside}/set_env.sh"]
    return {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}, args


def test_in_a_container(work, package, container):
    env, args = container
    (package / "test/test.py").write_text("""
import os
assert os.environ["SOURCED"] and "/inside/" in os.environ["PWD"] and "PIP_TARGET" not in os.environ
""")
    done = work("build", *args, **env)
    assert done.returncode == 0, done.stderr
    assert list((package / "dist").glob("*.whl"))  # what is built inside lies in the shared folder
    assert work("test", *args, **env).returncode == 0


@pytest.mark.parametrize("drop, says", [
    ("--mount", "needs --mount HOST:INSIDE"), ("--python", "needs --python PATH"), ("--set-env", "needs --set-env FILE")])
def test_what_is_not_said_about_a_container_is_asked(work, container, drop, says):
    env, args = container
    at = args.index(drop)
    done = work("build", *args[:at], *args[at + 2:], **env)
    assert done.returncode == 2 and says in done.stderr


def test_a_folder_outside_the_mount_is_refused(work, container, tmp_path):
    env, args = container
    (tmp_path / "other").mkdir()
    args[args.index("--mount") + 1] = f"{tmp_path}/other:/work"
    done = work("build", *args, **env)
    assert done.returncode == 2 and "outside the shared folder" in done.stderr


def test_a_container_that_is_not_there(work, container):
    env, args = container
    args[1] = "gone"
    done = work("build", *args, **env)
    assert done.returncode == 1 and "No such container: gone" in done.stderr


def test_no_docker_at_all(work, container):
    done = work("build", *container[1], PATH="/nowhere")
    assert done.returncode == 1 and "apt install podman" in done.stderr

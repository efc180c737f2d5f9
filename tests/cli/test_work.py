# SPDX-License-Identifier: Apache-2.0
"""`nputwin build`, `install`, `test` and `report` on a small package, here and in a container.

The container is a program `docker` that runs the command with another name for the shared folder and
nothing of our environment, so that a lost variable or an unmapped path fails as it would.
"""

import json
import os
import signal
import subprocess
import sys
import time
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


def test_an_older_file_that_stays_is_no_installation(work, package, tmp_path):
    """pip --target replaces no folder that is there."""
    assert work("build", "--python", sys.executable).returncode == 0
    (tmp_path / "site/scale_ext").mkdir(parents=True)
    (tmp_path / "site/scale_ext/__init__.py").write_text(PACKAGE["scale_ext/__init__.py"] + "# older\n")
    done = work("install", "--python", sys.executable)
    assert done.returncode == 1 and " is not what the wheel has: pip left an older one there" in done.stderr, done.stderr


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


SIZED_BY_DATA = """
@torch.library.register_fake("looked_at::half_rows")
def _(x):
    return x.new_empty((torch.library.get_ctx().new_dynamic_size(), x.shape[1]))
"""


@pytest.mark.parametrize("define, call, kind, says", [
    ("", "torch.ops.looked_at.twice(x); torch.ops.looked_at.refuses(x)", None, "2 calls on fake tensors agree"),
    ("", "torch.ops.looked_at.half_rows(x)", "fake", "looked_at::half_rows: fails on fake tensors"),
    (WRONG_META, "torch.ops.looked_at.half_rows(x)", "fake", "looked_at::half_rows: fake (6, 4) float32 npu strides (4, 1) vs real (3, 4)"),
    (SIZED_BY_DATA, "torch.ops.looked_at.half_rows(x)", None, "1 calls on fake tensors agree"),
    ("", "torch.ops.looked_at.flat(x)", "views", "transposed of the same values give another result: 22 of 24 elements, first [0, 1]: got 8.0, want 2.0, "),
    ("", "self.assertRtolEqual(torch.cat([torch.ones(20000), torch.tensor([5.])]), torch.ones(20001))", "strict",
     "assertRtolEqual lets pass 1 of 20001 elements, first [20000]: got 5.0, want 1.0, 18874368 ulp"),
], ids=["right", "no-meta", "wrong-meta", "sized-by-data", "flat", "strict"])
def test_what_is_looked_at_while_tests_run(work, package, define, call, kind, says):
    """Cases C13 and C17 at run time: every call again on fake tensors and on views; assertRtolEqual element by element."""
    (package / "test/test.py").write_text(OPERATORS % (define, call))
    done = work("test", "--python", sys.executable)
    assert "nputwin test: test: ok" in done.stderr and says in done.stderr, done.stderr
    assert done.returncode == bool(kind)
    steps = json.loads(work("report", "--format", "json").stdout)["steps"]
    assert [step["step"] for step in steps if step["exit_code"]] == [kind] * bool(kind)


HELPED = """import os, unittest
import helper
class Where(unittest.TestCase):
    def test_where(self):
        self.assertEqual(os.getcwd(), %r)
    @unittest.skip("no reference yet")
    def test_values(self):
        pass
unittest.main()
"""


@pytest.mark.parametrize("args, where", [([], "{}/test"), (["--outside"], "/")])
def test_where_tests_run_and_which_were_skipped(work, package, args, where):
    """Their folder, or / with --outside; modules beside them are found in both. A report says what was skipped."""
    (package / "test/helper.py").write_text("")
    (package / "test/test.py").write_text(HELPED % where.format(package))
    done = work("test", *args, "--python", sys.executable)
    assert done.returncode == 0 and "nputwin test: skipped: test_values: no reference yet" in done.stderr, done.stderr
    data = json.loads(work("report", "--format", "json").stdout)
    assert data["skipped"] == ["test_values: no reference yet"] and "skipped" not in data["platform"]
    text, markdown = work("report").stdout, work("report", "--format", "markdown").stdout
    assert "skipped tests:\n  test_values: no reference yet" in text and "- test_values: no reference yet" in markdown


def test_before_the_package_is_installed(work, package):
    (package / "test/test.py").write_text("import scale_ext_that_is_not_there\n")
    done = work("test", "--python", sys.executable)
    assert done.returncode == 1 and "tests import the installed one: nputwin install" in done.stderr


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


def test_a_broken_record_is_named_with_its_line(work, package):
    (package / "build").mkdir()
    (package / "build/nputwin-steps.json").write_text('{"test": [\n\n  {"step": }]}')
    done = work("report")
    assert done.returncode == 1 and "build/nputwin-steps.json:3: no JSON" in done.stderr


def test_a_missing_tool_comes_with_its_command(work, package, tmp_path):
    (package / "CMakeLists.txt").write_text("")
    (tmp_path / "empty").mkdir()
    done = work("build", "--python", sys.executable, PATH=str(tmp_path / "empty"))
    assert done.returncode == 1 and "cmake is not on PATH: pip install cmake" in done.stderr
    assert "g++ is not on PATH: apt install g++" in done.stderr and not (package / "dist").exists()


def test_a_killed_build_leaves_the_old_record_and_no_half_of_a_file(package, tmp_path):
    record = package / "build/nputwin-steps.json"
    record.parent.mkdir()
    record.write_text('{"test": []}')
    (package / "setup.py").write_text(f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    nputwin = subprocess.Popen([Path(sys.executable).parent / "nputwin", "build", "--python", sys.executable], cwd=package,
                               stderr=subprocess.DEVNULL)
    for _ in range(600):
        time.sleep(0.1)
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            break
    nputwin.kill()
    nputwin.wait()
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert record.read_text() == '{"test": []}'
    assert sorted(p.name for p in package.rglob("*") if p.is_file()) == ["__init__.py", "c.c", "nputwin-steps.json", "setup.py", "test.py"]


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
exec env -i HOME=/root PATH=/usr/bin:/bin "$@"  # nothing of the host's environment
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


def test_the_container_rebuilds_every_variable(work, package, container):
    """What a step sets reaches the shell inside, which inherits nothing; the host's Python is never asked."""
    env, args = container
    (package / "setup.py").write_text("import os; print('seen', os.environ['CXXFLAGS'], os.environ['SOC_VERSION'], os.environ.get('PIP_TARGET'))\n")
    done = work("build", *args, "--soc", "Ascend910B3", **env)
    assert "seen -DCURRENT_VERSION=V2R13 Ascend910B3 None" in done.stderr


def test_report_names_the_container_and_what_tests_ran_on(work, package, container):
    env, args = container
    (package / "test/test.py").write_text("print('nothing')\n")
    assert work("test", *args, **env).returncode == 0
    data = json.loads(work("report", "--format", "json", *args, **env).stdout)
    assert {step["container"] for step in data["steps"]} == {"npu"} and data["not_run"] == ["build", "install"]
    platform = data["platform"]
    assert platform["torch_npu"] == "2.13.0" and platform["device"].startswith("Ascend910B")
    assert platform["is_twin"] == any("software, not hardware" in name for name in data["covered"])
    text = work("report").stdout
    assert "(in container npu)" in text and "with: torch 2.13.0" in text and "A5 hardware" in text


def test_hardware_is_covered_only_where_tests_ran_on_it(work, package):
    (package / "build").mkdir()
    facts = {"device": "Ascend910_9391", "is_twin": False, "torch": "2.13.0", "torch_npu": "2.13.0", "python": "3.11", "cann": "/opt/cann"}
    step = {"step": "test", "command": "python test.py", "exit_code": 0, "seconds": 1}
    (package / "build/nputwin-steps.json").write_text(json.dumps({"test": [step], "facts": facts}))
    data = json.loads(work("report", "--format", "json").stdout)
    assert data["covered"] == ["Ascend910_9391, a device of the machine"]
    assert data["not_covered"] == ["A2 hardware (Ascend910B1 to B4)", "A5 hardware (Ascend950)"]


def doctor(work, env, args):
    done = work("doctor", "--json", *args, **env)
    return done.returncode, {item.get("code", "ok"): item["what"] for item in json.loads(done.stdout)["items"]}


def test_doctor_asks_inside_the_container(work, container):
    env, args = container
    code, lines = doctor(work, env, args)
    assert code == 0 and "npu available: True" in lines["ok"]


@pytest.mark.parametrize("change, code, says", [
    ({"--container": "gone"}, "NTD023", "no shell in the container gone: Error: No such container: gone"),
    ({"--set-env": "/no/set_env.sh"}, "NTD002", "--set-env /no/set_env.sh is not in the container npu"),
    ({"--python": "/no/python"}, "NTD012", "--python /no/python is not in the container npu"),
    ({"--mount": "{tmp}:/no/folder"}, "NTD024", "is not /no/folder in the container"),
])
def test_what_doctor_finds_in_a_container(work, container, tmp_path, change, code, says):
    env, args = container
    for option, value in change.items():
        args[args.index(option) + 1] = value.format(tmp=tmp_path)
    rc, lines = doctor(work, env, args)
    assert rc == 1 and says in lines[code]


def test_doctor_asks_for_what_is_not_said(work, container):
    env, args = container
    at = args.index("--mount")
    done = work("doctor", *args[:at], *args[at + 2:], **env)
    assert done.returncode == 1 and "needs --mount HOST:INSIDE" in done.stdout


def test_doctor_fix_adds_what_is_missing_and_says_what_it_runs(work, tmp_path):
    """A Python of the test's own records what pip is asked for; nothing else is run."""
    python = tmp_path / "python"
    python.write_text(f"""#!/bin/bash
if [ "$1 $2" = "-m pip" ]; then echo "$@" >>{tmp_path}/pip.log; exit 0; fi
[ "$1" = -c ] && [[ "$2" == *importlib.metadata* ]] && {{ printf '3.11.0\\n2.13.0\\n2.13.0\\n/t\\n/n\\n\\n%s\\n' "$(cat {tmp_path}/pip.log 2>/dev/null)"; exit; }}
echo device True
""")
    python.chmod(0o755)
    done = work("doctor", "--python", str(python), "--fix")
    assert (tmp_path / "pip.log").read_text() == "-m pip install expecttest\n"
    assert f"nputwin doctor: NTD025: {python} -m pip install expecttest" in done.stderr and "NTD025" not in done.stdout


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

# SPDX-License-Identifier: Apache-2.0
"""`nputwin doctor`: this machine, and public bug reports (cases/) about libraries and versions."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_check import unpack

PYTHON = ["--python", sys.executable]


@pytest.fixture
def doctor(run):
    """doctor(*args, env=, cwd=): the lines as {state: [line]}, and the exit code."""

    def call(*args, **kwargs):
        done = run("nputwin", "doctor", "--json", *PYTHON, *args, **kwargs)
        lines = {"ok": [], "warning": [], "error": []}
        for item in json.loads(done.stdout)["items"]:
            lines[item["state"]].append(item)
        assert done.returncode == bool(lines["error"])
        return lines

    return call


def test_this_machine_is_ready(doctor):
    lines = doctor(env={"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})
    text = "\n".join(line["what"] for line in lines["ok"])
    assert lines["error"] == [] and "npu available: True" in text and "belong together" in text
    assert "every library that torch_npu needs is found" in text


def test_text_and_json_say_the_same(run):
    args = ("doctor", *PYTHON, "--assume", "torch=2.2.0", "--assume", "torch_npu=2.1.0.post3")
    text, data = run("nputwin", *args).stdout, json.loads(run("nputwin", *args, "--json").stdout)
    for item in data["items"]:
        assert item["what"] in text and item.get("fix", "") in text and item.get("code", "") in text


def cann(folder):
    """A prefix that has a set_env.sh and an empty libhccl.so."""
    home = folder / "Ascend/ascend-toolkit/latest"
    (home / "lib64").mkdir(parents=True)
    (home / "lib64/libhccl.so").write_bytes(b"")
    (home.parent / "set_env.sh").write_text(f"export ASCEND_TOOLKIT_HOME={home}\n")
    return home


def test_cann_that_is_not_sourced(doctor, tmp_path):
    home = cann(tmp_path)
    error, = [e for e in doctor("--cann-search", str(tmp_path / "Ascend"))["error"] if e["code"].startswith("NTD00")]
    assert error["code"] == "NTD002" and "not sourced" in error["what"]
    assert error["fix"] == f"source {home.parent}/set_env.sh"
    assert all(name in error["what"] for name in ("libhccl.so", "libascendcl.so", "libge_runner.so"))


def test_cann_that_is_broken(doctor, tmp_path):
    home = cann(tmp_path)
    env = {"ASCEND_TOOLKIT_HOME": str(home), "LD_LIBRARY_PATH": f"{home}/lib64"}
    error, = [e for e in doctor("--cann-search", str(tmp_path / "Ascend"), env=env)["error"] if e["code"] == "NTD003"]
    assert f"libhccl.so ({home}/lib64/libhccl.so: not an ELF file" in error["what"]
    assert f"ASCEND_TOOLKIT_HOME is {home}" in error["what"]


def test_no_cann_at_all(doctor, tmp_path):
    assert "NTD004" in [e["code"] for e in doctor("--cann-search", str(tmp_path))["error"]]


@pytest.fixture(scope="module")
def old_and_new(tmp_path_factory):
    """The same source built with the old and with the new std::string."""
    import importlib.util

    folder = tmp_path_factory.mktemp("abi")
    unpack("C03", folder)
    lib = Path(importlib.util.find_spec("torch").origin).parent / "lib"
    for abi in (0, 1):
        subprocess.run(["g++", "-std=c++17", "-fPIC", "-shared", f"-D_GLIBCXX_USE_CXX11_ABI={abi}", "old_abi.cpp", "-o",
                        f"libabi{abi}.so", f"-L{lib}", "-ltorch_cpu", "-lc10"], cwd=folder, check=True)
    return folder


def test_library_with_the_other_string(doctor, old_and_new):
    error, = doctor("--so", str(old_and_new / "libabi0.so"))["error"]
    assert error["code"] == "NTD005" and "built with _GLIBCXX_USE_CXX11_ABI=0, torch uses 1; 1 symbols" in error["what"]
    assert "torch::Library::Library(torch::Library::Kind, std::string" in error["what"] and "ABI=1" in error["fix"]


def test_library_with_the_same_string(doctor, old_and_new):
    assert doctor("--so", str(old_and_new / "libabi1.so"))["error"] == []


def test_library_of_another_torch(doctor, tmp_path):
    source = "namespace torch { struct Library { void gone(int); }; } void f(torch::Library &l) { l.gone(1); }"
    subprocess.run(["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", "old.so"], input=source, text=True, cwd=tmp_path, check=True)
    error, = doctor("--so", str(tmp_path / "old.so"))["error"]
    assert error["code"] == "NTD006" and "torch::Library::gone(int)" in error["what"]


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01\x01" + b"\xff" * 500, b"hello"])
def test_what_is_no_library(doctor, tmp_path, content):
    (tmp_path / "x.so").write_bytes(content)
    error, = doctor("--so", str(tmp_path / "x.so"))["error"]
    assert error["code"] == "NTD001"


def test_two_libraries_that_claim_a_namespace(doctor, tmp_path):
    for name, macro in (("a", "init_demo_ns"), ("b", "init_demo_ns"), ("c", "FRAGMENT_init_demo_ns0")):
        source = f"""namespace torch {{ class Library {{}}; }}
            static void TORCH_LIBRARY_{macro}(torch::Library &) {{ asm(""); }}
            void *use_{name}() {{ return (void *)TORCH_LIBRARY_{macro}; }}"""
        subprocess.run(["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", f"{name}.so"], input=source, text=True,
                       cwd=tmp_path, check=True)
    error, = doctor("--so", "a.so", "--so", "b.so", cwd=tmp_path)["error"]
    assert error["code"] == "NTD011" and all(word in error["what"] for word in ("demo_ns", "a.so", "b.so"))
    assert doctor("--so", "a.so", "--so", "c.so", cwd=tmp_path)["error"] == []


@pytest.mark.parametrize("record, torch, npu, says", [
    (True, "2.13.0+cpu", "2.13.0", "built for torch 2.9 / torch_npu 2.9.0.post4, running torch 2.13 / torch_npu 2.13.0"),
    (False, "2.2.0", "2.1.0.post3", "torch 2.2 (2.2.0) and torch_npu 2.1 (2.1.0.post3)"),
    (True, "2.9.0+cpu", "2.9.0.post4", None),
])
def test_pairs_of_versions(doctor, tmp_path, record, torch, npu, says):
    unpack("C05", tmp_path)
    args = ["--assume", f"torch={torch}", "--assume", f"torch_npu={npu}", "--assume", "python=3.11"]
    lines = doctor(*args, *["--build-record", "demo_ops.nputwin-build.json"][: 2 * record], cwd=tmp_path)
    assert [says in e["what"] and "pip install" in e["fix"] for e in lines["error"]] == [True] * bool(says)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"torch": 3}'])
def test_record_that_is_none(doctor, tmp_path, text):
    (tmp_path / "r.json").write_text(text)
    error, = doctor("--build-record", "r.json", "--assume", "torch=2.13.0", "--assume", "torch_npu=2.13.0", cwd=tmp_path)["error"]
    assert error["code"] == "NTD008"


@pytest.fixture
def vendor(tmp_path):
    """An operator package below a wheel, and a config.ini that names another one."""
    unpack("C09", tmp_path)
    lib = tmp_path / "wheel/demo/_opp/vendors/demo_vendor/op_api/lib"
    lib.mkdir(parents=True)
    (tmp_path / "opp/vendors").mkdir(parents=True)
    (tmp_path / "opp/vendors/config.ini").write_text("load_priority=old_vendor\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "cust.c", "-o", lib / "libcust_opapi.so"], cwd=tmp_path, check=True)
    return lib.parents[1]


def test_operator_that_is_off_the_search(doctor, tmp_path, vendor):
    lines = doctor("--op", "aclnnDemoScale", "--search", str(tmp_path / "wheel"), env={"ASCEND_OPP_PATH": str(tmp_path / "opp")})
    error, = lines["error"]
    assert error["code"] == "NTD009" and "demo_vendor/op_api/lib/libcust_opapi.so (both functions)" in error["what"]
    assert error["fix"].startswith(f"export ASCEND_CUSTOM_OPP_PATH={vendor}:")
    assert "old_vendor" in lines["warning"][0]["what"]


def test_operator_that_is_on_the_search(doctor, tmp_path, vendor):
    env = {"ASCEND_OPP_PATH": str(tmp_path / "opp"), "ASCEND_CUSTOM_OPP_PATH": str(vendor)}
    assert doctor("--op", "aclnnDemoScale", env=env)["error"] == []


def test_half_an_operator(doctor, tmp_path, vendor):
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", vendor / "op_api/lib/libcust_opapi.so"],
                   input="int aclnnDemoScale(void) { return 0; }", text=True, check=True)
    errors = doctor("--op", "aclnnDemoScale", env={"ASCEND_CUSTOM_OPP_PATH": str(vendor)})["error"]
    assert "NTD010" in [e["code"] for e in errors]


def test_no_python(run):
    done = run("nputwin", "doctor", "--python", "/no/such/python", "--so", "x")
    assert done.returncode == 1 and "no Python: /no/such/python" in done.stdout

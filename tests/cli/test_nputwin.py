# SPDX-License-Identifier: Apache-2.0
"""The `nputwin` command: help from its table, exit codes, lists from the tables, and `run`."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = re.findall(r'^CMD\((\w+), +"([^"]+)", +"([^"]+)"\)', (ROOT / "cli/cmd.def").read_text(), re.M)
OPTIONS = re.findall(r'^OPT\((\w+), *(\w+), *(NULL|"[^"]+"), *"([^"]+)"\)', (ROOT / "cli/opt.def").read_text(), re.M)
KINDS = re.findall(r"^KIND\((\w+),", (ROOT / "cli/kind.def").read_text(), re.M)


def test_tables_were_read():
    assert {name for name, _, _ in COMMANDS} >= {"list", "run", "help"}
    assert set(KINDS) == set("soc insn api aclnn aclop abi rules checks errors metrics".split())


def test_help_names_every_command(run):
    done = run("nputwin", "--help")
    assert done.returncode == 0 and done.stderr == ""
    for name, _, brief in COMMANDS:
        assert re.search(rf"^  {name} +{re.escape(brief)}$", done.stdout, re.M)


@pytest.mark.parametrize("name, synopsis, brief", COMMANDS)
def test_command_answers_help_with_its_synopsis(run, name, synopsis, brief):
    for args in ((name, "--help"), ("help", name)):
        done = run("nputwin", *args)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"usage: nputwin {synopsis}\n       {brief}\n")
        shown = re.findall(r"^  --([\w-]+)(.*)$", done.stdout, re.M)
        assert [option for option, _ in shown] == [o.replace("_", "-") for c, o, _, _ in OPTIONS if c == name]


def test_version(run):
    done = run("nputwin", "--version")
    assert done.returncode == 0 and re.fullmatch(r"nputwin \d+\.\d+\.\d+\n", done.stdout)


@pytest.mark.parametrize(
    "args, says",
    [
        ([], "usage: nputwin COMMAND"),
        (["lst"], "did you mean 'list'?"),
        (["frobnicate"], "no command 'frobnicate'"),
        (["list"], "no kind given"),
        (["list", "sco"], "did you mean 'soc'?"),
        (["list", "soc", "insn"], "takes one kind, got 2"),
        (["list", "--yaml", "soc"], "unknown option --yaml"),
        (["run", "--divices", "2", "--", "true"], "did you mean --devices?"),
        (["explain"], "takes one code, got 0"),
        (["explain", "ntl00"], "did you mean 'NTL000'?"),
        (["completion", "ksh"], "no shell 'ksh'"),
        (["man", "nothing"], "no command 'nothing'"),
        (["help", "nothing"], "no command 'nothing'"),
        (["run"], "no command given"),
        (["run", "--soc", "Ascend310P3", "--", "true"], "no chip 'Ascend310P3'; there are: Ascend910B1"),
        (["run", "--devices", "0", "--", "true"], "--devices 0: a number from 1 to 64"),
        (["run", "--soc"], "--soc takes a value"),
        (["run", "--", "/no/such/program"], "cannot run '/no/such/program'"),
    ],
)
def test_usage_errors_exit_2_and_leave_stdout_alone(run, args, says):
    done = run("nputwin", *args)
    assert done.returncode == 2 and done.stdout == ""
    assert says in done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_list_json_and_text_say_the_same(run, kind):
    done = run("nputwin", "list", kind, "--json")
    data = json.loads(done.stdout)
    assert (done.returncode, data["schema_version"], data["kind"]) == (0, 1, kind)
    assert all(item["name"] for item in data["items"])
    text = run("nputwin", "list", kind)
    lines = text.stdout.splitlines()
    assert text.returncode == 0
    assert [line.split()[0] for line in lines[1:]] == [item["name"] for item in data["items"]]


def items(run, kind):
    return {item["name"]: item for item in json.loads(run("nputwin", "list", kind, "--json").stdout)["items"]}


@pytest.mark.parametrize("kind, names", [("rules", ("NTL000", "suppression-reason")), ("errors", ("107000", "NPU_E_RANGE"))])
def test_explain_says_what_the_table_says(run, kind, names):
    for name in names:
        text = run("nputwin", "explain", name.lower())
        data = json.loads(run("nputwin", "explain", name, "--json").stdout)
        assert (text.returncode, text.stderr, data["kind"]) == (0, "", "explain")
        assert data["title"] in text.stdout and text.stdout.startswith(data["code"])


def test_every_rule_is_explained_in_full(run):
    for code in items(run, "rules"):
        data = json.loads(run("nputwin", "explain", code, "--json").stdout)
        assert all(data[part] for part in ("title", "why", "wrong", "right")), code


def completed(run, line):
    """What bash offers at the end of the line."""
    script = f"""
        {run("nputwin", "completion", "bash").stdout}
        COMP_WORDS=({line}""" + """ ''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _nputwin; printf '%s\n' "${COMPREPLY[@]}"
    """
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_bash_completes_commands_options_and_kinds(run):
    assert completed(run, "nputwin") == [name for name, _, _ in COMMANDS]
    assert {"--json", "--help", *KINDS} == set(completed(run, "nputwin list"))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_command(run, shell):
    script = run("nputwin", "completion", shell).stdout
    assert all(re.search(rf"\b{name}\b", script) for name, _, _ in COMMANDS)


@pytest.mark.parametrize("name", ["", *(name for name, _, _ in COMMANDS)])
def test_manual_page(run, name):
    page = run("nputwin", "man", *[name][: bool(name)]).stdout
    assert page.startswith(".TH") and ".SH SYNOPSIS" in page
    for command, option, _, _ in OPTIONS:
        assert (f".B \\-\\-{option.replace('_', chr(92) + '-')}" in page) >= (command == name)


def test_list_soc_has_the_physical_sizes(run):
    soc = items(run, "soc")
    assert soc["Ascend910B2"]["ub_bytes"] == 196608 and soc["Ascend910B2"]["arch"] == "dav-2201"
    assert soc["Ascend950PR_9599"]["ub_bytes"] == 253952 and soc["Ascend950PR_9599"]["n_aiv"] == 72


def test_list_insn_has_types_as_a_list(run):
    assert items(run, "insn")["vadd"]["types"] == ["f16", "f32", "s16", "s32"]


def test_list_errors_has_both_families(run):
    errors = items(run, "errors")
    assert errors["ACL_ERROR_RT_PARAM_INVALID"]["number"] == 107000
    assert errors["NPU_E_UB_FULL"]["hint"]


def test_list_metrics_has_the_goals(run):
    metrics = items(run, "metrics")
    assert metrics["launch_us_8blocks"]["goal"] == 5 and metrics["launch_us_8blocks"]["better"] == "lower"
    assert metrics["add_f16_16M_of_limit"]["goal"] == pytest.approx(0.6)


@pytest.mark.parametrize("kind", ["abi", "aclnn", "aclop", "api"])
def test_interfaces_carry_a_level_and_their_tests(run, kind):
    found = items(run, kind)
    assert found
    for name, item in found.items():
        assert item["level"] in ("full", "partial", "refuse"), name
        assert all((ROOT / test).is_file() for test in item["tests"]), name


@pytest.mark.parametrize("kind", ["abi", "aclnn", "aclop", "api"])
def test_full_is_tested(run, kind):
    assert [name for name, item in items(run, kind).items() if item["level"] == "full" and not item["tests"]] == []


def test_api_has_door_and_arch(run):
    add = items(run, "api")["Add"]
    assert (add["door"], add["family"]) == ("cpp", "vector") and "dav-2201" in add["arch"]
    assert add["reason"] == "" and "__NPU_ARCH__" in items(run, "api")["asc_get_arch_ver"]["reason"]
    rows = json.loads(run("nputwin", "list", "api", "--json").stdout)["items"]
    assert {arch for row in rows if row["name"] == "Add" for arch in row["arch"]} == {"dav-2201", "dav-3510"}


def test_run_sets_the_environment_of_a_cann(run):
    script = "import os, json; print(json.dumps(dict(os.environ)))"
    done = run("nputwin", "run", "--soc", "ascend950pr_9599", "--devices", "2", "--", sys.executable, "-c", script)
    assert done.returncode == 0, done.stderr
    env = json.loads(done.stdout)
    home = Path(env["ASCEND_HOME_PATH"])
    assert (home / "nputwin.json").is_file() and Path(env["ASCEND_OPP_PATH"]).is_dir()
    assert (env["NPUTWIN"], env["NPUTWIN_SOC"], env["NPUTWIN_DEVICES"]) == ("1", "Ascend950PR_9599", "2")
    assert env["LD_LIBRARY_PATH"].split(":")[0] == str(home / "lib64")
    assert env["PATH"].split(":")[0] == str(home / "bin")
    assert env["CMAKE_PREFIX_PATH"].split(":")[0] == str(home / "lib64/cmake")


def test_run_passes_the_exit_code_and_arguments_on(run):
    done = run("nputwin", "run", "--", "sh", "-c", 'echo "$1"; exit 7', "x", "--soc")
    assert (done.returncode, done.stdout, done.stderr) == (7, "--soc\n", "")


def test_run_without_a_tree_says_where_it_looked(run, tmp_path):
    done = run("nputwin", "run", "--", "true", env={"NPUTWIN_HOME": str(tmp_path)})
    assert done.returncode == 1 and str(tmp_path) in done.stderr and "make prefix" in done.stderr


def test_full_disk_is_not_success(run):
    program = Path(sys.executable).parent / "nputwin"
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, "list", "insn"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 70 and "stdout" in done.stderr

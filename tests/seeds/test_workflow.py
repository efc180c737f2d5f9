# SPDX-License-Identifier: Apache-2.0
"""The composite action and the sample workflow: valid, and their commands are real ones."""
import re

import yaml
from blocks import ROOT


ACTION = yaml.safe_load((ROOT / ".github/actions/setup-nputwin/action.yml").read_text())
SAMPLE = yaml.safe_load((ROOT / ".github/workflows/sample.yml").read_text())
JOB, = SAMPLE["jobs"].values()
STEPS = ACTION["runs"]["steps"] + JOB["steps"]


def test_action_is_composite_and_says_what_it_takes():
    assert ACTION["runs"]["using"] == "composite"
    assert all(value["description"] for group in ("inputs", "outputs") for value in ACTION[group].values())
    assert all(("uses" in step) != ("run" in step) for step in STEPS)
    assert all(step["shell"] == "bash" for step in ACTION["runs"]["steps"] if "run" in step)
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / ".github/actions/setup-nputwin/action.yml").read_text()))
    assert used == set(ACTION["inputs"])


def test_pip_gets_the_checkout_that_the_action_lies_in(shell):
    """No name that a registry may give to somebody else."""
    step, = [s for s in ACTION["runs"]["steps"] if "$SOURCE" in s.get("run", "") or "SOURCE:-" in s.get("run", "")]
    script = "pip() { echo \"$@\"; }\n" + step["run"]
    path = str(ROOT / ".github/actions/setup-nputwin")
    done = shell(script, sourced=False, TORCH="2.13.0", TORCH_NPU="2.13.0", SOURCE="", GITHUB_ACTION_PATH=path)
    said = done.stdout.splitlines()
    assert said[0].startswith("install torch==2.13.0 torch_npu==2.13.0 ")
    assert (ROOT / said[1].removeprefix("install ")).resolve() == ROOT
    assert shell(script, sourced=False, TORCH="1", TORCH_NPU="1", SOURCE="x.whl").stdout.endswith("install x.whl\n")


def test_sample_gives_the_action_what_it_takes():
    step, = [s for s in JOB["steps"] if s.get("uses", "").startswith("./")]
    assert (ROOT / step["uses"]).is_dir() and set(step["with"]) <= set(ACTION["inputs"])
    sizes = re.findall(r"^SOC\((\w+),", (ROOT / "isa/soc.def").read_text(), re.M)
    assert set(JOB["strategy"]["matrix"]["soc"]) | {ACTION["inputs"]["soc"]["default"]} <= set(sizes)


def test_commands_of_nputwin_exist(shell):
    rows = dict(re.findall(r"^CMD\((\w+),\s*\"([^\"]*)\"", (ROOT / "cli/cmd.def").read_text(), re.M))
    text = "\n".join(step.get("run", "") for step in STEPS)
    called = re.findall(r"nputwin (\w+)((?: --[a-z-]+| [\"$\w.]+)*)", text)
    assert len(called) >= 5
    options = re.findall(r"^OPT\((\w+),\s*(\w+),", (ROOT / "cli/opt.def").read_text(), re.M)
    for command, words in called:
        assert command in rows, command
        for option in re.findall(r"--([a-z-]+)", words):
            assert (command, option.replace("-", "_")) in options, (command, option)


def test_environment_step_runs(shell, tmp_path):
    """The step that exports the twin, and the one behind it, in a fresh shell with files as a runner gives them."""
    by_name = {step.get("name"): step for step in ACTION["runs"]["steps"]}
    files = {f"GITHUB_{n}": str(tmp_path / n) for n in ("ENV", "OUTPUT", "PATH")}
    done = shell("set -eo pipefail\n" + by_name["Environment of the steps that follow"]["run"], sourced=False,
                 SOC="Ascend950PR_9599", DEVICES="2", **files)
    assert done.returncode == 0, done.stderr
    env = dict(line.split("=", 1) for line in (tmp_path / "ENV").read_text().splitlines())
    assert env["NPUTWIN_SOC"] == "Ascend950PR_9599" and env["NPUTWIN_DEVICES"] == "2"
    home = (tmp_path / "OUTPUT").read_text().strip().removeprefix("home=")
    assert home == env["ASCEND_HOME_PATH"] and (tmp_path / "PATH").read_text().strip() == f"{home}/bin"
    count = "import torch; print(torch.npu.device_count(), torch.npu.get_device_name(0))"
    assert shell(f"python -c '{count}'", sourced=False, **env).stdout == "2 Ascend950PR_9599\n"


def test_check_and_doctor_of_the_sample(shell):
    step, = [s for s in JOB["steps"] if s.get("name") == "Check"]
    assert step["working-directory"] == "." and shell(step["run"], ROOT).returncode == 0
    step, = [s for s in ACTION["runs"]["steps"] if "doctor" in s.get("run", "")]
    done = shell(step["run"], NPUTWIN_SOC="Ascend910B2")
    assert done.returncode == 0, done.stdout + done.stderr

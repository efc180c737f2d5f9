# SPDX-License-Identifier: Apache-2.0
"""What belongs to the process: one state behind two libraries, failures as text, the log."""

import re

import pytest


@pytest.fixture(scope="module")
def process(bench):
    bench.program(bench.src / "process.c", "process", "-ldl", "-lpthread")
    return bench


def logs(folder, kind):
    return {path.name: path.read_text() for path in sorted((folder / kind / "plog").glob("*"))}


def test_a_failure_as_the_vendor_words_it(process):
    text = process.run("./process").stdout
    assert re.fullmatch(
        r"EE1001: \[PID: \d+\] \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3} .*-5.*\n"
        r"        Possible Cause: .+\.\n        Solution: .+\n        TraceBack \(most recent call last\):\n"
        r"        ACL_ERROR_RT_INVALID_DEVICEID \(107001\): .+\nprocess: ok\n", text), text


@pytest.mark.parametrize("level, module, lines", [
    (None, None, ["number 42"]), ("1", None, ["at info", "number 42"]), ("0", None, ["at debug", "at info", "number 42"]),
    ("4", None, []), ("3", "APP=0:RUNTIME=3", ["at debug", "at info", "number 42"]), ("0", "APP=4", []),
])
def test_levels(process, tmp_path, level, module, lines):
    env = {"ASCEND_PROCESS_LOG_PATH": str(tmp_path / "deep" / "log")}
    env |= {"ASCEND_GLOBAL_LOG_LEVEL": level} if level else {}
    env |= {"ASCEND_MODULE_LOG_LEVEL": module} if module else {}
    process.run("./process", env=env)
    found = logs(tmp_path / "deep" / "log", "debug")
    assert all(re.fullmatch(r"plog-\d+_\d{17}\.log", name) for name in found)
    text = "".join(found.values())
    assert [line.rsplit(": ", 1)[1] for line in text.splitlines() if " APP(" in line] == lines
    assert ("RUNTIME(" in text) == (level != "4")
    for line in text.splitlines():
        assert re.match(r"\[(DEBUG|INFO|ERROR)\] (APP|RUNTIME)\(\d+,process\):[-\d]+:[\d:]+\.\d{3}\.\d{3} ", line), line


def test_events_have_a_file_of_their_own(process, tmp_path):
    process.run("./process", env={"ASCEND_WORK_PATH": str(tmp_path)})
    (text,) = logs(tmp_path / "log", "run").values()
    assert text.startswith("[EVENT] ASCENDCL(") and "Ascend910B2" in text
    process.run("./process", env={"ASCEND_WORK_PATH": str(tmp_path / "none"), "ASCEND_GLOBAL_EVENT_ENABLE": "0"})
    assert logs(tmp_path / "none" / "log", "run") == {}


def test_stdout_instead_of_files(process, tmp_path):
    env = {"ASCEND_PROCESS_LOG_PATH": str(tmp_path), "ASCEND_SLOG_PRINT_TO_STDOUT": "1"}
    assert "[x.c:3]" in process.run("./process", env=env).stdout
    assert list(tmp_path.iterdir()) == []


def test_no_file_uninvited(process, tmp_path):
    process.run("./process", env={"HOME": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []


def test_files_that_say_which_cann_this_is(bench):
    """torch_npu reads version= of ascend_*_install.info anywhere below the prefix."""
    (info,) = bench.prefix.glob("*-linux/ascend_*_install.info")
    lines = dict(line.split("=", 1) for line in info.read_text().splitlines())
    assert lines["version"] == "8.5.0" and lines["package_name"] == "Ascend-cann-toolkit"
    for part in ("compiler", "runtime", "opp"):
        assert "Version=8.5.0\n" in (bench.prefix / part / "version.info").read_text()
    assert "runtime_running_version=[8.5.0:8.5.0]\n" in (bench.prefix / "version.cfg").read_text()


@pytest.mark.parametrize("variable", ["ASCEND_CUSTOM_OPP_PATH", "ASCEND_OPP_PATH"])
@pytest.mark.parametrize("when", ["early", "late", "same"])
def test_package_path_that_comes_too_late(bench, tmp_path, variable, when):
    """Case C09: whoever looks for packages has read the variable by then."""
    if not (bench.directory / "late").exists():
        bench.program(bench.src / "late.c", "late")
    done = bench.run("./late", variable, when, env={"ASCEND_PROCESS_LOG_PATH": str(tmp_path), "ASCEND_GLOBAL_LOG_LEVEL": "2"})
    assert done.stdout == "late: ok\n"
    told = [line for line in done.stderr.splitlines() if variable in line and "after aclInit" in line]
    logged = [line for text in logs(tmp_path, "debug").values() for line in text.splitlines() if variable in line]
    assert (len(told), len(logged)) == ((1, 1) if when == "late" else (0, 0))

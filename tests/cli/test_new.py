# SPDX-License-Identifier: Apache-2.0
"""`nputwin new op`: every combination is a clean package that builds and passes its test at once."""

import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(r'^TEMPLATE\("(\w)", "(\w+)", +"(\d+)", +"(\w+)", +"([\w/]+)", +"(\w+)",', (ROOT / "cli/template.def").read_text(), re.M)
SAMPLE = ("A", "library", "7", "extension")


def arguments(pattern, route, gen, layout):
    return ["--pattern", pattern, "--route", route, "--gen", gen, "--layout", layout]


@pytest.fixture
def new(run, tmp_path):
    return lambda *args: run("nputwin", "new", "op", *args, cwd=tmp_path)


def test_rows_were_read():
    assert SAMPLE in [row[:4] for row in ROWS] and len(ROWS) == (ROOT / "cli/template.def").read_text().count("\nTEMPLATE(")


@pytest.mark.parametrize("row", ROWS, ids=["-".join(row[:4]) for row in ROWS])
def test_names_are_replaced_and_nothing_else(new, tmp_path, row):
    """The tree is the package of ops/ with its names replaced."""
    assert new("gated_sum", *arguments(*row[:4])).returncode == 0
    tree, = tmp_path.iterdir()
    word, camel = row[5], "".join(part.capitalize() for part in row[5].split("_"))
    source = ROOT / "ops" / row[4]
    files = [p for p in source.rglob("*") if p.is_file() and not {"build", "dist", "staging", "__pycache__"} & set(p.relative_to(source).parts)]
    made = sorted(p.relative_to(tree).as_posix() for p in tree.rglob("*") if p.is_file())
    assert len(made) == len(files)
    for path in tree.rglob("*"):
        text = path.as_posix() + (path.read_text() if path.is_file() else "")
        assert word not in text and camel not in text, path
    for path in files:
        name = path.relative_to(source).as_posix()
        if word not in name + path.read_text() and camel not in path.read_text() and row[3] == "extension" and "npu_ops" not in path.read_text():
            assert (tree / name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("row", ROWS, ids=["-".join(row[:4]) for row in ROWS])
def test_fresh_trees_are_clean(new, run, tmp_path, row):
    new("gated_sum", *arguments(*row[:4]))
    done = run("nputwin", "check", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_dry_run_names_the_files_and_writes_none(new, tmp_path):
    dry = new("gated_sum", "--dry-run")
    assert dry.returncode == 0 and list(tmp_path.iterdir()) == []
    assert new("gated_sum").stdout == dry.stdout
    assert "gated_sum_extension/test/test.py" in dry.stdout.split()


def test_nothing_that_exists_is_written_to(new, tmp_path):
    new("gated_sum")
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    done = new("gated_sum", "--gen", "26")
    assert done.returncode == 1 and "exists" in done.stderr
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}


def test_an_operator_project_keeps_it_in_framework(new, tmp_path):
    (tmp_path / "framework").mkdir()
    assert new("gated_sum").returncode == 0 and (tmp_path / "framework/gated_sum_extension/setup.py").is_file()


@pytest.mark.parametrize("args, says", [
    (["my_add"], "a name of an example"), (["Scale"], "small letters"), (["a-b"], "small letters"), (["class"], "a word of Python or C++"),
    (["../x"], "small letters"), ([""], "small letters"), (["scale", "--pattern", "Q"], "nothing for pattern Q"), ([], "takes the word op and a name")])
def test_usage_errors(new, tmp_path, args, says):
    done = new(*args)
    assert (done.returncode, done.stdout) == (2, "") and says in done.stderr and list(tmp_path.iterdir()) == []


LONG = [pytest.param(row, marks=[] if row[:4] == SAMPLE else pytest.mark.long, id="-".join(row[:4])) for row in ROWS]


@pytest.mark.parametrize("row", LONG)
def test_a_fresh_tree_builds_and_passes(new, run, tmp_path, row):
    """From new to report, with the commands alone."""
    assert new("gated_sum", *arguments(*row[:4])).returncode == 0
    tree, = tmp_path.iterdir()
    site = str(tmp_path / "site")
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PIP_TARGET": site, "PYTHONPATH": site}
    for command in ("build", "install", "test"):
        done = run("nputwin", command, "--python", sys.executable, env=env, cwd=tree)
        assert done.returncode == 0, done.stderr[-4000:]
    assert run("nputwin", "report", env=env, cwd=tree).returncode == 0

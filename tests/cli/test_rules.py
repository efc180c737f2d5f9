# SPDX-License-Identifier: Apache-2.0
"""`nputwin check`: every rule finds its failing example and leaves its passing one alone.

rules/<code>.txt holds both as sections: `=== bad NAME`, `=== good NAME`, `=== arguments ...`, and `=== finds N` where
more than one finding matters. Good examples are also what was once found wrongly in other people's projects.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest

RULES = Path(__file__).parent / "rules"
ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(r"^RULE\((NTL\d{3}), ", (ROOT / "cli/rule.def").read_text(), re.M)


def example(code):
    """{"bad": {name: text}, "good": {...}}, [argument...], how many findings or None"""
    files, arguments, count = {"bad": {}, "good": {}}, [], None
    for head, text in re.findall(r"^=== (.*)\n((?:(?!=== ).*\n?)*)", (RULES / f"{code}.txt").read_text(), re.M):
        kind, _, rest = head.partition(" ")
        if kind == "arguments":
            arguments = rest.split()
        elif kind == "finds":
            count = int(rest)
        else:
            files[kind][rest] = text
    return files, arguments, count


def check(run, folder, files, *arguments):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = run("nputwin", "check", "--format", "json", *arguments, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    items = json.loads(done.stdout)["items"]
    assert done.returncode == any(item["severity"] != "note" for item in items)
    return items


IN_GIT = {"NTL003", "NTL095"}  # examples that need a repository: below


def test_every_rule_has_its_examples():
    assert sorted(ROWS) == sorted([*IN_GIT, *(path.stem for path in RULES.glob("*.txt"))])
    assert len(set(ROWS)) == len(ROWS) >= 80


def git(folder, *args):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@n", *args], cwd=folder, check=True, capture_output=True)


def codes(run, folder, *args):
    return [item["code"] for item in check(run, folder, {}, *args)]


def test_files_of_the_operator_itself(run, tmp_path):
    """NTL003: --base names a commit since which op_host and the like must not have changed."""
    for name in ("op_host/scale.cpp", "op_kernel/scale.cpp", "framework/ext/notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("// one\n")
    git(tmp_path, "init")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-m", "one")
    (tmp_path / "framework/ext/notes.txt").write_text("two\n")
    assert "NTL003" not in codes(run, tmp_path, "--base", "HEAD")
    (tmp_path / "op_kernel/scale.cpp").write_text("// two\n")
    assert "NTL003" in codes(run, tmp_path, "--base", "HEAD") and "NTL003" not in codes(run, tmp_path)


def test_artefacts_under_version_control(run, tmp_path):
    """NTL095."""
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/scale-1.0-py3-none-any.whl").write_text("")
    git(tmp_path, "init")
    assert "NTL095" not in codes(run, tmp_path)
    git(tmp_path, "add", "-A")
    assert "NTL095" in codes(run, tmp_path)


@pytest.mark.parametrize("code", [code for code in ROWS if code not in IN_GIT])
def test_rule(run, tmp_path, code):
    files, arguments, count = example(code)
    for kind in ("bad", "good"):
        (tmp_path / kind).mkdir()
    found = [item for item in check(run, tmp_path / "bad", files["bad"], *arguments) if item["code"] == code]
    assert found and all(item["message"] for item in found) and count in (None, len(found))
    assert all(item.get("line") or Path(tmp_path / "bad" / item["file"]).exists() for item in found)
    assert [i for i in check(run, tmp_path / "good", files["good"], *arguments) if i["code"] == code] == []

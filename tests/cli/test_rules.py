# SPDX-License-Identifier: Apache-2.0
"""`nputwin check`: every rule finds its failing example and leaves its passing one alone.

rules/<code>.txt holds both as sections: `=== bad NAME`, `=== good NAME`, `=== arguments ...`.
"""

import json
import re
from pathlib import Path

import pytest

RULES = Path(__file__).parent / "rules"
ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(r"^RULE\((NTL\d{3}), ", (ROOT / "cli/rule.def").read_text(), re.M)


def example(code):
    """{"bad": {name: text}, "good": {...}}, [argument...]"""
    files, arguments = {"bad": {}, "good": {}}, []
    for head, text in re.findall(r"^=== (.*)\n((?:(?!=== ).*\n?)*)", (RULES / f"{code}.txt").read_text(), re.M):
        kind, _, rest = head.partition(" ")
        if kind == "arguments":
            arguments = rest.split()
        else:
            files[kind][rest] = text
    return files, arguments


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


def test_every_rule_has_its_examples():
    assert sorted(ROWS) == sorted(path.stem for path in RULES.glob("*.txt")) and len(set(ROWS)) == len(ROWS)


@pytest.mark.parametrize("code", ROWS)
def test_rule(run, tmp_path, code):
    files, arguments = example(code)
    for kind in ("bad", "good"):
        (tmp_path / kind).mkdir()
    found = [item for item in check(run, tmp_path / "bad", files["bad"], *arguments) if item["code"] == code]
    assert found and all(item["message"] for item in found)
    assert all(item.get("line") or Path(tmp_path / "bad" / item["file"]).is_dir() for item in found)
    assert [i for i in check(run, tmp_path / "good", files["good"], *arguments) if i["code"] == code] == []

# SPDX-License-Identifier: Apache-2.0
"""docs/references: every command runs, tables say what the code's tables say, and both languages agree."""
import re
from pathlib import Path

import pytest
from blocks import ROOT, blocks, headings

FOLDER = "docs/references"
PAIRS = sorted([p.relative_to(ROOT).as_posix() for p in (ROOT / FOLDER).glob("*.md") if not p.name.endswith(".zh.md")]
               + [p.relative_to(ROOT).as_posix() for p in (ROOT / "skills").glob("*/SKILL.md")] + ["README.md"])
COMMANDS = [(f, i, info.split()[1], text) for f in PAIRS if f != "README.md"
            for i, (info, text) in enumerate(blocks(f)) if info.startswith("sh")]


# Building the package once more is for the long run: `built` and a container's block do it in every run.
SLOW = {"package": "setup.py|nputwin build", "container": "nputwin"}


def named(place):
    """Blocks of a place."""
    first = {text: (file, i) for file, i, where, text in reversed(COMMANDS) if where == place}  # the same text runs once
    return [pytest.param(text, id=f"{Path(file).parent.name}-{Path(file).stem}-{i}",
                         marks=[pytest.mark.long] if re.search(SLOW.get(place, "$^"), text) else [])
            for text, (file, i) in reversed(first.items())]


def passes(done, text):
    assert done.returncode == 0, f"{text}\n{done.stdout[-3000:]}\n{done.stderr[-5000:]}"


def test_every_block_has_a_place():
    assert {where for *_, where, _ in COMMANDS} <= {"any", "package", "ops", "project", "asc", "container"}
    assert len(COMMANDS) >= 10


@pytest.mark.parametrize("text", named("any"))
def test_anywhere(text, shell, built):
    passes(shell(f"set -e\n{text}", "/"), text)


@pytest.mark.parametrize("text", named("package"))
def test_in_the_package(text, shell, built):
    passes(shell(f"set -e\n{text}", built), text)


@pytest.mark.parametrize("text", named("ops"))
def test_in_ops(text, shell, ops):
    passes(shell(f"set -e\n{text}", ops), text)


@pytest.mark.parametrize("text", named("project"))
def test_in_a_project(text, shell, tmp_path):
    """A fresh folder, where `nputwin new` writes."""
    passes(shell(f"set -e\n{text}", tmp_path), text)


@pytest.mark.long
@pytest.mark.parametrize("text", named("asc"))
def test_asc(text, shell, copies):
    from conftest import sync

    done = shell(f"set -e\n{text}", sync(ROOT / "ops/npu_ops/asc", copies / "asc"))
    passes(done, text)
    assert done.stdout.splitlines()[-1].startswith("tensor([2., 2.")


# ---- containers ----

@pytest.mark.parametrize("text", named("container"))
def test_in_the_container(text, shell, container, built):
    done = shell(f"set -e\n{text}", sourced=False, **container)
    passes(done, text)
    assert "False" not in done.stdout


SOURCE = "source /usr/local/Ascend/ascend-toolkit/set_env.sh && source /opt/venv/bin/activate && "


@pytest.mark.parametrize("command,says", [
    ("docker exec npu_prod bash -lc 'true'", "No such container: npu_prod"),
    ("docker exec npu_dev bash -lc 'python3 -c \"import torch\"'", "No module named 'torch'"),
    ("docker exec npu_dev bash -lc 'source /opt/venv/bin/activate && cd /workspace/add_custom_ext && cmake -S . -B $(mktemp -d)'",
     "ASCEND_HOME_PATH is not set: source set_env.sh"),
    ("docker exec npu_dev bash -lc 'source /opt/venv/bin/activate && NPUTWIN=0 python -c \"import torch\"'",
     "libhccl.so: cannot open shared object file"),
    ("docker exec npu_dev bash -lc 'cd {host}/add_custom_ext'", "No such file or directory"),
    ("podman exec npu_dev bash -lc '" + SOURCE + "cd /workspace/add_custom_ext && python -c \"import add_custom_ext\"'",
     "libadd_custom_ext.so is missing: this is the source folder"),
], ids=["container", "python", "environment", "import", "path", "source-folder"])
def test_failures_of_the_container_say_what_the_table_says(command, says, shell, container, built):
    done = shell(command.replace("{host}", str(built.parent)), sourced=False, **container)
    assert done.returncode != 0 and says in done.stderr + done.stdout, done.stderr
    row = next(line for line in (ROOT / FOLDER / "container-cli-driver.md").read_text().splitlines()
               if line.startswith("|") and re.sub(r"^lib\w+", "lib<pkg>", says).split(":")[0] in line.replace("cd: …: ", ""))
    assert row.count("|") == 4


# ---- tables ----

def rows_of(path, head):
    """Cells of the table below the line that begins with `head`."""
    lines = (ROOT / path).read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(head)) + 2
    out = []
    while at < len(lines) and lines[at].startswith("|"):
        out.append([cell.strip(" `") for cell in lines[at].strip("|").split("|")])
        at += 1
    return out


def defined(path, macro):
    """Arguments of every row of a .def file."""
    text = (ROOT / path).read_text()
    return [[a.strip(' "') for a in m.split(",")] for m in re.findall(rf"^{macro}\((.*)\)$", text, re.M)]


@pytest.mark.parametrize("language", ["", ".zh"])
def test_version_matrix_is_the_one_of_doctor(language):
    want = [[t, n, branch, plugin, cann, f"3.{low}–3.{high}", gcc or "–"]
            for t, n, branch, plugin, cann, low, high, gcc in defined("cli/matrix.def", "MATRIX")]
    assert rows_of(f"{FOLDER}/reference{language}.md", "| torch |") == want


@pytest.mark.parametrize("language,head", [("", "| product |"), (".zh", "| 产品 |")])
def test_chips_are_those_of_the_machine(language, head):
    chips = {r[0]: r for r in defined("isa/soc.def", "SOC")}
    rows = rows_of(f"{FOLDER}/reference{language}.md", head)
    assert [r[1] for r in rows] == list(chips)
    script = (ROOT / "ops/amct_ops/ops_build.sh").read_text()
    for _, name, arch, soc, aic, aiv, ub in rows:
        assert [f"dav-{chips[name][1]}", *chips[name][2:5]] == [arch, aic, aiv, ub], name
        assert re.search(rf"^#\s+{soc}\s+{arch} ", script, re.M), soc


# ---- two languages, links ----

@pytest.mark.parametrize("path", PAIRS)
def test_both_languages_agree(path):
    other = path.replace(".md", ".zh.md")
    assert headings(other) == headings(path)
    assert blocks(other) == blocks(path)
    count = [text.count("\n|") for text in ((ROOT / p).read_text() for p in (path, other))]
    assert count[0] == count[1], "rows of tables"
    assert re.search(r"[一-鿿]", (ROOT / other).read_text())


@pytest.mark.parametrize("path", [p for pair in PAIRS for p in (pair, pair.replace(".md", ".zh.md"))] + ["docs/seeds.md"])
def test_links_and_folders_exist(path):
    text = (ROOT / path).read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((ROOT / path).parent / target).exists(), target
    for name in re.findall(r"`((?:ops|cli|isa|docs|tests|skills)/[\w./-]+)`", text):
        assert (ROOT / name).exists() or "<" in name, name

# SPDX-License-Identifier: Apache-2.0
"""The commands in the root README and in docs/*.md work as they stand.

Each sh block is run by bash, with the environment's programs on PATH. Two kinds of line are run in a form that
does not start the whole build again: `make X` as `make -n X`, and `pip install .` as a dry run over the tree
that is built (tests marked long make a fresh environment and install for real).
"""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from layers import ROOT

BIN = Path(sys.executable).parent
BUILD = Path(os.environ.get("NPU_BUILD_DIR", ROOT / "build"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]  # a block with a place, ```sh any, is of tests/seeds
BLOCKS = [block for page in PAGES for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.M | re.S)]


def runnable(block):
    lines = []
    for line in block.splitlines():
        line = line.replace(".venv/bin/", f"{BIN}/").replace("build/", f"{BUILD}/")
        if line.startswith("make "):
            line = line.replace("make ", "make -n ", 1) + " >/dev/null"
        if line == "pip install .":
            line = f"{BIN}/python -m pip install -q --dry-run --no-deps --no-build-isolation --config-settings=cmake.define.NPU_PREBUILT={BUILD}/cann ."
        lines.append(line)
    return "\n".join(lines)


def environment():
    return {"PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}


def test_blocks_were_found():
    assert len(BLOCKS) >= 5 and "make demo\nmake test\n" in BLOCKS


@pytest.mark.parametrize("block", BLOCKS)
def test_block_runs(block):
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", runnable(block)], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("readme", sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("*/README.md")))
def test_links_and_files_exist(readme):
    text = (ROOT / readme).read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((ROOT / readme).parent / target).exists(), f"{readme}: {target}"


def test_root_links_and_drawn_files_exist():
    text = (ROOT / "README.md").read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target
    for name in re.findall(r"\b(?:engine|isa)/\w+\.\w+", text):
        assert (ROOT / name).is_file(), name


@pytest.mark.long
def test_pip_install_from_scratch(tmp_path):
    """The README's one line, in a new environment that takes torch from this one."""
    venv.create(tmp_path / "v", with_pip=True)
    python = tmp_path / "v/bin/python"
    site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True)
    here = subprocess.run([sys.executable, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True)
    for package in Path(here.stdout.strip()).iterdir():
        target = Path(site.stdout.strip()) / package.name
        if not target.exists() and "nputwin" not in package.name and "amct" not in package.name:
            target.symlink_to(package)
    done = subprocess.run([python, "-m", "pip", "install", "-q", "."], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [python, "-c", "import torch, torch_npu; x = torch.ones(3).npu(); print((x + x).cpu().tolist())"],
        env={}, cwd="/", capture_output=True, text=True)
    assert done.stdout == "[2.0, 2.0, 2.0]\n", done.stderr


def test_every_note_is_explained():
    """The codes that npu_note is called with and those of the table in docs/semantics.md are the same."""
    sources = [p for room in ("engine", "front") for p in (ROOT / room).rglob("*.[ch]")]
    called = {code for p in sources for code in re.findall(r'npu_note\([^;]*?"([A-Z]+(?:-[A-Z]+)+)"', p.read_text())}
    assert called and called == set(re.findall(r"^\| `([A-Z]+-[A-Z-]+)` \|", (ROOT / "docs/semantics.md").read_text(), re.M))

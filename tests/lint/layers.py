#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layers.py - reads every #include "..." and fails on an arrow between rooms that is not allowed.

    base <- isa <- engine <-+- watch <- rt <- cli
                            +- front <- ops          cc and sdk stand alone; cli reads C++ with cc's lexer

A .def file is data, so cli, which prints the tables, may read any room's. rt speaks the vendor's ABI
through the headers in sdk/include, and so do kernels' hosts in front and ops.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAY_USE = {
    "base": set(),
    "isa": {"base"},
    "engine": {"isa", "base"},
    "watch": {"engine", "isa", "base"},
    "rt": {"watch", "engine", "isa", "base", "sdk"},
    "cli": {"rt", "watch", "engine", "isa", "base", "cc"},
    "front": {"engine", "isa", "base", "sdk"},
    "ops": {"front", "engine", "isa", "base", "sdk"},
    "cc": set(),
    "sdk": set(),
}
LOOKING_ON = {"tests", "bench"}  # may use every room
SOURCES = (".c", ".h", ".cpp", ".hpp", ".def", ".inc", ".asc", ".in")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
# Where a quoted name is looked for after the including file's own directory, as the compiler does.
SEARCH = ("", "sdk/include", "front/cpp", "front")


def tracked_files():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if out.returncode == 0:
        return [ROOT / line for line in out.stdout.splitlines()]
    skip = {"build", ".venv", ".git"}
    return [p for p in ROOT.rglob("*") if p.is_file() and not skip & set(p.relative_to(ROOT).parts)]


def resolve(source, name):
    """The file of this repository that the include names, or None for one of the outside world."""
    for base in (source.parent, *(ROOT / s for s in SEARCH)):
        path = (base / name).resolve()
        if path.is_file() and ROOT in path.parents:
            return path
    return None


def check_include(source, line_number, name):
    """The finding of one include, or None."""
    room = source.relative_to(ROOT).parts[0]
    target = resolve(source, name)
    where = f"{source.relative_to(ROOT)}:{line_number}"
    if target is None:
        leaves_repository = name.startswith(".")
        return f'{where}: "{name}" is not in the repository' if leaves_repository else None
    other = target.relative_to(ROOT).parts[0]
    if other == room or room in LOOKING_ON or other in MAY_USE.get(room, set()):
        return None
    if room == "cli" and target.suffix == ".def":
        return None
    allowed = " ".join(sorted(MAY_USE.get(room, set()))) or "nothing"
    return f'{where}: {room} includes "{name}" of {other}; {room} may use {allowed}'


def findings(files=None):
    for source in files if files is not None else tracked_files():
        if source.suffix not in SOURCES or not source.is_file():
            continue
        room = source.relative_to(ROOT).parts[0]
        if room not in MAY_USE and room not in LOOKING_ON:
            yield f"{source.relative_to(ROOT)}: no room of that name in tests/lint/layers.py"
            continue
        for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            finding = match and check_include(source, number, match.group(1))
            if finding:
                yield finding


if __name__ == "__main__":
    found = list(findings())
    print("\n".join(found) if found else "layers: OK")
    sys.exit(bool(found))

# SPDX-License-Identifier: Apache-2.0
"""`make` in a folder whose path has blanks and letters beyond ASCII: paths stay whole, nothing is written beside it."""
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = 'printf "%s\\n" "$0" "$@" >>called\n'


@pytest.mark.parametrize("venv", [None, "my venv", "{}/other venv"])
def test_paths_with_blanks(tmp_path, venv):
    tree = tmp_path / "Ein Ordner \u00fc \u540d"
    (tree / "sdk/setup").mkdir(parents=True)
    (tree / "Makefile").write_text((ROOT / "Makefile").read_text())
    for name in ("system.sh", "venv.sh", "install.sh", "ops.sh"):
        (tree / "sdk/setup" / name).write_text(SCRIPT)
    venv = venv and venv.format(tmp_path)
    want = tree / (venv or ".venv")
    (tree / "bin").mkdir()
    (tree / "bin/cmake").write_text("#!/bin/sh\n" + SCRIPT)
    (tree / "bin/cmake").chmod(0o755)
    (want / "bin").mkdir(parents=True)
    (want / "bin/python").write_text("#!/bin/sh\n" + SCRIPT)
    (want / "bin/python").chmod(0o755)
    done = subprocess.run(["make", "demo", *([f"VENV={venv}"] if venv else [])], cwd=tree, text=True, capture_output=True,
                          timeout=60, env={**os.environ, "PATH": f"{tree}/bin:{os.environ['PATH']}", "MAKEFLAGS": ""})
    assert done.returncode == 0, done.stderr
    called = (tree / "called").read_text().splitlines()
    assert called[:3] == ["sdk/setup/system.sh", "sdk/setup/venv.sh", str(want)]
    assert f"-DPython3_EXECUTABLE={want}/bin/python" in called
    assert called[-2:] == [f"{want}/bin/python", "ops/demo/demo.py"]
    assert {p.name for p in tmp_path.iterdir()} == {tree.name, *(["other venv"] if venv and venv[0] == "/" else [])}

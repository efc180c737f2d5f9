# SPDX-License-Identifier: Apache-2.0
"""examples/direct: bisheng alone builds each file, and its main finds every element right; then that it can find one wrong."""
import subprocess
from pathlib import Path

import pytest

DIRECT = Path(__file__).resolve().parent / "direct"
CHIPS = {"dav-2201": ("Ascend910B2", "Ascend910_9391"), "dav-3510": ("Ascend950PR_9599",)}


def compile_file(source, arch, cann, out):
    run = subprocess.run(["bisheng", "-x", "asc", f"--npu-arch={arch}", "-O2", str(source), "-o", str(out)], env=cann,
                         text=True, capture_output=True, timeout=300)
    assert run.returncode == 0, run.stderr[-3000:]


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("source", sorted(DIRECT.glob("*.asc")), ids=lambda p: p.stem)
def test_builds_and_agrees(source, arch, cann, tmp_path):
    compile_file(source, arch, cann, tmp_path / "main")
    for soc in CHIPS[arch]:
        run = subprocess.run([tmp_path / "main"], env=cann | {"NPUTWIN_SOC": soc}, text=True, capture_output=True, timeout=120)
        assert (run.returncode, run.stderr) == (0, ""), (soc, run.stderr)
        lines = run.stdout.splitlines()
        assert lines and all(line.startswith("0 of ") and line.endswith(" elements wrong") for line in lines)


def test_finds_a_wrong_element(cann, tmp_path):
    """The same main, expecting one element to be larger: exit code 1, and the element is named."""
    text = (DIRECT / "add_custom.asc").read_text().replace('"../../npu_ops', f'"{DIRECT}/../../npu_ops')
    changed = text.replace("return Compare(got, want);", "want[5] += 1.0f;\n    return Compare(got, want);")
    assert changed != text
    (tmp_path / "device.h").write_text((DIRECT / "device.h").read_text())
    (tmp_path / "add_custom.asc").write_text(changed)
    compile_file(tmp_path / "add_custom.asc", "dav-2201", cann, tmp_path / "main")
    run = subprocess.run([tmp_path / "main"], env=cann, text=True, capture_output=True, timeout=120)
    assert run.returncode == 1 and run.stdout.startswith("1 of ") and "element 5 is" in run.stderr

# SPDX-License-Identifier: Apache-2.0
"""Each source file names its licence in its first lines."""

from layers import ROOT, tracked_files

SUFFIXES = {".c", ".h", ".hpp", ".cpp", ".asc", ".py", ".sh"}


def test_licence_line():
    missing = [
        path.relative_to(ROOT).as_posix()
        for path in tracked_files()
        if path.suffix in SUFFIXES and path.is_file()
        and not any("SPDX-License-Identifier: Apache-2.0" in line for line in path.read_text().splitlines()[:3])
    ]
    assert missing == []

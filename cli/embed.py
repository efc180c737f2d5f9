# SPDX-License-Identifier: Apache-2.0
"""embed.py IN OUT - at build time: a text as the characters of a C array, a line each."""
import json
import sys
from pathlib import Path

lines = Path(sys.argv[1]).read_text().splitlines(keepends=True)
Path(sys.argv[2]).write_text("\n".join(json.dumps(line) for line in lines) + "\n")

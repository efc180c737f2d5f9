# SPDX-License-Identifier: Apache-2.0
"""aclnn.py and sweep.py beside this file are modules of the tests."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

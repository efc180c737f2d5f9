# SPDX-License-Identifier: Apache-2.0
"""What the torch-level tests share: the marker of the subset that runs in every mode."""
import json
import os
import sys
from pathlib import Path


def pytest_configure(config):
    config.addinivalue_line("markers", "smoke: repeated for each queue mode and SoC")


def pytest_sessionfinish():
    """TWIN_LAUNCHES=file: how often each aclnn row ran in this process, for the duty in tests/opapi."""
    if os.environ.get("TWIN_LAUNCHES"):
        sys.path.insert(0, str(Path(__file__).parent.parent / "opapi"))
        import aclnn

        Path(os.environ["TWIN_LAUNCHES"]).write_text(json.dumps(aclnn.launches()))

# SPDX-License-Identifier: Apache-2.0
"""The random forms of every instruction, many times over: t_forms with more tries than `make test` gives it."""

import os
import subprocess

import pytest
from conftest import ROOT

BUILD = ROOT / "build"


@pytest.mark.long
def test_forms_long():
    done = subprocess.run([BUILD / "bin" / "t_forms"], env=os.environ | {"FORMS_TRIES": "400"}, capture_output=True,
                          text=True, timeout=1200)
    assert done.returncode == 0, done.stderr[-2000:]

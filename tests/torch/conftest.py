# SPDX-License-Identifier: Apache-2.0
"""What the torch-level tests share: the marker of the subset that runs in every mode."""


def pytest_configure(config):
    config.addinivalue_line("markers", "smoke: repeated for each queue mode and SoC")

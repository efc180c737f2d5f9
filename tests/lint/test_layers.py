# SPDX-License-Identifier: Apache-2.0
"""The arrows between the rooms hold, and the script that says so can say no."""

import pytest

import layers


def test_arrows_hold():
    assert list(layers.findings()) == []


@pytest.mark.parametrize(
    "source, include, says",
    [
        ("base/base.c", "../isa/isa.h", "base includes"),
        ("isa/isa.c", "../engine/engine.h", "isa includes"),
        ("engine/x.c", "../rt/rt.h", "engine includes"),
        ("cc/x.c", "../base/base.h", "cc includes"),
        ("rt/x.c", "../cc/lex.h", "rt includes"),
        ("front/cpp/x.h", "../../rt/rt.h", "front includes"),
        ("rt/x.c", "../missing.h", "is not in the repository"),
    ],
)
def test_wrong_arrow_is_named(source, include, says):
    finding = layers.check_include(layers.ROOT / source, 7, include)
    assert finding is not None and says in finding and f"{source}:7" in finding


@pytest.mark.parametrize(
    "source, include",
    [("engine/x.c", "../isa/isa.h"), ("cli/x.c", "../bench/metrics.def"), ("rt/x.cpp", "torch/torch.h")],
)
def test_right_arrow_is_silent(source, include):
    assert layers.check_include(layers.ROOT / source, 1, include) is None

# SPDX-License-Identifier: Apache-2.0
"""front/api.def and the headers say the same: each row is declared there, and each duty is met."""

import re

import pytest

from layers import ROOT

ROWS = re.findall(r'^API\((\w+), +(\w+), +(\w+), +"([\d ]+)", (\w+)\)$', (ROOT / "front/api.def").read_text(), re.M)
HEADERS = {
    door: "".join(path.read_text() for path in sorted((ROOT / "front" / door).glob("*.h"))) for door in ("cpp", "cce")
}


def declared(name, text):
    """As a word, or put together by a stamping macro: vconv_##name with NPU_CCE_CONV(f162f32, ...)."""
    if re.search(rf"\b{name}\b", text):
        return True
    stems = re.findall(r"\b(\w+_)##\w+", text)
    rounded = name[:-1]  # NPU_CCE_CONV5 adds the letter of the rounding
    return any(
        name.startswith(stem) and re.search(rf"^NPU_CCE_\w+\(({name[len(stem):]}|{rounded[len(stem):]})\b", text, re.M)
        for stem in stems)


def test_rows_were_read():
    assert len(ROWS) == (ROOT / "front/api.def").read_text().count("\nAPI(") > 100
    assert len({(name, door) for name, door, *_ in ROWS}) == len(ROWS)


@pytest.mark.parametrize("door", sorted(HEADERS))
def test_rows_are_declared(door):
    names = [name for name, d, *_ in ROWS if d == door]
    assert [name for name in names if not declared(name, HEADERS[door])] == []


def test_declared_finds_what_is_missing():
    assert not declared("Frobnicate", HEADERS["cpp"]) and not declared("vconv_f162f64", HEADERS["cce"])


def test_levels_and_archs():
    assert {level for *_, level in ROWS} <= {"full", "partial", "refuse"}
    assert {arch for *_, archs, _ in ROWS for arch in archs.split()} <= {"2201", "3510"}

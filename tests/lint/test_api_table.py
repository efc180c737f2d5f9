# SPDX-License-Identifier: Apache-2.0
"""front/api.def and the headers say the same: each row is declared there, and each duty is met."""

import re
import sys

import pytest

from layers import ROOT

sys.path.insert(0, str(ROOT / "cli"))
import rows  # noqa: E402

TEXT = "".join(path.read_text() for path in sorted((ROOT / "front/api").glob("*.def")))
ROWS = re.findall(r'^API\((\w+), +(\w+), +(\w+), +"([\d ]+)", (\w+)\)$', TEXT, re.M)
FOLDERS = {"host": "sdk"}
HEADERS = {
    door: "".join(path.read_text() for suffix in ("*.h", "*.def")
                  for path in sorted((ROOT / FOLDERS.get(door, f"front/{door}")).rglob(suffix)))
    for door in sorted({door for _, door, *_ in ROWS})
}


def declared(name, text):
    """As a word, or put together by a stamping macro: vconv_##name with NPU_CCE_CONV(f162f32, ...)."""
    if re.search(rf"\b{name}\b", text):
        return True
    sizes = re.fullmatch(r"Get(\w+?)(MaxMinTmpSize|TmpBufferFactorSize)", name)  # Get##name##MaxMinTmpSize of a row
    if sizes and re.search(rf"^TMP\({sizes[1]},", text, re.M):
        return True
    if name.startswith("asc_"):  # name##_sync, ASC_CONV5 adds the letters of the rounding, name_##suffix, name##bits
        stem = re.sub(r"(_r(n|na|d|u|z))?(_sync)?$", "", name)
        stamped = set(re.findall(r"\b(asc_\w+)##\w+", text)) & {re.sub(r"[a-z]*\d*$", "", stem), re.sub(r"\d+$", "", stem)}
        return bool(re.search(rf"\b{stem}\b", text) or stamped)
    around = re.findall(r"\b(\w*)##\w+##(\w+)\b", text)  # Get##name##MaxMinTmpSize with NPU_SIZE(ReduceSum)
    around += [("", end) for end in re.findall(r"\bname##(\w+)\b", text)]
    if any(name.startswith(a) and name.endswith(b) and re.search(rf"\(({name[len(a):-len(b)]})\b", text)
           for a, b in around if len(name) > len(a) + len(b)):
        return True
    stems = re.findall(r"\b(\w+_)##\w+", text)
    rounded = name[:-1]  # NPU_CCE_CONV5 adds the letter of the rounding
    return any(
        name.startswith(stem) and re.search(rf"^NPU_CCE_\w+\(({name[len(stem):]}|{rounded[len(stem):]})\b", text, re.M)
        for stem in stems)


def test_rows_were_read():
    assert len(ROWS) == TEXT.count("\nAPI(") > 100
    by_arch = [(name, door, arch) for name, door, _, archs, _ in ROWS for arch in archs.split()]
    assert len(set(by_arch)) == len(by_arch)


def test_of_two_rows_the_one_of_2201_comes_last():
    """A dictionary by name then holds the row of the default architecture."""
    last = {(name, door): archs for name, door, _, archs, _ in ROWS}
    twice = {key for key in last if sum(key == row[:2] for row in ROWS) > 1}
    assert {last[key] for key in twice} == {"2201"}


@pytest.mark.parametrize("door", sorted(HEADERS))
def test_rows_are_declared(door):
    names = [name for name, d, *_ in ROWS if d == door]
    assert [name for name in names if not declared(name, HEADERS[door])] == []


def test_declared_finds_what_is_missing():
    assert not declared("Frobnicate", HEADERS["cpp"]) and not declared("vconv_f162f64", HEADERS["cce"])
    assert not declared("asc_frobnicate_sync", HEADERS["c"]) and declared("asc_add_sync", HEADERS["c"])


def test_levels_and_archs():
    assert {level for *_, level in ROWS} <= {"full", "partial", "refuse"}
    assert {arch for *_, archs, _ in ROWS for arch in archs.split()} <= {"2201", "3510"}


def test_what_is_not_full_has_a_reason():
    why = re.findall(r'^WHY\((\w+), +"[^"]+"\)$', (ROOT / "front/api/why.def").read_text(), re.M)
    refused = {name for name, *_, level in ROWS if level == "refuse"}
    partial = {name for name, _, family, archs, level in ROWS if level == "partial" and "2201" in archs and family not in ("cube", "matmul")}
    full = {name for name, _, _, archs, level in ROWS if level == "full" and "2201" in archs}
    assert len(why) == len(set(why))
    assert sorted((refused | partial) - set(why)) == []
    assert sorted(set(why) & full) == []


def test_a_full_row_has_a_test():
    full = {name for name, *_, level in ROWS if level == "full"}
    assert full - rows.tests_by_name(ROOT, full).keys() == set()


def test_no_name_is_there_and_missing():
    """cc/missing.def explains names that a compile stops at; what the table has is none of them."""
    text = (ROOT / "cc/missing.def").read_text()
    words = {word for line in re.findall(r'^ +" (.*) "\)?$', text, re.M) for word in line.split()}
    assert len(words) > 400
    stems = tuple(word[:-1] for word in words if word.endswith("*"))
    names = {name for name, *_, level in ROWS if level != "refuse"}
    assert sorted(name for name in names if name in words or name.startswith(stems)) == []

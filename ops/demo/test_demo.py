# SPDX-License-Identifier: Apache-2.0
"""Tokenizer, file reader, model and report of the demo, on the CPU, against facts from elsewhere.

TOKENS were recorded from Hugging Face `tokenizers` with this model's tokenizer.json (padding and
truncation off), EMBEDDINGS from `transformers` BertModel in float32 with mean pooling.
"""
import io
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import minilm
import report
import safetensors_file
import wordpiece

TOKENS = [
    ('', [101, 102]),
    ('   \t\n ', [101, 102]),
    ('Hello, World!', [101, 7592, 1010, 2088, 999, 102]),
    ("don't stop\u2014believing\u2026 \u201cquoted\u201d",
     [101, 2123, 1005, 1056, 2644, 1517, 8929, 1529, 1523, 9339, 1524, 102]),
    ('Cr\xe8me BR\xdbL\xc9E na\xefve \xc5ngstr\xf6m',
     [101, 13675, 21382, 7987, 9307, 2063, 15743, 17076, 15687, 102]),
    ('\u0130stanbul ISTANBUL \xdf \u1e9e', [101, 9960, 9960, 1096, 1096, 102]),
    ('\u4f60\u597d\u4e16\u754c abc\u4e2d\u6587def',
     [101, 100, 100, 1745, 100, 5925, 1746, 1861, 13366, 102]),
    ('tab\tnew\nline\r\x00nul\ufffd\u200bzero\xa0nbsp',
     [101, 21628, 2047, 2240, 16371, 23858, 10624, 1050, 5910, 2361, 102]),
    ('[MASK] is [sep] and [SEP]x[CLS]', [101, 103, 2003, 1031, 19802, 1033, 1998, 102, 1060, 101, 102]),
    ('unaffable antidisestablishmentarianism',
     [101, 14477, 20961, 3468, 3424, 10521, 4355, 7875, 13602, 3672, 12199, 2964, 102]),
    ('\U0001f642 emoji \U0001f469\u200d\U0001f4bb', [101, 100, 7861, 29147, 2072, 100, 102]),
    ('e-mail: a.b+c@d.org $3.50 50% #1',
     [101, 1041, 1011, 5653, 1024, 1037, 1012, 1038, 1009, 1039, 1030, 1040, 1012, 8917, 1002, 1017, 1012, 2753, 2753, 1003, 1001, 1015, 102]),
    ('\ufb01 ligature \u2460 \xbd \u2167', [101, 1984, 8018, 11244, 100, 1092, 100, 102]),
    ('\ud55c\uad6d\uc5b4 \u65e5\u672c\u8a9e \u30ab\u30bf\u30ab\u30ca \u3072\u3089\u304c\u306a',
     [101, 1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008, 1864, 1876, 1950, 1700, 30235, 30226, 30241, 1673, 30211, 30177, 30193, 102]),
    ('U.S.A. 3.14159 1,000,000',
     [101, 1057, 1012, 1055, 1012, 1037, 1012, 1017, 1012, 15471, 28154, 1015, 1010, 2199, 1010, 2199, 102]),
    ('\u0301leading accent', [101, 2877, 9669, 102]),
    ('a\u0300\u0323b', [101, 11113, 102]),
    ('\u0663\u0664\u0665 \u06f1\u06f2\u06f3 \u0939\u093f\u0928\u094d\u0926\u0940 \u0e44\u0e17\u0e22',
     [101, 100, 100, 1339, 29877, 29863, 29861, 29878, 100, 102]),
    ('C++ foo_bar__baz <tag/> `code` ~^|',
     [101, 1039, 1009, 1009, 29379, 1035, 3347, 1035, 1035, 8670, 2480, 1026, 6415, 1013, 1028, 1036, 3642, 1036, 1066, 1034, 1064, 102]),
    ('\ue000private\U000e0001tag', [101, 2797, 15900, 102]),
]

# sentence, first six and last of 384 numbers
EMBEDDINGS = [
    ("The cat sits outside", [0.139191, 0.003029, 0.047015, 0.039574, -0.047998, -0.006812], 0.063621),
    ("A man is playing guitar", [0.022661, -0.001389, -0.005613, -0.067022, -0.155601, -0.002702], -0.028261),
    ("The new movie is awesome", [-0.100443, -0.077393, -0.001374, -0.048461, 0.004557, -0.052317], 0.022055),
    ("Cr\xe8me br\xfbl\xe9e isn't cheap: $3.50!", [0.046748, -0.062945, 0.034312, 0.018189, -0.006836, -0.025206],
     -0.020794),
]


@pytest.fixture(scope="module")
def files():
    return minilm.Files()


@pytest.mark.parametrize("text,ids", TOKENS, ids=[ascii(t)[:24] for t, _ in TOKENS])
def test_tokens(files, text, ids):
    assert files.tokenizer.encode(text) == ids


def test_words_that_are_too_long(files):
    unknown = files.tokenizer.unknown
    assert files.tokenizer.encode("x" * 101) == [101, unknown, 102]
    assert unknown not in files.tokenizer.encode("y" * 100)


def test_truncation_and_padding(files):
    t = files.tokenizer
    assert len(t.encode("word " * 400)) == 256 and t.encode("word " * 400)[-1] == t.end
    ids, mask = t.batch(["a", "a b c"])
    assert [len(r) for r in ids] == [5, 5]
    assert mask == [[1, 1, 1, 0, 0], [1] * 5] and ids[0][3:] == [t.pad] * 2


def test_embeddings(files):
    got = files.embed([s for s, _, _ in EMBEDDINGS], torch.device("cpu"))
    assert got.shape == (4, 384)
    torch.testing.assert_close(got.norm(dim=1), torch.ones(4), atol=1e-6, rtol=0)
    for row, (_, first, last) in zip(got, EMBEDDINGS):
        torch.testing.assert_close(row[:6], torch.tensor(first), atol=2e-6, rtol=0)
        assert abs(float(row[383]) - last) < 2e-6


def test_padding_does_not_change_an_embedding(files):
    alone = files.embed(["The cat sits outside"], torch.device("cpu"))
    beside = files.embed(["The cat sits outside", "word " * 40], torch.device("cpu"))
    torch.testing.assert_close(alone[0], beside[0], atol=1e-6, rtol=0)


def write(path, header, data=b"", header_bytes=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text) if header_bytes is None else header_bytes) + text + data)
    return path


def test_safetensors(tmp_path):
    data = struct.pack("<4f", 1, 2, 3, 4) + struct.pack("<2q", -5, 6)
    header = {"__metadata__": {"format": "pt"},
              "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
              "b": {"dtype": "I64", "shape": [2], "data_offsets": [16, 32]},
              "none": {"dtype": "F16", "shape": [0, 3], "data_offsets": [32, 32]}}
    got = safetensors_file.read(write(tmp_path / "x", header, data))
    assert got["a"].tolist() == [[1, 2], [3, 4]] and got["b"].tolist() == [-5, 6]
    assert got["none"].shape == (0, 3) and set(got) == {"a", "b", "none"}


@pytest.mark.parametrize("header,data,header_bytes,said", [
    ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, b"0" * 8, None, "needs 8 bytes"),
    ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"0" * 4, None, "in 4 bytes of data"),
    ({"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}, b"0" * 8, None, r"\[-4, 0\]"),
    ({"a": {"dtype": "Q3", "shape": [1], "data_offsets": [0, 4]}}, b"0" * 4, None, "dtype Q3"),
    (b"not json", b"", None, "not JSON"),
    ({}, b"", 1 << 40, "header of"),
])
def test_broken_safetensors(tmp_path, header, data, header_bytes, said):
    with pytest.raises(safetensors_file.SafetensorsError, match=said):
        safetensors_file.read(write(tmp_path / "x", header, data, header_bytes))


def test_short_safetensors(tmp_path):
    (tmp_path / "x").write_bytes(b"1234")
    with pytest.raises(safetensors_file.SafetensorsError, match="4 bytes"):
        safetensors_file.read(tmp_path / "x")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_lines_without_a_terminal():
    out = io.StringIO()
    with report.Progress("work", 3, out) as p:
        p.step(3)
    assert out.getvalue().splitlines()[0] == "work ..." and "\r" not in out.getvalue()


def test_progress_bar_on_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    for no_colour in (False, True):
        monkeypatch.delenv("NO_COLOR", raising=False)
        if no_colour:
            monkeypatch.setenv("NO_COLOR", "1")
        out = Terminal()
        with report.Progress("work", 2, out) as p:
            p.step(2, "half")
        assert "100 %" in out.getvalue()
        assert ("\033[36m" in out.getvalue()) is not no_colour


def test_table():
    assert report.table([("name", "{}"), ("n", "{:,}")], [("a", 1), ("total", 1234)]) == (
        "name       n\n-----  -----\na          1\ntotal  1,234")


def test_the_demo_itself():
    """The real thing on npu:0, as `make demo` runs it."""
    env = {k: v for k, v in os.environ.items() if k != "TORCH_DEVICE_BACKEND_AUTOLOAD"}
    run = subprocess.run([sys.executable, str(HERE / "demo.py")], env=env, text=True, capture_output=True, timeout=300)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    lines = run.stdout.splitlines()
    assert lines[-1] == "demo: OK"
    assert any(line.startswith("all ") and "22,713,216" in line for line in lines)
    assert not any(line.lstrip().startswith("FAIL") for line in lines)
    assert "\r" not in run.stderr  # no bar without a terminal

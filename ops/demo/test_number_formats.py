# SPDX-License-Identifier: Apache-2.0
"""number_formats.py: its measures on values whose errors are known, its plot, and the rows of docs/number_formats.md."""
import json
import struct
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

import numpy as np
import pytest
import torch

import minilm
import number_formats

HERE = Path(__file__).resolve().parent
DOC = HERE.parents[1] / "docs/number_formats.md"


def write(path, values):
    header = json.dumps({"w": {"dtype": "F32", "shape": [len(values)], "data_offsets": [0, 4 * len(values)]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + np.asarray(values, np.float32).tobytes())


def test_measures():
    e = number_formats.Errors()
    e.add(torch.tensor([1.0, -2.0, 0.0, 0.5]), torch.tensor([1.1, -2.0, 0.0, 0.0]))
    snr, relative, lost = e.row()
    assert (relative, lost) == (f"{(10 + 0 + 100) / 3:.2f}", f"{100 / 3:.2f}")
    assert float(snr) == pytest.approx(10 * np.log10(5.25 / 0.26), abs=0.06)


def test_casts():
    torch.npu.set_device(0)
    x = torch.tensor([1.0625, -0.3, 100.0])
    formats = {name: cast for name, (_, cast) in number_formats.FORMATS.items()}
    assert formats["HiFloat8"](x).tolist() == [1.125, -0.3125, 96.0]
    assert formats["fp8 e4m3"](x).tolist() == [1.0, -0.3125, 96.0]
    assert formats["fp8 e5m2"](x).tolist() == [1.0, -0.3125, 96.0]
    assert formats["HiFloat4"](torch.tensor([7.0, 6.5, 0.3] + 6 * [0.0] + [0.3])).tolist() == [7.0, 7.0] + 7 * [0.0] + [0.25]
    assert formats["HiFloat4"](torch.ones(130) * 7).tolist() == [7.0] * 130  # padded, and cut again
    # 30 comes to 15, where 2^-1 steps are exact
    assert formats["HiFloat8, scale a tensor"](torch.tensor([30.0, 13.0, 0.25])).tolist() == [30.0, 13.0, 0.25]


def test_table_and_plot(tmp_path):
    torch.manual_seed(0)
    write(tmp_path / "a.safetensors", torch.randn(4096).numpy() * 0.1)
    write(tmp_path / "b.safetensors", torch.randn(100).numpy())
    run = subprocess.run([sys.executable, "number_formats.py", "--plot", str(tmp_path / "p.svg"), f"a={tmp_path}/a.safetensors",
                          f"b={tmp_path}/b.safetensors"], cwd=HERE, text=True, capture_output=True, timeout=300)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0] == "| model | format | bits | SNR, dB | mean rel. error, % | to zero, % |"
    assert len(lines) == 2 + 2 * len(number_formats.FORMATS)
    plot = xml.dom.minidom.parse(str(tmp_path / "p.svg"))
    assert len(plot.getElementsByTagName("polyline")) == 2 * len(number_formats.DRAWN)


def test_wrong_arguments(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["number_formats.py", "model.safetensors"])
    with pytest.raises(SystemExit) as ended:
        number_formats.main()
    assert ended.value.code == 2 and "a model is NAME=MODEL.safetensors" in capsys.readouterr().err


@pytest.mark.long
def test_rows_of_the_document():
    torch.npu.set_device(0)
    rows = number_formats.markdown({"all-MiniLM-L6-v2": number_formats.measure(minilm.Files().path)}).splitlines()[2:]
    assert [row for row in rows if row not in DOC.read_text()] == [] and len(rows) == len(number_formats.FORMATS)

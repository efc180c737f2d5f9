# SPDX-License-Identifier: Apache-2.0
"""Tensors of more than 2^31 bytes: a pattern whose result is known, again and again, so that every repetition is compared."""
import pytest
import torch

import amct_ops.hifloat4_cast as hif4
import amct_ops.hifloat8_cast as hif8

PATTERN = 1 << 16
TIMES = (1 << 30) // PATTERN + 3  # of halves: more than 2^31 bytes


def free_bytes():
    with open("/proc/meminfo", encoding="ascii") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("MemAvailable"))


def is_repeated(got, want):
    """got, on the NPU, is want again and again; compared there, some rows at a time."""
    rows = got.view(-1, want.numel())
    return all(bool((rows[at:at + 1024] == want).all()) for at in range(0, len(rows), 1024))


@pytest.mark.long
@pytest.mark.skipif(free_bytes() < 8 << 30, reason="needs 8 GiB of free memory")
@pytest.mark.parametrize("name", ["hifloat8", "hifloat4"])
def test_every_repetition(name):
    torch.npu.set_device(0)
    torch.manual_seed(1)
    pattern = (torch.randn(PATTERN) * 3).half().npu()
    x = torch.empty(TIMES, PATTERN, dtype=torch.float16, device="npu")
    x[:] = pattern
    assert x.numel() * 2 > 1 << 31
    if name == "hifloat4":
        want = hif4.hifloat4_fake_quant(pattern)
        assert is_repeated(hif4.hifloat4_fake_quant(x), want)
        packed = hif4.hifloat4_pack(x)
        del x
        for got, one in zip(packed, hif4.hifloat4_pack(pattern)):
            assert is_repeated(got, one)
        assert is_repeated(hif4.hifloat4_unpack(*packed, dtype=torch.float16), want)
        return
    codes = hif8.encode_to_hifloat8(x)
    del x
    want = hif8.encode_to_hifloat8(pattern)
    assert is_repeated(codes, want)
    assert is_repeated(hif8.decode_from_hifloat8(codes, torch.float16), hif8.decode_from_hifloat8(want, torch.float16))

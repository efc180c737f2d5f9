# SPDX-License-Identifier: Apache-2.0
"""hifloat4_fake_quant on 4M halves against the definition in eager torch on the CPU."""

import numpy as np
import torch
import torch_npu  # noqa: F401

import amct_ops.hifloat4_cast as cast
from common import best_of_each, report, seconds

ROWS, BLOCK = 1 << 16, 64
BF16_OF_A_SEVENTH = 0.142578125


def bf16(t):
    return t.to(torch.bfloat16).float()


def reference(halves):
    """As one would write it down; no block here holds a NaN or an infinity."""
    x = halves.float()
    size = x.abs()
    s = bf16(size.amax(1, keepdim=True) * BF16_OF_A_SEVENTH).clamp(2.0 ** -48, 49152.0)
    quarter = torch.exp2(torch.floor(torch.log2(s)) - 2)
    scale = torch.round(s / quarter) * quarter
    product = size * bf16(1 / scale)
    by_four = product.view(-1, 16, 4).amax(2)
    level2 = (by_four.view(-1, 8, 2).amax(2) >= 4).float().repeat_interleave(2, 1)
    level3 = (by_four / torch.exp2(level2) >= 2).float()
    factor = torch.exp2(level2 + level3).repeat_interleave(4, 1)
    code = torch.floor(bf16(product / factor) * 4 + 0.5).clamp(max=7)
    return torch.copysign(code / 4 * factor * scale, x).to(halves.dtype)


def main():
    halves = torch.from_numpy(np.random.default_rng(1).standard_normal((ROWS, BLOCK)).astype(np.float16))
    x = halves.npu()
    assert torch.equal(cast.hifloat4_fake_quant(x).cpu(), reference(halves)), "results differ"

    def quantise():
        cast.hifloat4_fake_quant(x)
        torch.npu.synchronize()

    # The least of single calls, of each about as long: five of ours take the time of one of theirs.
    ours, theirs = best_of_each(9, lambda: min(seconds(quantise) for _ in range(5)), lambda: seconds(lambda: reference(halves)), spins=True)
    report(hif4_quant_vs_reference=theirs / ours)


main()

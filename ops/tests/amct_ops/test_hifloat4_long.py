# SPDX-License-Identifier: Apache-2.0
"""HiFloat4 on 12 million elements of scales 1e-30 to 1e30, bit by bit against the reference in numpy."""
import numpy as np
import pytest
import torch

import amct_ops.hifloat4_cast as hif4
from tests.amct_ops.test_hifloat4_cast import DTYPES, bits, random_blocks, want

ROWS, ROUNDS = 12_500, 5  # times 64 elements, for each of three types


@pytest.mark.long
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_millions(dtype):
    torch.npu.set_device(0)
    elements = 0
    for seed in range(ROUNDS):
        x = random_blocks(np.random.default_rng(100 + seed), ROWS, dtype)
        result = want(x)
        assert torch.equal(bits(hif4.hifloat4_fake_quant(x.npu())), bits(result)), seed
        packed = hif4.hifloat4_pack(x.npu())
        assert torch.equal(bits(hif4.hifloat4_unpack(*packed, dtype=dtype)), bits(result)), seed
        elements += x.numel()
    assert elements == 4_000_000

# SPDX-License-Identifier: Apache-2.0
"""The amct_ops casts on 16M elements against numpy with en-dtypes, which rounds one element at a time."""

import en_dtypes
import numpy as np
import torch
import torch_npu  # noqa: F401

import amct_ops.hifloat8_cast as cast
from common import best_of_each, report, seconds

N = 16 << 20


def main():
    halves = np.random.default_rng(1).standard_normal(N).astype(np.float16)
    codes = halves.astype(en_dtypes.hifloat8)
    x = torch.from_numpy(halves).npu()
    x8 = cast.encode_to_hifloat8(x)
    assert np.array_equal(x8.cpu().numpy(), codes.view(np.uint8)), "encode differs"

    def encode():
        cast.encode_to_hifloat8(x)
        torch.npu.synchronize()

    def decode():
        cast.decode_from_hifloat8(x8, torch.float16)
        torch.npu.synchronize()

    ours, theirs = best_of_each(3, lambda: seconds(encode, 5), lambda: seconds(lambda: halves.astype(en_dtypes.hifloat8)))
    ours_back, theirs_back = best_of_each(3, lambda: seconds(decode, 5), lambda: seconds(lambda: codes.astype(np.float16)))
    report(hif8_encode_f16_vs_endtypes=theirs / ours, hif8_decode_f16_vs_endtypes=theirs_back / ours_back)


main()

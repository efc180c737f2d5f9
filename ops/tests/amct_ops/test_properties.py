# SPDX-License-Identifier: Apache-2.0
"""What holds for any input of the casts; hypothesis looks for one for which it does not.

A counterexample is made as small as it gets and printed as a list of floats.
"""
import struct

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import amct_ops.hifloat4_cast as hif4
import amct_ops.hifloat8_cast as hif8
from tests.amct_ops import hifloat4_reference as ref
from tests.amct_ops.npu_case import NpuCase
from tests.amct_ops.test_hifloat4_cast import bits, want

FLOATS = st.floats(width=32)  # with subnormals, infinities, NaN and both zeros
FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)
WIDTHS = {torch.float16: 16, torch.float32: 32}


def block_of(elements):
    """64 elements, most of them alike, so that a scale is often shared by one element that matters."""
    return st.one_of(st.lists(elements, min_size=64, max_size=64),
                     st.builds(lambda few, n: (few * 64)[:64] if n else few + [0.0] * (64 - len(few)),
                               st.lists(elements, min_size=1, max_size=8), st.integers(0, 1)))


searched = settings(max_examples=300, deadline=None, derandomize=True, database=None)


class HiFloat4(NpuCase):
    @searched
    @given(block_of(FLOATS))
    def test_any_block_is_what_the_fractions_say(self, values):
        x = torch.tensor(values)
        exact = ref.Block(x.tolist())
        self.same(bits(hif4.hifloat4_fake_quant(x.npu())), bits(torch.tensor(exact.values())))
        codes, scales = hif4.hifloat4_pack(x.npu())
        self.assertEqual((codes.cpu().flatten().tolist(), scales.cpu().flatten().tolist()), tuple(map(list, exact.packed())))

    @searched
    @given(block_of(FLOATS))
    def test_unpack_of_pack_is_fake_quant(self, values):
        x = torch.tensor(values).npu()
        self.same(bits(hif4.hifloat4_unpack(*hif4.hifloat4_pack(x)).float()), bits(hif4.hifloat4_fake_quant(x)))

    @searched
    @given(block_of(FINITE))
    def test_the_sign_is_kept_apart(self, values):
        x = torch.tensor(values).npu()
        self.same(bits(hif4.hifloat4_fake_quant(-x)), bits(-hif4.hifloat4_fake_quant(x)))

    @searched
    @given(block_of(FINITE))
    def test_larger_elements_of_a_group_never_get_smaller_results(self, values):
        x = torch.tensor(values).view(16, 4).sort(1).values.reshape(64)
        y = hif4.hifloat4_fake_quant(x.npu()).cpu().view(16, 4)
        self.assertTrue(bool((y.isinf() | (y.diff(dim=1, prepend=y[:, :1]) >= 0)).all()), y)

    def test_a_second_pass_changes_nothing_at_the_same_scale(self):
        """Else it may: the first one's maximum can be smaller. And where the reciprocal of the scale is rounded down, 1.75 * 2^k,
        a group at the edge of its level may fall below it."""
        kept = []

        @searched
        @given(block_of(st.integers(-4096, 4096).map(float)), st.integers(-50, 3))
        def second_pass(values, exponent):
            x = torch.tensor(values) * 2.0 ** exponent
            once = hif4.hifloat4_fake_quant(x.npu()).cpu()
            twice = hif4.hifloat4_fake_quant(once.npu())
            exact, scale = ref.Block(once.tolist()), ref.Block(x.tolist()).scale
            self.same(bits(twice), bits(torch.tensor(exact.values())))
            if exact.scale == scale and ref.bf16(ref.f32(1 / scale)) * scale >= 1:
                self.same(bits(twice), bits(once))
                kept.append(scale)

        second_pass()
        self.assertGreaterEqual(len(set(kept)), 15)

    @searched
    @given(block_of(FINITE), st.sampled_from([torch.float16, torch.bfloat16, torch.float32]))
    def test_every_dtype_is_the_reference_rounded(self, values, dtype):
        x = torch.tensor(values).to(dtype)
        self.same(bits(hif4.hifloat4_fake_quant(x.npu())), bits(want(x)))


class HiFloat8(NpuCase):
    """Every pattern is tested one by one in test_hifloat8_cast.py; here, arrays of any length."""

    @searched
    @given(st.lists(st.integers(0, 65535), min_size=1, max_size=700), st.sampled_from([torch.float16, torch.bfloat16]))
    def test_a_place_has_no_say(self, patterns, dtype):
        """An element's code does not depend on where it stands or on its neighbours."""
        x = torch.frombuffer(bytearray(struct.pack(f"{len(patterns)}H", *patterns)), dtype=dtype)
        codes = hif8.encode_to_hifloat8(x.npu()).cpu()
        turned = hif8.encode_to_hifloat8(x.flip(0).contiguous().npu()).cpu()
        self.same(codes, turned.flip(0))

    @searched
    @given(st.lists(st.integers(0, 255), min_size=1, max_size=700), st.sampled_from([torch.float16, torch.bfloat16]))
    def test_encode_of_decode_of_encode_changes_nothing(self, codes, dtype):
        y = hif8.decode_from_hifloat8(torch.tensor(codes, dtype=torch.uint8).npu(), dtype)
        once = hif8.encode_to_hifloat8(y)
        self.same(once, hif8.encode_to_hifloat8(hif8.decode_from_hifloat8(once, dtype)))

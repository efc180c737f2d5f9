# SPDX-License-Identifier: Apache-2.0
"""amct_ops.hifloat4_cast on npu:0 against references of its definition.

    PYTHONPATH=amct_ops/staging python3 -m unittest tests.amct_ops.test_hifloat4_cast      (from ops/)

Comparisons are of bits; there is no tolerance anywhere. Millions more elements: test_hifloat4_long.py.
"""
import textwrap
import unittest

import numpy as np
import torch

import amct_ops.hifloat4_cast as hif4
from tests.amct_ops import hifloat4_reference as ref
from tests.amct_ops.npu_case import NpuCase, run_with

DTYPES = (torch.float16, torch.bfloat16, torch.float32)
SIGNED = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32}


def bits(t):
    """Bit patterns on the host; every NaN becomes the same."""
    t = t.cpu().contiguous()
    t = torch.where(t.isnan(), torch.full_like(t, float("nan")), t)
    return t.view(SIGNED[t.dtype])


def want(x, qdim=-1):
    """The reference's result in the dtype of x, a host tensor."""
    return torch.from_numpy(np.ascontiguousarray(ref.fake_quant(x.float().numpy(), qdim))).to(x.dtype)


def random_blocks(rng, rows, dtype, least=-30, most=30):
    """rows x 64, each row of another magnitude 10^least..10^most, some elements small, some zero."""
    x = rng.standard_normal((rows, 64)) * 10.0 ** rng.uniform(least, most, (rows, 1))
    x *= 2.0 ** -rng.integers(0, 6, (rows, 64))
    x[rng.random((rows, 64)) < 0.05] = 0.0
    x[rng.random((rows, 64)) < 0.02] *= -0.0
    limit = torch.finfo(dtype).max
    return torch.from_numpy(np.clip(x, -limit, limit)).to(dtype)


def one_block(*values):
    x = torch.zeros(64)
    x[:len(values)] = torch.tensor(values)
    return x


class Definition(NpuCase):
    def test_references_agree(self):
        """The fast reference against exact fractions."""
        x = random_blocks(np.random.default_rng(1), 300, torch.float32).numpy()
        x[7, 3], x[8, 63], x[9] = np.nan, np.inf, 0.0
        exact = np.array([ref.Block(row).values() for row in x], np.float32)
        np.testing.assert_array_equal(ref.fake_quant(x).view(np.uint32), exact.view(np.uint32))

    def test_published_block(self):
        pairs = [(7, 7), (-7, -7), (6.5, 7), (3.25, 3), (1.75, 2), (-1.5, -1.5), (1.375, 1.5), (1.125, 1), (.875, 1),
                 (.625, .75), (.375, .5), (.125, .25), (-.125, -.25), (.124, 0), (.1, 0), (0, 0), (3.5, 3.5), (2, 2),
                 (1, 1), (.5, .5), (-3, -3), (2.75, 3), (.2, 0), (-.2, -0.0)]
        x = one_block(*[p[0] for p in pairs])
        result = one_block(*[p[1] for p in pairs])
        values, scales = hif4.hifloat4_pack(x.npu())
        self.assertEqual(bytes(scales.tolist()), bytes.fromhex("C0808C00"))
        self.assertEqual(bytes(values.tolist())[:12], bytes.fromhex("F737B423341209004712 6E80"))
        for dtype in DTYPES:
            self.same(bits(hif4.hifloat4_fake_quant(x.to(dtype).npu())), bits(result.to(dtype)), str(dtype))

    def test_published_scales(self):
        rows = [(0, 0x00, 0), (1e-20, 0x00, 0), (7 * 2.0 ** -48, 0x00, 7 * 2.0 ** -48), (1, 0xB5, .9375), (3, 0xBB, 3.0625),
                (6, 0xBF, 6.125), (7, 0xC0, 7), (10, 0xC2, 10.5), (100, 0xCF, 98), (448, 0xD8, 448), (65504, 0xF5, 61440),
                (344064, 0xFE, 344064), (1e6, 0xFE, 344064), (3e38, 0xFE, 344064), (float("inf"), 0xFF, float("nan"))]
        x = torch.stack([one_block(row[0]) for row in rows])
        values, scales = hif4.hifloat4_pack(x.npu())
        self.assertEqual(scales[:, 0].tolist(), [row[1] for row in rows])
        result = hif4.hifloat4_fake_quant(x.npu())[:, 0]
        self.same(bits(result), bits(torch.tensor([row[2] for row in rows], dtype=torch.float32)))

    def test_many_scales(self):
        rng = np.random.default_rng(2)
        for dtype in DTYPES:
            x = random_blocks(rng, 3000, dtype)
            self.same(bits(hif4.hifloat4_fake_quant(x.npu())), bits(want(x)), str(dtype))

    def test_every_half_as_a_maximum(self):
        """Each finite bit pattern of a 16-bit type once leads a block, so every scale and tie occurs."""
        for dtype in (torch.float16, torch.bfloat16):
            lead = torch.arange(-32768, 32768, dtype=torch.int32).to(torch.int16).view(dtype)
            lead = lead[lead.isfinite()]
            share = torch.rand(len(lead), 64) * 2 - 1
            share[:, 17] = 1
            x = (share * lead.float()[:, None]).to(dtype)
            self.same(bits(hif4.hifloat4_fake_quant(x.npu())), bits(want(x)), str(dtype))

    def test_nan_and_infinity_poison_their_block_alone(self):
        rng = np.random.default_rng(3)
        for dtype in DTYPES:
            x = random_blocks(rng, 40, dtype, -3, 3)
            clean = hif4.hifloat4_fake_quant(x.npu()).cpu()
            dirty = x.clone()
            for row, (column, value) in enumerate([(0, "nan"), (63, "nan"), (31, "inf"), (8, "-inf"), (40, "nan")]):
                dirty[8 * row, column] = float(value)
            dirty[1, 5], dirty[1, 6] = float("inf"), float("-inf")
            got = hif4.hifloat4_fake_quant(dirty.npu()).cpu()
            poisoned = torch.zeros(40, dtype=torch.bool)
            poisoned[[0, 1, 8, 16, 24, 32]] = True
            self.assertTrue(bool(got[poisoned].isnan().all()), dtype)
            self.same(bits(got[~poisoned]), bits(clean[~poisoned]), str(dtype))
            values, scales = hif4.hifloat4_pack(dirty.npu())
            self.same(scales[poisoned], torch.tensor([0xFF, 0, 0, 0], dtype=torch.uint8).expand(6, 4))
            self.assertEqual(int(values[poisoned].sum()), 0)
            self.same(bits(hif4.hifloat4_unpack(values, scales, dtype=dtype)), bits(got))

    def test_every_bit_pattern_of_nan(self):
        """Payloads and signs: quiet and signalling, in the last place of a block."""
        for dtype in (torch.float16, torch.bfloat16):
            pattern = torch.arange(-32768, 32768, dtype=torch.int32).to(torch.int16).view(dtype)
            pattern = pattern[~pattern.isfinite()]
            x = torch.ones(len(pattern), 64, dtype=dtype)
            x[:, 63] = pattern
            self.assertTrue(bool(hif4.hifloat4_fake_quant(x.npu()).cpu().isnan().all()), dtype)

    def test_zeros_keep_their_sign(self):
        x = torch.zeros(2, 64)
        x[1] = -0.0
        for dtype in DTYPES:
            self.same(bits(hif4.hifloat4_fake_quant(x.to(dtype).npu())), bits(x.to(dtype)), str(dtype))


class Docstrings(NpuCase):
    def test_examples(self):
        self.examples_hold(hif4.ops, 7)


class Packing(NpuCase):
    def test_against_fractions(self):
        x = random_blocks(np.random.default_rng(4), 200, torch.float32)
        x[11, 2] = float("nan")
        values, scales = hif4.hifloat4_pack(x.npu())
        packed = [ref.Block(row).packed() for row in x.tolist()]
        self.same(values, torch.tensor([p[0] for p in packed], dtype=torch.uint8))
        self.same(scales, torch.tensor([p[1] for p in packed], dtype=torch.uint8))

    def test_unpack_is_fake_quant(self):
        rng = np.random.default_rng(5)
        for dtype in DTYPES:
            x = random_blocks(rng, 1500, dtype)
            values, scales = hif4.hifloat4_pack(x.npu())
            got = hif4.hifloat4_unpack(values, scales, dtype=dtype)
            self.same(bits(got), bits(hif4.hifloat4_fake_quant(x.npu())), str(dtype))

    def test_unpack_takes_any_bytes(self):
        """All scale bytes and nibbles, also combinations that no block gives."""
        rng = np.random.default_rng(6)
        values = rng.integers(0, 256, (512, 32), dtype=np.uint8)
        scales = rng.integers(0, 256, (512, 4), dtype=np.uint8)
        scales[:256, 0] = np.arange(256)
        result = torch.tensor([ref.value_of(c.tolist(), s.tolist()) for c, s in zip(values, scales)], dtype=torch.float64)
        for dtype in DTYPES:
            got = hif4.hifloat4_unpack(torch.from_numpy(values).npu(), torch.from_numpy(scales).npu(), dtype=dtype)
            self.same(bits(got), bits(result.to(dtype)), str(dtype))

    def test_default_is_bfloat16(self):
        packed = hif4.hifloat4_pack(torch.ones(64).npu())
        self.assertEqual(torch.ops.amct.hifloat4_unpack(*packed).dtype, torch.bfloat16)
        self.assertEqual(hif4.hifloat4_unpack(*packed).dtype, torch.bfloat16)


class Properties(NpuCase):
    def test_a_second_pass(self):
        rng = np.random.default_rng(7)
        for dtype in (torch.bfloat16, torch.float32):
            once = hif4.hifloat4_fake_quant(random_blocks(rng, 4000, dtype, -12, 5).npu())
            twice = hif4.hifloat4_fake_quant(once)
            again = hif4.hifloat4_fake_quant(twice)
            # A result may get a finer scale of its own, but what the second pass changes the reference changes too.
            self.same(bits(twice), bits(want(once.cpu())), str(dtype))
            self.same(bits(again), bits(want(twice.cpu())), str(dtype))
            unchanged = (bits(once) == bits(twice)).all(1).float().mean()
            self.assertGreater(float(unchanged), 0.5, dtype)

    def test_the_edge_of_a_level_at_scale_one_and_three_quarters(self):
        """bf16(1 / 1.75) is 0.5703125: 4 * 1.75 times that is 3.992, which is below the 4 of level 2. So 7 is not kept."""
        x = torch.zeros(64)
        x[0], x[8:16] = 12.25, 7.02
        passes = []
        for want_next in (7.0, 6.125, 6.125):
            exact = ref.Block(x.tolist())
            x = hif4.hifloat4_fake_quant(x.npu()).cpu()
            self.same(x, torch.tensor(exact.values()))
            self.assertEqual((float(exact.scale), x[0].item(), x[8:16].tolist()), (1.75, 12.25, [want_next] * 8))
            passes.append(exact.level2[1])
        self.assertEqual(passes, [1, 0, 0])

    def test_monotonic_in_a_block(self):
        """Within a block, a larger element never gets a smaller result."""
        rng = np.random.default_rng(8)
        x, _ = random_blocks(rng, 4000, torch.float32, -12, 5).abs().sort(1)
        y = hif4.hifloat4_fake_quant(x.npu()).cpu()
        fours = y.view(-1, 16, 4)  # sorted, so the groups are the finest first
        self.assertTrue(bool((fours.diff(dim=2) >= 0).all()))

    def test_sign_symmetry(self):
        x = random_blocks(np.random.default_rng(9), 2000, torch.float32)
        self.same(bits(hif4.hifloat4_fake_quant(-x.npu())), bits(-hif4.hifloat4_fake_quant(x.npu())))

    def test_powers_of_two_scale(self):
        """2^k x gives 2^k of the result while no scale is at its limits."""
        x = random_blocks(np.random.default_rng(10), 1000, torch.float32, -2, 2)
        x[:, 0] = x.abs().amax(1)
        for k in (-20, -3, 1, 9):
            got = hif4.hifloat4_fake_quant((x * 2.0 ** k).npu())
            self.same(bits(got), bits(hif4.hifloat4_fake_quant(x.npu()) * 2.0 ** k), str(k))


class Shapes(NpuCase):
    def test_block_counts_around_every_edge(self):
        """One block, rows of 32 bytes, tiles, cores."""
        rng = np.random.default_rng(11)
        for dtype in DTYPES:
            x = random_blocks(rng, 48 * 121, dtype, -4, 4)
            result = want(x)
            for n in (1, 2, 7, 8, 9, 31, 32, 33, 79, 80, 81, 103, 104, 105, 208, 48 * 32 + 1, 48 * 104 + 1):
                self.same(bits(hif4.hifloat4_fake_quant(x[:n].npu())), bits(result[:n]), f"{dtype} {n}")
                values, scales = hif4.hifloat4_pack(x[:n].npu())
                back = hif4.hifloat4_unpack(values, scales, dtype=dtype)
                self.same(bits(back), bits(result[:n]), f"packed {dtype} {n}")

    def test_any_dimension(self):
        rng = np.random.default_rng(12)
        for dtype in DTYPES:
            for shape, qdim in (((64,), 0), ((3, 128), 1), ((128, 5), 0), ((2, 64, 3), 1), ((2, 64, 3), -2),
                                ((64, 2, 3, 2), 0), ((3, 2, 192), -1)):
                n = int(np.prod(shape))
                x = random_blocks(rng, n // 64, dtype, -3, 3).reshape(shape)
                got = hif4.hifloat4_fake_quant(x.npu(), qdim)
                self.assertTrue(got.is_contiguous())
                self.same(bits(got), bits(want(x, qdim)), f"{dtype} {shape} {qdim}")
                values, scales = hif4.hifloat4_pack(x.npu(), qdim)
                self.assertEqual((values.shape[qdim] * 2, scales.shape[qdim] * 16), (shape[qdim],) * 2)
                self.same(bits(hif4.hifloat4_unpack(values, scales, qdim, dtype)), bits(got), f"{shape} {qdim}")

    def test_views(self):
        base = random_blocks(np.random.default_rng(13), 130, torch.float16, -3, 3)
        on_npu = base.npu()
        for name, view, qdim in (("transposed", lambda t: t[:128].t(), -1), ("transposed rows", lambda t: t.t(), 0),
                                 ("rows", lambda t: t[5:], -1), ("steps", lambda t: t[::3], -1),
                                 ("expanded", lambda t: t[:1].expand(4, 64), -1), ("row", lambda t: t[3], 0)):
            x, y = view(base), view(on_npu)
            self.assertEqual(x.stride(), y.stride())
            self.same(bits(hif4.hifloat4_fake_quant(y, qdim)), bits(want(x, qdim)), name)

    def test_no_rows(self):
        x = torch.empty(0, 64).npu()
        self.assertEqual(hif4.hifloat4_fake_quant(x).shape, (0, 64))
        values, scales = hif4.hifloat4_pack(x)
        self.assertEqual((values.shape, scales.shape), ((0, 32), (0, 4)))
        self.assertEqual(hif4.hifloat4_unpack(values, scales).shape, (0, 64))


class Graphs(NpuCase):
    CALLS = (lambda x: hif4.hifloat4_fake_quant(x), lambda x: hif4.hifloat4_pack(x, 0),
             lambda x: hif4.hifloat4_unpack(*hif4.hifloat4_pack(x), dtype=x.dtype))

    def test_meta_says_what_the_operators_give(self):
        for x in (torch.randn(64, 128).half(), torch.randn(128, 64).t(), torch.randn(3, 64, 64).bfloat16()[0]):
            on_npu = torch.empty_strided(x.size(), x.stride(), dtype=x.dtype).copy_(x).npu()
            for call in self.CALLS:
                real, shape_only = call(on_npu), call(x.to("meta"))
                for a, b in zip(*[t if isinstance(t, tuple) else (t,) for t in (real, shape_only)]):
                    self.assertEqual((a.shape, a.dtype, a.stride()), (b.shape, b.dtype, b.stride()))

    def test_fake_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            x = torch.empty(5, 64, dtype=torch.bfloat16, device="npu")
            for call in self.CALLS[::2]:
                y = call(x)
                self.assertEqual((y.shape, y.dtype, y.device.type), (x.shape, x.dtype, "npu"))

    def test_opcheck(self):
        x = torch.randn(4, 128).npu()
        torch.library.opcheck(torch.ops.amct.hifloat4_fake_quant.default, (x,))
        torch.library.opcheck(torch.ops.amct.hifloat4_fake_quant.default, (x.t(), 0))
        torch.library.opcheck(torch.ops.amct.hifloat4_pack.default, (x,))
        torch.library.opcheck(torch.ops.amct.hifloat4_unpack.default, (*hif4.hifloat4_pack(x), -1, torch.float32))

    def test_one_graph_serves_every_batch_size(self):
        inputs = [random_blocks(np.random.default_rng(rows), rows, torch.float32, -3, 3) for rows in (2, 3, 9)]

        def every_operator(x):
            packed = hif4.hifloat4_pack(x)
            return hif4.hifloat4_fake_quant(x), *packed, hif4.hifloat4_unpack(*packed, dtype=x.dtype)

        for x, (quantised, values, scales, unpacked) in zip(inputs, self.one_graph(every_operator, [x.npu() for x in inputs])):
            self.same(bits(quantised), bits(want(x)))
            self.same(bits(unpacked), bits(want(x)))
            for got, wanted in zip((values, scales), hif4.hifloat4_pack(x.npu())):
                self.same(got, wanted)

    def test_aot_eager(self):
        x = torch.randn(6, 64).npu()
        compiled = torch.compile(lambda t: hif4.hifloat4_fake_quant(t) * 2, backend="aot_eager", fullgraph=True)
        self.same(bits(compiled(x)), bits(want(x.cpu()) * 2))


class BadInput(NpuCase):
    def test_dtype(self):
        for call in (hif4.hifloat4_fake_quant, hif4.hifloat4_pack):
            for dtype, said in ((torch.float64, "Double"), (torch.int32, "Int"), (torch.uint8, "Byte")):
                self.refuses(f"input must be float16, bfloat16 or float32, got {said}", call,
                             torch.ones(64, dtype=dtype).npu())

    def test_length(self):
        for shape, qdim in (((3, 100), -1), ((63,), 0), ((32, 64), 0)):
            self.refuses(rf"multiple of 64, got {shape[qdim]} in shape", hif4.hifloat4_fake_quant,
                         torch.ones(shape).npu(), qdim)
        self.refuses(r"must not be empty, got shape \[3, 0\]", hif4.hifloat4_pack, torch.ones(3, 0).npu())

    def test_qdim(self):
        for qdim in (2, -3, 2 ** 40):
            self.refuses(rf"qdim must be in \[-2, 1\].*got {qdim}", hif4.hifloat4_fake_quant, torch.ones(2, 64).npu(), qdim)
        self.refuses("at least one dimension", hif4.hifloat4_fake_quant, torch.tensor(1.0).npu())

    def test_unpack(self):
        values, scales = hif4.hifloat4_pack(torch.ones(2, 64).npu())
        self.refuses("must be uint8, got Char and Byte", hif4.hifloat4_unpack, values.to(torch.int8), scales)
        self.refuses("float16, bfloat16 or float32, got Double", hif4.hifloat4_unpack, values, scales, -1, torch.float64)
        self.refuses(r"scales must have shape \[2, 4\].*got \[2, 8\]", hif4.hifloat4_unpack, values,
                     torch.cat((scales, scales), 1))
        self.refuses("multiple of 32 bytes in values, got 31", hif4.hifloat4_unpack, values[:, 1:], scales)

    def test_cpu_tensor(self):
        self.refuses("amct::hifloat4_fake_quant.*'CPU'", hif4.hifloat4_fake_quant, torch.ones(64))

    def test_meta_refuses_the_same(self):
        self.refuses("multiple of 64, got 100", hif4.hifloat4_fake_quant, torch.ones(3, 100, device="meta"))
        self.refuses("got Double", hif4.hifloat4_pack, torch.ones(64, dtype=torch.float64, device="meta"))

    def test_works_after_a_refusal(self):
        self.refuses("multiple of 64", hif4.hifloat4_fake_quant, torch.ones(3).npu())
        self.same(hif4.hifloat4_fake_quant(torch.full((64,), 7.0).npu()), torch.full((64,), 7.0))
        torch.npu.synchronize()


class OtherUb(unittest.TestCase):
    """One library, other sizes of UB: the tile follows, the results do not. A tile cut for 196608 bytes would not fit the first."""

    SIZES = 131072, 196608, 262144, 524288
    PROGRAM = textwrap.dedent("""
        import hashlib, torch, amct_ops.hifloat4_cast as h
        torch.manual_seed(0)
        x = torch.randn(48 * 110, 64) * torch.logspace(-12, 5, 48 * 110)[:, None]
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            y = x.clamp(-6e4, 6e4).to(dtype).npu()
            try:
                values, scales = h.hifloat4_pack(y)
            except RuntimeError as e:
                print(str(e).splitlines()[0])
                break
            parts = (h.hifloat4_fake_quant(y).float(), values, scales, h.hifloat4_unpack(values, scales, dtype=dtype).float())
            print(hashlib.sha256(b"".join(t.cpu().numpy().tobytes() for t in parts)).hexdigest())
    """)

    def test_same_results(self):
        """And of 16,000 bytes, what is reserved leaves no room for one tile: so the tile comes from the platform."""
        first, *others, none = run_with([{"NPUTWIN_SOC_SET": f"ub_bytes={n}"} for n in (*self.SIZES, 16000)], self.PROGRAM)
        self.assertEqual((len(first), others), (3, [first] * 3))
        self.assertEqual(none, ["hifloat4_cast: the UB of this chip, 16000 bytes, has no room for one tile"])


if __name__ == "__main__":
    unittest.main()

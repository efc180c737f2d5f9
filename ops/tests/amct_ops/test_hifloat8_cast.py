# SPDX-License-Identifier: Apache-2.0
"""amct_ops.hifloat8_cast on npu:0 against exact references.

    PYTHONPATH=amct_ops/staging python3 -m unittest tests.amct_ops.test_hifloat8_cast      (from ops/)

Comparisons are of bits; there is no tolerance anywhere.
"""
import textwrap
import unittest

import numpy as np
import torch

import amct_ops.hifloat8_cast as hif8
from tests.amct_ops import hifloat8_reference as ref
from tests.amct_ops.npu_case import NpuCase, run_with

HALVES = (torch.float16, torch.bfloat16)


def all_patterns(dtype):
    """Every one of the 65,536 bit patterns of a 16-bit type, on the host."""
    return torch.arange(-32768, 32768, dtype=torch.int32).to(torch.int16).view(dtype)


def bits(t):
    return t.cpu().contiguous().view(torch.int16)


def want_codes(x, saturate=True):
    return torch.from_numpy(ref.encode_all(x.float().numpy(), saturate))


def en_dtypes_codes(x):
    import en_dtypes

    with np.errstate(all="ignore"):
        return torch.from_numpy(x.float().numpy().astype(en_dtypes.hifloat8).view(np.uint8))


class Patterns(NpuCase):
    def test_encode_every_pattern(self):
        for dtype in HALVES:
            x = all_patterns(dtype)
            self.same(hif8.encode_to_hifloat8(x.npu()), want_codes(x), str(dtype))

    def test_encode_every_pattern_against_en_dtypes(self):
        """Equal but for the documented convention: en_dtypes overflows to infinity from 40960 on."""
        for dtype in HALVES:
            x = all_patterns(dtype)
            got = hif8.encode_to_hifloat8(x.npu()).cpu()
            want = en_dtypes_codes(x)
            overflows = (x.float().abs() >= 40960) & x.isfinite()
            self.same(got[~overflows], want[~overflows], str(dtype))
            self.assertGreater(int(overflows.sum()), 0)
            self.same(got[overflows], want[overflows] - 1, f"{dtype}: 6F, EF there, 6E, EE here")

    def test_decode_every_code(self):
        codes = torch.arange(256, dtype=torch.int32).to(torch.uint8)
        values = torch.tensor([ref.decode(c) for c in range(256)], dtype=torch.float64)
        for dtype in HALVES:
            got = hif8.decode_from_hifloat8(codes.npu(), dtype)
            self.assertEqual(got.dtype, dtype)
            want = bits(values.to(dtype))
            want[ref.NAN] = 0x7FFF
            self.same(bits(got), want, str(dtype))
            self.assertEqual(int(got.cpu().isnan().sum()), 1)

    def test_decode_default_is_bfloat16(self):
        codes = torch.tensor([0x08], dtype=torch.uint8).npu()
        self.assertEqual(torch.ops.amct.decode_from_hifloat8(codes).dtype, torch.bfloat16)
        self.assertEqual(hif8.decode_from_hifloat8(codes).dtype, torch.bfloat16)

    def test_codes_survive_the_round_trip(self):
        codes = torch.arange(256, dtype=torch.int32).to(torch.uint8).npu()
        for dtype in HALVES:
            self.same(hif8.encode_to_hifloat8(hif8.decode_from_hifloat8(codes, dtype)), codes, str(dtype))

    def test_published_pairs(self):
        pairs = [(0.0, 0x00), (-0.0, 0x00), (1.0, 0x08), (-1.0, 0x88), (1.0625, 0x09), (1.1875, 0x0A),
                 (15.5, 0x40), (18.0, 0x41), (0.96875, 0x08), (100.0, 0x4A), (65504.0, 0x6E),
                 (-65504.0, 0xEE), (2.718e-5, 0x7E), (2.0 ** -22, 0x01), (2.0 ** -23, 0x01),
                 (2.0 ** -24, 0x00), (float("inf"), 0x6F), (float("-inf"), 0xEF), (float("nan"), 0x80)]
        x = torch.tensor([p[0] for p in pairs], dtype=torch.float16)
        self.same(hif8.encode_to_hifloat8(x.npu()), torch.tensor([p[1] for p in pairs], dtype=torch.uint8))


class Shapes(NpuCase):
    def check(self, x, what):
        """x: on the host, any strides. The device copy gets the same values and strides."""
        on_npu = torch.empty_strided(x.size(), x.stride(), dtype=x.dtype).copy_(x).npu()
        self.same(hif8.encode_to_hifloat8(on_npu), want_codes(x), what)

    def test_lengths_around_every_edge(self):
        """One element, blocks of 32 bytes, repeats of 256 bytes, cores, tiles, and one beside each."""
        source = torch.randn(1_400_000).to(torch.float16)
        want = want_codes(source)
        for edge in (1, 2, 16, 32, 64, 128, 256, 4096, 8192, 14336, 15616, 48 * 4096, 48 * 14336, 1_300_001):
            for n in (edge - 1, edge, edge + 1):
                if n < 1:
                    continue
                codes = hif8.encode_to_hifloat8(source[:n].npu())
                self.same(codes, want[:n], f"encode {n}")
                back = hif8.decode_from_hifloat8(codes, torch.float16)
                again = hif8.encode_to_hifloat8(back)
                self.same(again, want[:n], f"decode {n}")

    def test_random_shapes(self):
        rng = np.random.default_rng(7)
        for _ in range(20):
            shape = tuple(int(n) for n in rng.integers(1, 24, size=rng.integers(0, 5)))
            dtype = HALVES[int(rng.integers(2))]
            x = (torch.randn(shape) * 2.0 ** float(rng.integers(-24, 16))).to(dtype)
            got = hif8.encode_to_hifloat8(x.npu())
            self.assertTrue(got.is_contiguous())
            self.same(got, want_codes(x), f"{dtype} {shape}")

    def test_views(self):
        """A transposed view, a column slice and an offset row slice of the same values."""
        for dtype in HALVES:
            base = torch.randn(37, 53).to(dtype)
            on_npu = base.npu()
            for name, view in (("transposed", lambda t: t.t()), ("columns", lambda t: t[:, 3:20]),
                               ("rows", lambda t: t[5:]), ("steps", lambda t: t[::3, ::2]),
                               ("expanded", lambda t: t[:1].expand(4, 53)), ("one", lambda t: t[3, 1])):
                x, y = view(base), view(on_npu)
                self.assertEqual(x.stride(), y.stride())
                got = hif8.encode_to_hifloat8(y)
                self.same(got, want_codes(x), f"encode {name}")
                codes = hif8.encode_to_hifloat8(on_npu)
                dense = hif8.decode_from_hifloat8(codes, dtype).cpu()
                self.same(bits(hif8.decode_from_hifloat8(view(codes), dtype)), bits(view(dense)), f"decode {name}")

    def test_does_not_write_beyond_its_output(self):
        """Neighbours of a result in one allocation keep their bytes."""
        for n in (1, 31, 33, 127, 129, 5000):
            x = torch.randn(n).half().npu()
            got = hif8.encode_to_hifloat8(x)
            guard = torch.full((n + 64,), 0x55, dtype=torch.uint8).npu()
            guard[32:32 + n] = got
            self.same(guard[:32], torch.full((32,), 0x55, dtype=torch.uint8))
            self.same(guard[32:32 + n], want_codes(x.cpu()))


class Graphs(NpuCase):
    def test_meta_says_what_the_operator_gives(self):
        x = torch.randn(6, 4).half()
        for view in (x, x.t(), x[:, 1:3]):
            on_npu = torch.empty_strided(view.size(), view.stride(), dtype=view.dtype).copy_(view).npu()
            real = hif8.encode_to_hifloat8(on_npu)
            shape_only = hif8.encode_to_hifloat8(view.to("meta"))
            for a, b in ((real, shape_only), (hif8.decode_from_hifloat8(real, torch.float16),
                                              hif8.decode_from_hifloat8(shape_only, torch.float16))):
                self.assertEqual((a.shape, a.dtype, a.stride()), (b.shape, b.dtype, b.stride()))

    def test_fake_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            x = torch.empty(5, 7, dtype=torch.bfloat16, device="npu")
            codes = hif8.encode_to_hifloat8(x)
            self.assertEqual((codes.shape, codes.dtype, codes.device.type), (x.shape, torch.uint8, "npu"))
            back = hif8.decode_from_hifloat8(codes)
            self.assertEqual((back.shape, back.dtype, back.device.type), (x.shape, torch.bfloat16, "npu"))

    def test_compile(self):
        def fake_quantise(x):
            return hif8.decode_from_hifloat8(hif8.encode_to_hifloat8(x), torch.float16) * 2

        for backend in ("eager", "aot_eager"):
            torch._dynamo.reset()
            compiled = torch.compile(fake_quantise, backend=backend, fullgraph=True)
            x = torch.randn(64, 33).half().npu()
            self.same(bits(compiled(x)), bits(fake_quantise(x)), backend)

    def test_opcheck(self):
        for dtype in HALVES:
            x = torch.randn(4, 6).to(dtype).npu()
            torch.library.opcheck(torch.ops.amct.encode_to_hifloat8.default, (x,))
            torch.library.opcheck(torch.ops.amct.encode_to_hifloat8.default, (x.t(),))
            torch.library.opcheck(torch.ops.amct.decode_from_hifloat8.default, (hif8.encode_to_hifloat8(x), dtype))

    def test_one_graph_serves_every_batch_size(self):
        inputs = [torch.randn(rows, 8).half() for rows in (2, 3, 9, 17)]
        both = self.one_graph(lambda x: (hif8.encode_to_hifloat8(x), hif8.decode_from_hifloat8(hif8.encode_to_hifloat8(x))),
                              [x.npu() for x in inputs])
        for x, (codes, values) in zip(inputs, both):
            self.same(codes, want_codes(x))
            self.same(bits(values), bits(hif8.decode_from_hifloat8(codes)))


class BadInput(NpuCase):
    def test_encode_dtype(self):
        for dtype, said in ((torch.float32, "Float"), (torch.int32, "Int"), (torch.uint8, "Byte")):
            self.refuses(f"encode_to_hifloat8.*float16 or bfloat16.*got {said}", hif8.encode_to_hifloat8,
                         torch.ones(4, dtype=dtype).npu())

    def test_decode_dtype(self):
        self.refuses("uint8.*got Half", hif8.decode_from_hifloat8, torch.ones(4).half().npu())

    def test_decode_result_dtype(self):
        self.refuses("float16 or bfloat16.*got Float", hif8.decode_from_hifloat8,
                     torch.ones(4, dtype=torch.uint8).npu(), torch.float32)

    def test_empty(self):
        self.refuses(r"must not be empty.*\[0, 3\]", hif8.encode_to_hifloat8, torch.empty(0, 3).half().npu())
        self.refuses(r"must not be empty.*\[0\]", hif8.decode_from_hifloat8,
                     torch.empty(0, dtype=torch.uint8).npu())

    def test_cpu_tensor(self):
        self.refuses("amct::encode_to_hifloat8.*'CPU'", hif8.encode_to_hifloat8, torch.ones(4).half())
        self.refuses("amct::decode_from_hifloat8.*'CPU'", hif8.decode_from_hifloat8,
                     torch.ones(4, dtype=torch.uint8))

    def test_meta_refuses_the_same(self):
        self.refuses("float16 or bfloat16.*got Float", hif8.encode_to_hifloat8, torch.ones(4, device="meta"))
        self.refuses("uint8.*got Half", hif8.decode_from_hifloat8, torch.ones(4, device="meta").half())
        self.refuses("float16 or bfloat16.*got Float", hif8.decode_from_hifloat8,
                     torch.ones(4, dtype=torch.uint8, device="meta"), torch.float32)

    def test_works_after_a_refusal(self):
        self.refuses("got Float", hif8.encode_to_hifloat8, torch.ones(4).npu())
        self.same(hif8.encode_to_hifloat8(torch.ones(4).half().npu()), torch.full((4,), 8, dtype=torch.uint8))


class Docstrings(NpuCase):
    def test_examples(self):
        self.examples_hold(hif8.ops, 2)


class OtherUb(unittest.TestCase):
    """One library, other sizes of UB: the tile follows, the codes do not. A tile cut for 196608 bytes would not fit the first."""

    SIZES = 131072, 196608, 262144, 524288
    PROGRAM = textwrap.dedent("""
        import hashlib, torch, amct_ops.hifloat8_cast as h
        torch.manual_seed(0)
        for dtype in (torch.float16, torch.bfloat16):
            x = (torch.randn(48 * 33_333) * torch.logspace(-7, 4, 48 * 33_333)).to(dtype).npu()
            try:
                codes = h.encode_to_hifloat8(x)
            except RuntimeError as e:
                print(str(e).splitlines()[0])
                break
            for t in (codes, h.decode_from_hifloat8(codes, dtype).view(torch.uint8)):
                print(hashlib.sha256(t.cpu().numpy().tobytes()).hexdigest())
    """)

    def test_same_codes(self):
        """And of 24,000 bytes, the table and what is reserved leave nothing: so the tile comes from the platform."""
        first, *others, none = run_with([{"NPUTWIN_SOC_SET": f"ub_bytes={n}"} for n in (*self.SIZES, 24000)], self.PROGRAM)
        self.assertEqual((len(first), others), (4, [first] * 3))
        self.assertEqual(none, ["hifloat8_cast: the UB of this chip, 24000 bytes, has no room for the table and one tile"])


class Order(unittest.TestCase):
    """The launch must not overtake operators that torch_npu still holds in its queue."""

    PROGRAM = textwrap.dedent("""
        import torch, amct_ops.hifloat8_cast as hif8
        for round in range(20):
            x = torch.empty(1 << 14, dtype=torch.float16, device="npu")
            x.fill_(float(round + 1))
            x.mul_(2.0)
            codes = hif8.encode_to_hifloat8(x)
            x.fill_(-1.0)                       # must not be seen by the encode before it
            back = hif8.decode_from_hifloat8(codes, torch.float16)
            codes.zero_()                       # nor this by the decode
            y = back + 1.0
            want = hif8.decode_from_hifloat8(hif8.encode_to_hifloat8(
                torch.full((1,), 2.0 * (round + 1)).half().npu()), torch.float16).cpu() + 1.0
            assert (y.cpu() == want).all(), (round, y[:4], want)
        print("ordered")
    """)

    def test_task_queue_settings(self):
        settings = [{"TASK_QUEUE_ENABLE": queue, "NPUTWIN_QUEUE_DELAY_US": delay_us}
                    for queue, delay_us in (("0", "0"), ("1", "2000"), ("2", "2000"))]
        threads = "[open(f'/proc/self/task/{t}/comm').read().strip() for t in __import__('os').listdir('/proc/self/task')]"
        said = run_with(settings, f"{self.PROGRAM}print('acl_thread' in {threads})")
        self.assertEqual(said, [["ordered", str(queued)] for queued in (False, True, True)])


class Streams(NpuCase):
    def test_side_stream(self):
        x = torch.randn(200_000).half()
        stream = torch.npu.Stream()
        on_npu = x.npu()
        torch.npu.synchronize()
        with torch.npu.stream(stream):
            codes = hif8.encode_to_hifloat8(on_npu)
        stream.synchronize()
        self.same(codes, want_codes(x))


if __name__ == "__main__":
    unittest.main()

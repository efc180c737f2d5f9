# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu_ops.rms_norm against torch on the CPU in float64. Run from this folder, with the wheel installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import rms_norm_asc

# The strict check: every element within one unit in the last place, of float32 within a few, where assertRtolEqual
# lets some be arbitrarily wrong.
TOLERANCE = {torch.float32: 1e-6, torch.float16: 2**-10, torch.bfloat16: 2**-7}


def assert_close(got, want):
    torch.testing.assert_close(got.cpu(), want, rtol=TOLERANCE[want.dtype], atol=1e-7)


def reference(x, gamma, eps=1e-6):
    return torch.nn.functional.rms_norm(x.double(), x.shape[-1:], gamma.double(), eps).to(x.dtype)


class TestRmsNorm(TestCase):
    def check(self, x, gamma, eps=1e-6):
        got = torch.ops.npu_ops.rms_norm(x.npu(), gamma.npu(), eps)
        want = reference(x, gamma, eps)
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
        assert_close(got, want)
        if x.dtype != torch.bfloat16:  # one unit in its last place is more than assertRtolEqual allows
            self.assertRtolEqual(got.cpu(), want)

    def test_rms_norm(self):
        for dtype in TOLERANCE:
            self.check((torch.randn(64, 1024) * 3).to(dtype), torch.randn(1024).to(dtype))

    def test_shapes(self):
        """Rows for each core, and rows that cores share: lengths beside 32-byte blocks, tiles and parts."""
        for dtype in TOLERANCE:
            for shape in ((1,), (7,), (3, 17), (200, 8), (48, 64), (49, 65), (2, 3, 4095), (1, 4097), (1, 48 * 4096),
                          (1, 48 * 4096 + 1), (2, 300_001), (47, 9000), (1, 1_500_000)):
                self.check(torch.randn(shape).to(dtype), torch.randn(shape[-1:]).to(dtype))

    def test_every_row_gets_its_own_mean(self):
        """Rows of other magnitudes: a sum from a wrong place in the workspace would show."""
        for rows, length in ((4, 50_000), (24, 8192), (100, 100)):
            x = torch.randn(rows, length) * torch.logspace(-3, 3, rows)[:, None]
            self.check(x, torch.ones(length), 0.0)

    def test_large_mean_of_long_rows(self):
        self.check(torch.randn(1, 3_000_000) + 100, torch.randn(3_000_000))

    def test_eps(self):
        for eps in (0.0, 1e-6, 2.0):
            self.check(torch.full((2, 100), 1e-3), torch.ones(100), eps)
        self.check(torch.zeros(2, 100), torch.ones(100), 1e-6)

    def test_views(self):
        x, gamma = torch.randn(37, 53), torch.randn(106)
        for view in (lambda t: t.t(), lambda t: t[:, 3:20], lambda t: t[5:], lambda t: t[::2]):
            a, g = view(x), gamma[::2][:view(x).shape[-1]]
            got = torch.ops.npu_ops.rms_norm(view(x.npu()), g.npu())
            assert_close(got, reference(a, g))

    def test_order_with_queued_operators(self):
        gamma = torch.ones(9000).npu()
        for i in range(1, 30):
            x = torch.empty(2, 9000, device="npu").fill_(i)
            y = torch.ops.npu_ops.rms_norm(x, gamma, float(i * i))
            x.zero_()
            assert_close(y, torch.full((2, 9000), 0.5**0.5))

    def test_empty(self):
        for shape in ((0, 3), (3, 0)):
            got = torch.ops.npu_ops.rms_norm(torch.empty(shape).npu(), torch.ones(shape[1:]).npu())
            self.assertEqual(got.shape, shape)

    def test_meta_and_one_graph(self):
        x = torch.empty(6, 4, dtype=torch.float16, device="meta")
        self.assertEqual(torch.ops.npu_ops.rms_norm(x, x[0]).shape, (6, 4))
        graphs = []

        def count(gm, _):
            graphs.append(gm)
            return gm.forward

        norm = torch.compile(lambda a, g: torch.ops.npu_ops.rms_norm(a, g), backend=count, dynamic=True, fullgraph=True)
        for rows in (2, 3, 9):
            x = torch.randn(rows, 8)
            assert_close(norm(x.npu(), x[0].npu()), reference(x, x[0]))
        self.assertEqual(len(graphs), 1)

    def test_opcheck(self):
        x, gamma = torch.randn(4, 6).npu(), torch.randn(6).npu()
        torch.library.opcheck(torch.ops.npu_ops.rms_norm.default, (x, gamma))
        # With gradients too, but for test_autograd_registration: torch has that for CPU, CUDA and XPU alone.
        torch.library.opcheck(torch.ops.npu_ops.rms_norm.default, (x.requires_grad_(), gamma.requires_grad_(), 1e-5),
                              test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))

    def test_autograd(self):
        def loss(norm, x, gamma):
            return (norm(x, gamma) * weight.to(x)).sum()

        weight = torch.randn(7, 96)
        leaves = [torch.randn(7, 96), torch.randn(96)]
        cpu = [t.double().requires_grad_() for t in leaves]
        want = torch.autograd.grad(loss(lambda x, g: torch.nn.functional.rms_norm(x, (96,), g, 1e-6), *cpu), cpu)
        ours = torch.ops.npu_ops.rms_norm
        for norm in (ours, torch.compile(lambda x, g: ours(x, g), backend="aot_eager", fullgraph=True)):
            npu = [t.npu().requires_grad_() for t in leaves]
            for g, w in zip(torch.autograd.grad(loss(norm, *npu), npu), want):
                torch.testing.assert_close(g.cpu(), w.float(), rtol=1e-4, atol=1e-5)

    def test_pybind(self):
        for shape in ((64, 100), (2, 50_000)):
            x, gamma = torch.randn(shape), torch.randn(shape[-1])
            y = rms_norm_asc.rms_norm(x.npu().requires_grad_(), gamma=gamma.npu())
            assert_close(y, reference(x, gamma))
            self.assertFalse(y.requires_grad)  # past the dispatcher
        with self.assertRaisesRegex(RuntimeError, "x must be on an npu, is on cpu"):
            rms_norm_asc.rms_norm(x, gamma)

    def test_bad_input(self):
        norm, x, p = torch.ops.npu_ops.rms_norm, torch.ones(2, 4).npu(), torch.ones(4).npu()
        for said, call in (("float16, bfloat16 or float32, got Int", lambda: norm(x.int(), p.int())),
                           ("x is Float, gamma is Half", lambda: norm(x, p.half())),
                           (r"gamma must have the shape of a row of x, \[4\], got \[2, 4\]", lambda: norm(x, x)),
                           (r"gamma must .*\[4\], got \[3\]", lambda: norm(x, p[:3])),
                           ("at least one dimension", lambda: norm(p[0], p)),
                           ("gamma on cpu", lambda: norm(x, p.cpu())),
                           ("eps must not be negative, got -1", lambda: norm(x, p, -1.0))):
            with self.assertRaisesRegex(RuntimeError, said):
                call()
        with self.assertRaisesRegex(NotImplementedError, "npu_ops::rms_norm.*'CPU'"):
            norm(x.cpu(), p.cpu())


if __name__ == "__main__":
    run_tests()

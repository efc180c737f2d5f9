# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu_ops.matmul_leakyrelu against torch on the CPU. Run from this folder, with the wheel installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import matmul_leakyrelu_asc  # noqa: F401

DTYPES = (torch.float16, torch.bfloat16)


def reference(a, b, bias, slope=0.001):
    return torch.nn.functional.leaky_relu(a.double() @ b.double() + bias.double(), slope).float()


def integers(m, k, n, dtype=torch.float16):
    """Products and sums of these are exact, so that every bit can be compared."""
    return (torch.randint(-4, 5, (m, k)).to(dtype), torch.randint(-4, 5, (k, n)).to(dtype),
            torch.randint(-9, 10, (n,)).float())


class TestMatmulLeakyrelu(TestCase):
    def same(self, args, slope=0.25):
        got = torch.ops.npu_ops.matmul_leakyrelu(*[t.npu() for t in args], slope)
        want = reference(*args, slope)
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
        self.assertTrue(torch.equal(got.cpu(), want), [t.shape for t in args])

    def test_matmul_leakyrelu(self):
        for dtype in DTYPES:
            args = torch.randn(1024, 256).to(dtype), torch.randn(256, 640).to(dtype), torch.randn(640)
            got, want = torch.ops.npu_ops.matmul_leakyrelu(*[t.npu() for t in args]).cpu(), reference(*args)
            torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-4)  # every element; the line below lets some be wrong
            self.assertRtolEqual(got, want)

    def test_shapes(self):
        """Beside fractals of 16, tiles and cores, every bit."""
        for dtype in DTYPES:
            for m, k, n in ((1, 1, 1), (16, 16, 16), (17, 15, 33), (3, 200, 5), (1, 64, 1000), (333, 77, 1), (129, 257, 513),
                            (1000, 40, 1001), (48, 64, 12345)):
                self.same(integers(m, k, n, dtype))

    def test_slope(self):
        for slope in (0.0, 1.0, -0.5):
            self.same(integers(20, 30, 40), slope)

    def test_views(self):
        a, b, bias = integers(60, 40, 50)
        npu = [t.npu() for t in (a, b, bias)]
        for view in (lambda x, y, z: (x.t()[:20], y[:, ::2][:30].t()[:, :30].t()[:30], z[::2]),
                     lambda x, y, z: (x[::3, 5:], y[5:, 3:], z[3:])):
            args, on_npu = view(a, b, bias), view(*npu)
            if args[0].shape[1] != args[1].shape[0]:
                args, on_npu = ((t[0][:, :30], *t[1:]) for t in (args, on_npu))
            self.assertTrue(torch.equal(torch.ops.npu_ops.matmul_leakyrelu(*on_npu, 0.25).cpu(), reference(*args, 0.25)))

    def test_order_with_queued_operators(self):
        b, bias = torch.eye(64).half().npu(), torch.zeros(64).npu()
        for i in range(30):
            a = torch.empty(64, 64, dtype=torch.float16, device="npu").fill_(i)
            c = torch.ops.npu_ops.matmul_leakyrelu(a, b, bias)
            a.zero_()
            self.assertTrue(bool((c.cpu() == i).all()), i)

    def test_empty(self):
        for m, n in ((0, 3), (3, 0)):
            got = torch.ops.npu_ops.matmul_leakyrelu(torch.empty(m, 4).half().npu(), torch.empty(4, n).half().npu(), torch.empty(n).npu())
            self.assertEqual((got.shape, got.dtype), ((m, n), torch.float32))

    def test_meta_and_one_graph(self):
        a, b, bias = torch.empty(6, 4, device="meta").half(), torch.empty(4, 5, device="meta").half(), torch.empty(5, device="meta")
        self.assertEqual(torch.ops.npu_ops.matmul_leakyrelu(a, b, bias).shape, (6, 5))
        graphs = []

        def count(gm, _):
            graphs.append(gm)
            return gm.forward

        multiply = torch.compile(lambda *args: torch.ops.npu_ops.matmul_leakyrelu(*args), backend=count, dynamic=True, fullgraph=True)
        _, b, bias = integers(2, 8, 6)
        for rows in (2, 3, 9):
            a = integers(rows, 8, 6)[0]
            torch.testing.assert_close(multiply(a.npu(), b.npu(), bias.npu()).cpu(), reference(a, b, bias))
        self.assertEqual(len(graphs), 1)

    def test_opcheck(self):
        torch.library.opcheck(torch.ops.npu_ops.matmul_leakyrelu.default, [t.npu() for t in integers(4, 6, 5)])

    def test_autograd(self):
        """Small integers, so that the gradients are exact in float16 too."""
        a, b, bias = integers(7, 5, 6)
        weight = torch.randint(-2, 3, (7, 6)).float()
        cpu = [t.double().requires_grad_() for t in (a, b, bias)]
        ref = torch.nn.functional.leaky_relu(cpu[0] @ cpu[1] + cpu[2], 0.25)
        want = torch.autograd.grad((ref * weight).sum(), cpu)
        ours = torch.ops.npu_ops.matmul_leakyrelu
        for run in (ours, torch.compile(lambda *args: ours(*args), backend="aot_eager", fullgraph=True)):
            npu = [t.npu().requires_grad_() for t in (a, b, bias)]
            for g, w, leaf in zip(torch.autograd.grad((run(*npu, 0.25) * weight.npu()).sum(), npu), want, npu):
                self.assertEqual(g.dtype, leaf.dtype)
                self.assertTrue(torch.equal(g.cpu().double(), w))
        with self.assertRaisesRegex(RuntimeError, "no gradient for negative_slope 0.0"):
            ours(*npu, 0.0).sum().backward()

    def test_bad_input(self):
        run, (a, b, bias) = torch.ops.npu_ops.matmul_leakyrelu, [t.npu() for t in integers(4, 6, 5)]
        for said, call in (("a and b must both be float16 or both bfloat16, got Float and Half", lambda: run(a.float(), b, bias)),
                           ("bias must be float32, got Half", lambda: run(a, b, bias.half())),
                           (r"\[M, K\] and \[K, N\], got \[4, 6\] and \[4, 6\]", lambda: run(a, a, bias)),
                           (r"K must not be 0, got \[4, 0\] and \[0, 5\]", lambda: run(a[:, :0], b[:0], bias)),
                           (r"bias must have shape \[5\], got \[4\]", lambda: run(a, b, bias[1:])),
                           ("one device, got npu:0, npu:0 and cpu", lambda: run(a, b, bias.cpu()))):
            with self.assertRaisesRegex(RuntimeError, said):
                call()
        with self.assertRaisesRegex(NotImplementedError, "npu_ops::matmul_leakyrelu.*'CPU'"):
            run(a.cpu(), b.cpu(), bias.cpu())


if __name__ == "__main__":
    run_tests()

# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.layer_norm_v4 against torch on the CPU in float64. Run from this folder, with the wheel installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import layer_norm_v4_ext  # noqa: F401

# The strict check: every element, where assertRtolEqual lets some be arbitrarily wrong.
TOLERANCE = {torch.float32: 1e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}


def reference(x, dims, gamma=None, beta=None, eps=1e-5):
    x, axes = x.double(), tuple(range(x.dim() - dims, x.dim()))
    mean = x.mean(axes, True)
    rstd = (x.var(axes, correction=0, keepdim=True) + eps).rsqrt()
    y = (x - mean) * rstd
    y = y if gamma is None else y * gamma.double()
    return y if beta is None else y + beta.double(), mean, rstd


def on_npu(t):
    return None if t is None else t.npu()


class TestLayerNormV4(TestCase):
    def check(self, x, dims, gamma, beta, eps=1e-5):
        got = torch.ops.npu.layer_norm_v4(x.npu(), x.shape[x.dim() - dims:], on_npu(gamma), on_npu(beta), eps)
        for g, w, dtype in zip(got, reference(x, dims, gamma, beta, eps), (x.dtype, torch.float32, torch.float32)):
            w = w.to(dtype)
            self.assertEqual((g.dtype, g.shape), (w.dtype, w.shape))
            torch.testing.assert_close(g.cpu(), w, rtol=TOLERANCE[x.dtype], atol=TOLERANCE[x.dtype])
            self.assertRtolEqual(g.cpu(), w)

    def test_layer_norm_v4(self):
        """All types, one to three normalised dimensions, gamma and beta there or not."""
        for dtype in TOLERANCE:
            x = (torch.randn(6, 5, 64) * 3 + 1).to(dtype)
            for dims in (1, 2, 3):
                gamma, beta = (torch.randn(x.shape[3 - dims:]).to(dtype) for _ in range(2))
                for g in (gamma, None):
                    for b in (beta, None):
                        self.check(x, dims, g, b)

    def test_defaults(self):
        x = torch.randn(4, 16)
        got = torch.ops.npu.layer_norm_v4(x.npu(), [16])[0]
        torch.testing.assert_close(got.cpu(), reference(x, 1)[0].float(), rtol=1e-6, atol=1e-6)

    def test_autograd(self):
        def loss(norm, leaves):
            return (norm(*leaves) * weight.to(leaves[0])).sum()

        def ours(x, gamma=None, beta=None):
            return torch.ops.npu.layer_norm_v4(x, (3, 32), gamma, beta)[0]

        def torchs(x, gamma=None, beta=None):
            return torch.nn.functional.layer_norm(x, (3, 32), gamma, beta, 1e-5)

        weight = torch.randn(7, 3, 32)
        leaves = [torch.randn(7, 3, 32), torch.randn(3, 32), torch.randn(3, 32)]
        for count in (1, 2, 3):
            cpu = [t.double().requires_grad_() for t in leaves[:count]]
            want = torch.autograd.grad(loss(torchs, cpu), cpu)
            for norm in (ours, torch.compile(ours, backend="aot_eager", fullgraph=True)):
                npu = [t.npu().requires_grad_() for t in leaves[:count]]
                for g, w in zip(torch.autograd.grad(loss(norm, npu), npu), want):
                    torch.testing.assert_close(g.cpu(), w.float(), rtol=1e-4, atol=1e-5)

    def test_meta(self):
        x = torch.empty(6, 5, 4, device="meta", dtype=torch.float16)
        y, mean, rstd = torch.ops.npu.layer_norm_v4(x, (5, 4))
        self.assertEqual((y.shape, mean.shape, rstd.shape), ((6, 5, 4), (6, 1, 1), (6, 1, 1)))
        self.assertEqual((y.dtype, mean.dtype, rstd.dtype), (torch.float16, torch.float32, torch.float32))

    def test_one_graph_serves_every_batch_size(self):
        graphs = []

        def count(gm, _):
            graphs.append(gm)
            return gm.forward

        norm = torch.compile(lambda a, p: torch.ops.npu.layer_norm_v4(a, (8,), p)[0], backend=count, dynamic=True, fullgraph=True)
        for rows in (2, 3, 9):
            x = torch.randn(rows, 8)
            want = torch.nn.functional.layer_norm(x.double(), (8,), x[0].double()).float()
            torch.testing.assert_close(norm(x.npu(), x[0].npu()).cpu(), want, rtol=1e-5, atol=1e-6)
        self.assertEqual(len(graphs), 1)

    def test_opcheck(self):
        x, p = torch.randn(4, 6).npu(), torch.randn(6).npu()
        op = torch.ops.npu.layer_norm_v4.default
        torch.library.opcheck(op, (x, (6,)))
        torch.library.opcheck(op, (x, (6,), p, p))
        # With gradients too, but for test_autograd_registration: torch has that for CPU, CUDA and XPU alone.
        torch.library.opcheck(op, (x.requires_grad_(), (6,), p, p),
                              test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))

    def test_empty(self):
        y, mean, _ = torch.ops.npu.layer_norm_v4(torch.empty(0, 4).npu(), [4])
        self.assertEqual((y.shape, mean.shape), ((0, 4), (0, 1)))

    def test_bad_input(self):
        norm, x, p = torch.ops.npu.layer_norm_v4, torch.ones(2, 4).npu(), torch.ones(4).npu()
        for said, call in ((r"must be the last dimensions of x.*\[2, 4\], got \[5\]", lambda: norm(x, [5])),
                           (r"got \[1, 2, 4\]", lambda: norm(x, [1, 2, 4])),
                           (r"must be the last dimensions.*got \[\]", lambda: norm(x, [])),
                           (r"gamma must have shape \[4\], got \[2, 4\]", lambda: norm(x, [4], x)),
                           ("x is Float, beta is Half", lambda: norm(x, [4], None, p.half())),
                           ("got Int", lambda: norm(x.int(), [4])),
                           ("beta on cpu", lambda: norm(x, [4], p, p.cpu()))):
            with self.assertRaisesRegex(RuntimeError, said):
                call()
        with self.assertRaisesRegex(NotImplementedError, "npu::layer_norm_v4.*'CPU'"):
            norm(x.cpu(), [4])


if __name__ == "__main__":
    run_tests()

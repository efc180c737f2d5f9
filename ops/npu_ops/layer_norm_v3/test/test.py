# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.layer_norm_v3 against torch on the CPU in float64. Run from this folder, with the wheel installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import layer_norm_v3_ext  # noqa: F401

# The strict check: every element, where assertRtolEqual lets some be arbitrarily wrong.
TOLERANCE = {torch.float32: 1e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}


def reference(x, gamma, beta, axis, eps):
    x = x.double()
    axes = tuple(range(axis % x.dim(), x.dim()))
    mean = x.mean(axes, True)
    rstd = (x.var(axes, correction=0, keepdim=True) + eps).rsqrt()
    return (x - mean) * rstd * gamma.double() + beta.double(), mean, rstd


class TestLayerNormV3(TestCase):
    def check(self, x, gamma, beta, axis, params_axis, eps=1e-5):
        got = torch.ops.npu.layer_norm_v3(x.npu(), gamma.npu(), beta.npu(), axis, params_axis, eps)
        for g, w in zip(got, reference(x, gamma, beta, axis, eps)):
            w = w.to(x.dtype)
            self.assertEqual((g.dtype, g.shape), (w.dtype, w.shape))
            torch.testing.assert_close(g.cpu(), w, rtol=TOLERANCE[x.dtype], atol=TOLERANCE[x.dtype])
            self.assertRtolEqual(g.cpu(), w)

    def test_layer_norm_v3(self):
        for dtype in TOLERANCE:
            x = (torch.randn(6, 5, 64) * 3 + 1).to(dtype)
            for axis in (0, 1, 2, -1):
                self.check(x, torch.randn(x.shape[axis:]).to(dtype), torch.randn(x.shape[axis:]).to(dtype), axis, axis)

    def test_shapes_of_mean_and_rstd(self):
        x = torch.randn(6, 5, 64).npu()
        _, mean, rstd = torch.ops.npu.layer_norm_v3(x, x[0], x[0], 1, 1, 1e-5)
        self.assertEqual((mean.shape, rstd.shape), ((6, 1, 1), (6, 1, 1)))

    def test_views(self):
        x = torch.randn(40, 12)
        gamma, beta = torch.randn(40), torch.randn(40)
        got = torch.ops.npu.layer_norm_v3(x.npu().t(), gamma.npu(), beta.npu(), 1, 1, 1e-5)[0]
        want = reference(x.t(), gamma, beta, 1, 1e-5)[0].float()
        torch.testing.assert_close(got.cpu(), want, rtol=1e-6, atol=1e-6)

    def test_autograd(self):
        def loss(norm, leaves):
            return (norm(*leaves) * weight.to(leaves[0])).sum()

        def ours(x, gamma, beta):
            return torch.ops.npu.layer_norm_v3(x, gamma, beta, 1, 1, 1e-5)[0]

        def torchs(x, gamma, beta):
            return torch.nn.functional.layer_norm(x, (3, 32), gamma, beta, 1e-5)

        weight = torch.randn(7, 3, 32)
        leaves = [torch.randn(7, 3, 32), torch.randn(3, 32), torch.randn(3, 32)]
        cpu = [t.double().requires_grad_() for t in leaves]
        want = torch.autograd.grad(loss(torchs, cpu), cpu)
        for norm in (ours, torch.compile(ours, backend="aot_eager", fullgraph=True)):
            npu = [t.npu().requires_grad_() for t in leaves]
            for g, w in zip(torch.autograd.grad(loss(norm, npu), npu), want):
                torch.testing.assert_close(g.cpu(), w.float(), rtol=1e-4, atol=1e-5)

    def test_meta_and_one_graph(self):
        x = torch.empty(6, 4, device="meta")
        y, mean, rstd = torch.ops.npu.layer_norm_v3(x, x[0], x[0], -1, -1, 1e-5)
        self.assertEqual((y.shape, mean.shape, rstd.shape), ((6, 4), (6, 1), (6, 1)))
        graphs = []

        def count(gm, _):
            graphs.append(gm)
            return gm.forward

        norm = torch.compile(lambda a, p: torch.ops.npu.layer_norm_v3(a, p, p, -1, -1, 1e-5)[0], backend=count,
                             dynamic=True, fullgraph=True)
        for rows in (2, 3, 9):
            x = torch.randn(rows, 8)
            want = reference(x, x[0], x[0], 1, 1e-5)[0].float()
            torch.testing.assert_close(norm(x.npu(), x[0].npu()).cpu(), want, rtol=1e-5, atol=1e-6)
        self.assertEqual(len(graphs), 1)

    def test_opcheck(self):
        x, p = torch.randn(4, 6).npu(), torch.randn(6).npu()
        op = torch.ops.npu.layer_norm_v3.default
        torch.library.opcheck(op, (x, p, p, 1, 1, 1e-5))
        # With gradients too, but for test_autograd_registration: torch has that for CPU, CUDA and XPU alone.
        torch.library.opcheck(op, (x.requires_grad_(), p, p, 1, 1, 1e-5),
                              test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))

    def test_empty(self):
        x = torch.empty(0, 4).npu()
        y, mean, _ = torch.ops.npu.layer_norm_v3(x, *[torch.ones(4).npu()] * 2, 1, 1, 1e-5)
        self.assertEqual((y.shape, mean.shape), ((0, 4), (0, 1)))

    def test_bad_input(self):
        norm, x, p = torch.ops.npu.layer_norm_v3, torch.ones(2, 4).npu(), torch.ones(4).npu()
        for said, call in ((r"begin_norm_axis must be in \[-2, 1\].*got 2", lambda: norm(x, p, p, 2, 1, 1e-5)),
                           (r"gamma must have the shape.*\[4\], got \[2, 4\]", lambda: norm(x, x, p, 1, 1, 1e-5)),
                           ("x is Float, beta is Half", lambda: norm(x, p, p.half(), 1, 1, 1e-5)),
                           ("float16, bfloat16 or float32, got Int", lambda: norm(x.int(), p, p, 1, 1, 1e-5)),
                           ("at least one dimension, got a 0-dim tensor", lambda: norm(p[0], p, p, 0, 0, 1e-5)),
                           ("beta on cpu", lambda: norm(x, p, p.cpu(), 1, 1, 1e-5))):
            with self.assertRaisesRegex(RuntimeError, said):
                call()
        with self.assertRaisesRegex(NotImplementedError, "npu::layer_norm_v3.*'CPU'"):
            norm(x.cpu(), p.cpu(), p.cpu(), 1, 1, 1e-5)


if __name__ == "__main__":
    run_tests()

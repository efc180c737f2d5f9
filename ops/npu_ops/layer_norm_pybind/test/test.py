# SPDX-License-Identifier: Apache-2.0
"""layer_norm_v3_pybind.layer_norm_v3 against torch on the CPU in float64. Run from this folder, with the wheel installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import layer_norm_v3_pybind

# The strict check: every element, where assertRtolEqual lets some be arbitrarily wrong.
TOLERANCE = {torch.float32: 1e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}


def reference(x, gamma, beta, axis, eps):
    x = x.double()
    axes = tuple(range(axis % x.dim(), x.dim()))
    mean = x.mean(axes, True)
    rstd = (x.var(axes, correction=0, keepdim=True) + eps).rsqrt()
    return (x - mean) * rstd * gamma.double() + beta.double(), mean, rstd


class TestLayerNormV3(TestCase):
    def check(self, x, gamma, beta, axis, eps=1e-5):
        args = (x.npu(), gamma.npu(), beta.npu(), axis, axis, eps)
        got = [t.cpu() for t in layer_norm_v3_pybind.layer_norm_v3(*args)]
        for g, w in zip(got, reference(x, gamma, beta, axis, eps), strict=True):
            w = w.to(x.dtype)
            self.assertEqual((g.dtype, g.shape), (w.dtype, w.shape))
            torch.testing.assert_close(g, w, rtol=TOLERANCE[x.dtype], atol=TOLERANCE[x.dtype])
            self.assertRtolEqual(g, w)
        for g, o in zip(got, torch.ops.npu.layer_norm_v3(*args)):
            self.assertTrue(torch.equal(g, o.cpu()))

    def test_layer_norm_v3(self):
        for dtype in TOLERANCE:
            x = (torch.randn(6, 5, 64) * 3 + 1).to(dtype)
            for axis in (0, 1, 2, -1):
                self.check(x, torch.randn(x.shape[axis:]).to(dtype), torch.randn(x.shape[axis:]).to(dtype), axis)

    def test_keywords_and_views(self):
        x, gamma, beta = torch.randn(40, 12), torch.randn(40), torch.randn(40)
        got = layer_norm_v3_pybind.layer_norm_v3(x.npu().t(), gamma=gamma.npu(), beta=beta.npu(), begin_norm_axis=1,
                                                 begin_params_axis=1, eps=1e-5)[0]
        want = reference(x.t(), gamma, beta, 1, 1e-5)[0].float()
        torch.testing.assert_close(got.cpu(), want, rtol=1e-6, atol=1e-6)

    def test_past_the_dispatcher(self):
        """The binding knows no gradient; the operator beside it does."""
        x, p = torch.randn(3, 8).npu().requires_grad_(), torch.ones(8).npu()
        self.assertFalse(layer_norm_v3_pybind.layer_norm_v3(x, p, p, 1, 1, 1e-5)[0].requires_grad)
        cpu = x.detach().cpu().double().requires_grad_()
        torch.nn.functional.layer_norm(cpu, (8,)).square().sum().backward()
        torch.ops.npu.layer_norm_v3(x, p, p * 0, 1, 1, 1e-5)[0].square().sum().backward()
        torch.testing.assert_close(x.grad.cpu(), cpu.grad.float(), rtol=1e-4, atol=1e-5)

    def test_bad_input(self):
        norm, x, p = layer_norm_v3_pybind.layer_norm_v3, torch.ones(2, 4).npu(), torch.ones(4).npu()
        for said, call in (("x must be on an npu, is on cpu", lambda: norm(x.cpu(), p.cpu(), p.cpu(), 1, 1, 1e-5)),
                           (r"begin_norm_axis must be in \[-2, 1\].*got 2", lambda: norm(x, p, p, 2, 1, 1e-5)),
                           ("x is Float, beta is Half", lambda: norm(x, p, p.half(), 1, 1, 1e-5))):
            with self.assertRaisesRegex(RuntimeError, said):
                call()


if __name__ == "__main__":
    run_tests()

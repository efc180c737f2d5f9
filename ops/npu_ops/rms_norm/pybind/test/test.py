# SPDX-License-Identifier: Apache-2.0
"""rms_norm_pybind.rms_norm against torch on the CPU in float64. Run from this folder, with the wheel installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import rms_norm_pybind

# The strict check: every element within one unit in the last place, of float32 within a few, where assertRtolEqual
# lets some be arbitrarily wrong.
TOLERANCE = {torch.float32: 1e-6, torch.float16: 2**-10, torch.bfloat16: 2**-7}


def reference(x, gamma, eps=1e-6):
    return torch.nn.functional.rms_norm(x.double(), x.shape[-1:], gamma.double(), eps).to(x.dtype)


class TestRmsNorm(TestCase):
    def check(self, x, gamma, **more):
        got = rms_norm_pybind.rms_norm(x.npu(), gamma=gamma.npu(), **more).cpu()
        want = reference(x, gamma, **more)
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
        torch.testing.assert_close(got, want, rtol=TOLERANCE[want.dtype], atol=1e-7)
        if x.dtype != torch.bfloat16:  # one unit in its last place is more than assertRtolEqual allows
            self.assertRtolEqual(got, want)
        self.assertTrue(torch.equal(torch.ops.npu.rms_norm(x.npu(), gamma.npu(), **more).cpu(), got))

    def test_rms_norm(self):
        """Rows for each core, and rows that cores share."""
        for dtype in TOLERANCE:
            for shape in ((64, 1024), (7,), (49, 65), (2, 3, 4095), (2, 300_001)):
                self.check((torch.randn(shape) * 3).to(dtype), torch.randn(shape[-1:]).to(dtype))

    def test_eps(self):
        for eps in (0.0, 2.0):
            self.check(torch.full((2, 100), 1e-3), torch.ones(100), eps=eps)

    def test_views(self):
        x, gamma = torch.randn(37, 53), torch.randn(106)
        for view in (lambda t: t.t(), lambda t: t[:, 3:20], lambda t: t[5:], lambda t: t[::2]):
            a, g = view(x), gamma[::2][:view(x).shape[-1]]
            got = rms_norm_pybind.rms_norm(view(x.npu()), g.npu())
            torch.testing.assert_close(got.cpu(), reference(a, g), rtol=1e-6, atol=1e-7)

    def test_order_with_queued_operators(self):
        gamma = torch.ones(9000).npu()
        for i in range(1, 30):
            x = torch.empty(2, 9000, device="npu").fill_(i)
            y = rms_norm_pybind.rms_norm(x, gamma, float(i * i))
            x.zero_()
            torch.testing.assert_close(y.cpu(), torch.full((2, 9000), 0.5**0.5), rtol=1e-6, atol=1e-7)

    def test_past_the_dispatcher(self):
        """The binding knows no gradient; the operator beside it does."""
        x, gamma = torch.randn(3, 8).npu().requires_grad_(), torch.ones(8).npu()
        self.assertFalse(rms_norm_pybind.rms_norm(x, gamma).requires_grad)
        cpu = x.detach().cpu().double().requires_grad_()
        torch.nn.functional.rms_norm(cpu, (8,), eps=1e-6).square().sum().backward()
        torch.ops.npu.rms_norm(x, gamma).square().sum().backward()
        torch.testing.assert_close(x.grad.cpu(), cpu.grad.float(), rtol=1e-4, atol=1e-5)

    def test_bad_input(self):
        norm, x, p = rms_norm_pybind.rms_norm, torch.ones(2, 4).npu(), torch.ones(4).npu()
        for said, call in (("x must be on an npu, is on cpu", lambda: norm(x.cpu(), p.cpu())),
                           ("float16, bfloat16 or float32, got Int", lambda: norm(x.int(), p.int())),
                           ("x is Float, gamma is Half", lambda: norm(x, p.half())),
                           (r"gamma must .*\[4\], got \[3\]", lambda: norm(x, p[:3])),
                           ("eps must not be negative, got -1", lambda: norm(x, p, -1.0))):
            with self.assertRaisesRegex(RuntimeError, said):
                call()


if __name__ == "__main__":
    run_tests()

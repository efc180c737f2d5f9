# SPDX-License-Identifier: Apache-2.0
"""add_custom_pybind.add_custom against torch.add, bit by bit. Run from this folder, with the wheel installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import add_custom_pybind


class TestAddCustom(TestCase):
    def check(self, x, y):
        out = add_custom_pybind.add_custom(x.npu(), y=y.npu())
        want = torch.add(x, y)
        self.assertEqual((out.dtype, out.shape), (want.dtype, want.shape))
        self.assertRtolEqual(out.cpu(), want)
        self.assertTrue(torch.equal(out.cpu(), want))  # the line above lets a few elements be wrong
        self.assertTrue(torch.equal(torch.ops.npu.add_custom(x.npu(), y.npu()).cpu(), want))

    def test_add_custom(self):
        self.check(torch.rand(8, 2048).half(), torch.rand(8, 2048).half())

    def test_tails(self):
        """Lengths beside 32-byte blocks, tiles, and cores."""
        for n in (1, 15, 16, 17, 4095, 4096, 4097, 48 * 4096 + 1):
            self.check(torch.randn(n).half(), torch.randn(n).half())

    def test_views(self):
        x, y = torch.randn(37, 53).half(), torch.randn(37, 53).half()
        for view in (lambda t: t.t(), lambda t: t[:, 3:20], lambda t: t[5:], lambda t: t[3, 1]):
            got = add_custom_pybind.add_custom(view(x.npu()), view(y.npu()))
            self.assertTrue(torch.equal(got.cpu(), view(x) + view(y)))

    def test_order_with_queued_operators(self):
        for i in range(50):
            x = torch.empty(5000, dtype=torch.float16, device="npu").fill_(i)
            y = add_custom_pybind.add_custom(x, x)
            x.zero_()
            self.assertTrue(bool((y.cpu() == 2 * i).all()), i)

    def test_past_the_dispatcher(self):
        """The binding knows no gradient; the operator beside it does."""
        x = torch.ones(4).half().npu().requires_grad_()
        self.assertFalse(add_custom_pybind.add_custom(x, x).requires_grad)
        torch.ops.npu.add_custom(x, x).sum().backward()
        self.assertEqual(x.grad.cpu(), torch.full((4,), 2.0).half())

    def test_bad_input(self):
        x = torch.ones(4).half()
        with self.assertRaisesRegex(RuntimeError, "x must be on an npu, is on cpu"):
            add_custom_pybind.add_custom(x, x)
        with self.assertRaisesRegex(RuntimeError, "float16, got Float and Half"):
            add_custom_pybind.add_custom(torch.ones(4).npu(), x.npu())


if __name__ == "__main__":
    run_tests()

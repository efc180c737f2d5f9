# SPDX-License-Identifier: Apache-2.0
"""The three operators against torch on the CPU, bit by bit. Run from this folder, with wheel and package installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import axpy_ext  # noqa: F401


def reference(x, y, alpha):
    """Computed in float, rounded once."""
    return (x.float() * torch.tensor(alpha) + y.float()).to(x.dtype)


class TestAxpy(TestCase):
    def check(self, name):
        op = getattr(torch.ops.npu, name)
        for dtype in (torch.float16, torch.float32):
            for shape in ((1,), (37, 53), (3, 7, 333)):
                x, y = torch.randn(shape).to(dtype), torch.randn(shape).to(dtype)
                got = op(x.npu(), y.npu(), 0.3)
                self.assertEqual((got.dtype, got.shape), (dtype, x.shape))
                self.assertTrue(torch.equal(got.cpu(), reference(x, y, 0.3)))
        x, y = torch.randn(6, 9), torch.randn(9, 6)
        self.assertTrue(torch.equal(op(x.npu().t(), y.npu()).cpu(), reference(x.t(), y, 1.0)))

    def test_axpy(self):
        self.check("axpy")

    def test_axpy_aclnn(self):
        self.check("axpy_aclnn")

    def test_scale_custom(self):
        x = torch.randn(10_007)
        self.assertTrue(torch.equal(torch.ops.npu.scale_custom(x.npu(), -1.5).cpu(), x * -1.5))

    def test_view_starts_where_it_starts(self):
        """The address of a view is its own, not its storage's."""
        x = torch.arange(16.0).npu()[4:12]
        self.assertEqual(torch.ops.npu.scale_custom(x, 2.0).cpu().tolist(), [8, 10, 12, 14, 16, 18, 20, 22])

    def test_all_three_in_order(self):
        x = torch.ones(5000).npu()
        for _ in range(5):
            x = torch.ops.npu.axpy_aclnn(torch.ops.npu.scale_custom(x, 2.0), torch.ops.npu.axpy(x, x, -1.0) + 1, 1.0)
        self.assertEqual(x.cpu().unique().tolist(), [63.0])

    def test_opcheck(self):
        """Schema, fake tensors and dispatch are as torch.compile relies on."""
        x = torch.randn(6, 9).npu()
        for op, args in ((torch.ops.npu.axpy, (x, x, 0.5)), (torch.ops.npu.axpy_aclnn, (x, x)), (torch.ops.npu.scale_custom, (x, 2.0))):
            torch.library.opcheck(op.default, args)

    def test_meta(self):
        x = torch.empty(6, 4, device="meta")
        self.assertEqual([f(x, x).shape for f in (torch.ops.npu.axpy, torch.ops.npu.axpy_aclnn)], [(6, 4)] * 2)


if __name__ == "__main__":
    run_tests()

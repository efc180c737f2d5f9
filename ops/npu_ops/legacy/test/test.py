# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.add_custom against torch.add, bit by bit. Run from this folder, with the wheel installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import add_custom_ext  # noqa: F401


class TestAddCustom(TestCase):
    def check(self, x, y):
        out = torch.ops.npu.add_custom(x.npu(), y.npu())
        want = torch.add(x, y)
        self.assertEqual((out.dtype, out.shape), (want.dtype, want.shape))
        self.assertRtolEqual(out.cpu(), want)
        self.assertTrue(torch.equal(out.cpu(), want))  # the line above lets a few elements be wrong

    def test_add_custom(self):
        self.check(torch.rand(8, 2048).half(), torch.rand(8, 2048).half())

    def test_tails(self):
        """Lengths beside 32-byte blocks, tiles, and cores."""
        for n in (1, 2, 15, 16, 17, 127, 128, 129, 4095, 4096, 4097, 48 * 4096 - 1, 48 * 4096, 200_003):
            self.check(torch.randn(n).half(), torch.randn(n).half())

    def test_views(self):
        x, y = torch.randn(37, 53).half(), torch.randn(37, 53).half()
        for view in (lambda t: t.t(), lambda t: t[:, 3:20], lambda t: t[5:], lambda t: t[3, 1]):
            got = torch.ops.npu.add_custom(view(x.npu()), view(y.npu()))
            self.assertTrue(torch.equal(got.cpu(), view(x) + view(y)))

    def test_order_with_queued_operators(self):
        for i in range(50):
            x = torch.empty(5000, dtype=torch.float16, device="npu").fill_(i)
            y = torch.ops.npu.add_custom(x, x)
            x.zero_()
            self.assertTrue(bool((y.cpu() == 2 * i).all()), i)

    def test_empty(self):
        self.assertEqual(torch.ops.npu.add_custom(*[torch.empty(0, 3).half().npu()] * 2).shape, (0, 3))

    def test_meta(self):
        x = torch.empty(6, 4, dtype=torch.float16, device="meta")
        self.assertEqual(torch.ops.npu.add_custom(x, x).shape, (6, 4))

    def test_zero_dimensions(self):
        self.check(torch.tensor(1.5).half(), torch.tensor(2.25).half())

    def test_one_graph_serves_every_batch_size(self):
        graphs = []

        def count(gm, _):
            graphs.append(gm)
            return gm.forward

        add = torch.compile(lambda a: torch.ops.npu.add_custom(a, a), backend=count, dynamic=True, fullgraph=True)
        for rows in (2, 3, 9):
            x = torch.randn(rows, 8).half()
            self.assertTrue(torch.equal(add(x.npu()).cpu(), x + x))
        self.assertEqual(len(graphs), 1)

    def test_opcheck(self):
        x = torch.randn(4, 6).half().npu()
        for args in ((x, x), (x.t(), x.t())):
            torch.library.opcheck(torch.ops.npu.add_custom.default, args)

    def test_autograd(self):
        """d(a (a + b)) = (2 a + b, a): through the kernel, eager and compiled."""
        def f(a, b):
            return a * torch.ops.npu.add_custom(a, b)

        for run in (f, torch.compile(f, backend="aot_eager", fullgraph=True)):
            a, b = (torch.randint(-8, 9, (50,)).half().npu().requires_grad_() for _ in range(2))
            da, db = torch.autograd.grad(run(a, b).sum(), (a, b))
            self.assertTrue(torch.equal(da.cpu(), (2 * a + b).detach().cpu()))
            self.assertTrue(torch.equal(db.cpu(), a.detach().cpu()))

    def test_bad_input(self):
        with self.assertRaisesRegex(RuntimeError, "float16, got Float and Half"):
            torch.ops.npu.add_custom(torch.ones(4).npu(), torch.ones(4).half().npu())
        with self.assertRaisesRegex(RuntimeError, r"one shape, got \[4\] and \[5\]"):
            torch.ops.npu.add_custom(torch.ones(4).half().npu(), torch.ones(5).half().npu())
        with self.assertRaisesRegex(NotImplementedError, "npu::add_custom.*'CPU'"):
            torch.ops.npu.add_custom(torch.ones(4).half(), torch.ones(4).half())


if __name__ == "__main__":
    run_tests()

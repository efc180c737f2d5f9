# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu_ops.add_custom against torch.add, bit by bit. Run from this folder, with the wheel installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import add_custom_asc

DTYPES = (torch.float16, torch.float32, torch.int32)


def random(shape, dtype):
    if dtype == torch.int32:
        return torch.randint(-2**31, 2**31 - 1, shape, dtype=torch.int64).to(dtype)
    return (torch.randn(shape) * 100).to(dtype)


class TestAddCustom(TestCase):
    def check(self, x, y):
        out = torch.ops.npu_ops.add_custom(x.npu(), y.npu())
        want = torch.add(x, y)
        self.assertEqual((out.dtype, out.shape), (want.dtype, want.shape))
        self.assertTrue(torch.equal(out.cpu(), want), (x.dtype, x.shape))

    def test_add_custom(self):
        for dtype in DTYPES:
            self.check(random((8, 2048), dtype), random((8, 2048), dtype))

    def test_tails(self):
        """Lengths beside 32-byte blocks, tiles, and cores."""
        for dtype in DTYPES:
            for n in (1, 7, 8, 9, 15, 16, 17, 2047, 2048, 2049, 4095, 4096, 4097, 48 * 2048 + 1, 200_003):
                self.check(random((n,), dtype), random((n,), dtype))

    def test_views(self):
        x, y = random((37, 53), torch.float32), random((37, 53), torch.float32)
        for view in (lambda t: t.t(), lambda t: t[:, 3:20], lambda t: t[5:], lambda t: t[3, 1]):
            got = torch.ops.npu_ops.add_custom(view(x.npu()), view(y.npu()))
            self.assertTrue(torch.equal(got.cpu(), view(x) + view(y)))

    def test_order_with_queued_operators(self):
        for i in range(50):
            x = torch.empty(5000, dtype=torch.float16, device="npu").fill_(i)
            y = torch.ops.npu_ops.add_custom(x, x)
            x.zero_()
            self.assertTrue(bool((y.cpu() == 2 * i).all()), i)

    def test_empty(self):
        self.assertEqual(torch.ops.npu_ops.add_custom(*[torch.empty(0, 3).npu()] * 2).shape, (0, 3))

    def test_meta_and_compile(self):
        x = torch.empty(6, 4, dtype=torch.float16, device="meta")
        self.assertEqual(torch.ops.npu_ops.add_custom(x, x).shape, (6, 4))
        y = torch.randn(100).npu()
        add = torch.compile(lambda a: torch.ops.npu_ops.add_custom(a, a) * 2, backend="aot_eager", fullgraph=True)
        self.assertTrue(torch.equal(add(y).cpu(), (y.cpu() + y.cpu()) * 2))

    def test_zero_dimensions(self):
        self.check(torch.tensor(1.5), torch.tensor(2.25))

    def test_one_graph_serves_every_batch_size(self):
        graphs = []

        def count(gm, _):
            graphs.append(gm)
            return gm.forward

        add = torch.compile(lambda a: torch.ops.npu_ops.add_custom(a, a), backend=count, dynamic=True, fullgraph=True)
        for rows in (2, 3, 9):
            x = random((rows, 8), torch.float32)
            self.assertTrue(torch.equal(add(x.npu()).cpu(), x + x))
        self.assertEqual(len(graphs), 1)

    def test_opcheck(self):
        for dtype in DTYPES:
            x = random((4, 6), dtype).npu()
            torch.library.opcheck(torch.ops.npu_ops.add_custom.default, (x, x))
        # With gradients too, but for test_autograd_registration: torch has that for CPU, CUDA and XPU alone.
        x = torch.randn(4, 6).npu().requires_grad_()
        torch.library.opcheck(torch.ops.npu_ops.add_custom.default, (x, x.t().contiguous().t()),
                              test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))

    def test_autograd(self):
        """d(a (a + b)) = (2 a + b, a): through the kernel, eager and compiled, and of gradients again."""
        def f(a, b):
            return a * torch.ops.npu_ops.add_custom(a, b)

        for run in (f, torch.compile(f, backend="aot_eager", fullgraph=True)):
            a, b = (torch.randn(50).npu().requires_grad_() for _ in range(2))
            da, db = torch.autograd.grad(run(a, b).sum(), (a, b))
            self.assertTrue(torch.allclose(da.cpu(), (2 * a + b).detach().cpu()))
            self.assertTrue(torch.equal(db.cpu(), a.detach().cpu()))
        da, = torch.autograd.grad(f(a, b).sum(), a, create_graph=True)
        self.assertTrue(torch.allclose(torch.autograd.grad(da.sum(), a)[0].cpu(), torch.tensor(2.0)))

    def test_pybind(self):
        x, y = random((5, 777), torch.float16), random((5, 777), torch.float16)
        z = add_custom_asc.add_custom(x.npu().requires_grad_(), y=y.npu())
        self.assertTrue(torch.equal(z.cpu(), x + y))
        self.assertFalse(z.requires_grad)  # past the dispatcher
        with self.assertRaisesRegex(RuntimeError, "x must be on an npu, is on cpu"):
            add_custom_asc.add_custom(x, y)

    def test_bad_input(self):
        with self.assertRaisesRegex(RuntimeError, "float32 or int32, got Long"):
            torch.ops.npu_ops.add_custom(*[torch.ones(4, dtype=torch.int64).npu()] * 2)
        with self.assertRaisesRegex(RuntimeError, "x is Float, y is Half"):
            torch.ops.npu_ops.add_custom(torch.ones(4).npu(), torch.ones(4).half().npu())
        with self.assertRaisesRegex(RuntimeError, r"one shape, got \[4\] and \[5\]"):
            torch.ops.npu_ops.add_custom(torch.ones(4).npu(), torch.ones(5).npu())
        with self.assertRaisesRegex(NotImplementedError, "npu_ops::add_custom.*'CPU'"):
            torch.ops.npu_ops.add_custom(torch.ones(4), torch.ones(4))


if __name__ == "__main__":
    run_tests()

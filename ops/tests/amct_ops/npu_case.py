# SPDX-License-Identifier: Apache-2.0
"""What the tests of all operators share: npu:0, and comparisons of bits, without any tolerance."""
import unittest

import torch
import torch_npu  # noqa: F401


class NpuCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.npu.set_device(0)

    def same(self, got, want, what=""):
        got, want = got.cpu(), want.cpu()
        self.assertEqual(got.shape, want.shape, what)
        self.assertEqual(got.dtype, want.dtype, what)
        wrong = (got != want).nonzero()
        self.assertEqual(len(wrong), 0, f"{what}: {len(wrong)} differ, first at {wrong[:1].tolist()}")

    def refuses(self, said, call, *args):
        with self.assertRaises((RuntimeError, ValueError, NotImplementedError)) as caught:
            call(*args)
        self.assertRegex(str(caught.exception), said)

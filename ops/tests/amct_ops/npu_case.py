# SPDX-License-Identifier: Apache-2.0
"""What the tests of all operators share: npu:0, and comparisons of bits, without any tolerance."""
import doctest
import os
import subprocess
import sys
import unittest

import torch
import torch_npu  # noqa: F401


def run_with_ub(size, program):
    """The lines that a process prints on a chip with so many bytes of UB."""
    run = subprocess.run([sys.executable, "-c", program], env=dict(os.environ, NPUTWIN_SOC_SET=f"ub_bytes={size}"), text=True,
                         capture_output=True, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.splitlines()


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

    def examples_hold(self, module, n):
        """The n lines with >>> in the docstrings of a module print what stands under them."""
        flags = doctest.NORMALIZE_WHITESPACE
        result = doctest.testmod(module, optionflags=flags)
        self.assertEqual((result.failed, result.attempted), (0, n))

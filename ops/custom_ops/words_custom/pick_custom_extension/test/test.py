# SPDX-License-Identifier: Apache-2.0
"""torch.ops.npu.pick_custom against torch on the CPU. Run from this folder, with wheel and package installed."""
import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

import pick_custom_ext  # noqa: F401


class TestPick(TestCase):
    def test_pick_custom(self):
        x = torch.arange(-6, 6, dtype=torch.int32).reshape(3, 4)
        for view in (lambda t: t, lambda t: t.t(), lambda t: t[1:]):
            for times, flip in ((1, False), (90, True), (2, False)):
                got = torch.ops.npu.pick_custom(view(x.npu()), times, flip)
                self.assertTrue(torch.equal(got.cpu(), view(x) * (-times if flip else times)))

    def test_meta(self):
        self.assertEqual(torch.ops.npu.pick_custom(torch.empty(6, dtype=torch.int32, device="meta"), 1).shape, (6,))


if __name__ == "__main__":
    run_tests()

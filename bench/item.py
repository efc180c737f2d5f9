# SPDX-License-Identifier: Apache-2.0
"""(x + y).sum().item() on 4 elements. The task queue is chosen by the environment, so one process a mode."""

import os

import torch
import torch_npu  # noqa: F401

from common import report, seconds


def main():
    x, y = torch.ones(4, device="npu"), torch.ones(4, device="npu")
    assert (x + y).sum().item() == 8
    least = min(seconds(lambda: (x + y).sum().item(), 300) for _ in range(20)) * 1e6
    name = "npu_item_us" if os.environ["TASK_QUEUE_ENABLE"] == "0" else "npu_item_queue_us"
    report(**{name: least})


main()

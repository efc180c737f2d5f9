# SPDX-License-Identifier: Apache-2.0
"""torch_npu on the twin against torch on the CPU: the same work in turn, each waited for."""

import torch
import torch_npu  # noqa: F401

from common import best_of_each, report, seconds


def on(device, work, times):
    """Seconds of one call of work, of `times` in a row, waited for."""

    def burst():
        for _ in range(times):
            work()
        if device == "npu":
            torch.npu.synchronize()

    return lambda: seconds(burst) / times


def ratio(make, rounds, times):
    """Speed on the NPU over speed on the CPU of what make(device) gives."""
    cpu, npu = make("cpu"), make("npu")
    cpu(), npu(), torch.npu.synchronize()
    least_cpu, least_npu = best_of_each(rounds, on("cpu", cpu, times), on("npu", npu, times))
    return least_cpu / least_npu


def add(n):
    def make(device):
        x, y = torch.ones(n, device=device), torch.ones(n, device=device)
        z = torch.empty_like(x)
        return lambda: torch.add(x, y, out=z)

    return make


def matmul(device):
    x, y = torch.rand(1024, 1024, device=device), torch.rand(1024, 1024, device=device)
    z = torch.empty_like(x)
    return lambda: torch.mm(x, y, out=z)


def mlp_step(device):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)).to(device)
    optimizer = torch.optim.Adam(net.parameters())
    x, y = torch.rand(128, 784).to(device), torch.randint(10, (128,)).to(device)

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()

    return step


def small_add_us():
    x = torch.ones(4, device="npu")
    work = add(4)("npu")
    assert x.sum().item() == 4
    return min(on("npu", work, 1000)() for _ in range(30)) * 1e6


def main():
    report(
        npu_add_1M_vs_cpu=ratio(add(1 << 20), 60, 20),
        npu_add_64K_vs_cpu=ratio(add(1 << 16), 60, 200),
        npu_matmul_1024_vs_cpu=ratio(matmul, 20, 2),
        npu_mlp_step_vs_cpu=ratio(mlp_step, 30, 10),
        npu_small_add_us=small_add_us(),
    )


main()

# SPDX-License-Identifier: Apache-2.0
"""The Ascend C add inside a torch process: launch cost, and speed against the streaming limit."""

import ctypes
import subprocess

import torch
import torch_npu  # noqa: F401

from common import BUILD, ROOT, best_of_each, report

TILE_BYTES = 16384  # six such buffers fit into UB
M = 1 << 20


def load_kernels():
    """Compiles add.asc with bisheng and loads it, with the limit beside it."""
    library = BUILD / "bench" / "libadd.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["bisheng", "-x", "asc", "--npu-arch=dav-2201", "-shared", "-fPIC", "-O2", ROOT / "bench/kernels/add.asc", "-o", library],
        check=True)
    kernels = ctypes.CDLL(str(library))
    kernels.bench_add.restype = ctypes.c_double
    limit = ctypes.CDLL(str(BUILD / "lib" / "libbench_limit.so"))
    limit.bench_limit.restype = ctypes.c_double
    return kernels, limit


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


class Add:
    """z = x + y of n elements over some blocks, once a call; gives seconds."""

    def __init__(self, kernels, dtype, n, blocks):
        self.kernels, self.dtype, self.n, self.blocks = kernels, dtype, n, blocks
        self.tile = min(TILE_BYTES // dtype.itemsize, n // blocks)
        self.x = torch.arange(n, dtype=torch.int32).remainder(512).to(dtype).npu()
        self.y = torch.full((n,), 0.5, dtype=dtype).npu()
        self.z = torch.zeros(n, dtype=dtype).npu()
        self.stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
        torch.npu.synchronize()
        self()
        assert torch.equal(self.z.cpu(), self.x.cpu() + self.y.cpu()), "the add is wrong"

    def __call__(self):
        took = self.kernels.bench_add(
            int(self.dtype == torch.float16), self.blocks, self.stream, pointer(self.x), pointer(self.y),
            pointer(self.z), self.n, self.tile)
        assert took > 0, "the stream reports an error"
        return took


def of_limit(kernels, limit, dtype, n, rounds):
    # As many blocks as there are vector cores on the default chip would leave a ragged share; 32 divides.
    add = Add(kernels, dtype, n, 32)
    size = n * add.x.element_size()
    least_add, least_limit = best_of_each(
        rounds, add, lambda: limit.bench_limit(pointer(add.z), pointer(add.x), pointer(add.y), ctypes.c_size_t(size), 3))
    return least_limit / least_add


def launch_us(kernels):
    heap = torch.ones(1 << 28)  # 1 GiB that is really there
    add = Add(kernels, torch.float16, 8 * 2048, 8)
    assert heap[-1] == 1
    return min(add() for _ in range(5000)) * 1e6


def main():
    kernels, limit = load_kernels()
    report(
        launch_us_8blocks=launch_us(kernels),
        add_f16_16M_of_limit=of_limit(kernels, limit, torch.float16, 16 * M, 40),
        add_f16_1M_of_limit=of_limit(kernels, limit, torch.float16, M, 300),
        add_f32_16M_of_limit=of_limit(kernels, limit, torch.float32, 16 * M, 30),
    )


main()

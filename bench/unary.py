# SPDX-License-Identifier: Apache-2.0
"""The Ascend C exponential and float-to-half conversion of 1M elements against torch on the CPU, same threads."""

import ctypes
import subprocess

import torch
import torch_npu  # noqa: F401

from common import BUILD, ROOT, best_of_each, report, seconds

# Two buffers in and two out of such tiles stay in this machine's first-level cache, nearly.
M, BLOCKS, TILE, ROUNDS = 1 << 20, 32, 2048, 300


def load_kernels():
    library = BUILD / "bench" / "libunary.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["bisheng", "-x", "asc", "--npu-arch=dav-2201", "-shared", "-fPIC", "-O2", ROOT / "bench/kernels/unary.asc", "-o", library],
        check=True)
    kernels = ctypes.CDLL(str(library))
    kernels.bench_unary.restype = ctypes.c_double
    return kernels


def ratio(kernels, is_cast):
    """Speed of the kernel over that of torch; both write into memory that they have."""
    host = torch.rand(M) * 20 - 10
    result = torch.empty(M, dtype=torch.float16 if is_cast else torch.float32)
    x, y = host.npu(), result.npu()
    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    torch.npu.synchronize()

    def kernel():
        took = kernels.bench_unary(
            int(is_cast), BLOCKS, stream, ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), M, TILE)
        assert took > 0, "the stream reports an error"
        return took

    on_cpu = (lambda: result.copy_(host)) if is_cast else (lambda: torch.exp(host, out=result))
    kernel()
    on_cpu()
    if is_cast:
        assert torch.equal(y.cpu(), result), "the conversion is wrong"
    else:
        torch.testing.assert_close(y.cpu(), host.double().exp().float(), rtol=2e-7, atol=0)
    least, least_cpu = best_of_each(ROUNDS, kernel, lambda: seconds(on_cpu), spins=True)
    return least_cpu / least


def main():
    kernels = load_kernels()
    report(exp_f32_1M_vs_torch=ratio(kernels, False), cast_f32_f16_1M_vs_torch=ratio(kernels, True))


main()

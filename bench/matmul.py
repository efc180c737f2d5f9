# SPDX-License-Identifier: Apache-2.0
"""Products of square matrices, through a Matmul object and by Mmad, against torch's fp32 product on the CPU.

One thread each, and its CPU time: a ratio of two loops that do nothing but compute, and the same on a busy machine.
"""

import ctypes
import subprocess
import time

import torch
import torch_npu  # noqa: F401

from common import BUILD, ROOT, best_of_each, report

KINDS = {"f16": (0, torch.float16, torch.float32), "bf16": (1, torch.bfloat16, torch.float32),
         "s8": (2, torch.int8, torch.int32), "mmad": (3, torch.float16, torch.float32)}


def load_kernels():
    library = BUILD / "bench" / "libmatmul.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["bisheng", "-x", "asc", "--npu-arch=dav-2201", "-shared", "-fPIC", "-O2", ROOT / "bench/kernels/matmul.asc",
                    "-ltiling_api", "-lplatform", "-lregister", "-o", library], check=True)
    kernels = ctypes.CDLL(str(library))
    kernels.bench_matmul.restype = ctypes.c_double
    return kernels


def thread_seconds(function):
    begin = time.thread_time()
    function()
    return time.thread_time() - begin


def ratio(kernels, kind, n):
    """Speed of the kernel over that of torch."""
    number, in_type, out_type = KINDS[kind]
    a, b = (torch.randint(-8, 9, (n, n)) for _ in range(2))
    x, y, z = a.to(in_type).npu(), b.to(in_type).npu(), torch.empty(n, n, dtype=out_type).npu()
    fa, fb, fc = a.float(), b.float(), torch.empty(n, n)
    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    torch.npu.synchronize()

    def kernel():
        took = kernels.bench_matmul(number, stream, *(ctypes.c_void_p(t.data_ptr()) for t in (x, y, z)), n)
        assert took > 0, "the stream reports an error"
        return took

    kernel()
    torch.testing.assert_close(z.cpu().double(), fa.double() @ fb.double(), rtol=0, atol=0)
    least, least_cpu = best_of_each(30 if n < 2048 else 5, kernel, lambda: thread_seconds(lambda: torch.mm(fa, fb, out=fc)))
    return least_cpu / least


def main():
    torch.set_num_threads(1)
    kernels = load_kernels()
    report(matmul_f16_1024_vs_torch_f32=ratio(kernels, "f16", 1024), matmul_f16_512_vs_torch_f32=ratio(kernels, "f16", 512),
           matmul_f16_2048_vs_torch_f32=ratio(kernels, "f16", 2048), matmul_bf16_1024_vs_torch_f32=ratio(kernels, "bf16", 1024),
           matmul_s8_1024_vs_torch_f32=ratio(kernels, "s8", 1024), mmad_f16_1024_vs_torch_f32=ratio(kernels, "mmad", 1024))


main()

# SPDX-License-Identifier: Apache-2.0
"""The high-level API's softmax of floats and LayerNorm of halves, 4096 rows of 1024, against torch on the CPU, same threads."""

import ctypes
import subprocess

import torch
import torch_npu  # noqa: F401

from common import BUILD, ROOT, best_of_each, report, seconds

ROWS, COLUMNS, BLOCKS, ROUNDS = 4096, 1024, 32, 50


def load_kernels():
    library = BUILD / "bench" / "librows.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["bisheng", "-x", "asc", "--npu-arch=dav-2201", "-shared", "-fPIC", "-O2", ROOT / "bench/kernels/rows.asc", "-o", library],
        check=True)
    kernels = ctypes.CDLL(str(library))
    kernels.bench_rows.restype = ctypes.c_double
    return kernels


def ratio(kernels, is_norm):
    """Speed of the kernel over that of torch."""
    host = (torch.rand(ROWS, COLUMNS) * 20 - 10).to(torch.float16 if is_norm else torch.float32)
    ones, zeros = torch.ones(COLUMNS, dtype=host.dtype), torch.zeros(COLUMNS, dtype=host.dtype)
    x, y = host.npu(), torch.empty_like(host).npu()
    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    torch.npu.synchronize()

    def kernel():
        took = kernels.bench_rows(
            int(is_norm), BLOCKS, stream, ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ROWS)
        assert took > 0, "the stream reports an error"
        return took

    def on_cpu():
        if is_norm:
            return torch.nn.functional.layer_norm(host, (COLUMNS,), ones, zeros, 1e-5)
        return torch.softmax(host, -1)

    kernel()
    wide = host.double()
    want = torch.nn.functional.layer_norm(wide, (COLUMNS,), None, None, 1e-5) if is_norm else torch.softmax(wide, -1)
    torch.testing.assert_close(y.cpu().double(), want, rtol=1e-3 if is_norm else 1e-6, atol=1e-3 if is_norm else 1e-9)
    least, least_cpu = best_of_each(ROUNDS, kernel, lambda: seconds(on_cpu), spins=True)
    return least_cpu / least


def main():
    kernels = load_kernels()
    report(softmax_f32_vs_torch=ratio(kernels, False), layernorm_f16_vs_torch=ratio(kernels, True))


main()

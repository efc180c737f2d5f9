# SPDX-License-Identifier: Apache-2.0
"""Reads a .safetensors file: 8 bytes length (little endian), a JSON header, then the raw tensors.

    {"name": {"dtype": "F32", "shape": [384, 1536], "data_offsets": [from, to]}, "__metadata__": {...}}

Tensors are views of a private memory map: nothing is read before it is used, and nothing is copied.
"""
import json
import math
import mmap
import struct

import torch

DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
    "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8,
    "BOOL": torch.bool,
}
MAX_HEADER_BYTES = 100_000_000


class SafetensorsError(ValueError):
    pass


def read(path):
    """{name: tensor} of a file. SafetensorsError says which entry is wrong and why."""
    with open(path, "rb") as f:
        head = f.read(8)
        if len(head) < 8:
            raise SafetensorsError(f"{path}: {len(head)} bytes; a safetensors file starts with 8 bytes of length")
        (header_bytes,) = struct.unpack("<Q", head)
        size = f.seek(0, 2)
        if header_bytes > min(MAX_HEADER_BYTES, size - 8):
            raise SafetensorsError(f"{path}: header of {header_bytes} bytes in a file of {size} bytes")
        f.seek(8)
        try:
            header = json.loads(f.read(header_bytes))
        except ValueError as e:
            raise SafetensorsError(f"{path}: the header is not JSON: {e}") from None
        data = memoryview(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY))[8 + header_bytes:]
    return {name: _tensor(path, name, entry, data) for name, entry in header.items() if name != "__metadata__"}


def _tensor(path, name, entry, data):
    dtype = DTYPES.get(entry["dtype"])
    if dtype is None:
        raise SafetensorsError(f"{path}: {name} has dtype {entry['dtype']}; known: {', '.join(DTYPES)}")
    begin, end = entry["data_offsets"]
    want = math.prod(entry["shape"]) * dtype.itemsize
    if not 0 <= begin <= end <= len(data) or end - begin != want:
        raise SafetensorsError(f"{path}: {name} {entry['dtype']}{entry['shape']} needs {want} bytes, its offsets "
                               f"[{begin}, {end}] in {len(data)} bytes of data do not give them")
    if want == 0:
        return torch.empty(entry["shape"], dtype=dtype)
    return torch.frombuffer(data[begin:end], dtype=dtype).view(entry["shape"])

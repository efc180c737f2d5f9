# SPDX-License-Identifier: Apache-2.0
"""Thin wrappers over torch.ops.amct.*; the checks live in op_extension/register.cpp."""
import torch


def encode_to_hifloat8(x: torch.Tensor) -> torch.Tensor:
    """Encodes a tensor to HiFloat8, one byte an element.

    The nearest representable value is taken, ties away from zero. Finite values beyond 32768 (2^15)
    saturate to it (codes 0x6E, 0xEE); infinities become 0x6F and 0xEF, any NaN 0x80, zeros of both
    signs 0x00.

    dtype:  x float16 or bfloat16; the result is uint8.
    shape:  any but empty, any strides; the result has the same shape and is contiguous.
    device: NPU only.
    raises: RuntimeError for another dtype or an empty tensor; NotImplementedError for another device.

    Example:
        >>> encode_to_hifloat8(torch.tensor([1.0, -2.0, 100.0], dtype=torch.float16, device="npu"))
        tensor([  8, 144,  74], device='npu:0', dtype=torch.uint8)
    """
    return torch.ops.amct.encode_to_hifloat8(x)


def decode_from_hifloat8(x: torch.Tensor, dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
    """Decodes HiFloat8 codes. Every finite value is exact in both result types.

    dtype:  x uint8; the result is float16 or bfloat16, as `dtype` says.
    shape:  any but empty, any strides; the result has the same shape and is contiguous.
    device: NPU only.
    raises: RuntimeError for another dtype of x or of the result, or an empty tensor; NotImplementedError for
            another device.

    Example:
        >>> decode_from_hifloat8(torch.tensor([8, 144, 74], dtype=torch.uint8, device="npu"))
        tensor([ 1., -2., 96.], device='npu:0', dtype=torch.bfloat16)
    """
    return torch.ops.amct.decode_from_hifloat8(x, dtype)

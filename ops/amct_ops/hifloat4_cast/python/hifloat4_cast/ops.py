# SPDX-License-Identifier: Apache-2.0
"""Thin wrappers over torch.ops.amct.*; the checks live in op_extension/register.cpp."""
import torch


def hifloat4_fake_quant(x: torch.Tensor, qdim: int = -1) -> torch.Tensor:
    """Rounds a tensor to HiFloat4 and back: what is left of x after four and a half bits an element.

    64 consecutive elements along qdim share a scale; groups of eight and of four may double it. A block
    with a NaN or an infinity becomes NaN as a whole. Values beyond 344064 (7 * 49152) saturate.
    Rounding a result again may change it: its maximum can ask for a finer scale, and at scales 1.75 * 2^k,
    whose reciprocal the format rounds down, 4 * scale falls below the edge of its level (to 3.5 * scale).

    dtype:  x float16, bfloat16 or float32; the result has the same.
    shape:  any, any strides, but the length of qdim must be a multiple of 64 and not 0; the result has the
            same shape and is contiguous.
    device: NPU only.
    raises: RuntimeError for another dtype, a 0-dim tensor, a qdim out of range or of another length;
            NotImplementedError for another device.

    Example:
        >>> hifloat4_fake_quant(torch.tensor([7.0, 6.5] + [0.3] * 62, device="npu"))[[0, 1, 2, 8]]
        tensor([7.0000, 7.0000, 0.0000, 0.2500], device='npu:0')
        >>> once = hifloat4_fake_quant(torch.tensor([12.25] + [0.0] * 7 + [7.02] * 56, device="npu"))
        >>> once[8].item(), hifloat4_fake_quant(once)[8].item()
        (7.0, 6.125)
    """
    return torch.ops.amct.hifloat4_fake_quant(x, qdim)


def hifloat4_pack(x: torch.Tensor, qdim: int = -1) -> tuple[torch.Tensor, torch.Tensor]:
    """Encodes a tensor to HiFloat4: (values, scales), 32 and 4 bytes a block of 64 along qdim.

    values: two elements a byte, the even one in the lower nibble; a nibble is a sign (bit 3) and a code
    0..7, in quarters. scales: byte 0 is E6M2 (0xFF: the block is NaN, its nibbles are 0), byte 1 has a bit
    for each group of eight, bytes 2 and 3 for each group of four, the first group on top.

    dtype:  x float16, bfloat16 or float32; both results are uint8.
    shape:  as hifloat4_fake_quant; in values qdim is half as long, in scales a sixteenth.
    device: NPU only.
    raises: as hifloat4_fake_quant.

    Example:
        >>> values, scales = hifloat4_pack(torch.tensor([7.0, -7.0] + [0.0] * 62, device="npu"))
        >>> values[0].item(), scales.tolist()
        (247, [192, 128, 128, 0])
    """
    return torch.ops.amct.hifloat4_pack(x, qdim)


def hifloat4_unpack(values: torch.Tensor, scales: torch.Tensor, qdim: int = -1,
                    dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
    """Decodes what hifloat4_pack gives; the result is hifloat4_fake_quant of the packed tensor.

    dtype:  values and scales uint8; the result is float16, bfloat16 or float32, as `dtype` says. The last
            two hold every value exactly; float16 rounds to nearest even, and may be infinite.
    shape:  the length of qdim is a multiple of 32 in values and an eighth of that in scales, all other
            lengths are equal; any strides. In the result, contiguous, qdim is twice as long as in values.
    device: NPU only, both the same.
    raises: RuntimeError for another dtype, shape or qdim; NotImplementedError for another device.

    Example:
        >>> values, scales = hifloat4_pack(torch.tensor([7.0, -7.0] + [0.0] * 62, device="npu"))
        >>> hifloat4_unpack(values, scales)[:3]
        tensor([ 7., -7.,  0.], device='npu:0', dtype=torch.bfloat16)
    """
    return torch.ops.amct.hifloat4_unpack(values, scales, qdim, dtype)

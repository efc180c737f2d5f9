# SPDX-License-Identifier: Apache-2.0
"""HiFloat4 from its definition, twice: block by block on exact fractions, and in numpy for many blocks.

Neither shares anything with op_kernel/: no masks, no bit tricks, logarithms and roundings spelled out.
test_hifloat4_cast.py holds the second against the first.

A block of 64 gives s = bf16(maximum * bf16(1/7)), kept in [2^-48, 1.5 * 2^15], rounded to a multiple of a
quarter of its power of two; r = bf16(1 / scale). Level 2 is set where the maximum of eight, times r, reaches
4; level 3 where that of four, times r and halved where level 2 is set, reaches 2. A code is
bf16(|x| * r / 2^(level 2 + level 3)) in quarters, half up, at most 7. Products and quotients are floats.
"""
from fractions import Fraction

import numpy as np

BLOCK = 64
SEVENTH = Fraction(0x92, 1 << 10)  # bf16(1/7)
SCALE_MIN, SCALE_MAX = Fraction(1, 1 << 48), Fraction(3 << 14)


def floor_log2(x):
    """The e with 2^e <= x < 2^(e+1), of a positive Fraction."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def to_multiple(x, unit):
    """The multiple of unit nearest to x, ties to even."""
    return round(Fraction(x) / unit) * unit


def to_bits(x, bits, least=-126):
    """x with that many significant bits, fewer below 2^least."""
    if x == 0:
        return Fraction(0)
    return to_multiple(x, Fraction(2) ** (max(floor_log2(x), least) - bits + 1))


def f32(x):
    return to_bits(x, 24)


def bf16(x):
    return to_bits(x, 8)


class Block:
    """codes[64] (with signs[64]), scale, level2[8], level3[16] of 64 floats; is_nan instead, if one is not finite."""

    def __init__(self, values):
        values = [float(v) for v in values]
        self.is_nan = not all(np.isfinite(v) for v in values)
        if self.is_nan:
            return
        self.signs = [bool(np.signbit(v)) for v in values]
        size = [abs(Fraction(v)) for v in values]
        s = bf16(f32(max(size) * SEVENTH))
        s = min(max(s, SCALE_MIN), SCALE_MAX)
        self.scale = to_multiple(s, Fraction(2) ** (floor_log2(s) - 2))
        r = bf16(f32(1 / self.scale))
        self.level2 = [int(f32(max(size[8 * g:8 * g + 8]) * r) >= 4) for g in range(8)]
        self.level3 = [int(f32(max(size[4 * g:4 * g + 4]) * r) / 2 ** self.level2[g // 2] >= 2) for g in range(16)]
        self.codes = []
        for i, x in enumerate(size):
            t = bf16(f32(x * r) / 2 ** self.exponent(i))
            self.codes.append(min(7, int(t * 4 + Fraction(1, 2))))

    def exponent(self, i):
        return self.level2[i // 8] + self.level3[i // 4]

    def values(self):
        if self.is_nan:
            return [float("nan")] * BLOCK
        sizes = [float(Fraction(c, 4) * 2 ** self.exponent(i) * self.scale) for i, c in enumerate(self.codes)]
        return [-v if negative else v for v, negative in zip(sizes, self.signs)]

    def packed(self):
        """(32 bytes of codes, 4 bytes of scale)"""
        if self.is_nan:
            return [0] * 32, [0xFF, 0, 0, 0]
        nibbles = [c + 8 * negative for c, negative in zip(self.codes, self.signs)]
        e = floor_log2(self.scale)
        first = (e + 48) * 4 + int(self.scale / Fraction(2) ** (e - 2)) - 4
        bits = [int("".join(map(str, part)), 2) for part in (self.level2, self.level3[:8], self.level3[8:])]
        return [a + 16 * b for a, b in zip(nibbles[::2], nibbles[1::2])], [first, *bits]


def value_of(codes, scales):
    """64 floats (exact in float32) from 32 bytes of codes and 4 of scale, by their fields."""
    if scales[0] == 0xFF:
        return [float("nan")] * BLOCK
    scale = Fraction(2) ** ((scales[0] >> 2) - 48) * (1 + Fraction(scales[0] & 3, 4))
    level2, level3 = format(scales[1], "08b"), format(scales[2], "08b") + format(scales[3], "08b")
    out = []
    for i in range(BLOCK):
        nibble = codes[i // 2] >> 4 if i % 2 else codes[i // 2] & 15
        exponent = int(level2[i // 8]) + int(level3[i // 4])
        size = float(Fraction(nibble & 7, 4) * 2 ** exponent * scale)
        out.append(-size if nibble & 8 else size)
    return out


def _significant(x, bits):
    """float64 x rounded to that many significant bits, ties to even."""
    m, e = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(m, bits)), e - bits)


def fake_quant(x, axis=-1):
    """float32 result for a float32 array whose axis is a multiple of 64 long."""
    moved = np.moveaxis(np.asarray(x, np.float32), axis, -1)
    with np.errstate(all="ignore"):
        out = _fake_quant_rows(np.ascontiguousarray(moved).reshape(-1, BLOCK)).reshape(moved.shape)
    return np.moveaxis(out, -1, axis)


def _fake_quant_rows(x):
    size = np.abs(x)
    nan = ~np.isfinite(x).all(1, keepdims=True)
    size = np.where(nan, np.float32(0), size)
    s = _significant((size.max(1) * np.float32(SEVENTH)).astype(np.float64), 8)
    scale = _significant(np.clip(s, float(SCALE_MIN), float(SCALE_MAX)), 3).astype(np.float32)
    r = _significant((np.float32(1) / scale).astype(np.float64), 8).astype(np.float32)[:, None]
    product = size * r  # rounded to float
    by_four = product.reshape(-1, 16, 4).max(2)
    level2 = product.reshape(-1, 8, 8).max(2) >= 4
    exponent = np.repeat(level2, 2, 1).astype(np.int32)
    exponent += np.ldexp(by_four, -exponent) >= 2
    exponent = np.repeat(exponent, 4, 1)
    t = _significant(np.ldexp(product.astype(np.float64), -exponent), 8)
    code = np.minimum(7, np.floor(t * 4 + 0.5))
    out = np.ldexp(code / 4 * scale[:, None], exponent)
    return np.where(nan, np.nan, np.copysign(out, x)).astype(np.float32)

# SPDX-License-Identifier: Apache-2.0
"""HiFloat8 from its definition, on exact fractions: the reference of the tests.

Every code is decoded by its bit fields into a Fraction; encoding is a search for the nearest of these
values. Slow on purpose, and without anything of op_kernel/hifloat8_cast_table.h in it.
"""
import bisect
from fractions import Fraction

import numpy as np

NAN, INF = 0x80, 0x6F


def magnitude(code):
    """The value of a code 0x00..0x7E without sign, as a Fraction. 0x6F (infinity) has none."""
    bits = format(code, "07b")
    if bits.startswith("0000"):
        m = int(bits[4:], 2)
        return Fraction(2) ** (m - 23) if m else Fraction(0)
    for dot, size_bits, mantissa_bits in (("0001", 0, 3), ("001", 1, 3), ("01", 2, 3),
                                          ("10", 3, 2), ("11", 4, 1)):
        if bits.startswith(dot):
            break
    field = bits[len(dot):len(dot) + size_bits]
    mantissa = bits[len(dot) + size_bits:]
    assert len(mantissa) == mantissa_bits
    exponent = 0
    if size_bits:
        exponent = int("1" + field[1:], 2) * (-1 if field[0] == "1" else 1)
    return Fraction(2) ** exponent * (1 + Fraction(int(mantissa, 2), 1 << mantissa_bits))


_POSITIVE = sorted((magnitude(c), c) for c in range(0x80) if c != INF)
_VALUES = [v for v, _ in _POSITIVE]
_CODES = [c for _, c in _POSITIVE]
assert len(set(_VALUES)) == 127


def encode(x, saturate=True):
    """The code of a float. saturate: as amct; else as en_dtypes, infinite from the midpoint 40960."""
    x = float(x)
    if x != x:
        return NAN
    sign = 0x80 if np.signbit(x) else 0
    if x in (float("inf"), float("-inf")):
        return sign | INF
    size = Fraction(abs(x))
    if size >= _VALUES[-1]:
        return sign | (INF if not saturate and size >= 40960 else _CODES[-1])
    at = bisect.bisect_right(_VALUES, size) - 1
    below, above = _VALUES[at], _VALUES[at + 1]
    code = _CODES[at + 1] if size - below >= above - size else _CODES[at]
    return sign | code if code else 0


def decode(code):
    """The float of a code."""
    if code == NAN:
        return float("nan")
    value = float("inf") if code & 0x7F == INF else float(magnitude(code & 0x7F))
    return -value if code & 0x80 else value


def encode_all(values, saturate=True):
    """uint8 array for a float32 array of any shape; equal patterns are computed once."""
    flat = np.ascontiguousarray(values, np.float32).ravel()
    patterns, where = np.unique(flat.view(np.uint32), return_inverse=True)
    codes = np.array([encode(v, saturate) for v in patterns.view(np.float32)], np.uint8)
    return codes[where].reshape(np.shape(values))

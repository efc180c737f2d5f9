/* SPDX-License-Identifier: Apache-2.0 */
/*
 * num.c - HiFloat8, whose exponent field grows as the mantissa shrinks.
 *
 *   bits 6..0   |E|     mantissa bits        bits 6..0   |E|     mantissa bits
 *   0001 mmm    0       3                    10 s ee mm  4..7    2
 *   001 s mmm   1       3                    11 s eee m  8..15   1
 *   01 s e mmm  2..3    3                    0000 mmm    denormal: 2^(m-23), 0 -> 0, 0x80 -> nan
 */
#include "num.h"
#include "banned.h"

enum { HIF8_NAN = 0x80, HIF8_INF = 0x6f, HIF8_LARGEST = 0x6e };

/* One row a width of the exponent field, beginning with width 0. */
static const struct {
    uint8_t prefix, n_exp, n_mant; /* prefix: the dot field in its place */
} segments[] = {{0x08, 0, 3}, {0x10, 1, 3}, {0x20, 2, 3}, {0x40, 3, 2}, {0x60, 4, 1}};

static unsigned width_of(unsigned magnitude)
{
    unsigned width = 0;

    while (magnitude >> width)
        width++;
    return width;
}

/* 2^e for a float's normal range. */
static float power(int e)
{
    return npu_f32_from_bits((uint32_t)(e + 127) << 23);
}

float npu_hif8_to_f32(uint8_t code)
{
    const float sign = code & 0x80 ? -1.0f : 1.0f;
    const unsigned body = code & 0x7fu;
    unsigned w = sizeof segments / sizeof *segments - 1;

    if (body == 0)
        return code ? npu_f32_from_bits(0x7fffffffu) : 0.0f;
    if (body == HIF8_INF)
        return sign * npu_f32_from_bits(0x7f800000u);
    if (body < 8)
        return sign * power((int)body - 23);
    while (body < segments[w].prefix)
        w--;
    const unsigned field = body >> segments[w].n_mant & ((1u << w) - 1);
    const unsigned top = w ? 1u << (w - 1) : 0;
    const int magnitude = (int)(field | top); /* the leading one of |E| is where the sign stands */
    const int e = w && field & top ? -magnitude : magnitude;
    const unsigned m = body & ((1u << segments[w].n_mant) - 1);

    return sign * power(e) * (1.0f + (float)m * power(-(int)segments[w].n_mant));
}

static uint8_t pack(int e, unsigned mant_bits)
{
    const unsigned w = width_of((unsigned)(e < 0 ? -e : e)), top = w ? 1u << (w - 1) : 0;
    const unsigned field = ((unsigned)(e < 0 ? -e : e) & ~top) | (e < 0 ? top : 0);

    return (uint8_t)(segments[w].prefix | field << segments[w].n_mant |
                     mant_bits >> (23 - segments[w].n_mant));
}

uint8_t npu_f32_to_hif8(float f, bool saturate)
{
    const uint32_t u = npu_f32_bits(f), sign = u >> 24 & 0x80u, a = u & 0x7fffffffu;
    int e = (int)(a >> 23) - 127;

    if (a > 0x7f800000u)
        return HIF8_NAN;
    if (a == 0x7f800000u)
        return (uint8_t)(sign | HIF8_INF);
    if (e < -23)
        return 0;
    if (e == -23) /* at or above half of the least denormal */
        return (uint8_t)(sign | 1u);
    if (e > 15)
        return (uint8_t)(sign | (saturate ? HIF8_LARGEST : HIF8_INF));
    const unsigned n_mant = e < -15 ? 0 : segments[width_of((unsigned)(e < 0 ? -e : e))].n_mant;
    const uint32_t rounded = a + (1u << (22 - n_mant)); /* a carry moves into the exponent */
    const uint32_t mant = rounded & 0x7fffffu & ~((1u << (23 - n_mant)) - 1);

    e = (int)(rounded >> 23) - 127;
    if (e > 15 || (e == 15 && mant))
        return (uint8_t)(sign | (saturate ? HIF8_LARGEST : HIF8_INF));
    if (e < -15)
        return (uint8_t)(sign | (unsigned)(e + 23));
    return (uint8_t)(sign | pack(e, mant));
}

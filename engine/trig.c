/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trig.c - sin, cos and tan of any float, one at a time.
 *
 * The lanes reduce by multiples of pi/2 up to 2^28. Beyond, x * 2/pi is taken modulo 4 in integers:
 * x = m * 2^s, and of 2/pi only 128 bits matter, those of weight 2^1 and below after the product
 * with 2^s. (Payne and Hanek, 1983.)
 */
#include "lane_math.h"
#include "../base/banned.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* 2/pi after the point. */
static const uint64_t two_over_pi[] = {
    UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041),
    UINT64_C(0xfe5163abdebbc561), UINT64_C(0xb7246e3a424dd2e0),
};

/* 64 bits beginning at bit i, i counted from the point. */
static uint64_t bits_at(unsigned i)
{
    const unsigned word = i / 64, shift = i % 64;
    const uint64_t low = shift ? two_over_pi[word + 1] >> (64 - shift) : 0;

    return two_over_pi[word] << shift | low;
}

static double reduce_big(float x, uint64_t *quadrant)
{
    const uint32_t a = npu_f32_bits(x) & 0x7fffffffu;
    const uint64_t m = (a & 0x7fffffu) | 0x800000u;
    const unsigned s = (a >> 23) - 150; /* 5 to 104 for the floats that come here */
    const u128 window = (u128)bits_at(s - 2) << 64 | bits_at(s + 62); /* top bit weighs 2 */
    u128 p = window * m;

    /* p is x * 2/pi modulo 4 in units of 2^-126; to the nearest integer and a signed rest. */
    *quadrant = (uint64_t)((p + ((u128)1 << 125)) >> 126);
    p <<= 2;
    const double rest = (double)(s128)p * 0x1p-128;

    if (x < 0)
        *quadrant = 0 - *quadrant;
    return (x < 0 ? -rest : rest) * 0x1.921fb54442d18p+0;
}

static double reduce(float x, uint64_t *quadrant)
{
    const uint32_t a = npu_f32_bits(x) & 0x7fffffffu;

    if (a < NPU_TRIG_FAST_BITS)
        return npu_reduce_f64((double)x, quadrant);
    if (a < 0x7f800000u)
        return reduce_big(x, quadrant);
    *quadrant = 0;
    return NPU_NAN_F64;
}

double npu_sin_any(float x)
{
    uint64_t quadrant;
    const double r = reduce(x, &quadrant);

    return x == 0.0f ? (double)x : npu_sin_quadrant(r, quadrant);
}

double npu_cos_any(float x)
{
    uint64_t quadrant;
    const double r = reduce(x, &quadrant);

    return npu_sin_quadrant(r, quadrant + 1);
}

double npu_tan_any(float x)
{
    uint64_t quadrant;
    const double r = reduce(x, &quadrant);

    return x == 0.0f ? (double)x : npu_tan_quadrant(r, quadrant);
}

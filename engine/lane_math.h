/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane_math.h - one lane of the special functions, evaluated in double.
 *
 * Straight-line C that a compiler vectorises. Results carry a relative error below 2^-40, so that
 * the one rounding to float is nearly always the correct one (worst 0.5003 ulp), and the rounding
 * to half (through npu_f64_to_f32_odd) always: tests/unit/t_math.c tries all 65,536 halves.
 * Fused multiply-add is written out where it is meant, so every instruction set gives the same
 * bits.
 */
#ifndef NPU_LANE_MATH_H
#define NPU_LANE_MATH_H
#include "../base/num.h"

#define NPU_FMA(a, b, c) __builtin_fma((a), (b), (c))
/* ((c0 x + c1) x + c2) x ..: the coefficient of the highest power first. */
#define NPU_POLY(x, ...)                                                                           \
    npu_poly((x), (const double[]){__VA_ARGS__},                                                   \
             sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
#define NPU_NAN_F64 npu_f64_from_bits(UINT64_C(0x7ff8000000000000))
#define NPU_INF_F64 npu_f64_from_bits(UINT64_C(0x7ff0000000000000))

NPU_INLINE double npu_poly(double x, const double *c, unsigned n)
{
    double p = c[0];

#pragma GCC unroll 32 /* n is a constant, and lanes vectorise straight lines only */
    for (unsigned i = 1; i < n; i++)
        p = NPU_FMA(p, x, c[i]);
    return p;
}

/* Adding and taking away 1.5 * 2^52 rounds to an integer, which then stands in the low bits. */
#define NPU_ROUNDER 0x1.8p52

/* 2^(k + r), k in the low bits of shifted = k + NPU_ROUNDER, below 1000 in size. 1 + r q(r) on
 * |r| <= 1/2, q through the Chebyshev points: off by less than 2^-44.6, and exact at 0. k goes into
 * the exponent by an addition; the low bits of a NaN that was a float are 0, so it stays one. */
NPU_INLINE double npu_exp2_parts(double shifted, double r)
{
    const double p =
        NPU_POLY(r, 1.0203121063391729e-07, 1.3255224878668817e-06, 1.5252686846267720e-05,
                 1.5403455852453838e-04, 1.3333558179043112e-03, 9.6181291594025580e-03,
                 5.5504108664760424e-02, 2.4022650695812990e-01, 6.9314718055994530e-01, 1.0);

    return npu_f64_from_bits(npu_f64_bits(p) + (npu_f64_bits(shifted) << 52));
}

/* 2^t for |t| below 1000. */
NPU_INLINE double npu_exp2_f64(double t)
{
    const double shifted = t + NPU_ROUNDER;

    return npu_exp2_parts(shifted, t - (shifted - NPU_ROUNDER));
}

NPU_INLINE double npu_exp_f64(double x)
{
    double t = x * 0x1.71547652b82fep+0; /* log2 e */

    t = t > 200.0 ? 200.0 : t; /* float overflows at 2^128 and is zero below 2^-150 */
    t = t < -200.0 ? -200.0 : t;
    return npu_exp2_f64(t);
}

/* a, or the limit that it lies beyond: low < 0 < high. By integers, which every vector unit clamps
 * in one instruction each; as such floats below 0 lie above all others, and NaN becomes a limit. */
NPU_INLINE float npu_within_f32(float a, float low, float high)
{
    const int32_t most = (int32_t)npu_f32_bits(high), v = (int32_t)npu_f32_bits(a);
    const uint32_t least = npu_f32_bits(low), u = (uint32_t)(v > most ? most : v);

    return npu_f32_from_bits(u > least ? least : u);
}

/* e^a for a float; anything for NaN. The limits are of npu_exp_f64. */
NPU_INLINE double npu_exp_of_f32(float a)
{
    const double x = (double)npu_within_f32(a, -138.0f, 138.0f), log2_e = 0x1.71547652b82fep+0;
    const double shifted = NPU_FMA(x, log2_e, NPU_ROUNDER);

    return npu_exp2_parts(shifted, NPU_FMA(x, log2_e, -(shifted - NPU_ROUNDER)));
}

/* atanh(s) = s + s z (1/3 + z / 5 + ...) with z = s^2, for |s| up to 0.1716; the first term left
 * out is 2^-50. */
NPU_INLINE double npu_ln_series(double z)
{
    return NPU_POLY(z, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0,
                    1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0);
}

/* ln m = 2 atanh((m - 1) / (m + 1)) on [sqrt 1/2, sqrt 2]. */
NPU_INLINE double npu_ln_f64(double x)
{
    const uint64_t u = npu_f64_bits(x), shifted = u - UINT64_C(0x3fe6a09e667f3bcd);
    const double m = npu_f64_from_bits(u - (shifted & UINT64_C(0xfff0000000000000)));
    /* The exponent, biased so that it is positive, by the integer-to-double trick of NPU_ROUNDER.
     */
    const uint64_t biased = (shifted + (UINT64_C(1024) << 52)) >> 52;
    const double e = npu_f64_from_bits(biased | UINT64_C(0x4330000000000000)) - (0x1p52 + 1024.0);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    const double ln_m = NPU_FMA(npu_ln_series(z) * z, 2.0 * s, 2.0 * s);
    double y = NPU_FMA(e, 0x1.62e42fefa39efp-1, ln_m);

    y = x == NPU_INF_F64 ? x : y;
    y = x == 0.0 ? -NPU_INF_F64 : y;
    return x >= 0.0 ? y : NPU_NAN_F64;
}

/* Series below 1/4 (first term left out 2^-47), 1 - 2 / (e^2x + 1) above. */
NPU_INLINE double npu_tanh_f64(double x)
{
    const double a = __builtin_fabs(x), z = x * x;
    const double big = 1.0 - 2.0 / (npu_exp_f64(2.0 * a) + 1.0);
    const double p =
        NPU_POLY(z, 5.9002744094558597e-04, -1.4558343870513182e-03, 3.5921280365724810e-03,
                 -8.8632355299021965e-03, 2.1869488536155203e-02, -5.3968253968253971e-02,
                 1.3333333333333333e-01, -3.3333333333333331e-01);
    const double small = NPU_FMA(p * z, x, x);

    return __builtin_copysign(a < 0.25 ? small : big, x); /* the series turns -0 into +0 */
}

/* x less the nearest multiple of pi/2, for |x| up to 2^30; the multiple's low bits in *quadrant. */
NPU_INLINE double npu_reduce_f64(double x, uint64_t *quadrant)
{
    const double shifted = NPU_FMA(x, 0x1.45f306dc9c883p-1, NPU_ROUNDER); /* 2 / pi */
    const double k = shifted - NPU_ROUNDER;
    double r = NPU_FMA(-k, 0x1.921fb54442d18p+0, x); /* exact: both are multiples of 2^-52 */

    r = NPU_FMA(-k, 0x1.1a62633145c07p-54, r);
    *quadrant = npu_f64_bits(shifted);
    return r;
}

/* Taylor series on |r| <= pi/4; the first terms left out are below 2^-45. */
NPU_INLINE double npu_sin_core(double r)
{
    const double z = r * r;
    const double p =
        NPU_POLY(z, 1.6059043836821613e-10, -2.5052108385441720e-08, 2.7557319223985893e-06,
                 -1.9841269841269841e-04, 8.3333333333333332e-03, -1.6666666666666666e-01);

    return NPU_FMA(p * z, r, r);
}

NPU_INLINE double npu_cos_core(double r)
{
    const double z = r * r;
    const double p =
        NPU_POLY(z, -1.1470745597729725e-11, 2.0876756987868100e-09, -2.7557319223985888e-07,
                 2.4801587301587302e-05, -1.3888888888888889e-03, 4.1666666666666664e-02, -0.5);

    return NPU_FMA(p, z, 1.0);
}

NPU_INLINE double npu_sin_quadrant(double r, uint64_t quadrant)
{
    const double y = quadrant & 1 ? npu_cos_core(r) : npu_sin_core(r);

    return quadrant & 2 ? -y : y;
}

NPU_INLINE double npu_sin_f64(double x)
{
    uint64_t quadrant;
    const double r = npu_reduce_f64(x, &quadrant), y = npu_sin_quadrant(r, quadrant);

    return x == 0.0 ? x : y; /* keeps -0 */
}

NPU_INLINE double npu_cos_f64(double x)
{
    uint64_t quadrant;
    const double r = npu_reduce_f64(x, &quadrant);

    return npu_sin_quadrant(r, quadrant + 1);
}

NPU_INLINE double npu_tan_quadrant(double r, uint64_t quadrant)
{
    const double s = npu_sin_core(r), c = npu_cos_core(r);

    return quadrant & 1 ? -c / s : s / c;
}

NPU_INLINE double npu_tan_f64(double x)
{
    uint64_t quadrant;
    const double r = npu_reduce_f64(x, &quadrant), y = npu_tan_quadrant(r, quadrant);

    return x == 0.0 ? x : y;
}

/* The same for any float, infinity and NaN included, one at a time: trig.c. */
double npu_sin_any(float x);
double npu_cos_any(float x);
double npu_tan_any(float x);
enum { NPU_TRIG_FAST_BITS = 0x4d800000 }; /* floats of a magnitude below 2^28 need no trig.c */

/* ---- maximum and minimum ---------------------------------------------------------------------
 * NaN wins, +0 is above -0: as the vendor's table of boundary values has it. */
NPU_INLINE float npu_max_f32(float a, float b)
{
    const float both = npu_f32_from_bits(npu_f32_bits(a) & npu_f32_bits(b));
    const float y = a > b ? a : a == b ? both : b;

    return a != a ? a : y;
}

NPU_INLINE float npu_min_f32(float a, float b)
{
    const float either = npu_f32_from_bits(npu_f32_bits(a) | npu_f32_bits(b));
    const float y = a < b ? a : a == b ? either : b;

    return a != a ? a : y;
}
#endif

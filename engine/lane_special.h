/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane_special.h - one lane of the functions of the high-level API, evaluated in double.
 *
 * Apart from lane_math.h because the vector unit of the chip has no such instructions: its library
 * composes them. The same promise holds, a relative error below 2^-40 (tests/unit/t_math.c). The
 * polynomials interpolate at the Chebyshev nodes of their range; the comment names the function
 * and the worst relative error there.
 */
#ifndef NPU_LANE_SPECIAL_H
#define NPU_LANE_SPECIAL_H
#include "lane_math.h"

/* e^x with a wide range: to 2^900, infinity beyond. */
NPU_INLINE double npu_exp_wide_f64(double x)
{
    const double t = x * 0x1.71547652b82fep+0; /* log2 e */
    const bool fits = t <= 900.0 && t >= -900.0;
    const double y = npu_exp2_f64(fits ? t : 0.0);

    return fits ? y : x != x ? x : x > 0.0 ? NPU_INF_F64 : 0.0;
}

/* ---- inverse trigonometry ---------------------------------------------------------------------
 */

/* atan(u) / u over u * u in [0, tan^2(pi/8)]: 2^-49. */
NPU_INLINE double npu_atan_series(double z)
{
    return NPU_POLY(z, -2.5314729731942331e-02, 5.0246342455960435e-02, -6.5059441555033112e-02,
                    7.6735290984678267e-02, -9.0895293573625552e-02, 1.1111048820585145e-01,
                    -1.4285712660659053e-01, 1.9999999978376870e-01, -3.3333333333221343e-01,
                    9.9999999999999900e-01);
}

/* pi/2 - atan(1/x) above 1, pi/4 + atan((x-1)/(x+1)) above tan(pi/8). */
NPU_INLINE double npu_atan_f64(double x)
{
    const double a = __builtin_fabs(x), inverse = 1.0 / a;
    const double v = a > 1.0 ? inverse : a, turned = (v - 1.0) / (v + 1.0);
    const bool turns = v > 0x1.a827999fcef32p-2; /* tan(pi/8) */
    const double u = turns ? turned : v;
    const double s = NPU_FMA(u, npu_atan_series(u * u), turns ? 0x1.921fb54442d18p-1 : 0.0);

    return __builtin_copysign(a > 1.0 ? 0x1.921fb54442d18p+0 - s : s, x);
}

NPU_INLINE double npu_asin_f64(double x)
{
    return npu_atan_f64(x / __builtin_sqrt((1.0 - x) * (1.0 + x)));
}

NPU_INLINE double npu_acos_f64(double x)
{
    return 2.0 * npu_atan_f64(__builtin_sqrt((1.0 - x) / (1.0 + x)));
}

/* ---- hyperbolic -------------------------------------------------------------------------------
 */

/* sinh(x) / x over x * x in [0, 1]: 2^-51. */
NPU_INLINE double npu_sinh_series(double z)
{
    return NPU_POLY(z, 1.6328795874557297e-10, 2.5048389847459933e-08, 2.7557344608530327e-06,
                    1.9841269752364179e-04, 8.3333333334815653e-03, 1.6666666666665739e-01,
                    1.0000000000000000e+00);
}

NPU_INLINE double npu_sinh_f64(double x)
{
    const double a = __builtin_fabs(x), e = npu_exp_wide_f64(a);
    const double big = 0.5 * (e - 1.0 / e);

    return __builtin_copysign(a < 1.0 ? a * npu_sinh_series(x * x) : big, x);
}

NPU_INLINE double npu_cosh_f64(double x)
{
    const double e = npu_exp_wide_f64(__builtin_fabs(x));

    return 0.5 * (e + 1.0 / e);
}

/* asinh(x) / x over x * x in [0, 1/4]: 2^-47. */
NPU_INLINE double npu_asinh_series(double z)
{
    return NPU_POLY(z, -3.6285779444888058e-03, 8.9036891510212192e-03, -1.3262872323252984e-02,
                    1.7235281991760998e-02, -2.2359715474872782e-02, 3.0381131574671219e-02,
                    -4.4642826385625056e-02, 7.4999999405417558e-02, -1.6666666666218666e-01,
                    9.9999999999999445e-01);
}

NPU_INLINE double npu_asinh_f64(double x)
{
    const double a = __builtin_fabs(x), z = a < 0.5 ? a * a : 0.0;
    const double big = npu_ln_f64(a + __builtin_sqrt(NPU_FMA(a, a, 1.0)));

    return __builtin_copysign(a < 0.5 ? a * npu_asinh_series(z) : big, x);
}

/* The sum is at least 2^-12 above 1 for every float above 1, so rounding it costs 2^-41. */
NPU_INLINE double npu_acosh_f64(double x)
{
    const double y = npu_ln_f64(x + __builtin_sqrt((x - 1.0) * (x + 1.0)));

    return x >= 1.0 ? y : NPU_NAN_F64;
}

/* ln(m) = 2 atanh((m - 1) / (m + 1)), so below 0.17 the series of the logarithm does it alone. */
NPU_INLINE double npu_atanh_f64(double x)
{
    const double a = __builtin_fabs(x), z = a < 0.171 ? a * a : 0.0;
    const double big = 0.5 * npu_ln_f64((1.0 + a) / (1.0 - a));

    return __builtin_copysign(a < 0.171 ? NPU_FMA(npu_ln_series(z) * z, a, a) : big, x);
}

/* ---- logarithms and powers --------------------------------------------------------------------
 */

NPU_INLINE double npu_log2_f64(double x) { return npu_ln_f64(x) * 0x1.71547652b82fep+0; }
NPU_INLINE double npu_log10_f64(double x) { return npu_ln_f64(x) * 0x1.bcb7b1526e50ep-2; }

/* x ^ y with the special values of C's pow; both are floats. */
NPU_INLINE double npu_pow_f64(double x, double y)
{
    const double a = __builtin_fabs(x), half_y = 0.5 * y;
    const bool is_whole = __builtin_rint(y) == y;
    const bool is_odd = is_whole && __builtin_rint(half_y) != half_y;
    double t = y * npu_log2_f64(a);

    t = t > 900.0 ? 900.0 : t; /* beyond what a float holds, on either side */
    t = t < -900.0 ? -900.0 : t;
    double r = npu_exp2_f64(t == t ? t : 0.0);

    /* To 40 bits, so that a power which is halfway between two halves stays there. */
    const double wide = r * 0x1.0008p13; /* 2^13 + 1 (Veltkamp) */
    r = wide - (wide - r);
    r = a == 1.0 ? 1.0 : t == t ? r : NPU_NAN_F64;
    r = a == 0.0 ? (y < 0.0 ? NPU_INF_F64 : 0.0) : r;
    r = x < 0.0 && !is_whole && a != NPU_INF_F64 ? NPU_NAN_F64 : r;
    r = is_odd ? __builtin_copysign(r, x) : r;
    r = x != x || y != y ? NPU_NAN_F64 : r;
    return y == 0.0 || x == 1.0 ? 1.0 : r;
}

/* ---- error function ---------------------------------------------------------------------------
 */

/* erf(x) / x over x * x in [0, 1]: 2^-50. */
NPU_INLINE double npu_erf_series(double z)
{
    return NPU_POLY(z, 9.4285969568341639e-09, -1.5188281247335167e-07, 1.6310356513871741e-06,
                    -1.4913300906316395e-05, 1.2054681918310599e-04, -8.5483048717827407e-04,
                    5.2239771541053043e-03, -2.6866170586496874e-02, 1.1283791670580423e-01,
                    -3.7612638903174400e-01, 1.1283791670955121e+00);
}

/* (1 + 2 x) e^(x^2) erfc(x) over t = (x - 3.75) / (x + 3.75), x in [0, 12]: 2^-49. Beyond, erfc is
 * nothing that a float holds. (Shepherd and Laframboise, 1981, chose the variable.) */
NPU_INLINE double npu_erfc_positive(double x)
{
    const double a = x > 12.0 ? 12.0 : x, t = (a - 3.75) / (a + 3.75);
    const double p =
        NPU_POLY(t, -7.1340056664645178e-09, 4.5904682607628013e-07, 1.9535992072038614e-06,
                 -1.3427141260053417e-06, -1.1808672913179471e-05, 2.2431242301070724e-05,
                 5.1822420333513756e-05, -2.9012449459685685e-04, 2.9367429564043743e-04,
                 1.7556136828415319e-03, -9.7465748074419666e-03, 2.8362279302138027e-02,
                 -5.8693398893938195e-02, 9.2304321023817235e-02, -1.0880393013205351e-01,
                 8.2276738494375723e-02, 3.5854154853345583e-03, -1.4024059858558433e-01,
                 1.2375126308378279e+00);

    return p * npu_exp_f64(-a * a) / NPU_FMA(2.0, a, 1.0);
}

NPU_INLINE double npu_erf_f64(double x)
{
    const double a = __builtin_fabs(x), z = a < 1.0 ? a * a : 0.0;

    return __builtin_copysign(a < 1.0 ? a * npu_erf_series(z) : 1.0 - npu_erfc_positive(a), x);
}

NPU_INLINE double npu_erfc_f64(double x)
{
    const double c = npu_erfc_positive(__builtin_fabs(x));

    return x < 0.0 ? 2.0 - c : c;
}

/* ---- activation -------------------------------------------------------------------------------
 */

NPU_INLINE double npu_sigmoid_f64(double x) { return 1.0 / (1.0 + npu_exp_wide_f64(-x)); }
/* x / (1 + e^(-beta x)) */
NPU_INLINE double npu_swish_f64(double x, double beta)
{
    return x / (1.0 + npu_exp_wide_f64(-beta * x));
}
NPU_INLINE double npu_gelu_f64(double x)
{
    return x / (1.0 + npu_exp_wide_f64(-1.5957691216057308 * NPU_FMA(0.044715 * x * x, x, x)));
}
NPU_INLINE double npu_faster_gelu_f64(double x) { return npu_swish_f64(x, 1.702); }
/* x (sgn(x) (-0.1444 (min(|0.7071 x|, 1.769) - 1.769)^2 + 0.5) + 0.5) */
NPU_INLINE double npu_faster_gelu_v2_f64(double x)
{
    const double a = __builtin_fabs(0.7071 * x), below = (a > 1.769 ? 1.769 : a) - 1.769;
    const double bend = NPU_FMA(-0.1444 * below, below, 0.5);

    return x * (__builtin_copysign(bend, x) + 0.5);
}

NPU_INLINE double npu_geglu_f64(double x, double y) { return x * npu_gelu_f64(y); }
NPU_INLINE double npu_swiglu_f64(double x, double y, double beta)
{
    return x * npu_swish_f64(y, beta);
}

/* ---- remainder --------------------------------------------------------------------------------
 */

double npu_fmod_any(double a, double b); /* gamma.c */

/* a - trunc(a / b) b, exact, with the sign of a. The quotient of two floats may be off by one; the
 * product and the difference are not, as long as it has no more than 52 bits. */
NPU_INLINE double npu_fmod_f64(double a, double b)
{
    const double q = __builtin_trunc(a / b), size = __builtin_fabs(b);
    double r = NPU_FMA(-q, b, a);

    if (__builtin_fabs(q) >= 0x1p52 || __builtin_fabs(b) == NPU_INF_F64)
        return npu_fmod_any(a, b);
    r = a >= 0.0     ? r < 0.0     ? r + size
                       : r >= size ? r - size
                                   : r
        : r > 0.0    ? r - size
        : r <= -size ? r + size
                     : r;
    return __builtin_copysign(r, a);
}

/* ---- the gamma function, one at a time: gamma.c ----------------------------------------------
 */

double npu_lgamma_f64(double x);
double npu_digamma_f64(double x);
#endif

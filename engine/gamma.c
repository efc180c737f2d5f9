/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gamma.c - the gamma function's logarithm and its derivative, one at a time, and the remainder of
 * floats that are far apart.
 *
 * Apart from the lanes because they loop and branch; they serve every instruction set, so that all
 * give the same bits.
 */
#include "lane_special.h"
#include <math.h>
#include "../base/banned.h"

double npu_fmod_any(double a, double b)
{
    return fmod(a, b);
}

double npu_lgamma_f64(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

/* ln x - 1/(2x) - sum of B(2k) / (2k x^2k), for x from 10 on; the first term left out is 2^-54. */
static double digamma_asymptotic(double x)
{
    const double z = 1.0 / (x * x);
    double p = -1.0 / 12.0; /* B(14) / 14 */

    p = p * z + 691.0 / 32760.0;
    p = p * z - 1.0 / 132.0;
    p = p * z + 1.0 / 240.0;
    p = p * z - 1.0 / 252.0;
    p = p * z + 1.0 / 120.0;
    p = p * z - 1.0 / 12.0;
    return log(x) - 0.5 / x + p * z;
}

/* Poles: +-infinity at 0, by its sign; NaN at the negative integers, where the sides disagree. */
double npu_digamma_f64(double x)
{
    double y = 0;

    if (x == 0)
        return -1.0 / x;
    if (x == -NPU_INF_F64 || (x < 0 && x == rint(x)))
        return NPU_NAN_F64;
    if (x < 0) { /* the reflection formula; x less its nearest integer is exact */
        y = -M_PI / tan(M_PI * (x - rint(x)));
        x = 1.0 - x;
    }
    while (x < 10.0) {
        y -= 1.0 / x;
        x += 1.0;
    }
    return y + digamma_asymptotic(x);
}

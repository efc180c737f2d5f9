/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_math.c - how right the special functions are. Halves: correctly rounded, all 65,536 of them.
 * Floats: within 0.501 units in the last place of libm's double (long double for halves), over
 * random and special arguments. The reference never runs a lane expression.
 */
#include "on_core.h"
#include "../../base/num.h"
#include "../../engine/vec.h"
#include <math.h>
#include <string.h>

enum { N = 65536 };
static uint16_t h_in[N], h_out[N], h_two[N];
static float f_in[N], f_out[N];

struct function {
    enum npu_op op;
    long double (*half)(long double);
    double (*single)(double);
};

static long double rsqrt_l(long double x)
{
    return 1 / sqrtl(x);
}
static double rsqrt_d(double x)
{
    return 1 / sqrt(x);
}
static long double rec_l(long double x)
{
    return 1 / x;
}
static double rec_d(double x)
{
    return 1 / x;
}
/* A formula in both precisions. */
#define BOTH(name, expr_l, expr_d)                                                                 \
    static long double name##_l(long double x)                                                     \
    {                                                                                              \
        return expr_l;                                                                             \
    }                                                                                              \
    static double name##_d(double x)                                                               \
    {                                                                                              \
        return expr_d;                                                                             \
    }
/* Floats need more than double where digits cancel or the reference would be our own libm call. */
#define WIDE(name, expr_l) BOTH(name, expr_l, (double)name##_l((long double)x))
static int sign;
WIDE(ln_gamma, lgammal_r(x, &sign))
static long double sigmoid_of(long double x)
{
    return 1 / (1 + expl(-x));
}
WIDE(sigmoid, sigmoid_of(x))
WIDE(gelu, x / (1 + expl(-1.5957691216057308L * (x + 0.044715L * x * x * x))))
WIDE(faster_gelu, x / (1 + expl(-1.702L * x)))
/* 0.7071, 1.769 and 0.1444 as doubles round them, which no result shows. */
WIDE(faster_gelu_v2,
     x *((signbit(x) ? -1 : 1) *
             (0.5L - 0.1444L * powl(fminl(fabsl(0.7071L * x), 1.769L) - 1.769L, 2)) +
         0.5L))
WIDE(frac, x - truncl(x))
WIDE(sign_of, (x > 0) - (x < 0))
/* The recurrence up to 60, then Stirling's series: other terms than the lane takes. */
static long double digamma_up(long double x)
{
    const long double z = 1 / (x * x);

    return logl(x) - 1 / (2 * x) -
           z * (1 / 12.0L - z * (1 / 120.0L - z * (1 / 252.0L - z * (1 / 240.0L - z / 132.0L))));
}
static long double digamma_of(long double x)
{
    long double y = 0;

    if (x == 0)
        return -1 / x;
    if (x < 0 && (isinf(x) || x == rintl(x)))
        return NAN;
    if (x < 0)
        return digamma_of(1 - x) -
               3.14159265358979323846264338327950288L /
                   tanl(3.14159265358979323846264338327950288L * (x - rintl(x)));
    while (x < 60) { /* digamma(x) is digamma(x + 1) - 1 / x */
        y -= 1 / x;
        x += 1;
    }
    return y + digamma_up(x);
}
WIDE(digamma, digamma_of(x))
static const struct function functions[] = {
    {OP_vexp, expl, exp},
    {OP_vln, logl, log},
    {OP_vsqrt, sqrtl, sqrt},
    {OP_vrsqrt, rsqrt_l, rsqrt_d},
    {OP_vrec, rec_l, rec_d},
    {OP_vsin, sinl, sin},
    {OP_vcos, cosl, cos},
    {OP_vtan, tanl, tan},
    {OP_vtanh, tanhl, tanh},
    {OP_vacos, acosl, acos},
    {OP_vacosh, acoshl, acosh},
    {OP_vasin, asinl, asin},
    {OP_vasinh, asinhl, asinh},
    {OP_vatan, atanl, atan},
    {OP_vatanh, atanhl, atanh},
    {OP_vcosh, coshl, cosh},
    {OP_vsinh, sinhl, sinh},
    {OP_verf, erfl, erf},
    {OP_verfc, erfcl, erfc},
    {OP_vlgamma, ln_gamma_l, ln_gamma_d},
    {OP_vdigamma, digamma_l, digamma_d},
    {OP_vlog2, log2l, log2},
    {OP_vlog10, log10l, log10},
    {OP_vceil, ceill, ceil},
    {OP_vfloor, floorl, floor},
    {OP_vtrunc, truncl, trunc},
    {OP_vround, rintl, rint},
    {OP_vfrac, frac_l, frac_d},
    {OP_vsign, sign_of_l, sign_of_d},
    {OP_vsigmoid, sigmoid_l, sigmoid_d},
    {OP_vgelu, gelu_l, gelu_d},
    {OP_vfastgelu, faster_gelu_l, faster_gelu_d},
    {OP_vfastgelu2, faster_gelu_v2_l, faster_gelu_v2_d},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

/* One rounding from long double: to double by rounding to odd, then to half. */
static uint16_t round_half(long double y)
{
    double d = (double)y;

    if ((long double)d != y && y == y && !isinf(d) && !(npu_f64_bits(d) & 1))
        d = nextafter(d, (long double)d < y ? INFINITY : -INFINITY);
    return npu_f64_to_f16(d);
}

static bool half_is_nan(uint16_t h)
{
    return (h & 0x7fff) > 0x7c00;
}

static void test_halves(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N; i++)
        h_in[i] = (uint16_t)i;
    for (size_t k = 0; k < N_FUNCTIONS; k++) {
        npu_lanes_best()->op[functions[k].op][TYPE_f16](h_out, h_in, NULL, 0, N);
        for (uint32_t i = 0; i < N; i++) {
            const uint16_t want =
                round_half(functions[k].half((long double)npu_f16_to_f32(h_in[i])));
            if (h_out[i] != want && !(half_is_nan(want) && half_is_nan(h_out[i])))
                fail_msg("%s of half 0x%04x: got 0x%04x, want 0x%04x",
                         npu_isa[functions[k].op].name, i, h_out[i], want);
        }
    }
}

static uint64_t seed = 88172645463325252u;
static uint32_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

/* Distance of got from the exact value, in units of the last place of the float near it. */
static double ulps(float got, double exact)
{
    const float near = (float)exact;
    int e;

    if (isnan(got) || isnan(exact))
        return isnan(got) && isnan(exact) ? 0 : INFINITY;
    if (isinf(got) || isinf(near))
        return got == near ? 0 : INFINITY;
    (void)frexp(exact == 0 ? 0x1p-149 : exact, &e);
    return fabs((double)got - exact) / ldexp(1, e < -125 ? -149 : e - 24);
}

static void fill_round(int round)
{
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t r = rnd();
        switch (round % 3) {
        case 0: /* any pattern */
            f_in[i] = npu_f32_from_bits(r);
            break;
        case 1: /* where the functions bend */
            f_in[i] = (float)((int32_t)r) * 0x1p-31f * 12;
            break;
        default:
            f_in[i] = (float)((int32_t)r) * 0x1p-31f * 120;
        }
    }
    f_in[0] = 0.0f;
    f_in[1] = -0.0f;
    f_in[2] = INFINITY;
    f_in[3] = -INFINITY;
    f_in[4] = NAN;
    f_in[5] = 0x1.921fb6p0f; /* pi/2, and the float nearest to a multiple of it */
    f_in[6] = 0x1.4bb3ccp37f;
    f_in[7] = 0x1.fffffep127f;
    f_in[8] = 0x1.fffffep27f;
    f_in[9] = 0x1p28f;
}

static void test_singles(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_FUNCTIONS; k++) {
        double worst = 0;
        uint32_t n_wrong = 0;
        for (int round = 0; round < 12; round++) {
            fill_round(round);
            npu_lanes_best()->op[functions[k].op][TYPE_f32](f_out, f_in, NULL, 0, N);
            for (uint32_t i = 0; i < N; i++) {
                const double exact = functions[k].single((double)f_in[i]),
                             u = ulps(f_out[i], exact);
                worst = u > worst ? u : worst;
                n_wrong += u > 0 && f_out[i] != (float)exact;
                if (u > 0.501)
                    fail_msg("%s(%a) = %a, exact %a, off by %.3f ulp",
                             npu_isa[functions[k].op].name, (double)f_in[i], (double)f_out[i],
                             exact, u);
                if (f_out[i] == 0 && exact == 0)
                    assert_int_equal(!!signbit(f_out[i]), !!signbit(exact));
            }
        }
        print_message("%s f32: worst %.4f ulp, %u of %d not correctly rounded\n",
                      npu_isa[functions[k].op].name, worst, n_wrong, 12 * N);
    }
}

/* Halves through float and one rounding: innocuous for these four, as theory has it. */
static void test_half_arithmetic(void **state)
{
    static const enum npu_op ops[] = {OP_vadd, OP_vsub, OP_vmul, OP_vdiv};

    (void)state;
    for (int round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < N; i++) {
            h_in[i] = (uint16_t)i;
            h_two[i] = (uint16_t)rnd();
        }
        for (size_t k = 0; k < 4; k++) {
            npu_lanes_best()->op[ops[k]][TYPE_f16](h_out, h_in, h_two, 0, N);
            for (uint32_t i = 0; i < N; i++) {
                const double a = (double)npu_f16_to_f32(h_in[i]),
                             b = (double)npu_f16_to_f32(h_two[i]);
                const double y = k == 0 ? a + b : k == 1 ? a - b : k == 2 ? a * b : a / b;
                const uint16_t want = npu_f64_to_f16(y);
                if (h_out[i] != want && !(half_is_nan(want) && half_is_nan(h_out[i])))
                    fail_msg("%s 0x%04x 0x%04x: got 0x%04x, want 0x%04x", npu_isa[ops[k]].name,
                             h_in[i], h_two[i], h_out[i], want);
            }
        }
    }
}

/* dst + src * scalar with one rounding, against long double, whose 64 bits hold these exactly. */
static void test_axpy(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        const uint16_t s = (uint16_t)(rnd() & 0xbfff); /* below 2 */
        for (uint32_t i = 0; i < N; i++) {
            h_in[i] = (uint16_t)(i & 0xbfff);
            h_out[i] =
                (uint16_t)(h_in[i] ^ (rnd() & 0x83ff)); /* of a size, so that digits cancel */
        }
        memcpy(h_two, h_out, sizeof h_two);
        npu_lanes_best()->op[OP_vaxpy][TYPE_f16](h_out, h_in, h_out, s, N);
        for (uint32_t i = 0; i < N; i++) {
            const long double y =
                (long double)npu_f16_to_f32(h_in[i]) * (long double)npu_f16_to_f32(s) +
                (long double)npu_f16_to_f32(h_two[i]);
            if (h_out[i] != round_half(y))
                fail_msg("axpy 0x%04x * 0x%04x + 0x%04x: got 0x%04x, want 0x%04x", h_in[i], s,
                         h_two[i], h_out[i], round_half(y));
        }
    }
}

/* ---- two sources ------------------------------------------------------------------------------
 */

/* Infinity times a gate that no float holds is infinity times 0, as in arithmetic with floats. */
static long double gated(long double x, long double gate)
{
    return x * (fabsl(gate) < 0x1p-880L ? copysignl(0, gate) : gate);
}
static long double geglu_of(long double x, long double y)
{
    return gated(x, gelu_l(y));
}
static long double swiglu_of(long double x, long double y)
{
    return gated(x, y / (1 + expl(-1.25L * y)));
}
static long double swish_of(long double x, long double unused)
{
    (void)unused;
    return x / (1 + expl(-1.25L * x));
}
static long double pows_of(long double x, long double unused)
{
    (void)unused;
    return powl(x, 1.25L);
}
static long double spow_of(long double x, long double unused)
{
    (void)unused;
    return powl(1.25L, x);
}
static long double reglu_of(long double x, long double y)
{
    return x * (y > 0 || isnan(y) ? y : 0);
}
/* All with the scalar 1.25, which a half holds. */
static const struct {
    enum npu_op op;
    bool is_float_scalar;
    long double (*exact)(long double, long double);
} pairs[] = {
    {OP_vpow, false, powl},       {OP_vpows, false, pows_of},    {OP_vspow, false, spow_of},
    {OP_vfmod, false, fmodl},     {OP_vswish, false, swish_of},  {OP_vgeglu, false, geglu_of},
    {OP_vreglu, false, reglu_of}, {OP_vswiglu, true, swiglu_of},
};

static void pairs_of_halves(size_t k)
{
    const uint64_t s = pairs[k].is_float_scalar ? npu_f32_bits(1.25f) : npu_f64_to_f16(1.25);

    for (uint32_t i = 0; i < N; i++) {
        h_in[i] = (uint16_t)i;
        h_two[i] = (uint16_t)rnd();
    }
    npu_lanes_best()->op[pairs[k].op][TYPE_f16](h_out, h_in, h_two, s, N);
    for (uint32_t i = 0; i < N; i++) {
        const long double y = pairs[k].exact((long double)npu_f16_to_f32(h_in[i]),
                                             (long double)npu_f16_to_f32(h_two[i]));
        /* Of four thousand million pairs some lie 2^-50 beside the middle of two halves, where
         * either is right: 0.5 units in the last place. */
        const uint16_t want = round_half(y), below = round_half(y * (1 - 0x1p-46L)),
                       above = round_half(y * (1 + 0x1p-46L));
        if (h_out[i] != want && h_out[i] != below && h_out[i] != above &&
            !(half_is_nan(want) && half_is_nan(h_out[i])))
            fail_msg("%s 0x%04x 0x%04x: got 0x%04x, want 0x%04x", npu_isa[pairs[k].op].name,
                     h_in[i], h_two[i], h_out[i], want);
    }
}

static void pairs_of_singles(size_t k, int round)
{
    static float f_two[N];

    fill_round(round);
    for (uint32_t i = 0; i < N; i++)
        f_two[i] = f_in[rnd() % N];
    npu_lanes_best()->op[pairs[k].op][TYPE_f32](f_out, f_in, f_two, npu_f32_bits(1.25f), N);
    for (uint32_t i = 0; i < N; i++) {
        const double exact = (double)pairs[k].exact((long double)f_in[i], (long double)f_two[i]);
        if (ulps(f_out[i], exact) > 0.501)
            fail_msg("%s(%a, %a) = %a, exact %a", npu_isa[pairs[k].op].name, (double)f_in[i],
                     (double)f_two[i], (double)f_out[i], exact);
    }
}

static void test_pairs(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (int round = 0; round < 6; round++) {
            pairs_of_halves(k);
            pairs_of_singles(k, round);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),          cmocka_unit_test(test_singles),
        cmocka_unit_test(test_half_arithmetic), cmocka_unit_test(test_axpy),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}

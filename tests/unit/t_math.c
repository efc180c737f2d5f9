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
static const struct function functions[] = {
    {OP_vexp, expl, exp},          {OP_vln, logl, log},     {OP_vsqrt, sqrtl, sqrt},
    {OP_vrsqrt, rsqrt_l, rsqrt_d}, {OP_vrec, rec_l, rec_d}, {OP_vsin, sinl, sin},
    {OP_vcos, cosl, cos},          {OP_vtan, tanl, tan},    {OP_vtanh, tanhl, tanh},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_singles),
        cmocka_unit_test(test_half_arithmetic),
        cmocka_unit_test(test_axpy),
    };
    return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}

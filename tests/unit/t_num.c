/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_num.c - number formats against a slow reference: a sorted table of every value of the format,
 * built from its definition, and a search for the nearest one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "../../base/num.h"
#include <math.h>
#include <stdlib.h>

/* ---- the reference
 * -------------------------------------------------------------------------------- */

struct entry {
    double value;
    uint32_t code;
};
struct table {
    struct entry row[32768];
    uint32_t n;      /* finite, not negative, ascending */
    uint32_t sign;   /* the sign bit */
    uint32_t beyond; /* code of what lies beyond the last row */
    double limit;    /* from here on it is `beyond` */
    bool ties_away;
};

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct entry *)a)->value, y = ((const struct entry *)b)->value;

    return (x > y) - (x < y);
}

/* IEEE-like: e exponent bits, m mantissa bits; the codes from first_special on are not finite. */
static void make_ieee(struct table *t, int e, int m, uint32_t first_special, uint32_t beyond)
{
    const int bias = (1 << (e - 1)) - 1;

    *t = (struct table){.sign = 1u << (e + m), .beyond = beyond, .n = first_special};
    for (uint32_t c = 0; c < first_special; c++) {
        const int exp = (int)(c >> m);
        const double mant = (double)(c & ((1u << m) - 1)) / (1 << m);
        t->row[c] = (struct entry){exp ? ldexp(1 + mant, exp - bias) : ldexp(mant, 1 - bias), c};
    }
    /* Half a step beyond the largest, where the next number would be. */
    t->limit = t->row[t->n - 1].value + (t->row[t->n - 1].value - t->row[t->n - 2].value) / 2;
}

/* HiFloat8 from the list of its segments: prefix, exponents, mantissa bits. */
static void make_hif8(struct table *t)
{
    uint32_t n = 0;

    *t = (struct table){.sign = 0x80, .beyond = 0x6f, .limit = 40960, .ties_away = true};
    t->row[n++] = (struct entry){0, 0};
    for (int k = 1; k <= 7; k++)
        t->row[n++] = (struct entry){ldexp(1, k - 23), (uint32_t)k};
    for (int e = -15; e <= 15; e++) {
        const int a = abs(e), w = a == 0 ? 0 : a == 1 ? 1 : a < 4 ? 2 : a < 8 ? 3 : 4;
        static const int mant_bits[] = {3, 3, 3, 2, 1}, prefix[] = {8, 0x10, 0x20, 0x40, 0x60};
        for (int m = 0; m < 1 << mant_bits[w]; m++) {
            const int low = w ? a - (1 << (w - 1)) : 0; /* |E| without its leading one */
            const int field = (e < 0 ? 1 << (w - 1) : 0) + low;
            const int code = prefix[w] + ((w ? field : 0) << mant_bits[w]) + m;
            if (code != 0x6f)
                t->row[n++] =
                    (struct entry){ldexp(1 + (double)m / (1 << mant_bits[w]), e), (uint32_t)code};
        }
    }
    t->n = n;
    qsort(t->row, n, sizeof t->row[0], by_value);
}

static uint32_t nearest(const struct table *t, double x)
{
    const double a = fabs(x);
    const uint32_t sign = signbit(x) ? t->sign : 0;
    uint32_t low = 0, high = t->n - 1;

    if (a >= t->limit)
        return sign | t->beyond;
    if (a >= t->row[high].value)
        return sign | t->row[high].code;
    while (high - low > 1) {
        const uint32_t mid = (low + high) / 2;
        if (t->row[mid].value <= a)
            low = mid;
        else
            high = mid;
    }
    const double down = a - t->row[low].value, up = t->row[high].value - a;
    const bool takes_up = up < down || (up == down && (t->ties_away || (t->row[low].code & 1)));
    return sign | t->row[takes_up ? high : low].code;
}

/* ---- the tries
 * ------------------------------------------------------------------------------------- */

typedef uint32_t encode_fn(float f);
typedef float decode_fn(uint32_t code);

static void expect(const struct table *t, encode_fn *encode, float f, bool has_no_minus_zero)
{
    uint32_t want = nearest(t, (double)f);

    if (has_no_minus_zero && want == t->sign)
        want = 0;
    if (encode(f) != want)
        fail_msg("%a (0x%08x): got 0x%x, want 0x%x", (double)f, npu_f32_bits(f), encode(f), want);
}

static uint32_t seed = 12345;
static uint32_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

/* Every value, every midpoint, their neighbours, and random floats. */
static void try_format(const struct table *t, encode_fn *encode, decode_fn *decode,
                       bool no_minus_zero)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const double next = i + 1 < t->n ? t->row[i + 1].value : t->limit;
        const float at[] = {(float)t->row[i].value, (float)((t->row[i].value + next) / 2)};
        assert_true((double)decode(t->row[i].code) == t->row[i].value);
        for (int k = 0; k < 2; k++)
            for (int s = 0; s < 2; s++) {
                const float f = s ? -at[k] : at[k];
                expect(t, encode, f, no_minus_zero);
                expect(t, encode, nextafterf(f, INFINITY), no_minus_zero);
                expect(t, encode, nextafterf(f, -INFINITY), no_minus_zero);
            }
    }
    for (int i = 0; i < 1000000; i++) {
        const float f = npu_f32_from_bits(rnd());
        if (f == f && !isinf(f))
            expect(t, encode, f, no_minus_zero);
    }
}

static struct table table;

static uint32_t f16_encode(float f)
{
    return npu_f32_to_f16(f);
}
static uint32_t f16_encode_f64(float f)
{
    return npu_f64_to_f16((double)f);
}
static uint32_t f16_encode_odd(float f)
{
    return npu_f32_to_f16(npu_f64_to_f32_odd((double)f));
}
static float f16_decode(uint32_t c)
{
    return npu_f16_to_f32((uint16_t)c);
}
static void test_f16(void **state)
{
    (void)state;
    make_ieee(&table, 5, 10, 0x7c00, 0x7c00);
    try_format(&table, f16_encode, f16_decode, false);
    try_format(&table, f16_encode_f64, f16_decode, false);
    try_format(&table, f16_encode_odd, f16_decode, false);
    assert_int_equal(npu_f32_to_f16(INFINITY), 0x7c00);
    assert_int_equal(npu_f32_to_f16(NAN) & 0x7e00, 0x7e00);
    for (uint32_t c = 0x7c01; c < 0x8000; c++) /* NaN keeps its payload and becomes quiet */
        assert_int_equal(npu_f32_to_f16(npu_f16_to_f32((uint16_t)c)), c | 0x200);
}

/* A double that float would round to a tie: the odd rounding must not lose which side it was on. */
static void test_odd(void **state)
{
    (void)state;
    make_ieee(&table, 5, 10, 0x7c00, 0x7c00);
    for (uint32_t i = 0; i + 1 < table.n; i++) {
        const double middle = (table.row[i].value + table.row[i + 1].value) / 2;
        for (int s = -1; s <= 1; s++) {
            const double d = middle * (1 + s * 0x1p-50);
            assert_int_equal(npu_f32_to_f16(npu_f64_to_f32_odd(d)), nearest(&table, d));
            assert_int_equal(npu_f64_to_f16(d), nearest(&table, d));
        }
    }
}

static uint32_t bf16_encode(float f)
{
    return npu_f32_to_bf16(f);
}
static float bf16_decode(uint32_t c)
{
    return npu_bf16_to_f32((uint16_t)c);
}
static void test_bf16(void **state)
{
    (void)state;
    make_ieee(&table, 8, 7, 0x7f80, 0x7f80);
    try_format(&table, bf16_encode, bf16_decode, false);
    assert_int_equal(npu_f32_to_bf16(INFINITY), 0x7f80);
    assert_true(npu_f32_to_bf16(npu_f32_from_bits(0x7f800001)) > 0x7f80); /* NaN stays NaN */
}

static uint32_t e5m2_encode(float f)
{
    return npu_f32_to_e5m2(f, false);
}
static float e5m2_decode(uint32_t c)
{
    return npu_e5m2_to_f32((uint8_t)c);
}
static uint32_t e4m3_encode(float f)
{
    return npu_f32_to_e4m3(f, false);
}
static uint32_t e4m3_saturate(float f)
{
    return npu_f32_to_e4m3(f, true);
}
static float e4m3_decode(uint32_t c)
{
    return npu_e4m3_to_f32((uint8_t)c);
}
static void test_fp8(void **state)
{
    (void)state;
    make_ieee(&table, 5, 2, 0x7c, 0x7c);
    try_format(&table, e5m2_encode, e5m2_decode, false);
    make_ieee(&table, 4, 3, 0x7f, 0x7f);
    try_format(&table, e4m3_encode, e4m3_decode, false);
    table.beyond = 0x7e;
    try_format(&table, e4m3_saturate, e4m3_decode, false);
    assert_true(isnan(npu_e4m3_to_f32(0xff)));
    assert_true(isnan(npu_e5m2_to_f32(0x7d)));
    assert_true(isinf(npu_e5m2_to_f32(0xfc)));
    assert_int_equal(npu_f32_to_e4m3(INFINITY, false), 0x7f);
    assert_int_equal(npu_f32_to_e4m3(-INFINITY, true), 0xfe);
}

static uint32_t hif8_encode(float f)
{
    return npu_f32_to_hif8(f, false);
}
static uint32_t hif8_saturate(float f)
{
    return npu_f32_to_hif8(f, true);
}
static float hif8_decode(uint32_t c)
{
    return npu_hif8_to_f32((uint8_t)c);
}
static void test_hif8(void **state)
{
    (void)state;
    make_hif8(&table);
    assert_int_equal(table.n, 127);
    try_format(&table, hif8_encode, hif8_decode, true);
    table.beyond = 0x6e;
    try_format(&table, hif8_saturate, hif8_decode, true);
    assert_int_equal(npu_f32_to_hif8(INFINITY, true), 0x6f);
    assert_int_equal(npu_f32_to_hif8(-NAN, true), 0x80);
    assert_true(isnan(npu_hif8_to_f32(0x80)));
    assert_true(npu_hif8_to_f32(0xef) == -INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f16), cmocka_unit_test(test_odd),  cmocka_unit_test(test_bf16),
        cmocka_unit_test(test_fp8), cmocka_unit_test(test_hif8),
    };
    return cmocka_run_group_tests_name("num", tests, NULL, NULL);
}

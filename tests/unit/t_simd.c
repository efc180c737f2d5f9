/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_simd.c - every lane and row loop of every instruction set equals the plain one, bit by bit (any
 * NaN for any NaN): over all 65,536 halves, random and special patterns of the wider types, and all
 * lengths of the tail, without touching what lies behind.
 */
#include "on_core.h"
#include "../../base/num.h"
#include "../../engine/vec.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 65536 };
static uint64_t a[N / 2 + 16], b[N / 2 + 16], want[N / 2 + 16], got[N / 2 + 16];

static const struct npu_lanes *sets[2];
static uint32_t n_sets;

static uint64_t seed = 88172645463325252u;
static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static bool same(enum npu_type type, const void *x, const void *y)
{
    uint32_t u = 0, v = 0;

    memcpy(&u, x, npu_types[type].bytes);
    memcpy(&v, y, npu_types[type].bytes);
    if (u == v)
        return true;
    if (type == TYPE_f16)
        return (u & 0x7fff) > 0x7c00 && (v & 0x7fff) > 0x7c00;
    return type == TYPE_f32 && (u & 0x7fffffff) > 0x7f800000 && (v & 0x7fffffff) > 0x7f800000;
}

static void compare(const struct npu_lanes *set, const char *what, enum npu_type type, uint32_t n)
{
    const uint32_t elem = npu_types[type].bytes;

    if (!memcmp(want, got, (size_t)n * elem))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (!same(type, (char *)want + i * elem, (char *)got + i * elem)) {
            uint32_t x = 0, y = 0, p = 0, q = 0;
            memcpy(&x, (char *)a + i * elem, elem);
            memcpy(&y, (char *)b + i * elem, elem);
            memcpy(&p, (char *)want + i * elem, elem);
            memcpy(&q, (char *)got + i * elem, elem);
            fail_msg("%s %s %s: a 0x%x b 0x%x: plain 0x%x, this one 0x%x", set->name, what,
                     npu_types[type].name, x, y, p, q);
        }
}

static void fill_random(uint64_t *p)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0x3f800000, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff,
                                       0x4b000000, 0x4d7fffff, 0x4d800000, 0x7e967699, 0x33800000};
    uint32_t *w = (uint32_t *)p;

    for (uint32_t i = 0; i < N; i++) {
        const uint64_t r = rnd();
        w[i] = i % 8 == 0 ? special[r % (sizeof special / 4)] : (uint32_t)r;
        if (i % 8 == 1) /* exponents where things happen */
            w[i] = (w[i] & 0x81ffffff) | 0x3e000000;
    }
}

static void fill_halves(uint64_t *p, uint32_t from)
{
    uint16_t *h = (uint16_t *)p;

    for (uint32_t i = 0; i < N; i++)
        h[i] = (uint16_t)(i * 1 + from);
}

static void try_op(uint32_t op, enum npu_type type, uint64_t scalar)
{
    npu_lane_fn *plain = npu_lanes_plain.op[op][type];
    const bool is_axpy = npu_isa[op].shape == SHAPE_AXPY;

    memcpy(want, b, sizeof want);
    plain(want, a, is_axpy ? want : b, scalar, N);
    for (uint32_t s = 0; s < n_sets; s++) {
        memcpy(got, b, sizeof got);
        sets[s]->op[op][type](got, a, is_axpy ? got : b, scalar, N);
        compare(sets[s], npu_isa[op].name, type, N);
    }
}

static void try_tails(uint32_t op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes;

    for (uint32_t n = 0; n < 100; n++) {
        memset(want, 0x5a, 1024);
        memcpy(want, b, (size_t)n * elem);
        npu_lanes_plain.op[op][type](want, a, npu_isa[op].shape == SHAPE_AXPY ? want : b, 3, n);
        for (uint32_t s = 0; s < n_sets; s++) {
            memset(got, 0x5a, 1024);
            memcpy(got, b, (size_t)n * elem);
            sets[s]->op[op][type](got, a, npu_isa[op].shape == SHAPE_AXPY ? got : b, 3, n);
            compare(sets[s], npu_isa[op].name, type, 1024 / elem);
        }
    }
}

static void test_ops(void **state)
{
    static const uint64_t scalars[] = {0x3c00, 0xb8cd, 0x7c00, 0x3f800000, 0xbf99999a,
                                       0,      3,      17,     0x80000000};

    (void)state;
    for (uint32_t op = 0; op < N_OPS; op++)
        for (uint32_t type = 0; type < N_TYPES; type++) {
            if (!npu_lanes_plain.op[op][type])
                continue;
            for (uint32_t s = 0; s < n_sets; s++)
                assert_non_null(sets[s]->op[op][type]);
            for (uint32_t round = 0; round < sizeof scalars / sizeof *scalars; round++) {
                if (npu_types[type].bytes == 2) {
                    fill_halves(a, 0);
                    fill_halves(b, (uint32_t)rnd());
                } else {
                    fill_random(a);
                    fill_random(b);
                }
                try_op(op, (enum npu_type)type, scalars[round]);
                if (!npu_shapes[npu_isa[op].shape].scalar && round >= 2)
                    break;
            }
            try_tails(op, (enum npu_type)type);
        }
}

static void test_conversions(void **state)
{
    (void)state;
    for (uint32_t from = 0; from < N_TYPES; from++)
        for (uint32_t to = 0; to < N_TYPES; to++)
            for (uint32_t mode = 0; mode < N_ROUNDS; mode++) {
                npu_conv_fn *plain = npu_lanes_plain.conv[from][to][mode];
                const uint32_t n =
                    npu_types[from].bytes == 8 || npu_types[to].bytes == 8 ? N / 4 : N / 2;
                for (uint32_t s = 0; s < n_sets; s++)
                    assert_true(!plain == !sets[s]->conv[from][to][mode]);
                if (!plain)
                    continue;
                for (int round = 0; round < 2; round++) {
                    if (npu_types[from].bytes == 2)
                        fill_halves(a, round ? N / 2 : 0);
                    else
                        fill_random(a);
                    for (uint32_t len = n; len; len = len == n ? 37 : 0) {
                        memset(want, 0x5a, sizeof want);
                        memset(got, 0x5a, sizeof got);
                        plain(want, a, len);
                        for (uint32_t s = 0; s < n_sets; s++) {
                            sets[s]->conv[from][to][mode](got, a, len);
                            compare(sets[s], "vconv",
                                    npu_types[to].bytes == 8 ? TYPE_u32 : (enum npu_type)to,
                                    npu_types[to].bytes == 8 ? 2 * n : n);
                        }
                    }
                }
            }
}

static void test_bits(void **state)
{
    (void)state;
    for (uint32_t type = 0; type < N_TYPES; type++)
        for (uint32_t rel = 0; npu_lanes_plain.cmp[0][type] && rel < NPU_RELATIONS; rel++) {
            if (npu_types[type].bytes == 2) {
                fill_halves(a, 0);
                fill_halves(b, 0x100);
            } else {
                fill_random(a);
                fill_random(b);
                memcpy(b, a, sizeof b / 4);
            }
            memset(want, 0, sizeof want);
            npu_lanes_plain.cmp[rel][type]((uint8_t *)want, a, b, N);
            for (uint32_t s = 0; s < n_sets; s++) {
                memset(got, 0, sizeof got);
                sets[s]->cmp[rel][type]((uint8_t *)got, a, b, N);
                assert_memory_equal(got, want, N / 8);
                sets[s]->sel[type](got, (uint8_t *)want, a, b, 4096);
                for (uint32_t i = 0; i < 4096; i++) {
                    const uint32_t elem = npu_types[type].bytes;
                    const void *from = ((uint8_t *)want)[i / 8] >> i % 8 & 1 ? a : b;
                    assert_memory_equal((char *)got + i * elem, (const char *)from + i * elem,
                                        elem);
                }
            }
        }
}

/* ---- whole rows ---------------------------------------------------------------------------------
 */

enum { ROW = 3000 };

static float joined(bool is_top, float x, float y)
{
    if (!is_top)
        return x + y;
    if (x != x || y != y)
        return NAN;
    if (x == y)
        return signbit(x) ? y : x;
    return x > y ? x : y;
}

/* As engine/vec.h says it. */
static float folded(bool is_top, const float *x, uint32_t n)
{
    static float t[ROW];

    memcpy(t, x, n * sizeof *t);
    for (uint32_t low; n > 1; n = low) {
        low = (n + 1) / 2;
        for (uint32_t i = 0; i < n - low; i++)
            t[i] = joined(is_top, t[i], t[low + i]);
    }
    return t[0];
}

static void try_fold(const struct npu_lanes *set, const float *x, uint32_t n)
{
    static float tmp[ROW];

    for (int is_top = 0; is_top < 2; is_top++) {
        const float want_one = folded(is_top, x, n);
        const float got_one = (is_top ? set->top_row : set->sum_row)(x, n, tmp);
        if (!same(TYPE_f32, &want_one, &got_one))
            fail_msg("%s %s of %u: got %a, want %a", set->name, is_top ? "top" : "sum", n,
                     (double)got_one, (double)want_one);
        memcpy(tmp, x, n * sizeof *tmp); /* in place */
        const float again = (is_top ? set->top_row : set->sum_row)(tmp, n, tmp);
        assert_memory_equal(&again, &got_one, sizeof again);
    }
}

static void test_folds(void **state)
{
    float *x = (float *)a;

    (void)state;
    for (uint32_t n = 1; n <= ROW; n += n < 300 ? 1 : n == 300 ? 84 : 128)
        for (uint32_t s = 0; s <= n_sets; s++) {
            const struct npu_lanes *set = s < n_sets ? sets[s] : &npu_lanes_plain;
            for (uint32_t i = 0; i < n; i++)
                x[i] = (float)((int32_t)rnd() * 0x1p-30);
            try_fold(set, x, n);
            for (uint32_t i = 0; i < n; i++) /* both zeros on top */
                x[i] = i % 3 ? -0.0f : i % 2 ? -1.0f : 0.0f;
            x[rnd() % n] = 0.0f;
            try_fold(set, x, n);
            for (uint32_t i = 0; i < n; i++)
                x[i] = -INFINITY;
            try_fold(set, x, n);
            x[rnd() % n] = NAN;
            try_fold(set, x, n);
        }
}

static void try_row(const struct npu_lanes *set, const float *x, const float *y, uint32_t n)
{
    static float one[2][ROW + 1], two[2][ROW + 1];
    const struct npu_lanes *both[2] = {&npu_lanes_plain, set};
    const char *names[] = {"exp_row", "affine_row f32", "affine_row f16", "center_row"};

    for (int what = 0; what < 4; what++) {
        for (int k = 0; k < 2; k++) {
            memset(one[k], 0x5a, sizeof *one);
            memset(two[k], 0x5a, sizeof *two);
            if (what == 0)
                both[k]->exp_row(one[k], x, 3.25f, n);
            if (what == 1)
                both[k]->affine_row[TYPE_f32](one[k], x, 0.7f, y, x, n);
            if (what == 2)
                both[k]->affine_row[TYPE_f16](one[k], x, 0.7f, y, x, n);
            if (what == 3) {
                memcpy(one[k], x, n * sizeof *x);
                both[k]->center_row(one[k], two[k], 0.3f, n);
            }
        }
        for (uint32_t i = 0; i < ROW; i++)
            for (int k = 0; k < (what == 2 ? 2 : 1); k++) {
                const enum npu_type type = what == 2 ? TYPE_f16 : TYPE_f32;
                const size_t at = i * sizeof(float) + (size_t)k * 2;
                if (!same(type, (char *)one[0] + at, (char *)one[1] + at) ||
                    !same(TYPE_f32, &two[0][i], &two[1][i]))
                    fail_msg("%s %s of %u differs at %u: x %a", set->name, names[what], n, i,
                             (double)x[i]);
            }
    }
}

static void test_rows(void **state)
{
    float *x = (float *)a;

    (void)state;
    for (uint32_t n = 1; n <= ROW; n += n < 100 ? 1 : 500)
        for (uint32_t s = 0; s < n_sets; s++) {
            fill_random(a);
            fill_random(b);
            if (n % 2)
                for (uint32_t i = 0; i < n; i++) /* where exponentials are neither 0 nor infinite */
                    x[i] = (float)((int32_t)rnd() * 0x1p-31 * 110);
            try_row(sets[s], x, (float *)b, n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops), cmocka_unit_test(test_conversions), cmocka_unit_test(test_bits),
        cmocka_unit_test(test_folds), cmocka_unit_test(test_rows)};

    sets[n_sets++] = &npu_lanes_plain; /* keeps the test alive where there is nothing else */
#ifdef __x86_64__
    n_sets = 0;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("f16c"))
        sets[n_sets++] = &npu_lanes_v3;
    if (npu_lanes_best() == &npu_lanes_v4)
        sets[n_sets++] = &npu_lanes_v4;
#endif
    print_message("sets beside plain: %u, best: %s\n", n_sets, npu_lanes_best()->name);
    return cmocka_run_group_tests_name("simd", tests, NULL, NULL);
}

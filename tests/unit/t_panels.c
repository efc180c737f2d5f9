/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_panels.c - the products of each instruction set this machine has, against the plain ones, bit
 * by bit; and the plain ones against fmaf in rising k.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../../base/num.h"
#include "../../engine/panels.h"

enum { MOST_M = 19, MOST_P = 5, MOST_K = 45, LDA = 48 };

static const struct npu_panels *sets[3];
static int n_sets;

static void find_sets(void)
{
    sets[n_sets++] = &npu_panels_plain;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        sets[n_sets++] = &npu_panels_v3;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        sets[n_sets++] = &npu_panels_v4;
#endif
}

static float draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return ldexpf((float)(int32_t)*state, -24);
}

static void products_are_the_same(void **state)
{
    static float a[MOST_M * LDA], b[MOST_P * MOST_K * 16], c0[MOST_P * MOST_M * 16],
        want[MOST_P * MOST_M * 16], got[MOST_P * MOST_M * 16];
    uint32_t seed = 1;

    (void)state;
    for (uint32_t m = 1; m <= MOST_M; m++)
        for (uint32_t p = 1; p <= MOST_P; p++)
            for (uint32_t k = 1; k <= MOST_K; k += 11) {
                for (int i = 0; i < MOST_M * LDA; i++)
                    a[i] = draw(&seed);
                for (int i = 0; i < MOST_P * MOST_K * 16; i++)
                    b[i] = draw(&seed);
                for (int i = 0; i < MOST_P * MOST_M * 16; i++)
                    want[i] = c0[i] = draw(&seed);
                for (uint32_t q = 0; q < p; q++)
                    for (uint32_t r = 0; r < m; r++)
                        for (uint32_t j = 0; j < 16; j++)
                            for (uint32_t i = 0; i < k; i++) {
                                float *sum = &want[(q * MOST_M + r) * 16 + j];
                                *sum = fmaf(a[r * LDA + i], b[(q * k + i) * 16 + j], *sum);
                            }
                for (int s = 0; s < n_sets; s++) {
                    memcpy(got, c0, sizeof got);
                    sets[s]->multiply(got, MOST_M * 16, a, LDA, b, m, p, k);
                    /* bits: -0 and 0 are different sums */
                    const void *const g = got, *const v = want;
                    if (memcmp(g, v, sizeof got) != 0)
                        fail_msg("%s: %u x %u x %u panels", sets[s]->name, m, k, p);
                }
            }
}

static void movers_are_the_same(void **state)
{
    static uint16_t square[256], turned[256];
    static float floats[65536], rows[16 * 32], columns[32 * 16];
    uint16_t *all = malloc(65536 * sizeof *all);

    (void)state;
    assert_non_null(all);
    for (int i = 0; i < 256; i++)
        square[i] = (uint16_t)(i * 251);
    for (int i = 0; i < 16 * 32; i++)
        rows[i] = (float)i;
    for (uint32_t i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    for (int s = 0; s < n_sets; s++) {
        sets[s]->turn_16((uint8_t *)turned, (const uint8_t *)square);
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 16; j++)
                assert_int_equal(turned[j * 16 + i], square[i * 16 + j]);
        sets[s]->turn(columns, rows, 32, 32);
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 32; j++)
                assert_true(columns[j * 16 + i] == rows[i * 32 + j]);
        sets[s]->from_f16(floats, all, 65536);
        for (uint32_t i = 0; i < 65536; i++)
            assert_true(floats[i] == npu_f16_to_f32((uint16_t)i) ||
                        (floats[i] != floats[i] && (i & 0x7c00u) == 0x7c00u && (i & 0x3ffu)));
    }
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_the_same),
        cmocka_unit_test(movers_are_the_same),
    };

    find_sets();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

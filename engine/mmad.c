/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmad.c - L0C = L0A x L0B on top of what L0C holds, of a bias, or of nothing.
 *
 * Fractals become panels of floats, panels.h multiplies them. Sums of halves, bfloat16 and floats:
 * the start value (old sum, bias or 0), then one fused multiply-add a k, in rising k. Sums of 8 and
 * 4-bit integers are exact in floats for 1024 steps of k and meet in 32 bits, where the result of
 * one instruction is added to the old sum and stops at the ends of the type. The order in which the
 * chip adds is not published.
 *
 * A sparse right matrix holds two of each four rows of k, and its index says which; it becomes the
 * whole matrix first, so that the sums are those of the plain product.
 *
 * Rows beyond m are neither read nor written; columns of the last panel beyond n hold what the
 * right matrix has there.
 */
#include "core_int.h"
#include "panels.h"
#include "../base/num.h"
#include <float.h>
#include <string.h>
#include "../base/banned.h"

enum { ROWS = 16, EXACT_STEPS = 1024, LDA_PAD = 16 };

const struct npu_panels *npu_panels_best(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        return &npu_panels_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("f16c"))
        return &npu_panels_v3;
#endif
    return &npu_panels_plain;
}

struct job {
    const struct npu_panels *loops;
    const struct npu_insn *in;
    uint32_t m, n, k, m1, n1, k1, c0; /* m1, n1, k1: fractals */
    uint32_t hf32_lost; /* bits of fraction that HF32 has not: 12 on 2201, 13 on 3510 */
    size_t lda;
    float *a, *b, *row; /* row: 16 rows of one fractal */
};

/* Ties go to the even neighbour or towards zero. */
float npu_to_hf32(float f, enum npu_hf32 how, uint32_t lost)
{
    const uint32_t bits = npu_f32_bits(f), half = 1u << (lost - 1);
    const uint32_t tie = how == HF32_EVEN ? half - 1 + (bits >> lost & 1) : half - 1;

    if ((bits & 0x7f800000u) == 0x7f800000u)
        return f;
    return npu_f32_from_bits((bits + tie) & ~((1u << lost) - 1));
}

/* n elements of a blk or fractal as floats; 16-bit ones come in multiples of 16. */
static void to_floats(const struct job *j, float *to, const uint8_t *from, uint32_t n)
{
    switch (j->in->type) {
    case TYPE_f16:
        j->loops->from_f16(to, (const uint16_t *)(const void *)from, n);
        return;
    case TYPE_bf16:
        j->loops->from_bf16(to, (const uint16_t *)(const void *)from, n);
        return;
    case TYPE_f32:
        memcpy(to, from, n * sizeof *to);
        for (uint32_t i = 0; j->in->cube.mmad.hf32 && i < n; i++)
            to[i] = npu_to_hf32(to[i], (enum npu_hf32)j->in->cube.mmad.hf32, j->hf32_lost);
        return;
    default:
        if (!j->in->cube.mmad.is_nibbles) {
            j->loops->from_s8(to, (const int8_t *)from, n);
            return;
        }
        for (uint32_t i = 0; i < n; i++)
            to[i] = (float)((int8_t)(uint8_t)(from[i / 2] >> i % 2 * 4 << 4) >> 4);
    }
}

/* Rows of the left matrix. */
static void load_a(const struct job *j, const uint8_t *l0a)
{
    if (j->in->cube.mmad.is_row) {
        to_floats(j, j->a, l0a, (j->k + j->c0 - 1) / j->c0 * j->c0);
        return;
    }
    for (uint32_t i = 0; i < j->m1; i++)
        for (uint32_t k = 0; k * j->c0 < j->k; k++) {
            const uint8_t *fractal = l0a + (size_t)(i * j->k1 + k) * NPU_FRACTAL_BYTES;
            const uint32_t rows = j->m - i * ROWS < ROWS ? j->m - i * ROWS : ROWS;
            for (uint32_t r = 0; r < rows; r++)
                to_floats(j, j->a + (i * ROWS + r) * j->lda + (size_t)k * j->c0,
                          fractal + (size_t)r * NPU_BLK_BYTES, j->c0);
        }
}

/* Panels of 16 columns of the right matrix; panel p begins at b + p * k * 16. */
static void load_b(const struct job *j, const uint8_t *l0b)
{
    for (uint32_t i = 0; i * j->c0 < j->k; i++)
        for (uint32_t p = 0; p < j->n1; p++) {
            const uint8_t *fractal = l0b + (size_t)(i * j->n1 + p) * NPU_FRACTAL_BYTES;
            float *to = j->b + ((size_t)p * j->k + (size_t)i * j->c0) * NPU_PANEL;
            const uint32_t steps = j->k - i * j->c0;
            to_floats(j, j->row, fractal, ROWS * j->c0);
            if (steps >= j->c0) {
                j->loops->turn(to, j->row, j->c0, j->c0);
                continue;
            }
            for (uint32_t k = 0; k < steps; k++)
                for (uint32_t c = 0; c < NPU_PANEL; c++)
                    to[k * NPU_PANEL + c] = j->row[c * j->c0 + k];
        }
}

/* Two bits each: which of the first three of four the first number stands for, and which of the
 * last three the second. (2, 0), a lone third number, means the third for both. */
static void select_two(uint8_t index, uint32_t at[2])
{
    at[0] = index & 3;
    at[1] = (index >> 2 & 3) == 3 ? 3 : (index >> 2 & 3) + 1;
    if (at[0] == 2 && at[1] == 1)
        at[1] = 2;
}

/* The same panels from a matrix of half as many rows. */
static void load_sparse(const struct job *j, const uint8_t *l0b, const uint8_t *index)
{
    const uint32_t half = (j->k + 1) / 2;

    memset(j->b, 0, (size_t)j->n1 * j->k * NPU_PANEL * sizeof *j->b);
    for (uint32_t p = 0; p < j->n1; p++)
        for (uint32_t h = 0; h < half; h += 2)
            for (uint32_t c = 0; c < NPU_PANEL; c++) {
                const size_t fractal = (size_t)(h / j->c0) * j->n1 + p;
                const size_t in_fractal = c * j->c0 + h % j->c0;
                const int8_t *pair = (const int8_t *)l0b + fractal * NPU_FRACTAL_BYTES + in_fractal;
                const uint8_t four = index[fractal * NPU_INDEX_BYTES + in_fractal / 4];
                float *to = j->b + ((size_t)p * j->k + (size_t)h * 2) * NPU_PANEL + c;
                uint32_t at[2];
                select_two((uint8_t)(four >> in_fractal % 4 * 2), at);
                for (uint32_t i = 0; i < 2; i++)
                    if (h * 2 + at[i] < j->k)
                        to[at[i] * NPU_PANEL] += (float)pair[i];
            }
}

/* What L0C holds before the first product, 32-bit words. */
static void begin(const struct job *j, uint32_t *l0c, size_t panel, const uint32_t *bias)
{
    const uint8_t init = j->in->cube.mmad.init;

    for (uint32_t p = 0; p < j->n1 && init != MMAD_ADDS; p++)
        for (uint32_t r = 0; r < j->m; r++) {
            uint32_t *to = l0c + p * panel + (size_t)r * NPU_PANEL;
            const uint32_t n = j->n - p * NPU_PANEL < NPU_PANEL ? j->n - p * NPU_PANEL : NPU_PANEL;
            memset(to, 0, NPU_PANEL * sizeof *to);
            if (init == MMAD_BIAS)
                memcpy(to, bias + (size_t)p * NPU_PANEL, n * sizeof *to);
        }
}

/* Integers: exact sums of at most EXACT_STEPS products each in floats, then 32 bits. */
static void multiply_few_ints(const struct job *j, int32_t *l0c, size_t panel, float *sums)
{
    const size_t n = (size_t)j->m * NPU_PANEL;

    memset(sums, 0, j->n1 * n * sizeof *sums);
    j->loops->multiply(sums, n, j->a, j->lda, j->b, j->m, j->n1, j->k);
    for (uint32_t p = 0; p < j->n1; p++, sums += n, l0c += panel)
        for (size_t i = 0; i < n; i++)
            l0c[i] = npu_add_stops(l0c[i], (int32_t)sums[i]);
}

static void multiply_ints(const struct job *j, int32_t *l0c, size_t panel, float *sums,
                          int32_t *exact)
{
    const size_t n = (size_t)j->m * NPU_PANEL;

    if (j->k <= EXACT_STEPS) {
        multiply_few_ints(j, l0c, panel, sums);
        return;
    }
    for (uint32_t p = 0; p < j->n1; p++) {
        memset(exact, 0, n * sizeof *exact);
        for (uint32_t k = 0; k < j->k; k += EXACT_STEPS) {
            const uint32_t steps = j->k - k < EXACT_STEPS ? j->k - k : EXACT_STEPS;
            memset(sums, 0, n * sizeof *sums);
            j->loops->multiply(sums, n, j->a + k, j->lda, j->b + ((size_t)p * j->k + k) * NPU_PANEL,
                               j->m, 1, steps);
            for (size_t i = 0; i < n; i++)
                exact[i] += (int32_t)sums[i];
        }
        for (size_t i = 0; i < n; i++)
            l0c[p * panel + i] = npu_add_stops(l0c[p * panel + i], exact[i]);
    }
}

void npu_finite_sums(float *sums, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float f = sums[i];
        sums[i] = f != f ? 0 : f > FLT_MAX ? FLT_MAX : f < -FLT_MAX ? -FLT_MAX : f;
    }
}

void npu_mmad_run(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_mmad *p = &in->cube.mmad;
    const bool is_int = in->type == TYPE_s8;
    struct job j = {.loops = npu_panels_best(), .in = in, .m = p->m, .n = p->n, .k = p->k};

    j.hf32_lost = c->pub.soc->arch == 2201 ? 12 : 13;
    j.c0 = npu_c0(in->type, p->is_nibbles);
    j.m1 = (j.m + ROWS - 1) / ROWS;
    j.n1 = (j.n + NPU_PANEL - 1) / NPU_PANEL;
    j.k1 = p->aligns_k16 ? (j.k + 15) / 16 * 2 : (j.k + j.c0 - 1) / j.c0;
    j.lda = (size_t)(j.k + 63) / 64 * 64 + LDA_PAD;
    const size_t a = (size_t)j.m * j.lda, b = (size_t)j.n1 * j.k * NPU_PANEL;
    const size_t row = ROWS * 64, exact = is_int ? (size_t)j.m * NPU_PANEL : 0;
    const size_t sums = j.n1 * exact;
    j.a = npu_scratch(c, a + b + row + sums + exact, in->where);
    if (!j.a)
        return;
    j.b = j.a + a;
    j.row = j.b + b;
    uint8_t *l0c = npu_at(c, &in->ref[0]);
    const size_t panel = (size_t)j.m1 * ROWS * NPU_PANEL;
    load_a(&j, npu_at(c, &in->ref[1]));
    if (p->is_sparse) {
        const struct npu_ref index = npu_index_of(&in->ref[2]);
        load_sparse(&j, npu_at(c, &in->ref[2]), npu_at(c, &index));
    } else {
        load_b(&j, npu_at(c, &in->ref[2]));
    }
    begin(&j, (uint32_t *)(void *)l0c, panel,
          (const uint32_t *)(const void *)(p->init == MMAD_BIAS ? npu_at(c, &in->sel) : NULL));
    if (is_int) {
        multiply_ints(&j, (int32_t *)(void *)l0c, panel, j.row + row,
                      (int32_t *)(void *)(j.row + row + sums));
        return;
    }
    j.loops->multiply((float *)(void *)l0c, panel, j.a, j.lda, j.b, j.m, j.n1, j.k);
    for (uint32_t i = 0; in->saturates && i < j.n1; i++)
        npu_finite_sums((float *)(void *)l0c + i * panel, (size_t)j.m * NPU_PANEL);
}

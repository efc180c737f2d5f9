/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmtile.c - a tile of sums in L0C, straight from the matrices: what a Matmul object computes at a
 * time. Apart from mmad.c because nothing goes through L1, L0A and L0B, which is half of the time
 * of a product here.
 *
 * The sums are those of Mmad, bit by bit: the start value, then one fused multiply-add a step of k,
 * in rising k; integers are exact and stop at the ends of 32 bits once in EXACT_STEPS of k.
 *
 * Both matrices become floats in panels, CHUNK steps of k at a time, so that three panels of the
 * right one and eight rows of the left one stay in the first cache.
 */
#include "core_int.h"
#include "panels.h"
#include <stdlib.h>
#include <string.h>
#include "../base/banned.h"
#include "../base/num.h"

enum { ROWS = 16, CHUNK = 128, EXACT_STEPS = 1024, LDA_PAD = 16 };
enum { MOST_KEPT = 1 << 22 }; /* floats of a right matrix that is kept whole */

struct job {
    const struct npu_panels *loops;
    const struct npu_insn *in;
    const struct npu_tile *p;
    const uint8_t *a, *b;
    uint32_t n1, c0, hf32_lost;
    uint32_t k0, steps; /* the chunk */
    size_t lda, panel;  /* floats from row to row of left, from panel to panel of L0C */
    float *left, *right, *rows, *turned; /* rows: 16 of them, turned: the same, turned */
};

static size_t row_room(const struct npu_tile *p)
{
    const uint32_t most = p->m > p->n ? p->m : p->n, k = p->k < CHUNK ? p->k : CHUNK;

    return (size_t)(most > k ? most : k) + ROWS;
}

/* ---- elements ------------------------------------------------------------------------------ */

static float one(const struct job *j, uint64_t bits)
{
    float f;
    const uint32_t low = (uint32_t)bits;

    if (j->in->type == TYPE_f16)
        return npu_f16_to_f32((uint16_t)bits);
    if (j->in->type == TYPE_bf16)
        return npu_bf16_to_f32((uint16_t)bits);
    if (j->in->type == TYPE_s8)
        return (float)(int8_t)bits;
    memcpy(&f, &low, sizeof f);
    return j->p->hf32 ? npu_to_hf32(f, (enum npu_hf32)j->p->hf32, j->hf32_lost) : f;
}

static void halves(const struct job *j, float *to, const uint8_t *from, uint32_t n)
{
    const uint32_t whole = n / 16 * 16;
    uint16_t tail[16] = {0};
    float last[16];

    j->loops->from_f16(to, (const uint16_t *)(const void *)from, whole);
    if (whole == n)
        return;
    memcpy(tail, from + (size_t)whole * 2, (n - whole) * sizeof *tail);
    j->loops->from_f16(last, tail, 16);
    memcpy(to + whole, last, (n - whole) * sizeof *last);
}

/* n elements from element `at` of a run. */
static void to_floats(const struct job *j, float *to, const uint8_t *from, uint32_t at, uint32_t n)
{
    const size_t skip = (size_t)at * npu_types[j->in->type].bytes;

    if (j->p->is_nibbles) {
        for (uint32_t i = 0; i < n; i++)
            to[i] = (float)((int8_t)(uint8_t)(from[(at + i) / 2] >> (at + i) % 2 * 4 << 4) >> 4);
        return;
    }
    from += skip;
    if (j->in->type == TYPE_f16)
        halves(j, to, from, n);
    else if (j->in->type == TYPE_bf16)
        j->loops->from_bf16(to, (const uint16_t *)(const void *)from, n);
    else if (j->in->type == TYPE_s8)
        j->loops->from_s8(to, (const int8_t *)from, n);
    else
        memcpy(to, from, n * sizeof *to);
    for (uint32_t i = 0; j->p->hf32 && i < n; i++)
        to[i] = npu_to_hf32(to[i], (enum npu_hf32)j->p->hf32, j->hf32_lost);
}

/* n elements of a row as it lies in memory. */
static void read_row(const struct job *j, float *to, const struct npu_matrix *x,
                     const uint8_t *base, uint32_t row, uint32_t column, uint32_t n)
{
    row += x->row0;
    column += x->column0;
    if (!x->is_nz) {
        to_floats(j, to, base + row * x->step, column, n);
        return;
    }
    while (n) {
        const uint32_t at = column % j->c0, part = j->c0 - at < n ? j->c0 - at : n;
        to_floats(j, to, base + column / j->c0 * x->step + (size_t)row * NPU_BLK_BYTES, at, part);
        to += part;
        column += part;
        n -= part;
    }
}

/* ---- panels -------------------------------------------------------------------------------- */

/* Rows of the left matrix, this chunk of k. */
static void load_left(const struct job *j)
{
    const struct npu_tile *p = j->p;

    if (p->a.is_one || !p->a.is_turned) {
        for (uint32_t r = 0; r < p->m; r++)
            if (p->a.is_one)
                for (uint32_t i = 0; i < j->steps; i++)
                    j->left[r * j->lda + i] = one(j, j->in->scalar);
            else
                read_row(j, j->left + r * j->lda, &p->a, j->a, r, j->k0, j->steps);
        return;
    }
    const size_t width = ((size_t)p->m + 7) / 8 * 8;
    for (uint32_t i = 0; i < j->steps; i += ROWS) { /* 16 steps of k lie as 16 rows */
        const uint32_t n = j->steps - i < ROWS ? j->steps - i : ROWS;
        for (uint32_t r = 0; r < n; r++)
            read_row(j, j->rows + r * width, &p->a, j->a, j->k0 + i + r, 0, p->m);
        j->loops->turn(j->turned, j->rows, width, (uint32_t)width);
        for (uint32_t r = 0; r < p->m; r++)
            memcpy(j->left + r * j->lda + i, j->turned + (size_t)r * ROWS, n * sizeof(float));
    }
}

/* steps elements of a row of which two of four are there. */
static void read_sparse(const struct job *j, float *to, uint32_t row)
{
    const uint32_t k0 = j->k0 + j->p->b.column0, n = j->steps;
    float *there = j->turned; /* free until the panel is turned */

    read_row(j, there, &(struct npu_matrix){.step = j->p->b.step, .row0 = j->p->b.row0}, j->b, row,
             k0 / 2, (n + 1) / 2);
    memset(to, 0, n * sizeof *to);
    for (uint32_t i = 0; i < n; i += 4) {
        const uint32_t byte = (k0 + i) / 8;
        const uint8_t *at = (const uint8_t *)(uintptr_t)j->p->index + byte / 8 * j->p->index_step +
                            (size_t)(row + j->p->b.row0) * 8 + byte % 8;
        const uint32_t pair = (uint32_t)*at >> (k0 + i) % 8 / 4 * 4;
        const uint32_t first = i + (pair & 3), second = i + (pair >> 2 & 3) + 1;
        if (first < n)
            to[first] += there[i / 2];
        if (second < n && i / 2 + 1 < (n + 1) / 2)
            to[second] += there[i / 2 + 1];
    }
}

/* One panel from 16 rows of its transpose. */
static void turn_panel(const struct job *j, float *to, uint32_t column)
{
    const size_t width = ((size_t)j->steps + 7) / 8 * 8;
    const uint32_t n = j->p->n - column < NPU_PANEL ? j->p->n - column : NPU_PANEL;

    for (uint32_t r = 0; r < n; r++)
        if (j->p->index)
            read_sparse(j, j->rows + r * width, column + r);
        else
            read_row(j, j->rows + r * width, &j->p->b, j->b, column + r, j->k0, j->steps);
    if (n < NPU_PANEL)
        memset(j->rows + n * width, 0, (NPU_PANEL - n) * width * sizeof *j->rows);
    j->loops->turn(j->turned, j->rows, width, (uint32_t)width);
    memcpy(to, j->turned, (size_t)j->steps * NPU_PANEL * sizeof *to);
}

/* This chunk of the right matrix; panel p begins at right + p * steps * 16. */
static void load_right(const struct job *j, float *right)
{
    const struct npu_tile *p = j->p;
    const size_t panel = (size_t)j->steps * NPU_PANEL;

    if (p->b.is_turned && !p->b.is_one) {
        for (uint32_t q = 0; q < j->n1; q++)
            turn_panel(j, right + q * panel, q * NPU_PANEL);
        return;
    }
    for (uint32_t i = 0; i < j->steps; i++) {
        for (uint32_t c = 0; p->b.is_one && c < p->n; c++)
            j->rows[c] = one(j, j->in->mask[0]);
        if (!p->b.is_one)
            read_row(j, j->rows, &p->b, j->b, j->k0 + i, 0, p->n);
        memset(j->rows + p->n, 0, (j->n1 * NPU_PANEL - p->n) * sizeof *j->rows);
        for (uint32_t q = 0; q < j->n1; q++)
            memcpy(right + q * panel + (size_t)i * NPU_PANEL, j->rows + (size_t)q * NPU_PANEL,
                   NPU_PANEL * sizeof *right);
    }
}

/* Room for the whole right matrix, or for a chunk of it when it is larger than MOST_KEPT. */
static bool make_right(struct npu_core_int *c, uint64_t floats, struct npu_where where)
{
    if (floats <= c->right_floats)
        return true;
    float *more = aligned_alloc(64, (size_t)((floats * sizeof *more + 63) / 64 * 64));
    if (!more) {
        npu_fault(&c->pub, NPU_E_NOMEM, where, "no memory for %llu numbers",
                  (unsigned long long)floats);
        return false;
    }
    free(c->right);
    c->right = more;
    c->right_floats = floats;
    return true;
}

/* The panels are those of this matrix, and nothing has changed it. */
static bool is_there(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_tile *p = &in->cube.tile;
    const struct npu_right r = {in->ref[2].at_bytes,
                                p->b.step,
                                p->index,
                                p->n,
                                p->k,
                                p->b.row0,
                                p->b.column0,
                                (uint32_t)in->type | (uint32_t)in->ref[2].mem << 8 |
                                    (uint32_t)p->hf32 << 16 | (uint32_t)p->is_nibbles << 24 |
                                    (uint32_t)p->b.is_nz << 25 | (uint32_t)p->b.is_turned << 26};
    const bool same = c->right_is.at == r.at && c->right_is.step == r.step &&
                      c->right_is.index == r.index && c->right_is.n == r.n &&
                      c->right_is.k == r.k && c->right_is.row0 == r.row0 &&
                      c->right_is.column0 == r.column0 && c->right_is.bits == r.bits;

    c->right_is = r;
    return same && p->keeps_b && !p->b.is_one;
}

/* ---- sums ---------------------------------------------------------------------------------- */

static void bias_row(const struct job *j, const uint8_t *bias, float *row)
{
    const uint32_t n = j->p->n;

    memset(row, 0, (size_t)j->n1 * NPU_PANEL * sizeof *row);
    if (j->p->bias_type == TYPE_f16)
        halves(j, row, bias, n);
    else if (j->p->bias_type == TYPE_bf16)
        j->loops->from_bf16(row, (const uint16_t *)(const void *)bias, n);
    else
        memcpy(row, bias, n * sizeof *row);
}

static void begin(const struct job *j, float *l0c, const uint8_t *bias)
{
    if (j->p->init == MMAD_ADDS)
        return;
    if (bias)
        bias_row(j, bias, j->rows);
    for (uint32_t q = 0; q < j->n1; q++)
        for (uint32_t r = 0; r < j->p->m; r++) {
            float *to = l0c + q * j->panel + (size_t)r * NPU_PANEL;
            if (bias)
                memcpy(to, j->rows + (size_t)q * NPU_PANEL, NPU_PANEL * sizeof *to);
            else
                memset(to, 0, NPU_PANEL * sizeof *to);
        }
}

/* Sums of integers, exact in a float for EXACT_STEPS, into L0C. */
static void add_ints(const struct job *j, int32_t *l0c, const float *sums)
{
    for (size_t i = 0; i < j->n1 * j->panel; i++)
        l0c[i] = npu_add_stops(l0c[i], (int32_t)sums[i]);
}

void npu_mmtile_run(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_tile *p = &in->cube.tile;
    const bool is_int = in->type == TYPE_s8;
    struct job j = {.loops = npu_panels_best(), .in = in, .p = p};

    j.a = p->a.is_one ? NULL : npu_at(c, &in->ref[1]);
    j.b = p->b.is_one ? NULL : npu_at(c, &in->ref[2]);
    j.hf32_lost = c->pub.soc->arch == 2201 ? 12 : 13;
    j.c0 = npu_c0(in->type, p->is_nibbles);
    j.n1 = (p->n + NPU_PANEL - 1) / NPU_PANEL;
    j.lda = CHUNK + LDA_PAD;
    j.panel = ((size_t)p->m + ROWS - 1) / ROWS * ROWS * NPU_PANEL;
    const uint64_t whole = (uint64_t)j.n1 * NPU_PANEL * p->k;
    const bool is_kept = whole <= MOST_KEPT;
    const size_t left = (size_t)p->m * j.lda, rows = ROWS * row_room(p);
    const size_t n_sums = is_int ? j.n1 * j.panel : 0;
    j.left = npu_scratch(c, left + 2 * rows + n_sums, in->where);
    if (!j.left || !make_right(c, is_kept ? whole : (uint64_t)j.n1 * NPU_PANEL * CHUNK, in->where))
        return;
    const bool has_right = is_there(c, in) && is_kept;
    j.rows = j.left + left;
    j.turned = j.rows + rows;
    float *l0c = (float *)(void *)npu_at(c, &in->ref[0]), *sums = is_int ? j.turned + rows : l0c;
    begin(&j, l0c, p->init == MMAD_BIAS ? npu_at(c, &in->sel) : NULL);
    for (; j.k0 < p->k; j.k0 += CHUNK) {
        float *right = c->right + (is_kept ? (size_t)j.k0 * j.n1 * NPU_PANEL : 0);
        j.steps = p->k - j.k0 < CHUNK ? p->k - j.k0 : CHUNK;
        if (is_int && j.k0 % EXACT_STEPS == 0)
            memset(sums, 0, n_sums * sizeof *sums);
        load_left(&j);
        if (!has_right)
            load_right(&j, right);
        j.loops->multiply(sums, j.panel, j.left, j.lda, right, p->m, j.n1, j.steps);
        if (is_int && ((j.k0 + CHUNK) % EXACT_STEPS == 0 || j.k0 + CHUNK >= p->k))
            add_ints(&j, (int32_t *)(void *)l0c, sums);
    }
    for (uint32_t q = 0; in->saturates && !is_int && q < j.n1; q++)
        npu_finite_sums(l0c + q * j.panel, (size_t)p->m * NPU_PANEL);
}

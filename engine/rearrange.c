/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rearrange.c - vector instructions that bring elements into another order: gathering by bits and
 * by blks, sorting, merging, transposing. Each does all of its repeats; addresses were checked
 * before.
 */
#include "core_int.h"
#include "../base/num.h"
#include <string.h>
#include "../base/banned.h"

/* Element sizes that are moved as they are. */
static void move(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 2)
        memcpy(to, from, 2);
    else
        *to = *from;
}

/* ---- gathering ---------------------------------------------------------------------------------
 */

/* In place is allowed: what is written lies at or below what is read. A result that overwrites the
 * bits may change their number: never more than the layout has room for. */
static void gather_by_bits(struct npu_core_int *c, const struct npu_insn *in,
                           const struct npu_walk *w)
{
    const struct npu_view *s = &w->view[VIEW_SRC0];
    const uint32_t elem = npu_types[in->type].bytes, n = npu_gathered_elements(in);
    const uint64_t room = w->view[VIEW_DST].n_chunks ? w->view[VIEW_DST].chunk_bytes / elem : 0;
    uint8_t *to = npu_view_base(c, &w->view[VIEW_DST]);
    uint64_t n_gathered = 0;

    for (uint32_t r = 0; r < w->n_repeats; r++) {
        const uint8_t *from = npu_view_base(c, s) + r * s->rep_step;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t at = i * elem;
            if (n_gathered == room || !npu_is_gathered(c, in, w, r, i))
                continue;
            move(to, from + at / NPU_BLK_BYTES * s->chunk_step + at % NPU_BLK_BYTES, elem);
            to += elem;
            n_gathered++;
        }
    }
    c->pub.regs.n_gathered = n_gathered;
}

static void gather_blks(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    const struct npu_view *d = &w->view[VIEW_DST];
    const uint8_t *from = c->pub.mem[in->ref[1].mem].base + in->ref[1].at_bytes;
    const uint32_t *at = (const uint32_t *)(const void *)npu_view_base(c, &w->view[VIEW_SRC1]);
    uint8_t dense[NPU_REPEAT_BYTES];

    for (uint32_t r = 0; r < w->n_repeats; r++, at += NPU_BLKS_PER_REPEAT) {
        uint8_t *to = npu_view_base(c, d) + r * d->rep_step;
        for (uint32_t k = 0; k < NPU_BLKS_PER_REPEAT; k++)
            memcpy(dense + k * NPU_BLK_BYTES, from + at[k], NPU_BLK_BYTES);
        for (uint32_t k = 0; k < NPU_BLKS_PER_REPEAT; k++)
            memcpy(to + k * d->chunk_step, dense + k * NPU_BLK_BYTES, NPU_BLK_BYTES);
    }
}

/* ---- sorting -----------------------------------------------------------------------------------
 */

enum { SORT_LANES = 32, PAIR_BYTES = 8, INDEX_AT = 4 };

static float score_at(const struct npu_insn *in, const uint8_t *p)
{
    uint16_t h;
    float f;

    if (in->type == TYPE_f16) {
        memcpy(&h, p, sizeof h);
        return npu_f16_to_f32(h);
    }
    memcpy(&f, p, sizeof f);
    return f;
}

/* Strictly before: the larger score; NaN above all numbers, so that the order is total. */
static bool goes_before(float a, float b)
{
    return __builtin_isnan(a) ? !__builtin_isnan(b) : a > b;
}

/* A number that grows as goes_before() says: of two equal scores it is the same. */
static int32_t order_of(float score)
{
    const uint32_t bits = npu_f32_bits(score);
    const int32_t size = (int32_t)(bits & 0x7fffffff);

    if (score != score)
        return INT32_MAX;
    return bits >> 31 ? -size : size;
}

/* Each score counts those before it: that is its place. Equal scores keep their order. */
static void sort_repeat(const struct npu_insn *in, uint8_t *to, const uint8_t *score,
                        const uint8_t *index)
{
    const uint32_t elem = npu_types[in->type].bytes;
    int32_t order[SORT_LANES], place[SORT_LANES] = {0};
    uint8_t pair[SORT_LANES][PAIR_BYTES] = {{0}};

    for (uint32_t i = 0; i < SORT_LANES; i++)
        order[i] = order_of(score_at(in, score + i * elem));
    for (int32_t j = 0; j < SORT_LANES; j++)
        for (int32_t i = 0; i < SORT_LANES; i++)
            place[i] += (order[j] > order[i]) | ((order[j] == order[i]) & (j < i));
    for (uint32_t i = 0; i < SORT_LANES; i++) {
        move(pair[place[i]], score + i * elem, elem);
        move(pair[place[i]] + INDEX_AT, index + i * sizeof(uint32_t), sizeof(uint32_t));
    }
    memcpy(to, pair, sizeof pair);
}

static void sort(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    const struct npu_view *d = &w->view[VIEW_DST], *s = w->view + VIEW_SRC0,
                          *t = w->view + VIEW_SRC1;

    for (uint32_t r = 0; r < w->n_repeats; r++)
        sort_repeat(in, npu_view_base(c, d) + r * d->rep_step,
                    npu_view_base(c, s) + r * s->rep_step, npu_view_base(c, t) + r * t->rep_step);
}

/* One merge; of equal scores that of the lowest queue first. taken: elements of each queue. */
static void merge_repeat(const struct npu_insn *in, uint8_t *to, const uint8_t *const from[4],
                         const uint32_t n[4], uint32_t n_queues, uint32_t taken[4])
{
    for (;;) {
        uint32_t best = n_queues;
        for (uint32_t k = 0; k < n_queues; k++) {
            if (taken[k] == n[k])
                continue;
            if (best == n_queues ||
                goes_before(score_at(in, from[k] + (size_t)taken[k] * PAIR_BYTES),
                            score_at(in, from[best] + (size_t)taken[best] * PAIR_BYTES)))
                best = k;
        }
        if (best == n_queues)
            return;
        memcpy(to, from[best] + (size_t)taken[best] * PAIR_BYTES, PAIR_BYTES);
        to += PAIR_BYTES;
        if (++taken[best] == n[best] && in->mode & MERGE_STOPS)
            return;
    }
}

static void merge(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    const struct npu_view *d = &w->view[VIEW_DST], *s = &w->view[VIEW_SRC0];
    const uint8_t *ub = c->pub.mem[MEM_UB].base;
    const uint8_t *from[4] = {NULL};
    uint32_t n[4] = {0}, taken[4] = {0};

    for (uint32_t r = 0; r < w->n_repeats; r++) {
        memset(taken, 0, sizeof taken);
        for (uint32_t k = 0; k < s->n_chunks; k++) {
            from[k] = ub + s->starts[k] + r * s->rep_step;
            n[k] = s->lengths[k] / PAIR_BYTES;
        }
        merge_repeat(in, npu_view_base(c, d) + r * d->rep_step, from, n, s->n_chunks, taken);
    }
    for (int k = 0; k < 4; k++)
        c->pub.regs.n_merged[k] = (uint16_t)taken[k];
}

/* ---- transposing -------------------------------------------------------------------------------
 */

/* rows x columns elements become columns x rows. */
static void transpose(uint8_t *to, const uint8_t *from, uint32_t rows, uint32_t columns,
                      uint32_t elem)
{
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++)
            move(to + ((size_t)k * rows + i) * elem, from + ((size_t)i * columns + k) * elem, elem);
}

/* In place is allowed. */
static void transpose_16(struct npu_core_int *c, const struct npu_insn *in,
                         const struct npu_walk *w)
{
    enum { N = 16 };
    uint8_t block[N * N * sizeof(uint16_t)];

    (void)in;
    memcpy(block, npu_view_base(c, &w->view[VIEW_SRC0]), sizeof block);
    transpose(npu_view_base(c, &w->view[VIEW_DST]), block, N, N, sizeof(uint16_t));
}

static void permute(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    const uint32_t elem = npu_types[in->type].bytes, channels = in->n_burst, hw = in->burst_bytes;
    const size_t bytes = (size_t)channels * hw * elem;

    for (uint32_t n = 0; w->n_repeats && n < in->repeat; n++)
        transpose(npu_view_base(c, &w->view[VIEW_DST]) + n * bytes,
                  npu_view_base(c, &w->view[VIEW_SRC0]) + n * bytes, in->mode ? hw : channels,
                  in->mode ? channels : hw, elem);
}

/* Sums in float, one rounding each. Row by row, each from its left; or column by column, from the
 * first row down: `mode`. dst may be src. */
static void cumulate(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    const bool down = in->mode, is_half = in->type == TYPE_f16;
    const uint32_t n_lines = down ? in->burst_bytes : in->n_burst;
    const uint32_t len = down ? in->n_burst : in->burst_bytes, step = down ? in->burst_bytes : 1;
    uint8_t *to = npu_view_base(c, &w->view[VIEW_DST]);
    const uint8_t *from = npu_view_base(c, &w->view[VIEW_SRC0]);
    const float *f = (const float *)(const void *)from;
    const uint16_t *h = (const uint16_t *)(const void *)from;

    for (uint32_t k = 0; w->n_repeats && k < n_lines; k++) {
        float sum = 0;
        for (uint32_t i = 0; i < len; i++) {
            const size_t at = (size_t)k * (down ? 1 : in->burst_bytes) + (size_t)i * step;
            const float x = is_half ? npu_f16_to_f32(h[at]) : f[at];
            sum = i ? sum + x : x;
            if (is_half)
                ((uint16_t *)(void *)to)[at] = npu_f32_to_f16(sum);
            else
                ((float *)(void *)to)[at] = sum;
        }
    }
    if (in->saturates && is_half)
        npu_make_finite(TYPE_f16, to, n_lines * len);
}

/* 16 rows of a blk, or half a blk, become that many rows of 16; of 32-bit elements each of those
 * fills two blks of dst. */
static void transpose_blks(struct npu_core_int *c, const struct npu_insn *in,
                           const struct npu_walk *w)
{
    const struct npu_view *d = &w->view[VIEW_DST], *s = &w->view[VIEW_SRC0];
    const uint32_t elem = npu_types[in->type].bytes;
    uint8_t *ub = c->pub.mem[MEM_UB].base;
    uint8_t rows[NPU_LIST * NPU_BLK_BYTES], out[NPU_LIST * NPU_BLK_BYTES];

    for (uint32_t r = 0; r < w->n_repeats; r++) {
        for (uint32_t k = 0; k < NPU_LIST; k++)
            memcpy(rows + k * s->chunk_bytes, ub + s->starts[k] + s->at + r * s->rep_step,
                   s->chunk_bytes);
        transpose(out, rows, NPU_LIST, s->chunk_bytes / elem, elem);
        for (uint32_t k = 0; k < NPU_LIST; k++)
            memcpy(ub + d->starts[k] + d->at + r * d->rep_step, out + k * d->chunk_bytes,
                   d->chunk_bytes);
    }
}

typedef void rearrange_fn(struct npu_core_int *c, const struct npu_insn *in,
                          const struct npu_walk *w);
static rearrange_fn *const functions[N_OPS] = {
    [OP_vgathermask] = gather_by_bits,
    [OP_vgatherb] = gather_blks,
    [OP_vsort32] = sort,
    [OP_vmrgsort] = merge,
    [OP_vtranspose] = transpose_16,
    [OP_vpermute] = permute,
    [OP_vcumsum] = cumulate,
    [OP_vquant] = npu_quant_run,
    [OP_vdequant] = npu_quant_run,
    [OP_vantiquant] = npu_quant_run,
    [OP_vnchwconv] = transpose_blks,
    [OP_vrows] = npu_rows_run,
};

bool npu_rearrange_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    if (!functions[in->op])
        return false;
    functions[in->op](c, in, w);
    return true;
}

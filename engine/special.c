/* SPDX-License-Identifier: Apache-2.0 */
/*
 * special.c - vector instructions that are not lane by lane: comparisons into bits, choices by
 * bits, reductions, broadcasts and copies. Each works on one repeat; npu_special_run is the loop.
 */
#include "core_int.h"
#include "lane_math.h"
#include <string.h>
#include "../base/banned.h"

enum { MAX_LANES = NPU_REPEAT_BYTES / 2 };
enum { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };

/* One repeat on its way. */
struct repeat {
    struct npu_core_int *c;
    const struct npu_insn *in;
    const struct npu_walk *w;
    uint32_t r;
    uint64_t mask[2];
    const uint64_t *gather_mask; /* NULL when every lane is on */
    /* 256 bytes each. Sources may lie in UB itself; b holds the scalar where there is one. */
    const uint8_t *a, *b;
    uint8_t *out;
    struct total *total;
};

/* What goes on from repeat to repeat. */
struct total {
    float value;
    uint32_t index;
    bool any;
};

/* bytes: a multiple of 8; elements of 2 or 4 bytes. */
static void fill(uint8_t *to, const void *element, uint32_t elem_bytes, uint32_t bytes)
{
    uint64_t word = 0;

    memcpy(&word, element, elem_bytes);
    word *= elem_bytes == 2 ? UINT64_C(0x0001000100010001) : UINT64_C(0x0000000100000001);
    for (uint32_t i = 0; i < bytes; i += sizeof word)
        memcpy(to + i, &word, sizeof word);
}

static uint8_t *result_at(const struct repeat *p)
{
    const struct npu_view *d = &p->w->view[VIEW_DST];

    return npu_view_base(p->c, d) + p->r * d->rep_step;
}

/* The active lanes of the result to where they belong. */
static void put_lanes(const struct repeat *p)
{
    npu_view_scatter(p->c, &p->w->view[VIEW_DST], p->r, p->out, p->w->lanes, p->mask);
}

static void put_halves(const struct repeat *p)
{
    if (p->in->saturates)
        npu_make_finite(TYPE_f16, p->out, p->w->lanes);
    put_lanes(p);
}

/* ---- bits
 * ----------------------------------------------------------------------------------------- */

static void compare(const struct repeat *p)
{
    p->c->lanes->cmp[p->in->mode][p->in->type](p->out, p->a, p->b, p->w->lanes);
    memcpy(result_at(p), p->out, p->w->lanes / 8);
}

/* Lanes that are off keep their bit. */
static void compare_to_register(const struct repeat *p)
{
    uint64_t *reg = p->c->pub.regs.cmpmask, said[2] = {0, 0};

    p->c->lanes->cmp[p->in->mode][p->in->type](p->out, p->a, p->b, p->w->lanes);
    memcpy(said, p->out, p->w->lanes / 8);
    for (int k = 0; k < 2; k++)
        reg[k] = (reg[k] & ~p->mask[k]) | (said[k] & p->mask[k]);
}

static void choose(const struct repeat *p)
{
    const struct npu_view *sel = &p->w->view[VIEW_SEL], *d = &p->w->view[VIEW_DST];
    uint8_t choice[MAX_LANES / 8];

    if (p->in->mode == 0)
        memcpy(choice, p->in->cmpmask, sizeof choice);
    else
        memcpy(choice, npu_view_base(p->c, sel) + p->r * sel->rep_step, p->w->lanes / 8);
    p->c->lanes->sel[p->in->type](p->out, choice, p->a, p->b, p->w->lanes);
    npu_view_scatter(p->c, d, p->r, p->out, p->w->lanes, p->mask);
}

/* ---- reductions
 * ------------------------------------------------------------------------------------ */

static bool is_half(const struct repeat *p)
{
    return p->in->type == TYPE_f16;
}

static void widen(const struct repeat *p, float *x)
{
    if (is_half(p))
        p->c->lanes->conv[TYPE_f16][TYPE_f32][ROUND_NONE](x, p->a, p->w->lanes);
    else
        memcpy(x, p->a, p->w->lanes * sizeof *x);
}

static uint16_t half_of(const struct repeat *p, float v)
{
    uint16_t h = npu_f32_to_f16(v);

    if (p->in->saturates)
        npu_make_finite(TYPE_f16, &h, 1);
    return h;
}

static void put_value(const struct repeat *p, uint8_t *to, float v)
{
    const uint16_t h = half_of(p, v);

    if (is_half(p))
        memcpy(to, &h, sizeof h);
    else
        memcpy(to, &v, sizeof v);
}

enum reduction { SUM, MAX, MIN };
static enum reduction reduction_of(enum npu_op op)
{
    if (op == OP_vcmax || op == OP_vcgmax || op == OP_vmaxall)
        return MAX;
    return op == OP_vcmin || op == OP_vcgmin || op == OP_vminall ? MIN : SUM;
}

/* What changes nothing when it takes the place of a lane that is off. */
static float identity(enum npu_op op)
{
    const float inf = npu_f32_from_bits(0x7f800000u);
    const enum reduction kind = reduction_of(op);

    return kind == SUM ? -0.0f : kind == MAX ? -inf : inf;
}

/* Each sum of halves is a half again. */
static void round_halves(const struct repeat *p, float *x, uint32_t n)
{
    uint16_t h[MAX_LANES];

    p->c->lanes->conv[TYPE_f32][TYPE_f16][ROUND_RINT](h, x, n);
    if (p->in->saturates)
        npu_make_finite(TYPE_f16, h, n);
    p->c->lanes->conv[TYPE_f16][TYPE_f32][ROUND_NONE](x, h, n);
}

/* One level of the binary tree over neighbours, 1+2, 3+4 and so on, each result rounded to the
 * type: the documented order. n results from 2n numbers, in place. */
static void tree_level(const struct repeat *p, float *x, uint32_t n)
{
    float y[MAX_LANES / 2];

    switch (reduction_of(p->in->op)) {
    case MAX:
        for (uint32_t i = 0; i < n; i++)
            y[i] = npu_max_f32(x[2 * i], x[2 * i + 1]);
        break;
    case MIN:
        for (uint32_t i = 0; i < n; i++)
            y[i] = npu_min_f32(x[2 * i], x[2 * i + 1]);
        break;
    case SUM:
        for (uint32_t i = 0; i < n; i++)
            y[i] = x[2 * i] + x[2 * i + 1];
        if (is_half(p))
            round_halves(p, y, n);
    }
    memcpy(x, y, n * sizeof *x);
}

/* Down to n_left results, which stand first in x. */
static void tree(const struct repeat *p, float *x, uint32_t n_left)
{
    for (uint32_t n = p->w->lanes / 2; n >= n_left; n /= 2)
        tree_level(p, x, n);
}

static void load_active(const struct repeat *p, float *x)
{
    const float off = identity(p->in->op);

    widen(p, x);
    for (uint32_t i = 0; p->gather_mask && i < p->w->lanes; i++)
        if (!npu_mask_has(p->mask, i))
            x[i] = off;
}

/* The lowest lane that holds the result; a NaN is found as such. */
static uint32_t index_of(const struct repeat *p, const float *x, float best)
{
    const bool wants_nan = __builtin_isnan(best);
    uint32_t i = 0;

    while (i + 1 < p->w->lanes &&
           !(npu_mask_has(p->mask, i) && (wants_nan ? __builtin_isnan(x[i]) : x[i] == best)))
        i++;
    return i;
}

static void put_extreme(const struct repeat *p, float value, uint32_t index)
{
    const uint32_t elem = npu_types[p->in->type].bytes, order = p->in->mode;
    const uint16_t short_index = (uint16_t)index;
    const void *bits = elem == 2 && order != ORDER_ONLY_INDEX ? (const void *)&short_index : &index;
    const uint32_t index_bytes = order == ORDER_ONLY_INDEX ? 4 : elem;
    uint8_t *to = result_at(p);

    if (order != ORDER_ONLY_INDEX)
        put_value(p, to + (order == ORDER_INDEX_VALUE ? elem : 0), value);
    if (order != ORDER_ONLY_VALUE)
        memcpy(to + (order == ORDER_VALUE_INDEX ? elem : 0), bits, index_bytes);
}

/* A repeat that holds a better extreme, or the first NaN, takes over; the registers have the value
 * and its lane, counted over all repeats. */
static void keep_extreme(const struct repeat *p, float value, const float *x)
{
    struct total *t = p->total;
    uint32_t *reg = p->c->pub.regs.extreme;
    const float best = reduction_of(p->in->op) == MAX ? npu_max_f32(t->value, value)
                                                      : npu_min_f32(t->value, value);

    if (t->any && (__builtin_isnan(t->value) || best == t->value))
        return;
    t->value = value;
    t->index = p->r * p->w->lanes + index_of(p, x, value);
    t->any = true;
    reg[0] = is_half(p) ? half_of(p, value) : npu_f32_bits(value);
    reg[1] = t->index;
}

static void reduce_repeat(const struct repeat *p)
{
    float x[MAX_LANES], scratch[MAX_LANES];

    if (!(p->mask[0] | p->mask[1]))
        return;
    load_active(p, x);
    memcpy(scratch, x, sizeof x);
    tree(p, scratch, 1);
    const float value = scratch[0];
    if (p->in->op == OP_vcadd) {
        put_value(p, result_at(p), value);
        return;
    }
    put_extreme(p, value, p->in->mode == ORDER_ONLY_VALUE ? 0 : index_of(p, x, value));
    keep_extreme(p, value, x);
}

static void put_total(const struct repeat *p)
{
    const struct total *t = p->total;

    if (reduction_of(p->in->op) != SUM) {
        put_extreme(p, t->value, t->index);
        return;
    }
    put_value(p, result_at(p), t->value);
    p->c->pub.regs.sum = is_half(p) ? npu_f32_to_f16(t->value) : npu_f32_bits(t->value);
}

/* A tree inside a repeat; the results of the repeats one after the other. */
static void reduce_all(const struct repeat *p)
{
    float x[MAX_LANES], scratch[MAX_LANES];
    struct total *t = p->total;

    if (p->mask[0] | p->mask[1]) {
        load_active(p, x);
        memcpy(scratch, x, sizeof x);
        tree(p, scratch, 1);
        if (reduction_of(p->in->op) != SUM)
            keep_extreme(p, scratch[0], x);
        else
            t->value = t->any ? t->value + scratch[0] : scratch[0];
        if (reduction_of(p->in->op) == SUM && is_half(p))
            round_halves(p, &t->value, 1);
        t->any = true;
    }
    if (t->any && p->r + 1 == p->w->n_repeats)
        put_total(p);
}

/* A pair without an active lane leaves its result as it was. */
static void reduce_pairs(const struct repeat *p)
{
    const uint32_t elem = npu_types[p->in->type].bytes, n = p->w->lanes / 2;
    uint8_t *to = result_at(p);
    float x[MAX_LANES];

    load_active(p, x);
    tree_level(p, x, n);
    for (uint32_t i = 0; i < n; i++)
        if (npu_mask_has(p->mask, 2 * i) || npu_mask_has(p->mask, 2 * i + 1))
            put_value(p, to + i * elem, x[i]);
}

static void reduce_blks(const struct repeat *p)
{
    const uint32_t elem = npu_types[p->in->type].bytes, per_blk = NPU_BLK_BYTES / elem;
    const bool fills =
        p->c->pub.soc->arch != 2201; /* a blk without lanes: 2201 leaves the old value */
    const float none = p->in->op == OP_vcgadd ? 0.0f : identity(p->in->op);
    float x[MAX_LANES];

    load_active(p, x);
    tree(p, x, NPU_BLKS_PER_REPEAT);
    for (uint32_t k = 0; k < NPU_BLKS_PER_REPEAT; k++) {
        const uint32_t lane = k * per_blk;
        const bool any = p->mask[lane / 64] >> (lane % 64) & ((1u << per_blk) - 1);
        if (any || fills)
            put_value(p, result_at(p) + k * elem, any ? x[k] : none);
    }
}

/* ---- float += half * half
 * ---------------------------------------------------------------------------------------- */

/* The product of two halves is exact in a float and always finite, so one rounding is left. */
static void mul_add_wide(const struct repeat *p)
{
    const struct npu_view *d = &p->w->view[VIEW_DST];
    float a[MAX_LANES], b[MAX_LANES], sum[MAX_LANES / 2];

    p->c->lanes->conv[TYPE_f16][TYPE_f32][ROUND_NONE](a, p->a, p->w->lanes);
    p->c->lanes->conv[TYPE_f16][TYPE_f32][ROUND_NONE](b, p->b, p->w->lanes);
    npu_view_gather(p->out, p->c, d, p->r, p->gather_mask);
    memcpy(sum, p->out, sizeof sum);
    for (uint32_t i = 0; i < p->w->lanes; i++)
        sum[i] = a[i] * b[i] + sum[i];
    memcpy(p->out, sum, sizeof sum);
    npu_view_scatter(p->c, d, p->r, p->out, p->w->lanes, p->mask);
}

/* ---- lanes that are made here
 * ---------------------------------------------------------------------------------------- */

/* Half * int32 in double is exact (11 + 31 bits), so one rounding is left. */
static void dequantize(const struct repeat *p)
{
    const double scale = (double)npu_f16_to_f32((uint16_t)p->in->scalar);

    for (uint32_t i = 0; i < p->w->lanes; i++) {
        int32_t v;
        memcpy(&v, p->a + i * sizeof v, sizeof v);
        const uint16_t h = npu_f64_to_f16(scale * (double)v);
        memcpy(p->out + i * sizeof h, &h, sizeof h);
    }
    put_halves(p);
}

/* The sum wraps as that of vadd, the product is exact in double. */
static void add_dequantize(const struct repeat *p)
{
    const double scale = (double)npu_f16_to_f32((uint16_t)p->in->scalar);

    for (uint32_t i = 0; i < p->w->lanes; i++) {
        uint32_t a, b;
        memcpy(&a, p->a + i * sizeof a, sizeof a);
        memcpy(&b, p->b + i * sizeof b, sizeof b);
        const double y = scale * (double)(int32_t)(a + b);
        const uint16_t h = npu_f64_to_f16(y > 0 || __builtin_isnan(y) ? y : 0.0);
        memcpy(p->out + i * sizeof h, &h, sizeof h);
    }
    put_halves(p);
}

/* One result of vdeqs16. word: DEQSCALE. Scale and value have 27 bits together, so the sum is exact
 * in double; rounded to even. */
static uint8_t dequantize_s16(int16_t v, uint64_t word, bool cuts)
{
    const double scale = (double)npu_f32_from_bits((uint32_t)word & ~UINT32_C(0x1fff));
    const int32_t raw = (int32_t)(word >> 37 & 0x1ff), offset = raw - (raw & 0x100) * 2;
    const bool is_signed = word >> 46 & 1;
    const double low = is_signed ? -128.0 : 0.0, high = is_signed ? 127.0 : 255.0;
    double y = __builtin_rint(scale * (double)v + offset);

    if (cuts && __builtin_isfinite(y))
        return (uint8_t)npu_low_bits(y);
    y = y != y ? 0.0 : y > high ? high : y < low ? low : y;
    return (uint8_t)(int32_t)y;
}

static void dequantize_bytes(const struct repeat *p)
{
    enum { PER_BLK = NPU_BLK_BYTES / 2 };

    for (uint32_t i = 0; i < p->w->lanes; i++) {
        uint64_t word = p->in->scalar;
        int16_t v;
        memcpy(&v, p->a + i * sizeof v, sizeof v);
        if (p->in->mode & DEQ_VECTOR)
            memcpy(&word, p->b + i % PER_BLK * sizeof word, sizeof word);
        p->out[i] = dequantize_s16(v, word, p->in->cuts);
    }
    put_lanes(p);
}

/* ---- 4-bit integers, the lower half of a byte first
 * ---------------------------------------------------------------------------------------- */

static bool is_finite_half(const uint8_t *at)
{
    uint16_t h;

    memcpy(&h, at, sizeof h);
    return (h & 0x7c00u) != 0x7c00u;
}

static void put_nibbles(const struct repeat *p)
{
    const struct npu_view *d = &p->w->view[VIEW_DST];
    const uint32_t lanes = p->w->lanes, per = d->lanes_per_chunk;
    int8_t v[MAX_LANES];

    npu_convert(p->c, p->in, TYPE_f16, TYPE_s8, (enum npu_round)p->in->mode, v, p->a, lanes);
    for (uint32_t i = 0; i < lanes; i++)
        if (!p->in->cuts || !is_finite_half(p->a + i * sizeof(uint16_t)))
            v[i] = v[i] < -8 ? -8 : v[i] > 7 ? 7 : v[i];
    for (uint32_t i = 0; i < lanes; i += 2)
        p->out[i / 2] = (uint8_t)((v[i] & 0xf) | (v[i + 1] & 0xf) << 4);
    for (uint32_t k = 0; !p->gather_mask && k * per < lanes; k++)
        memcpy(result_at(p) + k * d->chunk_step, p->out + k * per / 2, per / 2);
    for (uint32_t i = 0; p->gather_mask && i < lanes; i++) {
        uint8_t *to = result_at(p) + i / per * d->chunk_step + i % per / 2;
        if (!npu_mask_has(p->mask, i))
            continue;
        *to = (uint8_t)(i % 2 ? (*to & 0x0f) | (v[i] & 0xf) << 4 : (*to & 0xf0) | (v[i] & 0xf));
    }
}

static void widen_nibbles(const struct repeat *p)
{
    int8_t v[MAX_LANES];

    for (uint32_t i = 0; i < p->w->lanes / 2; i++) {
        v[2 * i] = (int8_t)((int8_t)(p->a[i] << 4) >> 4);
        v[2 * i + 1] = (int8_t)((int8_t)p->a[i] >> 4);
    }
    p->c->lanes->conv[TYPE_s8][TYPE_f16][ROUND_NONE](p->out, v, p->w->lanes);
    put_lanes(p);
}

/* ---- arithmetic into a narrower type
 * ---------------------------------------------------------------------------------------- */

/* The sum stops at the ends of int16_t, whatever CTRL[53] is: so says the vendor's table. */
static void narrow_s16(const struct repeat *p)
{
    for (uint32_t i = 0; i < p->w->lanes; i++) {
        int16_t a, b;
        memcpy(&a, p->a + i * sizeof a, sizeof a);
        memcpy(&b, p->b + i * sizeof b, sizeof b);
        const int32_t y = p->in->op == OP_vsubreluconv ? a - b : a + b;
        const int32_t most = p->in->cuts ? INT16_MAX : INT8_MAX;
        p->out[i] = (uint8_t)(y < 0 ? 0 : y > most ? most : y);
    }
}

static void nan_to_zero(uint8_t *halves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint16_t h;
        memcpy(&h, halves + i * sizeof h, sizeof h);
        if ((h & 0x7fffu) > 0x7c00u)
            memset(halves + i * sizeof h, 0, sizeof h);
    }
}

/* The result in the type of the sources first, then rounded to even into that of dst. */
static void compute_and_narrow(const struct repeat *p)
{
    static const uint8_t first[N_OPS] = {
        [OP_vaddreluconv] = OP_vaddrelu, [OP_vsubreluconv] = OP_vsubrelu, [OP_vmulconv] = OP_vmul};
    const struct npu_lanes *l = p->c->lanes;
    const uint32_t n = p->w->lanes;
    uint8_t wide[NPU_REPEAT_BYTES] __attribute__((aligned(64)));

    if (p->in->type == TYPE_s16) {
        narrow_s16(p);
    } else {
        l->op[first[p->in->op]][p->in->type](wide, p->a, p->b, 0, n);
        if (p->in->saturates && is_half(p))
            npu_make_finite(TYPE_f16, wide, n);
        npu_convert(p->c, p->in, (enum npu_type)p->in->type, (enum npu_type)p->in->dst_type,
                    ROUND_RINT, p->out, wide, n);
        if (p->in->dst_type == TYPE_f16)
            nan_to_zero(p->out, n);
        if (p->in->dst_type == TYPE_f16 && p->in->saturates)
            npu_make_finite(TYPE_f16, p->out, n);
    }
    put_lanes(p);
}

/* Sums of floats and halves are exact in double and rounded once. */
static void write_indices(const struct repeat *p)
{
    const enum npu_type type = (enum npu_type)p->in->type;
    const uint32_t bits = (uint32_t)p->in->scalar, n = p->w->lanes, from = p->r * n;
    const bool in_half = type == TYPE_f16;
    const double first =
        (double)(in_half ? npu_f16_to_f32((uint16_t)bits) : npu_f32_from_bits(bits));
    float wide[NPU_REPEAT_BYTES / 2];
    uint32_t *words = (uint32_t *)(void *)p->out;

    if (in_half) {
        for (uint32_t i = 0; i < n; i++)
            wide[i] = npu_f64_to_f32_odd(first + (from + i));
        p->c->lanes->conv[TYPE_f32][TYPE_f16][ROUND_RINT](p->out, wide, n);
    } else if (type == TYPE_f32) {
        for (uint32_t i = 0; i < n; i++)
            words[i] = npu_f32_bits((float)(first + (from + i)));
    } else {
        const int64_t start = type == TYPE_s16 ? (int16_t)bits : (int32_t)bits;
        for (uint32_t i = 0; i < n; i++) {
            const int64_t v = start + from + i, fits = p->in->stops ? npu_stop(v, type) : v;
            memcpy(p->out + (size_t)i * npu_types[type].bytes, &fits, npu_types[type].bytes);
        }
    }
    if (type == TYPE_f16)
        put_halves(p);
    else
        put_lanes(p);
}

/* ---- moving
 * ---------------------------------------------------------------------------------------- */

/* Elements of 16 or 32 bits. */
static void broadcast(const struct repeat *p)
{
    const struct npu_view *d = &p->w->view[VIEW_DST];
    const bool is_word = npu_types[p->in->type].bytes == 4;
    const uint32_t *words = (const uint32_t *)(const void *)p->a;
    const uint16_t *shorts = (const uint16_t *)(const void *)p->a;
    uint8_t *to = result_at(p);

    for (uint32_t k = 0; k < NPU_BLKS_PER_REPEAT; k++, to += d->chunk_step) {
        const uint64_t v =
            is_word ? words[k] * UINT64_C(0x100000001) : shorts[k] * UINT64_C(0x1000100010001);
        memcpy(to, (const uint64_t[]){v, v, v, v}, NPU_BLK_BYTES);
    }
}

static void copy_lanes(const struct repeat *p)
{
    memcpy(p->out, p->a, NPU_REPEAT_BYTES); /* the places may overlap */
    put_lanes(p);
}

/* ---- gather
 * ---------------------------------------------------------------------------------------- */

/* Worth the loading of a table into registers: some times as many elements as it has. */
static bool is_small_table(const struct npu_core_int *c, const struct npu_walk *w, uint32_t elem,
                           uint32_t n)
{
    return c->lanes->look_up && elem == sizeof(uint16_t) && n >= NPU_LOOK_UP_BYTES &&
           w->view[VIEW_SRC0].chunk_bytes <= NPU_LOOK_UP_BYTES;
}

static void look_up(struct npu_core_int *c, const struct npu_walk *w, const uint8_t *from,
                    const uint32_t *at, uint32_t n)
{
    const struct npu_view *table = &w->view[VIEW_SRC0];
    const uint8_t *first = npu_view_base(c, table);

    c->lanes->look_up(npu_view_base(c, &w->view[VIEW_DST]), first, table->chunk_bytes, at,
                      (uint32_t)(first - from), n);
}

/* The offsets were checked when the instruction was laid out. With lanes off, or gaps in dst, a
 * repeat goes through a dense buffer, so that what is not written stays. */
static void gather_lanes(struct npu_core_int *c, const struct npu_insn *in,
                         const struct npu_walk *w)
{
    const struct npu_view *d = &w->view[VIEW_DST], *o = &w->view[VIEW_SRC1];
    const uint8_t *from = c->pub.mem[in->ref[1].mem].base + in->ref[1].at_bytes + in->scalar;
    const uint32_t *at = (const uint32_t *)(const void *)npu_view_base(c, o);
    const uint32_t elem = npu_types[in->type].bytes;
    npu_pick_fn *pick = c->lanes->pick[elem];
    uint8_t dense[NPU_REPEAT_BYTES] __attribute__((aligned(64)));

    if (w->is_full && d->chunk_step == NPU_BLK_BYTES && d->rep_step == NPU_REPEAT_BYTES) {
        const uint32_t n = w->n_repeats ? (w->n_repeats - 1) * w->lanes + w->last_lanes : 0;

        if (is_small_table(c, w, elem, n))
            look_up(c, w, from, at, n);
        else
            pick(npu_view_base(c, d), from, at, n);
        return;
    }
    for (uint32_t r = 0; r < w->n_repeats; r++, at += w->lanes) {
        uint64_t mask[2];
        npu_walk_mask(w, r, mask);
        for (uint32_t i = 0; i < w->lanes; i++)
            if (npu_mask_has(mask, i))
                pick(dense + i * elem, from, at + i, 1);
        npu_view_scatter(c, d, r, dense, w->lanes, mask);
    }
}

/* ---- the loop
 * -------------------------------------------------------------------------------------- */

typedef void repeat_fn(const struct repeat *p);
static repeat_fn *const functions[N_OPS] = {
    [OP_vcmp] = compare,
    [OP_vcmps] = compare,
    [OP_vsel] = choose,
    [OP_vcadd] = reduce_repeat,
    [OP_vcmax] = reduce_repeat,
    [OP_vcmin] = reduce_repeat,
    [OP_vcgadd] = reduce_blks,
    [OP_vcgmax] = reduce_blks,
    [OP_vcgmin] = reduce_blks,
    [OP_vbrcb] = broadcast,
    [OP_vcopy] = copy_lanes,
    [OP_vcpadd] = reduce_pairs,
    [OP_vsumall] = reduce_all,
    [OP_vmaxall] = reduce_all,
    [OP_vminall] = reduce_all,
    [OP_vmlaw] = mul_add_wide,
    [OP_vaxpyw] = mul_add_wide,
    [OP_vcmpr] = compare_to_register,
    [OP_vdeq] = dequantize,
    [OP_vindex] = write_indices,
    [OP_vadddeqrelu] = add_dequantize,
    [OP_vdeqs16] = dequantize_bytes,
    [OP_vaddreluconv] = compute_and_narrow,
    [OP_vsubreluconv] = compute_and_narrow,
    [OP_vmulconv] = compute_and_narrow,
    [OP_vf162s4] = put_nibbles,
    [OP_vs42f16] = widen_nibbles,
};

/* The fields of these instructions that a type check does not cover. */
static bool modes_are_possible(struct npu_core_int *c, const struct npu_insn *in)
{
    const bool is_cmp = in->op == OP_vcmp || in->op == OP_vcmps || in->op == OP_vcmpr;
    const bool is_extreme =
        in->op == OP_vcmax || in->op == OP_vcmin || in->op == OP_vmaxall || in->op == OP_vminall;
    const unsigned most = is_cmp                                          ? CMP_NE
                          : is_extreme                                    ? ORDER_ONLY_INDEX
                          : in->op == OP_vsel                             ? 2
                          : in->op == OP_vgathermask                      ? 7
                          : in->op == OP_vpermute || in->op == OP_vcumsum ? 1
                          : in->op == OP_vdeqs16                          ? DEQ_HIGH | DEQ_VECTOR
                          : in->op == OP_vf162s4                          ? ROUND_TRUNC
                                                                          : UINT8_MAX;

    if ((in->op == OP_vcmp || in->op == OP_vcmps) && in->type == TYPE_s32 && in->mode != CMP_EQ) {
        npu_fault(&c->pub, NPU_E_ARG, in->where,
                  "%s: of int32_t only EQ is defined (mode 2), not %u", npu_isa[in->op].name,
                  in->mode);
        return false;
    }
    if (in->mode <= most)
        return true;
    npu_fault(&c->pub, NPU_E_ARG, in->where, "%s: mode %u; 0 to %u are defined",
              npu_isa[in->op].name, in->mode, most);
    return false;
}

/* A source of one repeat: where it is, when every lane lies there side by side, else a copy. */
NPU_INLINE const uint8_t *source(const struct repeat *p, int view, uint8_t *dense)
{
    const struct npu_view *v = &p->w->view[view];

    if (!p->gather_mask && v->lanes_per_chunk && v->chunk_step == v->chunk_bytes &&
        v->chunk_bytes * v->n_chunks == NPU_REPEAT_BYTES)
        return npu_view_base(p->c, v) + p->r * v->rep_step;
    npu_view_gather(dense, p->c, v, p->r, v->lanes_per_chunk ? p->gather_mask : NULL);
    return dense;
}

void npu_special_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    uint8_t dense[3][NPU_REPEAT_BYTES] __attribute__((aligned(64))) = {{0}};
    struct total total = {0};
    struct repeat p = {
        .c = c, .in = in, .w = w, .a = dense[0], .b = dense[1], .out = dense[2], .total = &total};
    const bool has_scalar =
        in->op == OP_vcmps || in->op == OP_vaxpyw || (in->op == OP_vsel && in->mode == 1);
    repeat_fn *fn = functions[in->op];

    if (in->op == OP_vgather) {
        gather_lanes(c, in, w);
        return;
    }
    if (!modes_are_possible(c, in) || npu_rearrange_run(c, in, w))
        return;
    if (!fn) {
        npu_fault(&c->pub, NPU_E_UNSUP, in->where, "%s is not supported", npu_isa[in->op].name);
        return;
    }
    if (in->op == OP_vcopy && in->n_burst) {
        npu_mte_run(c, in, w);
        return;
    }
    if (has_scalar)
        fill(dense[1], &in->scalar, npu_types[in->type].bytes, NPU_REPEAT_BYTES);
    for (p.r = 0; p.r < w->n_repeats; p.r++) {
        const bool whole = w->is_full && (p.r + 1 < w->n_repeats || w->last_lanes == w->lanes);
        npu_walk_mask(w, p.r, p.mask);
        p.gather_mask = whole ? NULL : p.mask;
        if (w->view[VIEW_SRC0].use != USE_N)
            p.a = source(&p, VIEW_SRC0, dense[0]);
        if (w->view[VIEW_SRC1].use != USE_N)
            p.b = source(&p, VIEW_SRC1, dense[1]);
        fn(&p);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - which bytes an instruction reads and writes.
 *
 * The one place that knows addressing: the units of strides, what a repeat is, what the mask
 * covers. Execution, range checks and every watch go through the struct npu_walk made here.
 *
 *   repeat r of an operand:  at + r * rep_step
 *   |chunk 0|--- chunk_step ---|chunk 1| ...   8 blks of 32 bytes for most operands
 */
#include "core_int.h"
#include <string.h>
#include "../base/banned.h"

/* ---- layout ------------------------------------------------------------------------------------
 */

static uint32_t type_bytes(uint8_t type)
{
    const uint32_t bytes = npu_types[type].bytes;

    return bytes ? bytes : 1; /* no row has 0, which an analyser cannot know */
}

/* Type of the result. */
static uint8_t dst_type_of(const struct npu_insn *in)
{
    switch (in->op) {
    case OP_vconv:
    case OP_vdeqs16:
    case OP_vaddreluconv:
    case OP_vsubreluconv:
    case OP_vmulconv:
    case OP_vquant:
    case OP_vdequant:
    case OP_vantiquant:
        return in->dst_type;
    case OP_vmlaw:
    case OP_vaxpyw:
        return TYPE_f32;
    case OP_vdeq:
    case OP_vadddeqrelu:
        return TYPE_f16;
    default:
        return in->type;
    }
}

/* Bytes of the wider of source and result: lanes are counted in those. */
static uint32_t widest_bytes(const struct npu_insn *in)
{
    const uint32_t dst = type_bytes(dst_type_of(in)), src = type_bytes(in->type);

    return dst > src ? dst : src;
}

/* A plain operand: blks of 32 bytes at the strides of the instruction. */
static struct npu_view blks(const struct npu_ref *ref, uint32_t elem_bytes, uint32_t lanes)
{
    const uint32_t per_blk = NPU_BLK_BYTES / elem_bytes;

    return (struct npu_view){.at = ref->at_bytes,
                             .mem = ref->mem,
                             .rep_step = (uint64_t)ref->rep_stride * NPU_BLK_BYTES,
                             .chunk_step = (uint64_t)ref->blk_stride * NPU_BLK_BYTES,
                             .chunk_bytes = NPU_BLK_BYTES,
                             .n_chunks = lanes * elem_bytes / NPU_BLK_BYTES,
                             .lanes_per_chunk = per_blk,
                             .align = NPU_BLK_BYTES};
}

/* One run of bytes a repeat; rep_step as given. */
static struct npu_view run(const struct npu_ref *ref, uint32_t bytes, uint64_t rep_step,
                           uint32_t align)
{
    return (struct npu_view){.at = ref->at_bytes,
                             .mem = ref->mem,
                             .rep_step = rep_step,
                             .chunk_bytes = bytes,
                             .n_chunks = 1,
                             .align = align};
}

/* Bytes of one result of vcmax and vcmin: the order says whether value, index or both. An index
 * alone is 32 bits wide; beside a value it is as wide as the value. */
uint32_t npu_extreme_bytes(const struct npu_insn *in)
{
    enum { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };

    if (in->op == OP_vcadd || in->op == OP_vsumall || in->mode == ONLY_VALUE)
        return type_bytes(in->type);
    return in->mode == ONLY_INDEX ? 4 : 2 * type_bytes(in->type);
}

/* 32 lanes of halves, or 16 of floats, become one blk; two lanes have one result. */
static void lay_pairs(struct npu_walk *w, const struct npu_insn *in)
{
    const uint32_t elem = type_bytes(in->type);
    struct npu_view *d = &w->view[VIEW_DST];

    *d = blks(&in->ref[0], elem, w->lanes / 2);
    d->chunk_step = NPU_BLK_BYTES;
    d->rep_step = (uint64_t)in->ref[0].rep_stride * NPU_REPEAT_BYTES / 2;
    d->lanes_per_chunk *= 2;
    d->is_pairs = true;
    w->view[VIEW_SRC0] = blks(&in->ref[1], elem, w->lanes);
}

static bool is_over_all(uint8_t op)
{
    return op == OP_vsumall || op == OP_vmaxall || op == OP_vminall;
}

static void lay_reduction(struct npu_walk *w, const struct npu_insn *in)
{
    const bool per_blk = in->op == OP_vcgadd || in->op == OP_vcgmax || in->op == OP_vcgmin;
    const uint32_t elem = type_bytes(in->type);
    const uint32_t bytes = per_blk ? NPU_BLKS_PER_REPEAT * elem : npu_extreme_bytes(in);

    const uint64_t step = is_over_all(in->op) ? 0 : (uint64_t)in->ref[0].rep_stride * bytes;

    if (in->op == OP_vcpadd) {
        lay_pairs(w, in);
        return;
    }
    w->view[VIEW_DST] = run(&in->ref[0], bytes, step, bytes);
    w->view[VIEW_SRC0] = blks(&in->ref[1], elem, w->lanes);
}

static void lay_brcb(struct npu_walk *w, const struct npu_insn *in)
{
    const uint32_t elem = type_bytes(in->type), bytes = NPU_BLKS_PER_REPEAT * elem;

    w->view[VIEW_DST] = blks(&in->ref[0], elem, w->lanes);
    w->view[VIEW_DST].lanes_per_chunk = 0;
    w->view[VIEW_SRC0] = run(&in->ref[1], bytes, bytes, elem);
}

/* What the offsets of the active lanes say now. low > high: no lane is on, or the offsets
 * themselves lie outside the memory, which the range check will name. */
static struct npu_span offsets_span(const struct npu_walk *w, const struct npu_core_int *c)
{
    const struct npu_view *v = &w->view[VIEW_SRC1];
    const uint32_t *at = (const uint32_t *)(const void *)npu_view_base(c, v);
    const uint64_t bytes = w->n_repeats * v->rep_step, room = c->pub.mem[v->mem].bytes;
    struct npu_span s = {.low = UINT32_MAX};

    if (bytes > room || v->at > room - bytes || v->at % v->align)
        return s;
    if (w->is_full) { /* offsets are contiguous over the repeats */
        c->lanes->span(&s, at, w->n_repeats ? (w->n_repeats - 1) * w->lanes + w->last_lanes : 0);
        return s;
    }
    for (uint32_t r = 0; r < w->n_repeats; r++, at += w->lanes) {
        uint64_t mask[2];
        npu_walk_mask(w, r, mask);
        for (uint32_t i = 0; i < w->lanes; i++)
            if (npu_mask_has(mask, i))
                c->lanes->span(&s, at + i, 1);
    }
    return s;
}

/* An offset that is no multiple of the element; called when there is one. */
static uint32_t odd_offset(const struct npu_walk *w, const struct npu_core_int *c, uint32_t elem)
{
    const uint32_t *at = (const uint32_t *)(const void *)npu_view_base(c, &w->view[VIEW_SRC1]);

    for (uint32_t r = 0; r < w->n_repeats; r++, at += w->lanes) {
        uint64_t mask[2];
        npu_walk_mask(w, r, mask);
        for (uint32_t i = 0; i < w->lanes; i++)
            if (npu_mask_has(mask, i) && at[i] % elem)
                return at[i];
    }
    return 0;
}

/* src1: one 32-bit offset a lane, contiguous. src0: the span of bytes that they reach. */
static void lay_gather(struct npu_walk *w, const struct npu_core_int *c, const struct npu_insn *in)
{
    const uint32_t elem = type_bytes(in->type);
    struct npu_view *offsets = &w->view[VIEW_SRC1], *from = &w->view[VIEW_SRC0];

    w->view[VIEW_DST] = blks(&in->ref[0], elem, w->lanes);
    *offsets = blks(&in->ref[2], sizeof(uint32_t), w->lanes);
    offsets->chunk_step = NPU_BLK_BYTES;
    offsets->rep_step = w->lanes * sizeof(uint32_t);
    const struct npu_span s = offsets_span(w, c);
    if (s.low > s.high)
        return;
    const uint64_t bytes = (uint64_t)s.high - s.low + elem; /* more than any memory has, perhaps */
    *from = run(&in->ref[1], bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, 0, elem);
    from->at += in->scalar + (s.bits % elem ? odd_offset(w, c, elem) : s.low);
}

/* src1: eight 32-bit offsets a repeat. src0: the span of the blks that they reach. */
static void lay_gather_blks(struct npu_walk *w, const struct npu_core_int *c,
                            const struct npu_insn *in)
{
    struct npu_view *offsets = &w->view[VIEW_SRC1], *from = &w->view[VIEW_SRC0];
    const uint32_t bytes = NPU_BLKS_PER_REPEAT * sizeof(uint32_t), n = w->n_repeats;
    const uint32_t room = c->pub.mem[MEM_UB].bytes;
    struct npu_span s = {.low = UINT32_MAX};

    w->view[VIEW_DST] = blks(&in->ref[0], type_bytes(in->type), w->lanes);
    w->view[VIEW_DST].lanes_per_chunk = 0;
    *offsets = run(&in->ref[2], bytes, bytes, NPU_BLK_BYTES);
    if (!n || (uint64_t)n * bytes > room || offsets->at > room - n * bytes ||
        offsets->at % NPU_BLK_BYTES)
        return;
    c->lanes->span(&s, (const uint32_t *)(const void *)npu_view_base(c, offsets),
                   n * NPU_BLKS_PER_REPEAT);
    const uint64_t span = (uint64_t)s.high - s.low + NPU_BLK_BYTES;
    *from = run(&in->ref[1], span < UINT32_MAX ? (uint32_t)span : UINT32_MAX, 0, NPU_BLK_BYTES);
    from->at += s.low | s.bits % NPU_BLK_BYTES; /* a low bit anywhere spoils the alignment */
}

uint32_t npu_gathered_elements(const struct npu_insn *in)
{
    const uint32_t per_repeat = NPU_REPEAT_BYTES / type_bytes(in->type);

    if (!in->counter)
        return per_repeat;
    return in->mask[0] < UINT32_MAX ? (uint32_t)in->mask[0] : UINT32_MAX;
}

bool npu_is_gathered(const struct npu_core_int *c, const struct npu_insn *in,
                     const struct npu_walk *w, uint32_t r, uint32_t i)
{
    static const uint8_t pattern[] = {0, 0x5, 0xa, 0x1, 0x2, 0x4, 0x8, 0xf};
    const struct npu_view *bits = &w->view[VIEW_SRC1];

    if (in->mode)
        return pattern[in->mode % 8] >> i % 4 & 1;
    return npu_view_base(c, bits)[r * bits->rep_step + i / 8] >> i % 8 & 1;
}

/* dst: as many elements as bits are set. */
static void lay_gather_mask(struct npu_walk *w, const struct npu_core_int *c,
                            const struct npu_insn *in)
{
    const uint32_t elem = type_bytes(in->type), n = npu_gathered_elements(in);
    const uint32_t room = c->pub.mem[MEM_UB].bytes;
    const uint64_t bytes = (uint64_t)n * elem;
    const uint32_t held = bytes > room ? room + NPU_BLK_BYTES : (uint32_t)bytes;
    struct npu_view *bits = &w->view[VIEW_SRC1];
    uint64_t n_set = 0;

    w->n_repeats = in->repeat;
    w->last_lanes = w->lanes;
    w->view[VIEW_SRC0] = blks(&in->ref[1], elem, w->lanes);
    w->view[VIEW_SRC0].n_chunks = (held + NPU_BLK_BYTES - 1) / NPU_BLK_BYTES;
    w->view[VIEW_SRC0].lanes_per_chunk = 0;
    if (!in->mode)
        *bits = run(&in->ref[2], held / elem / 8 + (held / elem % 8 != 0),
                    (uint64_t)in->ref[2].rep_stride * NPU_BLK_BYTES, NPU_BLK_BYTES);
    const uint64_t last = w->n_repeats ? (w->n_repeats - 1) * bits->rep_step : 0;
    if (bytes > room || bits->at + last + bits->chunk_bytes > room)
        return; /* the range check will say so */
    for (uint32_t r = 0; r < w->n_repeats; r++)
        for (uint32_t i = 0; i < n; i++)
            n_set += npu_is_gathered(c, in, w, r, i);
    w->view[VIEW_DST] =
        run(&in->ref[0], n_set * elem < UINT32_MAX ? (uint32_t)(n_set * elem) : UINT32_MAX, 0,
            NPU_BLK_BYTES);
    w->view[VIEW_DST].n_chunks = n_set != 0;
}

/* 16 lanes become one half of a blk of dst. An unaligned dst is left whole, to be named as it is.
 */
static void lay_deq_bytes(struct npu_walk *w, const struct npu_insn *in)
{
    enum { HALF_BLK = NPU_BLK_BYTES / 2 };
    const bool is_aligned = in->ref[0].at_bytes % NPU_BLK_BYTES == 0;
    struct npu_view *d = &w->view[VIEW_DST];

    *d = blks(&in->ref[0], type_bytes(in->type), w->lanes);
    d->chunk_bytes = HALF_BLK;
    d->at += is_aligned && in->mode & DEQ_HIGH ? HALF_BLK : 0;
    d->align = is_aligned ? HALF_BLK : NPU_BLK_BYTES;
    w->view[VIEW_SRC0] = blks(&in->ref[1], type_bytes(in->type), w->lanes);
    if (in->mode & DEQ_VECTOR)
        w->view[VIEW_SRC1] = run(&in->ref[2], HALF_BLK * sizeof(uint64_t), 0, NPU_BLK_BYTES);
}

/* Halves in plain blks; of 4-bit integers a blk has 64. */
static void lay_nibbles(struct npu_walk *w, const struct npu_insn *in)
{
    const bool to_nibbles = npu_isa[in->op].shape == SHAPE_TOS4;
    const int nibbles = to_nibbles ? VIEW_DST : VIEW_SRC0,
              halves = to_nibbles ? VIEW_SRC0 : VIEW_DST;
    struct npu_view *v = &w->view[nibbles];

    w->view[halves] = blks(&in->ref[halves], type_bytes(in->type), w->lanes);
    *v = blks(&in->ref[nibbles], type_bytes(in->type), w->lanes);
    v->n_chunks = w->lanes / 2 / NPU_BLK_BYTES;
    v->lanes_per_chunk = 2 * NPU_BLK_BYTES;
}

/* 32 scores and 32 indices become 32 pairs of 8 bytes. */
static void lay_sort(struct npu_walk *w, const struct npu_insn *in)
{
    enum { N = 32, PAIR_BYTES = 8 };
    const uint32_t bytes = N * type_bytes(in->type), index_bytes = N * sizeof(uint32_t);

    w->view[VIEW_DST] = run(&in->ref[0], N * PAIR_BYTES, (uint64_t)N * PAIR_BYTES, NPU_BLK_BYTES);
    w->view[VIEW_SRC0] = run(&in->ref[1], bytes, bytes, NPU_BLK_BYTES);
    w->view[VIEW_SRC1] = run(&in->ref[2], index_bytes, index_bytes, NPU_BLK_BYTES);
}

static struct npu_view listed(const uint32_t *starts, const uint32_t *lengths, uint32_t bytes,
                              uint32_t n, uint64_t rep_step, uint32_t align)
{
    return (struct npu_view){.mem = MEM_UB,
                             .rep_step = rep_step,
                             .chunk_bytes = bytes,
                             .n_chunks = n,
                             .starts = starts,
                             .lengths = lengths,
                             .align = align};
}

static void lay_merge(struct npu_walk *w, const struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_lists *l = &c->pub.lists;
    const uint32_t n = in->mode & MERGE_QUEUES;
    uint32_t bytes = 0;

    for (uint32_t k = 0; k < n && k < 4; k++)
        bytes += l->src_bytes[k];
    w->view[VIEW_DST] = run(&in->ref[0], bytes, bytes, NPU_BLK_BYTES);
    w->view[VIEW_SRC0] = listed(l->src, l->src_bytes, 0, n < 4 ? n : 4, bytes, 8);
}

/* 16 blks each; of 8-bit elements one half of each. */
static void lay_nchw(struct npu_walk *w, const struct npu_core_int *c, const struct npu_insn *in)
{
    const uint32_t bytes = type_bytes(in->type) == 1 ? NPU_BLK_BYTES / 2 : NPU_BLK_BYTES;

    for (int o = VIEW_DST; o <= VIEW_SRC0; o++) {
        const uint64_t step = (uint64_t)in->ref[o].rep_stride * NPU_BLK_BYTES;
        const uint8_t high = o == VIEW_DST ? NCHW_DST_HIGH : NCHW_SRC_HIGH;
        struct npu_view *v = &w->view[o];
        *v = listed(o == VIEW_DST ? c->pub.lists.dst : c->pub.lists.src, NULL, bytes, NPU_LIST,
                    step, NPU_BLK_BYTES);
        v->at = in->repeat == 1 ? step : 0; /* so says the page: one repeat begins a stride later */
        v->at += in->mode & high && bytes < NPU_BLK_BYTES ? bytes : 0;
    }
}

static void lay_transposed(struct npu_walk *w, const struct npu_insn *in)
{
    const uint32_t elem = type_bytes(in->type);
    uint64_t n = (uint64_t)in->n_burst * in->burst_bytes;
    uint32_t bytes = 16 * 16 * elem;

    if (in->op != OP_vtranspose &&
        (__builtin_mul_overflow(n, (uint64_t)in->repeat * elem, &n) || n > UINT32_MAX))
        bytes = UINT32_MAX; /* more than any memory has */
    else if (in->op != OP_vtranspose)
        bytes = (uint32_t)n;
    w->n_repeats = bytes != 0;
    w->view[VIEW_DST] = run(&in->ref[0], bytes, 0, NPU_BLK_BYTES);
    w->view[VIEW_SRC0] = run(&in->ref[1], bytes, 0, NPU_BLK_BYTES);
}

/* The operands as they are listed. */
static void lay_rows(struct npu_walk *w, const struct npu_insn *in)
{
    const struct npu_rows *r = in->rows;

    w->n_repeats = 1;
    w->view[VIEW_DST] = listed(r->dst, r->dst_bytes, 0, r->n_dst, 0, NPU_BLK_BYTES);
    w->view[VIEW_SRC0] = listed(r->src, r->src_bytes, 0, r->n_src, 0, NPU_BLK_BYTES);
}

static void lay_quant(struct npu_walk *w, const struct npu_insn *in)
{
    const uint64_t scales = npu_quant_scales(in) * npu_quant_scale_bytes(in);
    const uint64_t src = in->mode & QUANT_S4 ? ((uint64_t)in->count + 1) / 2
                                             : (uint64_t)in->count * type_bytes(in->type);
    const uint64_t bytes[N_VIEWS] = {(uint64_t)in->count * type_bytes(in->dst_type), src,
                                     in->mode & QUANT_SCALES ? scales : 0,
                                     in->mode & QUANT_OFFSETS ? scales : 0};

    w->n_repeats = 1;
    for (int o = 0; o < N_VIEWS; o++)
        if (bytes[o])
            w->view[o] =
                run(o == VIEW_SEL ? &in->sel : &in->ref[o],
                    bytes[o] < UINT32_MAX ? (uint32_t)bytes[o] : UINT32_MAX, 0, NPU_BLK_BYTES);
}

static void lay_lanes(struct npu_walk *w, const struct npu_insn *in)
{
    const struct npu_shape_row *shape = &npu_shapes[npu_isa[in->op].shape];

    for (int o = 0; o < 3; o++)
        if (shape->use[o] != USE_N)
            w->view[o] = blks(&in->ref[o], type_bytes(in->type), w->lanes);
    w->view[VIEW_DST] = blks(&in->ref[0], type_bytes(dst_type_of(in)), w->lanes);
    /* Results of a comparison are packed over the repeats; strides and mask play no part. */
    if (in->op == OP_vcmp || in->op == OP_vcmps) {
        w->view[VIEW_DST] = run(&in->ref[0], w->lanes / 8, w->lanes / 8, NPU_BLK_BYTES);
        w->view[VIEW_SRC0].lanes_per_chunk = w->view[VIEW_SRC1].lanes_per_chunk = 0;
    }
    if (in->op == OP_vsel && in->mode != 0)
        w->view[VIEW_SEL] = run(&in->sel, w->lanes / 8, w->lanes / 8, 1);
    if (in->op == OP_vsel && in->mode == 1)
        w->view[VIEW_SRC1].use = USE_N;
}

/* Copies: a burst is a chunk of the one repeat. UB bursts begin at multiples of 32 bytes. */
static void lay_bursts(struct npu_walk *w, const struct npu_insn *in)
{
    const uint32_t pad = (uint32_t)(in->pad_left + in->pad_right) * type_bytes(in->type);
    const uint64_t dense = (uint64_t)in->burst_bytes + pad;
    const uint64_t padded = (dense + NPU_BLK_BYTES - 1) / NPU_BLK_BYTES * NPU_BLK_BYTES;

    for (int o = 0; o < 2; o++) {
        const bool on_chip = in->ref[o].mem != MEM_GM;
        const int64_t gap = o == 0 ? in->dst_gap_bytes : in->src_gap_bytes;
        struct npu_view *v = &w->view[o];
        *v = run(&in->ref[o], in->burst_bytes, 0, on_chip ? NPU_BLK_BYTES : 1);
        v->n_chunks = in->n_burst;
        v->chunk_step = (on_chip ? padded : in->burst_bytes) + (uint64_t)gap;
        if (in->op == OP_copy_gm_to_ub && o == 0)
            v->chunk_bytes = (uint32_t)padded;
    }
}

/* The count form is counter mode on contiguous operands. */
static void make_contiguous(struct npu_insn *in)
{
    const enum npu_shape shape = npu_isa[in->op].shape;

    in->counter = true;
    in->mask[0] = in->count;
    in->mask[1] = 0;
    for (int o = 0; o < 3; o++) {
        const uint32_t bytes = type_bytes(o == 0 ? dst_type_of(in) : in->type);
        in->ref[o].blk_stride = 1;
        in->ref[o].rep_stride = (uint16_t)(NPU_BLKS_PER_REPEAT * bytes / widest_bytes(in));
    }
    if (shape == SHAPE_RED)
        in->ref[0].rep_stride = 1;
    if (shape == SHAPE_TOS4 || shape == SHAPE_OFS4) /* a quarter of the halves' bytes */
        in->ref[shape == SHAPE_TOS4 ? 0 : 1].rep_stride = NPU_BLKS_PER_REPEAT / 4;
    if (shape == SHAPE_DEQB)
        in->ref[0].rep_stride = NPU_BLKS_PER_REPEAT;
}

static uint32_t lanes_of(const struct npu_insn *in)
{
    const uint32_t bytes = widest_bytes(in);

    return NPU_REPEAT_BYTES / (bytes < 2 ? 2 : bytes);
}

static void count_repeats(struct npu_walk *w, const struct npu_insn *in)
{
    /* vbrcb takes 8 elements a repeat, whatever the type. */
    const uint32_t per_repeat = in->op == OP_vbrcb ? NPU_BLKS_PER_REPEAT : w->lanes;
    const bool is_cmp = in->op == OP_vcmp || in->op == OP_vcmps;
    const uint64_t n = in->mask[0];

    w->n_repeats = in->repeat;
    w->last_lanes = w->lanes;
    if (!in->counter)
        return;
    w->n_repeats = (uint32_t)((n + per_repeat - 1) / per_repeat);
    if (is_cmp) /* only whole repeats are compared: so says the page of Compare */
        w->n_repeats = (uint32_t)(n / per_repeat);
    else if (in->op != OP_vbrcb && n % per_repeat)
        w->last_lanes = (uint32_t)(n % per_repeat);
}

static void fill_mask(struct npu_walk *w, const struct npu_insn *in)
{
    const uint64_t low = w->lanes < 64 ? (UINT64_C(1) << w->lanes) - 1 : ~UINT64_C(0);
    const uint64_t high = w->lanes > 64 ? ~UINT64_C(0) : 0;

    w->mask[0] = in->counter ? low : in->mask[0] & low;
    w->mask[1] = in->counter ? high : in->mask[1] & high;
    w->is_full = w->mask[0] == low && w->mask[1] == high;
}

static void name_views(struct npu_walk *w, const struct npu_insn *in)
{
    static const char *const names[N_VIEWS] = {"dst", "src0", "src1", "the bits"};
    const struct npu_shape_row *shape = &npu_shapes[npu_isa[in->op].shape];

    for (int o = 0; o < N_VIEWS; o++) {
        struct npu_view *v = &w->view[o];
        v->name = names[o];
        v->use = (uint8_t)(!v->n_chunks ? USE_N : o == VIEW_SEL ? USE_R : shape->use[o]);
        if (o == VIEW_SRC1 && in->op == OP_vsel && in->mode == 1)
            v->use = USE_N;
    }
}

/* Of the instructions with a type of their own for the result: is it one that they have? */
static bool narrows(const struct npu_insn *in)
{
    switch (npu_isa[in->op].shape) {
    case SHAPE_FUSE:
        return in->type == TYPE_f32
                   ? in->dst_type == TYPE_f16
                   : in->dst_type == TYPE_s8 || (in->dst_type == TYPE_u8 && in->op == OP_vmulconv);
    case SHAPE_DEQB:
        return in->dst_type == TYPE_s8 || in->dst_type == TYPE_u8;
    case SHAPE_QUANT:
        if (in->op == OP_vquant)
            return in->dst_type == TYPE_s8;
        return in->dst_type == TYPE_f16 || in->dst_type == TYPE_bf16 ||
               (in->dst_type == TYPE_f32 && in->op == OP_vdequant);
    default:
        return true;
    }
}

static bool rows_are_possible(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_rows *r = in->rows;

    if (!r || r->fn >= N_ROWS || r->n_dst > NPU_ROWS_OPERANDS || r->n_src > NPU_ROWS_OPERANDS) {
        npu_fault(&c->pub, NPU_E_ARG, in->where, "vrows without the operands of a function");
        return false;
    }
    if (in->dst_type < N_TYPES && in->type < N_TYPES && npu_rows_table[r->fn].types >> in->type & 1)
        return true;
    npu_fault(&c->pub, NPU_E_TYPE, in->where, "%s does not take %s", npu_insn_name(in),
              in->type < N_TYPES ? npu_types[in->type].name : "this type");
    return false;
}

static bool type_is_possible(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_isa_row *row = &npu_isa[in->op];

    if (in->op == OP_vconv) {
        if (in->type < N_TYPES && in->dst_type < N_TYPES && in->mode < N_ROUNDS &&
            c->lanes->conv[in->type][in->dst_type][in->mode])
            return true;
        npu_fault(&c->pub, NPU_E_TYPE, in->where,
                  "vconv: no conversion from %s to %s with rounding %u",
                  in->type < N_TYPES ? npu_types[in->type].name : "?",
                  in->dst_type < N_TYPES ? npu_types[in->dst_type].name : "?", in->mode);
        return false;
    }
    if (in->op == OP_vrows && !rows_are_possible(c, in))
        return false;
    if (in->type >= N_TYPES || !(row->types >> in->type & 1)) {
        npu_fault(&c->pub, NPU_E_TYPE, in->where, "%s does not take %s", row->name,
                  in->type < N_TYPES ? npu_types[in->type].name : "this type");
        return false;
    }
    if (narrows(in))
        return true;
    npu_fault(&c->pub, NPU_E_TYPE, in->where, "%s of %s does not give %s", row->name,
              npu_types[in->type].name,
              in->dst_type < N_TYPES ? npu_types[in->dst_type].name : "this type");
    return false;
}

bool npu_walk_init(struct npu_walk *w, struct npu_core_int *c, const struct npu_insn *insn)
{
    struct npu_insn in = *insn;

    memset(w, 0, sizeof *w);
    if (!type_is_possible(c, &in))
        return false;
    if (npu_isa[in.op].shape == SHAPE_COPY && (in.n_burst || npu_isa[in.op].pipe != PIPE_V)) {
        w->n_repeats = 1;
        lay_bursts(w, &in);
        name_views(w, &in);
        return true;
    }
    if (in.count)
        make_contiguous(&in);
    w->lanes = lanes_of(&in);
    count_repeats(w, &in);
    fill_mask(w, &in);
    switch (npu_isa[in.op].shape) {
    case SHAPE_RED:
        lay_reduction(w, &in);
        break;
    case SHAPE_BRC:
        lay_brcb(w, &in);
        break;
    case SHAPE_GATHER:
        lay_gather(w, c, &in);
        break;
    case SHAPE_GATHERB:
        lay_gather_blks(w, c, &in);
        break;
    case SHAPE_GMASK:
        lay_gather_mask(w, c, &in);
        break;
    case SHAPE_DEQB:
        lay_deq_bytes(w, &in);
        break;
    case SHAPE_TOS4:
    case SHAPE_OFS4:
        lay_nibbles(w, &in);
        break;
    case SHAPE_SORT:
        lay_sort(w, &in);
        break;
    case SHAPE_MERGE:
        lay_merge(w, c, &in);
        break;
    case SHAPE_QUANT:
        lay_quant(w, &in);
        break;
    case SHAPE_NCHW:
        lay_nchw(w, c, &in);
        break;
    case SHAPE_ROWS:
        lay_rows(w, &in);
        break;
    case SHAPE_TRANS:
    case SHAPE_PERM:
        lay_transposed(w, &in);
        break;
    default:
        lay_lanes(w, &in);
    }
    name_views(w, &in);
    return true;
}

void npu_walk_mask(const struct npu_walk *w, uint32_t r, uint64_t mask[2])
{
    const uint32_t n = r + 1 == w->n_repeats ? w->last_lanes : w->lanes;

    mask[0] = w->mask[0] & (n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0));
    mask[1] = w->mask[1] & (n <= 64 ? 0 : n < 128 ? (UINT64_C(1) << (n - 64)) - 1 : ~UINT64_C(0));
}

/* ---- every byte range --------------------------------------------------------------------------
 */

/* The next run [*first, *end) of active lanes in [from, to); false when there is none. */
static bool next_run(const uint64_t mask[2], uint32_t from, uint32_t to, uint32_t *first,
                     uint32_t *end)
{
    while (from < to && !npu_mask_has(mask, from))
        from++;
    *first = from;
    while (from < to && npu_mask_has(mask, from))
        from++;
    *end = from;
    return *first < *end;
}

/* Both lanes of each pair that has one. */
static void widen_pairs(uint64_t mask[2])
{
    const uint64_t even = UINT64_C(0x5555555555555555);

    for (int k = 0; k < 2; k++)
        mask[k] |= (mask[k] >> 1 & even) | (mask[k] & even) << 1;
}

/* Lanes [first, end) of a chunk; of 4-bit elements every byte that holds one. */
static void touch_lanes(const struct npu_view *v, uint64_t chunk, uint32_t first, uint32_t end,
                        uint32_t elem_bits, npu_access_fn *fn, void *arg)
{
    const uint32_t from = first * elem_bits / 8, to = (end * elem_bits + 7) / 8;

    fn(arg, v->mem, chunk + from, to - from, v->use);
}

static void view_accesses(const struct npu_walk *w, const struct npu_view *v, npu_access_fn *fn,
                          void *arg)
{
    for (uint32_t r = 0; r < w->n_repeats; r++) {
        const uint64_t at = v->at + r * v->rep_step;
        uint64_t mask[2] = {0, 0};
        if (v->lanes_per_chunk)
            npu_walk_mask(w, r, mask);
        if (v->is_pairs)
            widen_pairs(mask);
        for (uint32_t k = 0; k < v->n_chunks; k++) {
            const uint64_t chunk = at + (v->starts ? v->starts[k] : k * v->chunk_step);
            uint32_t first, end;
            if (!v->lanes_per_chunk) {
                fn(arg, v->mem, chunk, v->lengths ? v->lengths[k] : v->chunk_bytes, v->use);
                continue;
            }
            const uint32_t lane0 = k * v->lanes_per_chunk;
            const uint32_t elem_bits = 8 * v->chunk_bytes / v->lanes_per_chunk;
            for (uint32_t at_lane = lane0;
                 next_run(mask, at_lane, lane0 + v->lanes_per_chunk, &first, &end); at_lane = end)
                touch_lanes(v, chunk, first - lane0, end - lane0, elem_bits, fn, arg);
        }
    }
}

void npu_insn_accesses(const struct npu_core *core, const struct npu_insn *in, npu_access_fn *fn,
                       void *arg)
{
    /* The layout needs the core only for its table of conversions and to report; const is kept. */
    struct npu_core_int *c = npu_core_int((struct npu_core *)(uintptr_t)core);
    struct npu_walk w;

    if (in->kind == KIND_OP && npu_isa[in->op].shape == SHAPE_CUBE) {
        npu_cube_accesses(in, fn, arg);
        return;
    }
    if (in->kind != KIND_OP || !npu_walk_init(&w, c, in))
        return;
    for (int o = 0; o < N_VIEWS; o++)
        if (w.view[o].use != USE_N)
            view_accesses(&w, &w.view[o], fn, arg);
}

/* ---- ranges ------------------------------------------------------------------------------------
 */

void npu_fault_range(struct npu_core_int *c, const char *name, const char *operand,
                     enum npu_mem mem, uint64_t at, uint64_t bytes, struct npu_where where)
{
    const struct npu_bank *bank = &c->pub.mem[mem];

    if (!bank->bytes)
        npu_fault(&c->pub, NPU_E_RANGE, where, "%s: %s is in %s, which a%s core does not have",
                  name, operand, npu_mems[mem].name,
                  c->pub.core_kind == CORE_AIV ? " vector" : " cube");
    else if (at > (uint64_t)bank->bytes * 16) /* a pointer to somewhere else */
        npu_fault(&c->pub, NPU_E_RANGE, where, "%s: %s at %p is not in %s (%p, %u bytes)", name,
                  operand, (void *)(bank->base + at), npu_mems[mem].name, (void *)bank->base,
                  bank->bytes);
    else if (at % NPU_BLK_BYTES && at + bytes <= bank->bytes)
        npu_fault(&c->pub, NPU_E_ALIGN, where,
                  "%s: %s begins at %s byte %llu, which is not a multiple of 32", name, operand,
                  npu_mems[mem].name, (unsigned long long)at);
    else
        npu_fault(&c->pub, NPU_E_RANGE, where,
                  "%s: %s covers %s bytes %llu to %llu (%llu bytes), but %s has %u bytes", name,
                  operand, npu_mems[mem].name, (unsigned long long)at,
                  (unsigned long long)(at + bytes - 1), (unsigned long long)bytes,
                  npu_mems[mem].name, bank->bytes);
}

struct range_check {
    struct npu_core_int *c;
    const struct npu_view *view;
    const struct npu_insn *in;
    bool ok;
};

static void check_one(void *arg, enum npu_mem mem, uint64_t at, uint32_t bytes, enum npu_use use)
{
    struct range_check *k = arg;
    const uint64_t room = k->c->pub.mem[mem].bytes;

    (void)use;
    if (!k->ok || (bytes <= room && at <= room - bytes))
        return;
    k->ok = false;
    if (k->in->count &&
        k->view
            ->lanes_per_chunk) { /* contiguous: say what the caller asked for, not where it broke */
        at = k->view->at;
        bytes =
            (uint32_t)((uint64_t)k->in->count * k->view->chunk_bytes / k->view->lanes_per_chunk);
    }
    npu_fault_range(k->c, npu_insn_name(k->in), k->view->name, mem, at, bytes, k->in->where);
}

/* The first address that is not aligned, or `at` when all are. */
static uint64_t odd_start(const struct npu_view *v)
{
    for (uint32_t k = 0; v->starts && k < v->n_chunks; k++)
        if (v->starts[k] % v->align)
            return v->starts[k];
    return v->starts ? 0 : v->at;
}

bool npu_walk_check(const struct npu_walk *w, struct npu_core_int *c, const struct npu_insn *in)
{
    for (int o = 0; o < N_VIEWS && w->n_repeats; o++) {
        const struct npu_view *v = &w->view[o];
        const uint64_t room = c->pub.mem[v->mem].bytes;
        struct range_check k = {c, v, in, true};
        if (v->use == USE_N || v->mem == MEM_GM)
            continue;
        if (odd_start(v) % v->align) {
            npu_fault(&c->pub, NPU_E_ALIGN, in->where,
                      "%s: %s begins at %s byte %llu, which is not a multiple of %u",
                      npu_insn_name(in), v->name, npu_mems[v->mem].name,
                      (unsigned long long)odd_start(v), v->align);
            return false;
        }
        /* Nearly always the whole box is inside; only else look at each range. */
        const uint64_t span =
            (w->n_repeats - 1) * v->rep_step + (v->n_chunks - 1) * v->chunk_step + v->chunk_bytes;
        if (!v->starts && v->at <= room && span <= room - v->at && (int64_t)v->chunk_step >= 0)
            continue;
        view_accesses(w, v, check_one, &k);
        if (!k.ok)
            return false;
    }
    return true;
}

/* ---- moving one repeat of a view ---------------------------------------------------------------
 */

static bool has_lanes(const struct npu_view *v, uint32_t chunk, const uint64_t mask[2])
{
    const uint32_t lane = chunk * v->lanes_per_chunk;
    const uint64_t whole = ~UINT64_C(0) >> (64 - v->lanes_per_chunk); /* 4 to 64 lanes */

    return mask[lane / 64] >> (lane % 64) & whole;
}

/* Nearly every chunk is a blk, which is one move of a register and no call. */
static inline void copy_chunk(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (bytes == NPU_BLK_BYTES)
        memcpy(to, from, NPU_BLK_BYTES);
    else
        memcpy(to, from, bytes);
}

static bool has_all_lanes(const uint64_t mask[2], uint32_t lanes)
{
    const uint64_t low = lanes < 64 ? (UINT64_C(1) << lanes) - 1 : ~UINT64_C(0);
    const uint64_t high = lanes <= 64   ? 0
                          : lanes < 128 ? (UINT64_C(1) << (lanes - 64)) - 1
                                        : ~UINT64_C(0);

    return (mask[0] & low) == low && (mask[1] & high) == high;
}

void npu_view_gather(uint8_t *dense, const struct npu_core_int *c, const struct npu_view *v,
                     uint32_t r, const uint64_t *mask)
{
    const uint8_t *from = npu_view_base(c, v) + r * v->rep_step;

    if (!mask && v->chunk_step == v->chunk_bytes) {
        memcpy(dense, from, (size_t)v->chunk_bytes * v->n_chunks);
        return;
    }
    for (uint32_t k = 0; k < v->n_chunks; k++)
        if (!mask || has_lanes(v, k, mask))
            copy_chunk(dense + k * v->chunk_bytes, from + k * v->chunk_step, v->chunk_bytes);
}

void npu_view_scatter(struct npu_core_int *c, const struct npu_view *v, uint32_t r,
                      const uint8_t *dense, uint32_t lanes, const uint64_t mask[2])
{
    uint8_t *to = npu_view_base(c, v) + r * v->rep_step;
    const uint32_t per = v->lanes_per_chunk, elem = v->chunk_bytes / per;
    const uint64_t whole = per < 64 ? (UINT64_C(1) << per) - 1 : ~UINT64_C(0);

    if (v->chunk_step == v->chunk_bytes && lanes % per == 0 && has_all_lanes(mask, lanes)) {
        memcpy(to, dense, (size_t)lanes * elem);
        return;
    }
    for (uint32_t k = 0; k * per < lanes; k++) {
        const uint64_t bits = mask[k * per / 64] >> (k * per % 64) & whole;
        uint8_t *chunk = to + k * v->chunk_step;
        const uint8_t *from = dense + k * v->chunk_bytes;
        if (bits == whole) {
            copy_chunk(chunk, from, v->chunk_bytes);
            continue;
        }
        for (uint32_t i = 0; i < per; i++)
            if (bits >> i & 1)
                memcpy(chunk + i * elem, from + i * elem, elem);
    }
}

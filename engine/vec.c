/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vec.c - the vector unit: the fast doors for contiguous operands, and the general walk.
 *
 * The walk gathers one repeat of each source, computes it densely, and scatters the active lanes,
 * so that a repeat is read whole before any of it is written, as on the chip.
 */
#include "core_int.h"
#include <string.h>
#include "../base/banned.h"

const struct npu_lanes *npu_lanes_best(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd"))
        return &npu_lanes_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2"))
        return &npu_lanes_v3;
#endif
    return &npu_lanes_plain;
}

/* ---- the general walk ---------------------------------------------------------------------------
 */

/* Every used operand is one run of bytes and every lane is on. */
static bool is_dense(const struct npu_walk *w)
{
    if (!w->is_full)
        return false;
    for (int o = 0; o < N_VIEWS; o++) {
        const struct npu_view *v = &w->view[o];
        if (v->use == USE_N)
            continue;
        if (v->n_chunks > 1 && v->chunk_step != v->chunk_bytes)
            return false;
        if (w->n_repeats > 1 && v->rep_step != (uint64_t)v->n_chunks * v->chunk_bytes)
            return false;
    }
    return true;
}

/* Would computing strip by strip differ from computing repeat by repeat? Only when the result lands
 * less than a repeat above a source. Widths that differ make any overlap suspect. */
static bool overlaps(const struct npu_walk *w)
{
    const struct npu_view *d = &w->view[VIEW_DST];
    const uint64_t d_bytes = (uint64_t)w->n_repeats * d->n_chunks * d->chunk_bytes;

    for (int o = VIEW_SRC0; o < N_VIEWS; o++) {
        const struct npu_view *s = &w->view[o];
        const uint64_t s_bytes = (uint64_t)w->n_repeats * s->n_chunks * s->chunk_bytes;
        if (s->use == USE_N)
            continue;
        if (s_bytes == d_bytes ? d->at - s->at - 1 < NPU_REPEAT_BYTES - 1
                               : d->at < s->at + s_bytes && s->at < d->at + d_bytes)
            return true;
    }
    return false;
}

static uint32_t n_lanes(const struct npu_walk *w)
{
    return (w->n_repeats - 1) * w->lanes + w->last_lanes;
}

void npu_make_finite(enum npu_type type, void *elements, uint32_t n)
{
    const uint16_t infinite = type == TYPE_f16 ? 0x7c00 : 0x7f80;
    uint16_t *e = elements;

    for (uint32_t i = 0; i < n; i++) {
        const uint16_t size = e[i] & 0x7fff;
        e[i] = size < infinite    ? e[i]
               : size == infinite ? (uint16_t)(e[i] - 1) /* the number below */
                                  : 0;
    }
}

/* Fills are moves; and of what only moves, nothing overflows. */
static bool is_saturated(const struct npu_insn *in, enum npu_type *type)
{
    *type = in->op == OP_vconv ? in->dst_type : in->type;
    return in->saturates && in->op != OP_vdup && (*type == TYPE_f16 || *type == TYPE_bf16);
}

static void run_lanes(struct npu_core_int *c, const struct npu_insn *in, void *dst, const void *a,
                      const void *b, uint32_t n)
{
    enum npu_type type;

    if (in->op == OP_vconv)
        npu_convert(c, in, (enum npu_type)in->type, (enum npu_type)in->dst_type,
                    (enum npu_round)in->mode, dst, a, n);
    else if (npu_is_stopped(in))
        npu_run_stopped(in, dst, a, b, n);
    else
        c->lanes->op[in->op][in->type](dst, a, b, in->scalar, n);
    if (is_saturated(in, &type))
        npu_make_finite(type, dst, n);
}

static void run_dense(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    uint8_t *p[3];

    for (int o = 0; o < 3; o++)
        p[o] = npu_view_base(c, &w->view[o]);
    run_lanes(c, in, p[0], p[1], npu_isa[in->op].shape == SHAPE_AXPY ? p[0] : p[2], n_lanes(w));
}

static void run_repeat(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w,
                       uint32_t r, uint8_t dense[3][NPU_REPEAT_BYTES])
{
    const struct npu_view *v = w->view;
    uint64_t mask[2];

    npu_walk_mask(w, r, mask);
    const bool is_whole = w->is_full && (r + 1 < w->n_repeats || w->last_lanes == w->lanes);
    for (int o = VIEW_SRC0; o <= VIEW_SRC1; o++)
        if (v[o].use != USE_N)
            npu_view_gather(dense[o], c, &v[o], r, is_whole ? NULL : mask);
    if (v[VIEW_DST].use == USE_U)
        npu_view_gather(dense[npu_isa[in->op].shape == SHAPE_AXPY ? 2 : 0], c, &v[VIEW_DST], r,
                        is_whole ? NULL : mask);
    run_lanes(c, in, dense[0], dense[1], dense[2], w->lanes);
    npu_view_scatter(c, &v[VIEW_DST], r, dense[0], w->lanes, mask);
}

/* ---- rows: repeats whose lanes lie together, whatever is between the repeats
 * ------------------------------------------------------------------------------------------------
 */

/* The first lanes of a repeat and no other; 0: there are gaps. */
static uint32_t leading_lanes(const struct npu_walk *w)
{
    if (w->is_full)
        return w->lanes;
    const uint32_t n =
        (uint32_t)(__builtin_popcountll(w->mask[0]) + __builtin_popcountll(w->mask[1]));
    const uint64_t all[2] = {n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1,
                             n > 64 ? (UINT64_C(1) << (n - 64)) - 1 : 0};

    return w->mask[0] == all[0] && w->mask[1] == all[1] ? n : 0;
}

static uint64_t row_bytes(const struct npu_view *v)
{
    return (uint64_t)v->n_chunks * v->chunk_bytes;
}

/* No result lands on what a later lane of its repeat reads: all bytes are apart, or each result
 * takes the place of its source. */
static bool is_met_in_order(const struct npu_walk *w, const struct npu_view *s)
{
    const struct npu_view *d = &w->view[VIEW_DST];
    const uint64_t last = w->n_repeats - 1;
    const uint64_t d_end = d->at + last * d->rep_step + row_bytes(d);
    const uint64_t s_end = s->at + last * s->rep_step + row_bytes(s);

    if (d->mem != s->mem || d_end <= s->at || s_end <= d->at)
        return true;
    return d->at == s->at && d->rep_step == s->rep_step && d->chunk_bytes == s->chunk_bytes &&
           d->n_chunks == s->n_chunks;
}

static bool is_in_rows(const struct npu_walk *w)
{
    for (int o = 0; o < N_VIEWS; o++) {
        const struct npu_view *v = &w->view[o];
        if (v->use == USE_N)
            continue;
        if (v->starts || v->lengths || (v->n_chunks > 1 && v->chunk_step != v->chunk_bytes))
            return false;
        if (o != VIEW_DST && !is_met_in_order(w, v))
            return false;
    }
    return true;
}

static void run_rows(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w,
                     uint32_t lanes)
{
    const bool adds = npu_isa[in->op].shape == SHAPE_AXPY;
    uint8_t *p[3];

    for (uint32_t r = 0; r < w->n_repeats; r++) {
        for (int o = 0; o < 3; o++)
            p[o] = npu_view_base(c, &w->view[o]) + r * w->view[o].rep_step;
        run_lanes(c, in, p[0], p[1], adds ? p[0] : p[2],
                  r + 1 == w->n_repeats && w->last_lanes < lanes ? w->last_lanes : lanes);
    }
}

void npu_vec_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    uint8_t dense[3][NPU_REPEAT_BYTES] __attribute__((aligned(64))) = {{0}};

    if (!c->lanes->op[in->op][in->type] && in->op != OP_vconv) {
        npu_special_run(c, in, w);
        return;
    }
    if (w->n_repeats == 0)
        return;
    if (is_dense(w) && !overlaps(w)) {
        run_dense(c, in, w);
        return;
    }
    const uint32_t lanes = is_in_rows(w) ? leading_lanes(w) : 0;
    if (lanes) {
        run_rows(c, in, w, lanes);
        return;
    }
    for (uint32_t r = 0; r < w->n_repeats; r++)
        run_repeat(c, in, w, r, dense);
}

/* ---- fast doors ---------------------------------------------------------------------------------
 */

/* How many sources a shape reads. */
static const uint8_t n_sources[N_SHAPES] = {
#define R                       1
#define W                       0
#define U                       0
#define N                       0
#define SHAPE(name, d, a, b, s) [SHAPE_##name] = (a) + (b),
#include "../isa/shape.def"
#undef R
#undef W
#undef U
#undef N
};

static struct npu_ref ub_ref(const struct npu_core *c, const void *p)
{
    return (struct npu_ref){.at_bytes = (uint64_t)((uintptr_t)p - (uintptr_t)c->mem[MEM_UB].base),
                            .mem = MEM_UB};
}

/* Everything that the fast path does not take: other orders, faults to name, overlaps. */
static __attribute__((noinline)) void slow_vec(struct npu_core *c, enum npu_op op,
                                               enum npu_type type, const void *const p[3],
                                               uint64_t scalar, uint32_t count,
                                               struct npu_where where)
{
    struct npu_insn in = {.kind = KIND_OP,
                          .op = (uint8_t)op,
                          .type = (uint8_t)type,
                          .scalar = scalar,
                          .count = count,
                          .where = where};

    for (int o = 0; o < 3; o++)
        in.ref[o] = ub_ref(c, p[o]);
    if (count)
        npu_issue(c, &in);
}

/* What streams waits for memory alone, and fetches whatever it computes. What passes through caches
 * does it at little cost where the instruction takes longer than its operands. */
static bool fetches(const struct npu_core_int *k, enum npu_op op)
{
    return k->ahead.n_left && (k->streams || npu_isa[op].cost == COST_sfu);
}

/* The same as one call of fn, in steps between which lines are fetched: lanes do not know their
 * neighbours, and what overlaps (a repeat apart at least, checked by the caller) is met in the same
 * order. at: addresses of dst, src0, src1. */
static __attribute__((noinline)) void vec_ahead(struct npu_core_int *k, npu_lane_fn *fn,
                                                const uint64_t at[3], uint64_t scalar, uint32_t n,
                                                uint32_t elem)
{
    const uint32_t step = npu_ahead_step_bytes(&k->ahead) / elem;
    const uint32_t pace = npu_ahead_pace(&k->ahead, (n + step - 1) / step);

    for (uint32_t i = 0; i < n; i += step) {
        const uint64_t skip = (uint64_t)i * elem;
        npu_ahead_fetch(&k->ahead, pace);
        fn((void *)(uintptr_t)(at[0] + skip), (const void *)(uintptr_t)(at[1] + skip),
           (const void *)(uintptr_t)(at[2] + skip), scalar, n - i < step ? n - i : step);
    }
}
static __attribute__((noinline)) void conv_ahead(struct npu_core_int *k, npu_conv_fn *fn,
                                                 uint8_t *dst, const uint8_t *src, uint32_t n,
                                                 uint32_t dst_elem, uint32_t src_elem)
{
    const uint32_t step = npu_ahead_step_bytes(&k->ahead) / src_elem;
    const uint32_t pace = npu_ahead_pace(&k->ahead, (n + step - 1) / step);

    for (uint32_t i = 0; i < n; i += step) {
        npu_ahead_fetch(&k->ahead, pace);
        fn(dst + (size_t)i * dst_elem, src + (size_t)i * src_elem, n - i < step ? n - i : step);
    }
}

/* Does a register say that what overflows is not as the lanes have it? */
static inline bool overflows(const struct npu_core *c)
{
    return c->regs.saturates | c->regs.stops | c->regs.cuts;
}

void npu_vec(struct npu_core *c, enum npu_op op, enum npu_type type, void *dst, const void *src0,
             const void *src1, uint64_t scalar, uint32_t count, struct npu_where where)
{
    struct npu_core_int *k = npu_core_int(c);
    npu_lane_fn *fn = k->lanes->op[op][type];
    const enum npu_shape shape = npu_isa[op].shape;
    const uint64_t bytes = (uint64_t)count * npu_types[type].bytes;
    const uint64_t room = c->mem[MEM_UB].bytes;
    const uint64_t base = (uint64_t)(uintptr_t)c->mem[MEM_UB].base, d = (uint64_t)(uintptr_t)dst;
    const uint64_t a = n_sources[shape] > 0 ? (uint64_t)(uintptr_t)src0 : d;
    const uint64_t b = n_sources[shape] > 1 ? (uint64_t)(uintptr_t)src1 : d;
    const uint64_t last = room - bytes; /* the highest offset that fits; huge when nothing does */

    if (NPU_UNLIKELY(
            !fn || c->slow | c->faulted | overflows(c) | (bytes > room) | (d - base > last) |
                       (a - base > last) | (b - base > last) | ((d | a | b) % NPU_BLK_BYTES != 0) |
                       (d - a - 1 < NPU_REPEAT_BYTES - 1) | (d - b - 1 < NPU_REPEAT_BYTES - 1))) {
        slow_vec(c, op, type, (const void *const[3]){dst, src0, src1}, scalar, count, where);
        return;
    }
    k->where = where;
    k->seq++;
    if (NPU_UNLIKELY(fetches(k, op)))
        vec_ahead(k, fn, (const uint64_t[3]){d, a, b}, scalar, count, npu_types[type].bytes);
    else
        fn(dst, src0, shape == SHAPE_AXPY ? dst : src1, scalar, count);
}

void npu_conv(struct npu_core *c, enum npu_type dst_type, void *dst, enum npu_type src_type,
              const void *src, enum npu_round round, uint32_t count, struct npu_where where)
{
    struct npu_core_int *k = npu_core_int(c);
    npu_conv_fn *fn = (unsigned)round < N_ROUNDS ? k->lanes->conv[src_type][dst_type][round] : NULL;
    const uint64_t base = (uint64_t)(uintptr_t)c->mem[MEM_UB].base, room = c->mem[MEM_UB].bytes;
    const uint64_t d = (uint64_t)(uintptr_t)dst - base, s = (uint64_t)(uintptr_t)src - base;
    const uint64_t d_bytes = (uint64_t)count * npu_types[dst_type].bytes;
    const uint64_t s_bytes = (uint64_t)count * npu_types[src_type].bytes;
    const bool fits =
        d_bytes <= room && s_bytes <= room && d <= room - d_bytes && s <= room - s_bytes;
    const bool apart = d + d_bytes <= s || s + s_bytes <= d || (d == s && d_bytes == s_bytes);

    if (!count)
        return;
    if (NPU_UNLIKELY(c->slow | c->faulted | overflows(c) | !fn | !fits | !apart |
                     ((d | s) % NPU_BLK_BYTES != 0))) {
        npu_issue(c, &(struct npu_insn){.kind = KIND_OP,
                                        .op = OP_vconv,
                                        .type = (uint8_t)src_type,
                                        .dst_type = (uint8_t)dst_type,
                                        .mode = (uint8_t)round,
                                        .count = count,
                                        .ref = {ub_ref(c, dst), ub_ref(c, src)},
                                        .where = where});
        return;
    }
    k->where = where;
    k->seq++;
    if (NPU_UNLIKELY(fetches(k, OP_vconv)))
        conv_ahead(k, fn, c->mem[MEM_UB].base + d, c->mem[MEM_UB].base + s, count,
                   npu_types[dst_type].bytes, npu_types[src_type].bytes);
    else
        fn(dst, src, count);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quant.c - quantisation: elements times a scale, plus an offset, in another type.
 *
 * Every step rounds to the type that the page of the call names for it, so results equal those of
 * the chip's chain of instructions bit by bit; and each step is the lane loop of that instruction,
 * over a strip at a time.
 */
#include "core_int.h"
#include "../base/num.h"
#include <string.h>
#include "../base/banned.h"

uint32_t npu_quant_scale_bytes(const struct npu_insn *in)
{
    if (in->mode & QUANT_U64)
        return 8;
    return in->mode & QUANT_BF16 || in->op == OP_vantiquant || in->type == TYPE_f16 ? 2 : 4;
}

/* Elements of the tensor of scales. */
uint64_t npu_quant_scales(const struct npu_insn *in)
{
    const uint64_t group = in->n_burst ? in->n_burst : 1,
                   row = in->burst_bytes ? in->burst_bytes : 1;

    if (in->mode & QUANT_EACH)
        return (in->count + group - 1) / group;
    return (in->count + row * group - 1) / (row * group) * row;
}

enum { STRIP = 256 }; /* elements at a time */
struct strip {
    float x[STRIP], y[STRIP];
    uint16_t half_x[STRIP], half_y[STRIP];
};

static void convert(const struct npu_core_int *c, enum npu_type to_type, void *to,
                    enum npu_type from_type, const void *from, uint32_t n)
{
    if (to_type == from_type)
        memcpy(to, from, (size_t)n * npu_types[to_type].bytes);
    else
        c->lanes->conv[from_type][to_type][ROUND_RINT](to, from, n);
}

/* n scales (or offsets) one after the other in memory, as floats. */
static void load_numbers(const struct npu_core_int *c, const struct npu_insn *in, float *to,
                         const uint8_t *from, uint32_t n)
{
    const uint32_t bytes = npu_quant_scale_bytes(in);

    if (bytes == 8) /* a float in the low half of each */
        for (uint32_t i = 0; i < n; i++)
            memcpy(&to[i], from + (size_t)i * bytes, sizeof *to);
    else if (bytes == 4)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        convert(c, TYPE_f32, to, in->mode & QUANT_BF16 ? TYPE_bf16 : TYPE_f16, from, n);
}

static uint64_t at_least_1(uint64_t n)
{
    return n ? n : 1;
}
static uint32_t shorter(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

/* What elements e to e + n take: a scale each group of elements, or a row of them each group of
 * rows. */
static void numbers(const struct npu_core_int *c, const struct npu_insn *in, float *to,
                    const uint8_t *from, uint64_t e, uint32_t n)
{
    const uint64_t group = at_least_1(in->n_burst), row = at_least_1(in->burst_bytes);
    const bool is_each = in->mode & QUANT_EACH, is_fill = is_each && group > 1;
    const uint32_t bytes = npu_quant_scale_bytes(in);

    for (uint32_t i = 0, run; i < n; i += run, e += run) {
        const uint64_t at = is_each ? e / group : e / row / group * row + e % row;
        run = shorter(is_fill ? group - e % group : is_each ? n : row - e % row, n - i);
        load_numbers(c, in, to + i, from + at * bytes, is_fill ? 1 : run);
        for (uint32_t k = 1; is_fill && k < run; k++)
            to[i + k] = to[i];
    }
}

/* The elements as floats. */
static void load(const struct npu_core_int *c, const struct npu_insn *in, struct strip *s,
                 const uint8_t *from, uint64_t e, uint32_t n)
{
    for (uint32_t i = 0; in->mode & QUANT_S4 && i < n; i++) {
        const int nibble = from[(e + i) / 2] >> ((e + i) % 2 * 4) & 15;
        s->x[i] = (float)(nibble < 8 ? nibble : nibble - 16);
    }
    if (in->mode & QUANT_S4)
        return;
    from += e * npu_types[in->type].bytes;
    if (in->type == TYPE_s8) {
        convert(c, TYPE_f16, s->half_x, TYPE_s8, from, n);
        convert(c, TYPE_f32, s->x, TYPE_f16, s->half_x, n);
    } else {
        convert(c, TYPE_f32, s->x, in->type, from, n);
    }
}

/* x = x op y, in halves or in floats. */
static void combine(const struct npu_core_int *c, enum npu_op op, bool in_half, struct strip *s,
                    uint32_t n)
{
    if (in_half) {
        convert(c, TYPE_f16, s->half_x, TYPE_f32, s->x, n);
        convert(c, TYPE_f16, s->half_y, TYPE_f32, s->y, n);
        c->lanes->op[op][TYPE_f16](s->half_x, s->half_x, s->half_y, 0, n);
        convert(c, TYPE_f32, s->x, TYPE_f16, s->half_x, n);
    } else {
        c->lanes->op[op][TYPE_f32](s->x, s->x, s->y, 0, n);
    }
}

/* y = what elements e to e + n are multiplied by, or what is added to them. */
static void take(const struct npu_core_int *c, const struct npu_insn *in, struct strip *s,
                 const struct npu_walk *w, bool is_scale, uint64_t e, uint32_t n)
{
    const float same = npu_f32_from_bits((uint32_t)(is_scale ? in->scalar : in->scalar >> 32));

    if (in->mode & (is_scale ? QUANT_SCALES : QUANT_OFFSETS)) {
        numbers(c, in, s->y, npu_view_base(c, &w->view[is_scale ? VIEW_SRC1 : VIEW_SEL]), e, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        s->y[i] = same;
}

static void run_strip(const struct npu_core_int *c, const struct npu_insn *in,
                      const struct npu_walk *w, struct strip *s, uint64_t e, uint32_t n)
{
    const bool is_quant = in->op == OP_vquant, is_anti = in->op == OP_vantiquant;
    uint8_t *to = npu_view_base(c, &w->view[VIEW_DST]) + e * npu_types[in->dst_type].bytes;

    load(c, in, s, npu_view_base(c, &w->view[VIEW_SRC0]), e, n);
    if (is_anti) {
        take(c, in, s, w, false, e, n);
        combine(c, OP_vadd, false, s, n);
        if (in->dst_type == TYPE_f16) {
            convert(c, TYPE_f16, s->half_x, TYPE_f32, s->x, n);
            convert(c, TYPE_f32, s->x, TYPE_f16, s->half_x, n);
        }
    }
    take(c, in, s, w, true, e, n);
    combine(c, OP_vmul, is_quant, s, n);
    if (is_quant) {
        take(c, in, s, w, false, e, n);
        combine(c, OP_vadd, true, s, n);
        npu_convert(c, in, TYPE_f16, TYPE_s8, ROUND_RINT, to, s->half_x, n);
    } else {
        convert(c, in->dst_type, to, TYPE_f32, s->x, n);
    }
}

void npu_quant_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    struct strip s;

    for (uint64_t e = 0; e < in->count; e += STRIP)
        run_strip(c, in, w, &s, e, shorter(in->count - e, STRIP));
    if (in->saturates && (in->dst_type == TYPE_f16 || in->dst_type == TYPE_bf16))
        npu_make_finite(in->dst_type, npu_view_base(c, &w->view[VIEW_DST]), in->count);
}

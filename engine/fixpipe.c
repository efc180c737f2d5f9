/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixpipe.c - sums of L0C on their way out.
 *
 *   sum -> times the scale (a negative one times 0 with ReLU, or times alpha) -> round -> plus
 * offset -> clip
 *
 * A parameter has 64 bits: 0..31 a float of which 10 bits of fraction count, 32..35 a shift less
 * one, 36 whether int32 sums are shifted right by it and cut to 16 bits first, 37..45 the offset,
 * signed. Results in int8 are rounded to 9 bits before the offset is added.
 */
#include "core_int.h"
#include "../base/num.h"
#include <math.h>
#include <string.h>
#include "../base/banned.h"

enum { COLUMN = 16 };

struct out {
    const struct npu_insn *in;
    const struct npu_fix *p;
    const struct npu_lanes *lanes;
    const uint8_t *quant; /* of column 0, when there is one a column */
    bool from_int, scales;
};

static uint64_t parameter(const struct out *o, uint32_t column)
{
    uint64_t q = o->in->scalar;

    if (o->quant)
        memcpy(&q, o->quant + (size_t)column * sizeof q, sizeof q);
    return q;
}

static float scale_of(uint64_t q)
{
    return npu_f32_from_bits((uint32_t)q & 0xffffe000u);
}

static int32_t offset_of(uint64_t q)
{
    return (int32_t)((int64_t)(q << 18) >> 55);
}

static int32_t clamp(float f, int32_t least, int32_t most)
{
    if (f != f)
        return 0;
    f = rintf(f);
    return f <= (float)least ? least : f >= (float)most ? most : (int32_t)f;
}

static int32_t shift_to_16(int32_t v, uint64_t q)
{
    if (!(q >> 36 & 1))
        return v;
    v >>= (q >> 32 & 15) + 1;
    return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v;
}

/* What ReLU leaves of a negative sum. */
static float leaked(const struct out *o, float v)
{
    return o->p->leak != 0 ? v * o->p->leak : 0;
}

/* n sums of neighbouring columns; word: their bits. */
static void scale(const struct out *o, float *to, const uint32_t *word, uint32_t n, uint32_t column)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t q = parameter(o, column + i);
        const float v =
            o->from_int ? (float)shift_to_16((int32_t)word[i], q) : npu_f32_from_bits(word[i]);
        to[i] = (v < 0 && o->p->clips ? leaked(o, v) : v) * scale_of(q);
    }
}

static void to_bytes(const struct out *o, uint8_t *to, const float *from, uint32_t n,
                     uint32_t column)
{
    const bool is_signed = o->in->dst_type == TYPE_s8;
    const int32_t least = is_signed ? INT8_MIN : 0, most = is_signed ? INT8_MAX : UINT8_MAX;

    for (uint32_t i = 0; i < n; i++) {
        const int32_t v = clamp(from[i], -256, 255) + offset_of(parameter(o, column + i));
        to[i] = (uint8_t)(v < least ? least : v > most ? most : v);
    }
}

/* n neighbouring sums of row and column as they leave; n is at most NPU_CUBE_MOST. */
static void convert(const struct out *o, uint8_t *to, const uint32_t *word, uint32_t n,
                    uint32_t column)
{
    float f[NPU_CUBE_MOST + 1];
    const uint8_t dst = o->in->dst_type;

    if (o->scales) {
        scale(o, f, word, n, column);
    } else if (o->from_int) { /* int32 as it is */
        memcpy(to, word, n * sizeof *word);
        for (uint32_t i = 0; o->p->clips && i < n; i++) {
            const int32_t v = (int32_t)word[i], w = clamp(leaked(o, (float)v), INT32_MIN, 0);
            memcpy(to + i * sizeof w, v < 0 ? &w : &v, sizeof w);
        }
        return;
    } else {
        memcpy(f, word, n * sizeof *word);
        for (uint32_t i = 0; o->p->clips && i < n; i++)
            f[i] = f[i] < 0 ? leaked(o, f[i]) : f[i];
    }
    if (dst == TYPE_s8 || dst == TYPE_u8)
        to_bytes(o, to, f, n, column);
    else if (dst == TYPE_f32)
        memcpy(to, f, n * sizeof *f);
    else
        o->lanes->conv[TYPE_f32][dst][ROUND_RINT](to, f, n);
    if (dst == TYPE_f16 && o->from_int) /* DEQF16 stops at the largest half whatever CTRL says */
        npu_make_finite(TYPE_f16, to, n);
    else if (o->in->saturates && (dst == TYPE_f16 || dst == TYPE_bf16))
        npu_make_finite((enum npu_type)dst, to, n);
}

static void put(const struct out *o, uint8_t *to, const uint8_t *from, uint32_t n)
{
    const uint32_t elem = npu_types[o->in->dst_type].bytes;

    if (o->in->ref[0].mem == MEM_GM && o->in->atomic_op != ATOMIC_NONE)
        npu_atomic_burst(o->in, to, from, n);
    else
        memcpy(to, from, (size_t)n * elem);
}

static void out_rows(const struct out *o, uint8_t *dst, const uint8_t *src)
{
    const struct npu_fix *p = o->p;
    uint32_t word[NPU_CUBE_MOST + COLUMN];
    uint8_t row[(NPU_CUBE_MOST + 1) * sizeof(float)];

    for (uint32_t d = 0; d < p->n_nd; d++)
        for (uint32_t r = 0; r < p->m; r++) {
            const uint8_t *from =
                src + (size_t)d * p->src_nd_step + (size_t)r * sizeof(float) * COLUMN;
            for (uint32_t k = 0; k < p->n; k += COLUMN, from += p->src_column_step)
                memcpy(word + k, from, COLUMN * sizeof *word);
            convert(o, row, word, p->n, 0);
            put(o, dst + d * p->dst_nd_step + r * p->dst_step, row, p->n);
        }
}

/* Columns of fractals as wide as 32 bytes (int8: two of L0C beside each other), or of 16 floats;
 * FIX_SPLIT: of 8 floats. */
static void out_fractals(const struct out *o, uint8_t *dst, const uint8_t *src)
{
    const struct npu_fix *p = o->p;
    const uint32_t elem = npu_types[o->in->dst_type].bytes;
    const uint32_t width = p->layout == FIX_SPLIT ? 8 : elem == 1 ? 2 * COLUMN : COLUMN;

    for (uint32_t k = 0; k < p->n; k += width) {
        const uint32_t left = p->n - k, n = left < width ? (left + 7) / 8 * 8 : width;
        for (uint32_t r = 0; r < p->m; r++) {
            uint32_t word[2 * COLUMN];
            uint8_t row[2 * COLUMN * sizeof(float)];
            const uint8_t *from = src + (size_t)(k / COLUMN) * p->src_column_step +
                                  (size_t)r * COLUMN * sizeof *word + k % COLUMN * sizeof *word;
            memcpy(word, from, (n < COLUMN ? n : COLUMN) * sizeof *word);
            if (n > COLUMN)
                memcpy(word + COLUMN, from + p->src_column_step, (n - COLUMN) * sizeof *word);
            convert(o, row, word, n, k);
            put(o, dst + k / width * p->dst_step + (size_t)r * n * elem, row, n);
        }
    }
}

/* The pairs of types that leave L0C. */
static bool is_possible(struct npu_core_int *c, const struct npu_insn *in)
{
    const bool from_int = in->type == TYPE_s32;
    const uint8_t d = in->dst_type;
    const bool same = from_int ? d == TYPE_s32 : d == TYPE_f32 || d == TYPE_bf16;

    if (!same && d != TYPE_f16 && d != TYPE_s8 && d != TYPE_u8) {
        npu_fault(&c->pub, NPU_E_TYPE, in->where,
                  "fixpipe: %s to %s: float becomes float, half, bfloat16, int8 or uint8; int32 "
                  "becomes int32, half, int8 or uint8",
                  npu_types[in->type].name, npu_types[d].name);
        return false;
    }
    if (in->cube.fix.n > NPU_CUBE_MOST) {
        npu_fault(&c->pub, NPU_E_ARG, in->where, "fixpipe: nSize %u; at most %d", in->cube.fix.n,
                  NPU_CUBE_MOST);
        return false;
    }
    if (in->atomic_op != ATOMIC_NONE && npu_types[in->atomic_type].bytes != npu_types[d].bytes) {
        npu_fault(&c->pub, NPU_E_TYPE, in->where,
                  "fixpipe of %s under an atomic operation on %s: both must be of one size",
                  npu_types[d].name, npu_types[in->atomic_type].name);
        return false;
    }
    return true;
}

void npu_fixpipe_run(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_fix *p = &in->cube.fix;
    struct out o = {.in = in,
                    .p = p,
                    .lanes = c->lanes,
                    .quant = p->is_vector ? npu_at(c, &in->ref[2]) : NULL,
                    .from_int = in->type == TYPE_s32};

    if (!is_possible(c, in))
        return;
    o.scales = in->dst_type == TYPE_s8 || in->dst_type == TYPE_u8 ||
               (o.from_int && in->dst_type == TYPE_f16);
    if (p->layout == FIX_ND)
        out_rows(&o, npu_at(c, &in->ref[0]), npu_at(c, &in->ref[1]));
    else
        out_fractals(&o, npu_at(c, &in->ref[0]), npu_at(c, &in->ref[1]));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quant.c - quantisation: elements times a scale, plus an offset, in another type.
 *
 * Every step rounds to the type that the page of the call names for it, so results equal those of
 * the chip's chain of instructions bit by bit.
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

/* Which scale element e takes. */
static uint64_t scale_of(const struct npu_insn *in, uint64_t e)
{
    const uint64_t group = in->n_burst ? in->n_burst : 1,
                   row = in->burst_bytes ? in->burst_bytes : 1;

    return in->mode & QUANT_EACH ? e / group : e / row / group * row + e % row;
}

static float half_rounded(float x)
{
    return npu_f16_to_f32(npu_f32_to_f16(x));
}

/* One scale or offset as a float. */
static float number(const struct npu_insn *in, const uint8_t *p)
{
    uint32_t bits = 0;
    uint16_t low;

    memcpy(&low, p, sizeof low);
    if (npu_quant_scale_bytes(in) != 2) {
        memcpy(&bits, p, sizeof bits);
        return npu_f32_from_bits(bits);
    }
    return in->mode & QUANT_BF16 ? npu_bf16_to_f32(low) : npu_f16_to_f32(low);
}

static int8_t to_s8(float x)
{
    const float r = __builtin_rintf(x != x ? 0.0f : x);

    return (int8_t)(r > 127.0f ? 127.0f : r < -128.0f ? -128.0f : r);
}

static void store(uint8_t *to, enum npu_type type, float y)
{
    const uint32_t bits = npu_f32_bits(y);
    const uint16_t narrow = type == TYPE_f16 ? npu_f32_to_f16(y) : npu_f32_to_bf16(y);

    if (type == TYPE_f32)
        memcpy(to, &bits, sizeof bits);
    else
        memcpy(to, &narrow, sizeof narrow);
}

static float load(const uint8_t *from, enum npu_type type)
{
    uint16_t h;
    int32_t i;

    if (type == TYPE_s8)
        return (float)(int8_t)*from;
    memcpy(&h, from, sizeof h);
    if (type == TYPE_f16)
        return npu_f16_to_f32(h);
    memcpy(&i, from, sizeof i);
    return type == TYPE_s32 ? (float)i : npu_f32_from_bits((uint32_t)i);
}

/* Element e of nibbles. */
static float load_s4(const uint8_t *from, uint64_t e)
{
    const int nibble = from[e / 2] >> (e % 2 * 4) & 15;

    return (float)(nibble < 8 ? nibble : nibble - 16);
}

static void one(uint8_t *to, const struct npu_insn *in, float x, float scale, float offset)
{
    const bool in_half = in->dst_type == TYPE_f16;

    switch (in->op) {
    case OP_vquant:
        x = half_rounded(half_rounded(x) * half_rounded(scale));
        *to = (uint8_t)to_s8(half_rounded(x + half_rounded(offset)));
        break;
    case OP_vdequant:
        store(to, in->dst_type, x * scale);
        break;
    default:
        x += offset;
        store(to, in->dst_type, (in_half ? half_rounded(x) : x) * scale);
    }
}

void npu_quant_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    const uint32_t wide = npu_types[in->type].bytes, out = npu_types[in->dst_type].bytes;
    const uint32_t step = npu_quant_scale_bytes(in);
    uint8_t *to = npu_view_base(c, &w->view[VIEW_DST]);
    const uint8_t *from = npu_view_base(c, &w->view[VIEW_SRC0]);
    const uint8_t *scales = npu_view_base(c, &w->view[VIEW_SRC1]);
    const uint8_t *offsets = npu_view_base(c, &w->view[VIEW_SEL]);
    float scale = npu_f32_from_bits((uint32_t)in->scalar);
    float offset = npu_f32_from_bits((uint32_t)(in->scalar >> 32));

    for (uint64_t e = 0; e < in->count; e++) {
        const uint64_t at = scale_of(in, e) * step;
        if (in->mode & QUANT_SCALES)
            scale = number(in, scales + at);
        if (in->mode & QUANT_OFFSETS)
            offset = number(in, offsets + at);
        const float x = in->mode & QUANT_S4 ? load_s4(from, e) : load(from + e * wide, in->type);
        one(to + e * out, in, x, scale, offset);
    }
    if (in->saturates && (in->dst_type == TYPE_f16 || in->dst_type == TYPE_bf16))
        npu_make_finite(in->dst_type, to, in->count);
}

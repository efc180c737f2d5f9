/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overflow.c - integers that do not fit, the other way round.
 *
 * Arithmetic wraps and conversions clamp: so the lanes do it, and so a kernel finds the chip.
 * CTRL[53] lets arithmetic of int16_t and int32_t stop at the ends of its type, CTRL[59] lets
 * conversions to an integer keep the lower bits. Both are rare, so these loops are plain. Infinity
 * and NaN have no lower bits: they clamp and become 0 all the same.
 */
#include "core_int.h"
#include <math.h>
#include <string.h>
#include "../base/banned.h"

/* The result before it is cut to its type; vsub comes with b negated, and so does vsubrelu. */
static int64_t exact(enum npu_op op, int64_t a, int64_t b)
{
    switch (op) {
    case OP_vmul:
    case OP_vmuls:
        return a * b;
    case OP_vaddrelu:
    case OP_vsubrelu:
        return a + b > 0 ? a + b : 0;
    default:
        return a + b;
    }
}

int64_t npu_stop(int64_t v, enum npu_type type)
{
    const int64_t low = type == TYPE_s16 ? INT16_MIN : INT32_MIN;
    const int64_t high = type == TYPE_s16 ? INT16_MAX : INT32_MAX;

    return v < low ? low : v > high ? high : v;
}

bool npu_is_stopped(const struct npu_insn *in)
{
    static const bool overflows[N_OPS] = {
        [OP_vadd] = true,  [OP_vsub] = true,     [OP_vmul] = true,     [OP_vadds] = true,
        [OP_vmuls] = true, [OP_vaddrelu] = true, [OP_vsubrelu] = true,
    };

    return in->stops && overflows[in->op] && (in->type == TYPE_s16 || in->type == TYPE_s32);
}

static int64_t integer_at(enum npu_type type, const void *elements, uint32_t i)
{
    int16_t narrow;
    int32_t wide;

    if (type == TYPE_s16) {
        memcpy(&narrow, (const uint8_t *)elements + i * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, (const uint8_t *)elements + i * sizeof wide, sizeof wide);
    return wide;
}

void npu_run_stopped(const struct npu_insn *in, void *dst, const void *a, const void *b, uint32_t n)
{
    const enum npu_type type = (enum npu_type)in->type;
    const bool has_scalar = npu_isa[in->op].shape == SHAPE_VVS;
    const bool is_negated = in->op == OP_vsub || in->op == OP_vsubrelu;

    for (uint32_t i = 0; i < n; i++) {
        const int64_t x = integer_at(type, a, i);
        const int64_t y = has_scalar ? integer_at(type, &in->scalar, 0) : integer_at(type, b, i);
        const int64_t v = npu_stop(exact((enum npu_op)in->op, x, is_negated ? -y : y), type);
        memcpy((uint8_t *)dst + (size_t)i * npu_types[type].bytes, &v, npu_types[type].bytes);
    }
}

/* ---- conversions
 * ---------------------------------------------------------------------------------------- */

static bool is_integer(enum npu_type type)
{
    return type != TYPE_f16 && type != TYPE_bf16 && type != TYPE_f32;
}

/* Exact: a double holds the whole number, and what is left of it. */
uint64_t npu_low_bits(double whole)
{
    const double rest = fmod(whole, 18446744073709551616.0 /* 2^64 */);
    const uint64_t size = (uint64_t)__builtin_fabs(rest);

    return rest < 0 ? -size : size;
}

/* Clamps, and takes the lower bits where there is a number to take them of. */
static void cut_floats(const struct npu_core_int *c, enum npu_type src_type, enum npu_type dst_type,
                       enum npu_round mode, uint8_t *dst, const uint8_t *src, uint32_t n)
{
    float whole[NPU_REPEAT_BYTES];

    if (src_type == TYPE_f32)
        memcpy(whole, src, n * sizeof *whole);
    else
        c->lanes->conv[src_type][TYPE_f32][ROUND_NONE](whole, src, n);
    c->lanes->conv[src_type][dst_type][mode](dst, src, n);
    c->lanes->conv[TYPE_f32][TYPE_f32][mode == ROUND_NONE ? ROUND_RINT : mode](whole, whole, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t bits = __builtin_isfinite(whole[i]) ? npu_low_bits((double)whole[i]) : 0;
        if (__builtin_isfinite(whole[i]))
            memcpy(dst + (size_t)i * npu_types[dst_type].bytes, &bits, npu_types[dst_type].bytes);
    }
}

void npu_convert(const struct npu_core_int *c, const struct npu_insn *in, enum npu_type src_type,
                 enum npu_type dst_type, enum npu_round mode, void *dst, const void *src,
                 uint32_t n)
{
    const uint32_t to = npu_types[dst_type].bytes, from = npu_types[src_type].bytes;
    uint8_t *d = dst;
    const uint8_t *s = src;

    if (!in->cuts || !is_integer(dst_type) || (is_integer(src_type) && to >= from)) {
        c->lanes->conv[src_type][dst_type][mode](dst, src, n);
    } else if (is_integer(src_type)) {
        for (uint32_t i = 0; i < n; i++)
            memcpy(d + (size_t)i * to, s + (size_t)i * from, to);
    } else {
        for (uint32_t i = 0; i < n; i += NPU_REPEAT_BYTES)
            cut_floats(c, src_type, dst_type, mode, d + (size_t)i * to, s + (size_t)i * from,
                       n - i < NPU_REPEAT_BYTES ? n - i : NPU_REPEAT_BYTES);
    }
}

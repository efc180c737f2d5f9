/* SPDX-License-Identifier: Apache-2.0 */
/* mte.c - the copy engines: one run of bytes fast, bursts with gaps and padding in general. */
#include "core_int.h"
#include "lane_math.h"
#include <string.h>
#include "../base/banned.h"

/* Up to here our loop beats memcpy, above memcpy wins by a little (bench_engine, Zen 4 and 5). */
enum { NPU_COPY_LOOP_BYTES = 12 * 1024 };
/* From here on the fence behind a copy past the caches costs less than it saves. */
enum { NPU_STREAM_BYTES = 8 * 1024 };

/* Fills n elements at `to`. */
static void fill(uint8_t *to, const uint8_t *element, uint32_t elem_bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        memcpy(to + (size_t)i * elem_bytes, element, elem_bytes);
}

/* One burst into UB with what stands left and right of it, up to 32 bytes. */
static void burst_in(const struct npu_insn *in, uint8_t *to, const uint8_t *from, uint32_t padded)
{
    const uint32_t elem = npu_types[in->type].bytes, left = in->pad_left * elem;
    const uint32_t end = left + in->burst_bytes, rest = padded - end;
    uint8_t filler[8];

    if (in->is_pad)
        memcpy(filler, &in->scalar, sizeof filler);
    else
        memcpy(filler, from, elem);
    fill(to, filler, elem, in->pad_left);
    memcpy(to + left, from, in->burst_bytes);
    fill(to + end, filler, elem, rest / elem);
    memcpy(to + end + rest / elem * elem, filler, rest % elem);
}

/* ---- copies that add, or keep the larger or smaller, in one step each
 * ----------------------------
 */

static float combine_f32(enum npu_atomic op, float a, float b)
{
    if (op == ATOMIC_ADD)
        return a + b;
    return op == ATOMIC_MAX ? npu_max_f32(a, b) : npu_min_f32(a, b);
}

/* Sums wrap in 32 bits; the caller keeps the low ones. */
static uint32_t combine_int(enum npu_atomic op, int32_t a, int32_t b)
{
    if (op == ATOMIC_ADD)
        return (uint32_t)a + (uint32_t)b;
    return (uint32_t)(op == ATOMIC_MAX ? (a > b ? a : b) : a < b ? a : b);
}

static uint32_t combine(enum npu_atomic op, enum npu_type type, uint32_t a, uint32_t b)
{
    switch (type) {
    case TYPE_f32:
        return npu_f32_bits(combine_f32(op, npu_f32_from_bits(a), npu_f32_from_bits(b)));
    case TYPE_f16:
        return npu_f32_to_f16(
            combine_f32(op, npu_f16_to_f32((uint16_t)a), npu_f16_to_f32((uint16_t)b)));
    case TYPE_bf16:
        return npu_f32_to_bf16(
            combine_f32(op, npu_bf16_to_f32((uint16_t)a), npu_bf16_to_f32((uint16_t)b)));
    case TYPE_s8:
        return combine_int(op, (int8_t)a, (int8_t)b);
    case TYPE_s16:
        return combine_int(op, (int16_t)a, (int16_t)b);
    default:
        return combine_int(op, (int32_t)a, (int32_t)b);
    }
}

#define ATOMIC_BURST(bits)                                                                         \
    static void burst_##bits(enum npu_atomic op, enum npu_type type, void *to, const void *from,   \
                             uint32_t n)                                                           \
    {                                                                                              \
        uint##bits##_t *d = to;                                                                    \
        const uint##bits##_t *s = from;                                                            \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            uint##bits##_t old = __atomic_load_n(&d[i], __ATOMIC_RELAXED), next;                   \
            do                                                                                     \
                next = (uint##bits##_t)combine(op, type, old, s[i]);                               \
            while (!__atomic_compare_exchange_n(&d[i], &old, next, true, __ATOMIC_RELAXED,         \
                                                __ATOMIC_RELAXED));                                \
        }                                                                                          \
    }
ATOMIC_BURST(8)
ATOMIC_BURST(16)
ATOMIC_BURST(32)

void npu_atomic_burst(const struct npu_insn *in, void *to, const void *from, uint32_t n)
{
    const enum npu_atomic op = (enum npu_atomic)in->atomic_op;
    const enum npu_type type = (enum npu_type)in->atomic_type;

    if (npu_types[type].bytes == 4)
        burst_32(op, type, to, from, n);
    else if (npu_types[type].bytes == 2)
        burst_16(op, type, to, from, n);
    else
        burst_8(op, type, to, from, n);
}

static bool atomic_is_possible(struct npu_core_int *c, const struct npu_insn *in, uint32_t elem)
{
    const uint64_t gaps = (uint64_t)in->dst_gap_bytes | in->ref[0].at_bytes;

    if (in->burst_bytes % elem == 0 && gaps % elem == 0)
        return true;
    npu_fault(&c->pub, NPU_E_ALIGN, in->where,
              "%s with an atomic operation on %s: GM address 0x%llx, bursts of %u bytes, gap %lld; "
              "all of them are multiples of %u",
              npu_isa[in->op].name, npu_types[in->atomic_type].name,
              (unsigned long long)in->ref[0].at_bytes, in->burst_bytes,
              (long long)in->dst_gap_bytes, elem);
    return false;
}

static void atomic_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    const struct npu_view *d = &w->view[VIEW_DST], *s = &w->view[VIEW_SRC0];
    const uint32_t elem = npu_types[in->atomic_type].bytes;

    if (!atomic_is_possible(c, in, elem))
        return;
    for (uint32_t i = 0; i < in->n_burst; i++)
        npu_atomic_burst(in, npu_view_base(c, d) + i * d->chunk_step,
                         npu_view_base(c, s) + i * s->chunk_step, in->burst_bytes / elem);
}

void npu_mte_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    const struct npu_view *d = &w->view[VIEW_DST], *s = &w->view[VIEW_SRC0];
    uint8_t *to = npu_view_base(c, d);
    const uint8_t *from = npu_view_base(c, s);
    const bool is_padded = in->op == OP_copy_gm_to_ub && d->chunk_bytes != in->burst_bytes;

    if (in->op == OP_copy_ub_to_gm && in->atomic_op != ATOMIC_NONE) {
        atomic_run(c, in, w);
        return;
    }
    for (uint32_t i = 0; i < in->n_burst && in->burst_bytes; i++) {
        if (is_padded)
            burst_in(in, to, from, d->chunk_bytes);
        else
            memmove(to, from, in->burst_bytes);
        to += d->chunk_step;
        from += s->chunk_step;
    }
}

static __attribute__((noinline)) void slow_copy(struct npu_core *c, enum npu_op op, void *dst,
                                                const void *src, uint32_t bytes,
                                                struct npu_where where)
{
    const bool is_in = op == OP_copy_gm_to_ub;
    const uintptr_t ub = (uintptr_t)c->mem[MEM_UB].base;
    struct npu_insn in = {.kind = KIND_OP,
                          .op = (uint8_t)op,
                          .type = TYPE_u8,
                          .n_burst = 1,
                          .burst_bytes = bytes,
                          .where = where};

    in.ref[0].mem = is_in ? MEM_UB : MEM_GM;
    in.ref[1].mem = is_in ? MEM_GM : MEM_UB;
    in.ref[0].at_bytes = (uint64_t)((uintptr_t)dst - (is_in ? ub : 0));
    in.ref[1].at_bytes = (uint64_t)((uintptr_t)src - (is_in ? 0 : ub));
    if (bytes)
        npu_issue(c, &in);
}

/* Takes note of the walk; true when the copy is made, past the caches. */
static bool walk(struct npu_core_int *k, enum npu_op op, void *dst, const void *src, uint32_t bytes)
{
    const bool is_out = op == OP_copy_ub_to_gm;
    const bool passes =
        is_out && k->streams && bytes >= NPU_STREAM_BYTES && (uintptr_t)dst % NPU_BLK_BYTES == 0;

    if (passes)
        k->lanes->stream(dst, src, bytes);
    else
        npu_ahead_copied(&k->ahead, is_out, (uintptr_t)(is_out ? dst : src), bytes);
    return passes;
}

void npu_copy(struct npu_core *c, enum npu_op op, void *dst, const void *src, uint32_t bytes,
              struct npu_where where)
{
    struct npu_core_int *k = npu_core_int(c);
    const uintptr_t on_chip = op == OP_copy_gm_to_ub ? (uintptr_t)dst : (uintptr_t)src;
    const uintptr_t gm = op == OP_copy_gm_to_ub ? (uintptr_t)src : (uintptr_t)dst;
    const uint64_t at = (uint64_t)(on_chip - (uintptr_t)c->mem[MEM_UB].base);
    const uint64_t room = c->mem[MEM_UB].bytes;

    if (NPU_UNLIKELY(c->slow | c->faulted | (c->regs.atomic_op != ATOMIC_NONE) |
                     (bytes % NPU_BLK_BYTES != 0) | (bytes > room) | (at > room - bytes) |
                     (at % NPU_BLK_BYTES != 0) | (gm < 4096))) {
        slow_copy(c, op, dst, src, bytes, where);
        return;
    }
    k->where = where;
    k->seq++;
    k->gm_bytes += bytes;
    if (NPU_UNLIKELY(k->fetches) && walk(k, op, dst, src, bytes))
        return;
    if (bytes <= NPU_COPY_LOOP_BYTES)
        k->lanes->copy(dst, src, bytes);
    else
        memcpy(dst, src, bytes);
}

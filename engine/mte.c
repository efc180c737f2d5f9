/* SPDX-License-Identifier: Apache-2.0 */
/* mte.c - the copy engines: one run of bytes fast, bursts with gaps and padding in general. */
#include "core_int.h"
#include <string.h>
#include "../base/banned.h"

/* Up to here our loop beats memcpy, above memcpy wins by a little (bench_engine, Zen 4 and 5). */
enum { NPU_COPY_LOOP_BYTES = 12 * 1024 };

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

void npu_mte_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w)
{
    const struct npu_view *d = &w->view[VIEW_DST], *s = &w->view[VIEW_SRC0];
    uint8_t *to = npu_view_base(c, d);
    const uint8_t *from = npu_view_base(c, s);
    const bool is_padded = in->op == OP_copy_gm_to_ub && d->chunk_bytes != in->burst_bytes;

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

void npu_copy(struct npu_core *c, enum npu_op op, void *dst, const void *src, uint32_t bytes,
              struct npu_where where)
{
    struct npu_core_int *k = npu_core_int(c);
    const uintptr_t on_chip = op == OP_copy_gm_to_ub ? (uintptr_t)dst : (uintptr_t)src;
    const uintptr_t gm = op == OP_copy_gm_to_ub ? (uintptr_t)src : (uintptr_t)dst;
    const uint64_t at = (uint64_t)(on_chip - (uintptr_t)c->mem[MEM_UB].base);
    const uint64_t room = c->mem[MEM_UB].bytes;

    if (NPU_UNLIKELY(c->slow | c->faulted | (bytes % NPU_BLK_BYTES != 0) | (bytes > room) |
                     (at > room - bytes) | (at % NPU_BLK_BYTES != 0) | (gm < 4096))) {
        slow_copy(c, op, dst, src, bytes, where);
        return;
    }
    k->where = where;
    k->seq++;
    if (bytes <= NPU_COPY_LOOP_BYTES)
        k->lanes->copy(dst, src, bytes);
    else
        memcpy(dst, src, bytes);
}

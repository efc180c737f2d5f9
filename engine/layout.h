/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - one number for what a compiled kernel and the engine must agree on.
 *
 * Instructions, types and structures are compiled into a user's library; with a runtime whose rows
 * or structures differ it would do something else. The doors put the number into each object, the
 * runtime compares it when the object registers its kernels.
 */
#ifndef NPU_LAYOUT_H
#define NPU_LAYOUT_H
#include "engine.h"

#ifdef __cplusplus
#define NPU_CONSTEXPR constexpr
#else
#define NPU_CONSTEXPR
#endif

/* Counts up when a structure changes but no size, or a call changes its meaning. */
enum { NPU_LAYOUT_VERSION = 3 };

/* The numbers of the enumerations follow from the order of these names. */
static NPU_CONSTEXPR const char npu_layout_text[] =
#define PIPE(name, brief) #name " "
#include "../isa/pipe.def"
#define MEM(name, brief) #name " "
#include "../isa/mem.def"
#define TYPE(name, bytes, ctype, brief) #name " "
#include "../isa/type.def"
#define VEC(op, shape, types, cost, lane, brief) #op " "
#include "../isa/vec.def"
#define MTE(op, pipe, dst, src, cost, brief) #op " "
#include "../isa/mte.def"
#define CUBE(op, pipe, types, cost, brief) #op " "
#include "../isa/cube.def"
#define ROWS(name, function, types, brief) #name " "
#include "../isa/rows.def"
    "";

/* 24 bits, never 0. FNV-1a over the names and sizes. */
static inline NPU_CONSTEXPR uint32_t npu_layout_number(void)
{
    const uint32_t sizes[] = {
        sizeof(struct npu_core),  sizeof(struct npu_insn),  sizeof(struct npu_regs),
        sizeof(struct npu_ref),   sizeof(struct npu_nd2nz), sizeof(struct npu_fractals),
        sizeof(struct npu_image), sizeof(struct npu_mmad),  sizeof(struct npu_fix),
        sizeof(struct npu_tile),  sizeof(struct npu_rows),  sizeof(struct npu_cube_regs),
        sizeof(struct npu_lists), sizeof(struct npu_bank),  NPU_LAYOUT_VERSION};
    uint32_t h = 0x811c9dc5u;

    for (size_t i = 0; i < sizeof npu_layout_text; i++)
        h = (h ^ (uint8_t)npu_layout_text[i]) * 0x01000193u;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        h = (h ^ sizes[i]) * 0x01000193u;
    return (h ^ h >> 24) & 0xffffffu ? (h ^ h >> 24) & 0xffffffu : 1u;
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.h - one core with its memories and its stack, reused from block to block.
 *
 * A worker runs block after block on the same slot, so that UB and stack stay in its cache; only a
 * block that waits keeps its slot, and the next block takes another. UB holds what the last block
 * left there, as on the chip.
 *
 *   | guard | stack | guard | UB (or L1 L0A L0B L0C BT FB) | guard |      one mapping, touched
 * lazily
 *
 * The guard below the stack is wide, because one frame with a large array steps over a narrow one.
 */
#ifndef NPU_SLOT_H
#define NPU_SLOT_H
#include "core_int.h"

enum { NPU_STACK_GUARD_BYTES = 1024 * 1024 };

struct npu_slot {
    struct npu_core_int core;
    struct npu_slot *next;
    uint8_t *map;
    size_t map_bytes;
    uint32_t mem_bytes[N_MEMS]; /* what it was made for */
    uint8_t core_kind;
};

/* NULL when there is no memory. */
struct npu_slot *npu_slot_new(const struct npu_soc *soc, enum npu_core_kind kind);
void npu_slot_free(struct npu_slot *s);
bool npu_slot_fits(const struct npu_slot *s, const struct npu_soc *soc, enum npu_core_kind kind);
#endif

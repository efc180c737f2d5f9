/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead.h - fetches what the next copies will want while an instruction computes.
 *
 * A kernel that walks through GM tile by tile waits for memory in its copies and leaves it idle in
 * between. So in a launch that moves more than caches keep, a copy from GM that begins where
 * another ended is taken for one of a walk, and the lines behind it are fetched a few at a time by
 * the vector instructions that follow. Only a hint: nothing is read, so a wrong guess costs time
 * alone.
 */
#ifndef NPU_AHEAD_H
#define NPU_AHEAD_H
#include <stdbool.h>
#include <stdint.h>

enum { NPU_WALKS = 4, NPU_LINE_BYTES = 64, NPU_AHEAD_STEP_BYTES = 256 };

struct npu_ahead {
    uintptr_t next[NPU_WALKS]; /* where the walk's next copy would begin */
    uint32_t left[NPU_WALKS];  /* bytes behind that to fetch */
    uint32_t last[NPU_WALKS];  /* bytes of its newest copy */
    uint8_t oldest;
    bool is_waiting; /* some left is not 0 */
};

/* A copy of bytes from gm has been made. */
static inline void npu_ahead_copied(struct npu_ahead *a, uintptr_t gm, uint32_t bytes)
{
    uint32_t i = 0;

    while (i < NPU_WALKS && a->next[i] != gm)
        i++;
    const bool goes_on = i < NPU_WALKS;
    if (!goes_on) {
        i = a->oldest;
        a->oldest = (uint8_t)((i + 1) % NPU_WALKS);
    }
    a->next[i] = gm + bytes;
    a->left[i] = goes_on ? bytes : 0;
    a->last[i] = bytes;
    a->is_waiting |= goes_on;
}

/* Before each of the n_steps that are left of an instruction. A walk at a time: lines of two taken
 * in turn get into each other's way, because arrays often begin at the same place of a page. */
static inline void npu_ahead_fetch(struct npu_ahead *a, uint32_t n_steps)
{
    a->is_waiting = false;
    for (uint32_t i = 0; i < NPU_WALKS; i++) {
        const uint32_t lines = (a->left[i] / NPU_LINE_BYTES + n_steps - 1) / n_steps;
        const uintptr_t from = a->next[i] + (a->last[i] - a->left[i]);
        for (uint32_t j = 0; j < lines; j++)
            __builtin_prefetch((const void *)(from + j * NPU_LINE_BYTES), 0, 2);
        a->left[i] -= lines * NPU_LINE_BYTES < a->left[i] ? lines * NPU_LINE_BYTES : a->left[i];
        a->is_waiting |= a->left[i] != 0;
    }
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead.h - fetches what the next copies will want while an instruction computes.
 *
 * A kernel that walks through GM tile by tile waits for memory in its copies and leaves it idle in
 * between. So in a launch that moves more than a core keeps near itself, a copy that begins where
 * another ended is taken for one of a walk, and the lines behind it are fetched a few at a time by
 * the instructions that follow. Only a hint: nothing is read or written, so a wrong guess costs
 * time alone.
 */
#ifndef NPU_AHEAD_H
#define NPU_AHEAD_H
#include <stdbool.h>
#include <stdint.h>

/* Walks through what is written come first: the results of an instruction leave before the next
 * operands arrive. */
enum { NPU_WALKS_OUT = 2, NPU_WALKS = 6, NPU_LINE_BYTES = 64 };
/* Bytes of a step of an instruction, for a launch that streams and for one that does not. */
enum { NPU_FAR_STEP_BYTES = 256, NPU_NEAR_STEP_BYTES = 512 };

struct npu_ahead {
    uintptr_t next[NPU_WALKS]; /* where the walk's next copy would begin */
    uint32_t end[NPU_WALKS];   /* lines of its newest copy, and so of the next */
    uint32_t left[NPU_WALKS];  /* the last ones of them, to fetch */
    uint32_t n_left;           /* over all */
    uint8_t oldest[2];         /* which walk to forget, of those in and out */
    bool is_far;               /* what arrives is for the outer cache: it comes from memory */
};

/* A copy of bytes from gm, or to it, has been made. */
static inline void npu_ahead_copied(struct npu_ahead *a, bool is_out, uintptr_t gm, uint32_t bytes)
{
    const uint32_t first = is_out ? 0 : NPU_WALKS_OUT, n = is_out ? NPU_WALKS_OUT : NPU_WALKS;
    const uint32_t lines = (bytes + NPU_LINE_BYTES - 1) / NPU_LINE_BYTES;
    uint32_t i = first;

    while (i < n && a->next[i] != gm)
        i++;
    const bool goes_on = i < n;
    if (!goes_on) {
        i = first + a->oldest[is_out];
        a->oldest[is_out] = (uint8_t)((i - first + 1) % (n - first));
    }
    a->n_left += (goes_on ? lines : 0) - a->left[i];
    a->next[i] = gm + bytes;
    a->end[i] = lines;
    a->left[i] = goes_on ? lines : 0;
}

static inline void npu_ahead_line(const struct npu_ahead *a, bool is_out, uintptr_t at)
{
#if defined(__x86_64__)
    if (is_out) /* what a processor without it does for it is nothing */
        __asm__ volatile("prefetchw (%0)" : : "r"(at));
#else
    if (is_out)
        __builtin_prefetch((const void *)at, 1, 3);
#endif
    else if (a->is_far)
        __builtin_prefetch((const void *)at, 0, 2);
    else
        __builtin_prefetch((const void *)at, 0, 3);
}

/* The next lines of each walk, at most so many: one walk after the other, because lines of two
 * taken in turn get into each other's way (arrays often begin at the same place of a page), but all
 * of them in each step, because memory serves several walks faster than one. */
static inline void npu_ahead_fetch(struct npu_ahead *a, uint32_t most)
{
    for (uint32_t i = 0; i < NPU_WALKS; i++) {
        const uint32_t lines = a->left[i] < most ? a->left[i] : most;
        const uintptr_t from = a->next[i] + (uintptr_t)(a->end[i] - a->left[i]) * NPU_LINE_BYTES;
        for (uint32_t j = 0; j < lines; j++)
            npu_ahead_line(a, i < NPU_WALKS_OUT, from + (uintptr_t)j * NPU_LINE_BYTES);
        a->left[i] -= lines;
        a->n_left -= lines;
    }
}

static inline uint32_t npu_ahead_step_bytes(const struct npu_ahead *a)
{
    return a->is_far ? NPU_FAR_STEP_BYTES : NPU_NEAR_STEP_BYTES;
}

/* Lines of each walk a step, so that all that is left is fetched in n_steps. */
static inline uint32_t npu_ahead_pace(const struct npu_ahead *a, uint32_t n_steps)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < NPU_WALKS; i++)
        most = a->left[i] > most ? a->left[i] : most;
    return (most + n_steps - 1) / n_steps;
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows_sort.c - sorting and choosing of whole rows. Equal scores keep their order; NaN comes before
 * all numbers, whichever way the row is sorted.
 */
#include "rows.h"
#include <string.h>
#include "../base/banned.h"

struct pair {
    float score; /* as it is compared: negated when the smallest come first */
    uint32_t index;
};

static bool goes_before(float a, float b)
{
    return __builtin_isnan(a) ? !__builtin_isnan(b) : a > b;
}

/* Merge sort, from a into a with b as room. */
static void sort_pairs(struct pair *a, struct pair *b, uint32_t n)
{
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t low = 0; low < n; low += 2 * width) {
            const uint32_t mid = low + width < n ? low + width : n;
            const uint32_t high = low + 2 * width < n ? low + 2 * width : n;
            for (uint32_t i = low, j = mid, k = low; k < high; k++)
                b[k] = j >= high || (i < mid && !goes_before(a[j].score, a[i].score)) ? a[i++]
                                                                                      : a[j++];
        }
        memcpy(a, b, n * sizeof *a);
    }
}

/* Room for n pairs twice. */
static struct pair *room_for(const struct rows *w, uint32_t n)
{
    return (struct pair *)(void *)rows_scratch(w, 2 * (uint64_t)n * sizeof(struct pair) /
                                                      sizeof(float));
}

static uint32_t word_at(const uint8_t *p, uint64_t i)
{
    uint32_t v;

    memcpy(&v, p + i * sizeof v, sizeof v);
    return v;
}
static void put_word(uint8_t *p, uint64_t i, uint32_t v)
{
    memcpy(p + i * sizeof v, &v, sizeof v);
}

/* ---- TopK ------------------------------------------------------------------------------------ */

static void topk_row(const struct rows *w, uint32_t r, struct pair *a, struct pair *b)
{
    const uint32_t *num = w->r->num, n = num[TOPK_INNER], k = num[TOPK_K];
    const bool is_smallest = num[TOPK_IS_SMALLEST], is_dense = num[TOPK_IS_DENSE];
    const uint32_t per_blk = NPU_BLK_BYTES / rows_bytes(w->t);
    const uint64_t value_at = (uint64_t)r * (is_dense ? k : (k + per_blk - 1) / per_blk * per_blk);
    const uint64_t index_at = (uint64_t)r * (is_dense ? k : (k + 7) / 8 * 8);
    const uint64_t given = num[TOPK_INDEX_ROWS] > 1 ? (uint64_t)r * n : 0;
    const bool is_finished = rows_has_src(w, 2) && rows_src(w, 2)[r];

    for (uint32_t i = 0; i < n; i++) {
        const float x = rows_get(w, w->t, rows_src(w, 0), (uint64_t)r * n + i);
        a[i].score = is_smallest ? -x : x;
        a[i].index = rows_has_src(w, 1) ? word_at(rows_src(w, 1), given + i) : i;
    }
    sort_pairs(a, b, n);
    for (uint32_t i = 0; i < k; i++) {
        rows_put(w, w->t, rows_dst(w, 0), value_at + i, is_smallest ? -a[i].score : a[i].score, 1);
        put_word(rows_dst(w, 1), index_at + i, is_finished ? num[TOPK_N] : a[i].index);
    }
}

static bool topk_fits(const struct rows *w)
{
    const uint32_t *num = w->r->num, rows = num[TOPK_ROWS], n = num[TOPK_INNER], k = num[TOPK_K];
    const uint32_t per_blk = NPU_BLK_BYTES / rows_bytes(w->t);
    const uint64_t values = num[TOPK_IS_DENSE] ? k : (k + per_blk - 1) / per_blk * per_blk;
    const uint64_t indices = num[TOPK_IS_DENSE] ? k : (k + 7) / 8 * 8;
    const uint64_t given = num[TOPK_INDEX_ROWS] > 1 ? (uint64_t)rows * n : n;

    if (!k || k > num[TOPK_N] || num[TOPK_N] > n) {
        npu_fault(&w->c->pub, NPU_E_ARG, w->in->where,
                  "%s: k is %u, n %u, inner %u; 1 <= k <= n <= inner", npu_insn_name(w->in), k,
                  num[TOPK_N], n);
        return false;
    }
    return rows_need_dst(w, 0, rows * values * rows_bytes(w->t)) &&
           rows_need_dst(w, 1, rows * indices * sizeof(uint32_t)) &&
           rows_need_src(w, 0, (uint64_t)rows * n * rows_bytes(w->t)) &&
           (!rows_has_src(w, 1) || rows_need_src(w, 1, given * sizeof(uint32_t))) &&
           (!rows_has_src(w, 2) || rows_need_src(w, 2, rows));
}

void rows_topk(const struct rows *w)
{
    const uint32_t n = w->r->num[TOPK_INNER];

    if (!topk_fits(w))
        return;
    struct pair *a = room_for(w, n);
    for (uint32_t r = 0; a && r < w->r->num[TOPK_ROWS]; r++)
        topk_row(w, r, a, a + n);
}

/* ---- pairs of 8 bytes: score in the low bytes, index in the high four --------------------------
 */

enum { PAIR_BYTES = 8, INDEX_AT = 4 };

void rows_sort(const struct rows *w)
{
    const uint32_t n = w->r->num[0], part = w->r->num[1];

    if (!n || !part || !rows_need_dst(w, 0, (uint64_t)n * PAIR_BYTES) ||
        !rows_need_src(w, 0, (uint64_t)n * rows_bytes(w->t)) ||
        !rows_need_src(w, 1, (uint64_t)n * sizeof(uint32_t)))
        return;
    struct pair *a = room_for(w, n);
    if (!a)
        return;
    for (uint32_t i = 0; i < n; i++) {
        a[i].score = rows_get(w, w->t, rows_src(w, 0), i);
        a[i].index = word_at(rows_src(w, 1), i);
    }
    for (uint32_t i = 0; i < n; i += part)
        sort_pairs(a + i, a + n, n - i < part ? n - i : part);
    memset(rows_dst(w, 0), 0, (size_t)n * PAIR_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *to = rows_dst(w, 0) + (size_t)i * PAIR_BYTES;
        rows_put(w, w->t, to, 0, a[i].score, 1);
        put_word(to + INDEX_AT, 0, a[i].index);
    }
}

void rows_extract(const struct rows *w)
{
    const uint32_t n = w->r->num[0], bytes = rows_bytes(w->t);

    if (!n || !rows_need_dst(w, 0, (uint64_t)n * bytes) ||
        !rows_need_dst(w, 1, (uint64_t)n * sizeof(uint32_t)) ||
        !rows_need_src(w, 0, (uint64_t)n * PAIR_BYTES))
        return;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *from = rows_src(w, 0) + (size_t)i * PAIR_BYTES;
        const uint32_t index = word_at(from + INDEX_AT, 0);
        memmove(rows_dst(w, 0) + (size_t)i * bytes, from, bytes);
        put_word(rows_dst(w, 1), i, index);
    }
}

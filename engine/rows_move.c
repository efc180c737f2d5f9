/* SPDX-License-Identifier: Apache-2.0 */
/* rows_move.c - elements to other places: axes in another order, rows padded, choices by masks. */
#include "rows.h"
#include <string.h>
#include "../base/banned.h"

static void move(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    switch (bytes) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    default:
        memcpy(to, from, 8);
    }
}

/* ---- any order of axes ----------------------------------------------------------------------- */

enum { MAX_DIMS = 9 };

/* Elements between the first and the last that n_dims axes reach, and one more. */
static uint64_t reach(const uint32_t *sizes, const uint32_t *steps, uint32_t n_dims)
{
    uint64_t n = 1;

    for (uint32_t d = 0; d < n_dims; d++)
        n += (uint64_t)(sizes[d] - 1) * steps[d];
    return n;
}

void rows_strided(const struct rows *w)
{
    const uint32_t *num = w->r->num, n_dims = num[0], bytes = rows_bytes(w->t);
    const uint32_t *sizes = num + 1, *dst_steps = sizes + n_dims, *src_steps = dst_steps + n_dims;
    const uint32_t *first = src_steps + n_dims; /* in dst and in src */
    uint32_t at[MAX_DIMS] = {0};

    if (!n_dims || n_dims > MAX_DIMS) {
        npu_fault(&w->c->pub, NPU_E_ARG, w->in->where, "%s: %u axes; 1 to %d are possible",
                  npu_insn_name(w->in), n_dims, MAX_DIMS);
        return;
    }
    for (uint32_t d = 0; d < n_dims; d++)
        if (!sizes[d])
            return;
    if (!rows_need_dst(w, 0, (first[0] + reach(sizes, dst_steps, n_dims)) * bytes) ||
        !rows_need_src(w, 0, (first[1] + reach(sizes, src_steps, n_dims)) * bytes))
        return;
    uint8_t *to = rows_dst(w, 0) + (size_t)first[0] * bytes;
    const uint8_t *from = rows_src(w, 0) + (size_t)first[1] * bytes;
    const uint32_t inner = n_dims - 1;
    for (;;) {
        if (dst_steps[inner] == 1 && src_steps[inner] == 1)
            memmove(to, from, (size_t)sizes[inner] * bytes);
        for (uint32_t i = 0; dst_steps[inner] * src_steps[inner] != 1 && i < sizes[inner]; i++)
            move(to + (size_t)i * dst_steps[inner] * bytes,
                 from + (size_t)i * src_steps[inner] * bytes, bytes);
        uint32_t d = inner;
        while (d-- > 0) { /* the next row of the innermost axis */
            to += (size_t)dst_steps[d] * bytes;
            from += (size_t)src_steps[d] * bytes;
            if (++at[d] < sizes[d])
                break;
            to -= (size_t)dst_steps[d] * sizes[d] * bytes;
            from -= (size_t)src_steps[d] * sizes[d] * bytes;
            at[d] = 0;
        }
        if (d == UINT32_MAX)
            return;
    }
}

/* ---- padding --------------------------------------------------------------------------------- */

void rows_pad(const struct rows *w)
{
    const uint32_t *num = w->r->num, rows = num[0], width = num[1], padded = num[2];
    const uint32_t left = num[3], used = num[4], bytes = rows_bytes(w->t);
    uint8_t value[8] = {0};

    if (used > width || left + used > padded) {
        npu_fault(&w->c->pub, NPU_E_ARG, w->in->where,
                  "%s: %u columns, %u of them in use, %u to the left of them, in rows of %u",
                  npu_insn_name(w->in), width, used, left, padded);
        return;
    }
    if (!rows_need_dst(w, 0, (uint64_t)rows * padded * bytes) ||
        !rows_need_src(w, 0, (uint64_t)rows * width * bytes))
        return;
    uint8_t *row = (uint8_t *)rows_scratch(w, (uint64_t)padded * bytes / sizeof(float) + 1);
    memcpy(value, w->r->bits, sizeof w->r->bits[0]);
    /* From the last row on: in place, a row is never written before it has moved on. */
    for (uint32_t r = rows; row && r-- > 0;) {
        for (uint32_t i = 0; i < padded; i++)
            move(row + (size_t)i * bytes, value, bytes);
        memcpy(row + (size_t)left * bytes, rows_src(w, 0) + (size_t)r * width * bytes,
               (size_t)used * bytes);
        memcpy(rows_dst(w, 0) + (size_t)r * padded * bytes, row, (size_t)padded * bytes);
    }
}

/* ---- choices --------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *p, uint32_t bytes)
{
    static const uint8_t zero[8] = {0};

    return memcmp(p, zero, bytes) == 0;
}

void rows_select(const struct rows *w)
{
    const uint32_t *num = w->r->num, rows = num[0], n = num[1], masks = num[2];
    const uint32_t bytes = rows_bytes(w->t), mask_bytes = rows_bytes(w->u);
    uint8_t scalar[8] = {0};

    if (n > masks || !rows_need_dst(w, 0, (uint64_t)rows * n * bytes) ||
        !rows_need_src(w, 0, (uint64_t)rows * n * bytes) ||
        !rows_need_src(w, 1, (uint64_t)rows * masks * mask_bytes))
        return;
    rows_put(w, w->t, scalar, 0, w->r->real[0], 1);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t i = 0; i < n; i++) {
            const uint8_t *m = rows_src(w, 1) + ((size_t)r * masks + i) * mask_bytes;
            const size_t at = ((size_t)r * n + i) * bytes;
            const bool from_src = is_zero(m, mask_bytes) != (num[3] != 0);
            move(rows_dst(w, 0) + at, from_src ? rows_src(w, 0) + at : scalar, bytes);
        }
}

void rows_drop_out(const struct rows *w)
{
    const uint32_t *num = w->r->num, rows = num[0], n = num[1], masks = num[2];
    const bool is_bits = num[3];
    const uint64_t need = is_bits ? ((uint64_t)n + 7) / 8 : n;

    if (need > masks || !rows_need_dst(w, 0, (uint64_t)rows * n * rows_bytes(w->t)) ||
        !rows_need_src(w, 0, (uint64_t)rows * n * rows_bytes(w->t)) ||
        !rows_need_src(w, 1, (uint64_t)rows * masks))
        return;
    float *x = rows_scratch(w, n);
    for (uint32_t r = 0; x && r < rows; r++) {
        const uint8_t *m = rows_src(w, 1) + (size_t)r * masks;
        rows_load(w, x, w->t, rows_src(w, 0), (uint64_t)r * n, n);
        for (uint32_t i = 0; i < n; i++) {
            const bool keeps = is_bits ? m[i / 8] >> i % 8 & 1 : m[i] != 0;
            x[i] = keeps ? x[i] / w->r->real[0] : 0;
        }
        rows_store(w, w->t, rows_dst(w, 0), (uint64_t)r * n, x, n);
    }
}

/* ---- progressions ---------------------------------------------------------------------------- */

void rows_arange(const struct rows *w)
{
    const uint32_t *num = w->r->num, n = num[0], bytes = rows_bytes(w->t);
    double first, step;

    memcpy(&first, w->r->bits, sizeof first);
    memcpy(&step, w->r->bits + 2, sizeof step);
    if (!rows_need_dst(w, 0, (uint64_t)n * bytes))
        return;
    for (uint32_t i = 0; i < n; i++) {
        const double v = first + i * step;
        const int64_t bits = (int64_t)v;
        if (w->t == TYPE_f16 || w->t == TYPE_f32)
            rows_put(w, w->t, rows_dst(w, 0), i, (float)v, 1);
        else
            move(rows_dst(w, 0) + (size_t)i * bytes, (const uint8_t *)&bits, bytes);
    }
}

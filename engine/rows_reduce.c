/* SPDX-License-Identifier: Apache-2.0 */
/* rows_reduce.c - one number from many: sums in a documented order, and reductions along an axis.
 */
#include "rows.h"
#include <string.h>
#include "../base/banned.h"

/* Neighbours first, 1+2, 3+4 and so on, each result rounded to the type; in place. */
static float tree_sum(const struct rows *w, float *x, uint32_t n, enum npu_type type, uint16_t *h)
{
    for (; n > 1; n = (n + 1) / 2) {
        for (uint32_t i = 0; i + 1 < n; i += 2)
            x[i / 2] = x[i] + x[i + 1];
        if (n % 2)
            x[n / 2] = x[n - 1];
        if (type != TYPE_f16)
            continue;
        w->c->lanes->conv[TYPE_f32][TYPE_f16][ROUND_RINT](h, x, (n + 1) / 2);
        w->c->lanes->conv[TYPE_f16][TYPE_f32][ROUND_NONE](x, h, (n + 1) / 2);
    }
    return x[0];
}

/* U is the type of the additions: a mean of halves may be summed in float. */
void rows_sum(const struct rows *w)
{
    const uint32_t rows = w->r->num[0], stride = w->r->num[1], n = w->r->num[2];

    if (!rows || !n)
        return;
    if (n > stride) {
        npu_fault(&w->c->pub, NPU_E_ARG, w->in->where, "%s: n is %u, inner %u; n is at most inner",
                  npu_insn_name(w->in), n, stride);
        return;
    }
    if (!rows_need_dst(w, 0, (uint64_t)rows * rows_bytes(w->t)) ||
        !rows_need_src(w, 0, (uint64_t)rows * stride * rows_bytes(w->t)))
        return;
    float *x = rows_scratch(w, 2 * (uint64_t)n);
    for (uint32_t r = 0; x && r < rows; r++) {
        rows_load(w, x, w->t, rows_src(w, 0), (uint64_t)r * stride, n);
        const float sum = tree_sum(w, x, n, w->u, (uint16_t *)(void *)(x + n));
        rows_put(w, w->t, rows_dst(w, 0), r, w->r->fn == ROWS_Mean ? sum / (float)n : sum, 1);
    }
}

void rows_xor_sum(const struct rows *w)
{
    const uint32_t n = w->r->num[0];
    int64_t sum = 0;
    int16_t a, b;

    if (!rows_need_dst(w, 0, sizeof a) || !rows_need_src(w, 0, (uint64_t)n * sizeof a) ||
        !rows_need_src(w, 1, (uint64_t)n * sizeof b))
        return;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(&a, rows_src(w, 0) + (size_t)i * sizeof a, sizeof a);
        memcpy(&b, rows_src(w, 1) + (size_t)i * sizeof b, sizeof b);
        sum += (int16_t)(a ^ b);
    }
    a = (int16_t)(sum > INT16_MAX ? INT16_MAX : sum < INT16_MIN ? INT16_MIN : sum);
    memcpy(rows_dst(w, 0), &a, sizeof a);
}

/* ---- along an axis --------------------------------------------------------------------------- */

static double join(enum npu_rows_fn fn, double a, double b)
{
    switch (fn) {
    case ROWS_ReduceProd:
        return a * b;
    case ROWS_ReduceMax:
    case ROWS_ReduceAny: /* of zeros and ones */
        return __builtin_isnan(a) || a > b ? a : b;
    case ROWS_ReduceMin:
    case ROWS_ReduceAll:
        return __builtin_isnan(a) || a < b ? a : b;
    default:
        return a + b;
    }
}

/* Numbers first, first + step .. of x: n of them, in double, one rounding at the end. */
static float reduce_line(const struct rows *w, const float *x, uint32_t n, uint32_t step)
{
    const enum npu_rows_fn fn = (enum npu_rows_fn)w->r->fn;
    double all = (double)x[0];

    for (uint32_t i = 1; i < n; i++)
        all = join(fn, all, (double)x[(size_t)i * step]);
    return (float)(fn == ROWS_ReduceMean ? all / n : all);
}

void rows_reduce(const struct rows *w)
{
    const uint32_t first = w->r->num[0], last = w->r->num[1], stride = w->r->num[2];
    const bool is_last = w->r->num[3];
    const uint32_t n_out = is_last ? first : last, n = is_last ? last : first;
    const uint64_t read = (uint64_t)first * stride;

    if (!first || !last || last > stride ||
        !rows_need_dst(w, 0, (uint64_t)n_out * rows_bytes(w->t)) ||
        !rows_need_src(w, 0, read * rows_bytes(w->t)))
        return;
    float *x = rows_scratch(w, read + n_out);
    if (!x)
        return;
    float *y = x + read;
    rows_load(w, x, w->t, rows_src(w, 0), 0, (uint32_t)read);
    for (uint32_t i = 0; i < n_out; i++)
        y[i] = reduce_line(w, x + (is_last ? (size_t)i * stride : i), n, is_last ? 1 : stride);
    rows_store(w, w->t, rows_dst(w, 0), 0, y, n_out);
}

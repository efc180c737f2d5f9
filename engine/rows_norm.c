/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows_norm.c - normalisations and their gradients.
 *
 * Means and variances take two passes over the row: first the mean, then the squares of what is
 * left, so that nothing cancels.
 */
#include "rows.h"
#include <math.h>
#include <string.h>
#include "../base/banned.h"

static float square_sum(const struct rows *w, const float *x, uint32_t n, float *tmp)
{
    memcpy(tmp, x, n * sizeof *tmp);
    rows_combine(w, OP_vmul, tmp, tmp, n);
    return rows_total(w, tmp, n, tmp);
}

static float mean_of(const struct rows *w, const float *x, uint32_t n, float *tmp)
{
    return rows_total(w, x, n, tmp) / (float)n;
}

/* False, with a fault, for a matrix that is none. */
static bool check_used(const struct rows *w, uint32_t columns, uint32_t used)
{
    if (used && used <= columns)
        return true;
    npu_fault(&w->c->pub, NPU_E_ARG, w->in->where,
              "%s: %u of %u columns; at least 1 and at most all are allowed", npu_insn_name(w->in),
              used, columns);
    return false;
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { Y, MEAN, DEVIATION };
enum { X, GX, GAMMA, BETA, IN_MEAN, IN_VARIANCE };

/* Rows on their way; gamma and beta are floats once and for all. */
struct norm {
    uint32_t rows, columns, used;
    float *x, *tmp;
    const float *gamma, *beta;
};

static bool norm_fits(const struct rows *w, const struct norm *n)
{
    const uint64_t all = (uint64_t)n->rows * n->columns * rows_bytes(w->t);
    const enum npu_type g = (enum npu_type)w->r->num[NORM_GAMMA_TYPE];
    bool fits = check_used(w, n->columns, n->used) && g < N_TYPES && rows_need_dst(w, Y, all) &&
                rows_need_src(w, X, all);

    for (int k = MEAN; k <= DEVIATION; k++)
        if (fits && rows_has_dst(w, k))
            fits = rows_need_dst(w, k, (uint64_t)n->rows * rows_bytes(w->u));
    if (fits && rows_has_src(w, GX))
        fits = rows_need_src(w, GX, all);
    for (int k = GAMMA; k <= BETA; k++)
        if (fits && rows_has_src(w, k))
            fits = rows_need_src(w, k, (uint64_t)n->used * rows_bytes(g));
    for (int k = IN_MEAN; fits && w->r->fn == ROWS_Normalize && k <= IN_VARIANCE; k++)
        fits = rows_need_src(w, k, (uint64_t)n->rows * rows_bytes(w->u));
    return fits;
}

/* gamma or beta as floats at `to`, 0 behind their end; what is left out changes no bit. */
static const float *load_weights(const struct rows *w, const struct norm *n, int k, float *to)
{
    const enum npu_type type = (enum npu_type)w->r->num[NORM_GAMMA_TYPE];
    const uint64_t have = w->r->src_bytes[k] / rows_bytes(type);
    const uint32_t count = have < n->columns ? (uint32_t)have : n->columns;
    const float nothing = k == GAMMA ? 1.0f : -0.0f;

    for (uint32_t i = 0; i < n->columns; i++)
        to[i] = rows_has_src(w, k) ? 0.0f : nothing;
    if (rows_has_src(w, k))
        rows_load(w, to, type, rows_src(w, k), 0, count);
    return to;
}

static void norm_row(const struct rows *w, const struct norm *n, uint32_t r)
{
    const struct npu_lanes *lanes = w->c->lanes;
    const float epsilon = w->r->real[0], alpha = w->r->real[1];
    const bool is_rms = w->r->fn == ROWS_RmsNorm, is_given = w->r->fn == ROWS_Normalize;
    const uint64_t at = (uint64_t)r * n->columns;
    float mean = 0, variance, rstd;

    rows_load(w, n->x, w->t, rows_src(w, X), at, n->columns);
    if (rows_has_src(w, GX)) {
        rows_load(w, n->tmp, w->t, rows_src(w, GX), at, n->columns);
        rows_scale(w, OP_vmuls, n->x, alpha, n->columns);
        rows_combine(w, OP_vadd, n->x, n->tmp, n->columns);
    }
    if (is_given)
        mean = rows_get(w, w->u, rows_src(w, IN_MEAN), r);
    else if (!is_rms)
        mean = mean_of(w, n->x, n->used, n->tmp);
    rows_ahead(w, n->columns);
    lanes->center_row(n->x, n->tmp, -mean, n->columns);
    variance = is_given ? rows_get(w, w->u, rows_src(w, IN_VARIANCE), r)
                        : rows_total(w, n->tmp, n->used, n->tmp) / (float)n->used;
    rstd = (float)(1 / sqrt((double)variance + (double)epsilon));
    if (rows_has_dst(w, MEAN))
        rows_put(w, w->u, rows_dst(w, MEAN), r, mean, 1);
    if (rows_has_dst(w, DEVIATION))
        rows_put(w, w->u, rows_dst(w, DEVIATION), r, w->r->num[NORM_IS_RSTD] ? rstd : variance, 1);
    rows_ahead(w, n->columns);
    lanes->affine_row[w->t](rows_dst(w, Y) + at * rows_bytes(w->t), n->x, rstd, n->gamma, n->beta,
                            n->columns);
}

void rows_norm(const struct rows *w)
{
    struct norm n = {.rows = w->r->num[NORM_ROWS],
                     .columns = w->r->num[NORM_COLUMNS],
                     .used = w->r->num[NORM_USED]};

    if (!n.rows || !norm_fits(w, &n))
        return;
    n.x = rows_scratch(w, 4 * (uint64_t)n.columns);
    if (!n.x)
        return;
    n.tmp = n.x + n.columns;
    n.gamma = load_weights(w, &n, GAMMA, n.tmp + n.columns);
    n.beta = load_weights(w, &n, BETA, n.tmp + 2 * (size_t)n.columns);
    for (uint32_t r = 0; r < n.rows; r++)
        norm_row(w, &n, r);
}

/* ---- groups of channels ---------------------------------------------------------------------- */

/* x: one group of `channels` channels, hw numbers each. */
static void norm_group(const struct rows *w, float *x, float *tmp, uint64_t group, uint32_t channel,
                       uint32_t channels, uint32_t hw)
{
    const uint32_t n = channels * hw;

    rows_load(w, x, w->t, rows_src(w, 0), group * n, n);
    const float mean = mean_of(w, x, n, tmp);
    rows_scale(w, OP_vadds, x, -mean, n);
    const float variance = square_sum(w, x, n, tmp) / (float)n;
    rows_scale(w, OP_vmuls, x, (float)(1 / sqrt((double)variance + (double)w->r->real[0])), n);
    for (uint32_t c = 0; c < channels; c++) {
        rows_scale(w, OP_vmuls, x + c * hw, rows_get(w, w->t, rows_src(w, 1), channel + c), hw);
        rows_scale(w, OP_vadds, x + c * hw, rows_get(w, w->t, rows_src(w, 2), channel + c), hw);
    }
    rows_store(w, w->t, rows_dst(w, 0), group * n, x, n);
    rows_put(w, w->t, rows_dst(w, 1), group, mean, 1);
    rows_put(w, w->t, rows_dst(w, 2), group, variance, 1);
}

void rows_group_norm(const struct rows *w)
{
    const uint32_t *num = w->r->num, c = num[1], hw = num[2], groups = num[3];
    const uint64_t all = (uint64_t)num[0] * c * hw * rows_bytes(w->t);
    const uint64_t stats = (uint64_t)num[0] * groups * rows_bytes(w->t);

    if (!all)
        return;
    if (!groups || c % groups) {
        npu_fault(&w->c->pub, NPU_E_ARG, w->in->where,
                  "%s: %u channels in %u groups; the groups are equal", npu_insn_name(w->in), c,
                  groups);
        return;
    }
    if (!rows_need_dst(w, 0, all) || !rows_need_dst(w, 1, stats) || !rows_need_dst(w, 2, stats) ||
        !rows_need_src(w, 0, all) || !rows_need_src(w, 1, (uint64_t)c * rows_bytes(w->t)) ||
        !rows_need_src(w, 2, (uint64_t)c * rows_bytes(w->t)))
        return;
    const uint32_t each = c / groups;
    float *x = rows_scratch(w, 2 * (uint64_t)each * hw);
    for (uint64_t g = 0; x && g < (uint64_t)num[0] * groups; g++)
        norm_group(w, x, x + (size_t)each * hw, g, (uint32_t)(g % groups) * each, each, hw);
}

/* ---- over the batch -------------------------------------------------------------------------- */

void rows_batch_norm(const struct rows *w)
{
    const uint32_t b = w->r->num[0], sh = w->r->num[1];
    const uint64_t all = (uint64_t)b * sh * rows_bytes(w->t), row = (uint64_t)sh * rows_bytes(w->t);

    if (!all || !rows_need_dst(w, 0, all) || !rows_need_dst(w, 1, row) ||
        !rows_need_dst(w, 2, row) || !rows_need_src(w, 0, all) ||
        !rows_need_src(w, 1, (uint64_t)b * rows_bytes(w->t)) ||
        !rows_need_src(w, 2, (uint64_t)b * rows_bytes(w->t)))
        return;
    float *mean = rows_scratch(w, 3 * (uint64_t)sh);
    if (!mean)
        return;
    float *rstd = mean + sh, *x = rstd + sh;
    memset(mean, 0, 2 * (size_t)sh * sizeof *mean);
    for (uint32_t i = 0; i < b; i++) {
        rows_load(w, x, w->t, rows_src(w, 0), (uint64_t)i * sh, sh);
        rows_combine(w, OP_vadd, mean, x, sh);
    }
    for (uint32_t k = 0; k < sh; k++)
        mean[k] /= (float)b;
    for (uint32_t i = 0; i < b; i++) {
        rows_load(w, x, w->t, rows_src(w, 0), (uint64_t)i * sh, sh);
        rows_combine(w, OP_vsub, x, mean, sh);
        rows_combine(w, OP_vmul, x, x, sh);
        rows_combine(w, OP_vadd, rstd, x, sh);
    }
    for (uint32_t k = 0; k < sh; k++)
        rstd[k] /= (float)b;
    rows_store(w, w->t, rows_dst(w, 1), 0, mean, sh);
    rows_store(w, w->t, rows_dst(w, 2), 0, rstd, sh);
    for (uint32_t k = 0; k < sh; k++)
        rstd[k] = (float)(1 / sqrt((double)rstd[k] + (double)w->r->real[0]));
    for (uint32_t i = 0; i < b; i++) {
        rows_load(w, x, w->t, rows_src(w, 0), (uint64_t)i * sh, sh);
        rows_combine(w, OP_vsub, x, mean, sh);
        rows_combine(w, OP_vmul, x, rstd, sh);
        rows_scale(w, OP_vmuls, x, rows_get(w, w->t, rows_src(w, 1), i), sh);
        rows_scale(w, OP_vadds, x, rows_get(w, w->t, rows_src(w, 2), i), sh);
        rows_store(w, w->t, rows_dst(w, 0), (uint64_t)i * sh, x, sh);
    }
}

/* ---- gradients ------------------------------------------------------------------------------- */

struct grad_sums {
    double variance, mean, rest;
};

/* x becomes x - mean and dy becomes dy * gamma; sums over the columns in use. */
static struct grad_sums grad_row_sums(float *dy, float *x, const float *gamma, float mean,
                                      double rstd, uint32_t n, uint32_t used)
{
    struct grad_sums s = {0, 0, 0};

    for (uint32_t i = 0; i < n; i++) {
        x[i] -= mean;
        dy[i] *= gamma[i];
    }
    for (uint32_t i = 0; i < used; i++) {
        s.variance += (double)dy[i] * (double)x[i];
        s.mean += (double)dy[i];
        s.rest += (double)x[i];
    }
    s.variance *= -0.5 * rstd * rstd * rstd;
    s.mean = -rstd * s.mean - 2.0 / used * s.variance * s.rest;
    return s;
}

void rows_norm_grad(const struct rows *w)
{
    const uint32_t rows = w->r->num[0], n = w->r->num[1], used = w->r->num[2];
    const uint64_t all = (uint64_t)rows * n * rows_bytes(w->t);
    const uint64_t stats = (uint64_t)rows * rows_bytes(w->t);

    if (!rows || !check_used(w, n, used) || !rows_need_dst(w, 0, all) ||
        !rows_need_dst(w, 1, all) || !rows_need_src(w, 0, all) || !rows_need_src(w, 1, all) ||
        !rows_need_src(w, 2, stats) || !rows_need_src(w, 3, stats) ||
        !rows_need_src(w, 4, (uint64_t)n * rows_bytes(w->t)))
        return;
    float *dy = rows_scratch(w, 4 * (uint64_t)n);
    if (!dy)
        return;
    float *x = dy + n, *gamma = x + n, *res = gamma + n;
    rows_load(w, gamma, w->t, rows_src(w, 4), 0, n);
    for (uint32_t r = 0; r < rows; r++) {
        const float variance = rows_get(w, w->t, rows_src(w, 2), r);
        const double rstd = 1 / sqrt((double)variance + (double)w->r->real[0]);
        rows_load(w, dy, w->t, rows_src(w, 0), (uint64_t)r * n, n);
        rows_load(w, x, w->t, rows_src(w, 1), (uint64_t)r * n, n);
        const struct grad_sums s =
            grad_row_sums(dy, x, gamma, rows_get(w, w->t, rows_src(w, 3), r), rstd, n, used);
        for (uint32_t i = 0; i < n; i++) {
            const double g = (double)dy[i], off = (double)x[i];
            res[i] = (float)(off * rstd);
            dy[i] = (float)(g * rstd + s.variance * 2.0 / used * off + s.mean / used);
        }
        rows_store(w, w->t, rows_dst(w, 0), (uint64_t)r * n, dy, n);
        rows_store(w, w->t, rows_dst(w, 1), (uint64_t)r * n, res, n);
    }
}

void rows_norm_grad_beta(const struct rows *w)
{
    const uint32_t rows = w->r->num[0], n = w->r->num[1];
    const uint64_t all = (uint64_t)rows * n * rows_bytes(w->t),
                   row = (uint64_t)n * rows_bytes(w->t);

    if (!rows_need_dst(w, 0, row) || !rows_need_dst(w, 1, row) || !rows_need_src(w, 0, all) ||
        !rows_need_src(w, 1, all))
        return;
    float *gamma = rows_scratch(w, 4 * (uint64_t)n), *beta = gamma + n, *dy = beta + n,
          *res = dy + n;
    if (!gamma || !n)
        return;
    memset(gamma, 0, 2 * (size_t)n * sizeof *gamma);
    for (uint32_t r = 0; r < rows; r++) {
        rows_load(w, res, w->t, rows_src(w, 0), (uint64_t)r * n, n);
        rows_load(w, dy, w->t, rows_src(w, 1), (uint64_t)r * n, n);
        rows_combine(w, OP_vadd, beta, dy, n);
        rows_combine(w, OP_vmul, res, dy, n);
        rows_combine(w, OP_vadd, gamma, res, n);
    }
    rows_store(w, w->t, rows_dst(w, 0), 0, gamma, n);
    rows_store(w, w->t, rows_dst(w, 1), 0, beta, n);
}

/* ---- Welford --------------------------------------------------------------------------------- */

void rows_welford_update(const struct rows *w)
{
    const uint32_t n = w->r->num[0], all = w->r->num[1], written = w->r->num[2] ? all : n;
    const uint64_t room = n > written ? n : written, bytes = room * sizeof(float);
    const float rate = w->r->real[0];

    if (!n || !rows_need_dst(w, 0, bytes) || !rows_need_dst(w, 1, bytes) ||
        !rows_need_src(w, 0, bytes) || !rows_need_src(w, 1, bytes) ||
        !rows_need_src(w, 2, (uint64_t)n * rows_bytes(w->t)))
        return;
    float *x = rows_scratch(w, 3 * room);
    if (!x)
        return;
    float *mean = x + room, *m = mean + room;
    rows_load(w, x, w->t, rows_src(w, 2), 0, n);
    memcpy(mean, rows_src(w, 0), bytes);
    memcpy(m, rows_src(w, 1), bytes);
    for (uint32_t i = 0; i < n; i++) {
        const float off = x[i] - mean[i];
        mean[i] += off * rate;
        m[i] += off * (x[i] - mean[i]);
    }
    memcpy(rows_dst(w, 0), mean, written * sizeof *mean);
    memcpy(rows_dst(w, 1), m, written * sizeof *m);
}

/* How many samples lane i stands for. */
static double lane_count(const struct rows *w, uint32_t i)
{
    const uint32_t *num = w->r->num;
    int32_t count;

    if (!rows_has_src(w, 2))
        return num[3] && i >= num[1] ? num[3] : num[2] ? num[2] : num[4];
    memcpy(&count, rows_src(w, 2) + (uint64_t)i * sizeof count, sizeof count);
    return count;
}

void rows_welford_finalize(const struct rows *w)
{
    const uint32_t n = w->r->num[0];
    const uint64_t bytes = (uint64_t)n * sizeof(float);
    double mean = 0, m = 0;

    if (!n || !rows_need_dst(w, 0, sizeof(float)) || !rows_need_dst(w, 1, sizeof(float)) ||
        !rows_need_src(w, 0, bytes) || !rows_need_src(w, 1, bytes) ||
        (rows_has_src(w, 2) && !rows_need_src(w, 2, bytes)))
        return;
    for (uint32_t i = 0; i < n; i++)
        mean += lane_count(w, i) * (double)rows_get(w, TYPE_f32, rows_src(w, 0), i);
    mean *= (double)w->r->real[0];
    for (uint32_t i = 0; i < n; i++) {
        const double off = (double)rows_get(w, TYPE_f32, rows_src(w, 0), i) - mean;
        m += (double)rows_get(w, TYPE_f32, rows_src(w, 1), i) + lane_count(w, i) * off * off;
    }
    rows_put(w, TYPE_f32, rows_dst(w, 0), 0, (float)mean, 1);
    rows_put(w, TYPE_f32, rows_dst(w, 1), 0, (float)(m * (double)w->r->real[1]), 1);
}

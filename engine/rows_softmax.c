/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows_softmax.c - softmax and its relatives, one row after the other.
 *
 * A row is read before anything of it is written, so that results may take the place of sources.
 */
#include "rows.h"
#include "lane_math.h"
#include <string.h>
#include "../base/banned.h"

/* The matrix of an instruction and a row of it on its way. */
struct matrix {
    uint32_t rows, columns, used;
    bool is_nz, is_update, is_narrow;
    float *x, *tmp; /* a row each */
};

/* False, with a fault, when there is nothing to do or no memory for it. */
static bool matrix_init(struct matrix *m, const struct rows *w)
{
    const uint32_t *num = w->r->num;

    *m = (struct matrix){.rows = num[ROW_ROWS],
                         .columns = num[ROW_COLUMNS],
                         .used = num[ROW_USED],
                         .is_narrow = num[ROW_IS_NARROW],
                         .is_nz = num[ROW_IS_NZ],
                         .is_update = num[ROW_IS_UPDATE]};
    if (!m->rows || !m->columns)
        return false;
    if (!m->used || m->used > m->columns || (m->is_nz && m->columns % NZ_COLUMNS)) {
        npu_fault(&w->c->pub, NPU_E_ARG, w->in->where,
                  "%s: %u of %u columns%s; at least 1, at most all, and in NZ format a multiple of "
                  "16 are allowed",
                  npu_insn_name(w->in), m->used, m->columns, m->is_nz ? " in NZ format" : "");
        return false;
    }
    m->x = rows_scratch(w, 3 * (uint64_t)m->columns);
    m->tmp = m->x + m->columns;
    return m->x;
}

static uint64_t matrix_bytes(const struct matrix *m, enum npu_type type)
{
    return (uint64_t)m->rows * m->columns * rows_bytes(type);
}
/* A number of a row fills a blk, unless it is asked for alone. */
static uint32_t copies_of(const struct matrix *m, enum npu_type type)
{
    return m->is_narrow ? 1 : NPU_BLK_BYTES / rows_bytes(type);
}
static uint64_t column_bytes(const struct matrix *m, enum npu_type type)
{
    return (uint64_t)m->rows * copies_of(m, type) * rows_bytes(type);
}

static void load_row(const struct rows *w, const struct matrix *m, float *x, const uint8_t *p,
                     uint32_t r)
{
    if (!m->is_nz) {
        rows_load(w, x, w->t, p, (uint64_t)r * m->columns, m->columns);
        return;
    }
    for (uint32_t k = 0; k < m->columns; k += NZ_COLUMNS)
        rows_load(w, x + k, w->t, p, (uint64_t)k * m->rows + (uint64_t)r * NZ_COLUMNS, NZ_COLUMNS);
}

static void store_row(const struct rows *w, const struct matrix *m, uint8_t *p, const float *x,
                      uint32_t r)
{
    if (!m->is_nz) {
        rows_store(w, w->t, p, (uint64_t)r * m->columns, x, m->columns);
        return;
    }
    for (uint32_t k = 0; k < m->columns; k += NZ_COLUMNS)
        rows_store(w, w->t, p, (uint64_t)k * m->rows + (uint64_t)r * NZ_COLUMNS, x + k, NZ_COLUMNS);
}

static void put_column(const struct rows *w, const struct matrix *m, enum npu_type type, uint8_t *p,
                       uint32_t r, float v)
{
    if (p)
        rows_put(w, type, p, (uint64_t)r * copies_of(m, type), v, copies_of(m, type));
}
static float get_column(const struct rows *w, const struct matrix *m, enum npu_type type,
                        const uint8_t *p, uint32_t r)
{
    return rows_get(w, type, p, (uint64_t)r * copies_of(m, type));
}

static float largest(float a, float b)
{
    return __builtin_isnan(a) || a > b ? a : b;
}

static float exp_of(const struct rows *w, float x)
{
    rows_map(w, OP_vexp, &x, 1);
    return x;
}

/* m->x = e ^ (x - top); returns the sum over the columns in use. */
static float exp_row(const struct rows *w, const struct matrix *m, const float *x, float top)
{
    rows_exp(w, m->x, x, top, m->columns);
    return rows_total(w, m->x, m->used, m->tmp);
}

/* log10 = ln * log10 e. In double, because the quotient near 1 is what the result hangs on. */
static void log_row(const struct rows *w, const struct matrix *m, float sum)
{
    (void)w;
    for (uint32_t i = 0; i < m->columns; i++)
        m->x[i] = (float)(npu_ln_f64((double)m->x[i] / (double)sum) * 0x1.bcb7b1526e50ep-2);
}

enum { Y, SUM, MAX, EXP_MAX, REDUCED_MAX };
enum { X, IN_SUM, IN_MAX };

static bool softmax_fits(const struct rows *w, const struct matrix *m)
{
    const uint64_t stat = column_bytes(m, w->u);
    bool fits =
        rows_need_dst(w, Y, matrix_bytes(m, w->t)) && rows_need_src(w, X, matrix_bytes(m, w->t));

    for (int k = SUM; k <= REDUCED_MAX; k++)
        if (fits && k < w->r->n_dst && rows_has_dst(w, k))
            fits = rows_need_dst(w, k, k == EXP_MAX ? column_bytes(m, w->t) : stat);
    for (int k = IN_SUM; fits && m->is_update && k <= IN_MAX; k++)
        fits = rows_need_src(w, k, stat);
    return fits;
}

static void softmax_row(const struct rows *w, const struct matrix *whole, uint32_t r)
{
    struct matrix here = *whole, *m = &here;
    const enum npu_rows_fn fn = (enum npu_rows_fn)w->r->fn;
    const bool in_place = w->t == TYPE_f32 && !m->is_nz; /* rows of floats need no copy */
    const float *x = m->x;
    float top, sum, factor = 0;

    if (in_place) {
        const uint64_t at = (uint64_t)r * m->columns * sizeof *x;
        x = (const float *)(const void *)(rows_src(w, X) + at);
        m->x = (float *)(void *)(rows_dst(w, Y) + at);
    } else {
        load_row(w, m, m->x, rows_src(w, X), r);
    }
    top = rows_top(w, x, m->used, m->tmp);
    if (m->is_update) {
        const float before = get_column(w, m, w->u, rows_src(w, IN_MAX), r);
        put_column(w, m, w->u, rows_dst(w, REDUCED_MAX), r, top);
        top = largest(before, top);
        factor = exp_of(w, before - top);
    }
    sum = exp_row(w, m, x, top);
    if (m->is_update) {
        const float part = factor * get_column(w, m, w->u, rows_src(w, IN_SUM), r);
        sum += part;
        put_column(w, m, w->t, rows_dst(w, EXP_MAX), r,
                   fn == ROWS_SoftmaxFlash ? part / sum : factor);
    }
    if (fn == ROWS_LogSoftMax)
        log_row(w, m, sum);
    else if (fn != ROWS_SoftmaxFlashV2)
        rows_scale(w, OP_vmuls, m->x, 1 / sum, m->columns);
    put_column(w, m, w->u, rows_dst(w, SUM), r, sum);
    put_column(w, m, w->u, rows_dst(w, MAX), r, top);
    if (!in_place)
        store_row(w, m, rows_dst(w, Y), m->x, r);
}

void rows_softmax(const struct rows *w)
{
    struct matrix m;

    if (!matrix_init(&m, w) || !softmax_fits(w, &m))
        return;
    for (uint32_t r = 0; r < m.rows; r++)
        softmax_row(w, &m, r);
}

void rows_simple_softmax(const struct rows *w)
{
    struct matrix m;

    if (!matrix_init(&m, w) || !rows_need_dst(w, 0, matrix_bytes(&m, w->t)) ||
        !rows_need_src(w, 0, matrix_bytes(&m, w->t)) ||
        !rows_need_src(w, 1, column_bytes(&m, w->u)) ||
        !rows_need_src(w, 2, column_bytes(&m, w->u)))
        return;
    for (uint32_t r = 0; r < m.rows; r++) {
        const float sum = get_column(w, &m, w->u, rows_src(w, 1), r);
        const float top = get_column(w, &m, w->u, rows_src(w, 2), r);
        load_row(w, &m, m.x, rows_src(w, 0), r);
        exp_row(w, &m, m.x, top);
        rows_scale(w, OP_vmuls, m.x, 1 / sum, m.columns);
        store_row(w, &m, rows_dst(w, 0), m.x, r);
    }
}

/* ---- rows with their mean moved (SoftmaxFlashV3) -------------------------------------------- */

enum { S_Y, S_MEAN, S_SUM, S_MAX, S_EXP_MAX };
enum { S_X, S_IN_MEAN, S_IN_SUM, S_IN_MAX };

enum { MEAN_PARTS = 8, MEAN_BLOCK = 64, MEAN_SUMS = 8 };

/* Sum that the page takes for part k of a row: of a wide row, the k-th 64 elements of the first
 * 512, and of each further 64 the k-th 8. */
static float part_sum(const struct rows *w, const struct matrix *m, uint32_t k, uint32_t n_parts)
{
    const uint32_t n = m->columns / n_parts;
    float sum;

    if (n_parts != MEAN_PARTS || m->columns < MEAN_PARTS * MEAN_BLOCK || m->columns % MEAN_BLOCK)
        return rows_total(w, m->x + k * n, n, m->tmp);
    sum = rows_total(w, m->x + k * MEAN_BLOCK, MEAN_BLOCK, m->tmp);
    for (uint32_t at = MEAN_PARTS * MEAN_BLOCK; at < m->columns; at += MEAN_BLOCK)
        sum += rows_total(w, m->x + at + k * MEAN_SUMS, MEAN_SUMS, m->tmp);
    return sum;
}

/* Takes (mean of the row - mean of the part) * shift from each of the parts; returns the mean. */
static float move_means(const struct rows *w, const struct matrix *m, uint32_t n_parts, float shift)
{
    const uint32_t n = m->columns / n_parts;
    float mean = rows_total(w, m->x, m->columns, m->tmp) / (float)m->columns;
    float part[MEAN_PARTS];

    for (uint32_t first = 0; first < n_parts; first += MEAN_PARTS) {
        const uint32_t parts = n_parts - first < MEAN_PARTS ? n_parts - first : MEAN_PARTS;
        for (uint32_t k = 0; k < parts; k++)
            part[k] = part_sum(w, m, first + k, n_parts) / (float)n;
        for (uint32_t k = 0; k < parts; k++)
            rows_scale(w, OP_vadds, m->x + (first + k) * n, -(mean - part[k]) * shift, n);
    }
    return mean;
}

static void shifted_row(const struct rows *w, const struct matrix *m, uint32_t r)
{
    const float alpha = w->r->real[0], shift = alpha / (1 - alpha);
    const float loop = (float)w->r->num[ROW_EXTRA];
    float mean_of_all, top, now = 0, before = 0, in_max = 0, sum, factor;

    load_row(w, m, m->x, rows_src(w, S_X), r);
    const float mean = move_means(w, m, w->r->num[ROW_EXTRA + 1], shift);
    top = rows_top(w, m->x, m->used, m->tmp);
    mean_of_all = mean;
    if (m->is_update) {
        const float in_mean = get_column(w, m, w->u, rows_src(w, S_IN_MEAN), r);
        in_max = get_column(w, m, w->u, rows_src(w, S_IN_MAX), r);
        mean_of_all = (mean + in_mean * (loop - 1)) / loop;
        now = (mean - mean_of_all) * shift;
        before = (in_mean - mean_of_all) * shift;
        top = largest(now + top, before + in_max);
    }
    sum = exp_row(w, m, m->x, top - now);
    if (m->is_update) {
        factor = exp_of(w, in_max - top + before);
        sum += factor * get_column(w, m, w->u, rows_src(w, S_IN_SUM), r);
        put_column(w, m, w->t, rows_dst(w, S_EXP_MAX), r, factor);
    }
    put_column(w, m, w->u, rows_dst(w, S_MEAN), r, mean_of_all);
    put_column(w, m, w->u, rows_dst(w, S_SUM), r, sum);
    put_column(w, m, w->u, rows_dst(w, S_MAX), r, top);
    store_row(w, m, rows_dst(w, S_Y), m->x, r);
}

void rows_softmax_shifted(const struct rows *w)
{
    const uint32_t n_parts = w->r->num[ROW_EXTRA + 1];
    struct matrix m;
    bool fits;

    if (!matrix_init(&m, w))
        return;
    if (!n_parts || m.columns % n_parts || !w->r->num[ROW_EXTRA]) {
        npu_fault(&w->c->pub, NPU_E_ARG, w->in->where,
                  "%s: loopCnt %u, %u columns in %u parts; loopCnt is at least 1 and the parts are "
                  "equal",
                  npu_insn_name(w->in), w->r->num[ROW_EXTRA], m.columns, n_parts);
        return;
    }
    fits = rows_need_dst(w, S_Y, matrix_bytes(&m, w->t)) &&
           rows_need_src(w, S_X, matrix_bytes(&m, w->t));
    for (int k = S_MEAN; fits && k <= S_MAX; k++)
        fits = rows_need_dst(w, k, column_bytes(&m, w->u)) &&
               (!m.is_update || rows_need_src(w, k, column_bytes(&m, w->u)));
    if (fits && m.is_update)
        fits = rows_need_dst(w, S_EXP_MAX, column_bytes(&m, w->t));
    for (uint32_t r = 0; fits && r < m.rows; r++)
        shifted_row(w, &m, r);
}

/* ---- gradients and corrections --------------------------------------------------------------- */

void rows_softmax_grad(const struct rows *w)
{
    const bool is_front = w->r->fn == ROWS_SoftmaxGradFront;
    struct matrix m;

    if (!matrix_init(&m, w) ||
        !rows_need_dst(w, 0, is_front ? column_bytes(&m, w->t) : matrix_bytes(&m, w->t)) ||
        !rows_need_src(w, 0, matrix_bytes(&m, w->t)) ||
        !rows_need_src(w, 1, matrix_bytes(&m, w->t)))
        return;
    float *grad = m.x, *y = m.x + m.columns, *product = m.x + 2 * (size_t)m.columns;
    for (uint32_t r = 0; r < m.rows; r++) {
        load_row(w, &m, grad, rows_src(w, 0), r);
        load_row(w, &m, y, rows_src(w, 1), r);
        memcpy(product, grad, m.columns * sizeof *product);
        rows_combine(w, OP_vmul, product, y, m.columns);
        const float front = rows_total(w, product, m.used, product);
        if (is_front) {
            put_column(w, &m, w->t, rows_dst(w, 0), r, front);
            continue;
        }
        rows_scale(w, OP_vadds, grad, -front, m.columns);
        rows_combine(w, OP_vmul, grad, y, m.columns);
        store_row(w, &m, rows_dst(w, 0), grad, r);
    }
}

/* The maximum is compared bit by bit: what is looked for is given as bits. */
void rows_adjust(const struct rows *w)
{
    const uint32_t want = w->r->bits[0], bytes = rows_bytes(w->u);
    struct matrix m;
    bool any = false;

    w->c->pub.regs.has_adjusted = false;
    if (!matrix_init(&m, w) || !rows_need_dst(w, 0, matrix_bytes(&m, w->t)) ||
        !rows_need_src(w, 0, matrix_bytes(&m, w->t)) ||
        !rows_need_src(w, 1, column_bytes(&m, w->u)))
        return;
    for (uint32_t i = 0; i < m.columns; i++)
        m.x[i] = w->r->real[0];
    for (uint32_t r = 0; r < m.rows; r++) {
        uint32_t bits = 0;
        memcpy(&bits, rows_src(w, 1) + (uint64_t)r * copies_of(&m, w->u) * bytes, bytes);
        if (bits != want)
            continue;
        any = true;
        store_row(w, &m, rows_dst(w, 0), m.x, r);
    }
    w->c->pub.regs.has_adjusted = any;
}

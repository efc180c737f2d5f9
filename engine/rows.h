/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - vrows: what the high-level calls do to whole rows.
 *
 * A row of isa/rows.def names a call and the function rows_<function> below that does it. Halves
 * are computed in float, sums over a row are folded in halves or kept in double, and each result
 * is rounded once. Every function first says which bytes its numbers ask for (rows_need) and goes
 * on only when the instruction declared as many: that is what the range check has seen.
 *
 * Operands and numbers, in order; [x] may be left out (0 bytes). T: npu_insn.type, U: dst_type.
 *
 * softmax          dst y, [sum], [max], [exp_max], [reduced max]; src x, [insum], [inmax]; numbers
 * ROW_*. Statistics are U, exp_max is T. softmax_shifted  dst y, mean, sum, max, exp_max; src x,
 * [inmean], [insum], [inmax]; ROW_*, ROW_EXTRA: loop count, ROW_EXTRA + 1: parts; real: alpha
 * simple_softmax   dst y; src x, sum, max; ROW_*
 * softmax_grad     dst y or the front; src grad, y; ROW_*
 * adjust           dst res; src res, max (U); ROW_*; bits: `from`; real: `to`
 * norm             dst y, [mean], [variance or rstd]; src x, [gx], [gamma], [beta], [mean],
 * [variance]; numbers NORM_*; real: epsilon, alpha. gamma and beta: NORM_GAMMA_TYPE
 * group_norm       dst y, mean, variance; src x, gamma, beta; n, c, hw, groups; real: epsilon
 * batch_norm       dst y, mean, variance; src x, gamma, beta; b, sh, stride; real: epsilon
 * norm_grad        dst pd_x, res; src dy, x, variance, mean, gamma; rows, stride, used; real:
 * epsilon norm_grad_beta   dst pd_gamma, pd_beta; src res, dy; rows, stride welford_update   dst
 * mean, m; src mean, m, x; computed, all, in place; real: 1 / i welford_finalize dst mean,
 * variance; src mean, m, [counts]; lanes, head lanes, head count, tail count, rn; real: r_rec,
 * correction sum              dst y; src x; rows, stride, used xor_sum          dst y; src a, b; n
 * reduce           dst y; src x; first axis, last axis, stride, 1: along the last axis
 * topk             dst values, indices; src x, [indices], [finish]; TOPK_*
 * sort             dst pairs; src scores, indices; n, n of each part that is sorted by itself
 * extract          dst values, indices; src pairs; n
 * strided          dst y; src x; dimensions d, then d sizes, d steps in dst, d steps in src, the
 *                  first element of each
 * pad              dst y; src x; rows, src width, dst width, left, used; bits: the value
 * select           dst y; src x, mask (U); rows, width, mask width, 1: src where the mask is not 0;
 * real: the scalar
 * drop_out         dst y; src x, mask; rows, width, mask width in bytes, 1: bits; real: keepProb
 * arange           dst y; n; bits: first and step, a double each
 */
#ifndef NPU_ROWS_H
#define NPU_ROWS_H
#include "core_int.h"
#include "../base/num.h"

/* Rows of a matrix. ROW_USED columns take part in sums and maxima, all ROW_COLUMNS are computed.
 * ROW_IS_NARROW: a statistic of a row is one element, else it fills 32 bytes. */
enum {
    ROW_ROWS,
    ROW_COLUMNS,
    ROW_USED,
    ROW_IS_NZ, /* blocks of 16 columns stand one below the other */
    ROW_IS_NARROW,
    ROW_IS_UPDATE,
    ROW_EXTRA,
};
enum { NZ_COLUMNS = 16 };
enum { NORM_ROWS, NORM_COLUMNS, NORM_USED, NORM_GAMMA_TYPE, NORM_IS_RSTD };
enum { TOPK_ROWS, TOPK_INNER, TOPK_N, TOPK_K, TOPK_IS_SMALLEST, TOPK_IS_DENSE, TOPK_INDEX_ROWS };

struct rows {
    struct npu_core_int *c;
    const struct npu_insn *in;
    const struct npu_rows *r;
    enum npu_type t, u;
};

typedef void rows_fn(const struct rows *w);
#define ROWS(name, function, types, brief) rows_fn rows_##function;
#include "../isa/rows.def"

/* False, with a fault, when operand k is shorter than that. want NULL bytes: it may be left out. */
bool rows_need_dst(const struct rows *w, int k, uint64_t bytes);
bool rows_need_src(const struct rows *w, int k, uint64_t bytes);

static inline uint32_t rows_bytes(enum npu_type type) { return npu_types[type].bytes; }
static inline bool rows_has_dst(const struct rows *w, int k) { return w->r->dst_bytes[k] != 0; }
static inline bool rows_has_src(const struct rows *w, int k) { return w->r->src_bytes[k] != 0; }
/* NULL when the operand is left out. */
static inline uint8_t *rows_dst(const struct rows *w, int k)
{
    return rows_has_dst(w, k) ? w->c->pub.mem[MEM_UB].base + w->r->dst[k] : NULL;
}
static inline const uint8_t *rows_src(const struct rows *w, int k)
{
    return rows_has_src(w, k) ? w->c->pub.mem[MEM_UB].base + w->r->src[k] : NULL;
}

/* n floats for the time of the instruction; NULL, with a fault, when there is no memory. */
float *rows_scratch(const struct rows *w, uint64_t n);

/* n elements from element `at` of p as floats, and back with one rounding. f16, f32 and u8. */
void rows_load(const struct rows *w, float *to, enum npu_type type, const uint8_t *p, uint64_t at,
               uint32_t n);
void rows_store(const struct rows *w, enum npu_type type, uint8_t *p, uint64_t at,
                const float *from, uint32_t n);
/* One number, repeated n times. */
float rows_get(const struct rows *w, enum npu_type type, const uint8_t *p, uint64_t at);
void rows_put(const struct rows *w, enum npu_type type, uint8_t *p, uint64_t at, float v,
              uint32_t n);

/* Lines that the next copies will want, as many as go with a pass over n numbers (ahead.h): floats
 * take eight such passes between their way in and their way out. */
static inline void rows_ahead(const struct rows *w, uint32_t n)
{
    if (NPU_UNLIKELY(w->c->ahead.n_left))
        npu_ahead_fetch(&w->c->ahead, n * (uint32_t)sizeof(float) / NPU_LINE_BYTES / 8 + 1);
}

/* Sum and largest of a row by folding it in halves; tmp holds half a row. n is at least 1. */
float rows_total(const struct rows *w, const float *x, uint32_t n, float *tmp);
float rows_top(const struct rows *w, const float *x, uint32_t n, float *tmp);
/* to = e ^ (x - top). */
void rows_exp(const struct rows *w, float *to, const float *x, float top, uint32_t n);
/* x[i] op= scalar, and x[i] = op(x[i]). */
void rows_scale(const struct rows *w, enum npu_op op, float *x, float scalar, uint32_t n);
void rows_map(const struct rows *w, enum npu_op op, float *x, uint32_t n);
/* x[i] = x[i] op y[i]. */
void rows_combine(const struct rows *w, enum npu_op op, float *x, const float *y, uint32_t n);
#endif

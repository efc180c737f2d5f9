/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vec.h - what the lane loops offer to the rest of the engine.
 *
 * The loops exist once per instruction set: lanes_plain.c, lanes_v3.c and lanes_v4.c compile the
 * same lanes.h with other flags. One struct npu_lanes is chosen when the first kernel starts; the
 * plain one is the reference that the others are tested against (tests/unit/t_simd.c).
 */
#ifndef NPU_VEC_H
#define NPU_VEC_H
#include "../isa/isa.h"

/* n elements, contiguous; src NULL when the shape has none; AXPY passes dst as src1. dst equals a
 * source or is disjoint from it. */
typedef void npu_lane_fn(void *dst, const void *src0, const void *src1, uint64_t scalar,
                         uint32_t n);
typedef void npu_conv_fn(void *dst, const void *src, uint32_t n);
/* Bit i of dst, least significant first, = src0[i] relation src1[i]; n is a multiple of 8. */
typedef void npu_cmp_fn(uint8_t *dst, const void *src0, const void *src1, uint32_t n);
/* dst[i] = bit i of choice ? src0[i] : src1[i]; n is a multiple of 8. */
typedef void npu_sel_fn(void *dst, const uint8_t *choice, const void *src0, const void *src1,
                        uint32_t n);

/* dst[i] = the element at byte at[i] of from. */
typedef void npu_pick_fn(void *dst, const uint8_t *from, const uint32_t *at, uint32_t n);
/* The same of 16-bit elements, all of which lie in the at most NPU_LOOK_UP_BYTES of `table`; its
 * first one is at offset first_at. */
typedef void npu_look_up_fn(void *dst, const uint8_t *table, uint32_t table_bytes,
                            const uint32_t *at, uint32_t first_at, uint32_t n);
enum { NPU_LOOK_UP_BYTES = 512 };
/* What n offsets have between them; low and high are carried on. */
struct npu_span {
    uint32_t low, high;
    uint32_t bits; /* every bit that is set in any */
};
typedef void npu_span_fn(struct npu_span *s, const uint32_t *at, uint32_t n);

enum { NPU_RELATIONS = CMP_NE + 1 };

struct npu_lanes {
    const char *name;
    void (*copy)(void *dst, const void *src, uint32_t bytes); /* a multiple of 32; apart or equal */
    void (*stream)(void *dst, const void *src, uint32_t bytes); /* past the caches; dst too */
    npu_lane_fn *op[N_OPS][N_TYPES];
    npu_conv_fn *conv[N_TYPES][N_TYPES][N_ROUNDS]; /* [src][dst]; NULL: no such conversion */
    npu_cmp_fn *cmp[NPU_RELATIONS][N_TYPES];
    npu_sel_fn *sel[N_TYPES];
    npu_pick_fn *pick[5];    /* [bytes of an element]: 2 and 4 */
    npu_look_up_fn *look_up; /* NULL: no faster than pick here */
    npu_span_fn *span;
    /* to = e ^ (x - top), within 2 ulp: rows that are summed and divided have no use for the more
     * that vexp does. */
    void (*exp_row)(float *to, const float *x, float top, uint32_t n);
    /* Sum and maximum of n numbers, at least 1, by folding in halves; tmp holds half as many. */
    float (*sum_row)(const float *x, uint32_t n, float *tmp);
    float (*top_row)(const float *x, uint32_t n, float *tmp);
    /* x += shift, square = x * x; dst = x * scale * gamma + beta. */
    void (*center_row)(float *x, float *square, float shift, uint32_t n);
    void (*affine_row[N_TYPES])(void *dst, const float *x, float scale, const float *gamma,
                                const float *beta, uint32_t n); /* [of dst]: f16, f32 */
};

extern const struct npu_lanes npu_lanes_plain;
#ifdef __x86_64__
extern const struct npu_lanes npu_lanes_v3, npu_lanes_v4;
#endif
/* The best one for this machine. */
const struct npu_lanes *npu_lanes_best(void);
#endif

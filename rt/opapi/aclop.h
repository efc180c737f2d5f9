/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop.h - one call of a single operator, between the door (aclop.c) and what computes
 * (aclop_fn.c).
 *
 * A row of aclop.def says what a call may hold; the door refuses the rest before anything is
 * queued, so a function finds its inputs, outputs and attributes as the row promises. An input that
 * the caller keeps in host memory was copied: the caller may drop it when the call returns.
 */
#ifndef NPU_OPAPI_ACLOP_H
#define NPU_OPAPI_ACLOP_H
#include "native.h"

enum { ACLOP_TENSORS = 64, ACLOP_ATTRS = 8, ACLOP_INTS = NPU_MAX_DIMS, ACLOP_TEXT = 32 };

/* Sets of data types, a bit each. */
#define BIT(t)    (1ull << (t))
#define FLOATS    (BIT(DT_FLOAT) | BIT(DT_HALF) | BIT(DT_BF16))
#define REALS     (FLOATS | BIT(DT_DOUBLE))
#define COMPLEXES (BIT(DT_COMPLEX64) | BIT(DT_COMPLEX128))
#define UNARY     (REALS | COMPLEXES)
#define INT_3264  (BIT(DT_INT32) | BIT(DT_INT64))
#define SIGNED    (INT_3264 | BIT(DT_INT8) | BIT(DT_INT16))
#define UNSIGNED  (BIT(DT_UINT8) | BIT(DT_UINT16) | BIT(DT_UINT32) | BIT(DT_UINT64))
#define INTEGERS  (SIGNED | UNSIGNED)
#define NUMBERS   (UNARY | INTEGERS)
#define BOOLS     BIT(DT_BOOL)
#define ANYTHING  (NUMBERS | BOOLS)

/* The value of an attribute: the caller's, or the row's default. */
struct aclop_value {
    bool given;
    double real;
    int64_t n, ints[ACLOP_INTS]; /* a single integer, bool or data type is ints[0] */
    char text[ACLOP_TEXT];
};

struct aclop_row;
struct aclop_task {
    const struct aclop_row *row;
    struct aclTensor *in[ACLOP_TENSORS], *out[ACLOP_ATTRS]; /* an absent input is NULL */
    int n_in, n_out;
    void *host[ACLOP_TENSORS];            /* copies of what lay in host memory */
    struct aclop_value attr[ACLOP_ATTRS]; /* in the order of the row */
    char why[192];                        /* a check tells it here */
};

typedef void aclop_fn(struct npu_aten_ctx *c, const struct aclop_task *t);
/* Shapes, before anything is queued: false with t->why set. Data is read of host inputs only. */
typedef bool aclop_check_fn(struct aclop_task *t);

enum aclop_level { ACLOP_full, ACLOP_partial };

/* The columns of aclop.def. */
struct aclop_row {
    const char *type;
    enum aclop_level level;
    const char *inputs, *outputs, *attrs;
    uint64_t types;
    aclop_check_fn *check;
    const char *schema; /* takes the inputs in order, if there is no fn */
    aclop_fn *fn;
};

/* The attribute of that name; the row declares it, or it has no value. */
const struct aclop_value *aclop_attr(const struct aclop_task *t, const char *name);

/* A dimension of x, counted from the end when negative; -1 when there is none. */
int64_t aclop_axis(const struct aclTensor *x, int64_t axis);

/* Integers of a host input as int64, NULL when it lies on the device. */
const int64_t *aclop_host_ints(const struct aclop_task *t, int input, int64_t room[ACLOP_INTS]);

aclop_check_fn shape_any, shape_out, shape_same, shape_float, shape_spread, shape_layer_norm,
    shape_layer_norm_v4, shape_rms_norm, shape_cast, shape_reduce, shape_norm_reduce, shape_extreme,
    shape_slice, shape_transpose, shape_tile, shape_pad, shape_concat, shape_pack, shape_gather,
    shape_fill, shape_broadcast_to, shape_matmul, shape_batch_matmul;
aclop_fn fn_copy, fn_spread, fn_fill, fn_norm_reduce, fn_norm_update, fn_exp, fn_log, fn_round,
    fn_layer_norm, fn_layer_norm_v3, fn_layer_norm_v4, fn_rms_norm, fn_softmax, fn_softmax_grad,
    fn_reduce, fn_reduce_prod, fn_permute, fn_cat, fn_slice, fn_strided_slice, fn_tile, fn_pad,
    fn_matmul, fn_batch_matmul, fn_masked_fill, fn_extreme, fn_gather, fn_cumulate, fn_flip,
    fn_sort, fn_addcmul, fn_clip, fn_native_fast_gelu, fn_swish, fn_slope, fn_elu, fn_relu_grad,
    fn_floor_div, fn_wide, fn_wide_compare, fn_wide_unary, fn_muls, fn_abs, fn_right_shift;

#endif

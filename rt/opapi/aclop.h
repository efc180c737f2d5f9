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
#include "../acl_objects.h"
#include "aclop_row.h"
#include "native.h"

enum {
    ACLOP_TENSORS = 64,
    ACLOP_OUTPUTS = 8,
    ACLOP_ATTRS = 12,
    ACLOP_INTS = NPU_MAX_DIMS,
    ACLOP_TEXT = 32
};

/* Sets of data types, a bit each. */
#define BIT(t)    (1ull << (t))
#define FLOATS    (BIT(DT_FLOAT) | BIT(DT_FLOAT16) | BIT(DT_BF16))
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

struct aclop_task {
    const struct aclop_row *row;
    struct aclTensor *in[ACLOP_TENSORS], *out[ACLOP_OUTPUTS]; /* an absent input is NULL */
    int n_in, n_out;
    struct npu_acl_shape
        *shape[ACLOP_OUTPUTS];            /* of an output that takes the result's: the caller's */
    void *host[ACLOP_TENSORS];            /* copies of what lay in host memory */
    struct aclop_value attr[ACLOP_ATTRS]; /* in the order of the row */
    char why[192];                        /* a check tells it here */
};

/* Runs an expression of the schema column into the outputs. c NULL: only looks whether the texts
 * that it reads are among the allowed ones, and says in t->why which are. */
bool aclop_express(struct npu_aten_ctx *c, struct aclop_task *t);

/* The attribute of that name; the row declares it, or it has no value. */
const struct aclop_value *aclop_attr(const struct aclop_task *t, const char *name);

/* A dimension of x, counted from the end when negative; -1 when there is none. */
int64_t aclop_axis(const struct aclTensor *x, int64_t axis);

static inline bool flag(const struct aclop_task *t, const char *name)
{
    return aclop_attr(t, name)->ints[0] != 0;
}

/* Dimensions that x and indices of a gather have in common, from the front. */
int64_t aclop_batch_dims(const struct aclop_task *t);

/* Integers of a host input as int64, NULL when it lies on the device. */
const int64_t *aclop_host_ints(const struct aclop_task *t, int input, int64_t room[ACLOP_INTS]);

/* ---- the words of functions ---- */

static inline struct npu_value dims_of(const struct aclTensor *t)
{
    return (struct npu_value){.kind = V_INTS, .i = t->n_dims, .p = t->dim};
}

static inline struct npu_value list(const int64_t *v, int64_t n)
{
    return (struct npu_value){.kind = V_INTS, .i = n, .p = v};
}

/* An integer input of any shape as int64 in room; how many there are. */
int64_t aclop_ints(struct npu_aten_ctx *c, const struct aclTensor *t, int64_t room[ACLOP_INTS]);
/* torch has arithmetic for few unsigned types; the rest is computed in int64 and wraps around. */
int widened(struct npu_aten_ctx *c, const struct aclTensor *t);

/* With the top bit flipped the order of uint64 is that of int64. */
int top_bit(struct npu_aten_ctx *c, int v);
/* The same in the order of their numbers; the top bit of uint64 is to be flipped back. */
int ordered(struct npu_aten_ctx *c, const struct aclTensor *t);

static inline int64_t aclop_product(const int64_t *v, int64_t n)
{
    int64_t all = 1;

    for (int64_t i = 0; i < n; i++)
        all *= v[i];
    return all;
}

static inline bool is_half(int dtype) { return dtype == DT_FLOAT16 || dtype == DT_BF16; }

static inline int as_float(struct npu_aten_ctx *c, int v)
{
    return at(c, "aten::to.dtype", V(v), DTYPE(DT_FLOAT));
}

/* A tensor to compute with: half in float. */
static inline int wide(struct npu_aten_ctx *c, const struct aclTensor *t)
{
    const int v = value(c, t);

    return is_half(t->dtype) ? as_float(c, v) : v;
}

static inline int multiply(struct npu_aten_ctx *c, int a, int b)
{
    return at(c, "aten::mul.Tensor", V(a), V(b));
}

static inline int add(struct npu_aten_ctx *c, int a, int b)
{
    return at(c, "aten::add.Tensor", V(a), V(b));
}

/* A value for each channel, so that it spreads over x, whose channels are dimension 1. */
static inline int channel(struct npu_aten_ctx *c, const struct aclTensor *x, int v)
{
    int64_t dim[ACLOP_INTS] = {0};

    for (uint32_t k = 0; k < x->n_dims; k++)
        dim[k] = k == 1 ? x->dim[1] : 1;
    return at(c, "aten::reshape", V(v), list(dim, x->n_dims));
}

/* Input i, NULL when it is absent. */
static inline const struct aclTensor *aclop_input(const struct aclop_task *t, int i)
{
    return i < t->n_in ? t->in[i] : NULL;
}

/* Output i takes the shape of v; it must fit into the memory that the caller gave. */
void store_shaped(struct npu_aten_ctx *c, const struct aclop_task *t, int i, int v);

aclop_check_fn shape_any, shape_out, shape_same, shape_float, shape_spread, shape_layer_norm,
    shape_layer_norm_v4, shape_rms_norm, shape_cast, shape_reduce, shape_norm_reduce, shape_extreme,
    shape_slice, shape_transpose, shape_tile, shape_pad, shape_concat, shape_pack, shape_gather,
    shape_fill, shape_broadcast_to, shape_matmul, shape_batch_matmul, shape_loss, shape_loss_grad,
    shape_strided_slice, shape_addcdiv, shape_threshold, shape_lp_loss, shape_select,
    shape_rms_norm_grad, shape_add_rms_norm, shape_cross_entropy;
aclop_check_fn shape_bn, shape_bn_grad, shape_conv, shape_conv_filter, shape_conv_input,
    shape_max_pool, shape_max_pool_grad, shape_do_mask, shape_gen_mask, shape_attention,
    shape_attention_grad, shape_quantize;
aclop_check_fn shape_scatter, shape_gather_elements, shape_scatter_nd, shape_scatter_rows,
    shape_index_add, shape_as_strided, shape_view_copy, shape_topk, shape_arg, shape_range,
    shape_one_hot, shape_arg_grad, shape_confuse, shape_random;
aclop_fn fn_copy, fn_spread, fn_fill, fn_norm_reduce, fn_norm_update, fn_exp, fn_log, fn_round,
    fn_layer_norm, fn_layer_norm_v3, fn_layer_norm_v4, fn_rms_norm, fn_softmax, fn_softmax_grad,
    fn_reduce, fn_reduce_prod, fn_permute, fn_cat, fn_slice, fn_strided_slice, fn_tile, fn_pad,
    fn_matmul, fn_batch_matmul, fn_masked_fill, fn_extreme, fn_gather, fn_cumulate, fn_flip,
    fn_sort, fn_addcmul, fn_addcdiv, fn_output_grad, fn_threshold, fn_reduce_mean, fn_clip,
    fn_native_fast_gelu, fn_swish, fn_slope, fn_elu, fn_relu_grad, fn_floor_div, fn_wide,
    fn_wide_compare, fn_wide_unary, fn_muls, fn_abs, fn_right_shift, fn_sub, fn_real_div, fn_xlogy,
    fn_select, fn_rms_norm_grad, fn_add_rms_norm, fn_through_double;
aclop_fn fn_bn_reduce, fn_bn_update, fn_bn_infer, fn_bn_infer_grad, fn_bn_update_grad,
    fn_bn_reduce_grad, fn_conv, fn_conv_filter, fn_conv_input, fn_max_pool, fn_max_pool_grad,
    fn_do_mask, fn_gen_mask, fn_attention, fn_attention_grad, fn_quantize;
aclop_fn fn_scatter, fn_gather_elements, fn_scatter_nd, fn_scatter_rows, fn_index_add,
    fn_as_strided, fn_view_copy, fn_unique, fn_nonzero, fn_masked_select, fn_topk, fn_arg, fn_range,
    fn_one_hot, fn_arg_grad, fn_confuse, fn_random;

#endif

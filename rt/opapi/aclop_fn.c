/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop_fn.c - what the rows of aclop.def compute, where one ATen operator is not enough.
 *
 * Half and bfloat16 are computed in float and rounded once where several operators meet.
 * Rule: a function reads attributes by the name that its row declares; the door has checked them.
 */
#include "aclop.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t aclop_ints(struct npu_aten_ctx *c, const struct aclTensor *t, int64_t room[ACLOP_INTS])
{
    const int64_t n = npu_tensor_numel(t);
    const void *data = npu_aten()->data(c, value(c, t), DT_INT64);

    if (n > ACLOP_INTS)
        npu_aten()->fail(c, "an integer input has more values than a tensor has dimensions");
    if (!data || n > ACLOP_INTS)
        return 0;
    memcpy(room, data, (size_t)n * sizeof *room);
    return n;
}

int widened(struct npu_aten_ctx *c, const struct aclTensor *t)
{
    const bool odd = BIT(t->dtype) & (UNSIGNED & ~BIT(DT_UINT8));

    return odd ? at(c, "aten::to.dtype", TENSOR(c, t), DTYPE(DT_INT64)) : value(c, t);
}

/* ---- elementwise ---- */

/* The store converts to the type of the output. */
void fn_copy(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c, value(c, t->in[0]), t->out[0]);
}

void fn_wide(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int a = widened(c, t->in[0]), b = widened(c, t->in[1]);

    store(c, at(c, t->row->schema, V(a), V(b)), t->out[0]);
}

int top_bit(struct npu_aten_ctx *c, int v)
{
    return at(c, "aten::bitwise_xor.Scalar", V(v), INT(INT64_MIN));
}

void fn_wide_compare(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int a = widened(c, t->in[0]), b = widened(c, t->in[1]);

    if (t->in[0]->dtype == DT_UINT64) {
        a = top_bit(c, a);
        b = top_bit(c, b);
    }
    store(c, at(c, t->row->schema, V(a), V(b)), t->out[0]);
}

void fn_floor_div(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int a = widened(c, t->in[0]), b = widened(c, t->in[1]);

    store(c, at(c, "aten::div.Tensor_mode", V(a), V(b), TEXT("floor")), t->out[0]);
}

/* y has the type of x, so the result of an integer loses its fraction. */
void fn_through_double(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int v = value(c, t->in[0]);

    if (npu_dtype_is_int(t->in[0]->dtype))
        v = at(c, "aten::to.dtype", V(v), DTYPE(DT_DOUBLE));
    store(c, at(c, t->row->schema, V(v)), t->out[0]);
}

/* Of bools: whether they differ. */
void fn_sub(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    if (t->in[0]->dtype == DT_BOOL)
        store(c, at(c, "aten::ne.Tensor", TENSOR(c, t->in[0]), TENSOR(c, t->in[1])), t->out[0]);
    else
        fn_wide(c, t);
}

/* y has the type of x, so a quotient of integers loses its fraction; one of bools is a number. */
void fn_real_div(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int a = widened(c, t->in[0]), b = widened(c, t->in[1]);
    int v;

    if (npu_dtype_is_int(t->in[0]->dtype) && t->in[0]->dtype != DT_BOOL)
        v = at(c, "aten::div.Tensor_mode", V(a), V(b), TEXT("trunc"));
    else
        v = at(c, "aten::div.Tensor", V(a), V(b));
    store(c, v, t->out[0]);
}

/* torch has it for real numbers only. */
void fn_xlogy(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int a = value(c, t->in[0]), b = value(c, t->in[1]);
    int v, zero;

    if (BIT(t->in[0]->dtype) & REALS) {
        store(c, at(c, "aten::xlogy.Tensor", V(a), V(b)), t->out[0]);
        return;
    }
    v = multiply(c, a, at(c, "aten::log", V(b)));
    zero = at(c, "aten::eq.Scalar", V(a), INT(0));
    store(c, at(c, "aten::where.self", V(zero), V(at(c, "aten::zeros_like", V(v))), V(v)),
          t->out[0]);
}

/* Of integers too in float32, as the documentation says: it is exact up to 2^24. */
void fn_muls(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c, at(c, "aten::mul.Tensor", V(wide(c, t->in[0])), DOUBLE(aclop_attr(t, "value")->real)),
          t->out[0]);
}

/* scale * x + shift; x itself when nothing changes. */
static int scaled(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const double scale = aclop_attr(t, "scale")->real, shift = aclop_attr(t, "shift")->real;
    int v = wide(c, t->in[0]);

    if (scale != 1)
        v = at(c, "aten::mul.Tensor", V(v), DOUBLE(scale));
    return shift != 0 ? at(c, "aten::add.Tensor", V(v), DOUBLE(shift)) : v;
}

/* base ^ (scale * x + shift); a base of -1 is e. */
void fn_exp(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const double base = aclop_attr(t, "base")->real;
    int v = scaled(c, t);

    if (base != -1)
        v = at(c, "aten::mul.Tensor", V(v), DOUBLE(log(base)));
    store(c, at(c, "aten::exp", V(v)), t->out[0]);
}

void fn_log(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const double base = aclop_attr(t, "base")->real;
    int v = at(c, "aten::log", V(scaled(c, t)));

    if (base != -1)
        v = at(c, "aten::div.Tensor", V(v), DOUBLE(log(base)));
    store(c, v, t->out[0]);
}

/* An integer is round already, unless decimals is negative. */
void fn_round(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int64_t decimals = aclop_attr(t, "decimals")->n ? aclop_attr(t, "decimals")->ints[0] : 0;
    int v = wide(c, t->in[0]);

    if (npu_dtype_is_int(t->in[0]->dtype) && decimals < 0)
        npu_aten()->fail(c, "an integer x needs decimals of 0 or more");
    if (!npu_dtype_is_int(t->in[0]->dtype))
        v = at(c, "aten::round.decimals", V(v), INT(decimals));
    store(c, v, t->out[0]);
}

/* The one type that torch's abs does not have. */
void fn_abs(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int v = value(c, t->in[0]);

    store(c, t->in[0]->dtype == DT_BOOL ? v : at(c, "aten::abs", V(v)), t->out[0]);
}

/* A unary operator over any integer type. */
void fn_wide_unary(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c, at(c, t->row->schema, V(widened(c, t->in[0]))), t->out[0]);
}

/* int64 shifts in the sign; for uint64 the first step clears it. */
void fn_right_shift(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int x = widened(c, t->in[0]), n = widened(c, t->in[1]);
    int v;

    if (t->in[0]->dtype == DT_UINT64) {
        v = at(c, "aten::bitwise_right_shift.Tensor_Scalar", V(x), INT(1));
        v = at(c, "aten::bitwise_and.Scalar", V(v), INT(INT64_MAX));
        v = at(c, t->row->schema, V(v), V(at(c, "aten::sub.Scalar", V(n), INT(1))));
        v = at(c, "aten::where.self", V(at(c, "aten::eq.Scalar", V(n), INT(0))), V(x), V(v));
    } else {
        v = at(c, t->row->schema, V(x), V(n));
    }
    store(c, v, t->out[0]);
}

/* input_data + value * x1 * x2 */
void fn_addcmul(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int v = at(c, t->row->schema, V(wide(c, t->in[1])), V(wide(c, t->in[2])));
    const int scaled_v = multiply(c, v, wide(c, t->in[3]));

    store(c, at(c, "aten::add.Tensor", V(wide(c, t->in[0])), V(scaled_v)), t->out[0]);
}

/* input_data + value * (x1 / x2). Of integers as torch once had it: the quotient loses its
 * fraction, and so does value. */
void fn_addcdiv(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const bool is_int = npu_dtype_is_int(t->in[0]->dtype);
    const int a = wide(c, t->in[1]), b = wide(c, t->in[2]);
    int v, factor = wide(c, t->in[3]);

    if (is_int) {
        v = at(c, "aten::div.Tensor_mode", V(a), V(b), TEXT("trunc"));
        factor = at(c, "aten::to.dtype", V(factor), DTYPE(DT_INT64));
    } else {
        v = at(c, "aten::div.Tensor", V(a), V(b));
    }
    store(c, at(c, "aten::add.Tensor", V(wide(c, t->in[0])), V(multiply(c, v, factor))), t->out[0]);
}

int ordered(struct npu_aten_ctx *c, const struct aclTensor *t)
{
    const int v = widened(c, t);

    return t->dtype == DT_UINT64 ? top_bit(c, v) : v;
}

void fn_clip(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int v = at(c, "aten::maximum", V(ordered(c, t->in[0])), V(ordered(c, t->in[1])));

    v = at(c, "aten::minimum", V(v), V(ordered(c, t->in[2])));
    store(c, t->in[0]->dtype == DT_UINT64 ? top_bit(c, v) : v, t->out[0]);
}

void fn_native_fast_gelu(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    npu_nat_fast_gelu(c, (union npu_arg[]){{.t = t->in[0]}, {.t = t->out[0]}});
}

void fn_swish(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int x = wide(c, t->in[0]);
    const int s = at(c, "aten::mul.Tensor", V(x), DOUBLE(aclop_attr(t, "scale")->real));

    store(c, multiply(c, x, at(c, "aten::sigmoid", V(s))), t->out[0]);
}

void fn_slope(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c,
          at(c, "aten::leaky_relu", V(wide(c, t->in[0])),
             DOUBLE(aclop_attr(t, "negative_slope")->real)),
          t->out[0]);
}

void fn_elu(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c,
          at(c, "aten::elu", V(wide(c, t->in[0])), DOUBLE(aclop_attr(t, "alpha")->real),
             DOUBLE(aclop_attr(t, "scale")->real), DOUBLE(aclop_attr(t, "input_scale")->real)),
          t->out[0]);
}

void fn_relu_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int g = widened(c, t->in[0]), x = widened(c, t->in[1]);

    store(c, at(c, "aten::threshold_backward", V(g), V(x), INT(0)), t->out[0]);
}

/* The gradient by the output. torch conjugates y, here complex_conj asks for it. */
void fn_output_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int y = wide(c, t->in[0]);

    if (BIT(t->in[0]->dtype) & COMPLEXES && !flag(t, "complex_conj"))
        y = at(c, "aten::conj_physical", V(y));
    store(c, at(c, t->row->schema, V(wide(c, t->in[1])), V(y)), t->out[0]);
}

/* Integers in double: in float32, torch's type for a number beside them, they would lose bits. */
static int as_double(struct npu_aten_ctx *c, const struct aclTensor *t)
{
    const int v = at(c, "aten::to.dtype", V(widened(c, t)), DTYPE(DT_DOUBLE));
    int far;

    if (t->dtype != DT_UINT64)
        return v;
    far = at(c, "aten::add.Scalar", V(v), DOUBLE(0x1p64));
    return at(c, "aten::where.self", V(at(c, "aten::lt.Scalar", V(v), INT(0))), V(far), V(v));
}

/* x where it is above threshold, else value */
void fn_threshold(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    const double value = aclop_attr(t, "value")->real;
    const bool is_int = npu_dtype_is_int(x->dtype);
    const int above = at(c, "aten::gt.Scalar", V(is_int ? as_double(c, x) : wide(c, x)),
                         DOUBLE(aclop_attr(t, "threshold")->real));

    store(c,
          at(c, "aten::where.ScalarOther", V(above), V(is_int ? widened(c, x) : wide(c, x)),
             is_int ? INT((int64_t)value) : DOUBLE(value)),
          t->out[0]);
}

void fn_masked_fill(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c,
          at(c, "aten::where.self", TENSOR(c, t->in[1]), TENSOR(c, t->in[2]), TENSOR(c, t->in[0])),
          t->out[0]);
}

void fn_select(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *condition = t->in[0], *x = t->in[1];
    int64_t dim[ACLOP_INTS];
    int v = value(c, condition);

    for (uint32_t k = 0; k < x->n_dims; k++)
        dim[k] = k ? 1 : condition->n_dims ? condition->dim[0] : 1;
    if (condition->n_dims == 1)
        v = at(c, "aten::reshape", V(v), list(dim, x->n_dims));
    store(c, at(c, "aten::where.self", V(v), TENSOR(c, x), TENSOR(c, t->in[2])), t->out[0]);
}

/* ---- order of elements ---- */

void fn_spread(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t dims[ACLOP_INTS];
    const int64_t n = aclop_ints(c, t->in[1], dims);

    store(c, at(c, "aten::expand", TENSOR(c, t->in[0]), list(dims, n)), t->out[0]);
}

void fn_fill(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t dims[ACLOP_INTS];
    const int64_t n = aclop_ints(c, t->in[0], dims);
    const int v = at(c, "aten::reshape", TENSOR(c, t->in[1]), INTS(1));

    store(c, at(c, "aten::expand", V(v), list(dims, n)), t->out[0]);
}

void fn_tile(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t times[ACLOP_INTS];
    const int64_t n = aclop_ints(c, t->in[1], times);

    if (n != t->in[0]->n_dims)
        npu_aten()->fail(c, "multiples needs one value for each dimension of x");
    store(c, at(c, "aten::repeat", TENSOR(c, t->in[0]), list(times, n)), t->out[0]);
}

void fn_permute(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t perm[ACLOP_INTS];
    const int64_t n = aclop_ints(c, t->in[1], perm);

    store(c, at(c, "aten::permute", TENSOR(c, t->in[0]), list(perm, n)), t->out[0]);
}

void fn_flip(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t axes[ACLOP_INTS];
    const int64_t n = aclop_ints(c, t->in[1], axes);

    store(c, at(c, "aten::flip", V(widened(c, t->in[0])), list(axes, n)), t->out[0]);
}

void fn_cat(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const bool is_pack = !strcmp(t->row->type, "Pack");
    const struct aclop_value *n = aclop_attr(t, "N");
    int v[ACLOP_TENSORS];

    if (n->given && n->ints[0] != t->n_in)
        npu_aten()->fail(c, "N is not the number of inputs");
    for (int i = 0; i < t->n_in; i++)
        v[i] = value(c, t->in[i]);
    store(c,
          at(c, t->row->schema, ((struct npu_value){.kind = V_LIST, .i = t->n_in, .p = v}),
             INT(aclop_attr(t, is_pack ? "axis" : "concat_dim")->ints[0])),
          t->out[0]);
}

/* A size of -1 reaches to the end. */
void fn_slice(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t begin[ACLOP_INTS], size[ACLOP_INTS];
    const struct aclTensor *x = t->in[0];
    int v = value(c, x);

    if (aclop_ints(c, t->in[1], begin) != x->n_dims || aclop_ints(c, t->in[2], size) != x->n_dims) {
        npu_aten()->fail(c, "offsets and size need one value for each dimension of x");
        return;
    }
    for (int64_t i = 0; i < (int64_t)x->n_dims && !npu_aten()->failed(c); i++)
        v = at(c, "aten::narrow", V(v), INT(i), INT(begin[i]),
               INT(size[i] < 0 ? x->dim[i] - begin[i] : size[i]));
    store(c, v, t->out[0]);
}

struct strided {
    int64_t begin[ACLOP_INTS], end[ACLOP_INTS], step[ACLOP_INTS];
};

/* One dimension of x[begin:end:step] as Python has it; a negative step walks the flipped tensor. */
static int stride_one(struct npu_aten_ctx *c, int v, int64_t dim, int64_t size,
                      const struct strided *s, int64_t i, unsigned open)
{
    const int64_t step = s->step[i];
    int64_t begin = s->begin[i] < 0 ? s->begin[i] + size : s->begin[i];
    int64_t end = s->end[i] < 0 ? s->end[i] + size : s->end[i];

    if (!step)
        npu_aten()->fail(c, "a stride is 0");
    if (step < 0) {
        v = at(c, "aten::flip", V(v), list(&dim, 1));
        begin = size - 1 - begin;
        end = size - 1 - end;
    }
    begin = open & 1 || begin < 0 ? 0 : begin;
    end = open & 2 || end > size ? size : end;
    return at(c, "aten::slice.Tensor", V(v), INT(dim), INT(begin), INT(end < begin ? begin : end),
              INT(step < 0 ? -step : step));
}

static bool mask_bit(const struct aclop_task *t, const char *name, int64_t i)
{
    return aclop_attr(t, name)->ints[0] >> i & 1;
}

/* Which places name a dimension of x, and how many of its dimensions an ellipsis stands for. */
static int64_t behind_ellipsis(const struct aclop_task *t, int64_t n)
{
    int64_t named = 0;

    for (int64_t i = 0; i < n; i++)
        named += !mask_bit(t, "ellipsis_mask", i) && !mask_bit(t, "new_axis_mask", i);
    return (int64_t)t->in[0]->n_dims - named;
}

/* One place of begin, end and strides. *dim is the dimension of v that it is at, *from that of x.
 */
static int place(struct npu_aten_ctx *c, const struct aclop_task *t, int v, const struct strided *s,
                 int64_t i, int64_t skip, int64_t *dim, int64_t *from)
{
    if (mask_bit(t, "ellipsis_mask", i)) {
        *dim += skip;
        *from += skip;
        return v;
    }
    if (mask_bit(t, "new_axis_mask", i)) {
        ++*dim;
        return at(c, "aten::unsqueeze", V(v), INT(*dim - 1));
    }
    if (mask_bit(t, "shrink_axis_mask", i)) {
        ++*from;
        return at(c, "aten::select.int", V(v), INT(*dim), INT(s->begin[i]));
    }
    v = stride_one(c, v, *dim, t->in[0]->dim[*from], s, i,
                   (unsigned)mask_bit(t, "begin_mask", i) | (unsigned)mask_bit(t, "end_mask", i)
                                                                << 1);
    ++*dim;
    ++*from;
    return v;
}

void fn_strided_slice(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    struct strided s;
    const int64_t n = aclop_ints(c, t->in[1], s.begin), skip = behind_ellipsis(t, n);
    int v = widened(c, t->in[0]); /* flip knows few unsigned types */
    int64_t dim = 0, from = 0;

    if (aclop_ints(c, t->in[2], s.end) != n || aclop_ints(c, t->in[3], s.step) != n || skip < 0)
        npu_aten()->fail(c, "begin, end and strides differ in length, or are longer than x");
    for (int64_t i = 0; i < n && !npu_aten()->failed(c); i++)
        v = place(c, t, v, &s, i, skip, &dim, &from);
    store(c, v, t->out[0]);
}

static int padded(struct npu_aten_ctx *c, int v, const int64_t *pad, int64_t n)
{
    return at(c, "aten::constant_pad_nd", V(v), list(pad, n), INT(0));
}

/* torch wants the pairs from the last dimension on. The value goes in by a mask: as a scalar it
 * would lose bits of an int64 or a complex. */
static void pad_constant(struct npu_aten_ctx *c, const struct aclop_task *t, const int64_t *before,
                         const int64_t *after)
{
    const int64_t n_dims = t->in[0]->n_dims;
    int64_t mirrored[ACLOP_INTS];
    int v;

    for (int64_t i = 0; i < n_dims; i++) {
        mirrored[2 * i] = before[n_dims - 1 - i];
        mirrored[2 * i + 1] = after[n_dims - 1 - i];
    }
    v = padded(c, value(c, t->in[0]), mirrored, 2 * n_dims);
    if (t->n_in > 2 && t->in[2]) {
        const int ones = at(c, "aten::ones_like", TENSOR(c, t->in[0]));
        const int inside = padded(c, ones, mirrored, 2 * n_dims);

        v = at(c, "aten::where.self", V(at(c, "aten::ne.Scalar", V(inside), INT(0))), V(v),
               V(at(c, "aten::reshape", TENSOR(c, t->in[2]), list(NULL, 0))));
    }
    store(c, v, t->out[0]);
}

/* The element that stands at place i of a padded dimension of n: at the edge, or mirrored at it or
 * behind it. */
static int64_t mirrored_at(const char *mode, int64_t i, int64_t n)
{
    const bool is_edge = !strcmp(mode, "edge"), is_symmetric = !strcmp(mode, "SYMMETRIC");

    if (i < 0)
        return is_edge ? 0 : is_symmetric ? -1 - i : -i;
    if (i >= n)
        return is_edge ? n - 1 : is_symmetric ? 2 * n - 1 - i : 2 * n - 2 - i;
    return i;
}

static int mirror_dim(struct npu_aten_ctx *c, int v, int64_t dim, int64_t n, const char *mode,
                      int64_t before, int64_t after)
{
    const int64_t size = before + n + after;
    int64_t *index = calloc((size_t)(size > 0 ? size : 0) + 1, sizeof *index);

    for (int64_t i = 0; index && i < size; i++) {
        index[i] = mirrored_at(mode, i - before, n);
        if (index[i] < 0 || index[i] >= n)
            npu_aten()->fail(c, "a mirrored padding is longer than its dimension");
    }
    if (!index)
        npu_aten()->fail(c, "no memory for the padding");
    v = at(c, "aten::index_select", V(v), INT(dim),
           V(npu_aten()->blob(c, index, DT_INT64, &size, 1)));
    free(index);
    return v;
}

/* constant, or what stands at the edge. */
void fn_pad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclop_value *contiguous = aclop_attr(t, "paddings_contiguous");
    const char *mode = aclop_attr(t, "mode")->text;
    const bool by_pairs = !contiguous->n || contiguous->ints[0];
    const int64_t n_dims = t->in[0]->n_dims;
    int64_t pad[ACLOP_INTS] = {0}, before[ACLOP_INTS], after[ACLOP_INTS];
    int v;

    if (aclop_ints(c, t->in[1], pad) != 2 * n_dims || 2 * n_dims > ACLOP_INTS) {
        npu_aten()->fail(c, "paddings needs two values for each dimension of x");
        return;
    }
    for (int64_t i = 0; i < n_dims; i++) {
        before[i] = by_pairs ? pad[2 * i] : pad[i];
        after[i] = by_pairs ? pad[2 * i + 1] : pad[n_dims + i];
    }
    if (!*mode || !strcmp(mode, "constant")) {
        pad_constant(c, t, before, after);
        return;
    }
    v = value(c, t->in[0]);
    for (int64_t i = 0; i < n_dims; i++)
        v = mirror_dim(c, v, i, t->in[0]->dim[i], mode, before[i], after[i]);
    store(c, v, t->out[0]);
}

/* Indices of any shape take the place of the axis; those of the first batch_dims dimensions choose
 * in their own part of x. */
void fn_gather(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *i = t->in[1];
    const int64_t batch = aclop_batch_dims(t);
    int64_t room[ACLOP_INTS];
    const int64_t axis = aclop_ints(c, t->in[2], room) == 1 ? aclop_axis(x, *room) : -1;
    int v, index = at(c, "aten::to.dtype", TENSOR(c, i), DTYPE(DT_INT64));

    if (axis < batch) {
        npu_aten()->fail(c, "axis is one value, of a dimension of x behind batch_dims");
        return;
    }
    const int64_t n_batch = aclop_product(x->dim, batch), size = x->dim[axis];
    const int64_t n_before = aclop_product(x->dim + batch, axis - batch);
    const int64_t n_behind = aclop_product(x->dim + axis + 1, x->n_dims - axis - 1);
    const int64_t n_chosen = aclop_product(i->dim + batch, i->n_dims - batch);

    if (flag(t, "negative_index_support"))
        index = at(c, "aten::where.self", V(at(c, "aten::lt.Scalar", V(index), INT(0))),
                   V(at(c, "aten::add.Scalar", V(index), INT(size))), V(index));
    index = at(c, "aten::reshape", V(index), INTS(n_batch, 1, n_chosen, 1));
    index = at(c, "aten::expand", V(index), INTS(n_batch, n_before, n_chosen, n_behind));
    v = at(c, "aten::reshape", V(widened(c, x)), INTS(n_batch, n_before, size, n_behind));
    v = at(c, "aten::gather", V(v), INT(2), V(index));
    store(c, at(c, "aten::reshape", V(v), dims_of(t->out[0])), t->out[0]);
}

/* ---- reductions ---- */

/* Axes of a reduction: without any, all of them or none. */
static int64_t reduced(struct npu_aten_ctx *c, const struct aclop_task *t, int64_t axes[ACLOP_INTS])
{
    int64_t n = aclop_ints(c, t->in[1], axes);

    if (!n && aclop_attr(t, "noop_with_empty_axes")->n && !flag(t, "noop_with_empty_axes"))
        for (; n < (int64_t)t->in[0]->n_dims; n++)
            axes[n] = n;
    return n;
}

void fn_reduce(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t axes[ACLOP_INTS];
    const int64_t n = reduced(c, t, axes);
    const bool flips = t->in[0]->dtype == DT_UINT64 && !strncmp(t->row->schema, "aten::am", 8);
    const int x = flips ? top_bit(c, widened(c, t->in[0])) : widened(c, t->in[0]);
    const int v = n ? at(c, t->row->schema, V(x), list(axes, n), BOOL(flag(t, "keep_dims"))) : x;

    store(c, flips ? top_bit(c, v) : v, t->out[0]);
}

/* Without its fraction, and without a sum that overflows: of x = q * n + r with r in [0, n) it is
 * the sum of the q, with the sum of the r over n. v is int64; the result is rounded down. */
static int integer_mean(struct npu_aten_ctx *c, int v, int64_t n, struct npu_value axes,
                        struct npu_value keep, int *has_fraction)
{
    const int q = at(c, "aten::div.Scalar_mode", V(v), INT(n), TEXT("floor"));
    const int r = at(c, "aten::remainder.Scalar", V(v), INT(n));
    const int rest = at(c, "aten::sum.dim_IntList", V(r), axes, keep);

    *has_fraction =
        at(c, "aten::ne.Scalar", V(at(c, "aten::remainder.Scalar", V(rest), INT(n))), INT(0));
    return at(c, "aten::add.Tensor", V(at(c, "aten::sum.dim_IntList", V(q), axes, keep)),
              V(at(c, "aten::div.Scalar_mode", V(rest), INT(n), TEXT("floor"))));
}

/* Of integers without its fraction. With its top bit flipped a uint64 is a signed number to be
 * rounded down; of another negative mean the next integer towards 0 is meant. */
void fn_reduce_mean(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    int64_t axes[ACLOP_INTS], count = 1;
    const int64_t n = reduced(c, t, axes);
    int v, has_fraction;

    if (!npu_dtype_is_int(x->dtype) || !n) {
        fn_reduce(c, t);
        return;
    }
    for (int64_t i = 0; i < n && x->n_dims; i++)
        count *= x->dim[aclop_axis(x, axes[i])];
    if (!count)
        npu_aten()->fail(c, "no integers have no mean");
    v = integer_mean(c, at(c, "aten::to.dtype", V(ordered(c, x)), DTYPE(DT_INT64)), count,
                     list(axes, n), BOOL(flag(t, "keep_dims")), &has_fraction);
    if (x->dtype == DT_UINT64)
        v = top_bit(c, v);
    else
        v = at(c, "aten::add.Tensor", V(v),
               V(at(c, "aten::logical_and", V(has_fraction),
                    V(at(c, "aten::lt.Scalar", V(v), INT(0))))));
    store(c, v, t->out[0]);
}

/* torch multiplies along one dimension at a time. */
void fn_reduce_prod(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t axes[ACLOP_INTS];
    const int64_t n = reduced(c, t, axes);
    const bool half = is_half(t->in[0]->dtype);
    int v = half ? wide(c, t->in[0]) : widened(c, t->in[0]);

    for (int64_t i = 0; i < n; i++)
        v = at(c, "aten::prod.dim_int", V(v), INT(axes[i]), BOOL(true));
    if (n && !flag(t, "keep_dims"))
        v = at(c, "aten::reshape", V(v), dims_of(t->out[0]));
    store(c, v, t->out[0]);
}

/* Index first, value second; among equals the first one. */
void fn_extreme(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int v = at(c, t->row->schema, TENSOR(c, t->in[0]),
                     INT(aclop_attr(t, "dimension")->ints[0]), BOOL(flag(t, "keep_dims")));

    store(c, v + 1, t->out[0]);
    store(c, v, t->out[1]);
}

/* exclusive: element i is what stands before it, so x moves on by one behind the neutral value. */
static int shifted(struct npu_aten_ctx *c, const struct aclop_task *t, int v, int64_t axis)
{
    const int64_t dim = aclop_axis(t->in[0], axis), from_last = (int64_t)t->in[0]->n_dims - 1 - dim;
    int64_t pad[ACLOP_INTS] = {0};
    const bool is_sum = !strcmp(t->row->type, "Cumsum");

    if (dim < 0 || 2 * from_last + 1 >= ACLOP_INTS)
        return v;
    pad[2 * from_last] = 1;
    pad[2 * from_last + 1] = -1;
    return at(c, "aten::constant_pad_nd", V(v), list(pad, 2 * from_last + 2), INT(is_sum ? 0 : 1));
}

void fn_cumulate(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t axis[ACLOP_INTS];
    const bool one = aclop_ints(c, t->in[1], axis) == 1;
    int v = is_half(t->in[0]->dtype) ? wide(c, t->in[0]) : widened(c, t->in[0]);

    if (!one) {
        npu_aten()->fail(c, "axis is one value");
        return;
    }
    if (flag(t, "reverse"))
        v = at(c, "aten::flip", V(v), list(axis, 1));
    if (flag(t, "exclusive"))
        v = shifted(c, t, v, axis[0]);
    v = at(c, t->row->schema, V(v), INT(axis[0]));
    if (flag(t, "reverse"))
        v = at(c, "aten::flip", V(v), list(axis, 1));
    store(c, v, t->out[0]);
}

void fn_sort(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const bool flipped = t->in[0]->dtype == DT_UINT64;
    const int x = widened(c, t->in[0]);
    const int sorted = at(c, "aten::sort.stable", V(flipped ? top_bit(c, x) : x), BOOL(true),
                          INT(aclop_attr(t, "axis")->ints[0]), BOOL(flag(t, "descending")));
    const int v = flipped ? top_bit(c, sorted) : sorted;

    store(c, v, t->out[0]);
    store(c, sorted + 1, t->out[1]);
}

/* A norm is two operators: the sum of |x|^p, then its root. An infinite p travels as INT_MIN or
 * INT_MAX, and 0 counts; neither has a root. */
static bool p_has_root(double p)
{
    return p != 0 && p < 0x1p31 && p > -0x1p31;
}

void fn_norm_reduce(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclop_value *axes = aclop_attr(t, "axes");
    const struct npu_value dims = list(axes->ints, axes->n), keep = BOOL(flag(t, "keepdim"));
    const double p = aclop_attr(t, "p")->real;
    int v = at(c, "aten::abs", V(wide(c, t->in[0])));

    if (p >= 0x1p31)
        v = at(c, "aten::amax", V(v), dims, keep);
    else if (p <= -0x1p31)
        v = at(c, "aten::amin", V(v), dims, keep);
    else if (p == 0)
        v = at(c, "aten::sum.dim_IntList", V(at(c, "aten::ne.Scalar", V(v), INT(0))), dims, keep);
    else
        v = at(c, "aten::sum.dim_IntList", V(at(c, "aten::pow.Tensor_Scalar", V(v), DOUBLE(p))),
               dims, keep);
    store(c, v, t->out[0]);
}

/* At least epsilon; in half that is 1e-7, because a smaller one would be 0. */
void fn_norm_update(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const double p = aclop_attr(t, "p")->real, least = t->in[0]->dtype == DT_FLOAT16 ? 1e-7 : 0;
    int v = wide(c, t->in[0]);

    if (p_has_root(p))
        v = at(c, "aten::pow.Tensor_Scalar", V(v), DOUBLE(1 / p));
    v = at(c, "aten::clamp_min", V(v), DOUBLE(fmax(aclop_attr(t, "epsilon")->real, least)));
    store(c, v, t->out[0]);
}

/* ---- norms and softmax ---- */

/* x - mean over dims, and what the statistics are stored as. */
struct normal {
    int y, mean, variance, rstd;
};

/* The variance is that of the population: the mean of (x - mean)^2. */
static struct normal normalise(struct npu_aten_ctx *c, const struct aclTensor *x, int64_t first,
                               double eps)
{
    int64_t dims[ACLOP_INTS];
    const int64_t n = (int64_t)x->n_dims - first;
    const int v = as_float(c, value(c, x));
    struct normal s;
    int centred;

    for (int64_t i = 0; i < n; i++)
        dims[i] = first + i;
    s.mean = at(c, "aten::mean.dim", V(v), list(dims, n), BOOL(true));
    centred = at(c, "aten::sub.Tensor", V(v), V(s.mean));
    s.variance =
        at(c, "aten::mean.dim", V(at(c, "aten::square", V(centred))), list(dims, n), BOOL(true));
    s.rstd = at(c, "aten::rsqrt", V(at(c, "aten::add.Tensor", V(s.variance), DOUBLE(eps))));
    s.y = multiply(c, centred, s.rstd);
    return s;
}

/* y * gamma + beta, either of which may be absent. */
static int affine(struct npu_aten_ctx *c, int y, const struct aclTensor *gamma,
                  const struct aclTensor *beta)
{
    if (gamma)
        y = multiply(c, y, as_float(c, value(c, gamma)));
    if (beta)
        y = at(c, "aten::add.Tensor", V(y), V(as_float(c, value(c, beta))));
    return y;
}

static void layer_norm(struct npu_aten_ctx *c, const struct aclop_task *t, bool wants_variance)
{
    const int64_t first = aclop_axis(t->in[0], aclop_attr(t, "begin_norm_axis")->ints[0]);
    const struct normal s = normalise(c, t->in[0], first, aclop_attr(t, "epsilon")->real);

    store(c, affine(c, s.y, t->in[1], t->in[2]), t->out[0]);
    store(c, s.mean, t->out[1]);
    store(c, wants_variance ? s.variance : s.rstd, t->out[2]);
}

void fn_layer_norm(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    layer_norm(c, t, true);
}

void fn_layer_norm_v3(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    layer_norm(c, t, false);
}

void fn_layer_norm_v4(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t shape[ACLOP_INTS];
    const int64_t n = aclop_ints(c, t->in[1], shape), first = (int64_t)t->in[0]->n_dims - n;
    const struct normal s = normalise(c, t->in[0], first, aclop_attr(t, "epsilon")->real);

    if (memcmp(shape, t->in[0]->dim + first, (size_t)n * sizeof *shape) != 0)
        npu_aten()->fail(c, "normalized_shape is not the shape of the last dimensions of x");
    store(c, affine(c, s.y, t->n_in > 2 ? t->in[2] : NULL, t->n_in > 3 ? t->in[3] : NULL),
          t->out[0]);
    store(c, s.mean, t->out[1]);
    store(c, s.rstd, t->out[2]);
}

void fn_rms_norm(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    npu_nat_rms_norm(c, (union npu_arg[]){{.t = t->in[0]},
                                          {.t = t->in[1]},
                                          {.d = aclop_attr(t, "epsilon")->real},
                                          {.t = t->out[0]},
                                          {.t = t->out[1]}});
}

void fn_rms_norm_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    npu_nat_rms_norm_grad(c, (union npu_arg[]){{.t = t->in[0]},
                                               {.t = t->in[1]},
                                               {.t = t->in[2]},
                                               {.t = t->in[3]},
                                               {.t = t->out[0]},
                                               {.t = t->out[1]}});
}

void fn_add_rms_norm(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    npu_nat_add_rms_norm(c, (union npu_arg[]){{.t = t->in[0]},
                                              {.t = t->in[1]},
                                              {.t = t->in[2]},
                                              {.d = aclop_attr(t, "epsilon")->real},
                                              {.t = t->out[0]},
                                              {.t = t->out[1]},
                                              {.t = t->out[2]}});
}

/* Over several axes at once; with half_to_float the output is not rounded to half. */
void fn_softmax(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclop_value *axes = aclop_attr(t, "axes");
    const struct npu_value dims = list(axes->ints, axes->n);
    const bool widens = flag(t, "half_to_float") && t->in[0]->dtype == DT_FLOAT16;
    const int x = wide(c, t->in[0]);
    int v = at(c, "aten::sub.Tensor", V(x), V(at(c, "aten::amax", V(x), dims, BOOL(true))));

    if (t->out[0]->dtype != (widens ? DT_FLOAT : t->in[0]->dtype))
        npu_aten()->fail(c, "y has the type of x, or float32 for float16 with half_to_float");
    v = at(c, "aten::exp", V(v));
    store(
        c,
        at(c, "aten::div.Tensor", V(v), V(at(c, "aten::sum.dim_IntList", V(v), dims, BOOL(true)))),
        t->out[0]);
}

void fn_softmax_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclop_value *axes = aclop_attr(t, "axes");
    const int y = wide(c, t->in[0]), g = wide(c, t->in[1]);
    const int sum =
        at(c, "aten::sum.dim_IntList", V(multiply(c, y, g)), list(axes->ints, axes->n), BOOL(true));

    store(c, multiply(c, at(c, "aten::sub.Tensor", V(g), V(sum)), y), t->out[0]);
}

/* ---- products ---- */

static int matrix(struct npu_aten_ctx *c, const struct aclTensor *t, bool transposed)
{
    const int v =
        t->dtype == DT_INT8 ? at(c, "aten::to.dtype", TENSOR(c, t), DTYPE(DT_INT32)) : wide(c, t);

    return transposed ? at(c, "aten::transpose.int", V(v), INT(-2), INT(-1)) : v;
}

void fn_matmul(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int a = matrix(c, t->in[0], flag(t, "transpose_x1"));
    const int b = matrix(c, t->in[1], flag(t, "transpose_x2"));
    int v;

    if (t->in[0]->n_dims != 2 || t->in[1]->n_dims != 2)
        npu_aten()->fail(c, "x1 and x2 must have 2 dimensions");
    v = at(c, "aten::mm", V(a), V(b));
    if (t->n_in > 2 && t->in[2])
        v = at(c, "aten::add.Tensor", V(v), V(wide(c, t->in[2])));
    store(c, v, t->out[0]);
}

void fn_batch_matmul(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int a = matrix(c, t->in[0], flag(t, "adj_x1"));
    const int b = matrix(c, t->in[1], flag(t, "adj_x2"));

    store(c, at(c, "aten::matmul", V(a), V(b)), t->out[0]);
}

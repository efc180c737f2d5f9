/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activation.c - activations without an ATen operator of their own, and rotary embedding.
 */
#include "native.h"

/* Two halves along a dimension; the second follows the first. */
static int halves(struct npu_aten_ctx *c, int v, int64_t dim)
{
    return at(c, "aten::chunk", V(v), INT(2), INT(dim));
}

static int64_t axis(const struct aclTensor *t, int64_t dim)
{
    return dim < 0 ? dim + (int64_t)t->n_dims : dim;
}

static const char *check_halves(const struct aclTensor *t, int64_t dim)
{
    const int64_t d = axis(t, dim);

    if (d < 0 || d >= (int64_t)t->n_dims)
        return "dim is outside the dimensions of x";
    return t->dim[d] % 2 ? "the size of x along dim must be even" : NULL;
}

const char *npu_check_swiglu(const union npu_arg *a)
{
    return check_halves(a[0].t, a[1].i);
}

const char *npu_check_swiglu_grad(const union npu_arg *a)
{
    return check_halves(a[1].t, a[2].i);
}

/* x = [u, w]: silu(u) * w */
void npu_nat_swiglu(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int x = at(c, "aten::to.dtype", TENSOR(c, a[0].t), DTYPE(DT_FLOAT));
    const int u = halves(c, x, a[1].i);

    store(c, at(c, "aten::mul.Tensor", V(at(c, "aten::silu", V(u))), V(u + 1)), a[2].t);
}

void npu_nat_swiglu_grad(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int dy = at(c, "aten::to.dtype", TENSOR(c, a[0].t), DTYPE(DT_FLOAT));
    const int x = at(c, "aten::to.dtype", TENSOR(c, a[1].t), DTYPE(DT_FLOAT));
    const int u = halves(c, x, a[2].i);
    const int du =
        at(c, "aten::silu_backward", V(at(c, "aten::mul.Tensor", V(dy), V(u + 1))), V(u));
    const int dw = at(c, "aten::mul.Tensor", V(dy), V(at(c, "aten::silu", V(u))));

    store(c, at(c, "aten::cat", LIST(du, dw), INT(a[2].i)), a[3].t);
}

/* x * sigmoid(1.702 x) */
void npu_nat_fast_gelu(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int x = value(c, a[0].t);
    const int s = at(c, "aten::sigmoid", V(at(c, "aten::mul.Tensor", V(x), DOUBLE(1.702))));

    store(c, at(c, "aten::mul.Tensor", V(x), V(s)), a[1].t);
}

/* s + 1.702 x s (1 - s) */
void npu_nat_fast_gelu_backward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int x = at(c, "aten::mul.Tensor", TENSOR(c, a[1].t), DOUBLE(1.702));
    const int s = at(c, "aten::sigmoid", V(x));
    int v = at(c, "aten::mul.Tensor", V(s), V(at(c, "aten::rsub.Scalar", V(s), INT(1))));

    v = at(c, "aten::add.Tensor", V(s), V(at(c, "aten::mul.Tensor", V(x), V(v))));
    store(c, at(c, "aten::mul.Tensor", TENSOR(c, a[0].t), V(v)), a[2].t);
}

/* The weight has one value, or one a channel (dimension 1). */
static int prelu_weight(struct npu_aten_ctx *c, const struct aclTensor *x,
                        const struct aclTensor *weight)
{
    int64_t dims[NPU_MAX_DIMS];
    const int64_t n = npu_tensor_numel(weight);

    for (uint32_t i = 0; i < x->n_dims; i++)
        dims[i] = i == 1 ? n : 1;
    if (x->n_dims == 1)
        dims[0] = n;
    return at(c, "aten::reshape", TENSOR(c, weight),
              ((struct npu_value){.kind = V_INTS, .i = x->n_dims, .p = dims}));
}

void npu_nat_prelu(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, at(c, "aten::_prelu_kernel", TENSOR(c, a[0].t), V(prelu_weight(c, a[0].t, a[1].t))),
          a[2].t);
}

void npu_nat_prelu_backward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *x = a[1].t, *dw = a[4].t;
    const int weight = prelu_weight(c, x, a[2].t);
    const int v = at(c, "aten::_prelu_kernel_backward", TENSOR(c, a[0].t), TENSOR(c, x), V(weight));
    int64_t dims[NPU_MAX_DIMS];

    for (uint32_t i = 0; i < x->n_dims; i++)
        dims[i] = npu_aten()->size(c, weight, (int)i);
    store(c, v, a[3].t);
    store(c,
          at(c, "aten::sum_to_size", V(v + 1),
             ((struct npu_value){.kind = V_INTS, .i = x->n_dims, .p = dims})),
          dw);
}

/* ---- rotary embedding: x cos + rotate(x) sin ---- */

enum rotary { ROTARY_HALF = 0, ROTARY_INTERLEAVE = 1 };

static const char *check_rotary(const struct aclTensor *x, int64_t mode)
{
    if (mode != ROTARY_HALF && mode != ROTARY_INTERLEAVE)
        return "mode must be 0 (half) or 1 (interleave); quarter forms are not modelled";
    if (x->n_dims == 0 || x->dim[x->n_dims - 1] % 2)
        return "the last dimension of x must be even";
    return NULL;
}

const char *npu_check_rotary(const union npu_arg *a)
{
    return check_rotary(a[0].t, a[3].i);
}

const char *npu_check_rotary_grad(const union npu_arg *a)
{
    if ((a[6].t || a[7].t) && !a[3].t)
        return "dcosOut and dsinOut need xOptional";
    return check_rotary(a[0].t, a[4].i);
}

/* (x1, x2) -> (-x2, x1); with back the transposed map (x1, x2) -> (x2, -x1). */
static int rotate(struct npu_aten_ctx *c, int x, int64_t mode, bool back)
{
    int first, second, minus;

    if (mode == ROTARY_HALF) {
        first = halves(c, x, -1);
        second = first + 1;
    } else {
        first = at(c, "aten::slice.Tensor", V(x), INT(-1), INT(0), NONE, INT(2));
        second = at(c, "aten::slice.Tensor", V(x), INT(-1), INT(1), NONE, INT(2));
    }
    minus = at(c, "aten::neg", V(back ? first : second));
    if (back) {
        first = second;
        second = minus;
    } else {
        second = first;
        first = minus;
    }
    if (mode == ROTARY_HALF)
        return at(c, "aten::cat", LIST(first, second), INT(-1));
    return at(c, "aten::flatten.using_ints", V(at(c, "aten::stack", LIST(first, second), INT(-1))),
              INT(-2), INT(-1));
}

void npu_nat_rotary(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int x = value(c, a[0].t);
    const int v = at(c, "aten::mul.Tensor", V(x), TENSOR(c, a[1].t));
    const int w = at(c, "aten::mul.Tensor", V(rotate(c, x, a[3].i, false)), TENSOR(c, a[2].t));

    store(c, at(c, "aten::add.Tensor", V(v), V(w)), a[4].t);
}

static void store_summed(struct npu_aten_ctx *c, int v, const struct aclTensor *out)
{
    if (out)
        store(c,
              at(c, "aten::sum_to_size", V(v),
                 ((struct npu_value){.kind = V_INTS, .i = out->n_dims, .p = out->dim})),
              out);
}

void npu_nat_rotary_grad(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int dy = value(c, a[0].t);
    const int v = at(c, "aten::mul.Tensor", V(dy), TENSOR(c, a[1].t));
    const int w = at(c, "aten::mul.Tensor", V(dy), TENSOR(c, a[2].t));

    store(c, at(c, "aten::add.Tensor", V(v), V(rotate(c, w, a[4].i, true))), a[5].t);
    if (!a[3].t)
        return;
    store_summed(c, at(c, "aten::mul.Tensor", V(dy), TENSOR(c, a[3].t)), a[6].t);
    store_summed(c, at(c, "aten::mul.Tensor", V(dy), V(rotate(c, value(c, a[3].t), a[4].i, false))),
                 a[7].t);
}

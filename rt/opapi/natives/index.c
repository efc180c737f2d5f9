/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - nonzero, and the scatters whose reduction travels as a number.
 */
#include "native.h"

/* [n_dims, n], where torch's nonzero is [n, n_dims]. */
void npu_nat_nonzero_v2(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int v = at(c, "aten::nonzero", TENSOR(c, a[0].t));

    store_dynamic(c, at(c, "aten::t", V(v)), a[1].t);
}

/* 0 writes, 1 adds, 2 multiplies; the word of the reduction, NULL for writing. */
static const char *reduction(struct npu_aten_ctx *c, int64_t number)
{
    if (number < 0 || number > 2)
        npu_aten()->fail(c, "reduce must be 0 (none), 1 (add) or 2 (multiply)");
    return number == 1 ? "add" : number == 2 ? "multiply" : NULL;
}

static int scatter(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const char *word = reduction(c, a[4].i);

    if (word)
        return at(c, "aten::scatter.reduce", TENSOR(c, a[0].t), INT(a[1].i), TENSOR(c, a[2].t),
                  TENSOR(c, a[3].t), TEXT(word));
    return at(c, "aten::scatter.src", TENSOR(c, a[0].t), INT(a[1].i), TENSOR(c, a[2].t),
              TENSOR(c, a[3].t));
}

static int scatter_value(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const char *word = reduction(c, a[4].i);

    if (word)
        return at(c, "aten::scatter.value_reduce", TENSOR(c, a[0].t), INT(a[1].i),
                  TENSOR(c, a[2].t), SCALAR(a[3].s), TEXT(word));
    return at(c, "aten::scatter.value", TENSOR(c, a[0].t), INT(a[1].i), TENSOR(c, a[2].t),
              SCALAR(a[3].s));
}

void npu_nat_scatter(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, scatter(c, a), a[5].t);
}

void npu_nat_scatter_value(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, scatter_value(c, a), a[5].t);
}

void npu_nat_inplace_scatter(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, scatter(c, a), a[0].t);
}

void npu_nat_inplace_scatter_value(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, scatter_value(c, a), a[0].t);
}

/* ---- unique: shapes are known only when it has run ---- */

enum { NO_DIM = 1000 }; /* how torch_npu says "of the flattened tensor" */

/* Values, inverse and counts; the last two stay empty unless they were asked for. */
static void store_unique(struct npu_aten_ctx *c, int v, const union npu_arg *out, bool inverse,
                         bool counts)
{
    store_dynamic(c, v, out[0].t);
    if (inverse)
        store_dynamic(c, v + 1, out[1].t);
    if (counts)
        store_dynamic(c, v + 2, out[2].t);
}

void npu_nat_unique_consecutive(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int v = at(c, "aten::unique_consecutive", TENSOR(c, a[0].t), BOOL(a[1].i), BOOL(a[2].i),
                     a[3].i == NO_DIM ? NONE : INT(a[3].i));

    store_unique(c, v, &a[4], a[1].i, a[2].i);
}

void npu_nat_unique2(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int v =
        at(c, "aten::_unique2", TENSOR(c, a[0].t), BOOL(a[1].i), BOOL(a[2].i), BOOL(a[3].i));

    store_unique(c, v, &a[4], a[2].i, a[3].i);
}

void npu_nat_unique(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int v = at(c, "aten::_unique2", TENSOR(c, a[0].t), BOOL(a[1].i), BOOL(a[2].i));

    store_unique(c, v, &a[3], a[2].i, false);
}

void npu_nat_unique_dim(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int v = at(c, "aten::unique_dim", TENSOR(c, a[0].t), INT(a[3].i), BOOL(a[1].i),
                     BOOL(true), BOOL(true));

    store_unique(c, v, &a[4], true, true);
}

/* ---- others ---- */

void npu_nat_equal(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *x = a[0].t, *y = a[1].t;
    bool same = x->n_dims == y->n_dims;
    int v;

    for (uint32_t i = 0; same && i < x->n_dims; i++)
        same = x->dim[i] == y->dim[i];
    if (same)
        v = at(c, "aten::all", V(at(c, "aten::eq.Tensor", TENSOR(c, x), TENSOR(c, y))));
    else
        v = at(c, "aten::zeros", INTS(1), DTYPE(DT_BOOL));
    store(c, v, a[2].t);
}

const char *npu_check_one_hot(const union npu_arg *a)
{
    if (a[1].i < 0)
        return "numClasses must not be negative";
    if (a[4].i < -1 || a[4].i > (int64_t)a[0].t->n_dims)
        return "axis must be -1 or a dimension of the output";
    return NULL;
}

/* A class outside 0..numClasses-1 has no hot place. */
void npu_nat_one_hot(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int classes = at(c, "aten::arange", INT(a[1].i), DTYPE(DT_INT64));
    const int index = at(c, "aten::unsqueeze", TENSOR(c, a[0].t), INT(-1));
    int v = at(c, "aten::eq.Tensor", V(index), V(classes));

    v = at(c, "aten::where.self", V(v), V(at(c, "aten::reshape", TENSOR(c, a[2].t), INTS(1))),
           V(at(c, "aten::reshape", TENSOR(c, a[3].t), INTS(1))));
    if (a[4].i >= 0)
        v = at(c, "aten::movedim.int", V(v), INT(-1), INT(a[4].i));
    store(c, v, a[5].t);
}

/* Sums each group of rows that repeat_interleave made of one row. */
void npu_nat_repeat_interleave_grad(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *out = a[3].t;
    const int64_t dim = a[2].i < 0 ? a[2].i + (int64_t)out->n_dims : a[2].i;
    const int zero = at(c, "aten::zeros_like", TENSOR(c, out));
    int repeats, index;

    if (dim < 0 || dim >= (int64_t)out->n_dims) {
        npu_aten()->fail(c, "axis is outside the dimensions of the output");
        return;
    }
    repeats = at(c, "aten::reshape", TENSOR(c, a[1].t), INTS(-1));
    repeats = at(c, "aten::expand", V(at(c, "aten::to.dtype", V(repeats), DTYPE(DT_INT64))),
                 INTS(out->dim[dim]));
    index = at(c, "aten::repeat_interleave.Tensor", V(at(c, "aten::contiguous", V(repeats))));
    store(c, at(c, "aten::index_add", V(zero), INT(dim), V(index), TENSOR(c, a[0].t)), out);
}

/* var[indices[i]] = updates[i], where the last dimension of indices is a coordinate. */
void npu_nat_scatter_nd_update(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *indices = a[1].t;
    const int64_t n = indices->n_dims ? indices->dim[indices->n_dims - 1] : 0;
    int at_dim[NPU_MAX_DIMS];
    int parts;

    if (n < 1 || n > (int64_t)a[0].t->n_dims) {
        npu_aten()->fail(c, "the last dimension of indices must be 1 to the dimensions of var");
        return;
    }
    parts = at(c, "aten::unbind.int",
               V(at(c, "aten::to.dtype", TENSOR(c, indices), DTYPE(DT_INT64))), INT(-1));
    for (int64_t i = 0; i < n; i++)
        at_dim[i] = parts + (int)i;
    at(c, "aten::index_put_", TENSOR(c, a[0].t),
       ((struct npu_value){.kind = V_LIST, .i = n, .p = at_dim}), TENSOR(c, a[2].t), BOOL(false));
}

/* Rows of self at index along dim; batch dimensions in front are matched one to one. */
void npu_nat_gather_v3(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *index = a[2].t;
    int flat = at(c, "aten::reshape", TENSOR(c, index), INTS(-1)), v;
    const struct npu_value shape = {.kind = V_INTS, .i = a[5].t->n_dims, .p = a[5].t->dim};

    flat = at(c, "aten::to.dtype", V(flat), DTYPE(DT_INT64));
    v = at(c, "aten::index_select", TENSOR(c, a[0].t), INT(a[1].i), V(flat));
    store(c, at(c, "aten::reshape", V(v), shape), a[5].t);
}

/* ---- linear algebra with another order of results ---- */

/* Torch gives U, S, Vh; the operator wants S, U, V. */
void npu_nat_svd(struct npu_aten_ctx *c, const union npu_arg *a)
{
    int v;

    if (!a[2].i) {
        store(c, at(c, "aten::linalg_svdvals", TENSOR(c, a[0].t)), a[3].t);
        return;
    }
    v = at(c, "aten::_linalg_svd", TENSOR(c, a[0].t), BOOL(a[1].i), BOOL(true));
    store(c, v + 1, a[3].t);
    store(c, v, a[4].t);
    store(c, at(c, "aten::mH", V(v + 2)), a[5].t);
}

/* Minimum and maximum over several dimensions, one after the other. */
void npu_nat_aminmax(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, at(c, "aten::amin", TENSOR(c, a[0].t), INTARRAY(a[1].ia), BOOL(a[2].i)), a[3].t);
    store(c, at(c, "aten::amax", TENSOR(c, a[0].t), INTARRAY(a[1].ia), BOOL(a[2].i)), a[4].t);
}

/* 0 writes; the others reduce, with or without what was there. */
static int scatter_reduce(struct npu_aten_ctx *c, const union npu_arg *a)
{
    static const char *const words[] = {NULL, "sum", "prod", "amax", "amin", "mean"};
    const int64_t n = (int64_t)(sizeof words / sizeof *words);

    if (a[4].i < 0 || a[4].i >= n) {
        npu_aten()->fail(c,
                         "reduce must be 0 (none), 1 (sum), 2 (prod), 3 (max), 4 (min), 5 (mean)");
        return -1;
    }
    if (!words[a[4].i])
        return at(c, "aten::scatter.src", TENSOR(c, a[0].t), INT(a[1].i), TENSOR(c, a[2].t),
                  TENSOR(c, a[3].t));
    return at(c, "aten::scatter_reduce.two", TENSOR(c, a[0].t), INT(a[1].i), TENSOR(c, a[2].t),
              TENSOR(c, a[3].t), TEXT(words[a[4].i]), BOOL(a[5].i));
}

void npu_nat_scatter_reduce(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, scatter_reduce(c, a), a[6].t);
}

void npu_nat_inplace_scatter_reduce(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, scatter_reduce(c, a), a[0].t);
}

/* ---- bags of embeddings ---- */

/* The caller's vector may be longer (a bag behind the last offset), or empty when it is not wanted.
 */
static void store_front(struct npu_aten_ctx *c, int v, const struct aclTensor *out)
{
    struct aclTensor view = *out;
    const int n_dims = npu_aten()->n_dims(c, v);

    if (n_dims == 1 && out->n_dims == 1 && npu_aten()->size(c, v, 0) < out->dim[0])
        view.dim[0] = npu_aten()->size(c, v, 0);
    store(c, v, &view);
}

void npu_nat_embedding_bag(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int v =
        at(c, "aten::_embedding_bag", TENSOR(c, a[0].t), TENSOR(c, a[1].t), TENSOR(c, a[2].t),
           BOOL(a[3].i), INT(a[4].i), BOOL(a[5].i), TENSOR(c, a[6].t), BOOL(a[7].i), INT(a[8].i));

    store(c, v, a[9].t);
    for (int i = 1; i < 4; i++)
        store_front(c, v + i, a[9 + i].t);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop_index.c - operators by GE type name that choose, move and count elements. The shapes that
 * each takes stand before it.
 *
 * Rule: an index that lies on the device is looked at when the operator runs; one outside its
 * dimension is then an error of the device, as on a chip.
 */
#include "aclop_shape.h"
#include <string.h>

void store_shaped(struct npu_aten_ctx *c, const struct aclop_task *t, int i, int v)
{
    struct aclTensor *out = t->out[i];
    const int n_dims = npu_aten()->n_dims(c, v);
    int64_t n = 1;

    for (int k = 0; k < n_dims; k++)
        n *= npu_aten()->size(c, v, k);
    if (n > npu_tensor_numel(out))
        npu_aten()->fail(c, "the result has more elements than the output has room for");
    if (npu_aten()->failed(c))
        return;
    store_dynamic(c, v, out);
    t->shape[i]->n_dims = (int32_t)out->n_dims;
    memcpy(t->shape[i]->dims, out->dim, out->n_dims * sizeof *out->dim);
}

/* ---- scatter and gather along one dimension ---- */

static bool is_no_longer(const struct aclTensor *a, const struct aclTensor *b, int64_t but)
{
    bool ok = a->n_dims == b->n_dims;

    for (uint32_t k = 0; ok && k < a->n_dims; k++)
        ok = k == but || a->dim[k] <= b->dim[k];
    return ok;
}

/* data indices updates: every index of data has a place, and the three agree elsewhere. */
bool shape_scatter(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *index = t->in[1], *updates = t->in[2];
    const int64_t axis = aclop_axis(x, aclop_attr(t, "axis")->ints[0]);
    const char *how = aclop_attr(t, "reduction")->text;

    if (axis < 0)
        return no_axis(t, "axis", aclop_attr(t, "axis")->ints[0]);
    if (strcmp(how, "none") != 0 && strcmp(how, "add") != 0 && strcmp(how, "mul") != 0)
        return shape_no(t, "reduction is %s; allowed: none, add, mul", how);
    if (!is_no_longer(index, x, axis) || !is_no_longer(index, updates, -1))
        return shape_no(t,
                        "indices of shape %s, data of shape %s and updates of shape %s do not fit "
                        "along axis %lld",
                        npu_shape_text(index), npu_shape_text(x), npu_shape_text(updates),
                        (long long)axis);
    return shape_out(t);
}

static int indices(struct npu_aten_ctx *c, const struct aclTensor *t)
{
    return at(c, "aten::to.dtype", TENSOR(c, t), DTYPE(DT_INT64));
}

/* Halves add up in float, the wider unsigned types in int64. */
static int summand(struct npu_aten_ctx *c, const struct aclTensor *t)
{
    return is_half(t->dtype) ? wide(c, t) : widened(c, t);
}

void fn_scatter(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const char *how = aclop_attr(t, "reduction")->text;
    const struct npu_value axis = INT(aclop_attr(t, "axis")->ints[0]);
    const int x = summand(c, t->in[0]), i = indices(c, t->in[1]), u = summand(c, t->in[2]);
    int v;

    if (!strcmp(how, "add"))
        v = at(c, "aten::scatter_add", V(x), axis, V(i), V(u));
    else if (!strcmp(how, "mul"))
        v = at(c, "aten::scatter.reduce", V(x), axis, V(i), V(u), TEXT("multiply"));
    else
        v = at(c, "aten::scatter.src", V(x), axis, V(i), V(u));
    store(c, v, t->out[0]);
}

bool shape_gather_elements(struct aclop_task *t)
{
    const int64_t axis = aclop_axis(t->in[0], aclop_attr(t, "dim")->ints[0]);

    if (axis < 0)
        return no_axis(t, "dim", aclop_attr(t, "dim")->ints[0]);
    if (!is_no_longer(t->in[1], t->in[0], axis))
        return shape_no(t, "index of shape %s is longer than x of shape %s beside dim %lld",
                        npu_shape_text(t->in[1]), npu_shape_text(t->in[0]), (long long)axis);
    return same_dims(t->out[0], t->in[1]) ||
           shape_no(t, "output 0 has shape %s, index %s", npu_shape_text(t->out[0]),
                    npu_shape_text(t->in[1]));
}

void fn_gather_elements(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c,
          at(c, "aten::gather", V(widened(c, t->in[0])), INT(aclop_attr(t, "dim")->ints[0]),
             V(indices(c, t->in[1]))),
          t->out[0]);
}

/* ---- scatter by coordinates ---- */

/* The last dimension of indices names the first ones of var; updates are what is left. */
bool shape_scatter_nd(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *index = t->in[1], *updates = t->in[2];
    const int64_t depth = index->n_dims ? index->dim[index->n_dims - 1] : 0;
    struct dims d = {0};

    if (!index->n_dims || depth < 1 || depth > (int64_t)x->n_dims)
        return shape_no(t,
                        "indices has shape %s; its last dimension names 1 to %u dimensions of var",
                        npu_shape_text(index), x->n_dims);
    for (uint32_t k = 0; k + 1 < index->n_dims; k++)
        add_dim(&d, index->dim[k]);
    for (int64_t k = depth; k < (int64_t)x->n_dims; k++)
        add_dim(&d, x->dim[k]);
    if ((int64_t)updates->n_dims != d.n ||
        memcmp(updates->dim, d.dim, (size_t)d.n * sizeof *d.dim) != 0)
        return shape_no(
            t, "updates has shape %s; indices of shape %s into var of shape %s choose another",
            npu_shape_text(updates), npu_shape_text(index), npu_shape_text(x));
    return shape_out(t);
}

/* var indices updates, where each index names a row of var. */
bool shape_scatter_rows(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *index = t->in[1], *updates = t->in[2];
    struct dims d = {0};

    if (!x->n_dims)
        return shape_no(t, "var has no rows");
    for (uint32_t k = 0; k < index->n_dims; k++)
        add_dim(&d, index->dim[k]);
    for (uint32_t k = 1; k < x->n_dims; k++)
        add_dim(&d, x->dim[k]);
    if ((int64_t)updates->n_dims != d.n ||
        memcmp(updates->dim, d.dim, (size_t)d.n * sizeof *d.dim) != 0)
        return shape_no(
            t, "updates has shape %s; indices of shape %s into var of shape %s choose another",
            npu_shape_text(updates), npu_shape_text(index), npu_shape_text(x));
    return shape_out(t);
}

static void put(struct npu_aten_ctx *c, const struct aclop_task *t, const int *column, int64_t n,
                bool adds)
{
    const bool is_bool =
        adds && t->in[0]->dtype == DT_BOOL; /* a sum of bools is whether one is set */
    const int x = is_bool ? at(c, "aten::to.dtype", TENSOR(c, t->in[0]), DTYPE(DT_INT64))
                          : summand(c, t->in[0]);
    const int u = is_bool ? at(c, "aten::to.dtype", TENSOR(c, t->in[2]), DTYPE(DT_INT64))
                          : summand(c, t->in[2]);

    store(c,
          at(c, "aten::index_put", V(x), ((struct npu_value){.kind = V_LIST, .i = n, .p = column}),
             V(u), BOOL(adds)),
          t->out[0]);
}

void fn_scatter_nd(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *index = t->in[1];
    const int64_t n = index->dim[index->n_dims - 1];
    int column[ACLOP_INTS];

    for (int64_t k = 0; k < n; k++)
        column[k] = at(c, "aten::select.int", V(indices(c, index)), INT(-1), INT(k));
    put(c, t, column, n, !strcmp(t->row->type, "ScatterNdAdd"));
}

void fn_scatter_rows(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int column = indices(c, t->in[1]);

    put(c, t, &column, 1, false);
}

/* var indices updates alpha: rows along axis get alpha * updates more. */
bool shape_index_add(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *index = t->in[1], *u = t->in[2],
                           *alpha = aclop_input(t, 3);
    const int64_t axis = aclop_axis(x, aclop_attr(t, "axis")->ints[0]);
    bool ok = u->n_dims == x->n_dims && index->n_dims < 2;

    if (axis < 0)
        return no_axis(t, "axis", aclop_attr(t, "axis")->ints[0]);
    for (uint32_t k = 0; ok && k < x->n_dims; k++)
        ok = u->dim[k] == (k == axis ? npu_tensor_numel(index) : x->dim[k]);
    if (!ok)
        return shape_no(t,
                        "updates has shape %s; var of shape %s and indices of shape %s along axis "
                        "%lld need another",
                        npu_shape_text(u), npu_shape_text(x), npu_shape_text(index),
                        (long long)axis);
    if (alpha && npu_tensor_numel(alpha) != 1)
        return shape_no(t, "alpha has shape %s; it is one element", npu_shape_text(alpha));
    return shape_out(t);
}

void fn_index_add(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *alpha = aclop_input(t, 3);
    const bool is_bool = t->in[0]->dtype == DT_BOOL;
    int x = summand(c, t->in[0]), u = summand(c, t->in[2]);

    if (is_bool) {
        x = at(c, "aten::to.dtype", V(x), DTYPE(DT_INT64));
        u = at(c, "aten::to.dtype", V(u), DTYPE(DT_INT64));
    }
    if (alpha)
        u = multiply(c, u, at(c, "aten::reshape", V(summand(c, alpha)), list(NULL, 0)));
    store(c,
          at(c, "aten::index_add", V(x), INT(aclop_attr(t, "axis")->ints[0]),
             V(at(c, "aten::reshape", V(indices(c, t->in[1])), INTS(-1))), V(u)),
          t->out[0]);
}

/* ---- views ---- */

/* Do size, stride and offset, from input first on, stay in a tensor of n elements? */
static bool view_fits(struct aclop_task *t, int first, int64_t n, struct dims *d)
{
    int64_t room[3][ACLOP_INTS], reach, last = 0; /* last: the last element in use */
    const int64_t *size, *stride, *offset;
    const int64_t n_dims = npu_tensor_numel(t->in[first]);
    bool is_empty = false, is_far = false; /* is_far: last is beyond 64 bits */

    if (!host_list(t, first, "size", n_dims, room[0], &size) ||
        !host_list(t, first + 1, "stride", n_dims, room[1], &stride) ||
        !host_list(t, first + 2, "storage_offset", 1, room[2], &offset))
        return false;
    d->n = -1; /* not known: on the device */
    if (!size || !stride || !offset)
        return true;
    d->n = 0;
    for (int64_t k = 0; k < n_dims; k++) {
        if (size[k] < 0 || stride[k] < 0)
            return shape_no(t, "size %lld and stride %lld are at least 0", (long long)size[k],
                            (long long)stride[k]);
        add_dim(d, size[k]);
        is_empty = is_empty || !size[k];
        is_far = is_far || __builtin_mul_overflow(size[k] - 1, stride[k], &reach) ||
                 __builtin_add_overflow(last, reach, &last);
    }
    is_far = is_far || __builtin_add_overflow(last, *offset, &last);
    if (!is_empty && (*offset < 0 || is_far || last >= n))
        return shape_no(t, "the view reaches element %lld; there are %lld",
                        (long long)(is_far ? INT64_MAX : last), (long long)n);
    return true;
}

/* x size stride storage_offset -> y */
bool shape_as_strided(struct aclop_task *t)
{
    struct dims d;

    return view_fits(t, 1, npu_tensor_numel(t->in[0]), &d) && (d.n < 0 || has_shape(t, 0, &d));
}

static int view_of(struct npu_aten_ctx *c, const struct aclop_task *t, int x, int first)
{
    int64_t size[ACLOP_INTS], stride[ACLOP_INTS], offset[ACLOP_INTS] = {0};
    const int64_t n = aclop_ints(c, t->in[first], size);

    if (aclop_ints(c, t->in[first + 1], stride) != n)
        npu_aten()->fail(c, "size and stride differ in length");
    aclop_ints(c, t->in[first + 2], offset);
    return at(c, "aten::as_strided", V(at(c, "aten::reshape", V(x), INTS(-1))), list(size, n),
              list(stride, n), INT(offset[0]));
}

void fn_as_strided(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c, view_of(c, t, value(c, t->in[0]), 1), t->out[0]);
}

/* dst size stride offset, src size stride offset -> dst */
bool shape_view_copy(struct aclop_task *t)
{
    struct dims to, from;

    if (!view_fits(t, 1, npu_tensor_numel(t->in[0]), &to) ||
        !view_fits(t, 5, npu_tensor_numel(t->in[4]), &from))
        return false;
    if (to.n >= 0 && from.n >= 0 &&
        (to.n != from.n || memcmp(to.dim, from.dim, (size_t)to.n * sizeof *to.dim) != 0))
        return shape_no(t, "the views of dst and src have different sizes");
    return shape_out(t);
}

void fn_view_copy(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int from = at(c, "aten::clone", V(view_of(c, t, value(c, t->in[4]), 5)));

    if (t->in[0]->data != t->out[0]->data)
        store(c, value(c, t->in[0]), t->out[0]);
    at(c, "aten::copy_", V(view_of(c, t, value(c, t->out[0]), 1)), V(from));
}

/* ---- results whose shape the data decides ---- */

void fn_unique(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const bool inverse = flag(t, "return_inverse"), counts = flag(t, "return_counts");
    const int v = at(c, "aten::_unique2", V(ordered(c, t->in[0])), BOOL(flag(t, "sorted")),
                     BOOL(inverse), BOOL(counts));

    store_shaped(c, t, 0, t->in[0]->dtype == DT_UINT64 ? top_bit(c, v) : v);
    if (inverse)
        store_shaped(c, t, 1, v + 1);
    if (counts)
        store_shaped(c, t, 2, v + 2);
}

/* [n, n_dims], transposed [n_dims, n] */
void fn_nonzero(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int v = at(c, "aten::nonzero", V(widened(c, t->in[0])));

    store_shaped(c, t, 0, flag(t, "transpose") ? at(c, "aten::t", V(v)) : v);
}

void fn_masked_select(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store_shaped(c, t, 0,
                 at(c, "aten::masked_select", V(widened(c, t->in[0])), TENSOR(c, t->in[1])));
}

/* ---- order ---- */

bool shape_topk(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    const int64_t axis = aclop_axis(x, aclop_attr(t, "dim")->ints[0]);
    int64_t room[ACLOP_INTS];
    const int64_t *k;
    struct dims d = {0};

    if (axis < 0)
        return no_axis(t, "dim", aclop_attr(t, "dim")->ints[0]);
    if (!host_list(t, 1, "k", 1, room, &k))
        return false;
    if (k && (*k < 0 || *k > x->dim[axis]))
        return shape_no(t, "k is %lld; x has %lld along dim %lld", (long long)*k,
                        (long long)x->dim[axis], (long long)axis);
    for (uint32_t i = 0; i < x->n_dims; i++)
        add_dim(&d, i == axis ? (k                                ? *k
                                 : t->out[0]->n_dims == x->n_dims ? t->out[0]->dim[i]
                                                                  : 0)
                              : x->dim[i]);
    return has_shape(t, 0, &d) && has_shape(t, 1, &d);
}

void fn_topk(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t k[ACLOP_INTS] = {0};
    int v;

    aclop_ints(c, t->in[1], k);
    v = at(c, "aten::topk", V(widened(c, t->in[0])), INT(k[0]), INT(aclop_attr(t, "dim")->ints[0]),
           BOOL(flag(t, "largest")), BOOL(flag(t, "sorted")));
    store(c, v, t->out[0]);
    store(c, v + 1, t->out[1]);
}

/* x dimension -> y, the index of the largest or smallest */
bool shape_arg(struct aclop_task *t)
{
    int64_t room[ACLOP_INTS];
    const int64_t *axis;
    struct dims d = {0};

    if (!host_list(t, 1, "dimension", 1, room, &axis))
        return false;
    return !axis || (reduced_to(t, axis, 1, flag(t, "keep_dims"), &d) && has_shape(t, 0, &d));
}

void fn_arg(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t axis[ACLOP_INTS] = {0};

    aclop_ints(c, t->in[1], axis);
    store(c,
          at(c, t->row->schema, V(widened(c, t->in[0])), INT(axis[0]), BOOL(flag(t, "keep_dims"))),
          t->out[0]);
}

/* ---- made from numbers ---- */

static int one(struct npu_aten_ctx *c, const struct aclTensor *t)
{
    return at(c, "aten::reshape", V(wide(c, t)), list(NULL, 0));
}

bool shape_range(struct aclop_task *t)
{
    for (int i = 0; i < t->n_in; i++)
        if (npu_tensor_numel(t->in[i]) != 1)
            return shape_no(t, "input %d has shape %s; it is one element", i,
                            npu_shape_text(t->in[i]));
    return t->out[0]->n_dims == 1 ||
           shape_no(t, "output 0 has shape %s; it is a list", npu_shape_text(t->out[0]));
}

/* start, start + delta, ... before limit: as many as the output has. */
void fn_range(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int64_t n = npu_tensor_numel(t->out[0]);
    const int start = one(c, t->in[0]), delta = one(c, t->in[2]);
    const int span = at(c, "aten::sub.Tensor", V(one(c, t->in[1])), V(start));
    const double *steps = npu_aten()->data(
        c,
        at(c, "aten::div.Tensor", V(at(c, "aten::to.dtype", V(span), DTYPE(DT_DOUBLE))),
           V(at(c, "aten::to.dtype", V(delta), DTYPE(DT_DOUBLE)))),
        DT_DOUBLE);
    const int i = at(c, "aten::arange", INT(n), DTYPE(DT_INT64));

    if (steps && !(*steps > (double)n - 1 && *steps <= (double)n) && !(n == 0 && *steps <= 0))
        npu_aten()->fail(
            c, "the output does not have as many elements as start, limit and delta make");
    store(c, at(c, "aten::add.Tensor", V(multiply(c, i, delta)), V(start)), t->out[0]);
}

/* x depth on_value off_value -> y; as OneHotD the depth is an attribute and on_value input 1. */
static int64_t depth_of(const struct aclop_task *t, const int64_t *host)
{
    return aclop_attr(t, "depth")->n ? aclop_attr(t, "depth")->ints[0] : *host;
}

bool shape_one_hot(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    const int64_t given = aclop_attr(t, "axis")->ints[0],
                  axis = given < 0 ? given + (int64_t)x->n_dims + 1 : given;
    const bool is_d = aclop_attr(t, "depth")->n;
    int64_t room[ACLOP_INTS];
    const int64_t *v = NULL;
    struct dims d = {0};

    if (axis < 0 || axis > (int64_t)x->n_dims)
        return no_axis(t, "axis", given);
    for (int i = is_d ? 1 : 2; i < t->n_in; i++)
        if (npu_tensor_numel(t->in[i]) != 1)
            return shape_no(t, "input %d has shape %s; it is one element", i,
                            npu_shape_text(t->in[i]));
    if (!is_d && !host_list(t, 1, "depth", 1, room, &v))
        return false;
    if (!is_d && !v)
        return true;
    for (uint32_t k = 0; k <= x->n_dims; k++)
        add_dim(&d, k == axis ? depth_of(t, v) : x->dim[k - (k > axis)]);
    return has_shape(t, 0, &d);
}

void fn_one_hot(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int first = aclop_attr(t, "depth")->n ? 1 : 2;
    const int64_t given = aclop_attr(t, "axis")->ints[0];
    int64_t v[ACLOP_INTS] = {0};

    if (first == 2)
        aclop_ints(c, t->in[1], v);
    npu_nat_one_hot(
        c, (union npu_arg[]){{.t = t->in[0]},
                             {.i = depth_of(t, v)},
                             {.t = t->in[first]},
                             {.t = t->in[first + 1]},
                             {.i = given < -1 ? given + (int64_t)t->in[0]->n_dims + 1 : given},
                             {.t = t->out[0]}});
}

/* var indices updates -> y: updates stand in var where indices say, along one dimension that they
 * may lack. */
bool shape_arg_grad(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *index = t->in[1];
    const int64_t axis = aclop_axis(x, aclop_attr(t, "dimension")->ints[0]);
    bool ok = index->n_dims == x->n_dims || index->n_dims + 1 == x->n_dims;

    if (axis < 0)
        return no_axis(t, "dimension", aclop_attr(t, "dimension")->ints[0]);
    for (uint32_t k = 0, i = 0; ok && k < x->n_dims; k++) {
        if (k == axis && index->n_dims < x->n_dims)
            continue;
        ok = index->dim[i++] == (k == axis ? 1 : x->dim[k]);
    }
    if (!ok || !same_dims(index, t->in[2]))
        return shape_no(t,
                        "indices of shape %s and updates of shape %s do not name one place along "
                        "dimension %lld of var of "
                        "shape %s",
                        npu_shape_text(index), npu_shape_text(t->in[2]), (long long)axis,
                        npu_shape_text(x));
    return shape_out(t);
}

void fn_arg_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct npu_value axis = INT(aclop_attr(t, "dimension")->ints[0]);
    int i = indices(c, t->in[1]), u = value(c, t->in[2]);

    if (t->in[1]->n_dims < t->in[0]->n_dims) {
        i = at(c, "aten::unsqueeze", V(i), axis);
        u = at(c, "aten::unsqueeze", V(u), axis);
    }
    store(c, at(c, "aten::scatter.src", TENSOR(c, t->in[0]), axis, V(i), V(u)), t->out[0]);
}

/* A transpose and a reshape, in this order or the other. */
bool shape_confuse(struct aclop_task *t)
{
    const struct aclop_value *perm = aclop_attr(t, "perm"), *shape = aclop_attr(t, "shape");
    const int64_t n = flag(t, "transpose_first") ? t->in[0]->n_dims : shape->n;
    uint64_t seen = 0;
    struct dims d = {0};
    int64_t all = 1;

    for (int64_t k = 0; k < shape->n; k++)
        all *= shape->ints[k];
    if (all != npu_tensor_numel(t->in[0]))
        return shape_no(t, "shape has %lld elements, x of shape %s has %lld", (long long)all,
                        npu_shape_text(t->in[0]), (long long)npu_tensor_numel(t->in[0]));
    for (int64_t k = 0; k < perm->n && perm->n == n; k++)
        seen |= perm->ints[k] >= 0 && perm->ints[k] < n ? 1ull << perm->ints[k] : 0;
    if (perm->n != n || seen != (1ull << n) - 1)
        return shape_no(t, "perm has %lld values; it is an order of the %lld dimensions",
                        (long long)perm->n, (long long)n);
    for (int64_t k = 0; k < shape->n; k++)
        add_dim(&d, flag(t, "transpose_first") ? shape->ints[k] : shape->ints[perm->ints[k]]);
    return has_shape(t, 0, &d);
}

void fn_confuse(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclop_value *perm = aclop_attr(t, "perm"), *shape = aclop_attr(t, "shape");
    int v = value(c, t->in[0]);

    if (flag(t, "transpose_first"))
        v = at(c, "aten::permute", V(v), list(perm->ints, perm->n));
    v = at(c, "aten::reshape", V(v), list(shape->ints, shape->n));
    if (!flag(t, "transpose_first"))
        v = at(c, "aten::permute", V(v), list(perm->ints, perm->n));
    store(c, v, t->out[0]);
}

/* ---- random numbers ---- */

/* shape key counter alg -> y */
bool shape_random(struct aclop_task *t)
{
    int64_t room[ACLOP_INTS];
    const int64_t *v = aclop_host_ints(t, 0, room), *alg = NULL;
    struct dims d = {0};

    for (int64_t i = 0; v && i < npu_tensor_numel(t->in[0]); i++)
        add_dim(&d, v[i]);
    if (!host_list(t, 3, "alg", 1, room, &alg))
        return false;
    if (alg && *alg != 1)
        return shape_no(t, "alg is %lld; the twin has Philox (1)", (long long)*alg);
    if (aclop_attr(t, "dtype")->given && aclop_attr(t, "dtype")->ints[0] != t->out[0]->dtype)
        return shape_no(t, "dtype is %s, but y has type %s",
                        npu_dtype_name((int)aclop_attr(t, "dtype")->ints[0]),
                        npu_dtype_name(t->out[0]->dtype));
    return !v || has_shape(t, 0, &d);
}

void fn_random(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const bool is_normal = strstr(t->row->type, "Normal");
    int64_t key[ACLOP_INTS] = {0}, counter[ACLOP_INTS] = {0};
    const int64_t n = aclop_ints(c, t->in[2], counter);

    aclop_ints(c, t->in[1], key);
    (is_normal ? npu_nat_normal : npu_nat_uniform)(
        c, (union npu_arg[]){
               {.t = t->out[0]}, {.d = 0}, {.d = 1}, {.i = key[0]}, {.i = n ? counter[n - 1] : 0}});
}

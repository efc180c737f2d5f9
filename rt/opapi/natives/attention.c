/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention.c - FlashAttentionScore and its gradient, as the plain formula in float.
 *
 *     s = scale * q k^T,  masked to -inf      max, sum = row maximum of s, row sum of exp(s - max)
 *     p = exp(s - max) / sum                  out = (p * keep / keep_prob) v
 *
 * The layouts BNSD, BSND, BSH and SBH become [B, N, S, D] first. One head of k and v may serve
 * several of q. Rule: what the formula above does not have is refused in the first phase.
 */
#include "native.h"
#include <string.h>

/* Where an operator has its arguments; -1 where it has none. */
struct positions {
    int8_t q, k, v, drop_mask, mask, scale, keep, heads, layout, sparse, pre, next, seed, offset;
    int8_t max, sum, out;                  /* forward */
    int8_t dy, max_in, sum_in, dq, dk, dv; /* backward */
};

/* at: where scaleValue stands; five more follow it in all of them. */
#define COMMON(at)                                                                                 \
    .q = 0, .k = 1, .v = 2, .scale = (at), .keep = (at) + 1, .pre = (at) + 2, .next = (at) + 3,    \
    .heads = (at) + 4, .layout = (at) + 5
#define FORWARD(at, ...) {COMMON(at), .drop_mask = 4, .mask = 6, __VA_ARGS__}
#define BACKWARD(at, ...)                                                                          \
    {COMMON(at), .dy = 3, .drop_mask = 5, .mask = 7, .max_in = 8, .sum_in = 9, __VA_ARGS__}

static const struct positions
    forward_v1 = FORWARD(8, .sparse = 15, .max = 16, .sum = 17, .out = 19, .seed = -1),
    forward_v2 = FORWARD(10, .sparse = 17, .max = 19, .sum = 20, .out = 22, .seed = -1),
    forward_v4 =
        FORWARD(18, .sparse = 25, .seed = 29, .offset = 30, .max = 31, .sum = 32, .out = 34),
    backward_v1 = BACKWARD(13, .sparse = 20, .dq = 21, .dk = 22, .dv = 23, .seed = -1),
    backward_v2 = BACKWARD(15, .sparse = 22, .dq = 24, .dk = 25, .dv = 26, .seed = -1),
    backward_v4 =
        BACKWARD(25, .sparse = 33, .seed = 35, .offset = 36, .dq = 38, .dk = 39, .dv = 40);

/* ---- what phase one refuses ---- */

enum sparse_mode { SPARSE_FULL = 0, SPARSE_ALL = 1, SPARSE_LEFT_UP = 2, SPARSE_RIGHT_DOWN = 3 };

static int64_t axis_of(const char *layout, char axis)
{
    const char *at = strchr(layout, axis);

    return at ? at - layout : -1;
}

static const char *check(const struct positions *p, const union npu_arg *a)
{
    static const char *const layouts[] = {"BNSD", "BSND", "BSH", "SBH"};
    const char *layout = a[p->layout].str;
    const struct aclTensor *q = a[p->q].t, *k = a[p->k].t;
    bool known = false;
    int64_t axis;

    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        known = known || !strcmp(layout, layouts[i]);
    if (!known)
        return "inputLayout must be BNSD, BSND, BSH or SBH";
    if (q->n_dims != strlen(layout) || k->n_dims != q->n_dims || a[p->v].t->n_dims != q->n_dims)
        return "query, key and value must have the dimensions of inputLayout";
    if (q->dtype != k->dtype || q->dtype != a[p->v].t->dtype)
        return "query, key and value must have one data type";
    if (a[p->heads].i <= 0)
        return "headNum must be positive";
    axis = axis_of(layout, 'N');
    if (axis >= 0 &&
        (q->dim[axis] != a[p->heads].i || k->dim[axis] <= 0 || q->dim[axis] % k->dim[axis]))
        return "headNum must be the heads of query, a multiple of those of key";
    if (a[p->sparse].i < SPARSE_FULL || a[p->sparse].i > SPARSE_RIGHT_DOWN)
        return "sparseMode must be 0, 1, 2 or 3 (band, prefix and varlen forms are not modelled)";
    if (a[p->sparse].i >= SPARSE_ALL && !a[p->mask].t)
        return "sparseMode 1, 2 and 3 need attenMaskOptional";
    axis = axis_of(layout, 'S');
    if (a[p->sparse].i == SPARSE_FULL && a[p->mask].t &&
        (a[p->pre].i < q->dim[axis] || a[p->next].i < k->dim[axis]))
        return "preTokens and nextTokens inside the sequence (band masks) are not modelled";
    if (!(a[p->keep].d >= 0 && a[p->keep].d <= 1))
        return "keepProb must be in [0, 1]";
    if (a[p->keep].d < 1 && !a[p->drop_mask].t && p->seed < 0)
        return "keepProb below 1 needs dropMaskOptional";
    return NULL;
}

const char *npu_check_fa_v1(const union npu_arg *a)
{
    return check(&forward_v1, a);
}

const char *npu_check_fa_v2(const union npu_arg *a)
{
    return check(&forward_v2, a);
}

const char *npu_check_fa_v4(const union npu_arg *a)
{
    return check(&forward_v4, a);
}

const char *npu_check_fa_grad_v1(const union npu_arg *a)
{
    return a[backward_v1.max_in].t && a[backward_v1.sum_in].t
               ? check(&backward_v1, a)
               : "softmaxMax and softmaxSum are needed";
}

const char *npu_check_fa_grad_v2(const union npu_arg *a)
{
    return a[backward_v2.max_in].t && a[backward_v2.sum_in].t
               ? check(&backward_v2, a)
               : "softmaxMax and softmaxSum are needed";
}

const char *npu_check_fa_grad_v4(const union npu_arg *a)
{
    return a[backward_v4.max_in].t && a[backward_v4.sum_in].t
               ? check(&backward_v4, a)
               : "softmaxMax and softmaxSum are needed";
}

/* ---- layouts ---- */

struct attention {
    struct npu_aten_ctx *c;
    const struct positions *p;
    const union npu_arg *a;
    int64_t n_heads, n_kv_heads, batch, sq, sk;
    int q, k, v; /* [B, N, S, D] float, k and v repeated to all heads */
    int scores;  /* scale * q k^T, masked */
};

/* A tensor of the layout as [B, N, S, D] float. */
static int unfold(struct npu_aten_ctx *c, const struct aclTensor *t, const char *layout,
                  int64_t n_heads)
{
    int x = at(c, "aten::to.dtype", TENSOR(c, t), DTYPE(DT_FLOAT));

    if (!strcmp(layout, "BNSD"))
        return x;
    if (strlen(layout) == 3)
        x = at(c, "aten::reshape", V(x), INTS(t->dim[0], t->dim[1], n_heads, t->dim[2] / n_heads));
    if (!strcmp(layout, "SBH"))
        return at(c, "aten::permute", V(x), INTS(1, 2, 0, 3));
    return at(c, "aten::permute", V(x), INTS(0, 2, 1, 3));
}

/* Back from [B, N, S, D]. */
static void fold_into(struct npu_aten_ctx *c, int x, const char *layout,
                      const struct aclTensor *out)
{
    if (!strcmp(layout, "SBH"))
        x = at(c, "aten::permute", V(x), INTS(2, 0, 1, 3));
    else if (strcmp(layout, "BNSD") != 0)
        x = at(c, "aten::permute", V(x), INTS(0, 2, 1, 3));
    if (strlen(layout) == 3)
        x = at(c, "aten::flatten.using_ints", V(x), INT(2), INT(3));
    store(c, x, out);
}

static int64_t kv_heads(const struct attention *t)
{
    const char *layout = t->a[t->p->layout].str;
    const struct aclTensor *q = t->a[t->p->q].t, *k = t->a[t->p->k].t;
    const int64_t axis = axis_of(layout, 'N');

    if (axis >= 0)
        return k->dim[axis];
    return k->dim[2] / (q->dim[2] / t->n_heads); /* heads of one size */
}

static int spread_heads(const struct attention *t, int x)
{
    const int64_t times = t->n_kv_heads ? t->n_heads / t->n_kv_heads : 1;

    return times == 1 ? x : at(t->c, "aten::repeat_interleave.self_int", V(x), INT(times), INT(1));
}

/* Gradients of k and v: heads that share one head add up. */
static int gather_heads(const struct attention *t, int x)
{
    const int64_t times = t->n_kv_heads ? t->n_heads / t->n_kv_heads : 1;

    if (times == 1)
        return x;
    x = at(t->c, "aten::unflatten.int", V(x), INT(1), INTS(t->n_kv_heads, times));
    return at(t->c, "aten::sum.dim_IntList", V(x), INTS(2));
}

/* ---- the formula ---- */

/* True where a position does not take part; -1 when all do. */
static int mask_of(const struct attention *t)
{
    struct npu_aten_ctx *c = t->c;
    const struct aclTensor *given = t->a[t->p->mask].t;
    const int64_t mode = t->a[t->p->sparse].i;
    int ones;

    if (!given)
        return -1;
    if (mode == SPARSE_FULL || mode == SPARSE_ALL)
        return at(c, "aten::to.dtype", TENSOR(c, given), DTYPE(DT_BOOL));
    ones = at(c, "aten::ones", INTS(t->sq, t->sk), DTYPE(DT_BOOL));
    return at(c, "aten::triu", V(ones), INT(mode == SPARSE_LEFT_UP ? 1 : t->sk - t->sq + 1));
}

static void prepare(struct attention *t, struct npu_aten_ctx *c, const struct positions *p,
                    const union npu_arg *a)
{
    const char *layout = a[p->layout].str;
    int mask, kt;

    *t = (struct attention){.c = c, .p = p, .a = a, .n_heads = a[p->heads].i};
    t->n_kv_heads = kv_heads(t);
    t->q = unfold(c, a[p->q].t, layout, t->n_heads);
    t->k = spread_heads(t, unfold(c, a[p->k].t, layout, t->n_kv_heads));
    t->v = spread_heads(t, unfold(c, a[p->v].t, layout, t->n_kv_heads));
    t->batch = npu_aten()->size(c, t->q, 0);
    t->sq = npu_aten()->size(c, t->q, 2);
    t->sk = npu_aten()->size(c, t->k, 2);
    kt = at(c, "aten::transpose.int", V(t->k), INT(2), INT(3));
    t->scores = at(c, "aten::matmul", V(t->q), V(kt));
    t->scores = at(c, "aten::mul.Tensor", V(t->scores), DOUBLE(a[p->scale].d));
    mask = mask_of(t);
    if (mask >= 0)
        t->scores =
            at(c, "aten::masked_fill.Scalar", V(t->scores), V(mask), DOUBLE(-__builtin_inf()));
}

/* exp(s - max) / sum; a row where nothing takes part is 0. */
static int probabilities(const struct attention *t, int max, int sum)
{
    struct npu_aten_ctx *c = t->c;
    int p = at(c, "aten::sub.Tensor", V(t->scores), V(max));

    p = at(c, "aten::exp", V(p));
    p = at(c, "aten::div.Tensor", V(p), V(sum));
    return at(c, "aten::nan_to_num", V(p), DOUBLE(0), DOUBLE(0), DOUBLE(0));
}

/* keep / keep_prob of each score, or -1 without dropout. */
static int dropout_factor(const struct attention *t)
{
    struct npu_aten_ctx *c = t->c;
    const double keep = t->a[t->p->keep].d;
    const struct aclTensor *mask = t->a[t->p->drop_mask].t;
    const int64_t n = t->batch * t->n_heads * t->sq * t->sk;
    int bits;

    if (keep >= 1)
        return -1;
    if (mask)
        bits = npu_dropout_bits(c, mask, n);
    else
        bits = npu_dropout_draw(c, (uint64_t)t->a[t->p->seed].i, (uint64_t)t->a[t->p->offset].i,
                                1 - keep, n);
    bits = at(c, "aten::reshape", V(bits), INTS(t->batch, t->n_heads, t->sq, t->sk));
    return at(c, "aten::mul.Tensor", V(bits), DOUBLE(keep > 0 ? 1 / keep : 0));
}

/* The statistics come out eight times side by side, as the chip stores them. */
static void store_statistics(const struct attention *t, int v, const struct aclTensor *out)
{
    if (!out || npu_tensor_numel(out) == 0)
        return;
    v = at(t->c, "aten::expand", V(v),
           INTS(t->batch, t->n_heads, t->sq, out->dim[out->n_dims - 1]));
    store(t->c, v, out);
}

static void forward(struct npu_aten_ctx *c, const struct positions *p, const union npu_arg *a)
{
    struct attention t;
    int max, sum, prob, factor, e;

    prepare(&t, c, p, a);
    max = at(c, "aten::amax", V(t.scores), INTS(-1), BOOL(true));
    e = at(c, "aten::exp", V(at(c, "aten::sub.Tensor", V(t.scores), V(max))));
    sum = at(c, "aten::sum.dim_IntList", V(e), INTS(-1), BOOL(true));
    prob = probabilities(&t, max, sum);
    factor = dropout_factor(&t);
    if (factor >= 0)
        prob = at(c, "aten::mul.Tensor", V(prob), V(factor));
    fold_into(c, at(c, "aten::matmul", V(prob), V(t.v)), a[p->layout].str, a[p->out].t);
    store_statistics(&t, max, a[p->max].t);
    store_statistics(&t, sum, a[p->sum].t);
}

/* Column 0 of saved statistics, as [B, N, S, 1]. */
static int statistics(const struct attention *t, const struct aclTensor *saved)
{
    return at(t->c, "aten::slice.Tensor", TENSOR(t->c, saved), INT(-1), INT(0), INT(1));
}

static void backward(struct npu_aten_ctx *c, const struct positions *p, const union npu_arg *a)
{
    const char *layout = a[p->layout].str;
    struct attention t;
    int prob, used, factor, dy, dp, ds, row;

    prepare(&t, c, p, a);
    prob = probabilities(&t, statistics(&t, a[p->max_in].t), statistics(&t, a[p->sum_in].t));
    factor = dropout_factor(&t);
    dy = unfold(c, a[p->dy].t, layout, t.n_heads);
    used = factor < 0 ? prob : at(c, "aten::mul.Tensor", V(prob), V(factor));
    dp = at(c, "aten::matmul", V(dy), V(at(c, "aten::transpose.int", V(t.v), INT(2), INT(3))));
    if (factor >= 0)
        dp = at(c, "aten::mul.Tensor", V(dp), V(factor));
    row = at(c, "aten::sum.dim_IntList", V(at(c, "aten::mul.Tensor", V(dp), V(prob))), INTS(-1),
             BOOL(true));
    ds = at(c, "aten::mul.Tensor", V(prob), V(at(c, "aten::sub.Tensor", V(dp), V(row))));
    ds = at(c, "aten::mul.Tensor", V(ds), DOUBLE(a[p->scale].d));
    fold_into(c, at(c, "aten::matmul", V(ds), V(t.k)), layout, a[p->dq].t);
    ds = at(c, "aten::transpose.int", V(ds), INT(2), INT(3));
    fold_into(c, gather_heads(&t, at(c, "aten::matmul", V(ds), V(t.q))), layout, a[p->dk].t);
    used = at(c, "aten::transpose.int", V(used), INT(2), INT(3));
    fold_into(c, gather_heads(&t, at(c, "aten::matmul", V(used), V(dy))), layout, a[p->dv].t);
}

void npu_nat_fa_v1(struct npu_aten_ctx *c, const union npu_arg *a)
{
    forward(c, &forward_v1, a);
}

void npu_nat_fa_v2(struct npu_aten_ctx *c, const union npu_arg *a)
{
    forward(c, &forward_v2, a);
}

void npu_nat_fa_v4(struct npu_aten_ctx *c, const union npu_arg *a)
{
    forward(c, &forward_v4, a);
}

void npu_nat_fa_grad_v1(struct npu_aten_ctx *c, const union npu_arg *a)
{
    backward(c, &backward_v1, a);
}

void npu_nat_fa_grad_v2(struct npu_aten_ctx *c, const union npu_arg *a)
{
    backward(c, &backward_v2, a);
}

void npu_nat_fa_grad_v4(struct npu_aten_ctx *c, const union npu_arg *a)
{
    backward(c, &backward_v4, a);
}

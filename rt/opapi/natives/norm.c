/* SPDX-License-Identifier: Apache-2.0 */
/*
 * norm.c - normalisations that aclnn has as one operator. All compute in float.
 */
#include "native.h"

static int as_float(struct npu_aten_ctx *c, int v)
{
    return at(c, "aten::to.dtype", V(v), DTYPE(DT_FLOAT));
}

/* The last dimensions, as many as gamma has. */
static struct npu_value last_dims(const struct aclTensor *gamma, int64_t dims[NPU_MAX_DIMS])
{
    for (uint32_t i = 0; i < gamma->n_dims; i++)
        dims[i] = (int64_t)i - (int64_t)gamma->n_dims;
    return (struct npu_value){.kind = V_INTS, .i = gamma->n_dims, .p = dims};
}

/* 1 / sqrt(mean(x^2) + eps) of a float x. */
static int rms_rstd(struct npu_aten_ctx *c, int x, struct npu_value dims, double eps)
{
    int v = at(c, "aten::mean.dim", V(at(c, "aten::square", V(x))), dims, BOOL(true));

    return at(c, "aten::rsqrt", V(at(c, "aten::add.Tensor", V(v), DOUBLE(eps))));
}

static void rms_norm(struct npu_aten_ctx *c, int x, const struct aclTensor *gamma, double eps,
                     const struct aclTensor *y, const struct aclTensor *rstd)
{
    int64_t room[NPU_MAX_DIMS];
    const struct npu_value dims = last_dims(gamma, room);
    const int r = rms_rstd(c, x, dims, eps);
    int v = at(c, "aten::mul.Tensor", V(x), V(r));

    v = at(c, "aten::mul.Tensor", V(v), V(as_float(c, value(c, gamma))));
    store(c, v, y);
    store(c, r, rstd);
}

static const char *check_gamma(const struct aclTensor *x, const struct aclTensor *gamma)
{
    if (gamma->n_dims > x->n_dims)
        return "gamma has more dimensions than x";
    for (uint32_t i = 1; i <= gamma->n_dims; i++)
        if (gamma->dim[gamma->n_dims - i] != x->dim[x->n_dims - i])
            return "gamma must have the shape of the last dimensions of x";
    return NULL;
}

const char *npu_check_rms_norm(const union npu_arg *a)
{
    return check_gamma(a[0].t, a[1].t);
}

const char *npu_check_add_rms_norm(const union npu_arg *a)
{
    return check_gamma(a[0].t, a[2].t);
}

const char *npu_check_rms_norm_grad(const union npu_arg *a)
{
    return check_gamma(a[1].t, a[3].t);
}

void npu_nat_rms_norm(struct npu_aten_ctx *c, const union npu_arg *a)
{
    rms_norm(c, as_float(c, value(c, a[0].t)), a[1].t, a[2].d, a[3].t, a[4].t);
}

/* x1 + x2 is rounded to the type of x before it is normalised, since xOut is what is kept. */
void npu_nat_add_rms_norm(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int x = at(c, "aten::add.Tensor", TENSOR(c, a[0].t), TENSOR(c, a[1].t));

    rms_norm(c, as_float(c, x), a[2].t, a[3].d, a[4].t, a[5].t);
    store(c, x, a[6].t);
}

/* n = x * rstd: dx = rstd * (dy * gamma - n * mean(dy * gamma * n)), dgamma = sum of dy * n. */
void npu_nat_rms_norm_grad(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *x = a[1].t, *gamma = a[3].t;
    int64_t room[NPU_MAX_DIMS], lead[NPU_MAX_DIMS];
    const int64_t n_lead = (int64_t)x->n_dims - (int64_t)gamma->n_dims;
    const struct npu_value dims = last_dims(gamma, room);
    const int dy = as_float(c, value(c, a[0].t)), rstd = value(c, a[2].t);
    const int n = at(c, "aten::mul.Tensor", V(as_float(c, value(c, x))), V(rstd));
    const int g = at(c, "aten::mul.Tensor", V(dy), V(as_float(c, value(c, gamma))));
    int v = at(c, "aten::mean.dim", V(at(c, "aten::mul.Tensor", V(g), V(n))), dims, BOOL(true));

    v = at(c, "aten::sub.Tensor", V(g), V(at(c, "aten::mul.Tensor", V(n), V(v))));
    store(c, at(c, "aten::mul.Tensor", V(v), V(rstd)), a[4].t);
    v = at(c, "aten::mul.Tensor", V(dy), V(n));
    for (int64_t i = 0; i < n_lead; i++)
        lead[i] = i;
    if (n_lead)
        v = at(c, "aten::sum.dim_IntList", V(v),
               ((struct npu_value){.kind = V_INTS, .i = n_lead, .p = lead}));
    store(c, v, a[5].t);
}

/* ---- the parts of a batch norm that is spread over processes ---- */

/* Sums over all dimensions but 1, of float values. */
static int sum_channels(struct npu_aten_ctx *c, int v, uint32_t n_dims)
{
    int64_t dims[NPU_MAX_DIMS];
    int64_t n = 0;

    for (int64_t i = 0; i < (int64_t)n_dims; i++)
        if (i != 1)
            dims[n++] = i;
    return at(c, "aten::sum.dim_IntList", V(v),
              ((struct npu_value){.kind = V_INTS, .i = n, .p = dims}));
}

static int64_t per_channel(const struct aclTensor *x)
{
    return x->dim[1] ? npu_tensor_numel(x) / x->dim[1] : 0;
}

/* A channel value as [1, C, 1, ...]. */
static int along_channels(struct npu_aten_ctx *c, int v, const struct aclTensor *x)
{
    int64_t dims[NPU_MAX_DIMS];

    for (uint32_t i = 0; i < x->n_dims; i++)
        dims[i] = i == 1 ? x->dim[1] : 1;
    return at(c, "aten::reshape", V(as_float(c, v)),
              ((struct npu_value){.kind = V_INTS, .i = x->n_dims, .p = dims}));
}

static int channel_value(struct npu_aten_ctx *c, const struct aclTensor *v,
                         const struct aclTensor *x)
{
    return along_channels(c, value(c, v), x);
}

const char *npu_check_channels(const union npu_arg *a)
{
    return a[0].t->n_dims >= 2 ? NULL : "the input must have at least 2 dimensions";
}

void npu_nat_batch_norm_stats(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *x = a[0].t;
    const int xf = as_float(c, value(c, x));
    const int mean = at(c, "aten::div.Tensor", V(sum_channels(c, xf, x->n_dims)),
                        DOUBLE((double)per_channel(x)));
    int v = at(c, "aten::sub.Tensor", V(xf), V(along_channels(c, mean, x)));

    v = sum_channels(c, at(c, "aten::square", V(v)), x->n_dims);
    v = at(c, "aten::div.Tensor", V(v), DOUBLE((double)per_channel(x)));
    v = at(c, "aten::rsqrt", V(at(c, "aten::add.Tensor", V(v), DOUBLE(a[1].d))));
    store(c, mean, a[2].t);
    store(c, v, a[3].t);
}

void npu_nat_batch_norm_reduce(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *x = a[0].t;
    const int xf = as_float(c, value(c, x));

    store(c, sum_channels(c, xf, x->n_dims), a[1].t);
    store(c, sum_channels(c, at(c, "aten::square", V(xf)), x->n_dims), a[2].t);
}

/* (x - mean) * invstd * weight + bias */
void npu_nat_batch_norm_elemt(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *x = a[0].t;
    int v = at(c, "aten::sub.Tensor", V(as_float(c, value(c, x))), V(channel_value(c, a[3].t, x)));

    v = at(c, "aten::mul.Tensor", V(v), V(channel_value(c, a[4].t, x)));
    if (a[1].t)
        v = at(c, "aten::mul.Tensor", V(v), V(channel_value(c, a[1].t, x)));
    if (a[2].t)
        v = at(c, "aten::add.Tensor", V(v), V(channel_value(c, a[2].t, x)));
    store(c, v, a[6].t);
}

void npu_nat_group_norm_silu(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *x = a[0].t;
    const int64_t n = x->dim[0], channels = x->dim[1];
    const int64_t area = n && channels ? npu_tensor_numel(x) / (n * channels) : 0;
    const int v =
        at(c, "aten::native_group_norm", TENSOR(c, x), TENSOR(c, a[1].t), TENSOR(c, a[2].t), INT(n),
           INT(channels), INT(area), INT(a[3].i), DOUBLE(a[4].d));

    store(c, at(c, "aten::silu", V(v)), a[5].t);
    store(c, v + 1, a[6].t);
    store(c, v + 2, a[7].t);
}

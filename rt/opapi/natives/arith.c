/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arith.c - small arithmetic without an ATen operator of the same arguments.
 */
#include "native.h"
#include "../../../base/num.h"
#include <stdlib.h>

/* self + alpha * other, where self is the number and other the tensor. */
void npu_nat_add_v3(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int v = at(c, "aten::mul.Tensor", TENSOR(c, a[1].t), SCALAR(a[2].s));

    store(c, at(c, "aten::add.Tensor", V(v), SCALAR(a[0].s)), a[3].t);
}

void npu_nat_amp_update_scale(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, value(c, a[0].t), a[6].t);
    store(c, value(c, a[1].t), a[7].t);
    at(c, "aten::_amp_update_scale_", TENSOR(c, a[6].t), TENSOR(c, a[7].t), TENSOR(c, a[2].t),
       DOUBLE(a[3].d), DOUBLE(a[4].d), INT(a[5].i));
}

/* ---- rounding of whole lists; the mode travels as a number ---- */

static const struct {
    int64_t mode;
    const char *schema;
} roundings[] = {{1, "aten::round"},
                 {2, "aten::floor"},
                 {3, "aten::ceil"},
                 {5, "aten::trunc"},
                 {7, "aten::frac"}};

static const char *rounding(int64_t mode)
{
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (roundings[i].mode == mode)
            return roundings[i].schema;
    return NULL;
}

static void round_list(struct npu_aten_ctx *c, const union npu_arg *a, int64_t mode)
{
    const struct aclTensorList *x = a[0].tl, *out = a[2].tl;
    const char *schema = rounding(mode);

    if (!schema || x->n != out->n) {
        npu_aten()->fail(c, schema ? "x and out must have one length"
                                   : "roundMode must be 1 (round), 2 (floor), 3 (ceil), 5 (trunc) "
                                     "or 7 (frac)");
        return;
    }
    for (uint64_t i = 0; i < x->n; i++)
        store(c, at(c, schema, TENSOR(c, x->v[i])), out->v[i]);
}

const char *npu_check_foreach_round(const union npu_arg *a)
{
    return rounding(a[1].s->i) ? NULL : "roundMode must be 1, 2, 3, 5 or 7";
}

void npu_nat_foreach_round(struct npu_aten_ctx *c, const union npu_arg *a)
{
    round_list(c, a, a[1].s->i);
}

/* The older form has its mode in device memory. */
void npu_nat_foreach_round_v1(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int64_t *mode = npu_aten()->data(c, value(c, a[1].t), DT_INT64);

    if (mode)
        round_list(c, a, *mode);
}

/* ---- casts of a type that torch does not have ---- */

/* hifloat8 bytes as what torch can carry. */
static struct aclTensor as_bytes(const struct aclTensor *t)
{
    struct aclTensor bytes = *t;

    bytes.dtype = DT_UINT8;
    return bytes;
}

static void encode_hif8(struct npu_aten_ctx *c, const struct aclTensor *from,
                        const struct aclTensor *to)
{
    const struct aclTensor bytes = as_bytes(to);
    const int64_t n = npu_tensor_numel(from);
    const float *x = npu_aten()->data(c, value(c, from), DT_FLOAT);
    uint8_t *codes = malloc((size_t)(n + 1));

    for (int64_t i = 0; x && codes && i < n; i++)
        codes[i] = npu_f32_to_hif8(x[i], false);
    if (x && codes)
        store_data(c, codes, DT_UINT8, &bytes);
    else
        npu_aten()->fail(c, "no memory for a cast");
    free(codes);
}

static void decode_hif8(struct npu_aten_ctx *c, const struct aclTensor *from,
                        const struct aclTensor *to)
{
    const struct aclTensor bytes = as_bytes(from);
    const int64_t n = npu_tensor_numel(from);
    const uint8_t *codes = npu_aten()->data(c, value(c, &bytes), DT_UINT8);
    float *x = malloc((size_t)(n + 1) * sizeof *x);

    for (int64_t i = 0; x && codes && i < n; i++)
        x[i] = npu_hif8_to_f32(codes[i]);
    if (x && codes)
        store_data(c, x, DT_FLOAT, to);
    else
        npu_aten()->fail(c, "no memory for a cast");
    free(x);
}

static void cast_hif8(struct npu_aten_ctx *c, const struct aclTensor *from,
                      const struct aclTensor *to)
{
    const struct aclTensor a = as_bytes(from), b = as_bytes(to);

    if (from->dtype == to->dtype)
        store(c, value(c, &a), &b);
    else if (to->dtype == DT_HIFLOAT8)
        encode_hif8(c, from, to);
    else
        decode_hif8(c, from, to);
}

void npu_nat_cast_hif8(struct npu_aten_ctx *c, const union npu_arg *a)
{
    cast_hif8(c, a[0].t, a[2].t);
}

void npu_nat_copy_hif8(struct npu_aten_ctx *c, const union npu_arg *a)
{
    cast_hif8(c, a[1].t, a[0].t);
}

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

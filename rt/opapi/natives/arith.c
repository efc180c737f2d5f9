/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arith.c - small arithmetic without an ATen operator of the same arguments.
 */
#include "native.h"

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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quant.c - quantisation to int8 with a scale per row.
 */
#include "native.h"

const char *npu_check_dynamic_quant(const union npu_arg *a)
{
    const struct aclTensor *x = a[0].t, *y = a[2].t, *scale = a[3].t;

    if (y->dtype != DT_INT8)
        return "y must be int8; int4 is not modelled";
    if (!x->n_dims || y->n_dims != x->n_dims || scale->n_dims + 1 != x->n_dims)
        return "y must have the shape of x, and scale that shape without the last dimension";
    if (a[1].t && npu_tensor_numel(a[1].t) != x->dim[x->n_dims - 1])
        return "smoothScales must have a value for each column of x";
    return NULL;
}

/* scale = max |x| / 127 of each row, y = x / scale, to the nearest, ties to even. */
void npu_nat_dynamic_quant(struct npu_aten_ctx *c, const union npu_arg *a)
{
    int x = at(c, "aten::to.dtype", TENSOR(c, a[0].t), DTYPE(DT_FLOAT)), scale, y;

    if (a[1].t)
        x = at(c, "aten::mul.Tensor", V(x), TENSOR(c, a[1].t));
    scale = at(c, "aten::amax", V(at(c, "aten::abs", V(x))), INTS(-1), BOOL(true));
    scale = at(c, "aten::div.Tensor", V(scale), DOUBLE(127));
    y = at(c, "aten::round", V(at(c, "aten::div.Tensor", V(x), V(scale))));
    y = at(c, "aten::nan_to_num", V(y), DOUBLE(0)); /* a row of zeros */
    store(c, at(c, "aten::clamp", V(y), DOUBLE(-128), DOUBLE(127)), a[2].t);
    store(c, at(c, "aten::squeeze.dim", V(scale), INT(-1)), a[3].t);
}

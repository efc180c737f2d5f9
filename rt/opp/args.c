/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.c - the handles of an aclnn call become a npu_opp_call.
 *
 * Rule: nothing of a handle is kept, so the caller may destroy it as soon as phase one returns.
 */
#include "opp_int.h"
#include <stdlib.h>
#include <string.h>

/* ---- tensors ---- */

static void take_shape(struct npu_opp_tensor *to, const struct aclTensor *t)
{
    struct npu_opp_shape *s = &to->shape.origin;

    s->n_dims = t->n_dims;
    memcpy(s->dim, t->dim, t->n_dims * sizeof *t->dim);
    to->shape.storage = *s;
}

static bool is_contiguous(const struct aclTensor *t)
{
    int64_t expect = 1;

    for (uint32_t i = t->n_dims; i-- > 0;) {
        if (t->dim[i] != 1 && t->stride[i] != expect)
            return false;
        expect *= t->dim[i];
    }
    return true;
}

/* What the kernel gets for a tensor that is not contiguous. */
static int take_strides(struct aclOpExecutor *e, const struct npu_opp_param *p, uint32_t i,
                        bool is_out, const struct aclTensor *t)
{
    struct opp_strided *s;
    const size_t bytes = (size_t)npu_tensor_numel(t) * npu_dtype_bytes(t->dtype);

    if (p->strides == NPU_OPP_PASS_STRIDES || is_contiguous(t) || !npu_tensor_numel(t))
        return ACL_OK;
    if (is_out || p->strides == NPU_OPP_REFUSE_STRIDES || p->same_as >= 0)
        return npu_rt_fail(
            ACLNN_ERR_PARAM_INVALID,
            "aclnn%s: %s is not contiguous (shape %s), and its kernel would read it as "
            "if it were; pass a contiguous tensor%s",
            e->call.op->type, p->name, npu_shape_text(t),
            is_out ? "" : ", or add AutoContiguous() to the Input in the OpDef");
    s = &e->strided[i];
    memcpy(s->stride, t->stride, t->n_dims * sizeof *t->stride);
    s->from = e->call.in[i].data;
    e->call.in[i].data = malloc(bytes);
    if (!e->call.in[i].data)
        return npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory for a contiguous copy of %s",
                           e->call.op->type, p->name);
    return ACL_OK;
}

static int take_tensor(struct aclOpExecutor *e, uint32_t i, bool is_out, const void *handle)
{
    const struct npu_opp_op *op = e->call.op;
    const struct npu_opp_param *p = is_out ? &op->out[i] : &op->in[i];
    struct npu_opp_tensor *to = is_out ? &e->call.out[i] : &e->call.in[i];
    const struct aclTensor *t = handle;

    if (!t && p->option == NPU_OPP_OPTIONAL)
        return ACL_OK;
    if (!t)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "aclnn%s: %s is null; it is required", op->type,
                           p->name);
    if (t->obj.mark != MARK_TENSOR)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "aclnn%s: %s (%p) is not an aclTensor that is alive", op->type, p->name,
                           handle);
    if (t->n_dims > NPU_OPP_DIMS)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "aclnn%s: %s has %u dimensions, at most %d",
                           op->type, p->name, t->n_dims, NPU_OPP_DIMS);
    take_shape(to, t);
    to->is_given = 1;
    to->type = t->dtype;
    to->origin_format = to->storage_format = t->format;
    if (!t->data && npu_tensor_numel(t))
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "aclnn%s: %s has shape %s and no memory",
                           op->type, p->name, npu_shape_text(t));
    if (t->data) /* an empty tensor may have none */
        to->data = (uint8_t *)t->data + t->offset * (int64_t)npu_dtype_bytes(t->dtype);
    else
        to->data = NULL;
    return take_strides(e, p, i, is_out, t);
}

/* ---- attributes ---- */

static const struct {
    uint32_t mark;
    size_t bytes; /* an element */
    const char *name;
} LISTS[] = {
    [NPU_OPP_LIST_BOOL] = {MARK_BOOLS, sizeof(bool), "aclBoolArray"},
    [NPU_OPP_LIST_INT] = {MARK_INTS, sizeof(int64_t), "aclIntArray"},
    [NPU_OPP_LIST_FLOAT] = {MARK_FLOATS, sizeof(float), "aclFloatArray"},
};

/* Kept with the executor. */
static void *keep(struct aclOpExecutor *e, const void *from, size_t bytes)
{
    const size_t n = sizeof e->lists / sizeof *e->lists;
    void *copy;

    for (size_t i = 0; i < n; i++) {
        if (e->lists[i])
            continue;
        copy = malloc(bytes ? bytes : 1);
        if (copy && bytes)
            memcpy(copy, from, bytes);
        e->lists[i] = copy;
        return copy;
    }
    return NULL;
}

static int take_list(struct aclOpExecutor *e, uint32_t i, const void *handle)
{
    const struct npu_opp_attr *a = &e->call.op->attrs[i];
    const struct aclIntArray *list = handle; /* the three differ in their elements only */

    if (list->obj.mark != LISTS[a->kind].mark)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "aclnn%s: attribute %s (%p) is not an %s that is alive",
                           e->call.op->type, a->name, handle, LISTS[a->kind].name);
    e->attrs[i].list.n = list->n;
    e->attrs[i].list.data = keep(e, list->v, list->n * LISTS[a->kind].bytes);
    return e->attrs[i].list.data ? ACL_OK
                                 : npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: attribute %s: no room",
                                               e->call.op->type, a->name);
}

static int take_attr(struct aclOpExecutor *e, uint32_t i, union npu_opp_value v)
{
    const struct npu_opp_attr *a = &e->call.op->attrs[i];
    union npu_opp_attr_value *to = &e->attrs[i];

    *to = a->def;
    switch (a->kind) {
    case NPU_OPP_BOOL:
        to->b = v.i != 0;
        return ACL_OK;
    case NPU_OPP_INT:
        to->i = v.i;
        return ACL_OK;
    case NPU_OPP_FLOAT:
        to->f = (float)v.d;
        return ACL_OK;
    default:
        break;
    }
    if (!v.p && a->is_required)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR,
                           "aclnn%s: attribute %s is null; it has no default", e->call.op->type,
                           a->name);
    if (!v.p)
        return ACL_OK;
    if (a->kind != NPU_OPP_STRING)
        return take_list(e, i, v.p);
    to->s = keep(e, v.p, strlen(v.p) + 1);
    return to->s ? ACL_OK
                 : npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: attribute %s: no room", e->call.op->type,
                               a->name);
}

int opp_take_values(struct aclOpExecutor *e, const union npu_opp_value *v)
{
    const struct npu_opp_op *op = e->call.op;
    int rc = ACL_OK;

    for (uint32_t i = 0; i < op->n_in && rc == ACL_OK; i++)
        rc = take_tensor(e, i, false, (v++)->p);
    for (uint32_t i = 0; i < op->n_attrs && rc == ACL_OK; i++)
        rc = take_attr(e, i, *v++);
    for (uint32_t i = 0; i < op->n_out && rc == ACL_OK; i++) {
        if (op->out[i].same_as >= 0)
            e->call.out[i] = e->call.in[op->out[i].same_as];
        else
            rc = take_tensor(e, i, true, (v++)->p);
    }
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.c - the handles of an aclnn call become a npu_opp_call.
 *
 * Rule: nothing of a handle is kept, so the caller may destroy it as soon as phase one returns.
 */
#include "opp_int.h"
#include "../../base/num.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *opp_keep(struct aclOpExecutor *e, const void *from, size_t bytes)
{
    const size_t all = (sizeof(struct opp_kept) + bytes + 127) / 64 * 64; /* whole blocks */
    struct opp_kept *k = aligned_alloc(64, all);

    if (!k)
        return NULL;
    memset(k, 0, all);
    if (from && bytes)
        memcpy(k->data, from, bytes);
    k->next = e->kept;
    e->kept = k;
    return k->data;
}

uint32_t opp_count(const struct npu_opp_param *p, const void *handle)
{
    const struct aclTensorList *list = handle;

    if (p->form != NPU_OPP_TENSORS)
        return 1;
    return list && list->obj.mark == MARK_TENSORS ? (uint32_t)list->n : 0;
}

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

/* Is this input an output as well? Then it is written where it lies. */
static bool is_written(const struct npu_opp_op *op, const struct npu_opp_param *p)
{
    for (uint32_t i = 0; i < op->n_out; i++)
        if (op->out[i].same_as >= 0 && p == &op->in[op->out[i].same_as])
            return true;
    return false;
}

/* What the kernel gets for a tensor that is not contiguous. */
static int take_strides(struct aclOpExecutor *e, const struct npu_opp_param *p, uint32_t i,
                        bool is_out, const struct aclTensor *t)
{
    struct opp_strided *s;
    const size_t bytes = (size_t)npu_tensor_numel(t) * npu_dtype_bytes(t->dtype);

    if (p->strides == NPU_OPP_PASS_STRIDES || is_contiguous(t) || !npu_tensor_numel(t))
        return ACL_OK;
    if (is_out || p->strides == NPU_OPP_REFUSE_STRIDES || is_written(e->call.op, p))
        return npu_rt_fail(
            ACLNN_ERR_PARAM_INVALID,
            "aclnn%s: %s is not contiguous (shape %s), and its kernel would read it as "
            "if it were; pass a contiguous tensor%s",
            e->call.op->type, p->name, npu_shape_text(t),
            is_out ? "" : ", or add AutoContiguous() to the Input in the OpDef");
    s = &e->strided[i];
    memcpy(s->stride, t->stride, t->n_dims * sizeof *t->stride);
    s->from = e->call.in[i].data;
    e->call.in[i].data = opp_keep(e, NULL, bytes);
    if (!e->call.in[i].data)
        return npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory for a contiguous copy of %s",
                           e->call.op->type, p->name);
    return ACL_OK;
}

/* "x", or "x[2]" of a list; in a buffer of this thread. */
static const char *name_of(const struct npu_opp_param *p, uint32_t k)
{
    static _Thread_local char text[128];

    if (p->form != NPU_OPP_TENSORS)
        return p->name;
    (void)snprintf(text, sizeof text, "%s[%u]", p->name, k);
    return text;
}

static int no_handle(const struct npu_opp_op *op, const char *name, const void *handle,
                     const char *what)
{
    return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "aclnn%s: %s (%p) is not an %s that is alive",
                       op->type, name, handle, what);
}

static int is_null(const struct npu_opp_op *op, const char *name)
{
    return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "aclnn%s: %s is null; it is required", op->type,
                       name);
}

/* Tensor k of parameter p is the one at `to`. */
static int take_one(struct aclOpExecutor *e, const struct npu_opp_param *p, uint32_t k, bool is_out,
                    const void *handle, struct npu_opp_tensor *to)
{
    const struct npu_opp_op *op = e->call.op;
    const struct aclTensor *t = handle;

    if (!t && p->option == NPU_OPP_OPTIONAL)
        return ACL_OK;
    if (!t)
        return is_null(op, name_of(p, k));
    if (t->obj.mark != MARK_TENSOR)
        return no_handle(op, name_of(p, k), handle, "aclTensor");
    if (t->n_dims > NPU_OPP_DIMS)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "aclnn%s: %s has %u dimensions, at most %d",
                           op->type, name_of(p, k), t->n_dims, NPU_OPP_DIMS);
    take_shape(to, t);
    to->is_given = 1;
    to->type = t->dtype;
    to->origin_format = to->storage_format = t->format;
    if (!t->data && npu_tensor_numel(t))
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "aclnn%s: %s has shape %s and no memory",
                           op->type, name_of(p, k), npu_shape_text(t));
    if (t->data) /* an empty tensor may have none */
        to->data = (uint8_t *)t->data + t->offset * (int64_t)npu_dtype_bytes(t->dtype);
    else
        to->data = NULL;
    return take_strides(e, p, (uint32_t)(to - (is_out ? e->call.out : e->call.in)), is_out, t);
}

static int take_tensors(struct aclOpExecutor *e, const struct npu_opp_param *p, bool is_out,
                        const void *handle, struct npu_opp_tensor *to)
{
    const struct aclTensorList *list = handle;
    int rc = ACL_OK;

    if (!list)
        return is_null(e->call.op, p->name);
    if (list->obj.mark != MARK_TENSORS)
        return no_handle(e->call.op, p->name, handle, "aclTensorList");
    for (uint32_t k = 0; k < list->n && rc == ACL_OK; k++)
        rc = take_one(e, p, k, is_out, list->v[k], to + k);
    return rc;
}

/* ---- numbers that the host reads ---- */

static const struct {
    uint32_t mark;
    size_t bytes; /* an element */
    int32_t dtype;
    const char *name;
} LISTS[] = {
    [NPU_OPP_LIST_BOOL] = {MARK_BOOLS, sizeof(bool), DT_BOOL, "aclBoolArray"},
    [NPU_OPP_LIST_INT] = {MARK_INTS, sizeof(int64_t), DT_INT64, "aclIntArray"},
    [NPU_OPP_LIST_FLOAT] = {MARK_FLOATS, sizeof(float), DT_FLOAT, "aclFloatArray"},
};

static void set_vector(struct npu_opp_tensor *to, int32_t type, uint64_t n)
{
    to->is_given = 1;
    to->type = type;
    to->origin_format = to->storage_format = 2; /* ND */
    to->shape.origin.n_dims = 1;
    to->shape.origin.dim[0] = (int64_t)n;
    to->shape.storage = to->shape.origin;
}

/* ValueDepend. Through aclop it may be a tensor: one on the host comes as an array (aclop.c). */
static int take_numbers(struct aclOpExecutor *e, const struct npu_opp_param *p, const void *handle,
                        struct npu_opp_tensor *to)
{
    const int kind = p->types[0] == DT_FLOAT  ? NPU_OPP_LIST_FLOAT
                     : p->types[0] == DT_BOOL ? NPU_OPP_LIST_BOOL
                                              : NPU_OPP_LIST_INT;
    const struct aclIntArray *list = handle; /* the three differ in their elements only */

    if (!list)
        return p->option == NPU_OPP_OPTIONAL ? ACL_OK : is_null(e->call.op, p->name);
    if (e->is_by_name && list->obj.mark == MARK_TENSOR)
        return take_one(e, p, 0, false, handle, to);
    if (list->obj.mark != LISTS[kind].mark)
        return no_handle(e->call.op, p->name, handle, LISTS[kind].name);
    set_vector(to, LISTS[kind].dtype, list->n);
    to->host = to->data = opp_keep(e, list->v, list->n * LISTS[kind].bytes);
    return to->host ? ACL_OK
                    : npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory for %s", e->call.op->type,
                                  p->name);
}

static int take_scalars(struct aclOpExecutor *e, uint32_t i, const void *handle)
{
    const struct npu_opp_param *p = &e->call.op->in[i];
    const struct aclScalarList *list = handle;
    const struct aclScalar *const *from = (const struct aclScalar *const *)&handle;
    const bool is_list = p->form == NPU_OPP_SCALARS;
    uint64_t n = 1;

    if (!handle)
        return p->option == NPU_OPP_OPTIONAL ? ACL_OK : is_null(e->call.op, p->name);
    if (list->obj.mark != (uint32_t)(is_list ? MARK_SCALARS : MARK_SCALAR))
        return no_handle(e->call.op, p->name, handle, is_list ? "aclScalarList" : "aclScalar");
    if (is_list) {
        n = list->n;
        from = (const struct aclScalar *const *)list->v;
    }
    e->scalars[i] = opp_keep(e, NULL, sizeof **e->scalars + n * sizeof *e->scalars[i]->v);
    if (!e->scalars[i])
        return npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory for %s", e->call.op->type, p->name);
    e->scalars[i]->n = n;
    set_vector(&e->call.in[e->call.in_at[i]], n ? from[0]->dtype : DT_FLOAT, n);
    for (uint64_t k = 0; k < n; k++) {
        const bool is_float = npu_dtype_is_float(from[k]->dtype);

        if (from[k]->dtype != from[0]->dtype && !p->to)
            return npu_rt_fail(
                ACLNN_ERR_PARAM_INVALID,
                "aclnn%s: %s holds a %s and a %s; without To() in the OpDef all have "
                "one type",
                e->call.op->type, p->name, npu_dtype_name(from[0]->dtype),
                npu_dtype_name(from[k]->dtype));
        e->scalars[i]->v[k].f = is_float ? from[k]->f : (double)from[k]->i;
        e->scalars[i]->v[k].i = is_float ? (int64_t)from[k]->f : from[k]->i;
    }
    return ACL_OK;
}

void opp_put(void *to, int32_t dtype, double f, int64_t i)
{
    const float narrow = (float)f;
    const uint16_t half = npu_f32_to_f16(npu_f64_to_f32_odd(f));
    const uint16_t brain = npu_f32_to_bf16(npu_f64_to_f32_odd(f));
    const uint8_t flag = i != 0 || f != 0;

    switch (dtype) {
    case DT_FLOAT:
        memcpy(to, &narrow, sizeof narrow);
        break;
    case DT_DOUBLE:
        memcpy(to, &f, sizeof f);
        break;
    case DT_FLOAT16:
        memcpy(to, &half, sizeof half);
        break;
    case DT_BF16:
        memcpy(to, &brain, sizeof brain);
        break;
    case DT_BOOL:
        memcpy(to, &flag, sizeof flag);
        break;
    default: /* integers, in the byte order of this machine */
        memcpy(to, &i, npu_dtype_bytes(dtype));
        break;
    }
}

static int finish_scalars(struct aclOpExecutor *e, uint32_t i)
{
    const struct npu_opp_param *p = &e->call.op->in[i];
    const struct opp_scalars *s = e->scalars[i];
    struct npu_opp_tensor *to = &e->call.in[e->call.in_at[i]];
    uint8_t *data;

    if (!s)
        return ACL_OK;
    if (p->to)
        to->type = p->to[e->variant];
    data = opp_keep(e, NULL, s->n * 8);
    if (!data)
        return npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory for %s", e->call.op->type, p->name);
    for (uint64_t k = 0; k < s->n; k++)
        opp_put(data + k * npu_dtype_bytes(to->type), to->type, s->v[k].f, s->v[k].i);
    to->host = to->data = data;
    return ACL_OK;
}

/* What ListTensorDesc reads: the offset of the pointers, each tensor's number of dimensions, its
 * number and its dimensions, then the pointers. */
static void *list_desc(struct aclOpExecutor *e, const struct npu_opp_tensor *t, uint32_t n)
{
    size_t words = 1 + (size_t)n;
    uint64_t *desc, *at;

    for (uint32_t k = 0; k < n; k++)
        words += 1 + t[k].shape.origin.n_dims;
    desc = opp_keep(e, NULL, words * sizeof *desc);
    if (!desc)
        return NULL;
    desc[0] = (words - n) * sizeof *desc;
    at = desc + 1;
    for (uint32_t k = 0; k < n; k++) {
        const struct npu_opp_shape *s = &t[k].shape.origin;

        *at++ = s->n_dims | (uint64_t)k << 32;
        for (size_t d = 0; d < s->n_dims; d++)
            *at++ = (uint64_t)s->dim[d];
    }
    for (uint32_t k = 0; k < n; k++)
        *at++ = (uint64_t)(uintptr_t)t[k].data;
    return desc;
}

static int finish_param(struct aclOpExecutor *e, const struct npu_opp_param *p,
                        const struct npu_opp_tensor *t, uint32_t n, void **gm)
{
    if (p->form != NPU_OPP_TENSORS) {
        *gm = t->data;
        return ACL_OK;
    }
    *gm = list_desc(e, t, n);
    return *gm ? ACL_OK
               : npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory for %s", e->call.op->type,
                             p->name);
}

int opp_finish_values(struct aclOpExecutor *e)
{
    const struct npu_opp_call *c = &e->call;
    int rc = ACL_OK;

    for (uint32_t i = 0; i < c->op->n_in && rc == ACL_OK; i++) {
        rc = finish_scalars(e, i);
        if (rc == ACL_OK)
            rc = finish_param(e, &c->op->in[i], c->in + c->in_at[i], c->in_at[i + 1] - c->in_at[i],
                              &e->gm[i]);
    }
    for (uint32_t i = 0; i < c->op->n_out && rc == ACL_OK; i++) {
        const int in = c->op->out[i].same_as;
        void **gm = &e->gm[c->op->n_in + i];

        if (in >= 0)
            *gm = e->gm[in];
        else
            rc = finish_param(e, &c->op->out[i], c->out + c->out_at[i],
                              c->out_at[i + 1] - c->out_at[i], gm);
    }
    return rc;
}

/* ---- attributes ---- */

static int take_list(struct aclOpExecutor *e, uint32_t i, const void *handle)
{
    const struct npu_opp_attr *a = &e->call.op->attrs[i];
    const struct aclIntArray *list = handle; /* the three differ in their elements only */

    if (list->obj.mark != LISTS[a->kind].mark)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "aclnn%s: attribute %s (%p) is not an %s that is alive",
                           e->call.op->type, a->name, handle, LISTS[a->kind].name);
    e->attrs[i].list.n = list->n;
    e->attrs[i].list.data = opp_keep(e, list->v, list->n * LISTS[a->kind].bytes);
    return e->attrs[i].list.data ? ACL_OK
                                 : npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: attribute %s: no room",
                                               e->call.op->type, a->name);
}

/* An aclnn function cannot be given one. */
static bool is_fixed(const struct npu_opp_attr *a)
{
    return a->kind == NPU_OPP_LIST_LIST_INT;
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
    if (is_fixed(a))
        return ACL_OK;
    if (!v.p && a->is_required)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR,
                           "aclnn%s: attribute %s is null; it has no default", e->call.op->type,
                           a->name);
    if (!v.p)
        return ACL_OK;
    if (a->kind != NPU_OPP_STRING)
        return take_list(e, i, v.p);
    to->s = opp_keep(e, v.p, strlen(v.p) + 1);
    return to->s ? ACL_OK
                 : npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: attribute %s: no room", e->call.op->type,
                               a->name);
}

static int take_param(struct aclOpExecutor *e, const struct npu_opp_param *p, uint32_t i,
                      bool is_out, const void *handle)
{
    struct npu_opp_tensor *to =
        is_out ? e->call.out + e->call.out_at[i] : e->call.in + e->call.in_at[i];

    switch (p->form) {
    case NPU_OPP_TENSORS:
        return take_tensors(e, p, is_out, handle, to);
    case NPU_OPP_VALUES:
        return take_numbers(e, p, handle, to);
    case NPU_OPP_SCALAR:
    case NPU_OPP_SCALARS:
        return take_scalars(e, i, handle);
    default:
        return take_one(e, p, 0, is_out, handle, to);
    }
}

int opp_take_values(struct aclOpExecutor *e, const union npu_opp_value *v)
{
    const struct npu_opp_op *op = e->call.op;
    int rc = ACL_OK;

    for (uint32_t i = 0; i < op->n_in && rc == ACL_OK; i++)
        rc = take_param(e, &op->in[i], i, false, (v++)->p);
    for (uint32_t i = 0; i < op->n_attrs && rc == ACL_OK; i++)
        rc = take_attr(e, i, *v++);
    for (uint32_t i = 0; i < op->n_out && rc == ACL_OK; i++) {
        const int in = op->out[i].same_as;

        if (in >= 0)
            memcpy(e->call.out + e->call.out_at[i], e->call.in + e->call.in_at[in],
                   (e->call.in_at[in + 1] - e->call.in_at[in]) * sizeof *e->call.in);
        else
            rc = take_param(e, &op->out[i], i, true, (v++)->p);
        if (rc == ACL_OK && op->out[i].sets_shape)
            opp_shape_of(e, i, v[-1].p);
    }
    return rc;
}

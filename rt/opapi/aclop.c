/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop.c - single operators by GE type name (aclopCompileAndExecute), the older door.
 *
 * torch_npu takes it for what has no aclnn operator. A type that is not in the table is refused by
 * name: a stub that succeeds would leave the outputs as they were.
 * Rule: the descriptions belong to the caller, so a call is copied before it is queued.
 */
#include "../acl_objects.h"
#include "../opp/aclop.h"
#include "native.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TENSORS = 8, MAX_INTS = NPU_MAX_DIMS };

struct aclop_task;
typedef void aclop_fn(struct npu_aten_ctx *c, const struct aclop_task *t);

/* schema: takes the inputs in order; its result goes to output 0. fn: anything else. */
struct npu_aclop_row {
    const char *type, *schema;
    aclop_fn *fn;
    int n_inputs;
    const char *ints, *real; /* names of attributes that fn reads, NULL for none */
};

struct aclop_task {
    const struct npu_aclop_row *row;
    struct aclTensor *in[MAX_TENSORS], *out[MAX_TENSORS];
    int n_in, n_out, n_ints;
    int64_t ints[MAX_INTS];
    double real;
    bool keep_dims;
};

static struct npu_value dims_of(const struct aclTensor *t)
{
    return (struct npu_value){.kind = V_INTS, .i = t->n_dims, .p = t->dim};
}

/* The store converts to the type of the output. */
static void copy(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c, value(c, t->in[0]), t->out[0]);
}

static void spread(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    store(c, at(c, "aten::expand", TENSOR(c, t->in[0]), dims_of(t->out[0])), t->out[0]);
}

/* Inputs: dimensions, value. The output already has the dimensions. */
static void fill(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int v = at(c, "aten::reshape", TENSOR(c, t->in[1]), INTS(1));

    store(c, at(c, "aten::expand", V(v), dims_of(t->out[0])), t->out[0]);
}

/* A norm is two operators: the sum of |x|^p, then its root. An infinite p travels as INT_MIN or
 * INT_MAX, and 0 counts; neither has a root. */
static bool p_has_root(double p)
{
    return p != 0 && p < 0x1p31 && p > -0x1p31;
}

static void norm_reduce(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct npu_value dims = {.kind = V_INTS, .i = t->n_ints, .p = t->ints};
    const struct npu_value keep = BOOL(t->keep_dims);
    const double p = t->real;
    int v = at(c, "aten::abs", TENSOR(c, t->in[0]));

    if (p >= 0x1p31)
        v = at(c, "aten::amax", V(v), dims, keep);
    else if (p <= -0x1p31)
        v = at(c, "aten::amin", V(v), dims, keep);
    else if (p == 0)
        v = at(c, "aten::sum.dim_IntList", V(at(c, "aten::ne.Scalar", V(v), INT(0))), dims, keep);
    else
        v = at(c, "aten::sum.dim_IntList", V(at(c, "aten::pow.Tensor_Scalar", V(v), DOUBLE(p))),
               dims, keep);
    store(c, v, t->out[0]);
}

static void norm_update(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int v = value(c, t->in[0]);

    if (p_has_root(t->real))
        v = at(c, "aten::pow.Tensor_Scalar", V(v), DOUBLE(1 / t->real));
    store(c, v, t->out[0]);
}

static const struct npu_aclop_row rows[] = {
#define ACLOP(type, schema, fn, n_inputs, ints, real) {type, schema, fn, n_inputs, ints, real},
#include "aclop.def"
};

static const struct npu_aclop_row *find(const char *type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].type, type))
            return &rows[i];
    return NULL;
}

NPU_API const char *npu_aclop_name(uint32_t i);

/* For the CLI: the name of row i, NULL behind the last. */
const char *npu_aclop_name(uint32_t i)
{
    return i < sizeof rows / sizeof *rows ? rows[i].type : NULL;
}

/* ---- one call ---- */

static void task_free(void *p)
{
    struct aclop_task *t = p;

    for (int i = 0; i < MAX_TENSORS; i++) {
        npu_obj_drop(t->in[i]);
        npu_obj_drop(t->out[i]);
    }
    free(t);
}

static int run_task(void *arg, struct npu_diag *story)
{
    const struct aclop_task *t = arg;
    struct npu_aten_ctx *c = npu_aten()->begin();
    struct npu_value v[MAX_TENSORS];
    char text[768];

    if (t->row->fn) {
        t->row->fn(c, t);
    } else {
        for (int i = 0; i < t->row->n_inputs; i++)
            v[i] = TENSOR(c, t->in[i]);
        store(c, npu_aten()->call(c, t->row->schema, v, (size_t)t->row->n_inputs), t->out[0]);
    }
    if (!npu_aten()->end(c, text, sizeof text))
        return ACL_OK;
    npu_fail(story, NPU_E_ARG, "aclop %s: %s", t->row->type, text);
    return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
}

/* A contiguous tensor of a description; constants live in the description itself. */
static struct aclTensor *tensor_of(const struct aclTensorDesc *d, const struct aclDataBuffer *b)
{
    const struct npu_acl_shape *s = &d->shape;

    if (s->n_dims < 0)
        return NULL;
    return aclCreateTensor(s->dims, (uint64_t)s->n_dims, d->type, NULL, 0, d->format, s->dims,
                           (uint64_t)s->n_dims, b && b->data ? b->data : d->const_data);
}

static int check_format(const char *type, const struct aclTensorDesc *d)
{
    const int32_t format = d->storage_format >= 0 ? d->storage_format : d->format;

    if (npu_format_is_plain(format))
        return ACL_OK;
    return npu_rt_fail(ACL_ERROR_API_NOT_SUPPORT,
                       "aclop %s: storage format %d is not supported; the twin "
                       "has plain formats only (ND, NCHW, NCDHW)",
                       type, format);
}

static int take_tensors(struct aclop_task *t, const struct npu_aclop_call *call)
{
    t->n_in = call->n_inputs;
    t->n_out = call->n_outputs;
    for (int i = 0; i < t->n_in + t->n_out; i++) {
        const int k = i < t->n_in ? i : i - t->n_in;
        struct aclTensor **to = i < t->n_in ? &t->in[k] : &t->out[k];

        if (check_format(call->op_type, i < t->n_in ? call->input_desc[k] : call->output_desc[k]))
            return ACL_ERROR_API_NOT_SUPPORT;
        *to = i < t->n_in ? tensor_of(call->input_desc[k], call->inputs[k])
                          : tensor_of(call->output_desc[k], call->outputs[k]);
        if (!*to || (!(*to)->data && npu_tensor_numel(*to)))
            return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclop %s: %s %d has no shape or no memory",
                               call->op_type, i < t->n_in ? "input" : "output", k);
    }
    return ACL_OK;
}

static int take_attributes(struct aclop_task *t, const struct aclopAttr *attr)
{
    const struct npu_attr *ints = t->row->ints ? npu_attr_find(attr, t->row->ints) : NULL;
    const struct npu_attr *real = t->row->real ? npu_attr_find(attr, t->row->real) : NULL;
    const struct npu_attr *keep = npu_attr_find(attr, "keepdim");

    if (ints && ints->ints) {
        if (ints->n > MAX_INTS)
            return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclop %s: attribute %s has %d values",
                               t->row->type, t->row->ints, ints->n);
        t->n_ints = ints->n;
        memcpy(t->ints, ints->ints, (size_t)ints->n * sizeof *t->ints);
    }
    if (t->row->real && !real)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclop %s: attribute %s is missing",
                           t->row->type, t->row->real);
    if (real)
        t->real = real->kind == ATTR_FLOAT ? (double)real->floats[0] : (double)real->ints[0];
    t->keep_dims = keep && keep->ints && keep->ints[0];
    return ACL_OK;
}

static int check_counts(const struct npu_aclop_row *row, const struct npu_aclop_call *call)
{
    if (call->n_inputs == row->n_inputs && call->n_outputs == 1)
        return ACL_OK;
    return npu_rt_fail(ACL_ERROR_INVALID_PARAM,
                       "aclop %s takes %d inputs and 1 output, got %d and %d", call->op_type,
                       row->n_inputs, call->n_inputs, call->n_outputs);
}

int npu_aclop_execute(const struct npu_aclop_call *call)
{
    const struct npu_aclop_row *row = call->op_type ? find(call->op_type) : NULL;
    struct aclop_task *t;
    int rc;

    if (!row)
        return npu_opp_aclop(call);
    if (!npu_aten())
        return ACLNN_ERR_INNER;
    rc = check_counts(row, call);
    if (rc != ACL_OK)
        return rc;
    t = calloc(1, sizeof *t);
    if (!t)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclop %s: no memory", call->op_type);
    t->row = row;
    rc = take_tensors(t, call);
    if (rc == ACL_OK)
        rc = take_attributes(t, call->attr);
    if (rc != ACL_OK) {
        task_free(t);
        return rc;
    }
    return npu_rt_enqueue(call->stream, row->type, run_task, t, NULL, task_free);
}

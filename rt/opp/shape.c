/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.c - outputs whose shape the kernel says (OutputShapeDependOnCompute).
 *
 * The kernel writes, for each of them in the order of the OpDef, how many dimensions there are and
 * up to eight of them. The caller's tensor is the room that there is at most; it has the shape of
 * the result once the stream has come so far. Rule: a tensor is held from the first phase on.
 */
#include "opp_int.h"

enum { DIMS_ARE_64_BITS = 0x80000000u };

uint32_t opp_n_shaped(const struct npu_opp_op *op)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < op->n_out; i++)
        n += op->out[i].sets_shape;
    return n;
}

int opp_prepare_shapes(struct aclOpExecutor *e)
{
    const uint32_t n = opp_n_shaped(e->call.op);

    if (!n)
        return ACL_OK;
    e->shaped = opp_keep(e, NULL, e->call.op->n_out * sizeof(struct aclTensor *));
    e->shapes = opp_keep(e, NULL, n * NPU_OPP_SHAPE_WORDS * sizeof *e->shapes);
    return e->shaped && e->shapes
               ? ACL_OK
               : npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory for shapes", e->call.op->type);
}

void opp_shape_of(struct aclOpExecutor *e, uint32_t output, const void *tensor)
{
    npu_obj_hold(tensor);
    e->shaped[output] = (struct aclTensor *)(uintptr_t)tensor;
}

void opp_drop_shapes(struct aclOpExecutor *e)
{
    for (uint32_t i = 0; e->shaped && i < e->call.op->n_out; i++)
        npu_obj_drop(e->shaped[i]);
}

static bool read_shape(const uint64_t *words, struct npu_opp_shape *s)
{
    const bool is_wide = words[0] & DIMS_ARE_64_BITS;

    *s = (struct npu_opp_shape){.n_dims = words[0] & 0x7fffffff};
    if (s->n_dims >= NPU_OPP_SHAPE_WORDS)
        return false;
    for (size_t d = 0; d < s->n_dims; d++) {
        s->dim[d] = (int64_t)(is_wide ? words[1 + d] : words[1 + d] & UINT32_MAX);
        if (s->dim[d] < 0)
            return false;
    }
    return true;
}

static void give_shape(struct aclTensor *t, const struct npu_opp_shape *s)
{
    int64_t stride = 1;

    t->n_dims = (uint32_t)s->n_dims;
    for (size_t d = s->n_dims; d-- > 0;) {
        t->dim[d] = s->dim[d];
        t->stride[d] = stride;
        stride *= s->dim[d];
    }
}

int opp_take_shapes(void *executor, struct npu_diag *story)
{
    struct aclOpExecutor *e = executor;
    const struct npu_opp_call *c = &e->call;
    const uint64_t *words = e->shapes;
    struct npu_opp_shape s;

    for (uint32_t i = 0; i < c->op->n_out; i++) {
        if (!c->op->out[i].sets_shape)
            continue;
        if (!read_shape(words, &s)) {
            npu_fail(
                story, NPU_E_ARG,
                "aclnn%s: the kernel says %llu dimensions for %s, or a negative one; at most 8",
                c->op->type, (unsigned long long)(words[0] & 0x7fffffff), c->op->out[i].name);
            return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
        }
        if (e->shaped[i] && opp_numel(&s) > opp_numel(&c->out[c->out_at[i]].shape.origin)) {
            npu_fail(story, NPU_E_ARG,
                     "aclnn%s: the kernel says shape %s for %s; its tensor has room for %s",
                     c->op->type, opp_shape_text(&s), c->op->out[i].name,
                     opp_shape_text(&c->out[c->out_at[i]].shape.origin));
            return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
        }
        if (e->shaped[i])
            give_shape(e->shaped[i], &s);
        words += NPU_OPP_SHAPE_WORDS;
    }
    return ACL_OK;
}

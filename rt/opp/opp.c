/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opp.c - the two phases of the operators of a package.
 *
 * Phase one checks, runs the TilingFunc and keeps its answer; phase two gives the stream one task
 * that makes strided inputs contiguous, when there are any, and one launch.
 * Rule: an executor is looked up among those that are alive before it is touched, because callers
 * pass NULL after a failed phase one and destroy what has run.
 */
#include "opp_int.h"
#include "../../engine/engine.h"
#include "../../engine/kernel.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

NPU_API uint64_t nputwin_tiling_key(void);
NPU_API size_t nputwin_tiling_bytes(void);

/* ---- executors ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct aclOpExecutor *alive;

/* Addresses of executors that have run: some callers destroy them again. */
enum { N_RUN = 64 };
static const struct aclOpExecutor *has_run[N_RUN];
static unsigned n_run;

static void add_alive(struct aclOpExecutor *e)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < N_RUN; i++) /* the address is in use again */
        if (has_run[i] == e)
            has_run[i] = NULL;
    e->next = alive;
    alive = e;
    pthread_mutex_unlock(&lock);
}

/* Is e alive? Takes it out of the list unless keep is set or it may run again. */
static bool claim(const struct aclOpExecutor *e, bool keep)
{
    struct aclOpExecutor **at = &alive;
    bool found;

    pthread_mutex_lock(&lock);
    while (*at && *at != e)
        at = &(*at)->next;
    found = *at != NULL;
    if (found && !keep && !e->is_repeatable) {
        *at = e->next;
        has_run[n_run++ % N_RUN] = e;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Also forgets it: a second time is a mistake. */
static bool claim_run(const struct aclOpExecutor *e)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < N_RUN && e && !found; i++) {
        found = has_run[i] == e;
        if (found)
            has_run[i] = NULL;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void release(void *p)
{
    struct aclOpExecutor *e = p;

    if (__atomic_sub_fetch(&e->obj.n_holders, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    opp_drop_shapes(e);
    for (struct opp_kept *k = e->kept, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    free(e->own_workspace);
    free(e->call.tiling);
    e->obj.mark = OPP_MARK_DEAD;
    free(e);
}

static void *hold(const void *p)
{
    struct aclOpExecutor *e = (void *)(uintptr_t)p;

    __atomic_add_fetch(&e->obj.n_holders, 1, __ATOMIC_RELAXED);
    return e;
}

/* at[i]: the first tensor of parameter i; the last entry: how many there are. Returns the values
 * behind those of these parameters. */
static const union npu_opp_value *count_tensors(const struct npu_opp_param *p, uint32_t n,
                                                const union npu_opp_value *v, uint32_t *at,
                                                const uint32_t *in_at)
{
    at[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        const bool is_input = p[i].same_as >= 0;

        at[i + 1] = at[i] + (is_input ? in_at[p[i].same_as + 1] - in_at[p[i].same_as]
                                      : opp_count(&p[i], v->p));
        v += !is_input;
    }
    return v;
}

/* The launch's arguments are the executor itself. */
static struct aclOpExecutor *executor_new(const struct npu_opp_package *pkg,
                                          const struct npu_opp_op *op,
                                          const union npu_opp_value *values)
{
    const size_t n_at = (size_t)op->n_in + op->n_out + 2;
    uint32_t *at = calloc(n_at, sizeof *at), *out_at, n_in, n_out;
    struct aclOpExecutor *e;

    if (!at)
        return NULL;
    out_at = at + op->n_in + 1;
    values = count_tensors(op->in, op->n_in, values, at, at);
    (void)count_tensors(op->out, op->n_out, values + op->n_attrs, out_at, at);
    n_in = at[op->n_in];
    n_out = out_at[op->n_out];
    e = calloc(1, sizeof *e + (n_in + n_out) * sizeof(struct npu_opp_tensor) +
                      n_in * sizeof(struct opp_strided) +
                      op->n_attrs * sizeof(union npu_opp_attr_value) +
                      (n_at + 1 + op->n_in) * sizeof(void *) + n_at * sizeof *at);
    if (e) {
        e->obj = (struct npu_obj){OPP_MARK, 1};
        e->package = pkg;
        e->call.op = op;
        e->call.in = (struct npu_opp_tensor *)(e + 1);
        e->call.out = e->call.in + n_in;
        e->strided = (struct opp_strided *)(e->call.out + n_out);
        e->attrs = (union npu_opp_attr_value *)(e->strided + n_in);
        e->gm = (void **)(e->attrs + op->n_attrs);
        e->scalars = (struct opp_scalars **)(e->gm + n_at + 1);
        e->at = (uint32_t *)(e->scalars + op->n_in);
        memcpy(e->at, at, n_at * sizeof *at);
        e->call.in_at = e->at;
        e->call.out_at = e->at + op->n_in + 1;
        e->call.attrs = e->attrs;
    }
    free(at);
    return e;
}

/* ---- phase one ---- */

const struct npu_opp_op *opp_find_op(const struct npu_opp_package *pkg, const char *type)
{
    for (uint32_t i = 0; i < pkg->n_ops; i++)
        if (!strcmp(pkg->ops[i]->type, type))
            return pkg->ops[i];
    return NULL;
}

static bool has_work(const struct npu_opp_call *c)
{
    for (uint32_t i = 0; i < c->out_at[c->op->n_out]; i++)
        if (c->out[i].is_given && opp_numel(&c->out[i].shape.origin))
            return true;
    return c->op->runs_empty || opp_n_shaped(c->op);
}

static int check_answer(struct aclOpExecutor *e)
{
    const struct npu_opp_call *c = &e->call;

    if (c->tiling_bytes > c->tiling_capacity)
        return npu_rt_fail(
            ACLNN_ERR_INNER_TILING,
            "aclnn%s: its TilingFunc says %zu bytes of tiling data; there is room for %zu",
            c->op->type, c->tiling_bytes, c->tiling_capacity);
    if (!c->block_dim)
        return npu_rt_fail(ACLNN_ERR_INNER_TILING,
                           "aclnn%s: its TilingFunc set no number of blocks; call "
                           "context->SetBlockDim(n) with n of at least 1",
                           c->op->type);
    for (size_t i = 0; i < c->n_workspaces; i++)
        e->workspace_bytes += c->workspace_bytes[i];
    return ACL_OK;
}

static int run_tiling(struct aclOpExecutor *e)
{
    uint8_t *fitting;
    uint32_t status;

    e->call.tiling = calloc(1, NPU_OPP_TILING_BYTES);
    e->call.tiling_capacity = NPU_OPP_TILING_BYTES;
    if (!e->call.tiling)
        return npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory for tiling data", e->call.op->type);
    status = e->call.op->tiling(&e->call);
    if (status)
        return npu_rt_fail(ACLNN_ERR_INNER_TILING,
                           "aclnn%s: its TilingFunc returned %u: it refuses these shapes, types or "
                           "attributes",
                           e->call.op->type, status);
    status = (uint32_t)check_answer(e);
    if (status)
        return (int)status;
    fitting = realloc(e->call.tiling, e->call.tiling_bytes ? e->call.tiling_bytes : 1);
    if (fitting)
        e->call.tiling = fitting;
    return ACL_OK;
}

static int prepare(struct aclOpExecutor *e, const union npu_opp_value *values)
{
    int rc = opp_prepare_shapes(e);

    if (rc == ACL_OK)
        rc = opp_take_values(e, values);
    if (rc == ACL_OK)
        rc = opp_choose_variant(&e->call, &e->variant);
    if (rc == ACL_OK)
        rc = opp_check_types(&e->call);
    if (rc == ACL_OK)
        rc = opp_finish_values(e);
    if (rc == ACL_OK)
        rc = opp_check_shapes(&e->call);
    if (rc != ACL_OK || !has_work(&e->call))
        return rc;
    rc = opp_find_kernel(e, e->call.op->kernel_of[e->variant]);
    return rc == ACL_OK ? run_tiling(e) : rc;
}

static int check_package(const struct npu_opp_package *pkg, const char *type)
{
    if (pkg->abi != NPU_OPP_ABI)
        return npu_rt_fail(
            ACLNN_ERR_INNER,
            "aclnn%s: package %s has layout %u, this version knows %d: build and install "
            "it again",
            type, pkg->vendor, pkg->abi, NPU_OPP_ABI);
    return ACL_OK;
}

int opp_prepare(const struct npu_opp_package *pkg, const char *type,
                const union npu_opp_value *values, bool is_by_name, uint64_t *workspace_bytes,
                struct aclOpExecutor **executor)
{
    const struct npu_opp_op *op;
    struct aclOpExecutor *e;
    int rc;

    if (!workspace_bytes || !executor)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "aclnn%sGetWorkspaceSize: %s is null", type,
                           workspace_bytes ? "executor" : "workspaceSize");
    *workspace_bytes = 0;
    *executor = NULL;
    rc = check_package(pkg, type);
    if (rc != ACL_OK)
        return rc;
    op = opp_find_op(pkg, type);
    if (!op)
        return npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: package %s holds no OP_ADD(%s)", type,
                           pkg->vendor, type);
    e = executor_new(pkg, op, values);
    if (!e)
        return npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory for an executor", type);
    e->is_by_name = is_by_name;
    rc = prepare(e, values);
    if (rc != ACL_OK) {
        release(e);
        return rc;
    }
    add_alive(e);
    *workspace_bytes = e->workspace_bytes;
    *executor = e;
    return ACL_OK;
}

NPU_API int npu_opp_prepare(const struct npu_opp_package *pkg, const char *type,
                            const union npu_opp_value *values, uint64_t *workspace_bytes,
                            struct aclOpExecutor **executor)
{
    const int rc = opp_prepare(pkg, type, values, false, workspace_bytes, executor);

    if (NPU_UNLIKELY(rc != ACL_OK))
        npu_rt_poison_behind_queue(rc);
    return rc;
}

/* ---- phase two ---- */

/* What TILING_KEY_IS asks for. All blocks that a thread runs at a time are of one launch. */
static _Thread_local struct {
    uint64_t key;
    size_t bytes;
} current;

NPU_API uint64_t nputwin_tiling_key(void)
{
    return current.key;
}

NPU_API size_t nputwin_tiling_bytes(void)
{
    return current.bytes;
}

static void call_kernel(void (*fn)(void), const void *args)
{
    const struct aclOpExecutor *e = args;

    struct npu_core *core = npu_self();
    uint8_t *workspace = e->gm[e->call.op->n_in + e->call.op->n_out + (e->shapes ? 1 : 0)];

    /* The kernel gets its own workspace, all of it: nothing of ours lives in the system's part. */
    core->sys_workspace = workspace ? workspace - NPU_SYS_WORKSPACE_BYTES : NULL;
    current.key = e->call.tiling_key;
    current.bytes = e->call.tiling_bytes;
    e->kernel->call(fn, e->gm);
}

/* Row by row of the last dimension. */
static void make_contiguous(const struct npu_opp_tensor *t, const struct opp_strided *s)
{
    const struct npu_opp_shape *shape = &t->shape.origin;
    const size_t bytes = npu_dtype_bytes(t->type);
    const int64_t n = opp_numel(shape);
    int64_t at[NPU_OPP_DIMS] = {0}, from = 0;
    uint8_t *to = t->data;

    for (int64_t i = 0; i < n; i++, to += bytes) {
        memcpy(to, (const uint8_t *)s->from + from * (int64_t)bytes, bytes);
        for (size_t d = shape->n_dims; d-- > 0;) {
            from += s->stride[d];
            if (++at[d] < shape->dim[d])
                break;
            from -= s->stride[d] * shape->dim[d];
            at[d] = 0;
        }
    }
}

/* SetNeedAtomic and InitValue: what an output holds before the kernel. */
static bool has_init(const struct aclOpExecutor *e)
{
    for (uint32_t i = 0; i < e->call.op->n_out && e->call.needs_atomic; i++)
        if (e->call.op->out[i].init)
            return true;
    return false;
}

static void fill(const struct npu_opp_tensor *t, double value)
{
    const size_t bytes = npu_dtype_bytes(t->type);
    const int64_t n = t->is_given ? opp_numel(&t->shape.origin) : 0;
    uint8_t one[16] = {0};

    opp_put(one, t->type, value, (int64_t)value);
    for (int64_t i = 0; i < n; i++)
        memcpy((uint8_t *)t->data + (size_t)i * bytes, one, bytes);
}

static int copy_task(void *arg, struct npu_diag *story)
{
    const struct aclOpExecutor *e = arg;
    const struct npu_opp_call *c = &e->call;

    (void)story;
    for (uint32_t i = 0; i < c->in_at[c->op->n_in]; i++)
        if (e->strided[i].from)
            make_contiguous(&c->in[i], &e->strided[i]);
    for (uint32_t i = 0; i < c->op->n_out && c->needs_atomic; i++)
        for (uint32_t k = c->out_at[i]; k < c->out_at[i + 1] && c->op->out[i].init; k++)
            fill(&c->out[k], c->op->out[i].init[e->variant]);
    return ACL_OK;
}

static bool is_strided(const struct aclOpExecutor *e)
{
    for (uint32_t i = 0; i < e->call.in_at[e->call.op->n_in]; i++)
        if (e->strided[i].from)
            return true;
    return false;
}

/* Tensors and lists are in their places since phase one. */
static void fill_pointers(struct aclOpExecutor *e, void *workspace)
{
    void **gm = e->gm + e->call.op->n_in + e->call.op->n_out;

    if (e->shapes)
        *gm++ = e->shapes;
    gm[0] = workspace;
    gm[1] = e->call.tiling;
}

static int check_workspace(const struct aclOpExecutor *e, const void *workspace, uint64_t bytes)
{
    if (!e->workspace_bytes)
        return ACL_OK;
    if (!workspace)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR,
                           "aclnn%s: workspace is null; phase one asked for %llu bytes",
                           e->call.op->type, (unsigned long long)e->workspace_bytes);
    if (bytes < e->workspace_bytes)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "aclnn%s: workspaceSize is %llu; phase one asked for %llu bytes",
                           e->call.op->type, (unsigned long long)bytes,
                           (unsigned long long)e->workspace_bytes);
    return ACL_OK;
}

static int launch(struct aclOpExecutor *e, void *workspace, void *stream)
{
    int rc = ACL_OK;

    if (!e->kernel)
        return ACL_OK;
    fill_pointers(e, workspace);
    if (is_strided(e) || has_init(e))
        rc = npu_rt_enqueue(stream, e->call.op->type, copy_task, e, hold, release);
    if (rc != ACL_OK)
        return rc;
    rc = (int)npu_rt_launch_keyed(e->kernel->key(), e->call.tiling_key, e->call.block_dim, stream,
                                  call_kernel, e, hold, release);
    if (rc == ACL_OK && e->shapes)
        rc = npu_rt_enqueue(stream, e->call.op->type, opp_take_shapes, e, hold, release);
    return rc;
}

NPU_API int npu_opp_launch(const char *type, void *workspace, uint64_t workspace_bytes,
                           struct aclOpExecutor *e, void *stream)
{
    int rc;

    if (!e)
        return npu_rt_fail(
            ACLNN_ERR_PARAM_NULLPTR,
            "aclnn%s: executor is null; call aclnn%sGetWorkspaceSize first and check its status",
            type, type);
    if (!claim(e, true))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "aclnn%s: executor %p is not alive; one runs once", type, (void *)e);
    if (strcmp(e->call.op->type, type) != 0)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "aclnn%s: executor %p was made for aclnn%s",
                           type, (void *)e, e->call.op->type);
    rc = check_workspace(e, workspace, workspace_bytes);
    if (rc != ACL_OK)
        return rc;
    if (!e->is_repeatable && !claim(e, false))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "aclnn%s: executor %p runs in another thread",
                           type, (void *)e);
    rc = launch(e, workspace, stream);
    if (!e->is_repeatable)
        release(e);
    return rc;
}

/* ---- aclSetAclOpExecutorRepeatable, aclDestroyAclOpExecutor ---- */

NPU_API int npu_opp_owns(const struct aclOpExecutor *e)
{
    return claim(e, true);
}

NPU_API int npu_opp_ran(const struct aclOpExecutor *e)
{
    return claim_run(e);
}

NPU_API int npu_opp_set_repeatable(struct aclOpExecutor *e)
{
    if (!claim(e, true))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "executor %p is not alive", (void *)e);
    e->is_repeatable = true;
    return ACL_OK;
}

NPU_API int npu_opp_destroy(struct aclOpExecutor *e)
{
    if (!claim(e, true))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "executor %p is not alive; one runs once",
                           (void *)e);
    e->is_repeatable = false;
    (void)claim(e, false);
    release(e);
    return ACL_OK;
}

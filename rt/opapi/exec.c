/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.c - the two phases of every aclnn operator.
 *
 * Phase one checks and packs: a user's mistake becomes an error on the calling thread, where
 * torch_npu turns it into an exception and goes on. Phase two hands the executor to the stream;
 * what goes wrong there is a device error, and rt/ makes it sticky.
 * Rule: phase one reads no device memory, because the stream may not have written it yet.
 */
#define _GNU_SOURCE /* dladdr */
#include "opapi.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct aclOpExecutor {
    struct npu_obj obj;
    uint32_t row;
    bool repeatable, ran; /* a captured task keeps an executor that has run alive */
    pthread_t maker;      /* thread of phase one */
    union npu_arg args[];
};

/* ---- the shim ---- */

static const struct npu_aten *aten;
static char aten_error[512];

static void load_aten(void)
{
    Dl_info self;
    char path[4096];
    const char *slash;
    void *lib;

    if (!dladdr((void *)(uintptr_t)load_aten, &self) || !(slash = strrchr(self.dli_fname, '/')))
        snprintf(path, sizeof path, "libnputwin_aten.so");
    else
        snprintf(path, sizeof path, "%.*s/libnputwin_aten.so", (int)(slash - self.dli_fname),
                 self.dli_fname);
    lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (lib)
        aten = dlsym(lib, "npu_aten_table");
    if (!aten)
        snprintf(
            aten_error, sizeof aten_error,
            "aclnn operators compute with torch: %s; pip install torch==2.13.0, then build again",
            dlerror());
}

const struct npu_aten *npu_aten(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load_aten);
    if (!aten)
        npu_rt_fail(ACLNN_ERR_INNER, "%s", aten_error);
    return aten;
}

/* ---- rows ---- */

const struct npu_op_row *npu_opapi_rows(uint32_t *n)
{
    *n = npu_n_op_rows;
    return npu_op_rows;
}

int npu_opapi_bind(uint32_t i)
{
    const struct npu_op_row *row = &npu_op_rows[i];
    const struct npu_aten *at = npu_aten();
    void *bound = NULL, *none = NULL;
    char text[512];

    if (!at)
        return ACLNN_ERR_INNER;
    if (!row->schema || __atomic_load_n(&npu_op_states[i].bound, __ATOMIC_ACQUIRE))
        return ACL_OK;
    if (at->bind(row->schema, row->params, row->maps, row->n_maps, row->flags, &bound, text,
                 sizeof text))
        return npu_rt_fail(ACLNN_ERR_INNER, "%s: %s", row->name, text);
    /* Two threads may both bind; the second copy is small and stays unused. */
    __atomic_compare_exchange_n(&npu_op_states[i].bound, &none, bound, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    return ACL_OK;
}

uint64_t npu_opapi_calls(uint32_t i)
{
    return __atomic_load_n(&npu_op_states[i].n_calls, __ATOMIC_RELAXED);
}

/* ---- executors ---- */

static bool kind_is_object(uint8_t kind)
{
    return kind <= KIND_sl;
}

static void executor_free(void *p)
{
    struct aclOpExecutor *e = p;
    const struct npu_op_row *row = &npu_op_rows[e->row];

    if (__atomic_sub_fetch(&e->obj.n_holders, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    for (uint32_t i = 0; i < row->n_params; i++) {
        if (kind_is_object(row->params[i].kind))
            npu_obj_drop(e->args[i].p);
        else if (row->params[i].kind == KIND_str)
            free((void *)(uintptr_t)e->args[i].str);
    }
    e->obj.mark = MARK_DEAD;
    free(e);
}

static struct aclOpExecutor *executor_new(uint32_t i, const union npu_arg *args)
{
    const struct npu_op_row *row = &npu_op_rows[i];
    struct aclOpExecutor *e = malloc(sizeof *e + row->n_params * sizeof *args);

    if (!e)
        return NULL;
    e->obj.mark = MARK_EXECUTOR;
    e->obj.n_holders = 1;
    e->row = i;
    e->repeatable = e->ran = false;
    e->maker = pthread_self();
    memcpy(e->args, args, row->n_params * sizeof *args);
    for (uint32_t k = 0; k < row->n_params; k++) {
        if (kind_is_object(row->params[k].kind))
            npu_obj_hold(args[k].p);
        else if (row->params[k].kind == KIND_str && args[k].str)
            e->args[k].str = strdup(args[k].str);
    }
    return e;
}

static int prepare(uint32_t i, const union npu_arg *args, struct aclOpExecutor **executor)
{
    const struct npu_op_row *row = &npu_op_rows[i];
    int rc = npu_op_check(row, args);

    if (rc == ACL_OK)
        rc = npu_opapi_bind(i);
    if (rc != ACL_OK)
        return rc;
    *executor = executor_new(i, args);
    if (!*executor)
        return npu_rt_fail(ACLNN_ERR_INNER, "%s: no memory for an executor", row->name);
    return ACL_OK;
}

int npu_op_prepare(uint32_t i, const union npu_arg *args, uint64_t *workspace_bytes,
                   struct aclOpExecutor **executor)
{
    int rc;

    if (!workspace_bytes || !executor)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "%sGetWorkspaceSize: %s is null",
                           npu_op_rows[i].name, workspace_bytes ? "executor" : "workspaceSize");
    *workspace_bytes = 0;
    *executor = NULL;
    rc = prepare(i, args, executor);
    if (NPU_UNLIKELY(rc != ACL_OK))
        npu_rt_poison_behind_queue(rc);
    return rc;
}

static int run_native(const struct npu_op_row *row, const union npu_arg *args, char *text, size_t n)
{
    const struct npu_aten *at = npu_aten();
    struct npu_aten_ctx *c = at->begin();

    row->native(c, args);
    return at->end(c, text, n);
}

static bool has_odd_type(const struct npu_op_row *row, const union npu_arg *args)
{
    for (uint32_t i = 0; i < row->n_params; i++)
        if ((row->params[i].kind == KIND_t || row->params[i].kind == KIND_T) && args[i].t &&
            !npu_dtype_in_torch(args[i].t->dtype))
            return true;
    return false;
}

/* The device side of an operator. Its errors are what a chip reports as an exception of a core. */
static int run_task(void *arg, struct npu_diag *story)
{
    const struct aclOpExecutor *e = arg;
    const struct npu_op_row *row = &npu_op_rows[e->row];
    char text[768];
    int failed;

    if (row->native && (!row->schema || has_odd_type(row, e->args)))
        failed = run_native(row, e->args, text, sizeof text);
    else
        failed = npu_aten()->run(npu_op_states[e->row].bound, e->args,
                                 !pthread_equal(e->maker, pthread_self()), text, sizeof text);
    if (!failed)
        return ACL_OK;
    npu_fail(story, NPU_E_ARG, "%s: %s", row->name, text);
    return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
}

int npu_op_launch(uint32_t i, void *workspace, uint64_t workspace_bytes, struct aclOpExecutor *e,
                  void *stream)
{
    const char *name = npu_op_rows[i].name;

    (void)workspace; /* phase one asked for none */
    (void)workspace_bytes;
    if (!e)
        return npu_rt_fail(
            ACLNN_ERR_PARAM_NULLPTR,
            "%s: executor is null; call %sGetWorkspaceSize first and check its status", name, name);
    if (e->obj.mark != MARK_EXECUTOR || e->row != i || (e->ran && !e->repeatable))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: executor %p %s", name, (void *)e,
                           e->obj.mark == MARK_EXECUTOR && e->row != i
                               ? "was made for another operator"
                               : "is not alive; one runs once");
    e->ran = true;
    __atomic_fetch_add(&npu_op_states[i].n_calls, 1, __ATOMIC_RELAXED);
    if (e->repeatable)
        __atomic_fetch_add(&e->obj.n_holders, 1, __ATOMIC_RELAXED);
    return npu_rt_enqueue(stream, name, run_task, e, NULL, executor_free);
}

NPU_API int aclSetAclOpExecutorRepeatable(struct aclOpExecutor *e)
{
    if (!e || e->obj.mark != MARK_EXECUTOR)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR,
                           "aclSetAclOpExecutorRepeatable: %p is not an executor", (void *)e);
    e->repeatable = true;
    return ACL_OK;
}

NPU_API int aclDestroyAclOpExecutor(struct aclOpExecutor *e)
{
    if (!e)
        return ACL_OK;
    if (e->obj.mark != MARK_EXECUTOR)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "aclDestroyAclOpExecutor: %p is not an executor that is alive",
                           (void *)e);
    executor_free(e);
    return ACL_OK;
}

/* torch_npu and samples call it once; there is nothing to set up. */
NPU_API int aclnnInit(const char *config)
{
    (void)config;
    return ACL_OK;
}

NPU_API int aclnnFinalize(void)
{
    return ACL_OK;
}

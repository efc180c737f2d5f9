/* SPDX-License-Identifier: Apache-2.0 */
/* graph_info.c - end and description of a captured graph. */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- life and description ------------------------------------------------------------ */

static int check_destroy(const struct npu_graph *g, const char *who)
{
    if (g->state != READY)
        return npu_rt_fail(RT_MODEL_CAPTURED,
                           "%s: model %u is being captured: aclmdlRICaptureEnd ends that", who,
                           g->id);
    if (g->n_uses)
        return npu_rt_fail(RT_MODEL_RUNNING,
                           "%s: %u runs and updates of model %u have not ended: synchronise their "
                           "streams first",
                           who, g->n_uses, g->id);
    return ACL_OK;
}

static void call_on_destroy(struct on_destroy *d)
{
    while (d) {
        struct on_destroy *next = d->next;

        d->fn(d->arg);
        free(d);
        d = next;
    }
}

int npu_rt_graph_destroy(struct npu_graph *g)
{
    static const char who[] = "aclmdlRIDestroy";
    struct on_destroy *calls = NULL;
    int rc;

    rt_lock();
    rc = graph_check(g, who) ? check_destroy(g, who) : ACL_ERROR_RT_PARAM_INVALID;
    if (!rc) {
        calls = g->on_destroy;
        graph_free(g);
    }
    rt_unlock();
    call_on_destroy(calls);
    return rc;
}

int npu_rt_graph_on_destroy(struct npu_graph *g, npu_host_fn *fn, void *arg)
{
    struct on_destroy *d = malloc(sizeof(*d));
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    if (!d)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                           "aclmdlRIDestroyRegisterCallback: out of memory");
    rt_lock();
    if (graph_check(g, "aclmdlRIDestroyRegisterCallback")) {
        *d = (struct on_destroy){g->on_destroy, fn, arg};
        g->on_destroy = d;
        d = NULL;
        rc = ACL_OK;
    }
    rt_unlock();
    free(d);
    return rc;
}

int npu_rt_graph_not_on_destroy(struct npu_graph *g, npu_host_fn *fn)
{
    static const char who[] = "aclmdlRIDestroyUnregisterCallback";
    struct on_destroy **at, *d = NULL;
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    rt_lock();
    if (graph_check(g, who)) {
        for (at = &g->on_destroy; *at && (*at)->fn != fn;)
            at = &(*at)->next;
        d = *at;
        if (d)
            *at = d->next;
        rc = d ? ACL_OK
               : npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                             "%s: this function is not registered for model %u", who, g->id);
    }
    rt_unlock();
    free(d);
    return rc;
}

int npu_rt_graph_id(struct npu_graph *g, uint32_t *id)
{
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    rt_lock();
    if (graph_check(g, "aclmdlRIGetId")) {
        *id = g->id;
        rc = ACL_OK;
    }
    rt_unlock();
    return rc;
}

int npu_rt_graph_set_name(struct npu_graph *g, const char *name)
{
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    rt_lock();
    if (graph_check(g, "aclmdlRISetName")) {
        snprintf(g->name, sizeof(g->name), "%s", name);
        rc = ACL_OK;
    }
    rt_unlock();
    return rc;
}

int npu_rt_graph_name(struct npu_graph *g, char *name, uint32_t room)
{
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    rt_lock();
    if (graph_check(g, "aclmdlRIGetName")) {
        snprintf(name, room, "%s", g->name);
        rc = ACL_OK;
    }
    rt_unlock();
    return rc;
}

/* A name as the trace viewers pair them: EVENT_RECORD_7 goes with EVENT_WAIT_7. */
static void describe(const struct work *w, char *name, size_t room, const char **type)
{
    static const struct {
        enum rt_task_kind kind;
        const char *type;
    } events[] = {{TASK_RECORD, "EVENT_RECORD"},   {TASK_SET_FLAG, "EVENT_RECORD"},
                  {TASK_WAIT_EVENT, "EVENT_WAIT"}, {TASK_WAIT_FLAG, "EVENT_WAIT"},
                  {TASK_RESET, "EVENT_RESET"},     {TASK_CLEAR_FLAG, "EVENT_RESET"}};

    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (events[i].kind != w->task.kind)
            continue;
        *type = events[i].type;
        snprintf(name, room, "%s_%u", *type, w->event->id);
        return;
    }
    *type = w->task.kind == TASK_WAIT_VALUE ? "MEM_WAIT_VALUE"
            : w->task.kind == TASK_FN       ? "TASK"
                                            : "CALLBACK_LAUNCH";
    if (w->task.kind == TASK_WAIT_VALUE)
        snprintf(name, room, "%s_%p", *type, (const void *)w->task.value.addr);
    else
        snprintf(name, room, "%s", w->task.name);
}

/* Holds it, so that it can be read without the lock. */
static int hold(struct npu_graph *g, const char *who)
{
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    rt_lock();
    if (graph_check(g, who)) {
        rc = g->state == READY
                 ? ACL_OK
                 : npu_rt_fail(RT_MODEL_CAPTURED,
                               "%s: model %u is being captured: call aclmdlRICaptureEnd first", who,
                               g->id);
        g->n_uses += !rc;
    }
    rt_unlock();
    return rc;
}

static void let_go(struct npu_graph *g)
{
    rt_lock();
    g->n_uses--;
    rt_unlock();
}

/* Of node i; an update may exchange it meanwhile. n_blocks: 0 unless it is a kernel of our own. */
static void describe_node(const struct npu_graph *g, uint32_t i, char *name, size_t room,
                          const char **type, uint32_t *n_blocks)
{
    const struct rt_task *t;

    rt_lock();
    t = &g->node[i].work->task;
    describe(g->node[i].work, name, room, type);
    *n_blocks = t->kind == TASK_FN ? rt_launch_blocks(t->call.fn, t->call.arg) : 0;
    rt_unlock();
}

int npu_rt_graph_log(struct npu_graph *g)
{
    int rc = hold(g, "aclmdlRIDebugPrint");
    const char *type;
    char name[256];
    uint32_t n_blocks;

    if (rc)
        return rc;
    npu_rt_log(LOG_OF_RUNTIME, NPU_LOG_EVENT, __func__, NULL, 0,
               "model %u: device %d, %u streams, %u tasks", g->id, g->device, g->n_lanes,
               g->n_nodes);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        describe_node(g, i, name, sizeof(name), &type, &n_blocks);
        npu_rt_log(LOG_OF_RUNTIME, NPU_LOG_EVENT, __func__, NULL, 0,
                   "model %u: stream %u, task %u: %s %s", g->id,
                   g->lane[g->node[i].lane]->stream_id, i, type, name);
    }
    let_go(g);
    return ACL_OK;
}

static void write_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', f);
        if ((unsigned char)*text >= ' ')
            fputc(*text, f);
    }
    fputc('"', f);
}

/* One step a task: a graph has no times. */
static void write_json(FILE *f, const struct npu_graph *g, bool verbose)
{
    const char *type;
    char name[256];
    uint32_t n_blocks;

    fputs("[", f);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        uint32_t stream = g->lane[g->node[i].lane]->stream_id;

        describe_node(g, i, name, sizeof(name), &type, &n_blocks);
        fputs(i ? ",\n {\"name\": " : "\n {\"name\": ", f);
        write_string(f, name);
        fprintf(f,
                ", \"ph\": \"X\", \"ts\": %u, \"dur\": 1, \"pid\": \"model%u\", \"tid\": "
                "\"stream%u\", \"args\": {\"Model Id\": %u, \"Stream Id\": %u, \"Task Id\": %u, "
                "\"Task Type\": \"%s\"",
                i, g->id, stream, g->id, stream, i, type);
        if (verbose && n_blocks)
            fprintf(f, ", \"Block Dim\": %u", n_blocks);
        fputs("}}", f);
    }
    fputs("\n]\n", f);
}

int npu_rt_graph_write_json(struct npu_graph *g, const char *path, bool verbose)
{
    static const char who[] = "aclmdlRIDebugJsonPrint";
    int rc = hold(g, who);
    bool failed;
    FILE *f;

    if (rc)
        return rc;
    f = fopen(path, "w");
    if (f)
        write_json(f, g, verbose);
    failed = !f || ferror(f);
    if (f && fclose(f))
        failed = true;
    let_go(g);
    return failed ? npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s cannot be written", who, path)
                  : ACL_OK;
}

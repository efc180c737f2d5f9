/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_run.c - runs of a captured graph.
 *
 * The head of a lane is ready as it would be in a queue; a captured wait is ready when the run has
 * passed its record. Each run is one task of its stream, which parks while no lane can go on.
 */
#include "graph.h"

#include <stdlib.h>

/* ---- runs ---------------------------------------------------------------------------- */

struct rt_graph_run {
    struct npu_graph *graph;
    struct {
        uint32_t next;       /* node */
        bool is_handed;      /* report: the callback's thread has it */
        struct rt_task task; /* report: what tells of its end */
    } lane[];
};

static bool lane_is_ready(const struct rt_graph_run *run, uint32_t k)
{
    const struct npu_graph *g = run->graph;
    const struct rt_task *t;

    if (run->lane[k].next == NO_NODE)
        return false;
    if (run->lane[k].is_handed)
        return run->lane[k].task.host.ended;
    t = &g->node[run->lane[k].next].work->task;
    if (t->kind == TASK_RECORD || t->kind == TASK_RESET)
        return true;
    if (t->kind == TASK_WAIT_EVENT)
        return run->lane[g->node[t->event.ticket].lane].next > t->event.ticket;
    return rt_task_is_ready(t);
}

/* Of the lanes that can go on the one whose task was captured first. */
static uint32_t find_ready(const struct rt_graph_run *run)
{
    uint32_t best = NO_NODE;

    for (uint32_t k = 0; k < run->graph->n_lanes; k++)
        if (lane_is_ready(run, k) && (best == NO_NODE || run->lane[k].next < run->lane[best].next))
            best = k;
    return best;
}

static bool has_ended(const struct rt_graph_run *run)
{
    for (uint32_t k = 0; k < run->graph->n_lanes; k++)
        if (run->lane[k].next != NO_NODE)
            return false;
    return true;
}

bool rt_graph_is_ready(const struct rt_graph_run *run)
{
    return find_ready(run) != NO_NODE || has_ended(run);
}

static const struct rt_task *head_of(const struct rt_graph_run *run, uint32_t k)
{
    uint32_t next = run->lane[k].next;

    return next == NO_NODE ? NULL : &run->graph->node[next].work->task;
}

bool rt_graph_polls(const struct rt_graph_run *run)
{
    for (uint32_t k = 0; k < run->graph->n_lanes; k++) {
        const struct rt_task *t = head_of(run, k);

        if (t && t->kind == TASK_WAIT_VALUE)
            return true;
    }
    return false;
}

bool rt_graph_moves(const struct rt_graph_run *run)
{
    for (uint32_t k = 0; k < run->graph->n_lanes; k++) {
        const struct rt_task *t = head_of(run, k);

        if (t && (t->kind == TASK_HOST || lane_is_ready(run, k)))
            return true;
    }
    return false;
}

/* True when the callback need not be waited for. */
static bool hand_over(struct npu_stream *s, struct rt_graph_run *run, uint32_t k,
                      const struct rt_task *t)
{
    run->lane[k].task = *t;
    run->lane[k].is_handed = true;
    rt_report_push(s, &run->lane[k].task);
    return !t->host.block;
}

static void run_work(struct npu_stream *s, struct work *w)
{
    struct rt_task t = w->task;

    if (t.kind == TASK_RECORD || t.kind == TASK_WAIT_EVENT || t.kind == TASK_RESET)
        return; /* the order of lanes is all they say */
    w->n_holders++;
    rt_task_run(s, &t);
    graph_put_work(w);
}

static void step(struct npu_stream *s, struct rt_graph_run *run, uint32_t k)
{
    struct work *w = run->graph->node[run->lane[k].next].work;

    if (w->task.kind != TASK_REPORT)
        run_work(s, w);
    else if (!run->lane[k].is_handed && !hand_over(s, run, k, &w->task))
        return;
    run->lane[k].is_handed = false;
    run->lane[k].next = run->graph->node[run->lane[k].next].next;
}

bool rt_graph_step(struct npu_stream *s, struct rt_graph_run *run)
{
    uint32_t k;

    while ((k = find_ready(run)) != NO_NODE)
        step(s, run, k);
    return has_ended(run);
}

void rt_graph_end_run(struct rt_graph_run *run)
{
    for (uint32_t k = 0; k < run->graph->n_lanes; k++)
        if (run->lane[k].is_handed)
            rt_report_forget(&run->lane[k].task);
    run->graph->n_uses--;
    free(run);
}

static struct rt_graph_run *new_run(struct npu_graph *g)
{
    struct rt_graph_run *run = calloc(1, sizeof(*run) + g->n_lanes * sizeof(run->lane[0]));

    if (!run)
        return NULL;
    run->graph = g;
    for (uint32_t k = 0; k < g->n_lanes; k++)
        run->lane[k].next = g->lane[k]->first;
    g->n_uses++;
    return run;
}

/* Ready to run on that stream? */
static int check_execute(const struct npu_graph *g, const struct npu_stream *s, const char *who)
{
    if (g->state != READY)
        return npu_rt_fail(RT_MODEL_CAPTURED,
                           "%s: model %u is being captured: call aclmdlRICaptureEnd first", who,
                           g->id);
    if (s->capture)
        return npu_rt_fail(RT_STREAM_CAPTURED,
                           "%s: stream %u is captured: one graph cannot stand in another", who,
                           s->id);
    if (s->update)
        return npu_rt_fail(RT_TASK_GROUP_STATUS,
                           "%s: stream %u updates a task group: call aclmdlRICaptureTaskUpdateEnd",
                           who, s->id);
    if (s->device != g->device)
        return npu_rt_fail(ACL_ERROR_RT_STREAM_CONTEXT,
                           "%s: model %u was captured on device %d, stream %u is of device %d", who,
                           g->id, g->device, s->id, s->device);
    return ACL_OK;
}

int npu_rt_graph_execute(struct npu_graph *g, struct npu_stream *stream)
{
    static const char who[] = "aclmdlRIExecuteAsync";
    struct npu_stream *s = rt_lock_stream(stream, who);
    struct rt_task t = {.kind = TASK_GRAPH, .name = who};
    int rc;

    if (!s)
        return npu_rt_last_error(false);
    if (!rt_device_is_well(s->device)) {
        const int device = s->device;

        rt_unlock();
        return npu_rt_device_error(device);
    }
    rc = graph_check(g, who) ? check_execute(g, s, who) : ACL_ERROR_RT_PARAM_INVALID;
    if (!rc && !(t.graph = new_run(g)))
        rc = npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: out of memory", who);
    if (!rc) {
        rc = rt_submit(s, &t);
        if (rc == ACL_ERROR_RT_MEMORY_ALLOCATION) /* it was not queued */
            rt_graph_end_run(t.graph);
    }
    rt_unlock();
    return rc;
}

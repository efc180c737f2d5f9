/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_group.c - groups of captured tasks, and other tasks that take their places later.
 *
 * What a stream is given during an update is collected; at its end one task of that stream
 * exchanges it. A run that is in an old task meanwhile holds that one itself.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdlib.h>

struct rt_update { /* of a group, in the order of a stream */
    struct npu_task_group *group;
    uint32_t n, cap;
    struct work **work;
};

int graph_take_for_update(struct npu_stream *s, const struct rt_task *t)
{
    struct rt_update *u = s->update;
    struct work **all, *w;

    if (t->kind != TASK_FN)
        return npu_rt_fail(RT_TASK_TYPE_NOT_SUPPORT,
                           "%s: an update takes operators, kernels and copies only", t->name);
    w = graph_new_work(t, NULL);
    all = w ? graph_grow(u->work, u->n, &u->cap, sizeof(*all)) : NULL;
    if (!all) {
        if (w)
            graph_put_work(w);
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory to update %s", t->name);
    }
    u->work = all;
    all[u->n++] = w;
    return ACL_OK;
}

/* Its stream goes away: no end can come any more. */
void graph_forget_update(struct npu_stream *s)
{
    for (uint32_t i = 0; i < s->update->n; i++)
        graph_put_work(s->update->work[i]);
    s->update->group->is_updated = false;
    s->update->group->graph->n_uses--;
    free(s->update->work);
    free(s->update);
    s->update = NULL;
}

static int group_begin(struct npu_stream *s, const char *who)
{
    struct npu_graph *g = s->capture;
    struct npu_task_group *group;

    if (!g)
        return npu_rt_fail(RT_STREAM_NOT_CAPTURED, "%s: stream %u is not captured", who, s->id);
    if (g->state == BROKEN)
        return graph_refuse_broken(g, who);
    if (g->open)
        return graph_break(g, RT_TASK_GROUP_STATUS, who,
                           "a task group of this capture is open already");
    group = rt_pool_get(&rt_groups);
    if (!group)
        return graph_no_memory(g, who);
    *group = (struct npu_task_group){
        .magic = GROUP_MAGIC, .lane = s->lane, .first = g->n_nodes, .graph = g, .next = g->groups};
    g->groups = g->open = group;
    return ACL_OK;
}

static int group_end(struct npu_stream *s, struct npu_task_group **out, const char *who)
{
    struct npu_graph *g = s->capture;

    if (!g)
        return npu_rt_fail(RT_STREAM_NOT_CAPTURED, "%s: stream %u is not captured", who, s->id);
    if (g->state == BROKEN)
        return graph_refuse_broken(g, who);
    if (!g->open || g->open->lane != s->lane)
        return npu_rt_fail(RT_TASK_GROUP_STATUS,
                           "%s: no task group is open on stream %u: call "
                           "aclmdlRICaptureTaskGrpBegin first",
                           who, s->id);
    g->open->n = g->n_nodes - g->open->first;
    *out = g->open;
    g->open = NULL;
    return ACL_OK;
}

int npu_rt_group_begin(struct npu_stream *stream)
{
    static const char who[] = "aclmdlRICaptureTaskGrpBegin";
    struct npu_stream *s = rt_lock_stream(stream, who);
    int rc;

    if (!s)
        return npu_rt_last_error(false);
    rc = group_begin(s, who);
    rt_unlock();
    return rc;
}

int npu_rt_group_end(struct npu_stream *stream, struct npu_task_group **out)
{
    static const char who[] = "aclmdlRICaptureTaskGrpEnd";
    struct npu_stream *s = rt_lock_stream(stream, who);
    int rc;

    *out = NULL;
    if (!s)
        return npu_rt_last_error(false);
    rc = group_end(s, out, who);
    rt_unlock();
    return rc;
}

static int update_begin(struct npu_stream *s, struct npu_task_group *group, const char *who)
{
    if (!rt_pool_owns(&rt_groups, group) || group->magic != GROUP_MAGIC)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: %p is no task group: its model was destroyed, or "
                           "aclmdlRICaptureTaskGrpEnd never gave it",
                           who, (void *)group);
    if (group->graph->state != READY)
        return npu_rt_fail(RT_MODEL_CAPTURED,
                           "%s: the model of the group is being captured: call "
                           "aclmdlRICaptureEnd first",
                           who);
    if (s->capture)
        return npu_rt_fail(RT_STREAM_CAPTURED, "%s: stream %u is captured: update on another", who,
                           s->id);
    if (s->update || group->is_updated)
        return npu_rt_fail(RT_TASK_GROUP_STATUS, "%s: %s is in an update already", who,
                           s->update ? "the stream" : "the group");
    s->update = calloc(1, sizeof(*s->update));
    if (!s->update)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: out of memory", who);
    s->update->group = group;
    group->is_updated = true;
    group->graph->n_uses++;
    return ACL_OK;
}

int npu_rt_update_begin(struct npu_stream *stream, struct npu_task_group *group)
{
    static const char who[] = "aclmdlRICaptureTaskUpdateBegin";
    struct npu_stream *s = rt_lock_stream(stream, who);
    int rc;

    if (!s)
        return npu_rt_last_error(false);
    rc = update_begin(s, group, who);
    rt_unlock();
    return rc;
}

static int exchange(void *arg, struct npu_diag *story)
{
    struct rt_update *u = arg;
    struct node *node;

    (void)story;
    rt_lock();
    node = u->group->graph->node + u->group->first;
    for (uint32_t i = 0; i < u->n; i++) {
        struct work *old = node[i].work;

        node[i].work = u->work[i];
        u->work[i] = old;
    }
    rt_unlock();
    return ACL_OK;
}

static void drop_update(void *arg)
{
    struct rt_update *u = arg;

    rt_lock();
    for (uint32_t i = 0; i < u->n; i++)
        graph_put_work(u->work[i]);
    u->group->is_updated = false;
    u->group->graph->n_uses--;
    rt_unlock();
    free(u->work);
    free(u);
}

int npu_rt_update_end(struct npu_stream *stream)
{
    static const char who[] = "aclmdlRICaptureTaskUpdateEnd";
    struct npu_stream *s = rt_lock_stream(stream, who);
    struct rt_update *u;
    int rc = ACL_OK;

    if (!s)
        return npu_rt_last_error(false);
    u = s->update;
    s->update = NULL;
    rt_unlock();
    if (!u)
        return npu_rt_fail(RT_TASK_GROUP_STATUS, "%s: stream %u has no update to end", who,
                           npu_rt_stream_id(s));
    if (u->n && u->n != u->group->n)
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                         "%s: %u tasks for a group of %" PRIu32 ": give as many, or none", who,
                         u->n, u->group->n);
    if (!rc)
        return npu_rt_enqueue(s, who, exchange, u, NULL, drop_update);
    drop_update(u);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.c - tasks of streams kept in a graph, and run again and again (aclmdlRI).
 *
 * While a stream captures, what it is given is copied into the graph as queues copy it, and nothing
 * runs. A second stream joins when it waits for an event that was recorded in the capture; each
 * stream is a lane of the graph. A run goes through the lanes side by side: the head of a lane is
 * ready as it would be in a queue, and a captured wait is ready when the run has passed its record.
 * So a run that waits for something outside holds back only what stands behind it.
 *
 * Rule: a record knows how far each lane was when it was captured (`seen`), and a wait learns it.
 * At the end the first stream must have seen the last task of every lane, or the capture is
 * refused.
 * Rule: whoever asks for something that no capture can record breaks it; its end then returns the
 * same code with the story.
 */
#include "graph.h"
#include "registry.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rt_pool graphs = {.object_bytes = sizeof(struct npu_graph)};
struct rt_pool rt_groups = {.object_bytes = sizeof(struct npu_task_group)};
static struct npu_graph *captures; /* that have begun and not ended */
static atomic_uint n_captures;     /* of them; read without the lock */
static uint32_t next_id;

static _Thread_local uint32_t thread_mode = CAPTURE_GLOBAL;

/* ---- breaking a capture -------------------------------------------------------------- */

static const char *name_of_mode(uint32_t mode)
{
    static const char *const names[N_CAPTURE_MODES] = {"GLOBAL", "THREAD_LOCAL", "RELAXED"};

    return names[mode];
}

int graph_break(struct npu_graph *g, int code, const char *who, const char *why)
{
    if (g->state == CAPTURING) {
        g->state = BROKEN;
        g->why = code;
        snprintf(g->story, sizeof(g->story), "%.76s: %s", who, why);
    }
    return npu_rt_fail(code, "%s: %s", who, why);
}

int graph_refuse_broken(const struct npu_graph *g, const char *who)
{
    return npu_rt_fail(g->why, "%s: the capture was broken before, by %s", who, g->story);
}

/* May this thread call what no capture can record? */
static bool is_forbidden(const struct npu_graph *g)
{
    const bool is_ours = pthread_equal(g->thread, pthread_self());

    if (thread_mode == CAPTURE_RELAXED || g->mode == CAPTURE_RELAXED)
        return false;
    return is_ours || (g->mode == CAPTURE_GLOBAL && thread_mode == CAPTURE_GLOBAL);
}

/* Locked. Breaks all that forbid it. */
static int check_unsafe(int code, const char *who, const char *what)
{
    char why[WHY_BYTES];
    int rc = ACL_OK;

    for (struct npu_graph *g = captures; g; g = g->next_capture) {
        if (!is_forbidden(g))
            continue;
        snprintf(why, sizeof(why),
                 "%s while graph %u captures in mode %s and this thread's mode is %s; "
                 "aclmdlRICaptureThreadExchangeMode(RELAXED) allows it, and it runs at once",
                 what, g->id, name_of_mode(g->mode), name_of_mode(thread_mode));
        rc = graph_break(g, code, who, why);
    }
    return rc;
}

int npu_rt_capture_check_unsafe(const char *who)
{
    int rc;

    if (NPU_LIKELY(!atomic_load_explicit(&n_captures, memory_order_relaxed)))
        return ACL_OK;
    rt_lock();
    rc = check_unsafe(RT_CAPTURE_MODE_NOT_SUPPORT, who, "no capture can record this call:");
    rt_unlock();
    return rc;
}

static struct npu_graph *capture_of(const struct npu_stream *s)
{
    for (struct npu_graph *g = captures; g; g = g->next_capture)
        for (uint32_t k = 0; k < g->n_lanes; k++)
            if (g->lane[k]->stream == s)
                return g;
    return NULL;
}

int npu_rt_capture_check_pageable(struct npu_stream *s, const void *host, const char *who)
{
    static const char *const what = "a copy of host memory that is not pinned is synchronous: take "
                                    "aclrtMallocHost";
    struct npu_graph *g;
    struct rt_range r;
    int rc;

    if (NPU_LIKELY(!atomic_load_explicit(&n_captures, memory_order_relaxed)) ||
        rt_range_find(host, &r))
        return ACL_OK;
    rt_lock();
    g = s ? capture_of(s) : NULL;
    rc = g ? graph_break(g, RT_CAPTURE_MODE_BLOCK_ASYNC, who, what)
           : check_unsafe(RT_CAPTURE_MODE_BLOCK_ASYNC, who, what);
    rt_unlock();
    return rc;
}

static int forbid_stream(const struct npu_stream *s, const char *who)
{
    char why[WHY_BYTES];

    snprintf(why, sizeof(why),
             "stream %u is captured: nothing of it runs, so it cannot be waited for or asked; "
             "call aclmdlRICaptureEnd first",
             s->id);
    return graph_break(s->capture, RT_STREAM_CAPTURED, who, why);
}

int rt_graph_forbid_stream(const struct npu_stream *s, const char *who)
{
    return NPU_LIKELY(!s->capture) ? ACL_OK : forbid_stream(s, who);
}

int rt_graph_forbid_event(const struct npu_event *e, const char *who)
{
    char why[WHY_BYTES];

    if (NPU_LIKELY(!e->capture))
        return ACL_OK;
    snprintf(why, sizeof(why),
             "event %u was recorded in a capture: nothing of it runs, so it cannot be waited for "
             "or asked; call aclmdlRICaptureEnd first",
             e->id);
    return graph_break(e->capture, RT_EVENT_CAPTURED, who, why);
}

int rt_graph_forbid_device(int device, const char *who)
{
    for (const struct npu_graph *g = captures; g; g = g->next_capture)
        if (g->device == device && g->lane[0]->stream)
            return forbid_stream(g->lane[0]->stream, who);
    return ACL_OK;
}

int rt_graph_forbid_default(int device, const char *who)
{
    int rc = ACL_OK;

    if (NPU_LIKELY(!atomic_load_explicit(&n_captures, memory_order_relaxed)))
        return ACL_OK;
    rt_lock();
    for (struct npu_graph *g = captures; g; g = g->next_capture)
        if (g->device == device && (pthread_equal(g->thread, pthread_self()) || is_forbidden(g)))
            rc = graph_break(g, RT_STREAM_CAPTURE_IMPLICIT, who,
                             "the default stream is not usable during a capture: create a stream "
                             "with aclrtCreateStream");
    rt_unlock();
    return rc;
}

/* ---- nodes --------------------------------------------------------------------------- */

void graph_put_work(struct work *w)
{
    if (--w->n_holders)
        return;
    rt_task_drop(&w->task);
    if (w->event)
        rt_event_unref(w->event);
    free(w);
}

/* Takes the task's argument over in any case. */
struct work *graph_new_work(const struct rt_task *t, struct npu_event *event)
{
    struct work *w = malloc(sizeof(*w));

    if (!w) {
        npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory to capture %s", t->name);
        rt_task_drop(t);
        return NULL;
    }
    *w = (struct work){.n_holders = 1, .task = *t, .event = event};
    if (event)
        event->n_refs++;
    return w;
}

/* Room for one more of n elements of the given size; NULL: none. */
void *graph_grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    const uint32_t more = *cap ? 2 * *cap : 16;

    if (n < *cap)
        return array;
    void *grown = realloc(array, more * size);
    if (grown)
        *cap = more;
    return grown;
}

int graph_no_memory(struct npu_graph *g, const char *who)
{
    return graph_break(g, ACL_ERROR_RT_MEMORY_ALLOCATION, who, "no memory for the graph");
}

/* Takes w over in any case. */
static int add_node(struct npu_graph *g, uint32_t lane, struct work *w)
{
    struct node *all = w ? graph_grow(g->node, g->n_nodes, &g->cap_nodes, sizeof(*all)) : NULL;
    struct lane *l = g->lane[lane];

    if (!all) {
        if (w)
            graph_put_work(w);
        return graph_no_memory(g, "aclmdlRICaptureBegin");
    }
    g->node = all;
    all[g->n_nodes] = (struct node){w, lane, NO_NODE};
    if (l->first == NO_NODE)
        l->first = g->n_nodes;
    else
        all[l->last].next = g->n_nodes;
    l->last = g->n_nodes++;
    if (w->task.kind != TASK_RECORD)
        l->last_work = l->last;
    l->seen[lane] = g->n_nodes;
    return ACL_OK;
}

/* A group is one stream's: what else is captured meanwhile would stand between its tasks. */
static int check_group(struct npu_graph *g, uint32_t lane, enum rt_task_kind kind, const char *who)
{
    if (!g->open)
        return ACL_OK;
    if (g->open->lane != lane)
        return graph_break(g, RT_TASK_GROUP_INTR, who,
                           "a task group is open on another stream of the capture: call "
                           "aclmdlRICaptureTaskGrpEnd there first");
    if (kind != TASK_FN)
        return graph_break(g, RT_TASK_TYPE_NOT_SUPPORT, who,
                           "a task group holds operators, kernels and copies only");
    return ACL_OK;
}

int rt_graph_take(struct npu_stream *s, const struct rt_task *t)
{
    struct npu_graph *g = s->capture;
    int rc;

    if (!g)
        return graph_take_for_update(s, t);
    rc = g->state == BROKEN ? graph_refuse_broken(g, t->name)
                            : check_group(g, s->lane, t->kind, t->name);
    if (rc) {
        rt_task_drop(t);
        return rc;
    }
    return add_node(g, s->lane, graph_new_work(t, NULL));
}

/* ---- lanes and events ---------------------------------------------------------------- */

static int join(struct npu_graph *g, struct npu_stream *s, const char *who)
{
    struct lane *l;

    if (s->device != g->device)
        return graph_break(g, RT_STREAM_CAPTURE_CONFLICT, who,
                           "the stream is of another device than the capture");
    if (g->n_lanes == MAX_LANES)
        return graph_break(g, RT_RESOURCE_ALLOC_FAIL, who, "a capture has at most 64 streams");
    if (s->update)
        return graph_break(g, RT_TASK_GROUP_STATUS, who,
                           "the stream updates a task group: call aclmdlRICaptureTaskUpdateEnd");
    l = calloc(1, sizeof(*l));
    if (!l)
        return graph_no_memory(g, who);
    l->stream = s;
    l->stream_id = s->id;
    l->first = NO_NODE;
    s->capture = g;
    s->lane = g->n_lanes;
    g->lane[g->n_lanes++] = l;
    return ACL_OK;
}

static int add_record(struct npu_graph *g, struct npu_stream *s, struct npu_event *e,
                      const char *who)
{
    struct rt_task t = {.kind = TASK_RECORD, .name = who};
    struct record *all = graph_grow(g->record, g->n_records, &g->cap_records, sizeof(*all));
    int rc;

    if (!all)
        return graph_no_memory(g, who);
    g->record = all;
    rc = add_node(g, s->lane, graph_new_work(&t, e));
    if (rc)
        return rc;
    all += g->n_records;
    all->event = e;
    all->node = g->n_nodes - 1;
    memcpy(all->seen, g->lane[s->lane]->seen, sizeof(all->seen));
    e->n_refs++;
    e->capture = g;
    e->captured_at = g->n_records++;
    return ACL_OK;
}

static int add_wait(struct npu_graph *g, struct npu_stream *s, struct npu_event *e, const char *who)
{
    struct rt_task t = {.kind = TASK_WAIT_EVENT, .name = who};
    const struct record *r;
    struct lane *l;
    int rc;

    if (!e->capture)
        return graph_break(g, RT_CAPTURE_DEPENDENCY, who,
                           "the event was not recorded in this capture: record it on a captured "
                           "stream, or before the capture wait for it");
    if (e->capture != g)
        return graph_break(g, RT_STREAM_CAPTURE_CONFLICT, who,
                           "the event was recorded in another capture");
    rc = s->capture ? ACL_OK : join(g, s, who);
    if (rc)
        return rc;
    r = &g->record[e->captured_at];
    l = g->lane[s->lane];
    for (uint32_t k = 0; k < MAX_LANES; k++)
        l->seen[k] = l->seen[k] > r->seen[k] ? l->seen[k] : r->seen[k];
    t.event.ticket = r->node;
    return add_node(g, s->lane, graph_new_work(&t, e));
}

static int add_event(struct npu_graph *g, struct npu_stream *s, enum rt_task_kind kind,
                     struct npu_event *e, const char *who)
{
    struct rt_task t = {.kind = kind, .name = who, .event = {.event = e}};

    return add_node(g, s->lane, graph_new_work(&t, e));
}

static enum rt_task_kind flag_of(enum rt_task_kind kind)
{
    return kind == TASK_RECORD  ? TASK_SET_FLAG
           : kind == TASK_RESET ? TASK_CLEAR_FLAG
                                : TASK_WAIT_FLAG;
}

int rt_graph_event(enum rt_task_kind kind, struct npu_stream *s, struct npu_event *e,
                   const char *who)
{
    struct npu_graph *g = s->capture ? s->capture : e->capture;
    int rc = g->state == BROKEN ? graph_refuse_broken(g, who) : ACL_OK;

    if (!rc && s->capture)
        rc = check_group(g, s->lane, kind, who);
    if (rc)
        return rc;
    if (e->flags & EVENT_EXTERNAL) /* never captured itself, so the stream is */
        return add_event(g, s, flag_of(kind), e, who);
    if (kind == TASK_WAIT_EVENT)
        return add_wait(g, s, e, who);
    if (!s->capture)
        return npu_rt_fail(RT_EVENT_CAPTURED,
                           "%s: event %u was recorded in a capture: call aclmdlRICaptureEnd first",
                           who, e->id);
    return kind == TASK_RECORD ? add_record(g, s, e, who) : add_event(g, s, TASK_RESET, e, who);
}

/* ---- begin and end ------------------------------------------------------------------- */

struct npu_graph *graph_check(struct npu_graph *g, const char *who)
{
    if (NPU_LIKELY(rt_pool_owns(&graphs, g) && g->magic == GRAPH_MAGIC))
        return g;
    npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: %p is no living model: it was destroyed, its capture failed, or "
                "aclmdlRICaptureEnd never gave it",
                who, (void *)g);
    return NULL;
}

/* Unlocks. Nobody can find it any more. */
void graph_free(struct npu_graph *g)
{
    g->magic = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        graph_put_work(g->node[i].work);
    for (uint32_t k = 0; k < g->n_lanes; k++)
        free(g->lane[k]);
    free(g->node);
    while (g->groups) {
        struct npu_task_group *group = g->groups;

        g->groups = group->next;
        group->magic = 0;
        rt_pool_put(&rt_groups, group);
    }
    rt_pool_put(&graphs, g);
}

/* The streams and events are free again. */
static void detach(struct npu_graph *g)
{
    struct npu_graph **at = &captures;

    while (*at != g)
        at = &(*at)->next_capture;
    *at = g->next_capture;
    atomic_fetch_sub(&n_captures, 1);
    for (uint32_t k = 0; k < g->n_lanes; k++) {
        if (g->lane[k]->stream)
            g->lane[k]->stream->capture = NULL;
        g->lane[k]->stream = NULL;
    }
    for (uint32_t i = 0; i < g->n_records; i++) {
        if (g->record[i].event->capture == g)
            g->record[i].event->capture = NULL;
        rt_event_unref(g->record[i].event);
    }
    free(g->record);
    g->record = NULL;
    g->n_records = 0;
}

void rt_graph_forget_stream(struct npu_stream *s)
{
    struct npu_graph *g = s->capture;

    if (s->update)
        graph_forget_update(s);
    if (!g)
        return;
    graph_break(g, ACL_ERROR_RT_STREAM_CONTEXT, "aclrtDestroyStream",
                "a stream was destroyed while it was captured");
    g->lane[s->lane]->stream = NULL;
    s->capture = NULL;
    if (s->lane == 0) {
        detach(g);
        graph_free(g);
    }
}

static int begin(struct npu_stream *s, uint32_t mode, const char *who)
{
    struct npu_graph *g;
    int rc;

    if (s->capture)
        return npu_rt_fail(RT_STREAM_CAPTURED, "%s: stream %u is captured already", who, s->id);
    if (s->update)
        return npu_rt_fail(RT_TASK_GROUP_STATUS,
                           "%s: stream %u updates a task group: call aclmdlRICaptureTaskUpdateEnd",
                           who, s->id);
    if (s->is_default)
        return npu_rt_fail(RT_STREAM_CAPTURE_IMPLICIT,
                           "%s: the default stream cannot be captured: create one with "
                           "aclrtCreateStream",
                           who);
    g = rt_pool_get(&graphs);
    if (!g)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: out of memory", who);
    g->magic = GRAPH_MAGIC;
    g->id = next_id++;
    g->mode = mode;
    g->device = s->device;
    g->thread = pthread_self();
    rc = join(g, s, who);
    if (rc) {
        graph_free(g);
        return rc;
    }
    g->next_capture = captures;
    captures = g;
    atomic_fetch_add(&n_captures, 1);
    return ACL_OK;
}

int npu_rt_capture_begin(struct npu_stream *stream, uint32_t mode)
{
    static const char who[] = "aclmdlRICaptureBegin";
    struct npu_stream *s;
    int rc;

    if (mode >= N_CAPTURE_MODES)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: mode %u, 0 to %d exist", who, mode,
                           N_CAPTURE_MODES - 1);
    s = rt_lock_stream(stream, who);
    if (!s)
        return npu_rt_last_error(false);
    rc = begin(s, mode, who);
    rt_unlock();
    return rc;
}

/* The first lane that the first stream has not waited for; NULL: all have come back. A record
 * behind the last task is none: torch_npu's host allocator leaves one for each block that a copy
 * used. */
static const struct lane *find_unjoined(const struct npu_graph *g)
{
    for (uint32_t k = 1; k < g->n_lanes; k++) {
        const struct lane *l = g->lane[k];

        if (l->first != NO_NODE && g->lane[0]->seen[k] <= l->last_work)
            return l;
    }
    return NULL;
}

static int verdict(const struct npu_graph *g, const char *who)
{
    const struct lane *l = find_unjoined(g);

    if (g->state == BROKEN)
        return graph_refuse_broken(g, who);
    if (g->open)
        return npu_rt_fail(RT_TASK_GROUP_STATUS,
                           "%s: a task group is open: call aclmdlRICaptureTaskGrpEnd first", who);
    if (l)
        return npu_rt_fail(RT_STREAM_UNJOINED,
                           "%s: stream %u joined the capture and did not come back: record an "
                           "event as its last task and let stream %u wait for it",
                           who, l->stream_id, g->lane[0]->stream_id);
    return ACL_OK;
}

/* Is this the call that may end it? */
static int check_end(const struct npu_stream *s, const char *who)
{
    const struct npu_graph *g = s->capture;

    if (!g)
        return npu_rt_fail(RT_STREAM_NOT_CAPTURED,
                           "%s: stream %u is not captured: call aclmdlRICaptureBegin first", who,
                           s->id);
    if (s->lane)
        return npu_rt_fail(RT_STREAM_CAPTURE_UNMATCHED,
                           "%s: the capture began on stream %u, not on stream %u", who,
                           g->lane[0]->stream_id, s->id);
    if (g->mode != CAPTURE_RELAXED && !pthread_equal(g->thread, pthread_self()))
        return npu_rt_fail(RT_STREAM_CAPTURE_WRONG_THREAD,
                           "%s: a capture in mode %s is ended by the thread that began it", who,
                           name_of_mode(g->mode));
    return ACL_OK;
}

static int end(struct npu_stream *s, struct npu_graph **out, const char *who)
{
    struct npu_graph *g = s->capture;
    int rc = check_end(s, who);

    if (rc)
        return rc;
    rc = verdict(g, who);
    detach(g);
    if (rc) {
        graph_free(g);
        return rc;
    }
    g->state = READY;
    *out = g;
    return ACL_OK;
}

int npu_rt_capture_end(struct npu_stream *stream, struct npu_graph **out)
{
    static const char who[] = "aclmdlRICaptureEnd";
    struct npu_stream *s = rt_lock_stream(stream, who);
    int rc;

    *out = NULL;
    if (!s)
        return npu_rt_last_error(false);
    rc = end(s, out, who);
    rt_unlock();
    return rc;
}

int npu_rt_capture_info(struct npu_stream *stream, enum npu_capture_status *status,
                        struct npu_graph **graph)
{
    struct npu_stream *s;

    *status = CAPTURE_NONE;
    *graph = NULL;
    if (!stream) /* the default stream never captures, and asking does no harm */
        return ACL_OK;
    s = rt_lock_stream(stream, "aclmdlRICaptureGetInfo");
    if (!s)
        return npu_rt_last_error(false);
    *graph = s->capture;
    if (s->capture)
        *status = s->capture->state == BROKEN ? CAPTURE_INVALIDATED : CAPTURE_ACTIVE;
    rt_unlock();
    return ACL_OK;
}

int npu_rt_capture_exchange_mode(uint32_t *mode)
{
    uint32_t old = thread_mode;

    if (*mode >= N_CAPTURE_MODES)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclmdlRICaptureThreadExchangeMode: mode %u, 0 to %d exist", *mode,
                           N_CAPTURE_MODES - 1);
    thread_mode = *mode;
    *mode = old;
    return ACL_OK;
}

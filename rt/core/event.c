/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - records, waits and times.
 *
 * Each record gets a ticket; an event is as far as the last ticket reached. A wait waits for the
 * ticket that was last when the wait was given, so that a later record does not make it wait
 * longer. The two kinds of event differ in one thing: a wait before any record passes at once for
 * events of aclrtCreateEventExWithFlag, and parks until the first record for the older ones.
 */
#include "queue.h"

static struct rt_pool events = {.object_bytes = sizeof(struct npu_event)};
static uint32_t next_id;

int npu_rt_event_create(struct npu_event **out, uint32_t flags)
{
    struct npu_event *e;

    rt_lock();
    e = rt_pool_get(&events);
    if (e) {
        e->magic = EVENT_MAGIC;
        e->flags = flags;
        e->id = next_id++;
        e->device = -1;
    }
    rt_unlock();
    *out = e;
    return e ? ACL_OK
             : npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtCreateEvent: out of memory");
}

struct npu_event *rt_event_check(struct npu_event *e, const char *who)
{
    if (NPU_LIKELY(rt_pool_owns(&events, e) && e->magic == EVENT_MAGIC && !e->dead))
        return e;
    npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: %p is no living event: it was destroyed, or "
                "aclrtCreateEvent never made it",
                who, (void *)e);
    return NULL;
}

static void free_if_unused(struct npu_event *e)
{
    if (!e->dead || e->n_refs)
        return;
    e->magic = 0;
    rt_pool_put(&events, e);
}

void rt_event_unref(struct npu_event *e)
{
    e->n_refs--;
    free_if_unused(e);
}

int npu_rt_event_destroy(struct npu_event *e)
{
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    rt_lock();
    if (rt_event_check(e, "aclrtDestroyEvent")) {
        e->dead = true;
        free_if_unused(e);
        rc = ACL_OK;
    }
    rt_unlock();
    return rc;
}

static bool has_record(const struct npu_event *e)
{
    return e->issued > e->reset_at;
}

/* Records and resets are tasks that only move tickets. */
static int submit(enum rt_task_kind kind, const char *name, struct npu_event *e,
                  struct npu_stream *stream)
{
    struct rt_task t = {.kind = kind, .name = name, .event = {.event = e}};
    struct npu_stream *s = rt_lock_stream(stream, name);
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    if (!s)
        return npu_rt_last_error(false);
    if (rt_event_check(e, name) && (s->capture || e->capture)) {
        rc = rt_graph_event(kind, s, e, name);
    } else if (rt_event_check(e, name)) {
        t.event.ticket = kind == TASK_RECORD ? ++e->issued : e->issued;
        e->device = s->device;
        e->n_refs++;
        rc = rt_submit(s, &t);
    }
    rt_unlock();
    return rc;
}

int npu_rt_event_record(struct npu_event *e, struct npu_stream *s)
{
    return submit(TASK_RECORD, "aclrtRecordEvent", e, s);
}

int npu_rt_event_reset(struct npu_event *e, struct npu_stream *s)
{
    return submit(TASK_RESET, "aclrtResetEvent", e, s);
}

/* The ticket that a wait given now waits for. */
static uint64_t ticket_to_wait(const struct npu_event *e)
{
    if (has_record(e) || (e->flags & EVENT_EX))
        return e->issued;
    return e->issued + 1;
}

int npu_rt_event_wait(struct npu_stream *stream, struct npu_event *e, int64_t timeout_ms)
{
    struct npu_stream *s = rt_lock_stream(stream, "aclrtStreamWaitEvent");
    struct rt_task t = {.kind = TASK_WAIT_EVENT,
                        .name = "aclrtStreamWaitEvent",
                        .deadline_ns = rt_deadline(timeout_ms),
                        .event = {.event = e}};
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    if (!s)
        return npu_rt_last_error(false);
    if (rt_event_check(e, t.name) && (s->capture || e->capture)) {
        rc = rt_graph_event(TASK_WAIT_EVENT, s, e, t.name);
    } else if (rt_event_check(e, t.name)) {
        t.event.ticket = ticket_to_wait(e);
        e->n_refs++;
        e->n_waits++;
        rc = rt_submit(s, &t);
    }
    rt_unlock();
    return rc;
}

int npu_rt_event_synchronize(struct npu_event *e, int64_t timeout_ms)
{
    uint64_t deadline_ns = rt_deadline(timeout_ms);
    int rc = ACL_ERROR_RT_PARAM_INVALID, device = -1;
    uint64_t ticket;

    rt_lock();
    if (rt_event_check(e, "aclrtSynchronizeEvent")) {
        rc = rt_graph_forbid_event(e, "aclrtSynchronizeEvent");
        ticket = has_record(e) ? e->issued : 0; /* nothing recorded: nothing to wait for */
        device = e->device;
        e->n_refs++;
        rt_pump();
        while (!rc && e->done < ticket) {
            if (!rt_wait_done(deadline_ns) && e->done < ticket)
                rc = npu_rt_fail(RT_EVENT_SYNC_TIMEOUT,
                                 "aclrtSynchronizeEvent: event %u is not reached within the time "
                                 "allowed",
                                 e->id);
        }
        rt_event_unref(e);
    }
    rt_unlock();
    return rc ? rc : npu_rt_device_error(device);
}

int npu_rt_event_query(struct npu_event *e, bool *recorded, bool *waits_done)
{
    int rc = ACL_ERROR_RT_PARAM_INVALID, device = -1;

    rt_lock();
    if (rt_event_check(e, "aclrtQueryEventStatus")) {
        rt_pump();
        device = e->device;
        /* an Ex event without a record has nothing left to do, as torch expects */
        *recorded = has_record(e) ? e->done >= e->issued : (e->flags & EVENT_EX) != 0;
        *waits_done = e->n_waits == 0;
        rc = rt_graph_forbid_event(e, "aclrtQueryEventStatus");
    }
    rt_unlock();
    return rc ? rc : npu_rt_device_error(device);
}

int npu_rt_event_time(struct npu_event *e, uint64_t *ns, const char *who)
{
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    rt_lock();
    if (rt_event_check(e, who)) {
        if (!(e->flags & EVENT_TIME_LINE))
            rc = npu_rt_fail(
                RT_EVENT_TIMESTAMP_INVALID,
                "%s: event %u was created without ACL_EVENT_TIME_LINE and keeps no time", who,
                e->id);
        else if (!has_record(e) || e->done < e->issued)
            rc = npu_rt_fail(RT_EVENT_TIMESTAMP_INVALID, "%s: event %u %s", who, e->id,
                             has_record(e) ? "is recorded but not reached yet: synchronise it first"
                                           : "was never recorded");
        else
            rc = rt_graph_forbid_event(e, who);
        *ns = e->at_ns;
    }
    rt_unlock();
    return rc;
}

int npu_rt_event_id(struct npu_event *e, uint32_t *id)
{
    int rc = ACL_ERROR_RT_PARAM_INVALID;

    rt_lock();
    if (rt_event_check(e, "aclrtGetEventId")) {
        *id = e->id;
        rc = ACL_OK;
    }
    rt_unlock();
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.c - host functions in stream order.
 *
 * aclrtLaunchHostFunc runs on the runtime's worker, never on the caller: the caller may hold a lock
 * that the function takes. aclrtLaunchCallback hands the function to the thread that subscribed the
 * stream, which runs it inside aclrtProcessReport.
 */
#include "queue.h"

#include <stdlib.h>

struct report {
    struct report *next;
    npu_host_fn *fn;
    void *arg;
    uint64_t thread;
    struct rt_task *blocked; /* set: its stream waits for the end of fn */
};

static struct report *first;   /* oldest first, of all threads; under rt_lock */
static struct report *running; /* taken by aclrtProcessReport, not ended yet */

int npu_rt_host_call(struct npu_stream *stream, npu_host_fn *fn, void *arg)
{
    struct npu_stream *s = rt_lock_stream(stream, "aclrtLaunchHostFunc");
    struct rt_task t = {
        .kind = TASK_HOST, .name = "aclrtLaunchHostFunc", .host = {.fn = fn, .arg = arg}};
    int rc;

    if (!s)
        return npu_rt_last_error(false);
    rc = rt_submit(s, &t);
    rt_unlock();
    return rc;
}

int npu_rt_report_subscribe(uint64_t thread, struct npu_stream *stream)
{
    struct npu_stream *s = rt_lock_stream(stream, "aclrtSubscribeReport");
    int rc = ACL_OK;

    if (!s)
        return npu_rt_last_error(false);
    if (s->subscriber)
        rc = npu_rt_fail(RT_STREAM_SUBSCRIBE,
                         "aclrtSubscribeReport: stream %u is subscribed already "
                         "by thread %llu",
                         s->id, (unsigned long long)s->subscriber);
    else
        s->subscriber = thread;
    rt_unlock();
    return rc;
}

int npu_rt_report_unsubscribe(uint64_t thread, struct npu_stream *stream)
{
    struct npu_stream *s = rt_lock_stream(stream, "aclrtUnSubscribeReport");
    int rc = ACL_OK;

    if (!s)
        return npu_rt_last_error(false);
    if (s->subscriber != thread)
        rc = npu_rt_fail(RT_THREAD_SUBSCRIBE,
                         "aclrtUnSubscribeReport: thread %llu has not subscribed "
                         "stream %u",
                         (unsigned long long)thread, s->id);
    else
        s->subscriber = 0;
    rt_unlock();
    return rc;
}

int npu_rt_report_call(struct npu_stream *stream, npu_host_fn *fn, void *arg, bool block)
{
    struct npu_stream *s = rt_lock_stream(stream, "aclrtLaunchCallback");
    struct rt_task t = {.kind = TASK_REPORT,
                        .name = "aclrtLaunchCallback",
                        .host = {.fn = fn, .arg = arg, .block = block}};
    int rc;

    if (!s)
        return npu_rt_last_error(false);
    t.host.thread = s->subscriber;
    if (t.host.thread)
        rc = rt_submit(s, &t);
    else
        rc = npu_rt_fail(RT_STREAM_NO_CB_REG,
                         "aclrtLaunchCallback: no thread subscribed stream %u: "
                         "call aclrtSubscribeReport first",
                         s->id);
    rt_unlock();
    return rc;
}

/* Locked. The stream's turn has come: the callback may run. */
void rt_report_push(struct npu_stream *s, struct rt_task *t)
{
    struct report *r = malloc(sizeof(*r)), **at = &first;

    if (!r) {
        npu_rt_device_poison(s->device, ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a callback");
        t->host.ended = true;
        return;
    }
    *r = (struct report){NULL, t->host.fn, t->host.arg, t->host.thread, t->host.block ? t : NULL};
    while (*at)
        at = &(*at)->next;
    *at = r;
    rt_tell_waiters();
}

void rt_report_forget(const struct rt_task *t)
{
    for (struct report *r = running; r; r = r->next) {
        if (r->blocked == t)
            r->blocked = NULL;
    }
    for (struct report **at = &first; *at; at = &(*at)->next) {
        struct report *r = *at;

        if (r->blocked != t)
            continue;
        *at = r->next;
        free(r);
        return;
    }
}

static struct report *take(uint64_t thread)
{
    for (struct report **at = &first; *at; at = &(*at)->next) {
        struct report *r = *at;

        if (r->thread != thread)
            continue;
        *at = r->next;
        r->next = running;
        running = r;
        return r;
    }
    return NULL;
}

static void end(struct report *r)
{
    struct report **at = &running;

    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    if (r->blocked)
        r->blocked->host.ended = true;
}

int npu_rt_report_process(int64_t timeout_ms)
{
    uint64_t deadline_ns = rt_deadline(timeout_ms);
    struct report *r;

    rt_lock();
    while (!(r = take((uint64_t)pthread_self()))) {
        if (!rt_wait_done(deadline_ns)) {
            rt_unlock();
            return npu_rt_fail(RT_REPORT_TIMEOUT,
                               "aclrtProcessReport: no callback came within %lld ms",
                               (long long)timeout_ms);
        }
    }
    rt_unlock();
    r->fn(r->arg);
    rt_lock();
    end(r);
    rt_pump();
    rt_unlock();
    free(r);
    return ACL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - in-order queues, who runs their tasks, and waiting for them.
 *
 * See queue.h for the three states. A task runs at once on the thread that brings it whenever its
 * stream is idle: on few cores a hand-over costs more than it hides, and a run stays reproducible.
 * With NPUTWIN_QUEUE_DELAY_US every task waits that long and runs on the worker thread.
 */
#include "queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VALUE_POLL_NS = 50000, MAX_DELAY_US = 60000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done_cond, worker_cond;
static uint32_t n_waiting; /* threads in rt_wait_done */
static bool worker_runs;
static uint64_t delay_ns;
static char delay_error[128];
static struct npu_stream *all, *pending;
static struct rt_pool streams = {.object_bytes = sizeof(struct npu_stream)};
static uint32_t next_id;

static _Thread_local bool is_worker;

/* ---- lock and clock ------------------------------------------------------------------ */

static void init_conds(void)
{
    pthread_condattr_t a;

    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&done_cond, &a);
    pthread_cond_init(&worker_cond, &a);
    pthread_condattr_destroy(&a);
}

/* A forked child has neither the worker nor the threads that waited. */
static void after_fork_in_child(void)
{
    init_conds();
    n_waiting = 0;
    worker_runs = false;
    pthread_mutex_unlock(&lock);
}

static void read_delay(const char *text)
{
    char *end;
    unsigned long us = strtoul(text, &end, 10);

    if (*end || *text == '-' || us > MAX_DELAY_US)
        snprintf(delay_error, sizeof(delay_error),
                 "NPUTWIN_QUEUE_DELAY_US=%s: a number of microseconds "
                 "from 0 to %d is needed",
                 text, MAX_DELAY_US);
    else
        delay_ns = (uint64_t)us * 1000;
}

__attribute__((constructor)) static void init(void)
{
    const char *delay = getenv("NPUTWIN_QUEUE_DELAY_US");

    init_conds();
    pthread_atfork(rt_lock, rt_unlock, after_fork_in_child);
    if (delay && *delay)
        read_delay(delay);
}

const char *rt_queue_config_error(void)
{
    return delay_error[0] ? delay_error : NULL;
}

void rt_lock(void)
{
    pthread_mutex_lock(&lock);
}

void rt_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

uint64_t rt_now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t rt_deadline(int64_t timeout_ms)
{
    return timeout_ms < 0 ? 0 : rt_now_ns() + (uint64_t)timeout_ms * 1000000u;
}

static int wait_until(pthread_cond_t *cond, uint64_t at_ns)
{
    struct timespec ts = {.tv_sec = (time_t)(at_ns / 1000000000u),
                          .tv_nsec = (long)(at_ns % 1000000000u)};

    return at_ns ? pthread_cond_timedwait(cond, &lock, &ts) : pthread_cond_wait(cond, &lock);
}

bool rt_wait_done(uint64_t deadline_ns)
{
    int rc;

    n_waiting++;
    rc = wait_until(&done_cond, deadline_ns);
    n_waiting--;
    return rc != ETIMEDOUT;
}

void rt_tell_waiters(void)
{
    if (n_waiting)
        pthread_cond_broadcast(&done_cond);
}

/* ---- tasks --------------------------------------------------------------------------- */

static bool value_meets(const struct rt_task *t)
{
    uint64_t now = __atomic_load_n(t->value.addr, __ATOMIC_ACQUIRE);

    switch (t->value.mode) {
    case 0:
        return (int64_t)(now - t->value.value) >= 0;
    case 1:
        return now == t->value.value;
    case 2:
        return (now & t->value.value) != 0;
    default:
        return ~(now | t->value.value) != 0;
    }
}

static bool wait_is_over(const struct rt_task *t)
{
    return t->event.event->done >= t->event.ticket ||
           (t->deadline_ns && rt_now_ns() >= t->deadline_ns);
}

bool rt_task_is_ready(const struct rt_task *t)
{
    if (delay_ns && (!is_worker || rt_now_ns() < t->due_ns))
        return false;
    switch (t->kind) {
    case TASK_WAIT_EVENT:
        return wait_is_over(t);
    case TASK_WAIT_VALUE:
        return value_meets(t);
    case TASK_HOST:
        return is_worker;
    case TASK_REPORT:
        return !t->host.handed || t->host.ended || !t->host.block;
    case TASK_WAIT_FLAG:
        return t->event.event->done > t->event.event->reset_at;
    case TASK_GRAPH:
        return rt_graph_is_ready(t->graph);
    default:
        return true;
    }
}

/* Runs a function task outside the lock. After an error nothing more runs on that device. */
static int run_call(const struct npu_stream *s, const struct rt_task *t)
{
    struct npu_diag story;
    bool computes;
    int rc;

    if (NPU_UNLIKELY(!rt_device_is_well(s->device)))
        return npu_rt_device_error(s->device);
    story.status = NPU_OK;
    story.text[0] = '\0';
    computes = !rt_is_copy(t->call.fn);
    rt_usage_running(s->device, computes);
    rc = t->call.fn(t->call.arg, &story);
    rt_usage_running(s->device, -(int)computes);
    if (NPU_LIKELY(!rc))
        return 0;
    if (!story.text[0])
        snprintf(story.text, sizeof(story.text), "%s failed with %d", t->name, rc);
    npu_rt_device_poison(s->device, rc, story.text);
    return npu_rt_repeat(rc, story.text);
}

static void end_wait(const struct npu_stream *s, const struct rt_task *t)
{
    struct npu_event *e = t->event.event;

    if (e->done < t->event.ticket) {
        char story[160];

        snprintf(story, sizeof(story),
                 "stream %u waited in vain for event %u: nothing recorded it "
                 "within the time allowed",
                 s->id, e->id);
        npu_rt_device_poison(s->device, RT_EVENT_SYNC_TIMEOUT, story);
    }
    e->n_waits--;
    rt_event_unref(e);
}

static void end_record(const struct rt_task *t)
{
    struct npu_event *e = t->event.event;

    if (t->event.ticket > e->done) {
        e->done = t->event.ticket;
        e->at_ns = rt_now_ns();
    }
    rt_event_unref(e);
}

static void end_reset(const struct rt_task *t)
{
    if (t->event.ticket > t->event.event->reset_at)
        t->event.event->reset_at = t->event.ticket;
    rt_event_unref(t->event.event);
}

static void set_flag(struct npu_event *e)
{
    e->done = ++e->issued;
    e->at_ns = rt_now_ns();
}

/* Runs one ready task of a stream that is busy with us. Locked on entry and exit. */
int rt_task_run(struct npu_stream *s, struct rt_task *t)
{
    int rc = 0;

    switch (t->kind) {
    case TASK_FN:
        rt_unlock();
        rc = run_call(s, t);
        rt_lock();
        break;
    case TASK_HOST:
        rt_unlock();
        t->host.fn(t->host.arg);
        rt_lock();
        break;
    case TASK_RECORD:
        end_record(t);
        break;
    case TASK_RESET:
        end_reset(t);
        break;
    case TASK_WAIT_EVENT:
        end_wait(s, t);
        break;
    case TASK_SET_FLAG:
        set_flag(t->event.event);
        break;
    case TASK_CLEAR_FLAG:
        t->event.event->reset_at = t->event.event->done;
        break;
    case TASK_WAIT_VALUE:
    case TASK_WAIT_FLAG:
    case TASK_REPORT:
    case TASK_GRAPH:
        break;
    }
    return rc;
}

void rt_task_drop(const struct rt_task *t)
{
    if (t->kind != TASK_FN || !t->call.drop)
        return;
    rt_unlock();
    t->call.drop(t->call.arg);
    rt_lock();
}

static void release(struct rt_task *t)
{
    rt_task_drop(t);
    if (t->kind == TASK_GRAPH)
        rt_graph_end_run(t->graph);
    free(t);
}

/* ---- queues -------------------------------------------------------------------------- */

static void link_pending(struct npu_stream *s)
{
    struct npu_stream **at = &pending;

    while (*at) /* behind the others: first come, first served */
        at = &(*at)->next_pending;
    s->next_pending = NULL;
    *at = s;
}

static void unlink_pending(struct npu_stream *s)
{
    struct npu_stream **at = &pending;

    while (*at != s)
        at = &(*at)->next_pending;
    *at = s->next_pending;
}

static void push(struct npu_stream *s, struct rt_task *t)
{
    t->next = NULL;
    if (s->head) {
        s->tail->next = t;
    } else {
        s->head = t;
        link_pending(s);
    }
    s->tail = t;
}

static struct rt_task *pop(struct npu_stream *s)
{
    struct rt_task *t = s->head;

    s->head = t->next;
    if (!s->head)
        unlink_pending(s);
    return t;
}

static void set_busy(struct npu_stream *s)
{
    s->busy = true;
    s->runner = pthread_self();
}

/* Runs the head if it is ready. A report is handed over first and may leave the stream parked. */
static bool run_head(struct npu_stream *s)
{
    struct rt_task *t = s->head;

    if (!rt_task_is_ready(t))
        return false;
    if (t->kind == TASK_REPORT && !t->host.handed) {
        t->host.handed = true;
        rt_report_push(s, t);
        return t->host.block ? false : true;
    }
    if (t->kind == TASK_GRAPH && !rt_graph_step(s, t->graph))
        return false;
    pop(s);
    rt_task_run(s, t);
    release(t);
    rt_tell_waiters();
    return true;
}

static struct npu_stream *find_runnable(void)
{
    for (struct npu_stream *s = pending; s; s = s->next_pending) {
        if (!s->busy && rt_task_is_ready(s->head))
            return s;
    }
    return NULL;
}

void rt_pump(void)
{
    struct npu_stream *s;

    if (NPU_LIKELY(!pending))
        return;
    while ((s = find_runnable())) { /* with a delay the worker alone finds one */
        set_busy(s);
        while (s->head && run_head(s))
            ;
        s->busy = false;
        rt_tell_waiters();
    }
    if (pending && worker_runs && !is_worker)
        pthread_cond_signal(&worker_cond);
}

/* ---- the worker: clocks, values and host functions ----------------------------------- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return !a || (b && b < a) ? b : a;
}

/* When something may become ready without anybody calling; 0: never. */
static uint64_t next_look(void)
{
    uint64_t at = 0;

    for (const struct npu_stream *s = pending; s; s = s->next_pending) {
        const struct rt_task *t = s->head;

        if (s->busy)
            continue;
        if (delay_ns && rt_now_ns() < t->due_ns)
            at = earlier(at, t->due_ns);
        else if (rt_task_is_ready(t)) /* since rt_pump() looked: its time came in between */
            return 1;
        else if (t->kind == TASK_WAIT_VALUE || (t->kind == TASK_GRAPH && rt_graph_polls(t->graph)))
            at = earlier(at, rt_now_ns() + VALUE_POLL_NS);
        else if (t->kind == TASK_WAIT_EVENT && t->deadline_ns)
            at = earlier(at, t->deadline_ns);
    }
    return at;
}

static void *work(void *unused)
{
    (void)unused;
    is_worker = true;
    rt_lock();
    for (;;) {
        rt_pump();
        wait_until(&worker_cond, next_look());
    }
    return NULL;
}

static int need_worker(void)
{
    pthread_t thread;
    pthread_attr_t a;
    int rc;

    if (worker_runs) {
        pthread_cond_signal(&worker_cond);
        return 0;
    }
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    rc = pthread_create(&thread, &a, work, NULL);
    pthread_attr_destroy(&a);
    if (rc)
        return npu_rt_fail(RT_RESOURCE_ALLOC_FAIL, "no thread for stream work: %s", strerror(rc));
    worker_runs = true;
    return 0;
}

/* ---- giving tasks -------------------------------------------------------------------- */

static bool is_idle(const struct npu_stream *s)
{
    return !s->busy && !s->head;
}

/* Tasks are kept for a graph, not run. */
static bool collects(const struct npu_stream *s)
{
    return s->capture || s->update;
}

static int run_now(struct npu_stream *s, const struct rt_task *given)
{
    struct rt_task t = *given;
    int rc;

    set_busy(s);
    rc = rt_task_run(s, &t);
    while (s->head && run_head(s))
        ;
    s->busy = false;
    rt_tell_waiters();
    rt_pump();
    return rc;
}

static int queue(struct npu_stream *s, const struct rt_task *given)
{
    struct rt_task *t = malloc(sizeof(*t));

    if (!t) {
        if (given->kind == TASK_FN && given->call.drop)
            given->call.drop(given->call.arg);
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory to queue %s", given->name);
    }
    *t = *given;
    t->due_ns = delay_ns ? rt_now_ns() + delay_ns : 0;
    push(s, t);
    if (delay_ns || t->kind == TASK_WAIT_VALUE || t->kind == TASK_HOST || t->deadline_ns)
        return need_worker();
    return 0;
}

int rt_submit(struct npu_stream *s, const struct rt_task *t)
{
    int rc;

    if (collects(s))
        return rt_graph_take(s, t);
    if (is_idle(s) && t->kind != TASK_REPORT && t->kind != TASK_GRAPH && rt_task_is_ready(t))
        return run_now(s, t);
    rc = queue(s, t);
    rt_pump();
    if (!rc && t->kind == TASK_GRAPH && s->head) /* it may hold what only the worker runs */
        rc = need_worker();
    return rc;
}

/* The part of npu_rt_enqueue that has to wait. Locked on exit only. */
static int enqueue_later(struct npu_stream *s, struct rt_task *t, void *(*copy)(const void *arg))
{
    if (copy) /* may be slow, and may call us: not under the lock */
        t->call.arg = copy(t->call.arg);
    rt_lock();
    if (!t->call.arg && copy)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory to queue %s", t->name);
    if (!rt_stream_check(s, t->name)) { /* destroyed meanwhile */
        rt_task_drop(t);
        return ACL_ERROR_RT_STREAM_CONTEXT;
    }
    return collects(s) ? rt_graph_take(s, t) : queue(s, t);
}

int npu_rt_enqueue(struct npu_stream *s, const char *name, npu_task_fn *fn, void *arg,
                   void *(*copy)(const void *arg), void (*drop)(void *arg))
{
    struct rt_task t = {.kind = TASK_FN, .name = name, .call = {fn, arg, drop}};
    int rc = ACL_ERROR_RT_STREAM_CONTEXT;

    if (!s)
        s = rt_default_stream(name);
    rt_lock();
    if (s && rt_stream_check(s, name)) {
        if (NPU_UNLIKELY(!is_idle(s) || delay_ns || collects(s))) {
            rt_unlock();
            rc = enqueue_later(s, &t, copy);
            rt_pump();
            rt_unlock();
            return rc;
        }
        rc = run_now(s, &t);
    } else if (!s) {
        rc = npu_rt_last_error(false);
    }
    rt_unlock();
    if (!copy && drop)
        drop(arg);
    return rc;
}

bool npu_rt_stream_would_queue(struct npu_stream *s)
{
    bool queues;

    rt_lock();
    queues = delay_ns || !is_idle(s) || collects(s);
    rt_unlock();
    return queues;
}

int npu_rt_stream_wait_value(struct npu_stream *stream, const uint64_t *addr, uint64_t value,
                             uint32_t mode)
{
    struct npu_stream *s = rt_lock_stream(stream, "aclrtValueWait");
    struct rt_task t = {
        .kind = TASK_WAIT_VALUE, .name = "aclrtValueWait", .value = {addr, value, mode}};
    int rc;

    if (!s)
        return npu_rt_last_error(false);
    rc = rt_submit(s, &t);
    rt_unlock();
    return rc;
}

static bool runs_here(const struct npu_stream *s)
{
    return s->busy && pthread_equal(s->runner, pthread_self());
}

static int self_wait(const char *who)
{
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: called from a task of the stream it waits for, which would never end",
                       who);
}

/* ---- life of a stream ---------------------------------------------------------------- */

struct npu_stream *rt_stream_new(int device, uint32_t priority, uint32_t flags)
{
    struct npu_stream *s;

    rt_lock();
    s = rt_pool_get(&streams);
    if (s) {
        s->magic = STREAM_MAGIC;
        s->id = next_id++;
        s->device = device;
        s->priority = priority;
        s->flags = flags;
        s->next = all;
        all = s;
    }
    rt_unlock();
    return s;
}

int npu_rt_stream_create(struct npu_stream **out, uint32_t priority, uint32_t flags)
{
    int device = npu_rt_need_device("aclrtCreateStream");

    if (device < 0)
        return ACL_ERROR_RT_CONTEXT_NULL;
    *out = rt_stream_new(device, priority, flags);
    return *out ? ACL_OK
                : npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtCreateStream: out of memory");
}

struct npu_stream *rt_stream_check(struct npu_stream *s, const char *who)
{
    if (NPU_LIKELY(rt_pool_owns(&streams, s) && s->magic == STREAM_MAGIC && !s->dying))
        return s;
    npu_rt_fail(ACL_ERROR_RT_STREAM_CONTEXT,
                "%s: %p is no living stream: it was destroyed, or "
                "aclrtCreateStream never made it",
                who, (void *)s);
    return NULL;
}

struct npu_stream *npu_rt_stream(struct npu_stream *s, const char *who)
{
    if (!s)
        return rt_default_stream(who);
    rt_lock();
    s = rt_stream_check(s, who);
    rt_unlock();
    return s;
}

struct npu_stream *rt_lock_stream(struct npu_stream *s, const char *who)
{
    s = s ? s : rt_default_stream(who);
    if (!s)
        return NULL;
    rt_lock();
    s = rt_stream_check(s, who);
    if (!s)
        rt_unlock();
    return s;
}

/* The lock is free now and then while arguments are dropped, so the stream is held as busy: nobody
 * else runs it, waits for it in vain or destroys it meanwhile. */
static void drop_all(struct npu_stream *s)
{
    set_busy(s);
    while (s->head) {
        struct rt_task *t = pop(s);

        if (t->kind == TASK_REPORT)
            rt_report_forget(t);
        if (t->kind == TASK_WAIT_EVENT)
            t->event.event->n_waits--;
        if (t->kind == TASK_RECORD) /* whoever waits for it must not wait for ever */
            end_record(t);
        else if (t->kind == TASK_WAIT_EVENT || t->kind == TASK_RESET)
            rt_event_unref(t->event.event);
        release(t);
    }
    s->busy = false;
    rt_tell_waiters();
}

int npu_rt_stream_destroy(struct npu_stream *s, bool force)
{
    struct npu_stream **at = &all;

    rt_lock();
    if (!rt_stream_check(s, force ? "aclrtDestroyStreamForce" : "aclrtDestroyStream")) {
        rt_unlock();
        return ACL_ERROR_RT_STREAM_CONTEXT;
    }
    if (runs_here(s) || s->is_ending) {
        const bool here = runs_here(s);

        rt_unlock();
        return here ? self_wait("aclrtDestroyStream")
                    : npu_rt_fail(ACL_ERROR_RT_STREAM_CONTEXT,
                                  "aclrtDestroyStream: another thread destroys this stream");
    }
    s->is_ending = true;
    while (!force && !is_idle(s))
        rt_wait_done(0);
    s->dying = true;
    while (s->busy)
        rt_wait_done(0);
    set_busy(s); /* as drop_all() */
    rt_graph_forget_stream(s);
    drop_all(s);
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->magic = 0;
    rt_pool_put(&streams, s);
    rt_pump();
    rt_unlock();
    return ACL_OK;
}

/* ---- waiting and asking -------------------------------------------------------------- */

/* Locked. */
static int wait_idle(struct npu_stream *s, uint64_t deadline_ns)
{
    if (runs_here(s))
        return self_wait("aclrtSynchronizeStream");
    const uint32_t id = s->id; /* another one: s was destroyed meanwhile, and its place taken */
    rt_pump();
    while (s->id == id && !is_idle(s)) {
        if (!rt_wait_done(deadline_ns) && s->id == id && !is_idle(s))
            return npu_rt_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                               "stream %u is not done within the time allowed: %s", s->id,
                               s->head ? s->head->name : "a task runs");
    }
    return 0;
}

int npu_rt_stream_synchronize(struct npu_stream *stream, int64_t timeout_ms)
{
    struct npu_stream *s = rt_lock_stream(stream, "aclrtSynchronizeStream");
    int rc, device;

    if (!s)
        return npu_rt_last_error(false);
    device = s->device;
    rc = rt_graph_forbid_stream(s, "aclrtSynchronizeStream");
    if (!rc && !is_idle(s))
        rc = wait_idle(s, rt_deadline(timeout_ms));
    rt_unlock();
    return rc ? rc : npu_rt_device_error(device);
}

int npu_rt_synchronize(struct npu_stream *s)
{
    return npu_rt_stream_synchronize(s, -1);
}

bool rt_any_pending(void)
{
    bool any = false;

    rt_lock();
    for (const struct npu_stream *s = all; s && !any; s = s->next)
        any = !is_idle(s);
    rt_unlock();
    return any;
}

static struct npu_stream *find_unfinished(int device)
{
    for (struct npu_stream *s = all; s; s = s->next) {
        if (s->device == device && !is_idle(s) && !s->dying)
            return s;
    }
    return NULL;
}

int npu_rt_device_synchronize(int device, int64_t timeout_ms)
{
    uint64_t deadline_ns = rt_deadline(timeout_ms);
    struct npu_stream *s;
    int rc;

    npu_rt_look_at_opp_path();
    rt_lock();
    rc = rt_graph_forbid_device(device, "aclrtSynchronizeDevice");
    while (!rc && (s = find_unfinished(device)))
        rc = wait_idle(s, deadline_ns);
    rt_unlock();
    return rc ? rc : npu_rt_device_error(device);
}

/* Parked on something that only a caller can bring. */
static bool waits_outside(const struct npu_stream *s)
{
    const struct rt_task *t = s->head;

    return !s->busy &&
           (t->kind == TASK_WAIT_EVENT || t->kind == TASK_WAIT_VALUE || t->kind == TASK_REPORT ||
            (t->kind == TASK_GRAPH && !rt_graph_moves(t->graph)));
}

static struct npu_stream *find_moving(int device)
{
    for (struct npu_stream *s = all; s; s = s->next) {
        if (s->device == device && !is_idle(s) && !runs_here(s) && !waits_outside(s))
            return s;
    }
    return NULL;
}

void rt_device_drain(int device)
{
    struct npu_stream *s;

    rt_lock();
    for (;;) { /* what is dropped may let another stream go on */
        rt_pump();
        if (find_moving(device)) {
            rt_wait_done(0);
            continue;
        }
        s = find_unfinished(device);
        if (!s || runs_here(s))
            break;
        drop_all(s);
    }
    rt_unlock();
}

int npu_rt_stream_query(struct npu_stream *stream, bool *idle)
{
    struct npu_stream *s = rt_lock_stream(stream, "aclrtStreamQuery");
    int rc;

    if (!s)
        return npu_rt_last_error(false);
    rc = rt_graph_forbid_stream(s, "aclrtStreamQuery");
    rt_pump();
    *idle = is_idle(s);
    rt_unlock();
    return rc ? rc : npu_rt_device_error(s->device);
}

int npu_rt_stream_device(const struct npu_stream *s)
{
    return s->device;
}

uint32_t npu_rt_stream_id(const struct npu_stream *s)
{
    return s->id;
}

uint32_t npu_rt_stream_priority(const struct npu_stream *s)
{
    return s->priority;
}

uint32_t npu_rt_stream_flags(const struct npu_stream *s)
{
    return s->flags;
}

static int check_attr(uint32_t attr)
{
    if (attr >= 1 && attr < N_STREAM_ATTRS)
        return 0;
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "stream attribute %u does not exist, 1 to %d do",
                       attr, N_STREAM_ATTRS - 1);
}

int npu_rt_stream_set_attr(struct npu_stream *s, uint32_t attr, uint64_t value)
{
    int rc = check_attr(attr);

    if (rc)
        return rc;
    rt_lock();
    s->attr[attr] = value;
    rt_unlock();
    return 0;
}

int npu_rt_stream_get_attr(struct npu_stream *s, uint32_t attr, uint64_t *value)
{
    int rc = check_attr(attr);

    if (rc)
        return rc;
    rt_lock();
    *value = s->attr[attr];
    rt_unlock();
    return 0;
}

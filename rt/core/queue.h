/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - streams, events and their tasks inside the core. Not for other libraries.
 *
 * One lock guards every queue, stream and event of the process (rt_lock); tasks run outside it.
 * A stream is in one of three states:
 *   idle     no head, not busy: the next task runs on the thread that brings it
 *   busy     some thread runs a task of it; others append, that thread goes on with what they
 * brought parked   has a head that is not ready: whoever makes it ready (a record, a write, a
 * callback, the worker's clock) runs it Rule: only the thread that set busy clears it, and nothing
 * waits while it holds the lock.
 */
#ifndef NPU_RT_QUEUE_H
#define NPU_RT_QUEUE_H
#include "core.h"

#include <pthread.h>

enum rt_task_kind {
    TASK_FN,         /* ready at once */
    TASK_RECORD,     /* ready at once */
    TASK_RESET,      /* ready at once */
    TASK_WAIT_EVENT, /* ready when event->done reaches ticket */
    TASK_WAIT_VALUE, /* ready when *addr meets value; the worker looks every VALUE_POLL_NS */
    TASK_HOST,       /* ready on the worker only */
    TASK_REPORT,     /* handed over at once; with block, ready when the callback has ended */
    TASK_GRAPH,      /* one run of a captured graph: ready when one of its tasks is */
    TASK_SET_FLAG,   /* record, wait and reset of an ACL_EVENT_EXTERNAL event in a graph: they */
    TASK_WAIT_FLAG,  /* look at the event when their turn has come, not when they were given */
    TASK_CLEAR_FLAG
};

struct rt_task {
    struct rt_task *next;
    enum rt_task_kind kind;
    const char *name;
    uint64_t due_ns;      /* not before (NPUTWIN_QUEUE_DELAY_US) */
    uint64_t deadline_ns; /* TASK_WAIT_EVENT: gives up then; 0: never */
    union {
        struct {
            npu_task_fn *fn;
            void *arg;
            void (*drop)(void *arg);
        } call;
        struct {
            struct npu_event *event; /* holds a reference */
            uint64_t ticket;
        } event;
        struct {
            const uint64_t *addr;
            uint64_t value;
            uint32_t mode;
        } value;
        struct {
            npu_host_fn *fn;
            void *arg;
            uint64_t thread;
            bool block, handed, ended;
        } host;
        struct rt_graph_run *graph;
    };
};

enum { N_STREAM_ATTRS = 6 };

struct npu_stream {
    uint32_t magic, id, priority, flags;
    int device;
    bool busy, dying, is_default;
    bool is_ending;   /* a thread is in aclrtDestroyStream with it: nobody else may be */
    pthread_t runner; /* while busy */
    struct rt_task *head, *tail;
    struct npu_stream *next_pending; /* list of streams with a head */
    struct npu_stream *next;         /* list of all */
    uint64_t subscriber;             /* thread of aclrtSubscribeReport; 0: none */
    struct npu_graph *capture;       /* tasks go there instead of being run */
    uint32_t lane;                   /* of it, in the graph */
    struct rt_update *update;        /* tasks are to replace those of a group */
    uint64_t attr[N_STREAM_ATTRS];
};

struct npu_event {
    uint32_t magic, id, flags;
    uint32_t n_refs;  /* tasks that hold it; a destroyed event lives until they are gone */
    uint32_t n_waits; /* TASK_WAIT_EVENT among them */
    int device;       /* of the stream of the last record; -1: none */
    bool dead;
    uint64_t issued;           /* ticket of the last record given to a stream */
    uint64_t done;             /* ticket of the last record reached */
    uint64_t reset_at;         /* tickets up to here were reset: they count as never given */
    uint64_t at_ns;            /* when `done` was reached */
    struct npu_graph *capture; /* the last record was captured; NULL when that has ended */
    uint32_t captured_at;      /* which of its records */
};

enum { STREAM_MAGIC = 0x4e53544d, EVENT_MAGIC = 0x4e455654 };

/* A pool of handles: slabs that double and are never unmapped, so that a stale handle can be looked
 * at; freed ones are reused oldest first. Guarded by rt_lock. */
struct rt_pool {
    size_t object_bytes;
    uint8_t *slab[24];
    uint32_t n_slabs;
    void **freed;                                      /* ring of freed handles */
    uint32_t n_freed, first_freed, cap_freed, n_fresh; /* n_fresh: unused ones of the last slab */
};
void *rt_pool_get(struct rt_pool *p); /* zeroed; NULL when out of memory */
void rt_pool_put(struct rt_pool *p, void *object);
bool rt_pool_owns(const struct rt_pool *p, const void *object);

void rt_lock(void);
void rt_unlock(void);
uint64_t rt_now_ns(void);
/* Waits for any task to end or until deadline_ns (0: none); false when the time is up. Locked. */
bool rt_wait_done(uint64_t deadline_ns);
void rt_tell_waiters(void);
uint64_t rt_deadline(int64_t timeout_ms); /* 0 for negative: never */

/* All under the lock. */
struct npu_stream *rt_stream_check(struct npu_stream *s, const char *who);
/* Checks the handle (NULL: the default stream) and takes the lock; NULL, with the message and
 * without the lock, when it is bad. Not locked. */
struct npu_stream *rt_lock_stream(struct npu_stream *s, const char *who);
struct npu_event *rt_event_check(struct npu_event *e, const char *who);
/* Takes the filled task over: runs it if it is ready and it is its turn, else queues it. Returns
 * the code of a TASK_FN that ran on this thread. */
int rt_submit(struct npu_stream *s, const struct rt_task *t);
bool rt_any_pending(void); /* some stream has work that has not ended; takes the lock itself */
void rt_pump(void);        /* runs whatever became ready */
void rt_event_unref(struct npu_event *e);
void rt_report_push(struct npu_stream *s, struct rt_task *t);
void rt_report_forget(const struct rt_task *t); /* its stream goes away */

/* Waits for what can still end on its own and drops what waits for something outside. Not locked.
 */
void rt_device_drain(int device);

/* ---- captured graphs (graph.c); locked unless said otherwise ---- */
/* Keeps a task for the graph, or the update, that its stream collects for. Takes it over in any
 * case. */
int rt_graph_take(struct npu_stream *s, const struct rt_task *t);
/* A record, wait or reset where the stream or the event belongs to a capture. */
int rt_graph_event(enum rt_task_kind kind, struct npu_stream *s, struct npu_event *e,
                   const char *who);
/* What may not be asked of a stream or an event while it is captured: 0, or the code, and the
 * capture is broken. */
int rt_graph_forbid_stream(const struct npu_stream *s, const char *who);
int rt_graph_forbid_event(const struct npu_event *e, const char *who);
/* The same for a whole device. */
int rt_graph_forbid_device(int device, const char *who);
/* Not locked. The default stream of the device was meant. */
int rt_graph_forbid_default(int device, const char *who);
void rt_graph_forget_stream(struct npu_stream *s); /* it goes away */
bool rt_graph_is_ready(const struct rt_graph_run *run);
/* Runs what is ready; true when all has run. May unlock. */
bool rt_graph_step(struct npu_stream *s, struct rt_graph_run *run);
bool rt_graph_polls(const struct rt_graph_run *run); /* waits for a value in memory */
bool rt_graph_moves(const struct rt_graph_run *run); /* goes on without a call from outside */
void rt_graph_end_run(struct rt_graph_run *run);

/* Blocks of the launch that a task stands for; 0: it is none. */
uint32_t rt_launch_blocks(npu_task_fn *fn, const void *arg);

/* Does it only move data? */
bool rt_is_copy(npu_task_fn *fn);

/* For npu-smi: bytes in use on a device; kernels and operators that start or end there. */
void rt_usage_bytes(int device, uint64_t bytes);
void rt_usage_running(int device, int more);

/* For graph.c: a task that is not linked anywhere. */
bool rt_task_is_ready(const struct rt_task *t);
int rt_task_run(struct npu_stream *s, struct rt_task *t);
/* Unlocks while it drops the task's argument. */
void rt_task_drop(const struct rt_task *t);

struct npu_stream *rt_stream_new(int device, uint32_t priority, uint32_t flags);
/* NULL, or what is wrong with NPUTWIN_QUEUE_DELAY_US. */
const char *rt_queue_config_error(void);
struct npu_stream *rt_default_stream(const char *who);
bool rt_device_is_well(int device);

#endif

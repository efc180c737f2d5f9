/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadline.h - ends kernels that do not end.
 *
 * Each thread that works for a launch with a limit is a member of its deadline. When the time is
 * up, a thread of this file sends the members a signal again and again until the launch is over;
 * trap.c lets a member that stands in the kernel's own code leave it. One that stands anywhere else
 * (the engine, libc) may hold a lock and goes on until a later signal.
 */
#ifndef NPU_DEADLINE_H
#define NPU_DEADLINE_H
#include "engine.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What a launch may take; the result says whether it took more. */
struct npu_limit {
    uint64_t us;      /* 0: no limit */
    const void *code; /* any address in the kernel's code */
    bool is_over;     /* NPU_E_DEADLOCK because blocks were stopped or had not begun */
};
/* npu_launch() with a limit. */
NPU_API enum npu_status npu_launch_within(const struct npu_launch *l, struct npu_limit *limit,
                                          struct npu_diag *d);

struct npu_deadline_member { /* on the stack of its thread */
    pthread_t thread;
    struct npu_deadline_member *next;
};

struct npu_deadline {
    uint64_t limit_us;            /* 0: none, and nothing below is used */
    const void *code;             /* any address in the kernel's code */
    uintptr_t code_from, code_to; /* the part of its program that it is in */
    uint64_t at_ns;
    atomic_bool has_expired;
    struct npu_deadline_member *members;
    struct npu_deadline *next; /* of those that are armed */
};

/* A thread begins and ends to work for the launch. starts: the time runs from here. */
void npu_deadline_enter(struct npu_deadline *d, struct npu_deadline_member *m, bool starts);
void npu_deadline_leave(struct npu_deadline *d, struct npu_deadline_member *m);
/* The launch is over: nobody looks at d any more. */
void npu_deadline_disarm(struct npu_deadline *d);

static inline bool npu_deadline_is_over(const struct npu_deadline *d)
{
    return atomic_load_explicit(&d->has_expired, memory_order_acquire);
}
#endif

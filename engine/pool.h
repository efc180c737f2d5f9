/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - worker threads that live as long as the process.
 *
 * One job at a time; the thread that brings it takes part and may finish it alone. Helpers come
 * only when invited: waking a thread costs more than a small kernel. After a fork the child starts
 * its own.
 */
#ifndef NPU_POOL_H
#define NPU_POOL_H
#include <stdatomic.h>
#include <stdint.h>

struct npu_slot;

/* One thread's belongings. Worker 0 stands for whoever brings the job. */
struct npu_worker {
    uint32_t index;
    struct npu_slot *idle;   /* cores and stacks to run blocks on */
    struct npu_slot *parked; /* blocks of the job at hand that wait */
};

typedef void npu_job_fn(void *arg, struct npu_worker *w);

/* Runs job(arg, worker) on this thread and on every helper that joins; returns when all have left.
 * invite: ask the helpers at once. Serialises callers. */
void npu_pool_run(npu_job_fn *job, void *arg, int invite);
/* Called by a job: ask the helpers now. Cheap when they are awake or have been asked. */
void npu_pool_invite(void);
/* Threads that work on a job at most, the caller included. */
uint32_t npu_pool_threads(void);

/* Spins a while, then sleeps, until *word differs from old; returns at once when it does. */
void npu_wait_change(atomic_uint *word, unsigned old);
/* After changing *word: wakes who waits for it. */
void npu_wake_all(atomic_uint *word);
#endif

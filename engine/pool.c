/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - see pool.h. */
#include "pool.h"
#include "engine.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/banned.h"

enum { MAX_THREADS = 256, SPINS = 4000 };

static struct {
    pthread_mutex_t serve; /* held while a job runs */
    pthread_once_t once;
    uint32_t n_threads; /* caller included */
    bool is_started;
    bool is_invited; /* the job at hand; written by who holds serve */
    struct npu_worker worker[MAX_THREADS];
    npu_job_fn *fn; /* of the job at hand; published by job_number */
    void *arg;
    _Alignas(64) atomic_uint calls;  /* helpers wait for it to change */
    _Alignas(64) atomic_uint open;   /* 1 while helpers may join */
    _Alignas(64) atomic_uint inside; /* helpers that may be in the job */
} pool = {.serve = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static _Thread_local bool in_job;

/* ---- waiting
 * --------------------------------------------------------------------------------------- */

static void pause_a_bit(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void futex_wait(atomic_uint *word, unsigned old)
{
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
}

void npu_wait_change(atomic_uint *word, unsigned old)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != old)
            return;
        pause_a_bit();
    }
    while (atomic_load_explicit(word, memory_order_acquire) == old)
        futex_wait(word, old);
}

void npu_wake_all(atomic_uint *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* ---- threads
 * --------------------------------------------------------------------------------------- */

static uint32_t count_threads(void)
{
    const char *text = getenv("NPUTWIN_THREADS");
    cpu_set_t set;
    char *end;

    if (text && *text) {
        const long n = strtol(text, &end, 10);
        if (!*end && n >= 1)
            return n > MAX_THREADS ? MAX_THREADS : (uint32_t)n;
    }
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    const int n = CPU_COUNT(&set);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (uint32_t)n;
}

static void *helper(void *arg)
{
    struct npu_worker *w = arg;
    unsigned seen = 0;

    in_job = true; /* a job inside a job runs on its own thread */
    for (;;) {
        npu_wait_change(&pool.calls, seen);
        seen = atomic_load_explicit(&pool.calls, memory_order_acquire);
        /* Either we see that the job is over, or its owner sees us inside. */
        atomic_fetch_add(&pool.inside, 1);
        if (atomic_load(&pool.open))
            pool.fn(pool.arg, w);
        if (atomic_fetch_sub(&pool.inside, 1) == 1)
            npu_wake_all(&pool.inside);
    }
    return NULL;
}

/* The child of a fork has no helpers and nobody in a job. */
static void before_fork(void)
{
    if (!in_job)
        (void)pthread_mutex_lock(&pool.serve);
}

static void after_fork_parent(void)
{
    if (!in_job)
        (void)pthread_mutex_unlock(&pool.serve);
}

static void after_fork_child(void)
{
    if (in_job)
        return;
    pool.is_started = false;
    atomic_store(&pool.inside, 0);
    atomic_store(&pool.calls, 0);
    (void)pthread_mutex_unlock(&pool.serve);
}

static void set_up(void)
{
    pool.n_threads = count_threads();
    for (uint32_t i = 0; i < MAX_THREADS; i++)
        pool.worker[i].index = i;
    (void)pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

uint32_t npu_pool_threads(void)
{
    (void)pthread_once(&pool.once, set_up);
    return pool.n_threads;
}

/* Called with serve held. Fewer threads than wished for are no failure: the caller works too. */
static void start_helpers(void)
{
    pthread_attr_t attr;
    pthread_t thread;

    pool.is_started = true;
    if (pthread_attr_init(&attr))
        return;
    (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (uint32_t i = 1; i < pool.n_threads; i++)
        if (pthread_create(&thread, &attr, helper, &pool.worker[i]))
            break;
    (void)pthread_attr_destroy(&attr);
}

/* ---- jobs
 * ------------------------------------------------------------------------------------------ */

void npu_pool_invite(void)
{
    if (pool.is_invited || pool.n_threads < 2)
        return;
    pool.is_invited = true;
    atomic_store(&pool.open, 1);
    atomic_fetch_add(&pool.calls, 1);
    npu_wake_all(&pool.calls);
}

void npu_pool_run(npu_job_fn *job, void *arg, int invite)
{
    unsigned n;

    (void)npu_pool_threads();
    (void)pthread_mutex_lock(&pool.serve);
    if (!pool.is_started && pool.n_threads > 1)
        start_helpers();
    pool.fn = job;
    pool.arg = arg;
    pool.is_invited = false;
    in_job = true;
    if (invite)
        npu_pool_invite();
    job(arg, &pool.worker[0]);
    if (pool.is_invited) {
        atomic_store(&pool.open, 0);
        while ((n = atomic_load(&pool.inside)))
            npu_wait_change(&pool.inside, n);
    }
    in_job = false;
    (void)pthread_mutex_unlock(&pool.serve);
}

struct loop {
    void (*fn)(void *arg, uint32_t i);
    void *arg;
    uint32_t n;
    atomic_uint next;
};

static void run_loop(void *arg, struct npu_worker *w)
{
    struct loop *l = arg;
    uint32_t i;

    (void)w;
    while ((i = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed)) < l->n)
        l->fn(l->arg, i);
}

void npu_parallel(uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg)
{
    struct loop l = {.fn = fn, .arg = arg, .n = n};

    if (n > 1 && !in_job) {
        npu_pool_run(run_loop, &l, 1);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        fn(arg, i);
}

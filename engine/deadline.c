/* SPDX-License-Identifier: Apache-2.0 */
/* deadline.c - see deadline.h. */
#include "deadline.h"
#include "trap.h"
#include <link.h>
#include <stddef.h>
#include <time.h>
#include "../base/banned.h"

enum { KICK_EVERY_NS = 1000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* an earlier time than the thread sleeps for */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct npu_deadline *armed;
/* When the thread looks again; 0: when told. Launches end long before, so it is not taken back:
 * a later launch, whose time is later, then need not tell the thread. */
static uint64_t wakes_at_ns;
static bool thread_runs;

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the thread ---- */

struct search {
    uintptr_t at, from, to;
};

static int find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *s = arg;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || s->at < from ||
            s->at >= from + p->p_memsz)
            continue;
        s->from = from;
        s->to = from + p->p_memsz;
        return 1;
    }
    return 0;
}

static void expire(struct npu_deadline *d)
{
    struct search s = {(uintptr_t)d->code, 0, 0};

    (void)dl_iterate_phdr(find_code, &s);
    d->code_from = s.from;
    d->code_to = s.to;
    atomic_store_explicit(&d->has_expired, true, memory_order_release);
}

/* Returns when to look again; 0: when told. Locked. */
static uint64_t look(uint64_t now)
{
    uint64_t next = 0;

    for (struct npu_deadline *d = armed; d; d = d->next) {
        uint64_t at = d->at_ns;
        if (now >= at) {
            if (!npu_deadline_is_over(d))
                expire(d);
            for (const struct npu_deadline_member *m = d->members; m; m = m->next)
                npu_trap_kick(m->thread);
            at = now + KICK_EVERY_NS;
        }
        next = !next || at < next ? at : next;
    }
    return next;
}

static void *watch(void *unused)
{
    (void)unused;
    (void)pthread_mutex_lock(&lock);
    for (;;) {
        const uint64_t now = now_ns(), next = look(now);
        if (next || wakes_at_ns <= now)
            wakes_at_ns = next;
        const struct timespec until = {.tv_sec = (time_t)(wakes_at_ns / 1000000000u),
                                       .tv_nsec = (long)(wakes_at_ns % 1000000000u)};
        if (wakes_at_ns)
            (void)pthread_cond_timedwait(&changed, &lock, &until);
        else
            (void)pthread_cond_wait(&changed, &lock);
    }
    return NULL;
}

/* ---- set-up ---- */

static void init_condition(void)
{
    pthread_condattr_t a;

    (void)pthread_condattr_init(&a);
    (void)pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&changed, &a);
    (void)pthread_condattr_destroy(&a);
}

static void before_fork(void)
{
    (void)pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&lock);
}

/* The child has neither the thread nor anybody in a launch. */
static void after_fork_in_child(void)
{
    init_condition();
    armed = NULL;
    wakes_at_ns = 0;
    thread_runs = false;
    (void)pthread_mutex_unlock(&lock);
}

static void set_up(void)
{
    init_condition();
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Without a thread the kernel has no limit, as before. Locked. */
static void need_thread(void)
{
    pthread_attr_t a;
    pthread_t thread;

    if (thread_runs)
        return;
    (void)pthread_attr_init(&a);
    (void)pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    thread_runs = pthread_create(&thread, &a, watch, NULL) == 0;
    (void)pthread_attr_destroy(&a);
}

/* ---- what a launch calls ---- */

void npu_deadline_enter(struct npu_deadline *d, struct npu_deadline_member *m, bool starts)
{
    (void)pthread_once(&once, set_up);
    m->thread = pthread_self();
    (void)pthread_mutex_lock(&lock);
    m->next = d->members;
    d->members = m;
    if (starts) {
        d->at_ns = now_ns() + d->limit_us * 1000;
        d->next = armed;
        armed = d;
        need_thread();
        if (!wakes_at_ns || d->at_ns < wakes_at_ns) {
            wakes_at_ns = d->at_ns;
            (void)pthread_cond_signal(&changed);
        }
    }
    (void)pthread_mutex_unlock(&lock);
}

void npu_deadline_leave(struct npu_deadline *d, struct npu_deadline_member *m)
{
    struct npu_deadline_member **at = &d->members;

    (void)pthread_mutex_lock(&lock);
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    (void)pthread_mutex_unlock(&lock);
}

void npu_deadline_disarm(struct npu_deadline *d)
{
    struct npu_deadline **at = &armed;

    (void)pthread_mutex_lock(&lock);
    while (*at && *at != d)
        at = &(*at)->next;
    if (*at)
        *at = d->next;
    (void)pthread_mutex_unlock(&lock);
}

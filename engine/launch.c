/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.c - running all blocks of a kernel and collecting what went wrong.
 *
 * Workers take blocks in runs from a counter. Each block is a fiber on one of the worker's slots. A
 * block that waits in SyncAll is parked with its slot; its worker goes on with other blocks and
 * comes back when the run's generation has changed.
 *
 * A block that waits for a word of GM is parked too and looks again in between. When all blocks
 * that have not ended wait, and each that waits for a word has looked since the last of them moved,
 * none will ever go on.
 *
 *   state = blocks that ended << 32 | blocks that wait;  when both together are all blocks, either
 *   nobody has ended (the barrier opens) or the others wait for ever (deadlock).
 */
#include "core_int.h"
#include "pool.h"
#include "slot.h"
#include "trap.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../base/banned.h"

/* Who meets in a mix kernel: the cores of a kind, or all. */
enum { MEET_AIV, MEET_AIC, MEET_ALL, N_MEETINGS };
struct meeting {
    uint32_t n_here, generation;
};

struct npu_block_run {
    const struct npu_launch *l;
    struct npu_order_choice order;
    uint32_t run_blocks; /* cores a worker takes at once */
    uint32_t n_cores;    /* of the launch: of a mix kernel several a block */
    uint64_t start_ns;
    struct npu_deadline deadline;
    pthread_mutex_t fault_lock;
    uint32_t fault_block; /* the lowest one that faulted so far */
    bool fault_is_stop;   /* it comes from the launch's limit */
    bool has_wait;        /* and says who waited meanwhile */
    struct npu_diag fault;
    _Alignas(64) atomic_uint next;       /* first block not handed out */
    _Alignas(64) atomic_ullong state;    /* see above */
    _Alignas(64) atomic_uint generation; /* moves when a barrier opens, or nothing can open it */
    atomic_ullong gm_bytes;              /* of blocks that ended, here and in the launch before */
    atomic_bool is_hopeless;
    uint32_t n_ended; /* when it became hopeless */
    pthread_mutex_t word_lock;
    uint32_t n_word;      /* blocks in npu_wait_word */
    uint32_t word_epoch;  /* moves when one begins or ends to wait */
    uint32_t n_confirmed; /* of them have looked in this epoch while nothing else could run */
    bool words_hopeless;  /* all of them had: those that wait now have to give up */
    struct meeting meeting[N_MEETINGS]; /* SyncAll of a mix kernel */
    struct npu_cross_core *cross;       /* flags between cores; NULL until the first is used */
    struct npu_group *groups;           /* the same of what vector cores ask */
};

enum { MOST_VAIN_POLLS = 10000 }; /* some milliseconds */
enum { INVITE_AFTER_NS = 3000 };  /* helpers cost about as much to wake */
/* A launch that moves more between GM and UB finds little of it in the caches, and leaves little;
 * nothing of it near the core, from the smaller size on. */
enum { STREAM_BYTES = 32 << 20, FETCH_BYTES = 1 << 20 };

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- SyncAll
 * --------------------------------------------------------------------------------------- */

static void open_barrier(struct npu_block_run *run)
{
    atomic_fetch_add(&run->generation, 1);
    npu_wake_all(&run->generation);
}

/* Called after a change of state: the last one to arrive decides what it means. */
static void look(struct npu_block_run *run, unsigned long long state)
{
    const uint32_t ended = (uint32_t)(state >> 32), waiting = (uint32_t)state;

    if (ended + waiting != run->n_cores || !waiting)
        return;
    if (ended && !atomic_load(&run->is_hopeless)) {
        run->n_ended = ended;
        atomic_store(&run->is_hopeless, true);
    } else if (!ended) {
        atomic_fetch_sub(&run->state, waiting);
    }
    open_barrier(run);
}

/* Blocks that can be there at a time. */
static uint32_t room_of(const struct npu_launch *l)
{
    const uint32_t by_aiv = l->soc->n_aiv / (l->n_mix_aiv ? l->n_mix_aiv : 1);

    if (!l->n_mix_aiv)
        return l->core_kind == CORE_AIV ? l->soc->n_aiv : l->soc->n_aic;
    return by_aiv < l->soc->n_aic ? by_aiv : l->soc->n_aic;
}

/* False, with a fault, when some blocks can not begin before others end. */
bool npu_run_all_resident(struct npu_core *core, const char *name, struct npu_where where)
{
    const uint32_t room = room_of(npu_core_int(core)->run->l);

    if (core->block_dim <= room)
        return true;
    npu_fault(core, NPU_E_DEADLOCK, where,
              "%s among %u blocks on %s, which has %u such %s: the blocks that wait would "
              "keep the cores from those that have not begun; launch at most %u",
              name, core->block_dim, core->soc->name, room, core->is_mix ? "groups" : "cores",
              room);
    return false;
}

static void sync_blocks(struct npu_core *core, struct npu_where where)
{
    struct npu_core_int *c = npu_core_int(core);
    struct npu_block_run *run = c->run;

    if (atomic_load(&run->is_hopeless))
        return;
    c->wait_generation = atomic_load(&run->generation);
    c->where = where;
    c->waiting = true;
    look(run, atomic_fetch_add(&run->state, 1) + 1);
    if (atomic_load(&run->generation) == c->wait_generation)
        npu_fiber_yield(&c->fiber);
    c->waiting = false;
    if (atomic_load(&run->is_hopeless))
        npu_fault(core, NPU_E_DEADLOCK, where,
                  "SyncAll waits for ever: %u of %u blocks ended without it", run->n_ended,
                  core->block_dim);
}

/* ---- waiting for a word of GM
 * --------------------------------------------------------------------------------------- */

/* Parks the block until its worker has done what else there was. */
static void let_others(struct npu_core_int *c)
{
    if (!c->is_setting) /* which is at the head of a queue */
        npu_settle(&c->pub);
    c->polls = true;
    npu_fiber_yield(&c->fiber);
    c->polls = false;
}

static bool has_failed(struct npu_block_run *run)
{
    (void)pthread_mutex_lock(&run->fault_lock);
    const bool failed = run->fault.status != NPU_OK;
    (void)pthread_mutex_unlock(&run->fault_lock);
    return failed;
}

/* After a fault, its own or another's, nobody may write what the program looks for: then its block
 * ends in the call. The launch has failed anyhow. */
void npu_poll(struct npu_core *core)
{
    struct npu_core_int *c = npu_core_int(core);

    let_others(c);
    if (NPU_LIKELY(!core->faulted && !has_failed(c->run)))
        return;
    if (++c->n_vain_polls < MOST_VAIN_POLLS)
        return;
    npu_fault(core, NPU_E_DEADLOCK, c->where, "a block polls GM, and another one failed");
    npu_fiber_abandon(&c->fiber);
}

void npu_let_begin(struct npu_core *core)
{
    struct npu_block_run *run = npu_core_int(core)->run;

    while (core->block_dim <= room_of(run->l) && atomic_load(&run->next) < run->n_cores)
        let_others(npu_core_int(core));
}

/* One more, or one less, that waits. */
static void change_waits(struct npu_block_run *run, int by)
{
    (void)pthread_mutex_lock(&run->word_lock);
    run->n_word += (uint32_t)by;
    run->word_epoch++;
    run->n_confirmed = 0;
    (void)pthread_mutex_unlock(&run->word_lock);
}

/* Before a look: is every block ended or waiting, and since which epoch? */
static bool is_idle(struct npu_block_run *run, uint32_t *epoch)
{
    (void)pthread_mutex_lock(&run->word_lock);
    const unsigned long long state = atomic_load(&run->state);
    const uint64_t idle = (uint64_t)(state >> 32) + (uint32_t)state + run->n_word;
    *epoch = run->word_epoch;
    (void)pthread_mutex_unlock(&run->word_lock);
    return idle == run->n_cores;
}

/* After a look in vain that began when all were idle: can any block still change it? */
static bool is_stuck(struct npu_core_int *c, uint32_t epoch)
{
    struct npu_block_run *run = c->run;
    bool stuck;

    (void)pthread_mutex_lock(&run->word_lock);
    if (epoch == run->word_epoch && c->confirmed_epoch != epoch) {
        c->confirmed_epoch = epoch;
        run->n_confirmed++;
    }
    run->words_hopeless |= epoch == run->word_epoch && run->n_confirmed == run->n_word;
    stuck = run->words_hopeless;
    (void)pthread_mutex_unlock(&run->word_lock);
    return stuck;
}

bool npu_run_wait(struct npu_core_int *c, bool (*ready)(void *arg), void *arg)
{
    bool stuck = false;

    if (ready(arg))
        return true;
    change_waits(c->run, 1);
    bool done = ready(arg);
    while (!done && !stuck) {
        uint32_t epoch;
        let_others(c);
        const bool idle = is_idle(c->run, &epoch);
        done = ready(arg);
        stuck = !done && idle && is_stuck(c, epoch);
    }
    change_waits(c->run, -1);
    return !stuck;
}

/* ---- SyncAll of a mix kernel */

struct meets {
    struct npu_block_run *run;
    int which;
    uint32_t generation;
};

static bool has_met(void *arg)
{
    const struct meets *m = arg;

    npu_run_lock(m->run);
    const bool met = m->run->meeting[m->which].generation != m->generation;
    npu_run_unlock(m->run);
    return met;
}

static void sync_mix(struct npu_core *core, int which, struct npu_where where)
{
    struct npu_block_run *run = npu_core_int(core)->run;
    struct meeting *m = &run->meeting[which];
    struct meets w = {run, which, 0};
    const uint32_t n = which == MEET_ALL   ? run->n_cores
                       : which == MEET_AIC ? core->block_dim
                                           : core->block_dim * core->n_sub;

    npu_run_lock(run);
    w.generation = m->generation;
    const bool is_last = ++m->n_here == n;
    if (is_last) {
        m->n_here = 0;
        m->generation++;
    }
    npu_run_unlock(run);
    if (is_last || npu_run_wait(npu_core_int(core), has_met, &w))
        return;
    npu_fault(core, NPU_E_DEADLOCK, where, "SyncAll waits for ever: %u of %u %s have come",
              m->n_here, n,
              which == MEET_ALL   ? "cores"
              : which == MEET_AIC ? "cube cores"
                                  : "vector cores");
}

static void sync(struct npu_core *core, int which, struct npu_where where)
{
    npu_settle(core);
    if (core->faulted || !npu_run_all_resident(core, "SyncAll", where))
        return;
    if (core->is_mix)
        sync_mix(core, which, where);
    else
        sync_blocks(core, where);
}

void npu_sync_all(struct npu_core *core, struct npu_where where)
{
    sync(core, core->core_kind == CORE_AIV ? MEET_AIV : MEET_AIC, where);
}

void npu_sync_all_kinds(struct npu_core *core, struct npu_where where)
{
    sync(core, MEET_ALL, where);
}

struct word {
    int32_t *at, from, to;
};

static bool take_word(void *arg)
{
    const struct word *w = arg;
    int32_t from = w->from;

    return __atomic_compare_exchange_n(w->at, &from, w->to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

bool npu_wait_word(struct npu_core *core, int32_t *word, int32_t from, int32_t to, const char *name,
                   struct npu_where where)
{
    struct word w = {word, from, to};

    npu_settle(core);
    if (core->faulted || !npu_run_all_resident(core, name, where))
        return false;
    if (npu_run_wait(npu_core_int(core), take_word, &w))
        return true;
    npu_fault(core, NPU_E_DEADLOCK, where,
              "%s waits for ever: the word at %p is %d, not %d, and no block is left to change it",
              name, (void *)word, __atomic_load_n(word, __ATOMIC_RELAXED), from);
    return false;
}

struct byte {
    const uint8_t *at;
    uint32_t any_of;
};

static bool is_byte(void *arg)
{
    const struct byte *b = arg;
    const uint8_t v = __atomic_load_n(b->at, __ATOMIC_ACQUIRE);

    return v < 32 && (b->any_of >> v & 1);
}

bool npu_wait_byte(struct npu_core *core, const uint8_t *byte, uint32_t any_of, const char *name,
                   struct npu_where where)
{
    struct byte b = {byte, any_of};

    npu_settle(core);
    if (core->faulted || !npu_run_all_resident(core, name, where))
        return false;
    if (npu_run_wait(npu_core_int(core), is_byte, &b))
        return true;
    npu_fault(core, NPU_E_DEADLOCK, where,
              "%s waits for ever: the state of the message at %p is %u, and no block is left to "
              "change it",
              name, (const void *)byte, __atomic_load_n(byte, __ATOMIC_RELAXED));
    return false;
}

void npu_run_lock(struct npu_block_run *run)
{
    (void)pthread_mutex_lock(&run->word_lock);
}

void npu_run_unlock(struct npu_block_run *run)
{
    (void)pthread_mutex_unlock(&run->word_lock);
}

struct npu_cross_core *npu_run_cross(struct npu_block_run *run)
{
    if (!run->cross)
        run->cross = npu_cross_new(run->n_cores);
    return run->cross;
}

struct npu_group *npu_run_groups(struct npu_block_run *run)
{
    if (!run->groups)
        run->groups = npu_group_new(run->l->block_dim);
    return run->groups;
}

uint64_t npu_launch_start_ns(const struct npu_core *c)
{
    return ((const struct npu_core_int *)c)->run->start_ns;
}

/* ---- kernels that do not end */

const struct npu_deadline *npu_run_deadline(const struct npu_block_run *run)
{
    return run->deadline.limit_us ? &run->deadline : NULL;
}

void npu_run_stop(struct npu_core_int *c)
{
    c->is_stopped = !c->pub.faulted;
    npu_fault(&c->pub, NPU_E_DEADLOCK, c->where,
              "%sthe kernel did not end within %llu us and was stopped",
              c->where.file ? "the last instruction was here; then " : "",
              (unsigned long long)c->run->deadline.limit_us);
}

/* A block that has not begun when the time is up. */
static void skip_block(struct npu_block_run *run, uint32_t i)
{
    (void)pthread_mutex_lock(&run->fault_lock);
    if (run->fault.status == NPU_OK) {
        run->fault_is_stop = true;
        run->fault_block = i / (run->l->n_mix_aiv + 1u);
        (void)npu_fail(&run->fault, NPU_E_DEADLOCK,
                       "block %u of %u: had not begun when %llu us were over", run->fault_block,
                       run->l->block_dim, (unsigned long long)run->deadline.limit_us);
    }
    (void)pthread_mutex_unlock(&run->fault_lock);
    look(run, atomic_fetch_add(&run->state, 1ull << 32) + (1ull << 32));
}

/* ---- one block
 * ------------------------------------------------------------------------------------- */

static void run_block(void *arg)
{
    struct npu_core_int *c = arg;

    c->run->l->run(c->run->l->arg, &c->pub);
    npu_core_end(c);
    if (c->pub.is_mix)
        npu_group_leave(c);
}

/* A core that waits for ever may do so because of another's fault: that one is the story. */
static bool tells_more(const struct npu_block_run *run, const struct npu_core_int *c)
{
    const bool old_waits = run->fault.status == NPU_E_DEADLOCK;
    const bool new_waits = c->fault.status == NPU_E_DEADLOCK;

    if (run->fault.status == NPU_OK || old_waits != new_waits)
        return run->fault.status == NPU_OK || old_waits;
    if (run->fault_is_stop != c->is_stopped)
        return c->is_stopped;
    return c->pub.block_idx < run->fault_block;
}

/* Behind the story of a core that was stopped: that of one which waited for it. */
static void add_wait(struct npu_diag *stop, const struct npu_diag *wait)
{
    const size_t n = strlen(stop->text);

    (void)snprintf(stop->text + n, sizeof stop->text - n, "; meanwhile %s", wait->text);
}

static void keep_fault(struct npu_block_run *run, const struct npu_core_int *c)
{
    (void)pthread_mutex_lock(&run->fault_lock);
    const struct npu_diag old = run->fault;
    const bool is_first_wait = old.status == NPU_E_DEADLOCK && !run->has_wait &&
                               c->fault.status == NPU_E_DEADLOCK &&
                               run->fault_is_stop != c->is_stopped;
    if (tells_more(run, c)) {
        run->fault = c->fault;
        run->fault_is_stop = c->is_stopped;
        run->fault_block = c->pub.block_idx;
    }
    if (is_first_wait) {
        run->has_wait = true;
        add_wait(&run->fault, run->fault_is_stop && c->is_stopped ? &old : &c->fault);
    }
    (void)pthread_mutex_unlock(&run->fault_lock);
}

static void end_block(struct npu_worker *w, struct npu_slot *s, struct npu_block_run *run)
{
    if (s->core.fault.status != NPU_OK)
        keep_fault(run, &s->core);
    if (s->core.gm_bytes)
        atomic_fetch_add_explicit(&run->gm_bytes, s->core.gm_bytes, memory_order_relaxed);
    s->core.run = NULL;
    s->next = w->idle;
    w->idle = s;
    look(run, atomic_fetch_add(&run->state, 1ull << 32) + (1ull << 32));
}

/* Runs the slot's block until it ends or waits; a block that waits is parked. */
static void go_on(struct npu_worker *w, struct npu_slot *s, struct npu_block_run *run)
{
    npu_core_now = &s->core;
    npu_fiber_resume(&s->core.fiber);
    npu_core_now = NULL;
    if (s->core.fiber.is_done) {
        end_block(w, s, run);
        return;
    }
    s->next = w->parked;
    w->parked = s;
}

static struct npu_slot *take_slot(struct npu_worker *w, const struct npu_launch *l,
                                  enum npu_core_kind kind)
{
    for (struct npu_slot **at = &w->idle, *s; (s = *at) != NULL;) {
        if (npu_slot_fits(s, l->soc, kind)) {
            *at = s->next;
            return s;
        }
        if (s->core_kind != (uint8_t)kind) { /* a mix kernel wants both kinds in turn */
            at = &s->next;
            continue;
        }
        *at = s->next;
        npu_slot_free(s);
    }
    return npu_slot_new(l->soc, kind);
}

static void no_slot(struct npu_block_run *run, uint32_t block)
{
    (void)pthread_mutex_lock(&run->fault_lock);
    if (run->fault.status == NPU_OK || block < run->fault_block) {
        run->fault.status = NPU_OK;
        run->fault_block = block;
        (void)npu_fail(&run->fault, NPU_E_NOMEM, "block %u of %u: no memory for another core",
                       block, run->l->block_dim);
    }
    (void)pthread_mutex_unlock(&run->fault_lock);
    look(run, atomic_fetch_add(&run->state, 1ull << 32) + (1ull << 32));
}

/* Core i of the launch. Of a mix kernel each block has its cube core, then its vector cores. */
static void start_block(struct npu_worker *w, struct npu_block_run *run, uint32_t i)
{
    const struct npu_launch *l = run->l;
    const uint32_t per_block = l->n_mix_aiv + 1u, block = i / per_block, sub = i % per_block;
    const uint8_t kind = !l->n_mix_aiv ? l->core_kind : sub ? CORE_AIV : CORE_AIC;
    struct npu_slot *s = take_slot(w, l, (enum npu_core_kind)kind);

    if (!s) {
        no_slot(run, block);
        return;
    }
    npu_core_reset(&s->core);
    s->core.run = run;
    s->core.pub.soc = l->soc;
    s->core.pub.block_idx = block;
    s->core.pub.block_dim = l->block_dim;
    s->core.pub.sub_idx = sub ? sub - 1 : 0;
    s->core.pub.n_sub = l->n_mix_aiv ? l->n_mix_aiv : 1;
    s->core.pub.is_mix = l->n_mix_aiv != 0;
    s->core.pub.core_kind = kind;
    const uint64_t moved = atomic_load_explicit(&run->gm_bytes, memory_order_relaxed);
    s->core.streams = moved > STREAM_BYTES;
    s->core.fetches = moved > FETCH_BYTES;
    s->core.ahead.is_far = s->core.streams;
    npu_order_begin(&s->core, &run->order);
    npu_fiber_start(&s->core.fiber, run_block, &s->core);
    go_on(w, s, run);
}

/* ---- all blocks
 * ------------------------------------------------------------------------------------ */

static bool has_pollers(const struct npu_worker *w)
{
    for (const struct npu_slot *s = w->parked; s; s = s->next)
        if (s->core.polls)
            return true;
    return false;
}

/* Resumes every parked block that polls or whose barrier has opened; true when there was one of the
 * latter. */
static bool resume_parked(struct npu_worker *w, struct npu_block_run *run)
{
    const unsigned generation = atomic_load(&run->generation);
    struct npu_slot *s = w->parked, *next;
    bool any = false;

    w->parked = NULL;
    for (; s; s = next) {
        next = s->next;
        if (s->core.polls || s->core.wait_generation != generation) {
            any |= !s->core.polls;
            go_on(w, s, run);
        } else {
            s->next = w->parked;
            w->parked = s;
        }
    }
    return any;
}

static bool take_blocks(struct npu_worker *w, struct npu_block_run *run)
{
    const uint32_t n = run->n_cores;
    const uint32_t from =
        atomic_fetch_add_explicit(&run->next, run->run_blocks, memory_order_relaxed);

    for (uint32_t i = from; i < n && i - from < run->run_blocks; i++) {
        if (NPU_UNLIKELY(npu_deadline_is_over(&run->deadline))) {
            skip_block(run, i);
            continue;
        }
        start_block(w, run, i);
        if (w->index == 0 && i + 1 < n && now_ns() - run->start_ns > INVITE_AFTER_NS)
            npu_pool_invite();
    }
    return from < n;
}

static void run_blocks(struct npu_worker *w, struct npu_block_run *run)
{
    bool may_have_blocks = true;

    for (;;) {
        const unsigned generation = atomic_load(&run->generation);
        if (w->parked && resume_parked(w, run))
            continue;
        if (may_have_blocks) {
            may_have_blocks = take_blocks(w, run);
            continue;
        }
        if (!w->parked)
            return;
        if (has_pollers(w))
            (void)sched_yield();
        else
            npu_wait_change(&run->generation, generation);
    }
}

static void work(void *arg, struct npu_worker *w)
{
    struct npu_block_run *run = arg;
    struct npu_deadline_member member;

    npu_trap_thread();
    if (NPU_LIKELY(!run->deadline.limit_us)) {
        run_blocks(w, run);
        return;
    }
    npu_deadline_enter(&run->deadline, &member, w->index == 0);
    run_blocks(w, run);
    npu_deadline_leave(&run->deadline, &member);
}

static enum npu_status check(const struct npu_launch *l, struct npu_diag *d)
{
    const char *name = l->name ? l->name : "kernel";

    if (l->block_dim < 1 || l->block_dim > NPU_MAX_BLOCKS)
        return npu_fail(d, NPU_E_ARG, "%s: a launch of %u blocks; 1 to %d are allowed", name,
                        l->block_dim, NPU_MAX_BLOCKS);
    if (l->n_mix_aiv > 2)
        return npu_fail(d, NPU_E_ARG, "%s: a block of %u vector cores; 1 or 2 beside a cube core",
                        name, l->n_mix_aiv);
    if (!l->run || !l->soc)
        return npu_fail(d, NPU_E_ARG, "%s: a launch without a %s", name,
                        l->run ? "chip" : "function");
    if (npu_self())
        return npu_fail(d, NPU_E_UNSUP, "%s: launched from inside a kernel", name);
    return NPU_OK;
}

/* How long the last launch of a kernel took and what it moved; kernels share a place by chance,
 * which costs a wake-up at most. A kernel that was long the last time has the helpers from its
 * first block on, and one that moved much goes past the caches. */
struct last {
    atomic_uint ns;
    atomic_ullong gm_bytes;
};
static struct last *last_of(const struct npu_launch *l)
{
    enum { PLACES = 64 };
    static struct last places[PLACES];

    return &places[((uintptr_t)l->name / 8 + (uintptr_t)l->run / 16 + l->block_dim) % PLACES];
}

static uint32_t clamp_ns(uint64_t ns)
{
    return ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

/* The order of a launch; what it adds to the story of a fault. */
static enum npu_status choose_order(struct npu_order_choice *choice, const struct npu_launch *l,
                                    struct npu_diag *d)
{
    if (l->order == ORDER_ENV)
        return npu_order_current(choice, d);
    *choice = (struct npu_order_choice){(enum npu_order)l->order, l->seed};
    return NPU_OK;
}

static enum npu_status tell_fault(const struct npu_block_run *run, struct npu_diag *d)
{
    const char *name = run->l->name ? run->l->name : "kernel";
    char order[48];

    if (run->order.order == ORDER_PROGRAM)
        return npu_fail(d, run->fault.status, "%s, %s", name, run->fault.text);
    return npu_fail(d, run->fault.status, "%s, %s (NPUTWIN_ORDER=%s)", name, run->fault.text,
                    npu_order_text(&run->order, order));
}

enum npu_status npu_launch(const struct npu_launch *l, struct npu_diag *d)
{
    struct npu_limit none = {0};

    return npu_launch_within(l, &none, d);
}

enum npu_status npu_launch_within(const struct npu_launch *l, struct npu_limit *limit,
                                  struct npu_diag *d)
{
    struct npu_block_run run = {.l = l,
                                .deadline = {.limit_us = limit->us, .code = limit->code},
                                .fault_lock = PTHREAD_MUTEX_INITIALIZER,
                                .word_lock = PTHREAD_MUTEX_INITIALIZER};
    enum npu_status st = check(l, d);
    const uint32_t per_thread = l->block_dim / (8 * npu_pool_threads());

    if (st == NPU_OK)
        st = choose_order(&run.order, l, d);
    if (st == NPU_OK)
        st = npu_auto_sync_choose(run.order.order, d);
    if (st == NPU_OK)
        st = npu_dcache_choose(d);
    if (st != NPU_OK)
        return st;
    run.n_cores = l->block_dim * (l->n_mix_aiv + 1u);
    run.run_blocks = per_thread < 1 ? 1 : per_thread;
    run.start_ns = now_ns();
    npu_trap_install();
    struct last *last = last_of(l);
    const uint32_t before = atomic_load_explicit(&last->ns, memory_order_relaxed);
    const uint64_t moved = atomic_load_explicit(&last->gm_bytes, memory_order_relaxed);
    atomic_init(&run.gm_bytes, moved);
    npu_pool_run(work, &run, run.n_cores > 1 && before > 4 * INVITE_AFTER_NS);
    if (limit->us)
        npu_deadline_disarm(&run.deadline);
    atomic_store_explicit(&last->ns, clamp_ns(now_ns() - run.start_ns), memory_order_relaxed);
    atomic_store_explicit(&last->gm_bytes, atomic_load(&run.gm_bytes) - moved,
                          memory_order_relaxed);
    free(run.cross);
    npu_group_free(run.groups, l->block_dim);
    npu_notes_tell(l->name ? l->name : "kernel");
    limit->is_over = run.fault_is_stop;
    return run.fault.status == NPU_OK ? NPU_OK : tell_fault(&run, d);
}

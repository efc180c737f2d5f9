/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - which of the instructions that the flags allow runs next.
 *
 * Each pipe is a queue. In program order it is empty but for a pipe whose wait_flag comes before
 * its set_flag in the program: the chip stops that pipe and goes on with the others, so its
 * instructions wait here until the flag is set. In the other orders everything is queued, and the
 * program's own waits (barriers on all pipes, flags to the scalar unit, other blocks) make the
 * queues move.
 *
 * Rule: a pipe runs its queue from the head, one after the other; only which pipe is free.
 */
#include "core_int.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../base/banned.h"

/* A chip's queues are shorter still; what is older runs, whoever waits for it or not. */
enum { QUEUE_INSNS = 1024 };

/* ---- which order --------------------------------------------------------------------------- */

static struct npu_order_choice chosen = {ORDER_PROGRAM, 0};
static struct npu_diag complaint;

static uint64_t fresh_seed(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return ((uint64_t)t.tv_nsec ^ (uint64_t)t.tv_sec << 12 ^ (uint64_t)getpid() << 20) & 0xffffffff;
}

static void read_random(const char *text)
{
    char *end = NULL;

    chosen.order = ORDER_RANDOM;
    if (!*text) {
        chosen.seed = fresh_seed();
        (void)fprintf(stderr, "nputwin: NPUTWIN_ORDER=random:%llu\n",
                      (unsigned long long)chosen.seed);
        return;
    }
    errno = 0;
    chosen.seed = strtoull(text + 1, &end, 10);
    if (*text != ':' || text[1] < '0' || text[1] > '9' || *end || errno)
        (void)npu_fail(&complaint, NPU_E_ARG,
                       "NPUTWIN_ORDER=random%s: the seed is a number, as in random:7", text);
}

static void read_environment(void)
{
    const char *text = getenv("NPUTWIN_ORDER");

    if (!text || !*text || strcmp(text, "program") == 0)
        return;
    if (strcmp(text, "lazy") == 0)
        chosen.order = ORDER_LAZY;
    else if (strncmp(text, "random", 6) == 0)
        read_random(text + 6);
    else
        (void)npu_fail(&complaint, NPU_E_ARG,
                       "NPUTWIN_ORDER=%s: program, lazy, random or random:<seed>", text);
}

enum npu_status npu_order_current(struct npu_order_choice *choice, struct npu_diag *d)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, read_environment);
    *choice = chosen;
    if (complaint.status == NPU_OK)
        return NPU_OK;
    return npu_fail(d, complaint.status, "%s", complaint.text);
}

/* ---- what the vendor's compiler inserts ------------------------------------------------------ */

uint8_t npu_scalar_settles;
static bool has_auto_sync = true;
static struct npu_diag auto_sync_complaint;

static void read_auto_sync(void)
{
    const char *text = getenv("NPUTWIN_AUTO_SYNC");

    if (text && strcmp(text, "off") == 0)
        has_auto_sync = false;
    else if (text && *text && strcmp(text, "on") != 0)
        (void)npu_fail(&auto_sync_complaint, NPU_E_ARG, "NPUTWIN_AUTO_SYNC=%s: on or off", text);
}

enum npu_status npu_auto_sync_choose(enum npu_order order, struct npu_diag *d)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, read_auto_sync);
    if (auto_sync_complaint.status != NPU_OK)
        return npu_fail(d, auto_sync_complaint.status, "%s", auto_sync_complaint.text);
    if (order != ORDER_PROGRAM && has_auto_sync && !npu_scalar_settles)
        npu_scalar_settles = 1;
    return NPU_OK;
}

const char *npu_order_text(const struct npu_order_choice *choice, char text[48])
{
    if (choice->order == ORDER_RANDOM)
        (void)snprintf(text, 48, "random:%llu", (unsigned long long)choice->seed);
    else
        (void)snprintf(text, 48, "%s", choice->order == ORDER_LAZY ? "lazy" : "program");
    return text;
}

void npu_order_begin(struct npu_core_int *c, const struct npu_order_choice *choice)
{
    c->order = (uint8_t)choice->order;
    c->random = choice->seed + (c->pub.block_idx + 1) * UINT64_C(0x9e3779b97f4a7c15);
    npu_core_look(c);
}

/* splitmix64 */
static uint64_t next_random(struct npu_core_int *c)
{
    uint64_t z = c->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- queues -------------------------------------------------------------------------------- */

static bool is_empty(const struct npu_held *h)
{
    return h->head == h->n;
}

static void push(struct npu_core_int *c, const struct npu_insn *in)
{
    struct npu_held *h = &c->held[in->pipe];

    if (h->head && h->n == h->room) {
        memmove(h->insn, h->insn + h->head, (h->n - h->head) * sizeof *h->insn);
        h->n -= h->head;
        h->head = 0;
    }
    if (h->n == h->room) {
        const uint32_t room = h->room ? h->room * 2 : 16;
        struct npu_insn *more = realloc(h->insn, room * sizeof *more);
        if (!more) {
            npu_fault(&c->pub, NPU_E_NOMEM, in->where, "no memory for %u queued instructions",
                      room);
            return;
        }
        h->insn = more;
        h->room = room;
    }
    h->insn[h->n] = *in;
    if (!npu_rows_keep(c, &h->insn[h->n]))
        return;
    h->n++;
    c->n_held++;
    c->pub.slow = true;
}

static void pop(struct npu_core_int *c, struct npu_held *h)
{
    c->n_held--;
    npu_rows_drop(&h->insn[h->head]);
    if (++h->head == h->n)
        h->head = h->n = 0;
}

static bool advance(struct npu_core_int *c, struct npu_held *h, uint32_t n);

/* Lets the pipe that wait is waiting for run up to its set_flag. */
static bool raise_flag(struct npu_core_int *c, const struct npu_insn *wait)
{
    struct npu_held *from = &c->held[wait->peer];

    for (uint32_t i = from->head; i < from->n; i++)
        if (from->insn[i].kind == KIND_SET_FLAG && from->insn[i].peer == wait->pipe &&
            from->insn[i].event_id == wait->event_id)
            return advance(c, from, i + 1 - from->head);
    return false;
}

/* Runs the first n of a queue, and of other pipes no more than they wait for. False when a flag is
 * missing. Not entered twice for a pipe: its head then waits for itself. */
static bool advance(struct npu_core_int *c, struct npu_held *h, uint32_t n)
{
    bool ok = true;

    if (h->is_running)
        return false;
    h->is_running = true;
    for (; ok && n && !c->pub.faulted; n--) {
        const struct npu_insn in = h->insn[h->head];
        ok = npu_insn_run(c, &in) || (raise_flag(c, &in) && npu_insn_run(c, &in));
        if (ok)
            pop(c, h);
    }
    h->is_running = false;
    return ok;
}

/* One instruction of any pipe; false when none can run. */
static bool step_any(struct npu_core_int *c)
{
    const uint32_t first = (uint32_t)(next_random(c) % N_PIPES);

    for (uint32_t i = 0; i < N_PIPES && c->n_held; i++) {
        struct npu_held *h = &c->held[(first + i) % N_PIPES];
        if (!is_empty(h) && npu_insn_run(c, &h->insn[h->head])) {
            pop(c, h);
            return true;
        }
    }
    return false;
}

/* ---- letting everything run ---------------------------------------------------------------- */

/* Program order: what became possible. */
static void run_possible(struct npu_core_int *c)
{
    bool any = true;

    while (any && c->n_held && !c->pub.faulted) {
        any = false;
        for (int p = 0; p < N_PIPES; p++) {
            struct npu_held *h = &c->held[p];
            while (!is_empty(h) && !c->pub.faulted && npu_insn_run(c, &h->insn[h->head])) {
                pop(c, h);
                any = true;
            }
        }
    }
    npu_core_look(c);
}

static void run_all(struct npu_core_int *c)
{
    /* Lazy: who reads comes before who writes for it. */
    static const uint8_t consumers_first[] = {PIPE_MTE3, PIPE_FIX,  PIPE_M,
                                              PIPE_V,    PIPE_MTE1, PIPE_MTE2};

    if (c->order == ORDER_PROGRAM)
        return;
    while (c->order == ORDER_RANDOM && !c->pub.faulted && step_any(c))
        ;
    for (size_t i = 0; c->order == ORDER_LAZY && c->n_held && i < sizeof consumers_first; i++) {
        struct npu_held *h = &c->held[consumers_first[i]];
        (void)advance(c, h, h->n - h->head);
    }
}

void npu_settle(struct npu_core *core)
{
    if (NPU_UNLIKELY(core->slow) && !core->faulted)
        run_all(npu_core_int(core));
}

/* The wait at the head of a queue will never end. */
static void fault_stuck(struct npu_core_int *c)
{
    for (int p = 0; p < N_PIPES; p++) {
        const struct npu_held *h = &c->held[p];
        if (is_empty(h))
            continue;
        const struct npu_insn *in = &h->insn[h->head];
        npu_fault(
            &c->pub, NPU_E_DEADLOCK, in->where,
            "wait_flag(%s, %s, %u) waits for ever: no set_flag came; %u instructions of pipe %s "
            "stand behind it",
            npu_pipes[in->peer].name, npu_pipes[in->pipe].name, in->event_id, h->n - h->head - 1,
            npu_pipes[p].name);
        return;
    }
}

void npu_order_end(struct npu_core_int *c)
{
    if (c->n_held && !c->pub.faulted)
        run_all(c);
    if (c->n_held)
        fault_stuck(c);
}

/* ---- issue --------------------------------------------------------------------------------- */

static bool is_barrier_on_all(const struct npu_insn *in)
{
    return in->kind == KIND_BARRIER && in->pipe == PIPE_ALL;
}

/* A barrier on all pipes, and the scalar unit's own wait, stop the program itself. */
static bool stops_program(const struct npu_insn *in)
{
    return is_barrier_on_all(in) || (in->kind == KIND_WAIT_FLAG && in->pipe == PIPE_S);
}

/* Instructions that exchange values with the scalar unit when they are issued: the chip's program
 * stands still until they are done. */
static bool is_immediate(const struct npu_insn *in)
{
    if (in->kind == KIND_OP && in->op == OP_vrows)
        return in->rows && in->rows->fn == ROWS_AdjustSoftMaxRes;
    return in->kind == KIND_OP && (in->op == OP_vcmpr || in->op == OP_vgathermask ||
                                   in->op == OP_vmrgsort || in->op == OP_vnchwconv);
}

static void fault_behind_wait(struct npu_core_int *c, const struct npu_insn *in)
{
    npu_fault(&c->pub, NPU_E_DEADLOCK, in->where,
              "%s exchanges values with the program and stands behind a wait_flag on pipe %s whose "
              "set_flag comes later in the program: set the flag before",
              npu_insn_name(in), npu_pipes[in->pipe].name);
}

static void issue_program(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_held *h = &c->held[in->pipe];

    if (is_barrier_on_all(in) && c->n_held) {
        fault_stuck(c);
        return;
    }
    if (!is_empty(h) && is_immediate(in)) {
        fault_behind_wait(c, in);
        return;
    }
    if (!is_empty(h) || !npu_insn_run(c, in))
        push(c, in);
    if (c->n_held)
        run_possible(c);
    if (c->n_held && stops_program(in))
        fault_stuck(c);
}

/* The scalar unit's own flags, barriers on all pipes, values for the program: now. */
static bool issue_now(struct npu_core_int *c, const struct npu_insn *in)
{
    struct npu_held *h = &c->held[in->pipe];

    if (is_barrier_on_all(in)) {
        run_all(c);
        if (c->n_held)
            fault_stuck(c);
        return true;
    }
    if (in->pipe == PIPE_S) {
        bool done = npu_insn_run(c, in);
        while (!done && c->order == ORDER_RANDOM && !c->pub.faulted && step_any(c))
            done = npu_insn_run(c, in);
        if (done || (c->order == ORDER_LAZY && raise_flag(c, in) && npu_insn_run(c, in)))
            return true;
        push(c, in);
        fault_stuck(c);
        return true;
    }
    if (!is_immediate(in))
        return false;
    while (c->order == ORDER_RANDOM && !is_empty(h) && !c->pub.faulted && step_any(c))
        ;
    if (!is_empty(h) && !advance(c, h, h->n - h->head))
        fault_behind_wait(c, in);
    if (!c->pub.faulted)
        (void)npu_insn_run(c, in);
    return true;
}

static void issue_queued(struct npu_core_int *c, const struct npu_insn *in)
{
    struct npu_held *h = &c->held[in->pipe];

    if (issue_now(c, in))
        return;
    push(c, in);
    if (h->n - h->head > QUEUE_INSNS)
        (void)advance(c, h, 1);
    if (c->order == ORDER_RANDOM) {
        const uint64_t dice = next_random(c);
        for (uint64_t i = dice & 1 ? dice >> 1 & 3 : 0; i && !c->pub.faulted && step_any(c); i--)
            ;
    }
}

void npu_order_issue(struct npu_core_int *c, const struct npu_insn *in)
{
    if (c->order == ORDER_PROGRAM)
        issue_program(c, in);
    else
        issue_queued(c, in);
}

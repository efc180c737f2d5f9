/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.c - issue, flags, barriers, faults.
 *
 * Instructions execute when they are issued, which is one of the orders that the flags allow. The
 * exception: a pipe whose wait_flag comes before its set_flag in program order. The chip then stops
 * that pipe and goes on with the others; here the pipe's instructions are held back and run when
 * the flag is set. While anything is held, `slow` sends every fast door through npu_issue().
 */
#include "core_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/banned.h"

_Thread_local struct npu_core_int *npu_core_now __attribute__((tls_model("initial-exec")));

struct npu_core *npu_self(void)
{
    return npu_core_now ? &npu_core_now->pub : NULL;
}

/* ---- faults -------------------------------------------------------------------------------------
 */

void npu_fault(struct npu_core *c, enum npu_status st, struct npu_where where, const char *fmt, ...)
{
    struct npu_core_int *k = npu_core_int(c);
    char place[256] = "", text[640];
    va_list ap;

    if (c->faulted)
        return;
    c->faulted = true;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (where.file)
        (void)snprintf(place, sizeof place, "%s:%u: ", where.file, where.line);
    (void)npu_fail(&k->fault, st, "block %u of %u: %s%s", c->block_idx, c->block_dim, place, text);
}

/* ---- what one instruction does
 * ------------------------------------------------------------------- */

static void run_op(struct npu_core_int *c, const struct npu_insn *in)
{
    struct npu_walk w;

    if (!npu_walk_init(&w, c, in) || !npu_walk_check(&w, c, in))
        return;
    for (int o = 0; o < N_VIEWS; o++)
        if (w.view[o].use != USE_N && w.view[o].mem == MEM_GM && w.view[o].at < 4096) {
            npu_fault(&c->pub, NPU_E_RANGE, in->where,
                      "%s: %s is the GM address 0x%llx: a null pointer, or one never set",
                      npu_isa[in->op].name, w.view[o].name, (unsigned long long)w.view[o].at);
            return;
        }
    if (npu_isa[in->op].pipe == PIPE_V)
        npu_vec_run(c, in, &w);
    else
        npu_mte_run(c, in, &w);
}

/* False when the instruction has to wait. */
static bool run_insn(struct npu_core_int *c, const struct npu_insn *in)
{
    uint8_t *flag;

    c->where = in->where;
    switch (in->kind) {
    case KIND_SET_FLAG:
        flag = &c->flag[in->pipe][in->peer][in->event_id];
        *flag = (uint8_t)(*flag + (*flag < UINT8_MAX));
        return true;
    case KIND_WAIT_FLAG:
        flag = &c->flag[in->peer][in->pipe][in->event_id];
        if (!*flag)
            return false;
        --*flag;
        return true;
    case KIND_BARRIER:
        return true;
    default:
        run_op(c, in);
        return true;
    }
}

/* ---- instructions held back
 * ----------------------------------------------------------------------- */

static void hold(struct npu_core_int *c, const struct npu_insn *in)
{
    struct npu_held *h = &c->held[in->pipe];

    if (h->n == h->room) {
        const uint32_t room = h->room ? h->room * 2 : 16;
        struct npu_insn *more = realloc(h->insn, room * sizeof *more);
        if (!more) {
            npu_fault(&c->pub, NPU_E_NOMEM, in->where, "no memory for %u held instructions", room);
            return;
        }
        h->insn = more;
        h->room = room;
    }
    h->insn[h->n++] = *in;
    c->n_held++;
    c->pub.slow = true;
}

/* Runs what became possible on pipe p; true when anything did. */
static bool drain_pipe(struct npu_core_int *c, int p)
{
    struct npu_held *h = &c->held[p];
    bool any = false;

    while (h->head < h->n && !c->pub.faulted && run_insn(c, &h->insn[h->head])) {
        h->head++;
        c->n_held--;
        any = true;
    }
    if (h->head == h->n)
        h->head = h->n = 0;
    return any;
}

static void drain(struct npu_core_int *c)
{
    bool any = true;

    while (any && c->n_held && !c->pub.faulted) {
        any = false;
        for (int p = 0; p < N_PIPES; p++)
            any |= drain_pipe(c, p);
    }
    c->pub.slow = c->n_held != 0;
}

/* The wait at the head of a held pipe will never end. */
static void fault_stuck(struct npu_core_int *c)
{
    for (int p = 0; p < N_PIPES; p++) {
        const struct npu_held *h = &c->held[p];
        if (h->head == h->n)
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

/* ---- issue
 * ---------------------------------------------------------------------------------------- */

static bool is_possible(struct npu_core_int *c, const struct npu_insn *in)
{
    const bool is_set = in->kind == KIND_SET_FLAG, is_flag = is_set || in->kind == KIND_WAIT_FLAG;

    if (in->kind == KIND_OP && in->op >= N_OPS) {
        npu_fault(&c->pub, NPU_E_ARG, in->where, "instruction %u; there are %d", in->op, N_OPS);
        return false;
    }
    if (in->pipe >= N_PIPES || in->peer >= N_PIPES) {
        npu_fault(&c->pub, NPU_E_ARG, in->where, "pipe %u; there are %d",
                  in->pipe >= N_PIPES ? in->pipe : in->peer, N_PIPES);
        return false;
    }
    if (is_flag && in->event_id >= NPU_EVENTS) {
        npu_fault(&c->pub, NPU_E_ARG, in->where, "%s_flag(%s, %s): event id %u; 0 to %d are there",
                  is_set ? "set" : "wait", npu_pipes[is_set ? in->pipe : in->peer].name,
                  npu_pipes[is_set ? in->peer : in->pipe].name, in->event_id, NPU_EVENTS - 1);
        return false;
    }
    return true;
}

/* A barrier on all pipes, and the scalar unit's own wait, stop the program itself. */
static bool stops_program(const struct npu_insn *in)
{
    return (in->kind == KIND_BARRIER && in->pipe == PIPE_ALL) ||
           (in->kind == KIND_WAIT_FLAG && in->pipe == PIPE_S);
}

/* Instructions that exchange values with the scalar unit when they are issued: the chip's program
 * stands still until they are done. */
static bool is_immediate(const struct npu_insn *in)
{
    return in->kind == KIND_OP && (in->op == OP_vcmpr || in->op == OP_vgathermask ||
                                   in->op == OP_vmrgsort || in->op == OP_vnchwconv);
}

/* False, with a fault, when such an instruction stands behind a wait whose flag is not set. */
static bool check_immediate(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_held *h = &c->held[in->pipe];

    if (h->n == h->head || !is_immediate(in))
        return true;
    npu_fault(&c->pub, NPU_E_DEADLOCK, in->where,
              "%s exchanges values with the program and stands behind a wait_flag on pipe %s whose "
              "set_flag comes later in the program: set the flag before",
              npu_isa[in->op].name, npu_pipes[in->pipe].name);
    return false;
}

void npu_issue(struct npu_core *core, const struct npu_insn *insn)
{
    struct npu_core_int *c = npu_core_int(core);
    struct npu_insn in = *insn;

    if (core->faulted)
        return;
    in.seq = c->seq++;
    if (in.kind == KIND_OP && in.op < N_OPS)
        in.pipe = (uint8_t)npu_isa[in.op].pipe;
    memcpy(in.cmpmask, core->regs.cmpmask, sizeof in.cmpmask);
    in.atomic_op = core->regs.atomic_op;
    in.atomic_type = core->regs.atomic_type;
    if (!is_possible(c, &in) || !check_immediate(c, &in))
        return;
    if (!c->n_held) {
        if (!run_insn(c, &in)) {
            hold(c, &in);
            if (stops_program(&in))
                fault_stuck(c);
        }
        return;
    }
    if (in.kind == KIND_BARRIER && in.pipe == PIPE_ALL) {
        fault_stuck(c);
        return;
    }
    if (c->held[in.pipe].n > c->held[in.pipe].head || !run_insn(c, &in))
        hold(c, &in);
    drain(c);
    if (c->n_held && stops_program(&in))
        fault_stuck(c);
}

void npu_set_flag(struct npu_core *c, enum npu_pipe from, enum npu_pipe to, uint32_t event_id,
                  struct npu_where where)
{
    uint8_t *flag = npu_core_int(c)->flag[from < N_PIPES ? from : 0][to < N_PIPES ? to : 0];

    if (NPU_LIKELY(!(c->slow | c->faulted | (event_id >= NPU_EVENTS) | (from >= N_PIPES) |
                     (to >= N_PIPES)) &&
                   flag[event_id] < UINT8_MAX)) {
        flag[event_id]++;
        return;
    }
    npu_issue(c,
              &(struct npu_insn){.kind = KIND_SET_FLAG,
                                 .pipe = (uint8_t)from,
                                 .peer = (uint8_t)to,
                                 .event_id = (uint8_t)(event_id > UINT8_MAX ? UINT8_MAX : event_id),
                                 .where = where});
}

void npu_wait_flag(struct npu_core *c, enum npu_pipe from, enum npu_pipe to, uint32_t event_id,
                   struct npu_where where)
{
    uint8_t *flag = npu_core_int(c)->flag[from < N_PIPES ? from : 0][to < N_PIPES ? to : 0];

    if (NPU_LIKELY(!(c->slow | c->faulted | (event_id >= NPU_EVENTS) | (from >= N_PIPES) |
                     (to >= N_PIPES)) &&
                   flag[event_id])) {
        flag[event_id]--;
        return;
    }
    npu_issue(c,
              &(struct npu_insn){.kind = KIND_WAIT_FLAG,
                                 .pipe = (uint8_t)to,
                                 .peer = (uint8_t)from,
                                 .event_id = (uint8_t)(event_id > UINT8_MAX ? UINT8_MAX : event_id),
                                 .where = where});
}

void npu_barrier(struct npu_core *c, enum npu_pipe pipe, struct npu_where where)
{
    if (NPU_UNLIKELY(c->slow))
        npu_issue(c,
                  &(struct npu_insn){.kind = KIND_BARRIER, .pipe = (uint8_t)pipe, .where = where});
}

/* ---- life
 * ----------------------------------------------------------------------------------------- */

void npu_core_reset(struct npu_core_int *c)
{
    memset(c->flag, 0, sizeof c->flag);
    for (int p = 0; c->n_held && p < N_PIPES; p++)
        c->held[p].head = c->held[p].n = 0;
    c->n_held = c->seq = 0;
    c->fault.status = NPU_OK;
    c->where = (struct npu_where){NULL, 0};
    c->pub.regs = (struct npu_regs){.mask = {~UINT64_C(0), ~UINT64_C(0)}};
    c->pub.slow = c->pub.faulted = false;
    c->pub.door = NULL;
    memset(c->pub.placed_bytes, 0, sizeof c->pub.placed_bytes);
    c->waiting = c->polls = false;
    c->confirmed_epoch = 0;
}

void npu_core_end(struct npu_core_int *c)
{
    if (c->n_held)
        fault_stuck(c);
}

void npu_core_finish(struct npu_core_int *c)
{
    for (int p = 0; p < N_PIPES; p++)
        free(c->held[p].insn);
    memset(c->held, 0, sizeof c->held);
}

void npu_kernel_printf(struct npu_core *c, const char *fmt, ...)
{
    va_list ap;

    flockfile(stdout);
    (void)printf("[%s Block %u/%u] ", c->core_kind == CORE_AIV ? "AIV" : "AIC", c->block_idx,
                 c->block_dim);
    va_start(ap, fmt);
    (void)vprintf(fmt, ap);
    va_end(ap);
    funlockfile(stdout);
}

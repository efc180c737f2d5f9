/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.c - issue, flags, barriers, faults.
 *
 * In program order an instruction executes when it is issued, which is one of the orders that the
 * flags allow. What has to wait, and everything in the other orders, is queued: order.c. While
 * anything may be queued, `slow` sends every fast door through npu_issue().
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
    char place[256] = "", text[640], core_name[16] = "";
    va_list ap;

    if (c->faulted)
        return;
    c->faulted = true;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (where.file)
        (void)snprintf(place, sizeof place, "%s:%u: ", where.file, where.line);
    if (c->is_mix && c->core_kind == CORE_AIC)
        (void)snprintf(core_name, sizeof core_name, " (AIC)");
    else if (c->is_mix)
        (void)snprintf(core_name, sizeof core_name, " (AIV %u)", c->sub_idx);
    (void)npu_fail(&k->fault, st, "block %u of %u%s: %s%s", c->block_idx, c->block_dim, core_name,
                   place, text);
}

/* ---- what one instruction does
 * ------------------------------------------------------------------- */

static void run_op(struct npu_core_int *c, const struct npu_insn *in)
{
    struct npu_walk w;

    if (npu_isa[in->op].shape == SHAPE_CUBE) {
        npu_cube_run(c, in);
        return;
    }
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

bool npu_insn_run(struct npu_core_int *c, const struct npu_insn *in)
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
    case KIND_CROSS_SET:
        npu_cross_run(c, in);
        return true;
    default:
        run_op(c, in);
        return true;
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

void npu_issue(struct npu_core *core, const struct npu_insn *insn)
{
    struct npu_core_int *c = npu_core_int(core);
    struct npu_insn in = *insn;

    if (core->faulted)
        return;
    in.seq = c->seq++;
    if (in.kind == KIND_OP && in.op < N_OPS)
        in.pipe = (uint8_t)npu_isa[in.op].pipe;
    if (in.kind == KIND_OP && in.op == OP_vsel && in.mode == 0)
        npu_settle(core); /* a compare that waits in the queue writes the register */
    memcpy(in.cmpmask, core->regs.cmpmask, sizeof in.cmpmask);
    in.saturates = core->regs.saturates;
    in.stops = core->regs.stops;
    in.cuts = core->regs.cuts;
    in.atomic_op = core->regs.atomic_op;
    in.atomic_type = core->regs.atomic_type;
    if (is_possible(c, &in))
        npu_order_issue(c, &in);
}

void npu_issue_cube(struct npu_core *c, const struct npu_insn *in)
{
    npu_issue(c, in);
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

void npu_core_look(struct npu_core_int *c)
{
    c->pub.slow = c->n_held != 0 || c->order != ORDER_PROGRAM;
}

/* ---- life
 * ----------------------------------------------------------------------------------------- */

void npu_core_reset(struct npu_core_int *c)
{
    memset(c->flag, 0, sizeof c->flag);
    for (int p = 0; c->n_held && p < N_PIPES; p++) {
        for (uint32_t i = c->held[p].head; i < c->held[p].n; i++)
            npu_rows_drop(&c->held[p].insn[i]);
        c->held[p].head = c->held[p].n = 0;
    }
    c->n_held = c->seq = 0;
    c->right_is.n = 0;
    c->gm_bytes = 0;
    c->ahead = (struct npu_ahead){0};
    c->order = ORDER_PROGRAM;
    c->fault.status = NPU_OK;
    c->where = (struct npu_where){NULL, 0};
    c->pub.regs = (struct npu_regs){.mask = {~UINT64_C(0), ~UINT64_C(0)}};
    c->pub.slow = c->pub.faulted = false;
    c->pub.door = c->pub.sys_workspace = NULL;
    memset(c->pub.placed_bytes, 0, sizeof c->pub.placed_bytes);
    c->waiting = c->polls = c->is_leaving = c->is_stopped = false;
    c->confirmed_epoch = c->n_vain_polls = 0;
    if (NPU_UNLIKELY(c->dcache != NULL)) /* the last block ended in a signal */
        npu_dcache_end(c);
}

/* A flag that is still up: the chip keeps it for the next kernel that runs on the core. */
static void note_flags(struct npu_core_int *c)
{
    static const uint8_t none[sizeof c->flag];

    if (c->pub.faulted || !memcmp(c->flag, none, sizeof none))
        return;
    for (int from = 0; from < N_PIPES; from++)
        for (int to = 0; to < N_PIPES; to++)
            for (int id = 0; id < NPU_EVENTS; id++)
                if (c->flag[from][to][id])
                    npu_note(&c->pub, "FLAG-LEFT", (struct npu_where){NULL, 0},
                             "set_flag(%s, %s, %d) without its wait_flag at the end of the kernel: "
                             "the chip keeps the flag, and the next kernel on this core does not "
                             "wait where it should",
                             npu_pipes[from].name, npu_pipes[to].name, id);
}

void npu_core_end(struct npu_core_int *c)
{
    npu_order_end(c);
    note_flags(c);
    npu_dcache_end(c);
}

void npu_core_finish(struct npu_core_int *c)
{
    for (int p = 0; p < N_PIPES; p++) {
        for (uint32_t i = c->held[p].head; i < c->held[p].n; i++)
            npu_rows_drop(&c->held[p].insn[i]);
        free(c->held[p].insn);
    }
    memset(c->held, 0, sizeof c->held);
    npu_dcache_end(c);
    free(c->scratch);
    free(c->right);
    c->scratch = c->right = NULL;
    c->scratch_floats = 0;
    c->right_floats = 0;
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

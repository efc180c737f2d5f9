/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.c - what the vector cores of a group ask of their cube core.
 *
 * On the chip a message in GM tells the cube core what to compute; here it is a function and its
 * argument. Each vector core has one place, so it waits until its message is done; the cube core
 * takes what it finds, and stops when no core is left to ask.
 */
#include "core_int.h"
#include <stdlib.h>
#include <string.h>
#include "../base/banned.h"

enum { MOST_AIV = 2 };

struct message {
    npu_group_fn *fn; /* NULL: nothing asked */
    void *arg;
    bool is_shared;
};

struct npu_group {
    struct message asked[MOST_AIV];
    bool has_left[MOST_AIV];
    bool serves; /* the cube core has come */
    void *l1;    /* what its vector cores share of the cube core's L1 */
};

struct npu_group *npu_group_new(uint32_t n_blocks)
{
    return calloc(n_blocks, sizeof(struct npu_group));
}

void npu_group_free(struct npu_group *groups, uint32_t n_blocks)
{
    for (uint32_t i = 0; groups && i < n_blocks; i++)
        free(groups[i].l1);
    free(groups);
}

/* Under the lock. NULL, with a fault, without memory. */
static struct npu_group *group_of(struct npu_core_int *c)
{
    struct npu_group *groups = npu_run_groups(c->run);

    return groups ? &groups[c->pub.block_idx] : NULL;
}

void npu_group_leave(struct npu_core_int *c)
{
    if (c->pub.core_kind != CORE_AIV)
        return;
    npu_run_lock(c->run);
    struct npu_group *g = group_of(c);
    if (g)
        g->has_left[c->pub.sub_idx] = true;
    npu_run_unlock(c->run);
}

void *npu_group_l1(struct npu_core *core)
{
    struct npu_core_int *c = npu_core_int(core);
    const size_t bytes = core->soc->mem_bytes[MEM_L1];
    void *l1 = NULL;

    npu_run_lock(c->run);
    struct npu_group *g = core->is_mix ? group_of(c) : NULL;
    if (g && !g->l1 && posix_memalign(&l1, NPU_FRACTAL_BYTES, bytes) == 0)
        g->l1 = memset(l1, 0, bytes);
    l1 = g ? g->l1 : NULL;
    npu_run_unlock(c->run);
    return l1;
}

/* ---- the side that asks -------------------------------------------------------------------- */

static bool is_answered(void *arg)
{
    struct npu_core_int *c = arg;

    npu_run_lock(c->run);
    const bool done = !group_of(c)->asked[c->pub.sub_idx].fn;
    npu_run_unlock(c->run);
    return done;
}

static const char *why_not(struct npu_core_int *c, bool is_shared)
{
    npu_run_lock(c->run);
    const bool serves = group_of(c)->serves;
    npu_run_unlock(c->run);
    if (!serves)
        return "the AIC of its group serves nobody: REGIST_MATMUL_OBJ has to be reached by both "
               "kinds "
               "of cores, in the kernel function itself";
    return is_shared ? "A and B are shared (IBSHARE), so both AIVs of the group have to call it"
                     : "the AIC of its group waits for something else";
}

bool npu_group_call(struct npu_core *core, npu_group_fn *fn, void *arg, bool is_shared,
                    const char *name, struct npu_where where)
{
    struct npu_core_int *c = npu_core_int(core);

    npu_settle(core);
    if (core->faulted || !npu_run_all_resident(core, name, where))
        return false;
    if (!core->is_mix || core->core_kind != CORE_AIV) {
        npu_fault(
            core, NPU_E_UNSUP, where,
            "%s: a vector core asks the cube core of its group; this launch has %s cores only",
            name, core->core_kind == CORE_AIV ? "vector" : "cube");
        return false;
    }
    npu_run_lock(c->run);
    struct npu_group *g = group_of(c);
    if (g)
        g->asked[core->sub_idx] = (struct message){fn, arg, is_shared && core->n_sub > 1};
    npu_run_unlock(c->run);
    if (!g) {
        npu_fault(core, NPU_E_NOMEM, where, "%s: no memory for a message", name);
        return false;
    }
    if (npu_run_wait(c, is_answered, c))
        return true;
    npu_fault(core, NPU_E_DEADLOCK, where, "%s waits for ever: %s", name, why_not(c, is_shared));
    return false;
}

/* ---- the side that serves ------------------------------------------------------------------ */

struct serving {
    struct npu_core_int *c;
    struct message next;
    uint32_t from;
    bool all_left;
};

static bool is_ready(const struct npu_group *g, uint32_t i, uint32_t n)
{
    if (!g->asked[i].fn || !g->asked[i].is_shared)
        return g->asked[i].fn != NULL;
    for (uint32_t k = 0; k < n; k++)
        if (!g->asked[k].fn || !g->asked[k].is_shared)
            return false;
    return true;
}

static bool find_message(void *arg)
{
    struct serving *s = arg;
    const uint32_t n = s->c->pub.n_sub;

    s->next.fn = NULL;
    s->all_left = true;
    npu_run_lock(s->c->run);
    const struct npu_group *g = group_of(s->c);
    for (uint32_t i = 0; i < n && !s->next.fn; i++) {
        s->all_left &= g->has_left[i];
        if (is_ready(g, i, n)) {
            s->next = g->asked[i];
            s->from = i;
        }
    }
    npu_run_unlock(s->c->run);
    return s->next.fn || s->all_left;
}

static void answer(struct serving *s)
{
    npu_run_lock(s->c->run);
    struct npu_group *g = group_of(s->c);
    for (uint32_t i = 0; i < s->c->pub.n_sub; i++)
        if (i == s->from || s->next.is_shared)
            g->asked[i].fn = NULL;
    npu_run_unlock(s->c->run);
}

void npu_group_serve(struct npu_core *cube)
{
    struct serving s = {.c = npu_core_int(cube)};

    npu_run_lock(s.c->run);
    struct npu_group *g = group_of(s.c);
    if (g)
        g->serves = true;
    npu_run_unlock(s.c->run);
    /* When nobody can go on, the core that waits tells why. */
    while (g && npu_run_wait(s.c, find_message, &s) && s.next.fn) {
        s.next.fn(s.next.arg, cube);
        npu_settle(cube);
        answer(&s);
    }
    npu_settle(cube);
    cube->faulted = true; /* without a story: nothing is reported, nothing more is done */
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cross.c - flags between cores.
 *
 * Each core has a counter a flag id. A set says "this core has come here"; when all cores of the
 * setting side have, one set of each is used up and the counter of every core of the waiting side
 * goes up. A wait takes one off its own core's counter. Who the sides are depends on the mode; in a
 * launch of one kind of cores a group has no other member than the core itself.
 */
#include "core_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/banned.h"

struct npu_cross_core {
    uint8_t sets[N_CROSS][NPU_CROSS_FLAGS];
    uint8_t counter[NPU_CROSS_FLAGS];
};

struct npu_cross_core *npu_cross_new(uint32_t n_cores)
{
    return calloc(n_cores, sizeof(struct npu_cross_core));
}

static uint32_t per_block(const struct npu_core *c)
{
    return c->is_mix ? c->n_sub + 1 : 1;
}

/* Of a mix kernel each block has its cube core first. */
static uint32_t index_of(const struct npu_core *c)
{
    return c->block_idx * per_block(c) +
           (c->is_mix && c->core_kind == CORE_AIV ? c->sub_idx + 1 : 0);
}

static bool is_of_kind(const struct npu_core *c, uint32_t index, uint8_t kind)
{
    return !c->is_mix || (index % per_block(c) == 0) == (kind == CORE_AIC);
}

/* Cores that a flag of this mode joins with c: [first, end), those of one kind among them. */
struct side {
    uint32_t first, end;
    uint8_t sets, waits; /* enum npu_core_kind */
};

static struct side side_of(const struct npu_core *c, enum npu_cross mode)
{
    const uint32_t n = per_block(c), kind = c->core_kind, other = CORE_AIV + CORE_AIC - kind;
    const struct side s = {mode == CROSS_ALL ? 0 : c->block_idx * n,
                           mode == CROSS_ALL ? c->block_dim * n : (c->block_idx + 1) * n,
                           (uint8_t)kind, (uint8_t)(mode == CROSS_GROUP ? other : kind)};

    return s;
}

/* With this one, have all of the side set? */
static bool is_complete(const struct npu_cross_core *cores, const struct npu_core *c,
                        const struct side *s, enum npu_cross mode, uint32_t id)
{
    for (uint32_t i = s->first; i < s->end; i++)
        if (is_of_kind(c, i, s->sets) && i != index_of(c) && !cores[i].sets[mode][id])
            return false;
    return true;
}

/* Some counter that would go up, or the number of this core's sets, is at its end. */
static bool is_full(const struct npu_cross_core *cores, const struct npu_core *c,
                    const struct side *s, enum npu_cross mode, uint32_t id, bool is_last)
{
    if (!is_last)
        return cores[index_of(c)].sets[mode][id] == UINT8_MAX;
    for (uint32_t i = s->first; i < s->end; i++)
        if (is_of_kind(c, i, s->waits) && cores[i].counter[id] >= NPU_CROSS_MAX)
            return true;
    return false;
}

static void count(struct npu_cross_core *cores, const struct npu_core *c, const struct side *s,
                  enum npu_cross mode, uint32_t id, bool is_last)
{
    cores[index_of(c)].sets[mode][id]++;
    for (uint32_t i = s->first; is_last && i < s->end; i++) {
        if (is_of_kind(c, i, s->sets))
            cores[i].sets[mode][id]--;
        if (is_of_kind(c, i, s->waits))
            cores[i].counter[id]++;
    }
}

struct setting {
    struct npu_core_int *c;
    const struct npu_insn *in;
    struct npu_cross_core *cores;
};

static bool try_set(void *arg)
{
    const struct setting *w = arg;
    const enum npu_cross mode = (enum npu_cross)w->in->mode;
    const uint32_t id = w->in->event_id;
    const struct side s = side_of(&w->c->pub, mode);

    npu_run_lock(w->c->run);
    const bool is_last = is_complete(w->cores, &w->c->pub, &s, mode, id);
    const bool fits = !is_full(w->cores, &w->c->pub, &s, mode, id, is_last);
    if (fits)
        count(w->cores, &w->c->pub, &s, mode, id, is_last);
    npu_run_unlock(w->c->run);
    return fits;
}

/* A core that runs ahead of those that wait, further than a counter goes, is held until they have
 * come: which of them is faster is open, and on the chip a kernel may count on it. */
void npu_cross_run(struct npu_core_int *c, const struct npu_insn *in)
{
    npu_run_lock(c->run);
    struct setting w = {c, in, npu_run_cross(c->run)};
    npu_run_unlock(c->run);
    if (!w.cores) {
        npu_fault(&c->pub, NPU_E_NOMEM, in->where, "no memory for the flags between cores");
        return;
    }
    c->is_setting = true;
    const bool is_set = npu_run_wait(c, try_set, &w);
    c->is_setting = false;
    if (!is_set)
        npu_fault(
            &c->pub, NPU_E_RANGE, in->where,
            "CrossCoreSetFlag: counter %u goes beyond %d: wait for the flag as often as it is "
            "set",
            in->event_id, NPU_CROSS_MAX);
}

void npu_cross_set(struct npu_core *c, enum npu_cross mode, enum npu_pipe pipe, uint32_t id,
                   struct npu_where where)
{
    if (NPU_UNLIKELY(mode >= N_CROSS || id >= NPU_CROSS_FLAGS)) {
        npu_fault(c, NPU_E_ARG, where, "CrossCoreSetFlag: mode %d (0 to %d), flag id %u (0 to %d)",
                  mode, N_CROSS - 1, id, NPU_CROSS_FLAGS - 1);
        return;
    }
    if (mode == CROSS_GROUP && !c->is_mix) {
        npu_fault(c, NPU_E_UNSUP, where,
                  "CrossCoreSetFlag<2>: between a cube core and its vector cores; this launch has "
                  "%s cores only: __mix__(1, 1) and __mix__(1, 2) start both",
                  c->core_kind == CORE_AIV ? "vector" : "cube");
        return;
    }
    if (npu_run_all_resident(c, "CrossCoreSetFlag", where))
        npu_issue(c, &(struct npu_insn){.kind = KIND_CROSS_SET,
                                        .pipe = (uint8_t)pipe,
                                        .mode = (uint8_t)mode,
                                        .event_id = (uint8_t)id,
                                        .where = where});
}

struct waiting {
    struct npu_core_int *c;
    uint32_t id;
};

static bool take_counter(void *arg)
{
    const struct waiting *w = arg;

    npu_run_lock(w->c->run);
    struct npu_cross_core *cores = npu_run_cross(w->c->run);
    uint8_t *counter = cores ? &cores[index_of(&w->c->pub)].counter[w->id] : NULL;
    const bool up = counter && *counter;
    if (up)
        --*counter;
    npu_run_unlock(w->c->run);
    return up;
}

/* Which core has not set the flag. A flag that nobody has set may be of any mode: in a mix kernel
 * the other kind of core is the likely one. */
static void tell_missing(struct npu_core_int *c, uint32_t id, char *text, size_t size)
{
    const struct npu_core *pub = &c->pub;
    const uint32_t n = per_block(pub);

    (void)snprintf(text, size, "not every core that it joins has called CrossCoreSetFlag(%u)", id);
    npu_run_lock(c->run);
    const struct npu_cross_core *cores = npu_run_cross(c->run);
    for (uint32_t i = pub->block_idx * n; cores && pub->is_mix && i < (pub->block_idx + 1) * n;
         i++) {
        if (is_of_kind(pub, i, pub->core_kind) || cores[i].sets[CROSS_GROUP][id])
            continue;
        if (i % n == 0)
            (void)snprintf(text, size, "the AIC of block %u has not called CrossCoreSetFlag<2>(%u)",
                           pub->block_idx, id);
        else
            (void)snprintf(text, size, "AIV %u of block %u has not called CrossCoreSetFlag<2>(%u)",
                           i % n - 1, pub->block_idx, id);
        break;
    }
    npu_run_unlock(c->run);
}

bool npu_cross_wait(struct npu_core *c, uint32_t id, struct npu_where where)
{
    struct waiting w = {npu_core_int(c), id};

    npu_settle(c);
    if (c->faulted || !npu_run_all_resident(c, "CrossCoreWaitFlag", where))
        return false;
    if (NPU_UNLIKELY(id >= NPU_CROSS_FLAGS)) {
        npu_fault(c, NPU_E_ARG, where, "CrossCoreWaitFlag: flag id %u; 0 to %d", id,
                  NPU_CROSS_FLAGS - 1);
        return false;
    }
    if (npu_run_wait(w.c, take_counter, &w))
        return true;
    char missing[128];
    tell_missing(w.c, id, missing, sizeof missing);
    npu_fault(c, NPU_E_DEADLOCK, where,
              "CrossCoreWaitFlag(%u) waits for ever: %s, and no core is left to do so", id,
              missing);
    return false;
}

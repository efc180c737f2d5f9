/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cross.c - flags between cores.
 *
 * Each core has a counter a flag id. A set says "this core has come here"; when all cores of the
 * setting side have, one set of each is used up and the counter of every core of the waiting side
 * goes up. A wait takes one off its own core's counter. Who the sides are depends on the mode; in a
 * launch of vector cores alone a group has no other member than the core itself.
 */
#include "core_int.h"
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

static uint32_t index_of(const struct npu_core *c)
{
    return c->block_idx * c->n_sub + c->sub_idx;
}

/* The cores that the flag joins: first, and how many. */
static uint32_t side_of(const struct npu_core *c, enum npu_cross mode, uint32_t *n)
{
    if (mode == CROSS_ALL) {
        *n = c->block_dim * c->n_sub;
        return 0;
    }
    *n = c->n_sub;
    return c->block_idx * c->n_sub;
}

/* All of the side have set: true, and one set of each is used up. */
static bool take_sets(struct npu_cross_core *first, uint32_t n, enum npu_cross mode, uint32_t id)
{
    for (uint32_t i = 0; i < n; i++)
        if (!first[i].sets[mode][id])
            return false;
    for (uint32_t i = 0; i < n; i++)
        first[i].sets[mode][id]--;
    return true;
}

static bool count(struct npu_cross_core *cores, const struct npu_core *c, const struct npu_insn *in)
{
    const enum npu_cross mode = (enum npu_cross)in->mode;
    uint32_t n, id = in->event_id;
    const uint32_t first = side_of(c, mode, &n);
    bool fits = cores[index_of(c)].sets[mode][id] < UINT8_MAX;

    cores[index_of(c)].sets[mode][id] = (uint8_t)(cores[index_of(c)].sets[mode][id] + fits);
    if (!take_sets(&cores[first], n, mode, id))
        return fits;
    for (uint32_t i = first; i < first + n; i++) {
        fits = fits && cores[i].counter[id] < NPU_CROSS_MAX;
        cores[i].counter[id] = (uint8_t)(cores[i].counter[id] + fits);
    }
    return fits;
}

void npu_cross_run(struct npu_core_int *c, const struct npu_insn *in)
{
    npu_run_lock(c->run);
    struct npu_cross_core *cores = npu_run_cross(c->run);
    const bool ok = cores && count(cores, &c->pub, in);
    npu_run_unlock(c->run);
    if (!cores)
        npu_fault(&c->pub, NPU_E_NOMEM, in->where, "no memory for the flags between cores");
    else if (!ok)
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
    if (mode == CROSS_GROUP) {
        npu_fault(c, NPU_E_UNSUP, where,
                  "CrossCoreSetFlag<2>: between a cube core and its vector cores; this launch has "
                  "vector cores only");
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
    npu_fault(c, NPU_E_DEADLOCK, where,
              "CrossCoreWaitFlag(%u) waits for ever: not every core that it joins has called "
              "CrossCoreSetFlag(%u), and none is left to do so",
              id, id);
    return false;
}

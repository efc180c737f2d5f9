/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dcache.c - the scalar unit's data cache, for NPUTWIN_SCALAR_CACHE=strict.
 *
 * On the chip a scalar access to GM goes through a write-back cache of the core that nobody keeps
 * coherent: another core's writes, and those of the copy engines, are not seen before the line is
 * invalidated, and own writes reach GM only when it is cleaned, 64 bytes at once. By default the
 * twin is coherent. Here a core keeps each line that it touched until it cleans it; what was not
 * cleaned when the kernel ends is lost, and a note says so. Accesses through plain pointers are not
 * seen here.
 */
#include "core_int.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "../base/banned.h"

enum { LINE_BYTES = 64, BUCKETS = 256 };

struct line {
    struct line *next;
    uint64_t at; /* of GM, a multiple of 64 */
    bool is_dirty;
    struct npu_where where; /* of the newest write */
    uint8_t data[LINE_BYTES];
};

struct npu_dcache {
    struct line *bucket[BUCKETS];
    uint32_t n_dirty;
};

uint8_t npu_scalar_strict;
static struct npu_diag complaint;

static void read_environment(void)
{
    const char *text = getenv("NPUTWIN_SCALAR_CACHE");

    if (!text || !*text || strcmp(text, "coherent") == 0)
        return;
    if (strcmp(text, "strict") == 0)
        npu_scalar_strict = 1;
    else
        (void)npu_fail(&complaint, NPU_E_ARG, "NPUTWIN_SCALAR_CACHE=%s: coherent or strict", text);
}

enum npu_status npu_dcache_choose(struct npu_diag *d)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, read_environment);
    if (complaint.status == NPU_OK)
        return NPU_OK;
    return npu_fail(d, complaint.status, "%s", complaint.text);
}

static struct line **find(struct npu_dcache *cache, uint64_t at)
{
    struct line **p = &cache->bucket[at / LINE_BYTES % BUCKETS];

    while (*p && (*p)->at != at)
        p = &(*p)->next;
    return p;
}

static struct line *fetch(struct npu_core_int *c, uint64_t at)
{
    if (!c->dcache)
        c->dcache = calloc(1, sizeof *c->dcache);
    if (!c->dcache)
        return NULL;
    struct line **p = find(c->dcache, at);
    if (*p)
        return *p;
    struct line *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->at = at;
    memcpy(l->data, (const void *)(uintptr_t)at, LINE_BYTES);
    *p = l;
    return l;
}

void *npu_scalar_at(struct npu_core *core, const void *gm, uint32_t bytes, bool writes,
                    struct npu_where where)
{
    struct npu_core_int *c = npu_core_int(core);
    const uint64_t at = (uint64_t)(uintptr_t)gm, begin = at / LINE_BYTES * LINE_BYTES;
    struct line *l = NULL;

    if (!core->faulted && at >= 4096 && at + bytes <= begin + LINE_BYTES)
        l = fetch(c, begin);
    if (!l)
        return (void *)(uintptr_t)gm; /* an access that no cache helps; a null one faults there */
    if (writes) {
        c->dcache->n_dirty += !l->is_dirty;
        l->is_dirty = true;
        l->where = where;
    }
    return l->data + (at - begin);
}

/* Writes the line back whole, as the chip does, and takes it out. */
static void clean(struct npu_dcache *cache, struct line **p)
{
    struct line *l = *p;

    if (l->is_dirty) {
        memcpy((void *)(uintptr_t)l->at, l->data, LINE_BYTES);
        cache->n_dirty--;
    }
    *p = l->next;
    free(l);
}

void npu_scalar_clean(struct npu_core *core, const void *gm)
{
    struct npu_dcache *cache = npu_core_int(core)->dcache;

    if (!cache || core->faulted)
        return;
    if (gm) {
        struct line **p = find(cache, (uint64_t)(uintptr_t)gm / LINE_BYTES * LINE_BYTES);
        if (*p)
            clean(cache, p);
        return;
    }
    for (uint32_t b = 0; b < BUCKETS; b++)
        while (cache->bucket[b])
            clean(cache, &cache->bucket[b]);
}

void npu_dcache_end(struct npu_core_int *c)
{
    struct npu_dcache *cache = c->dcache;

    if (!cache)
        return;
    for (uint32_t b = 0; b < BUCKETS; b++)
        while (cache->bucket[b]) {
            struct line *l = cache->bucket[b];
            if (l->is_dirty)
                npu_note(
                    &c->pub, "SCALAR-CACHE", l->where,
                    "a scalar write to GM, in the line at 0x%llx, was in the core's data cache "
                    "when the kernel ended and is lost: DataCacheCleanAndInvalid writes it out",
                    (unsigned long long)l->at);
            cache->bucket[b] = l->next;
            free(l);
        }
    free(cache);
    c->dcache = NULL;
}

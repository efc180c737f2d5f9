/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - memory of handles that users may keep for too long.
 *
 * Slab i holds FIRST << i objects. Nothing is given back to the system, so that a handle that was
 * destroyed still points at readable memory and its magic tells; reuse is oldest first, which keeps
 * a stale handle stale for as long as possible.
 */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 64 };

static size_t slab_objects(uint32_t slab)
{
    return (size_t)FIRST << slab;
}

static bool grow(struct rt_pool *p)
{
    uint32_t n = p->n_slabs;
    uint32_t cap;
    void **freed;

    if (n == sizeof(p->slab) / sizeof(p->slab[0]))
        return false;
    cap = (uint32_t)(FIRST << (n + 1)); /* more than all objects of all slabs */
    freed = malloc(cap * sizeof(*freed));
    p->slab[n] = calloc(slab_objects(n), p->object_bytes);
    if (!freed || !p->slab[n]) {
        free(freed);
        free(p->slab[n]);
        return false;
    }
    for (uint32_t i = 0; i < p->n_freed; i++)
        freed[i] = p->freed[(p->first_freed + i) % p->cap_freed];
    free(p->freed);
    p->freed = freed;
    p->cap_freed = cap;
    p->first_freed = 0;
    p->n_slabs = n + 1;
    p->n_fresh = (uint32_t)slab_objects(n);
    return true;
}

static void *take_freed(struct rt_pool *p)
{
    void *object = p->freed[p->first_freed];

    p->first_freed = (p->first_freed + 1) % p->cap_freed;
    p->n_freed--;
    return memset(object, 0, p->object_bytes);
}

void *rt_pool_get(struct rt_pool *p)
{
    uint32_t last;

    if (p->n_fresh == 0) {
        if (p->n_freed > 0)
            return take_freed(p);
        if (!grow(p))
            return NULL;
    }
    last = p->n_slabs - 1;
    p->n_fresh--;
    return p->slab[last] + (slab_objects(last) - 1 - p->n_fresh) * p->object_bytes;
}

void rt_pool_put(struct rt_pool *p, void *object)
{
    p->freed[(p->first_freed + p->n_freed) % p->cap_freed] = object;
    p->n_freed++;
}

bool rt_pool_owns(const struct rt_pool *p, const void *object)
{
    for (uint32_t i = 0; i < p->n_slabs; i++) {
        uintptr_t from = (uintptr_t)p->slab[i];
        uintptr_t offset = (uintptr_t)object - from;

        if ((uintptr_t)object >= from && offset < slab_objects(i) * p->object_bytes)
            return offset % p->object_bytes == 0;
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - see registry.h. */
#define _GNU_SOURCE
#include "registry.h"
#include "queue.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

enum { N_FREED = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *tree;
static struct npu_allocation freed[N_FREED];
static uint32_t n_freed;
static uint64_t used[NPU_MAX_DEVICES];

/* Overlapping ranges compare equal: a key of one byte finds the range around it. */
static int compare(const void *x, const void *y)
{
    const struct npu_allocation *a = x, *b = y;

    if (a->at + a->bytes <= b->at)
        return -1;
    return b->at + b->bytes <= a->at ? 1 : 0;
}

static struct rt_range *find(const void *p)
{
    struct npu_allocation key = {.at = (uint64_t)(uintptr_t)p, .bytes = 1};
    struct rt_range **at = tfind(&key, &tree, compare);

    return at ? *at : NULL;
}

static void count(const struct rt_range *r, int sign)
{
    if (r->a.place != PLACE_DEVICE || r->a.device < 0)
        return;
    used[r->a.device] += (uint64_t)((int64_t)r->a.bytes * sign);
    rt_usage_bytes(r->a.device, used[r->a.device]);
}

bool rt_range_add(const struct rt_range *r)
{
    struct rt_range *copy = malloc(sizeof(*copy)), **at;
    bool is_new;

    if (!copy)
        return false;
    *copy = *r;
    pthread_mutex_lock(&lock);
    at = tsearch(copy, &tree, compare);
    is_new = at && *at == copy; /* asked here: without the lock the tree may move what is there */
    if (is_new)
        count(copy, 1);
    pthread_mutex_unlock(&lock);
    if (!is_new)
        free(copy); /* no memory, or something is there already */
    return is_new;
}

bool rt_range_take(const void *p, enum rt_owner owner, struct rt_range *out)
{
    struct rt_range *r;

    pthread_mutex_lock(&lock);
    r = find(p);
    if (r && (r->owner != owner || r->a.at != (uint64_t)(uintptr_t)p))
        r = NULL;
    if (r) {
        tdelete(r, &tree, compare);
        count(r, -1);
        freed[n_freed++ % N_FREED] = r->a;
        *out = *r;
    }
    pthread_mutex_unlock(&lock);
    free(r);
    return r != NULL;
}

bool rt_range_find(const void *p, struct rt_range *out)
{
    struct rt_range *r;

    pthread_mutex_lock(&lock);
    r = find(p);
    if (r)
        *out = *r;
    pthread_mutex_unlock(&lock);
    return r != NULL;
}

bool rt_range_was_freed(const void *p, struct npu_allocation *out)
{
    uint64_t at = (uint64_t)(uintptr_t)p;
    bool found = false;

    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < N_FREED && i < n_freed && !found; i++) {
        const struct npu_allocation *a = &freed[(n_freed - 1 - i) % N_FREED];

        found = at - a->at < a->bytes;
        if (found)
            *out = *a;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

uint64_t rt_range_used(int device)
{
    uint64_t bytes;

    pthread_mutex_lock(&lock);
    bytes = used[device];
    pthread_mutex_unlock(&lock);
    return bytes;
}

bool npu_rt_find(const void *p, struct npu_allocation *out)
{
    struct rt_range r;

    if (!rt_range_find(p, &r))
        return false;
    *out = r.a;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - every range of memory the runtime knows. Not for other libraries.
 *
 * A red-black tree of ranges that do not overlap, and a ring of those that were freed last, so that
 * a stale pointer can be told from a foreign one.
 */
#ifndef NPU_RT_REGISTRY_H
#define NPU_RT_REGISTRY_H
#include "core.h"

enum rt_owner { OWNER_MALLOC, OWNER_HOST, OWNER_REGISTERED, OWNER_VM };

struct rt_range {
    struct npu_allocation a; /* first: what npu_rt_find copies out */
    enum rt_owner owner;
    bool is_mmap;
    void *map_base; /* what munmap takes */
    size_t map_bytes;
};

bool rt_range_add(const struct rt_range *r);
/* Takes the range that starts at p and has that owner out; false when there is none. */
bool rt_range_take(const void *p, enum rt_owner owner, struct rt_range *out);
bool rt_range_find(const void *p, struct rt_range *out);
/* A freed range that held p, newest first. */
bool rt_range_was_freed(const void *p, struct npu_allocation *out);
/* Device bytes in use. */
uint64_t rt_range_used(int device);

#endif

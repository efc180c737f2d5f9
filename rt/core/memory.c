/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - device and pinned host memory.
 *
 * Device memory is host memory that the registry calls a device's: GM addresses are host addresses.
 * Blocks of 2 MiB and more are mapped on huge pages, which saves most page faults of a training
 * step. Rule: a device never hands out more than its HBM, nor more than the machine has left.
 */
#define _GNU_SOURCE
#include "core.h"
#include "queue.h"
#include "registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALL_ALIGN = 512, PAGE_BYTES = 4096 };
#define HUGE_BYTES            ((size_t)2 << 20)
#define LOOK_AT_MACHINE_BYTES ((size_t)64 << 20) /* smaller requests are not worth a /proc read */

/* ---- what the machine has ------------------------------------------------------------ */

static uint64_t read_meminfo(const char *key)
{
    char line[128];
    uint64_t kb = UINT64_MAX / 1024;
    size_t len = strlen(key);
    FILE *f = fopen("/proc/meminfo", "re");

    if (!f)
        return UINT64_MAX;
    while (fgets(line, sizeof(line), f)) {
        if (!strncmp(line, key, len)) {
            kb = strtoull(line + len, NULL, 10);
            break;
        }
    }
    fclose(f);
    return kb * 1024;
}

static uint64_t read_number(const char *path)
{
    char text[32] = "";
    FILE *f = fopen(path, "re");

    if (!f)
        return UINT64_MAX;
    if (!fgets(text, sizeof(text), f) || text[0] < '0' || text[0] > '9')
        text[0] = '\0';
    fclose(f);
    return text[0] ? strtoull(text, NULL, 10) : UINT64_MAX; /* "max" */
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t machine_total(void)
{
    return min_u64(read_meminfo("MemTotal:"), read_number("/sys/fs/cgroup/memory.max"));
}

static uint64_t machine_free(void)
{
    uint64_t limit = read_number("/sys/fs/cgroup/memory.max");
    uint64_t in_use = read_number("/sys/fs/cgroup/memory.current");
    uint64_t left = read_meminfo("MemAvailable:");

    if (limit != UINT64_MAX && in_use != UINT64_MAX)
        left = min_u64(left, limit > in_use ? limit - in_use : 0);
    return left;
}

static uint64_t device_total(void)
{
    static _Atomic uint64_t total;
    const struct npu_soc *soc;

    if (!total) {
        soc = npu_rt_soc();
        total = min_u64((uint64_t)(soc ? soc->hbm_gb : 0) << 30, machine_total());
    }
    return total;
}

/* What the machine had left when this process first asked: counting down from there, an allocation
 * shows, whether its pages were touched or not. */
static uint64_t free_at_start(void)
{
    static _Atomic uint64_t bytes;

    if (!bytes)
        bytes = machine_free();
    return bytes;
}

int npu_rt_mem_info(int device, size_t *free_bytes, size_t *total_bytes)
{
    uint64_t total = device_total(), used = rt_range_used(device);

    if (!npu_rt_soc())
        return ACL_ERROR_RT_PARAM_INVALID;
    *total_bytes = total;
    total = min_u64(total, free_at_start());
    *free_bytes = total > used ? total - used : 0;
    return ACL_OK;
}

/* ---- getting and giving back --------------------------------------------------------- */

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* Maps a block at a huge page boundary and cuts off what was mapped too much. */
static bool map_huge(struct rt_range *r, size_t bytes)
{
    size_t want = round_up(bytes, HUGE_BYTES);
    uint8_t *base = mmap(NULL, want + HUGE_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t head;

    if (base == MAP_FAILED)
        return false;
    head = round_up((uintptr_t)base, HUGE_BYTES) - (uintptr_t)base;
    if (head)
        munmap(base, head);
    if (head < HUGE_BYTES)
        munmap(base + head + want, HUGE_BYTES - head);
    madvise(base + head, want, MADV_HUGEPAGE); /* advice only: without it pages are small */
    r->is_mmap = true;
    r->map_base = base + head;
    r->map_bytes = want;
    return true;
}

static bool get_block(struct rt_range *r, size_t bytes, size_t align)
{
    if (bytes >= HUGE_BYTES)
        return map_huge(r, bytes);
    r->map_base = NULL;
    return posix_memalign(&r->map_base, align, round_up(bytes, align)) == 0;
}

static void give_block(const struct rt_range *r)
{
    if (r->is_mmap)
        munmap(r->map_base, r->map_bytes);
    else
        free(r->map_base);
}

/* A block that queued tasks may still name must stay readable until they are done: such blocks wait
 * here. The registry has forgotten them already, so a task that uses one is told (copy.c). */
struct late {
    struct late *next;
    struct rt_range range;
};
static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static struct late *late;

static void give_late_blocks(void)
{
    struct late *list, *next;

    pthread_mutex_lock(&late_lock);
    list = late;
    late = NULL;
    pthread_mutex_unlock(&late_lock);
    for (; list; list = next) {
        next = list->next;
        give_block(&list->range);
        free(list);
    }
}

static void give_block_when_idle(const struct rt_range *r)
{
    struct late *l;

    if (!rt_any_pending()) {
        give_late_blocks();
        give_block(r);
        return;
    }
    l = malloc(sizeof(*l));
    if (!l)
        return; /* lost rather than torn from under a task */
    pthread_mutex_lock(&late_lock);
    *l = (struct late){late, *r};
    late = l;
    pthread_mutex_unlock(&late_lock);
}

static int check_room(int device, size_t bytes, const char *who)
{
    uint64_t total = device_total(), used = rt_range_used(device);

    if (bytes > total || used > total - bytes)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                           "%s: %zu bytes do not fit on device %d: %llu of %llu are in use", who,
                           bytes, device, (unsigned long long)used, (unsigned long long)total);
    if (bytes >= LOOK_AT_MACHINE_BYTES && bytes > machine_free())
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                           "%s: %zu bytes: the machine that plays device %d has %llu bytes left",
                           who, bytes, device, (unsigned long long)machine_free());
    return ACL_OK;
}

static int get(void **out, struct rt_range *r, size_t bytes, size_t align, const char *who)
{
    if (!get_block(r, bytes, align))
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                           "%s: %zu bytes: the system has no memory", who, bytes);
    r->a.at = (uint64_t)(uintptr_t)r->map_base;
    r->a.bytes = bytes;
    if (!rt_range_add(r)) {
        give_block(r);
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory to note the block", who);
    }
    *out = r->map_base;
    return ACL_OK;
}

static int check_request(void *const *out, size_t bytes, const char *who)
{
    if (!out)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the pointer for the result is NULL",
                           who);
    if (!bytes || bytes > SIZE_MAX / 4)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size %zu: from 1 byte on", who, bytes);
    return ACL_OK;
}

int npu_rt_malloc(void **out, size_t bytes, const char *who)
{
    struct rt_range r = {.a.place = PLACE_DEVICE, .owner = OWNER_MALLOC};
    int rc = check_request(out, bytes, who);

    if (rc)
        return rc;
    r.a.device = npu_rt_need_device(who);
    if (r.a.device < 0)
        return ACL_ERROR_RT_CONTEXT_NULL;
    npu_rt_look_at_opp_path();
    rc = check_room(r.a.device, bytes, who);
    return rc ? rc : get(out, &r, bytes, SMALL_ALIGN, who);
}

int npu_rt_malloc_host(void **out, size_t bytes, const char *who)
{
    struct rt_range r = {.a = {.place = PLACE_HOST, .device = -1}, .owner = OWNER_HOST};
    int rc = check_request(out, bytes, who);

    if (!rc && npu_rt_need_device(who) < 0)
        rc = ACL_ERROR_RT_CONTEXT_NULL;
    return rc ? rc : get(out, &r, bytes, PAGE_BYTES, who);
}

/* Why p cannot be freed that way. */
static int bad_free(const void *p, const char *who)
{
    struct npu_allocation a;
    struct rt_range r;

    if (!p)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: NULL", who);
    if (rt_range_find(p, &r) && r.a.at != (uint64_t)(uintptr_t)p)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: %p is %llu bytes into a block of %llu: free the block's start", who,
                           p, (unsigned long long)((uint64_t)(uintptr_t)p - r.a.at),
                           (unsigned long long)r.a.bytes);
    if (rt_range_find(p, &r))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: %p is memory of another kind, which "
                           "%s gives back",
                           who, p,
                           r.owner == OWNER_MALLOC ? "aclrtFree"
                           : r.owner == OWNER_HOST ? "aclrtFreeHost"
                           : r.owner == OWNER_VM   ? "aclrtUnmapMem"
                                                   : "aclrtHostUnregister");
    if (rt_range_was_freed(p, &a))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: double free of %p (%llu bytes)", who, p,
                           (unsigned long long)a.bytes);
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p was not allocated here", who, p);
}

static int give_back(void *p, enum rt_owner owner, const char *who)
{
    struct rt_range r;

    if (!rt_range_take(p, owner, &r))
        return bad_free(p, who);
    if (owner != OWNER_REGISTERED)
        give_block_when_idle(&r);
    return ACL_OK;
}

int npu_rt_free(void *p, const char *who)
{
    return give_back(p, OWNER_MALLOC, who);
}

int npu_rt_free_host(void *p, const char *who)
{
    return give_back(p, OWNER_HOST, who);
}

int npu_rt_host_register(void *p, size_t bytes, const char *who)
{
    struct rt_range r = {
        .a = {.at = (uint64_t)(uintptr_t)p, .bytes = bytes, .place = PLACE_HOST, .device = -1},
        .owner = OWNER_REGISTERED};

    if (!p || !bytes)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes at %p", who, bytes, p);
    if (!rt_range_add(&r))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: part of the %zu bytes at %p is registered "
                           "or allocated by the runtime already",
                           who, bytes, p);
    return ACL_OK;
}

int npu_rt_host_unregister(void *p, const char *who)
{
    return give_back(p, OWNER_REGISTERED, who);
}

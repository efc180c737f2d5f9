/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm.c - virtual memory: reserve addresses, make physical memory, map one at the other.
 *
 * Physical memory is a memfd, so the same bytes can be mapped twice and handed to another process.
 * A reservation is PROT_NONE: touching an unmapped part is a fault, as on the chip.
 * Shareable handles of other processes are opened through /proc/<pid>/fd of the maker; who may do
 * that stands in the file itself, behind the bytes.
 */
#define _GNU_SOURCE
#include "core.h"
#include "registry.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRANULARITY ((size_t)2 << 20)

struct npu_physical {
    struct npu_physical *next;
    int fd, device;
    bool host;
    size_t bytes;
    uint32_t n_maps;
    bool freed;
};

/* Behind the bytes of physical memory: which processes may import it. */
struct guests {
    uint32_t is_open, n; /* is_open: to all */
    int32_t pid[1022];
};

struct reservation {
    struct reservation *next;
    uint8_t *at;
    size_t bytes;
};

struct mapping {
    struct mapping *next;
    uint8_t *at;
    size_t bytes;
    struct npu_physical *physical;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct npu_physical *physicals;
static struct reservation *reservations;
static struct mapping *mappings;

size_t npu_rt_vm_granularity(void)
{
    return GRANULARITY;
}

/* ---- addresses ----------------------------------------------------------------------- */

int npu_rt_vm_reserve(void **out, size_t bytes, size_t alignment, void *want)
{
    size_t align = alignment ? alignment : GRANULARITY;
    struct reservation *r;
    uint8_t *base, *at;

    if (!out || !bytes || bytes > SIZE_MAX / 4 || (align & (align - 1)))
        return npu_rt_fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "aclrtReserveMemAddress: size %zu, alignment %zu: the size is from 1 byte on, "
            "the alignment 0 or a power of two",
            bytes, alignment);
    if (align < GRANULARITY)
        align = GRANULARITY;
    bytes = (bytes + GRANULARITY - 1) / GRANULARITY * GRANULARITY;
    r = malloc(sizeof(*r));
    base = mmap(want, bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!r || base == MAP_FAILED) {
        free(r);
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                           "aclrtReserveMemAddress: no %zu bytes of address space: %s", bytes,
                           strerror(errno));
    }
    at = (uint8_t *)(((uintptr_t)base + align - 1) & ~(uintptr_t)(align - 1));
    if (at > base)
        munmap(base, (size_t)(at - base));
    munmap(at + bytes, align - (size_t)(at - base));
    *r = (struct reservation){NULL, at, bytes};
    pthread_mutex_lock(&lock);
    r->next = reservations;
    reservations = r;
    pthread_mutex_unlock(&lock);
    *out = at;
    return ACL_OK;
}

static bool is_within(const uint8_t *at, size_t bytes, const struct reservation *r)
{
    return at >= r->at && bytes <= r->bytes && at + bytes <= r->at + r->bytes;
}

static bool has_mapping(const struct reservation *r)
{
    for (const struct mapping *m = mappings; m; m = m->next) {
        if (is_within(m->at, m->bytes, r))
            return true;
    }
    return false;
}

static int release_locked(const void *p)
{
    for (struct reservation **at = &reservations; *at; at = &(*at)->next) {
        struct reservation *r = *at;

        if (r->at != p)
            continue;
        if (has_mapping(r))
            return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                               "aclrtReleaseMemAddress: %p still has mapped "
                               "memory: aclrtUnmapMem first",
                               p);
        munmap(r->at, r->bytes);
        *at = r->next;
        free(r);
        return ACL_OK;
    }
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtReleaseMemAddress: %p was not reserved",
                       p);
}

int npu_rt_vm_release(void *p)
{
    int rc;

    pthread_mutex_lock(&lock);
    rc = release_locked(p);
    pthread_mutex_unlock(&lock);
    return rc;
}

/* ---- physical memory ----------------------------------------------------------------- */

static int add_physical(struct npu_physical **out, const struct npu_physical *given,
                        const char *who)
{
    struct npu_physical *h = malloc(sizeof(*h));

    if (!h)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: out of memory", who);
    *h = *given;
    pthread_mutex_lock(&lock);
    h->next = physicals;
    physicals = h;
    pthread_mutex_unlock(&lock);
    *out = h;
    return ACL_OK;
}

int npu_rt_physical_create(struct npu_physical **out, size_t bytes, int device, bool host)
{
    struct npu_physical h = {.device = device, .host = host, .bytes = bytes};
    size_t free_bytes, total_bytes;
    int rc;

    if (!out || !bytes || bytes % GRANULARITY)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtMallocPhysical: size %zu is not a multiple "
                           "of %zu",
                           bytes, GRANULARITY);
    rc = npu_rt_mem_info(host ? 0 : device, &free_bytes, &total_bytes);
    if (rc)
        return rc;
    if (bytes > free_bytes)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                           "aclrtMallocPhysical: %zu bytes on device %d: "
                           "%zu are free",
                           bytes, device, free_bytes);
    h.fd = memfd_create("nputwin", MFD_CLOEXEC);
    if (h.fd < 0 || ftruncate(h.fd, (off_t)(bytes + sizeof(struct guests)))) {
        rc = npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMallocPhysical: %zu bytes: %s",
                         bytes, strerror(errno));
        if (h.fd >= 0)
            close(h.fd);
        return rc;
    }
    return add_physical(out, &h, "aclrtMallocPhysical");
}

static struct npu_physical *find_physical(const struct npu_physical *h)
{
    struct npu_physical *p = physicals;

    while (p && p != h)
        p = p->next;
    return p && !p->freed ? p : NULL;
}

static void delete_if_unused(struct npu_physical *h)
{
    struct npu_physical **at = &physicals;

    if (!h->freed || h->n_maps)
        return;
    while (*at != h)
        at = &(*at)->next;
    *at = h->next;
    close(h->fd);
    free(h);
}

static int bad_handle(const void *h, const char *who)
{
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: %p is no living handle of aclrtMallocPhysical", who, h);
}

/* The bytes live on while they are mapped. */
int npu_rt_physical_destroy(struct npu_physical *h)
{
    struct npu_physical *p;
    int rc = ACL_OK;

    pthread_mutex_lock(&lock);
    p = find_physical(h);
    if (p) {
        p->freed = true;
        delete_if_unused(p);
    } else {
        rc = bad_handle(h, "aclrtFreePhysical");
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

/* ---- mapping ------------------------------------------------------------------------- */

static const struct reservation *reservation_of(const uint8_t *at, size_t bytes)
{
    for (const struct reservation *r = reservations; r; r = r->next) {
        if (is_within(at, bytes, r))
            return r;
    }
    return NULL;
}

static int map_locked(uint8_t *at, size_t bytes, size_t offset, struct npu_physical *h)
{
    struct rt_range range = {.a = {(uint64_t)(uintptr_t)at, bytes, h->host ? -1 : h->device,
                                   h->host ? PLACE_HOST : PLACE_DEVICE},
                             .owner = OWNER_VM};
    struct mapping *m;

    if (!reservation_of(at, bytes) || offset > h->bytes || bytes > h->bytes - offset || !bytes ||
        bytes % GRANULARITY || offset % GRANULARITY)
        return npu_rt_fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "aclrtMapMem: %zu bytes from offset %zu of %zu at %p: the addresses must be "
            "reserved, the piece inside the physical memory, all multiples of %zu",
            bytes, offset, h->bytes, (void *)at, GRANULARITY);
    m = malloc(sizeof(*m));
    if (!m || !rt_range_add(&range)) {
        free(m);
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMapMem: %p is mapped already",
                           (void *)at);
    }
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, h->fd, (off_t)offset) ==
        MAP_FAILED) {
        rt_range_take(at, OWNER_VM, &range);
        free(m);
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMapMem: %s", strerror(errno));
    }
    *m = (struct mapping){mappings, at, bytes, h};
    mappings = m;
    h->n_maps++;
    return ACL_OK;
}

int npu_rt_vm_map(void *at, size_t bytes, size_t offset, struct npu_physical *h)
{
    struct npu_physical *p;
    int rc;

    pthread_mutex_lock(&lock);
    p = find_physical(h);
    rc = p ? map_locked(at, bytes, offset, p) : bad_handle(h, "aclrtMapMem");
    pthread_mutex_unlock(&lock);
    return rc;
}

static int unmap_locked(const void *p)
{
    for (struct mapping **at = &mappings; *at; at = &(*at)->next) {
        struct mapping *m = *at;
        struct rt_range r;

        if (m->at != p)
            continue;
        rt_range_take(m->at, OWNER_VM, &r);
        if (mmap(m->at, m->bytes, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
            return npu_rt_fail(RT_MEMORY_FREE, "aclrtUnmapMem: %s", strerror(errno));
        m->physical->n_maps--;
        delete_if_unused(m->physical);
        *at = m->next;
        free(m);
        return ACL_OK;
    }
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtUnmapMem: nothing is mapped at %p", p);
}

int npu_rt_vm_unmap(void *at)
{
    int rc;

    pthread_mutex_lock(&lock);
    rc = unmap_locked(at);
    pthread_mutex_unlock(&lock);
    return rc;
}

/* ---- sharing: the maker's process id and descriptor in one number --------------------- */

static bool read_guests(int fd, size_t bytes, struct guests *g)
{
    return pread(fd, g, sizeof(*g), (off_t)bytes) == (ssize_t)sizeof(*g) &&
           g->n <= sizeof(g->pid) / sizeof(*g->pid);
}

static bool write_guests(const struct npu_physical *h, const struct guests *g)
{
    return pwrite(h->fd, g, sizeof(*g), (off_t)h->bytes) == (ssize_t)sizeof(*g);
}

int npu_rt_physical_export(struct npu_physical *h, bool to_all, uint64_t *shareable)
{
    struct npu_physical *p;
    struct guests g;
    int rc = ACL_OK;

    pthread_mutex_lock(&lock);
    p = find_physical(h);
    if (!p || !read_guests(p->fd, p->bytes, &g)) {
        rc = bad_handle(h, "aclrtMemExportToShareableHandle");
    } else {
        g.is_open |= to_all;
        *shareable = (uint64_t)getpid() << 32 | (uint32_t)p->fd;
        if (!write_guests(p, &g))
            rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemExportToShareableHandle: %s",
                             strerror(errno));
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

static struct npu_physical *exported(uint64_t shareable)
{
    struct npu_physical *p = physicals;

    while (p && (uint32_t)p->fd != (uint32_t)shareable)
        p = p->next;
    return p && !p->freed && shareable >> 32 == (uint64_t)getpid() ? p : NULL;
}

int npu_rt_physical_invite(uint64_t shareable, const int32_t *pid, size_t n)
{
    static const char who[] = "aclrtMemSetPidToShareableHandle";
    struct npu_physical *p;
    struct guests g;
    int rc = ACL_OK;

    pthread_mutex_lock(&lock);
    p = exported(shareable);
    if (!p || !read_guests(p->fd, p->bytes, &g)) {
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                         "%s: handle 0x%llx: this process exported no such memory", who,
                         (unsigned long long)shareable);
    } else if (n > sizeof(g.pid) / sizeof(*g.pid) - g.n) {
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu processes, room for %zu more", who, n,
                         sizeof(g.pid) / sizeof(*g.pid) - g.n);
    } else {
        memcpy(g.pid + g.n, pid, n * sizeof(*pid));
        g.n += (uint32_t)n;
        if (!write_guests(p, &g))
            rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s", who, strerror(errno));
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

/* Only what npu_rt_physical_create made, so that a wrong number opens nobody's file. */
static bool is_ours(const char *path)
{
    static const char ours[] = "/memfd:nputwin (deleted)";
    char target[64];
    ssize_t n = readlink(path, target, sizeof(target));

    return n == (ssize_t)sizeof(ours) - 1 && !memcmp(target, ours, sizeof(ours) - 1);
}

static bool is_invited(const struct guests *g, uint64_t maker)
{
    bool found = g->is_open || maker == (uint64_t)getpid();

    for (uint32_t i = 0; i < g->n; i++)
        found = found || g->pid[i] == getpid();
    return found;
}

/* Opens it and reads who may; 0, or the reason. */
static int open_shared(uint64_t shareable, struct npu_physical *h)
{
    struct guests g;
    struct stat st;
    char path[64];

    snprintf(path, sizeof(path), "/proc/%u/fd/%u", (unsigned)(shareable >> 32),
             (unsigned)shareable);
    if (!is_ours(path))
        return ENOENT;
    h->fd = open(path, O_RDWR | O_CLOEXEC);
    if (h->fd < 0 || fstat(h->fd, &st))
        return errno;
    h->bytes = (size_t)st.st_size - sizeof(g);
    if (!read_guests(h->fd, h->bytes, &g))
        return EINVAL;
    return is_invited(&g, shareable >> 32) ? 0 : EPERM;
}

int npu_rt_physical_import(uint64_t shareable, int device, struct npu_physical **out)
{
    static const char who[] = "aclrtMemImportFromShareableHandle";
    struct npu_physical h = {.device = device, .fd = -1};
    int why = open_shared(shareable, &h);

    if (!why)
        return add_physical(out, &h, who);
    if (h.fd >= 0)
        close(h.fd);
    if (why == EPERM)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: handle 0x%llx: process %u does not share it with process %d; name "
                           "that in aclrtMemSetPidToShareableHandle, or export with "
                           "ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION",
                           who, (unsigned long long)shareable, (unsigned)(shareable >> 32),
                           (int)getpid());
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: handle 0x%llx: process %u has no such memory to share: %s", who,
                       (unsigned long long)shareable, (unsigned)(shareable >> 32), strerror(why));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.c - copies and fills: checked against the registry, then streamed by all cores.
 *
 * The copy kind says where both sides live; a side that lives elsewhere, was freed, or is shorter
 * than the copy is refused by name, where the chip would corrupt memory or hang.
 */
#include "core.h"
#include "queue.h"
#include "registry.h"
#include "../../engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_BYTES = 1 << 20 };         /* one piece of work of a parallel copy */
enum { PARALLEL_FROM_BYTES = 4 << 20 }; /* below, waking threads costs more than it saves */

static const struct {
    enum npu_place dst, src; /* PLACE_UNKNOWN: any */
    const char *name;
} kinds[N_COPY_KINDS] = {
    [COPY_H2H] = {PLACE_HOST, PLACE_HOST, "HOST_TO_HOST"},
    [COPY_H2D] = {PLACE_DEVICE, PLACE_HOST, "HOST_TO_DEVICE"},
    [COPY_D2H] = {PLACE_HOST, PLACE_DEVICE, "DEVICE_TO_HOST"},
    [COPY_D2D] = {PLACE_DEVICE, PLACE_DEVICE, "DEVICE_TO_DEVICE"},
    [COPY_DEFAULT] = {PLACE_UNKNOWN, PLACE_UNKNOWN, "DEFAULT"},
    [COPY_H2BUF2D] = {PLACE_DEVICE, PLACE_HOST, "HOST_TO_BUF_TO_DEVICE"},
    [COPY_INNER_D2D] = {PLACE_DEVICE, PLACE_DEVICE, "INNER_DEVICE_TO_DEVICE"},
    [COPY_INTER_D2D] = {PLACE_DEVICE, PLACE_DEVICE, "INTER_DEVICE_TO_DEVICE"},
};

/* ---- checks -------------------------------------------------------------------------- */

struct side {
    const char *who, *name; /* "aclrtMemcpy", "dst" */
    const void *p;
    size_t bytes;
    enum npu_place place; /* where it should be */
};

static int unknown_side(const struct side *s)
{
    struct npu_allocation a;

    if (s->place != PLACE_DEVICE)
        return ACL_OK; /* ordinary host memory */
    if (rt_range_was_freed(s->p, &a))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: use after free: %s %p lies in a block of %llu bytes that was freed",
                           s->who, s->name, s->p, (unsigned long long)a.bytes);
    return npu_rt_fail(
        ACL_ERROR_RT_PARAM_INVALID,
        "%s: %s %p is not device memory, as the copy kind says: it was not allocated "
        "by aclrtMalloc",
        s->who, s->name, s->p);
}

/* Adjacent ranges count as one: a tensor may span several mapped pieces of virtual memory. */
static int check_side(const struct side *s)
{
    const uint8_t *p = s->p;
    size_t left = s->bytes;
    struct rt_range r;

    if (!rt_range_find(p, &r))
        return unknown_side(s);
    if (s->place != PLACE_UNKNOWN && r.a.place != s->place)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: %s %p is %s memory, but the copy kind says %s", s->who, s->name,
                           s->p, r.a.place == PLACE_DEVICE ? "device" : "host",
                           s->place == PLACE_DEVICE ? "device" : "host");
    for (;;) {
        uint64_t end = r.a.at + r.a.bytes, room = end - (uint64_t)(uintptr_t)p;

        if (left <= room)
            return ACL_OK;
        left -= room;
        p += room;
        if (r.owner == OWNER_REGISTERED)
            return ACL_OK; /* registering part of a host block is fine */
        if (!rt_range_find(p, &r))
            return npu_rt_fail(
                ACL_ERROR_RT_PARAM_INVALID,
                "%s: %zu bytes at %s %p leave the memory allocated there: %zu too many", s->who,
                s->bytes, s->name, s->p, left);
    }
}

static size_t span(size_t pitch, size_t width, size_t height)
{
    return height ? pitch * (height - 1) + width : 0;
}

static int check_copy(const struct npu_copy *c, const char *who)
{
    int rc;

    if ((uint32_t)c->kind >= N_COPY_KINDS)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: copy kind %d does not exist, 0 to %d do", who, (int)c->kind,
                           N_COPY_KINDS - 1);
    if (!c->dst || !c->src)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s is NULL", who,
                           c->dst ? "src" : "dst");
    if (c->height > 1 && (c->dst_pitch < c->width || c->src_pitch < c->width))
        return npu_rt_fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: rows of %zu bytes with a pitch of %zu (dst) and %zu (src): a pitch is "
            "at least the row",
            who, c->width, c->dst_pitch, c->src_pitch);
    rc = check_side(&(struct side){who, "dst", c->dst, span(c->dst_pitch, c->width, c->height),
                                   kinds[c->kind].dst});
    if (rc)
        return rc;
    return check_side(&(struct side){who, "src", c->src, span(c->src_pitch, c->width, c->height),
                                     kinds[c->kind].src});
}

/* ---- moving bytes -------------------------------------------------------------------- */

static void copy_slice(void *arg, uint32_t i)
{
    const struct npu_copy *c = arg;
    size_t at = (size_t)i * SLICE_BYTES, n = c->width - at;

    memcpy((uint8_t *)c->dst + at, (const uint8_t *)c->src + at, n < SLICE_BYTES ? n : SLICE_BYTES);
}

static bool overlaps(const struct npu_copy *c)
{
    uintptr_t d = (uintptr_t)c->dst, s = (uintptr_t)c->src;

    return d < s ? d + c->width > s : s + c->width > d;
}

static void move_flat(const struct npu_copy *c)
{
    if (c->width < PARALLEL_FROM_BYTES || overlaps(c))
        memmove(c->dst, c->src, c->width);
    else
        npu_parallel((uint32_t)((c->width + SLICE_BYTES - 1) / SLICE_BYTES), copy_slice,
                     (void *)(uintptr_t)c);
}

static void move(const struct npu_copy *c)
{
    if (c->height == 1) {
        move_flat(c);
        return;
    }
    for (size_t y = 0; y < c->height; y++)
        memmove((uint8_t *)c->dst + y * c->dst_pitch, (const uint8_t *)c->src + y * c->src_pitch,
                c->width);
}

int npu_rt_copy(const struct npu_copy *c, const char *who)
{
    int device = npu_rt_need_device(who), rc;

    if (device < 0)
        return ACL_ERROR_RT_CONTEXT_NULL;
    rc = npu_rt_device_error(device);
    if (!rc)
        rc = npu_rt_capture_check_unsafe(who);
    if (!rc && c->width && c->height)
        rc = check_copy(c, who);
    if (!rc && c->width && c->height)
        move(c);
    return rc;
}

/* ---- in stream order ----------------------------------------------------------------- */

struct copy_task {
    struct npu_copy c;
    const char *who;
    void *staged;
    bool waited; /* memory may have been freed since the check */
};

static int run_copy(void *arg, struct npu_diag *story)
{
    const struct copy_task *t = arg;
    int rc = t->waited ? check_copy(&t->c, t->who) : ACL_OK;
    const char *text = rc ? npu_rt_take_message() : NULL;

    if (rc)
        snprintf(story->text, sizeof(story->text), "%s", text ? text : t->who);
    else
        move(&t->c);
    return rc;
}

/* Pageable host memory may change or go before the copy's turn: take its bytes now. */
static bool stage(struct copy_task *t)
{
    struct npu_copy *c = &t->c;
    size_t bytes = span(c->src_pitch, c->width, c->height);
    struct rt_range r;

    if (rt_range_find(c->src, &r))
        return true;
    t->staged = malloc(bytes);
    if (!t->staged)
        return false;
    memcpy(t->staged, c->src, bytes);
    c->src = t->staged;
    return true;
}

static void *copy_copy(const void *arg)
{
    struct copy_task *t = malloc(sizeof(*t));

    if (!t)
        return NULL;
    *t = *(const struct copy_task *)arg;
    t->waited = true;
    if (!stage(t)) {
        free(t);
        return NULL;
    }
    return t;
}

static void drop_copy(void *arg)
{
    free(((struct copy_task *)arg)->staged);
    free(arg);
}

int npu_rt_copy_async(const struct npu_copy *c, struct npu_stream *s, const char *who)
{
    struct copy_task t = {.c = *c, .who = who};
    int rc;

    if (!c->width || !c->height)
        return npu_rt_stream(s, who) ? ACL_OK : npu_rt_last_error(false);
    rc = check_copy(c, who);
    if (!rc)
        rc = npu_rt_capture_check_pageable(s, c->src, who);
    if (!rc)
        rc = npu_rt_capture_check_pageable(s, c->dst, who);
    return rc ? rc : npu_rt_enqueue(s, who, run_copy, &t, copy_copy, drop_copy);
}

/* ---- fills --------------------------------------------------------------------------- */

struct fill {
    uint8_t *dst;
    size_t bytes;
    uint32_t value, value_bytes;
    bool waited;
};

static void fill_slice(void *arg, uint32_t i)
{
    const struct fill *f = arg;
    size_t at = (size_t)i * SLICE_BYTES, n = f->bytes - at;

    n = n < SLICE_BYTES ? n : SLICE_BYTES;
    if (f->value_bytes == 1) {
        memset(f->dst + at, (int)f->value, n);
        return;
    }
    for (size_t k = 0; k < n; k += 4)
        memcpy(f->dst + at + k, &f->value, 4);
}

static int run_fill(void *arg, struct npu_diag *story)
{
    const struct fill *f = arg;
    uint32_t n = (uint32_t)((f->bytes + SLICE_BYTES - 1) / SLICE_BYTES);
    struct rt_range r;

    if (f->waited && !rt_range_find(f->dst, &r)) {
        snprintf(story->text, sizeof(story->text),
                 "aclrtMemsetAsync: use after free: %p was freed before "
                 "the fill's turn came",
                 (void *)f->dst);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (f->bytes >= PARALLEL_FROM_BYTES) {
        npu_parallel(n, fill_slice, arg);
        return ACL_OK;
    }
    for (uint32_t i = 0; i < n; i++)
        fill_slice(arg, i);
    return ACL_OK;
}

bool rt_is_copy(npu_task_fn *fn)
{
    return fn == run_copy || fn == run_fill;
}

static int check_fill(void *dst, size_t max, uint32_t value_bytes, size_t n, const char *who)
{
    if (!dst)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the address is NULL", who);
    if (n > max / value_bytes)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: %zu values of %u bytes do not fit into %zu "
                           "bytes",
                           who, n, value_bytes, max);
    return check_side(&(struct side){who, "address", dst, n * value_bytes, PLACE_UNKNOWN});
}

int npu_rt_fill(void *dst, size_t max, uint32_t value, uint32_t value_bytes, size_t n,
                const char *who)
{
    struct fill f = {dst, n * value_bytes, value, value_bytes, false};
    int device = npu_rt_need_device(who), rc;

    if (device < 0)
        return ACL_ERROR_RT_CONTEXT_NULL;
    rc = npu_rt_device_error(device);
    if (!rc)
        rc = npu_rt_capture_check_unsafe(who);
    if (!rc)
        rc = check_fill(dst, max, value_bytes, n, who);
    return rc ? rc : run_fill(&f, NULL);
}

static void *copy_fill(const void *arg)
{
    struct fill *f = malloc(sizeof(*f));
    struct rt_range r;

    if (f) {
        *f = *(const struct fill *)arg;
        f->waited = rt_range_find(f->dst, &r); /* not for memory that is only the host's */
    }
    return f;
}

int npu_rt_fill_async(void *dst, size_t max, uint32_t value, uint32_t value_bytes, size_t n,
                      struct npu_stream *s, const char *who)
{
    struct fill f = {dst, n * value_bytes, value, value_bytes, false};
    int rc = check_fill(dst, max, value_bytes, n, who);

    return rc ? rc : npu_rt_enqueue(s, who, run_fill, &f, copy_fill, free);
}

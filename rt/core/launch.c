/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.c - from `k<<<blocks, l2, stream>>>(args)` to the engine.
 *
 * Objects that bisheng made register their kernels from static constructors; a launch looks the
 * host symbol up and gives the stream one task. The way of an idle stream allocates nothing. Rule:
 * the table of kernels is read without a lock; writers make a new one and never free the old (a few
 * hundred bytes a dlopen), so a reader never sees one go.
 */
#include "binary.h"
#include "queue.h"
#include "../../engine/deadline.h"
#include "../../engine/engine.h"
#include "../../engine/layout.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing by the key's address; cap is a power of two, at most half full. */
struct table {
    struct table *old;
    size_t cap;
    const struct nputwin_kernel *slot[];
};

struct group { /* rows of one nputwin_register */
    struct group *next;
    const struct nputwin_kernel *rows;
    struct nputwin_kernel *copy; /* of rows that are shorter than today's; NULL: there are none */
    uint32_t n, row_bytes;
    bool is_stale; /* compiled by another version: named, never run */
};

static const struct nputwin_kernel *row_of(const struct group *g, uint32_t i)
{
    return g->copy ? &g->copy[i] : &g->rows[i];
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct group *groups;
static _Atomic(struct table *) table;

static size_t hash(const void *key)
{
    return (size_t)(((uint64_t)(uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 32);
}

static const struct nputwin_kernel *find(const void *key)
{
    const struct table *t = atomic_load_explicit(&table, memory_order_acquire);

    if (!t)
        return NULL;
    for (size_t i = hash(key);; i++) {
        const struct nputwin_kernel *k = t->slot[i & (t->cap - 1)];

        if (!k || k->key == key)
            return k;
    }
}

static void put(struct table *t, const struct nputwin_kernel *k)
{
    size_t i = hash(k->key);

    while (t->slot[i & (t->cap - 1)] && t->slot[i & (t->cap - 1)]->key != k->key)
        i++;
    t->slot[i & (t->cap - 1)] = k;
}

/* Makes a new table of all groups. Locked. */
static void rebuild(void)
{
    size_t n = 0, cap = 16;
    struct table *t;

    for (const struct group *g = groups; g; g = g->next)
        n += g->n;
    while (cap < 2 * n)
        cap *= 2;
    t = calloc(1, sizeof(*t) + cap * sizeof(t->slot[0]));
    if (!t)
        return; /* the launch then says that the kernel is not registered */
    t->old = atomic_load_explicit(&table, memory_order_relaxed);
    t->cap = cap;
    for (const struct group *g = groups; g; g = g->next) {
        for (uint32_t i = 0; i < g->n && !g->is_stale; i++)
            put(t, row_of(g, i));
    }
    atomic_store_explicit(&table, t, memory_order_release);
}

static uint32_t rows_version(uint32_t abi)
{
    return abi & ((1u << NPUTWIN_KERNEL_ABI_BITS) - 1);
}

/* Objects without a layout number use no instruction. */
static bool is_of_this_version(uint32_t abi)
{
    uint32_t layout = abi >> NPUTWIN_KERNEL_ABI_BITS;

    return rows_version(abi) >= 1 && rows_version(abi) <= NPUTWIN_KERNEL_ABI &&
           (!layout || layout == npu_layout_number());
}

/* Who loads a binary gets its tables (npu_rt_collect); the constructors run on its thread. */
static pthread_t collector;
static struct npu_collected *collected;

void rt_collect(struct npu_collected *to)
{
    pthread_mutex_lock(&lock);
    collector = pthread_self();
    collected = to;
    pthread_mutex_unlock(&lock);
}

/* Locked. */
static void collect(const struct group *g)
{
    if (!collected || !pthread_equal(collector, pthread_self()))
        return;
    if (collected->n_tables < sizeof(collected->table) / sizeof(collected->table[0])) {
        collected->table[collected->n_tables++] =
            (struct npu_kernel_table){g->rows, g->n, g->row_bytes, g->is_stale};
    } else {
        collected->is_cut = true;
    }
}

const struct nputwin_kernel *rt_kernel(const void *key)
{
    const struct nputwin_kernel *k = find(key);
    bool is_whole = false;

    pthread_mutex_lock(&lock);
    for (const struct group *g = groups; k && g && !is_whole; g = g->next)
        is_whole = g->n && g->row_bytes >= NPUTWIN_KERNEL_BYTES_2 && k >= row_of(g, 0) &&
                   k < row_of(g, 0) + g->n;
    pthread_mutex_unlock(&lock);
    return is_whole ? k : NULL;
}

static uint32_t row_bytes_of(uint32_t abi)
{
    return rows_version(abi) == 1   ? NPUTWIN_KERNEL_BYTES_1
           : rows_version(abi) == 2 ? NPUTWIN_KERNEL_BYTES_2
                                    : (uint32_t)sizeof(struct nputwin_kernel);
}

/* Rows of today's length; what an older version has not is NULL. */
static struct nputwin_kernel *lengthen(const struct nputwin_kernel *rows, uint32_t n,
                                       uint32_t row_bytes)
{
    struct nputwin_kernel *to = calloc(n ? n : 1, sizeof(*to));

    for (uint32_t i = 0; to && i < n; i++)
        memcpy(&to[i], (const char *)rows + (size_t)i * row_bytes, row_bytes);
    return to;
}

NPU_API void nputwin_register(uint32_t abi, const struct nputwin_kernel *rows, uint32_t n)
{
    const uint32_t bytes = row_bytes_of(abi);
    const bool is_short = bytes < sizeof(*rows);
    struct nputwin_kernel *copy = is_short ? lengthen(rows, n, bytes) : NULL;
    struct group *g = malloc(sizeof(*g));

    if (!g || (is_short && !copy)) {
        free(copy);
        free(g);
        return;
    }
    pthread_mutex_lock(&lock);
    *g = (struct group){groups, rows, copy, n, bytes, !is_of_this_version(abi)};
    groups = g;
    collect(g);
    rebuild();
    pthread_mutex_unlock(&lock);
}

NPU_API void nputwin_unregister(const struct nputwin_kernel *rows)
{
    pthread_mutex_lock(&lock);
    for (struct group **at = &groups; *at; at = &(*at)->next) {
        struct group *g = *at;

        if (g->rows != rows)
            continue;
        *at = g->next;
        free(g->copy);
        free(g);
        break;
    }
    rebuild();
    pthread_mutex_unlock(&lock);
}

/* ---- one launch ---------------------------------------------------------------------- */

struct launch {
    const struct nputwin_kernel *kernel;
    const struct npu_soc *soc;
    uint32_t block_dim, kind; /* of this launch: a tiling key may have its own */
    void (*call)(void (*fn)(void), const void *args);
    const void *args;
    void *(*copy_args)(const void *args);
    void (*drop_args)(void *copy);
    int64_t limit_us; /* as rt_launch() takes it */
};

static void run_block(void *arg, struct npu_core *c)
{
    const struct launch *l = arg;

    l->call(c->core_kind == CORE_AIC ? l->kernel->aic : l->kernel->aiv, l->args);
}

/* The code that the chip would report for a kernel of that core kind. */
static int fault_code(enum npu_status st, bool is_over, uint32_t kind)
{
    if (st == NPU_E_DEADLOCK && kind != NPUTWIN_AIV) /* the chip would wait until its time is out */
        return ACL_ERROR_RT_AICORE_TIMEOUT;
    if (is_over)
        return kind == NPUTWIN_AIV ? RT_VECTOR_CORE_TIMEOUT : ACL_ERROR_RT_AICORE_TIMEOUT;
    if (st == NPU_E_NOMEM)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    if (st == NPU_E_UNSUP)
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    return kind == NPUTWIN_AIV ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION : ACL_ERROR_RT_AICORE_EXCEPTION;
}

/* Beside the cube core of a mix kernel. */
static uint8_t vector_cores_of(uint32_t kind)
{
    return kind == NPUTWIN_MIX_1_2 ? 2 : kind == NPUTWIN_MIX_1_1 ? 1 : 0;
}

/* The process's limit counts when the task runs, as the chip's scheduler has it. */
static uint64_t limit_of(const struct launch *l)
{
    const int64_t us = l->limit_us < 0 ? npu_rt_setting(SETTING_EXECUTE_LIMIT_US) : l->limit_us;

    return us > 0 ? (uint64_t)us : 0;
}

static int run_launch(void *arg, struct npu_diag *story)
{
    const struct launch *l = arg;
    void (*const code)(void) = l->kernel->aiv ? l->kernel->aiv : l->kernel->aic;
    struct npu_launch n = {.soc = l->soc,
                           .name = l->kernel->name,
                           .block_dim = l->block_dim,
                           .core_kind = l->kind == NPUTWIN_AIC ? CORE_AIC : CORE_AIV,
                           .n_mix_aiv = vector_cores_of(l->kind),
                           .run = run_block,
                           .arg = arg};
    struct npu_limit limit = {limit_of(l), (const void *)(uintptr_t)code, false};
    enum npu_status st = npu_launch_within(&n, &limit, story);

    return NPU_LIKELY(st == NPU_OK) ? ACL_OK : fault_code(st, limit.is_over, l->kind);
}

uint32_t rt_launch_blocks(npu_task_fn *fn, const void *arg)
{
    return fn == run_launch ? ((const struct launch *)arg)->block_dim : 0;
}

static void *copy_launch(const void *arg)
{
    struct launch *l = malloc(sizeof(*l));

    if (!l)
        return NULL;
    *l = *(const struct launch *)arg;
    if (l->copy_args) {
        l->args = l->copy_args(l->args);
        if (!l->args) {
            free(l);
            return NULL;
        }
    }
    return l;
}

static void drop_launch(void *arg)
{
    struct launch *l = arg;

    if (l->drop_args)
        l->drop_args((void *)(uintptr_t)l->args);
    free(l);
}

/* The name of a kernel that is registered but was compiled by another version; NULL when there is
 * none. */
static const char *stale_name(const void *key)
{
    const char *name = NULL;

    pthread_mutex_lock(&lock);
    for (const struct group *g = groups; g && !name; g = g->next) {
        for (uint32_t i = 0; g->is_stale && i < g->n; i++) {
            if (row_of(g, i)->key == key)
                name = row_of(g, i)->name;
        }
    }
    pthread_mutex_unlock(&lock);
    return name;
}

/* k<<<...>>>() gives no status that a program would look at, and no result of the kernel would be
 * right: once a process it is said aloud. */
static void tell_stale(const char *name)
{
    static atomic_bool told;

    if (!atomic_exchange(&told, true))
        fprintf(stderr,
                "nputwin: error: %s does not run: it was compiled by another version of nputwin; "
                "build the library that holds it again\n",
                name);
}

static int unknown_kernel(const void *key)
{
    const char *name = stale_name(key);

    if (name) {
        tell_stale(name);
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "kernel launch failure: %s was compiled by another version of nputwin: "
                           "build the library that holds it again with this version's bisheng",
                           name);
    }
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "kernel launch failure: no kernel is registered for %p: the object that "
                       "holds it was not linked in, or its library is closed",
                       key);
}

/* The cores that the launch starts; tiling_key: NULL for one that has none. */
static int kind_of(const struct nputwin_kernel *k, const uint64_t *tiling_key, uint32_t *kind)
{
    const struct nputwin_keyed *by = k->keyed;

    *kind = k->kind;
    if (NPU_LIKELY(!by))
        return ACL_OK;
    if (!tiling_key)
        return npu_rt_fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "kernel launch failure: %s says its cores by tiling key, "
            "KERNEL_TASK_TYPE(key, type), which is for operator packages: this launch "
            "has no key; KERNEL_TASK_TYPE_DEFAULT(type) says them for all",
            k->name);
    for (uint32_t i = 0; i < by->n; i++) {
        if (by->at[i].key == *tiling_key) {
            *kind = by->at[i].kind;
            return ACL_OK;
        }
    }
    if (by->has_default)
        return ACL_OK;
    return npu_rt_fail(
        ACL_ERROR_RT_PARAM_INVALID,
        "kernel launch failure: %s has no type for tiling key %llu, and has some for "
        "others: KERNEL_TASK_TYPE(%llu, type), or KERNEL_TASK_TYPE_DEFAULT(type) for "
        "all that are not named",
        k->name, (unsigned long long)*tiling_key, (unsigned long long)*tiling_key);
}

/* Refuses what the chip would refuse before anything runs. */
static int check(const struct nputwin_kernel *k, uint32_t block_dim, uint32_t kind)
{
    if (block_dim < 1 || block_dim > NPU_MAX_BLOCKS)
        return npu_rt_fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "kernel launch failure: %s: blockDim %u is not in [1, %d]: use at most as "
            "many blocks as cores and let each loop over its share",
            k->name, block_dim, NPU_MAX_BLOCKS);
    const bool wants_aic = kind != NPUTWIN_AIV, wants_aiv = kind != NPUTWIN_AIC;
    if ((wants_aic && !k->aic) || (wants_aiv && !k->aiv))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "kernel launch failure: %s has no code for %s cores", k->name,
                           wants_aic && !k->aic ? "cube" : "vector");
    return ACL_OK;
}

static int check_arch(const struct nputwin_kernel *k, const struct npu_soc *soc)
{
    if (NPU_LIKELY(!k->arch || k->arch == soc->arch))
        return ACL_OK;
    return npu_rt_fail(
        ACL_ERROR_RT_PARAM_INVALID,
        "kernel launch failure: %s was compiled for dav-%u, but %s is dav-%u: rebuild with "
        "SOC_VERSION=%s (bisheng: --npu-arch=dav-%u)",
        k->name, k->arch, soc->name, soc->arch, soc->name, soc->arch);
}

/* l has all but what the table and the chip say. */
static uint32_t start(const void *key, const uint64_t *tiling_key, void *stream, struct launch *l)
{
    const struct nputwin_kernel *k = l->kernel = find(key);
    int rc = k ? kind_of(k, tiling_key, &l->kind) : unknown_kernel(key);

    if (!rc)
        rc = check(k, l->block_dim, l->kind);
    if (rc)
        return (uint32_t)rc;
    l->soc = npu_rt_soc();
    if (!l->soc)
        return ACL_ERROR_RT_PARAM_INVALID;
    rc = check_arch(k, l->soc);
    if (rc)
        return (uint32_t)rc;
    return (uint32_t)npu_rt_enqueue(stream, k->name, run_launch, l, copy_launch, drop_launch);
}

uint32_t rt_launch(const void *key, uint32_t block_dim, void *stream,
                   void (*call)(void (*fn)(void), const void *args), const void *args,
                   void *(*copy)(const void *args), void (*drop)(void *copy), int64_t limit_us)
{
    struct launch l = {.block_dim = block_dim,
                       .call = call,
                       .args = args,
                       .copy_args = copy,
                       .drop_args = drop,
                       .limit_us = limit_us};

    return start(key, NULL, stream, &l);
}

uint32_t npu_rt_launch_keyed(const void *key, uint64_t tiling_key, uint32_t block_dim, void *stream,
                             void (*call)(void (*fn)(void), const void *args), const void *args,
                             void *(*copy)(const void *args), void (*drop)(void *copy))
{
    struct launch l = {.block_dim = block_dim,
                       .call = call,
                       .args = args,
                       .copy_args = copy,
                       .drop_args = drop,
                       .limit_us = LIMIT_OF_PROCESS};

    return start(key, &tiling_key, stream, &l);
}

NPU_API uint32_t nputwin_launch(const void *key, uint32_t block_dim, void *l2_ctrl, void *stream,
                                void (*call)(void (*fn)(void), const void *args), const void *args,
                                void *(*copy)(const void *args), void (*drop)(void *copy))
{
    (void)l2_ctrl; /* a hint about the L2 cache */
    return rt_launch(key, block_dim, stream, call, args, copy, drop, LIMIT_OF_PROCESS);
}

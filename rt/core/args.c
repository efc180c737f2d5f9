/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.c - launches by handle: arguments come as addresses, as one block of host or device memory,
 * or as a list that was put together piece by piece.
 *
 * All become a `flat`: the kernel's description of its parameters and the address of each value.
 * Rule: values are copied when the launch is given, except those in device memory, which the
 * kernel's turn in its stream decides.
 */
#include "binary.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Arguments of one launch; the block stands behind it, arg[] points into it or to device memory. */
struct flat {
    const struct nputwin_params *params;
    struct npu_binary *binary; /* holds a reference */
    size_t bytes;              /* of block[] */
    size_t at[NPU_MAX_PARAMS];
    uint32_t n_places;
    const struct npu_placeholder *place; /* behind the block, in the same memory */
    const unsigned char *device;         /* the block is there instead */
    _Alignas(16) unsigned char block[];
};

static size_t align_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* Fills at[] and returns where the last parameter ends. */
static size_t lay_out(const struct nputwin_params *p, size_t *at)
{
    size_t end = 0;

    for (uint32_t i = 0; i < p->n; i++) {
        at[i] = align_up(end, p->param[i].align);
        end = at[i] + p->param[i].bytes;
    }
    return end;
}

static void call_flat(void (*fn)(void), const void *args)
{
    const struct flat *f = args;
    const unsigned char *base = f->device ? f->device : f->block;
    void *arg[NPU_MAX_PARAMS];

    for (uint32_t i = 0; i < f->params->n; i++)
        arg[i] = (void *)(uintptr_t)(base + f->at[i]);
    f->params->call(fn, arg);
}

static void set_placeholders(struct flat *f)
{
    for (uint32_t i = 0; i < f->n_places; i++) {
        const void *data = f->block + f->place[i].data_at;

        memcpy(f->block + f->place[i].addr_at, &data, sizeof(data));
    }
}

static size_t places_at(size_t block_bytes)
{
    return align_up(sizeof(struct flat) + block_bytes, _Alignof(struct npu_placeholder));
}

/* Zeroed; NULL with the message. */
static struct flat *new_flat(size_t bytes, uint32_t n_places, const char *who)
{
    struct flat *f = calloc(1, places_at(bytes) + n_places * sizeof(*f->place));

    if (!f) {
        npu_rt_fail(RT_RESOURCE_ALLOC_FAIL, "%s: no memory for %zu bytes of arguments", who, bytes);
        return NULL;
    }
    f->bytes = bytes;
    f->n_places = n_places;
    f->place = (const struct npu_placeholder *)((const char *)f + places_at(bytes));
    return f;
}

static void *copy_flat(const void *args)
{
    const struct flat *old = args;
    size_t all = places_at(old->bytes) + old->n_places * sizeof(*old->place);
    struct flat *f = malloc(all);

    if (!f)
        return NULL;
    memcpy(f, old, all);
    f->place = (const struct npu_placeholder *)((const char *)f + places_at(f->bytes));
    set_placeholders(f);
    rt_binary_hold(f->binary);
    return f;
}

static void drop_flat(void *args)
{
    struct flat *f = args;
    struct npu_binary *binary = f->binary;

    free(f);
    rt_binary_release(binary);
}

/* ---- what every launch checks ---- */

/* The row, with its binary held; NULL with the message when it cannot be launched by handle. */
static const struct nputwin_kernel *launchable(const void *function, struct npu_binary **binary,
                                               const char *who)
{
    const struct nputwin_kernel *k = rt_function_row(function, binary, who);
    const char *why = NULL;

    if (!k)
        return NULL;
    if (!k->params)
        why = "one of its parameters has no name in the source: name all of them";
    else if (!k->params->call)
        why = "its parameters are no plain values";
    else if (k->params->n > NPU_MAX_PARAMS)
        why = "it has more than 128 parameters";
    if (!why)
        return k;
    npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s cannot be launched by handle: %s", who, k->name,
                why);
    rt_binary_release(*binary);
    return NULL;
}

/* Takes f, and the reference that it holds. */
static int run(const struct nputwin_kernel *k, uint32_t n_blocks, struct npu_stream *s,
               struct flat *f, int64_t limit_us)
{
    int rc = (int)rt_launch(k->key, n_blocks, s, call_flat, f, copy_flat, drop_flat, limit_us);

    drop_flat(f);
    return rc;
}

static int refuse_block(const struct nputwin_kernel *k, size_t bytes, size_t need, const char *who)
{
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: argsSize is %zu, but the %u parameters of %s take %zu bytes, each at "
                       "its own alignment",
                       who, bytes, k->params->n, k->name, need);
}

/* ---- an address for each value ---- */

int npu_rt_launch_array(const void *function, uint32_t n_blocks, struct npu_stream *s,
                        void *const *arg, int64_t limit_us, const char *who)
{
    struct npu_binary *binary;
    const struct nputwin_kernel *k = launchable(function, &binary, who);
    size_t at[NPU_MAX_PARAMS];
    struct flat *f;
    int rc = ACL_OK;

    if (!k)
        return npu_rt_last_error(false);
    if (k->params->n && !arg)
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: args is NULL, but %s has %u parameters",
                         who, k->name, k->params->n);
    for (uint32_t i = 0; !rc && i < k->params->n; i++)
        if (!arg[i])
            rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                             "%s: args[%u] is NULL: each element is the address of a value of %s",
                             who, i, k->name);
    f = rc ? NULL : new_flat(lay_out(k->params, at), 0, who);
    if (!f) {
        rt_binary_release(binary);
        return rc ? rc : npu_rt_last_error(false);
    }
    f->params = k->params;
    f->binary = binary;
    memcpy(f->at, at, sizeof(at[0]) * k->params->n);
    for (uint32_t i = 0; i < k->params->n; i++)
        memcpy(f->block + at[i], arg[i], k->params->param[i].bytes);
    return run(k, n_blocks, s, f, limit_us);
}

/* ---- one block ---- */

static int check_places(const struct npu_placeholder *place, size_t n, size_t bytes,
                        const char *who)
{
    for (size_t i = 0; i < n; i++)
        if (place[i].addr_at % sizeof(void *) ||
            (size_t)place[i].addr_at + sizeof(void *) > bytes || place[i].data_at >= bytes)
            return npu_rt_fail(
                ACL_ERROR_RT_PARAM_INVALID,
                "%s: placeHolderArray[%zu]: addrOffset %u and dataOffset %u must lie "
                "in the %zu bytes of hostArgs, the former a multiple of 8",
                who, i, place[i].addr_at, place[i].data_at, bytes);
    return ACL_OK;
}

int npu_rt_launch_host(const void *function, uint32_t n_blocks, struct npu_stream *s,
                       const void *args, size_t bytes, const struct npu_placeholder *place,
                       size_t n_places, int64_t limit_us, const char *who)
{
    struct npu_binary *binary;
    const struct nputwin_kernel *k = launchable(function, &binary, who);
    size_t at[NPU_MAX_PARAMS], need;
    struct flat *f = NULL;
    int rc = ACL_OK;

    if (!k)
        return npu_rt_last_error(false);
    need = lay_out(k->params, at);
    if (bytes < need || (bytes && !args))
        rc = refuse_block(k, args ? bytes : 0, need, who);
    else if (n_places > NPU_MAX_PARAMS || (n_places && !place))
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                         "%s: placeHolderArray is NULL, or has more than %d elements (%zu)", who,
                         NPU_MAX_PARAMS, n_places);
    else
        rc = check_places(place, n_places, bytes, who);
    if (!rc)
        f = new_flat(bytes, (uint32_t)n_places, who);
    if (!f) {
        rt_binary_release(binary);
        return rc ? rc : npu_rt_last_error(false);
    }
    f->params = k->params;
    f->binary = binary;
    memcpy(f->at, at, sizeof(at[0]) * k->params->n);
    if (bytes)
        memcpy(f->block, args, bytes);
    if (n_places)
        memcpy((void *)(uintptr_t)f->place, place, n_places * sizeof(*place));
    set_placeholders(f);
    return run(k, n_blocks, s, f, limit_us);
}

int npu_rt_launch_device(const void *function, uint32_t n_blocks, struct npu_stream *s,
                         const void *args, size_t bytes, int64_t limit_us, const char *who)
{
    struct npu_binary *binary;
    const struct nputwin_kernel *k = launchable(function, &binary, who);
    size_t at[NPU_MAX_PARAMS], need;
    struct npu_allocation where;
    struct flat *f = NULL;
    int rc = ACL_OK;

    if (!k)
        return npu_rt_last_error(false);
    need = lay_out(k->params, at);
    if (bytes < need)
        rc = refuse_block(k, bytes, need, who);
    else if (need && (!npu_rt_find(args, &where) || where.place != PLACE_DEVICE ||
                      (uintptr_t)args + bytes > where.at + where.bytes))
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                         "%s: argsData %p does not hold %zu bytes of device memory: copy the "
                         "arguments there, or use aclrtLaunchKernelWithHostArgs",
                         who, args, bytes);
    else if ((uintptr_t)args % 8)
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: argsData %p is not aligned to 8 bytes",
                         who, args);
    if (!rc)
        f = new_flat(0, 0, who);
    if (!f) {
        rt_binary_release(binary);
        return rc ? rc : npu_rt_last_error(false);
    }
    f->params = k->params;
    f->binary = binary;
    f->device = args;
    memcpy(f->at, at, sizeof(at[0]) * k->params->n);
    return run(k, n_blocks, s, f, limit_us);
}

/* ---- lists ---- */

/* There is no call that ends a list, and a launched one may be changed and launched again. So a
 * program that begins a list for each launch would grow for ever: of those that were launched,
 * between KEPT and twice as many stay, the last ones used. */
enum { KEPT = 256 };

struct npu_args {
    const void *handle; /* what the caller has: a number, or memory of his; never looked into */
    uint32_t n;
    bool is_final, is_launched;
    const struct npu_function *function;
    struct npu_args *next; /* all living ones, the last used one first */
    unsigned char *data;   /* of a user's list */
    size_t room, used;
    struct {
        void *value; /* own memory, or in data; NULL: a placeholder without its buffer */
        uint32_t bytes;
        bool is_placeholder;
    } slot[NPU_MAX_PARAMS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct npu_args *first;
static uint32_t n_launched;

size_t npu_rt_args_bytes(void)
{
    return sizeof(void *);
}

/* A list of our own is known by a number that is given once: an address would come again for
 * another list, and a handle kept too long would then change that one. No address looks like it. */
static const uintptr_t FIRST_HANDLE = (uintptr_t)1 << 63;

static bool is_ours(const struct npu_args *a)
{
    return (uintptr_t)a->handle >= FIRST_HANDLE;
}

/* Locked. The list behind a handle, now the first one; NULL when it is none. */
static struct npu_args *list_of(const void *handle)
{
    struct npu_args **at = &first, *a;

    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    a = *at;
    if (!a)
        return NULL;
    *at = a->next;
    a->next = first;
    first = a;
    return a;
}

/* Locked. Takes the list at *at out. */
static void forget(struct npu_args **at)
{
    struct npu_args *a = *at;

    *at = a->next;
    n_launched -= a->is_launched;
    for (uint32_t i = 0; is_ours(a) && i < a->n; i++)
        free(a->slot[i].value);
    free(a);
}

void rt_args_forget(const struct npu_function *f)
{
    pthread_mutex_lock(&lock);
    for (struct npu_args **at = &first; *at;) {
        if ((*at)->function == f)
            forget(at);
        else
            at = &(*at)->next;
    }
    pthread_mutex_unlock(&lock);
}

/* Locked. */
static void forget_old(void)
{
    uint32_t n = 0;

    for (struct npu_args **at = &first; *at;) {
        n += (*at)->is_launched;
        if ((*at)->is_launched && n > KEPT)
            forget(at);
        else
            at = &(*at)->next;
    }
}

static int begin(const void *handle, const struct npu_function *f, void *data, size_t room,
                 const char *who)
{
    struct npu_args *a = malloc(sizeof(*a));

    if (!a)
        return npu_rt_fail(RT_RESOURCE_ALLOC_FAIL, "%s: out of memory", who);
    *a = (struct npu_args){.handle = handle, .function = f, .data = data, .room = room};
    pthread_mutex_lock(&lock);
    if (list_of(handle))
        forget(&first);
    a->next = first;
    first = a;
    pthread_mutex_unlock(&lock);
    return ACL_OK;
}

int npu_rt_args_new(const struct npu_function *f, struct npu_args **out, const char *who)
{
    static _Atomic uintptr_t n_given;
    struct npu_function_info info;
    int rc = npu_rt_function_info(f, &info, who);

    if (rc)
        return rc;
    *out = (struct npu_args *)(FIRST_HANDLE + n_given++);
    return begin(*out, f, NULL, 0, who);
}

int npu_rt_args_init(const struct npu_function *f, struct npu_args *at, void *data, size_t room,
                     const char *who)
{
    struct npu_function_info info;
    int rc = npu_rt_function_info(f, &info, who);

    return rc ? rc : begin(at, f, data, room, who);
}

/* Memory for one value; NULL with the message. Locked. */
static void *room_for(struct npu_args *a, size_t bytes, const char *who)
{
    void *p = NULL;

    if (is_ours(a)) {
        p = calloc(1, bytes);
    } else if (bytes <= a->room - a->used) {
        p = a->data + a->used;
        a->used += align_up(bytes, 8) < a->room - a->used ? align_up(bytes, 8) : a->room - a->used;
    }
    if (!p)
        npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: %zu bytes do not fit: %zu of %zu bytes of the list's memory are used", who,
                    bytes, a->used, a->room);
    return p;
}

static int no_args(const void *a, const char *who)
{
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: %p is no list of arguments: its binary was unloaded, %d other lists "
                       "were launched since its last use, or it is no aclrtArgsHandle",
                       who, a, KEPT);
}

enum { MAX_VALUE_BYTES = 1 << 20 };

/* Locked. */
static int append(struct npu_args *a, const void *value, size_t bytes, uintptr_t *param,
                  const char *who)
{
    void *p = NULL;

    if (a->n == NPU_MAX_PARAMS)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: a list has at most %d arguments", who,
                           NPU_MAX_PARAMS);
    if (value && (!bytes || bytes > MAX_VALUE_BYTES))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: paramSize %zu is not in [1, %d]", who,
                           bytes, MAX_VALUE_BYTES);
    if (value) {
        p = room_for(a, bytes, who);
        if (!p)
            return ACL_ERROR_RT_PARAM_INVALID;
        memcpy(p, value, bytes);
    }
    a->slot[a->n].value = p;
    a->slot[a->n].bytes = (uint32_t)bytes;
    a->slot[a->n].is_placeholder = !value;
    a->is_final = false;
    *param = ++a->n;
    return ACL_OK;
}

int npu_rt_args_append(struct npu_args *handle, const void *value, size_t bytes, uintptr_t *param,
                       const char *who)
{
    struct npu_args *a;
    int rc;

    pthread_mutex_lock(&lock);
    a = list_of(handle);
    rc = a ? append(a, value, bytes, param, who) : no_args(handle, who);
    pthread_mutex_unlock(&lock);
    return rc;
}

int npu_rt_args_append_placeholder(struct npu_args *a, uintptr_t *param, const char *who)
{
    return npu_rt_args_append(a, NULL, 0, param, who);
}

/* Locked. */
static int check_param(const struct npu_args *a, uintptr_t param, bool is_placeholder,
                       const char *who)
{
    if (param >= 1 && param <= a->n && a->slot[param - 1].is_placeholder == is_placeholder)
        return ACL_OK;
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: paramHandle is no %s of this list", who,
                       is_placeholder ? "placeholder" : "value");
}

/* Locked. */
static int give_buffer(struct npu_args *a, uintptr_t param, size_t bytes, void **out,
                       const char *who)
{
    int rc = check_param(a, param, true, who);

    if (rc)
        return rc;
    if (!bytes || bytes > MAX_VALUE_BYTES)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: dataSize %zu is not in [1, %d]", who,
                           bytes, MAX_VALUE_BYTES);
    if (a->slot[param - 1].value)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: this placeholder has its buffer already", who);
    *out = room_for(a, bytes, who);
    if (!*out)
        return ACL_ERROR_RT_PARAM_INVALID;
    a->slot[param - 1].value = *out;
    a->slot[param - 1].bytes = (uint32_t)bytes;
    return ACL_OK;
}

int npu_rt_args_placeholder(struct npu_args *handle, uintptr_t param, size_t bytes, void **out,
                            const char *who)
{
    struct npu_args *a;
    int rc;

    pthread_mutex_lock(&lock);
    a = list_of(handle);
    rc = a ? give_buffer(a, param, bytes, out, who) : no_args(handle, who);
    pthread_mutex_unlock(&lock);
    return rc;
}

int npu_rt_args_update(struct npu_args *handle, uintptr_t param, const void *value, size_t bytes,
                       const char *who)
{
    struct npu_args *a;
    int rc;

    pthread_mutex_lock(&lock);
    a = list_of(handle);
    rc = a ? check_param(a, param, false, who) : no_args(handle, who);
    if (!rc && bytes != a->slot[param - 1].bytes)
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                         "%s: paramSize %zu, but the value was appended with %u bytes", who, bytes,
                         a->slot[param - 1].bytes);
    if (!rc) {
        memcpy(a->slot[param - 1].value, value, bytes);
        a->is_final = false;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

int npu_rt_args_finalize(struct npu_args *handle, const char *who)
{
    struct npu_args *a;
    int rc = ACL_OK;

    pthread_mutex_lock(&lock);
    a = list_of(handle);
    if (!a)
        rc = no_args(handle, who);
    for (uint32_t i = 0; !rc && i < a->n; i++)
        if (!a->slot[i].value)
            rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                             "%s: argument %u is a placeholder without a buffer: call "
                             "aclrtKernelArgsGetPlaceHolderBuffer",
                             who, i);
    if (!rc)
        a->is_final = true;
    pthread_mutex_unlock(&lock);
    return rc;
}

/* A value of fewer bytes than its slot of 8 may come with all 8. */
static bool fits(const struct nputwin_param *p, uint32_t bytes)
{
    return bytes >= p->bytes && bytes <= align_up(p->bytes, 8);
}

/* Locked. The flat holds the values, then the buffers of placeholders. */
static struct flat *flat_of_list(const struct nputwin_kernel *k, const struct npu_args *a,
                                 const char *who)
{
    size_t at[NPU_MAX_PARAMS], bytes = align_up(lay_out(k->params, at), 16);
    struct npu_placeholder place[NPU_MAX_PARAMS];
    uint32_t n_places = 0;
    struct flat *f;

    for (uint32_t i = 0; i < a->n; i++) {
        if (!a->slot[i].is_placeholder)
            continue;
        place[n_places++] = (struct npu_placeholder){(uint32_t)at[i], (uint32_t)bytes};
        bytes += align_up(a->slot[i].bytes, 16);
    }
    f = new_flat(bytes, n_places, who);
    if (!f)
        return NULL;
    memcpy(f->at, at, sizeof(at[0]) * k->params->n);
    memcpy((void *)(uintptr_t)f->place, place, n_places * sizeof(place[0]));
    for (uint32_t i = 0, p = 0; i < a->n; i++) {
        if (a->slot[i].is_placeholder)
            memcpy(f->block + place[p++].data_at, a->slot[i].value, a->slot[i].bytes);
        else
            memcpy(f->block + at[i], a->slot[i].value, k->params->param[i].bytes);
    }
    set_placeholders(f);
    return f;
}

/* Locked. */
static int check_list(const struct nputwin_kernel *k, const void *function,
                      const struct npu_args *a, const char *who)
{
    if (a->function != function)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: the list was begun for another function than %s", who, k->name);
    if (!a->is_final)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: call aclrtKernelArgsFinalize after the last change of the list",
                           who);
    if (a->n != k->params->n)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: the list has %u arguments, %s has %u parameters", who, a->n,
                           k->name, k->params->n);
    for (uint32_t i = 0; i < a->n; i++)
        if (a->slot[i].is_placeholder ? k->params->param[i].bytes != sizeof(void *)
                                      : !fits(&k->params->param[i], a->slot[i].bytes))
            return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                               "%s: argument %u of the list has %u bytes, the parameter of %s %u",
                               who, i, a->slot[i].is_placeholder ? 8 : a->slot[i].bytes, k->name,
                               k->params->param[i].bytes);
    return ACL_OK;
}

int npu_rt_launch_args(const struct npu_function *function, uint32_t n_blocks, struct npu_stream *s,
                       struct npu_args *handle, int64_t limit_us, const char *who)
{
    struct npu_binary *binary;
    const struct nputwin_kernel *k = launchable(function, &binary, who);
    struct npu_args *args;
    struct flat *f = NULL;
    int rc;

    if (!k)
        return npu_rt_last_error(false);
    pthread_mutex_lock(&lock);
    args = list_of(handle);
    rc = args ? check_list(k, function, args, who) : no_args(handle, who);
    if (!rc)
        f = flat_of_list(k, args, who);
    if (f) { /* it holds a copy of all values */
        n_launched += !args->is_launched;
        args->is_launched = true;
        if (n_launched > 2 * KEPT)
            forget_old();
    }
    pthread_mutex_unlock(&lock);
    if (!f) {
        rt_binary_release(binary);
        return rc ? rc : npu_rt_last_error(false);
    }
    f->params = k->params;
    f->binary = binary;
    return run(k, n_blocks, s, f, limit_us);
}

int npu_rt_function_param(const void *function, size_t i, size_t *at, size_t *bytes,
                          const char *who)
{
    struct npu_binary *binary;
    const struct nputwin_kernel *k = launchable(function, &binary, who);
    size_t all[NPU_MAX_PARAMS];
    int rc = ACL_OK;

    if (!k)
        return npu_rt_last_error(false);
    lay_out(k->params, all);
    if (i < k->params->n) {
        *at = all[i];
        *bytes = k->params->param[i].bytes;
    } else {
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                         "%s: paramIndex %zu is not in [0, %u): %s has %u parameters", who, i,
                         k->params->n, k->name, k->params->n);
    }
    rt_binary_release(binary);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c - which devices there are, which one a thread uses, and which one is broken.
 *
 * A device is a number and an error slot: all devices of a process share the engine and the
 * machine's memory. Contexts are never freed to the system, so a stale handle is recognised.
 * Rule: the first error of a device stays until aclrtResetDevice.
 */
#define _GNU_SOURCE /* gettid */
#include "core.h"
#include "queue.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct npu_context {
    uint32_t magic;
    int device;
    bool primary;
    atomic_bool active;
    _Atomic(struct npu_stream *) stream; /* default stream, made at first use */
};

enum { CONTEXT_MAGIC = 0x4e435458, MAX_CONTEXTS = 256, STORY_BYTES = 2048 };

struct device {
    struct npu_context primary;
    atomic_int error; /* 0: well */
    char story[STORY_BYTES];
    _Atomic(pid_t)
        untold; /* the process whose device it is, while nobody has read a message since */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device devices[NPU_MAX_DEVICES];
static struct npu_context contexts[MAX_CONTEXTS]; /* of aclrtCreateContext */
static int visible[NPU_MAX_DEVICES], n_visible = -1;
static char visible_error[256];
static atomic_int default_device = -1;

static _Thread_local struct npu_context *current;

/* ---- which devices there are --------------------------------------------------------- */

/* Number of devices on the machine, or -1 with visible_error set. */
static int read_machine_count(void)
{
    const char *text = getenv("NPUTWIN_DEVICES");
    char *end;
    long n;

    if (!text || !*text)
        return 1;
    n = strtol(text, &end, 10);
    if (*end || n < 1 || n > NPU_MAX_DEVICES) {
        snprintf(visible_error, sizeof(visible_error),
                 "NPUTWIN_DEVICES=%s: a number from 1 to %d is needed", text, NPU_MAX_DEVICES);
        return -1;
    }
    return (int)n;
}

/* "0,2,3": keeps those, renumbered from 0. Like the vendor's runtime, the list ends at the first
 * number that does not exist. */
static void apply_visible_list(int n_machine, const char *list)
{
    const char *at = list;

    n_visible = 0;
    while (*at && n_visible < NPU_MAX_DEVICES) {
        char *end;
        long id = strtol(at, &end, 10);

        if (end == at || id < 0 || id >= n_machine)
            return;
        for (int i = 0; i < n_visible; i++) {
            if (visible[i] == (int)id)
                return;
        }
        visible[n_visible++] = (int)id;
        while (isspace((unsigned char)*end) || *end == ',')
            end++;
        at = end;
    }
}

static void read_visible(void)
{
    const char *list = getenv("ASCEND_RT_VISIBLE_DEVICES");
    int n = read_machine_count();

    if (n < 0)
        return;
    if (list) {
        apply_visible_list(n, list);
        return;
    }
    for (int i = 0; i < n; i++)
        visible[i] = i;
    n_visible = n;
}

static void read_visible_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_visible);
}

int npu_rt_device_count(void)
{
    read_visible_once();
    if (n_visible < 0)
        npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s", visible_error);
    return n_visible;
}

int npu_rt_physical_device(int device)
{
    read_visible_once();
    return device >= 0 && device < n_visible ? visible[device] : -1;
}

int npu_rt_check_device(int device, const char *who)
{
    int n = npu_rt_device_count();

    if (n < 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (device >= 0 && device < n)
        return ACL_OK;
    if (n == 0)
        return npu_rt_fail(RT_NO_DEVICE,
                           "%s: device %d: ASCEND_RT_VISIBLE_DEVICES hides all devices", who,
                           device);
    return npu_rt_fail(ACL_ERROR_RT_INVALID_DEVICEID,
                       "%s: device %d does not exist, 0 to %d do (NPUTWIN_DEVICES sets how many, "
                       "ASCEND_RT_VISIBLE_DEVICES which)",
                       who, device, n - 1);
}

const struct npu_soc *npu_rt_soc(void)
{
    struct npu_diag d = {0};
    const struct npu_soc *soc = npu_soc_current(&d);

    if (!soc)
        npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s", d.text);
    return soc;
}

/* ---- contexts ------------------------------------------------------------------------ */

static bool is_context(const struct npu_context *c)
{
    for (int i = 0; i < NPU_MAX_DEVICES; i++) {
        if (c == &devices[i].primary)
            return true;
    }
    return c >= contexts && c < contexts + MAX_CONTEXTS &&
           ((uintptr_t)c - (uintptr_t)contexts) % sizeof(*c) == 0;
}

static bool is_alive(struct npu_context *c)
{
    return c && atomic_load_explicit(&c->active, memory_order_acquire);
}

struct npu_context *npu_rt_context(void)
{
    return is_alive(current) ? current : NULL;
}

int npu_rt_device(void)
{
    return is_alive(current) ? current->device : -1;
}

int npu_rt_fail_no_device(const char *who)
{
    return npu_rt_fail(ACL_ERROR_RT_CONTEXT_NULL,
                       "%s: this thread has no current device: call aclrtSetDevice first", who);
}

int npu_rt_set_default_device(int device)
{
    int rc = npu_rt_check_device(device, "aclInit");

    if (!rc)
        atomic_store(&default_device, device);
    return rc;
}

int npu_rt_need_device(const char *who)
{
    int device = npu_rt_device();

    if (NPU_LIKELY(device >= 0))
        return device;
    device = atomic_load(&default_device);
    if (device >= 0)
        return npu_rt_set_device(device) ? -1 : device;
    npu_rt_fail_no_device(who);
    return -1;
}

static void context_init(struct npu_context *c, int device, bool primary)
{
    c->magic = CONTEXT_MAGIC;
    c->device = device;
    c->primary = primary;
    atomic_store_explicit(&c->active, true, memory_order_release);
}

int npu_rt_set_device(int device)
{
    struct npu_context *c;
    int rc = npu_rt_check_device(device, "aclrtSetDevice");

    if (rc)
        return rc;
    if (!npu_rt_soc())
        return ACL_ERROR_RT_PARAM_INVALID;
    if (rt_queue_config_error())
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s", rt_queue_config_error());
    c = &devices[device].primary;
    pthread_mutex_lock(&lock);
    if (!is_alive(c))
        context_init(c, device, true);
    pthread_mutex_unlock(&lock);
    current = c;
    return ACL_OK;
}

static int context_new(struct npu_context **out, int device)
{
    for (int i = 0; i < MAX_CONTEXTS; i++) {
        struct npu_context *c = &contexts[i];

        if (c->magic)
            continue;
        context_init(c, device, false);
        *out = c;
        return ACL_OK;
    }
    return npu_rt_fail(RT_RESOURCE_ALLOC_FAIL, "aclrtCreateContext: %d contexts exist, no more fit",
                       MAX_CONTEXTS);
}

int npu_rt_context_create(struct npu_context **out, int device)
{
    int rc = npu_rt_check_device(device, "aclrtCreateContext");

    if (rc)
        return rc;
    pthread_mutex_lock(&lock);
    rc = context_new(out, device);
    pthread_mutex_unlock(&lock);
    if (!rc)
        current = *out;
    return rc;
}

static int check_context(struct npu_context *c, const char *who)
{
    if (!c || !is_context(c) || !is_alive(c))
        return npu_rt_fail(ACL_ERROR_RT_CONTEXT_NULL, "%s: %p is no living context", who,
                           (void *)c);
    return ACL_OK;
}

int npu_rt_context_destroy(struct npu_context *c)
{
    int rc = check_context(c, "aclrtDestroyContext");
    struct npu_stream *stream;

    if (rc)
        return rc;
    if (c->primary)
        return npu_rt_fail(ACL_ERROR_RT_CONTEXT_NULL,
                           "aclrtDestroyContext: %p is the context that aclrtSetDevice made; "
                           "aclrtResetDevice ends it",
                           (void *)c);
    stream = atomic_exchange(&c->stream, NULL);
    if (stream)
        npu_rt_stream_destroy(stream, false);
    atomic_store_explicit(&c->active, false, memory_order_release);
    pthread_mutex_lock(&lock);
    c->magic = 0;
    pthread_mutex_unlock(&lock);
    return ACL_OK;
}

int npu_rt_context_set(struct npu_context *c)
{
    int rc = check_context(c, "aclrtSetCurrentContext");

    if (!rc)
        current = c;
    return rc;
}

/* Two threads may both make one; the second gives its own back. No lock: streams have theirs. */
static struct npu_stream *make_default_stream(struct npu_context *c)
{
    struct npu_stream *mine = rt_stream_new(c->device, 0, 0), *other = NULL;

    if (mine)
        mine->is_default = true;
    if (!mine || atomic_compare_exchange_strong(&c->stream, &other, mine))
        return mine;
    npu_rt_stream_destroy(mine, true);
    return other;
}

struct npu_stream *rt_default_stream(const char *who)
{
    struct npu_context *c;
    struct npu_stream *s;

    if (npu_rt_need_device(who) < 0)
        return NULL;
    c = npu_rt_context();
    if (rt_graph_forbid_default(c->device, who))
        return NULL;
    s = atomic_load_explicit(&c->stream, memory_order_acquire);
    if (NPU_UNLIKELY(!s))
        s = make_default_stream(c);
    if (NPU_UNLIKELY(!s))
        npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory for a stream", who);
    return s;
}

/* ---- what is broken ------------------------------------------------------------------ */

int npu_rt_device_error(int device)
{
    char story[STORY_BYTES];
    int code;

    if (device < 0 || device >= NPU_MAX_DEVICES)
        return 0;
    code = atomic_load_explicit(&devices[device].error, memory_order_acquire);
    if (NPU_LIKELY(!code))
        return 0;
    pthread_mutex_lock(&lock);
    memcpy(story, devices[device].story, STORY_BYTES);
    pthread_mutex_unlock(&lock);
    return npu_rt_repeat(code, story);
}

bool rt_device_is_well(int device)
{
    return !atomic_load_explicit(&devices[device].error, memory_order_acquire);
}

void npu_rt_device_poison(int device, int code, const char *text)
{
    if (device < 0 || device >= NPU_MAX_DEVICES || !code)
        return;
    pthread_mutex_lock(&lock);
    if (!devices[device].error) {
        snprintf(devices[device].story, STORY_BYTES, "%s", text && *text ? text : "no story");
        devices[device].untold = getpid();
        atomic_store_explicit(&devices[device].error, code, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
}

/* torch_npu raises once, drops all that is queued behind and goes on as if that had run: results
 * would be whatever the memory held. */
void npu_rt_poison_behind_queue(int rc)
{
    const char *mode = getenv("TASK_QUEUE_ENABLE");
    const char *text;

    if (!mode || strcmp(mode, "2") != 0 || gettid() == getpid())
        return;
    text = npu_rt_take_message();
    npu_rt_device_poison(npu_rt_device(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, text);
    npu_rt_fail(rc, "%s", text ? text : "");
}

void rt_device_told(void)
{
    for (int i = 0; i < NPU_MAX_DEVICES; i++)
        if (NPU_UNLIKELY(atomic_load_explicit(&devices[i].error, memory_order_acquire)))
            devices[i].untold = 0;
}

/* A program that never reads error messages would end as if nothing had been. */
static void tell(int device)
{
    struct device *d = &devices[device];

    if (!atomic_load_explicit(&d->error, memory_order_acquire) || d->untold != getpid())
        return;
    d->untold = 0;
    fprintf(stderr,
            "nputwin: device %d stopped with %d, and the program did not ask aclGetRecentErrMsg "
            "why: %s\n",
            device, d->error, d->story);
}

__attribute__((destructor)) static void tell_at_exit(void)
{
    for (int i = 0; i < NPU_MAX_DEVICES; i++)
        tell(i);
}

bool npu_rt_device_active(int device)
{
    return device >= 0 && device < NPU_MAX_DEVICES && is_alive(&devices[device].primary);
}

int npu_rt_reset_device(int device)
{
    struct npu_context *c;
    int rc = npu_rt_check_device(device, "aclrtResetDevice");

    if (rc)
        return rc;
    c = &devices[device].primary;
    if (!is_alive(c))
        return ACL_OK;
    rt_device_drain(device);
    tell(device);
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&devices[device].error, 0, memory_order_release);
    atomic_store_explicit(&c->active, false, memory_order_release);
    pthread_mutex_unlock(&lock);
    if (current == c)
        current = NULL;
    return ACL_OK;
}

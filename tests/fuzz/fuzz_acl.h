/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_acl.h - what the targets share that let several threads call ACL at once: streams and events
 * that all of them use and destroy under each other, a kernel, the calls of a thread.
 */
#ifndef NPU_FUZZ_ACL_H
#define NPU_FUZZ_ACL_H
#include "../../engine/kernel.h"
#include "../../sdk/include/acl/acl.h"
#include "fuzz.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { N_THREADS = 3, N_SHARED = 4, N_WORDS = 64 };

static _Atomic(void *) streams[N_SHARED], events[N_SHARED];

struct worker {
    pthread_t thread;
    struct fuzz_in in;
    uint32_t *memory, *pinned, n_added;
};

/* A target whose queues may wait for ever takes aclrtDestroyStreamForce. */
static aclError (*destroy_stream)(aclrtStream s) = aclrtDestroyStream;

static void must_work(int code, const char *call)
{
    const char *story = code ? aclGetRecentErrMsg() : "";

    FUZZ_CHECK(code == 0, "%s gave %d: %s", call, code, story ? story : "");
}

/* Fine or refused: but refused with a sentence. */
static bool either(int code, const char *call)
{
    const char *story = code ? aclGetRecentErrMsg() : "";

    FUZZ_CHECK(story && (!code || *story), "%s gave %d without a sentence", call, code);
    return !code;
}

static _Atomic(void *) *place(struct worker *w, _Atomic(void *) *shared)
{
    return &shared[fuzz_take(&w->in, 1) % N_SHARED];
}

/* ---- a kernel: adds 1 to each word ----------------------------------------------------------- */

static void add_kernel(uint32_t *x)
{
    for (int i = 0; i < N_WORDS; i++)
        __atomic_fetch_add(&x[i], 1, __ATOMIC_RELAXED);
}

static void call_add(void (*fn)(void), void *const *arg)
{
    ((void (*)(uint32_t *))fn)(*(uint32_t *const *)arg[0]);
}

static int add_key;

static void begin_acl(void)
{
    static const struct nputwin_param param[] = {{8, 8}};
    static const struct nputwin_params params = {1, param, call_add};
    static const struct nputwin_kernel row[] = {{&add_key, (void (*)(void))add_kernel, NULL, "add",
                                                 NPUTWIN_AIV, 2201, "add", &params, NULL}};

    must_work(aclInit(NULL), "aclInit");
    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    nputwin_register(NPUTWIN_KERNEL_ABI, row, 1);
}

/* ---- what is shared -------------------------------------------------------------------------- */

static void make_stream(struct worker *w)
{
    void *s = NULL, *none = NULL;

    must_work(aclrtCreateStreamWithConfig(&s, 0, 0), "aclrtCreateStreamWithConfig");
    if (!atomic_compare_exchange_strong(place(w, streams), &none, s))
        must_work(destroy_stream(s), "destroying a stream of its own");
}

static void end_stream_at(_Atomic(void *) *at)
{
    void *s = atomic_exchange(at, NULL);

    if (s)
        must_work(destroy_stream(s), "destroying a stream");
}

static void end_stream(struct worker *w) { end_stream_at(place(w, streams)); }

static void make_event_of(struct worker *w, uint32_t flag)
{
    void *e = NULL, *none = NULL;

    must_work(flag == ACL_EVENT_EXTERNAL ? aclrtCreateEventWithFlag(&e, flag)
                                         : aclrtCreateEventExWithFlag(&e, flag),
              "creating an event");
    if (!atomic_compare_exchange_strong(place(w, events), &none, e))
        must_work(aclrtDestroyEvent(e), "aclrtDestroyEvent of an own one");
}

static inline void make_sync_event(struct worker *w) { make_event_of(w, ACL_EVENT_SYNC); }

static void end_event_at(_Atomic(void *) *at)
{
    void *e = atomic_exchange(at, NULL);

    if (e)
        must_work(aclrtDestroyEvent(e), "aclrtDestroyEvent");
}

static void end_event(struct worker *w) { end_event_at(place(w, events)); }

static inline void end_shared(void)
{
    for (int i = 0; i < N_SHARED; i++) {
        end_stream_at(&streams[i]);
        end_event_at(&events[i]);
    }
}

/* ---- the threads ----------------------------------------------------------------------------- */

typedef void call_fn(struct worker *w);

static void make_calls(struct worker *w, call_fn *const *calls, size_t n_calls, int most)
{
    for (int i = 0; w->in.left && i < most; i++)
        calls[fuzz_take(&w->in, 1) % n_calls](w);
}

/* Each has its share of the input. */
static void run_threads(struct worker *workers, void *(*run)(void *), const uint8_t *data, size_t n)
{
    size_t share = n / N_THREADS;

    for (int i = 0; i < N_THREADS; i++) {
        workers[i].in = (struct fuzz_in){data + (size_t)i * share, share};
        FUZZ_CHECK(!pthread_create(&workers[i].thread, NULL, run, &workers[i]), "no thread");
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(workers[i].thread, NULL);
}

#endif

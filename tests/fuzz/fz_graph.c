/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fz_graph.c - captures, executions, task groups and updates from several threads, on streams,
 * events and models that they share and destroy under each other. What must hold: every call
 * returns, a failure leaves a sentence in its own thread, and when all streams are gone no model
 * runs and each can be destroyed.
 */
#include "../../engine/kernel.h"
#include "../../sdk/include/acl/acl.h"
#include "fuzz.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { N_THREADS = 3, N_SHARED = 3, MAX_CALLS = 40, N_WORDS = 64, WAIT_MS = 5 };

static _Atomic(void *) streams[N_SHARED], events[N_SHARED], models[N_SHARED], groups[N_SHARED];

struct worker {
    pthread_t thread;
    struct fuzz_in in;
    uint32_t *memory, *pinned;
};

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

static void *take(struct worker *w, _Atomic(void *) *shared)
{
    uint8_t which = (uint8_t)fuzz_take(&w->in, 1);

    return which == 255 ? w : atomic_load(&shared[which % N_SHARED]); /* 255: nothing of the kind */
}

static _Atomic(void *) *place(struct worker *w, _Atomic(void *) *shared)
{
    return &shared[fuzz_take(&w->in, 1) % N_SHARED];
}

/* ---- a kernel ------------------------------------------------------------------------------ */

static void add_kernel(uint32_t *x)
{
    __atomic_fetch_add(x, 1, __ATOMIC_RELAXED);
}

static void call_add(void (*fn)(void), void *const *arg)
{
    ((void (*)(uint32_t *))fn)(*(uint32_t *const *)arg[0]);
}

static int add_key;
static const struct nputwin_param add_param[] = {{8, 8}};
static const struct nputwin_params add_params = {1, add_param, call_add};
static const struct nputwin_kernel add_row[] = {
    {&add_key, (void (*)(void))add_kernel, NULL, "add", NPUTWIN_AIV, 2201, "add", &add_params}};

/* ---- the calls ----------------------------------------------------------------------------- */

static void make_stream(struct worker *w)
{
    void *s = NULL, *none = NULL;

    must_work(aclrtCreateStreamWithConfig(&s, 0, 0), "aclrtCreateStreamWithConfig");
    if (!atomic_compare_exchange_strong(place(w, streams), &none, s))
        must_work(aclrtDestroyStreamForce(s), "aclrtDestroyStreamForce of an own one");
}

static void end_stream(struct worker *w)
{
    void *s = atomic_exchange(place(w, streams), NULL);

    if (s)
        must_work(aclrtDestroyStreamForce(s), "aclrtDestroyStreamForce");
}

static void make_event(struct worker *w)
{
    void *e = NULL, *none = NULL;

    if (fuzz_take(&w->in, 1) % 4)
        must_work(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC), "aclrtCreateEventExWithFlag");
    else
        must_work(aclrtCreateEventWithFlag(&e, ACL_EVENT_EXTERNAL), "aclrtCreateEventWithFlag");
    if (!atomic_compare_exchange_strong(place(w, events), &none, e))
        must_work(aclrtDestroyEvent(e), "aclrtDestroyEvent of an own one");
}

static void end_event(struct worker *w)
{
    void *e = atomic_exchange(place(w, events), NULL);

    if (e)
        must_work(aclrtDestroyEvent(e), "aclrtDestroyEvent");
}

static void begin(struct worker *w)
{
    aclmdlRICaptureMode mode = (aclmdlRICaptureMode)(fuzz_take(&w->in, 1) % 4);

    either(aclmdlRICaptureBegin(take(w, streams), mode), "aclmdlRICaptureBegin");
}

/* A model that has no place must be one that nobody runs. */
static void end(struct worker *w)
{
    void *none = NULL;
    aclmdlRI model = w;

    if (!either(aclmdlRICaptureEnd(take(w, streams), &model), "aclmdlRICaptureEnd"))
        FUZZ_CHECK(model == w || !model, "a capture that failed gave a model");
    else if (!atomic_compare_exchange_strong(place(w, models), &none, model))
        must_work(aclmdlRIDestroy(model), "aclmdlRIDestroy of an own one");
}

static void execute(struct worker *w)
{
    void *model = take(w, models);

    either(aclmdlRIExecuteAsync(model, take(w, streams)), "aclmdlRIExecuteAsync");
}

static void destroy(struct worker *w)
{
    _Atomic(void *) *at = place(w, models);
    void *model = atomic_load(at);

    if (either(aclmdlRIDestroy(model), "aclmdlRIDestroy"))
        atomic_compare_exchange_strong(at, &model, NULL);
}

static void describe(struct worker *w)
{
    void *model = take(w, models);
    aclmdlRICaptureStatus status;
    char name[8];
    uint32_t id;

    either(aclmdlRICaptureGetInfo(take(w, streams), &status, &model), "aclmdlRICaptureGetInfo");
    either(aclmdlRIGetId(model, &id), "aclmdlRIGetId");
    either(aclmdlRISetName(model, "a longer name"), "aclmdlRISetName");
    either(aclmdlRIGetName(model, sizeof(name), name), "aclmdlRIGetName");
    either(aclmdlRIDebugJsonPrint(model, "/dev/null", 1), "aclmdlRIDebugJsonPrint");
    either(aclmdlRIDebugPrint(model), "aclmdlRIDebugPrint");
}

static void exchange(struct worker *w)
{
    aclmdlRICaptureMode mode = (aclmdlRICaptureMode)(fuzz_take(&w->in, 1) % 4);

    either(aclmdlRICaptureThreadExchangeMode(&mode), "aclmdlRICaptureThreadExchangeMode");
}

static void record(struct worker *w)
{
    void *e = take(w, events);

    either(aclrtRecordEvent(e, take(w, streams)), "aclrtRecordEvent");
}

static void wait(struct worker *w)
{
    void *e = take(w, events);

    either(aclrtStreamWaitEvent(take(w, streams), e), "aclrtStreamWaitEvent");
}

static void reset(struct worker *w)
{
    void *e = take(w, events);

    either(aclrtResetEvent(e, take(w, streams)), "aclrtResetEvent");
}

static void group(struct worker *w)
{
    void *s = take(w, streams), *made = NULL;

    either(aclmdlRICaptureTaskGrpBegin(s), "aclmdlRICaptureTaskGrpBegin");
    if (fuzz_take(&w->in, 1) % 4) {
        void *args[] = {&w->memory};

        either(aclrtLaunchKernelWithArgsArray(&add_key, 1, s, NULL, args), "a launch");
    }
    if (either(aclmdlRICaptureTaskGrpEnd(s, &made), "aclmdlRICaptureTaskGrpEnd"))
        atomic_store(place(w, groups), made);
}

static void update(struct worker *w)
{
    void *s = take(w, streams), *args[] = {&w->memory};

    either(aclmdlRICaptureTaskUpdateBegin(s, take(w, groups)), "aclmdlRICaptureTaskUpdateBegin");
    either(aclrtLaunchKernelWithArgsArray(&add_key, 1, s, NULL, args), "a launch");
    either(aclmdlRICaptureTaskUpdateEnd(s), "aclmdlRICaptureTaskUpdateEnd");
}

static void no_work(void *arg)
{
    (void)arg;
}

static void give(struct worker *w)
{
    void *s = take(w, streams), *args[] = {&w->memory};

    switch (fuzz_take(&w->in, 1) % 4) {
    case 0:
        either(aclrtLaunchKernelWithArgsArray(&add_key, 1, s, NULL, args), "a launch");
        break;
    case 1:
        either(
            aclrtMemcpyAsync(w->memory, N_WORDS, w->pinned, N_WORDS, ACL_MEMCPY_HOST_TO_DEVICE, s),
            "aclrtMemcpyAsync");
        break;
    case 2:
        either(aclrtLaunchHostFunc(s, no_work, NULL), "aclrtLaunchHostFunc");
        break;
    default:
        either(aclrtValueWrite(w->memory + 2, 1, 0, s), "aclrtValueWrite");
    }
}

static void unsafe(struct worker *w)
{
    uint8_t pageable[N_WORDS] = {0};

    either(aclrtMemset(w->memory, N_WORDS, 0, N_WORDS), "aclrtMemset");
    either(aclrtMemcpyAsync(w->memory, N_WORDS, pageable, N_WORDS, ACL_MEMCPY_HOST_TO_DEVICE,
                            take(w, streams)),
           "aclrtMemcpyAsync of pageable memory");
}

static void ask(struct worker *w)
{
    aclrtEventRecordedStatus recorded;
    aclrtStreamStatus status;

    either(aclrtSynchronizeStreamWithTimeout(take(w, streams), WAIT_MS),
           "aclrtSynchronizeStreamWithTimeout");
    either(aclrtStreamQuery(take(w, streams), &status), "aclrtStreamQuery");
    either(aclrtQueryEventStatus(take(w, events), &recorded), "aclrtQueryEventStatus");
}

static void (*const calls[])(struct worker *w) = {
    make_stream, end_stream, make_event, end_event, begin,   end,    execute, destroy, describe,
    exchange,    record,     wait,       reset,     group,   update, give,    unsafe,  ask,
    make_stream, make_event, begin,      end,       execute, give,   record,  wait,    give};

static void *run(void *arg)
{
    struct worker *w = arg;

    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    for (int i = 0; w->in.left && i < MAX_CALLS; i++)
        calls[fuzz_take(&w->in, 1) % (sizeof(calls) / sizeof(calls[0]))](w);
    return NULL;
}

void fuzz_begin(void)
{
    must_work(aclInit(NULL), "aclInit");
    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    nputwin_register(NPUTWIN_KERNEL_ABI, add_row, 1);
}

/* Streams first: what they capture or still have to run ends with them. */
static void finish_all(struct worker *workers)
{
    for (int i = 0; i < N_SHARED; i++) {
        void *s = atomic_exchange(&streams[i], NULL);

        if (s)
            must_work(aclrtDestroyStreamForce(s), "aclrtDestroyStreamForce");
    }
    /* the default stream stays: what it has to run ends with the device */
    either(aclmdlRICaptureTaskUpdateEnd(NULL), "aclmdlRICaptureTaskUpdateEnd");
    must_work(aclrtResetDevice(0), "aclrtResetDevice");
    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    for (int i = 0; i < N_SHARED; i++) {
        void *e = atomic_exchange(&events[i], NULL), *m = atomic_exchange(&models[i], NULL);

        if (e)
            must_work(aclrtDestroyEvent(e), "aclrtDestroyEvent");
        if (m)
            must_work(aclmdlRIDestroy(m), "aclmdlRIDestroy at the end");
        atomic_store(&groups[i], NULL);
    }
    for (int i = 0; i < N_THREADS; i++) {
        must_work(aclrtFree(workers[i].memory), "aclrtFree");
        must_work(aclrtFreeHost(workers[i].pinned), "aclrtFreeHost");
    }
}

void fuzz_one(const uint8_t *data, size_t n)
{
    struct worker workers[N_THREADS] = {0};
    size_t share = n / N_THREADS;

    for (int i = 0; i < N_THREADS; i++) {
        struct worker *w = &workers[i];

        w->in = (struct fuzz_in){data + (size_t)i * share, share};
        must_work(aclrtMalloc((void **)&w->memory, N_WORDS * 4, ACL_MEM_MALLOC_HUGE_FIRST),
                  "aclrtMalloc");
        must_work(aclrtMallocHost((void **)&w->pinned, N_WORDS * 4), "aclrtMallocHost");
        memset(w->pinned, 0, N_WORDS * 4);
        FUZZ_CHECK(!pthread_create(&w->thread, NULL, run, w), "no thread");
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    finish_all(workers);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fz_graph.c - captures, executions, task groups and updates from several threads, on streams,
 * events and models that they share and destroy under each other. What must hold: every call
 * returns, a failure leaves a sentence in its own thread, and when all streams are gone no model
 * runs and each can be destroyed.
 */
#include "fuzz_acl.h"

enum { MAX_CALLS = 40, WAIT_MS = 5 };

static _Atomic(void *) models[N_SHARED], groups[N_SHARED];

/* ---- the calls ----------------------------------------------------------------------------- */

static void *take(struct worker *w, _Atomic(void *) *shared)
{
    uint8_t which = (uint8_t)fuzz_take(&w->in, 1);

    return which == 255 ? w : atomic_load(&shared[which % N_SHARED]); /* 255: nothing of the kind */
}

static void make_event(struct worker *w)
{
    make_event_of(w, fuzz_take(&w->in, 1) % 4 ? ACL_EVENT_SYNC : ACL_EVENT_EXTERNAL);
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

static call_fn *const calls[] = {
    make_stream, end_stream, make_event, end_event, begin,   end,    execute, destroy, describe,
    exchange,    record,     wait,       reset,     group,   update, give,    unsafe,  ask,
    make_stream, make_event, begin,      end,       execute, give,   record,  wait,    give};

static void *run(void *arg)
{
    struct worker *w = arg;

    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    make_calls(w, calls, sizeof(calls) / sizeof(calls[0]), MAX_CALLS);
    return NULL;
}

void fuzz_begin(void)
{
    begin_acl();
    destroy_stream = aclrtDestroyStreamForce;
}

/* Streams first: what they capture or still have to run ends with them. */
static void finish_all(struct worker *workers)
{
    for (int i = 0; i < N_SHARED; i++)
        end_stream_at(&streams[i]);
    /* the default stream stays: what it has to run ends with the device */
    either(aclmdlRICaptureTaskUpdateEnd(NULL), "aclmdlRICaptureTaskUpdateEnd");
    must_work(aclrtResetDevice(0), "aclrtResetDevice");
    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    for (int i = 0; i < N_SHARED; i++) {
        void *m = atomic_exchange(&models[i], NULL);

        end_event_at(&events[i]);
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

    for (int i = 0; i < N_THREADS; i++) {
        struct worker *w = &workers[i];

        must_work(aclrtMalloc((void **)&w->memory, N_WORDS * 4, ACL_MEM_MALLOC_HUGE_FIRST),
                  "aclrtMalloc");
        must_work(aclrtMallocHost((void **)&w->pinned, N_WORDS * 4), "aclrtMallocHost");
        memset(w->pinned, 0, N_WORDS * 4);
    }
    run_threads(workers, run, data, n);
    finish_all(workers);
}

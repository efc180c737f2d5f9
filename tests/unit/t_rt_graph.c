/* SPDX-License-Identifier: Apache-2.0 */
/* t_rt_graph.c - captured graphs: what is kept, in which order it runs again, what a capture
 * refuses, groups of tasks and their updates. */
#include "rt_test.h"
#include "../../engine/kernel.h"

#include <pthread.h>
#include <stdatomic.h>

enum { N = 64, BYTES = N * 4 };

/* What one test works on: `in` and `out` pinned, `x` and `y` on the device, two streams. */
struct bench {
    uint32_t *in, *out, *x, *y;
    aclrtStream main, side;
    aclrtEvent a, b;
};

static int setup(void **state)
{
    struct bench *t = calloc(1, sizeof(*t));

    *state = t;
    if (!t || aclrtSetDevice(0) || aclrtMallocHost((void **)&t->in, BYTES) ||
        aclrtMallocHost((void **)&t->out, BYTES) || aclrtMalloc((void **)&t->x, BYTES, 0) ||
        aclrtMalloc((void **)&t->y, BYTES, 0) || aclrtCreateStream(&t->main) ||
        aclrtCreateStream(&t->side) || aclrtCreateEventExWithFlag(&t->a, ACL_EVENT_SYNC) ||
        aclrtCreateEventExWithFlag(&t->b, ACL_EVENT_SYNC))
        return 1;
    for (int i = 0; i < N; i++)
        t->in[i] = (uint32_t)i;
    memset(t->out, 0, BYTES);
    memset(t->x, 0, BYTES);
    memset(t->y, 0, BYTES);
    return 0;
}

static int teardown(void **state)
{
    struct bench *t = *state;
    int rc = aclrtDestroyStream(t->main) || aclrtDestroyStream(t->side) ||
             aclrtDestroyEvent(t->a) || aclrtDestroyEvent(t->b) || aclrtFree(t->x) ||
             aclrtFree(t->y) || aclrtFreeHost(t->in) || aclrtFreeHost(t->out) ||
             aclrtResetDevice(0);

    free(t);
    return rc;
}

/* ---- a kernel ---- */

struct args {
    const uint32_t *x;
    uint32_t *y, add;
};

static void add_kernel(struct args a)
{
    for (int i = 0; i < N; i++)
        a.y[i] = a.x[i] + a.add;
}

static void call(void (*fn)(void), const void *args)
{
    ((void (*)(struct args))fn)(*(const struct args *)args);
}

static void *copy(const void *args)
{
    struct args *a = malloc(sizeof(*a));

    *a = *(const struct args *)args;
    return a;
}

static int key;
static const struct nputwin_kernel kernels[] = {
    {&key, (void (*)(void))add_kernel, NULL, "add", NPUTWIN_AIV, 2201, NULL, NULL, NULL}};

static int launch(struct bench *t, uint32_t add, aclrtStream s)
{
    struct args a = {t->x, t->y, add};
    int rc = (int)nputwin_launch(&key, 1, NULL, s, call, &a, copy, free);

    memset(&a, 0xff, sizeof(a)); /* the capture has its own copy */
    return rc;
}

static int in_to_x(struct bench *t, aclrtStream s)
{
    return aclrtMemcpyAsync(t->x, BYTES, t->in, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, s);
}

static int y_to_out(struct bench *t, aclrtStream s)
{
    return aclrtMemcpyAsync(t->out, BYTES, t->y, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, s);
}

static aclmdlRICaptureStatus status_of(aclrtStream s)
{
    aclmdlRICaptureStatus status;
    aclmdlRI model;

    OK(aclmdlRICaptureGetInfo(s, &status, &model));
    assert_int_equal(model != NULL, status != ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    return status;
}

/* ---- one stream ---- */

static void test_runs_again_with_new_inputs(void **state)
{
    struct bench *t = *state;
    aclmdlRI model, told;
    uint32_t id, other;
    aclmdlRICaptureStatus status;

    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(in_to_x(t, t->main));
    OK(launch(t, 7, t->main));
    OK(y_to_out(t, t->main));
    OK(aclmdlRICaptureGetInfo(t->main, &status, &told));
    assert_int_equal(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    FAILS(107026, "is being captured", aclmdlRIExecuteAsync(told, t->side));
    FAILS(107026, "is being captured", aclmdlRIDestroy(told));
    OK(aclmdlRICaptureEnd(t->main, &model));
    assert_ptr_equal(model, told);
    assert_int_equal(status_of(t->main), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    assert_int_equal(t->out[5], 0); /* nothing ran */
    assert_int_equal(t->x[5], 0);
    for (uint32_t round = 0; round < 3; round++) {
        t->in[5] = round * 100;
        OK(aclmdlRIExecuteAsync(model, round == 2 ? NULL : t->main));
        OK(aclrtSynchronizeDevice());
        assert_int_equal(t->out[5], round * 100 + 7);
        assert_int_equal(t->out[N - 1], N - 1 + 7);
    }
    t->in[5] = 1;
    OK(aclmdlRIExecute(model, 1000));
    assert_int_equal(t->out[5], 8);
    FAILS(107000, "timeout 0", aclmdlRIExecute(model, 0));
    OK(aclmdlRIGetId(model, &id));
    OK(aclmdlRIDestroy(model));
    FAILS(107000, "no living model", aclmdlRIDestroy(model));
    FAILS(107000, "no living model", aclmdlRIExecuteAsync(model, t->main));
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIGetId(model, &other));
    assert_int_not_equal(id, other);
    OK(aclmdlRIExecuteAsync(model, t->main)); /* an empty one is fine */
    OK(aclrtSynchronizeStream(t->main));
    OK(aclmdlRIDestroy(model));
}

static void test_what_was_given_before_runs_before(void **state)
{
    struct bench *t = *state;
    uint64_t *go = (uint64_t *)t->y;
    aclmdlRI model;

    OK(aclrtValueWait(go, 1, ACL_STREAM_WAIT_VALUE_EQ, t->main));
    OK(aclrtMemsetAsync(t->x, BYTES, 3, BYTES, t->main));
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtMemsetAsync(t->x, BYTES, 5, BYTES, t->main));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIExecuteAsync(model, t->main));
    assert_int_equal(t->x[0], 0);
    FAILS(107037, "have not ended", aclmdlRIDestroy(model));
    __atomic_store_n(go, 1, __ATOMIC_RELEASE);
    OK(aclrtSynchronizeStream(t->main));
    assert_int_equal(t->x[0], 0x05050505);
    OK(aclmdlRIDestroy(model));
}

static void test_values_in_memory(void **state)
{
    struct bench *t = *state;
    uint64_t *go = (uint64_t *)t->x, *done = (uint64_t *)t->y;
    aclrtStreamStatus status;
    aclmdlRI model;

    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtValueWait(go, 5, ACL_STREAM_WAIT_VALUE_GEQ, t->main));
    OK(aclrtValueWrite(done, 9, 0, t->main));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIExecuteAsync(model, t->main));
    OK(aclrtStreamQuery(t->main, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    FAILS(507046, "not done", aclrtSynchronizeStreamWithTimeout(t->main, 20));
    __atomic_store_n(go, 6, __ATOMIC_RELEASE); /* the worker looks */
    OK(aclrtSynchronizeStreamWithTimeout(t->main, 5000));
    assert_int_equal(*done, 9);
    *go = 0;
    OK(aclmdlRIExecuteAsync(model, t->main)); /* a stream that goes away drops it */
    OK(aclrtDestroyStreamForce(t->main));
    OK(aclmdlRIDestroy(model));
    OK(aclrtCreateStream(&t->main));
}

/* ---- several streams ---- */

static void test_fork_and_join(void **state)
{
    struct bench *t = *state;
    aclrtStream outside;
    aclmdlRI model;

    OK(aclrtCreateStream(&outside));
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    OK(in_to_x(t, t->main));
    OK(aclrtRecordEvent(t->a, t->main));
    OK(aclrtStreamWaitEvent(t->side, t->a));
    assert_int_equal(status_of(t->side), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    OK(launch(t, 30, t->side));
    OK(aclrtRecordEvent(t->b, t->side));
    OK(aclrtStreamWaitEvent(t->main, t->b));
    OK(y_to_out(t, t->main));
    FAILS(107028, "recorded in a capture", aclrtRecordEvent(t->a, outside));
    OK(aclmdlRICaptureEnd(t->main, &model));
    assert_int_equal(status_of(t->side), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    OK(aclrtRecordEvent(t->a, t->side)); /* both are free again */
    OK(aclrtSynchronizeEvent(t->a));
    for (uint32_t round = 1; round < 4; round++) {
        t->in[9] = round;
        OK(aclmdlRIExecuteAsync(model, t->side));
        OK(aclrtSynchronizeStream(t->side));
        assert_int_equal(t->out[9], round + 30);
    }
    OK(aclmdlRIDestroy(model));
    OK(aclrtDestroyStream(outside));
}

static void fork_to(struct bench *t, aclrtStream to)
{
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtRecordEvent(t->a, t->main));
    OK(aclrtStreamWaitEvent(to, t->a));
}

static void test_streams_have_to_come_back(void **state)
{
    struct bench *t = *state;
    aclrtStream third;
    aclmdlRI model = &model;

    fork_to(t, t->side);
    FAILS(107025, "did not come back", aclmdlRICaptureEnd(t->main, &model));
    assert_null(model);
    fork_to(t, t->side); /* its last record is not waited for */
    OK(launch(t, 1, t->side));
    OK(aclrtRecordEvent(t->b, t->side));
    FAILS(107025, "did not come back", aclmdlRICaptureEnd(t->main, &model));
    fork_to(t, t->side); /* a task behind the record */
    OK(aclrtRecordEvent(t->b, t->side));
    OK(aclrtStreamWaitEvent(t->main, t->b));
    OK(launch(t, 1, t->side));
    FAILS(107025, "did not come back", aclmdlRICaptureEnd(t->main, &model));
    fork_to(t, t->side); /* a record behind the last task keeps nobody waiting */
    OK(aclrtRecordEvent(t->b, t->side));
    OK(aclrtStreamWaitEvent(t->main, t->b));
    OK(aclrtRecordEvent(t->a, t->side));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIDestroy(model));
    OK(aclrtCreateStream(&third)); /* back by way of another stream */
    fork_to(t, t->side);
    OK(aclrtRecordEvent(t->b, t->side));
    OK(aclrtStreamWaitEvent(third, t->b));
    OK(launch(t, 1, third));
    OK(aclrtRecordEvent(t->a, third));
    OK(aclrtStreamWaitEvent(t->main, t->a));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIExecuteAsync(model, t->main));
    OK(aclrtSynchronizeStream(t->main));
    assert_int_equal(t->y[3], t->x[3] + 1);
    OK(aclmdlRIDestroy(model));
    OK(aclrtDestroyStream(third));
}

static void test_captures_do_not_mix(void **state)
{
    struct bench *t = *state;
    aclmdlRI model;

    OK(aclrtRecordEvent(t->b, t->side)); /* outside */
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    FAILS(107027, "captured already",
          aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    FAILS(107024, "not recorded in this capture", aclrtStreamWaitEvent(t->main, t->b));
    FAILS(107024, "broken before", launch(t, 1, t->main));
    assert_int_equal(status_of(t->main), ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    FAILS(107024, "aclrtStreamWaitEvent", aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclmdlRICaptureBegin(t->side, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtRecordEvent(t->a, t->main));
    FAILS(107032, "another capture", aclrtStreamWaitEvent(t->side, t->a));
    FAILS(107032, "broken", aclmdlRICaptureEnd(t->side, &model));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    FAILS(107027, "cannot stand in another", aclmdlRIExecuteAsync(model, t->main));
    OK(aclmdlRIDestroy(model));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIDestroy(model));
}

/* ---- what cannot be captured ---- */

/* The call fails with code, breaks the capture, and the stream is usable afterwards. */
#define BREAKS(t, code, words, call)                                                               \
    do {                                                                                           \
        aclmdlRI model_ = &model_;                                                                 \
        OK(aclmdlRICaptureBegin((t)->main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));                     \
        OK(aclrtRecordEvent((t)->a, (t)->main));                                                   \
        FAILS(code, words, call);                                                                  \
        assert_int_equal(status_of((t)->main), ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);           \
        FAILS(code, "broken before", aclmdlRICaptureEnd((t)->main, &model_));                      \
        assert_null(model_);                                                                       \
        OK(aclrtSynchronizeStream((t)->main));                                                     \
    } while (0)

static void test_waiting_breaks_a_capture(void **state)
{
    struct bench *t = *state;
    aclrtEventRecordedStatus recorded;
    aclrtStreamStatus status;

    BREAKS(t, 107027, "stream", aclrtSynchronizeStream(t->main));
    BREAKS(t, 107027, "stream", aclrtSynchronizeStreamWithTimeout(t->main, 5));
    BREAKS(t, 107027, "stream", aclrtStreamQuery(t->main, &status));
    BREAKS(t, 107027, "aclrtSynchronizeDevice", aclrtSynchronizeDevice());
    BREAKS(t, 107028, "event", aclrtSynchronizeEvent(t->a));
    BREAKS(t, 107028, "event", aclrtQueryEventStatus(t->a, &recorded));
}

static void test_functions_that_are_unsafe(void **state)
{
    struct bench *t = *state;
    uint32_t pageable[N] = {0};
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    aclmdlRI model;

    BREAKS(t, 107030, "no capture can record",
           aclrtMemcpy(t->x, BYTES, t->in, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    BREAKS(t, 107030, "mode GLOBAL", aclrtMemset(t->x, BYTES, 0, BYTES));
    BREAKS(t, 107041, "aclrtMallocHost",
           aclrtMemcpyAsync(t->x, BYTES, pageable, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, t->main));
    BREAKS(t, 107041, "aclrtMallocHost",
           aclrtMemcpyAsync(pageable, BYTES, t->x, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, t->side));
    BREAKS(t, 107031, "default stream", launch(t, 1, NULL));
    BREAKS(t, 107031, "default stream", aclrtSynchronizeStream(NULL));
    FAILS(107031, "default stream", aclmdlRICaptureBegin(NULL, 0));
    FAILS(107000, "mode 3", aclmdlRICaptureBegin(t->main, (aclmdlRICaptureMode)3));
    /* a thread may say that it knows better: the copy then runs at once */
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    assert_int_equal(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    OK(aclrtMemcpy(t->x, BYTES, t->in, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    assert_int_equal(t->x[4], 4);
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    assert_int_equal(mode, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    mode = (aclmdlRICaptureMode)9;
    FAILS(107000, "mode 9", aclmdlRICaptureThreadExchangeMode(&mode));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIDestroy(model));
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtMemset(t->x, BYTES, 1, BYTES));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIDestroy(model));
}

struct elsewhere { /* what another thread does, and what came of it */
    struct bench *t;
    aclmdlRICaptureMode mode;
    int copied, ended;
};

static void *copy_elsewhere(void *arg)
{
    struct elsewhere *e = arg;
    aclmdlRI model;

    aclrtSetDevice(0);
    aclmdlRICaptureThreadExchangeMode(&e->mode);
    e->copied = aclrtMemcpy(e->t->y, BYTES, e->t->in, BYTES, ACL_MEMCPY_HOST_TO_DEVICE);
    e->ended = aclmdlRICaptureEnd(e->t->main, &model);
    if (!e->ended)
        e->ended = aclmdlRIDestroy(model);
    return NULL;
}

static struct elsewhere ask_elsewhere(struct bench *t, aclmdlRICaptureMode capture,
                                      aclmdlRICaptureMode mode)
{
    struct elsewhere e = {t, mode, -1, -1};
    pthread_t thread;

    OK(aclmdlRICaptureBegin(t->main, capture));
    assert_int_equal(pthread_create(&thread, NULL, copy_elsewhere, &e), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return e;
}

static void test_modes_and_other_threads(void **state)
{
    static const struct {
        aclmdlRICaptureMode capture, thread;
        int copied, ended; /* what the other thread gets */
    } rows[] = {
        {ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, 107030, 107038},
        {ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, 0, 107038},
        {ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, ACL_MODEL_RI_CAPTURE_MODE_RELAXED, 0, 107038},
        {ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, 0, 107038},
        {ACL_MODEL_RI_CAPTURE_MODE_RELAXED, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, 0, 0},
    };
    struct bench *t = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct elsewhere e = ask_elsewhere(t, rows[i].capture, rows[i].thread);
        aclmdlRI model;

        assert_int_equal(e.copied, rows[i].copied);
        assert_int_equal(e.ended, rows[i].ended);
        if (!e.ended)
            continue;
        assert_int_equal(aclmdlRICaptureEnd(t->main, &model), rows[i].copied);
        if (!rows[i].copied)
            OK(aclmdlRIDestroy(model));
    }
    FAILS(107029, "not captured", aclmdlRICaptureEnd(t->main, &(aclmdlRI){0}));
    fork_to(t, t->side);
    FAILS(107036, "began on stream", aclmdlRICaptureEnd(t->side, &(aclmdlRI){0}));
    FAILS(107025, "did not come back", aclmdlRICaptureEnd(t->main, &(aclmdlRI){0}));
}

static void test_destroyed_while_captured(void **state)
{
    struct bench *t = *state;
    aclmdlRI model;

    fork_to(t, t->side);
    OK(launch(t, 1, t->side));
    OK(aclrtDestroyStream(t->side));
    FAILS(107003, "aclrtDestroyStream", aclmdlRICaptureEnd(t->main, &model));
    OK(aclrtCreateStream(&t->side));
    fork_to(t, t->side);
    OK(aclrtDestroyStream(t->main)); /* the first one: the capture is gone */
    assert_int_equal(status_of(t->side), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    OK(aclrtCreateStream(&t->main));
    OK(aclmdlRICaptureBegin(t->main, 0));
    OK(aclrtRecordEvent(t->a, t->main));
    OK(aclrtDestroyEvent(t->a)); /* the graph keeps what it needs */
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIExecuteAsync(model, t->main));
    OK(aclrtSynchronizeStream(t->main));
    OK(aclmdlRIDestroy(model));
    OK(aclrtCreateEventExWithFlag(&t->a, ACL_EVENT_SYNC));
}

/* ---- host functions ---- */

static void count(void *arg)
{
    atomic_fetch_add((atomic_uint *)arg, 1);
}

static atomic_bool stop_serving;

static void *serve(void *arg)
{
    aclrtSetDevice(0);
    while (!atomic_load(&stop_serving))
        aclrtProcessReport(5);
    return arg;
}

static void test_host_functions(void **state)
{
    struct bench *t = *state;
    atomic_uint calls = 0, reports = 0;
    pthread_t thread;
    aclmdlRI model;

    atomic_store(&stop_serving, false);
    assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
    OK(aclrtSubscribeReport((uint64_t)thread, t->main));
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(in_to_x(t, t->main));
    OK(aclrtLaunchHostFunc(t->main, count, &calls));
    OK(aclrtLaunchCallback(count, &reports, ACL_CALLBACK_BLOCK, t->main));
    OK(aclrtLaunchCallback(count, &reports, ACL_CALLBACK_NO_BLOCK, t->main));
    OK(launch(t, 2, t->main));
    OK(aclmdlRICaptureEnd(t->main, &model));
    for (uint32_t i = 1; i < 4; i++) {
        OK(aclmdlRIExecuteAsync(model, t->main));
        OK(aclrtSynchronizeStream(t->main));
        assert_int_equal(atomic_load(&calls), i);
        assert_true(atomic_load(&reports) >= 2 * i - 1); /* the last one need not be waited for */
        assert_int_equal(t->y[3], 5);
    }
    OK(aclmdlRIDestroy(model));
    OK(aclrtUnSubscribeReport((uint64_t)thread, t->main));
    while (atomic_load(&reports) < 6)
        usleep(1000);
    atomic_store(&stop_serving, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(atomic_load(&reports), 6);
}

/* ---- groups of tasks ---- */

static void test_update_of_a_group(void **state)
{
    struct bench *t = *state;
    aclrtEvent updated;
    aclrtTaskGrp group;
    aclmdlRI model;

    OK(aclrtCreateEventWithFlag(&updated, ACL_EVENT_EXTERNAL));
    OK(aclmdlRICaptureBegin(t->main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(in_to_x(t, t->main));
    OK(aclrtStreamWaitEvent(t->main, updated));
    OK(aclrtResetEvent(updated, t->main));
    OK(aclmdlRICaptureTaskGrpBegin(t->main));
    OK(launch(t, 10, t->main));
    OK(aclmdlRICaptureTaskGrpEnd(t->main, &group));
    OK(y_to_out(t, t->main));
    FAILS(107026, "being captured", aclmdlRICaptureTaskUpdateBegin(t->side, group));
    OK(aclmdlRICaptureEnd(t->main, &model));
    for (uint32_t round = 0; round < 4; round++) {
        memset(t->out, 0, BYTES);
        OK(aclmdlRIExecuteAsync(model, t->main)); /* waits in front of the group */
        assert_int_equal(t->out[3], 0);
        OK(aclmdlRICaptureTaskUpdateBegin(t->side, group));
        if (round % 2)
            OK(launch(t, 100 * round, t->side)); /* not run, but exchanged */
        OK(aclmdlRICaptureTaskUpdateEnd(t->side));
        OK(aclrtRecordEvent(updated, t->side));
        OK(aclrtSynchronizeStream(t->side));
        OK(aclrtSynchronizeStream(t->main));
        assert_int_equal(t->out[3], 3 + (round == 0 ? 10 : round < 3 ? 100 : 300));
    }
    OK(aclmdlRIDestroy(model));
    FAILS(107000, "no task group", aclmdlRICaptureTaskUpdateBegin(t->side, group));
    OK(aclrtDestroyEvent(updated));
}

static void test_misuse_of_groups(void **state)
{
    struct bench *t = *state;
    aclrtTaskGrp group;
    aclmdlRI model;

    FAILS(107029, "not captured", aclmdlRICaptureTaskGrpBegin(t->main));
    FAILS(107029, "not captured", aclmdlRICaptureTaskGrpEnd(t->main, &group));
    FAILS(107033, "no update", aclmdlRICaptureTaskUpdateEnd(t->side));
    FAILS(107000, "no task group", aclmdlRICaptureTaskUpdateBegin(t->side, t));
    OK(aclmdlRICaptureBegin(t->main, 0));
    FAILS(107033, "no task group is open", aclmdlRICaptureTaskGrpEnd(t->main, &group));
    OK(aclmdlRICaptureTaskGrpBegin(t->main));
    FAILS(107033, "open already", aclmdlRICaptureTaskGrpBegin(t->main));
    FAILS(107033, "broken before", aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRICaptureBegin(t->main, 0));
    OK(aclmdlRICaptureTaskGrpBegin(t->main));
    FAILS(107033, "a task group is open", aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRICaptureBegin(t->main, 0)); /* an event in a group */
    OK(aclmdlRICaptureTaskGrpBegin(t->main));
    FAILS(507009, "operators, kernels and copies only", aclrtRecordEvent(t->a, t->main));
    FAILS(507009, "broken before", aclmdlRICaptureEnd(t->main, &model));
    fork_to(t, t->side); /* a task of another stream meanwhile */
    OK(aclmdlRICaptureTaskGrpBegin(t->main));
    FAILS(107034, "another stream of the capture", launch(t, 1, t->side));
    FAILS(107034, "broken before", aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRICaptureBegin(t->main, 0));
    OK(aclmdlRICaptureTaskGrpBegin(t->main));
    OK(launch(t, 1, t->main));
    OK(launch(t, 2, t->main));
    OK(aclmdlRICaptureTaskGrpEnd(t->main, &group));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRICaptureTaskUpdateBegin(t->side, group));
    FAILS(107033, "already", aclmdlRICaptureTaskUpdateBegin(t->side, group));
    FAILS(107033, "already", aclmdlRICaptureTaskUpdateBegin(t->main, group));
    FAILS(107033, "updates a task group", aclmdlRICaptureBegin(t->side, 0));
    FAILS(107033, "updates a task group", aclmdlRIExecuteAsync(model, t->side));
    FAILS(107037, "not ended", aclmdlRIDestroy(model));
    FAILS(507009, "an update takes", aclrtValueWait(t->x, 0, ACL_STREAM_WAIT_VALUE_EQ, t->side));
    OK(launch(t, 1, t->side));
    FAILS(107000, "1 tasks for a group of 2", aclmdlRICaptureTaskUpdateEnd(t->side));
    OK(aclmdlRICaptureTaskUpdateBegin(t->side, group)); /* its stream goes away */
    OK(launch(t, 1, t->side));
    OK(aclrtDestroyStream(t->side));
    OK(aclrtCreateStream(&t->side));
    OK(aclmdlRIDestroy(model));
}

/* A lane that waits for something outside does not hold the others back. */
static void test_lanes_go_on_by_themselves(void **state)
{
    struct bench *t = *state;
    aclrtEvent outside, reached;
    aclmdlRI model;

    OK(aclrtCreateEventWithFlag(&outside, ACL_EVENT_EXTERNAL));
    OK(aclrtCreateEventWithFlag(&reached, ACL_EVENT_EXTERNAL));
    OK(aclmdlRICaptureBegin(t->main, 0));
    OK(aclrtRecordEvent(t->a, t->main));
    OK(aclrtStreamWaitEvent(t->side, t->a));
    OK(aclrtStreamWaitEvent(t->side, outside)); /* captured first */
    OK(aclrtResetEvent(outside, t->side));
    OK(launch(t, 50, t->side));
    OK(aclrtRecordEvent(t->b, t->side));
    OK(in_to_x(t, t->main));
    OK(aclrtRecordEvent(reached, t->main));
    OK(aclrtStreamWaitEvent(t->main, t->b));
    OK(y_to_out(t, t->main));
    OK(aclmdlRICaptureEnd(t->main, &model));
    for (uint32_t round = 1; round < 3; round++) {
        t->in[2] = round;
        OK(aclmdlRIExecuteAsync(model, t->main));
        OK(aclrtSynchronizeEventWithTimeout(reached, 5000)); /* the first lane got there */
        assert_int_equal(t->x[2], round);
        assert_int_not_equal(t->out[2], round + 50);
        OK(aclrtRecordEvent(outside, NULL));
        OK(aclrtSynchronizeStreamWithTimeout(t->main, 5000));
        assert_int_equal(t->out[2], round + 50);
        OK(aclrtResetEvent(reached, NULL));
    }
    OK(aclmdlRIDestroy(model));
    OK(aclrtDestroyEvent(outside));
    OK(aclrtDestroyEvent(reached));
}

/* ---- description ---- */

static void test_description(void **state)
{
    struct bench *t = *state;
    char path[] = "/tmp/t_rt_graph.XXXXXX", text[4096] = "", name[16], cut[4];
    atomic_uint ends = 0;
    aclmdlRI model;
    FILE *f;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    fork_to(t, t->side);
    OK(launch(t, 1, t->side));
    OK(aclrtRecordEvent(t->b, t->side));
    OK(aclrtStreamWaitEvent(t->main, t->b));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIDebugJsonPrint(model, path, ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY));
    OK(aclmdlRIDebugJsonPrint(model, path, ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE));
    f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof(text) - 1, f) > 100);
    fclose(f);
    unlink(path);
    assert_true(text[0] == '[' && strstr(text, "\"name\": \"add\"") &&
                strstr(text, "EVENT_RECORD_") && strstr(text, "EVENT_WAIT_") &&
                strstr(text, "\"Task Type\": \"TASK\", \"Block Dim\": 1}"));
    FAILS(107000, "cannot be written", aclmdlRIDebugJsonPrint(model, "/nonexistent/x", 0));
    FAILS(107000, "flags 0x2", aclmdlRIDebugJsonPrint(model, path, 2));
    OK(aclmdlRIDebugPrint(model));
    OK(aclmdlRIGetName(model, sizeof(name), name));
    assert_string_equal(name, "");
    OK(aclmdlRISetName(model, "decoder"));
    OK(aclmdlRIGetName(model, sizeof(name), name));
    assert_string_equal(name, "decoder");
    OK(aclmdlRIGetName(model, sizeof(cut), cut));
    assert_string_equal(cut, "dec");
    FAILS(107000, "maxLen", aclmdlRIGetName(model, 0, name));
    OK(aclmdlRIDestroyRegisterCallback(model, count, &ends));
    OK(aclmdlRIDestroyRegisterCallback(model, free, NULL));
    OK(aclmdlRIDestroyUnregisterCallback(model, free));
    FAILS(107000, "not registered", aclmdlRIDestroyUnregisterCallback(model, free));
    assert_int_equal(atomic_load(&ends), 0);
    OK(aclmdlRIDestroy(model));
    assert_int_equal(atomic_load(&ends), 1);
    FAILS(107000, "no living model", aclmdlRIDestroyRegisterCallback(model, count, &ends));
    FAILS(107000, "no living model", aclmdlRIDebugPrint(model));
    FAILS(107000, "no living model", aclmdlRISetName(model, "x"));
}

/* ---- failures of a run ---- */

static void test_memory_that_is_gone_is_named(void **state)
{
    struct bench *t = *state;
    uint32_t *gone;
    aclmdlRI model;

    OK(aclrtMalloc((void **)&gone, BYTES, 0));
    OK(aclmdlRICaptureBegin(t->main, 0));
    OK(aclrtMemcpyAsync(gone, BYTES, t->in, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, t->main));
    OK(aclmdlRICaptureEnd(t->main, &model));
    OK(aclmdlRIExecuteAsync(model, t->main));
    OK(aclrtSynchronizeStream(t->main));
    OK(aclrtFree(gone));
    (void)aclmdlRIExecuteAsync(model, t->main);
    FAILS(107000, "use after free", aclrtSynchronizeStream(t->main));
    OK(aclmdlRIDestroy(model));
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_runs_again_with_new_inputs),
        TEST(test_what_was_given_before_runs_before),
        TEST(test_values_in_memory),
        TEST(test_fork_and_join),
        TEST(test_streams_have_to_come_back),
        TEST(test_captures_do_not_mix),
        TEST(test_waiting_breaks_a_capture),
        TEST(test_functions_that_are_unsafe),
        TEST(test_modes_and_other_threads),
        TEST(test_destroyed_while_captured),
        TEST(test_host_functions),
        TEST(test_update_of_a_group),
        TEST(test_misuse_of_groups),
        TEST(test_lanes_go_on_by_themselves),
        TEST(test_description),
        TEST(test_memory_that_is_gone_is_named),
    };

    nputwin_register(NPUTWIN_KERNEL_ABI, kernels, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

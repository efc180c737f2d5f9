/* SPDX-License-Identifier: Apache-2.0 */
/* t_rt_stream.c - order of tasks, parked streams, events, values, host functions. */
#include "rt_test.h"

#include <pthread.h>
#include <stdatomic.h>

/* A task appends its letter. */
struct note {
    char *log, letter;
};

static int append(void *arg, struct npu_diag *story)
{
    const struct note *n = arg;
    size_t len = strlen(n->log);

    (void)story;
    n->log[len] = n->letter;
    n->log[len + 1] = '\0';
    return 0;
}

static void *copy_note(const void *arg)
{
    struct note *n = malloc(sizeof(*n));

    *n = *(const struct note *)arg;
    return n;
}

static void give(aclrtStream s, char *log, char letter)
{
    struct note n = {log, letter};

    OK(npu_rt_enqueue(s, "append", append, &n, copy_note, free));
}

static void test_runs_at_once(void **state)
{
    aclrtStreamStatus status;
    aclrtStream s;
    char log[8] = "";

    (void)state;
    OK(aclrtCreateStream(&s));
    give(s, log, 'a');
    assert_string_equal(log, "a");
    OK(aclrtStreamQuery(s, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
    OK(aclrtDestroyStream(s));
}

static void test_wait_parks_until_record(void **state)
{
    aclrtEventWaitStatus waits;
    aclrtStreamStatus status;
    aclrtStream a, b;
    aclrtEvent e;
    char log[8] = "";

    (void)state;
    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    OK(aclrtCreateEvent(&e));
    OK(aclrtStreamWaitEvent(b, e));
    give(b, log, '2');
    give(b, log, '3');
    assert_string_equal(log, "");
    OK(aclrtStreamQuery(b, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    OK(aclrtQueryEventWaitStatus(e, &waits));
    assert_int_equal(waits, ACL_EVENT_WAIT_STATUS_NOT_READY);
    give(a, log, '1');
    OK(aclrtRecordEvent(e, a));
    assert_string_equal(log, "123");
    OK(aclrtQueryEventWaitStatus(e, &waits));
    assert_int_equal(waits, ACL_EVENT_WAIT_STATUS_COMPLETE);
    OK(aclrtSynchronizeStream(b));
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
}

static void test_ex_event_without_record_passes(void **state)
{
    aclrtEventRecordedStatus status;
    aclrtStream s;
    aclrtEvent e;
    char log[8] = "";

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
    OK(aclrtStreamWaitEvent(s, e));
    give(s, log, 'a');
    assert_string_equal(log, "a");
    OK(aclrtRecordEvent(e, s));
    OK(aclrtQueryEventStatus(e, &status));
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtSynchronizeEvent(e));
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyStream(s));
}

/* A wait given before a second record is over with the first. */
static void test_wait_takes_the_record_of_its_time(void **state)
{
    aclrtStream a, b, c;
    aclrtEvent gate, e;
    char log[8] = "";

    (void)state;
    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    OK(aclrtCreateStream(&c));
    OK(aclrtCreateEvent(&gate));
    OK(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
    OK(aclrtRecordEvent(e, a));
    OK(aclrtStreamWaitEvent(b, e));
    OK(aclrtStreamWaitEvent(c, gate));
    OK(aclrtRecordEvent(e, c)); /* parked */
    give(b, log, 'b');
    assert_string_equal(log, "b");
    OK(aclrtRecordEvent(gate, a));
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyEvent(gate));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
    OK(aclrtDestroyStream(c));
}

static void test_reset_makes_an_event_unrecorded(void **state)
{
    aclrtEventStatus status;
    aclrtStream s;
    aclrtEvent e;

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEvent(&e));
    OK(aclrtQueryEvent(e, &status));
    assert_int_equal(status, ACL_EVENT_STATUS_NOT_READY);
    OK(aclrtRecordEvent(e, s));
    OK(aclrtQueryEvent(e, &status));
    assert_int_equal(status, ACL_EVENT_STATUS_COMPLETE);
    OK(aclrtResetEvent(e, s));
    OK(aclrtQueryEvent(e, &status));
    assert_int_equal(status, ACL_EVENT_STATUS_NOT_READY);
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyStream(s));
}

static void test_elapsed_time(void **state)
{
    aclrtEvent from, to, untimed;
    aclrtStream s;
    uint64_t us;
    float ms = -1;

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEvent(&from));
    OK(aclrtCreateEvent(&to));
    OK(aclrtCreateEventWithFlag(&untimed, ACL_EVENT_SYNC));
    FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "never recorded",
          aclrtEventElapsedTime(&ms, from, to));
    OK(aclrtRecordEvent(from, s));
    usleep(20000);
    OK(aclrtRecordEvent(to, s));
    OK(aclrtRecordEvent(untimed, s));
    OK(aclrtEventElapsedTime(&ms, from, to));
    assert_true(ms >= 19 && ms < 2000);
    FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "before", aclrtEventElapsedTime(&ms, to, from));
    FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "ACL_EVENT_TIME_LINE",
          aclrtEventGetTimestamp(untimed, &us));
    OK(aclrtDestroyEvent(from));
    OK(aclrtDestroyEvent(to));
    OK(aclrtDestroyEvent(untimed));
    OK(aclrtDestroyStream(s));
}

static void test_timeouts(void **state)
{
    aclrtStream s;
    aclrtEvent e, reached;

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEvent(&e));
    OK(aclrtCreateEvent(&reached));
    OK(aclrtStreamWaitEvent(s, e));
    OK(aclrtRecordEvent(reached, s));
    FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "aclrtStreamWaitEvent",
          aclrtSynchronizeStreamWithTimeout(s, 20));
    FAILS(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "not reached",
          aclrtSynchronizeEventWithTimeout(reached, 20));
    OK(aclrtDestroyStreamForce(s)); /* drops the wait, completes the record */
    OK(aclrtSynchronizeEvent(reached));
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyEvent(reached));
}

static void test_wait_with_timeout_breaks_the_device(void **state)
{
    aclrtStream s;
    aclrtEvent e;

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEvent(&e));
    OK(aclrtStreamWaitEventWithTimeout(s, e, 20));
    FAILS(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "waited in vain", aclrtSynchronizeStream(s));
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtSynchronizeStream(s));
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyStream(s));
}

static void *write_soon(void *arg)
{
    usleep(20000);
    __atomic_store_n((uint64_t *)arg, 7, __ATOMIC_RELEASE);
    return NULL;
}

static void test_values(void **state)
{
    pthread_t writer;
    aclrtStream a, b;
    uint64_t *v;
    char log[8] = "";

    (void)state;
    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    OK(aclrtMalloc((void **)&v, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    v[0] = v[1] = 0;
    OK(aclrtValueWait(&v[0], 7, ACL_STREAM_WAIT_VALUE_EQ, a));
    give(a, log, 'a');
    assert_string_equal(log, "");
    pthread_create(&writer, NULL, write_soon, &v[0]);
    OK(aclrtSynchronizeStream(a));
    assert_string_equal(log, "a");
    pthread_join(writer, NULL);

    OK(aclrtValueWait(&v[1], 5, ACL_STREAM_WAIT_VALUE_GEQ, a));
    OK(aclrtValueWrite(&v[1], 6, 0, b));
    OK(aclrtSynchronizeStream(a));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "multiple of 8", aclrtValueWrite((char *)v + 4, 6, 0, b));
    OK(aclrtFree(v));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
}

struct host_call {
    pthread_t thread;
    atomic_int n;
};

static void host_function(void *arg)
{
    struct host_call *h = arg;

    h->thread = pthread_self();
    h->n++;
}

static void test_host_function(void **state)
{
    struct host_call h = {0};
    aclrtStream s;

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(aclrtLaunchHostFunc(s, host_function, &h));
    OK(aclrtSynchronizeStream(s));
    assert_int_equal(h.n, 1);
    assert_false(pthread_equal(h.thread, pthread_self()));
    OK(aclrtDestroyStream(s));
}

static void *process(void *arg)
{
    struct host_call *h = arg;

    while (!h->n) /* this thread's id reaches the main thread through h->thread first */
        aclrtProcessReport(10);
    return NULL;
}

static void test_report_blocks_its_stream(void **state)
{
    struct host_call h = {0};
    pthread_t reporter;
    aclrtStream s;
    char log[8] = "";

    (void)state;
    OK(aclrtCreateStream(&s));
    FAILS(ACL_ERROR_RT_STREAM_NO_CB_REG, "aclrtSubscribeReport",
          aclrtLaunchCallback(host_function, &h, ACL_CALLBACK_BLOCK, s));
    FAILS(ACL_ERROR_RT_REPORT_TIMEOUT, "no callback", aclrtProcessReport(5));
    pthread_create(&reporter, NULL, process, &h);
    OK(aclrtSubscribeReport((uint64_t)reporter, s));
    OK(aclrtLaunchCallback(host_function, &h, ACL_CALLBACK_BLOCK, s));
    give(s, log, 'a');
    OK(aclrtSynchronizeStream(s));
    assert_string_equal(log, "a");
    assert_int_equal(h.n, 1);
    assert_true(pthread_equal(h.thread, reporter));
    pthread_join(reporter, NULL);
    OK(aclrtUnSubscribeReport((uint64_t)reporter, s));
    FAILS(ACL_ERROR_RT_THREAD_SUBSCRIBE, "has not subscribed",
          aclrtUnSubscribeReport((uint64_t)reporter, s));
    OK(aclrtDestroyStream(s));
}

/* Four threads bring tasks to two streams; each thread's tasks keep their order. */
enum { N_THREADS = 4, N_EACH = 2000 };

struct bringer {
    aclrtStream s;
    uint32_t who;
    uint32_t *last; /* of the stream: N_THREADS counters */
    atomic_int *n_wrong;
};

struct count {
    uint32_t who, i, *last;
    atomic_int *n_wrong;
};

static int count_up(void *arg, struct npu_diag *story)
{
    const struct count *c = arg;

    (void)story;
    if (c->last[c->who] != c->i)
        (*c->n_wrong)++;
    c->last[c->who] = c->i + 1;
    return 0;
}

static void *copy_count(const void *arg)
{
    struct count *c = malloc(sizeof(*c));

    *c = *(const struct count *)arg;
    return c;
}

static void *bring(void *arg)
{
    const struct bringer *b = arg;

    aclrtSetDevice(0);
    for (uint32_t i = 0; i < N_EACH; i++) {
        struct count c = {b->who, i, b->last, b->n_wrong};

        if (npu_rt_enqueue(b->s, "count", count_up, &c, copy_count, free))
            (*b->n_wrong)++;
    }
    return NULL;
}

static void test_four_threads(void **state)
{
    uint32_t last[2][N_THREADS] = {0};
    struct bringer b[N_THREADS];
    pthread_t t[N_THREADS];
    atomic_int n_wrong = 0;
    aclrtStream s[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        OK(aclrtCreateStream(&s[i]));
    for (uint32_t i = 0; i < N_THREADS; i++) {
        b[i] = (struct bringer){s[i % 2], i, last[i % 2], &n_wrong};
        pthread_create(&t[i], NULL, bring, &b[i]);
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(t[i], NULL);
    OK(aclrtSynchronizeDevice());
    assert_int_equal(n_wrong, 0);
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(last[i % 2][i], N_EACH);
    for (int i = 0; i < 2; i++)
        OK(aclrtDestroyStream(s[i]));
}

static void test_stale_handles(void **state)
{
    int invented[64];
    aclrtStream s;
    aclrtEvent e;

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEvent(&e));
    OK(aclrtDestroyStream(s));
    OK(aclrtDestroyEvent(e));
    FAILS(ACL_ERROR_RT_STREAM_CONTEXT, "destroyed", aclrtSynchronizeStream(s));
    FAILS(ACL_ERROR_RT_STREAM_CONTEXT, "destroyed", aclrtDestroyStream(s));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "destroyed", aclrtSynchronizeEvent(e));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "destroyed", aclrtDestroyEvent(e));
    FAILS(ACL_ERROR_RT_STREAM_CONTEXT, "no living stream", aclrtSynchronizeStream(invented));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "no living event", aclrtRecordEvent(invented, NULL));
}

static int wait_for_self(void *arg, struct npu_diag *story)
{
    (void)story;
    return aclrtSynchronizeStream(*(aclrtStream *)arg) == ACL_ERROR_RT_PARAM_INVALID ? 0 : 1;
}

static void test_waiting_for_oneself_is_refused(void **state)
{
    aclrtStream s;

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(npu_rt_enqueue(s, "self", wait_for_self, &s, NULL, NULL));
    OK(aclrtDestroyStream(s));
}

static void test_destroyed_event_lives_while_waited_for(void **state)
{
    aclrtStream s;
    aclrtEvent e;
    char log[8] = "";

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEvent(&e));
    OK(aclrtStreamWaitEvent(s, e));
    OK(aclrtDestroyEvent(e));
    give(s, log, 'a');
    FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "aclrtStreamWaitEvent",
          aclrtSynchronizeStreamWithTimeout(s, 5));
    OK(aclrtDestroyStreamForce(s));
    assert_string_equal(log, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_at_once),
        cmocka_unit_test(test_wait_parks_until_record),
        cmocka_unit_test(test_ex_event_without_record_passes),
        cmocka_unit_test(test_wait_takes_the_record_of_its_time),
        cmocka_unit_test(test_reset_makes_an_event_unrecorded),
        cmocka_unit_test(test_elapsed_time),
        cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_wait_with_timeout_breaks_the_device),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_host_function),
        cmocka_unit_test(test_report_blocks_its_stream),
        cmocka_unit_test(test_four_threads),
        cmocka_unit_test(test_stale_handles),
        cmocka_unit_test(test_waiting_for_oneself_is_refused),
        cmocka_unit_test(test_destroyed_event_lives_while_waited_for),
    };

    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}

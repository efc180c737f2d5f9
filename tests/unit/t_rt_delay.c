/* SPDX-License-Identifier: Apache-2.0 */
/* t_rt_delay.c - NPUTWIN_QUEUE_DELAY_US: the host really runs ahead of the streams. Starts itself
 * again with the variable set. */
#include "rt_test.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DELAY_US = 30000, SHORT_US = 200, WAITING = 64, SWEEP_US = 200, SWEEPS = 3, SECONDS = 60 };

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void test_host_sees_old_data_before_synchronise(void **state)
{
    uint8_t host[4] = {1, 1, 1, 1}, back[4] = {0}, *d;
    aclrtStreamStatus status;
    aclrtStream s;
    double from;

    (void)state;
    OK(aclrtMalloc((void **)&d, 4, 0));
    OK(aclrtCreateStream(&s));
    from = now_ms();
    OK(aclrtMemcpyAsync(d, 4, host, 4, ACL_MEMCPY_HOST_TO_DEVICE, s));
    OK(aclrtMemcpyAsync(back, 4, d, 4, ACL_MEMCPY_DEVICE_TO_HOST, s));
    assert_true(now_ms() - from < DELAY_US / 1e3); /* the calls did not wait */
    assert_int_equal(back[0], 0);
    OK(aclrtStreamQuery(s, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    OK(aclrtSynchronizeStream(s));
    assert_true(now_ms() - from >= DELAY_US / 1e3);
    assert_int_equal(back[0], 1);
    OK(aclrtDestroyStream(s));
    OK(aclrtFree(d));
}

static void test_events_order_streams(void **state)
{
    uint32_t *d, back = 0;
    aclrtStream a, b;
    aclrtEvent e;

    (void)state;
    OK(aclrtMalloc((void **)&d, 4, 0));
    *d = 0;
    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    OK(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
    OK(aclrtMemsetAsync(d, 4, 1, 4, a));
    OK(aclrtMemsetAsync(d, 4, 2, 4, a));
    OK(aclrtRecordEvent(e, a));
    OK(aclrtStreamWaitEvent(b, e));
    OK(aclrtMemcpyAsync(&back, 4, d, 4, ACL_MEMCPY_DEVICE_TO_HOST, b));
    OK(aclrtSynchronizeDevice());
    assert_int_equal(back, 0x02020202);
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
    OK(aclrtFree(d));
}

static int fails(void *arg, struct npu_diag *story)
{
    (void)arg;
    npu_fail(story, NPU_E_ASSERT, "late story");
    return 507035;
}

static void test_late_failure_surfaces_at_synchronise(void **state)
{
    aclrtStream s;

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(npu_rt_enqueue(s, "fails", fails, NULL, NULL, NULL));
    FAILS(507035, "late story", aclrtSynchronizeStream(s));
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtSynchronizeStream(s));
    OK(aclrtDestroyStream(s));
}

static int does_nothing(void *arg, struct npu_diag *story)
{
    (void)arg;
    (void)story;
    return ACL_SUCCESS;
}

static void told(void *unused)
{
    (void)unused;
}

static void enqueue(aclrtStream s)
{
    OK(npu_rt_enqueue(s, "nothing", does_nothing, NULL, NULL, NULL));
}

/* Two tasks some time apart: the worker looks when the first one's time has come, and in some
 * round the second one's comes between its looking for work and its deciding how long to sleep.
 * Streams that wait make that time longer. */
static void test_no_time_is_slept_through(void **state)
{
    aclrtStream waiting[WAITING], parked, first, second;
    aclrtEvent late;

    (void)state;
    alarm(SECONDS);
    OK(aclrtCreateStream(&parked));
    OK(aclrtSubscribeReport((uint64_t)pthread_self(), parked));
    OK(aclrtLaunchCallback(told, NULL, ACL_CALLBACK_BLOCK, parked));
    OK(aclrtCreateEventExWithFlag(&late, ACL_EVENT_SYNC));
    OK(aclrtRecordEvent(late, parked));
    OK(aclrtCreateStream(&second));
    OK(aclrtCreateStream(&first));
    for (int i = 0; i < WAITING; i++) {
        OK(aclrtCreateStream(&waiting[i]));
        OK(aclrtStreamWaitEvent(waiting[i], late));
    }
    for (int round = 0; round < SWEEPS * SWEEP_US * 2; round++) {
        double from = now_ms();

        enqueue(first);
        while (now_ms() < from + round % (SWEEP_US * 2) / 2e3)
            ;
        enqueue(second);
        OK(aclrtSynchronizeStream(second));
        OK(aclrtSynchronizeStream(first));
    }
    OK(aclrtProcessReport(1000)); /* goes on with the parked stream */
    OK(aclrtSynchronizeDevice());
    OK(aclrtUnSubscribeReport((uint64_t)pthread_self(), parked));
    for (int i = 0; i < WAITING; i++)
        OK(aclrtDestroyStream(waiting[i]));
    OK(aclrtDestroyStream(parked));
    OK(aclrtDestroyStream(first));
    OK(aclrtDestroyStream(second));
    OK(aclrtDestroyEvent(late));
    alarm(0);
}

static void again(char *const *argv, int delay_us)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", delay_us);
    setenv("NPUTWIN_QUEUE_DELAY_US", text, 1);
    execv("/proc/self/exe", argv);
    _exit(1);
}

static void test_a_short_delay(void **state)
{
    char *const argv[] = {"t_rt_delay", NULL};
    const pid_t child = fork();
    int status;

    (void)state;
    if (!child)
        again(argv, SHORT_US);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0); /* 14: SIGALRM, it hung */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest brief[] = {cmocka_unit_test(test_no_time_is_slept_through)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_sees_old_data_before_synchronise),
        cmocka_unit_test(test_events_order_streams),
        cmocka_unit_test(test_late_failure_surfaces_at_synchronise),
        cmocka_unit_test(test_a_short_delay),
    };
    const char *delay = getenv("NPUTWIN_QUEUE_DELAY_US");

    (void)argc;
    if (!delay) {
        again(argv, DELAY_US); /* comes back in a new process */
        return 1;
    }
    if (strtol(delay, NULL, 10) == SHORT_US)
        return cmocka_run_group_tests(brief, device_setup, device_teardown);
    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}

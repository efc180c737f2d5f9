/* SPDX-License-Identifier: Apache-2.0 */
/* t_rt_delay.c - NPUTWIN_QUEUE_DELAY_US: the host really runs ahead of the streams. Starts itself
 * again with the variable set. */
#include "rt_test.h"

#include <time.h>

enum { DELAY_US = 30000 };

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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_sees_old_data_before_synchronise),
        cmocka_unit_test(test_events_order_streams),
        cmocka_unit_test(test_late_failure_surfaces_at_synchronise),
    };
    char delay[16];

    (void)argc;
    if (!getenv("NPUTWIN_QUEUE_DELAY_US")) {
        snprintf(delay, sizeof(delay), "%d", DELAY_US);
        setenv("NPUTWIN_QUEUE_DELAY_US", delay, 1);
        execv("/proc/self/exe", argv);
        return 1;
    }
    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}

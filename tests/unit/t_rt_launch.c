/* SPDX-License-Identifier: Apache-2.0 */
/* t_rt_launch.c - kernels through nputwin_launch, with a table made by hand, and what is left when
 * one fails (case C25 among them). */
#include "rt_test.h"
#include "../../engine/engine.h"
#include "../../engine/kernel.h"
#include "../../engine/layout.h"

#include <pthread.h>
#include <stdatomic.h>

struct args {
    uint32_t *out, n_items;
};

/* One word an item: the block that wrote it plus 1. */
static void one_per_block(struct args a)
{
    const struct npu_core *c = npu_self();

    for (uint32_t i = c->block_idx; i < a.n_items; i += c->block_dim)
        a.out[i] = c->block_idx + 1;
}

static void breaks(struct args a)
{
    struct npu_core *c = npu_self();

    if (c->block_idx == a.n_items)
        npu_fault(c, NPU_E_RANGE, (struct npu_where){"broken.cpp", 12}, "reads 64 bytes behind UB");
}

static void endless(struct args a)
{
    for (;;)
        ((_Atomic uint32_t *)a.out)[0]++;
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

static int key_good, key_broken, key_other_arch, key_no_code, key_unknown, key_cube, key_endless,
    key_endless_cube;

static const struct nputwin_kernel kernels[] = {
    {&key_good, (void (*)(void))one_per_block, NULL, "one_per_block", NPUTWIN_AIV, 2201, NULL, NULL,
     NULL},
    {&key_broken, (void (*)(void))breaks, NULL, "breaks", NPUTWIN_AIV, 2201, NULL, NULL, NULL},
    {&key_other_arch, (void (*)(void))one_per_block, NULL, "for_3510", NPUTWIN_AIV, 3510, NULL,
     NULL, NULL},
    {&key_no_code, NULL, NULL, "no_code", NPUTWIN_AIV, 2201, NULL, NULL, NULL},
    {&key_endless, (void (*)(void))endless, NULL, "endless", NPUTWIN_AIV, 2201, NULL, NULL, NULL},
    {&key_endless_cube, NULL, (void (*)(void))endless, "endless_cube", NPUTWIN_AIC, 2201, NULL,
     NULL, NULL},
    {&key_cube, NULL, (void (*)(void))breaks, "cube_breaks", NPUTWIN_AIC, 2201, NULL, NULL, NULL},
};

static uint32_t launch(const void *key, uint32_t block_dim, aclrtStream s, struct args a)
{
    return nputwin_launch(key, block_dim, NULL, s, call, &a, copy, free);
}

static void test_blocks(void **state)
{
    enum { N = 65536 };
    uint32_t *out;

    (void)state;
    OK(aclrtMalloc((void **)&out, N * 4, 0));
    OK(aclrtMemset(out, N * 4, 0, N * 4));
    FAILS(107000, "one_per_block: blockDim 65536",
          launch(&key_good, 65536, NULL, (struct args){out, N}));
    FAILS(107000, "one_per_block: blockDim 0", launch(&key_good, 0, NULL, (struct args){out, N}));
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], 0);
    OK(launch(&key_good, 48, NULL, (struct args){out, N}));
    OK(aclrtSynchronizeStream(NULL));
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(out[i], i % 48 + 1);
    OK(launch(&key_good, 65535, NULL, (struct args){out, N}));
    for (uint32_t i = 0; i < 65535; i++)
        assert_int_equal(out[i], i + 1);
    OK(aclrtFree(out));
}

static void test_refused_launches(void **state)
{
    struct args a = {NULL, 0};

    (void)state;
    FAILS(107000, "no kernel is registered", launch(&key_unknown, 1, NULL, a));
    FAILS(107000, "--npu-arch=dav-2201", launch(&key_other_arch, 1, NULL, a));
    FAILS(107000, "no code for vector", launch(&key_no_code, 1, NULL, a));
    FAILS(107003, "no living stream", launch(&key_good, 1, &a, a));
}

/* Objects compiled with other tables or structures are named, never run. */
static void test_kernels_of_another_version(void **state)
{
    static int key_old, key_older;
    static const struct nputwin_kernel old[] = {{&key_old, (void (*)(void))one_per_block, NULL,
                                                 "old_kernel", NPUTWIN_AIV, 2201, NULL, NULL,
                                                 NULL}};
    static const struct nputwin_kernel older[] = {{&key_older, (void (*)(void))one_per_block, NULL,
                                                   "older_kernel", NPUTWIN_AIV, 2201, NULL, NULL,
                                                   NULL}};
    const uint32_t layout = npu_layout_number();
    struct args a = {NULL, 0};

    (void)state;
    nputwin_register(NPUTWIN_KERNEL_ABI | (layout ^ 1) << NPUTWIN_KERNEL_ABI_BITS, old, 1);
    nputwin_register(NPUTWIN_KERNEL_ABI + 1, older, 1);
    FAILS(107000, "old_kernel was compiled by another version", launch(&key_old, 1, NULL, a));
    FAILS(107000, "older_kernel was compiled by another version", launch(&key_older, 1, NULL, a));
    nputwin_unregister(old);
    FAILS(107000, "no kernel is registered", launch(&key_old, 1, NULL, a));
    nputwin_register(NPUTWIN_KERNEL_ABI | layout << NPUTWIN_KERNEL_ABI_BITS, old, 1);
    OK(launch(&key_old, 1, NULL, a));
    nputwin_unregister(old);
    nputwin_unregister(older);
}

/* Rows of version 1 end before symbol; they run, and are not launched by handle. */
static void test_rows_of_version_1(void **state)
{
    static int key_first, key_second;
    static const struct {
        const void *key;
        void (*aiv)(void), (*aic)(void);
        const char *name;
        uint32_t kind, arch;
    } rows[] = {
        {&key_first, NULL, NULL, "first_of_1", NPUTWIN_AIV, 2201},
        {&key_second, (void (*)(void))one_per_block, NULL, "second_of_1", NPUTWIN_AIV, 2201}};
    uint32_t out[2] = {0, 0};
    struct args a = {out, 2};
    void *args[] = {&a};

    (void)state;
    assert_int_equal(sizeof(rows[0]), NPUTWIN_KERNEL_BYTES_1);
    nputwin_register(1, (const struct nputwin_kernel *)(const void *)rows, 2);
    FAILS(107000, "first_of_1 has no code", launch(&key_first, 1, NULL, a));
    OK(launch(&key_second, 2, NULL, a));
    OK(aclrtSynchronizeStream(NULL));
    assert_int_equal(out[1], 2);
    FAILS(107000, "neither a function handle nor a kernel",
          aclrtLaunchKernelWithArgsArray(&key_second, 1, NULL, NULL, args));
    nputwin_unregister((const struct nputwin_kernel *)(const void *)rows);
}

static _Atomic uint32_t n_vector, n_cube;
static void count_cores(struct args a)
{
    (void)a;
    atomic_fetch_add(npu_self()->core_kind == CORE_AIC ? &n_cube : &n_vector, 1);
}

/* KERNEL_TASK_TYPE: the key of a launch says which cores start; one without a type is refused. */
static void test_cores_by_tiling_key(void **state)
{
    static int key_open, key_whole;
    void (*const fn)(void) = (void (*)(void))count_cores;
    static const struct nputwin_keyed_kind kinds[] = {{7, NPUTWIN_AIC, 0}, {8, NPUTWIN_MIX_1_2, 0}};
    static const struct nputwin_keyed open = {2, 0, kinds}, whole = {2, 1, kinds};
    const struct nputwin_kernel rows[] = {
        {&key_open, fn, fn, "open_kernel", NPUTWIN_AIV, 2201, NULL, NULL, &open},
        {&key_whole, fn, fn, "whole_kernel", NPUTWIN_AIV, 2201, NULL, NULL, &whole}};
    static const struct {
        uint64_t key;
        uint32_t vector, cube;
    } want[] = {{7, 0, 3}, {8, 6, 3}, {9, 3, 0}};
    struct args a = {NULL, 0};

    (void)state;
    nputwin_register(NPUTWIN_KERNEL_ABI, rows, 2);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        n_vector = n_cube = 0;
        OK(npu_rt_launch_keyed(&key_whole, want[i].key, 3, NULL, call, &a, copy, free));
        OK(aclrtSynchronizeStream(NULL));
        assert_int_equal(n_vector, want[i].vector);
        assert_int_equal(n_cube, want[i].cube);
    }
    OK(npu_rt_launch_keyed(&key_open, 8, 1, NULL, call, &a, copy, free));
    FAILS(107000, "open_kernel has no type for tiling key 9",
          npu_rt_launch_keyed(&key_open, 9, 1, NULL, call, &a, copy, free));
    FAILS(107000, "whole_kernel says its cores by tiling key", launch(&key_whole, 1, NULL, a));
    nputwin_unregister(rows);
}

/* Rows of version 2 end before keyed. */
static void test_rows_of_version_2(void **state)
{
    static int key_first, key_second;
    static const struct {
        const void *key;
        void (*aiv)(void), (*aic)(void);
        const char *name;
        uint32_t kind, arch;
        const char *symbol;
        const struct nputwin_params *params;
    } rows[] = {
        {&key_first, (void (*)(void))count_cores, NULL, "one_of_2", NPUTWIN_AIV, 2201, "a", NULL},
        {&key_second, (void (*)(void))one_per_block, NULL, "two_of_2", NPUTWIN_AIV, 2201, "b",
         NULL}};
    uint32_t out[2] = {0, 0};
    struct args a = {out, 2};

    (void)state;
    assert_int_equal(sizeof(rows[0]), NPUTWIN_KERNEL_BYTES_2);
    nputwin_register(2, (const struct nputwin_kernel *)(const void *)rows, 2);
    n_vector = 0;
    OK(launch(&key_first, 2, NULL, a));
    OK(launch(&key_second, 2, NULL, a));
    OK(aclrtSynchronizeStream(NULL));
    assert_int_equal(n_vector, 2);
    assert_int_equal(out[1], 2);
    nputwin_unregister((const struct nputwin_kernel *)(const void *)rows);
}

static void *check_elsewhere(void *arg)
{
    const char **text = arg;

    aclrtSetDevice(0);
    if (aclrtSynchronizeDevice() == 507035)
        *text = strdup(aclGetRecentErrMsg());
    return NULL;
}

static void test_fault_is_sticky(void **state)
{
    aclrtDeviceStatus device;
    aclrtStreamStatus idle;
    const char *elsewhere = NULL;
    uint8_t host[8] = {0}, *d;
    pthread_t t;
    aclrtStream s;

    (void)state;
    OK(aclrtMalloc((void **)&d, 8, 0));
    OK(aclrtCreateStream(&s));
    FAILS(507035, "broken.cpp:12", launch(&key_broken, 4, s, (struct args){NULL, 2}));
    FAILS(507035, "reads 64 bytes behind UB", aclrtSynchronizeStream(s));
    FAILS(507035, "breaks", aclrtSynchronizeDevice());
    FAILS(507035, "broken.cpp:12", aclrtMemcpy(host, 8, d, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    FAILS(507035, "broken.cpp:12", aclrtMemcpyAsync(host, 8, d, 8, ACL_MEMCPY_DEVICE_TO_HOST, s));
    FAILS(507035, "broken.cpp:12", aclrtMemset(d, 8, 0, 8));
    FAILS(507035, "broken.cpp:12", aclrtStreamQuery(s, &idle));
    FAILS(507035, "broken.cpp:12", launch(&key_good, 4, s, (struct args){NULL, 0}));
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 507035);
    OK(aclrtQueryDeviceStatus(0, &device));
    assert_int_equal(device, ACL_RT_DEVICE_STATUS_ABNORMAL);
    pthread_create(&t, NULL, check_elsewhere, &elsewhere);
    pthread_join(t, NULL);
    assert_non_null(elsewhere);
    assert_non_null(strstr(elsewhere, "broken.cpp:12"));
    free((void *)(uintptr_t)elsewhere);

    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtSynchronizeStream(s));
    OK(aclrtMemcpy(host, 8, d, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtDestroyStream(s));
    OK(aclrtFree(d));
}

static void test_cube_fault_has_its_own_code(void **state)
{
    (void)state;
    FAILS(507015, "cube_breaks", launch(&key_cube, 1, NULL, (struct args){NULL, 0}));
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
}

/* A launch behind a wait keeps a copy of its arguments. */
static void test_parked_launch(void **state)
{
    uint32_t *out;
    struct args a;
    aclrtStream s;
    aclrtEvent e;

    (void)state;
    OK(aclrtMalloc((void **)&out, 64, 0));
    OK(aclrtMemset(out, 64, 0, 64));
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEvent(&e));
    OK(aclrtStreamWaitEvent(s, e));
    a = (struct args){out, 16};
    OK(launch(&key_good, 8, s, a));
    a.out = NULL;
    assert_int_equal(out[0], 0);
    OK(aclrtRecordEvent(e, NULL));
    OK(aclrtSynchronizeStream(s));
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(out[i], i % 8 + 1);
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyStream(s));
    OK(aclrtFree(out));
}

static void *launch_many(void *arg)
{
    uint32_t *out = arg;
    aclrtStream s;

    aclrtSetDevice(0);
    if (aclrtCreateStream(&s))
        return NULL;
    for (int i = 0; i < 200; i++)
        launch(&key_good, 8, s, (struct args){out, 64});
    return (void *)(intptr_t)(aclrtDestroyStream(s) == 0);
}

static void test_launches_of_four_threads(void **state)
{
    uint32_t *out[4];
    pthread_t t[4];
    void *ok;

    (void)state;
    for (int i = 0; i < 4; i++) {
        OK(aclrtMalloc((void **)&out[i], 256, 0));
        pthread_create(&t[i], NULL, launch_many, out[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &ok);
        assert_non_null(ok);
        for (uint32_t k = 0; k < 64; k++)
            assert_int_equal(out[i][k], k % 8 + 1);
        OK(aclrtFree(out[i]));
    }
}

static int setup(void **state)
{
    nputwin_register(NPUTWIN_KERNEL_ABI, kernels, sizeof(kernels) / sizeof(kernels[0]));
    return device_setup(state);
}

static int teardown(void **state)
{
    nputwin_unregister(kernels);
    FAILS(107000, "no kernel is registered", launch(&key_good, 1, NULL, (struct args){NULL, 0}));
    return device_teardown(state);
}

/* The process lives on, and so does the device once it is reset. */
static void test_a_kernel_that_does_not_end(void **state)
{
    const struct {
        const void *key;
        int code;
    } rows[] = {{&key_endless, 507034}, {&key_endless_cube, 507014}};
    uint32_t *out, ms;
    uint64_t actual;

    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* it hands a signal over at a call of libc, which these kernels never make */
#endif
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        OK(aclrtMalloc((void **)&out, 64, 0));
        if (i)
            OK(aclrtSetOpExecuteTimeOutWithMs(30));
        else
            OK(aclrtSetOpExecuteTimeOutV2(30000, &actual));
        OK(aclrtGetOpExecuteTimeout(&ms));
        assert_int_equal(ms, 30);
        assert_int_equal(launch(rows[i].key, 4, NULL, (struct args){out, 0}), rows[i].code);
        FAILS(rows[i].code, "did not end within 30000 us", aclrtSynchronizeDevice());
        OK(aclrtResetDevice(0));
        OK(aclrtSetDevice(0));
        OK(aclrtSetOpExecuteTimeOut(100));
        out[1] = 0;
        OK((int)launch(&key_good, 2, NULL, (struct args){out, 2}));
        OK(aclrtSynchronizeDevice());
        assert_int_equal(out[1], 2);
        OK(aclrtFree(out));
        OK(aclrtSetOpExecuteTimeOut(0)); /* no limit */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_refused_launches),
        cmocka_unit_test(test_kernels_of_another_version),
        cmocka_unit_test(test_rows_of_version_1),
        cmocka_unit_test(test_rows_of_version_2),
        cmocka_unit_test(test_cores_by_tiling_key),
        cmocka_unit_test(test_fault_is_sticky),
        cmocka_unit_test(test_cube_fault_has_its_own_code),
        cmocka_unit_test(test_parked_launch),
        cmocka_unit_test(test_launches_of_four_threads),
        cmocka_unit_test(test_a_kernel_that_does_not_end),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

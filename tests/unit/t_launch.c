/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_launch.c - blocks on fibers and threads: every block once, SyncAll, deadlocks, faults in block
 * order, signals, launches from several threads, forks. Also run under the thread sanitizer.
 */
#include "on_core.h"
#include "../../engine/core_int.h"
#include "../../engine/trap.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- every block runs once
 * --------------------------------------------------------------------------- */

struct count {
    atomic_uint runs[300];
    uint32_t n;
    atomic_uint wrong;
};

static void count_block(void *arg, struct npu_core *c)
{
    struct count *k = arg;

    atomic_fetch_add(&k->runs[c->block_idx], 1);
    if (npu_self() != c || c->block_dim != k->n || c->n_sub != 1)
        atomic_fetch_add(&k->wrong, 1);
}

static void test_blocks(void **state)
{
    struct npu_diag d;

    (void)state;
    for (uint32_t n = 1; n <= 300; n += n < 10 ? 1 : 29) {
        struct count k = {.n = n};
        assert_int_equal(launch_on("Ascend910B2", n, count_block, &k, &d), NPU_OK);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(k.runs[i], 1);
        assert_int_equal(k.wrong, 0);
        assert_null(npu_self());
    }
}

static void test_refused(void **state)
{
    struct count k = {.n = 1};
    struct npu_diag d;

    (void)state;
    assert_int_equal(launch_on("Ascend910B2", 0, count_block, &k, &d), NPU_E_ARG);
    assert_non_null(strstr(d.text, "test: a launch of 0 blocks; 1 to 65535"));
    assert_int_equal(launch_on("Ascend910B2", 65536, count_block, &k, &d), NPU_E_ARG);
    assert_non_null(strstr(d.text, "65536 blocks"));
    assert_int_equal(launch_on("no such chip", 1, count_block, &k, &d), NPU_E_ARG);
    assert_int_equal(k.runs[0], 0);
}

/* ---- SyncAll
 * ------------------------------------------------------------------------------------------- */

enum { BLOCKS = 48, ROUNDS = 20 };
struct sync_job {
    uint32_t value[BLOCKS];
    atomic_uint wrong;
};

/* Each round reads what every other block wrote before the barrier; plain memory, so the sanitizer
 * sees whether the barrier orders it. */
static void sync_block(void *arg, struct npu_core *c)
{
    struct sync_job *k = arg;

    for (uint32_t round = 1; round <= ROUNDS; round++) {
        k->value[c->block_idx] = round * 1000 + c->block_idx;
        npu_sync_all(c, HERE);
        for (uint32_t i = 0; i < c->block_dim; i++)
            if (k->value[i] != round * 1000 + i)
                atomic_fetch_add(&k->wrong, 1);
        npu_sync_all(c, HERE);
    }
}

static void test_sync(void **state)
{
    struct npu_diag d;

    (void)state;
    for (uint32_t n = 1; n <= BLOCKS; n = n * 2 + 1) {
        static struct sync_job k;
        atomic_store(&k.wrong, 0);
        assert_int_equal(launch_on("Ascend910B2", n, sync_block, &k, &d), NPU_OK);
        assert_int_equal(k.wrong, 0);
    }
}

/* UB of a block that waits is its own. */
static void ub_block(void *arg, struct npu_core *c)
{
    memset(ub_of(c), (int)c->block_idx, 1024);
    npu_sync_all(c, HERE);
    for (int i = 0; i < 1024; i++)
        if (ub_of(c)[i] != c->block_idx)
            atomic_fetch_add((atomic_uint *)arg, 1);
}

static void test_ub_is_kept(void **state)
{
    atomic_uint wrong = 0;

    (void)state;
    on_core(ub_block, &wrong);
    struct npu_diag d;
    assert_int_equal(launch_on("Ascend910B2", 40, ub_block, &wrong, &d), NPU_OK);
    assert_int_equal(wrong, 0);
}

static void one_stays_away(void *arg, struct npu_core *c)
{
    (void)arg;
    if (c->block_idx != 2)
        npu_sync_all(c, (struct npu_where){"k.c", 12});
}

static void test_deadlock(void **state)
{
    struct npu_diag d;

    (void)state;
    assert_int_equal(launch_on("Ascend910B2", 8, one_stays_away, NULL, &d), NPU_E_DEADLOCK);
    assert_string_equal(d.text,
                        "test, block 0 of 8: k.c:12: SyncAll waits for ever: 1 of 8 blocks ended "
                        "without it");
    assert_int_equal(launch_on("Ascend910B2", 49, one_stays_away, NULL, &d), NPU_E_DEADLOCK);
    assert_non_null(strstr(d.text, "which has 48 such cores"));
}

/* ---- faults
 * --------------------------------------------------------------------------------------------- */

static void lowest_fault(void *arg, struct npu_core *c)
{
    (void)arg;
    if (c->block_idx % 7 == 3)
        npu_fault(c, NPU_E_ASSERT, (struct npu_where){"k.c", 5}, "x is %u, 3 at most",
                  c->block_idx);
    npu_fault(c, NPU_E_ARG, HERE, "%s", c->faulted ? "dropped" : "later");
}

static void test_faults(void **state)
{
    struct npu_diag d;

    (void)state;
    for (int k = 0; k < 20; k++) {
        assert_int_equal(launch_on("Ascend910B2", 100, lowest_fault, NULL, &d), NPU_E_ARG);
        assert_non_null(strstr(d.text, "block 0 of 100"));
    }
}

static void third_block(void *arg, struct npu_core *c)
{
    (void)arg;
    if (c->block_idx % 7 == 3)
        npu_fault(c, NPU_E_ASSERT, (struct npu_where){"k.c", 5}, "x is %u, 3 at most",
                  c->block_idx);
}

static void test_fault_order(void **state)
{
    struct npu_diag d;

    (void)state;
    for (int k = 0; k < 20; k++) {
        assert_int_equal(launch_on("Ascend910B2", 100, third_block, NULL, &d), NPU_E_ASSERT);
        assert_string_equal(d.text, "test, block 3 of 100: k.c:5: x is 3, 3 at most");
    }
    assert_int_equal(launch_on("Ascend910B2", 3, third_block, NULL, &d), NPU_OK);
}

/* A block that faulted still meets the others. */
static void fault_and_sync(void *arg, struct npu_core *c)
{
    if (c->block_idx == 1)
        npu_fault(c, NPU_E_ASSERT, HERE, "no");
    npu_sync_all(c, HERE);
    atomic_fetch_add((atomic_uint *)arg, 1);
}

static void test_fault_and_sync(void **state)
{
    atomic_uint n = 0;
    struct npu_diag d;

    (void)state;
    assert_int_equal(launch_on("Ascend910B2", 8, fault_and_sync, &n, &d), NPU_E_ASSERT);
    assert_int_equal(n, 8);
}

/* A block that looks at GM for ever ends when what it waits for cannot come: another's fault, or
 * its own. */
static void polls_for_ever(void *arg, struct npu_core *c)
{
    const bool is_failing = c->block_idx == *(const uint32_t *)arg;

    if (is_failing)
        npu_fault(c, NPU_E_ASSERT, HERE, "no");
    while (!is_failing || c->block_dim == 1)
        npu_poll(c);
}

static void test_polls_after_a_fault(void **state)
{
    struct npu_diag d;

    (void)state;
    for (uint32_t blocks = 1; blocks <= 8; blocks += 7)
        for (uint32_t failing = 0; failing < blocks; failing++) {
            assert_int_equal(launch_on("Ascend910B2", blocks, polls_for_ever, &failing, &d),
                             NPU_E_ASSERT);
            assert_non_null(strstr(d.text, ": no"));
        }
}

/* ---- signals
 * ---------------------------------------------------------------------------------------------- */

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
static volatile uint32_t zero, sink, n_levels = 1000;

static __attribute__((noinline)) uint32_t deep(uint32_t level)
{
    volatile uint8_t much[4096];

    much[0] = (uint8_t)level;
    return level < n_levels ? deep(level + 1) + much[0] : 0;
}

static void wild(void *arg, struct npu_core *c)
{
    volatile uint32_t *nowhere = (volatile uint32_t *)(uintptr_t)0x123450;

    if (c->block_idx != 1)
        return;
    switch (*(int *)arg) {
    case 0:
        *nowhere = 1;
        break;
    case 1:
        sink = deep(0);
        break;
    case 2:
        ub_of(c)[c->mem[MEM_UB].bytes] = 1;
        break;
    default:
        sink = sink / zero;
    }
}

static void test_signals(void **state)
{
    static const char *const says[] = {"touched address 0x123450", "stack overflowed its 256 KB",
                                       "touched UB byte 196608 of 196608", "by zero"};
    struct npu_diag d;

    (void)state;
    for (int how = 0; how < 4; how++)
        for (int k = 0; k < 3; k++) {
            npu_trap_renew(); /* cmocka sets handlers of its own before each test */
            assert_int_not_equal(launch_on("Ascend910B2", 4, wild, &how, &d), NPU_OK);
            assert_non_null(strstr(d.text, "block 1 of 4"));
            assert_non_null(strstr(d.text, says[how]));
        }
}
#endif

/* ---- kernels that do not end
 * ---------------------------------------------------------------------------------------------- */

static _Atomic uint32_t turns;

static void endless(void *arg, struct npu_core *c)
{
    if (c->block_idx % 3 == *(uint32_t *)arg)
        for (;;)
            turns++;
    npu_sync_all(c, HERE);
}

static void endless_without_sync(void *arg, struct npu_core *c)
{
    if (c->block_idx >= *(uint32_t *)arg)
        for (;;)
            turns++;
}

static enum npu_status launch_within(uint64_t limit_us, uint32_t n_blocks, npu_block_fn *fn,
                                     uint32_t which, struct npu_diag *d)
{
    const struct npu_launch l = {.soc = npu_soc_find("Ascend910B2"),
                                 .name = "k",
                                 .block_dim = n_blocks,
                                 .run = fn,
                                 .arg = &which};
    struct npu_limit limit = {limit_us, (const void *)(uintptr_t)fn, false};
    enum npu_status st;

    *d = (struct npu_diag){0};
    st = npu_launch_within(&l, &limit, d);

    assert_int_equal(limit.is_over, st != NPU_OK);
    return st;
}

static void test_deadline(void **state)
{
    struct npu_diag d;

    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* it hands a signal over at a call of libc, which these kernels never make */
#endif
    for (int k = 0; k < 3; k++) {
        assert_int_equal(launch_within(20000, 8, endless, 1, &d), NPU_E_DEADLOCK);
        if (!strstr(d.text, "did not end within 20000 us and was stopped"))
            fail_msg("%s", d.text);
        assert_int_equal(launch_within(20000, 40, endless_without_sync, 3, &d), NPU_E_DEADLOCK);
        assert_non_null(strstr(d.text, "block 3 of 40")); /* the lowest one */
    }
    for (int k = 0; k < 300; k++) /* it has no say in a launch that ends */
        assert_int_equal(launch_within(60000000, 6, endless, 9, &d), NPU_OK);
}

#if !defined(__SANITIZE_THREAD__)
/* The way out of a kernel leads nowhere: that is no kernel's fault. */
static void lost(void *arg, struct npu_core *c)
{
    (void)arg;
    npu_core_int(c)->fiber.host_context = NULL;
    *(volatile uint32_t *)(uintptr_t)0x123450 = 1;
}

static void test_fault_on_the_way_out(void **state)
{
    struct npu_diag d;
    int status = 0;

    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(SIGSEGV, SIG_DFL);
        npu_trap_renew();
        alarm(60); /* it once landed for ever */
        (void)launch_on("Ascend910B2", 1, lost, NULL, &d);
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}
#endif

/* ---- several threads, loops, forks
 * ------------------------------------------------------------------------- */

static void *launch_often(void *arg)
{
    for (int k = 0; k < 20; k++) {
        static _Thread_local struct sync_job job;
        struct npu_diag d;
        atomic_store(&job.wrong, 0);
        if (launch_on("Ascend910B2", 1 + (uint32_t)k * 2, sync_block, &job, &d) != NPU_OK ||
            job.wrong)
            atomic_fetch_add((atomic_uint *)arg, 1);
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t t[4];
    atomic_uint bad = 0;

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, launch_often, &bad), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(t[i], NULL), 0);
    assert_int_equal(bad, 0);
}

static void add_one(void *arg, uint32_t i)
{
    ((uint32_t *)arg)[i]++;
}

static void loop_inside(void *arg, struct npu_core *c)
{
    (void)c;
    npu_parallel(100, add_one, arg);
}

static void test_parallel(void **state)
{
    static uint32_t hits[1000];

    (void)state;
    for (uint32_t n = 0; n <= 1000; n += 125) {
        memset(hits, 0, sizeof hits);
        npu_parallel(n, add_one, hits);
        for (uint32_t i = 0; i < 1000; i++)
            assert_int_equal(hits[i], i < n);
    }
    memset(hits, 0, sizeof hits);
    on_core(loop_inside, hits); /* inside a kernel: on its own thread */
    assert_int_equal(hits[99], 1);
    assert_int_equal(hits[100], 0);
}

static void launch_inside(void *arg, struct npu_core *c)
{
    (void)c;
    *(enum npu_status *)arg = launch_on("Ascend910B2", 1, count_block, NULL, &(struct npu_diag){0});
}

static void test_nested(void **state)
{
    enum npu_status st = NPU_OK;

    (void)state;
    on_core(launch_inside, &st);
    assert_int_equal(st, NPU_E_UNSUP);
}

#if !defined(__SANITIZE_THREAD__)
static void test_fork(void **state)
{
    static struct sync_job k;
    struct npu_diag d;
    int status = 0;

    (void)state;
    assert_int_equal(launch_on("Ascend910B2", 24, sync_block, &k, &d), NPU_OK);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        for (int i = 0; i < 5; i++)
            if (launch_on("Ascend910B2", 24, sync_block, &k, &d) != NPU_OK || k.wrong)
                _exit(1);
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(launch_on("Ascend910B2", 24, sync_block, &k, &d), NPU_OK);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sync),
        cmocka_unit_test(test_ub_is_kept),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_fault_order),
        cmocka_unit_test(test_fault_and_sync),
        cmocka_unit_test(test_polls_after_a_fault),
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
        cmocka_unit_test(test_signals),
#endif
        cmocka_unit_test(test_deadline),
#if !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(test_fault_on_the_way_out),
#endif
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_nested),
#if !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(test_fork),
#endif
    };

    /* Helpers even on a machine with one processor. */
    (void)setenv("NPUTWIN_THREADS", "4", 1);
    return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}

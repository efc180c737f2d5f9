/* SPDX-License-Identifier: Apache-2.0 */
/* t_mte.c - bursts with gaps and padding as DataCopyPad has them, exact writes to GM, flags that
 * come late, barriers. */
#include "on_core.h"
#include "../../engine/ahead.h"
#include <string.h>

enum { UB = 196608 };
static uint8_t gm_in[4096], gm_out[4096];

struct copy {
    struct npu_insn in;
    uint8_t ub[512];
};

static void run_copy(void *arg, struct npu_core *c)
{
    struct copy *k = arg;

    memset(ub_of(c), 0xee, sizeof k->ub);
    npu_issue(c, &k->in);
    memcpy(k->ub, ub_of(c), sizeof k->ub);
}

static struct npu_insn copy_in(uint32_t n_burst, uint32_t bytes, int64_t src_gap, int64_t dst_gap)
{
    return (struct npu_insn){.kind = KIND_OP,
                             .op = OP_copy_gm_to_ub,
                             .type = TYPE_u16,
                             .n_burst = n_burst,
                             .burst_bytes = bytes,
                             .src_gap_bytes = src_gap,
                             .dst_gap_bytes = dst_gap,
                             .ref = {{0, 0, 0, MEM_UB}, {(uint64_t)(uintptr_t)gm_in, 0, 0, MEM_GM}},
                             .where = HERE};
}

/* 3 bursts of 10 bytes, 6 apart in GM: each fills a blk with its own first element, one blk apart.
 */
static void test_padded_bursts(void **state)
{
    struct copy k = {.in = copy_in(3, 10, 6, 32)};

    (void)state;
    on_core(run_copy, &k);
    for (int b = 0; b < 3; b++) {
        const uint8_t *blk = k.ub + b * 64;
        assert_memory_equal(blk, gm_in + b * 16, 10);
        for (int i = 10; i < 32; i++)
            assert_int_equal(blk[i], gm_in[b * 16 + i % 2]);
        for (int i = 32; i < 64; i++)
            assert_int_equal(blk[i], 0xee);
    }
}

static void test_pad_value(void **state)
{
    struct copy k = {.in = copy_in(1, 20, 0, 0)};

    (void)state;
    k.in.is_pad = true;
    k.in.scalar = 0x1234;
    k.in.pad_left = 2;
    k.in.pad_right = 3;
    on_core(run_copy, &k);
    assert_memory_equal(k.ub, "\x34\x12\x34\x12", 4);
    assert_memory_equal(k.ub + 4, gm_in, 20);
    assert_memory_equal(k.ub + 24, "\x34\x12\x34\x12\x34\x12", 6);
    assert_int_equal(k.ub[32], 0xee);
}

static void run_out(void *arg, struct npu_core *c)
{
    for (int i = 0; i < 256; i++)
        ub_of(c)[i] = (uint8_t)i;
    npu_issue(c, arg);
}

/* UB bursts begin at blks; GM gets exactly the bytes, overlapping none. */
static void test_out(void **state)
{
    struct npu_insn in = {.kind = KIND_OP,
                          .op = OP_copy_ub_to_gm,
                          .type = TYPE_u8,
                          .n_burst = 3,
                          .burst_bytes = 5,
                          .src_gap_bytes = 32,
                          .dst_gap_bytes = 2,
                          .ref = {{(uint64_t)(uintptr_t)gm_out, 0, 0, MEM_GM}, {0, 0, 0, MEM_UB}},
                          .where = HERE};

    (void)state;
    memset(gm_out, 0xaa, sizeof gm_out);
    on_core(run_out, &in);
    for (int b = 0; b < 3; b++) {
        for (int i = 0; i < 5; i++)
            assert_int_equal(gm_out[b * 7 + i], b * 64 + i);
        assert_int_equal(gm_out[b * 7 + 5], 0xaa);
        assert_int_equal(gm_out[b * 7 + 6], 0xaa);
    }
}

static void test_bounds(void **state)
{
    struct copy k = {.in = copy_in(2, 40, 0, 0)};
    struct npu_diag d;

    (void)state;
    k.in.ref[0].at_bytes = UB - 128;
    assert_int_equal(launch_on("Ascend910B2", 1, run_copy, &k, &d), NPU_OK);
    k.in.ref[0].at_bytes = UB - 96; /* the second burst is padded to 64 and leaves */
    assert_int_equal(launch_on("Ascend910B2", 1, run_copy, &k, &d), NPU_E_RANGE);
    k.in.ref[0].at_bytes = 16;
    assert_int_equal(launch_on("Ascend910B2", 1, run_copy, &k, &d), NPU_E_ALIGN);
    k.in.ref[0].at_bytes = 0;
    k.in.ref[1].at_bytes = 0;
    assert_int_equal(launch_on("Ascend910B2", 1, run_copy, &k, &d), NPU_E_RANGE);
    assert_non_null(strstr(d.text, "null pointer"));
}

/* ---- flags
 * ------------------------------------------------------------------------------------------ */

/* The vector unit is told to wait before the copy and its flag are issued: legal on the chip, whose
 * scalar unit goes on. */
static void late_set(void *arg, struct npu_core *c)
{
    uint8_t *ub = ub_of(c);

    memset(ub, 0, 128);
    npu_wait_flag(c, PIPE_MTE2, PIPE_V, 1, HERE);
    npu_vec(c, OP_vadds, TYPE_s16, ub + 64, ub, NULL, 1, 16, HERE);
    npu_set_flag(c, PIPE_V, PIPE_MTE3, 1, HERE);
    npu_wait_flag(c, PIPE_V, PIPE_MTE3, 1, HERE);
    npu_copy(c, OP_copy_ub_to_gm, gm_out, ub + 64, 32, HERE);
    *(uint16_t *)arg = *(uint16_t *)(ub + 64); /* nothing has run yet */
    npu_copy(c, OP_copy_gm_to_ub, ub, gm_in, 32, HERE);
    npu_set_flag(c, PIPE_MTE2, PIPE_V, 1, HERE);
    npu_barrier(c, PIPE_ALL, HERE);
}

static void test_late_set(void **state)
{
    uint16_t early = 99, x, y;

    (void)state;
    on_core(late_set, &early);
    assert_int_equal(early, 0);
    for (int i = 0; i < 16; i++) {
        memcpy(&x, gm_in + 2 * i, 2);
        memcpy(&y, gm_out + 2 * i, 2);
        assert_int_equal(y, x + 1);
    }
}

static void never_set(void *arg, struct npu_core *c)
{
    const int how = *(int *)arg;

    npu_wait_flag(c, PIPE_MTE2, how == 2 ? PIPE_S : PIPE_V, 5, (struct npu_where){"k.c", 9});
    if (how == 1)
        npu_barrier(c, PIPE_ALL, HERE);
}

static void test_never_set(void **state)
{
    struct npu_diag d;

    (void)state;
    for (int how = 0; how < 3; how++) {
        assert_int_equal(launch_on("Ascend910B2", 1, never_set, &how, &d), NPU_E_DEADLOCK);
        assert_non_null(strstr(d.text, how == 2 ? "k.c:9: wait_flag(MTE2, S, 5)"
                                                : "k.c:9: wait_flag(MTE2, V, 5)"));
    }
}

static void wrong_event(void *arg, struct npu_core *c)
{
    (void)arg;
    npu_set_flag(c, PIPE_MTE2, PIPE_V, 8, HERE);
}

static void test_wrong_event(void **state)
{
    struct npu_diag d;

    (void)state;
    assert_int_equal(launch_on("Ascend910B2", 1, wrong_event, NULL, &d), NPU_E_ARG);
    assert_non_null(strstr(d.text, "set_flag(MTE2, V): event id 8; 0 to 7"));
}

/* What is fetched ahead of a walk: nothing at its first copy, as much as the newest one from then
 * on; copies in and out are told apart, and what was not fetched in time is forgotten. */
static void test_walks(void **state)
{
    struct npu_ahead a = {0};
    const uintptr_t in = (uintptr_t)gm_in, out = (uintptr_t)gm_out;

    (void)state;
    npu_ahead_copied(&a, false, in, 1024);
    npu_ahead_copied(&a, true, in + 1024, 1024);
    assert_int_equal(a.n_left, 0);
    npu_ahead_copied(&a, false, in + 1024, 1024);
    assert_int_equal(a.n_left, 16);
    assert_int_equal(npu_ahead_pace(&a, 5), 4);
    npu_ahead_fetch(&a, 4);
    assert_int_equal(a.n_left, 12);
    npu_ahead_copied(&a, true, out, 512);
    npu_ahead_copied(&a, true, out + 512, 480); /* a line that is not whole is one */
    assert_int_equal(a.n_left, 12 + 8);
    npu_ahead_copied(&a, false, in + 2048, 256);
    assert_int_equal(a.n_left, 4 + 8);
    npu_ahead_fetch(&a, 6); /* of each walk */
    assert_int_equal(a.n_left, 2);
    npu_ahead_fetch(&a, 100);
    assert_int_equal(a.n_left, 0);
    for (uintptr_t k = 0; k < 4; k++) /* four others: the first walk is forgotten */
        npu_ahead_copied(&a, false, in + 4096 * (k + 1), 64);
    npu_ahead_copied(&a, false, in + 2304, 256);
    assert_int_equal(a.n_left, 0);
}

/* The same bytes whether lines are fetched or not: the second and third launch do. */
enum { WALK = 1 << 20, WALK_TILE = 8192 };
static uint8_t walk_in[WALK], walk_out[WALK];

static void walk_block(void *arg, struct npu_core *c)
{
    const uint32_t share = WALK / c->block_dim, from = share * c->block_idx;
    uint8_t *ub = ub_of(c);

    (void)arg;
    for (uint32_t at = from; at < from + share; at += WALK_TILE) {
        npu_copy(c, OP_copy_gm_to_ub, ub, walk_in + at, WALK_TILE, HERE);
        npu_vec(c, OP_vsqrt, TYPE_f32, ub + WALK_TILE, ub, NULL, 0, WALK_TILE / 4, HERE);
        npu_copy(c, OP_copy_ub_to_gm, walk_out + at, ub + WALK_TILE, WALK_TILE, HERE);
    }
}

static void test_walking(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WALK / 4; i++) {
        const float square = (float)(i % 1000) * (float)(i % 1000);
        memcpy(walk_in + (size_t)i * 4, &square, sizeof square);
    }
    for (int run = 0; run < 3; run++) {
        struct npu_diag d;
        memset(walk_out, 0, sizeof walk_out);
        assert_int_equal(launch_on("Ascend910B2", 8, walk_block, NULL, &d), NPU_OK);
        for (uint32_t i = 0; i < WALK / 4; i++) {
            float root;
            memcpy(&root, walk_out + (size_t)i * 4, sizeof root);
            assert_true(root == (float)(i % 1000));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padded_bursts), cmocka_unit_test(test_pad_value),
        cmocka_unit_test(test_out),           cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_late_set),      cmocka_unit_test(test_never_set),
        cmocka_unit_test(test_wrong_event),   cmocka_unit_test(test_walks),
        cmocka_unit_test(test_walking),
    };

    for (size_t i = 0; i < sizeof gm_in; i++)
        gm_in[i] = (uint8_t)(i * 37 + 11);
    return cmocka_run_group_tests_name("mte", tests, NULL, NULL);
}

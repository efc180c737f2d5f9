/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_vec.c - the walk over repeats, blks and masks, against a lane-by-lane model of its own; random
 * strides, masks, overlaps, counter mode, count form; and the ranges that accesses report.
 */
#include "on_core.h"
#include <string.h>

enum { UB = 196608, AREA = 8192, TRIES = 3000 };

static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint32_t rnd(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- the model: dst = src0 + src1 in wrapping integers of 2 or 4 bytes
 * ---------------------------- */

static uint64_t load(const uint8_t *at, uint32_t elem)
{
    uint64_t v = 0;

    memcpy(&v, at, elem);
    return v;
}

static uint64_t place(const struct npu_ref *ref, uint32_t repeat, uint32_t lane, uint32_t elem)
{
    const uint32_t per_blk = 32 / elem;

    return ref->at_bytes +
           32ull *
               ((uint64_t)repeat * ref->rep_stride + (uint64_t)(lane / per_blk) * ref->blk_stride) +
           (uint64_t)(lane % per_blk) * elem;
}

static void model(uint8_t *ub, const struct npu_insn *in)
{
    const uint32_t elem = in->type == TYPE_s16 ? 2 : 4, lanes = 256 / elem;
    const uint64_t total = in->count ? in->count : in->counter ? in->mask[0] : 0;
    const uint32_t repeats = total         ? (uint32_t)((total + lanes - 1) / lanes)
                             : in->counter ? 0
                                           : in->repeat;
    struct npu_ref ref[3];

    memcpy(ref, in->ref, sizeof ref);
    for (int o = 0; in->count && o < 3; o++) {
        ref[o].blk_stride = 1;
        ref[o].rep_stride = 8;
    }
    for (uint32_t r = 0; r < repeats; r++) {
        uint64_t sum[128];
        for (uint32_t i = 0; i < lanes; i++) {
            const bool on =
                total ? (uint64_t)r * lanes + i < total : in->mask[i / 64] >> i % 64 & 1;
            if (on)
                sum[i] = load(ub + place(&ref[1], r, i, elem), elem) +
                         load(ub + place(&ref[2], r, i, elem), elem);
        }
        for (uint32_t i = 0; i < lanes; i++) {
            const bool on =
                total ? (uint64_t)r * lanes + i < total : in->mask[i / 64] >> i % 64 & 1;
            if (on)
                memcpy(ub + place(&ref[0], r, i, elem), &sum[i], elem);
        }
    }
}

/* ---- random instructions
 * --------------------------------------------------------------------------- */

static struct npu_insn random_insn(void)
{
    struct npu_insn in = {.kind = KIND_OP,
                          .op = OP_vadd,
                          .type = rnd(2) ? TYPE_s16 : TYPE_s32,
                          .repeat = (uint8_t)(1 + rnd(4)),
                          .where = HERE};

    for (int o = 0; o < 3; o++) {
        in.ref[o].mem = MEM_UB;
        in.ref[o].at_bytes = 32 * rnd(40); /* close to each other: overlaps of every kind */
        in.ref[o].blk_stride = (uint16_t)(rnd(3) ? 1 : rnd(4));
        in.ref[o].rep_stride = (uint16_t)(rnd(3) ? 8 : rnd(20));
    }
    if (!in.ref[0].blk_stride) /* the manual leaves that undefined */
        in.ref[0].blk_stride = 1;
    switch (rnd(5)) {
    case 0:
        in.mask[0] = in.mask[1] = ~0ull;
        break;
    case 4: { /* leading lanes */
        const uint32_t n = rnd(129);
        in.mask[0] = n < 64 ? (1ull << n) - 1 : ~0ull;
        in.mask[1] = n < 65 ? 0 : n < 128 ? (1ull << (n - 64)) - 1 : ~0ull;
        break;
    }
    case 1:
        in.mask[0] = seed;
        in.mask[1] = seed * 77;
        break;
    case 2:
        in.counter = true;
        in.mask[0] = rnd(500);
        break;
    default:
        in.count = 1 + rnd(500);
    }
    return in;
}

struct tries {
    struct npu_insn in;
    uint8_t before[AREA], after[AREA];
};

static void run_tries(void *arg, struct npu_core *c)
{
    struct tries *t = arg;

    memcpy(ub_of(c), t->before, AREA);
    npu_issue(c, &t->in);
    memcpy(t->after, ub_of(c), AREA);
}

static void test_walk(void **state)
{
    static struct tries t;
    static uint8_t want[AREA];

    (void)state;
    for (int k = 0; k < TRIES; k++) {
        t.in = random_insn();
        for (int i = 0; i < AREA; i++)
            t.before[i] = (uint8_t)rnd(256);
        on_core(run_tries, &t);
        memcpy(want, t.before, AREA);
        model(want, &t.in);
        if (memcmp(want, t.after, AREA))
            fail_msg("try %d: type %s repeat %u count %u counter %d dst %llu/%u/%u src0 %llu/%u/%u "
                     "src1 %llu/%u/%u",
                     k, npu_types[t.in.type].name, t.in.repeat, t.in.count, t.in.counter,
                     (unsigned long long)t.in.ref[0].at_bytes, t.in.ref[0].blk_stride,
                     t.in.ref[0].rep_stride, (unsigned long long)t.in.ref[1].at_bytes,
                     t.in.ref[1].blk_stride, t.in.ref[1].rep_stride,
                     (unsigned long long)t.in.ref[2].at_bytes, t.in.ref[2].blk_stride,
                     t.in.ref[2].rep_stride);
    }
}

/* ---- accesses
 * --------------------------------------------------------------------------------------- */

struct seen {
    struct tries *t;
    uint8_t written[AREA], read[AREA];
};

static void note(void *arg, enum npu_mem mem, uint64_t at, uint32_t bytes, enum npu_use use)
{
    struct seen *s = arg;

    (void)mem;
    memset((use == USE_W ? s->written : s->read) + at, 1, bytes);
}

static void run_seen(void *arg, struct npu_core *c)
{
    struct seen *s = arg;

    npu_insn_accesses(c, &s->t->in, note, s);
    run_tries(s->t, c);
}

/* Exactly the reported bytes change (adding 1 or more changes each element), and reads cover
 * sources. */
static void test_accesses(void **state)
{
    static struct tries t;
    static struct seen s;

    (void)state;
    for (int k = 0; k < TRIES / 4; k++) {
        t.in = random_insn();
        t.in.ref[1] = (struct npu_ref){.at_bytes = AREA - 32, .mem = MEM_UB};
        t.in.ref[2] = t.in.ref[1];
        t.in.count = 0;
        memset(t.before, 0, AREA);
        memset(t.before + AREA - 32, 0x11, 32);
        memset(s.written, 0, AREA);
        s.t = &t;
        on_core(run_seen, &s);
        for (int i = 0; i < AREA - 32; i++)
            if ((t.after[i] != 0) != s.written[i])
                fail_msg("try %d: byte %d %s", k, i,
                         s.written[i] ? "reported but not written" : "written in silence");
    }
}

/* ---- bounds
 * ------------------------------------------------------------------------------------------ */

static void run_insn(void *arg, struct npu_core *c)
{
    npu_issue(c, arg);
}

/* The last 32 bytes may be used to the full, with a mask that keeps to them; one lane more is a
 * fault. */
static void test_edge(void **state)
{
    struct npu_insn in = {
        .kind = KIND_OP,
        .op = OP_vadd,
        .type = TYPE_f32,
        .repeat = 1,
        .mask = {0xff},
        .ref = {{UB - 32, 1, 8, MEM_UB}, {UB - 32, 1, 8, MEM_UB}, {0, 1, 8, MEM_UB}},
        .where = {"edge.c", 7}};
    struct npu_diag d;

    (void)state;
    assert_int_equal(launch_on("Ascend910B2", 1, run_insn, &in, &d), NPU_OK);
    in.mask[0] = 0x1ff;
    assert_int_equal(launch_on("Ascend910B2", 1, run_insn, &in, &d), NPU_E_RANGE);
    assert_non_null(strstr(d.text, "edge.c:7: vadd: "));
    assert_non_null(strstr(d.text, "196608"));
    assert_int_equal(launch_on("Ascend950PR_9599", 1, run_insn, &in, &d), NPU_OK); /* a larger UB */
    in.mask[0] = 0xff;
    in.ref[1].at_bytes = 4;
    assert_int_equal(launch_on("Ascend910B2", 1, run_insn, &in, &d), NPU_E_ALIGN);
    in.ref[1].at_bytes = 0;
    in.type = TYPE_s8;
    assert_int_equal(launch_on("Ascend910B2", 1, run_insn, &in, &d), NPU_E_TYPE);
    assert_non_null(strstr(d.text, "vadd does not take s8"));
    in.repeat = 0; /* nothing to do, nothing to fault */
    in.type = TYPE_f32;
    assert_int_equal(launch_on("Ascend910B2", 1, run_insn, &in, &d), NPU_OK);
}

static void past_end(void *arg, struct npu_core *c)
{
    const uint32_t n = *(uint32_t *)arg;
    uint8_t *ub = ub_of(c);

    npu_vec(c, OP_vadd, TYPE_f16, ub + UB - 1024, ub, ub + 64, 0, n, (struct npu_where){"k.c", 3});
    npu_vec(c, OP_vadd, TYPE_f16, ub + 1, ub, ub, 0, n, HERE); /* not reached after a fault */
}

static void test_fast_door(void **state)
{
    struct npu_diag d;
    uint32_t n = 513;

    (void)state;
    assert_int_equal(launch_on("Ascend910B2", 1, past_end, &n, &d), NPU_E_RANGE);
    assert_string_equal(d.text,
                        "test, block 0 of 1: k.c:3: vadd: dst covers UB bytes 195584 to 196609 "
                        "(1026 bytes), but UB has 196608 bytes");
    n = 0;
    assert_int_equal(launch_on("Ascend910B2", 1, past_end, &n, &d), NPU_OK);
}

/* 3510 fills the result of a blk without active lanes, 2201 leaves it. */
static void empty_blk(void *arg, struct npu_core *c)
{
    struct npu_insn in = {.kind = KIND_OP,
                          .op = OP_vcgmax,
                          .type = TYPE_f32,
                          .repeat = 1,
                          .mask = {0xff},
                          .ref = {{1024, 1, 1, MEM_UB}, {0, 1, 8, MEM_UB}},
                          .where = HERE};

    memset(ub_of(c), 0, 2048);
    npu_issue(c, &in);
    memcpy(arg, ub_of(c) + 1024, 32);
}

static void test_empty_blk(void **state)
{
    struct npu_diag d;
    float got[8];

    (void)state;
    assert_int_equal(launch_on("Ascend910B2", 1, empty_blk, got, &d), NPU_OK);
    assert_true(got[0] == 0 && got[7] == 0);
    assert_int_equal(launch_on("Ascend950PR_9599", 1, empty_blk, got, &d), NPU_OK);
    assert_true(got[0] == 0 && got[7] == -__builtin_inff());
}

/* Half sums round at each step of the tree: 60000 + 60000 is infinite before -30000 comes. */
static void half_sum(void *arg, struct npu_core *c)
{
    static const uint16_t x[] = {0x7b53, 0x7b53, 0xf753, 0x5640}; /* 60000 60000 -30000 100 */
    struct npu_insn in = {.kind = KIND_OP,
                          .op = OP_vcadd,
                          .type = TYPE_f16,
                          .repeat = 1,
                          .mask = {0xf},
                          .ref = {{1024, 1, 1, MEM_UB}, {0, 1, 8, MEM_UB}},
                          .where = HERE};

    memcpy(ub_of(c), x, sizeof x);
    npu_issue(c, &in);
    in.mask[0] = 0xc;
    in.ref[0].at_bytes = 1026;
    npu_issue(c, &in);
    memcpy(arg, ub_of(c) + 1024, 4);
}

static void test_half_sum(void **state)
{
    uint16_t got[2];

    (void)state;
    on_core(half_sum, got);
    assert_int_equal(got[0], 0x7c00);
    assert_int_equal(got[1], 0xf74d); /* -29900, rounded */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),      cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_edge),      cmocka_unit_test(test_fast_door),
        cmocka_unit_test(test_empty_blk), cmocka_unit_test(test_half_sum),
    };
    return cmocka_run_group_tests_name("vec", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_isa.c - the duty: every (instruction, type) of the tables has a golden row, and meets it.
 *
 * Each row runs through npu_issue() as one repeat and through npu_vec() as a count with a tail.
 */
#include "on_core.h"
#include "../../base/num.h"
#include "../../isa/typeset.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 77, LANES = 128 };

/* ---- one lane ---------------------------------------------------------------------------------
 */

struct golden {
    enum npu_op op;
    enum npu_type type;
    double a, b, s, want;
};
static const struct golden golden[] = {
#define GOLDEN(op, type, a, b, s, want) {OP_##op, TYPE_##type, a, b, s, want},
#define GOLDEN_FN(op, type, fn)
#include "golden.def"
};
enum { N_GOLDEN = sizeof golden / sizeof *golden };

/* The bits of a number in a type, zero-extended. */
static uint64_t bits_of(enum npu_type type, double v)
{
    switch (type) {
    case TYPE_f16:
        return npu_f64_to_f16(v);
    case TYPE_bf16:
        return npu_f32_to_bf16((float)v);
    case TYPE_f32:
        return npu_f32_bits((float)v);
    default:
        return (uint64_t)(int64_t)v & (npu_types[type].bytes == 2 ? 0xffffu : 0xffffffffu);
    }
}

static bool is_nan(enum npu_type type, uint64_t bits)
{
    if (type == TYPE_f16)
        return (bits & 0x7fff) > 0x7c00;
    if (type == TYPE_bf16)
        return (bits & 0x7fff) > 0x7f80;
    return type == TYPE_f32 && (bits & 0x7fffffff) > 0x7f800000;
}

static bool same(enum npu_type type, uint64_t got, uint64_t want)
{
    return got == want || (is_nan(type, got) && is_nan(type, want));
}

struct one {
    const struct golden *g;
    uint64_t by_repeat[LANES], by_count[COUNT];
    uint8_t behind; /* the byte after the counted ones: must stay */
};

static void fill(uint8_t *to, uint64_t bits, uint32_t elem, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        memcpy(to + i * elem, &bits, elem);
}

static void read_back(uint64_t *out, const uint8_t *from, uint32_t elem, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = 0;
        memcpy(&out[i], from + i * elem, elem);
    }
}

static void run_one(void *arg, struct npu_core *c)
{
    struct one *o = arg;
    const struct golden *g = o->g;
    const uint32_t elem = npu_types[g->type].bytes, lanes = NPU_REPEAT_BYTES / elem;
    uint8_t *d = ub_of(c), *a = d + 1024, *b = d + 2048;
    const uint64_t s = bits_of(npu_isa[g->op].shape == SHAPE_VVVS ? TYPE_f32 : g->type, g->s);
    struct npu_insn in = {.kind = KIND_OP,
                          .op = (uint8_t)g->op,
                          .type = (uint8_t)g->type,
                          .repeat = 1,
                          .mask = {~0ull, ~0ull},
                          .scalar = s,
                          .ref = {{0, 1, 8, MEM_UB}, {1024, 1, 8, MEM_UB}, {2048, 1, 8, MEM_UB}},
                          .where = HERE};

    fill(a, bits_of(g->type, g->a), elem, lanes);
    fill(b, bits_of(g->type, g->b), elem, lanes);
    fill(d, bits_of(g->type, g->b), elem, lanes);
    npu_issue(c, &in);
    read_back(o->by_repeat, d, elem, lanes);
    fill(d, bits_of(g->type, g->b), elem, lanes);
    memset(d + COUNT * elem, 0x5a, elem);
    npu_vec(c, g->op, g->type, d, a, b, s, COUNT, HERE);
    /* COUNT of a 4-byte type is more than a repeat; of a 2-byte type less. */
    read_back(o->by_count, d, elem, COUNT < lanes ? COUNT : lanes);
    o->behind = d[COUNT * elem];
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_GOLDEN; i++) {
        struct one o = {.g = &golden[i]};
        const struct golden *g = o.g;
        const uint32_t lanes = NPU_REPEAT_BYTES / npu_types[g->type].bytes;
        const uint64_t want = bits_of(g->type, g->want);
        on_core(run_one, &o);
        for (uint32_t k = 0; k < lanes; k++) {
            const uint64_t got = k < COUNT ? o.by_count[k] : want;
            if (!same(g->type, o.by_repeat[k], want) || !same(g->type, got, want))
                fail_msg("golden row %zu, %s %s, lane %u: repeat form 0x%llx, count form 0x%llx, "
                         "want 0x%llx",
                         i, npu_isa[g->op].name, npu_types[g->type].name, k,
                         (unsigned long long)o.by_repeat[k], (unsigned long long)got,
                         (unsigned long long)want);
        }
        assert_int_equal(o.behind, 0x5a);
    }
}

/* ---- not lane by lane ---------------------------------------------------------------------------
 */

/* What a special test puts into UB, runs, and reads back. */
struct special {
    enum npu_type type;
    struct npu_insn in;
    uint64_t a[LANES], b[LANES], bits[2];
    uint8_t d[512]; /* dst before and after */
    struct npu_lists lists;
    struct npu_regs regs; /* after */
};

static void run_special(void *arg, struct npu_core *c)
{
    struct special *p = arg;
    uint8_t *ub = ub_of(c);
    const uint32_t elem = npu_types[p->type].bytes;

    for (uint32_t i = 0; i < LANES && i < NPU_REPEAT_BYTES / elem; i++) {
        memcpy(ub + 1024 + i * elem, &p->a[i], elem);
        memcpy(ub + 2048 + i * elem, &p->b[i], elem);
    }
    memcpy(ub + 3072, p->bits, sizeof p->bits);
    memcpy(ub, p->d, sizeof p->d);
    c->lists = p->lists;
    npu_issue(c, &p->in);
    memcpy(p->d, ub, sizeof p->d);
    p->regs = c->regs;
}

/* One repeat of op on a (at 1024) and b (at 2048) into d (at 0), the bits at 3072. */
static struct special special(enum npu_op op, enum npu_type type)
{
    return (struct special){
        .type = type,
        .in = {.kind = KIND_OP,
               .op = (uint8_t)op,
               .type = (uint8_t)type,
               .repeat = 1,
               .mask = {~0ull, ~0ull},
               .ref = {{0, 1, 8, MEM_UB}, {1024, 1, 8, MEM_UB}, {2048, 1, 8, MEM_UB}},
               .sel = {3072, 1, 8, MEM_UB},
               .where = HERE}};
}

static uint64_t element(const uint8_t *d, enum npu_type type, uint32_t i)
{
    uint64_t v = 0;

    memcpy(&v, d + i * npu_types[type].bytes, npu_types[type].bytes);
    return v;
}

/* a[i]: a number per lane; lanes beyond n repeat the last. */
static void set(uint64_t *to, enum npu_type type, const double *v, uint32_t n)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = bits_of(type, v[i < n ? i : n - 1]);
}

/* By hand: the eight pairs below and what each relation says of them, lowest bit first. */
static const double pair_a[] = {1, 2, 3, -1, 0.0, -0.0, NAN, INFINITY};
static const double pair_b[] = {2, 2, 2, NAN, -0.0, -1, NAN, INFINITY};
static const uint8_t pair_says[] = {
    [CMP_LT] = 0x01, [CMP_GT] = 0x24, [CMP_EQ] = 0x92,
    [CMP_LE] = 0x93, [CMP_GE] = 0xb6, [CMP_NE] = 0x25,
};

static void golden_vcmp(enum npu_op op, enum npu_type type)
{
    for (int rel = CMP_LT; rel <= CMP_NE; rel++) {
        struct special p = special(op, type);
        for (uint32_t i = 0; i < LANES; i++) {
            p.a[i] = bits_of(type, pair_a[i % 8]);
            p.b[i] = bits_of(type, pair_b[i % 8]);
        }
        p.in.mode = (uint8_t)rel;
        p.in.mask[0] = 1; /* not looked at */
        p.in.mask[1] = 0;
        p.d[LANES / 8] = 0x77;
        on_core(run_special, &p);
        for (uint32_t i = 0; i < NPU_REPEAT_BYTES / npu_types[type].bytes / 8; i++)
            assert_int_equal(p.d[i], pair_says[rel]);
        assert_int_equal(p.d[LANES / 8], 0x77);
    }
}

static void golden_vcmps(enum npu_op op, enum npu_type type)
{
    static const double a[] = {1, 2, 3, NAN, -2, 2, INFINITY, -INFINITY}; /* against 2 */
    static const uint8_t says[] = {
        [CMP_LT] = 0x91, [CMP_GT] = 0x44, [CMP_EQ] = 0x22,
        [CMP_LE] = 0xb3, [CMP_GE] = 0x66, [CMP_NE] = 0xd5,
    };

    for (int rel = CMP_LT; rel <= CMP_NE; rel++) {
        struct special p = special(op, type);
        for (uint32_t i = 0; i < LANES; i++)
            p.a[i] = bits_of(type, a[i % 8]);
        p.in.mode = (uint8_t)rel;
        p.in.scalar = bits_of(type, 2);
        on_core(run_special, &p);
        for (uint32_t i = 0; i < NPU_REPEAT_BYTES / npu_types[type].bytes / 8; i++)
            assert_int_equal(p.d[i], says[rel]);
    }
}

/* Of integers only equality; against src1 or the scalar 2. */
static void golden_equal(enum npu_op op, enum npu_type type)
{
    static const double a[] = {2, -2, 2, 2147483647, -2147483648.0, 0, 2, 16777217};
    static const double b[] = {2, 2, 3, 2147483647, 2147483647, 0, -2, 16777216};
    struct special p = special(op, type);
    struct npu_diag d;

    for (uint32_t i = 0; i < LANES; i++) {
        p.a[i] = bits_of(type, a[i % 8]);
        p.b[i] = bits_of(type, b[i % 8]);
    }
    p.in.mode = CMP_EQ;
    p.in.scalar = 2;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(p.d[i], op == OP_vcmp ? 0x29 : 0x45);
    assert_int_equal(p.d[8], 0);
    p.in.mode = CMP_LT;
    assert_int_equal(launch_on("Ascend910B2", 1, run_special, &p, &d), NPU_E_ARG);
    assert_non_null(strstr(d.text, "only EQ"));
}

static void golden_vsel(enum npu_op op, enum npu_type type)
{
    const uint32_t lanes = NPU_REPEAT_BYTES / npu_types[type].bytes;

    for (uint8_t mode = 0; mode <= 2; mode++) {
        struct special p = special(op, type);
        set(p.a, type, (double[]){5}, 1);
        set(p.b, type, (double[]){7}, 1);
        p.in.mode = mode;
        p.in.scalar = bits_of(type, 9);
        p.in.mask[0] = ~2ull; /* lane 1 keeps what it was */
        p.bits[0] = p.bits[1] = 0x00000000000000f5;
        memset(p.d, 0x11, sizeof p.d);
        if (mode == 0) /* the register is empty: everything from src1 */
            p.bits[0] = p.bits[1] = ~0ull;
        on_core(run_special, &p);
        for (uint32_t i = 0; i < lanes; i++) {
            const bool takes = mode != 0 && (0xf5ull >> (i % 64) & 1);
            const uint64_t want = i == 1  ? (npu_types[type].bytes == 2 ? 0x1111 : 0x11111111)
                                  : takes ? bits_of(type, 5)
                                          : bits_of(type, mode == 1 ? 9 : 7);
            assert_int_equal(element(p.d, type, i), want);
        }
    }
}

/* t_conv.c has the conversions in full. */
static void golden_vconv(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    p.in.dst_type = type == TYPE_f16 ? TYPE_f32 : TYPE_f16;
    if (p.in.dst_type == TYPE_f16)
        p.in.ref[0].rep_stride = 4;
    set(p.a, type, (double[]){1.5, -2}, 2);
    on_core(run_special, &p);
    assert_int_equal(element(p.d, (enum npu_type)p.in.dst_type, 0),
                     bits_of((enum npu_type)p.in.dst_type, 1.5));
    assert_int_equal(element(p.d, (enum npu_type)p.in.dst_type, 63),
                     bits_of((enum npu_type)p.in.dst_type, -2));
}

static void golden_reduce(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes, lanes = NPU_REPEAT_BYTES / elem;
    struct special p = special(op, type);

    /* 3 -1 7 7 then ones; lane 0 off. */
    set(p.a, type, (double[]){3, -1, 7, 7, 1}, 5);
    p.in.mask[0] = ~1ull;
    p.in.mode = 0;
    on_core(run_special, &p);
    if (op == OP_vcadd) {
        assert_int_equal(element(p.d, type, 0), bits_of(type, 13 + (lanes - 4)));
        return;
    }
    assert_int_equal(element(p.d, type, 0), bits_of(type, op == OP_vcmax ? 7 : -1));
    assert_int_equal(element(p.d, type, 1), op == OP_vcmax ? 2 : 1); /* index of the first */
    p.in.mode = 1;
    on_core(run_special, &p);
    assert_int_equal(element(p.d, type, 0), op == OP_vcmax ? 2 : 1);
    assert_int_equal(element(p.d, type, 1), bits_of(type, op == OP_vcmax ? 7 : -1));
    p.in.mode = 3;
    on_core(run_special, &p);
    assert_int_equal(element(p.d, TYPE_u32, 0), op == OP_vcmax ? 2 : 1);
    p.a[9] = bits_of(type, NAN); /* NaN wins */
    p.in.mode = 2;
    on_core(run_special, &p);
    assert_true(is_nan(type, element(p.d, type, 0)));
}

static void golden_blks(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes, per = NPU_BLK_BYTES / elem;
    const uint64_t old = elem == 2 ? 0x1111 : 0x11111111;
    struct special p = special(op, type);

    for (uint32_t i = 0; i < NPU_REPEAT_BYTES / elem; i++) /* blk k: k, k+1, .. in steps of one */
        p.a[i] = bits_of(type, (double)(uint32_t)(i / per + i % per));
    memset(p.d, 0x11, sizeof p.d);
    p.in.mask[per * 3 / 64] &= ~(((1ull << per) - 1) << (per * 3 % 64)); /* blk 3 off */
    on_core(run_special, &p);
    for (uint32_t k = 0; k < 8; k++) {
        const double n = per, sum = n * k + n * (n - 1) / 2;
        const double want = op == OP_vcgadd ? sum : op == OP_vcgmax ? k + n - 1 : k;
        assert_int_equal(element(p.d, type, k), k == 3 ? old : bits_of(type, want));
    }
    assert_int_equal(element(p.d, type, 8), old);
}

/* 1 2 3 4 .. in pairs; lane 0 off, lanes 4 and 5 off: 2, 7, untouched, 15 .. */
static void golden_pairs(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes, pairs = NPU_REPEAT_BYTES / elem / 2;
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = bits_of(type, i + 1);
    memset(p.d, 0x11, sizeof p.d);
    p.in.mask[0] = ~0x31ull;
    p.in.ref[0].rep_stride = 1;
    on_core(run_special, &p);
    assert_int_equal(element(p.d, type, 0), bits_of(type, 2));
    assert_int_equal(element(p.d, type, 1), bits_of(type, 7));
    assert_int_equal(element(p.d, type, 2), elem == 2 ? 0x1111 : 0x11111111);
    for (uint32_t i = 3; i < pairs; i++)
        assert_int_equal(element(p.d, type, i), bits_of(type, 4 * i + 3));
    assert_int_equal(element(p.d, type, pairs), elem == 2 ? 0x1111 : 0x11111111);
}

/* The one repeat twice, by a stride of 0: 3 -1 7 7 1 1 .. */
static void golden_all(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes, lanes = NPU_REPEAT_BYTES / elem;
    struct special p = special(op, type);

    set(p.a, type, (double[]){3, -1, 7, 7, 1}, 5);
    memset(p.d, 0x11, sizeof p.d);
    p.in.mask[0] = ~1ull;
    p.in.repeat = 2;
    p.in.ref[1].rep_stride = 0;
    on_core(run_special, &p);
    if (op == OP_vsumall) {
        assert_int_equal(element(p.d, type, 0), bits_of(type, 2 * (13 + (lanes - 4))));
    } else {
        assert_int_equal(element(p.d, type, 0), bits_of(type, op == OP_vmaxall ? 7 : -1));
        assert_int_equal(element(p.d, type, 1), op == OP_vmaxall ? 2 : 1); /* of the first */
    }
    assert_int_equal(element(p.d, type, 2), elem == 2 ? 0x1111 : 0x11111111);
}

/* 64 lanes; a product beyond the halves stays finite; lane 1 is off. */
static void golden_vmlaw(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);
    const float one = 1.0f;

    set(p.a, type, (double[]){1.5, 5, 65504}, 3);
    set(p.b, type, (double[]){-2, 5, 65504}, 3);
    for (uint32_t i = 0; i < 64; i++)
        memcpy(p.d + i * sizeof one, &one, sizeof one);
    p.in.mask[0] = ~2ull;
    p.in.ref[1].rep_stride = p.in.ref[2].rep_stride = 4;
    on_core(run_special, &p);
    assert_int_equal(element(p.d, TYPE_f32, 0), bits_of(TYPE_f32, -2));
    assert_int_equal(element(p.d, TYPE_f32, 1), bits_of(TYPE_f32, 1));
    assert_int_equal(element(p.d, TYPE_f32, 63), bits_of(TYPE_f32, 4290774016.0));
    assert_int_equal(element(p.d, TYPE_f32, 64), 0);
}

/* The same with one factor. */
static void golden_vaxpyw(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);
    const float one = 1.0f;

    set(p.a, type, (double[]){1.5, 5, 65504}, 3);
    for (uint32_t i = 0; i < 64; i++)
        memcpy(p.d + i * sizeof one, &one, sizeof one);
    p.in.mask[0] = ~2ull;
    p.in.scalar = bits_of(type, -65504);
    p.in.ref[1].rep_stride = 4;
    on_core(run_special, &p);
    assert_int_equal(element(p.d, TYPE_f32, 0), bits_of(TYPE_f32, -98255));
    assert_int_equal(element(p.d, TYPE_f32, 1), bits_of(TYPE_f32, 1));
    assert_int_equal(element(p.d, TYPE_f32, 63), bits_of(TYPE_f32, -4290774016.0));
    assert_int_equal(element(p.d, TYPE_f32, 64), 0);
}

/* Lanes 1 and 2 are off: their bits stay 0. */
static void golden_vcmpr(enum npu_op op, enum npu_type type)
{
    for (int rel = CMP_LT; rel <= CMP_NE; rel++) {
        struct special p = special(op, type);
        const uint64_t ones = 0x0101010101010101ull;
        for (uint32_t i = 0; i < LANES; i++) {
            p.a[i] = bits_of(type, pair_a[i % 8]);
            p.b[i] = bits_of(type, pair_b[i % 8]);
        }
        p.in.mode = (uint8_t)rel;
        p.in.mask[0] = ~6ull;
        on_core(run_special, &p);
        assert_int_equal(p.regs.cmpmask[0], pair_says[rel] * ones & ~6ull);
        assert_int_equal(p.regs.cmpmask[1], npu_types[type].bytes == 2 ? pair_says[rel] * ones : 0);
    }
}

/* Halves of integers; 1024.5 is a tie, to even. */
static void golden_vdeq(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    p.a[0] = 3;
    p.a[1] = (uint32_t)-2147483647 - 1;
    p.a[2] = 2049;
    p.a[63] = 131008;
    p.in.scalar = 0x3800; /* 0.5 */
    p.in.mask[0] = ~8ull;
    memset(p.d, 0x11, sizeof p.d);
    on_core(run_special, &p);
    assert_int_equal(element(p.d, TYPE_f16, 0), 0x3e00);
    assert_int_equal(element(p.d, TYPE_f16, 1), 0xfc00);
    assert_int_equal(element(p.d, TYPE_f16, 2), 0x6400); /* 1024.5 */
    assert_int_equal(element(p.d, TYPE_f16, 3), 0x1111);
    assert_int_equal(element(p.d, TYPE_f16, 63), 0x7bff); /* 65504 */
    assert_int_equal(element(p.d, TYPE_f16, 64), 0x1111);
}

static int d8(const struct special *p, uint32_t i)
{
    return (int8_t)p->d[i];
}

/* 100 * 1.5 - 3 and its kin; 1.5 and 1.50048828125 are one number in 10 bits of fraction. */
static void golden_vdeqs16(enum npu_op op, enum npu_type type)
{
    static const double a[] = {100, 1, -1, 32767, -32768, 3, 5, 0};
    static const int16_t says[] = {127, -2, -4, 127, -128, 2, 4, -3}; /* -1.5, -4.5, 1.5, 4.5 */
    static const uint8_t unsigned_says[] = {147, 0, 0, 255, 0, 2, 4, 0};
    const uint64_t scale = npu_f32_bits(1.50048828125f), offset = (uint64_t)(0x200 - 3) % 512 << 37;
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = bits_of(type, a[i % 8]);
    p.in.dst_type = TYPE_s8;
    p.in.scalar = scale | offset | (uint64_t)1 << 46;
    p.in.mode = DEQ_HIGH;
    p.in.mask[0] = ~8ull; /* lane 3 is off */
    memset(p.d, 0x11, sizeof p.d);
    on_core(run_special, &p);
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(d8(&p, i / 16 * 32 + 16 + i % 16), i == 3 ? 0x11 : says[i % 8]);
        assert_int_equal(d8(&p, i / 16 * 32 + i % 16), 0x11); /* the lower half */
    }
    p.in.dst_type = TYPE_u8;
    p.in.scalar = scale | offset;
    p.in.mode = 0;
    on_core(run_special, &p);
    for (uint32_t i = 4; i < LANES; i++)
        assert_int_equal(p.d[i / 16 * 32 + i % 16], unsigned_says[i % 8]);
    /* A set a lane: scale 1, 2, 4 .., offset 0, 1, 2 .. */
    p.in.mode = DEQ_VECTOR;
    for (uint32_t k = 0; k < 16; k++) {
        const uint64_t word = npu_f32_bits((float)(1 << k % 4)) | (uint64_t)k << 37;
        for (uint32_t i = 0; i < 4; i++)
            p.b[4 * k + i] = word >> 16 * i & 0xffff;
    }
    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = i / 16 + 1;
    p.in.mask[0] = ~0ull;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(p.d[i / 16 * 32 + i % 16], ((i / 16 + 1) << i % 4) + i % 16);
}

/* (a + b) * 0.5 in halves; 2049 / 2 is a tie; the sum wraps. */
static void golden_vadddeqrelu(enum npu_op op, enum npu_type type)
{
    static const double a[] = {3, -3, 2000, 2147483647, 70000, -0.0};
    static const double b[] = {4, -4, 49, 1, 70000, 0};
    static const uint32_t says[] = {0x4300, 0, 0x6400, 0, 0x7c00, 0};
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++) {
        p.a[i] = bits_of(type, a[i % 6]);
        p.b[i] = bits_of(type, b[i % 6]);
    }
    p.in.scalar = 0x3800; /* 0.5 */
    p.in.mask[0] = ~(1ull << 7);
    memset(p.d, 0x11, sizeof p.d);
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(element(p.d, TYPE_f16, i), i == 7 ? 0x1111 : says[i % 6]);
    assert_int_equal(element(p.d, TYPE_f16, 64), 0x1111);
}

/* The vendor's table of boundary values, and ties. b has the other sign for the difference. */
static void narrow(enum npu_op op, enum npu_type type, enum npu_type dst, const double *a,
                   const double *b, const double *says, uint32_t n)
{
    const uint32_t lanes = NPU_REPEAT_BYTES / npu_types[type].bytes, off = 5;
    const double sign = op == OP_vsubreluconv ? -1 : 1;
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++) {
        p.a[i] = bits_of(type, a[i % n]);
        p.b[i] = bits_of(type, sign * b[i % n]);
    }
    p.in.dst_type = (uint8_t)dst;
    p.in.ref[0].rep_stride = 4;
    p.in.mask[0] = ~(1ull << off);
    memset(p.d, 0x11, sizeof p.d);
    on_core(run_special, &p);
    for (uint32_t i = 0; i < lanes; i++) {
        const uint64_t old = dst == TYPE_f16 ? 0x1111 : 0x11;
        const uint64_t want =
            dst == TYPE_f16 ? bits_of(dst, says[i % n]) : (uint8_t)(int16_t)says[i % n];
        assert_int_equal(element(p.d, dst, i), i == off ? old : want);
    }
    assert_int_equal(p.d[lanes * npu_types[dst].bytes], 0x11);
}

static void golden_narrow_half(enum npu_op op, enum npu_type type)
{
    static const double a[] = {1.5, 2.5, -1, INFINITY, 65504, -65504, INFINITY, NAN, 2048, 0.3};
    static const double b[] = {1, 0, -2, 1, 65504, -65504, -INFINITY, 1, 3, 0.1};
    static const double says[] = {2, 2, 0, 127, 127, 0, 0, 0, 127, 0};

    narrow(op, type, TYPE_s8, a, b, says, 10);
}

static void golden_narrow_float(enum npu_op op, enum npu_type type)
{
    static const double a[] = {1.5, 2048, -1, INFINITY, 3e38, -3e38, INFINITY, NAN, 0x1p-26, 65536};
    static const double b[] = {1, 1, -2, 1, 3e38, -3e38, -INFINITY, 1, 0x1p-25, -17};
    static const double says[] = {2.5, 2048, 0, INFINITY, INFINITY, 0, 0, 0, 0x1p-24, 65504};

    narrow(op, type, TYPE_f16, a, b, says, 10);
}

static void golden_narrow_s16(enum npu_op op, enum npu_type type)
{
    static const double a[] = {5, 100, -5, 32767, -32768, 127, 128};
    static const double b[] = {3, 28, 3, 32767, -32767, 0, -1};
    static const double says[] = {8, 127, 0, 127, 0, 127, 127};

    narrow(op, type, TYPE_s8, a, b, says, 7);
}

static void golden_vmulconv(enum npu_op op, enum npu_type type)
{
    static const double a[] = {0.5, 1.5, -6, 65504, 65504, -65504, NAN, 0, 16};
    static const double b[] = {5, 1, 5, 65504, -65504, INFINITY, 1, INFINITY, 15.5};
    static const double says[] = {2, 2, -30, 127, -128, -128, 0, 0, 127};
    static const double bytes[] = {2, 2, 0, 255, 0, 0, 0, 0, 248};

    narrow(op, type, TYPE_s8, a, b, says, 9);
    narrow(op, type, TYPE_u8, a, b, bytes, 9);
}

/* By hand: to even, ends of the type, the odd lane in the upper half; a lane that is off keeps its
 * half of the byte. */
static void golden_vf162s4(enum npu_op op, enum npu_type type)
{
    static const double v[] = {2.5, -2.5, 3.5, 7.5, 100, -100, -1, 0};
    struct special p = special(op, type);

    set(p.a, type, v, 8);
    p.in.mode = ROUND_RINT;
    p.in.mask[0] = 0x7f; /* not lane 7 */
    p.in.mask[1] = 1;
    memset(p.d, 0x55, sizeof p.d);
    on_core(run_special, &p);
    assert_int_equal(p.d[0], 0xe2); /* 2, -2 */
    assert_int_equal(p.d[1], 0x74); /* 4, 7: 8 is too much */
    assert_int_equal(p.d[2], 0x87); /* 7, -8 */
    assert_int_equal(p.d[3], 0x5f); /* -1, the old half */
    assert_int_equal(p.d[4], 0x55);
    assert_int_equal(p.d[32], 0x50); /* lane 64 begins the second blk */
    for (uint32_t i = 33; i < 80; i++)
        assert_int_equal(p.d[i], 0x55);
}

static void golden_vs42f16(enum npu_op op, enum npu_type type)
{
    static const double want[] = {7, -8, -1, 0, 5, 2};
    struct special p = special(op, type);

    p.a[0] = 0x0f87; /* bytes 0x87 0x0f 0x25 */
    p.a[1] = 0x25;
    p.in.mask[0] = ~32ull;
    memset(p.d, 0x11, sizeof p.d);
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(element(p.d, TYPE_f16, i), bits_of(TYPE_f16, want[i]));
    assert_int_equal(element(p.d, TYPE_f16, 5), 0x1111); /* off */
}

static void golden_vindex(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes, lanes = NPU_REPEAT_BYTES / elem;
    struct special p = special(op, type);

    p.in.scalar = bits_of(type, -5);
    p.in.mask[0] = ~2ull;
    memset(p.d, 0x11, sizeof p.d);
    on_core(run_special, &p);
    for (uint32_t i = 0; i < lanes; i++)
        assert_int_equal(element(p.d, type, i),
                         i == 1 ? (elem == 2 ? 0x1111 : 0x11111111) : bits_of(type, (double)i - 5));
    p.in.scalar = bits_of(type, type == TYPE_f16 ? 2046 : type == TYPE_f32 ? 16777214 : 32766);
    on_core(run_special, &p);
    assert_int_equal(element(p.d, type, 3), type == TYPE_f16   ? bits_of(type, 2048)
                                            : type == TYPE_f32 ? bits_of(type, 16777216)
                                                               : 0x8001);
}

/* Every other element; then those of the bits 1001. */
static void golden_vgathermask(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes, lanes = NPU_REPEAT_BYTES / elem;
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = 100 + i;
    p.in.mode = 2;
    memset(p.d, 0x11, sizeof p.d);
    on_core(run_special, &p);
    assert_int_equal(p.regs.n_gathered, lanes / 2);
    for (uint32_t i = 0; i < lanes / 2; i++)
        assert_int_equal(element(p.d, type, i), 101 + 2 * i);
    assert_int_equal(element(p.d, type, lanes / 2), elem == 2 ? 0x1111 : 0x11111111);
    p.in.mode = 0;
    p.in.counter = true;
    p.in.mask[0] = 7;
    for (uint32_t i = 0; i < LANES; i++)
        p.b[i] = 0x99999999;
    on_core(run_special, &p);
    assert_int_equal(p.regs.n_gathered, 3); /* elements 0, 3 and 4 */
    assert_int_equal(element(p.d, type, 0), 100);
    assert_int_equal(element(p.d, type, 1), 103);
    assert_int_equal(element(p.d, type, 2), 104);
    assert_int_equal(element(p.d, type, 3), 107); /* as before */
}

/* Blk k comes from blk 7 - k. */
static void golden_vgatherb(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes, per = NPU_BLK_BYTES / elem;
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = 100 + i;
    for (uint32_t k = 0; k < 8; k++)
        p.b[elem == 2 ? 2 * k : k] = (7 - k) * NPU_BLK_BYTES;
    p.in.mask[0] = p.in.mask[1] = 0; /* not looked at */
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 8 * per; i++)
        assert_int_equal(element(p.d, type, i), 100 + (7 - i / per) * per + i % per);
}

/* 0 7 14 21 .. modulo 32, each twice in a row: equal scores stay in order. */
static void golden_vsort32(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    for (uint32_t i = 0; i < 32; i++) {
        p.a[i] = bits_of(type, i / 2 * 7 % 16);
        p.b[type == TYPE_f16 ? 2 * i : i] = 1000 + i;
    }
    on_core(run_special, &p);
    for (uint32_t k = 0; k < 32; k++) {
        uint32_t score = 0, index, from = 0;
        while (from / 2 * 7 % 16 != 15 - k / 2)
            from++;
        memcpy(&score, p.d + 8 * k, npu_types[type].bytes);
        memcpy(&index, p.d + 8 * k + 4, sizeof index);
        const uint32_t want = 15 - k / 2;
        assert_int_equal(score, bits_of(type, want));
        assert_int_equal(index, 1000 + from + k % 2);
    }
}

/* 9 7 7 and 8 7 1: 9 8 7 7 7 1, of equal ones the first queue's; then until one is empty. */
static void golden_vmrgsort(enum npu_op op, enum npu_type type)
{
    static const double a[] = {9, 7, 7}, b[] = {8, 7, 1}, want[] = {9, 8, 7, 7, 7, 1};
    static const uint32_t who[] = {0, 10, 1, 2, 11, 12};
    const uint32_t per = 8 / npu_types[type].bytes; /* elements of a pair */
    struct special p = special(op, type);

    for (uint32_t i = 0; i < 3; i++) {
        p.a[i * per] = bits_of(type, a[i]);
        p.a[i * per + per / 2] = i;
        p.b[i * per] = bits_of(type, b[i]);
        p.b[i * per + per / 2] = 10 + i;
    }
    p.lists = (struct npu_lists){.src = {1024, 2048}, .src_bytes = {24, 24}};
    p.in.mode = 2;
    on_core(run_special, &p);
    for (uint32_t k = 0; k < 6; k++) {
        assert_int_equal(element(p.d, type, k * per), bits_of(type, want[k]));
        assert_int_equal(element(p.d, type, k * per + per / 2), who[k]);
    }
    memset(p.d, 0x11, sizeof p.d);
    p.in.mode = 2 | MERGE_STOPS;
    on_core(run_special, &p);
    assert_int_equal(p.regs.n_merged[0], 3);
    assert_int_equal(p.regs.n_merged[1], 1);
    assert_int_equal(element(p.d, type, 3 * per), bits_of(type, 7));
    assert_int_equal(p.d[4 * 8], 0x11);
}

/* 16 x 8 here, because a holds 128 elements: the rest of the square is what b and UB hold. */
static void golden_vtranspose(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = 100 + i;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(element(p.d, type, i % 16 * 16 + i / 16), 100 + i);
}

/* 2 x 3 channels x 4 pixels; there and back. */
static void golden_vpermute(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    for (uint32_t i = 0; i < 24; i++)
        p.a[i] = 100 + i;
    p.in.repeat = 2;
    p.in.n_burst = 3;
    p.in.burst_bytes = 4;
    p.d[24 * npu_types[type].bytes] = 0x77;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(element(p.d, type, i / 12 * 12 + i % 4 * 3 + i % 12 / 4), 100 + i);
    assert_int_equal(p.d[24 * npu_types[type].bytes], 0x77);
    p.in.mode = 1;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(element(p.d, type, i / 12 * 12 + i % 3 * 4 + i % 12 / 3), 100 + i);
}

/* 2 rows of 16: 1, 2, 3 .. and 17, 18 .. */
static void golden_vcumsum(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    for (uint32_t i = 0; i < 32; i++)
        p.a[i] = bits_of(type, 1.0 + i);
    p.in.repeat = 1;
    p.in.n_burst = 2;
    p.in.burst_bytes = 16;
    p.d[32 * npu_types[type].bytes] = 0x77;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 16; i++) {
        const double n = i + 1;
        assert_int_equal(element(p.d, type, i), bits_of(type, n * (n + 1) / 2));
        assert_int_equal(element(p.d, type, 16 + i), bits_of(type, 16 * n + n * (n + 1) / 2));
    }
    assert_int_equal(p.d[32 * npu_types[type].bytes], 0x77);
    p.in.mode = 1;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(element(p.d, type, i), bits_of(type, 1.0 + i));
        assert_int_equal(element(p.d, type, 16 + i), bits_of(type, 18.0 + 2 * i));
    }
}

/* 2.5 * 0.75 + 0.5 is 2.375, rounded 2; -300 * 0.75 saturates. */
static void golden_vquant(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = bits_of(type, i % 2 ? 2.5 : -300);
    p.in.dst_type = TYPE_s8;
    p.in.count = 60;
    p.in.scalar = npu_f32_bits(0.75f) | (uint64_t)npu_f32_bits(0.5f) << 32;
    p.d[60] = 0x77;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal((int8_t)p.d[i], i % 2 ? 2 : -128);
    assert_int_equal(p.d[60], 0x77);
}

static void golden_vdequant(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = (uint32_t)-(int32_t)i;
    p.in.dst_type = TYPE_f16;
    p.in.count = 60;
    p.in.scalar = npu_f32_bits(1.25f);
    p.d[120] = 0x77;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(element(p.d, TYPE_f16, i), bits_of(TYPE_f16, 0 - 1.25 * i));
    assert_int_equal(p.d[120], 0x77);
}

static void golden_vantiquant(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = (uint8_t)-(int32_t)i;
    p.in.dst_type = TYPE_f16;
    p.in.count = 60;
    p.in.scalar = npu_f32_bits(1.25f) | (uint64_t)npu_f32_bits(0.5f) << 32;
    p.d[120] = 0x77;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(element(p.d, TYPE_f16, i), bits_of(TYPE_f16, (0.5 - i) * 1.25));
    assert_int_equal(p.d[120], 0x77);
}

/* Eight blks of a, each twice in the list; results one after the other. */
static void golden_vnchwconv(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes, columns = elem == 1 ? 16 : NPU_BLK_BYTES / elem;
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = i;
    p.in.ref[0].rep_stride = p.in.ref[1].rep_stride = 0;
    for (uint32_t k = 0; k < NPU_LIST; k++) {
        p.lists.dst[k] = k * NPU_BLK_BYTES;
        p.lists.src[k] = 1024 + k / 2 * (elem == 1 ? 0 : NPU_BLK_BYTES);
    }
    p.in.mode = elem == 1 ? NCHW_SRC_HIGH : NCHW_DST_HIGH; /* of bytes only */
    on_core(run_special, &p);
    for (uint32_t k = 0; k < NPU_LIST; k++)
        for (uint32_t i = 0; i < columns; i++) {
            const uint32_t at = elem == 1 ? i * NPU_BLK_BYTES + k : i * NPU_LIST + k;
            const uint32_t want = elem == 1 ? 16 + i : k / 2 * columns + i;
            assert_int_equal(element(p.d, type, at), want);
        }
}

/* 3 x 5 elements, transposed; t_adv_*.cpp has the functions of isa/rows.def. */
static void golden_vrows(enum npu_op op, enum npu_type type)
{
    const uint32_t bytes = 15 * npu_types[type].bytes;
    const struct npu_rows rows = {.fn = ROWS_Transpose,
                                  .n_dst = 1,
                                  .n_src = 1,
                                  .dst = {0},
                                  .dst_bytes = {bytes},
                                  .src = {1024},
                                  .src_bytes = {bytes},
                                  .num = {2, 5, 3, 3, 1, 1, 5}};
    struct special p = special(op, type);

    p.in.rows = &rows;
    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = i;
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 15; i++)
        assert_int_equal(element(p.d, type, i), i % 3 * 5 + i / 3);
}

static void golden_vbrcb(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes, per = NPU_BLK_BYTES / elem;
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = 100 + i;
    p.in.mask[0] = p.in.mask[1] = 0; /* not looked at */
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 8 * per; i++)
        assert_int_equal(element(p.d, type, i), 100 + i / per);
}

/* Lane i takes element 2 + (61 - i); lanes from 61 on are off. t_gather.cpp has the forms in full.
 */
static void golden_vgather(enum npu_op op, enum npu_type type)
{
    const uint32_t elem = npu_types[type].bytes;
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = 100 + i;
    for (uint32_t i = 0; i < 61;
         i++) { /* offsets are 32 bits wide, b is written element by element */
        const uint32_t at = elem == 2 ? 2 * i : i;
        p.b[at] = (61 - i) * elem;
    }
    p.in.scalar = 2 * elem;
    p.in.mask[0] = (1ull << 61) - 1;
    p.in.mask[1] = 0;
    memset(p.d, 0x11, sizeof p.d);
    on_core(run_special, &p);
    for (uint32_t i = 0; i < 61; i++)
        assert_int_equal(element(p.d, type, i), 100 + 63 - i);
    assert_int_equal(element(p.d, type, 61), elem == 2 ? 0x1111 : 0x11111111);
}

static void golden_vcopy(enum npu_op op, enum npu_type type)
{
    struct special p = special(op, type);

    for (uint32_t i = 0; i < LANES; i++)
        p.a[i] = 100 + i;
    p.in.mask[0] = 0x5;
    memset(p.d, 0, sizeof p.d);
    on_core(run_special, &p);
    assert_int_equal(element(p.d, type, 0), 100);
    assert_int_equal(element(p.d, type, 1), 0);
    assert_int_equal(element(p.d, type, 2), 102);
    assert_int_equal(element(p.d, type, 3), 0);
}

struct golden_fn {
    enum npu_op op;
    enum npu_type type;
    void (*fn)(enum npu_op op, enum npu_type type);
};
static const struct golden_fn golden_fns[] = {
#define GOLDEN(op, type, a, b, s, want)
#define GOLDEN_FN(op, type, fn) {OP_##op, TYPE_##type, fn},
#include "golden.def"
};
enum { N_GOLDEN_FNS = sizeof golden_fns / sizeof *golden_fns };

static void test_special(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_GOLDEN_FNS; i++)
        golden_fns[i].fn(golden_fns[i].op, golden_fns[i].type);
}

/* ---- the duty
 * ------------------------------------------------------------------------------------ */

static bool has_golden(uint32_t op, uint32_t type)
{
    for (size_t i = 0; i < N_GOLDEN; i++)
        if (golden[i].op == op && golden[i].type == type)
            return true;
    for (size_t i = 0; i < N_GOLDEN_FNS; i++)
        if (golden_fns[i].op == op && golden_fns[i].type == type)
            return true;
    return false;
}

static void test_duty(void **state)
{
    uint32_t missing = 0;

    (void)state;
    for (uint32_t op = 0; op < N_OPS; op++)
        for (uint32_t type = 0; npu_isa[op].pipe == PIPE_V && type < N_TYPES; type++)
            if (npu_isa[op].types >> type & 1 && !has_golden(op, type)) {
                print_error("%s %s has no golden value\n", npu_isa[op].name, npu_types[type].name);
                missing++;
            }
    assert_int_equal(missing, 0);
}

/* ---- tables
 * -------------------------------------------------------------------------------------- */

static void test_soc(void **state)
{
    (void)state;
    assert_non_null(npu_soc_find("ascend910b2"));
    assert_ptr_equal(npu_soc_find("ASCEND910B2"), npu_soc_find("Ascend910B2"));
    assert_null(npu_soc_find("Ascend910B"));
    assert_null(npu_soc_find(NULL));
    assert_int_equal(npu_soc_find("Ascend910B1")->mem_bytes[MEM_UB], 196608);
    assert_int_equal(npu_soc_find("Ascend950PR_9599")->mem_bytes[MEM_UB], 253952);
    assert_int_equal(npu_soc_find("Ascend910B3")->n_aiv, 40);
}

/* The choice is made once a process, so each try is a child; it returns 0 when all is as expected.
 */
static int try_env(const char *chip, const char *figures, const char *says, uint32_t ub_bytes)
{
    struct npu_diag d = {0};
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        (void)setenv("NPUTWIN_SOC", chip, 1);
        (void)setenv("NPUTWIN_SOC_SET", figures, 1);
        const struct npu_soc *soc = npu_soc_current(&d);
        if (says)
            _exit(soc || d.status != NPU_E_ARG || !strstr(d.text, says));
        _exit(!soc || soc->mem_bytes[MEM_UB] != ub_bytes);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void test_soc_env(void **state)
{
    (void)state;
    assert_int_equal(try_env("", "", NULL, 196608), 0);
    assert_int_equal(try_env("ascend950pr_9599", "", NULL, 253952), 0);
    assert_int_equal(try_env("", "UB_bytes=262144,n_aiv=8", NULL, 262144), 0);
    assert_int_equal(try_env("Ascend910B", "", "NPUTWIN_SOC=Ascend910B: no such chip", 0), 0);
    assert_int_equal(try_env("x", "", "Ascend910B1, Ascend910B2", 0), 0);
    assert_int_equal(try_env("", "ub=1", "no figure 'ub'; the figures are n_aic", 0), 0);
    assert_int_equal(try_env("", "ub_bytes", "is not figure=number", 0), 0);
    assert_int_equal(try_env("", "ub_bytes=-1", "ub_bytes=-1: a number from 256", 0), 0);
    assert_int_equal(try_env("", "ub_bytes=12x", "ub_bytes=12x", 0), 0);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(npu_isa[OP_vadd].name, "vadd");
    assert_string_equal(npu_isa[OP_vadd].lane, "a + b");
    assert_string_equal(npu_pipes[PIPE_MTE2].name, "MTE2");
    assert_string_equal(npu_types[TYPE_bf16].name, "bf16");
    assert_int_equal(npu_isa[OP_copy_ub_to_gm].pipe, PIPE_MTE3);
    for (uint32_t op = 0; op < N_OPS; op++)
        assert_true(npu_isa[op].name && *npu_isa[op].brief);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_duty),  cmocka_unit_test(test_rows), cmocka_unit_test(test_special),
        cmocka_unit_test(test_names), cmocka_unit_test(test_soc),  cmocka_unit_test(test_soc_env),
    };
    return cmocka_run_group_tests_name("isa", tests, NULL, NULL);
}

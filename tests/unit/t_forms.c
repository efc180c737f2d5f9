/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_forms.c - every (instruction, type) whose result is lane by lane, in every form, against a
 * plain reference of its own: count form, repeats under random bits, counter mode, odd masks and
 * strides, up to 255 repeats.
 *
 * The walk is over the table: a row without a reference here fails by name. The reference knows
 * addresses only element by element, computes in long double and rounds once by arithmetic; it
 * shares no code with the engine. What is not lane by lane (reductions, gathers, sorting ..) has
 * its own tests, named in `elsewhere`, which a new shape must join.
 */
#include "on_core.h"
#include "../../engine/vec.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AREA = 65536, DST = 0, SRC0 = 1 * AREA, SRC1 = 2 * AREA - 4096, SEL = 3 * AREA - 8192 };
enum { UB = 196608, LANES = 128, REPEAT = 256, BLK = 32 };

static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint32_t rnd(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- numbers ------------------------------------------------------------------------------------
 */

struct format {
    int precision, least_exponent, most_exponent; /* of the normal numbers */
};
static const struct format formats[N_TYPES] = {
    [TYPE_f16] = {11, -14, 15}, [TYPE_bf16] = {8, -126, 127}, [TYPE_f32] = {24, -126, 127}};

static bool is_float(enum npu_type t)
{
    return formats[t].precision != 0;
}
static uint32_t size_of(enum npu_type t)
{
    return npu_types[t].bytes;
}

/* Roundings of an integer-valued decision; `rest` is x less its floor. */
static long double to_integer(long double x, enum npu_round how)
{
    const long double low = floorl(x), rest = x - low;

    switch (how) {
    case ROUND_FLOOR:
        return low;
    case ROUND_CEIL:
        return ceill(x);
    case ROUND_TRUNC:
        return truncl(x);
    case ROUND_ROUND:
        return x < 0 ? -floorl(-x + 0.5L) : floorl(x + 0.5L);
    case ROUND_ODD:
        return rest == 0 ? x : fmodl(low, 2) != 0 ? low : low + 1;
    default:
        return rest < 0.5L || (rest == 0.5L && fmodl(low, 2) == 0) ? low : low + 1;
    }
}

/* x rounded to a float format by dividing through its last place. */
static long double to_format(long double x, const struct format *f, enum npu_round how)
{
    int e;

    if (!isfinite(x) || x == 0)
        return x;
    (void)frexpl(x, &e);
    const int exponent = e - 1 < f->least_exponent ? f->least_exponent : e - 1;
    const long double ulp = ldexpl(1, exponent - f->precision + 1);
    const long double y = to_integer(x / ulp, how) * ulp;
    const long double most = ldexpl(2 - ldexpl(1, 1 - f->precision), f->most_exponent);

    return fabsl(y) > most ? copysignl(INFINITY, x) : copysignl(y, x);
}

/* The bits of a number that the format has. */
static uint64_t float_bits(long double x, const struct format *f, uint32_t bytes)
{
    const int fraction = f->precision - 1;
    const uint64_t sign = (uint64_t)(signbit(x) != 0) << (8 * bytes - 1);
    const uint64_t infinity = (uint64_t)(2 * f->most_exponent + 1) << fraction;
    int e;

    if (isnan(x))
        return infinity | (uint64_t)1 << (fraction - 1);
    if (isinf(x))
        return sign | infinity;
    if (x == 0)
        return sign;
    (void)frexpl(x, &e);
    const int exponent = e - 1 < f->least_exponent ? f->least_exponent : e - 1;
    const uint64_t units = (uint64_t)ldexpl(fabsl(x), fraction - exponent);
    const uint64_t biased = (uint64_t)(exponent - f->least_exponent);

    return sign | (units + (biased << fraction));
}

static long double float_value(uint64_t bits, const struct format *f, uint32_t bytes)
{
    const int fraction = f->precision - 1;
    const uint64_t size = bits & (((uint64_t)1 << (8 * bytes - 1)) - 1);
    const uint64_t infinity = (uint64_t)(2 * f->most_exponent + 1) << fraction;
    const uint64_t biased = size >> fraction, rest = size & (((uint64_t)1 << fraction) - 1);
    long double x = biased ? ldexpl((long double)(rest + ((uint64_t)1 << fraction)),
                                    (int)biased - 1 + f->least_exponent - fraction)
                           : ldexpl((long double)rest, f->least_exponent - fraction);

    x = size > infinity ? (long double)NAN : size == infinity ? (long double)INFINITY : x;
    return bits >> (8 * bytes - 1) & 1 ? -x : x;
}

static uint64_t load(const uint8_t *p, uint32_t bytes)
{
    uint64_t v = 0;

    memcpy(&v, p, bytes);
    return v;
}

static long double value_of(enum npu_type t, uint64_t bits)
{
    const uint32_t n = 8 * size_of(t);

    if (is_float(t))
        return float_value(bits, &formats[t], size_of(t));
    if (t == TYPE_u8 || t == TYPE_u16 || t == TYPE_u32 || t == TYPE_u64)
        return (long double)bits;
    return (long double)((int64_t)(bits << (64 - n)) >> (64 - n));
}

/* Floats round to even; integers wrap. */
static uint64_t bits_from(enum npu_type t, long double x)
{
    const uint32_t n = 8 * size_of(t);

    if (is_float(t))
        return float_bits(to_format(x, &formats[t], ROUND_RINT), &formats[t], size_of(t));
    return (uint64_t)(int64_t)x & (n == 64 ? ~UINT64_C(0) : ((uint64_t)1 << n) - 1);
}

/* ---- what each instruction computes -------------------------------------------------------------
 */

struct lane {
    const struct npu_insn *in;
    enum npu_type type;
    long double a, b, s, d; /* values of src0, src1, the scalar and the old dst */
    uint64_t ia, ib;        /* bits of src0 and src1 */
};
typedef long double lane_fn(const struct lane *l);

#define LANE(name, expr)                                                                           \
    static long double ref_##name(const struct lane *l)                                            \
    {                                                                                              \
        const long double a = l->a, b = l->b, s = l->s, d = l->d;                                  \
        (void)a, (void)b, (void)s, (void)d;                                                        \
        return (expr);                                                                             \
    }
/* NaN wins, +0 is above -0. */
static long double larger(long double a, long double b)
{
    return isnan(a) || isnan(b) ? (long double)NAN : a > b || (a == b && !signbit(a)) ? a : b;
}
static long double smaller(long double a, long double b)
{
    return -larger(-a, -b);
}
/* x * y + z: exact for halves; libm has the one rounding of floats. A product that the type cannot
 * hold is infinite before the sum. */
static long double fused(const struct lane *l, long double x, long double y, long double z)
{
    const long double product = to_format(x * y, &formats[l->type], ROUND_RINT);

    if (!isfinite(product))
        return product + z;
    return l->type == TYPE_f32 ? (long double)fmaf((float)x, (float)y, (float)z) : x * y + z;
}
static long double shifted(const struct lane *l, int places)
{
    return places < 0 ? floorl(ldexpl(l->a, places)) : ldexpl(l->a, places);
}

LANE(vadd, a + b)
LANE(vsub, a - b)
LANE(vmul, a *b)
LANE(vdiv, a / b)
LANE(vmax, larger(a, b))
LANE(vmin, smaller(a, b))
LANE(vand, (long double)(l->ia & l->ib))
LANE(vor, (long double)(l->ia | l->ib))
LANE(vnot, (long double)(0xffff - l->ia))
LANE(vabs, fabsl(a))
LANE(vrelu, larger(a, 0))
LANE(vexp, expl(a))
LANE(vln, logl(a))
LANE(vsqrt, sqrtl(a))
LANE(vrsqrt, 1 / sqrtl(a))
LANE(vrec, 1 / a)
LANE(vsin, sinl(a))
LANE(vcos, cosl(a))
LANE(vtan, tanl(a))
LANE(vtanh, tanhl(a))
LANE(vadds, a + s)
LANE(vmuls, a *s)
LANE(vmaxs, larger(a, s))
LANE(vmins, smaller(a, s))
LANE(vlrelu, a >= 0 && !signbit(a) ? a : isnan(a) ? a : a * s)
LANE(vshl, shifted(l, (int)s))
LANE(vshr, shifted(l, -(int)s))
LANE(vshrr, floorl(ldexpl(a, -(int)s) + (s > 0 ? 0.5L : 0)))
LANE(vaxpy, fused(l, a, s, d))
LANE(vdup, s)
LANE(vaddrelu, larger(is_float(l->type) ? a + b : value_of(l->type, bits_from(l->type, a + b)), 0))
LANE(vsubrelu, larger(is_float(l->type) ? a - b : value_of(l->type, bits_from(l->type, a - b)), 0))
LANE(vmla, fused(l, a, b, d))
LANE(vmadd, fused(l, a, d, b))
LANE(vmaddrelu, larger(fused(l, a, d, b), 0))
LANE(vmlaw, a *b + d)
LANE(vaxpyw, a *s + d)
LANE(vdeq, a *s)
LANE(vadddeqrelu, larger(value_of(TYPE_s32, bits_from(TYPE_s32, a + b)) * s, 0))
LANE(vacos, acosl(a))
LANE(vacosh, acoshl(a))
LANE(vasin, asinl(a))
LANE(vasinh, asinhl(a))
LANE(vatan, atanl(a))
LANE(vatanh, atanhl(a))
LANE(vcosh, coshl(a))
LANE(vsinh, sinhl(a))
LANE(verf, erfl(a))
LANE(verfc, erfcl(a))
LANE(vlog2, log2l(a))
LANE(vlog10, log10l(a))
LANE(vfmod, fmodl(a, b))
LANE(vceil, ceill(a))
LANE(vfloor, floorl(a))
LANE(vtrunc, truncl(a))
LANE(vround, isfinite(a) ? copysignl(to_integer(a, ROUND_RINT), a) : a)
LANE(vfrac, a - truncl(a))
LANE(vsign, (a > 0) - (a < 0))
LANE(vxor, (long double)(l->ia ^ l->ib))
LANE(vreglu, a *larger(b, 0))
#undef LANE

/* steps: how far the result may be off, in last places of a float; halves are always right. */
struct reference {
    lane_fn *fn;
    uint32_t steps;
    bool is_lane; /* t_math.c has the values; here the lane itself is taken, and the walk is tested
                   */
};
static const struct reference references[N_OPS] = {
#define EXACT(op)  [OP_##op] = {ref_##op, 0, false}
#define CLOSE(op)  [OP_##op] = {ref_##op, 1, false}
#define ITSELF(op) [OP_##op] = {NULL, 0, true}
    EXACT(vadd),      EXACT(vsub),      EXACT(vmul),   EXACT(vdiv),        EXACT(vmax),
    EXACT(vmin),      EXACT(vand),      EXACT(vor),    EXACT(vnot),        EXACT(vabs),
    EXACT(vrelu),     CLOSE(vexp),      CLOSE(vln),    EXACT(vsqrt),       CLOSE(vrsqrt),
    EXACT(vrec),      CLOSE(vsin),      CLOSE(vcos),   CLOSE(vtan),        CLOSE(vtanh),
    EXACT(vadds),     EXACT(vmuls),     EXACT(vmaxs),  EXACT(vmins),       EXACT(vlrelu),
    EXACT(vshl),      EXACT(vshr),      EXACT(vshrr),  EXACT(vaxpy),       EXACT(vdup),
    EXACT(vaddrelu),  EXACT(vsubrelu),  EXACT(vmla),   EXACT(vmadd),       EXACT(vmaddrelu),
    EXACT(vmlaw),     EXACT(vaxpyw),    EXACT(vdeq),   EXACT(vadddeqrelu), CLOSE(vacos),
    CLOSE(vacosh),    CLOSE(vasin),     CLOSE(vasinh), CLOSE(vatan),       CLOSE(vatanh),
    CLOSE(vcosh),     CLOSE(vsinh),     CLOSE(verf),   CLOSE(verfc),       CLOSE(vlog2),
    CLOSE(vlog10),    EXACT(vfmod),     EXACT(vceil),  EXACT(vfloor),      EXACT(vtrunc),
    EXACT(vround),    EXACT(vfrac),     EXACT(vsign),  EXACT(vxor),        EXACT(vreglu),
    ITSELF(vlgamma),  ITSELF(vdigamma), ITSELF(vpow),  ITSELF(vpows),      ITSELF(vspow),
    ITSELF(vsigmoid), ITSELF(vswish),   ITSELF(vgelu), ITSELF(vfastgelu),  ITSELF(vfastgelu2),
    ITSELF(vgeglu),   ITSELF(vswiglu),
#undef EXACT
#undef CLOSE
#undef ITSELF
};

static bool has_reference(uint32_t op)
{
    return references[op].fn || references[op].is_lane;
}

/* Not lane by lane: where all forms of a shape are compared with something of another source. */
static const char *const elsewhere[N_SHAPES] = {
    [SHAPE_QUANT] = "t_adv_quant.cpp",    [SHAPE_CUBE] = "t_cube.cpp", /* its own memories */
    [SHAPE_ROWS] = "t_adv_norm.cpp", /* whole rows: it has one form */
    [SHAPE_TOS4] = "t_c_api_special.cpp", [SHAPE_OFS4] = "t_c_api_special.cpp",
    [SHAPE_RED] = "t_facade_reduce.cpp",  [SHAPE_CMP] = "t_facade_vec.cpp",
    [SHAPE_CMPS] = "t_facade_vec.cpp",    [SHAPE_SEL] = "t_facade_vec.cpp",
    [SHAPE_BRC] = "t_facade_vec.cpp",     [SHAPE_GATHER] = "t_gather.cpp",
    [SHAPE_CMPR] = "t_facade_order.cpp",  [SHAPE_IDX] = "t_facade_order.cpp",
    [SHAPE_GMASK] = "t_facade_order.cpp", [SHAPE_GATHERB] = "t_facade_order.cpp",
    [SHAPE_SORT] = "t_facade_order.cpp",  [SHAPE_MERGE] = "t_facade_order.cpp",
    [SHAPE_TRANS] = "t_facade_order.cpp", [SHAPE_PERM] = "t_facade_order.cpp",
    [SHAPE_NCHW] = "t_facade_order.cpp",  [SHAPE_COPY] = "t_facade_vec.cpp",
    [SHAPE_DEQB] = "t_facade_fuse.cpp",   [SHAPE_FUSE] = "t_facade_fuse.cpp",
};

/* ---- inputs -------------------------------------------------------------------------------------
 */

static uint64_t random_bits(enum npu_type t)
{
    static const double specials[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 65504, 6e-8, 1e-40};

    if (is_float(t) && rnd(12) == 0)
        return bits_from(t, (long double)specials[rnd(10)]);
    if (is_float(t) && rnd(2)) /* every exponent, subnormals too */
        return ((uint64_t)rnd(65536) << 16 | rnd(65536)) >> (32 - 8 * size_of(t));
    if (is_float(t))
        return bits_from(t, ((long double)rnd(8001) - 4000) / 64);
    if (rnd(8) == 0) /* the ends of the type */
        return (INT64_MAX + (uint64_t)rnd(2)) >> (64 - 8 * size_of(t));
    const uint64_t bits = (uint64_t)rnd(65536) << 48 | (uint64_t)rnd(65536) << 32 |
                          (uint64_t)rnd(65536) << 16 | rnd(65536);
    /* Small numbers of the wide types too: shifted down with their sign. */
    return (uint64_t)((int64_t)bits >> (rnd(2) ? rnd(50) : 0)) &
           (~UINT64_C(0) >> (64 - 8 * size_of(t)));
}

static bool is_shift(uint32_t op)
{
    return op == OP_vshl || op == OP_vshr || op == OP_vshrr;
}

static uint64_t random_scalar(const struct npu_insn *in)
{
    if (is_shift(in->op))
        return rnd(8 * size_of(in->type) + 1);
    if (in->op == OP_vdeq || in->op == OP_vadddeqrelu)
        return bits_from(TYPE_f16, (1 + rnd(900)) / 1024.0L);
    return random_bits(in->type);
}

/* ---- one instruction ----------------------------------------------------------------------------
 */

struct trial {
    struct npu_insn in;
    enum npu_type dst_type;
    uint8_t before[UB], after[UB];
};

static enum npu_type result_type(const struct npu_insn *in)
{
    return in->op == OP_vconv                              ? (enum npu_type)in->dst_type
           : in->op == OP_vmlaw || in->op == OP_vaxpyw     ? TYPE_f32
           : in->op == OP_vdeq || in->op == OP_vadddeqrelu ? TYPE_f16
                                                           : (enum npu_type)in->type;
}

static uint32_t lanes_of(const struct trial *t)
{
    const uint32_t a = size_of(t->in.type), b = size_of(t->dst_type);

    return REPEAT / (a > b ? a : b);
}

/* Random elements everywhere: a pool of them, drawn anew for each type, in runs from random places.
 */
static void fill_memory(uint8_t *ub, enum npu_type type)
{
    enum { POOL = 16384, RUN = 1024 };
    static uint8_t pool[POOL];
    static enum npu_type pool_type = N_TYPES;
    const uint32_t bytes = size_of(type);

    for (uint32_t k = 0; pool_type != type && k < POOL; k += bytes) {
        const uint64_t bits = random_bits(type);
        memcpy(pool + k, &bits, bytes);
    }
    pool_type = type;
    for (uint32_t k = 0; k < UB; k += RUN)
        memcpy(ub + k, pool + 4 * rnd((POOL - RUN) / 4), RUN);
}

/* A form with odd masks and strides; blk strides of sources may be 0, those of dst may not. */
static void make_form(struct trial *t, uint32_t op, uint32_t type, uint32_t dst_type)
{
    static const uint32_t at[] = {DST, SRC0, SRC1};
    struct npu_insn *in = &t->in;

    *in = (struct npu_insn){.kind = KIND_OP,
                            .op = (uint8_t)op,
                            .type = (uint8_t)type,
                            .dst_type = (uint8_t)dst_type,
                            .where = HERE};
    t->dst_type = result_type(in);
    in->dst_type = (uint8_t)t->dst_type;
    in->repeat = rnd(12) ? 1 + rnd(6) : 255;
    for (int o = 0; o < 3; o++) {
        in->ref[o].mem = MEM_UB;
        in->ref[o].at_bytes = at[o] + BLK * rnd(20);
        in->ref[o].blk_stride = (uint16_t)(o == 0 ? 1 + rnd(3) : rnd(4));
        in->ref[o].rep_stride = (uint16_t)(in->repeat == 255 ? 3 : rnd(3) ? 8 : rnd(25));
    }
    if (in->repeat == 255 || in->ref[0].rep_stride < 8 * in->ref[0].blk_stride) {
        in->ref[0].blk_stride = 1;
        in->ref[0].rep_stride = 8; /* results of repeats apart: else the order would matter */
        in->repeat = in->repeat > 250 ? 201 : in->repeat;
    }
    in->scalar = random_scalar(in);
    switch (rnd(4)) {
    case 0:
        in->mask[0] = seed;
        in->mask[1] = seed * 77;
        break;
    case 1: /* the first lanes */
        in->mask[0] = ~UINT64_C(0) >> rnd(64);
        break;
    case 2:
        in->counter = true;
        in->mask[0] = rnd(in->repeat == 201 ? 6000 : 700);
        break;
    default:
        in->count = 1 + rnd(rnd(10) ? 700 : 8000);
    }
    fill_memory(t->before, (enum npu_type)type);
}

static bool lane_is_on(const struct trial *t, uint32_t r, uint32_t l)
{
    const uint64_t nth = (uint64_t)r * lanes_of(t) + l;

    if (t->in.count)
        return nth < t->in.count;
    return t->in.counter ? nth < t->in.mask[0] : t->in.mask[l / 64] >> l % 64 & 1;
}

static uint64_t place(const struct trial *t, int o, uint32_t r, uint32_t l, uint32_t bytes)
{
    const struct npu_ref *ref = &t->in.ref[o];
    const uint32_t per_blk = BLK / bytes;

    if (t->in.count)
        return ref->at_bytes + ((uint64_t)r * lanes_of(t) + l) * bytes;
    return ref->at_bytes + (uint64_t)BLK * (r * ref->rep_stride + l / per_blk * ref->blk_stride) +
           l % per_blk * bytes;
}

static bool same(enum npu_type t, uint64_t got, uint64_t want, uint32_t steps)
{
    const long double x = value_of(t, got), y = value_of(t, want);
    const uint64_t off = got > want ? got - want : want - got;

    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return got == want || (t == TYPE_f32 && off <= steps);
}

static long double operand(const struct trial *t, int o, uint32_t r, uint32_t l, uint64_t *bits)
{
    const enum npu_type type = o == 0 ? t->dst_type : (enum npu_type)t->in.type;

    *bits = load(t->before + place(t, o, r, l, size_of(type)), size_of(type));
    return value_of(type, *bits);
}

/* What a conversion gives: integers clamp, NaN becomes 0, and an integral float is never -0. */
static uint64_t converted(const struct trial *t, long double x)
{
    const enum npu_type to = t->dst_type;
    const enum npu_round how = (enum npu_round)t->in.mode;
    const uint32_t bits = 8 * size_of(to);

    if (is_float(to) && to == t->in.type)
        return bits_from(to, to_integer(x, how) + 0.0L);
    if (is_float(to))
        return float_bits(to_format(x, &formats[to], how), &formats[to], size_of(to));
    const bool is_signed = to == TYPE_s8 || to == TYPE_s16 || to == TYPE_s32 || to == TYPE_s64;
    const long double high = ldexpl(1, (int)bits - is_signed) - 1, low = is_signed ? -high - 1 : 0;
    const long double y = isnan(x) ? 0 : isinf(x) ? x : to_integer(x, how);
    return bits_from(to, y > high ? high : y < low ? low : y);
}

static uint64_t by_lane(const struct trial *t, uint64_t a, uint64_t b)
{
    uint8_t out[NPU_REPEAT_BYTES] = {0}, x[NPU_REPEAT_BYTES] = {0}, y[NPU_REPEAT_BYTES] = {0};

    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    npu_lanes_best()->op[t->in.op][t->in.type](out, x, y, t->in.scalar, 1);
    return load(out, size_of(t->dst_type));
}

static void check_lane(const struct trial *t, uint32_t r, uint32_t l, uint8_t *touched)
{
    const struct reference *ref = &references[t->in.op];
    const uint32_t bytes = size_of(t->dst_type);
    const uint64_t at = place(t, 0, r, l, bytes), got = load(t->after + at, bytes);
    const enum npu_type scalar_type =
        t->in.op == OP_vdeq || t->in.op == OP_vadddeqrelu ? TYPE_f16 : (enum npu_type)t->in.type;
    const bool is_count = is_shift(t->in.op); /* the scalar is a number of places */
    struct lane lane = {.in = &t->in, .type = (enum npu_type)t->in.type};
    uint64_t old;

    lane.a = operand(t, 1, r, l, &lane.ia);
    lane.b = operand(t, 2, r, l, &lane.ib);
    lane.d = operand(t, 0, r, l, &old);
    lane.s = is_count ? (long double)t->in.scalar : value_of(scalar_type, t->in.scalar);
    const uint64_t want = t->in.op == OP_vconv ? converted(t, lane.a)
                          : ref->is_lane       ? by_lane(t, lane.ia, lane.ib)
                                               : bits_from(t->dst_type, ref->fn(&lane));
    if (!same(t->dst_type, got, want, ref->steps))
        fail_msg("%s %s, repeat %u lane %u (%s): 0x%llx, want 0x%llx; a %Lg b %Lg s %Lg d %Lg",
                 npu_isa[t->in.op].name, npu_types[t->in.type].name, r, l,
                 t->in.count     ? "count"
                 : t->in.counter ? "counter mode"
                                 : "mask",
                 (unsigned long long)got, (unsigned long long)want, lane.a, lane.b, lane.s, lane.d);
    memset(touched + at, 1, bytes);
}

static void run_trial(void *arg, struct npu_core *c)
{
    struct trial *t = arg;

    memcpy(ub_of(c), t->before, UB);
    npu_issue(c, &t->in);
    memcpy(t->after, ub_of(c), UB);
}

static void check_trial(struct trial *t)
{
    static uint8_t touched[UB];
    const struct npu_insn *in = &t->in;
    const uint64_t total = in->count ? in->count : in->mask[0];
    const uint32_t lanes = lanes_of(t);
    const uint32_t repeats =
        in->count || in->counter ? (uint32_t)((total + lanes - 1) / lanes) : in->repeat;

    memset(touched, 0, sizeof touched);
    on_core(run_trial, t);
    for (uint32_t r = 0; r < repeats; r++)
        for (uint32_t l = 0; l < lanes; l++)
            if (lane_is_on(t, r, l))
                check_lane(t, r, l, touched);
    for (uint32_t k = 0; k < UB; k++)
        if (!touched[k] && t->after[k] != t->before[k])
            fail_msg("%s %s writes UB byte %u, which no active lane has", npu_isa[in->op].name,
                     npu_types[in->type].name, k);
}

/* A sample by default; FORMS_TRIES says how many of each (instruction, type). */
static long n_tries(void)
{
    const char *wish = getenv("FORMS_TRIES");

    return wish ? strtol(wish, NULL, 10) : 8;
}

static void test_forms(void **state)
{
    static struct trial t;
    const long tries = n_tries();

    (void)state;
    for (uint32_t op = 0; op < N_OPS; op++)
        for (uint32_t type = 0; has_reference(op) && type < N_TYPES; type++)
            for (long k = 0; npu_isa[op].types >> type & 1 && k < tries; k++) {
                make_form(&t, op, type, type);
                check_trial(&t);
            }
}

/* Every pair in every rounding that it has. */
static void test_conversions(void **state)
{
    enum { EXACT = 1, SAT = 1, R5 = 0x3e, R5N = 0x3f, R6N = 0x7f }; /* a bit a rounding */
    static const struct {
        enum npu_type from, to;
        uint32_t rounds;
    } pairs[] = {
#define CONV(src, dst, rounds, brief) {TYPE_##src, TYPE_##dst, rounds},
#include "../../isa/conv.def"
    };
    static struct trial t;
    const long tries = n_tries();

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (uint32_t how = 0; how < N_ROUNDS; how++)
            for (long k = 0; pairs[i].rounds >> how & 1 && k < tries; k++) {
                make_form(&t, OP_vconv, pairs[i].from, pairs[i].to);
                t.in.mode = (uint8_t)how;
                check_trial(&t);
            }
}

static void test_duty(void **state)
{
    uint32_t missing = 0;

    (void)state;
    for (uint32_t op = 0; op < N_OPS; op++)
        if (npu_isa[op].pipe == PIPE_V && op != OP_vconv && !has_reference(op) &&
            !elsewhere[npu_isa[op].shape]) {
            print_error("%s: no reference for its count and repeat forms\n", npu_isa[op].name);
            missing++;
        }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_duty), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_conversions)};

    return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}

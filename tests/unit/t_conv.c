/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_conv.c - every conversion with every rounding, against double arithmetic of libm and a walk
 * over neighbouring numbers; the table of supported roundings; and what stands in no table is
 * refused.
 */
#include "on_core.h"
#include "../../base/num.h"
#include "../../engine/vec.h"
#include <math.h>
#include <string.h>

enum { N = 65536 };
static union {
    uint16_t h[N];
    float f[N];
    int8_t s8[N];
    uint8_t u8[N];
    int16_t s16[N];
    int32_t s32[N];
    int64_t s64[N];
} in, out;

static uint64_t seed = 1181783497276652981u;
static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* long double holds every source exactly, s64 included. */
static long double source(enum npu_type type, uint32_t i)
{
    switch (type) {
    case TYPE_f16:
        return (long double)npu_f16_to_f32(in.h[i]);
    case TYPE_bf16:
        return (long double)npu_bf16_to_f32(in.h[i]);
    case TYPE_f32:
        return (long double)in.f[i];
    case TYPE_s8:
        return in.s8[i];
    case TYPE_u8:
        return in.u8[i];
    case TYPE_s16:
        return in.s16[i];
    case TYPE_s32:
        return in.s32[i];
    default:
        return in.s64[i];
    }
}

/* What |x| becomes between its neighbours down and up of the target, `even` telling of down. */
static long double choose(long double x, long double down, long double up, bool even, int mode)
{
    const long double a = fabsl(x);
    const bool below = a - down < up - a, tie = a - down == up - a;

    if (a == down)
        return down;
    switch (mode) {
    case ROUND_FLOOR:
        return x < 0 ? up : down;
    case ROUND_CEIL:
        return x < 0 ? down : up;
    case ROUND_ROUND:
        return below ? down : up;
    case ROUND_TRUNC:
        return down;
    case ROUND_ODD:
        return even ? up : down;
    default:
        return below || (tie && even) ? down : up;
    }
}

/* Rounded to `digits` binary digits with the least exponent of the format; to integers: digits 0.
 */
static long double rounded(long double x, int digits, int least, int mode)
{
    int e;

    if (x == 0 || !isfinite(x))
        return x;
    (void)frexpl(x, &e); /* |x| in [2^(e-1), 2^e) */
    const int unit = digits ? (e - digits < least ? least : e - digits) : 0;
    const long double step = ldexpl(1, unit), down = floorl(fabsl(x) / step) * step;
    const bool even = fmodl(down / step, 2) == 0;
    return copysignl(choose(x, down, down + step, even, mode), x);
}

static long double clamped(long double x, long double low, long double high)
{
    return x != x ? 0 : x < low ? low : x > high ? high : x;
}

/* The bits that a lane must have; *any_nan: any NaN will do. */
static uint64_t wanted(enum npu_type to, long double x, int mode, bool *any_nan)
{
    *any_nan = false;
    switch (to) {
    case TYPE_f16:
        x = rounded(x, 11, -24, mode);
        *any_nan = x != x;
        return fabsl(x) > 65504 ? (x < 0 ? 0xfc00 : 0x7c00) : npu_f64_to_f16((double)x);
    case TYPE_bf16:
        x = rounded(x, 8, -133, mode);
        *any_nan = x != x;
        return npu_f32_bits((float)x) >> 16;
    case TYPE_f32:
        *any_nan = x != x;
        return npu_f32_bits((float)x);
    case TYPE_s8:
        return (uint8_t)(int8_t)clamped(rounded(x, 0, 0, mode), -128, 127);
    case TYPE_u8:
        return (uint8_t)clamped(rounded(x, 0, 0, mode), 0, 255);
    case TYPE_s16:
        return (uint16_t)(int16_t)clamped(rounded(x, 0, 0, mode), -32768, 32767);
    case TYPE_s32:
        return (uint32_t)(int32_t)clamped(rounded(x, 0, 0, mode), -2147483648.0L, 2147483647.0L);
    default:
        return (uint64_t)(int64_t)clamped(rounded(x, 0, 0, mode), -0x1p63L, 0x1p63L - 1);
    }
}

static bool is_nan_bits(enum npu_type to, uint64_t bits)
{
    return to == TYPE_f16    ? (bits & 0x7fff) > 0x7c00
           : to == TYPE_bf16 ? (bits & 0x7fff) > 0x7f80
                             : (bits & 0x7fffffff) > 0x7f800000;
}

static void fill(enum npu_type from, int round)
{
    static const int64_t edges[] = {0,
                                    1,
                                    -1,
                                    127,
                                    128,
                                    -128,
                                    -129,
                                    255,
                                    256,
                                    32767,
                                    32768,
                                    -32768,
                                    -32769,
                                    INT32_MAX,
                                    INT32_MIN,
                                    INT64_MAX,
                                    INT64_MIN,
                                    16777217,
                                    16777219,
                                    -16777217,
                                    (1ll << 53) + 1,
                                    (1ll << 40) + (1 << 16),
                                    (1ll << 40) + (1 << 16) + 1,
                                    (1ll << 62) + (1ll << 38) + 1};
    const uint32_t n_edges = sizeof edges / sizeof *edges;

    for (uint32_t i = 0; i < N; i++) {
        const uint64_t r = rnd();
        const int64_t v = i < n_edges ? edges[i] : (int64_t)r >> (r % 60);
        switch (from) {
        case TYPE_f16:
        case TYPE_bf16:
            in.h[i] = (uint16_t)i;
            break;
        case TYPE_s8:
        case TYPE_u8:
            in.u8[i] = (uint8_t)i;
            break;
        case TYPE_s16:
            in.s16[i] = (int16_t)i;
            break;
        case TYPE_s32:
            in.s32[i] = (int32_t)v;
            break;
        case TYPE_s64:
            in.s64[i] = v;
            break;
        default: /* random patterns; halves with their last bits; ties at integers and at halves */
            in.f[i] = round == 0 ? npu_f32_from_bits((uint32_t)r)
                      : round == 1
                          ? (float)((int32_t)r >> (r % 31)) * 0.5f
                          : npu_f32_from_bits((npu_f32_bits(npu_f16_to_f32((uint16_t)i)) | 0x1000) +
                                              (uint32_t)(r >> 60) % 3 - 1);
        }
    }
}

static void try_pair(enum npu_type from, enum npu_type to, int mode)
{
    npu_conv_fn *fn = npu_lanes_best()->conv[from][to][mode];
    const uint32_t elem = npu_types[to].bytes;

    for (int round = 0; round < (from == TYPE_f32 ? 3 : 1); round++) {
        fill(from, round);
        fn(&out, &in, N);
        for (uint32_t i = 0; i < N; i++) {
            long double x = source(from, i);
            const bool exact = npu_types[from].bytes < npu_types[to].bytes && from != TYPE_s16;
            bool any_nan;
            if (to == TYPE_f32 && from == TYPE_f32)
                x = rounded(x, 0, 0, mode) + 0.0L;
            else if (to == TYPE_f32 && !exact)
                x = rounded(x, 24, -149, mode);
            const uint64_t want = wanted(to, x, mode, &any_nan);
            uint64_t got = 0;
            memcpy(&got, (char *)&out + (size_t)i * elem, elem);
            if (to == TYPE_f32 && from == TYPE_f32 && x == 0)
                assert_int_equal(got, 0);
            else if (got != want && !(any_nan && is_nan_bits(to, got)))
                fail_msg("%s to %s, rounding %d, %La: got 0x%llx, want 0x%llx",
                         npu_types[from].name, npu_types[to].name, mode, x, (unsigned long long)got,
                         (unsigned long long)want);
        }
    }
}

/* The pairs and roundings of 910B as its manual lists them. R: RINT..TRUNC, N: NONE, O: ODD, E:
 * exact, so that all are alike, S: the rounding is not looked at. */
static const struct {
    enum npu_type from, to;
    const char *rounds;
} listed[] = {
    {TYPE_s8, TYPE_f16, "E"},    {TYPE_u8, TYPE_f16, "E"},   {TYPE_s16, TYPE_f16, "RN"},
    {TYPE_s16, TYPE_f32, "E"},   {TYPE_f16, TYPE_s8, "RN"},  {TYPE_f16, TYPE_u8, "RN"},
    {TYPE_f16, TYPE_s16, "R"},   {TYPE_f16, TYPE_s32, "R"},  {TYPE_f16, TYPE_f32, "E"},
    {TYPE_bf16, TYPE_s32, "R"},  {TYPE_bf16, TYPE_f32, "E"}, {TYPE_s32, TYPE_s16, "S"},
    {TYPE_s32, TYPE_f32, "RN"},  {TYPE_s32, TYPE_s64, "E"},  {TYPE_f32, TYPE_s16, "R"},
    {TYPE_f32, TYPE_f16, "RON"}, {TYPE_f32, TYPE_bf16, "R"}, {TYPE_f32, TYPE_s32, "R"},
    {TYPE_f32, TYPE_f32, "R"},   {TYPE_f32, TYPE_s64, "R"},  {TYPE_s64, TYPE_s32, "S"},
    {TYPE_s64, TYPE_f32, "R"},
};

static bool is_listed(const char *rounds, int mode)
{
    if (strpbrk(rounds, "ES"))
        return true;
    return strchr(rounds, mode == ROUND_NONE ? 'N' : mode == ROUND_ODD ? 'O' : 'R') != NULL;
}

static void test_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
        for (int mode = 0; mode < N_ROUNDS; mode++)
            if (is_listed(listed[i].rounds, mode)) {
                if (!npu_lanes_best()->conv[listed[i].from][listed[i].to][mode])
                    fail_msg("%s to %s with rounding %d is missing", npu_types[listed[i].from].name,
                             npu_types[listed[i].to].name, mode);
                try_pair(listed[i].from, listed[i].to, mode);
            }
}

static void convert_wrongly(void *arg, struct npu_core *c)
{
    (void)arg;
    npu_conv(c, TYPE_u8, ub_of(c), TYPE_s64, ub_of(c) + 4096, ROUND_RINT, 32, HERE);
}

static void test_refusal(void **state)
{
    struct npu_diag d;

    (void)state;
    assert_int_equal(launch_on("Ascend910B2", 1, convert_wrongly, NULL, &d), NPU_E_TYPE);
    assert_non_null(strstr(d.text, "from s64 to u8"));
}

/* In repeat form the narrow operand takes half as many blks, and the mask counts lanes of the wide.
 */
static void narrow_repeats(void *arg, struct npu_core *c)
{
    uint16_t *got = arg;
    float *x = (float *)ub_of(c);
    struct npu_insn in_ = {.kind = KIND_OP,
                           .op = OP_vconv,
                           .type = TYPE_f32,
                           .dst_type = TYPE_f16,
                           .mode = ROUND_RINT,
                           .repeat = 2,
                           .mask = {~4ull, 0},
                           .ref = {{4096, 1, 4, MEM_UB}, {0, 1, 8, MEM_UB}},
                           .where = HERE};

    for (int i = 0; i < 128; i++)
        x[i] = (float)i;
    memset(ub_of(c) + 4096, 0, 512);
    npu_issue(c, &in_);
    memcpy(got, ub_of(c) + 4096, 512);
}

static void test_repeats(void **state)
{
    uint16_t got[256];

    (void)state;
    on_core(narrow_repeats, got);
    for (int i = 0; i < 128; i++)
        assert_int_equal(got[i], i % 64 == 2 ? 0 : npu_f32_to_f16((float)i));
    for (int i = 128; i < 256; i++)
        assert_int_equal(got[i], 0);
}

/* In place and overlapping: each repeat is read before it is written. */
static void overlap(void *arg, struct npu_core *c)
{
    float *got = arg;
    uint16_t *h = (uint16_t *)ub_of(c);

    for (int i = 0; i < 64; i++)
        h[i] = npu_f32_to_f16((float)i);
    npu_conv(c, TYPE_f32, h, TYPE_f16, h, ROUND_NONE, 64, HERE);
    memcpy(got, h, 64 * sizeof *got);
}

static void test_overlap(void **state)
{
    float got[64];

    (void)state;
    on_core(overlap, got);
    for (int i = 0; i < 64; i++)
        assert_true(got[i] == (float)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_refusal),
                                       cmocka_unit_test(test_repeats),
                                       cmocka_unit_test(test_overlap)};
    return cmocka_run_group_tests_name("conv", tests, NULL, NULL);
}

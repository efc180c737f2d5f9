/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h - the loops of the vector unit, stamped from isa/vec.def and isa/conv.def.
 *
 * Included by lanes_plain.c, lanes_v3.c and lanes_v4.c, which differ in compiler flags only and
 * define LANES, the name of the table. Halves are computed in float and rounded once: right for
 * + - * / and sqrt because float carries at least 2 * 11 + 2 bits (tests/unit/t_math.c compares
 * with double). Integers wrap: the vendor's table of boundary values has 32767 + 32767 = -2 in the
 * mode that is in force by default. Floats keep infinity and NaN (the same mode).
 */
#include "lane_special.h"
#include "vec.h"
#include "../isa/typeset.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

#define NPU_CAT_(a, b) a##b
#define NPU_CAT(a, b)  NPU_CAT_(a, b)

enum { W = 32 }; /* elements a strip: fits the registers of AVX2 and AVX-512 */

/* ---- storage (st_), computing type (ca_), scalar, widen (up_), narrow (dn_) of each type ------
 */

typedef uint16_t st_f16, st_bf16, st_u16, st_b16;
typedef float st_f32;
typedef int16_t st_s16;
typedef int32_t st_s32;
typedef uint32_t st_u32, st_b32;
typedef int8_t st_s8;
typedef uint8_t st_u8;
typedef int64_t st_s64;

#if defined(__AVX512F__)
NPU_INLINE void up_f16(float *x, const uint16_t *p)
{
    for (int j = 0; j < W; j += 16)
        _mm512_storeu_ps(x + j, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(p + j))));
}

NPU_INLINE void dn_f16(uint16_t *p, const float *x)
{
    for (int j = 0; j < W; j += 16)
        _mm256_storeu_si256((__m256i *)(p + j), _mm512_cvtps_ph(_mm512_loadu_ps(x + j), 0));
}
#elif defined(__F16C__)
NPU_INLINE void up_f16(float *x, const uint16_t *p)
{
    for (int j = 0; j < W; j += 8)
        _mm256_storeu_ps(x + j, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p + j))));
}

NPU_INLINE void dn_f16(uint16_t *p, const float *x)
{
    for (int j = 0; j < W; j += 8)
        _mm_storeu_si128((__m128i *)(p + j), _mm256_cvtps_ph(_mm256_loadu_ps(x + j), 0));
}
#else
NPU_INLINE void up_f16(float *x, const uint16_t *p)
{
    for (int j = 0; j < W; j++)
        x[j] = npu_f16_to_f32(p[j]);
}

NPU_INLINE void dn_f16(uint16_t *p, const float *x)
{
    for (int j = 0; j < W; j++)
        p[j] = npu_f32_to_f16(x[j]);
}
#endif

typedef float ca_f16;
NPU_INLINE float one_f16(uint64_t bits) { return npu_f16_to_f32((uint16_t)bits); }

NPU_INLINE void up_bf16(float *x, const uint16_t *p)
{
    for (int j = 0; j < W; j++)
        x[j] = npu_bf16_to_f32(p[j]);
}

NPU_INLINE void dn_bf16(uint16_t *p, const float *x)
{
    for (int j = 0; j < W; j++)
        p[j] = npu_f32_to_bf16(x[j]);
}

typedef float ca_bf16;
NPU_INLINE float one_bf16(uint64_t bits) { return npu_bf16_to_f32((uint16_t)bits); }

typedef float ca_f32;
NPU_INLINE float one_f32(uint64_t bits) { return npu_f32_from_bits((uint32_t)bits); }

/* Integers compute as they are stored. */
#define SAME_INT(T)                                                                                \
    typedef st_##T ca_##T;                                                                         \
    NPU_INLINE st_##T one_##T(uint64_t bits) { return (st_##T)bits; }
SAME_INT(s16)
SAME_INT(u16)
SAME_INT(s32)
SAME_INT(u32)
SAME_INT(b16)
SAME_INT(b32)

/* One blk; memory of any alignment. */
typedef uint64_t v32 __attribute__((vector_size(32), aligned(1), may_alias));

#define T        f16
#define CONVERTS 1
#include "lane_loop.h"
#define T        bf16
#define CONVERTS 1
#include "lane_loop.h"
#define T        f32
#define CONVERTS 0
#include "lane_loop.h"
#define T        s16
#define CONVERTS 0
#include "lane_loop.h"
#define T        u16
#define CONVERTS 0
#include "lane_loop.h"
#define T        s32
#define CONVERTS 0
#include "lane_loop.h"
#define T        u32
#define CONVERTS 0
#include "lane_loop.h"
#define T        b16
#define CONVERTS 0
#include "lane_loop.h"
#define T        b32
#define CONVERTS 0
#include "lane_loop.h"

/* ---- the words that the lane column of vec.def uses; `half` is true in lanes of halves ---------
 */

#define npu_max(a, b)                                                                              \
    _Generic((a), float: npu_max_f32, int16_t: npu_max_s16, int32_t: npu_max_s32)(a, b)
#define npu_min(a, b)                                                                              \
    _Generic((a), float: npu_min_f32, int16_t: npu_min_s16, int32_t: npu_min_s32)(a, b)
#define EXTREMA(T)                                                                                 \
    NPU_INLINE st_##T npu_max_##T(st_##T a, st_##T b) { return a > b ? a : b; }                    \
    NPU_INLINE st_##T npu_min_##T(st_##T a, st_##T b) { return a < b ? a : b; }
EXTREMA(s16)
EXTREMA(s32)
#define npu_abs(a) __builtin_fabsf(a)
NPU_INLINE float npu_once(double y, bool half) { return half ? npu_f64_to_f32_odd(y) : (float)y; }
#define npu_exp(a)   ((a) != (a) ? (a) : npu_once(npu_exp_of_f32(a), half))
#define npu_ln(a)    npu_once(npu_ln_f64((double)(a)), half)
#define npu_tanh(a)  npu_once(npu_tanh_f64((double)(a)), half)
#define npu_sin(a)   npu_once(npu_sin_f64((double)(a)), half)
#define npu_cos(a)   npu_once(npu_cos_f64((double)(a)), half)
#define npu_tan(a)   npu_once(npu_tan_f64((double)(a)), half)
#define ONCE(f, ...) npu_once(npu_##f##_f64(__VA_ARGS__), half)
#define npu_pow(a, b)                                                                              \
    _Generic((a),                                                                                  \
        float: npu_once(npu_pow_f64((double)(a), (double)(b)), half),                              \
        int32_t: npu_pow_s32((int32_t)(a), (int32_t)(b)))
/* Wraps. A negative power of anything but 1 and -1 is a fraction, and so 0. */
NPU_INLINE int32_t npu_pow_s32(int32_t x, int32_t y)
{
    const bool is_unit = x == 1 || x == -1;
    uint32_t n = (uint32_t)(is_unit ? y & 1 : y), square = (uint32_t)x, r = 1;

    if (y < 0 && !is_unit)
        return 0;
    for (; n; n >>= 1, square *= square)
        r = n & 1 ? r * square : r;
    return (int32_t)r;
}
/* At least 0, in the type of a: a sum of int16_t is an int until it wraps. */
#define npu_relu(a, x)  npu_max((__typeof__(a))(x), 0)
#define npu_sqrt(a)     __builtin_sqrtf(a)
#define npu_rsqrt(a)    npu_once(1.0 / __builtin_sqrt((double)(a)), half)
#define npu_lrelu(a, s) (npu_f32_bits(a) >> 31 ? (a) * (s) : (a))
/* In two steps, because C has no shift by the full width. */
#define npu_shl(a, s) ((uint32_t)(a) << step0((uint32_t)(s)) << step1((uint32_t)(s)))
#define npu_shr(a, s) ((a) >> step0((uint32_t)(s)) >> step1((uint32_t)(s)))
/* Of the bits that fall out the highest counts: halves go up. */
#define npu_shr_round(a, s)                                                                        \
    (npu_shr(a, s) + ((uint32_t)(s) ? npu_shr(a, (uint32_t)(s) - 1) & 1 : 0))
NPU_INLINE uint32_t step0(uint32_t n) { return (n > 32 ? 32 : n) / 2; }
NPU_INLINE uint32_t step1(uint32_t n) { return (n > 32 ? 32 : n) - step0(n); }
#define npu_axpy(a, s, d) npu_axpy_(a, s, d, half)

/* One rounding; but a product beyond the type is infinite before the addition, as the vendor's
 * table of boundary values has it. */
NPU_INLINE float npu_axpy_(float a, float s, float d, bool half)
{
    const float product = a * s;
    const float limit = half ? 65520.0f : npu_f32_from_bits(0x7f800000u);
    const float fused = half
                            ? npu_f64_to_f32_odd((double)product + (double)d) /* product is exact */
                            : __builtin_fmaf(a, s, d);
    const float infinite = __builtin_copysignf(npu_f32_from_bits(0x7f800000u), product) + d;

    return __builtin_fabsf(product) >= limit ? infinite : fused;
}

/* ---- one function an (instruction, type) ------------------------------------------------------
 */

enum { SRC_VVV = 2, SRC_VVVS = 2, SRC_VV = 1, SRC_VVS = 1, SRC_AXPY = 2, SRC_VS = 0 };
#define IS_HALF_f16  true
#define IS_HALF_bf16 false
#define IS_HALF_f32  false
#define IS_HALF_s16  false
#define IS_HALF_u16  false
#define IS_HALF_s32  false
#define IS_HALF_u32  false
#define IS_HALF_b16  false
#define IS_HALF_b32  false

/* The scalar has the type of the elements, but for VVVS, where it is a float. */
#define SCALAR_VVV(T, bits)  one_##T(bits)
#define SCALAR_VV(T, bits)   one_##T(bits)
#define SCALAR_VVS(T, bits)  one_##T(bits)
#define SCALAR_AXPY(T, bits) one_##T(bits)
#define SCALAR_VS(T, bits)   one_##T(bits)
#define SCALAR_VVVS(T, bits) one_f32(bits)
#define LANE(T, op, shape, expr)                                                                   \
    NPU_INLINE ca_##T lane_##op##_##T(ca_##T a, ca_##T b, ca_##T s)                                \
    {                                                                                              \
        const bool half = IS_HALF_##T;                                                             \
        const ca_##T d = b; /* AXPY reads its old result there */                                  \
        (void)half, (void)a, (void)d, (void)s;                                                     \
        return (ca_##T)(expr);                                                                     \
    }                                                                                              \
    static void op##_##T(void *dst, const void *src0, const void *src1, uint64_t s, uint32_t n)    \
    {                                                                                              \
        loop_##T(lane_##op##_##T, SRC_##shape, dst, src0, src1, SCALAR_##shape(T, s), n);          \
    }
/* The old dst is a third source. */
#define LANE3(T, op, expr)                                                                         \
    NPU_INLINE ca_##T lane_##op##_##T(ca_##T a, ca_##T b, ca_##T d)                                \
    {                                                                                              \
        const bool half = IS_HALF_##T;                                                             \
        (void)half;                                                                                \
        return (ca_##T)(expr);                                                                     \
    }                                                                                              \
    static void op##_##T(void *dst, const void *src0, const void *src1, uint64_t s, uint32_t n)    \
    {                                                                                              \
        (void)s;                                                                                   \
        loop3_##T(lane_##op##_##T, dst, src0, src1, n);                                            \
    }
/* Rows whose lane is FN are not lanes. */
#define LANES_VVV(types, op, lane)  FOR_##types(LANE, op, VVV, lane)
#define LANES_VVVS(types, op, lane) FOR_##types(LANE, op, VVVS, lane)
#define LANES_VV(types, op, lane)   FOR_##types(LANE, op, VV, lane)
#define LANES_VVS(types, op, lane)  FOR_##types(LANE, op, VVS, lane)
#define LANES_AXPY(types, op, lane) FOR_##types(LANE, op, AXPY, lane)
#define LANES_MLA(types, op, lane)  FOR_##types(LANE3, op, lane)
#define LANES_VS(types, op, lane)   FOR_##types(LANE, op, VS, lane)
#define LANES_CMP(types, op, lane)
#define LANES_CMPS(types, op, lane)
#define LANES_SEL(types, op, lane)
#define LANES_CONV(types, op, lane)
#define LANES_RED(types, op, lane)
#define LANES_BRC(types, op, lane)
#define LANES_GATHER(types, op, lane)
#define LANES_MLAW(types, op, lane)
#define LANES_AXPYW(types, op, lane)
#define LANES_CMPR(types, op, lane)
#define LANES_DEQ(types, op, lane)
#define LANES_DEQ2(types, op, lane)
#define LANES_DEQB(types, op, lane)
#define LANES_FUSE(types, op, lane)
#define LANES_TOS4(types, op, lane)
#define LANES_OFS4(types, op, lane)
#define LANES_IDX(types, op, lane)
#define LANES_GMASK(types, op, lane)
#define LANES_GATHERB(types, op, lane)
#define LANES_SORT(types, op, lane)
#define LANES_MERGE(types, op, lane)
#define LANES_TRANS(types, op, lane)
#define LANES_QUANT(types, op, lane)
#define LANES_PERM(types, op, lane)
#define LANES_NCHW(types, op, lane)
#define LANES_COPY(types, op, lane)
#define LANES_ROWS(types, op, lane)
#define VEC(op, shape, types, cost, lane, brief) LANES_##shape(types, op, lane)
#include "../isa/vec.def"

/* The fast reduction of sin, cos and tan reaches 2^28; halves never get there. */
static bool is_small(const float *x, uint32_t n)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = npu_f32_bits(x[i]) & 0x7fffffffu;
        most = a > most ? a : most;
    }
    return most < NPU_TRIG_FAST_BITS;
}

#define TRIG(name)                                                                                 \
    static void name##_any(void *dst, const void *src0, const void *src1, uint64_t s, uint32_t n)  \
    {                                                                                              \
        const float *a = src0;                                                                     \
        float *d = dst;                                                                            \
        if (is_small(a, n)) {                                                                      \
            v##name##_f32(dst, src0, src1, s, n);                                                  \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t i = 0; i < n; i++)                                                           \
            d[i] = (float)npu_##name##_any(a[i]);                                                  \
    }
TRIG(sin)
TRIG(cos)
TRIG(tan)

/* ---- e^x in floats -----------------------------------------------------------------------------
 * For |x| < 64, where nothing below leaves the normal range. 2^(j/16) = high e^low and
 * x = (16 k + j) ln2/16 + r, so e^x = 2^k high (1 + r + s): 2^k high (1 + r) and what its rounding
 * loses come from two fused multiply-adds, s from a short series. Off by less than 2^-34 before the
 * one rounding, as tests/unit/t_math.c asks; any other float goes through double, by itself. */

enum { EXP_PARTS = 16 };
#define EXP_FAST 64.0f

/* As bits, less the j << 19 that shifting 16 k + j into the exponent adds. */
static const uint32_t exp_high[EXP_PARTS] __attribute__((aligned(64))) = {
    0x3f800000, 0x3f7daac3, 0x3f7b95c2, 0x3f79c3d3, 0x3f7837f0, 0x3f76f532, 0x3f75fed7, 0x3f75583f,
    0x3f7504f3, 0x3f7508a4, 0x3f75672a, 0x3f76248c, 0x3f7744fd, 0x3f78ccdf, 0x3f7ac0c7, 0x3f7d257d};
static const float exp_low[EXP_PARTS] __attribute__((aligned(64))) = {
    0x0p+0f,          0x1.8d96d4p-25f,  -0x1.9c0c22p-27f, 0x1.964902p-25f,
    0x1.125002p-25f,  0x1.370be4p-25f,  -0x1.0a3552p-25f, -0x1.00d8acp-27f,
    0x1.26055cp-26f,  -0x1.05cb44p-25f, 0x1.67a1cap-28f,  0x1.a3b5e4p-28f,
    -0x1.f9c306p-27f, -0x1.6961b4p-28f, -0x1.a5217cp-28f, 0x1.61428ep-28f};

/* to[j] = from[the low 4 bits of at[j]], and whether all of a strip are fast. */
#if defined(__AVX512F__)
NPU_INLINE void pick_parts(void *to, const void *from, const uint32_t *at)
{
    for (int j = 0; j < W; j += 16)
        _mm512_storeu_si512((uint32_t *)to + j, _mm512_permutexvar_epi32(_mm512_loadu_si512(at + j),
                                                                         _mm512_load_si512(from)));
}

NPU_INLINE bool are_fast(const float *x)
{
    unsigned beyond = 0;

    for (int j = 0; j < W; j += 16)
        beyond |= _mm512_cmp_ps_mask(_mm512_abs_ps(_mm512_loadu_ps(x + j)),
                                     _mm512_set1_ps(EXP_FAST), _CMP_NLT_UQ);
    return !beyond;
}
#elif defined(__AVX2__)
NPU_INLINE void pick_parts(void *to, const void *from, const uint32_t *at)
{
    const __m256i *half = from;

    for (int j = 0; j < W; j += 8) {
        const __m256i i = _mm256_loadu_si256((const __m256i *)(at + j));
        const __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(half[0], i));
        const __m256 b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(half[1], i));
        _mm256_storeu_ps((float *)to + j,
                         _mm256_blendv_ps(a, b, _mm256_castsi256_ps(_mm256_slli_epi32(i, 28))));
    }
}

NPU_INLINE bool are_fast(const float *x)
{
    const __m256 sign = _mm256_set1_ps(-0.0f), limit = _mm256_set1_ps(EXP_FAST);
    __m256 beyond = _mm256_setzero_ps();

    for (int j = 0; j < W; j += 8)
        beyond = _mm256_or_ps(beyond, _mm256_cmp_ps(_mm256_andnot_ps(sign, _mm256_loadu_ps(x + j)),
                                                    limit, _CMP_NLT_UQ));
    return !_mm256_movemask_ps(beyond);
}
#else
NPU_INLINE void pick_parts(void *to, const void *from, const uint32_t *at)
{
    for (int j = 0; j < W; j++)
        ((uint32_t *)to)[j] = ((const uint32_t *)from)[at[j] % EXP_PARTS];
}

NPU_INLINE bool are_fast(const float *x)
{
    bool all = true;

    for (int j = 0; j < W; j++)
        all &= __builtin_fabsf(x[j]) < EXP_FAST;
    return all;
}
#endif

NPU_INLINE void exp_strip(float *y, const float *from)
{
    uint32_t at[W], high[W];
    float x[W], low[W];

    for (int j = 0; j < W; j++)
        x[j] = from[j];
    for (int j = 0; j < W; j++) /* 16 k + j in the low bits */
        at[j] = npu_f32_bits(__builtin_fmaf(x[j], 0x1.715476p+4f, 0x1.8p23f));
    pick_parts(high, exp_high, at);
    pick_parts(low, exp_low, at);
    for (int j = 0; j < W; j++) {
        const float n = npu_f32_from_bits(at[j]) - 0x1.8p23f;
        const float h = npu_f32_from_bits(high[j] + (at[j] << 19));
        const float r = __builtin_fmaf(n, -0x1.62e43p-5f, x[j]); /* exact */
        const float rest = __builtin_fmaf(n, 0x1.05c61p-33f, low[j]), u = r + rest;
        float s = __builtin_fmaf(u, 0x1.55565cp-5f, 0x1.5556ep-3f);
        s = __builtin_fmaf(s, u, 0.5f);
        s = __builtin_fmaf(s, u * u, rest);
        const float top = __builtin_fmaf(h, r, h), lost = __builtin_fmaf(h, r, h - top);
        x[j] = top + __builtin_fmaf(h, s, lost);
    }
    for (int j = 0; j < W; j++)
        y[j] = x[j];
}

/* Some are not fast. Most of those are so far out that there is nothing to compute. */
static __attribute__((noinline)) void exp_mixed(float *d, const float *a)
{
    float y[W], other[W];
    uint32_t n_near = 0;

    exp_strip(y, a);
    for (int j = 0; j < W; j++) {
        n_near += (__builtin_fabsf(a[j]) >= EXP_FAST) & (a[j] > -104.0f) & (a[j] < 89.0f);
        other[j] = a[j] > 0.0f ? npu_f32_from_bits(0x7f800000u) : a[j] < 0.0f ? 0.0f : a[j];
    }
    if (n_near)
        vexp_f32(other, a, NULL, 0, W);
    for (int j = 0; j < W; j++)
        y[j] = __builtin_fabsf(a[j]) < EXP_FAST ? y[j] : other[j];
    for (int j = 0; j < W; j++)
        d[j] = y[j];
}

NPU_INLINE void exp_whole(float *d, const float *a)
{
    if (NPU_LIKELY(are_fast(a)))
        exp_strip(d, a);
    else
        exp_mixed(d, a);
}

static void exp_any(void *dst, const void *src0, const void *src1, uint64_t s, uint32_t n)
{
    float *d = dst, rest[W] = {0};
    const float *a = src0;
    uint32_t i = 0;

    (void)src1, (void)s;
    for (; i + W <= n; i += W)
        exp_whole(d + i, a + i);
    if (i == n)
        return;
    memcpy(rest, a + i, (n - i) * sizeof *rest);
    exp_whole(rest, rest);
    memcpy(d + i, rest, (n - i) * sizeof *rest);
}

/* ---- conversions ------------------------------------------------------------------------------
 */

/* To an integer. All of it in float: every source but the wide integers fits, and no step rounds.
 */
NPU_INLINE float round_f32(float x, enum npu_round mode)
{
    const float t = __builtin_truncf(x);

    switch (mode) {
    case ROUND_FLOOR:
        return __builtin_floorf(x);
    case ROUND_CEIL:
        return __builtin_ceilf(x);
    case ROUND_ROUND:
        return __builtin_fabsf(x - t) >= 0.5f ? t + __builtin_copysignf(1.0f, x) : t;
    case ROUND_TRUNC:
        return t;
    default:
        return __builtin_rintf(x);
    }
}

/* Whether the magnitude moves up. rest of sh bits is lost, kept stays. */
NPU_INLINE uint32_t moves_up(uint32_t kept, uint32_t rest, uint32_t half, bool negative,
                             enum npu_round mode)
{
    switch (mode) {
    case ROUND_FLOOR:
        return negative & (rest != 0);
    case ROUND_CEIL:
        return !negative & (rest != 0);
    case ROUND_ROUND:
        return rest >= half;
    case ROUND_TRUNC:
        return 0;
    case ROUND_ODD:
        return ~kept & (rest != 0);
    default:
        return (rest > half) | ((rest == half) & kept & 1u);
    }
}

NPU_INLINE uint16_t f32_to_f16(float f, enum npu_round mode)
{
    const uint32_t u = npu_f32_bits(f), sign = u >> 31, a = u & 0x7fffffffu, e = a >> 23;
    const uint32_t m = (a & 0x7fffffu) | (e ? 0x800000u : 0u);
    const bool tiny = e < 113;
    const uint32_t sh = tiny ? (e < 95 ? 31u : 126u - e) : 13u;
    const uint32_t kept = m >> sh, rest = m & ((1u << sh) - 1);
    const uint32_t base = tiny ? 0u : (e - 113) << 10;
    const uint32_t v = base + kept + (moves_up(kept, rest, 1u << (sh - 1), sign, mode) & 1u);
    const uint32_t number = v > 0x7c00u ? 0x7c00u : v;
    const uint32_t nan = 0x7e00u | (a >> 13 & 0x3ffu);

    return (uint16_t)(sign << 15 | (a > 0x7f800000u ? nan : number));
}

NPU_INLINE uint16_t f32_to_bf16(float f, enum npu_round mode)
{
    const uint32_t u = npu_f32_bits(f), sign = u >> 31, a = u & 0x7fffffffu;
    const uint32_t kept = a >> 16, rest = a & 0xffffu;
    const uint32_t v = kept + (moves_up(kept, rest, 0x8000u, sign, mode) & 1u);

    return (uint16_t)(sign << 15 | (a > 0x7f800000u ? kept | 0x40u : v));
}

/* x is an integer below 2^64, so no subnormals and no overflow. */
NPU_INLINE float int_to_f32(double x, enum npu_round mode)
{
    const uint64_t u = npu_f64_bits(x), a = u & UINT64_C(0x7fffffffffffffff);
    const uint32_t rest = (uint32_t)(a & 0x1fffffffu);
    const uint64_t up = moves_up((uint32_t)(a >> 29), rest, 0x10000000u, u >> 63, mode) & 1u;
    const uint64_t v = (a & ~UINT64_C(0x1fffffff)) + (up << 29);

    return (float)npu_f64_from_bits(v | (u & ~UINT64_C(0x7fffffffffffffff)));
}

/* To double by rounding to odd, so that int_to_f32 rounds as if from all 64 bits. */
NPU_INLINE double s64_to_f64_odd(int64_t x)
{
    const uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    const uint64_t odd = (a & ~UINT64_C(0x7ff)) | (a & 0x7ff ? 0x800u : 0u);
    const double d = (double)(a >> 53 ? odd : a);

    return x < 0 ? -d : d;
}

/* NaN fails every comparison and so must be looked for first. */
NPU_INLINE float clamp_f32(float x, float low, float high, enum npu_round mode)
{
    float r = round_f32(x != x ? 0.0f : x, mode);

    r = r > high ? high : r;
    return r < low ? low : r;
}

/* The largest integers are no floats, so these clamp after the conversion. */
#define CLAMP_WIDE(T, ctype, limit, low, high)                                                     \
    NPU_INLINE ctype clamp_##T(float x, enum npu_round mode)                                       \
    {                                                                                              \
        const float r = round_f32(x, mode);                                                        \
        const ctype v = (ctype)(r < (limit) && r >= -(limit) ? r : 0.0f);                          \
        return r >= (limit) ? (high) : r < -(limit) ? (low) : v;                                   \
    }
CLAMP_WIDE(s32, int32_t, 0x1p31f, INT32_MIN, INT32_MAX)
CLAMP_WIDE(s64, int64_t, 0x1p63f, INT64_MIN, INT64_MAX)

#define FLOAT_f16(x)  npu_f16_to_f32(x)
#define FLOAT_bf16(x) npu_bf16_to_f32(x)
#define FLOAT_f32(x)  (x)
#define FLOAT_s8(x)   ((float)(x))
#define FLOAT_u8(x)   ((float)(x))
#define FLOAT_s16(x)  ((float)(x))

#define TO_s8(S, x, mode)    (int8_t)(int32_t)clamp_f32(FLOAT_##S(x), -128.0f, 127.0f, mode)
#define TO_u8(S, x, mode)    (uint8_t)(int32_t)clamp_f32(FLOAT_##S(x), 0.0f, 255.0f, mode)
#define TO_s16(S, x, mode)   TO_s16_##S(x, mode)
#define TO_s16_f16(x, mode)  (int16_t)(int32_t)clamp_f32(FLOAT_f16(x), -32768.0f, 32767.0f, mode)
#define TO_s16_f32(x, mode)  (int16_t)(int32_t)clamp_f32(x, -32768.0f, 32767.0f, mode)
#define TO_s16_s32(x, mode)  (int16_t)((x) > 32767 ? 32767 : (x) < -32768 ? -32768 : (x))
#define TO_s32(S, x, mode)   TO_s32_##S(x, mode)
#define TO_s32_f16(x, mode)  clamp_s32(FLOAT_f16(x), mode)
#define TO_s32_bf16(x, mode) clamp_s32(FLOAT_bf16(x), mode)
#define TO_s32_f32(x, mode)  clamp_s32(x, mode)
#define TO_s32_s64(x, mode)                                                                        \
    (int32_t)((x) > INT32_MAX ? INT32_MAX : (x) < INT32_MIN ? INT32_MIN : (x))
#define TO_s64(S, x, mode)  TO_s64_##S(x, mode)
#define TO_s64_s32(x, mode) (int64_t)(x)
#define TO_s64_f32(x, mode) clamp_s64(x, mode)
#define TO_f16(S, x, mode)                                                                         \
    ((mode) == ROUND_RINT ? npu_f32_to_f16(FLOAT_##S(x)) : f32_to_f16(FLOAT_##S(x), mode))
#define TO_bf16(S, x, mode)                                                                        \
    ((mode) == ROUND_RINT ? npu_f32_to_bf16(FLOAT_##S(x)) : f32_to_bf16(FLOAT_##S(x), mode))
#define TO_f32(S, x, mode)   TO_f32_##S(x, mode)
#define TO_f32_f16(x, mode)  npu_f16_to_f32(x)
#define TO_f32_bf16(x, mode) npu_bf16_to_f32(x)
#define TO_f32_s16(x, mode)  (float)(x)
#define TO_f32_s32(x, mode)  ((mode) == ROUND_RINT ? (float)(x) : int_to_f32((double)(x), mode))
#define TO_f32_s64(x, mode)  int_to_f32(s64_to_f64_odd(x), mode)
#define TO_f32_f32(x, mode)  (round_f32(x, mode) + 0.0f)

/* Lanes of one width are elementwise, so in place is right; widths that differ never share memory.
 */
#define CONV_ONE(mode, S, D)                                                                       \
    static void conv_##S##_##D##_##mode(void *dst, const void *src, uint32_t n)                    \
    {                                                                                              \
        const st_##S *a = src;                                                                     \
        st_##D *d = dst;                                                                           \
        for (uint32_t i = 0; i < n; i++)                                                           \
            d[i] = TO_##D(S, a[i], ROUND_##mode);                                                  \
    }
#define FOR_EXACT(M, ...) M(NONE, __VA_ARGS__)
#define FOR_SAT(M, ...)   M(NONE, __VA_ARGS__)
#define FOR_R5(M, ...)                                                                             \
    M(RINT, __VA_ARGS__)                                                                           \
    M(FLOOR, __VA_ARGS__) M(CEIL, __VA_ARGS__) M(ROUND, __VA_ARGS__) M(TRUNC, __VA_ARGS__)
#define FOR_R5N(M, ...)           FOR_R5(M, __VA_ARGS__)
#define FOR_R6N(M, ...)           FOR_R5(M, __VA_ARGS__) M(ODD, __VA_ARGS__)
#define CONV(S, D, rounds, brief) FOR_##rounds(CONV_ONE, S, D)
#include "../isa/conv.def"

/* The two that most kernels use, through the converters of the lanes. */
static void widen_f16(void *dst, const void *src, uint32_t n)
{
    const uint16_t *a = src;
    float *d = dst;
    uint32_t i = 0;

    for (; i + W <= n; i += W)
        up_f16(d + i, a + i);
    for (; i < n; i++)
        d[i] = npu_f16_to_f32(a[i]);
}

static void narrow_f16(void *dst, const void *src, uint32_t n)
{
    const float *a = src;
    uint16_t *d = dst;
    uint32_t i = 0;

    for (; i + W <= n; i += W)
        dn_f16(d + i, a + i);
    for (; i < n; i++)
        d[i] = npu_f32_to_f16(a[i]);
}

/* Bytes to floats in steps of a whole register: stores of another width than the loads of dn_f16
 * would stall each strip. */
#if defined(__AVX512F__)
NPU_INLINE void up_u8(float *x, const uint8_t *p)
{
    for (int j = 0; j < W; j += 16)
        _mm512_storeu_ps(x + j, _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(
                                    _mm_loadu_si128((const __m128i *)(p + j)))));
}
#else
NPU_INLINE void up_u8(float *x, const uint8_t *p)
{
    for (int j = 0; j < W; j++)
        x[j] = (float)(int32_t)p[j];
}
#endif

static void widen_u8(void *dst, const void *src, uint32_t n)
{
    const uint8_t *a = src;
    uint16_t *d = dst;
    uint32_t i = 0;

    for (; i + W <= n; i += W) {
        float x[W];
        up_u8(x, a + i);
        dn_f16(d + i, x);
    }
    for (; i < n; i++)
        d[i] = npu_f32_to_f16((float)a[i]);
}

/* Halves to integers, RINT. The instruction that converts says INT32_MIN for what it cannot hold,
 * and of the halves only infinities and NaN are that. */
#if defined(__AVX512F__)
enum { RINT_LANES = 16 };
NPU_INLINE __m512i rint_f16(const uint16_t *p)
{
    const __m512 x = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
    const __m512i v = _mm512_cvt_roundps_epi32(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __mmask16 is_number = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
    const __mmask16 is_inf = _mm512_cmp_ps_mask(x, _mm512_set1_ps(65504.0f), _CMP_GT_OQ);

    return _mm512_maskz_mov_epi32(is_number,
                                  _mm512_mask_mov_epi32(v, is_inf, _mm512_set1_epi32(INT32_MAX)));
}

NPU_INLINE void store_s32(int32_t *d, __m512i v) { _mm512_storeu_si512(d, v); }

NPU_INLINE void store_u8(uint8_t *d, __m512i v)
{
    v = _mm512_max_epi32(v, _mm512_setzero_si512());
    _mm_storeu_si128((__m128i *)d, _mm512_cvtusepi32_epi8(v));
}
#elif defined(__F16C__)
enum { RINT_LANES = 8 };
NPU_INLINE __m256i rint_f16(const uint16_t *p)
{
    const __m256 x = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
    const __m256i v =
        _mm256_cvtps_epi32(x); /* the mode of the thread is to nearest, ties to even */
    const __m256 is_number = _mm256_cmp_ps(x, x, _CMP_ORD_Q);
    const __m256 is_inf = _mm256_cmp_ps(x, _mm256_set1_ps(65504.0f), _CMP_GT_OQ);
    const __m256i most = _mm256_set1_epi32(INT32_MAX);

    return _mm256_and_si256(_mm256_blendv_epi8(v, most, _mm256_castps_si256(is_inf)),
                            _mm256_castps_si256(is_number));
}

NPU_INLINE void store_s32(int32_t *d, __m256i v) { _mm256_storeu_si256((__m256i *)d, v); }

NPU_INLINE void store_u8(uint8_t *d, __m256i v)
{
    const __m128i w = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

    _mm_storel_epi64((__m128i *)d, _mm_packus_epi16(w, w));
}
#endif

#ifdef __F16C__
#define RINT_F16(T)                                                                                \
    static void rint_f16_##T(void *dst, const void *src, uint32_t n)                               \
    {                                                                                              \
        const uint16_t *a = src;                                                                   \
        st_##T *d = dst;                                                                           \
        uint32_t i = 0;                                                                            \
        for (; i + RINT_LANES <= n; i += RINT_LANES)                                               \
            store_##T(d + i, rint_f16(a + i));                                                     \
        for (; i < n; i++)                                                                         \
            d[i] = TO_##T(f16, a[i], ROUND_RINT);                                                  \
    }
RINT_F16(s32)
RINT_F16(u8)
#endif

/* ---- copy --------------------------------------------------------------------------------------
 */

/* A plain loop over vectors: from 2 KB on, memcpy takes the string instruction, whose start costs
 * as much as a tile. bytes is a multiple of 32. */
static void copy_blks(void *dst, const void *src, uint32_t bytes)
{
    enum { STEP = 256 };
    uint8_t *d = dst;
    const uint8_t *s = src;
    uint32_t i = 0;

    for (; i + STEP <= bytes; i += STEP) {
        v32 t[STEP / 32];
        for (int j = 0; j < STEP / 32; j++)
            t[j] = *(const v32 *)(s + i + j * 32);
        for (int j = 0; j < STEP / 32; j++)
            *(v32 *)(d + i + j * 32) = t[j];
    }
    for (; i < bytes; i += 32)
        *(v32 *)(d + i) = *(const v32 *)(s + i);
}

/* The same past the caches, for results too many to be found there again; dst is a multiple of 32.
 * Such stores come in any order: they are done when this returns. */
static void stream_blks(void *dst, const void *src, uint32_t bytes)
{
#ifdef __AVX2__
    for (uint32_t i = 0; i < bytes; i += 32)
        _mm256_stream_si256((__m256i *)((uint8_t *)dst + i),
                            _mm256_loadu_si256((const __m256i *)((const uint8_t *)src + i)));
    _mm_sfence();
#else
    copy_blks(dst, src, bytes);
#endif
}

/* ---- gather ------------------------------------------------------------------------------------
 */

/* Two offsets a load, eight bytes a store; vpgatherdd is slower than that on many machines. */
NPU_INLINE void pick_four(st_b16 *d, const uint8_t *from, const uint32_t *at)
{
    uint64_t two[2], v;

    memcpy(two, at, sizeof two);
    v = *(const st_b16 *)(from + (uint32_t)two[0]);
    v |= (uint64_t)*(const st_b16 *)(from + (two[0] >> 32)) << 16;
    v |= (uint64_t)*(const st_b16 *)(from + (uint32_t)two[1]) << 32;
    v |= (uint64_t)*(const st_b16 *)(from + (two[1] >> 32)) << 48;
    memcpy(d, &v, sizeof v);
}

static void pick_b16(void *dst, const uint8_t *from, const uint32_t *at, uint32_t n)
{
    enum { AHEAD = 128 }; /* elements: what the second-level cache takes to bring a line */
    st_b16 *d = dst, *const end = d + n;

    for (; end - d >= 16; d += 16, at += 16) {
        __builtin_prefetch(at + AHEAD);
        __builtin_prefetch(d + AHEAD, 1);
        for (uint32_t k = 0; k < 16; k += 4)
            pick_four(d + k, from, at + k);
    }
    for (; end - d >= 4; d += 4, at += 4)
        pick_four(d, from, at);
    for (; d < end; d++)
        *d = *(const st_b16 *)(from + *at++);
}

static void pick_b32(void *dst, const uint8_t *from, const uint32_t *at, uint32_t n)
{
    st_b32 *d = dst, *const end = d + n;

    for (; end - d >= 2; d += 2, at += 2) {
        uint64_t two, v;
        memcpy(&two, at, sizeof two);
        v = *(const st_b32 *)(from + (uint32_t)two);
        v |= (uint64_t)*(const st_b32 *)(from + (two >> 32)) << 32;
        memcpy(d, &v, sizeof v);
    }
    for (; d < end; d++)
        *d = *(const st_b32 *)(from + *at++);
}

#if defined(__AVX512BW__)
static const uint16_t even_words[32] = {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20,
                                        22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42,
                                        44, 46, 48, 50, 52, 54, 56, 58, 60, 62};

/* A table of at most 256 entries lies in eight registers: four permutations of two look up all
 * quarters, bits 6 and 7 of the index choose among them. */
static void look_up_b16(void *dst, const uint8_t *table, uint32_t table_bytes, const uint32_t *at,
                        uint32_t first_at, uint32_t n)
{
    const __m512i first = _mm512_set1_epi32((int)first_at), evens = _mm512_loadu_si512(even_words);
    __m512i t[8] = {0};
    st_b16 *d = dst;
    uint32_t i = 0;

    memcpy(t, table, table_bytes);
    for (; n - i >= 32; i += 32) {
        const __m512i a = _mm512_srli_epi32(_mm512_sub_epi32(_mm512_loadu_si512(at + i), first), 1);
        const __m512i b =
            _mm512_srli_epi32(_mm512_sub_epi32(_mm512_loadu_si512(at + i + 16), first), 1);
        const __m512i index = _mm512_permutex2var_epi16(a, evens, b);
        const __mmask32 odd = _mm512_test_epi16_mask(index, _mm512_set1_epi16(64));
        const __mmask32 upper = _mm512_test_epi16_mask(index, _mm512_set1_epi16(128));
        __m512i r[4];
        for (uint32_t k = 0; k < 4; k++)
            r[k] = _mm512_permutex2var_epi16(t[2 * k], index, t[2 * k + 1]);
        _mm512_storeu_si512(d + i,
                            _mm512_mask_blend_epi16(upper, _mm512_mask_blend_epi16(odd, r[0], r[1]),
                                                    _mm512_mask_blend_epi16(odd, r[2], r[3])));
    }
    pick_b16(d + i, table - first_at, at + i, n - i);
}
#endif

static void span_of(struct npu_span *s, const uint32_t *at, uint32_t n)
{
    uint32_t low = s->low, high = s->high, bits = s->bits;

    for (uint32_t i = 0; i < n; i++) {
        low = at[i] < low ? at[i] : low;
        high = at[i] > high ? at[i] : high;
        bits |= at[i];
    }
    *s = (struct npu_span){low, high, bits};
}

/* ---- comparison and choice --------------------------------------------------------------------
 */

/* The lowest bit of each of 8 bytes, gathered into one byte. */
NPU_INLINE uint8_t pack8(const uint8_t *flag)
{
    uint64_t v;

    memcpy(&v, flag, sizeof v);
    return (uint8_t)(v * UINT64_C(0x0102040810204080) >> 56);
}

#if defined(__AVX512BW__)
/* A comparison makes the bits, 16 at a time. */
NPU_INLINE __m512 wide_f16(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
NPU_INLINE __m512 wide_f32(const float *p) { return _mm512_loadu_ps(p); }
enum { MASK_LT = _CMP_LT_OQ, MASK_GT = _CMP_GT_OQ, MASK_EQ = _CMP_EQ_OQ };
enum { MASK_LE = _CMP_LE_OQ, MASK_GE = _CMP_GE_OQ, MASK_NE = _CMP_NEQ_OQ };
#define MASK_f16(p, q, name) _mm512_cmp_ps_mask(wide_f16(p), wide_f16(q), MASK_##name)
#define MASK_f32(p, q, name) _mm512_cmp_ps_mask(wide_f32(p), wide_f32(q), MASK_##name)
#define MASK_s32(p, q, name) _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(p), _mm512_loadu_si512(q))
#define CMP_ONE(T, name, expr)                                                                     \
    static void cmp_##name##_##T(uint8_t *dst, const void *src0, const void *src1, uint32_t n)     \
    {                                                                                              \
        const st_##T *p = src0, *q = src1;                                                         \
        for (uint32_t i = 0; i < n; i += 16) {                                                     \
            const uint16_t bits = MASK_##T(p + i, q + i, name);                                    \
            memcpy(dst + i / 8, &bits, sizeof bits);                                               \
        }                                                                                          \
    }
#else
#define load_f16 up_f16
NPU_INLINE void load_f32(float *x, const float *p) { memcpy(x, p, W * sizeof *x); }
NPU_INLINE void load_s32(int32_t *x, const int32_t *p) { memcpy(x, p, W * sizeof *x); }

#define CMP_ONE(T, name, expr)                                                                     \
    static void cmp_##name##_##T(uint8_t *dst, const void *src0, const void *src1, uint32_t n)     \
    {                                                                                              \
        const st_##T *p = src0, *q = src1;                                                         \
        for (uint32_t i = 0; i < n; i += W) {                                                      \
            ca_##T x[W], y[W];                                                                     \
            uint8_t flag[W];                                                                       \
            load_##T(x, p + i);                                                                    \
            load_##T(y, q + i);                                                                    \
            for (int j = 0; j < W; j++) {                                                          \
                const ca_##T a = x[j], b = y[j];                                                   \
                flag[j] = (expr);                                                                  \
            }                                                                                      \
            for (int j = 0; j < W; j += 8)                                                         \
                dst[(i + (uint32_t)j) / 8] = pack8(flag + j);                                      \
        }                                                                                          \
    }
#endif
/* Every relation with NaN is false, NE included: so says the vendor's table. */
#define CMP_ALL(M, T)                                                                              \
    M(T, LT, a < b)                                                                                \
    M(T, GT, a > b) M(T, EQ, a == b) M(T, LE, a <= b) M(T, GE, a >= b) M(T, NE, (a < b) | (a > b))
CMP_ALL(CMP_ONE, f16)
CMP_ALL(CMP_ONE, f32)
CMP_ONE(s32, EQ, a == b)

#if defined(__AVX512BW__)
/* The first 32 choices, or those of the n lanes that are left: all or a multiple of 8. */
NPU_INLINE uint32_t bits_at(const uint8_t *choice, uint32_t n)
{
    uint32_t bits = 0;

    if (NPU_LIKELY(n >= 32)) /* a size that the compiler knows is a load */
        memcpy(&bits, choice, sizeof bits);
    else
        memcpy(&bits, choice, n / 8);
    return bits;
}

static void sel_b16(void *dst, const uint8_t *choice, const void *src0, const void *src1,
                    uint32_t n)
{
    const uint16_t *a = src0, *b = src1;
    uint16_t *d = dst;

    for (uint32_t i = 0; i < n; i += 32) {
        const uint32_t left = n - i, there = left < 32 ? (1u << left) - 1 : ~0u;
        const uint32_t bits = bits_at(choice + i / 8, left);
        _mm512_mask_storeu_epi16(d + i, there,
                                 _mm512_mask_blend_epi16(bits,
                                                         _mm512_maskz_loadu_epi16(there, b + i),
                                                         _mm512_maskz_loadu_epi16(there, a + i)));
    }
}

static void sel_b32(void *dst, const uint8_t *choice, const void *src0, const void *src1,
                    uint32_t n)
{
    const uint32_t *a = src0, *b = src1;
    uint32_t *d = dst;

    for (uint32_t i = 0; i < n; i += 16) {
        const uint16_t there = (uint16_t)(n - i < 16 ? (1u << (n - i)) - 1 : ~0u);
        const uint16_t bits = (uint16_t)bits_at(choice + i / 8, n - i);
        _mm512_mask_storeu_epi32(d + i, there,
                                 _mm512_mask_blend_epi32(bits,
                                                         _mm512_maskz_loadu_epi32(there, b + i),
                                                         _mm512_maskz_loadu_epi32(there, a + i)));
    }
}
#else
#define SEL_ONE(T)                                                                                 \
    static void sel_##T(void *dst, const uint8_t *choice, const void *src0, const void *src1,      \
                        uint32_t n)                                                                \
    {                                                                                              \
        const st_##T *a = src0, *b = src1;                                                         \
        st_##T *d = dst;                                                                           \
        for (uint32_t i = 0; i < n; i += 8)                                                        \
            for (uint32_t j = 0; j < 8; j++)                                                       \
                d[i + j] = choice[i / 8] >> j & 1 ? a[i + j] : b[i + j];                           \
    }
SEL_ONE(b16)
SEL_ONE(b32)
#endif

/* ---- the table --------------------------------------------------------------------------------
 */

#define SLOT(T, o)   SLOT_##T(o)
#define SLOT_f16(o)  .op[OP_##o][TYPE_f16] = o##_f16,
#define SLOT_bf16(o) .op[OP_##o][TYPE_bf16] = o##_bf16,
#define SLOT_f32(o)  .op[OP_##o][TYPE_f32] = o##_f32,
#define SLOT_s16(o)  .op[OP_##o][TYPE_s16] = o##_s16,
#define SLOT_u16(o)  .op[OP_##o][TYPE_u16] = o##_u16,
#define SLOT_s32(o)  .op[OP_##o][TYPE_s32] = o##_s32,
#define SLOT_u32(o)  .op[OP_##o][TYPE_u32] = o##_u32,
#define SLOT_b16(o)                                                                                \
    .op[OP_##o][TYPE_f16] = o##_b16, .op[OP_##o][TYPE_bf16] = o##_b16,                             \
    .op[OP_##o][TYPE_s16] = o##_b16, .op[OP_##o][TYPE_u16] = o##_b16,
#define SLOT_b32(o)                                                                                \
    .op[OP_##o][TYPE_f32] = o##_b32, .op[OP_##o][TYPE_s32] = o##_b32,                              \
    .op[OP_##o][TYPE_u32] = o##_b32,
#define SLOTS_VVV(types, op)  FOR_##types(SLOT, op)
#define SLOTS_VVVS(types, op) FOR_##types(SLOT, op)
#define SLOTS_VV(types, op)   FOR_##types(SLOT, op)
#define SLOTS_VVS(types, op)  FOR_##types(SLOT, op)
#define SLOTS_AXPY(types, op) FOR_##types(SLOT, op)
#define SLOTS_MLA(types, op)  FOR_##types(SLOT, op)
#define SLOTS_VS(types, op)   FOR_##types(SLOT, op)
#define SLOTS_CMP(types, op)
#define SLOTS_CMPS(types, op)
#define SLOTS_SEL(types, op)
#define SLOTS_CONV(types, op)
#define SLOTS_RED(types, op)
#define SLOTS_BRC(types, op)
#define SLOTS_GATHER(types, op)
#define SLOTS_MLAW(types, op)
#define SLOTS_AXPYW(types, op)
#define SLOTS_CMPR(types, op)
#define SLOTS_DEQ(types, op)
#define SLOTS_DEQ2(types, op)
#define SLOTS_DEQB(types, op)
#define SLOTS_FUSE(types, op)
#define SLOTS_TOS4(types, op)
#define SLOTS_OFS4(types, op)
#define SLOTS_IDX(types, op)
#define SLOTS_GMASK(types, op)
#define SLOTS_GATHERB(types, op)
#define SLOTS_SORT(types, op)
#define SLOTS_MERGE(types, op)
#define SLOTS_TRANS(types, op)
#define SLOTS_QUANT(types, op)
#define SLOTS_PERM(types, op)
#define SLOTS_NCHW(types, op)
#define SLOTS_COPY(types, op)
#define SLOTS_ROWS(types, op)

#define CONV_SLOT(mode, S, D) .conv[TYPE_##S][TYPE_##D][ROUND_##mode] = conv_##S##_##D##_##mode,
#define CONV_NONE(S, D)       .conv[TYPE_##S][TYPE_##D][ROUND_NONE] = conv_##S##_##D##_RINT,
#define CONV_EXACT(S, D)      .conv[TYPE_##S][TYPE_##D][0 ... N_ROUNDS - 1] = conv_##S##_##D##_NONE,
#define CONV_SLOTS_EXACT      CONV_EXACT
#define CONV_SLOTS_SAT        CONV_EXACT
#define CONV_SLOTS_R5(S, D)   FOR_R5(CONV_SLOT, S, D)
#define CONV_SLOTS_R5N(S, D)  CONV_NONE(S, D) FOR_R5N(CONV_SLOT, S, D)
#define CONV_SLOTS_R6N(S, D)  CONV_NONE(S, D) FOR_R6N(CONV_SLOT, S, D)
#define CMP_SLOT(T, name, expr) .cmp[CMP_##name][TYPE_##T] = cmp_##name##_##T,

#include "lane_rows.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" /* the fast variants at the end replace some */
const struct npu_lanes LANES = {
    .name = LANES_NAME,
    .copy = copy_blks,
    .stream = stream_blks,
    .exp_row = exp_row,
    .sum_row = sum_row,
    .top_row = top_row,
    .center_row = center_row,
    .affine_row[TYPE_f16] = affine_f16,
    .affine_row[TYPE_f32] = affine_f32,
    CMP_ALL(CMP_SLOT, f16) CMP_ALL(CMP_SLOT, f32) CMP_SLOT(s32, EQ, a == b)
#define VEC(op, shape, types, cost, lane, brief) SLOTS_##shape(types, op)
#include "../isa/vec.def"
        .op[OP_vexp][TYPE_f32] = exp_any,
    .op[OP_vsin][TYPE_f32] = sin_any,
    .op[OP_vcos][TYPE_f32] = cos_any,
    .op[OP_vtan][TYPE_f32] = tan_any,
#define CONV(S, D, rounds, brief) CONV_SLOTS_##rounds(S, D)
#include "../isa/conv.def"
    .conv[TYPE_f16][TYPE_f32][0 ... N_ROUNDS - 1] = widen_f16,
    .conv[TYPE_u8][TYPE_f16][0 ... N_ROUNDS - 1] = widen_u8,
#ifdef __F16C__
    .conv[TYPE_f16][TYPE_s32][ROUND_RINT] = rint_f16_s32,
    .conv[TYPE_f16][TYPE_u8][ROUND_NONE] = rint_f16_u8,
    .conv[TYPE_f16][TYPE_u8][ROUND_RINT] = rint_f16_u8,
#endif
    .conv[TYPE_f32][TYPE_f16][ROUND_NONE] = narrow_f16,
    .conv[TYPE_f32][TYPE_f16][ROUND_RINT] = narrow_f16,
    .sel[TYPE_f16] = sel_b16,
    .sel[TYPE_f32] = sel_b32,
    .pick[2] = pick_b16,
    .pick[4] = pick_b32,
#if defined(__AVX512BW__)
    .look_up = look_up_b16,
#endif
    .span = span_of,
};
#pragma GCC diagnostic pop

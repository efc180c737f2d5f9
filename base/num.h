/* SPDX-License-Identifier: Apache-2.0 */
/*
 * num.h - the number formats of the chip and their conversions.
 *
 * Formats are bits in an unsigned integer; arithmetic on them is done in float or double. Each
 * function is branch-free straight-line C where SIMD loops use it (f16, bf16), so that a compiler
 * vectorises the loop around it; the results equal those of the F16C instructions to the last bit,
 * NaN payloads included. tests/unit/t_num.c compares all of it with a slow reference.
 *
 *   format   bits   exponent  mantissa  largest        special
 *   f16      16     5         10        65504          inf, nan
 *   bf16     16     8         7         3.39e38        inf, nan
 *   e5m2     8      5         2         57344          inf, nan
 *   e4m3     8      4         3         448            nan 0x7f, no inf
 *   hif8     8      tapered             32768          inf 0x6f, nan 0x80, no -0
 */
#ifndef NPU_NUM_H
#define NPU_NUM_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NPU_INLINE static inline __attribute__((always_inline))

NPU_INLINE uint32_t npu_f32_bits(float f)
{
    uint32_t u;

    memcpy(&u, &f, sizeof u);
    return u;
}

NPU_INLINE float npu_f32_from_bits(uint32_t u)
{
    float f;

    memcpy(&f, &u, sizeof f);
    return f;
}

NPU_INLINE uint64_t npu_f64_bits(double f)
{
    uint64_t u;

    memcpy(&u, &f, sizeof u);
    return u;
}

NPU_INLINE double npu_f64_from_bits(uint64_t u)
{
    double f;

    memcpy(&f, &u, sizeof f);
    return f;
}

/* Exact. The exponent is rebiased by one multiplication, which also normalises subnormals. */
NPU_INLINE float npu_f16_to_f32(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, body = (uint32_t)(h & 0x7fffu) << 13;
    const uint32_t scaled = npu_f32_bits(npu_f32_from_bits(body) * 0x1p112f);
    const uint32_t special = 0x7f800000u | body | (body > 0x0f800000u ? 0x400000u : 0u);

    return npu_f32_from_bits(sign | (body >= 0x0f800000u ? special : scaled));
}

/* To nearest, ties to even; overflow gives infinity. */
NPU_INLINE uint16_t npu_f32_to_f16(float f)
{
    const uint32_t u = npu_f32_bits(f), sign = u & 0x80000000u, a = u ^ sign;
    const uint32_t normal = (a + 0xc8000fffu + (a >> 13 & 1u)) >> 13;
    /* Adding 0.5 leaves the subnormal's mantissa, rounded, in the lowest bits. */
    const uint32_t tiny =
        npu_f32_bits(npu_f32_from_bits(a < 0x38800000u ? a : 0u) + 0.5f) - 0x3f000000u;
    const uint32_t special = a > 0x7f800000u ? 0x7e00u | (a >> 13 & 0x3ffu) : 0x7c00u;
    const uint32_t finite = a < 0x38800000u ? tiny : normal;

    return (uint16_t)((a >= 0x47800000u ? special : finite) | sign >> 16);
}

NPU_INLINE float npu_bf16_to_f32(uint16_t h) { return npu_f32_from_bits((uint32_t)h << 16); }

/* To nearest, ties to even. */
NPU_INLINE uint16_t npu_f32_to_bf16(float f)
{
    const uint32_t u = npu_f32_bits(f);
    const uint32_t rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;

    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : rounded);
}

/* double -> float by rounding to odd: a later rounding to a narrower format (at most 22 bits) gives
 * what one rounding of the double would. NaN passes, because its lost bits set one that stays; a
 * double beyond float becomes infinity and one below float's normal range loses more bits, which no
 * format narrower than float can tell. */
NPU_INLINE float npu_f64_to_f32_odd(double d)
{
    const uint64_t u = npu_f64_bits(d), lost = 0x1fffffffu;

    return (float)npu_f64_from_bits((u | ((u & lost) + lost)) & ~lost);
}

/* Narrow to a format with e exponent and m mantissa bits, to nearest even, from a double.
 * has_inf: the top exponent is inf/nan (IEEE); else only all ones is nan (e4m3).
 * saturate: overflow and infinity become the largest finite number. */
NPU_INLINE uint32_t npu_narrow(double d, int e, int m, bool has_inf, bool saturate)
{
    const uint64_t u = npu_f64_bits(d);
    const uint32_t sign = (uint32_t)(u >> 63) << (e + m), ones = (1u << (e + m)) - 1;
    const uint32_t inf = ((1u << e) - 1) << m;
    const uint32_t largest = has_inf ? inf - 1 : ones - 1;
    const uint32_t overflow = saturate ? largest : has_inf ? inf : ones;
    const int exp = (int)(u >> 52 & 2047) - 1023, bias = (1 << (e - 1)) - 1;
    const uint64_t mant = (u & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    int drop = 52 - m, biased = exp + bias;

    if (d != d)
        return sign | (has_inf ? inf | 1u << (m - 1) : ones);
    if (exp == 1024)
        return sign | overflow;
    if (biased <= 0) { /* subnormal of the target */
        drop += 1 - biased;
        biased = 1;
    }
    if (drop > 54)
        return sign;
    const uint64_t kept = mant >> drop, rest = mant & ((UINT64_C(1) << drop) - 1);
    const uint64_t half = UINT64_C(1) << (drop - 1);
    const uint64_t q = kept + (rest > half || (rest == half && (kept & 1)));
    const uint64_t v = ((uint64_t)(biased - 1) << m) + q; /* a carry moves into the exponent */

    return sign | (v > largest ? overflow : (uint32_t)v);
}

NPU_INLINE uint16_t npu_f64_to_f16(double d) { return (uint16_t)npu_narrow(d, 5, 10, true, false); }

NPU_INLINE uint8_t npu_f32_to_e5m2(float f, bool saturate)
{
    return (uint8_t)npu_narrow((double)f, 5, 2, true, saturate);
}

NPU_INLINE uint8_t npu_f32_to_e4m3(float f, bool saturate)
{
    return (uint8_t)npu_narrow((double)f, 4, 3, false, saturate);
}

NPU_INLINE float npu_e5m2_to_f32(uint8_t v) { return npu_f16_to_f32((uint16_t)((uint32_t)v << 8)); }

NPU_INLINE float npu_e4m3_to_f32(uint8_t v)
{
    const uint32_t sign = (uint32_t)(v & 0x80u) << 24, body = (uint32_t)(v & 0x7fu) << 20;
    const uint32_t scaled = npu_f32_bits(npu_f32_from_bits(body) * 0x1p120f);

    return npu_f32_from_bits(sign | ((v & 0x7fu) == 0x7fu ? 0x7fc00000u : scaled));
}

/* HiFloat8. Decode is exact. Encode rounds to nearest, ties away from zero; finite values beyond
 * 32768 saturate, or become infinity from 40960 on (saturate false). In num.c. */
float npu_hif8_to_f32(uint8_t code);
uint8_t npu_f32_to_hif8(float f, bool saturate);
#endif

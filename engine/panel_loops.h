/* SPDX-License-Identifier: Apache-2.0 */
/*
 * panel_loops.h - the loops of panels.h; included by panels_plain.c, panels_v3.c and panels_v4.c,
 * which say PANELS and PANELS_NAME.
 *
 * A tile of C stays in registers while k runs: TILE_ROWS rows of TILE_PANELS panels. With AVX-512
 * that is 8 x 3 registers, 11 loads for 24 multiply-adds; with AVX2 a panel is two registers.
 */
#include "panels.h"
#include "../base/num.h"
#include <string.h>
#ifdef __FMA__
#include <immintrin.h>
#endif
#include "../base/banned.h"

#ifdef __FMA__
#ifdef __AVX512F__
enum { TILE_ROWS = 8, TILE_PANELS = 3, LANES_PER_REG = 16 };
#else
enum { TILE_ROWS = 4, TILE_PANELS = 1, LANES_PER_REG = 8 };
#endif
enum { REGS = NPU_PANEL / LANES_PER_REG };
/* Aligned as floats are: C may begin anywhere in a fractal. */
typedef float reg __attribute__((vector_size(LANES_PER_REG * sizeof(float)), aligned(4)));

static inline __attribute__((always_inline)) void tile(float *c, size_t c_panel, const float *a,
                                                       size_t lda, const float *b, uint32_t k,
                                                       int rows, int panels)
{
    reg sum[TILE_ROWS][TILE_PANELS * REGS];
    const size_t b_panel = (size_t)k * NPU_PANEL;

#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (int p = 0; p < panels * REGS; p++)
            sum[r][p] = *(const reg *)(c + (size_t)(p / REGS) * c_panel + r * NPU_PANEL +
                                       p % REGS * LANES_PER_REG);
    for (uint32_t i = 0; i < k; i++) {
        reg right[TILE_PANELS * REGS];
#pragma GCC unroll 8
        for (int p = 0; p < panels * REGS; p++)
            right[p] = *(const reg *)(b + (size_t)(p / REGS) * b_panel + (size_t)i * NPU_PANEL +
                                      p % REGS * LANES_PER_REG);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            const float left = a[(size_t)r * lda + i];
#pragma GCC unroll 8
            for (int p = 0; p < panels * REGS; p++)
                sum[r][p] += left * right[p]; /* fused: see the flags in CMakeLists.txt */
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (int p = 0; p < panels * REGS; p++)
            *(reg *)(c + (size_t)(p / REGS) * c_panel + r * NPU_PANEL + p % REGS * LANES_PER_REG) =
                sum[r][p];
}

/* All rows of up to TILE_PANELS panels. */
static inline __attribute__((always_inline)) void strip(float *c, size_t c_panel, const float *a,
                                                        size_t lda, const float *b, uint32_t m,
                                                        uint32_t k, int panels)
{
    uint32_t r = 0;

    for (; r + TILE_ROWS <= m; r += TILE_ROWS)
        tile(c + (size_t)r * NPU_PANEL, c_panel, a + r * lda, lda, b, k, TILE_ROWS, panels);
    for (; r + 2 <= m; r += 2)
        tile(c + (size_t)r * NPU_PANEL, c_panel, a + r * lda, lda, b, k, 2, panels);
    if (r < m)
        tile(c + (size_t)r * NPU_PANEL, c_panel, a + r * lda, lda, b, k, 1, panels);
}

static void multiply(float *c, size_t c_panel, const float *a, size_t lda, const float *b,
                     uint32_t m, uint32_t n_panels, uint32_t k)
{
    const size_t b_panel = (size_t)k * NPU_PANEL;
    uint32_t p = 0;

    for (; p + TILE_PANELS <= n_panels; p += TILE_PANELS)
        strip(c + p * c_panel, c_panel, a, lda, b + p * b_panel, m, k, TILE_PANELS);
    if (TILE_PANELS > 2 && p + 2 == n_panels) {
        strip(c + p * c_panel, c_panel, a, lda, b + p * b_panel, m, k, TILE_PANELS > 2 ? 2 : 1);
        return;
    }
    for (; p < n_panels; p++)
        strip(c + p * c_panel, c_panel, a, lda, b + p * b_panel, m, k, 1);
}
#else
static void multiply(float *c, size_t c_panel, const float *a, size_t lda, const float *b,
                     uint32_t m, uint32_t n_panels, uint32_t k)
{
    for (uint32_t p = 0; p < n_panels; p++, b += (size_t)k * NPU_PANEL)
        for (uint32_t r = 0; r < m; r++)
            for (uint32_t j = 0; j < NPU_PANEL; j++) {
                float *sum = &c[p * c_panel + (size_t)r * NPU_PANEL + j];
                for (uint32_t i = 0; i < k; i++)
                    *sum = __builtin_fmaf(a[r * lda + i], b[(size_t)i * NPU_PANEL + j], *sum);
            }
}
#endif

static void from_f16(float *to, const uint16_t *from, uint32_t n)
{
#if defined(__AVX512F__)
    for (uint32_t i = 0; i < n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from + i))));
#elif defined(__F16C__)
    for (uint32_t i = 0; i < n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
#else
    for (uint32_t i = 0; i < n; i++)
        to[i] = npu_f16_to_f32(from[i]);
#endif
}

static void from_bf16(float *to, const uint16_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)from[i] << 16;
        memcpy(to + i, &bits, sizeof bits);
    }
}

static void from_s8(float *to, const int8_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

#ifdef __FMA__
/* 8 x 8 in three rounds of exchanges: pairs, pairs of pairs, halves. */
static inline __attribute__((always_inline)) void turn_8x8(float *to, size_t to_row,
                                                           const float *from, size_t from_row)
{
    __m256 a[8], b[8];

#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        a[i] = _mm256_loadu_ps(from + (size_t)i * from_row);
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
        b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        a[i] = _mm256_shuffle_ps(b[i], b[i + 2], 0x44);
        a[i + 1] = _mm256_shuffle_ps(b[i], b[i + 2], 0xee);
        a[i + 2] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44);
        a[i + 3] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(to + (size_t)i * to_row, _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
        _mm256_storeu_ps(to + (size_t)(i + 4) * to_row,
                         _mm256_permute2f128_ps(a[i], a[i + 4], 0x31));
    }
}
static void turn(float *to, const float *from, size_t from_row, uint32_t k)
{
    for (uint32_t i = 0; i < k; i += 8)
        for (size_t j = 0; j < NPU_PANEL; j += 8)
            turn_8x8(to + (size_t)i * NPU_PANEL + j, NPU_PANEL, from + j * from_row + i, from_row);
}
#else
static void turn(float *to, const float *from, size_t from_row, uint32_t k)
{
    for (uint32_t i = 0; i < k; i++)
        for (size_t j = 0; j < NPU_PANEL; j++)
            to[(size_t)i * NPU_PANEL + j] = from[j * from_row + i];
}
#endif

#ifdef __AVX2__
/* Each 128-bit half of a register holds 8 elements of one row, of rows i and i + 8: three rounds of
 * interleaving inside the halves turn 8 columns at a time. */
static inline __attribute__((always_inline)) void turn_8_columns(uint8_t *to, const uint8_t *from)
{
    __m256i a[8], t[8], u[8];

#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        a[i] =
            _mm256_loadu2_m128i((const void *)(from + (i + 8) * 32), (const void *)(from + i * 32));
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_epi16(a[i], a[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi16(a[i], a[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        u[i] = _mm256_unpacklo_epi32(t[i], t[i + 2]);
        u[i + 1] = _mm256_unpackhi_epi32(t[i], t[i + 2]);
        u[i + 2] = _mm256_unpacklo_epi32(t[i + 1], t[i + 3]);
        u[i + 3] = _mm256_unpackhi_epi32(t[i + 1], t[i + 3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_si256((void *)(to + i * 64), _mm256_unpacklo_epi64(u[i], u[i + 4]));
        _mm256_storeu_si256((void *)(to + i * 64 + 32), _mm256_unpackhi_epi64(u[i], u[i + 4]));
    }
}
static void turn_16(uint8_t *to, const uint8_t *from)
{
    uint8_t whole[512] __attribute__((aligned(64)));

    turn_8_columns(whole, from);
    turn_8_columns(whole + 256, from + 16);
    memcpy(to, whole, sizeof whole);
}
#else
static void turn_16(uint8_t *to, const uint8_t *from)
{
    uint16_t a[256], b[256];

    memcpy(a, from, sizeof a);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            b[j * 16 + i] = a[i * 16 + j];
    memcpy(to, b, sizeof b);
}
#endif

const struct npu_panels PANELS = {PANELS_NAME, multiply, from_f16, from_bf16,
                                  from_s8,     turn_16,  turn};

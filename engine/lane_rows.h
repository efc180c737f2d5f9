/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane_rows.h - loops over whole rows of floats, for rows_softmax.c and rows_norm.c. Part of
 * lanes.h.
 *
 * Each does in one pass what a chain of instructions would, in the same order and with the same
 * roundings, so that every instruction set gives the same bits (tests/unit/t_simd.c).
 */

/* x[0] op x[1] op .. by folding the row in halves: its first half op its second, the odd one in the
 * middle by itself, and again. Three such steps are one pass while whole vectors last. tmp holds
 * half a row and may be x. */
NPU_INLINE float fold_by(lane_fn_f32 *op, const float *x, uint32_t n, float *tmp)
{
    enum { WAYS = 8, LAST = 16 };
    float t[LAST];

    for (uint32_t q; n % (WAYS * LAST) == 0 && n; x = tmp, n = q) {
        q = n / WAYS;
#pragma GCC ivdep
        for (uint32_t i = 0; i < q; i++) {
            const float *p = x + i;
            const float a = op(op(p[0], p[4 * q], 0), op(p[2 * q], p[6 * q], 0), 0);
            const float b = op(op(p[q], p[5 * q], 0), op(p[3 * q], p[7 * q], 0), 0);
            tmp[i] = op(a, b, 0);
        }
    }
    for (uint32_t low; n > LAST; x = tmp, n = low) {
        low = (n + 1) / 2;
#pragma GCC ivdep
        for (uint32_t i = 0; i < n - low; i++)
            tmp[i] = op(x[i], x[low + i], 0);
        if (low > n - low)
            tmp[low - 1] = x[low - 1];
    }
    if (n == LAST) {
        for (int i = 0; i < 8; i++)
            t[i] = op(x[i], x[8 + i], 0);
        for (int i = 0; i < 4; i++)
            t[i] = op(t[i], t[4 + i], 0);
        return op(op(t[0], t[2], 0), op(t[1], t[3], 0), 0);
    }
    memcpy(t, x, n * sizeof *t);
    for (uint32_t low; n > 1; n = low) {
        low = (n + 1) / 2;
        for (uint32_t i = 0; i < n - low; i++)
            t[i] = op(t[i], t[low + i], 0);
    }
    return t[0];
}

static float sum_row(const float *x, uint32_t n, float *tmp)
{
    return fold_by(lane_vadd_f32, x, n, tmp);
}

/* The largest of n numbers in any order; false when the order would tell: with NaN, or both zeros.
 */
#if defined(__AVX512F__)
NPU_INLINE bool largest(float *top, const float *x, uint32_t n)
{
    enum { WIDE = 16, STEP = 4 * WIDE };
    __m512 most[4];
    unsigned has_nan = 0;

    if (n < STEP)
        return false;
    for (int j = 0; j < 4; j++)
        most[j] = _mm512_loadu_ps(x + j * WIDE);
    for (uint32_t i = 0, at; i < n; i += STEP) {
        at = i + STEP <= n ? i : n - STEP; /* the last step looks at some again */
        for (int j = 0; j < 4; j += 2) {
            const __m512 a = _mm512_loadu_ps(x + at + j * WIDE);
            const __m512 b = _mm512_loadu_ps(x + at + (j + 1) * WIDE);
            has_nan |= _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q);
            most[j] = _mm512_max_ps(most[j], a);
            most[j + 1] = _mm512_max_ps(most[j + 1], b);
        }
    }
    *top = _mm512_reduce_max_ps(
        _mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3])));
    return !has_nan && *top != 0.0f;
}
#elif defined(__AVX2__)
NPU_INLINE bool largest(float *top, const float *x, uint32_t n)
{
    enum { WIDE = 8, STEP = 4 * WIDE };
    __m256 most[4], has_nan = _mm256_setzero_ps();
    float lane[WIDE];

    if (n < STEP)
        return false;
    for (int j = 0; j < 4; j++)
        most[j] = _mm256_loadu_ps(x + j * WIDE);
    for (uint32_t i = 0, at; i < n; i += STEP) {
        at = i + STEP <= n ? i : n - STEP; /* the last step looks at some again */
        for (int j = 0; j < 4; j += 2) {
            const __m256 a = _mm256_loadu_ps(x + at + j * WIDE);
            const __m256 b = _mm256_loadu_ps(x + at + (j + 1) * WIDE);
            has_nan = _mm256_or_ps(has_nan, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
            most[j] = _mm256_max_ps(most[j], a);
            most[j + 1] = _mm256_max_ps(most[j + 1], b);
        }
    }
    _mm256_storeu_ps(
        lane, _mm256_max_ps(_mm256_max_ps(most[0], most[1]), _mm256_max_ps(most[2], most[3])));
    *top = lane[0];
    for (int j = 1; j < WIDE; j++)
        *top = lane[j] > *top ? lane[j] : *top;
    return !_mm256_movemask_ps(has_nan) && *top != 0.0f;
}
#else
NPU_INLINE bool largest(float *top, const float *x, uint32_t n)
{
    (void)top, (void)x, (void)n;
    return false;
}
#endif

static float top_row(const float *x, uint32_t n, float *tmp)
{
    float top;

    return largest(&top, x, n) ? top : fold_by(lane_vmax_f32, x, n, tmp);
}

/* x within limits, as a > limit ? limit : a says; and p 2^k, also where that is subnormal. A strip.
 */
#if defined(__AVX512F__)
NPU_INLINE void clamp_strip(float *x, float low, float high)
{
    for (int j = 0; j < W; j += 16)
        _mm512_storeu_ps(x + j,
                         _mm512_min_ps(_mm512_set1_ps(high),
                                       _mm512_max_ps(_mm512_set1_ps(low), _mm512_loadu_ps(x + j))));
}

NPU_INLINE void scale_strip(float *p, const float *k)
{
    for (int j = 0; j < W; j += 16)
        _mm512_storeu_ps(p + j, _mm512_scalef_ps(_mm512_loadu_ps(p + j), _mm512_loadu_ps(k + j)));
}
#else
NPU_INLINE void clamp_strip(float *x, float low, float high)
{
#ifdef __AVX2__
    for (int j = 0; j < W; j += 8)
        _mm256_storeu_ps(x + j,
                         _mm256_min_ps(_mm256_set1_ps(high),
                                       _mm256_max_ps(_mm256_set1_ps(low), _mm256_loadu_ps(x + j))));
#else
    for (int j = 0; j < W; j++) {
        x[j] = x[j] < low ? low : x[j];
        x[j] = x[j] > high ? high : x[j];
    }
#endif
}

/* In two factors, so that it reaches into subnormals. */
NPU_INLINE void scale_strip(float *p, const float *k)
{
    for (int j = 0; j < W; j++) {
        const int32_t e = (int32_t)k[j], half = e >> 1;
        p[j] = p[j] * npu_f32_from_bits((uint32_t)(half + 127) << 23) *
               npu_f32_from_bits((uint32_t)(e - half + 127) << 23);
    }
}
#endif

/* e^a = 2^k e^r with k = round(a log2 e); Taylor of e^r on |r| <= 0.35, the first term left out is
 * 2^-27. tests/unit/t_adv_softmax.cpp compares with libm. */
NPU_INLINE void exp_row_strip(float *to, const float *x, float top)
{
    float a[W], p[W], k[W];

    for (int j = 0; j < W; j++)
        a[j] = x[j] - top;
    clamp_strip(a, -104.0f, 89.0f);
    for (int j = 0; j < W; j++) {
        k[j] = __builtin_fmaf(a[j], 0x1.715476p+0f, 0x1.8p23f) - 0x1.8p23f;
        const float r =
            __builtin_fmaf(k[j], -0x1.7f7d1cp-20f, __builtin_fmaf(k[j], -0x1.62e4p-1f, a[j]));
        p[j] = __builtin_fmaf(1.0f / 5040, r, 1.0f / 720);
        p[j] = __builtin_fmaf(p[j], r, 1.0f / 120);
        p[j] = __builtin_fmaf(p[j], r, 1.0f / 24);
        p[j] = __builtin_fmaf(p[j], r, 1.0f / 6);
        p[j] = __builtin_fmaf(p[j], r, 0.5f);
        p[j] = __builtin_fmaf(p[j], r, 1.0f);
        p[j] = __builtin_fmaf(p[j], r, 1.0f);
    }
    scale_strip(p, k);
    for (int j = 0; j < W; j++)
        to[j] = p[j];
}

static void exp_row(float *to, const float *x, float top, uint32_t n)
{
    float rest[W] = {0};
    uint32_t i = 0;

    for (; i + W <= n; i += W)
        exp_row_strip(to + i, x + i, top);
    if (i == n)
        return;
    memcpy(rest, x + i, (n - i) * sizeof *rest);
    exp_row_strip(rest, rest, top);
    memcpy(to + i, rest, (n - i) * sizeof *rest);
}

/* x += shift; square = x * x. */
static void center_row(float *x, float *square, float shift, uint32_t n)
{
#pragma GCC ivdep /* apart */
    for (uint32_t i = 0; i < n; i++) {
        x[i] += shift;
        square[i] = x[i] * x[i];
    }
}

/* x * scale * gamma + beta: three roundings, and that to the type. */
static void affine_f32(void *dst, const float *x, float scale, const float *gamma,
                       const float *beta, uint32_t n)
{
    float *d = dst;

#pragma GCC ivdep
    for (uint32_t i = 0; i < n; i++)
        d[i] = x[i] * scale * gamma[i] + beta[i];
}

static void affine_f16(void *dst, const float *x, float scale, const float *gamma,
                       const float *beta, uint32_t n)
{
    uint16_t *d = dst;
    uint32_t i = 0;

    for (; i + W <= n; i += W) {
        const float *a = x + i, *g = gamma + i, *b = beta + i;
        float y[W];
        for (int j = 0; j < W; j++)
            y[j] = a[j] * scale * g[j] + b[j];
        dn_f16(d + i, y);
    }
    for (; i < n; i++)
        d[i] = npu_f32_to_f16(x[i] * scale * gamma[i] + beta[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane_loop.h - the loop around a lane, for the type T. Included once a type by lanes.h.
 *
 * CONVERTS 1: elements are widened W at a time into a strip that the compiler keeps in registers,
 * computed, and narrowed again. CONVERTS 0: they are computed as they are stored. All of it is
 * always_inline with a constant lane, so each instruction becomes one flat loop; this is as fast as
 * hand-written intrinsics (bench_engine watches it).
 */
#define ST NPU_CAT(st_, T)
#define CA NPU_CAT(ca_, T)

typedef CA NPU_CAT(lane_fn_, T)(CA a, CA b, CA s);

/* n_src: how many sources are read, 0 to 2. A constant at every call. dst equals a source, lies
 * below it, or at least a repeat above it, so no element depends on an earlier one. */
NPU_INLINE void NPU_CAT(loop_, T)(NPU_CAT(lane_fn_, T) * lane, int n_src, void *dst,
                                  const void *src0, const void *src1, CA s, uint32_t n)
{
    ST *d = dst;
    const ST *a = src0, *b = src1;
    uint32_t i = 0;

#if CONVERTS
    for (; i + W <= n; i += W) {
        CA x[W], y[W];
        if (n_src > 0)
            NPU_CAT(up_, T)(x, a + i);
        if (n_src > 1)
            NPU_CAT(up_, T)(y, b + i);
        for (int j = 0; j < W; j++)
            x[j] = lane(x[j], y[j], s);
        NPU_CAT(dn_, T)(d + i, x);
    }
    if (i < n) {
        ST ta[W] = {0}, tb[W] = {0};
        CA x[W], y[W];
        const size_t rest = (n - i) * sizeof(ST);
        if (n_src > 0)
            memcpy(ta, a + i, rest);
        if (n_src > 1)
            memcpy(tb, b + i, rest);
        NPU_CAT(up_, T)(x, ta);
        NPU_CAT(up_, T)(y, tb);
        for (int j = 0; j < W; j++)
            x[j] = lane(x[j], y[j], s);
        NPU_CAT(dn_, T)(ta, x);
        memcpy(d + i, ta, rest);
    }
#else
#pragma GCC ivdep
    for (i = 0; i < n; i++)
        d[i] = lane(n_src > 0 ? a[i] : s, n_src > 1 ? b[i] : s, s);
#endif
}

/* The same with dst as the third source. */
typedef CA NPU_CAT(lane3_fn_, T)(CA a, CA b, CA d);

NPU_INLINE void NPU_CAT(loop3_, T)(NPU_CAT(lane3_fn_, T) * lane, void *dst, const void *src0,
                                   const void *src1, uint32_t n)
{
    ST *d = dst;
    const ST *a = src0, *b = src1;
    uint32_t i = 0;

#if CONVERTS
    for (; i + W <= n; i += W) {
        CA x[W], y[W], z[W];
        NPU_CAT(up_, T)(x, a + i);
        NPU_CAT(up_, T)(y, b + i);
        NPU_CAT(up_, T)(z, d + i);
        for (int j = 0; j < W; j++)
            z[j] = lane(x[j], y[j], z[j]);
        NPU_CAT(dn_, T)(d + i, z);
    }
    if (i < n) {
        ST ta[W] = {0}, tb[W] = {0}, td[W] = {0};
        const size_t rest = (n - i) * sizeof(ST);
        memcpy(ta, a + i, rest);
        memcpy(tb, b + i, rest);
        memcpy(td, d + i, rest);
        CA x[W], y[W], z[W];
        NPU_CAT(up_, T)(x, ta);
        NPU_CAT(up_, T)(y, tb);
        NPU_CAT(up_, T)(z, td);
        for (int j = 0; j < W; j++)
            z[j] = lane(x[j], y[j], z[j]);
        NPU_CAT(dn_, T)(td, z);
        memcpy(d + i, td, rest);
    }
#else
#pragma GCC ivdep
    for (i = 0; i < n; i++)
        d[i] = lane(a[i], b[i], d[i]);
#endif
}
#undef ST
#undef CA
#undef T
#undef CONVERTS

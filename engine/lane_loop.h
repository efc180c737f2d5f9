/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane_loop.h - the loop around a lane, for the type T. Included once a type by lanes.h.
 *
 * Elements are widened W at a time into a strip that the compiler keeps in registers, computed, and
 * narrowed again. All of it is always_inline with a constant strip function, so each instruction
 * becomes one flat loop; this is as fast as hand-written intrinsics (bench_engine watches it).
 */
#define ST NPU_CAT(st_, T)
#define CA NPU_CAT(ca_, T)
#define UP NPU_CAT(up_, T)
#define DN NPU_CAT(dn_, T)

typedef void NPU_CAT(strip_fn_, T)(CA *x, const CA *y, CA s);

/* n_src: how many sources are read, 0 to 2. A constant at every call. */
NPU_INLINE void NPU_CAT(loop_, T)(NPU_CAT(strip_fn_, T) *strip, int n_src, void *dst,
                                  const void *src0, const void *src1, uint64_t scalar, uint32_t n)
{
    ST *d = dst;
    const ST *a = src0, *b = src1;
    const CA s = NPU_CAT(one_, T)(scalar);
    uint32_t i = 0;

    for (; i + W <= n; i += W) {
        CA x[W], y[W];
        if (n_src > 0)
            UP(x, a + i);
        if (n_src > 1)
            UP(y, b + i);
        strip(x, y, s);
        DN(d + i, x);
    }
    if (i < n) {
        ST ta[W] = {0}, tb[W] = {0};
        CA x[W], y[W];
        const size_t rest = (n - i) * sizeof(ST);
        if (n_src > 0)
            memcpy(ta, a + i, rest);
        if (n_src > 1)
            memcpy(tb, b + i, rest);
        UP(x, ta);
        UP(y, tb);
        strip(x, y, s);
        DN(ta, x);
        memcpy(d + i, ta, rest);
    }
}
#undef ST
#undef CA
#undef UP
#undef DN
#undef T

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adv.hpp - what the tests of the high-level API share: tensors in UB with numbers in them, and
 * expected values, which are worked out in double with libm.
 */
#ifndef NPU_TEST_ADV_HPP
#define NPU_TEST_ADV_HPP
#include "kernel.hpp"
#include "../../sdk/include/tiling/tiling_api.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace AscendC;

/* Tensors one after the other in UB; each begins at 32 bytes and holds 77 at first. */
class bench {
public:
    template <class T> LocalTensor<T> some(size_t n)
    {
        LocalTensor<T> t(TPosition::VECCALC, at_, uint32_t(n));
        at_ += uint32_t((n * sizeof(T) + 31) / 32 * 32);
        for (uint32_t i = 0; i < n; i++)
            t.SetValue(i, T(77));
        return t;
    }
    /* Numbers between -4 and 4, a different row for each seed. */
    template <class T> LocalTensor<T> numbers(size_t n, uint32_t seed = 1)
    {
        LocalTensor<T> t = some<T>(n);
        for (uint32_t i = 0; i < n; i++)
            t.SetValue(i,
                       T(float(int((i * 2654435761u + seed * 40503u) >> 16 & 1023) - 512) / 128));
        return t;
    }
    LocalTensor<uint8_t> tmp(size_t n = 1024) { return some<uint8_t>(n); }

private:
    uint32_t at_ = 0;
};

template <class T> inline std::vector<double> values(const LocalTensor<T> &t)
{
    std::vector<double> v(t.GetSize());
    for (uint32_t i = 0; i < v.size(); i++)
        v[i] = double(float(t.GetValue(i)));
    return v;
}

/* got is within ulps of the type of want, or within tiny of it. */
template <class T>
inline void expect_near(const LocalTensor<T> &got, const std::vector<double> &want,
                        const char *what, double ulps = 4, double tiny = 1e-6)
{
    const double unit = sizeof(T) == 2 ? 0x1p-11 : 0x1p-24;
    for (uint32_t i = 0; i < want.size(); i++) {
        const double g = double(float(got.GetValue(i))), w = want[i];
        const bool same = std::isnan(w) ? std::isnan(g) : g == w;
        if (!same && !(std::fabs(g - w) <= std::fabs(w) * unit * ulps + tiny))
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "%s: element %u is %.9g, expected %.9g",
                      what, i, g, w);
    }
}
template <class T>
inline void expect_same(const LocalTensor<T> &got, const std::vector<double> &want,
                        const char *what)
{
    expect_near(got, want, what, 0, 0);
}
#endif

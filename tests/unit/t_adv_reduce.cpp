/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_adv_reduce.cpp - the reductions of the high-level API. Sums along an axis against double; Sum
 * and Mean bit by bit against the documented tree, whose additions round in the type.
 */
#include "adv.hpp"

namespace {

enum { A = 5, R = 13 }; /* rows of R elements, each at a multiple of 32 bytes */

template <class T> constexpr uint32_t pitch(uint32_t n)
{
    const uint32_t per = 32 / sizeof(T);
    return (n + per - 1) / per * per;
}

/* The documented order: neighbours, 1+2, 3+4, and so on, each result a T. */
template <class T> T tree(std::vector<T> x)
{
    while (x.size() > 1) {
        std::vector<T> y;
        for (size_t i = 0; i + 1 < x.size(); i += 2)
            y.push_back(T(float(x[i]) + float(x[i + 1])));
        if (x.size() % 2)
            y.push_back(x.back());
        x = y;
    }
    return x[0];
}

template <class T> void check_sum(void **)
{
    run_well([] {
        for (uint32_t n : {1u, 13u, 100u, 128u, 700u}) {
            bench b;
            const uint32_t inner = pitch<T>(n);
            const LocalTensor<T> x = b.numbers<T>(3 * inner), y = b.some<T>(16);
            std::vector<double> sums, means, wide_means;
            for (uint32_t r = 0; r < 3; r++) {
                std::vector<T> row;
                std::vector<float> wide;
                for (uint32_t i = 0; i < n; i++) {
                    row.push_back(x.GetValue(r * inner + i));
                    wide.push_back(float(row.back()));
                }
                sums.push_back(float(tree(row)));
                means.push_back(float(T(float(tree(row)) / float(n))));
                wide_means.push_back(float(T(tree(wide) / float(n))));
            }
            SumParams p = {3, inner, n};
            Sum<T>(y, x, b.tmp(), p);
            expect_same(y, sums, "Sum");
            expect_same(y[3], {77, 77}, "behind the sums");
            y.SetValue(0, T(77));
            Sum(y, x, p);
            expect_same(y, sums, "Sum without space");
            MeanParams m = {3, inner, n};
            Mean<T>(y, x, b.tmp(), m);
            expect_same(y, means, "Mean");
            Mean<T, float>(y, x, m);
            expect_same(y, wide_means, "Mean in float");
        }
    });
}

enum kind { SUM, MEAN, PROD, MAX, MIN, ANY, ALL };
double join(kind k, double a, double b)
{
    switch (k) {
    case PROD:
        return a * b;
    case MAX:
        return std::max(a, b);
    case MIN:
        return std::min(a, b);
    case ANY:
        return a != 0 || b != 0;
    case ALL:
        return a != 0 && b != 0;
    default:
        return a + b;
    }
}
template <class T>
std::vector<double> formula(kind k, const LocalTensor<T> &x, uint32_t first, uint32_t last,
                            bool is_last)
{
    std::vector<double> want;
    const uint32_t n = is_last ? last : first, outs = is_last ? first : last;
    for (uint32_t o = 0; o < outs; o++) {
        double all = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t row = is_last ? o : i, col = is_last ? i : o;
            const double v = double(float(x.GetValue(row * pitch<T>(last) + col)));
            all = i ? join(k, all, v) : v;
        }
        want.push_back(k == MEAN ? all / n : all);
    }
    return want;
}

#define CHECK(name, kind)                                                                          \
    {                                                                                              \
        name<T, Pattern::Reduce::AR>(y, x, b.tmp(), shape, true);                                  \
        expect_near(y, formula(kind, x, A, R, true), #name " AR", 1, 0);                           \
        name<T, Pattern::Reduce::RA, true>(y, x, b.tmp(), shape, true);                            \
        expect_near(y, formula(kind, x, A, R, false), #name " RA", 1, 0);                          \
        y.SetValue(0, T(77));                                                                      \
        name<T, Pattern::Reduce::RA>(y, x, shape, true);                                           \
        expect_near(y, formula(kind, x, A, R, false), #name " RA without space", 1, 0);            \
        expect_same(y[R], {77}, #name ": behind the results");                                     \
    }

template <class T> void check_extremes(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(A * pitch<T>(R)), y = b.some<T>(32);
        const uint32_t shape[] = {A, R};
        CHECK(ReduceMax, MAX)
        CHECK(ReduceMin, MIN)
    });
}
void check_floats(void **)
{
    run_well([] {
        using T = float;
        bench b;
        const LocalTensor<T> x = b.numbers<T>(A * pitch<T>(R)), y = b.some<T>(32);
        const uint32_t shape[] = {A, R};
        CHECK(ReduceSum, SUM)
        CHECK(ReduceMean, MEAN)
        CHECK(ReduceProd, PROD)
    });
}
template <class T> void check_logic(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.some<T>(A * pitch<T>(R)), y = b.some<T>(64);
        const uint32_t shape[] = {A, R};
        for (uint32_t r = 0; r < A; r++) /* rows of 0, of 1, and of both */
            for (uint32_t i = 0; i < pitch<T>(R); i++)
                x.SetValue(r * pitch<T>(R) + i, T(r == 0 ? 0 : r == 1 ? 1 : (i * r) % 3 == 0));
        CHECK(ReduceAny, ANY)
        CHECK(ReduceAll, ALL)
    });
}

void check_xor(void **)
{
    run_well([] {
        bench b;
        LocalTensor<int16_t> x = b.some<int16_t>(64), y = b.some<int16_t>(64);
        LocalTensor<int16_t> d = b.some<int16_t>(16);
        LocalTensor<uint8_t> tmp = b.tmp();
        const auto put = [&](int16_t a, int16_t c) {
            for (uint32_t i = 0; i < 64; i++) {
                x.SetValue(i, a);
                y.SetValue(i, c);
            }
        };
        put(5, 3); /* 5 ^ 3 = 6 */
        ReduceXorSum(d, x, y, tmp, 7);
        expect_same(d, {42, 77}, "ReduceXorSum");
        put(0x7fff, 0);
        ReduceXorSum(d, x, y, 64);
        expect_same(d, {32767}, "above");
        put(0x7fff, -1); /* -32768 */
        ReduceXorSum<int16_t>(d, x, y, 2);
        expect_same(d, {-32768}, "below");
    });
}

void check_sizes(void **)
{
    const TensorShape s({4, 100});
    uint32_t most = 0, least = 0, live = 0, extra = 0;
#define SIZE(name)                                                                                 \
    most = least = 0;                                                                              \
    name(s, ge::DT_FLOAT, ReducePattern::AR, true, false, most, least);                            \
    assert_true(least &&least == most) /* so say the pages */;
    SIZE(GetReduceSumMaxMinTmpSize)
    SIZE(GetReduceMeanMaxMinTmpSize)
    SIZE(GetReduceProdMaxMinTmpSize)
    SIZE(GetReduceMaxMaxMinTmpSize)
    SIZE(GetReduceMinMaxMinTmpSize)
    SIZE(GetReduceAnyMaxMinTmpSize)
    SIZE(GetReduceAllMaxMinTmpSize)
    GetSumMaxMinTmpSize(100, 4, false, most, least);
    assert_true(least && least == most);
    GetMeanMaxMinTmpSize(100, 2, 4, false, most, least);
    assert_true(least >= 400 && least == most);
    GetReduceXorSumMaxMinTmpSize(s, 2, false, most, least);
    assert_true(least && least == most);
    GetMeanTmpBufferFactorSize(4, live, extra);
    assert_true(live * 100 * 4 + extra >= 400);
}

void check_faults(void **)
{
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            const uint32_t shape[] = {2, 8};
            ReduceMax<float, Pattern::Reduce::AR>(x, x, shape, false);
        },
        NPU_E_ARG, {"ReduceMax", "srcInnerPad is false"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            SumParams p = {1, 8, 9};
            Sum(x, x, p);
        },
        NPU_E_ARG, {"Sum", "n is 9"});
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(check_sum<float>),      cmocka_unit_test(check_sum<half>),
        cmocka_unit_test(check_extremes<float>), cmocka_unit_test(check_extremes<half>),
        cmocka_unit_test(check_floats),          cmocka_unit_test(check_logic<float>),
        cmocka_unit_test(check_logic<uint8_t>),  cmocka_unit_test(check_xor),
        cmocka_unit_test(check_sizes),           cmocka_unit_test(check_faults),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

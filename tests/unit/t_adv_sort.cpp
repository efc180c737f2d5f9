/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_adv_sort.cpp - TopK, Sort and what goes with it, and Arange. Expected orders come from
 * std::stable_sort.
 */
#include "adv.hpp"

namespace {

/* Positions of n numbers, the largest (or smallest) first, NaN before all. */
std::vector<uint32_t> order(const std::vector<double> &x, bool smallest = false)
{
    std::vector<uint32_t> at(x.size());
    for (uint32_t i = 0; i < at.size(); i++)
        at[i] = i;
    std::stable_sort(at.begin(), at.end(), [&](uint32_t a, uint32_t b) {
        if (std::isnan(x[a]) || std::isnan(x[b]))
            return std::isnan(x[a]) && !std::isnan(x[b]);
        return smallest ? x[a] < x[b] : x[a] > x[b];
    });
    return at;
}

void expect_words(const LocalTensor<int32_t> &got, const std::vector<int64_t> &want,
                  const char *what)
{
    for (uint32_t i = 0; i < want.size(); i++)
        if (got.GetValue(i) != int32_t(want[i]))
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "%s: index %u is %d, expected %d", what, i,
                      got.GetValue(i), int32_t(want[i]));
}

template <class T, bool init, bool finish> void check_topk(void **)
{
    run_well([] {
        enum { ROWS = 3, N = 64, USED = 60, K = 5 };
        constexpr uint32_t kv = (K * sizeof(T) + 31) / 32 * 32 / sizeof(T), ki = 8;
        for (bool largest : {true, false}) {
            bench b;
            const LocalTensor<T> x = b.numbers<T>(ROWS * N), v = b.some<T>(ROWS * kv);
            const LocalTensor<int32_t> index = b.some<int32_t>(N), out = b.some<int32_t>(ROWS * ki);
            const LocalTensor<bool> done = b.some<bool>(32);
            x.SetValue(N + 7, T(float(NAN)));
            x.SetValue(N + 9, T(float(INFINITY)));
            x.SetValue(3, x.GetValue(2)); /* equal ones keep their order */
            for (uint32_t i = 0; i < N; i++)
                index.SetValue(i, int32_t(1000 + i));
            for (uint32_t r = 0; r < 32; r++)
                done.SetValue(r, r == 1);
            TopkTiling t;
            TopKInfo info;
            info.outter = ROWS;
            info.inner = N;
            info.n = USED;
            TopK<T, init, finish>(v, out, x, index, done, b.tmp(), K, t, info, largest);
            for (uint32_t r = 0; r < ROWS; r++) {
                const std::vector<double> all = values(x[r * N]);
                const std::vector<double> row(all.begin(), all.begin() + N);
                const std::vector<uint32_t> at = order(row, !largest);
                std::vector<double> want;
                std::vector<int64_t> places;
                for (uint32_t i = 0; i < K; i++) {
                    want.push_back(row[at[i]]);
                    places.push_back(finish && r == 1 ? int64_t(USED) : (init ? 1000 : 0) + at[i]);
                }
                expect_same(v[r * kv], want, "TopK");
                expect_words(out[r * ki], places, "TopK");
                if (v.GetValue(r * kv + K) != T(77))
                    npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "TopK wrote behind its k");
            }
            out.SetValue(0, -1);
            TopK<T, init, finish, false, TopKMode::TOPK_NORMAL>(v, out, x, index, done, K, t, info,
                                                                largest);
            if (out.GetValue(0) == -1)
                npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "TopK without space");
        }
    });
}

template <class T, bool init> void check_small(void **)
{
    run_well([] {
        enum { ROWS = 4, N = 32, K = 3 };
        bench b;
        const LocalTensor<T> x = b.numbers<T>(ROWS * N), v = b.some<T>(16);
        const LocalTensor<int32_t> index = b.some<int32_t>(ROWS * N), out = b.some<int32_t>(16);
        std::vector<double> want;
        std::vector<int64_t> places;
        for (uint32_t i = 0; i < ROWS * N; i++)
            index.SetValue(i, int32_t(7 * i));
        for (uint32_t r = 0; r < ROWS; r++) {
            const std::vector<double> all = values(x[r * N]);
            const std::vector<double> row(all.begin(), all.begin() + N);
            const std::vector<uint32_t> at = order(row);
            for (uint32_t i = 0; i < K; i++) {
                want.push_back(row[at[i]]);
                places.push_back(init ? 7 * (r * N + at[i]) : at[i]);
            }
        }
        TopKInfo info;
        info.outter = ROWS;
        info.inner = info.n = N;
        TopK<T, init, false, false, TopKMode::TOPK_NSMALL>(v, out, x, index, LocalTensor<bool>(),
                                                           b.tmp(), K, TopkTiling(), info);
        expect_same(v, want, "TopK, Small mode");
        expect_words(out, places, "TopK, Small mode");
    });
}

template <class T, bool full> void check_sort(void **)
{
    run_well([] {
        enum { REPEATS = 3, N = 32 * REPEATS, PART = full ? N : 32 };
        bench b;
        LocalTensor<T> x = b.numbers<T>(N), concat, tmp = b.some<T>(1024);
        const LocalTensor<T> sorted = b.some<T>(GetSortLen<T>(N) / sizeof(T)), v = b.some<T>(N);
        const LocalTensor<uint32_t> index = b.some<uint32_t>(N), out = b.some<uint32_t>(N);
        x.SetValue(40, x.GetValue(39));
        for (uint32_t i = 0; i < N; i++)
            index.SetValue(i, 500 + i);
        Concat(concat, x, tmp, N / 16); /* no memory of its own */
        Sort<T, full>(sorted, concat, index, tmp, REPEATS);
        const uint32_t second = GetSortOffset<T>(1) / sizeof(T);
        Extract(v, out, sorted, REPEATS);
        if (sorted.GetValue(second) != v.GetValue(1))
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "GetSortOffset");
        const std::vector<double> all = values(x);
        for (uint32_t p = 0; p < N; p += PART) {
            const std::vector<double> part(all.begin() + p, all.begin() + p + PART);
            const std::vector<uint32_t> at = order(part);
            std::vector<double> want;
            std::vector<int64_t> places;
            for (uint32_t i = 0; i < PART; i++) {
                want.push_back(part[at[i]]);
                places.push_back(500 + p + at[i]);
            }
            expect_same(v[p], want, "Sort");
            expect_words(out[p].template ReinterpretCast<int32_t>(), places, "Sort");
        }
        LocalTensor<T> other = b.some<T>(N); /* memory of its own */
        Concat(other, x, tmp, 2);
        expect_same(other, std::vector<double>(all.begin(), all.begin() + 32), "Concat");
        expect_same(other[32], {77}, "behind Concat");
    });
}

/* Two sorted queues become one; the form that hands the lengths back. */
template <class T> void check_merge(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(64), v = b.some<T>(64);
        LocalTensor<T> tmp = b.some<T>(16);
        const LocalTensor<T> parts = b.some<T>(512 / sizeof(T)), all = b.some<T>(512 / sizeof(T));
        const LocalTensor<uint32_t> index = b.some<uint32_t>(64), out = b.some<uint32_t>(64);
        for (uint32_t i = 0; i < 64; i++)
            index.SetValue(i, i);
        Sort<T, false>(parts, x, index, tmp, 2);
        MrgSortSrcList<T> list;
        list.src1 = parts;
        list.src2 = parts[GetSortOffset<T>(32) / sizeof(T)];
        const uint16_t lengths[4] = {32, 32, 0, 0};
        uint32_t sorted[4] = {9, 9, 9, 9};
        MrgSort<T>(all, list, lengths, sorted, 3, 1);
        Extract(v, out, all, 2);
        const std::vector<double> values_of_x = values(x);
        std::vector<double> want;
        for (uint32_t i : order(values_of_x))
            want.push_back(values_of_x[i]);
        expect_same(v, want, "MrgSort");
        MrgSort<T, true>(all, list, lengths, sorted, 3, 1);
        if ((sorted[0] != 32 && sorted[1] != 32) || sorted[0] + sorted[1] < 32)
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "MrgSort has taken %u and %u", sorted[0],
                      sorted[1]);
    });
}

template <class T> void check_arange(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.some<T>(100);
        std::vector<double> want;
        for (int i = 0; i < 99; i++)
            want.push_back(-5 + 3 * i);
        Arange<T>(x, T(-5), T(3), 99);
        expect_same(x, want, "Arange");
        expect_same(x[99], {77}, "behind Arange");
        ArithProgression<T>(x, T(2), T(0), 1);
        expect_same(x, {2}, "ArithProgression");
    });
}

void check_plans(void **)
{
    const platform_ascendc::PlatformAscendC chip(nullptr);
    const TensorShape s({64});
    uint32_t most = 0, least = 0;
    optiling::TopkTiling t;
    tiling::TopkTiling plain;
    const TopKMode normal = TopKMode::TOPK_NORMAL, small = TopKMode::TOPK_NSMALL;

    assert_true(GetTopKMaxMinTmpSize(chip, 64, 2, false, true, normal, true, 4, most, least));
    assert_true(least && least <= most);
    assert_false(GetTopKMaxMinTmpSize(chip, 60, 2, false, true, normal, true, 4, most, least));
    assert_false(GetTopKMaxMinTmpSize(chip, 64, 2, false, true, small, true, 4, most, least));
    assert_true(GetTopKMaxMinTmpSize(64, 2, 3, false, true, normal, true, ge::DT_FLOAT,
                                     defaultTopKConfig, most, least));
    assert_true(TopKTilingFunc(chip, 64, 2, 3, 4, true, normal, true, t));
    assert_int_equal(t.get_allDataSize(), 128);
    assert_true(TopKTilingFunc(chip, 64, 2, 3, 4, true, normal, true, plain));
    assert_int_equal(plain.innerDataSize, 64);
    assert_false(TopKTilingFunc(chip, 64, 2, 65, 4, true, normal, true, t));
    assert_true(GetSortTmpSize(chip, 64, 4) >= 64 * 8);
    assert_int_equal(GetConcatTmpSize(chip, 64, 4), 0);
    GetSortMaxMinTmpSize(s, ge::DT_FLOAT, ge::DT_UINT32, false, DEFAULT_SORT_CONFIG, most, least);
    assert_true(least && least <= most);
    GetArangeMaxMinTmpSize(most, least); /* documented: nothing */
    assert_int_equal(most + least, 0);
    most = least = 1;
    GetArithProgressionMaxMinTmpSize(most, least);
    assert_int_equal(most + least, 0);
}

void check_faults(void **)
{
    const auto top = [](int32_t inner, int32_t n, int32_t k) {
        return [=] {
            bench b;
            const LocalTensor<float> x = b.some<float>(256);
            const LocalTensor<int32_t> i = b.some<int32_t>(256);
            TopKInfo info;
            info.inner = inner;
            info.n = n;
            TopK<float>(x, i, x, i, LocalTensor<bool>(), k, TopkTiling(), info);
        };
    };
    run_fails(top(48, 48, 3), NPU_E_ARG, {"TopK", "inner 48", "multiple of 32"});
    run_fails(top(64, 60, 61), NPU_E_ARG, {"TopK", "k is 61, n 60"});
    run_fails(top(64, 64, 0), NPU_E_ARG, {"TopK", "k is 0"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            Extract(x, x.ReinterpretCast<uint32_t>(), x, 256);
        },
        NPU_E_ARG, {"Extract", "256"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            Arange(x, 0.0f, 1.0f, 0);
        },
        NPU_E_ARG, {"Arange", "count is 0"});
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test((check_topk<float, false, false>)),
        cmocka_unit_test((check_topk<float, true, true>)),
        cmocka_unit_test((check_topk<half, true, false>)),
        cmocka_unit_test((check_topk<half, false, true>)),
        cmocka_unit_test((check_small<float, true>)),
        cmocka_unit_test((check_small<half, true>)),
        cmocka_unit_test((check_small<half, false>)),
        cmocka_unit_test((check_sort<float, true>)),
        cmocka_unit_test((check_sort<float, false>)),
        cmocka_unit_test((check_sort<half, true>)),
        cmocka_unit_test((check_sort<half, false>)),
        cmocka_unit_test(check_merge<float>),
        cmocka_unit_test(check_merge<half>),
        cmocka_unit_test(check_arange<float>),
        cmocka_unit_test(check_arange<half>),
        cmocka_unit_test(check_arange<int16_t>),
        cmocka_unit_test(check_arange<int32_t>),
        cmocka_unit_test(check_plans),
        cmocka_unit_test(check_faults),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

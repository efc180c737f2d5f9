/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_adv_softmax.cpp - SoftMax and its relatives against the formulas of their pages, in double.
 */
#include "adv.hpp"

namespace {

enum { M = 5, K = 64, USED = 50 };

/* Element k of row r in the format of the call. */
uint32_t at(bool nz, uint32_t r, uint32_t k)
{
    return nz ? k / 16 * M * 16 + r * 16 + k % 16 : r * K + k;
}

struct soft {
    std::vector<double> y, sum, max, factor, reduced; /* y as the call lays it, the others a row */
};

/* The formulas; in_sum and in_max empty: no update. */
soft formula(const std::vector<double> &x, uint32_t used, bool nz,
             const std::vector<double> &in_sum, const std::vector<double> &in_max, bool divides)
{
    soft s;
    s.y.resize(M * K);
    for (uint32_t r = 0; r < M; r++) {
        double top = -INFINITY, sum = 0, factor = 0;
        for (uint32_t k = 0; k < used; k++)
            top = std::max(top, x[at(nz, r, k)]);
        s.reduced.push_back(top);
        if (!in_max.empty()) {
            top = std::max(top, in_max[r]);
            factor = std::exp(in_max[r] - top);
        }
        for (uint32_t k = 0; k < used; k++)
            sum += std::exp(x[at(nz, r, k)] - top);
        if (!in_sum.empty())
            sum += factor * in_sum[r];
        for (uint32_t k = 0; k < K; k++)
            s.y[at(nz, r, k)] = std::exp(x[at(nz, r, k)] - top) / (divides ? sum : 1);
        s.sum.push_back(sum);
        s.max.push_back(top);
        s.factor.push_back(factor);
    }
    return s;
}

/* Each number of a row, n times. */
std::vector<double> wide(const std::vector<double> &rows, size_t n)
{
    std::vector<double> v;
    for (double x : rows)
        v.insert(v.end(), n, x);
    return v;
}
template <class U> constexpr size_t blk = 32 / sizeof(U);

template <class U> LocalTensor<U> column(bench &b, const std::vector<double> &rows, size_t n)
{
    LocalTensor<U> t = b.some<U>(rows.size() * n);
    for (uint32_t i = 0; i < rows.size() * n; i++)
        t.SetValue(i, U(float(rows[i / n])));
    return t;
}

SoftMaxTiling plan()
{
    SoftMaxTiling t;
    SoftMaxTilingFunc(TensorShape({M, K}), sizeof(float),
                      GetSoftMaxMinTmpSize(TensorShape({M, K}), sizeof(float), false), t);
    return t;
}

constexpr SoftmaxConfig fixed_shape = {true, M, K};
constexpr SoftmaxConfig narrow = {false, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};
const SoftMaxShapeInfo shape = {M, K, M, USED};

template <class T, class U, bool nz> void check_softmax(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(M * K), y = b.some<T>(M * K);
        const LocalTensor<U> sum = b.some<U>(M * blk<U>), max = b.some<U>(M * blk<U>);
        const soft want = formula(values(x), USED, nz, {}, {}, true);
        const SoftMaxTiling t = plan();
        const auto check = [&](const char *what) {
            expect_near(y, want.y, what);
            expect_near(sum, wide(want.sum, blk<U>), what);
            expect_same(max, wide(want.max, blk<U>), what);
            for (uint32_t i = 0; i < M * K; i++)
                y.SetValue(i, T(77));
        };
        SoftMax<T, false, false, nz>(y, sum, max, x, b.tmp(), t, shape);
        check("SoftMax");
        SoftMax<T, false, false, nz>(y, sum, max, x, t, shape);
        check("SoftMax without space");
        SoftMax<T, false, false, nz, fixed_shape>(y, sum, max, x, b.tmp(), t, shape);
        expect_near(y, formula(values(x), K, nz, {}, {}, true).y, "SoftMax of a constant shape");
        SoftMax<T, false, false, nz>(y, sum, max, x, t, shape);
        SimpleSoftMax<T, false, false, nz>(y, sum, max, x, b.tmp(), t, shape);
        expect_near(y, want.y, "SimpleSoftMax", sizeof(U) == 2 ? 12 : 4);
        SimpleSoftMax<T, false, false, nz>(y, sum, max, x, t, shape);
        expect_near(y, want.y, "SimpleSoftMax without space", sizeof(U) == 2 ? 12 : 4);
        SoftMax<T, false, false, nz>(x, sum, max, x, t, shape); /* in place */
        expect_near(x, want.y, "SoftMax in place");
    });
}

/* Without sum and max; the plan gives the shape when the call does not. */
template <class T> void check_short(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(M * K), y = b.some<T>(M * K);
        const SoftMaxTiling t = plan();
        SoftMax<T>(y, x, t);
        expect_near(y, formula(values(x), K, false, {}, {}, true).y, "SoftMax of the plan");
        SoftMax<T, false, false, fixed_shape>(y, x, b.tmp(), t);
        expect_near(y, formula(values(x), K, false, {}, {}, true).y, "SoftMax of a constant");
    });
}

/* With a maximum of 0 and a sum of 1 the result is e ^ x, from subnormals to infinity. */
void check_exponential(void **)
{
    run_well([] {
        enum { N = 4096 };
        bench b;
        const LocalTensor<float> x = b.some<float>(N), y = b.some<float>(N);
        const LocalTensor<float> sum = column<float>(b, {1}, 8), max = column<float>(b, {0}, 8);
        std::vector<double> want;
        for (uint32_t i = 0; i < N; i++) {
            x.SetValue(i, i ? -110.0f + 0.05f * float(i) : -INFINITY);
            const double e = std::exp(double(x.GetValue(i)));
            want.push_back(e > 3.4028235677973366e38 ? double(INFINITY) : e);
        }
        SimpleSoftMax<float>(y, sum, max, x, SoftMaxTiling(), {1, N, 1, N});
        expect_near(y, want, "the exponential", 2, 1.5e-45);
    });
}

/* The last row is all of one number: each result is 1 / K; and NaN stays in its row. */
void check_special_rows(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<float> x = b.numbers<float>(M * K), y = b.some<float>(M * K);
        for (uint32_t k = 0; k < K; k++)
            x.SetValue((M - 1) * K + k, 1000.0f);
        x.SetValue(3, NAN);
        std::vector<double> want = formula(values(x), K, false, {}, {}, true).y;
        for (uint32_t k = 0; k < K; k++)
            want[k] = NAN;
        SoftMax<float>(y, x, plan());
        expect_near(y, want, "special rows");
        if (y.GetValue(M * K - 1) != 1.0f / K)
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "a row of equal numbers");
    });
}

template <class T, class U, bool nz, bool update> void check_flash(void **)
{
    run_well([] {
        bench b;
        const std::vector<double> in_sum = {1, 2, 3.5, 4, 60}, in_max = {-8, 0.5, 3, 8, 2};
        const LocalTensor<T> x = b.numbers<T>(M * K), y = b.some<T>(M * K);
        const LocalTensor<T> factor = b.some<T>(M * blk<T>);
        const LocalTensor<U> sum = b.some<U>(M * blk<U>), max = b.some<U>(M * blk<U>);
        const LocalTensor<U> s = column<U>(b, in_sum, blk<U>), m = column<U>(b, in_max, blk<U>);
        const std::vector<double> none;
        const SoftMaxTiling t = plan();
        soft want =
            formula(values(x), USED, nz, update ? in_sum : none, update ? in_max : none, false);
        const auto check = [&](const char *what) {
            expect_near(y, want.y, what);
            expect_near(sum, wide(want.sum, blk<U>), what);
            expect_same(max, wide(want.max, blk<U>), what);
            if (update)
                expect_near(factor, wide(want.factor, blk<T>), what);
            else
                expect_same(factor, std::vector<double>(M * blk<T>, 77), what);
        };
        SoftmaxFlashV2<T, update, false, false, nz>(y, sum, max, x, factor, s, m, b.tmp(), t,
                                                    shape);
        check("SoftmaxFlashV2");
        SoftmaxFlashV2<T, update, false, false, nz>(y, sum, max, x, factor, s, m, t, shape);
        check("SoftmaxFlashV2 without space");
        if constexpr (!nz) {
            const soft divided =
                formula(values(x), USED, nz, update ? in_sum : none, update ? in_max : none, true);
            want.y = divided.y;
            for (uint32_t r = 0; r < M; r++)
                want.factor[r] = want.factor[r] * in_sum[r] / want.sum[r];
            SoftmaxFlash<T>(y, sum, max, x, factor, s, m, b.tmp(), t, update, shape);
            check("SoftmaxFlash");
            SoftmaxFlash<T>(y, s, m, x, factor, s, m, t, update, shape); /* statistics in place */
            expect_near(s, wide(want.sum, blk<U>), "SoftmaxFlash in place");
        }
    });
}

/* One element a row, and the maximum of this part alone. */
template <class T, bool update> void check_narrow(void **)
{
    run_well([] {
        bench b;
        const std::vector<double> in_sum = {1, 2, 3.5, 4, 60}, in_max = {-8, 0.5, 3, 8, 2};
        const LocalTensor<T> x = b.numbers<T>(M * K), y = b.some<T>(M * K);
        const LocalTensor<T> factor = b.some<T>(M), sum = b.some<T>(M), max = b.some<T>(M);
        const LocalTensor<T> reduced = b.some<T>(M);
        const LocalTensor<T> s = column<T>(b, in_sum, 1), m = column<T>(b, in_max, 1);
        const std::vector<double> none;
        const SoftMaxTiling t = plan();
        const soft want =
            formula(values(x), USED, false, update ? in_sum : none, update ? in_max : none, false);
        SoftmaxFlashV2<T, update, false, false, false, narrow>(y, reduced, sum, max, x, factor, s,
                                                               m, b.tmp(), t, shape);
        expect_near(y, want.y, "narrow");
        expect_near(sum, want.sum, "narrow sum");
        expect_same(max, want.max, "narrow max");
        expect_same(reduced, update ? want.reduced : std::vector<double>(M, 77), "reduced max");
        if (update)
            expect_near(factor, want.factor, "narrow factor");
        SoftmaxFlashV2<T, update, false, false, false, narrow>(y, sum, max, x, factor, s, m, t,
                                                               shape);
        expect_near(sum, want.sum, "narrow sum again");
        /* Any other mode of this form is documented to do nothing. */
        y.SetValue(0, T(77));
        SoftmaxFlashV2<T, update>(y, reduced, sum, max, x, factor, s, m, t, shape);
        SoftmaxFlashV2<T, update>(y, reduced, sum, max, x, factor, s, m, b.tmp(), t, shape);
        expect_same(y[0], {77}, "nothing");
    });
}

/* N: up to 512 columns the eight parts are eight runs; of wider rows the page sums the k-th 64 of
 * the first 512 and the k-th 8 of each further 64. */
template <bool update, int N> void check_flash3(void **)
{
    run_well([] {
        enum { ROWS = 8, PARTS = 8, LOOP = 3 };
        const float alpha = 0.9375f;
        const double shift = alpha / (1.0 - alpha);
        bench b;
        const LocalTensor<half> x = b.numbers<half>(ROWS * N), y = b.some<half>(ROWS * N);
        const LocalTensor<half> factor = b.some<half>(ROWS * 16);
        LocalTensor<float> out[3], in[3]; /* mean, sum, max */
        std::vector<double> w[5], in_values[3];
        for (int k = 0; k < 3; k++) {
            out[k] = b.some<float>(ROWS * 8);
            for (int r = 0; r < ROWS; r++)
                in_values[k].push_back(k == 0 ? 0.25 * r - 1 : k == 1 ? 10 + r : 2.5 + r);
            in[k] = column<float>(b, in_values[k], 8);
        }
        for (int r = 0; r < ROWS; r++) {
            std::vector<double> row(N);
            double mean = 0, top = -INFINITY, sum = 0, now = 0, before = 0;
            for (int k = 0; k < N; k++)
                mean += (row[k] = float(x.GetValue(r * N + k))) / N;
            const std::vector<double> from = row;
            for (int p = 0; p < PARTS; p++) {
                double part = 0;
                for (int k = 0; k < N; k++)
                    if (N <= 512 ? k / (N / PARTS) == p : k < 512 ? k / 64 == p : k % 64 / 8 == p)
                        part += from[k] / (N / PARTS);
                for (int k = 0; k < N / PARTS; k++)
                    row[p * N / PARTS + k] -= (mean - part) * shift;
            }
            for (double v : row)
                top = std::max(top, v);
            double all = mean;
            if (update) {
                all = (mean + in_values[0][r] * (LOOP - 1)) / LOOP;
                now = (mean - all) * shift;
                before = (in_values[0][r] - all) * shift;
                top = std::max(now + top, before + in_values[2][r]);
            }
            for (double v : row) {
                w[0].push_back(std::exp(v - (top - now)));
                sum += w[0].back();
            }
            const double f = std::exp(in_values[2][r] - top + before);
            w[1].push_back(all);
            w[2].push_back(update ? sum + f * in_values[1][r] : sum);
            w[3].push_back(top);
            w[4].push_back(f);
        }
        const SoftMaxParams p = {ROWS, N, ROWS, N, LOOP, PARTS, alpha};
        SoftmaxFlashV3<half, float, update>(y, out[0], out[1], out[2], x, factor, in[0], in[1],
                                            in[2], b.tmp(), SoftMaxTiling(), p);
        expect_near(y, w[0], "SoftmaxFlashV3", 4, 1e-4);
        expect_near(out[0], wide(w[1], 8), "mean", 8, 1e-5);
        expect_near(out[1], wide(w[2], 8), "sum", 64, 1e-4);
        expect_near(out[2], wide(w[3], 8), "max", 8, 1e-5);
        if (update)
            expect_near(factor, wide(w[4], 16), "factor", 4, 1e-4);
        SoftmaxFlashV3<half, float, update>(x, in[0], in[1], in[2], x, factor, in[0], in[1], in[2],
                                            SoftMaxTiling(), p);
        expect_near(x, w[0], "SoftmaxFlashV3 in place", 4, 1e-4);
        expect_near(in[1], wide(w[2], 8), "sum in place", 64, 1e-4);
    });
}

template <class T, bool nz> void check_grad(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> grad = b.numbers<T>(M * K, 2), y = b.numbers<T>(M * K, 3);
        const LocalTensor<T> out = b.some<T>(M * K), front = b.some<T>(M * blk<T>);
        const std::vector<double> g = values(grad), v = values(y);
        std::vector<double> sums(M), want(M * K);
        const SoftMaxTiling t = plan();
        for (uint32_t r = 0; r < M; r++) {
            for (uint32_t k = 0; k < USED; k++)
                sums[r] += g[at(nz, r, k)] * v[at(nz, r, k)];
            for (uint32_t k = 0; k < K; k++)
                want[at(nz, r, k)] = (g[at(nz, r, k)] - sums[r]) * v[at(nz, r, k)];
        }
        SoftmaxGradFront<T, false, nz>(front, grad, y, b.tmp(), t, shape);
        expect_near(front, wide(sums, blk<T>), "SoftmaxGradFront", 4, 1e-4);
        SoftmaxGradFront<T, false, nz>(front, grad, y, t, shape);
        expect_near(front, wide(sums, blk<T>), "SoftmaxGradFront without space", 4, 1e-4);
        SoftmaxGrad<T, false, nz>(front, grad, y, t, true, shape);
        expect_near(front, wide(sums, blk<T>), "SoftmaxGrad, front", 4, 1e-4);
        SoftmaxGrad<T, false, nz>(out, grad, y, b.tmp(), t, false, shape);
        expect_near(out, want, "SoftmaxGrad", 4, 1e-3);
        SoftmaxGrad<T, false, nz>(y, grad, y, t, false, shape); /* in place */
        expect_near(y, want, "SoftmaxGrad in place", 4, 1e-3);
    });
}

template <class T, bool nz> void check_log(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(M * K), y = b.some<T>(M * K);
        const LocalTensor<T> sum = b.some<T>(M * blk<T>), max = b.some<T>(M * blk<T>);
        soft want = formula(values(x), USED, nz, {}, {}, true);
        LogSoftMaxTiling t;
        LogSoftMaxTilingFunc(TensorShape({M, K}), sizeof(T), 1024, t);
        for (double &v : want.y)
            v = std::log10(v);
        LogSoftMax<T, false, nz>(y, sum, max, x, b.tmp(), t, shape);
        expect_near(y, want.y, "LogSoftMax");
        expect_near(sum, wide(want.sum, blk<T>), "sum");
        expect_same(max, wide(want.max, blk<T>), "max");
    });
}

template <class T, class U, bool nz> void check_adjust(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(M * K);
        std::vector<double> want = values(x);
        const LocalTensor<U> max = column<U>(b, {1, 2, 1, 3, 1.5}, blk<U>);
        const uint32_t one = uint32_t(nputwin::bits_of(U(1.0f)));
        if (!AdjustSoftMaxRes<T, U, nz>(x, max, one, T(0.5f), shape))
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "AdjustSoftMaxRes has found nothing");
        for (uint32_t r : {0u, 2u})
            for (uint32_t k = 0; k < K; k++)
                want[at(nz, r, k)] = 0.5;
        expect_same(x, want, "AdjustSoftMaxRes");
        if (AdjustSoftMaxRes<T, U, nz>(x, max, 12345, T(9.0f), shape))
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "AdjustSoftMaxRes has found something");
        if constexpr (!nz) {
            const LocalTensor<U> each = column<U>(b, {3, 1, 2, 2, 2}, 1);
            if (!AdjustSoftMaxRes<T, U, false, 1>(x, each, one, T(0.25f), shape))
                npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "step 1 has found nothing");
            std::fill(want.begin() + K, want.begin() + 2 * K, 0.25);
            expect_same(x, want, "AdjustSoftMaxRes, each element");
        }
    });
}

/* ---- sizes, plans, faults ---------------------------------------------------------------------
 */

template <class Plan> void check_plans_of()
{
    const TensorShape s({2, 4, 128});
    Plan t;
    SoftMaxTilingFunc(s, 2, 256, t);
    assert_true(IsBasicBlockInSoftMax(t, 2));
    SoftMaxFlashTilingFunc(s, 4, 256, t, true);
    SoftMaxGradTilingFunc(s, 4, 256, t, true);
    SoftMaxFlashV2TilingFunc(s, 2, 4, 256, t, true, false, true);
    SoftMaxFlashV3TilingFunc(s, 2, 4, 256, t, true);
    assert_true(IsBasicBlockInSoftMax(t, 4));
    SoftMaxTilingFunc(TensorShape({7, 128}), 4, 256, t);
    assert_false(IsBasicBlockInSoftMax(t, 4));
    SoftMaxTilingFunc(TensorShape({8, 2048}), 4, 256, t);
    assert_false(IsBasicBlockInSoftMax(t, 4));
}

void check_plans(void **)
{
    check_plans_of<optiling::SoftMaxTiling>();
    check_plans_of<tiling::SoftMaxTiling>();
    const TensorShape s({8, 100});
    uint32_t most = 0, least = 0;
    GetSoftMaxFlashV3MaxMinTmpSize(s, 2, 4, most, least, true);
    assert_true(least > 0 && least <= most);
    assert_true(GetSoftMaxMinTmpSize(s, 4, false) <= GetSoftMaxMaxTmpSize(s, 4, false));
    assert_true(GetSoftMaxFlashMinTmpSize(s, 4, true, false) <=
                GetSoftMaxFlashMaxTmpSize(s, 4, true, false));
    assert_true(GetSoftMaxFlashV2MinTmpSize(s, 2, 4, true) <=
                GetSoftMaxFlashV2MaxTmpSize(s, 2, 4, true));
    assert_true(GetSoftMaxGradMinTmpSize(s, 4, true, false) <=
                GetSoftMaxGradMaxTmpSize(s, 4, true, false));
    assert_true(GetLogSoftMaxMinTmpSize(s, 4, false) <= GetLogSoftMaxMaxTmpSize(s, 4, false));
    optiling::LogSoftMaxTiling log;
    LogSoftMaxTilingFunc(s, 4, 256, log);
    assert_int_equal(log.get_srcK(), 100);
}

void check_faults(void **)
{
    const auto rows_of = [](uint32_t m, uint32_t k, uint32_t used) {
        return [=] {
            bench b;
            const LocalTensor<float> x = b.numbers<float>(M * K);
            SoftMax<float>(x, x, SoftMaxTiling(), {m, k, m, used});
        };
    };
    run_fails(rows_of(M, 60, 60), NPU_E_ARG, {"SoftMax", "[5, 60]", "32 bytes"});
    run_fails(rows_of(0, 0, 0), NPU_E_ARG, {"SoftMax", "at least one row"});
    run_fails(rows_of(M, K, K + 1), NPU_E_ARG, {"SoftMax", "65 of 64 columns"});
    run_fails(rows_of(1000, 64, 64), NPU_E_RANGE, {"SoftMax", "dst", "256000 bytes"});
    run_fails(
        [] {
            const LocalTensor<float> x(TPosition::VECCALC, 4, 64);
            SoftMax<float>(x, x, SoftMaxTiling(), {1, 64, 1, 64});
        },
        NPU_E_ALIGN, {"SoftMax", "byte 4"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<half> x = b.numbers<half>(512);
            const LocalTensor<float> s = b.some<float>(8);
            SoftmaxFlashV3<half, float>(x, s, s, s, x, x, s, s, s, SoftMaxTiling(),
                                        {1, 512, 1, 512, 0, 8, 0.5f});
        },
        NPU_E_ARG, {"SoftmaxFlashV3", "loopCnt 0"});
}

/* Every byte range is declared: a read of dst or of the temporary space counts as written. */
void check_accesses(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<float> x = b.numbers<float>(64), y = b.some<float>(64);
        nputwin::softmax_call<float> c(ROWS_SoftMax, {1, 64, 1, 64}, false, false, false, NPU_HERE);
        (void)c;
        npu_rows r = {};
        npu_insn in = {};
        uint64_t seen[4] = {0, 0, 0, 0};
        r.fn = ROWS_SoftMax;
        r.n_dst = r.n_src = 1;
        r.dst[0] = uint32_t(y.GetPhyAddr() - uint64_t(uintptr_t(npu_self()->mem[MEM_UB].base)));
        r.src[0] = uint32_t(x.GetPhyAddr() - uint64_t(uintptr_t(npu_self()->mem[MEM_UB].base)));
        r.dst_bytes[0] = r.src_bytes[0] = 256;
        in.kind = KIND_OP;
        in.op = OP_vrows;
        in.type = in.dst_type = TYPE_f32;
        in.rows = &r;
        npu_insn_accesses(
            npu_self(), &in,
            [](void *to, npu_mem, uint64_t, uint32_t bytes, npu_use use) {
                static_cast<uint64_t *>(to)[use] += bytes;
            },
            seen);
        if (seen[USE_R] != 256 || seen[USE_W] != 256 || seen[USE_U] != 0)
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "read %llu, written %llu",
                      (unsigned long long)seen[USE_R], (unsigned long long)seen[USE_W]);
    });
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test((check_softmax<float, float, false>)),
        cmocka_unit_test((check_softmax<float, float, true>)),
        cmocka_unit_test((check_softmax<half, half, false>)),
        cmocka_unit_test((check_softmax<half, half, true>)),
        cmocka_unit_test((check_softmax<half, float, false>)),
        cmocka_unit_test((check_softmax<half, float, true>)),
        cmocka_unit_test(check_short<float>),
        cmocka_unit_test(check_short<half>),
        cmocka_unit_test(check_exponential),
        cmocka_unit_test(check_special_rows),
        cmocka_unit_test((check_flash<float, float, false, false>)),
        cmocka_unit_test((check_flash<float, float, false, true>)),
        cmocka_unit_test((check_flash<float, float, true, true>)),
        cmocka_unit_test((check_flash<half, half, false, true>)),
        cmocka_unit_test((check_flash<half, float, false, false>)),
        cmocka_unit_test((check_flash<half, float, false, true>)),
        cmocka_unit_test((check_flash<half, float, true, true>)),
        cmocka_unit_test((check_narrow<float, false>)),
        cmocka_unit_test((check_narrow<float, true>)),
        cmocka_unit_test((check_narrow<half, true>)),
        cmocka_unit_test((check_flash3<false, 512>)),
        cmocka_unit_test((check_flash3<true, 512>)),
        cmocka_unit_test((check_flash3<true, 1024>)),
        cmocka_unit_test((check_grad<float, false>)),
        cmocka_unit_test((check_grad<float, true>)),
        cmocka_unit_test((check_grad<half, false>)),
        cmocka_unit_test((check_grad<half, true>)),
        cmocka_unit_test((check_log<float, false>)),
        cmocka_unit_test((check_log<float, true>)),
        cmocka_unit_test((check_log<half, false>)),
        cmocka_unit_test((check_adjust<float, float, false>)),
        cmocka_unit_test((check_adjust<float, float, true>)),
        cmocka_unit_test((check_adjust<half, float, false>)),
        cmocka_unit_test((check_adjust<float, half, false>)),
        cmocka_unit_test((check_adjust<half, half, false>)),
        cmocka_unit_test(check_plans),
        cmocka_unit_test(check_faults),
        cmocka_unit_test(check_accesses),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

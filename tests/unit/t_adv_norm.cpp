/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_adv_norm.cpp - LayerNorm and its relatives against the formulas of their pages, in double.
 */
#include "adv.hpp"

namespace {

enum { B = 2, S = 3, ROWS = B * S, H = 64, USED = 50 };
constexpr double EPS = 0.0078125; /* the same in half */

struct stats {
    std::vector<double> y, mean, variance;
};

/* Rows of `used` in h columns; gamma and beta may be empty. */
stats formula(const std::vector<double> &x, size_t rows, size_t h, size_t used,
              const std::vector<double> &gamma, const std::vector<double> &beta)
{
    stats s;
    for (size_t r = 0; r < rows; r++) {
        double mean = 0, variance = 0;
        for (size_t k = 0; k < used; k++)
            mean += x[r * h + k] / double(used);
        for (size_t k = 0; k < used; k++)
            variance += (x[r * h + k] - mean) * (x[r * h + k] - mean) / double(used);
        for (size_t k = 0; k < h; k++) {
            const double v = (x[r * h + k] - mean) / std::sqrt(variance + EPS);
            s.y.push_back(v * (gamma.empty()      ? 1
                               : k < gamma.size() ? gamma[k]
                                                  : 0) +
                          (beta.empty()      ? 0
                           : k < beta.size() ? beta[k]
                                             : 0));
        }
        s.mean.push_back(mean);
        s.variance.push_back(variance);
    }
    return s;
}
std::vector<double> reciprocal(const std::vector<double> &variance)
{
    std::vector<double> r;
    for (double v : variance)
        r.push_back(1 / std::sqrt(v + EPS));
    return r;
}

LayerNormTiling layer_plan()
{
    LayerNormTiling t;
    GetLayerNormNDTilingInfo(TensorShape({B, S, H, USED}), 4096, 4, false, t);
    return t;
}

template <class T> void check_layer(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(ROWS * H), y = b.some<T>(ROWS * H);
        const LocalTensor<T> mean = b.some<T>(ROWS), variance = b.some<T>(ROWS);
        const LocalTensor<T> gamma = b.numbers<T>(H, 2), beta = b.numbers<T>(H, 3);
        const stats want = formula(values(x), ROWS, H, USED, values(gamma), values(beta));
        LayerNormTiling t = layer_plan();
        LayerNorm<T, false>(y, mean, variance, x, gamma, beta, b.tmp(), T(float(EPS)), t);
        expect_near(y, want.y, "LayerNorm", 4, 1e-5);
        expect_near(mean, want.mean, "mean");
        expect_near(variance, want.variance, "variance");
        LayerNorm<T>(x, mean, variance, x, gamma, beta, T(float(EPS)), t); /* in place */
        expect_near(x, want.y, "LayerNorm in place", 4, 1e-5);
    });
}

constexpr LayerNormConfig plain_cfg = {true, true, false, true};
constexpr LayerNormConfig variance_cfg = {false, false, false, false};
constexpr NormalizeConfig plain_norm = {ReducePattern::AR, -1, true, true, false};

template <class T, class U> void check_rstd(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(ROWS * H), y = b.some<T>(ROWS * H);
        const LocalTensor<float> mean = b.some<float>(ROWS), rstd = b.some<float>(ROWS);
        const LocalTensor<float> variance = b.some<float>(ROWS);
        const LocalTensor<U> gamma = b.numbers<U>(USED, 2), beta = b.numbers<U>(USED, 3);
        const stats want = formula(values(x), ROWS, H, USED, values(gamma), values(beta));
        const stats plain = formula(values(x), ROWS, H, USED, {}, {});
        const LayerNormPara p = {ROWS, USED, H};
        LayerNormSeparateTiling t;
        GetLayerNormNDTilingInfo(TensorShape({ROWS, USED}), 4096, 4, false, true, t);
        LayerNorm<U, T>(y, mean, rstd, x, gamma, beta, float(EPS), b.tmp(), p, t);
        expect_near(y, want.y, "LayerNorm", 4, 1e-5);
        expect_near(mean, want.mean, "mean");
        expect_near(rstd, reciprocal(want.variance), "rstd");
        LayerNorm<U, T, false, plain_cfg>(y, mean, rstd, x, gamma, beta, float(EPS), p, t);
        expect_near(y, plain.y, "LayerNorm without gamma and beta", 4, 1e-5);
        LayerNorm<U, T, false, variance_cfg>(y, mean, variance, x, gamma, beta, float(EPS), p, t);
        expect_near(variance, want.variance, "variance");
        const NormalizePara n = {ROWS, USED, H};
        Normalize<U, T>(y, rstd, mean, variance, x, gamma, beta, b.tmp(), float(EPS), n);
        expect_near(y, want.y, "Normalize", 4, 1e-5);
        expect_near(rstd, reciprocal(want.variance), "rstd of Normalize");
        Normalize<U, T, false, plain_norm>(y, rstd, mean, variance, x, gamma, beta, float(EPS), n);
        expect_near(y, plain.y, "Normalize without gamma and beta", 4, 1e-5);
    });
}

template <class T> void check_deep(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(ROWS * H), gx = b.numbers<T>(ROWS * H, 4);
        const LocalTensor<T> y = b.some<T>(ROWS * H), mean = b.some<T>(ROWS);
        const LocalTensor<T> variance = b.some<T>(ROWS);
        const LocalTensor<T> gamma = b.numbers<T>(H, 2), beta = b.numbers<T>(H, 3);
        std::vector<double> sum = values(x);
        const std::vector<double> g = values(gx);
        for (size_t i = 0; i < sum.size(); i++)
            sum[i] = 0.375 * sum[i] + g[i];
        const stats want = formula(sum, ROWS, H, USED, values(gamma), values(beta));
        DeepNormTiling t;
        const TensorShape s({B, S, H}), used({B, S, USED});
        uint32_t most = 0, least = 0;
        if (!GetDeepNormMaxMinTmpSize(s, sizeof(T), false, false, most, least) ||
            !GetDeepNormTilingInfo(s, used, least, sizeof(T), false, false, t))
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "no plan");
        const T alpha = T(0.375f), eps = T(float(EPS));
        DeepNorm<T>(y, mean, variance, x, gx, beta, gamma, b.tmp(), alpha, eps, t);
        expect_near(y, want.y, "DeepNorm", 8, 1e-5);
        expect_near(mean, want.mean, "mean");
        expect_near(variance, want.variance, "variance");
        DeepNorm<T, true>(x, mean, variance, x, gx, beta, gamma, alpha, eps, t);
        expect_near(x, want.y, "DeepNorm in place", 8, 1e-5);
    });
}

template <class T> void check_rms(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> x = b.numbers<T>(ROWS * H), y = b.some<T>(ROWS * H);
        const LocalTensor<T> gamma = b.numbers<T>(H, 2);
        const std::vector<double> v = values(x), g = values(gamma);
        std::vector<double> want;
        for (size_t r = 0; r < ROWS; r++) {
            double sum = 0;
            for (size_t k = 0; k < USED; k++)
                sum += v[r * H + k] * v[r * H + k] / USED;
            for (size_t k = 0; k < H; k++)
                want.push_back(v[r * H + k] / std::sqrt(sum + EPS) * g[k]);
        }
        RmsNormTiling t;
        if (!GetRmsNormTilingInfo(TensorShape({B, S, H}), TensorShape({B, S, USED}), 4096,
                                  sizeof(T), t))
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "no plan");
        RmsNorm<T>(y, x, gamma, b.tmp(), T(float(EPS)), t);
        expect_near(y, want, "RmsNorm", 4, 1e-5);
        RmsNorm<T, true>(x, x, gamma, T(float(EPS)), t);
        expect_near(x, want, "RmsNorm in place", 4, 1e-5);
    });
}

template <class T> void check_batch(void **)
{
    run_well([] {
        enum { N = 5, SH = 48 };
        bench b;
        const LocalTensor<T> x = b.numbers<T>(N * SH), y = b.some<T>(N * SH);
        const LocalTensor<T> mean = b.some<T>(SH), variance = b.some<T>(SH);
        const LocalTensor<T> gamma = b.numbers<T>(N, 2), beta = b.numbers<T>(N, 3);
        const std::vector<double> v = values(x), g = values(gamma), be = values(beta);
        std::vector<double> m(SH), var(SH), want(N * SH);
        for (size_t k = 0; k < SH; k++) {
            for (size_t i = 0; i < N; i++)
                m[k] += v[i * SH + k] / N;
            for (size_t i = 0; i < N; i++)
                var[k] += (v[i * SH + k] - m[k]) * (v[i * SH + k] - m[k]) / N;
            for (size_t i = 0; i < N; i++)
                want[i * SH + k] = (v[i * SH + k] - m[k]) / std::sqrt(var[k] + EPS) * g[i] + be[i];
        }
        BatchNormTiling t;
        const TensorShape s({N, 3, SH / 3});
        if (!GetBatchNormNDTilingInfo(s, s, 4096, sizeof(T), false, t))
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "no plan");
        BatchNorm<T>(y, mean, variance, x, gamma, beta, b.tmp(), T(float(EPS)), t);
        expect_near(y, want, "BatchNorm", 4, 1e-5);
        expect_near(mean, m, "mean");
        expect_near(variance, var, "variance");
        BatchNorm<T>(x, mean, variance, x, gamma, beta, T(float(EPS)), t);
        expect_near(x, want, "BatchNorm in place", 4, 1e-5);
    });
}

template <class T> void check_group(void **)
{
    run_well([] {
        enum { N = 2, C = 6, HW = 16, G = 3, D = C / G };
        bench b;
        const LocalTensor<T> x = b.numbers<T>(N * C * HW), y = b.some<T>(N * C * HW);
        const LocalTensor<T> mean = b.some<T>(N * G), variance = b.some<T>(N * G);
        const LocalTensor<T> gamma = b.numbers<T>(C, 2), beta = b.numbers<T>(C, 3);
        const std::vector<double> g = values(gamma), be = values(beta);
        stats want = formula(values(x), N * G, D * HW, D * HW, {}, {});
        for (size_t i = 0; i < want.y.size(); i++)
            want.y[i] = want.y[i] * g[i / HW % C] + be[i / HW % C];
        GroupNormTiling t;
        GetGroupNormNDTilingInfo(TensorShape({N, C, 4, HW / 4}), 4096, sizeof(T), false, G, t);
        GroupNorm<T>(y, mean, variance, x, gamma, beta, b.tmp(), T(float(EPS)), t);
        expect_near(y, want.y, "GroupNorm", 4, 1e-5);
        expect_near(mean, want.mean, "mean");
        expect_near(variance, want.variance, "variance");
        GroupNorm<T, true>(x, mean, variance, x, gamma, beta, T(float(EPS)), t);
        expect_near(x, want.y, "GroupNorm in place", 4, 1e-5);
    });
}

template <class T> void check_grad(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<T> dy = b.numbers<T>(ROWS * H, 5), x = b.numbers<T>(ROWS * H);
        const LocalTensor<T> dx = b.some<T>(ROWS * H), res = b.some<T>(ROWS * H);
        const LocalTensor<T> var = b.some<T>(ROWS), mean = b.some<T>(ROWS);
        const LocalTensor<T> gamma = b.numbers<T>(H, 2);
        const LocalTensor<T> dgamma = b.some<T>(H), dbeta = b.some<T>(H);
        const stats s = formula(values(x), ROWS, H, H, {}, {});
        for (uint32_t r = 0; r < ROWS; r++) {
            var.SetValue(r, T(float(s.variance[r])));
            mean.SetValue(r, T(float(s.mean[r])));
        }
        const std::vector<double> d = values(dy), v = values(x), g = values(gamma);
        std::vector<double> want, want_res, want_gamma(H), want_beta(H);
        for (size_t r = 0; r < ROWS; r++) {
            const double rs = 1 / std::sqrt(double(float(var.GetValue(uint32_t(r)))) + EPS);
            const double mu = double(float(mean.GetValue(uint32_t(r))));
            double pd_var = 0, pd_mean = 0, rest = 0;
            for (size_t k = 0; k < H; k++) {
                pd_var += -0.5 * d[r * H + k] * g[k] * (v[r * H + k] - mu) * rs * rs * rs;
                pd_mean += -d[r * H + k] * g[k] * rs;
                rest += -2.0 * (v[r * H + k] - mu);
            }
            pd_mean += pd_var / H * rest;
            for (size_t k = 0; k < H; k++) {
                const double off = v[r * H + k] - mu;
                want.push_back(d[r * H + k] * g[k] * rs + pd_var * 2 / H * off + pd_mean / H);
                want_res.push_back(off * rs);
            }
        }
        LayerNormGradTiling t;
        GetLayerNormGradNDTilingInfo(TensorShape({B, S, H, H}), 4096, sizeof(T), false, t);
        LocalTensor<uint8_t> tmp = b.tmp();
        LayerNormGrad<T, false>(dx, res, dy, x, var, mean, gamma, tmp, T(float(EPS)), t);
        expect_near(dx, want, "LayerNormGrad", 4, 1e-5);
        expect_near(res, want_res, "res for gamma", 4, 1e-6);
        const std::vector<double> rv = values(res);
        for (size_t i = 0; i < ROWS * H; i++) {
            want_gamma[i % H] += d[i] * rv[i];
            want_beta[i % H] += d[i];
        }
        LayerNormGradBetaTiling bt;
        GetLayerNormGradBetaNDTilingInfo(TensorShape({B, S, H, H}), 4096, sizeof(T), false, bt);
        LayerNormGradBeta<T, false>(dgamma, dbeta, res, dy, b.tmp(), bt);
        expect_near(dgamma, want_gamma, "gradient of gamma", 4, 1e-5);
        expect_near(dbeta, want_beta, "gradient of beta", 4, 1e-5);
        dbeta.SetValue(0, T(77));
        LayerNormGradBeta<T>(dgamma, dbeta, res, dy, bt);
        expect_near(dbeta, want_beta, "gradient of beta again", 4, 1e-5);
        LayerNormGrad<T>(x, dy, dy, x, var, mean, gamma, T(float(EPS)), t); /* in place */
        expect_near(x, want, "LayerNormGrad in place", 4, 1e-5);
        expect_near(dy, want_res, "res in place", 4, 1e-6);
    });
}

constexpr WelfordUpdateConfig in_place = {true};
constexpr WelfordFinalizeConfig corrected = {true};

/* 4 parts of 16 lanes, the last one of 11: each lane must end up with its own mean. */
template <class T> void check_welford(void **)
{
    run_well([] {
        enum { LANES = 16, PARTS = 4, TAIL = 11 };
        bench b;
        LocalTensor<float> mean = b.some<float>(LANES), m = b.some<float>(LANES);
        const LocalTensor<float> mean2 = b.some<float>(LANES), m2 = b.some<float>(LANES);
        const LocalTensor<float> out = b.some<float>(8), var = b.some<float>(8);
        const LocalTensor<int32_t> counts = b.some<int32_t>(LANES);
        const LocalTensor<T> x = b.numbers<T>(LANES * PARTS);
        const std::vector<double> v = values(x);
        const uint32_t n = LANES * (PARTS - 1) + TAIL;
        double all = 0, square = 0;
        for (uint32_t i = 0; i < n; i++)
            all += v[i] / n;
        for (uint32_t i = 0; i < n; i++)
            square += (v[i] - all) * (v[i] - all);
        for (uint32_t i = 0; i < LANES; i++) {
            mean.SetValue(i, 0.0f);
            m.SetValue(i, 0.0f);
            counts.SetValue(i, i < TAIL ? PARTS : PARTS - 1);
        }
        for (uint32_t k = 0; k < PARTS; k++) {
            const uint32_t used = k + 1 < PARTS ? LANES : TAIL;
            const WelfordUpdateParam p = {1, LANES, used, 1.0f / float(k + 1)};
            if (k % 2)
                WelfordUpdate<T, float>(mean2, m2, mean, m, x[k * LANES], b.tmp(), p);
            else
                WelfordUpdate<T, float, false, in_place>(mean2, m2, mean, m, x[k * LANES], p);
            for (uint32_t i = 0; i < used; i++) {
                mean.SetValue(i, mean2.GetValue(i));
                m.SetValue(i, m2.GetValue(i));
            }
        }
        for (uint32_t i = 0; i < LANES; i++) {
            const uint32_t parts = i < TAIL ? PARTS : PARTS - 1;
            double w = 0;
            for (uint32_t k = 0; k < parts; k++)
                w += v[k * LANES + i] / parts;
            expect_near(mean[i], {w}, "mean of a lane", 16);
        }
        WelfordFinalizePara p = {};
        p.rnLength = PARTS;
        p.abLength = LANES;
        p.headCount = PARTS;
        p.headCountLength = TAIL;
        p.tailCount = PARTS - 1;
        p.tailCountLength = LANES - TAIL;
        p.abRec = 1.0f / LANES;
        p.rRec = 1.0f / float(n);
        p.rRecWithCorrection = 1.0f / float(n - 1);
        WelfordFinalize(out, var, mean, m, b.tmp(), p);
        expect_near(out, {all}, "mean", 16);
        expect_near(var, {square / n}, "variance", 32);
        WelfordFinalize<false, corrected>(out, var, mean, m, p);
        expect_near(var, {square / (n - 1)}, "corrected variance", 32);
        p.headCount = p.tailCount = p.headCountLength = p.tailCountLength = 0;
        WelfordFinalize(out, var, mean, m, counts, b.tmp(), p);
        expect_near(out, {all}, "mean by counts", 16);
        WelfordFinalize(out, var, mean, m, counts, p);
        expect_near(var, {square / n}, "variance by counts", 32);
    });
}

/* In place keeps the lanes out of use of the source; else they stay as they were. */
void check_welford_rest(void **)
{
    run_well([] {
        bench b;
        const LocalTensor<float> x = b.numbers<float>(16), in = b.numbers<float>(16, 2);
        const LocalTensor<float> mean = b.some<float>(16), m = b.some<float>(16);
        const WelfordUpdateParam p = {1, 16, 5, 0.5f};
        WelfordUpdate<float, float>(mean, m, in, in, x, p);
        expect_same(mean[5], std::vector<double>(11, 77), "left alone");
        WelfordUpdate<float, float, false, in_place>(mean, m, in, in, x, b.tmp(), p);
        expect_same(mean[5], values(in[5]), "taken over");
    });
}

/* ---- plans and faults -------------------------------------------------------------------------
 */

void check_plans(void **)
{
    uint32_t most = 0, least = 0;
    const TensorShape s({2, 8, 128}), odd({2, 3, 100}), wide({1, 8, 4096});
    optiling::DeepNormTiling deep;
    optiling::RmsNormTiling rms;
    optiling::BatchNormTiling batch;
    optiling::GroupNormTiling group;
    optiling::LayerNormSeparateTiling rstd;
    tiling::DeepNormTiling plain_deep;

    assert_true(GetDeepNormMaxMinTmpSize(s, 4, false, true, most, least));
    assert_true(least && least <= most);
    assert_false(GetDeepNormMaxMinTmpSize(odd, 4, false, true, most, least));
    assert_false(GetDeepNormMaxMinTmpSize(wide, 4, false, false, most, least));
    assert_true(GetDeepNormTilingInfo(s, TensorShape({2, 8, 120}), least, 4, false, false, deep));
    assert_int_equal(deep.get_originalHLength(), 120);
    assert_true(GetDeepNormTilingInfo(s, s, least, 4, false, true, plain_deep));
    assert_int_equal(plain_deep.sLength, 8);
    assert_false(GetDeepNormTilingInfo(s, s, 1, 4, false, false, deep));
    assert_false(GetDeepNormTilingInfo(s, TensorShape({2, 8, 130}), least, 4, false, false, deep));
    assert_true(GetRmsNormMaxMinTmpSize(s, 2, most, least, true));
    assert_false(GetRmsNormMaxMinTmpSize(odd, 2, most, least, true));
    assert_true(GetRmsNormTilingInfo(s, s, least, 2, rms));
    assert_int_equal(rms.get_hLength(), 128);
    assert_false(GetRmsNormTilingInfo(s, s, 0, 2, rms));
    assert_true(GetBatchNormMaxMinTmpSize(s, s, 2, false, most, least));
    assert_true(GetBatchNormNDTilingInfo(s, s, most, 2, false, batch));
    assert_int_equal(batch.get_meanVarSize(), 1024);
    assert_false(GetBatchNormNDTilingInfo(TensorShape({2, 3, 5}), TensorShape({2, 3, 5}), most, 2,
                                          false, batch));
    GetGroupNormMaxMinTmpSize(TensorShape({1, 4, 2, 8}), 4, false, 2, most, least);
    GetGroupNormNDTilingInfo(TensorShape({1, 4, 2, 8}), least, 4, false, 2, group);
    assert_int_equal(group.get_d(), 2);
    GetLayerNormMaxMinTmpSize(s, 4, false, most, least);
    GetLayerNormMaxMinTmpSize(s, 4, false, true, false, most, least);
    GetLayerNormNDTilingInfo(TensorShape({6, 100}), most, 4, false, true, rstd);
    assert_int_equal(rstd.get_rLength(), 100);
    optiling::LayerNormTiling layer;
    GetLayerNormNDTillingInfo(TensorShape({2, 3, 64, 50}), most, 4, false, layer);
    assert_int_equal(layer.get_originalHLength(), 50);
    GetLayerNormGradMaxMinTmpSize(s, 4, false, most, least);
    GetLayerNormGradBetaMaxMinTmpSize(s, 4, false, most, least);
    GetNormalizeMaxMinTmpSize(s, 4, 4, false, true, false, most, least);
    GetWelfordUpdateMaxMinTmpSize(s, 4, 4, false, false, most, least);
    GetWelfordFinalizeMaxMinTmpSize(s, 4, false, most, least);
    assert_true(least && least <= most);
}

void check_faults(void **)
{
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(16);
            LayerNormTiling t;
            t.bLength = t.sLength = 1;
            t.hLength = 8;
            t.originalHLength = 9;
            LayerNorm<float>(x, x, x, x, x, x, 0.1f, t);
        },
        NPU_E_ARG, {"LayerNorm", "9 of 8 columns"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(16);
            WelfordUpdate<float, float>(x, x, x, x, x, {2, 16, 16, 1});
        },
        NPU_E_ARG, {"WelfordUpdate", "rnLength 2"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(16);
            WelfordFinalizePara p = {};
            p.abLength = 12;
            WelfordFinalize(x, x, x, x, p);
        },
        NPU_E_ARG, {"WelfordFinalize", "abLength 12"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            GroupNormTiling t;
            t.n = 1;
            t.c = 4;
            t.hw = 8;
            t.g = 3;
            GroupNorm<float>(x, x, x, x, x, x, 0.1f, t);
        },
        NPU_E_ARG, {"GroupNorm", "4 channels in 3 groups"});
    run_fails(
        [] {
            bench b;
            LocalTensor<float> x = b.some<float>(64);
            LayerNormGradTiling t;
            LayerNormGrad<float>(x, x, x, x, x, x, x, 0.1f, t, {DataFormat::NZ});
        },
        NPU_E_ARG, {"LayerNormGrad", "DataFormat::ND"});
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(check_layer<float>),
        cmocka_unit_test(check_layer<half>),
        cmocka_unit_test((check_rstd<float, float>)),
        cmocka_unit_test((check_rstd<half, half>)),
        cmocka_unit_test((check_rstd<half, float>)),
        cmocka_unit_test(check_deep<float>),
        cmocka_unit_test(check_deep<half>),
        cmocka_unit_test(check_rms<float>),
        cmocka_unit_test(check_rms<half>),
        cmocka_unit_test(check_batch<float>),
        cmocka_unit_test(check_batch<half>),
        cmocka_unit_test(check_group<float>),
        cmocka_unit_test(check_group<half>),
        cmocka_unit_test(check_grad<float>),
        cmocka_unit_test(check_grad<half>),
        cmocka_unit_test(check_welford<float>),
        cmocka_unit_test(check_welford<half>),
        cmocka_unit_test(check_welford_rest),
        cmocka_unit_test(check_plans),
        cmocka_unit_test(check_faults),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

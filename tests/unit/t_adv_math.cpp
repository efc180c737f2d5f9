/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_adv_math.cpp - every call of the high-level API for mathematics and activation, in each form
 * that its page has and for each type.
 *
 * Expected values are libm's in double, rounded once; a transcendental result may be one step off.
 * t_math.c looks at the functions closely, this file at the calls: operands, counts, what lies
 * behind the last element, and the temporary tensor.
 */
#include "kernel.hpp"
#include <cmath>
#include <functional>

using namespace AscendC;

enum { N = 300, COUNT = 277 };

template <class T> struct inputs {
    std::vector<T> a, b;
    /* Numbers between low and high; b others of the same range. */
    inputs(double low, double high) : a(N), b(N)
    {
        uint32_t seed = 7;
        for (size_t i = 0; i < 2 * N; i++) {
            seed = seed * 1664525u + 1013904223u;
            const double v = low + (high - low) * double(seed >> 16 & 0xffff) / 65535;
            (i < N ? a[i] : b[i - N]) = T(v);
        }
    }
};

template <class T> static double value(T v)
{
    if constexpr (std::is_integral_v<T>)
        return double(v);
    else
        return double(float(v));
}

/* got is want, or one step beside it. */
template <class T> static bool is_near(T got, T want)
{
    if constexpr (std::is_integral_v<T>)
        return got == want;
    else {
        const float x = got, y = want;
        if (x != x || y != y)
            return x != x && y != y;
        const int64_t p = int64_t(nputwin::bits_of(got)), q = int64_t(nputwin::bits_of(want));
        return p - q <= 1 && q - p <= 1;
    }
}

/* call(d, a, b, tmp) computes `count` elements; those behind keep the 7 that was there. */
template <class T>
static void check(const char *name, uint32_t count, const inputs<T> &in,
                  const std::function<double(double, double)> &f,
                  const std::function<void(LocalTensor<T> &, LocalTensor<T> &, LocalTensor<T> &,
                                           LocalTensor<uint8_t> &)> &call)
{
    std::vector<T> got(N);

    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> d = ub.Alloc<T>(N), a = ub.Alloc<T>(N), b = ub.Alloc<T>(N);
        LocalTensor<uint8_t> tmp = ub.Alloc<uint8_t>(2048);
        for (uint32_t i = 0; i < N; i++) {
            d.SetValue(i, T(7.0f));
            a.SetValue(i, in.a[i]);
            b.SetValue(i, in.b[i]);
        }
        call(d, a, b, tmp);
        for (uint32_t i = 0; i < N; i++)
            got[i] = d.GetValue(i);
    });
    for (uint32_t i = 0; i < N; i++) {
        const T want = i < count ? T(f(value(in.a[i]), value(in.b[i]))) : T(7.0f);
        if (i < count ? !is_near(got[i], want) : nputwin::bits_of(got[i]) != nputwin::bits_of(want))
            fail_msg("%s: element %u of %.9g, %.9g is %.9g, expected %.9g", name, i, value(in.a[i]),
                     value(in.b[i]), value(got[i]), value(want));
    }
}

/* A temporary tensor below what the host reports is named with both sizes; where none is needed,
 * none is too small. */
template <class T>
static void refuses_small(const char *name, uint32_t least,
                          const std::function<void(LocalTensor<T> &, LocalTensor<T> &,
                                                   LocalTensor<T> &, LocalTensor<uint8_t> &)> &call)
{
    const std::string says = std::string(name) + ": sharedTmpBuffer has " +
                             std::to_string(least - 32) + " bytes, at least " +
                             std::to_string(least);

    if (!least)
        return;
    run_fails(
        [&] {
            LocalMemAllocator<> ub;
            LocalTensor<T> d = ub.Alloc<T>(N), a = ub.Alloc<T>(N), b = ub.Alloc<T>(N);
            LocalTensor<uint8_t> tmp = ub.Alloc<uint8_t>(least - 32);
            call(d, a, b, tmp);
        },
        NPU_E_ARG, {says.c_str(), "MaxMinTmpSize"});
}

#define CALL(T, ...)                                                                               \
    [&](LocalTensor<T> &d, LocalTensor<T> &a, LocalTensor<T> &b, LocalTensor<uint8_t> &t) {        \
        (void)a, (void)b, (void)t;                                                                 \
        __VA_ARGS__;                                                                               \
    }
#define F(expr)                                                                                    \
    [](double x, double y) {                                                                       \
        (void)y;                                                                                   \
        return double(expr);                                                                       \
    }
/* The two forms with a count, and a call whose temporary tensor is too small. sizes: the row of
 * tmp_size.def. Operands stand in parentheses. */
#define FORMS2(T, name, sizes, low, high, f, ...)                                                  \
    {                                                                                              \
        const inputs<T> in(low, high);                                                             \
        check<T>(#name " count", COUNT, in, f, CALL(T, name(__VA_ARGS__, COUNT)));                 \
        check<T>(#name " tmp, count", COUNT, in, f, CALL(T, name(__VA_ARGS__, t, COUNT)));         \
        refuses_small<T>(#sizes, nputwin::adv::least_##sizes(sizeof(T)),                           \
                         CALL(T, name(__VA_ARGS__, t, COUNT)));                                    \
    }
#define FORMS4(T, name, low, high, f, ...)                                                         \
    {                                                                                              \
        const inputs<T> whole(low, high);                                                          \
        check<T>(#name, N, whole, f, CALL(T, name(__VA_ARGS__)));                                  \
        check<T>(#name " tmp", N, whole, f, CALL(T, name(__VA_ARGS__, t)));                        \
        FORMS2(T, name, name, low, high, f, __VA_ARGS__)                                           \
    }
#define BOTH4(name, low, high, f, ...)                                                             \
    FORMS4(half, name, low, high, f, __VA_ARGS__) FORMS4(float, name, low, high, f, __VA_ARGS__)
#define BOTH2(name, sizes, low, high, f, ...)                                                      \
    FORMS2(half, name, sizes, low, high, f, __VA_ARGS__)                                           \
    FORMS2(float, name, sizes, low, high, f, __VA_ARGS__)

static void one_source(void **)
{
    BOTH4(Acos, -1, 1, F(std::acos(x)), d, a);
    BOTH4(Acosh, 1, 65000, F(std::acosh(x)), d, a);
    BOTH4(Asin, -1, 1, F(std::asin(x)), d, a);
    BOTH4(Asinh, -65000, 65000, F(std::asinh(x)), d, a);
    BOTH4(Atan, -20, 20, F(std::atan(x)), d, a);
    BOTH4(Atanh, -0.99, 0.99, F(std::atanh(x)), d, a);
    BOTH4(Cos, -300, 300, F(std::cos(x)), d, a);
    BOTH4(Cosh, -10, 10, F(std::cosh(x)), d, a);
    BOTH4(Erf, -4, 4, F(std::erf(x)), d, a);
    BOTH4(Erfc, -4, 4, F(std::erfc(x)), d, a);
    BOTH4(Frac, -300, 300, F(x - std::trunc(x)), d, a);
    BOTH4(Log2, 0.01, 300, F(std::log2(x)), d, a);
    BOTH4(Sign, -1, 1, F((x > 0) - (x < 0)), d, a);
    BOTH4(Sin, -300, 300, F(std::sin(x)), d, a);
    BOTH4(Sinh, -10, 10, F(std::sinh(x)), d, a);
    BOTH4(Tan, -300, 300, F(std::tan(x)), d, a);
    BOTH4(Tanh, -4, 4, F(std::tanh(x)), d, a);
    BOTH4(Trunc, -300, 300, F(std::trunc(x)), d, a);
    BOTH4(Sigmoid, -12, 12, F(1 / (1 + std::exp(-x))), d, a);
    BOTH2(Ceil, Ceil, -300, 300, F(std::ceil(x)), d, a);
    BOTH2(Floor, Floor, -300, 300, F(std::floor(x)), d, a);
    BOTH2(Round, Round, -30, 30, F(std::nearbyint(x)), d, a);
    BOTH2(Lgamma, Lgamma, 0.1, 30, F(std::lgamma(x)), d, a);
    BOTH2(Gelu, Gelu, -5, 5,
          F(x / (1 + std::exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)))), d, a);
    BOTH2(FasterGelu, Gelu, -5, 5, F(x / (1 + std::exp(-1.702 * x))), d, a);
}

static void logarithms(void **)
{
#define LOGS(T)                                                                                    \
    {                                                                                              \
        const inputs<T> in(0.001, 500);                                                            \
        check<T>("Log", N, in, F(std::log(x)), CALL(T, Log(d, a)));                                \
        check<T>("Log count", COUNT, in, F(std::log(x)), CALL(T, Log(d, a, COUNT)));               \
        check<T>("Log10", N, in, F(std::log10(x)), CALL(T, Log10(d, a)));                          \
        check<T>("Log10 count", COUNT, in, F(std::log10(x)), CALL(T, Log10(d, a, COUNT)));         \
    }
    LOGS(half)
    LOGS(float)
}

/* Values that mpmath gave: a digamma is in no libm. */
static void digamma(void **)
{
    static const double at[] = {0.25, 0.5, 1, 1.5, 2, 10, -0.5, -1.25, -2.75, 1000};
    static const double says[] = {-4.2274535333762655,  -1.9635100260214235, -0.57721566490153286,
                                  0.036489973978576521, 0.42278433509846714, 2.2517525890667211,
                                  0.036489973978576521, 3.7141391202135278,  -1.959055264977997,
                                  6.9072551956488121};
#define DIGAMMA(T)                                                                                 \
    {                                                                                              \
        inputs<T> in(1, 2);                                                                        \
        for (size_t i = 0; i < 10; i++)                                                            \
            in.a[i] = T(at[i]), in.b[i] = T(double(i));                                            \
        const auto f = [](double, double k) { return says[size_t(k)]; };                           \
        check<T>("Digamma", 10, in, f, CALL(T, Digamma(d, a, 10)));                                \
        check<T>("Digamma tmp", 10, in, f, CALL(T, Digamma(d, a, t, 10)));                         \
        refuses_small<T>("Digamma", nputwin::adv::least_Digamma(sizeof(T)),                        \
                         CALL(T, Digamma(d, a, t, 10)));                                           \
    }
    DIGAMMA(half)
    DIGAMMA(float)
}

static void configurations(void **)
{
    static constexpr SinConfig sin_whole = {SinAlgo::RADIAN_REDUCTION};
    static constexpr CosConfig cos_whole = {CosAlgo::RADIAN_REDUCTION};
    static constexpr AtanConfig polynomial = {AtanAlgo::POLYNOMIAL_APPROXIMATION};
    static constexpr TanhConfig sections = {TanhAlgo::SUBSECTION_COMPENSATION};
    static constexpr ErfConfig exact = {ErfAlgo::SUBSECTION_POLYNOMIAL_APPROXIMATION};
    const inputs<float> in(-3, 3);

    check<float>("Sin", N, in, F(std::sin(x)), CALL(float, Sin<float, false, sin_whole>(d, a)));
    check<float>("Cos", N, in, F(std::cos(x)), CALL(float, Cos<float, true, cos_whole>(d, a, t)));
    check<float>("Atan", N, in, F(std::atan(x)), CALL(float, Atan<float, false, polynomial>(d, a)));
    check<float>("Tanh", N, in, F(std::tanh(x)), CALL(float, Tanh<float, false, sections>(d, a)));
    check<float>("Erf", COUNT, in, F(std::erf(x)),
                 CALL(float, Erf<float, false, exact>(d, a, t, COUNT)));
}

static void exponential(void **)
{
#define EXP(T)                                                                                     \
    {                                                                                              \
        const inputs<T> in(-8, 8);                                                                 \
        check<T>("Exp", COUNT, in, F(std::exp(x)), CALL(T, Exp<T, 0>(d, a, COUNT)));               \
        check<T>("Exp 10", COUNT, in, F(std::exp(x)), CALL(T, Exp<T, 10, true>(d, a, t, COUNT)));  \
        refuses_small<T>("Exp", nputwin::adv::least_Exp(sizeof(T)),                                \
                         CALL(T, Exp<T, 12>(d, a, t, COUNT)));                                     \
    }
    EXP(half)
    EXP(float)
}

static void two_sources(void **)
{
    BOTH4(Fmod, -30, 30, F(std::fmod(x, y)), d, a, b);
    BOTH4(GeGLU, -4, 4,
          F(x * (y / (1 + std::exp(-1.5957691216057308 * (y + 0.044715 * y * y * y))))), d, a, b);
    BOTH2(ReGlu, ReGlu, -4, 4, F(x * std::fmax(y, 0)), d, a, b);
    FORMS2(bfloat16_t, ReGlu, ReGlu, -4, 4, F(x * std::fmax(y, 0)), d, a, b);
    BOTH4(SwiGLU, -4, 4, F(x * (y / (1 + std::exp(-double(1.7f) * y)))), d, a, b, 1.7f);
    FORMS4(int16_t, Xor, -32768, 32767, F(int16_t(x) ^ int16_t(y)), d, a, b);
    FORMS4(uint16_t, Xor, 0, 65535, F(uint16_t(x) ^ uint16_t(y)), d, a, b);
}

/* A number in the type of a tensor. */
template <class T> static T scalar_of(const LocalTensor<T> &, float v) { return T(v); }
static int32_t power_of(int32_t x, int32_t y)
{
    uint32_t r = 1;
    while (y-- > 0)
        r *= uint32_t(x);
    return int32_t(r);
}
static void powers(void **)
{
    BOTH4(Power, 0.25, 4, F(std::pow(x, y)), d, a, b);
    BOTH4(Power, 0.25, 4, F(std::pow(x, 2.5)), d, a, scalar_of(d, 2.5f));
    BOTH4(Power, -4, 4, F(std::pow(2.5, x)), d, scalar_of(d, 2.5f), a);
    FORMS4(int32_t, Power, 0, 12, F(power_of(int32_t(x), int32_t(y))), d, a, b);
    FORMS4(int32_t, Power, -9, 9, F(power_of(int32_t(x), 11)), d, a, 11);
    FORMS4(int32_t, Power, 0, 12, F(power_of(-3, int32_t(x))), d, -3, a);
    static constexpr PowerConfig wide = {PowerAlgo::DOUBLE_FLOAT_TECH};
    check<float>("Power", N, inputs<float>(0.25, 4), F(std::pow(x, y)),
                 CALL(float, Power<float, false, wide>(d, a, b)));
}

static void clamps(void **)
{
#define CLAMP(T)                                                                                   \
    {                                                                                              \
        const inputs<T> in(-4, 4);                                                                 \
        const auto top = F(std::fmin(x, 1.5));                                                     \
        const auto bottom = F(std::fmax(x, 1.5));                                                  \
        check<T>("ClampMax", COUNT, in, top, CALL(T, ClampMax(d, a, T(1.5f), COUNT)));             \
        check<T>("ClampMax tmp", COUNT, in, top, CALL(T, ClampMax(d, a, t, T(1.5f), COUNT)));      \
        check<T>("ClampMin", COUNT, in, bottom, CALL(T, ClampMin(d, a, T(1.5f), COUNT)));          \
        check<T>("ClampMin tmp", COUNT, in, bottom, CALL(T, ClampMin(d, a, t, T(1.5f), COUNT)));   \
        refuses_small<T>("Clamp", 256, CALL(T, ClampMin(d, a, t, T(1.5f), COUNT)));                \
    }
    CLAMP(half)
    CLAMP(float)
}

static void swish(void **)
{
#define SWISH(T)                                                                                   \
    {                                                                                              \
        const inputs<T> in(-6, 6);                                                                 \
        check<T>("Silu", COUNT, in, F(x / (1 + std::exp(-x))), CALL(T, Silu(d, a, COUNT)));        \
        check<T>("Swish", COUNT, in, F(x / (1 + std::exp(-1.75 * x))),                             \
                 CALL(T, Swish(d, a, COUNT, T(1.75f))));                                           \
    }
    SWISH(half)
    SWISH(float)
}

static void faster_gelu_v2(void **)
{
    BOTH2(
        FasterGeluV2, Gelu, -4, 4,
        F(x * (std::copysign(
                   0.5 - 0.1444 * std::pow(std::fmin(std::fabs(0.7071 * x), 1.769) - 1.769, 2), x) +
               0.5)),
        d, a);
    const inputs<half> in(-4, 4);
    check<half>(
        "FasterGeluV2 fast", COUNT, in,
        F(x * (std::copysign(
                   0.5 - 0.1444 * std::pow(std::fmin(std::fabs(0.7071 * x), 1.769) - 1.769, 2), x) +
               0.5)),
        CALL(half, FasterGeluV2<half, true, true>(d, a, COUNT)));
}

/* Muls, then Add, each rounded to the type of dst; dst begins as 7. */
static void axpy(void **)
{
    const inputs<half> h(-300, 300);
    const inputs<float> f(-300, 300);

    check<half>("Axpy half", COUNT, h, F(half(double(half(x * double(float(half(0.3f))))) + 7)),
                CALL(half, Axpy(d, a, half(0.3f), t, COUNT)));
    check<float>("Axpy float", COUNT, f, F(float(float(float(x) * 0.3f) + 7.0f)),
                 CALL(float, Axpy(d, a, 0.3f, t, COUNT)));
    std::vector<float> got(N);
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<float> d = ub.Alloc<float>(N);
        LocalTensor<half> a = ub.Alloc<half>(N);
        LocalTensor<uint8_t> tmp = ub.Alloc<uint8_t>(512); /* three rounds */
        for (uint32_t i = 0; i < N; i++) {
            d.SetValue(i, 7);
            a.SetValue(i, h.a[i]);
        }
        Axpy(d, a, half(0.3f), tmp, COUNT);
        for (uint32_t i = 0; i < N; i++)
            got[i] = d.GetValue(i);
    });
    for (uint32_t i = 0; i < N; i++)
        assert_true(got[i] == (i < COUNT ? float(h.a[i]) * float(half(0.3f)) + 7.0f : 7.0f));
    refuses_small<half>("Axpy", 512, CALL(half, Axpy(d, a, half(0.3f), t, COUNT)));
}

/* 3 rows of 16, in both directions; the last row is asked for too. */
template <class T> static void cumsum_of()
{
    static constexpr CumSumConfig along = {true, false, true}, down = {false, false, true};
    std::vector<T> got(48), got_down(48), last(16), last_down(16);

    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> d = ub.Alloc<T>(48), e = ub.Alloc<T>(48), a = ub.Alloc<T>(48);
        LocalTensor<T> l = ub.Alloc<T>(16), k = ub.Alloc<T>(16);
        LocalTensor<uint8_t> tmp = ub.Alloc<uint8_t>(512);
        for (uint32_t i = 0; i < 48; i++)
            a.SetValue(i, T(float(i % 7) - 2.5f));
        CumSum<T, along>(d, l, a, tmp, {3, 16});
        CumSum<T, down>(e, k, a, {3, 16});
        for (uint32_t i = 0; i < 48; i++)
            got[i] = d.GetValue(i), got_down[i] = e.GetValue(i);
        for (uint32_t i = 0; i < 16; i++)
            last[i] = l.GetValue(i), last_down[i] = k.GetValue(i);
    });
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t i = 0; i < 16; i++) {
            double row = 0, column = 0;
            for (uint32_t k = 0; k <= i; k++)
                row += double((r * 16 + k) % 7) - 2.5;
            for (uint32_t k = 0; k <= r; k++)
                column += double((k * 16 + i) % 7) - 2.5;
            assert_true(value(got[r * 16 + i]) == row);
            assert_true(value(got_down[r * 16 + i]) == column);
            if (r == 2) {
                assert_true(value(last[i]) == row);
                assert_true(value(last_down[i]) == column);
            }
        }
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<T> d = ub.Alloc<T>(48), l = ub.Alloc<T>(48);
            CumSum(d, l, d, {3, 15});
        },
        NPU_E_ARG, {"CumSum: 3 rows of 15 elements", "32 bytes"});
}
static void cumsum(void **)
{
    cumsum_of<half>();
    cumsum_of<float>();
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(one_source),  cmocka_unit_test(logarithms),
        cmocka_unit_test(digamma),     cmocka_unit_test(configurations),
        cmocka_unit_test(exponential), cmocka_unit_test(two_sources),
        cmocka_unit_test(powers),      cmocka_unit_test(clamps),
        cmocka_unit_test(swish),       cmocka_unit_test(faster_gelu_v2),
        cmocka_unit_test(axpy),        cmocka_unit_test(cumsum),
    };
    return cmocka_run_group_tests_name("adv_math", tests, nullptr, nullptr);
}

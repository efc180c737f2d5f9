/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_vec.cpp - the value of every vector call, in its count, lane-number and lane-bits form.
 *
 * Expected values are computed here in double and rounded once to the element type. The repeat
 * forms are checked with gaps between blks and repeats over a filled destination, so that a wrong
 * stride, a wrong mask or a touched neighbour shows.
 */
#include "kernel.hpp"
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace AscendC;

/* ---- inputs and expectations --------------------------------------------------------- */

/* Numbers of both signs, fractions, a zero, and for floats now and then something special. */
template <class T> static std::vector<T> numbers(size_t n, uint32_t seed)
{
    std::vector<T> v(n);
    for (T &x : v) {
        seed = seed * 1664525u + 1013904223u;
        const int i = int(seed >> 16 & 1023) - 512;
        if constexpr (std::is_integral_v<T>)
            x = T(i * 61);
        else
            x = T(double(i) / 16);
    }
    if constexpr (!std::is_integral_v<T>) {
        v[3] = T(INFINITY);
        v[5] = T(-0.0);
        v[11] = T(60000.0);
    }
    return v;
}
template <class T> static std::vector<T> positives(size_t n)
{
    std::vector<T> v = numbers<T>(n, 7);
    for (T &x : v)
        x = T(std::fabs(double(float(x))) + 0.0625);
    return v;
}

/* Equal bits, or both NaN; float results of transcendental functions may be one step off. */
template <class T> static bool same_value(T a, T b, uint32_t steps)
{
    if constexpr (std::is_integral_v<T>)
        return a == b;
    else {
        const float x = a, y = b;
        if (x != x || y != y)
            return x != x && y != y;
        const int64_t p = int64_t(nputwin::bits_of(a)), q = int64_t(nputwin::bits_of(b));
        return p - q <= int64_t(steps) && q - p <= int64_t(steps);
    }
}
template <class T>
static void expect(const std::vector<T> &got, const std::vector<T> &want, const char *what,
                   uint32_t steps = 0)
{
    for (size_t i = 0; i < want.size(); i++)
        if (!same_value(got[i], want[i], steps))
            fail_msg("%s: element %zu is %.9g (0x%llx), expected %.9g (0x%llx)", what, i,
                     double(float(got[i])), (unsigned long long)nputwin::bits_of(got[i]),
                     double(float(want[i])), (unsigned long long)nputwin::bits_of(want[i]));
}

template <class T> static void fill(const LocalTensor<T> &t, const std::vector<T> &v)
{
    for (size_t i = 0; i < v.size(); i++)
        t.SetValue(uint32_t(i), v[i]);
}
template <class T> static std::vector<T> read(const LocalTensor<T> &t, size_t n)
{
    std::vector<T> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = t.GetValue(uint32_t(i));
    return v;
}

/* Element of a repeat-form operand that lane l of repeat r stands for. */
template <class T>
static size_t place(uint32_t r, uint32_t l, uint32_t blk_stride, uint32_t rep_stride)
{
    const uint32_t a_blk = 32 / sizeof(T);
    return size_t(r * rep_stride + l / a_blk * blk_stride) * a_blk + l % a_blk;
}

template <class T> using binary = std::function<T(T, T)>;
enum { COUNT = 301, REPEATS = 3, ROOM = 2048 };
static const uint64_t BITS[2] = {0x123456789abcdef5u, 0xf0f0f0f00f0f0f0fu};

/* All three forms of a call with two sources; a unary call gets the same tensor twice. */
template <class T, class Count, class Lanes, class Bits>
static void three_forms(const char *name, const std::vector<T> &a, const std::vector<T> &b,
                        const binary<T> &f, Count count_form, Lanes lanes_form, Bits bits_form,
                        uint32_t steps = 0)
{
    const std::vector<T> marker(ROOM, T(77));
    std::vector<T> count_got, lanes_got, bits_got;
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> d = ub.Alloc<T>(ROOM), s = ub.Alloc<T>(ROOM), t = ub.Alloc<T>(ROOM);
        fill(s, a);
        fill(t, b);
        fill(d, marker);
        count_form(d, s, t, COUNT);
        count_got = read(d, ROOM);
        fill(d, marker);
        lanes_form(d, s, t, uint64_t(37), uint8_t(REPEATS));
        lanes_got = read(d, ROOM);
        fill(d, marker);
        bits_form(d, s, t, BITS, uint8_t(REPEATS));
        bits_got = read(d, ROOM);
    });
    std::vector<T> want = marker;
    for (size_t i = 0; i < COUNT; i++)
        want[i] = f(a[i], b[i]);
    expect(count_got, want, name, steps);

    const uint32_t lanes = 256 / sizeof(T);
    for (bool bits : {false, true}) {
        want = marker;
        for (uint32_t r = 0; r < REPEATS; r++)
            for (uint32_t l = 0; l < lanes; l++)
                if (bits ? BITS[l / 64] >> l % 64 & 1 : l < 37)
                    want[place<T>(r, l, 2, 17)] =
                        f(a[place<T>(r, l, 1, 8)], b[place<T>(r, l, 1, 8)]);
        expect(bits ? bits_got : lanes_got, want, name, steps);
    }
}
/* Strides that three_forms expects: dst 2 and 17, sources packed. */
static const BinaryRepeatParams BINARY_GAPS(2, 1, 1, 17, 8, 8);
static const UnaryRepeatParams UNARY_GAPS(2, 1, 17, 8);

#define CHECK_BINARY(T, name, expr)                                                                \
    three_forms<T>(                                                                                \
        #name " " #T, numbers<T>(ROOM, 1), numbers<T>(ROOM, 2),                                    \
        [](T a, T b) -> T { return T(expr); },                                                     \
        [](auto &d, auto &s, auto &t, int n) { name(d, s, t, n); },                                \
        [](auto &d, auto &s, auto &t, uint64_t m, uint8_t r) {                                     \
            name(d, s, t, m, r, BINARY_GAPS);                                                      \
        },                                                                                         \
        [](auto &d, auto &s, auto &t, const uint64_t *m, uint8_t r) {                              \
            name(d, s, t, m, r, BINARY_GAPS);                                                      \
        })
#define CHECK_UNARY_ON(T, name, inputs, expr, steps)                                               \
    three_forms<T>(                                                                                \
        #name " " #T, inputs, inputs, [](T a, T) -> T { return T(expr); },                         \
        [](auto &d, auto &s, auto &, int n) { name(d, s, n); },                                    \
        [](auto &d, auto &s, auto &, uint64_t m, uint8_t r) { name(d, s, m, r, UNARY_GAPS); },     \
        [](auto &d, auto &s, auto &, const uint64_t *m, uint8_t r) {                               \
            name(d, s, m, r, UNARY_GAPS);                                                          \
        },                                                                                         \
        steps)
#define CHECK_UNARY(T, name, expr) CHECK_UNARY_ON(T, name, numbers<T>(ROOM, 3), expr, 0)
#define CHECK_SCALAR(T, name, value, expr)                                                         \
    three_forms<T>(                                                                                \
        #name " " #T, numbers<T>(ROOM, 4), numbers<T>(ROOM, 4),                                    \
        [](T a, T) -> T {                                                                          \
            const T s = T(value);                                                                  \
            (void)s;                                                                               \
            return T(expr);                                                                        \
        },                                                                                         \
        [](auto &d, auto &s, auto &, int n) { name(d, s, T(value), n); },                          \
        [](auto &d, auto &s, auto &, uint64_t m, uint8_t r) {                                      \
            name(d, s, T(value), m, r, UNARY_GAPS);                                                \
        },                                                                                         \
        [](auto &d, auto &s, auto &, const uint64_t *m, uint8_t r) {                               \
            name(d, s, T(value), m, r, UNARY_GAPS);                                                \
        })

/* Arithmetic in double is exact enough to round once; integers wrap in the unsigned type. */
template <class T> static T wrap(int64_t v) { return T(uint64_t(v)); }
static double wide(half x) { return double(float(x)); }

static void add_sub_mul_div(void **)
{
    CHECK_BINARY(half, Add, wide(a) + wide(b));
    CHECK_BINARY(float, Add, a + b);
    CHECK_BINARY(int16_t, Add, wrap<int16_t>(int64_t(a) + b));
    CHECK_BINARY(int32_t, Add, wrap<int32_t>(int64_t(a) + b));
    CHECK_BINARY(half, Sub, wide(a) - wide(b));
    CHECK_BINARY(float, Sub, a - b);
    CHECK_BINARY(int16_t, Sub, wrap<int16_t>(int64_t(a) - b));
    CHECK_BINARY(int32_t, Sub, wrap<int32_t>(int64_t(a) - b));
    CHECK_BINARY(half, Mul, wide(a) * wide(b));
    CHECK_BINARY(float, Mul, a *b);
    CHECK_BINARY(int16_t, Mul, wrap<int16_t>(int64_t(a) * b));
    CHECK_BINARY(int32_t, Mul, wrap<int32_t>(int64_t(a) * b));
    CHECK_BINARY(half, Div, wide(a) / wide(b));
    CHECK_BINARY(float, Div, a / b);
}
static void max_min_and_or(void **)
{
    CHECK_BINARY(half, Max, a > b ? a : b);
    CHECK_BINARY(float, Max, a > b ? a : b);
    CHECK_BINARY(int16_t, Max, a > b ? a : b);
    CHECK_BINARY(int32_t, Max, a > b ? a : b);
    CHECK_BINARY(half, Min, a < b ? a : b);
    CHECK_BINARY(float, Min, a < b ? a : b);
    CHECK_BINARY(int16_t, Min, a < b ? a : b);
    CHECK_BINARY(int32_t, Min, a < b ? a : b);
    CHECK_BINARY(int16_t, And, a &b);
    CHECK_BINARY(uint16_t, And, a &b);
    CHECK_BINARY(int16_t, Or, a | b);
    CHECK_BINARY(uint16_t, Or, a | b);
}
static void unary(void **)
{
    CHECK_UNARY(half, Abs, std::fabs(wide(a)));
    CHECK_UNARY(float, Abs, std::fabs(a));
    CHECK_UNARY(half, Relu, wide(a) > 0 ? wide(a) : 0.0);
    CHECK_UNARY(float, Relu, a > 0 ? a : 0.0f);
    CHECK_UNARY(int32_t, Relu, a > 0 ? a : 0);
    CHECK_UNARY(int16_t, Not, ~a);
    CHECK_UNARY(uint16_t, Not, ~a);
    CHECK_UNARY_ON(half, Exp, numbers<half>(ROOM, 3), std::exp(wide(a)), 0);
    CHECK_UNARY_ON(float, Exp, numbers<float>(ROOM, 3), std::exp(double(a)), 1);
    CHECK_UNARY_ON(half, Ln, positives<half>(ROOM), std::log(wide(a)), 0);
    CHECK_UNARY_ON(float, Ln, positives<float>(ROOM), std::log(double(a)), 1);
    CHECK_UNARY_ON(half, Sqrt, positives<half>(ROOM), std::sqrt(wide(a)), 0);
    CHECK_UNARY_ON(float, Sqrt, positives<float>(ROOM), std::sqrt(double(a)), 0);
    CHECK_UNARY_ON(half, Rsqrt, positives<half>(ROOM), 1 / std::sqrt(wide(a)), 0);
    CHECK_UNARY_ON(float, Rsqrt, positives<float>(ROOM), 1 / std::sqrt(double(a)), 1);
    CHECK_UNARY_ON(half, Reciprocal, positives<half>(ROOM), 1 / wide(a), 0);
    CHECK_UNARY_ON(float, Reciprocal, positives<float>(ROOM), 1 / double(a), 0);
}
static void with_scalar(void **)
{
    CHECK_SCALAR(half, Adds, 1.5, wide(a) + wide(s));
    CHECK_SCALAR(float, Adds, 1.1, a + s);
    CHECK_SCALAR(int16_t, Adds, 30000, wrap<int16_t>(int64_t(a) + s));
    CHECK_SCALAR(int32_t, Adds, 0x7fffffff, wrap<int32_t>(int64_t(a) + s));
    CHECK_SCALAR(half, Muls, -2.25, wide(a) * wide(s));
    CHECK_SCALAR(float, Muls, 0.3, a *s);
    CHECK_SCALAR(int16_t, Muls, 7, wrap<int16_t>(int64_t(a) * s));
    CHECK_SCALAR(int32_t, Muls, 100003, wrap<int32_t>(int64_t(a) * s));
    CHECK_SCALAR(half, Maxs, 3, a > s ? a : s);
    CHECK_SCALAR(float, Maxs, -3, a > s ? a : s);
    CHECK_SCALAR(int16_t, Maxs, 11, a > s ? a : s);
    CHECK_SCALAR(int32_t, Maxs, 11, a > s ? a : s);
    CHECK_SCALAR(half, Mins, 3, a < s ? a : s);
    CHECK_SCALAR(float, Mins, -3, a < s ? a : s);
    CHECK_SCALAR(int16_t, Mins, 11, a < s ? a : s);
    CHECK_SCALAR(int32_t, Mins, 11, a < s ? a : s);
    CHECK_SCALAR(half, LeakyRelu, 0.125, wide(a) >= 0 ? wide(a) : wide(a) * wide(s));
    CHECK_SCALAR(float, LeakyRelu, 0.1f, a >= 0 ? a : a * s);
    CHECK_SCALAR(int16_t, ShiftLeft, 3, wrap<int16_t>(int64_t(a) * 8));
    CHECK_SCALAR(uint16_t, ShiftLeft, 5, uint16_t(a << 5));
    CHECK_SCALAR(int32_t, ShiftLeft, 20, wrap<int32_t>(int64_t(a) * (1 << 20)));
    CHECK_SCALAR(uint32_t, ShiftLeft, 9, a << 9);
    CHECK_SCALAR(int16_t, ShiftRight, 3, a >> 3); /* arithmetic */
    CHECK_SCALAR(uint16_t, ShiftRight, 3, a >> 3);
    CHECK_SCALAR(int32_t, ShiftRight, 7, a >> 7);
    CHECK_SCALAR(uint32_t, ShiftRight, 7, a >> 7);
}

/* The form with roundEn: off is the plain shift, on is refused by name. */
/* The last bit that falls out is added, of signed elements only. */
template <class T> static void shift_rounding_of(T value, int shift, T rounded, T cut)
{
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> s = ub.Alloc<T>(128), d = ub.Alloc<T>(128);
        const UnaryRepeatParams gaps(2, 1, 8, 8);
        const uint64_t bits[2] = {0x5, 0};
        fill(s, std::vector<T>(128, value));
        for (bool round : {true, false}) {
            fill(d, std::vector<T>(128, T(77)));
            ShiftRight(d, s, T(shift), uint64_t(3), 1, gaps, round);
            for (uint32_t i = 0; i < 5; i++)
                assert_int_equal(d.GetValue(i), i < 3 ? (round ? rounded : cut) : T(77));
            fill(d, std::vector<T>(128, T(77)));
            ShiftRight(d, s, T(shift), bits, 1, gaps, round);
            for (uint32_t i = 0; i < 5; i++)
                assert_int_equal(d.GetValue(i), i % 2 == 0 && i < 3 ? (round ? rounded : cut) : 77);
        }
    });
}
static void shift_rounding(void **)
{
    shift_rounding_of<int16_t>(17, 5, 1, 0); /* the page's example */
    shift_rounding_of<int16_t>(-7, 1, -3, -4);
    shift_rounding_of<int32_t>(0x7fffffff, 4, 0x08000000, 0x07ffffff);
    shift_rounding_of<uint16_t>(0xffff, 4, 0x0fff, 0x0fff);
    shift_rounding_of<uint32_t>(24, 4, 1, 1);
}

/* dst += src * scalar with one rounding; dst holds 77 before. */
static void axpy(void **)
{
    CHECK_SCALAR(half, Axpy, 0.75, std::fma(wide(a), wide(s), 77.0));
    CHECK_SCALAR(float, Axpy, 0.1f, std::fma(a, s, 77.0f));
}

template <class T> static void duplicate_of(T value)
{
    three_forms<T>(
        "Duplicate", numbers<T>(ROOM, 4), numbers<T>(ROOM, 4), [=](T, T) { return value; },
        [=](auto &d, auto &, auto &, int n) { Duplicate(d, value, n); },
        [=](auto &d, auto &, auto &, uint64_t m, uint8_t r) { Duplicate(d, value, m, r, 2, 17); },
        [=](auto &d, auto &, auto &, const uint64_t *m, uint8_t r) {
            Duplicate(d, value, m, r, 2, 17);
        });
}
static void duplicate(void **)
{
    duplicate_of<half>(half(-1.5));
    duplicate_of<bfloat16_t>(bfloat16_t(3.0));
    duplicate_of<float>(1e30f);
    duplicate_of<int16_t>(-7);
    duplicate_of<uint16_t>(65535);
    duplicate_of<int32_t>(-100000);
    duplicate_of<uint32_t>(0xdeadbeef);
}

template <class T, class Call>
static void trig_of(const char *name, double (*f)(double), uint32_t steps, Call call)
{
    const size_t n = 300;
    std::vector<T> in = numbers<T>(n, 5), got, want(n);
    in[3] = T(1.0);
    in[11] = T(2.0);
    for (size_t i = 0; i < n; i++)
        want[i] = T(f(double(float(in[i]))));
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> d = ub.Alloc<T>(n), s = ub.Alloc<T>(n);
        LocalTensor<uint8_t> tmp = ub.Alloc<uint8_t>(8192);
        fill(s, in);
        call(d, s, tmp, uint32_t(n));
        got = read(d, n);
    });
    expect(got, want, name, steps);
}
#define CHECK_TRIG(T, name, f, steps)                                                              \
    trig_of<T>(#name " " #T, f, steps,                                                             \
               [](auto &d, auto &s, auto &, uint32_t n) { name(d, s, n); });                       \
    trig_of<T>(#name " " #T, f, steps, [](auto &d, auto &s, auto &, uint32_t) { name(d, s); });    \
    trig_of<T>(#name " " #T, f, steps,                                                             \
               [](auto &d, auto &s, auto &t, uint32_t n) { name(d, s, t, n); });                   \
    trig_of<T>(#name " " #T, f, steps, [](auto &d, auto &s, auto &t, uint32_t) { name(d, s, t); })
static void trigonometry(void **)
{
    CHECK_TRIG(half, Sin, std::sin, 0);
    CHECK_TRIG(float, Sin, std::sin, 1);
    CHECK_TRIG(half, Cos, std::cos, 0);
    CHECK_TRIG(float, Cos, std::cos, 1);
    CHECK_TRIG(half, Tan, std::tan, 0);
    CHECK_TRIG(float, Tan, std::tan, 1);
    CHECK_TRIG(half, Tanh, std::tanh, 0);
    CHECK_TRIG(float, Tanh, std::tanh, 1);
}

static void operators(void **)
{
    const std::vector<float> a = numbers<float>(64, 1), b = numbers<float>(64, 2);
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<float> d = ub.Alloc<float>(64), s = ub.Alloc<float>(64),
                           t = ub.Alloc<float>(64);
        LocalTensor<int16_t> i = ub.Alloc<int16_t>(64), j = ub.Alloc<int16_t>(64);
        LocalTensor<uint8_t> u = ub.Alloc<uint8_t>(32);
        fill(s, a);
        fill(t, b);
        auto check = [&](auto f) {
            for (uint32_t k = 0; k < 64; k++)
                assert_true(same_value(d.GetValue(k), f(a[k], b[k]), 0));
        };
        d = s + t;
        check([](float x, float y) { return x + y; });
        d = s - t;
        check([](float x, float y) { return x - y; });
        d = s * t;
        check([](float x, float y) { return x * y; });
        d = s / t;
        check([](float x, float y) { return x / y; });
        fill(i, numbers<int16_t>(64, 1));
        fill(j, numbers<int16_t>(64, 2));
        const int16_t x = i.GetValue(9), y = j.GetValue(9);
        LocalTensor<int16_t> k = ub.Alloc<int16_t>(64);
        k = i & j;
        assert_int_equal(k.GetValue(9), int16_t(x & y));
        k = i | j;
        assert_int_equal(k.GetValue(9), int16_t(x | y));
        u = s < t;
        for (uint32_t n = 0; n < 64; n++)
            assert_int_equal(u.GetValue(n / 8) >> n % 8 & 1, a[n] < b[n]);
        u = s >= t;
        for (uint32_t n = 0; n < 64; n++)
            assert_int_equal(u.GetValue(n / 8) >> n % 8 & 1, a[n] >= b[n]);
    });
}

/* ---- the mask register
 * ------------------------------------------------------------------------------ */

static void mask_register(void **)
{
    std::vector<half> ones(512, half(1)), bits, lanes, counter, call_counter, after;
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<half> d = ub.Alloc<half>(512), s = ub.Alloc<half>(512);
        fill(s, ones);
        auto again = [&] { fill(d, std::vector<half>(512, half(0))); };

        again();
        SetMaskNorm();
        SetVectorMask<half, MaskMode::NORMAL>(0xffu, 0xf0u);
        Adds<half, false>(d, s, half(1), MASK_PLACEHOLDER, 1, UnaryRepeatParams{1, 1, 8, 8});
        bits = read(d, 128);
        again();
        SetVectorMask<half, MaskMode::NORMAL>(100);
        Adds<half, false>(d, s, half(1), MASK_PLACEHOLDER, 1, UnaryRepeatParams{1, 1, 8, 8});
        lanes = read(d, 128);
        again();
        SetMaskCount();
        SetVectorMask<half, MaskMode::COUNTER>(300);
        Adds<half, false>(d, s, half(1), 1);
        counter = read(d, 512);
        again();
        uint64_t n[2] = {130, 0};
        Adds(d, s, half(1), n, 1, UnaryRepeatParams{2, 2, 16, 16}); /* every second blk */
        call_counter = read(d, 512);
        SetMaskNorm();
        ResetMask();
        SetMaskCount();
        again();
        Adds(d, s, half(1), 5); /* a count form ends counter mode */
        Adds<half, false>(d, s, half(2), MASK_PLACEHOLDER, 1, UnaryRepeatParams{1, 1, 8, 8});
        after = read(d, 256);
    });
    for (uint32_t i = 0; i < 128; i++) {
        const uint64_t word = i < 64 ? 0xf0u : 0xffu;
        assert_int_equal(int(bits[i]), (word >> i % 64 & 1) ? 2 : 0);
        assert_int_equal(int(lanes[i]), i < 100 ? 2 : 0);
    }
    uint32_t touched = 0;
    for (uint32_t i = 0; i < 512; i++) {
        assert_int_equal(int(counter[i]), i < 300 ? 2 : 0);
        const bool in_gap = i / 16 % 2;
        assert_int_equal(int(call_counter[i]), !in_gap && touched < 130 ? 2 : 0);
        touched += !in_gap;
    }
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(int(after[i]), i < 128 ? 3 : 0);
}

/* A mask or repeat or count of zero does nothing. */
static void nothing_to_do(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        LocalTensor<float> d = ub.Alloc<float>(256);
        fill(d, std::vector<float>(256, 5.0f));
        Add(d, d, d, 0);
        Add(d, d, d, uint64_t(64), 0, BinaryRepeatParams{});
        Add(d, d, d, uint64_t(0), 1, BinaryRepeatParams{});
        Cast(d, d.ReinterpretCast<half>(), RoundMode::CAST_NONE, 0u);
        for (uint32_t i = 0; i < 256; i++)
            assert_true(d.GetValue(i) == 5.0f);
    });
}

/* ---- compare, select, cast
 * ---------------------------------------------------------------------------- */

template <class T> static bool holds(CMPMODE m, T a, T b)
{
    const float x = a, y = b;
    switch (m) {
    case CMPMODE::LT:
        return x < y;
    case CMPMODE::GT:
        return x > y;
    case CMPMODE::EQ:
        return x == y;
    case CMPMODE::LE:
        return x <= y;
    case CMPMODE::GE:
        return x >= y;
    default:
        return x < y || x > y; /* a NaN compares false */
    }
}
template <class T> static void compare_of()
{
    const uint32_t n = 2 * 256 / sizeof(T), lanes = 256 / sizeof(T);
    std::vector<T> a = numbers<T>(n, 1), b = numbers<T>(n, 2);
    for (uint32_t i = 0; i < n; i += 5)
        b[i] = a[i];
    a[7] = T(NAN);
    for (int mode = 0; mode < 6; mode++) {
        const CMPMODE m = CMPMODE(mode);
        run_well([&] {
            LocalMemAllocator<> ub;
            LocalTensor<T> s = ub.Alloc<T>(n), t = ub.Alloc<T>(n);
            LocalTensor<uint8_t> u = ub.Alloc<uint8_t>(128);
            fill(s, a);
            fill(t, b);
            auto check = [&](auto f, const char *what) {
                for (uint32_t i = 0; i < n; i++)
                    if ((u.GetValue(i / 8) >> i % 8 & 1) != f(i))
                        fail_msg("%s mode %d element %u", what, mode, i);
                assert_int_equal(u.GetValue(n / 8), 0xee); /* nothing behind the last repeat */
            };
            auto again = [&] { fill(u, std::vector<uint8_t>(128, 0xee)); };
            auto tensors = [&](uint32_t i) { return int(holds(m, a[i], b[i])); };
            auto scalar = [&](uint32_t i) { return int(holds(m, a[i], b[3 * 5])); };
            again();
            Compare(u, s, t, m, n + lanes / 2); /* the half repeat at the end is not compared */
            check(tensors, "Compare");
            again();
            Compare(u, s, t, m, uint64_t(3), 2,
                    BinaryRepeatParams{1, 1, 1, 8, 8, 8}); /* mask has no say */
            check(tensors, "Compare");
            again();
            Compare(u, s, t, m, BITS, 2, BinaryRepeatParams{1, 1, 1, 8, 8, 8});
            check(tensors, "Compare");
            again();
            Compares(u, s, b[15], m, n);
            check(scalar, "Compares");
            again();
            Compares(u, s, b[15], m, uint64_t(64), 2, UnaryRepeatParams{1, 1, 8, 8});
            check(scalar, "Compares");
            again();
            CompareScalar(u, s, b[15], m, n);
            check(scalar, "CompareScalar");
        });
    }
}
static void compare(void **)
{
    compare_of<half>();
    compare_of<float>();
}

template <class T> static void select_of()
{
    const uint32_t lanes = 256 / sizeof(T), n = 3 * lanes;
    const std::vector<T> a = numbers<T>(n, 1), b = numbers<T>(n, 2);
    std::vector<uint8_t> choice(64);
    for (uint32_t i = 0; i < 64; i++)
        choice[i] = uint8_t(i * 37 + 11);
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> d = ub.Alloc<T>(n), s = ub.Alloc<T>(n), t = ub.Alloc<T>(n);
        LocalTensor<uint8_t> u = ub.Alloc<uint8_t>(64);
        fill(s, a);
        fill(t, b);
        fill(u, choice);
        const std::vector<T> marker(n, T(77));
        auto bit = [&](uint32_t i) { return choice[i / 8] >> i % 8 & 1; };
        auto check = [&](auto f, uint32_t upto, const char *what) {
            for (uint32_t i = 0; i < n; i++)
                if (!same_value(d.GetValue(i), i < upto ? f(i) : T(77), 0))
                    fail_msg("%s element %u", what, i);
            fill(d, marker);
        };
        fill(d, marker);
        auto tensors = [&](uint32_t i) { return bit(i) ? a[i] : b[i]; };
        auto scalar = [&](uint32_t i) { return bit(i) ? a[i] : T(-1); };
        auto repeated = [&](uint32_t i) { return bit(i % lanes) ? a[i] : b[i]; };
        const BinaryRepeatParams packed{1, 1, 1, 8, 8, 8};
        Select(d, u, s, t, SELMODE::VSEL_TENSOR_TENSOR_MODE, n - 5);
        check(tensors, n - 5, "mode 2 count");
        Select(d, u, s, T(-1), SELMODE::VSEL_TENSOR_SCALAR_MODE, n - 5);
        check(scalar, n - 5, "mode 1 count");
        Select(d, u, s, t, SELMODE::VSEL_CMPMASK_SPR, n - 5);
        check(repeated, n - 5, "mode 0 count");
        Select(d, u, s, t, SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t(lanes), 2, packed);
        check(tensors, 2 * lanes, "mode 2");
        Select(d, u, s, T(-1), SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t(lanes), 3, packed);
        check(scalar, n, "mode 1");
        Select(d, u, s, t, SELMODE::VSEL_CMPMASK_SPR, uint64_t(lanes), 3, packed);
        check(repeated, n, "mode 0");
    });
}
static void select(void **)
{
    select_of<half>();
    select_of<float>();
}

/* One step of a grid of `step`, as RoundMode says. */
static double round_to(double x, double step, RoundMode m)
{
    const double q = x / step, f = std::floor(q);
    switch (m) {
    case RoundMode::CAST_FLOOR:
        return f * step;
    case RoundMode::CAST_CEIL:
        return std::ceil(q) * step;
    case RoundMode::CAST_ROUND:
        return std::round(q) * step;
    case RoundMode::CAST_TRUNC:
        return std::trunc(q) * step;
    case RoundMode::CAST_ODD:
        return q == f ? x : (std::fmod(f, 2) ? f : f + 1) * step;
    default:
        return std::nearbyint(q) * step;
    }
}
/* Step of a float format with m mantissa bits and least exponent e_min at x. */
static double step_at(double x, int m, int e_min)
{
    int e;
    std::frexp(x, &e);
    e = e - 1 < e_min ? e_min : e - 1;
    return std::ldexp(1.0, e - m);
}
template <class D> static D rounded(double x, RoundMode m)
{
    if (x != x)
        return std::is_integral_v<D> ? D(0) : D(NAN);
    if constexpr (std::is_integral_v<D>) {
        const double lo = double(std::numeric_limits<D>::min()),
                     hi = double(std::numeric_limits<D>::max());
        const double y = std::isinf(x) ? x : round_to(x, 1, m);
        return y <= lo   ? std::numeric_limits<D>::min()
               : y >= hi ? std::numeric_limits<D>::max()
                         : D(y);
    } else if (std::isinf(x) || x == 0) {
        return D(x);
    } else if constexpr (std::is_same_v<D, half>) {
        return D(round_to(x, step_at(x, 10, -14), m));
    } else if constexpr (std::is_same_v<D, bfloat16_t>) {
        return D(round_to(x, step_at(x, 7, -126), m));
    } else {
        return D(round_to(x, step_at(x, 23, -126), m));
    }
}

template <class S> static std::vector<S> cast_inputs(size_t n)
{
    std::vector<S> v(n);
    uint32_t seed = 99;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        if constexpr (std::is_integral_v<S>) {
            v[i] = S(int64_t(int32_t(seed)) >> (i % 32)); /* all magnitudes */
        } else {
            const double x = double(int32_t(seed)) / double(1u << (i % 31)) / 8;
            v[i] = i % 5 ? S(x) : S(double(int(seed >> 24)) - 128.5); /* and ties */
        }
    }
    if constexpr (!std::is_integral_v<S>) {
        v[0] = S(0);
        v[1] = S(INFINITY);
        v[2] = S(NAN);
        v[3] = S(2.5);
        v[4] = S(-3.5);
    }
    return v;
}

/* In double, but the integers of 64 bits. */
template <class D, class S> static D cast_want(S x, RoundMode m)
{
    if constexpr (std::is_integral_v<S> && std::is_integral_v<D>)
        return int64_t(x) > int64_t(std::numeric_limits<D>::max())   ? std::numeric_limits<D>::max()
               : int64_t(x) < int64_t(std::numeric_limits<D>::min()) ? std::numeric_limits<D>::min()
                                                                     : D(x);
    else if constexpr (std::is_integral_v<S>)
        return rounded<D>(double(x), m);
    else if constexpr (std::is_same_v<D, float> && std::is_same_v<S, float>)
        return std::isfinite(x) ? float(round_to(x, 1, m)) + 0.0f : x; /* to an integer, in place */
    else
        return rounded<D>(double(float(x)), m);
}

template <class D, class S> static void cast_of(std::initializer_list<RoundMode> modes)
{
    const uint32_t wide_bytes = sizeof(D) > sizeof(S) ? sizeof(D) : sizeof(S);
    const uint32_t lanes = 256 / wide_bytes, n = 2 * lanes + 13;
    const std::vector<S> in = cast_inputs<S>(n);
    for (RoundMode m : modes) {
        std::vector<D> count(n), repeat(2 * lanes), want(n);
        for (uint32_t i = 0; i < n; i++)
            want[i] = cast_want<D>(in[i], m);
        run_well([&] {
            LocalMemAllocator<> ub;
            LocalTensor<D> d = ub.Alloc<D>(n);
            LocalTensor<S> s = ub.Alloc<S>(n);
            fill(s, in);
            Cast(d, s, m, n);
            count = read(d, n);
            fill(d, std::vector<D>(n, D(55)));
            Cast(d, s, m, uint64_t(lanes - 3), 2,
                 UnaryRepeatParams{1, 1, uint8_t(8 * sizeof(D) / wide_bytes),
                                   uint8_t(8 * sizeof(S) / wide_bytes)});
            repeat = read(d, 2 * lanes);
        });
        char name[64];
        std::snprintf(name, sizeof name, "Cast %s to %s mode %d",
                      npu_types[nputwin::type_of<S>].name, npu_types[nputwin::type_of<D>].name,
                      int(m));
        expect(count, want, name);
        want.resize(2 * lanes);
        for (uint32_t i = 0; i < 2 * lanes; i++)
            if (i % lanes >= lanes - 3)
                want[i] = D(55);
        expect(repeat, want, name);
    }
}
static void cast(void **)
{
    using R = RoundMode;
    const auto five = {R::CAST_RINT, R::CAST_FLOOR, R::CAST_CEIL, R::CAST_ROUND, R::CAST_TRUNC};
    const auto five_none = {R::CAST_RINT,  R::CAST_FLOOR, R::CAST_CEIL,
                            R::CAST_ROUND, R::CAST_TRUNC, R::CAST_NONE};
    cast_of<float, half>({R::CAST_NONE});
    cast_of<float, bfloat16_t>({R::CAST_NONE});
    cast_of<half, int8_t>({R::CAST_NONE});
    cast_of<half, uint8_t>({R::CAST_NONE});
    cast_of<float, int16_t>({R::CAST_NONE});
    cast_of<int64_t, int32_t>({R::CAST_NONE});
    cast_of<int16_t, int32_t>({R::CAST_NONE});
    cast_of<int32_t, int64_t>({R::CAST_NONE});
    cast_of<half, int16_t>(five_none);
    cast_of<float, int32_t>(five_none);
    cast_of<float, int64_t>(five);
    cast_of<int8_t, half>(five_none);
    cast_of<uint8_t, half>(five_none);
    cast_of<int16_t, half>(five);
    cast_of<int32_t, half>(five);
    cast_of<int32_t, bfloat16_t>(five);
    cast_of<int16_t, float>(five);
    cast_of<int32_t, float>(five);
    cast_of<int64_t, float>(five);
    cast_of<float, float>(five);
    cast_of<half, float>({R::CAST_RINT, R::CAST_FLOOR, R::CAST_CEIL, R::CAST_ROUND, R::CAST_TRUNC,
                          R::CAST_NONE, R::CAST_ODD});
    cast_of<bfloat16_t, float>(five);
}
/* More lanes than a repeat has is no mask; in counter mode it is a number of elements. */
static void masks_of_too_many_lanes(void **)
{
    static LocalTensor<half> x, y;
    const auto place = [] {
        x = LocalTensor<half>(TPosition::VECCALC, 0, 1024);
        y = LocalTensor<half>(TPosition::VECCALC, 4096, 1024);
        Duplicate(x, half(1), 1024);
    };
    run_fails(
        [&] {
            place();
            Adds(y, x, half(1), uint64_t(129), 1, {1, 1, 8, 8});
        },
        NPU_E_ARG, {"t_facade_vec.cpp", "the mask counts 129 lanes", "128 of 2 bytes"});
    run_fails(
        [&] {
            place();
            WholeReduceMax(y, x, -1, 1, 1, 1, 8);
        },
        NPU_E_ARG, {"lanes; a repeat has 128"});
    run_fails([] { SetVectorMask<half>(200); }, NPU_E_ARG, {"the mask counts 200 lanes"});
    run_well([&] {
        place();
        SetMaskCount();
        SetVectorMask<half>(200);
        Adds<half, false>(y, x, half(1), uint64_t(0), 1, {1, 1, 8, 8});
        Adds(y, x, half(1), uint64_t(300), 1, {1, 1, 8, 8});
        assert_true(float(y.GetValue(299)) == 2);
    });
}
static void cast_refusals(void **)
{
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<float> f = ub.Alloc<float>(64);
            LocalTensor<half> h = ub.Alloc<half>(64);
            Cast(h, f, RoundMode::CAST_HYBRID, 64);
        },
        NPU_E_ARG, {"Cast", "7", "CAST_ODD"});
}

/* ---- reductions, Brcb, Copy
 * ---------------------------------------------------------------------------- */

template <class T> static T tree_sum(std::vector<T> v)
{
    while (v.size() > 1) {
        for (size_t i = 0; i < v.size() / 2; i++)
            v[i] = T(float(v[2 * i]) + float(v[2 * i + 1]));
        v.resize(v.size() / 2);
    }
    return v[0];
}

template <class T> static void reduce_of()
{
    const uint32_t lanes = 256 / sizeof(T), blk = 32 / sizeof(T), n = 2 * lanes;
    std::vector<T> in = numbers<T>(n, 6);
    in[3] = T(20.0);
    in[11] = T(-20.5);
    in[9] = in[40] = T(300.0); /* two maxima in one repeat: the lower index wins */
    for (T &x : in)
        x = T(double(float(x)) +
              0.0); /* no -0: sums and maxima of zeros would differ in sign only */
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> d = ub.Alloc<T>(256), s = ub.Alloc<T>(n);
        fill(s, in);
        const std::vector<T> marker(256, T(77));
        auto again = [&] { fill(d, marker); };
        auto part = [&](uint32_t at, uint32_t len) {
            return std::vector<T>(in.begin() + at, in.begin() + at + len);
        };
        auto best = [&](uint32_t at, uint32_t len, bool max) {
            uint32_t k = 0;
            for (uint32_t i = 1; i < len; i++)
                if (max ? in[at + i] > in[at + k] : in[at + i] < in[at + k])
                    k = i;
            return k;
        };
        auto index_bits =
            [&](uint32_t at) { /* an index in the place of a value */
                               return uint32_t(
                                   sizeof(T) == 2
                                       ? d.template ReinterpretCast<uint16_t>().GetValue(at)
                                       : d.template ReinterpretCast<uint32_t>().GetValue(at));
            };

        again();
        WholeReduceSum(d, s, int32_t(lanes), 2, 3, 1, 8);
        assert_true(d.GetValue(0) == tree_sum(part(0, lanes)));
        assert_true(d.GetValue(3) == tree_sum(part(lanes, lanes)));
        assert_true(d.GetValue(1) == T(77) && d.GetValue(4) == T(77));
        again();
        ReduceRepeat<ReduceType::SUM>(d, s, int32_t(lanes), 2, 1, 1, 8);
        assert_true(d.GetValue(1) == tree_sum(part(lanes, lanes)));

        for (bool max : {true, false}) {
            const uint32_t k0 = best(0, lanes, max), k1 = best(lanes, lanes, max);
            auto call = [&](ReduceOrder order) {
                again();
                if (max)
                    WholeReduceMax(d, s, int32_t(lanes), 2, 1, 1, 8, order);
                else
                    WholeReduceMin(d, s, int32_t(lanes), 2, 1, 1, 8, order);
            };
            call(ReduceOrder::ORDER_VALUE_INDEX);
            assert_true(d.GetValue(0) == in[k0] && d.GetValue(2) == in[lanes + k1]);
            assert_int_equal(index_bits(1), k0);
            assert_int_equal(index_bits(3), k1);
            call(ReduceOrder::ORDER_INDEX_VALUE);
            assert_true(d.GetValue(1) == in[k0] && d.GetValue(3) == in[lanes + k1]);
            assert_int_equal(index_bits(0), k0);
            call(ReduceOrder::ORDER_ONLY_VALUE);
            assert_true(d.GetValue(0) == in[k0] && d.GetValue(1) == in[lanes + k1]);
            call(ReduceOrder::ORDER_ONLY_INDEX);
            assert_int_equal(d.template ReinterpretCast<uint32_t>().GetValue(0), k0);
            assert_int_equal(d.template ReinterpretCast<uint32_t>().GetValue(1), k1);
            again();
            if (max)
                ReduceRepeat<ReduceType::MAX>(d, s, int32_t(lanes), 1, 1, 1, 8);
            else
                ReduceRepeat<ReduceType::MIN>(d, s, int32_t(lanes), 1, 1, 1, 8);
            assert_true(d.GetValue(0) == in[k0]);
            again();
            if (max)
                BlockReduceMax(d, s, 2, int32_t(lanes), 1, 1, 8);
            else
                BlockReduceMin(d, s, 2, int32_t(lanes), 1, 1, 8);
            for (uint32_t b = 0; b < 16; b++)
                assert_true(d.GetValue(b) == in[b * blk + best(b * blk, blk, max)]);
            again();
            if (max)
                ReduceDataBlock<ReduceType::MAX>(d, s, int32_t(lanes), 1, 1, 1, 8);
            else
                ReduceDataBlock<ReduceType::MIN>(d, s, int32_t(lanes), 1, 1, 1, 8);
            assert_true(d.GetValue(7) == in[7 * blk + best(7 * blk, blk, max)]);
        }
        again();
        BlockReduceSum(d, s, 2, int32_t(3 * blk), 2, 1,
                       8); /* blks without a lane keep their result */
        for (uint32_t b = 0; b < 3; b++) {
            assert_true(d.GetValue(b) == tree_sum(part(b * blk, blk)));
            assert_true(d.GetValue(16 + b) == tree_sum(part(lanes + b * blk, blk)));
        }
        assert_true(d.GetValue(3) == T(77) && d.GetValue(8) == T(77));
        again();
        ReduceDataBlock<ReduceType::SUM>(d, s, int32_t(lanes), 1, 1, 1, 8);
        assert_true(d.GetValue(7) == tree_sum(part(7 * blk, blk)));
        WholeReduceMax(d, s, 0, 2, 1, 1, 8); /* nothing to do */
    });
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<T> t = ub.Alloc<T>(256);
            WholeReduceSum(t, t, 64, 256, 1, 1, 8);
        },
        NPU_E_ARG, {"256", "0..255"});
}
static void reduce(void **)
{
    reduce_of<half>();
    reduce_of<float>();
}

template <class T> static void brcb_of()
{
    const uint32_t blk = 32 / sizeof(T);
    const std::vector<T> in = numbers<T>(64, 8);
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> d = ub.Alloc<T>(64 * blk), s = ub.Alloc<T>(64);
        fill(s, in);
        fill(d, std::vector<T>(64 * blk, T(77)));
        Brcb(d, s, 2, {2, 20});
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t b = 0; b < 8; b++)
                for (uint32_t e = 0; e < blk; e++) {
                    assert_true(
                        same_value(d.GetValue((r * 20 + b * 2) * blk + e), in[r * 8 + b], 0));
                    assert_true(d.GetValue((r * 20 + b * 2 + 1) * blk + e) == T(77));
                }
    });
}
static void brcb(void **)
{
    brcb_of<half>();
    brcb_of<bfloat16_t>();
    brcb_of<int16_t>();
    brcb_of<uint16_t>();
    brcb_of<float>();
    brcb_of<int32_t>();
    brcb_of<uint32_t>();
}

template <class T> static void copy_of()
{
    const uint32_t n = 1024, lanes = 256 / sizeof(T), blk = 32 / sizeof(T);
    const std::vector<T> in = numbers<T>(n, 8);
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> d = ub.Alloc<T>(n), s = ub.Alloc<T>(n);
        fill(s, in);
        auto again = [&] { fill(d, std::vector<T>(n, T(77))); };
        again();
        Copy(d, s, lanes, 3, {1, 1, 8, 8});
        for (uint32_t i = 0; i < n; i++)
            assert_true(same_value(d.GetValue(i), i < 3 * lanes ? in[i] : T(77), 0));
        again();
        Copy(d, s, BITS, 2, {1, 1, 8, 8});
        for (uint32_t i = 0; i < 2 * lanes; i++)
            assert_true(
                same_value(d.GetValue(i), (BITS[i % lanes / 64] >> i % 64 & 1) ? in[i] : T(77), 0));
        again();
        SetMaskCount(); /* here the register counts the elements of each repeat */
        SetVectorMask<T, MaskMode::COUNTER>(int32_t(10 * blk));
        Copy<T, false>(d, s, MASK_PLACEHOLDER, 1, {1, 2, 8, 8});
        SetMaskNorm();
        ResetMask();
        for (uint32_t b = 0; b < 10; b++)
            for (uint32_t e = 0; e < blk; e++)
                assert_true(same_value(d.GetValue(b * blk + e), in[2 * b * blk + e], 0));
        assert_true(d.GetValue(10 * blk) == T(77));
    });
}
static void copy(void **)
{
    copy_of<half>();
    copy_of<bfloat16_t>();
    copy_of<int16_t>();
    copy_of<uint16_t>();
    copy_of<float>();
    copy_of<int32_t>();
    copy_of<uint32_t>();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_sub_mul_div),
        cmocka_unit_test(max_min_and_or),
        cmocka_unit_test(unary),
        cmocka_unit_test(with_scalar),
        cmocka_unit_test(axpy),
        cmocka_unit_test(shift_rounding),
        cmocka_unit_test(duplicate),
        cmocka_unit_test(trigonometry),
        cmocka_unit_test(operators),
        cmocka_unit_test(mask_register),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(compare),
        cmocka_unit_test(select),
        cmocka_unit_test(cast),
        cmocka_unit_test(masks_of_too_many_lanes),
        cmocka_unit_test(cast_refusals),
        cmocka_unit_test(reduce),
        cmocka_unit_test(brcb),
        cmocka_unit_test(copy),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

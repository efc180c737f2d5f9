/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_scalar.cpp - half, bfloat16_t, fp8 and hifloat8_t: every spelling that kernels use, and
 * every value against a reference that knows nothing of the code under test.
 *
 * The reference is the sorted list of all finite values of a format, made from its definition; a
 * conversion is right when it picks the nearest one, with the format's own rule for ties.
 */
#include "kernel.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>

/* ---- what must hold at compile time -------------------------------------------------- */

static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2 && sizeof(hifloat8_t) == 1);
static_assert(std::is_trivially_default_constructible_v<half>);
static_assert(std::is_trivially_copyable_v<half> && std::is_standard_layout_v<half>);
static_assert(std::is_same_v<decltype(half(1) + half(2)), half>);
static_assert(std::is_same_v<decltype(half(1) + 2), half>);
static_assert(std::is_same_v<decltype(half(1) * 0.5f), float>);
static_assert(std::is_same_v<decltype(half(1) * 0.5), double>);
static_assert(std::is_same_v<decltype(2 - half(1)), half>);
/* Without a header and without std; a program's own min stays the better match. */
static_assert(min(3u, 2u) == 2u && max(3u, 2u) == 3u && max(-1, 2) == 2 && min(0.5f, 1) == 0.5f);
static_assert(min(uint64_t(1) << 40, 7) == 7 && std::is_same_v<decltype(max(1, 2.0f)), float>);
namespace own {
using namespace std;
template <class T> constexpr T max(T, T) { return T(77); }
static_assert(min(4, 5) == 4 && max(1, 2) == 77);
} // namespace own
static_assert(half(1) + half(2) == half(3) && half(1) < 2 && 0.5 < half(1));
static_assert(half(0.1) == half(0.1f) && -half(1) == half(-1) && +half(1) == 1);
static_assert(float(half(65504)) == 65504.0f && float(half(65520)) == INFINITY);
static_assert(half::from_bits(0x3c00) == half(1));
static_assert(std::numeric_limits<half>::max() == half(65504));
static_assert(std::numeric_limits<half>::lowest() == half(-65504));
static_assert(std::numeric_limits<half>::epsilon() == half(0x1p-10));
static_assert(std::numeric_limits<half>::min() == half(0x1p-14));
static_assert(std::numeric_limits<half>::denorm_min() == half(0x1p-24));
static_assert(std::numeric_limits<bfloat16_t>::epsilon() == bfloat16_t(0x1p-7));
static_assert(std::numeric_limits<half>::is_specialized && std::numeric_limits<half>::digits == 11);
static_assert(float(fp8_e5m2_t(57344)) == 57344.0f && float(fp8_e4m3fn_t(1000)) == 448.0f);
static_assert(hifloat8_t(0.0).bits() == 0 && (-hifloat8_t(0.0)).bits() == 0);

union word {
    half h;
    uint16_t u;
};
static int takes(int) { return 1; }
static int takes(float) { return 2; }

static void spellings(void **)
{
    half x = 3;
    half y{1.5};
    half zero(0);
    half w = 0.01;
    const half rows[] = {1, 2.5f, half(3), (half)0.001};
    half many[4] = {};
    int j = x;
    word u;

    u.h = half(1);
    assert_int_equal(u.u, 0x3c00);
    assert_int_equal(j, 3);
    assert_int_equal(static_cast<int>(y), 1);
    assert_int_equal(takes(1), 1);
    assert_int_equal(takes(x), 2);
    assert_int_equal(half(many[0]).bits(), 0);
    assert_int_equal(w.bits(), 0x211f); /* 0.01 rounded once */
    assert_int_equal(rows[3].bits(), 0x1419);
    assert_true(static_cast<half>(2.0) == 2);
    assert_true(rows[1] == 2.5);
    assert_false(zero);
    assert_true(bool(x));
    assert_true((x ? y : zero) == y);
    assert_true(std::abs(-y) == 1.5f);
    assert_true(std::max(x, y) == x && std::sqrt(half(4)) == 2.0f);
    x += 1;
    x -= half(0.5);
    x *= 2.0f;
    x /= 7;
    assert_true(x == 1);
    assert_true(x++ == 1 && x == 2 && --x == 1);

    uint16_t bits = 0x4200;
    half from;
    std::memcpy(&from, &bits, sizeof from);
    assert_true(from == 3);
    half sorted[] = {3, 1, 2};
    std::sort(sorted, sorted + 3);
    assert_true(sorted[0] == 1 && sorted[2] == 3);
    assert_true(bfloat16_t(half(1.5)) == 1.5f && half(bfloat16_t(2)) == 2);
    assert_true(std::isnan(float(std::numeric_limits<half>::quiet_NaN())));
    assert_true(std::numeric_limits<bfloat16_t>::infinity() > bfloat16_t(3e38f));
    assert_int_equal(fp8_e4m3fn_t(1.0625f).bits(), 0x38); /* a tie goes to even */
    assert_int_equal(fp8_e5m2_t(70000.0f).bits(), 0x7c);
}

/* ---- all values ---------------------------------------------------------------------- */

/* Finite positive values of a sign-exponent-mantissa format, by code. */
static std::vector<double> ieee_values(int e_bits, int m_bits, int n_codes)
{
    const int bias = (1 << (e_bits - 1)) - 1;
    std::vector<double> v;

    for (int code = 0; code < n_codes; code++) {
        const int e = code >> m_bits, m = code & ((1 << m_bits) - 1);
        v.push_back(e ? std::ldexp(1 + std::ldexp(m, -m_bits), e - bias)
                      : std::ldexp(m, 1 - bias - m_bits));
    }
    return v;
}

enum tie { TO_EVEN, AWAY };

/* Code of the nearest value; over half a step above the last one is `beyond`. */
static unsigned nearest(const std::vector<double> &v, double x, tie rule, unsigned beyond)
{
    const double last = v.back(), step = last - v[v.size() - 2];
    if (x >= last + step / 2)
        return beyond;
    if (x >= last)
        return unsigned(v.size() - 1);
    const size_t hi = size_t(std::upper_bound(v.begin(), v.end(), x) - v.begin()), lo = hi - 1;
    const double middle = (v[lo] + v[hi]) / 2;
    if (x != middle)
        return unsigned(x < middle ? lo : hi);
    return unsigned(rule == AWAY ? hi : lo % 2 ? hi : lo);
}

template <class T>
static void check_near(const std::vector<double> &v, double x, tie rule, unsigned beyond)
{
    const unsigned want = nearest(v, x, rule, beyond), got = T(x).bits();
    if (got != want)
        fail_msg("%.17g became 0x%x, expected 0x%x", x, got, want);
}

/* Decodes every code; encodes every value, every middle, and a step to both sides of it. */
template <class T> static void sweep(const std::vector<double> &v, tie rule, unsigned beyond)
{
    for (size_t i = 0; i < v.size(); i++) {
        assert_true(double(float(T::from_bits(typename T::store(i)))) == v[i]);
        check_near<T>(v, v[i], rule, beyond);
        if (i + 1 == v.size())
            break;
        const double middle = (v[i] + v[i + 1]) / 2;
        check_near<T>(v, middle, rule, beyond);
        check_near<T>(v, std::nextafter(middle, 0), rule, beyond);
        check_near<T>(v, std::nextafter(middle, 1e300), rule, beyond);
        assert_int_equal(T(float(v[i])).bits(), T(v[i]).bits());
    }
}

static void sweep_half(void **) { sweep<half>(ieee_values(5, 10, 0x7c00), TO_EVEN, 0x7c00); }
static void sweep_bf16(void **) { sweep<bfloat16_t>(ieee_values(8, 7, 0x7f80), TO_EVEN, 0x7f80); }
static void sweep_e5m2(void **) { sweep<fp8_e5m2_t>(ieee_values(5, 2, 0x7c), TO_EVEN, 0x7c); }
static void sweep_e4m3(void **) { sweep<fp8_e4m3fn_t>(ieee_values(4, 3, 0x7f), TO_EVEN, 0x7e); }

/* HiFloat8 is not ordered by code: the reference is a list of (value, code). */
static void sweep_hif8(void **)
{
    struct entry {
        double value;
        unsigned code;
    };
    std::vector<entry> all = {{0, 0}};
    auto add = [&](unsigned prefix, int e, int m_bits) {
        for (int m = 0; m < 1 << m_bits; m++)
            all.push_back({std::ldexp(1 + std::ldexp(m, -m_bits), e), prefix | unsigned(m)});
    };
    for (unsigned m = 1; m < 8; m++)
        all.push_back({std::ldexp(1.0, int(m) - 23), m});
    add(0x08, 0, 3);
    for (unsigned s = 0; s < 2; s++) {
        const int sign = s ? -1 : 1;
        add(0x10 | s << 3, sign, 3);
        for (int e = 2; e < 4; e++)
            add(0x20 | s << 4 | unsigned(e - 2) << 3, sign * e, 3);
        for (int e = 4; e < 8; e++)
            add(0x40 | s << 4 | unsigned(e - 4) << 2, sign * e, 2);
        for (int e = 8; e < 16; e++)
            add(0x60 | s << 4 | unsigned(e - 8) << 1, sign * e, 1);
    }
    all.erase(std::find_if(all.begin(), all.end(), [](const entry &x) { return x.code == 0x6f; }));
    std::sort(all.begin(), all.end(),
              [](const entry &a, const entry &b) { return a.value < b.value; });
    assert_int_equal(all.size(), 127);

    auto check = [&](double x) {
        size_t i = 0;
        while (i + 1 < all.size() && x >= (all[i].value + all[i + 1].value) / 2)
            i++;
        const unsigned code = all[i].code;
        assert_int_equal(hifloat8_t(x).bits(), code);
        assert_int_equal(hifloat8_t(-x).bits(), code ? code | 0x80 : 0);
    };
    for (size_t i = 0; i < all.size(); i++) {
        assert_true(double(float(hifloat8_t::from_bits(uint8_t(all[i].code)))) == all[i].value);
        check(all[i].value);
        if (i + 1 == all.size())
            break;
        const double middle = (all[i].value + all[i + 1].value) / 2;
        check(middle);
        check(std::nextafter(middle, 0));
        check(std::nextafter(middle, 1e300));
    }
    check(1e30);
    assert_int_equal(hifloat8_t(INFINITY).bits(), 0x6f);
    assert_int_equal(hifloat8_t(-INFINITY).bits(), 0xef);
    assert_int_equal(hifloat8_t(NAN).bits(), 0x80);
    assert_int_equal(hifloat8_t(-NAN).bits(), 0x80);
    assert_true(std::isnan(float(hifloat8_t::from_bits(0x80))));
}

static void signs_and_specials(void **)
{
    assert_int_equal(half(-0.0).bits(), 0x8000);
    assert_int_equal(half(-1.0f).bits(), 0xbc00);
    assert_int_equal(half(-INFINITY).bits(), 0xfc00);
    assert_int_equal(bfloat16_t(-INFINITY).bits(), 0xff80);
    assert_true(std::isnan(float(half(NAN))));
    assert_true(std::isnan(float(bfloat16_t(NAN))));
    assert_true(std::isnan(float(fp8_e4m3fn_t(NAN))));
    for (unsigned i = 0x7c01; i < 0x8000; i++)
        assert_true(std::isnan(float(half::from_bits(uint16_t(i)))));
    assert_true(float(half::from_bits(0x7c00)) == INFINITY);
}

/* Integers that a double does not hold still round once. */
static void wide_integers(void **)
{
    const int64_t odd = (int64_t(1) << 62) + (int64_t(1) << 54) + 1; /* just above a tie of bf16 */
    assert_true(float(bfloat16_t(odd)) == std::ldexp(1 + std::ldexp(1.0, -7), 62));
    assert_true(float(bfloat16_t(odd - 1)) == std::ldexp(1.0, 62));
    assert_true(float(bfloat16_t(-odd)) == -std::ldexp(1 + std::ldexp(1.0, -7), 62));
    assert_true(float(bfloat16_t(uint64_t(-1))) == std::ldexp(1.0, 64));
    assert_true(half(int64_t(2049)) == half(2048.0));
    assert_true(half(int64_t(2051)) == half(2052.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings),     cmocka_unit_test(sweep_half),
        cmocka_unit_test(sweep_bf16),    cmocka_unit_test(sweep_e5m2),
        cmocka_unit_test(sweep_e4m3),    cmocka_unit_test(sweep_hif8),
        cmocka_unit_test(wide_integers), cmocka_unit_test(signs_and_specials),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

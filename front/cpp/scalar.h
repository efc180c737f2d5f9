/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar.h - half, bfloat16_t, fp8 and hifloat8_t as classes over their bits.
 *
 * Apart from the compiler's _Float16, which has no std:: overloads, no bfloat16 twin in gcc 12
 * and another excess precision in gcc 13. Rules: every operation computes in float (or double)
 * and rounds once; everything is constexpr; the types stay trivial, so unions, memcpy and UB
 * arrays of them work. The only implicit way out is to float.
 *
 * To add a format: a struct with store, encode(double), decode(store) and four limits, then one
 * using line and its numeric_limits. tests/unit/t_facade_scalar.cpp sweeps all of them.
 */
#ifndef NPU_FRONT_SCALAR_H
#define NPU_FRONT_SCALAR_H
#include <cstdint>
#include <limits>
#include <type_traits>

namespace nputwin {

constexpr uint32_t float_bits(float f) { return __builtin_bit_cast(uint32_t, f); }
constexpr float bits_float(uint32_t u) { return __builtin_bit_cast(float, u); }

/* 2^e, -1022 <= e <= 1023. */
constexpr double pow2(int e) { return __builtin_bit_cast(double, uint64_t(e + 1023) << 52); }

/* Any arithmetic value as a double that still rounds right: a 64-bit integer with more than 53
 * significant bits keeps a sticky last bit instead of being rounded here. */
template <class A> constexpr double widen(A a)
{
    if constexpr (std::is_integral_v<A> && sizeof(A) == 8) {
        const bool negative = a < 0;
        uint64_t mag = negative ? 0 - uint64_t(a) : uint64_t(a);
        int drop = 0;
        if (mag >> 54) {
            drop = 10;
            mag = mag >> drop | ((mag & ((1u << drop) - 1)) != 0);
        }
        return (negative ? -1.0 : 1.0) * double(mag) * pow2(drop);
    } else {
        return double(a);
    }
}

/* Sign, E exponent bits, M mantissa bits. WITH_INF: the last exponent holds infinity and NaN as
 * in IEEE 754; otherwise only all ones is NaN, and what overflows saturates (OCP E4M3FN). */
template <class Store, int E, int M, bool WITH_INF> struct ieee_format {
    using store = Store;
    static constexpr int bias = (1 << (E - 1)) - 1;
    static constexpr uint32_t sign_bit = 1u << (E + M);
    static constexpr uint32_t all_ones = sign_bit - 1;
    static constexpr uint32_t inf_bits = ((1u << E) - 1) << M;
    static constexpr uint32_t overflow = WITH_INF ? inf_bits : all_ones - 1;
    static constexpr Store max_bits = Store(WITH_INF ? inf_bits - 1 : all_ones - 1);
    static constexpr Store min_bits = Store(1u << M);
    static constexpr Store nan_bits = Store(WITH_INF ? inf_bits | 1u << (M - 1) : all_ones);
    static constexpr int digits = M + 1;

    /* To nearest, ties to even. */
    static constexpr Store encode(double d)
    {
        const uint64_t bits = __builtin_bit_cast(uint64_t, d);
        const uint32_t sign = bits >> 63 ? sign_bit : 0;
        const int exponent = int(bits >> 52 & 2047);
        uint64_t man = bits & ((uint64_t(1) << 52) - 1);
        if (exponent == 2047)
            return Store(sign | (man ? nan_bits : overflow));
        man |= uint64_t(exponent != 0) << 52;
        int e = exponent - 1023 + bias, drop = 52 - M;
        if (e <= 0) {
            drop += 1 - e;
            e = 0;
        }
        if (drop > 54)
            return Store(sign);
        const uint64_t rest = man & ((uint64_t(1) << drop) - 1), half_ulp = uint64_t(1)
                                                                            << (drop - 1);
        uint32_t q = uint32_t(man >> drop);
        q += rest > half_ulp || (rest == half_ulp && (q & 1));
        const uint32_t v = e ? (uint32_t(e - 1) << M) + q : q;
        return Store(sign | (v > overflow ? overflow : v));
    }
    static constexpr float decode(Store s)
    {
        const uint32_t v = s, mag = v & all_ones, e = mag >> M;
        const uint32_t sign = v & sign_bit ? 0x80000000u : 0;
        if (WITH_INF ? mag > inf_bits : mag == all_ones)
            return bits_float(sign | 0x7fc00000u | mag << (23 - M));
        if (WITH_INF && mag == inf_bits)
            return bits_float(sign | 0x7f800000u);
        if (E == 8)
            return bits_float(sign | mag << (23 - M));
        if (e == 0)
            return float(mag) * (sign ? -1.0f : 1.0f) * float(pow2(1 - bias - M));
        return bits_float(sign | ((mag << (23 - M)) + (uint32_t(127 - bias) << 23)));
    }
};

/* HiFloat8: the dot field says how many bits the exponent has and how many the mantissa keeps.
 * To nearest, ties away from zero; what overflows saturates; one zero, one NaN (0x80). */
struct hif8_format {
    using store = uint8_t;
    static constexpr uint8_t max_bits = 0x6e, min_bits = 0x7e, nan_bits = 0x80, inf_bits = 0x6f;
    static constexpr int digits = 4;

    static constexpr int man_bits(int e_mag) { return e_mag < 4 ? 3 : e_mag < 8 ? 2 : 1; }
    static constexpr uint8_t encode(double d)
    {
        const uint64_t bits = __builtin_bit_cast(uint64_t, d);
        const uint8_t sign = bits >> 63 ? 0x80 : 0;
        const uint64_t man = bits & ((uint64_t(1) << 52) - 1);
        int e = int(bits >> 52 & 2047) - 1023;
        if (e == 1024)
            return man ? nan_bits : uint8_t(sign | inf_bits);
        if (e < -23)
            return 0;
        if (e < -15) { /* powers of two only: step over the middle to the next one */
            const int code = e + 23 + int(man >> 51);
            return uint8_t(sign | (code == 0 ? 1 : code == 8 ? min_bits : code));
        }
        int keep = man_bits(e < 0 ? -e : e);
        uint64_t q = ((uint64_t(1) << 52 | man) + (uint64_t(1) << (51 - keep))) >> (52 - keep);
        if (q >> (keep + 1)) {
            e++;
            q = 0;
        }
        if (e > 15 || (e == 15 && q & 1))
            return uint8_t(sign | max_bits);
        const int e_mag = e < 0 ? -e : e;
        keep = man_bits(e_mag);
        return uint8_t(sign | field(e, e_mag) | (q & ((1u << keep) - 1)));
    }
    /* Dot field, exponent sign and exponent without its leading one, in place. */
    static constexpr uint32_t field(int e, int e_mag)
    {
        const uint32_t s = e < 0;
        if (e_mag == 0)
            return 0x08;
        if (e_mag == 1)
            return 0x10 | s << 3;
        if (e_mag < 4)
            return 0x20 | s << 4 | (e_mag & 1u) << 3;
        if (e_mag < 8)
            return 0x40 | s << 4 | (e_mag & 3u) << 2;
        return 0x60 | s << 4 | (e_mag & 7u) << 1;
    }
    static constexpr float decode(uint8_t v)
    {
        const float sign = v & 0x80 ? -1.0f : 1.0f;
        const uint32_t c = v & 0x7f;
        if (v == nan_bits)
            return bits_float(0x7fc00000u);
        if (c == inf_bits)
            return bits_float(sign < 0 ? 0xff800000u : 0x7f800000u);
        if (c < 8)
            return c ? sign * float(pow2(int(c) - 23)) : 0.0f;
        int e_mag = 0, e_sign = 0;
        if (c >= 0x60)
            e_mag = 8 | int(c >> 1 & 7), e_sign = int(c >> 4 & 1);
        else if (c >= 0x40)
            e_mag = 4 | int(c >> 2 & 3), e_sign = int(c >> 4 & 1);
        else if (c >= 0x20)
            e_mag = 2 | int(c >> 3 & 1), e_sign = int(c >> 4 & 1);
        else if (c >= 0x10)
            e_mag = 1, e_sign = int(c >> 3 & 1);
        const int keep = man_bits(e_mag);
        const float m = float(c & ((1u << keep) - 1)) / float(1u << keep);
        return sign * (1.0f + m) * float(pow2(e_sign ? -e_mag : e_mag));
    }
};

/* Structs, not aliases: a compiler's message then says small_float<f16_format>. */
struct f16_format : ieee_format<uint16_t, 5, 10, true> {};
struct bf16_format : ieee_format<uint16_t, 8, 7, true> {};
struct e5m2_format : ieee_format<uint8_t, 5, 2, true> {};
struct e4m3fn_format : ieee_format<uint8_t, 4, 3, false> {};

template <class Format> class small_float {
public:
    using store = typename Format::store;
    store bits_; /* public: memcpy over it is then no -Wclass-memaccess */

    small_float() = default;
    template <class A, class = std::enable_if_t<std::is_arithmetic_v<A>>>
    constexpr small_float(A a) : bits_(from(a))
    {
    }
    template <class Other, class = std::enable_if_t<!std::is_same_v<Other, Format>>>
    constexpr explicit small_float(small_float<Other> o) : bits_(from(float(o)))
    {
    }
    static constexpr small_float from_bits(store b)
    {
        small_float t{};
        t.bits_ = b;
        return t;
    }
    constexpr store bits() const { return bits_; }

    constexpr operator float() const
    {
#ifdef __F16C__
        if constexpr (is_half)
            if (!__builtin_is_constant_evaluated())
                return __builtin_ia32_vcvtph2ps(shorts{short(bits_)})[0];
#endif
        return Format::decode(bits_);
    }
    template <class A,
              class = std::enable_if_t<std::is_arithmetic_v<A> && !std::is_same_v<A, float>>>
    constexpr explicit operator A() const
    {
        return A(float(*this));
    }

    constexpr small_float operator+() const { return *this; }
    constexpr small_float operator-() const
    {
        if constexpr (std::is_same_v<Format, hif8_format>)
            return small_float(-float(*this)); /* HiFloat8 has no -0: those bits are its NaN */
        return from_bits(store(bits_ ^ (store(1) << (8 * sizeof(store) - 1))));
    }
    constexpr small_float &operator++() { return *this = *this + 1; }
    constexpr small_float &operator--() { return *this = *this - 1; }
    constexpr small_float operator++(int)
    {
        small_float old = *this;
        ++*this;
        return old;
    }
    constexpr small_float operator--(int)
    {
        small_float old = *this;
        --*this;
        return old;
    }

/* half o half and half o int stay half; with float or double the wider type wins. */
#define NPU_SMALL_OP(o)                                                                            \
    friend constexpr small_float operator o(small_float a, small_float b)                          \
    {                                                                                              \
        return small_float(float(a) o float(b));                                                   \
    }                                                                                              \
    template <class A, class = std::enable_if_t<std::is_arithmetic_v<A>>>                          \
    friend constexpr auto operator o(small_float a, A b)                                           \
    {                                                                                              \
        if constexpr (std::is_floating_point_v<A>)                                                 \
            return float(a) o b;                                                                   \
        else                                                                                       \
            return a o small_float(b);                                                             \
    }                                                                                              \
    template <class A, class = std::enable_if_t<std::is_arithmetic_v<A>>>                          \
    friend constexpr auto operator o(A a, small_float b)                                           \
    {                                                                                              \
        if constexpr (std::is_floating_point_v<A>)                                                 \
            return a o float(b);                                                                   \
        else                                                                                       \
            return small_float(a) o b;                                                             \
    }                                                                                              \
    template <class A> constexpr small_float &operator o## = (A b)                                 \
    {                                                                                              \
        return *this = small_float(*this o b);                                                     \
    }
    NPU_SMALL_OP(+)
    NPU_SMALL_OP(-)
    NPU_SMALL_OP(*)
    NPU_SMALL_OP(/)
#undef NPU_SMALL_OP

private:
    static constexpr bool is_half = std::is_same_v<Format, f16_format>;
#ifdef __F16C__
    typedef float floats __attribute__((vector_size(16)));
    typedef short shorts __attribute__((vector_size(16)));
#endif
    template <class A> static constexpr store from(A a)
    {
#ifdef __F16C__
        /* Only values that a float holds exactly: anything else would round twice. */
        if constexpr (is_half && (std::is_same_v<A, float> || sizeof(A) <= 2))
            if (!__builtin_is_constant_evaluated())
                return store(__builtin_ia32_vcvtps2ph(floats{float(a)}, 0)[0]);
#endif
        return Format::encode(widen(a));
    }
};

/* What std::numeric_limits says about a small float. */
template <class T, class Format> struct small_limits {
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false;
    static constexpr bool is_exact = false, has_quiet_NaN = true, is_bounded = true;
    static constexpr bool is_iec559 = false, is_modulo = false, has_signaling_NaN = false;
    static constexpr int radix = 2, digits = Format::digits;
    static constexpr int digits10 = (digits - 1) * 3 / 10, max_digits10 = digits * 3 / 10 + 2;
    static constexpr T max() { return T::from_bits(Format::max_bits); }
    static constexpr T lowest() { return -max(); }
    static constexpr T min() { return T::from_bits(Format::min_bits); }
    static constexpr T denorm_min() { return T::from_bits(1); }
    static constexpr T epsilon() { return T(pow2(1 - digits)); }
    static constexpr T round_error() { return T(0.5); }
    static constexpr T quiet_NaN() { return T::from_bits(Format::nan_bits); }
};
template <class T, class Format> struct small_limits_inf : small_limits<T, Format> {
    static constexpr bool has_infinity = true;
    static constexpr T infinity() { return T::from_bits(typename Format::store(Format::inf_bits)); }
};
template <class T, class Format> struct small_limits_no_inf : small_limits<T, Format> {
    static constexpr bool has_infinity = false;
    static constexpr T infinity() { return T::from_bits(0); }
};

} // namespace nputwin

using half = nputwin::small_float<nputwin::f16_format>;
using bfloat16_t = nputwin::small_float<nputwin::bf16_format>;
using _bf16_ = bfloat16_t; /* what the driver writes for __bf16, a word of C++ compilers too */
using fp8_e5m2_t = nputwin::small_float<nputwin::e5m2_format>;
using fp8_e4m3fn_t = nputwin::small_float<nputwin::e4m3fn_format>;
using hifloat8_t = nputwin::small_float<nputwin::hif8_format>;
/* Two a byte, the lower half first: tensors count them, copies move them, Cast looks at them. */
struct int4b_t {
    std::int8_t storage;
};
/* Types of dav-3510 that sources for both chips name; no instruction of this version takes them. */
struct fp8_e8m0_t {
    std::uint8_t bits;
};
struct fp4x2_e2m1_t {
    std::uint8_t bits;
};
struct fp4x2_e1m2_t {
    std::uint8_t bits;
};
namespace AscendC {
using ::fp4x2_e1m2_t;
using ::fp4x2_e2m1_t;
using ::fp8_e8m0_t;
using ::int4b_t;
} // namespace AscendC

/* min and max of numbers, which the compiler brings without a header. Two types, so that a
 * program's own min, or std::min behind `using namespace std`, is the better match and never
 * ambiguous. */
namespace nputwin::builtin {
template <class T, class U>
constexpr std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U>,
                           std::common_type_t<T, U>>(min)(T a, U b)
{
    using V = std::common_type_t<T, U>;
    return V(b) < V(a) ? V(b) : V(a);
}
template <class T, class U>
constexpr std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U>,
                           std::common_type_t<T, U>>(max)(T a, U b)
{
    using V = std::common_type_t<T, U>;
    return V(a) < V(b) ? V(b) : V(a);
}
} // namespace nputwin::builtin
using namespace nputwin::builtin;

template <>
struct std::numeric_limits<half> : nputwin::small_limits_inf<half, nputwin::f16_format> {};
template <>
struct std::numeric_limits<bfloat16_t>
    : nputwin::small_limits_inf<bfloat16_t, nputwin::bf16_format> {};
template <>
struct std::numeric_limits<fp8_e5m2_t>
    : nputwin::small_limits_inf<fp8_e5m2_t, nputwin::e5m2_format> {};
template <>
struct std::numeric_limits<fp8_e4m3fn_t>
    : nputwin::small_limits_no_inf<fp8_e4m3fn_t, nputwin::e4m3fn_format> {};
template <>
struct std::numeric_limits<hifloat8_t>
    : nputwin::small_limits_inf<hifloat8_t, nputwin::hif8_format> {};

#endif

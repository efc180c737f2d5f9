/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_fuse.cpp - calls that compute and convert in one go, in every form: a count, a number of
 * lanes, bits of lanes, counter mode, and the mask register alone.
 *
 * Expected values are computed here in double from the formulas of the pages.
 */
#include "kernel.hpp"
#include "../../front/c/asc_simd.h"
#include <cmath>
#include <functional>

using namespace AscendC;

enum { ROOM = 1024, DST_ROOM = 2048, COUNT = 333, REPEATS = 3, FIRST = 37, COUNTED = 150 };
static const uint64_t BITS[2] = {0x8421fffe12345671u, 0xf0f0f0f00f0f0f0fu};

template <class T> static std::vector<T> numbers(size_t n, uint32_t seed)
{
    std::vector<T> v(n);
    for (T &x : v) {
        seed = seed * 1664525u + 1013904223u;
        const int i = int(seed >> 16 & 4095) - 2048;
        if constexpr (sizeof(T) == 4 && std::is_integral_v<T>)
            x = T(i * 1000003);
        else if constexpr (std::is_integral_v<T>)
            x = T(seed & 1 ? i : i / 16);
        else
            x = T(double(i) / 16);
    }
    return v;
}
template <class T> static void fill(const LocalTensor<T> &t, const std::vector<T> &v)
{
    for (size_t i = 0; i < v.size(); i++)
        t.SetValue(uint32_t(i), v[i]);
}
template <class T> static std::vector<T> read(const LocalTensor<T> &t)
{
    std::vector<T> v(DST_ROOM);
    for (uint32_t i = 0; i < DST_ROOM; i++)
        v[i] = t.GetValue(i);
    return v;
}

/* Where lane l of repeat r stands. */
template <class T>
static size_t place(uint32_t lanes_per_blk, uint32_t r, uint32_t l, uint32_t blk, uint32_t rep)
{
    return (size_t(r) * rep + l / lanes_per_blk * blk) * (32 / sizeof(T)) + l % lanes_per_blk;
}

/* The five forms. put: lanes that share a blk of dst, where its results begin in it. */
template <class D, class S> struct forms {
    const char *name;
    std::function<double(double, double, uint32_t lane)> f; /* rounded to D at the end */
    uint32_t per_blk = 32 / sizeof(D), at = 0;
    std::vector<S> a = numbers<S>(ROOM, 1), b = numbers<S>(ROOM, 2);

    void check(const std::vector<D> &got, bool contiguous,
               std::function<bool(uint32_t, uint32_t)> on)
    {
        constexpr uint32_t lanes = 256 / sizeof(S);
        const uint32_t blk = contiguous ? 1 : 2;
        const uint32_t rep = contiguous ? lanes / per_blk : 17;
        std::vector<D> want(DST_ROOM, D(77));
        for (uint32_t r = 0; r < ROOM / lanes; r++)
            for (uint32_t l = 0; l < lanes; l++)
                if (on(r, l)) {
                    const size_t i = r * lanes + l;
                    want[at + place<D>(per_blk, r, l, blk, rep)] =
                        D(f(double(a[i]), double(b[i]), l));
                }
        assert_same(got, want, name);
    }
    /* how(dst, a, b, form): form 0 count, 1 lanes, 2 bits, 3 register. */
    template <class Call> void run(Call how)
    {
        constexpr uint32_t lanes = 256 / sizeof(S);
        std::vector<D> got[5];
        run_well([&] {
            LocalMemAllocator<> ub;
            LocalTensor<D> d = ub.Alloc<D>(DST_ROOM);
            LocalTensor<S> s = ub.Alloc<S>(ROOM), t = ub.Alloc<S>(ROOM);
            fill(s, a);
            fill(t, b);
            for (int form = 0; form < 5; form++) {
                fill(d, std::vector<D>(DST_ROOM, D(77)));
                if (form == 3)
                    SetVectorMask<S>(BITS[1], BITS[0]);
                if (form == 4) {
                    SetMaskCount();
                    SetVectorMask<S, MaskMode::COUNTER>(COUNTED);
                }
                how(d, s, t, form < 3 ? form : 3);
                SetMaskNorm();
                ResetMask();
                got[form] = read(d);
            }
        });
        const auto bits = [](uint32_t, uint32_t l) { return BITS[l / 64] >> l % 64 & 1; };
        const auto three = [](uint32_t r) { return r < REPEATS; };
        check(got[0], true, [](uint32_t r, uint32_t l) { return r * lanes + l < COUNT; });
        check(got[1], false, [&](uint32_t r, uint32_t l) { return three(r) && l < FIRST; });
        check(got[2], false, [&](uint32_t r, uint32_t l) { return three(r) && bits(r, l); });
        check(got[3], false, [&](uint32_t r, uint32_t l) { return three(r) && bits(r, l); });
        check(got[4], false, [](uint32_t r, uint32_t l) { return r * lanes + l < COUNTED; });
    }
};

static const BinaryRepeatParams BINARY(2, 1, 1, 17, 8, 8);
static const UnaryRepeatParams UNARY(2, 1, 17, 8);

/* Halves round on the way; NaN does not occur. */
template <class S> static double of_source(double x)
{
    if constexpr (std::is_same_v<S, int16_t>)
        return std::fmin(std::fmax(x, -32768.0), 32767.0);
    else
        return double(float(S(x)));
}
template <class D> static double narrowed(double x)
{
    if constexpr (sizeof(D) == 1) {
        const double low = std::is_signed_v<D> ? -128 : 0, high = std::is_signed_v<D> ? 127 : 255;
        return std::fmin(std::fmax(std::nearbyint(x), low), high);
    } else {
        return x;
    }
}

#define CHECK_FUSED(D, S, name, expr)                                                              \
    do {                                                                                           \
        forms<D, S> w{#name " " #S " " #D,                                                         \
                      [](double a, double b, uint32_t) { return narrowed<D>(expr); }};             \
        w.run([](auto &d, auto &s, auto &t, int form) {                                            \
            if (form == 0)                                                                         \
                name(d, s, t, COUNT);                                                              \
            else if (form == 1)                                                                    \
                name(d, s, t, uint64_t(FIRST), REPEATS, BINARY);                                   \
            else if (form == 2)                                                                    \
                name(d, s, t, BITS, REPEATS, BINARY);                                              \
            else                                                                                   \
                name<D, S, false>(d, s, t, MASK_PLACEHOLDER, REPEATS, BINARY);                     \
        });                                                                                        \
    } while (0)

static void relu_cast(void **)
{
    CHECK_FUSED(int8_t, half, AddReluCast, std::fmax(of_source<half>(a + b), 0));
    CHECK_FUSED(int8_t, int16_t, AddReluCast, std::fmax(of_source<int16_t>(a + b), 0));
    CHECK_FUSED(half, float, AddReluCast, std::fmax(of_source<float>(a + b), 0));
    CHECK_FUSED(int8_t, half, SubReluCast, std::fmax(of_source<half>(a - b), 0));
    CHECK_FUSED(int8_t, int16_t, SubReluCast, std::fmax(of_source<int16_t>(a - b), 0));
    CHECK_FUSED(half, float, SubReluCast, std::fmax(of_source<float>(a - b), 0));
}
static void mul_cast(void **)
{
    CHECK_FUSED(int8_t, half, MulCast, of_source<half>(a * b));
    CHECK_FUSED(uint8_t, half, MulCast, of_source<half>(a * b));
}

static void add_deq_relu(void **)
{
    forms<half, int32_t> w{"AddDeqRelu", [](double a, double b, uint32_t) {
                               const int64_t sum = int64_t(a) + int64_t(b);
                               return std::fmax(double(int32_t(uint32_t(sum))) * 0.00048828125, 0);
                           }};
    w.run([](auto &d, auto &s, auto &t, int form) {
        SetDeqScale(half(0.00048828125f));
        if (form == 0)
            AddDeqRelu(d, s, t, COUNT);
        else if (form == 1)
            AddDeqRelu(d, s, t, uint64_t(FIRST), REPEATS, BINARY);
        else if (form == 2)
            AddDeqRelu<true>(d, s, t, BITS, REPEATS, BINARY);
        else
            AddDeqRelu<half, int32_t, false>(d, s, t, MASK_PLACEHOLDER, REPEATS, BINARY);
    });
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<int32_t> s = ub.Alloc<int32_t>(64);
            AddDeqRelu(ub.Alloc<half>(64), s, s, 64);
        },
        NPU_E_ARG, {"AddDeqRelu", "SetDeqScale"});
}

/* The two halves of a blk are two calls; the other half keeps what it held. */
template <class D, bool is_vector, bool is_high> static void cast_dequant_of()
{
    const auto scale = [](uint32_t l) { return is_vector ? 0.25 * (1 + l % 16) : 0.75; };
    const auto offset = [](uint32_t l) { return is_vector ? int(l % 16) * 30 - 256 : -100; };
    forms<D, int16_t> w{"CastDequant", [&](double a, double, uint32_t l) {
                            return narrowed<D>(a * scale(l) + offset(l));
                        }};
    w.per_blk = 16;
    w.at = is_high ? 16 : 0;
    w.run([&](auto &d, auto &s, auto &, int form) {
        LocalTensor<uint64_t> vdeq(TPosition::VECCALC, 180224, 16);
        VdeqInfo info;
        for (uint32_t k = 0; k < 16; k++) {
            info.vdeqScale[k] = float(scale(k));
            info.vdeqOffset[k] = int16_t(offset(k));
            info.vdeqSignMode[k] = std::is_signed_v<D>;
        }
        if constexpr (is_vector)
            SetDeqScale(vdeq, info);
        else
            SetDeqScale(float(scale(0)), int16_t(offset(0)), std::is_signed_v<D>);
        if (form == 0)
            CastDequant<D, int16_t, is_vector, is_high>(d, s, COUNT);
        else if (form == 1)
            CastDequant<D, int16_t, true, is_vector, is_high>(d, s, FIRST, REPEATS, UNARY);
        else if (form == 2)
            CastDeq<D, int16_t, true, is_vector, is_high>(d, s, BITS, REPEATS, UNARY);
        else
            CastDequant<D, int16_t, false, is_vector, is_high>(d, s, MASK_PLACEHOLDER, REPEATS,
                                                               UNARY);
    });
}
static void cast_dequant(void **)
{
    cast_dequant_of<int8_t, false, false>();
    cast_dequant_of<uint8_t, false, true>();
    cast_dequant_of<int8_t, true, true>();
    cast_dequant_of<uint8_t, true, false>();
    forms<half, int32_t> w{"CastDequant", [](double a, double, uint32_t) { return a * 0.125; }};
    w.run([](auto &d, auto &s, auto &, int form) {
        SetDeqScale(half(0.125f));
        if (form == 0)
            CastDeq<half, int32_t>(d, s, COUNT);
        else if (form == 1)
            CastDequant<half, int32_t>(d, s, FIRST, REPEATS, UNARY);
        else if (form == 2)
            CastDequant<half, int32_t>(d, s, BITS, REPEATS, UNARY);
        else
            CastDequant<half, int32_t, false>(d, s, MASK_PLACEHOLDER, REPEATS, UNARY);
    });
}
static void dequant_refusals(void **)
{
    run_fails(
        [] {
            LocalTensor<uint64_t> vdeq(TPosition::VECCALC, 16, 16);
            SetDeqScale(vdeq, VdeqInfo());
        },
        NPU_E_ALIGN, {"SetDeqScale", "byte 16", "128 bytes"});
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<int16_t> s = ub.Alloc<int16_t>(256);
            SetDeqScale(1.0f, 0, true);
            CastDequant<int8_t, int16_t, false, true>(s.ReinterpretCast<int8_t>()[16], s, 128);
        },
        NPU_E_ALIGN, {"vdeqs16", "byte 16"});
}

/* The page's own example, and its sums for 3 columns; mask and strides of dst. */
template <bool repeat_mode> static void bilinear_of(uint32_t h, uint32_t v, uint32_t blk, bool bits)
{
    const uint32_t n = h * v, row = 128 * blk + 16;
    std::vector<half> got;
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<half> dst = ub.Alloc<half>(v * row), x = ub.Alloc<half>(n * 128);
        LocalTensor<half> weights = ub.Alloc<half>(n * 8);
        LocalTensor<uint32_t> at = ub.Alloc<uint32_t>(n * 8);
        LocalTensor<uint8_t> tmp = ub.Alloc<uint8_t>(n * 256 * 9);
        for (uint32_t i = 0; i < n * 128; i++)
            x.SetValue(i, half(float(i % 29)));
        for (uint32_t i = 0; i < n * 8; i++) {
            weights.SetValue(i, half(float(i % 11) - 5));
            at.SetValue(i, (n * 8 - 1 - i) * 32);
        }
        for (uint32_t i = 0; i < v * row; i++)
            dst.SetValue(i, half(77.0f));
        if (bits)
            BilinearInterpolation(dst, x, at, weights, BITS, uint8_t(h), repeat_mode, uint16_t(blk),
                                  uint16_t(row), uint8_t(v), tmp);
        else
            BilinearInterpolation(dst, x, at, weights, uint64_t(FIRST), uint8_t(h), repeat_mode,
                                  uint16_t(blk), uint16_t(row), uint8_t(v), tmp);
        got.resize(v * row);
        for (uint32_t i = 0; i < v * row; i++)
            got[i] = dst.GetValue(i);
    });
    std::vector<half> want(v * row, half(77.0f));
    for (uint32_t y = 0; y < v; y++)
        for (uint32_t l = 0; l < 128; l++) {
            float sum = 0; /* integers below 2048: exact in halves too */
            for (uint32_t k = 0; k < h; k++) {
                const uint32_t r = y * h + k, src = (n * 8 - 1 - (r * 8 + l / 16)) * 16 + l % 16;
                const float product =
                    float(src % 29) * (float((repeat_mode ? r * 8 + l / 16 : r) % 11) - 5);
                sum = k ? sum + product : product;
            }
            if (bits ? BITS[l / 64] >> l % 64 & 1 : l < FIRST)
                want[y * row + l / 16 * blk * 16 + l % 16] = half(sum);
        }
    assert_same(got, want, "BilinearInterpolation");
}
static void bilinear(void **)
{
    bilinear_of<false>(2, 2, 1, true);
    bilinear_of<true>(2, 2, 1, false);
    bilinear_of<true>(3, 2, 2, true);
    bilinear_of<false>(1, 3, 2, false);
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<half> x = ub.Alloc<half>(256);
            BilinearInterpolation(x, x, ub.Alloc<uint32_t>(8), x, uint64_t(128), 1, false, 1, 100,
                                  1, ub.Alloc<uint8_t>(4096));
        },
        NPU_E_ARG, {"BilinearInterpolation", "vROffset 100"});
}

/* Halves to 4 bits in each rounding, and back; bits of lanes in pairs, as the page wants them. */
static void cast_int4(void **)
{
    const double in[] = {1.5, -1.5, 2.5, -2.5, 100, -100, 0.25, -0.25};
    const int want[][8] = {{2, -2, 2, -2, 7, -8, 0, 0},  {2, -2, 2, -2, 7, -8, 0, 0},
                           {1, -2, 2, -3, 7, -8, 0, -1}, {2, -1, 3, -2, 7, -8, 1, 0},
                           {2, -2, 3, -3, 7, -8, 0, 0},  {1, -1, 2, -2, 7, -8, 0, 0}};
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<half> x = ub.Alloc<half>(512), back = ub.Alloc<half>(512);
        LocalTensor<int8_t> y = ub.Alloc<int8_t>(512);
        const LocalTensor<int4b_t> nibbles = y.ReinterpretCast<AscendC::int4b_t>();
        const auto at = [&](uint32_t i) {
            const int v = uint8_t(y.GetValue(i / 2)) >> i % 2 * 4 & 15;
            return v - (v & 8) * 2;
        };
        for (uint32_t i = 0; i < 512; i++)
            x.SetValue(i, half(in[i % 8]));
        for (int mode = 0; mode < 6; mode++) {
            for (uint32_t i = 0; i < 512; i++)
                y.SetValue(i, 0x77);
            Cast(nibbles, x, RoundMode(mode), 150u);
            for (uint32_t i = 0; i < 300; i++)
                assert_int_equal(at(i), i < 150 ? want[mode][i % 8] : 7);
        }
        for (uint32_t i = 0; i < 512; i++)
            y.SetValue(i, 0x77);
        const uint64_t pairs[2] = {0xc, 3};
        Cast(nibbles, x, RoundMode::CAST_FLOOR, pairs, 2, UnaryRepeatParams(2, 1, 5, 8));
        for (uint32_t i = 0; i < 1024; i++) { /* repeats 160 bytes apart, blks of 64 lanes 64 */
            const uint32_t l = i % 320 % 128;
            const bool on = i / 320 < 2 && i % 320 < 192 &&
                            ((i % 320 < 64 && (l == 2 || l == 3)) || (i % 320 >= 128 && l < 2));
            assert_int_equal(at(i), on ? want[2][l % 8] : 7);
        }
        Cast(nibbles, x, RoundMode::CAST_RINT, 512u);
        Cast(back, nibbles, RoundMode::CAST_NONE, 512u);
        for (uint32_t i = 0; i < 512; i++)
            assert_true(float(back.GetValue(i)) == float(want[1][i % 8]));
        for (uint32_t i = 0; i < 512; i++)
            back.SetValue(i, half(77.0f));
        Cast(back, nibbles, RoundMode::CAST_NONE, uint64_t(30), 3, UnaryRepeatParams(1, 1, 9, 2));
        for (uint32_t i = 0; i < 432; i++)
            assert_true(float(back.GetValue(i)) ==
                        (i % 144 < 30 ? float(want[1][i % 144 % 8]) : 77.0f));
    });
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<half> x = ub.Alloc<half>(64);
            Cast(x.ReinterpretCast<int4b_t>(), x, RoundMode::CAST_RINT, 33u);
        },
        NPU_E_ARG, {"count is 33", "even"});
}

/* Sizes and offsets of 4-bit tensors are in elements, half a byte each. */
static void nibble_tensors(void **)
{
    alignas(64) static uint8_t gm[128];
    for (uint32_t i = 0; i < sizeof gm; i++)
        gm[i] = uint8_t(3 * i + 1);
    run_well([] {
        LocalMemAllocator<> ub;
        LocalTensor<int4b_t> n = ub.Alloc<int4b_t>(256);
        LocalTensor<int8_t> next = ub.Alloc<int8_t>(32), bytes = n.ReinterpretCast<int8_t>();
        GlobalTensor<int4b_t> g;
        assert_int_equal(n.GetSize(), 256);
        assert_int_equal(n.GetLength(), 128);
        assert_int_equal(next.GetPhyAddr() - n.GetPhyAddr(), 128);
        assert_int_equal(n[64].GetPhyAddr() - n.GetPhyAddr(), 32);
        assert_int_equal(n.GetPhyAddr(64) - n.GetPhyAddr(), 32);
        assert_int_equal(n[64].GetSize(), 192);
        assert_int_equal(bytes.GetSize(), 128);
        assert_int_equal(bytes[32].ReinterpretCast<int4b_t>().GetSize(), 192);
        LocalTensor<int4b_t> five = n;
        five.SetSize(10);
        assert_int_equal(five.GetLength(), 5);

        g.SetGlobalBuffer(reinterpret_cast<int4b_t *>(gm), 256);
        assert_int_equal(g.GetSize(), 256);
        assert_int_equal(g[64].GetSize(), 192);
        assert_int_equal(g[64].GetPhyAddr() - g.GetPhyAddr(), 32);
        assert_int_equal(g.GetPhyAddr(64) - g.GetPhyAddr(), 32);
        assert_int_equal(g.ReinterpretCast<uint32_t>().GetSize(), 32);
        g.SetGlobalBuffer(reinterpret_cast<int4b_t *>(gm), 3);
        assert_int_equal(g.ReinterpretCast<uint32_t>().GetSize(), 0);

        for (uint32_t i = 0; i < 128; i++)
            bytes.SetValue(i, 77);
        DataCopy(n, g[64], 128);
        for (uint32_t i = 0; i < 128; i++)
            assert_int_equal(uint8_t(bytes.GetValue(i)), i < 64 ? uint8_t(3 * (i + 32) + 1) : 77);
    });
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            (void)ub.Alloc<int4b_t>(64)[3];
        },
        NPU_E_ALIGN, {"int4b_t", "offset 3", "even"});
}

/* ---- smaller forms of other calls ------------------------------------------------------- */

static void compare_integers(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        LocalTensor<int32_t> a = ub.Alloc<int32_t>(192), b = ub.Alloc<int32_t>(192);
        LocalTensor<uint8_t> d = ub.Alloc<uint8_t>(64);
        const auto bit = [&](uint32_t i) { return d.GetValue(i / 8) >> i % 8 & 1; };
        for (uint32_t i = 0; i < 192; i++) {
            a.SetValue(i, int32_t(i % 5) + 16777216);
            b.SetValue(i, int32_t(i % 3) + 16777216);
        }
        Compare(d, a, b, CMPMODE::EQ, 192u);
        for (uint32_t i = 0; i < 192; i++)
            assert_int_equal(bit(i), i % 5 == i % 3);
        Compares(d, a, int32_t(16777217), CMPMODE::EQ, uint64_t(64), 3,
                 UnaryRepeatParams(1, 1, 8, 8));
        for (uint32_t i = 0; i < 192; i++)
            assert_int_equal(bit(i), i % 5 == 1);
    });
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<int32_t> a = ub.Alloc<int32_t>(64);
            Compare(ub.Alloc<uint8_t>(32), a, a, CMPMODE::LT, 64u);
        },
        NPU_E_ARG, {"only EQ", "t_facade_fuse.cpp"});
}

/* Counts of 16-bit halves: twice the number of elements. */
static void bits_of_words(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        LocalTensor<uint32_t> a = ub.Alloc<uint32_t>(64), b = ub.Alloc<uint32_t>(64);
        LocalTensor<uint32_t> d = ub.Alloc<uint32_t>(64);
        for (uint32_t i = 0; i < 64; i++) {
            a.SetValue(i, i * 2654435761u);
            b.SetValue(i, ~i * 40503u);
            d.SetValue(i, 7);
        }
        And(d, a, b, 2 * 33);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(d.GetValue(i), i < 33 ? a.GetValue(i) & b.GetValue(i) : 7);
        Or(d, a, b, 2 * 64);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(d.GetValue(i), a.GetValue(i) | b.GetValue(i));
    });
}

/* The register has the extreme over all repeats; its index counts lanes of all of them. */
template <class T, class Index> static void extreme_register_of()
{
    run_well([] {
        constexpr uint32_t lanes = 256 / sizeof(T);
        LocalMemAllocator<> ub;
        LocalTensor<T> x = ub.Alloc<T>(4 * lanes), d = ub.Alloc<T>(64), work = ub.Alloc<T>(256);
        T value, index;
        const auto at = [&] {
            Index i;
            std::memcpy(&i, &index, sizeof i);
            return uint32_t(i);
        };
        for (uint32_t i = 0; i < 4 * lanes; i++)
            x.SetValue(i, T(float(int(i * 37 % 101) - 50)));
        x.SetValue(2 * lanes + 5, T(99.0f));
        x.SetValue(3 * lanes + 5, T(99.0f)); /* of equal ones the first */
        x.SetValue(lanes + 9, T(-99.0f));
        ReduceRepeat<ReduceType::MAX>(d, x, int32_t(lanes), 4, 1, 1, 8);
        GetReduceRepeatMaxMinSpr<T>(value, index);
        assert_true(float(value) == 99.0f && at() == 2 * lanes + 5);
        ReduceRepeat<ReduceType::MIN>(d, x, int32_t(lanes), 4, 1, 1, 8,
                                      ReduceOrder::ORDER_ONLY_VALUE);
        GetReduceMaxMinCount<T>(value, index);
        assert_true(float(value) == -99.0f && at() == lanes + 9);
        ReduceMax(d, x, work, int32_t(lanes), 1, 8, true);
        GetReduceRepeatMaxMinSpr<T>(value, index);
        assert_true(float(value) == float(d.GetValue(0)));
        ReduceSum(d, x, work, int32_t(lanes));
        assert_true(float(GetAccVal<T>()) == float(d.GetValue(0)));
    });
}
static void extreme_register(void **)
{
    extreme_register_of<half, uint16_t>();
    extreme_register_of<float, uint32_t>();
}

/* The type of the scalar as a second template argument. */
static void typed_scalars(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        LocalTensor<half> x = ub.Alloc<half>(128);
        LocalTensor<int32_t> n = ub.Alloc<int32_t>(64);
        for (uint32_t i = 0; i < 128; i++)
            x.SetValue(i, half(3.0f));
        for (uint32_t i = 0; i < 64; i++)
            n.SetValue(i, -7);
        Adds<half, half>(x, x, half(2.0f), 128);
        Muls<half, half, true>(x, x, half(2.0f), uint64_t(128), 1, UnaryRepeatParams(1, 1, 8, 8));
        Maxs<half, half>(x, x, half(1.0f), 128);
        Mins<half, half>(x, x, half(9.0f), 128);
        LeakyRelu<half, half>(x, x, half(0.5f), 128);
        ShiftLeft<int32_t, int32_t>(n, n, 2, 64);
        ShiftRight<int32_t, int32_t>(n, n, 1, 64);
        assert_true(float(x.GetValue(127)) == 9.0f && n.GetValue(63) == -14);
    });
}

/* ---- operands that leave UB in a repeat form --------------------------------------------- */

/* Each family with its second repeat beyond the end: named with its bytes and the kernel's line. */
template <class Call> static void leaves_ub(Call call, std::initializer_list<const char *> words)
{
    run_fails([&] { call(LocalTensor<half>(TPosition::VECCALC, 196608 - 512, 256)); }, NPU_E_RANGE,
              {"t_facade_fuse.cpp:", "but UB has 196608 bytes"});
    run_fails([&] { call(LocalTensor<half>(TPosition::VECCALC, 196608 - 512, 256)); }, NPU_E_RANGE,
              words);
}
static void ranges(void **)
{
    using H = const LocalTensor<half> &;
    const BinaryRepeatParams far(1, 1, 1, 16, 8, 8);
    const UnaryRepeatParams far1(1, 1, 16, 8);
    const auto at = [](uint32_t byte) { return LocalTensor<half>(TPosition::VECCALC, byte, 4096); };
    leaves_ub([&](H x) { Add(x, at(0), at(4096), uint64_t(128), 2, far); }, {"vadd", "dst"});
    leaves_ub([&](H x) { Add(at(0), x, at(4096), uint64_t(128), 3, BinaryRepeatParams()); },
              {"vadd", "src0"});
    leaves_ub([&](H x) { Exp(x, at(0), uint64_t(128), 2, far1); }, {"vexp", "dst"});
    leaves_ub([&](H x) { Muls(x, at(0), half(2.0f), uint64_t(128), 2, far1); }, {"vmuls", "dst"});
    leaves_ub([&](H x) { Axpy(at(0), x, half(2.0f), uint64_t(128), 3, UnaryRepeatParams()); },
              {"vaxpy", "src0"});
    leaves_ub([&](H x) { MulAddDst(at(0), at(4096), x, uint64_t(128), 3, BinaryRepeatParams()); },
              {"vmla", "src1"});
    leaves_ub(
        [&](H x) {
            AddReluCast(at(0).ReinterpretCast<int8_t>(), x, at(4096), uint64_t(128), 3,
                        BinaryRepeatParams(1, 1, 1, 4, 8, 8));
        },
        {"vaddreluconv", "src0"});
    leaves_ub(
        [&](H x) {
            SetDeqScale(1.0f, 0, true);
            CastDequant<int8_t, int16_t, true, false>(x.ReinterpretCast<int8_t>(),
                                                      at(0).ReinterpretCast<int16_t>(), 128, 2,
                                                      UnaryRepeatParams(1, 1, 16, 8));
        },
        {"vdeqs16", "dst"});
    leaves_ub(
        [&](H x) {
            Cast(x.ReinterpretCast<float>(), at(0), RoundMode::CAST_NONE, uint64_t(64), 2,
                 UnaryRepeatParams(1, 1, 16, 4));
        },
        {"vconv", "dst"});
    leaves_ub([&](H x) { Duplicate(x, half(1.0f), uint64_t(128), 2, 1, 16); }, {"vdup", "dst"});
    leaves_ub(
        [&](H x) {
            Compare(at(0).ReinterpretCast<uint8_t>(), x, at(4096), CMPMODE::LT, uint64_t(128), 3,
                    BinaryRepeatParams());
        },
        {"vcmp", "src0"});
    leaves_ub([&](H x) { ReduceRepeat<ReduceType::SUM>(at(0), x, int32_t(128), 2, 1, 1, 16); },
              {"vcadd", "src0"});
    leaves_ub([&](H x) { ReduceDataBlock<ReduceType::MAX>(at(0), x, int32_t(128), 2, 1, 1, 16); },
              {"vcgmax", "src0"});
    leaves_ub([&](H x) { ReducePairElem<ReduceType::SUM>(at(0), x, int32_t(128), 2, 1, 1, 16); },
              {"vcpadd", "src0"});
    leaves_ub([&](H x) { Brcb(x, at(0), 3, BrcbRepeatParams(1, 8)); }, {"vbrcb", "dst"});
    leaves_ub([&](H x) { Copy(x, at(0), uint64_t(128), 2, CopyRepeatParams(1, 1, 16, 8)); },
              {"vcopy", "dst"});
    leaves_ub([&](H x) { CreateVecIndex(x, half(0.0f), uint64_t(128), 2, 1, 16); },
              {"vindex", "dst"});
}

/* With saturation on, halves stop at the largest number and NaN is 0, at each step of a sum too:
 * the page of ReduceDataBlock works out the first blk. */
static void saturation(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        LocalTensor<half> x = ub.Alloc<half>(128), y = ub.Alloc<half>(128), d = ub.Alloc<half>(128);
        LocalTensor<float> f = ub.Alloc<float>(64);
        LocalTensor<int32_t> n = ub.Alloc<int32_t>(64);
        const float in[] = {60000, 60000, -30000, 100, INFINITY, -INFINITY, NAN, 1};
        const float added[] = {65504, 65504, -60000, 200, 65504, -65504, 0, 2};
        for (uint32_t i = 0; i < 128; i++) {
            x.SetValue(i, half(in[i % 8]));
            y.SetValue(i, half(i < 4 ? in[i] : 0.0f));
        }
        for (uint32_t i = 0; i < 64; i++) {
            f.SetValue(i, i % 2 ? 3e38f : -3e38f);
            n.SetValue(i, i % 2 ? 2000000000 : -2000000000);
        }
        SetSaturationFlag<SaturationMode::FLOAT>(true);
        Add(d, x, x, 128);
        for (uint32_t i = 0; i < 128; i++)
            assert_true(float(d.GetValue(i)) == added[i % 8]);
        ReduceDataBlock<ReduceType::SUM>(d, y, int32_t(128), 1, 1, 1, 8);
        assert_true(float(d.GetValue(0)) == float(half(65504.0f + float(half(-29900.0f)))));
        AddReluCast(d, f, f, 64);
        assert_true(float(d.GetValue(0)) == 0.0f && float(d.GetValue(1)) == 65504.0f);
        Cast(d, f, RoundMode::CAST_RINT, uint64_t(64), 1, UnaryRepeatParams(1, 1, 4, 8));
        assert_true(float(d.GetValue(0)) == -65504.0f && float(d.GetValue(1)) == 65504.0f);
        SetDeqScale(half(1.0f));
        CastDequant<half, int32_t>(d, n, 64);
        assert_true(float(d.GetValue(0)) == -65504.0f && float(d.GetValue(1)) == 65504.0f);
        SetSaturationFlag<SaturationMode::FLOAT>(false);
        Add(d, x, x, 128);
        assert_true(std::isinf(float(d.GetValue(0))) && std::isnan(float(d.GetValue(6))));
    });
}

/* ---- SetSaturationFlag<CAST>(false): what overflows keeps its lower bits ------------------ */

template <class T> static double number(T v) { return double(v); }

/* One Cast of eight values again and again; through the fast call, and through the general walk. */
template <class To, class From>
static void cuts(RoundMode round, const double (&in)[8], const double (&clamped)[8],
                 const double (&cut)[8])
{
    enum { N = 128 };
    LocalMemAllocator<> ub;
    LocalTensor<From> x = ub.Alloc<From>(N);
    LocalTensor<To> d = ub.Alloc<To>(N);
    const uint8_t wide = sizeof(From) > sizeof(To) ? sizeof(From) : sizeof(To);
    const uint8_t to = uint8_t(8 * sizeof(To) / wide), from = uint8_t(8 * sizeof(From) / wide);

    for (uint32_t i = 0; i < N; i++)
        x.SetValue(i, From(in[i % 8]));
    for (int way = 0; way < 4; way++) {
        const double *want =
            way < 2 ? clamped : cut; /* g++ 12 reads an array chosen inside [] wrongly under ASan */
        SetSaturationFlag<SaturationMode::CAST>(way < 2);
        assert_true(GetSaturationFlag<SaturationMode::CAST>() == (way < 2));
        Duplicate(d.template ReinterpretCast<int16_t>(), int16_t(3), int32_t(N * sizeof(To) / 2));
        if (way % 2)
            Cast(d, x, round, uint64_t(256 / wide), uint8_t(N * wide / 256),
                 UnaryRepeatParams(1, 1, to, from));
        else
            Cast(d, x, round, N);
        for (uint32_t i = 0; i < N; i++)
            assert_true(number(d.GetValue(i)) == want[i % 8]);
    }
    SetSaturationFlag<SaturationMode::CAST>(true);
}

/* 511 and -257 are the page's numbers: 0x1ff keeps 0xff. Infinity and NaN have no lower bits. */
static void cuts_upper_bits(void **)
{
    const double inf = INFINITY;

    run_well([&] {
        cuts<int8_t, half>(RoundMode::CAST_RINT, {511, 256, -257, 100, 128.5, inf, -inf, NAN},
                           {127, 127, -128, 100, 127, 127, -128, 0},
                           {-1, 0, -1, 100, -128, 127, -128, 0});
        cuts<uint8_t, half>(RoundMode::CAST_CEIL, {257, 256.5, -1, 100, 65504, inf, -inf, NAN},
                            {255, 255, 0, 100, 255, 255, 0, 0}, {1, 1, 255, 100, 224, 255, 0, 0});
        cuts<int16_t, half>(RoundMode::CAST_FLOOR,
                            {32768, 40000, -40000, -1.5, 65504, inf, -inf, NAN},
                            {32767, 32767, -32768, -2, 32767, 32767, -32768, 0},
                            {-32768, -25536, 25536, -2, -32, 32767, -32768, 0});
        cuts<int16_t, float>(RoundMode::CAST_TRUNC,
                             {100000.5, -100000.5, 65536, 7.9, 1e30, inf, -inf, NAN},
                             {32767, -32768, 32767, 7, 32767, 32767, -32768, 0},
                             {-31072, 31072, 0, 7, 0, 32767, -32768, 0});
        cuts<int32_t, float>(
            RoundMode::CAST_ROUND,
            {4294967296.0, 6442450944.0, -6442451456.0, 2.5, -2.5, inf, -inf, NAN},
            {2147483647, 2147483647, -2147483648.0, 3, -3, 2147483647, -2147483648.0, 0},
            {0, -2147483648.0, 2147483136, 3, -3, 2147483647, -2147483648.0, 0});
        cuts<int16_t, int32_t>(RoundMode::CAST_NONE,
                               {65535, 65536, -65537, 5, 98304, -32769, 32767, -1},
                               {32767, 32767, -32768, 5, 32767, -32768, 32767, -1},
                               {-1, 0, -1, 5, -32768, 32767, 32767, -1});
        cuts<int32_t, int64_t>(
            RoundMode::CAST_NONE,
            {4294967295.0, 4294967296.0, -4294967297.0, 5, 6442450944.0, -2147483649.0, 2147483647,
             -1},
            {2147483647, 2147483647, -2147483648.0, 5, 2147483647, -2147483648.0, 2147483647, -1},
            {-1, 0, -1, 5, -2147483648.0, 2147483647, 2147483647, -1});
    });
}

/* bfloat16 to int32_t, float to int64_t: 2^63 + 2^62 and 2^65 + 2^42. */
static void cuts_the_largest(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        LocalTensor<bfloat16_t> b = ub.Alloc<bfloat16_t>(64);
        LocalTensor<float> f = ub.Alloc<float>(64);
        LocalTensor<int32_t> w = ub.Alloc<int32_t>(64);
        LocalTensor<int64_t> q = ub.Alloc<int64_t>(64);
        const float large[] = {13835058055282163712.0f, 36893492545465614336.0f, -3e38f, INFINITY};

        for (uint32_t i = 0; i < 64; i++) {
            b.SetValue(i, bfloat16_t(i % 2 ? 3221225472.0f : -3221225472.0f));
            f.SetValue(i, large[i % 4]);
        }
        SetSaturationFlag<SaturationMode::CAST>(false);
        Cast(w, b, RoundMode::CAST_RINT, 64);
        Cast(q, f, RoundMode::CAST_RINT, 64);
        for (uint32_t i = 0; i < 64; i++) {
            const int64_t want[] = {-(int64_t(1) << 62), int64_t(1) << 42, 0, INT64_MAX};
            assert_int_equal(w.GetValue(i), i % 2 ? -1073741824 : 1073741824);
            assert_true(q.GetValue(i) == want[i % 4]);
        }
    });
}

/* Sums of indices stop where those of Adds do. */
static void indices_stop(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        LocalTensor<int16_t> s = ub.Alloc<int16_t>(128);
        LocalTensor<int32_t> w = ub.Alloc<int32_t>(128);

        for (int on = 0; on < 2; on++) {
            asc_set_ctrl(uint64_t(asc_get_ctrl()) | uint64_t(on) << 53);
            CreateVecIndex(s, int16_t(32700), 128);
            CreateVecIndex(w, int32_t(INT32_MAX - 70), 128);
            for (int i = 0; i < 128; i++) {
                assert_int_equal(s.GetValue(uint32_t(i)),
                                 on && i > 67 ? INT16_MAX : int16_t(32700 + i));
                assert_int_equal(w.GetValue(uint32_t(i)),
                                 on && i > 70 ? INT32_MAX
                                              : int32_t(uint32_t(INT32_MAX - 70) + uint32_t(i)));
            }
        }
    });
}

/* The other calls that end in an integer. 300 is 0x12c, 1000 is 0x3e8, 40 is 0x28. */
static void cuts_of_fused_calls(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        LocalTensor<half> x = ub.Alloc<half>(128), y = ub.Alloc<half>(128);
        LocalTensor<int16_t> s = ub.Alloc<int16_t>(128), t = ub.Alloc<int16_t>(128);
        LocalTensor<int8_t> d = ub.Alloc<int8_t>(256);
        LocalTensor<uint8_t> u = ub.Alloc<uint8_t>(128);
        LocalTensor<int4b_t> n = ub.Alloc<int4b_t>(256);

        Duplicate(x, half(300.0f), 128);
        Duplicate(y, half(700.0f), 128);
        Duplicate(s, int16_t(30000), 128);
        Duplicate(t, int16_t(5000), 128);
        SetSaturationFlag<SaturationMode::CAST>(false);
        AddReluCast(d, x, y, 128);
        assert_int_equal(d.GetValue(77), int8_t(0xe8));
        SubReluCast(d, y, x, 128); /* 400 = 0x190 */
        assert_int_equal(d.GetValue(77), int8_t(0x90));
        AddReluCast(d, s, t, 128); /* the sum stops at 0x7fff all the same */
        assert_int_equal(d.GetValue(77), -1);
        Duplicate(y, half(2.0f), 128);
        MulCast(u, x, y, 128); /* 600 = 0x258 */
        assert_int_equal(u.GetValue(77), 0x58);
        x.SetValue(1, half(40.0f));
        x.SetValue(2, half(INFINITY));
        Cast(n, x, RoundMode::CAST_RINT, 128);
        const uint8_t *pairs = (const uint8_t *)n.GetPhyAddr();
        assert_int_equal(pairs[0], 0x8c); /* 0x12c, then 0x28 */
        assert_int_equal(pairs[1], 0xc7); /* infinity still clamps */
        SetDeqScale(1.0f, 3, true);
        CastDequant<int8_t, int16_t, false, false>(d, s, 128); /* 30003 = 0x7533 */
        assert_int_equal(d.GetValue(0), 0x33);
        SetSaturationFlag<SaturationMode::CAST>(true);
        CastDequant<int8_t, int16_t, false, false>(d, s, 128);
        assert_int_equal(d.GetValue(0), 127);
        AddReluCast(d, s, t, 128);
        assert_int_equal(d.GetValue(77), 127);
    });
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(cuts_upper_bits),
        cmocka_unit_test(cuts_the_largest),
        cmocka_unit_test(cuts_of_fused_calls),
        cmocka_unit_test(indices_stop),
        cmocka_unit_test(relu_cast),
        cmocka_unit_test(mul_cast),
        cmocka_unit_test(add_deq_relu),
        cmocka_unit_test(cast_dequant),
        cmocka_unit_test(dequant_refusals),
        cmocka_unit_test(bilinear),
        cmocka_unit_test(compare_integers),
        cmocka_unit_test(bits_of_words),
        cmocka_unit_test(extreme_register),
        cmocka_unit_test(typed_scalars),
        cmocka_unit_test(cast_int4),
        cmocka_unit_test(nibble_tensors),
        cmocka_unit_test(ranges),
        cmocka_unit_test(saturation),
    };
    return cmocka_run_group_tests_name("facade fuse", tests, nullptr, nullptr);
}

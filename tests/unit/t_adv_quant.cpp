/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_adv_quant.cpp - quantisation of the high-level API: every form, and every pair of types.
 *
 * Expected values follow the steps that the pages name, each rounded by hand here in double.
 */
#include "kernel.hpp"
#include <cmath>

using namespace AscendC;

enum { ROWS = 4, ROW = 64, N = ROWS * ROW };

/* A number rounded to half, as a double. */
static double in_half(double v) { return double(float(half(v))); }
static int8_t to_s8(double v) { return int8_t(std::fmax(-128, std::fmin(127, std::nearbyint(v)))); }
template <class T> static T source(size_t i) { return T(float(int(i * 37 % 401) - 200) * 0.3125f); }
template <class T> static T scale_at(size_t i) { return T(0.25f + float(i % 32) / 64); }
template <class T> static T offset_at(size_t i) { return T(float(int(i % 7)) - 3.5f); }

template <class T> struct tensors {
    LocalTensor<T> src, scale, offset;
    LocalTensor<int8_t> dst;
    LocalTensor<uint8_t> tmp;
    explicit tensors(uint32_t tmp_bytes = 512)
    {
        LocalMemAllocator<> ub;
        dst = ub.Alloc<int8_t>(N);
        src = ub.Alloc<T>(N), scale = ub.Alloc<T>(ROW), offset = ub.Alloc<T>(ROW);
        tmp = ub.Alloc<uint8_t>(tmp_bytes);
        for (uint32_t i = 0; i < N; i++)
            src.SetValue(i, source<T>(i)), dst.SetValue(i, 77);
        for (uint32_t i = 0; i < ROW; i++)
            scale.SetValue(i, scale_at<T>(i)), offset.SetValue(i, offset_at<T>(i));
    }
};

enum kind { NUMBERS, SCALES, BOTH };
template <class T, class Call> static void quant(enum kind k, uint32_t count, Call call)
{
    std::vector<int8_t> got(N);

    run_well([&] {
        tensors<T> t;
        call(t);
        for (uint32_t i = 0; i < N; i++)
            got[i] = t.dst.GetValue(i);
    });
    for (uint32_t i = 0; i < N; i++) {
        const double s = k == NUMBERS ? in_half(0.3) : in_half(double(float(scale_at<T>(i % ROW))));
        const double o = k == BOTH ? in_half(double(float(offset_at<T>(i % ROW)))) : in_half(0.9);
        const double x = in_half(double(float(source<T>(i))));
        assert_int_equal(got[i], i < count ? to_s8(in_half(in_half(x * s) + o)) : 77);
    }
}
static constexpr AscendQuantConfig two_rows = {2 * ROW, 0, 0, 0};

template <class T> static void quant_of()
{
    quant<T>(NUMBERS, N, [](auto &t) { AscendQuant(t.dst, t.src, 0.3f, 0.9f); });
    quant<T>(NUMBERS, 96, [](auto &t) { AscendQuant(t.dst, t.src, 0.3f, 0.9f, 96); });
    quant<T>(NUMBERS, N, [](auto &t) { AscendQuant(t.dst, t.src, t.tmp, 0.3f, 0.9f); });
    quant<T>(NUMBERS, 96, [](auto &t) { AscendQuant(t.dst, t.src, t.tmp, 0.3f, 0.9f, 96); });
    quant<T>(NUMBERS, 2 * ROW,
             [](auto &t) { AscendQuant<T, false, two_rows>(t.dst, t.src, 0.3f, 0.9f); });
    quant<T>(SCALES, N, [](auto &t) { AscendQuant(t.dst, t.src, t.scale, T(0.9f)); });
    quant<T>(SCALES, 3 * ROW,
             [](auto &t) { AscendQuant(t.dst, t.src, t.scale, T(0.9f), ROW, 3 * ROW); });
    quant<T>(SCALES, N, [](auto &t) { AscendQuant(t.dst, t.src, t.tmp, t.scale, T(0.9f)); });
    quant<T>(SCALES, 3 * ROW,
             [](auto &t) { AscendQuant(t.dst, t.src, t.tmp, t.scale, T(0.9f), ROW, 3 * ROW); });
    quant<T>(BOTH, N, [](auto &t) { AscendQuant(t.dst, t.src, t.scale, t.offset); });
    quant<T>(BOTH, 3 * ROW,
             [](auto &t) { AscendQuant(t.dst, t.src, t.scale, t.offset, ROW, ROW, 3 * ROW); });
    quant<T>(BOTH, N, [](auto &t) { AscendQuant(t.dst, t.src, t.tmp, t.scale, t.offset); });
    quant<T>(BOTH, 3 * ROW, [](auto &t) {
        AscendQuant(t.dst, t.src, t.tmp, t.scale, t.offset, ROW, ROW, 3 * ROW);
    });
    run_fails(
        [] {
            tensors<T> t(256);
            AscendQuant(t.dst, t.src, t.tmp, 0.3f, 0.9f);
        },
        NPU_E_ARG, {"AscendQuant: sharedTmpBuffer has 256 bytes, at least 512"});
    run_fails(
        [] {
            tensors<T> t;
            AscendQuant(t.dst, t.src, t.scale, T(1.0f), 40, 80);
        },
        NPU_E_ARG, {"scaleCount is 40", "multiple of 32"});
}
/* Its last step is a conversion, which CTRL[59] rules: 8 * 50 + 3 is 403, 0x193. */
static void quant_cuts()
{
    run_well([] {
        tensors<half> t;
        for (uint32_t i = 0; i < N; i++)
            t.src.SetValue(i, half(i % 2 ? 8.0f : 1.0f));
        SetSaturationFlag<SaturationMode::CAST>(false);
        AscendQuant(t.dst, t.src, 50.0f, 3.0f);
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(t.dst.GetValue(i), i % 2 ? int8_t(0x93) : 53);
    });
}
static void quantise(void **)
{
    quant_of<half>();
    quant_of<float>();
    quant_cuts();
}

/* m rows of n; the first `count` of each. */
template <class D, class S, DeQuantMode mode>
static void dequant_of(uint32_t m, uint32_t n, uint32_t count, int form)
{
    const uint32_t to = (n * uint32_t(sizeof(D)) + 31) / 32 * 32 / uint32_t(sizeof(D));
    const bool is_split = mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW && m == 1 &&
                          count % (32 / sizeof(D)) == 0 && n % count == 0;
    std::vector<D> got(m * to);
    const auto number = [](size_t i) { return 0.015625f * float(i + 1) * 1.3f; };
    const auto scale = [&](size_t i) {
        if constexpr (std::is_same_v<S, uint64_t>)
            return uint64_t(0xabcd) << 32 | nputwin::bits_of(number(i));
        else
            return S(number(i));
    };
    const auto says = [&](size_t i) {
        if constexpr (std::is_same_v<S, uint64_t>)
            return number(i);
        else
            return float(S(number(i)));
    };

    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<D> d = ub.Alloc<D>(m * to);
        LocalTensor<int32_t> a = ub.Alloc<int32_t>(m * n);
        LocalTensor<S> s = ub.Alloc<S>(64);
        LocalTensor<uint8_t> tmp = ub.Alloc<uint8_t>(512);
        for (uint32_t i = 0; i < m * n; i++)
            a.SetValue(i, int32_t(i * 7919 % 30011) - 15000);
        for (uint32_t i = 0; i < 64; i++)
            s.SetValue(i, scale(i));
        const DequantParams p = {m, n, count};
        if (form == 0)
            AscendDequant<D, S, mode>(d, a, s, p);
        if (form == 1)
            AscendDequant<D, S, mode>(d, a, s, tmp, p);
        if constexpr (!std::is_same_v<S, uint64_t>) {
            if (form == 2)
                AscendDequant<D, S, mode>(d, a, scale(3), p);
            if (form == 3)
                AscendDequant<D, S, mode>(d, a, scale(3), tmp, p);
        }
        for (uint32_t i = 0; i < m * to; i++)
            got[i] = d.GetValue(i);
    });
    for (uint32_t r = 0; r < m; r++)
        for (uint32_t i = 0; i < (is_split ? n : count); i++) {
            const float x = float(int32_t((r * n + i) * 7919 % 30011) - 15000);
            const D want = D(x * says(form < 2 ? (is_split ? i % count : i) : 3));
            assert_int_equal(nputwin::bits_of(got[r * to + i]), nputwin::bits_of(want));
        }
}
template <class D, class S> static void dequant_forms(int n_forms)
{
    constexpr DeQuantMode single = DeQuantMode::DEQUANT_WITH_SINGLE_ROW,
                          multi = DeQuantMode::DEQUANT_WITH_MULTI_ROW;
    for (int form = 0; form < n_forms; form++) {
        dequant_of<D, S, single>(3, 24, 21, form);
        dequant_of<D, S, single>(1, 64, 16, form);
        dequant_of<D, S, multi>(1, 64, 16, form);
    }
}
/* The older forms: rows of 16, as many as there are scales. */
template <class D, class S> static void dequant_older()
{
    const auto number = [](size_t i) { return 0.015625f * float(i + 1) * 1.3f; };
    for (int form = 0; form < 4; form++) {
        const uint32_t count = form < 2 ? 41 : 64;
        std::vector<D> got(64);
        run_well([&] {
            LocalMemAllocator<> ub;
            LocalTensor<D> d = ub.Alloc<D>(64);
            LocalTensor<int32_t> a = ub.Alloc<int32_t>(64);
            LocalTensor<S> s = ub.Alloc<S>(16);
            LocalTensor<uint8_t> tmp = ub.Alloc<uint8_t>(512);
            for (uint32_t i = 0; i < 64; i++)
                a.SetValue(i, int32_t(i * 7919 % 30011) - 15000), d.SetValue(i, D(77.0f));
            for (uint32_t i = 0; i < 16; i++)
                if constexpr (std::is_same_v<S, uint64_t>)
                    s.SetValue(i, uint64_t(0xabcd) << 32 | nputwin::bits_of(number(i)));
                else
                    s.SetValue(i, S(number(i)));
            if (form == 0)
                AscendDequant(d, a, s, tmp, count);
            if (form == 1)
                AscendDequant<D, S>(d, a, s, count);
            if (form == 2)
                AscendDequant<D, S, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(d, a, s, tmp);
            if (form == 3)
                AscendDequant(d, a, s);
            for (uint32_t i = 0; i < 64; i++)
                got[i] = d.GetValue(i);
        });
        for (uint32_t i = 0; i < 64; i++) {
            float scale = number(i % 16);
            if constexpr (!std::is_same_v<S, uint64_t>)
                scale = float(S(scale));
            const D want = D(float(int32_t(i * 7919 % 30011) - 15000) * scale);
            assert_int_equal(nputwin::bits_of(got[i]),
                             nputwin::bits_of(i < count ? want : D(77.0f)));
        }
    }
}
static void dequantise(void **)
{
    dequant_older<half, uint64_t>();
    dequant_older<float, float>();
    dequant_older<float, bfloat16_t>();
    dequant_older<bfloat16_t, bfloat16_t>();
    dequant_older<bfloat16_t, float>();
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<float> d = ub.Alloc<float>(64), s = ub.Alloc<float>(24);
            LocalTensor<int32_t> a = ub.Alloc<int32_t>(64);
            AscendDequant(d, a, s);
        },
        NPU_E_ARG, {"AscendDequant: 64 elements, 24 scales"});

    dequant_forms<half, uint64_t>(2);
    dequant_forms<float, float>(4);
    dequant_forms<float, bfloat16_t>(4);
    dequant_forms<bfloat16_t, bfloat16_t>(4);
    dequant_forms<bfloat16_t, float>(4);
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<float> d = ub.Alloc<float>(64);
            LocalTensor<int32_t> a = ub.Alloc<int32_t>(64);
            AscendDequant(d, a, 1.0f, DequantParams{2, 24, 25});
        },
        NPU_E_ARG, {"calCount = 25", "from 1 to n"});
}

/* k = 4 rows of 64, two groups; or, transposed, 64 rows of 4 of one group each. */
template <class O> static void antiquant_of()
{
    const auto expected = [](size_t i, double s, double o) {
        const double x = double(int(i * 37 % 256) - 128);
        if (std::is_same_v<O, half>)
            return O(in_half(x + o) * s);
        return O(float(float(x + o) * float(s)));
    };
    for (int form = 0; form < 8; form++) {
        std::vector<O> got(N);
        run_well([&] {
            LocalMemAllocator<> ub;
            LocalTensor<O> d = ub.Alloc<O>(N), s = ub.Alloc<O>(2 * ROW), o = ub.Alloc<O>(2 * ROW);
            LocalTensor<int8_t> a = ub.Alloc<int8_t>(N);
            LocalTensor<uint8_t> t = ub.Alloc<uint8_t>(512);
            const AntiQuantShapeInfo two = {2, ROW, 2, ROW}, wide = {ROW, 1, ROW, 1};
            for (uint32_t i = 0; i < N; i++)
                a.SetValue(i, int8_t(int(i * 37 % 256) - 128));
            for (uint32_t i = 0; i < 2 * ROW; i++)
                s.SetValue(i, scale_at<O>(i)), o.SetValue(i, offset_at<O>(i));
            switch (form) {
            case 0:
                AscendAntiQuant<int8_t, O, false>(d, a, o, s, 4, two);
                break;
            case 1:
                AscendAntiQuant<int8_t, O, false>(d, a, o, s, t, 4, two);
                break;
            case 2:
                AscendAntiQuant<int8_t, O, true>(d, a, o, s, t, 4, wide);
                break;
            case 3:
                AscendAntiQuant<int8_t, O, false>(d, a, offset_at<O>(2), scale_at<O>(5), 4);
                break;
            case 4:
                AscendAntiQuant<int8_t, O, false>(d, a, offset_at<O>(2), scale_at<O>(5), t, 4);
                break;
            case 5:
                AscendAntiQuant<int8_t, O, false>(d, a, s, t, 4, two);
                break;
            case 6:
                AscendAntiQuant<int8_t, O, false>(d, a, scale_at<O>(5), t, 4);
                break;
            default:
                AscendAntiQuant<int8_t, O, false>(d, a, o, s, 4); /* one group */
            }
            for (uint32_t i = 0; i < N; i++)
                got[i] = d.GetValue(i);
        });
        for (uint32_t i = 0; i < N; i++) {
            const size_t group = i / ROW / 2 * ROW + i % ROW;
            const size_t at = form == 2 ? i / 4 : form == 7 ? i % ROW : group;
            const bool is_one = form == 3 || form == 4 || form == 6;
            const double s = double(float(scale_at<O>(is_one ? 5 : at)));
            const double o =
                form == 5 || form == 6 ? 0 : double(float(offset_at<O>(is_one ? 2 : at)));
            assert_int_equal(nputwin::bits_of(got[i]), nputwin::bits_of(expected(i, s, o)));
        }
    }
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<O> d = ub.Alloc<O>(N);
            LocalTensor<int8_t> a = ub.Alloc<int8_t>(N);
            AscendAntiQuant<int8_t, O, false>(d, a, O(1.0f), O(1.0f), 7);
        },
        NPU_E_ARG, {"AscendAntiQuant: 256 elements with k = 7"});
}
/* Four bits: 4 rows of 64 in two groups, and transposed 64 rows of 4 with one scale a row; the
 * shape of scale and offset comes with the call, or with the tensors. */
template <class O> static void antiquant_nibbles()
{
    for (int form = 0; form < 6; form++) {
        std::vector<O> got(N);
        run_well([&] {
            LocalMemAllocator<> ub;
            LocalTensor<O> d = ub.Alloc<O>(N), s = ub.Alloc<O>(2 * ROW), o = ub.Alloc<O>(2 * ROW);
            LocalTensor<int8_t> bytes = ub.Alloc<int8_t>(N / 2);
            LocalTensor<int4b_t> a = bytes.ReinterpretCast<int4b_t>();
            LocalTensor<uint8_t> t = ub.Alloc<uint8_t>(512);
            const AntiQuantShapeInfo two = {2, ROW, 2, ROW};
            for (uint32_t i = 0; i < N / 2; i++)
                bytes.SetValue(i, int8_t(i * 37));
            for (uint32_t i = 0; i < 2 * ROW; i++)
                s.SetValue(i, scale_at<O>(i)), o.SetValue(i, offset_at<O>(i));
            const uint32_t rows[] = {2, ROW}, columns[] = {ROW, 1};
            const ShapeInfo in_tensor(2, form == 3 ? columns : rows);
            if (form == 0)
                AscendAntiQuant<int4b_t, O, false>(d, a, o, s, t, 4, two);
            o.SetShapeInfo(in_tensor); /* that of the scales is the same when they have none */
            if (form > 1)
                s.SetShapeInfo(in_tensor);
            if (form == 1)
                AscendAntiQuant<int4b_t, O, false>(d, a, o, s, 4);
            if (form == 2)
                AscendAntiQuant<int4b_t, O, false>(d, a, s, t, 4);
            if (form == 3)
                AscendAntiQuant<int4b_t, O, true>(d, a, o, s, t, 4);
            if (form == 4)
                AscendAntiQuant<int4b_t, O, false>(d, a, offset_at<O>(2), scale_at<O>(5), 4);
            if (form == 5)
                AscendAntiQuant<int4b_t, O, false>(d, a, scale_at<O>(5), t, 4);
            for (uint32_t i = 0; i < N; i++)
                got[i] = d.GetValue(i);
        });
        for (uint32_t i = 0; i < N; i++) {
            const int nibble = int(i / 2 * 37) >> (i % 2 ? 4 : 0) & 15;
            const size_t at = form == 3 ? i / 4 : i / ROW / 2 * ROW + i % ROW;
            const double s = double(float(scale_at<O>(form > 3 ? 5 : at)));
            const double o =
                form == 2 || form == 5 ? 0 : double(float(offset_at<O>(form > 3 ? 2 : at)));
            const double x = (nibble < 8 ? nibble : nibble - 16) + o;
            const O want = std::is_same_v<O, half> ? O(in_half(x) * s) : O(float(float(x) * s));
            assert_int_equal(nputwin::bits_of(got[i]), nputwin::bits_of(want));
        }
    }
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            LocalTensor<O> d = ub.Alloc<O>(N), s = ub.Alloc<O>(2 * ROW), o = ub.Alloc<O>(ROW);
            LocalTensor<int4b_t> a = ub.Alloc<int8_t>(N / 2).ReinterpretCast<int4b_t>();
            AscendAntiQuant<int4b_t, O, false>(d, a, o, s, 4, {1, ROW, 2, ROW});
        },
        NPU_E_ARG, {"scale of [2, 64] and offset of [1, 64]"});
}
static void antiquantise(void **)
{
    antiquant_nibbles<half>();
    antiquant_nibbles<bfloat16_t>();

    antiquant_of<half>();
    antiquant_of<bfloat16_t>();
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(quantise),
        cmocka_unit_test(dequantise),
        cmocka_unit_test(antiquantise),
    };
    return cmocka_run_group_tests_name("adv_quant", tests, nullptr, nullptr);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_reduce.cpp - reductions over many repeats and the fused calls of 2201.
 *
 * Sums are compared bit by bit with a plain loop that adds in the documented order; extremes with a
 * linear search; fused values with long double arithmetic rounded once.
 */
#include "kernel.hpp"
#include <cmath>

using namespace AscendC;

namespace {

constexpr uint32_t ROOM = 9000;

static_assert(std::is_same_v<Conditional<true, half, float>::type, half> &&
              std::is_same_v<Conditional<false, half, float>::type, float>);
static_assert(DivCeil(64, 64) == 1 && DivCeil(65, 64) == 2 && DivCeil(0u, 64u) == 0u);

template <class T> T number(uint32_t i)
{
    const uint32_t r = (i + 1) * 2654435761u;
    return T((double(r >> 12 & 4095) - 2047) / 64);
}
template <class T> bool same(T a, T b)
{
    const float x = a, y = b;
    return nputwin::bits_of(a) == nputwin::bits_of(b) || (x != x && y != y);
}
template <class T> void expect(T got, T want, const char *what, uint32_t at)
{
    if (!same(got, want))
        npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "%s %u: %.9g, expected %.9g", what, at,
                  double(float(got)), double(float(want)));
}

/* The sum of n neighbours, pairs first. */
template <class T> T tree(std::vector<T> v)
{
    size_t n = 1;
    while (n < v.size())
        n *= 2;
    v.resize(n, T(-0.0f));
    for (; n > 1; n /= 2)
        for (size_t i = 0; i < n / 2; i++)
            v[i] = T(float(v[2 * i]) + float(v[2 * i + 1]));
    return v[0];
}

template <class T> struct buffers {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b, c;
    LocalTensor<T> src, dst, tmp;
    buffers()
    {
        pipe.InitBuffer(a, ROOM * sizeof(T));
        pipe.InitBuffer(b, 512 * sizeof(T));
        pipe.InitBuffer(c, 2048 * sizeof(T));
        src = a.Get<T>();
        dst = b.Get<T>();
        tmp = c.Get<T>();
        for (uint32_t i = 0; i < ROOM; i++)
            src.SetValue(i, number<T>(i));
        for (uint32_t i = 0; i < 512; i++)
            dst.SetValue(i, T(77));
    }
};

/* Count form: a tree in each 256 bytes, one after the other, each partial sum rounded. */
template <class T> void check_sum_count(void **)
{
    run_well([] {
        buffers<T> u;
        constexpr uint32_t lanes = 256 / sizeof(T);
        for (uint32_t n : {1u, 2u, 63u, 64u, 65u, 127u, 129u, 500u, 8320u, 8321u}) {
            T want = T(0);
            for (uint32_t r = 0; r < n; r += lanes) {
                std::vector<T> part;
                for (uint32_t i = r; i < n && i < r + lanes; i++)
                    part.push_back(number<T>(i));
                part.resize(lanes, T(-0.0f));
                want = r ? T(float(want) + float(tree(part))) : tree(part);
            }
            ReduceSum<T>(u.dst, u.src, u.tmp, int32_t(n));
            expect(u.dst.GetValue(0), want, "sum of the first", n);
            expect(u.dst.GetValue(1), T(77), "behind the sum of", n);
            expect(GetReduceRepeatSumSpr<T>(), want, "register after", n);
        }
        u.dst.SetValue(0, T(77));
        ReduceSum<T>(u.dst, u.src, u.tmp, 0);
        expect(u.dst.GetValue(0), T(77), "nothing", 0);
        SetMaskCount();
        SetVectorMask<T, MaskMode::COUNTER>(0, 3);
        ReduceSum<T, false>(u.dst, u.src, u.tmp, 1);
        SetMaskNorm();
        ResetMask();
        expect(u.dst.GetValue(0), tree<T>({number<T>(0), number<T>(1), number<T>(2)}), "mask", 3);
    });
}

/* High-dimensional form: trees all the way. More repeats than 255, odd bits, strides, dst = tmp. */
template <class T> void check_sum_tree(void **)
{
    run_well([] {
        buffers<T> u;
        constexpr uint32_t lanes = 256 / sizeof(T), blk = 32 / sizeof(T);
        const uint64_t odd[2] = {0x5a5a5a5a12345678ull, sizeof(T) == 2 ? 0x00ff00ff0f0f0f0full : 0};
        for (uint32_t repeats : {1u, 2u, 65u, 129u, 300u}) {
            const uint32_t stride = repeats > 100 ? 1 : 5;
            std::vector<T> sums, few;
            for (uint32_t r = 0; r < repeats; r++) {
                std::vector<T> on;
                for (uint32_t l = 0; l < lanes; l++)
                    on.push_back(odd[l / 64] >> l % 64 & 1 ? number<T>(r * stride * blk + l)
                                                           : T(-0.0f));
                sums.push_back(tree(on));
                on.clear();
                for (uint32_t l = 0; l < lanes; l++)
                    on.push_back(l < 7 ? number<T>(r * stride * blk + l) : T(-0.0f));
                few.push_back(tree(on));
            }
            while (sums.size() > 1) {
                std::vector<T> next, next_few;
                for (size_t i = 0; i < sums.size(); i += lanes) {
                    const size_t end = i + lanes < sums.size() ? i + lanes : sums.size();
                    next.push_back(
                        tree(std::vector<T>(sums.begin() + long(i), sums.begin() + long(end))));
                    next_few.push_back(
                        tree(std::vector<T>(few.begin() + long(i), few.begin() + long(end))));
                }
                sums = next;
                few = next_few;
            }
            ReduceSum<T>(u.dst, u.src, u.tmp, odd, int32_t(repeats), int32_t(stride));
            expect(u.dst.GetValue(0), sums[0], "tree of", repeats);
            expect(u.dst.GetValue(1), T(77), "behind the tree of", repeats);
            ReduceSum<T>(u.tmp, u.src, u.tmp, 7, int32_t(repeats), int32_t(stride));
            expect(u.tmp.GetValue(0), few[0], "tree in place of", repeats);
        }
        u.dst.SetValue(0, T(77));
        ReduceSum<T>(u.dst, u.src, u.tmp, 7, 0, 8);
        ReduceSum<T>(u.dst, u.src, u.tmp, 0, 3, 8);
        expect(u.dst.GetValue(0), T(77), "nothing", 0);
    });
}

template <class T> uint32_t as_index(T v) { return uint32_t(nputwin::bits_of(v)); }

template <class T> void check_extremes(void **)
{
    run_well([] {
        buffers<T> u;
        constexpr uint32_t lanes = 256 / sizeof(T), blk = 32 / sizeof(T);
        for (uint32_t n : {1u, 5u, 64u, 65u, 130u, 1000u, 8321u}) {
            uint32_t high = 0, low = 0;
            for (uint32_t i = 1; i < n; i++) {
                high = float(number<T>(i)) > float(number<T>(high)) ? i : high;
                low = float(number<T>(i)) < float(number<T>(low)) ? i : low;
            }
            ReduceMax<T>(u.dst, u.src, u.tmp, int32_t(n), true);
            expect(u.dst.GetValue(0), number<T>(high), "maximum of", n);
            expect<int>(int(as_index(u.dst.GetValue(1))), int(high), "its index of", n);
            ReduceMin<T>(u.dst, u.src, u.tmp, int32_t(n), true);
            expect(u.dst.GetValue(0), number<T>(low), "minimum of", n);
            expect<int>(int(as_index(u.dst.GetValue(1))), int(low), "its index of", n);
            u.dst.SetValue(1, T(77));
            ReduceMin<T>(u.dst, u.src, u.tmp, int32_t(n));
            expect(u.dst.GetValue(0), number<T>(low), "minimum alone of", n);
            expect(u.dst.GetValue(1), T(77), "behind the minimum of", n);
        }
        /* Odd lanes of 260 overlapping repeats: an index counts lanes, 256 bytes a repeat. */
        const uint64_t odd[2] = {0xaaaaaaaaaaaaaaaaull, 0xaaaaaaaaaaaaaaaaull};
        uint32_t at = 1;
        for (uint32_t r = 0; r < 260; r++)
            for (uint32_t l = 1; l < lanes; l += 2)
                if (float(number<T>(r * 2 * blk + l)) >
                    float(number<T>(at / lanes * 2 * blk + at % lanes)))
                    at = r * lanes + l;
        ReduceMax<T>(u.dst, u.src, u.tmp, odd, 260, 2, true);
        expect(u.dst.GetValue(0), number<T>(at / lanes * 2 * blk + at % lanes), "maximum", at);
        expect<int>(int(as_index(u.dst.GetValue(1)) & 0xffff), int(at & 0xffff), "index", at);
        /* The first NaN wins, and equal values count once. */
        u.src.SetValue(700, T(NAN));
        u.src.SetValue(900, T(NAN));
        ReduceMin<T>(u.dst, u.src, u.tmp, 2000, true);
        expect(u.dst.GetValue(0), T(NAN), "NaN", 700);
        expect<int>(int(as_index(u.dst.GetValue(1))), 700, "index of NaN", 700);
        for (uint32_t i = 0; i < 600; i++)
            u.src.SetValue(i, T(3));
        ReduceMax<T>(u.dst, u.src, u.tmp, 600, true);
        expect<int>(int(as_index(u.dst.GetValue(1))), 0, "index of equals", 0);
    });
}

template <class T> void check_pairs(void **)
{
    run_well([] {
        buffers<T> u;
        constexpr uint32_t lanes = 256 / sizeof(T), blk = 32 / sizeof(T);
        const uint64_t bits[2] = {0x00ff00f1f2f3f4f5ull, 0x123456789abcdef0ull};
        ReducePairElem<ReduceType::SUM, T, T>(u.dst, u.src, bits, 2, 2, 2, 17);
        for (uint32_t i = 0; i < 2 * lanes; i++) {
            const uint32_t r = i / lanes, pair = i % lanes, l = 2 * pair;
            T want = T(77); /* behind the half repeat that is written */
            const auto place = [&](uint32_t x) { return (r * 17 + x / blk * 2) * blk + x % blk; };
            if (pair < lanes / 2) {
                const bool a = bits[l / 64] >> l % 64 & 1, b = bits[l / 64] >> (l % 64 + 1) & 1;
                const T x = number<T>(place(l)), y = number<T>(place(l + 1));
                want = a && b ? T(float(x) + float(y)) : a ? x : b ? y : T(77);
            }
            expect(u.dst.GetValue(i), want, "pair", i);
        }
        PairReduceSum<T>(u.dst, u.src, 1, 3, 1, 1, 8); /* a number of lanes */
        expect(u.dst.GetValue(0), T(float(number<T>(0)) + float(number<T>(1))), "pair", 0);
        expect(u.dst.GetValue(1), number<T>(2), "pair", 1);
        RepeatReduceSum<T>(u.dst, u.src, 2, 3, 0, 1, 1, 8);
        expect(u.dst.GetValue(1),
               tree<T>({number<T>(lanes), number<T>(lanes + 1), number<T>(lanes + 2)}), "repeat",
               1);
    });
}

void check_refusals(void **)
{
    run_fails(
        [] {
            buffers<float> u;
            ReduceSum<float>(u.dst, u.src, u.tmp, 64, -1, 8);
        },
        NPU_E_ARG, {"ReduceSum", "repeatTime -1", "t_facade_reduce.cpp"});
    run_fails(
        [] {
            buffers<float> u;
            ReduceMax<float>(u.dst, u.src, u.tmp, 64, 1, 65536);
        },
        NPU_E_ARG, {"ReduceMax", "srcRepStride 65536"});
    run_fails(
        [] {
            buffers<float> u;
            ReduceMin<float>(u.dst, u.src, u.tmp, 60000);
        },
        NPU_E_RANGE, {"vminall", "src0", "240000 bytes"});
    run_fails(
        [] {
            buffers<float> u;
            ReduceMax<float>(u.dst[1], u.src, u.tmp, 64, true);
        },
        NPU_E_ALIGN, {"vmaxall", "dst", "multiple of 8"});
}

/* ---- fused ------------------------------------------------------------------------------ */

enum fused { ADD_RELU, SUB_RELU, MUL_ADD_DST, FUSED_MUL_ADD, MUL_ADD_RELU };
template <class T> T fused_value(fused f, T a, T b, T d)
{
    if constexpr (std::is_integral_v<T>) {
        const T sum = T(f == ADD_RELU ? a + b : a - b);
        return sum > 0 ? sum : T(0);
    } else {
        const long double x = (long double)float(a), y = (long double)float(b);
        const long double z = (long double)float(d);
        const long double sum[] = {x + y, x - y, x * y + z, x * z + y, x * z + y};
        const T r = T(double(sum[f])); /* exact in double: the numbers have 12 bits */
        const bool relu = f == ADD_RELU || f == SUB_RELU || f == MUL_ADD_RELU;
        return relu && !(float(r) > 0) ? T(0) : r;
    }
}

template <class T, class Count, class Repeat>
void try_fused(fused f, Count count_form, Repeat repeat_form)
{
    constexpr uint32_t lanes = 256 / sizeof(T), blk = 32 / sizeof(T);
    TPipe pipe;
    TBuf<TPosition::VECCALC> x, y, z;
    pipe.InitBuffer(x, 4096);
    pipe.InitBuffer(y, 4096);
    pipe.InitBuffer(z, 4096);
    LocalTensor<T> a = x.Get<T>(), b = y.Get<T>(), d = z.Get<T>();
    const uint32_t n = 4096 / sizeof(T);
    const auto old = [](uint32_t i) { return number<T>(i + 31); };
    const auto load = [&] {
        for (uint32_t i = 0; i < n; i++) {
            a.SetValue(i, number<T>(i));
            b.SetValue(i, number<T>(i + 5000));
            d.SetValue(i, old(i));
        }
    };
    load();
    count_form(d, a, b, int(n) - 3);
    for (uint32_t i = 0; i < n; i++)
        expect(d.GetValue(i),
               i < n - 3 ? fused_value(f, a.GetValue(i), b.GetValue(i), old(i)) : old(i), "count",
               i);
    load();
    const uint64_t bits[2] = {0x8421f0f05a5a00ffull, 0x0123456789abcdefull};
    repeat_form(d, a, b, bits, uint8_t(2), BinaryRepeatParams(2, 1, 3, 17, 8, 24));
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t block = i / blk, r = block / 17, l = block % 17 / 2 * blk + i % blk;
        const bool on = r < 2 && block % 17 % 2 == 0 && l < lanes && (bits[l / 64] >> l % 64 & 1);
        const T p = number<T>(r * lanes + l);
        const T q = number<T>((r * 24 + l / blk * 3) * blk + l % blk + 5000);
        expect(d.GetValue(i), on ? fused_value(f, p, q, old(i)) : old(i), "repeat", i);
    }
}
#define TRY_FUSED(T, f, name)                                                                      \
    try_fused<T>(                                                                                  \
        f, [](auto &d, auto &a, auto &b, int n) { name(d, a, b, n); },                             \
        [](auto &d, auto &a, auto &b, const uint64_t *m, uint8_t r, const BinaryRepeatParams &p) { \
            name(d, a, b, m, r, p);                                                                \
        })
template <class T> void check_fused(void **)
{
    run_well([] { TRY_FUSED(T, ADD_RELU, AddRelu); });
    run_well([] { TRY_FUSED(T, SUB_RELU, SubRelu); });
    if constexpr (!std::is_integral_v<T>) {
        run_well([] { TRY_FUSED(T, MUL_ADD_DST, MulAddDst); });
        run_well([] { TRY_FUSED(T, FUSED_MUL_ADD, FusedMulAdd); });
        run_well([] { TRY_FUSED(T, MUL_ADD_RELU, MulAddRelu); });
        run_well([] { TRY_FUSED(T, MUL_ADD_RELU, FusedMulAddRelu); });
    }
}

/* The vendor's table: a product beyond the type is infinite before the addition. */
void check_fused_limits(void **)
{
    run_well([] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> x;
        pipe.InitBuffer(x, 512);
        LocalTensor<half> a = x.Get<half>(), d = a[64];
        a.SetValue(0, half(65504.0f));
        d.SetValue(0, half(-INFINITY));
        MulAddDst(d, a, a, 1);
        expect(d.GetValue(0), half(NAN), "MAX * MAX - inf", 0);
        d.SetValue(0, half(-65504.0f));
        MulAddDst(d, a, a, 1);
        expect(d.GetValue(0), half(INFINITY), "MAX * MAX + MIN", 0);
    });
}

/* Halves added to floats: 64 lanes a repeat, sources of 4 blks. */
void check_wide_mul_add(void **)
{
    run_well([] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> x, y, z;
        pipe.InitBuffer(x, 1024);
        pipe.InitBuffer(y, 1024);
        pipe.InitBuffer(z, 2048);
        LocalTensor<half> a = x.Get<half>(), b = y.Get<half>();
        LocalTensor<float> d = z.Get<float>();
        const auto load = [&] {
            for (uint32_t i = 0; i < 512; i++) {
                a.SetValue(i, number<half>(i));
                b.SetValue(i, number<half>(i + 99));
                d.SetValue(i, 0.1f * float(i));
            }
        };
        const auto want = [](uint32_t i, uint32_t at) {
            return float(double(float(number<half>(i))) * double(float(number<half>(i + 99))) +
                         double(0.1f * float(at)));
        };
        load();
        MulAddDst(d, a, b, 131);
        for (uint32_t i = 0; i < 512; i++)
            expect(d.GetValue(i), i < 131 ? want(i, i) : 0.1f * float(i), "count", i);
        load();
        Axpy<float, half>(d, a, half(0.3f), 70);
        const auto axpy = [](uint32_t i) {
            return float(double(float(number<half>(i))) * double(float(half(0.3f))) +
                         double(0.1f * float(i)));
        };
        for (uint32_t i = 0; i < 512; i++)
            expect(d.GetValue(i), i < 70 ? axpy(i) : 0.1f * float(i), "axpy", i);
        load();
        const uint64_t odd[2] = {0x5a5a5a5a12345678ull, 0};
        Axpy(d, a, half(0.3f), odd, 3, UnaryRepeatParams(1, 1, 8, 4));
        for (uint32_t i = 0; i < 512; i++)
            expect(d.GetValue(i), i < 192 && (odd[0] >> i % 64 & 1) ? axpy(i) : 0.1f * float(i),
                   "axpy bits", i);
        load();
        MulAddDst(d, a, b, uint64_t(37), 3, BinaryRepeatParams(1, 1, 1, 8, 4, 4));
        for (uint32_t i = 0; i < 512; i++)
            expect(d.GetValue(i), i < 192 && i % 64 < 37 ? want(i, i) : 0.1f * float(i), "lanes",
                   i);
    });
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(check_sum_count<half>), cmocka_unit_test(check_sum_count<float>),
        cmocka_unit_test(check_sum_tree<half>),  cmocka_unit_test(check_sum_tree<float>),
        cmocka_unit_test(check_extremes<half>),  cmocka_unit_test(check_extremes<float>),
        cmocka_unit_test(check_pairs<half>),     cmocka_unit_test(check_pairs<float>),
        cmocka_unit_test(check_refusals),        cmocka_unit_test(check_fused<half>),
        cmocka_unit_test(check_fused<float>),    cmocka_unit_test(check_fused<int16_t>),
        cmocka_unit_test(check_fused_limits),    cmocka_unit_test(check_wide_mul_add),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

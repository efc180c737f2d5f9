/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_order.cpp - calls of 2201 that bring elements into another order, the compare register,
 * and the cast that multiplies. Expected values come from plain loops and std::stable_sort.
 */
#include "kernel.hpp"
#include <algorithm>
#include <cmath>

using namespace AscendC;

namespace {

template <class T> T number(uint32_t i) { return T(int((i + 1) * 2654435761u >> 20 & 63) - 31); }

template <class T> void expect(T got, T want, const char *what, uint32_t at)
{
    if (nputwin::bits_of(got) != nputwin::bits_of(want))
        npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "%s %u: %.9g, expected %.9g", what, at,
                  double(float(got)), double(float(want)));
}

template <class T> struct buffers {
    TPipe pipe;
    TBuf<TPosition::VECCALC> x, y, z;
    LocalTensor<T> src, dst;
    LocalTensor<uint32_t> more;
    uint32_t n;
    explicit buffers(uint32_t n_elements) : n(n_elements)
    {
        pipe.InitBuffer(x, n * sizeof(T));
        pipe.InitBuffer(y, n * sizeof(T));
        pipe.InitBuffer(z, 8192);
        src = x.Get<T>();
        dst = y.Get<T>();
        more = z.Get<uint32_t>();
        for (uint32_t i = 0; i < n; i++) {
            src.SetValue(i, T(int(i) + 1));
            dst.SetValue(i, T(77));
        }
    }
};

/* ---- gathering ---------------------------------------------------------------------------- */

template <class T> using bits_for = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;

template <class T> void check_gather_mask(void **)
{
    run_well([] {
        buffers<T> u(2048);
        constexpr uint32_t blk = 32 / sizeof(T), lanes = 256 / sizeof(T);
        const char *patterns[] = {"", "1010", "0101", "1000", "0100", "0010", "0001", "1111"};
        for (uint8_t pattern = 1; pattern <= 7; pattern++)
            for (uint32_t mask : {0u, 1u, 70u, 300u}) { /* 0: whole repeats */
                uint64_t n = 99;
                uint32_t k = 0;
                GatherMask(u.dst, u.src, pattern, mask != 0, mask, {2, 3, 20, 0}, n);
                for (uint32_t r = 0; r < 3; r++)
                    for (uint32_t i = 0; i < (mask ? mask : lanes); i++)
                        if (patterns[pattern][i % 4] == '1')
                            expect(u.dst.GetValue(k++),
                                   T(int((r * 20 + i / blk * 2) * blk + i % blk) + 1), "gathered",
                                   i);
                expect<int>(int(n), int(k), "count of pattern", pattern);
            }
        /* Bits of the user, with a stride of 2 blks between repeats. */
        LocalTensor<bits_for<T>> bits = u.more.template ReinterpretCast<bits_for<T>>();
        for (uint32_t i = 0; i < 64; i++)
            u.more.SetValue(i, (i + 3) * 2654435761u);
        uint64_t n = 0;
        uint32_t k = 0;
        GatherMask(u.dst, u.src, bits, true, 101, {1, 4, 16, 2}, n);
        for (uint32_t r = 0; r < 4; r++)
            for (uint32_t i = 0; i < 101; i++)
                if (u.more.GetValue(r * 16 + i / 32) >> i % 32 & 1)
                    expect(u.dst.GetValue(k++), T(int(r * 16 * blk + i) + 1), "gathered", i);
        expect<int>(int(n), int(k), "count of bits", 0);
        /* In place, as the page shows. */
        GatherMask(u.src, u.src, uint8_t(2), false, 0, {1, 4, 8, 0}, n);
        for (uint32_t i = 0; i < lanes * 2; i++)
            expect(u.src.GetValue(i), T(int(2 * i) + 2), "in place", i);
        expect<int>(int(n), int(lanes) * 2, "count in place", 0);
        GatherMask(u.dst, u.src, uint8_t(7), false, 0, {1, 0, 8, 0}, n);
        expect<int>(int(n), 0, "no repeat", 0);
    });
}

template <class T> void check_gatherb(void **)
{
    run_well([] {
        buffers<T> u(2048);
        constexpr uint32_t blk = 32 / sizeof(T);
        for (uint32_t i = 0; i < 24; i++)
            u.more.SetValue(i, (i * 11 + 3) % 24 * 32);
        Gatherb<T>(u.dst, u.src, u.more, 3, GatherRepeatParams{2, 17});
        for (uint32_t i = 0; i < u.n; i++) {
            const uint32_t b = i / blk, r = b / 17, k = b % 17 / 2;
            const bool on = r < 3 && k < 8 && b % 17 % 2 == 0;
            const uint32_t from = ((r * 8 + k) * 11 + 3) % 24 * blk + i % blk;
            expect(u.dst.GetValue(i), on ? T(int(from) + 1) : T(77), "blk", i);
        }
        Gatherb<T>(u.dst, u.src, u.more, 1, GatherRepeatParams{0, 8}); /* 0 means 1 */
        expect(u.dst.GetValue(blk), T(int(14 * blk) + 1), "second blk", 0);
    });
}

template <class T> void check_index(void **)
{
    run_well([] {
        buffers<T> u(1024);
        constexpr uint32_t blk = 32 / sizeof(T), lanes = 256 / sizeof(T);
        CreateVecIndex(u.dst, T(-7), 333u);
        for (uint32_t i = 0; i < u.n; i++)
            expect(u.dst.GetValue(i), i < 333 ? T(int(i) - 7) : T(77), "count", i);
        for (uint32_t i = 0; i < u.n; i++)
            u.dst.SetValue(i, T(77));
        uint64_t bits[2] = {0x00ff0ff0f0f0aaaaull, 0x123456789abcdef0ull};
        CreateVecIndex(u.dst, T(5), bits, 2, 2, 18);
        for (uint32_t i = 0; i < u.n; i++) {
            const uint32_t b = i / blk, r = b / 18, l = b % 18 / 2 * blk + i % blk;
            const bool on = r < 2 && b % 18 % 2 == 0 && l < lanes && (bits[l / 64] >> l % 64 & 1);
            expect(u.dst.GetValue(i), on ? T(int(r * lanes + l) + 5) : T(77), "bits", i);
        }
        CreateVecIndex(u.dst, T(0), uint64_t(3), 1, 1, 8);
        expect(u.dst.GetValue(2), T(2), "lanes", 2);
    });
}

/* ---- sorting ------------------------------------------------------------------------------ */

struct pair {
    float score;
    uint32_t index;
};
template <class T> pair pair_at(const LocalTensor<T> &t, uint32_t k)
{
    const uint32_t per = 8 / sizeof(T);
    pair p = {float(t.GetValue(k * per)), 0};
    std::memcpy(&p.index, reinterpret_cast<const char *>(t.raw()) + k * 8 + 4, 4);
    return p;
}
bool before(const pair &a, const pair &b) { return a.score > b.score; }

template <class T> void check_sort(void **)
{
    run_well([] {
        enum { N = 256 };
        TPipe pipe;
        TBuf<TPosition::VECCALC> x, y, z, w;
        pipe.InitBuffer(x, N * 4);
        pipe.InitBuffer(y, N * 4);
        pipe.InitBuffer(z, N * 8);
        pipe.InitBuffer(w, N * 8);
        LocalTensor<T> score = x.Get<T>(), pairs = z.Get<T>(), merged = w.Get<T>();
        LocalTensor<uint32_t> index = y.Get<uint32_t>();
        std::vector<pair> v;
        for (uint32_t i = 0; i < N; i++) {
            score.SetValue(i, number<T>(i));
            index.SetValue(i, i + 1000);
            v.push_back({float(number<T>(i)), i + 1000});
        }
        Sort32<T>(pairs, score, index, 8);
        for (uint32_t r = 0; r < 8; r++)
            std::stable_sort(v.begin() + r * 32, v.begin() + r * 32 + 32, before);
        for (uint32_t k = 0; k < N; k++) {
            expect(pair_at(pairs, k).score, v[k].score, "score", k);
            expect<int>(int(pair_at(pairs, k).index), int(v[k].index), "index", k);
        }
        /* Two repeats of four queues of 32. */
        const uint32_t queue = 32 * 8 / sizeof(T);
        MrgSort4Info info;
        for (uint16_t &length : info.elementLengths)
            length = 32;
        info.validBit = 15;
        info.repeatTimes = 2;
        MrgSortSrcList<T> list(pairs[0], pairs[queue], pairs[2 * queue], pairs[3 * queue]);
        MrgSort<T>(merged, list, info);
        for (uint32_t r = 0; r < 2; r++)
            std::stable_sort(v.begin() + r * 128, v.begin() + r * 128 + 128, before);
        for (uint32_t k = 0; k < N; k++) {
            expect(pair_at(merged, k).score, v[k].score, "merged score", k);
            expect<int>(int(pair_at(merged, k).index), int(v[k].index), "merged index", k);
        }
        /* Three queues of odd lengths; until the first is empty. */
        const uint16_t lengths[4] = {5, 17, 9, 0};
        MrgSort4Info odd(lengths, false, 7, 1);
        MrgSortSrcList<T> three(pairs[0], pairs[queue], pairs[2 * queue], pairs[0]);
        MrgSort(merged, three, odd);
        std::vector<pair> w3;
        for (uint32_t q = 0; q < 3; q++)
            for (uint32_t i = 0; i < lengths[q]; i++)
                w3.push_back(pair_at(pairs, q * 32 + i));
        std::stable_sort(w3.begin(), w3.end(), before);
        for (uint32_t k = 0; k < 31; k++)
            expect<int>(int(pair_at(merged, k).index), int(w3[k].index), "of three", k);
        odd.ifExhaustedSuspension = true;
        MrgSort(merged, three, odd);
        uint16_t n[4], taken[3] = {0, 0, 0};
        GetMrgSortResult(n[0], n[1], n[2], n[3]);
        for (const pair &p : w3) {
            const uint32_t q = p.index < 1032 ? 0 : p.index < 1064 ? 1 : 2;
            if (++taken[q] == lengths[q])
                break;
        }
        for (int q = 0; q < 3; q++)
            expect<int>(n[q], taken[q], "taken of queue", uint32_t(q));
    });
}

/* ---- transposing -------------------------------------------------------------------------- */

template <class T> void check_transpose(void **)
{
    run_well([] {
        buffers<T> u(1024);
        Transpose<T>(u.dst, u.src);
        for (uint32_t i = 0; i < 256; i++)
            expect(u.dst.GetValue(i), T(int(i % 16 * 16 + i / 16) + 1), "16 x 16", i);
        expect(u.dst.GetValue(256), T(77), "behind", 256);
        Transpose<T>(u.src, u.src); /* in place */
        for (uint32_t i = 0; i < 256; i++)
            expect(u.src.GetValue(i), T(int(i % 16 * 16 + i / 16) + 1), "in place", i);
    });
}

template <class T> void check_permute(void **)
{
    run_well([] {
        buffers<T> u(2048);
        const uint16_t n = 2, c = 5, h = 2, w = 32 / sizeof(T);
        const LocalTensor<uint8_t> tmp = u.more.template ReinterpretCast<uint8_t>();
        const uint32_t all = uint32_t(n * c * h * w);
        for (uint32_t i = 0; i < u.n; i++)
            u.src.SetValue(i, T(int(i) % 101));
        Transpose(u.dst, u.src, tmp,
                  TransposeParamsExt(n, c, h, w, TransposeType::TRANSPOSE_NCHW2NHWC));
        for (uint32_t i = 0; i < all; i++) {
            const uint32_t hw = h * w, ch = i % c, at = i / c % hw, img = i / c / hw;
            expect(u.dst.GetValue(i), T(int((img * c + ch) * hw + at) % 101), "NHWC", i);
        }
        expect(u.dst.GetValue(all), T(77), "behind", all);
        Transpose(u.src, u.dst, tmp,
                  TransposeParamsExt(n, c, h, w, TransposeType::TRANSPOSE_NHWC2NCHW));
        for (uint32_t i = 0; i < all; i++)
            expect(u.src.GetValue(i), T(int(i) % 101), "and back", i);
        u.dst.SetValue(0, T(77));
        Transpose(u.dst, u.src, tmp,
                  TransposeParamsExt(n, 0, h, w, TransposeType::TRANSPOSE_NCHW2NHWC));
        expect(u.dst.GetValue(0), T(77), "no channels", 0);
    });
}

/* Three repeats; 16 source rows 6 blks apart; results one after the other. The three ways to call.
 */
template <class T> void check_5hd(void **)
{
    run_well([] {
        const uint32_t blk = 32 / sizeof(T), rows = sizeof(T) == 1 ? 16 : blk;
        for (int way = 0; way < 3; way++)
            for (int high = 0; high < (sizeof(T) == 1 ? 4 : 1); high++) {
                buffers<T> u(16 * 6 * blk);
                for (uint32_t i = 0; i < u.n; i++)
                    u.src.SetValue(i, T(int(i) * 3));
                const uint32_t dst_at = high & 1 ? 16 : 0, src_at = high & 2 ? 16 : 0;
                const TransDataTo5HDParams p(high & 1, high & 2, 3, 16, 1);
                uint64_t d[16], s[16];
                LocalTensor<T> dt[16], st[16];
                LocalTensor<uint64_t> da = u.more.template ReinterpretCast<uint64_t>(), sa = da[16];
                for (uint32_t k = 0; k < 16; k++) {
                    dt[k] = u.dst[k * blk];
                    st[k] = u.src[k * 6 * blk];
                    d[k] = dt[k].GetPhyAddr();
                    s[k] = st[k].GetPhyAddr();
                    da.SetValue(k, d[k]);
                    sa.SetValue(k, s[k]);
                }
                if (way == 0)
                    TransDataTo5HD<T>(d, s, p);
                else if (way == 1)
                    TransDataTo5HD<T>(da, sa, p);
                else
                    TransDataTo5HD<T>(dt, st, p);
                for (uint32_t r = 0; r < 3; r++)
                    for (uint32_t i = 0; i < rows; i++)
                        for (uint32_t k = 0; k < 16; k++) {
                            const uint32_t to =
                                r * 16 * blk + (sizeof(T) == 1 ? i * 32 + dst_at : i * 16) + k;
                            const uint32_t from = k * 6 * blk + r * blk + i + src_at;
                            expect(u.dst.GetValue(to), T(int(from) * 3), "element", to);
                        }
            }
        /* One repeat begins a stride later: so says the page. */
        buffers<T> u(4096 / sizeof(T));
        uint64_t d[16], s[16];
        for (uint32_t k = 0; k < 16; k++) {
            d[k] = u.dst[k * blk].GetPhyAddr();
            s[k] = u.src[k * blk].GetPhyAddr();
        }
        TransDataTo5HD<T>(d, s, TransDataTo5HDParams(false, false, 1, 16, 2));
        expect(u.dst.GetValue(0), T(77), "before", 0);
        expect(u.dst.GetValue(16 * blk), T(int(2 * blk) + 1), "first", 0);
    });
}

/* ---- compare register --------------------------------------------------------------------- */

template <class T> void check_compare_register(void **)
{
    run_well([] {
        buffers<T> u(1024);
        constexpr uint32_t lanes = 256 / sizeof(T);
        LocalTensor<T> other = u.src[512], mask = u.dst[512];
        for (uint32_t i = 0; i < 512; i++) {
            u.src.SetValue(i, number<T>(i));
            other.SetValue(i, number<T>(i + 50));
        }
        uint64_t bits[2] = {0x0f0f0f0f12345678ull, 0x5555555533333333ull};
        LocalTensor<uint64_t> got = mask.template ReinterpretCast<uint64_t>();
        got.SetValue(0, ~uint64_t(0));
        got.SetValue(1, ~uint64_t(0));
        SetCmpMask(got);
        Compare(u.src, other, CMPMODE::GT, bits, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
        GetCmpMask(got);
        const auto says = [&](uint32_t i) {
            return !(bits[i / 64] >> i % 64 & 1) || float(number<T>(i)) > float(number<T>(i + 50));
        };
        for (uint32_t i = 0; i < 128; i++)
            expect<int>(int(got.GetValue(i / 64) >> i % 64 & 1), i >= lanes || says(i), "bit", i);
        /* Select by it, in two repeats, under the mask register. */
        ResetMask();
        Select<T, SELMODE::VSEL_CMPMASK_SPR>(u.dst, u.src, other, 2,
                                             BinaryRepeatParams(1, 1, 1, 8, 8, 8));
        for (uint32_t i = 0; i < 2 * lanes; i++)
            expect(u.dst.GetValue(i), says(i % lanes) ? number<T>(i) : number<T>(i + 50), "mode 0",
                   i);
        Compare(u.src, other, CMPMODE::EQ, uint64_t(lanes), BinaryRepeatParams(1, 1, 1, 8, 8, 8));
        GetCmpMask(got);
        for (uint32_t i = 0; i < lanes; i++)
            expect<int>(int(got.GetValue(i / 64) >> i % 64 & 1),
                        float(number<T>(i)) == float(number<T>(i + 50)), "equal", i);
    });
    run_well([] { /* modes 1 and 2: scalar, and the address of the choice, by SetCmpMask */
                  buffers<T> u(1024);
                  constexpr uint32_t lanes = 256 / sizeof(T);
                  LocalTensor<uint8_t> choice = u.more.template ReinterpretCast<uint8_t>();
                  LocalTensor<uint32_t> address = u.more[64];
                  LocalTensor<T> scalar = u.more[128].template ReinterpretCast<T>();
                  for (uint32_t i = 0; i < 64; i++)
                      choice.SetValue(i, uint8_t(i * 37 + 11));
                  scalar.SetValue(0, T(-5));
                  const auto bit = [&](uint32_t i) { return choice.GetValue(i / 8) >> i % 8 & 1; };
                  SetCmpMask(scalar);
                  SetVectorMask<T>(~uint64_t(0), ~uint64_t(1)); /* lane 0 is off */
                  Select(u.dst, choice, u.src, 2, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
                  for (uint32_t i = 0; i < 2 * lanes; i++)
                      expect(u.dst.GetValue(i),
                             i % lanes == 0 ? T(77)
                             : bit(i)       ? T(int(i) + 1)
                                            : T(-5),
                             "mode 1", i);
                  address.SetValue(0, uint32_t(choice.GetPhyAddr()));
                  SetCmpMask(address);
                  ResetMask();
                  Select<T, SELMODE::VSEL_TENSOR_TENSOR_MODE>(u.dst, u.src, u.src[304], 2,
                                                              BinaryRepeatParams(1, 1, 1, 8, 8, 8));
                  for (uint32_t i = 0; i < 2 * lanes; i++)
                      expect(u.dst.GetValue(i), T(int(bit(i) ? i : i + 304) + 1), "mode 2", i);
    });
}

/* ---- int32_t to half ---------------------------------------------------------------------- */

void check_dequantize(void **)
{
    run_well([] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> x, y;
        pipe.InitBuffer(x, 2048);
        pipe.InitBuffer(y, 2048);
        LocalTensor<int32_t> src = x.Get<int32_t>();
        LocalTensor<half> dst = y.Get<half>();
        const half scale(0.0371f);
        const auto value = [](uint32_t i) { return int32_t((i + 1) * 2654435761u) >> i % 24; };
        const auto want = [&](uint32_t i) { return half(double(float(scale)) * double(value(i))); };
        for (uint32_t i = 0; i < 512; i++)
            src.SetValue(i, value(i));
        for (uint32_t i = 0; i < 1024; i++)
            dst.SetValue(i, half(77.0f));
        SetDeqScale(scale);
        Cast(dst, src, RoundMode::CAST_NONE, 211u);
        for (uint32_t i = 0; i < 1024; i++)
            expect(dst.GetValue(i), i < 211 ? want(i) : half(77.0f), "count", i);
        for (uint32_t i = 0; i < 1024; i++)
            dst.SetValue(i, half(77.0f));
        Cast(dst, src, RoundMode::CAST_FLOOR, uint64_t(37), 3, UnaryRepeatParams(1, 1, 5, 8));
        for (uint32_t i = 0; i < 1024; i++) {
            const uint32_t r = i / 80, l = i % 80;
            expect(dst.GetValue(i), r < 3 && l < 37 ? want(r * 64 + l) : half(77.0f), "lanes", i);
        }
    });
    run_fails(
        [] {
            buffers<int32_t> u(64);
            Cast(u.more.ReinterpretCast<half>(), u.src, RoundMode::CAST_NONE, 64u);
        },
        NPU_E_ARG, {"SetDeqScale", "t_facade_order.cpp"});
}

/* ---- refusals ----------------------------------------------------------------------------- */

void check_refusals(void **)
{
    run_fails(
        [] {
            buffers<half> u(256);
            uint64_t n;
            GatherMask(u.dst, u.src, uint8_t(8), false, 0, {1, 1, 8, 0}, n);
        },
        NPU_E_ARG, {"GatherMask", "src1Pattern 8", "1..7"});
    run_fails(
        [] {
            buffers<half> u(256);
            uint64_t n;
            GatherMask(u.dst, u.src, uint8_t(7), true, 4000000, {1, 1, 8, 0}, n);
        },
        NPU_E_RANGE, {"vgathermask", "src0"});
    run_fails(
        [] {
            buffers<uint16_t> u(256);
            for (uint32_t i = 0; i < 8; i++)
                u.more.SetValue(i, i == 5 ? 16 : 32 * i);
            Gatherb(u.dst, u.src, u.more, 1, GatherRepeatParams{1, 8});
        },
        NPU_E_ALIGN, {"vgatherb", "src0", "multiple of 32"});
    run_fails(
        [] {
            buffers<uint16_t> u(256);
            for (uint32_t i = 0; i < 8; i++)
                u.more.SetValue(i, i == 5 ? 196608 : 32 * i);
            Gatherb(u.dst, u.src, u.more, 1, GatherRepeatParams{1, 8});
        },
        NPU_E_RANGE, {"vgatherb", "src0"});
    run_fails(
        [] {
            buffers<float> u(256);
            MrgSort(u.dst, MrgSortSrcList<float>(u.src, u.src, u.src, u.src), MrgSort4Info());
        },
        NPU_E_ARG, {"MrgSort", "validBit is 0", "3, 7 and 15"});
    run_fails(
        [] {
            buffers<float> u(256);
            const uint16_t lengths[4] = {4, 4095, 4, 4};
            const LocalTensor<float> far(TPosition::VECCALC, 190000, 64);
            MrgSort(u.dst, MrgSortSrcList<float>(u.src, far, u.src, u.src),
                    MrgSort4Info(lengths, false, 3, 1));
        },
        NPU_E_RANGE, {"vmrgsort", "src0", "190000"});
    run_fails(
        [] {
            buffers<half> u(256);
            uint64_t d[16], s[16];
            for (uint32_t k = 0; k < 16; k++)
                d[k] = s[k] = u.dst[16 * k].GetPhyAddr() + (k == 9 ? 2 : 0);
            TransDataTo5HD<half>(d, s, TransDataTo5HDParams(false, false, 1, 0, 0));
        },
        NPU_E_ALIGN, {"vnchwconv", "multiple of 32"});
    run_fails(
        [] { /* the flag for the vector pipe comes after a call that the program waits for */
             buffers<half> u(256);
             uint64_t n;
             WaitFlag<HardEvent::MTE2_V>(0);
             GatherMask(u.dst, u.src, uint8_t(7), false, 0, {1, 1, 8, 0}, n);
             SetFlag<HardEvent::MTE2_V>(0);
        },
        NPU_E_DEADLOCK, {"vgathermask", "pipe V", "set the flag before"});
}

} // namespace

#define ALL_16_32(f)                                                                               \
    cmocka_unit_test(f<half>), cmocka_unit_test(f<bfloat16_t>), cmocka_unit_test(f<int16_t>),      \
        cmocka_unit_test(f<uint16_t>), cmocka_unit_test(f<float>), cmocka_unit_test(f<int32_t>),   \
        cmocka_unit_test(f<uint32_t>)
#define ALL_8_16_32(f)                                                                             \
    cmocka_unit_test(f<int8_t>), cmocka_unit_test(f<uint8_t>), cmocka_unit_test(f<half>),          \
        cmocka_unit_test(f<int16_t>), cmocka_unit_test(f<uint16_t>), cmocka_unit_test(f<float>),   \
        cmocka_unit_test(f<int32_t>), cmocka_unit_test(f<uint32_t>)

int main()
{
    const CMUnitTest tests[] = {
        ALL_16_32(check_gather_mask),
        cmocka_unit_test(check_gatherb<uint16_t>),
        cmocka_unit_test(check_gatherb<uint32_t>),
        cmocka_unit_test(check_index<half>),
        cmocka_unit_test(check_index<float>),
        cmocka_unit_test(check_index<int16_t>),
        cmocka_unit_test(check_index<int32_t>),
        cmocka_unit_test(check_sort<half>),
        cmocka_unit_test(check_sort<float>),
        cmocka_unit_test(check_transpose<half>),
        cmocka_unit_test(check_transpose<int16_t>),
        cmocka_unit_test(check_transpose<uint16_t>),
        ALL_8_16_32(check_permute),
        ALL_8_16_32(check_5hd),
        cmocka_unit_test(check_compare_register<half>),
        cmocka_unit_test(check_compare_register<float>),
        cmocka_unit_test(check_dequantize),
        cmocka_unit_test(check_refusals),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

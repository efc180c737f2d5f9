/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_adv_move.cpp - Broadcast, Transpose, Pad, UnPad, Fill, Select by bytes and DropOut. Expected
 * places come from index arithmetic written out here.
 */
#include "adv.hpp"

namespace {

template <class T> LocalTensor<T> counted(bench &b, uint32_t n)
{
    LocalTensor<T> t = b.some<T>(n);
    for (uint32_t i = 0; i < n; i++)
        t.SetValue(i, T(float(i % 97) - (sizeof(T) > 1 ? 40 : 0)));
    return t;
}

template <class T> void check_broadcast(void **)
{
    run_well([] {
        bench b;
        constexpr uint32_t per = 32 / sizeof(T);
        const LocalTensor<T> x = counted<T>(b, 64), y = b.some<T>(512);
        const std::vector<double> all = values(x);
        LocalTensor<uint8_t> tmp = b.tmp();
        const uint32_t one[] = {1}, many[] = {77 % 50};
        Broadcast<T, 1, 0>(y, x, many, one, tmp);
        expect_same(y, std::vector<double>(27, double(float(x.GetValue(0)))), "[1] to [27]");
        expect_same(y[27], {77}, "behind [27]");
        const uint32_t row[] = {1, per}, rows[] = {5, per};
        Broadcast<T, 2, 0>(y, x, rows, row);
        for (uint32_t i = 0; i < 5; i++)
            expect_same(y[i * per], std::vector<double>(all.begin(), all.begin() + per),
                        "[1, k] to [5, k]");
        const uint32_t column[] = {5, 1}, columns[] = {5, 13};
        BroadCast<T, 2, 1>(y, x, columns, column, tmp);
        for (uint32_t i = 0; i < 5; i++)
            expect_same(y[i * 13], std::vector<double>(13, double(float(x.GetValue(i)))),
                        "[5, 1] to [5, 13]");
        Broadcast<T, 2, 1>(y, x, column, column); /* nothing to repeat */
        expect_same(y, std::vector<double>(all.begin(), all.begin() + 5), "as it is");
    });
}

/* Element (s, column) of a matrix in NZ of `rows` rows. */
uint32_t nz(uint32_t rows, uint32_t s, uint32_t column)
{
    return column / 16 * rows * 16 + s * 16 + column % 16;
}

/* The scenes 1 to 6 of the page, from heads of d columns. */
template <class T> void check_transpose(void **)
{
    run_well([] {
        for (uint32_t d : {16u, 32u, 20u}) {
            enum { B = 2, N = 2, S = 16 };
            const uint32_t dp = (d + 15) / 16 * 16, h = N * d, hp = (h + 15) / 16 * 16;
            const uint32_t most = B * N * S * dp > B * S * hp ? B * N * S * dp : B * S * hp;
            ConfusionTransposeTiling t;
            GetTransposeTilingInfo(TensorShape({B, N, S, d}), 4096, sizeof(T), 1, t);
            for (int scene = 1; scene <= 6; scene++) {
                bench b;
                const LocalTensor<T> x = counted<T>(b, most), y = b.some<T>(most);
                if (d % 16 && scene < 3)
                    continue; /* the page has these two with whole blocks */
                if (scene % 2)
                    Transpose(y, x, b.tmp(), TransposeType(scene), t);
                else
                    Transpose(y, x, TransposeType(scene), t);
                for (uint32_t bb = 0; bb < B; bb++)
                    for (uint32_t n = 0; n < N; n++)
                        for (uint32_t s = 0; s < S; s++)
                            for (uint32_t k = 0; k < d; k++) {
                                const uint32_t apart = (bb * N + n) * dp * S + nz(S, s, k);
                                const uint32_t joined = bb * hp * S + nz(S, s, n * d + k);
                                const uint32_t from = scene == 3 || scene == 4 ? joined : apart;
                                const uint32_t to[] = {
                                    0,
                                    ((bb * S + s) * N + n) * d + k,
                                    (bb * S + s) * N * d + nz(N, n, k),
                                    apart,
                                    ((bb * N + n) * S + s) * dp + k,
                                    (bb * S + s) * hp + n * d + k,
                                    joined,
                                };
                                if (nputwin::bits_of(y.GetValue(to[scene])) !=
                                    nputwin::bits_of(x.GetValue(from)))
                                    npu_fault(npu_self(), NPU_E_ARG, NPU_HERE,
                                              "scene %d, d %u: element %u of b %u n %u s %u", scene,
                                              d, k, bb, n, s);
                            }
            }
        }
        bench b;
        const LocalTensor<T> x = counted<T>(b, 32 * 48), y = b.some<T>(32 * 48);
        ConfusionTransposeTiling t;
        GetConfusionTransposeOnlyTilingInfo(TensorShape({32, 48}), 4096, sizeof(T), t);
        ConfusionTranspose(y, x, TransposeType::TRANSPOSE_ND2ND_ONLY, t);
        for (uint32_t i = 0; i < 32 * 48; i++)
            if (nputwin::bits_of(y.GetValue(i % 48 * 32 + i / 48)) !=
                nputwin::bits_of(x.GetValue(i)))
                npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "scene 7: element %u", i);
    });
}

constexpr TransDataConfig split5 = {DataFormat::NCDHW, DataFormat::NDC1HWC0},
                          join5 = {DataFormat::NDC1HWC0, DataFormat::NCDHW},
                          split_z = {DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D},
                          join_z = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};

/* There and back: each element of NCDHW is where the page's pictures put it, what fills a block is
 * 0, and what lies between the rows of h * w stays as it was. */
template <class T> void check_trans_data(void **)
{
    const uint32_t sizes[][5] = {
        {1, 32, 2, 2, 8}, {2, 16, 2, 3, 5}, {3, 20, 2, 4, 4}, {17, 5, 1, 1, 16}};
    for (const uint32_t *size : sizes) {
        const uint32_t n = size[0], c = size[1], d = size[2], h = size[3], w = size[4];
        for (const bool is_z : {false, true}) {
            run_well([&] {
                const uint32_t c1 = (c + 15) / 16, n1 = (n + 15) / 16, row = (h * w + 15) / 16 * 16;
                const uint32_t all = n * c * d * row,
                               blocks = (is_z ? n1 * 16 : n) * d * c1 * h * w * 16;
                bench b;
                LocalTensor<T> x = counted<T>(b, all), y = b.some<T>(blocks), z = b.some<T>(all);
                const auto plain = MakeLayout(MakeShape(n, c, d, h, w), MakeStride());
                const auto five = MakeLayout(MakeShape(n, d, c1, h, w, 16), MakeStride());
                const auto fractal = MakeLayout(MakeShape(d, c1, h, w, n1, 16, 16), MakeStride());
                for (uint32_t i = 0; i < all; i++)
                    z.SetValue(i, T(7.0f));
                if (is_z) {
                    TransDataParams<decltype(plain), decltype(fractal)> to = {plain, fractal};
                    TransDataParams<decltype(fractal), decltype(plain)> back = {fractal, plain};
                    TransData<split_z>(y, x, b.tmp(), to);
                    TransData<join_z>(z, y, back);
                } else {
                    TransDataParams<decltype(plain), decltype(five)> to = {plain, five};
                    TransDataParams<decltype(five), decltype(plain)> back = {five, plain};
                    TransData<split5>(y, x, to);
                    TransData<join5>(z, y, b.tmp(), back);
                }
                std::vector<double> want(blocks, 0), again(all, 7);
                for (uint32_t i = 0; i < n * c * d * h * w; i++) {
                    const uint32_t hw = i % (h * w), dd = i / (h * w) % d, cc = i / (h * w) / d % c;
                    const uint32_t nn = i / (h * w) / d / c;
                    const uint32_t from = ((nn * c + cc) * d + dd) * row + hw;
                    const uint32_t at5 =
                        (((nn * d + dd) * c1 + cc / 16) * h * w + hw) * 16 + cc % 16;
                    const uint32_t at_z =
                        ((((dd * c1 + cc / 16) * h * w + hw) * n1 + nn / 16) * 16 + nn % 16) * 16 +
                        cc % 16;
                    want[is_z ? at_z : at5] = again[from] = double(float(x.GetValue(from)));
                }
                expect_same(y, want, is_z ? "FRACTAL_Z_3D" : "NDC1HWC0");
                expect_same(z, again, "NCDHW");
            });
        }
    }
}

template <class T> void check_pad(void **)
{
    run_well([] {
        constexpr uint32_t per = 32 / sizeof(T), rows = 4, width = per + 3, whole = 2 * per;
        bench b;
        const LocalTensor<T> x = counted<T>(b, 8 * per), y = b.some<T>(16 * per);
        PadTiling t;
        PadTilingFunc(TensorShape({rows, width}), TensorShape({rows, width}), 4096, sizeof(T), t);
        PadParams p;
        p.leftPad = 2;
        p.rightPad = uint16_t(whole - width - 2);
        p.padValue = 9;
        Pad(y, x, p, b.tmp(), t);
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t i = 0; i < whole; i++)
                expect_same(
                    y[r * whole + i],
                    {i < 2 || i >= 2 + width ? 9 : double(float(x.GetValue(r * width + i - 2)))},
                    "Pad");
        /* Whole rows whose last two columns are filler. */
        PadTilingFunc(TensorShape({rows, per}), TensorShape({rows, per - 2}), 4096, sizeof(T), t);
        p.leftPad = 0;
        p.rightPad = 2;
        Pad(y, x, p, t);
        for (uint32_t i = 0; i < rows * per; i++)
            expect_same(y[i], {i % per < per - 2 ? double(float(x.GetValue(i))) : 9}, "Pad again");
        UnPadTiling u;
        UnPadTilingFunc(TensorShape({rows, whole}), 4096, sizeof(T), u);
        UnPadParams q;
        q.rightPad = 1;
        LocalTensor<uint8_t> tmp = b.tmp();
        UnPad(y, x, q, tmp, u);
        for (uint32_t i = 0; i < rows * (whole - 1); i++)
            expect_same(y[i],
                        {double(float(x.GetValue(i / (whole - 1) * whole + i % (whole - 1))))},
                        "UnPad");
        y.SetValue(0, T(77));
        UnPad(y, x, q, u);
        expect_same(y, {double(float(x.GetValue(0)))}, "UnPad without space");
    });
}

template <class T> void check_fill(void **)
{
    std::vector<T> gm(70001, T(5));
    run_well([&] {
        GlobalTensor<T> g;
        g.SetGlobalBuffer(gm.data(), gm.size());
        Fill(g, uint64_t(70000), T(9));
        PipeBarrier<PIPE_ALL>();
    });
    for (size_t i = 0; i < 70000; i++)
        if (float(gm[i]) != 9)
            fail_msg("element %zu is %g", i, double(float(gm[i])));
    assert_true(float(gm[70000]) == 5);
}

template <class T, class U> void check_select(void **)
{
    run_well([] {
        bench b;
        constexpr uint32_t rows = 3, n = 32, masks = 64;
        const LocalTensor<T> x = b.numbers<T>(rows * n), y = b.some<T>(rows * n);
        const LocalTensor<U> mask = b.some<U>(rows * masks);
        std::vector<double> first, second;
        for (uint32_t i = 0; i < rows * masks; i++)
            mask.SetValue(i, U(i * 7 % 5 < 2 ? 0 : i % 100 + 1));
        for (uint32_t i = 0; i < rows * n; i++) {
            const bool on = mask.GetValue(i / n * masks + i % n) != U(0);
            const double v = double(float(x.GetValue(i)));
            first.push_back(on ? 0.5 : v);
            second.push_back(on ? v : 0.5);
        }
        SelectWithBytesMaskShapeInfo info;
        info.firstAxis = rows;
        info.srcLastAxis = n;
        info.maskLastAxis = masks;
        Select(y, x, T(0.5f), mask, b.tmp(), info);
        expect_same(y, first, "Select, tensor and scalar");
        Select<T, U, false>(y, T(0.5f), x, mask, b.tmp(), info);
        expect_same(y, second, "Select, scalar and tensor");
        Select(x, T(0.5f), x, mask, b.tmp(), info); /* in place */
        expect_same(x, second, "Select in place");
    });
}

template <class T, uint32_t mode> void check_drop(void **)
{
    run_well([] {
        bench b;
        constexpr uint32_t rows = 4, n = 64;
        const bool bits = mode >= 3, padded = mode == 1 || mode == 4;
        const uint32_t width = bits ? n / 8 : n, pitch = padded ? width + 32 : width;
        const LocalTensor<T> x = b.numbers<T>(rows * n), y = b.some<T>(rows * n);
        const LocalTensor<uint8_t> mask = b.some<uint8_t>(rows * pitch);
        std::vector<double> want;
        for (uint32_t i = 0; i < rows * pitch; i++)
            mask.SetValue(i, uint8_t(bits ? i * 37 : i * 5 % 3 == 0));
        for (uint32_t i = 0; i < rows * n; i++) {
            const uint32_t k = i % n, byte = mask.GetValue(i / n * pitch + (bits ? k / 8 : k));
            const bool on = bits ? byte >> k % 8 & 1 : byte != 0;
            want.push_back(on ? double(float(x.GetValue(i))) / 0.75 : 0);
        }
        DropOutShapeInfo info;
        info.firstAxis = rows;
        info.srcLastAxis = n;
        info.maskLastAxis = pitch;
        DropOut<T, false, mode>(y, x, mask, b.tmp(), 0.75f, info);
        expect_near(y, want, "DropOut", 1, 0);
        y.SetValue(0, T(77));
        DropOut<T>(y, x, mask, 0.75f, info); /* the shape says which mode */
        expect_near(y, want, "DropOut by its shape", 1, 0);
        DropOut<T, false, mode>(x, x, mask, 0.75f, info);
        expect_near(x, want, "DropOut in place", 1, 0);
    });
}

void check_sizes(void **)
{
    const platform_ascendc::PlatformAscendC chip(nullptr);
    const TensorShape s({4, 100}), d({1, 100}), five({1, 16, 2, 3, 5});
    uint32_t most = 0, least = 0;
#define SIZE(call)                                                                                 \
    most = least = 0;                                                                              \
    call;                                                                                          \
    assert_true(least &&least <= most)
    SIZE(GetBroadCastMaxMinTmpSize(chip, d, s, 4, false, most, least));
    SIZE(GetTransposeMaxMinTmpSize(s, 2, 7, most, least));
    SIZE(GetConfusionTransposeMaxMinTmpSize(s, 2, 7, most, least));
    SIZE(GetPadMaxMinTmpSize(s, 2, most, least));
    SIZE(GetUnPadMaxMinTmpSize(chip, s, 2, most, least));
    SIZE(GetDropOutMaxMinTmpSize(s, 2, false, most, least));
    assert_int_equal(GetDropOutMaxTmpSize(s, 2, false), most);
    assert_int_equal(GetDropOutMinTmpSize(s, 2, false), least);
    SIZE(GetSelectMaxMinTmpSize(s, TensorShape({1}), 2, s, 1, false, most, least));
    assert_int_equal(GetSelectMaxTmpSize(s, TensorShape({1}), 2, s, 1, false), most);
    assert_int_equal(GetSelectMinTmpSize(s, TensorShape({1}), 2, s, 1, false), least);
    SIZE(GetSelectWithBytesMaskMaxMinTmpSize(s, TensorShape({1}), 2, s, 1, false, most, least));
    assert_int_equal(GetSelectWithBytesMaskMaxTmpSize(s, s, 2, s, 1, false), most);
    assert_int_equal(GetSelectWithBytesMaskMinTmpSize(s, s, 2, s, 1, false), least);
    const TransDataConfig to = {DataFormat::NCDHW, DataFormat::NDC1HWC0};
    const TransDataConfig no = {DataFormat::NCHW, DataFormat::NDC1HWC0};
    assert_true(GetTransDataMaxMinTmpSize(chip, five, five, ge::DT_FLOAT16, to, most, least));
    assert_false(GetTransDataMaxMinTmpSize(chip, five, five, ge::DT_FLOAT16, no, most, least));
    optiling::ConfusionTransposeTiling t;
    GetTransposeTilingInfo(TensorShape({1, 2, 16, 32}), most, 2, 1, t);
    GetConfusionTransposeTilingInfo(TensorShape({1, 2, 16, 32}), most, 2, 1, t);
    assert_int_equal(t.get_param3(), 32);
    optiling::PadTiling p;
    optiling::UnPadTiling u;
    PadTilingFunc(s, d, most, 2, p);
    UnPadTilingFunc(s, most, 2, u);
    assert_int_equal(p.get_srcOriWidth() + u.get_srcHeight(), 104);
}

void check_faults(void **)
{
    run_fails(
        [] {
            bench b;
            const LocalTensor<half> x = b.some<half>(512);
            const auto plain = MakeLayout(MakeShape(1, 20, 1, 2, 8), MakeStride());
            const auto five = MakeLayout(MakeShape(1, 1, 1, 2, 8, 16), MakeStride());
            TransDataParams<decltype(plain), decltype(five)> p = {plain, five};
            TransData<split5>(x, x, p);
        },
        NPU_E_ARG, {"TransData: n 1, c 20", "ceil(c / 16)"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            const uint32_t from[] = {2, 3}, to[] = {2, 6};
            Broadcast<float, 2, 1>(x, x, to, from);
        },
        NPU_E_ARG, {"Broadcast", "[2, 3] does not become [2, 6]"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            PadTiling t;
            PadTilingFunc(TensorShape({2, 7}), TensorShape({2, 7}), 4096, 4, t);
            PadParams p;
            p.leftPad = p.rightPad = 1;
            Pad(x, x, p, t);
        },
        NPU_E_ARG, {"Pad", "leftPad 1 and rightPad 1"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            ConfusionTransposeTiling t;
            Transpose(x, x, TransposeType::TRANSPOSE_NCHW2NHWC, t);
        },
        NPU_E_UNSUP, {"Transpose", "transposeType 11"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            DropOutShapeInfo info;
            DropOut<float>(x, x, b.tmp(), 1.0f, info);
        },
        NPU_E_ARG, {"DropOut", "keepProb is 1"});
    run_fails(
        [] {
            bench b;
            const LocalTensor<float> x = b.some<float>(64);
            SelectWithBytesMaskShapeInfo info;
            info.firstAxis = 1;
            info.srcLastAxis = 64;
            info.maskLastAxis = 32;
            Select(x, x, 0.0f, b.tmp(), b.tmp(), info);
        },
        NPU_E_ARG, {"Select", "srcLastAxis 64, maskLastAxis 32"});
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(check_broadcast<int8_t>),
        cmocka_unit_test(check_broadcast<uint8_t>),
        cmocka_unit_test(check_broadcast<half>),
        cmocka_unit_test(check_broadcast<bfloat16_t>),
        cmocka_unit_test(check_broadcast<float>),
        cmocka_unit_test(check_transpose<int16_t>),
        cmocka_unit_test(check_transpose<uint16_t>),
        cmocka_unit_test(check_transpose<half>),
        cmocka_unit_test(check_transpose<int32_t>),
        cmocka_unit_test(check_transpose<uint32_t>),
        cmocka_unit_test(check_transpose<float>),
        cmocka_unit_test(check_trans_data<int16_t>),
        cmocka_unit_test(check_trans_data<uint16_t>),
        cmocka_unit_test(check_trans_data<half>),
        cmocka_unit_test(check_trans_data<bfloat16_t>),
        cmocka_unit_test(check_pad<int16_t>),
        cmocka_unit_test(check_pad<uint16_t>),
        cmocka_unit_test(check_pad<half>),
        cmocka_unit_test(check_pad<int32_t>),
        cmocka_unit_test(check_pad<uint32_t>),
        cmocka_unit_test(check_pad<float>),
        cmocka_unit_test(check_fill<uint16_t>),
        cmocka_unit_test(check_fill<int16_t>),
        cmocka_unit_test(check_fill<half>),
        cmocka_unit_test(check_fill<uint32_t>),
        cmocka_unit_test(check_fill<int32_t>),
        cmocka_unit_test(check_fill<float>),
        cmocka_unit_test((check_select<half, bool>)),
        cmocka_unit_test((check_select<half, int8_t>)),
        cmocka_unit_test((check_select<half, uint16_t>)),
        cmocka_unit_test((check_select<half, int32_t>)),
        cmocka_unit_test((check_select<float, uint8_t>)),
        cmocka_unit_test((check_select<float, int16_t>)),
        cmocka_unit_test((check_select<float, uint32_t>)),
        cmocka_unit_test((check_drop<half, 1>)),
        cmocka_unit_test((check_drop<half, 2>)),
        cmocka_unit_test((check_drop<half, 3>)),
        cmocka_unit_test((check_drop<half, 4>)),
        cmocka_unit_test((check_drop<float, 1>)),
        cmocka_unit_test((check_drop<float, 2>)),
        cmocka_unit_test((check_drop<float, 3>)),
        cmocka_unit_test((check_drop<float, 4>)),
        cmocka_unit_test(check_sizes),
        cmocka_unit_test(check_faults),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

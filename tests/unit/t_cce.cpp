/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_cce.cpp - the raw intrinsics: units of strides, the mask register, packing of results.
 *
 * The kernels work on UB pointers from LocalMemAllocator, as code below Ascend C does. What a lane
 * computes is tested in t_facade_vec.cpp; here every name is called once and its operands are
 * placed.
 */
#include "kernel.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

using AscendC::LocalMemAllocator;

/* n elements at the front of UB, each f(i). */
template <class T>
static T *array(LocalMemAllocator<> &ub, uint32_t n, std::function<double(uint32_t)> f)
{
    auto t = ub.Alloc<T>(n);
    for (uint32_t i = 0; i < n; i++)
        t.SetValue(i, T(f(i)));
    return (T *)t.GetPhyAddr();
}
static double zigzag(uint32_t i) { return double(int(i * 37 % 101)) - 50; }
static double small(uint32_t i) { return double(i % 7) + 1; }
static void all_lanes() { set_vector_mask(uint64_t(-1), uint64_t(-1)); }

/* ---- lane by lane -------------------------------------------------------------------- */

/* Two repeats, dst blks two apart, src1 one blk for all (stride 0); only masked lanes change. */
template <class T, class Call> static void vvv(Call call, std::function<double(double, double)> f)
{
    run_well([&] {
        LocalMemAllocator<> ub;
        const uint32_t lanes = 256 / sizeof(T), blk = 32 / sizeof(T);
        T *d = array<T>(ub, 1024, [](uint32_t) { return 99; });
        T *a = array<T>(ub, 1024, zigzag), *b = array<T>(ub, 1024, small);
        set_vector_mask(0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f);
        call(d, a, b, 2, 2, 1, 0, 16, 8, 0);
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t l = 0; l < lanes; l++) {
                const uint64_t word = l < 64 ? 0x0f0f0f0f0f0f0f0f : 0x00ff00ff00ff00ff;
                const uint32_t at = r * 16 * blk + l / blk * 2 * blk + l % blk;
                const double x = double(float(a[r * lanes + l])), y = double(float(b[l % blk]));
                assert_true(d[at] == (word >> l % 64 & 1 ? T(f(x, y)) : T(99)));
                assert_true(d[at + blk] == T(99));
            }
    });
}
#define CHECK_VVV(T, name, expr)                                                                   \
    vvv<T>([](auto... args) { name(args...); }, [](double x, double y) -> double { return expr; })
static void three_operands(void **)
{
    CHECK_VVV(float, vadd, x + y);
    CHECK_VVV(half, vadd, x + y);
    CHECK_VVV(int16_t, vadd, x + y);
    CHECK_VVV(int32_t, vadd, x + y);
    CHECK_VVV(float, vsub, x - y);
    CHECK_VVV(float, vmul, x *y);
    CHECK_VVV(half, vmul, x * y);
    CHECK_VVV(float, vdiv, x / y);
    CHECK_VVV(half, vdiv, x / y);
    CHECK_VVV(float, vmax, std::fmax(x, y));
    CHECK_VVV(int32_t, vmin, std::fmin(x, y));
    CHECK_VVV(uint16_t, vand, uint16_t(int(x)) & uint16_t(int(y)));
    CHECK_VVV(uint16_t, vor, uint16_t(int(x)) | uint16_t(int(y)));
    CHECK_VVV(int16_t, vand, int(x) & int(y));
}

/* One source: dst packed, source blks two apart and its repeats 16. */
template <class T, class Call>
static void vv(Call call, std::function<double(double)> f, uint32_t steps)
{
    run_well([&] {
        LocalMemAllocator<> ub;
        const uint32_t lanes = 256 / sizeof(T), blk = 32 / sizeof(T);
        T *d = array<T>(ub, 1024, [](uint32_t) { return 99; });
        T *a = array<T>(ub, 1024, small);
        all_lanes();
        call(d, a, 2, 1, 2, 8, 16);
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t l = 0; l < lanes; l++) {
                const double x = double(float(a[r * 16 * blk + l / blk * 2 * blk + l % blk]));
                const int64_t got = int64_t(nputwin::bits_of(d[r * lanes + l]));
                const int64_t want = int64_t(nputwin::bits_of(T(f(x))));
                assert_true(got - want <= int64_t(steps) && want - got <= int64_t(steps));
            }
        assert_true(d[2 * lanes] == T(99));
    });
}
#define CHECK_VV(T, name, expr, steps)                                                             \
    vv<T>([](auto... args) { name(args...); }, [](double x) -> double { return expr; }, steps)
#define CHECK_VVS(T, name, s, expr)                                                                \
    vv<T>(                                                                                         \
        [](T *d, T *a, int rep, int db, int sb, int dr, int sr) {                                  \
            name(d, a, s, uint8_t(rep), uint16_t(db), uint16_t(sb), uint16_t(dr), uint16_t(sr));   \
        },                                                                                         \
        [](double x) -> double { return expr; }, 0)
static void two_operands(void **)
{
    CHECK_VV(float, vabs, std::fabs(x), 0);
    CHECK_VV(half, vabs, std::fabs(x), 0);
    CHECK_VV(float, vrelu, x, 0);
    CHECK_VV(float, vexp, std::exp(x), 1);
    CHECK_VV(float, vln, std::log(x), 1);
    CHECK_VV(float, vsqrt, std::sqrt(x), 0);
    CHECK_VV(float, vrsqrt, 1 / std::sqrt(x), 1);
    CHECK_VV(half, vrec, 1 / x, 0);
    CHECK_VV(uint16_t, vnot, uint16_t(~unsigned(x)), 0);
    CHECK_VVS(float, vadds, 1.5f, x + 1.5);
    CHECK_VVS(half, vadds, 1.5f, x + 1.5);
    CHECK_VVS(int16_t, vadds, -3, x - 3);
    CHECK_VVS(float, vmuls, 0.25f, x * 0.25);
    CHECK_VVS(float, vmaxs, 3.0f, std::fmax(x, 3));
    CHECK_VVS(float, vmins, 3.0f, std::fmin(x, 3));
    CHECK_VVS(float, vaxpy, 2.0f, 99 + 2 * x);
}

static void dup(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        uint32_t *u = array<uint32_t>(ub, 256, [](uint32_t) { return 1; });
        float *f = array<float>(ub, 256, [](uint32_t) { return 1; });
        all_lanes();
        vector_dup(u, 0x7F800000, 1, 1, 1, 64, 64);
        vector_dup(f, 1.0f / 7.0f, 2, 1, 1, 8, 8);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(u[i], 0x7f800000);
        assert_int_equal(u[64], 1);
        for (uint32_t i = 0; i < 128; i++)
            assert_true(f[i] == 1.0f / 7.0f);
        assert_true(f[128] == 1.0f);
        set_vector_mask(uint64_t(-1), 2); /* lanes of four bytes look at the low word only */
        vector_dup(f, 5.0f, 1, 1, 1, 8, 8);
        assert_true(f[0] != 5.0f && f[1] == 5.0f && f[2] != 5.0f);
    });
}

static void counter_mode(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        float *d = array<float>(ub, 256, [](uint32_t) { return 0; }),
              *s = array<float>(ub, 256, zigzag);
        set_mask_count();
        set_vector_mask(0, 100);
        vadds(d, s, 1.0f, 0, 1, 1, 8, 8); /* the repeat number is not looked at */
        set_mask_norm();
        for (uint32_t i = 0; i < 256; i++)
            assert_true(d[i] == (i < 100 ? s[i] + 1 : 0));
    });
}

/* ---- compare and select
 * ---------------------------------------------------------------------------- */

static void compare_and_select(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        float *a = array<float>(ub, 256, zigzag), *b = array<float>(ub, 256, small);
        float *d = array<float>(ub, 256, [](uint32_t) { return 99; });
        float *fallback = array<float>(ub, 8, [](uint32_t) { return -7; });
        uint8_t *bits = array<uint8_t>(ub, 64, [](uint32_t) { return 0; });
        a[5] = NAN;
        a[6] = 3;
        set_vector_mask(0, 1); /* has no say in a comparison */
        auto bit = [&](uint32_t i) { return bits[i / 8] >> i % 8 & 1; };
#define CHECK_CMP(name, op)                                                                        \
    vcmpvs_##name(bits, a, 3.0f, 3, 1, 1, 8, 8);                                                   \
    for (uint32_t i = 0; i < 192; i++)                                                             \
        assert_int_equal(bit(i), a[i] op 3.0f);                                                    \
    vcmpv_##name(bits, a, b, 3, 1, 1, 1, 8, 8, 8);                                                 \
    for (uint32_t i = 0; i < 192; i++)                                                             \
    assert_int_equal(bit(i), a[i] op b[i])
        CHECK_CMP(lt, <);
        CHECK_CMP(gt, >);
        CHECK_CMP(eq, ==);
        CHECK_CMP(ge, >=);
        CHECK_CMP(le, <=);
        a[5] = 0; /* NaN != 3 is false on the chip and true in C */
        CHECK_CMP(ne, !=);
        assert_int_equal(bits[24], 0);

        /* mode 1: 64 bits of choice a repeat, one after the other; the mask still counts */
        vcmpvs_le(bits, a, 3.0f, 3, 1, 1, 8, 8);
        set_cmpmask(fallback);
        set_vector_mask(0, 0x7fffffffffffffff);
        vsel(d, a, bits, 3, 1, 1, 1, 8, 8, 1, 1);
        for (uint32_t i = 0; i < 192; i++)
            assert_true(d[i] == (i % 64 == 63 ? 99 : a[i] <= 3 ? a[i] : -7));
        all_lanes();
        vsel(d, a, bits, 3, 1, 1, 1, 8, 0, 1, 1); /* repeat stride 0: the first repeat again */
        for (uint32_t i = 0; i < 192; i++)
            assert_true(d[i] == (a[i] <= 3 ? a[i % 64] : -7));
    });
    run_fails(
        [] {
            LocalMemAllocator<> ub;
            float *a = array<float>(ub, 64, zigzag);
            vsel(a, a, a, 1, 1, 1, 1, 8, 8, 8, 2);
        },
        NPU_E_RANGE, {"vsel: the bits at"});
}

/* ---- reductions, broadcast
 * ---------------------------------------------------------------------------- */

static void reductions(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        float *a = array<float>(ub, 256, zigzag),
              *d = array<float>(ub, 64, [](uint32_t) { return 99; });
        all_lanes();
        a[70] = 1000;
        a[130] = -1000;
        vcmax(d, a, 2, 3, 1, 8, ONLY_VALUE); /* dst stride of three elements */
        float m = -1e9f;
        for (uint32_t i = 0; i < 64; i++)
            m = std::fmax(m, a[i]);
        assert_true(d[0] == m && d[3] == 1000 && d[1] == 99);
        vcmax(d, a, 2, 1, 1, 8, VALUE_INDEX);
        assert_true(d[2] == 1000);
        uint32_t index;
        std::memcpy(&index, &d[3], 4);
        assert_int_equal(index, 6);
        vcmin(d, a + 128, 1, 1, 1, 8, INDEX_VALUE);
        std::memcpy(&index, &d[0], 4);
        assert_int_equal(index, 2);
        assert_true(d[1] == -1000);
        vcmin(d, a + 128, 1, 1, 1, 8, ONLY_INDEX);
        std::memcpy(&index, &d[0], 4);
        assert_int_equal(index, 2);

        vcgmax(d, a, 2, 2, 1, 8); /* eight values a repeat, two such groups apart */
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t b = 0; b < 8; b++) {
                m = -1e9f;
                for (uint32_t e = 0; e < 8; e++)
                    m = std::fmax(m, a[r * 64 + b * 8 + e]);
                assert_true(d[r * 16 + b] == m);
            }
        vcgmin(d, a + 128, 1, 1, 1, 8);
        assert_true(d[0] == -1000);
        float *k = array<float>(ub, 64, small);
        vcgadd(d, k, 1, 1, 1, 8);
        vcadd(d + 32, k, 1, 1, 1, 8);
        float sum = 0;
        for (uint32_t b = 0; b < 8; b++) {
            float part = 0; /* small whole numbers: any order gives the same sum */
            for (uint32_t e = 0; e < 8; e++)
                part += k[b * 8 + e];
            assert_true(d[b] == part);
            sum += part;
        }
        assert_true(d[32] == sum);

        uint32_t *u = array<uint32_t>(ub, 16, [](uint32_t i) { return i + 5; });
        uint32_t *w = array<uint32_t>(ub, 256, [](uint32_t) { return 1; });
        set_vector_mask(0, 1); /* has no say */
        vbrcb(w, u, 1, 8, 2);
        for (uint32_t i = 0; i < 128; i++)
            assert_int_equal(w[i], u[i / 8]);
        assert_int_equal(w[128], 1);
    });
}

/* ---- conversions
 * ------------------------------------------------------------------------------------------ */

static void conversions(void **)
{
    run_well([] {
        LocalMemAllocator<> ub;
        const float in[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 1.25f, -1.75f};
        float *f = array<float>(ub, 64, [&](uint32_t i) { return in[i % 8]; });
        float *g = array<float>(ub, 64, [](uint32_t) { return 0; });
        all_lanes();
        auto check = [&](std::initializer_list<float> want) {
            uint32_t i = 0;
            for (float w : want)
                assert_true(g[i++] == w);
        };
        vconv_f322f32r(g, f, 1, 1, 1, 8, 8);
        check({0, 2, 2, 0, -2, -2, 1, -2});
        vconv_f322f32z(g, f, 1, 1, 1, 8, 8);
        check({0, 1, 2, 0, -1, -2, 1, -1});
        vconv_f322f32f(g, f, 1, 1, 1, 8, 8);
        check({0, 1, 2, -1, -2, -3, 1, -2});
        vconv_f322f32c(g, f, 1, 1, 1, 8, 8);
        check({1, 2, 3, 0, -1, -2, 2, -1});
        vconv_f322f32a(g, f, 1, 1, 1, 8, 8);
        check({1, 2, 3, -1, -2, -3, 1, -2});

        bfloat16_t *b = array<bfloat16_t>(ub, 128, [](uint32_t) { return 0; });
        f[0] = 1 + 0x1p-8f; /* between two bfloat16 */
        f[1] = -(1 + 0x1p-8f);
        f[2] = 1 + 0x1p-7f;
        f[3] = INFINITY;
        f[4] = NAN;
        vconv_f322bf16r(b, f, 1, 1, 1, 4, 8);
        assert_int_equal(b[0].bits(), 0x3f80);
        assert_int_equal(b[2].bits(), 0x3f81);
        assert_int_equal(b[3].bits(), 0x7f80);
        assert_true(std::isnan(float(b[4])));
        assert_int_equal(b[64].bits(), 0);
        vconv_f322bf16a(b, f, 1, 1, 1, 4, 8);
        assert_int_equal(b[0].bits(), 0x3f81);
        assert_int_equal(b[1].bits(), 0xbf81);
        vconv_bf162f32(g, b, 1, 1, 1, 8, 4);
        assert_true(g[0] == 1 + 0x1p-7f && g[3] == INFINITY);

        half *h = array<half>(ub, 128, [](uint32_t i) { return double(i) - 60.5; });
        int8_t *s8 = array<int8_t>(ub, 128, [](uint32_t) { return 0; });
        uint8_t *u8 = array<uint8_t>(ub, 128, [](uint32_t) { return 0; });
        int16_t *s16 = array<int16_t>(ub, 128, [](uint32_t) { return 0; });
        int32_t *s32 = array<int32_t>(ub, 128, [](uint32_t) { return 0; });
        int64_t *s64 = array<int64_t>(ub, 128, [](uint32_t) { return 0; });
        vconv_f162s8z(s8, h, 1, 1, 1, 4, 8);
        assert_int_equal(s8[0], -60);
        vconv_s82f16(h, s8, 1, 1, 1, 8, 4);
        assert_true(h[0] == -60);
        vconv_f162u8a(u8, h, 1, 1, 1, 4, 8);
        assert_int_equal(u8[0], 0);
        vconv_u82f16(h, u8, 1, 1, 1, 8, 4);
        assert_true(h[100] == half(u8[100]));
        h[1] = half(-3.5);
        vconv_f162s16f(s16, h, 1, 1, 1, 8, 8);
        assert_int_equal(s16[1], -4);
        vconv_s162f16(h, s16, 1, 1, 1, 8, 8);
        assert_true(h[1] == -4);
        h[2] = half(7.5);
        vconv_f162s32c(s32, h, 1, 1, 1, 8, 4);
        assert_int_equal(s32[2], 8);
        vconv_s322f32(g, s32, 1, 1, 1, 8, 8);
        assert_true(g[2] == 8);
        g[3] = -2.5f;
        vconv_f322s32r(s32, g, 1, 1, 1, 8, 8);
        assert_int_equal(s32[3], -2);
        vconv_f322s16a(s16, g, 1, 1, 1, 4, 8);
        assert_int_equal(s16[3], -3);
        vconv_s162f32(g, s16, 1, 1, 1, 8, 4);
        assert_true(g[3] == -3);
        vconv_f322s64z(s64, g, 1, 1, 1, 8, 4); /* 32 lanes of eight bytes a repeat */
        assert_int_equal(s64[3], -3);
        assert_int_equal(s64[32], 0);
        s64[4] = int64_t(1) << 40;
        vconv_s642f32r(g, s64, 1, 1, 1, 4, 8);
        assert_true(g[4] == 0x1p40f);
        vconv_s642s32(s32, s64, 1, 1, 1, 4, 8);
        assert_int_equal(s32[4], INT32_MAX);
        vconv_s322s64(s64, s32, 1, 1, 1, 8, 4);
        assert_int_equal(s64[4], INT32_MAX);
        vconv_s322s16(s16, s32, 1, 1, 1, 4, 8);
        assert_int_equal(s16[4], INT16_MAX);
        b[5] = bfloat16_t(-2.5);
        vconv_bf162s32a(s32, b, 1, 1, 1, 8, 4);
        assert_int_equal(s32[5], -3);
        g[6] = 1 + 0x1p-11f; /* between two halves */
        vconv_f322f16(h, g, 1, 1, 1, 4, 8);
        assert_int_equal(h[6].bits(), 0x3c00);
        vconv_f322f16c(h, g, 1, 1, 1, 4, 8);
        assert_int_equal(h[6].bits(), 0x3c01);
        vconv_f322f16o(h, g, 1, 1, 1, 4, 8);
        assert_int_equal(h[6].bits(), 0x3c01);
        vconv_f162f32(g, h, 1, 1, 1, 8, 4);
        assert_true(g[6] == 1 + 0x1p-10f);
    });
}

/* ---- copies, flags, barriers
 * ------------------------------------------------------------------------------ */

static void copies(void **)
{
    std::vector<uint16_t> in(1024), out(1024, 7);
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = uint16_t(i);
    run_well([&] {
        LocalMemAllocator<> ub;
        uint16_t *a = array<uint16_t>(ub, 1024, [](uint32_t) { return 9; });
        uint16_t *b = array<uint16_t>(ub, 1024, [](uint32_t) { return 8; });
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
        set_flag(PIPE_V, PIPE_MTE2, (event_t)4);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
        copy_gm_to_ubuf(a, in.data(), 0, 2, 2, 1, 3); /* two bursts of 64 bytes, gaps 32 and 96 */
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);
        for (uint32_t i = 0; i < 32; i++) {
            assert_int_equal(a[i], i);
            assert_int_equal(a[80 + i], 48 + i);
        }
        assert_int_equal(a[32], 9);
        copy_ubuf_to_ubuf(b, a, 0, 2, 2, 3, 0);
        pipe_barrier(PIPE_V);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(b[i], i < 32 ? i : 16 + i);
        assert_int_equal(b[64], 8);
        copy_ubuf_to_gm(out.data(), b, 0, 1, 4, 0, 0);
        copy_ubuf_to_gm(out.data() + 512, b, 0, 2, 6, 0, 0, BM_ENABLE); /* bytes */
        copy_gm_to_ubuf(a, in.data() + 1, 0, 1, 6, 0, 0, BM_ENABLE);
        assert_int_equal(a[2], 3);
        copy_gm_to_ubuf_align_b16(a, in.data() + 5, 0, 2, 10, 0, 0, 2, 1);
        for (uint32_t i = 0; i < 5; i++) {
            assert_int_equal(a[i], 5 + i);
            assert_int_equal(a[32 + i], 11 + i);
        }
        copy_gm_to_ubuf_align_b32(a, in.data(), 0, 1, 12, 0, 0, 0, 0);
        assert_int_equal(a[5], 5);
        copy_ubuf_to_gm_align_b16(out.data() + 900, a, 0, 1, 6, 0, 0, 0, 0);
        pipe_barrier(PIPE_ALL);
    });
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i < 32 ? i : 16 + i);
    assert_int_equal(out[64], 7);
    assert_int_equal(out[512 + 2], 2);
    assert_int_equal(out[512 + 3],
                     16); /* second burst of three elements: from the next blk of UB */
    assert_int_equal(out[512 + 6], 7);
    assert_int_equal(out[902], 2);
    assert_int_equal(out[903], 7);
}

/* Three bursts of five elements, gaps on both sides, paddings of two and one; a burst begins at a
 * blk of UB, and lies byte behind byte in GM. */
struct aligned_copy {
    uint32_t elem;
    void (*in)(void *, const void *, uint8_t, uint16_t, uint32_t, uint8_t, uint8_t, uint32_t,
               uint32_t, npu_where);
    void (*out)(void *, const void *, uint8_t, uint16_t, uint32_t, uint8_t, uint8_t, uint32_t,
                uint32_t, npu_where);
};
static const aligned_copy aligned_copies[] = {
    {1, copy_gm_to_ubuf_align_b8, copy_ubuf_to_gm_align_b8},
    {2, copy_gm_to_ubuf_align_b16, copy_ubuf_to_gm_align_b16},
    {4, copy_gm_to_ubuf_align_b32, copy_ubuf_to_gm_align_b32},
};
static void copies_of_any_length(void **)
{
    constexpr uint32_t BURSTS = 3, PAD = 0x5a5a5a5a;
    constexpr uint8_t BESIDE = 0xee;
    for (const aligned_copy &c : aligned_copies) {
        const uint32_t len = 5 * c.elem, gm_step = len + 3, ub_step = 32 + 2 * 32;
        std::vector<uint8_t> gm(256), back(256, BESIDE);
        for (uint32_t i = 0; i < gm.size(); i++)
            gm[i] = uint8_t(i + 1);
        run_well([&] {
            uint8_t *ub = nputwin::core()->mem[MEM_UB].base;
            std::memset(ub, BESIDE, 512);
            set_mov_pad_val(PAD);
            c.in(ub, gm.data(), 0, BURSTS, len, 2, 1, 3, 2, NPU_HERE);
            for (uint32_t i = 0; i < BURSTS * ub_step; i++) {
                const uint32_t burst = i / ub_step, at = i % ub_step, from = 2 * c.elem;
                const bool is_data = at >= from && at < from + len;
                if (at < from + len + c.elem)
                    assert_int_equal(ub[i], is_data ? gm[burst * gm_step + at - from] : 0x5a);
                else if (at >= 32)
                    assert_int_equal(ub[i], BESIDE);
            }
            set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
            wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
            c.out(back.data(), ub, 0, BURSTS, len, 0, 0, 2, 3, NPU_HERE);
        });
        for (uint32_t i = 0; i < back.size(); i++) {
            const uint32_t burst = i / gm_step, at = i % gm_step;
            const bool is_data = burst < BURSTS && at < len;
            const uint8_t want = at < 2 * c.elem ? 0x5a : gm[burst * gm_step + at - 2 * c.elem];
            assert_int_equal(back[i], is_data ? want : BESIDE);
        }
    }
}

/* Each core knows its block and, beside a cube core, which of the two it is. */
static void places_of_cores(void **)
{
    int seen[3] = {}, pairs[3][2] = {};
    run_well(
        [&] {
            assert_int_equal(get_block_num(), 3);
            assert_int_equal(get_subblockid(), 0);
            assert_int_equal(get_subblockdim(), 1);
            seen[get_block_idx()]++;
        },
        3);
    const outcome o = run_on(
        CORE_AIC, 2,
        [&] {
            assert_int_equal(get_block_num(), 3);
            if (nputwin::core()->core_kind == CORE_AIV) {
                assert_int_equal(get_subblockdim(), 2);
                pairs[get_block_idx()][get_subblockid()]++;
            }
        },
        3);
    assert_int_equal(o.status, NPU_OK);
    for (int k = 0; k < 3; k++)
        assert_true(seen[k] == 1 && pairs[k][0] == 1 && pairs[k][1] == 1);
}

/* Flags and caches between cores: nobody adds before all have written. */
static void between_cores(void **)
{
    enum { BLOCKS = 8, FLAG = 3 };
    for (int round = 0; round < 10; round++) {
        std::vector<int> in(BLOCKS, 0), sum(BLOCKS, 0), twice(BLOCKS, 0);
        run_well(
            [&] {
                const size_t me = size_t(get_block_idx());
                set_ffts_base_addr(0x5a00);
                assert_int_equal(get_ffts_base_addr(), 0x5a00);
                in[me] = int(me) + 1;
                dcci(&in[me], SINGLE_CACHE_LINE, CACHELINE_OUT);
                dsb(DSB_ALL);
                ffts_cross_core_sync(PIPE_MTE3, 1 | FLAG << 8);
                wait_flag_dev(FLAG);
                dcci((uint8_t *)nullptr, ENTIRE_DATA_CACHE);
                for (int v : in)
                    sum[me] += v;
                ffts_cross_core_sync(PIPE_V, 1 | 0 << 4 | 15 << 8);
                wait_flag_dev(PIPE_S, 15);
                for (int v : sum)
                    twice[me] += v;
                ffts_cross_core_sync(PIPE_MTE2, 1 | 1 << 4); /* mode 1: a group of one */
                wait_flag_dev(0);
            },
            BLOCKS);
        for (int v : twice)
            assert_int_equal(v, 36 * BLOCKS);
    }
    for (uint64_t config : {0x300u, 0x331u, 0x305u, 0x1301u})
        run_fails([config] { ffts_cross_core_sync(PIPE_V, config); }, NPU_E_ARG,
                  {"ffts_cross_core_sync", "mode << 4"});
    run_fails([] { ffts_cross_core_sync(PIPE_S, 1); }, NPU_E_ARG, {"pipe is V, M"});
    run_fails([] { wait_flag_dev(16); }, NPU_E_ARG, {"wait_flag_dev", "16", "0 to 15"});
    run_fails([] { wait_flag_dev(2); }, NPU_E_DEADLOCK, {"2", "for ever"});
    run_fails([] { dcci((int *)nullptr, 2); }, NPU_E_ARG, {"dcci", "SINGLE_CACHE_LINE"});
    run_fails([] { dcci((int *)nullptr, 0, 3); }, NPU_E_ARG, {"CACHELINE_OUT"});
}

/* Score k of queue q is 100 - q - 5 k, its index 100 q + k; a pair has 8 bytes. */
template <class T> static void merge(uint32_t n_queues, bool stops)
{
    const uint32_t n[] = {8, 12, 4, 8}, per = 8 / sizeof(T), at_index = 4 / sizeof(T);
    run_well([&] {
        LocalMemAllocator<> ub;
        T *d = array<T>(ub, 64 * per, [](uint32_t) { return 0; }), *src[4];
        std::vector<std::pair<int, uint32_t>> want;
        uint64_t lengths = 0;
        for (uint32_t q = 0; q < 4; q++) {
            src[q] = array<T>(ub, 16 * per, [](uint32_t) { return 0; });
            lengths |= uint64_t(n[q]) << 16 * q;
            for (uint32_t k = 0; k < n[q]; k++) {
                const uint32_t index = 100 * q + k;
                const int score = 100 - int(q) - 5 * int(k);
                src[q][k * per] = T(float(score));
                std::memcpy(&src[q][k * per + at_index], &index, sizeof index);
                if (q < n_queues)
                    want.push_back({score, index});
            }
        }
        std::sort(want.rbegin(), want.rend());
        if (stops) /* behind the last of queue 2, 83 */
            want.resize(15);
        vmrgsort4(d, src, lengths, 1 | ((1 << n_queues) - 1) << 8 | stops << 12);
        for (uint32_t i = 0; i < want.size(); i++) {
            uint32_t index;
            std::memcpy(&index, &d[i * per + at_index], sizeof index);
            assert_int_equal(int(float(d[i * per])), want[i].first);
            assert_int_equal(index, want[i].second);
        }
    });
}
static void merging(void **)
{
    for (uint32_t n_queues : {2u, 3u, 4u}) {
        merge<half>(n_queues, false);
        merge<float>(n_queues, false);
    }
    merge<half>(4, true);
    merge<float>(4, true);
    run_fails(
        [] {
            float *src[4] = {};
            vmrgsort4(src[0], src, 8, 1 | 5 << 8);
        },
        NPU_E_ARG, {"vmrgsort4: valid_bit is 5"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_operands),
        cmocka_unit_test(two_operands),
        cmocka_unit_test(dup),
        cmocka_unit_test(counter_mode),
        cmocka_unit_test(compare_and_select),
        cmocka_unit_test(reductions),
        cmocka_unit_test(conversions),
        cmocka_unit_test(copies),
        cmocka_unit_test(copies_of_any_length),
        cmocka_unit_test(places_of_cores),
        cmocka_unit_test(between_cores),
        cmocka_unit_test(merging),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

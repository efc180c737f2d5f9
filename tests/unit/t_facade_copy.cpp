/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_copy.cpp - DataCopy and DataCopyPad: which bytes go where, which stay as they were.
 *
 * Every destination is filled with a marker first and compared as a whole, so a byte too many shows
 * as well as one too few.
 */
#include "kernel.hpp"
#include <algorithm>
#include <cstring>

using namespace AscendC;

enum { MARKER = 0x5a, UB_BYTES = 8192 };
using bytes = std::vector<uint8_t>;

static bytes ramp(size_t n)
{
    bytes v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = uint8_t(i * 7 + i / 256 + 1);
    return v;
}
template <class T> static GlobalTensor<T> global(bytes &v)
{
    GlobalTensor<T> g;
    g.SetGlobalBuffer(reinterpret_cast<T *>(v.data()), v.size() / sizeof(T));
    return g;
}
/* UB as it is after body, which gets a tensor over a marked region. */
template <class T, class Body> static bytes ub_after(Body body)
{
    bytes got(UB_BYTES);
    run_well([&] {
        TPipe pipe;
        TBuf<> buf;
        pipe.InitBuffer(buf, UB_BYTES);
        LocalTensor<uint8_t> all = buf.Get<uint8_t>();
        for (uint32_t i = 0; i < UB_BYTES; i++)
            all.SetValue(i, uint8_t(MARKER));
        body(buf.Get<T>());
        for (uint32_t i = 0; i < UB_BYTES; i++)
            got[i] = all.GetValue(i);
    });
    return got;
}
/* GM as it is after body; UB holds the ramp. */
template <class T, class Body> static bytes gm_after(size_t n, Body body)
{
    bytes gm(n, MARKER);
    run_well([&] {
        TPipe pipe;
        TBuf<> buf;
        pipe.InitBuffer(buf, UB_BYTES);
        LocalTensor<uint8_t> all = buf.Get<uint8_t>();
        const bytes r = ramp(UB_BYTES);
        for (uint32_t i = 0; i < UB_BYTES; i++)
            all.SetValue(i, r[i]);
        body(global<T>(gm), buf.Get<T>());
    });
    return gm;
}

/* ---- count form ---------------------------------------------------------------------- */

template <class T> static void count_of()
{
    bytes src = ramp(4096);
    for (uint32_t n : {0u, 1u, uint32_t(32 / sizeof(T)), uint32_t(100 / sizeof(T)),
                       uint32_t(2048 / sizeof(T))}) {
        const size_t moved = n * sizeof(T) / 32 * 32; /* rounded down to whole blks */
        const bytes in = ub_after<T>([&](LocalTensor<T> t) { DataCopy(t, global<T>(src), n); });
        bytes want(UB_BYTES, MARKER);
        std::copy_n(src.begin(), moved, want.begin());
        assert_true(in == want);

        const bytes out =
            gm_after<T>(4096, [&](GlobalTensor<T> g, LocalTensor<T> t) { DataCopy(g, t, n); });
        want = bytes(4096, MARKER);
        const bytes r = ramp(UB_BYTES);
        std::copy_n(r.begin(), moved, want.begin());
        assert_true(out == want);
    }
}
static void count_form(void **)
{
    count_of<int8_t>();
    count_of<uint8_t>();
    count_of<int16_t>();
    count_of<uint16_t>();
    count_of<half>();
    count_of<bfloat16_t>();
    count_of<int32_t>();
    count_of<uint32_t>();
    count_of<float>();
    count_of<int64_t>();
    count_of<uint64_t>();
    count_of<double>();
}

/* 48-byte rows copied out with DataCopy lose their last 16 bytes, with DataCopyPad they do not. */
static void rows_of_48_bytes(void **)
{
    for (bool fixed : {false, true}) {
        enum { ROWS = 3, RANK = 12 };
        std::vector<float> in(ROWS * RANK), out(ROWS * RANK, -1.0f);
        for (int i = 0; i < ROWS * RANK; i++)
            in[size_t(i)] = float(i);
        run_well([&] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> qin;
            TQue<TPosition::VECOUT, 1> qout;
            pipe.InitBuffer(qin, 1, RANK * sizeof(float));
            pipe.InitBuffer(qout, 1, RANK * sizeof(float));
            GlobalTensor<float> src, dst;
            src.SetGlobalBuffer(in.data(), ROWS * RANK);
            dst.SetGlobalBuffer(out.data(), ROWS * RANK);
            DataCopyExtParams cp{1, RANK * sizeof(float), 0, 0, 0};
            DataCopyPadExtParams<float> pad{true, 0, 4, 0.0f};
            for (uint32_t r = 0; r < ROWS; ++r) {
                LocalTensor<float> x = qin.AllocTensor<float>();
                DataCopyPad(x, src[r * RANK], cp, pad);
                qin.EnQue(x);
                x = qin.DeQue<float>();
                LocalTensor<float> y = qout.AllocTensor<float>();
                Muls(y, x, 2.0f, RANK);
                qout.EnQue(y);
                qin.FreeTensor(x);
                y = qout.DeQue<float>();
                if (fixed)
                    DataCopyPad(dst[r * RANK], y, cp);
                else
                    DataCopy(dst[r * RANK], y, RANK);
                qout.FreeTensor(y);
            }
        });
        for (int i = 0; i < ROWS * RANK; i++)
            assert_true(out[size_t(i)] == (fixed || i % RANK < 8 ? 2.0f * float(i) : -1.0f));
    }
}

/* ---- bursts of whole blks
 * ------------------------------------------------------------------------ */

/* dst[i] of n bursts: where burst b's byte i comes from. */
static void burst(bytes &dst, const bytes &src, uint32_t n, size_t len, size_t src_step,
                  size_t dst_step)
{
    for (uint32_t b = 0; b < n; b++)
        std::copy_n(src.begin() + long(b * src_step), len, dst.begin() + long(b * dst_step));
}
static void blk_bursts(void **)
{
    bytes src = ramp(4096);
    const DataCopyParams p{3, 2, 1, 3}; /* 64 bytes, gaps of 32 and 96 */
    bytes want(UB_BYTES, MARKER);
    burst(want, src, 3, 64, 96, 160);
    assert_true(ub_after<half>([&](LocalTensor<half> t) { DataCopy(t, global<half>(src), p); }) ==
                want);

    want = bytes(4096, MARKER);
    burst(want, ramp(UB_BYTES), 3, 64, 96, 160);
    assert_true(gm_after<float>(4096, [&](GlobalTensor<float> g, LocalTensor<float> t) {
                    DataCopy(g, t, p);
                }) == want);

    /* UB to UB, then out to see it */
    const bytes r = ramp(UB_BYTES);
    want = bytes(r.begin(), r.begin() + 4096);
    for (uint32_t b = 0; b < 3; b++)
        std::copy_n(r.begin() + 96 * b, 64, want.begin() + 2048 + 160 * b);
    assert_true(gm_after<int16_t>(4096, [&](GlobalTensor<int16_t> g, LocalTensor<int16_t> t) {
                    DataCopy(t[1024], t, p);
                    PipeBarrier<PIPE_ALL>();
                    DataCopy(g, t, 2048);
                }) == want);
    want = bytes(r.begin(), r.begin() + 4096);
    std::copy_n(r.begin(), 64, want.begin() + 2048);
    assert_true(gm_after<float>(4096, [&](GlobalTensor<float> g, LocalTensor<float> t) {
                    DataCopy(t[512], t, 17); /* 68 bytes: two blks */
                    DataCopy(g, t, 1024);
                }) == want);

    DataCopyParams none; /* nothing to do */
    none.blockCount = 0;
    none.blockLen = 5;
    none.srcGap = 1;
    assert_int_equal(none.srcStride, 1);
    assert_true(ub_after<half>([&](LocalTensor<half> t) {
                    DataCopy(t, global<half>(src), none);
                    DataCopy(t, global<half>(src), DataCopyParams{4, 0, 0, 0});
                }) == bytes(UB_BYTES, MARKER));
}

/* What another chip does on the way is not done here, as the page says: the copies are the same. */
static void enhanced(void **)
{
    bytes src = ramp(4096);
    const DataCopyParams p{3, 2, 1, 3};
    DataCopyEnhancedParams e;
    e.blockMode = BlockMode::BLOCK_MODE_VECTOR;
    e.isRelu = true;
    bytes want(UB_BYTES, MARKER);
    burst(want, src, 3, 64, 96, 160);
    assert_true(
        ub_after<half>([&](LocalTensor<half> t) { DataCopy(t, global<half>(src), p, e); }) == want);
    want = bytes(4096, MARKER);
    burst(want, ramp(UB_BYTES), 3, 64, 96, 160);
    assert_true(gm_after<float>(4096, [&](GlobalTensor<float> g, LocalTensor<float> t) {
                    DataCopy(g, t, p, e);
                }) == want);
    const bytes r = ramp(UB_BYTES);
    want = bytes(r.begin(), r.begin() + 4096);
    std::copy_n(r.begin(), 64, want.begin() + 2048);
    assert_true(gm_after<float>(4096, [&](GlobalTensor<float> g, LocalTensor<float> t) {
                    DataCopy(t[512], t, DataCopyParams(1, 2, 0, 0),
                             DataCopyEnhancedParams(BlockMode::BLOCK_MODE_MATRIX,
                                                    DeqScale::DEQ_NONE, 0, 0, false,
                                                    pad_t::PAD_NONE, 0));
                    PipeBarrier<PIPE_ALL>();
                    DataCopy(g, t, 1024);
                }) == want);
    run_fails(
        [&] {
            LocalTensor<int32_t> sums;
            sums.address_.logicPos = uint8_t(TPosition::CO1);
            DataCopy(LocalTensor<half>(TPosition::VECIN, 0, 256), sums, p, e);
        },
        NPU_E_ARG, {"from CO1 (L0C) to VECIN (UB)", "t_facade_copy.cpp"});
}

/* ---- DataCopyPad
 * ------------------------------------------------------------------------------------ */

template <class T> static T element(const bytes &v, size_t at)
{
    T x;
    std::memcpy(&x, &v[at], sizeof x);
    return x;
}
/* GM to UB: bursts of len bytes with a gap, left and right paddings, filled up to 32 bytes. */
template <class T>
static void pad_of(uint32_t count, uint32_t len, uint32_t gm_gap, uint32_t ub_gap, uint8_t left,
                   uint8_t right, bool is_pad, T value)
{
    bytes src = ramp(count * size_t(len + gm_gap));
    const DataCopyExtParams p{uint16_t(count), len, gm_gap, ub_gap, 0};
    const bytes got = ub_after<T>([&](LocalTensor<T> t) {
        DataCopyPad(t, global<T>(src), p, DataCopyPadExtParams<T>{is_pad, left, right, value});
    });
    const size_t before = left * sizeof(T), used = before + len + right * sizeof(T);
    const size_t slot = (used + 31) / 32 * 32, step = slot + ub_gap * 32;
    for (uint32_t b = 0; b < count; b++) {
        const size_t from = b * size_t(len + gm_gap);
        for (size_t i = 0; i < slot; i++) {
            const size_t at = b * step + i;
            if (i >= before && i < before + len) {
                assert_int_equal(got[at], src[from + i - before]);
            } else if (is_pad) {
                assert_int_equal(got[at], reinterpret_cast<const uint8_t *>(&value)[i % sizeof(T)]);
            } else if (left == 0 && right == 0) { /* dummies are the burst's first element */
                assert_int_equal(got[at], src[from + i % sizeof(T)]);
            }
        }
        for (size_t i = slot; i < step && b + 1 < count; i++)
            assert_int_equal(got[b * step + i], MARKER);
    }
    for (size_t i = count * step; i < UB_BYTES; i++)
        assert_int_equal(got[i], MARKER);

    DataCopyParams old{uint16_t(count), uint16_t(len), uint16_t(gm_gap), uint16_t(ub_gap)};
    uint64_t bits = nputwin::bits_of(value);
    assert_true(ub_after<T>([&](LocalTensor<T> t) {
                    DataCopyPad(t, global<T>(src), old,
                                DataCopyPadParams{is_pad, left, right, bits});
                }) == got);
}
static void pad_in(void **)
{
    pad_of<uint8_t>(1, 47, 0, 0, 0, 0, false, 0);
    pad_of<uint8_t>(3, 47, 1, 1, 0, 0, false, 0);
    pad_of<int8_t>(2, 33, 0, 0, 3, 2, true, -9);
    pad_of<half>(1, 2, 0, 0, 0, 0, false, half(0));
    pad_of<half>(4, 40, 6, 2, 0, 12, true, half(1.5));
    pad_of<half>(2, 64, 0, 0, 0, 0, false, half(0));
    pad_of<bfloat16_t>(2, 6, 2, 0, 0, 0, false, bfloat16_t(0));
    pad_of<int16_t>(5, 62, 10, 0, 1, 0, true, -3);
    pad_of<uint16_t>(1, 14, 0, 0, 4, 4, true, 65535);
    pad_of<float>(3, 48, 0, 0, 0, 4, true, 2.5f);
    pad_of<float>(32, 59 * 4, 0, 0, 0, 5, true, 0.0f);
    pad_of<int32_t>(2, 4, 60, 3, 2, 1, true, -1);
    pad_of<uint32_t>(2, 36, 4, 1, 0, 0, false, 0);
    pad_of<int64_t>(2, 24, 8, 0, 0, 0, false, 0);
    pad_of<uint64_t>(1, 8, 0, 0, 1, 2, true, 0);
    pad_of<double>(3, 40, 0, 1, 0, 3, true, 0.0);
}

template <class T>
static void pad_out_of(uint32_t count, uint32_t len, uint32_t ub_gap, uint32_t gm_gap)
{
    const DataCopyExtParams p{uint16_t(count), len, ub_gap, gm_gap, 0};
    const size_t slot = (len + 31) / 32 * 32;
    bytes want(4096, MARKER);
    burst(want, ramp(UB_BYTES), count, len, slot + ub_gap * 32, len + gm_gap);
    assert_true(gm_after<T>(4096, [&](GlobalTensor<T> g, LocalTensor<T> t) {
                    DataCopyPad(g, t, p);
                }) == want);
    assert_true(gm_after<T>(4096, [&](GlobalTensor<T> g, LocalTensor<T> t) {
                    DataCopyPad(g, t,
                                DataCopyParams{uint16_t(count), uint16_t(len), uint16_t(ub_gap),
                                               uint16_t(gm_gap)});
                }) == want);
}
static void pad_out(void **)
{
    pad_out_of<uint8_t>(1, 1, 0, 0);
    pad_out_of<uint8_t>(3, 47, 1, 5);
    pad_out_of<half>(5, 30, 0, 2);
    pad_out_of<float>(2, 64, 3, 0);
    pad_out_of<float>(7, 36, 0, 0);
    pad_out_of<int64_t>(4, 24, 1, 16);
}

static void pad_refusals(void **)
{
    bytes src = ramp(4096);
    auto call = [&](DataCopyExtParams p, DataCopyPadExtParams<float> pad) {
        return [&src, p, pad] {
            TPipe pipe;
            TBuf<> buf;
            pipe.InitBuffer(buf, 1024);
            DataCopyPad(buf.Get<float>(), global<float>(src), p, pad);
        };
    };
    run_fails(call({4096, 4, 0, 0, 0}, {}), NPU_E_ARG, {"blockCount 4096", "4095"});
    run_fails(call({1, 2097152, 0, 0, 0}, {}), NPU_E_ARG, {"2097152"});
    run_fails(call({1, 6, 0, 0, 0}, {}), NPU_E_ARG, {"6 bytes", "4-byte"});
    run_fails(call({1, 4, 0, 0, 0}, {true, 9, 0, 0.0f}), NPU_E_ARG, {"leftPadding 9", "32 bytes"});
    run_fails(call({1, 4, 0, 0, 0}, {true, 0, 9, 0.0f}), NPU_E_ARG, {"rightPadding 9"});
    run_fails(
        [&] {
            DataCopyPad(LocalTensor<int64_t>(TPosition::VECIN, 0, 64), global<int64_t>(src),
                        DataCopyExtParams{1, 8, 0, 0, 0},
                        DataCopyPadExtParams<int64_t>{true, 0, 1, 7});
        },
        NPU_E_ARG, {"paddingValue 0x7", "64-bit"});
    run_well(call({0, 4, 0, 0, 0}, {}));
    run_well(call({1, 0, 0, 0, 0}, {}));
    /* more than UB holds */
    run_fails(call({1, 300000, 0, 0, 0}, {}), NPU_E_RANGE, {});
}

/* ---- slices, and rows to fractals and back ------------------------------------------------ */

/* A 3 x 87 matrix: rows 0 and 2, columns 16..39 and 47..70, as the document's example. */
static void slices(void **)
{
    std::vector<float> m(3 * 87), back(2 * 48, -1.0f), wide(3 * 87, -1.0f);
    for (size_t i = 0; i < m.size(); i++)
        m[i] = float(i);
    run_well([&] {
        LocalTensor<float> t(TPosition::VECIN, 0, 96);
        GlobalTensor<float> src, dst, spread;
        src.SetGlobalBuffer(m.data(), m.size());
        dst.SetGlobalBuffer(back.data(), back.size());
        spread.SetGlobalBuffer(wide.data(), wide.size());
        const SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
        const SliceInfo to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
        DataCopy(t, src, to, from, 2);
        PipeBarrier<PIPE_ALL>();
        DataCopy(dst, t, to, to, 2);
        DataCopy(spread, t, from, to, 2);
    });
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t c = 0; c < 48; c++) {
            const uint32_t column = c < 24 ? 16 + c : 47 + c - 24;
            assert_true(back[r * 48 + c] == float(2 * r * 87 + column));
            assert_true(wide[2 * r * 87 + column] == float(2 * r * 87 + column));
            wide[2 * r * 87 + column] = -1.0f;
        }
    for (float v : wide)
        assert_true(v == -1.0f);
    /* one dimension, the default */
    const SliceInfo line[] = {{8, 15, 0, 1, 32}}, start[] = {{0, 7, 0, 1, 8}};
    float got = 0;
    run_well([&] {
        LocalTensor<float> t(TPosition::VECIN, 0, 8);
        GlobalTensor<float> src;
        src.SetGlobalBuffer(m.data(), m.size());
        DataCopy(t, src, start, line);
        got = t.GetValue(7);
    });
    assert_true(got == 15.0f);
}
static void slice_refusals(void **)
{
    static float m[64];
    auto call = [](SliceInfo to, SliceInfo from, uint32_t dims) {
        return [=] {
            const SliceInfo tos[] = {to, to}, froms[] = {from, from};
            GlobalTensor<float> src;
            src.SetGlobalBuffer(m, 64);
            DataCopy(LocalTensor<float>(TPosition::VECIN, 0, 64), src, tos, froms, dims);
        };
    };
    run_fails(call({0, 7, 0, 1, 8}, {8, 14, 0, 1, 32}, 1), NPU_E_ARG,
              {"dimension 0", "endIndex 14"});
    run_fails(call({0, 7, 0, 1, 8}, {0, 23, 8, 1, 32}, 1), NPU_E_ARG, {"has 2 slices", "1 of 8"});
    run_fails(call({0, 7, 0, 1, 8}, {8, 15, 0, 1, 12}, 1), NPU_E_ARG, {"shapeValue 12"});
    run_fails(call({0, 7, 0, 1, 0}, {8, 15, 0, 1, 32}, 2), NPU_E_ARG, {"shapeValue"});
    run_fails(call({0, 7, 0, 1, 8}, {8, 15, 0, 1, 32}, 9), NPU_E_ARG, {"9 dimensions"});
    run_fails(call({0, 7, 0, 1, 8}, {8, 15, 0, 1, 32}, 0), NPU_E_ARG, {"0 dimensions"});
}

/* Element (row, column) of matrix nd, by the strides of the pages. */
template <class T> static void nd_to_nz_of(const Nd2NzParams &p)
{
    const uint32_t c0 = 32 / sizeof(T);
    std::vector<T> src(4096);
    for (size_t i = 0; i < src.size(); i++)
        src[i] = T(float(i % 113 + 1));
    bytes raw(src.size() * sizeof(T));
    std::memcpy(raw.data(), src.data(), raw.size());
    const bytes got = ub_after<T>([&](LocalTensor<T> t) { DataCopy(t, global<T>(raw), p); });
    bytes want(UB_BYTES, MARKER);
    for (uint32_t nd = 0; nd < p.ndNum; nd++)
        for (uint32_t n = 0; n < p.nValue; n++)
            for (uint32_t d = 0; d < (p.dValue + c0 - 1) / c0 * c0; d++) {
                const uint32_t at = nd * p.dstNzMatrixStride + d / c0 * p.dstNzC0Stride * c0 +
                                    n * p.dstNzNStride * c0 + d % c0;
                const T v =
                    d < p.dValue ? src[nd * p.srcNdMatrixStride + n * p.srcDValue + d] : T(0);
                std::memcpy(&want[at * sizeof(T)], &v, sizeof(T));
            }
    assert_true(got == want);
}
static void nd_to_nz(void **)
{
    nd_to_nz_of<half>({2, 2, 24, 144, 48, 11, 2, 96}); /* the document's picture */
    nd_to_nz_of<float>({1, 5, 20, 0, 20, 5, 1, 0});
    nd_to_nz_of<int8_t>({1, 3, 70, 0, 80, 4, 1, 0});
    nd_to_nz_of<int32_t>({3, 1, 8, 8, 8, 1, 1, 16});
    nd_to_nz_of<bfloat16_t>({0, 4, 16, 0, 16, 4, 1, 0});
}
template <class T> static void nz_to_nd_of(const Nz2NdParamsFull &p)
{
    bytes want(4096, MARKER);
    const bytes r = ramp(UB_BYTES);
    for (uint32_t nd = 0; nd < p.ndNum; nd++)
        for (uint32_t n = 0; n < p.nValue; n++)
            for (uint32_t d = 0; d < p.dValue; d++) {
                const size_t from =
                    nd * p.srcNdMatrixStride * 256u + d / 16 * p.srcNStride * 16u + n * 16 + d % 16;
                const size_t to = nd * p.dstNdMatrixStride + n * p.dstDStride + d;
                std::copy_n(r.begin() + long(from * sizeof(T)), sizeof(T),
                            want.begin() + long(to * sizeof(T)));
            }
    assert_true(
        gm_after<T>(4096, [&](GlobalTensor<T> g, LocalTensor<T> t) { DataCopy(g, t, p); }) == want);
}
static void nz_to_nd(void **)
{
    nz_to_nd_of<half>({2, 4, 32, 1, 4, 160, 48}); /* the document's pictures */
    nz_to_nd_of<float>({2, 4, 32, 1, 4, 144, 40});
    nz_to_nd_of<int16_t>({1, 16, 16, 1, 16, 16, 1});
    run_fails(
        [] {
            GlobalTensor<half> g;
            DataCopy(g, LocalTensor<half>(TPosition::VECOUT, 0, 16),
                     Nz2NdParamsFull{1, 1, 24, 1, 1, 24, 1});
        },
        NPU_E_ARG, {"dValue 24", "16"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(count_form),     cmocka_unit_test(rows_of_48_bytes),
        cmocka_unit_test(blk_bursts),     cmocka_unit_test(enhanced),
        cmocka_unit_test(pad_in),         cmocka_unit_test(pad_out),
        cmocka_unit_test(pad_refusals),   cmocka_unit_test(slices),
        cmocka_unit_test(slice_refusals), cmocka_unit_test(nd_to_nz),
        cmocka_unit_test(nz_to_nd),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

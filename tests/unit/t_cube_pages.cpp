/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_cube_pages.cpp - the calls of the cube core, page by page: each parameter of each call against
 * the plain matrices, and what each refuses.
 */
#include "cube.hpp"

namespace {

/* ---- LoadDataWithSparse, MmadWithSparse ------------------------------------------------- */

/* Every way in which four numbers may hold two, as the page's table has them: which two of the
 * left matrix' four meet the pair. */
struct pair_row {
    int index0, index1, at0, at1;
};
constexpr pair_row pair_rows[] = {{2, 2, 2, 3}, {1, 2, 1, 3}, {0, 2, 0, 3}, {1, 1, 1, 2},
                                  {0, 1, 0, 2}, {0, 0, 0, 1}, {2, 0, 2, 2}, {1, 0, 1, 1}};

void sparse_products(void **)
{
    const struct {
        uint32_t m, k, n, start;
        int init; /* 0: from nothing, 1: twice, 2: on a bias */
    } cases[] = {{128, 64, 128, 0, 0},
                 {30, 128, 40, 0, 1},
                 {1, 64, 16, 2, 0},
                 {17, 192, 33, 1, 2},
                 {16, 100, 16, 0, 0}};
    for (const auto &s : cases) {
        problem<int8_t, int32_t> p(s.m, s.k, s.n, int(s.m + s.k));
        const uint32_t n1 = up(s.n, 16) / 16, h1 = up(s.k, 64) / 64, n_fractals = n1 * h1;
        std::vector<int8_t> packed((s.start + n_fractals) * 512, 99);
        std::vector<uint8_t> index((s.start + n_fractals) * 128, 0);
        std::vector<double> want(size_t(s.m) * s.n);
        std::mt19937 gen{7};
        for (uint32_t j = 0; j < s.n; j++)
            for (uint32_t h = 0; h < s.k / 2; h += 2) {
                const pair_row &r = pair_rows[gen() % 8];
                const size_t in = ((h / 32 * n1 + j / 16 + s.start) * 16 + j % 16) * 32 + h % 32;
                packed[in] = int8_t(int(gen() % 255) - 127);
                packed[in + 1] = int8_t(int(gen() % 255) - 127);
                index[in / 4] |= uint8_t((r.index0 | r.index1 << 2) << in % 4 * 2);
                for (uint32_t i = 0; i < s.m; i++)
                    want[i * s.n + j] +=
                        double(p.a[i * s.k + h * 2 + uint32_t(r.at0)]) * packed[in] +
                        double(p.a[i * s.k + h * 2 + uint32_t(r.at1)]) * packed[in + 1];
            }
        on_cube([&] {
            load_operands(p);
            GlobalTensor<int8_t> g;
            GlobalTensor<uint8_t> x;
            GlobalTensor<int32_t> b;
            g.SetGlobalBuffer(packed.data(), packed.size());
            x.SetGlobalBuffer(index.data(), index.size());
            b.SetGlobalBuffer(p.bias.data(), p.bias.size());
            LocalTensor<int8_t> b1 = at<int8_t>(TPosition::B1, on_chip().b1, 1);
            LocalTensor<uint8_t> x1 = at<uint8_t>(TPosition::B1, on_chip().c1, 1);
            LocalTensor<int32_t> c1 = at<int32_t>(TPosition::C1, 500 * 1024, 1);
            DataCopy(b1, g, uint32_t(packed.size()));
            DataCopy(x1, x, uint32_t(index.size()));
            DataCopy(c1, b, uint32_t(p.bias.size()));
            wait_for_all();
            DataCopy(at<int32_t>(TPosition::C2, 0, 1), c1, uint32_t(up(s.n, 16)));
            LoadData2dParams l;
            l.startIndex = uint16_t(s.start);
            l.repeatTimes = uint8_t(n_fractals);
            LoadDataWithSparse(at<int8_t>(TPosition::B2, 1024, 1), b1, x1, l);
            wait_for_all();
            MmadParams q(uint16_t(s.m), uint16_t(s.n), uint16_t(s.k), 0, s.init == 2, s.init != 2);
            MmadWithSparse(sums<int32_t>(), at<int8_t>(TPosition::A2, 0, 1),
                           at<int8_t>(TPosition::B2, 1024, 1), q);
            if (s.init == 1) {
                q.cmatrixInitVal = false;
                MmadWithSparse(sums<int32_t>(), at<int8_t>(TPosition::A2, 0, 1),
                               at<int8_t>(TPosition::B2, 1024, 1), q);
            }
            wait_for_all();
            rows_out(p);
        });
        for (uint32_t i = 0; i < s.m; i++)
            for (uint32_t j = 0; j < s.n; j++) {
                const double w =
                    want[i * s.n + j] * (s.init == 1 ? 2 : 1) + (s.init == 2 ? p.bias[j] : 0);
                if (double(p.c[i * s.n + j]) != w)
                    fail_msg("%u x %u x %u: row %u column %u is %d, not %g", s.m, s.k, s.n, i, j,
                             p.c[i * s.n + j], w);
            }
    }
}
void sparse_refuses(void **)
{
    auto load = [](TPosition to, uint32_t at_bytes, uint8_t repeats) {
        LoadData2dParams l;
        l.repeatTimes = repeats;
        LoadDataWithSparse(at<int8_t>(to, at_bytes, 1), at<int8_t>(TPosition::B1, 0, 1),
                           at<uint8_t>(TPosition::B1, 131072, 1), l);
    };
    fails_on_cube([&] { load(TPosition::A2, 0, 1); }, NPU_E_ARG,
                  "LoadDataWithSparse: dst lies in L0A; it may lie in L0B");
    fails_on_cube([&] { load(TPosition::B2, 512, 128); }, NPU_E_RANGE, "L0B has 65536 bytes");
    fails_on_cube([&] { load(TPosition::B2, 256, 1); }, NPU_E_ALIGN, "not a multiple of 512");
    fails_on_cube(
        [] {
            MmadWithSparse(sums<int32_t>(), at<int8_t>(TPosition::A2, 0, 1),
                           at<int8_t>(TPosition::B2, 65024, 1),
                           MmadParams(16, 32, 64, 0, false, true));
        },
        NPU_E_RANGE, "L0B has 65536 bytes");
    fails_on_cube(
        [] {
            MmadWithSparse(sums<int32_t>(), at<int8_t>(TPosition::A2, 0, 1),
                           at<int8_t>(TPosition::B2, 0, 1),
                           MmadParams(16, 4096, 64, 0, false, true));
        },
        NPU_E_ARG, "MmadWithSparse: m 16, n 4096, k 64; each is at most 4095");
    on_cube([&] { load(TPosition::B2, 0, 0); }); /* nothing to do */
}

/* ---- LoadData, 2D ----------------------------------------------------------------------- */

/* Rows: start, repeats, src stride, dst gap, whether the source goes down. */
constexpr struct {
    uint16_t start;
    uint8_t repeats;
    uint16_t stride, gap;
    uint8_t down;
} load_rows_[] = {
    {0, 1, 0, 0, 0}, {1, 5, 1, 0, 0}, {2, 3, 3, 2, 0}, {9, 4, 2, 1, 1}, {0, 3, 0, 0, 0}};

template <class T> void load_2d_of(bool from_gm_to_l0)
{
    const std::vector<uint8_t> gm = noise(12 * 512, 21);
    GlobalTensor<T> g;
    g.SetGlobalBuffer(reinterpret_cast<T *>(const_cast<uint8_t *>(gm.data())), gm.size());
    for (const auto &r : load_rows_)
        on_cube([&] {
            const LoadData2DParams p(r.start, r.repeats, r.stride, 0, r.gap, false, r.down);
            LoadData(at<T>(TPosition::A1, 0, 1), g, LoadData2DParams(0, 12, 1, 0, 0, false, 0));
            LoadData(at<T>(TPosition::B1, 65536, 1), g, p);
            if (from_gm_to_l0) {
                LoadData(at<T>(TPosition::A2, 16384, 1), g, p);
                LoadData(at<T>(TPosition::B2, 16384, 1), g, p);
            }
            wait_for_all();
            LoadData(at<T>(TPosition::A2, 0, 1), at<T>(TPosition::A1, 0, 1), p);
            LoadData(at<T>(TPosition::B2, 0, 1), at<T>(TPosition::B1, 0, 1), p);
            wait_for_all();
            for (uint32_t i = 0; i < r.repeats; i++) {
                const int step = int(i) * r.stride;
                const uint8_t *want = gm.data() + (r.start + (r.down ? -step : step)) * 512;
                const uint32_t to = i * (r.gap + 1u) * 512;
                same("L1", memory(MEM_L1) + 65536 + to, want, 512);
                same("L0A", memory(MEM_L0A) + to, want, 512);
                same("L0B", memory(MEM_L0B) + to, want, 512);
                if (from_gm_to_l0) {
                    same("GM to L0A", memory(MEM_L0A) + 16384 + to, want, 512);
                    same("GM to L0B", memory(MEM_L0B) + 16384 + to, want, 512);
                }
            }
        });
}
/* Each fractal of 16 x 16 turned. */
template <class T> void load_2d_turned()
{
    const std::vector<uint8_t> gm = noise(4 * 512, 22);
    GlobalTensor<T> g;
    g.SetGlobalBuffer(reinterpret_cast<T *>(const_cast<uint8_t *>(gm.data())), gm.size());
    on_cube([&] {
        LoadData(at<T>(TPosition::A1, 0, 1), g, LoadData2DParams(0, 4, 1, 0, 0, false, 0));
        wait_for_all();
        const LoadData2DParams p(3, 4, 1, 0, 1, true, 1);
        LoadData(at<T>(TPosition::A2, 0, 1), at<T>(TPosition::A1, 0, 1), p);
        LoadData(at<T>(TPosition::B2, 0, 1), at<T>(TPosition::A1, 0, 1), p);
        wait_for_all();
        for (uint32_t f = 0; f < 4; f++)
            for (uint32_t i = 0; i < 16; i++)
                for (uint32_t j = 0; j < 16; j++) {
                    const uint8_t *want = gm.data() + (3 - f) * 512 + (j * 16 + i) * 2;
                    same("L0A, turned", memory(MEM_L0A) + f * 1024 + (i * 16 + j) * 2, want, 2);
                    same("L0B, turned", memory(MEM_L0B) + f * 1024 + (i * 16 + j) * 2, want, 2);
                }
    });
}
void load_2d(void **)
{
    load_2d_of<int8_t>(true);
    load_2d_of<uint8_t>(true);
    load_2d_of<int16_t>(true);
    load_2d_of<uint16_t>(true);
    load_2d_of<half>(true);
    load_2d_of<bfloat16_t>(true);
    load_2d_of<int32_t>(true);
    load_2d_of<uint32_t>(true);
    load_2d_of<float>(true);
    load_2d_turned<half>();
    load_2d_turned<bfloat16_t>();
    load_2d_turned<int16_t>();
    load_2d_turned<uint16_t>();
    /* int4b_t from L1 */
    const std::vector<uint8_t> gm = noise(2048, 23);
    on_cube([&] {
        std::memcpy(memory(MEM_L1), gm.data(), gm.size());
        LoadData(at<int4b_t>(TPosition::A2, 0, 1), at<int4b_t>(TPosition::A1, 0, 1),
                 LoadData2DParams(1, 2, 2, 0, 0, false, 0));
        wait_for_all();
        same("int4b_t", memory(MEM_L0A), gm.data() + 512, 512);
        same("int4b_t", memory(MEM_L0A) + 512, gm.data() + 1536, 512);
        /* nothing to do */
        LoadData(at<half>(TPosition::A2, 0, 1), at<half>(TPosition::A1, 0, 1),
                 LoadData2DParams(0, 0, 1, 0, 0, false, 0));
        wait_for_all();
        same("repeatTimes 0", memory(MEM_L0A), gm.data() + 512, 512);
    });
    auto load = [](auto t, TPosition to, uint32_t dst, uint32_t src, const LoadData2DParams &p) {
        using T = decltype(t);
        LoadData(at<T>(to, dst, 1), at<T>(TPosition::A1, src, 1), p);
    };
    const LoadData2DParams one(0, 1, 1, 0, 0, false, 0), turns(0, 1, 1, 0, 0, true, 0);
    fails_on_cube([&] { load(half(0.0f), TPosition::CO1, 0, 0, one); }, NPU_E_ARG,
                  "LoadData: dst lies in L0C; it may lie in L0A or L0B");
    fails_on_cube([&] { load(half(0.0f), TPosition::A2, 256, 0, one); }, NPU_E_ALIGN,
                  "L0A byte 256, which is not a multiple of 512");
    fails_on_cube([&] { load(half(0.0f), TPosition::A2, 0, 16, one); }, NPU_E_ALIGN,
                  "L1 byte 16, which is not a multiple of 32");
    fails_on_cube([&] { load(int8_t(0), TPosition::A2, 0, 0, turns); }, NPU_E_ARG,
                  "elements of 1 bytes; it turns fractals of 16-bit");
    fails_on_cube(
        [&] { load(half(0.0f), TPosition::B2, 0, 0, LoadData2DParams(0, 255, 1, 0, 0, false, 0)); },
        NPU_E_RANGE, "L0B has 65536 bytes");
    fails_on_cube(
        [&] { load(half(0.0f), TPosition::B2, 0, 0, LoadData2DParams(1, 3, 1, 0, 0, false, 1)); },
        NPU_E_RANGE, "src");
}

/* ---- LoadDataWithTranspose: 4-bit numbers, gaps, addresses that fall --------------------- */

void load_turned(void **)
{
    const std::vector<uint8_t> gm = noise(3 * 2048, 31);
    auto nibble = [](const uint8_t *p, uint32_t i) { return p[i / 2] >> i % 2 * 4 & 15; };
    on_cube([&] {
        std::memcpy(memory(MEM_L1), gm.data(), gm.size());
        /* squares of 64 x 64 in four fractals of 16 x 64, the fractals of dst two apart */
        LoadDataWithTranspose(at<int4b_t>(TPosition::B2, 0, 1), at<int4b_t>(TPosition::B1, 0, 1),
                              LoadData2dTransposeParams(2, 2, 1, 7, 1, 1));
        wait_for_all();
        for (uint32_t s = 0; s < 2; s++)
            for (uint32_t r = 0; r < 64; r++)
                for (uint32_t k = 0; k < 64; k++) {
                    const uint8_t *from = gm.data() + (2 - s) * 2048;
                    const uint8_t *to = memory(MEM_L0B) + s * 8 * 512 + r / 16 * 1024;
                    is("a nibble", nibble(to, r % 16 * 64 + k), nibble(from, k * 64 + r));
                }
    });
    fails_on_cube(
        [] {
            LoadDataWithTranspose(at<float>(TPosition::CO1, 0, 1), at<float>(TPosition::B1, 0, 1),
                                  LoadData2dTransposeParams(0, 1, 1, 0, 0, 0));
        },
        NPU_E_ARG, "LoadDataWithTranspose: dst lies in");
    fails_on_cube(
        [] {
            LoadDataWithTranspose(at<int8_t>(TPosition::B2, 0, 1), at<int8_t>(TPosition::B1, 0, 1),
                                  LoadData2dTransposeParams(0, 100, 1, 1, 0, 0));
        },
        NPU_E_RANGE, "L0B has 65536 bytes");
    on_cube([] {
        LoadDataWithTranspose(at<int8_t>(TPosition::B2, 0, 1), at<int8_t>(TPosition::B1, 0, 1),
                              LoadData2dTransposeParams(0, 0, 1, 1, 0, 0));
    });
}

/* ---- LoadData, 3D ----------------------------------------------------------------------- */

struct part {
    uint32_t row0, rows, column0, columns;
    bool turns, packs; /* packs: LoadData3DParamsV2Pro, after SetFmatrix and its kind */
};
template <class T> void load_3d_of(const image_case &k, const part &w)
{
    constexpr uint32_t c0 = 32 / sizeof(T);
    std::mt19937 gen{k.h * 7 + w.row0};
    std::vector<T> hwc(size_t(k.h) * k.w * k.c), l1;
    for (T &v : hwc)
        v = T(float(int(gen() % 100)) - 50);
    for (uint32_t c1 = 0; c1 < k.c; c1 += c0)
        for (uint32_t i = 0; i < k.h * k.w; i++)
            for (uint32_t c = c1; c < k.c && c < c1 + c0; c++)
                l1.push_back(hwc[i * k.c + c]);
    const uint32_t ow = (k.w + k.left + k.right - ((k.fw - 1) * k.dw + 1)) / k.sw + 1;
    const uint32_t oh = (k.h + k.top + k.bottom - ((k.fh - 1) * k.dh + 1)) / k.sh + 1;
    const uint8_t pads[4] = {uint8_t(k.left), uint8_t(k.right), uint8_t(k.top), uint8_t(k.bottom)};
    const T pad = T(5.0f);
    on_cube([&] {
        std::memcpy(memory(MEM_L1), l1.data(), l1.size() * sizeof(T));
        const auto load = [&](TPosition to) {
            if (w.packs) {
                SetFmatrix(uint16_t(k.h), uint16_t(k.w), pads,
                           k.right_side ? FmatrixMode::FMATRIX_RIGHT : FmatrixMode::FMATRIX_LEFT);
                SetLoadDataPaddingValue(pad);
                LoadData3DParamsV2Pro p(
                    uint16_t(k.c), w.turns, false, k.fw > 255, k.fh > 255, k.right_side,
                    uint64_t(w.row0) << 48 | uint64_t(w.column0) << 32 | uint64_t(w.rows) << 16 |
                        w.columns,
                    uint64_t(k.dh) << 40 | uint64_t(k.dw) << 32 | uint64_t(k.fh & 255) << 24 |
                        uint64_t(k.fw & 255) << 16 | uint64_t(k.sh) << 8 | k.sw);
                LoadData(at<T>(to, 0, 1), at<T>(TPosition::A1, 0, 1), p);
                return;
            }
            LoadData3DParamsV2<T> p(pads, uint16_t(k.h), uint16_t(k.w), uint16_t(k.c),
                                    uint16_t(w.columns), uint16_t(w.rows), uint16_t(w.column0),
                                    uint16_t(w.row0), uint8_t(k.sw), uint8_t(k.sh), uint8_t(k.fw),
                                    uint8_t(k.fh), uint8_t(k.dw), uint8_t(k.dh), w.turns, false,
                                    pad, k.fw > 255, k.fh > 255, k.right_side);
            LoadData(at<T>(to, 0, 1), at<T>(TPosition::A1, 0, 1), p);
        };
        load(TPosition::A2);
        if (sizeof(T) != 1)
            load(TPosition::B2);
        wait_for_all();
        const uint32_t k1 = up(w.columns, c0) / c0, r1 = up(w.rows, 16) / c0;
        const uint32_t n1 = up(up(w.columns, c0), 16) / 16;
        for (uint32_t r = 0; r < w.rows && w.row0 + r < ow * oh; r++)
            for (uint32_t c = 0; c < w.columns && w.column0 + c < k.fw * k.fh * k.c; c++) {
                const double want = double(float(unfolded(k, hwc, w.row0 + r, w.column0 + c, pad)));
                const uint32_t plain = ((r / 16 * k1 + c / c0) * 16 + r % 16) * c0 + c % c0;
                const uint32_t turned_ = ((c / 16 * r1 + r / c0) * 16 + c % 16) * c0 + r % c0;
                const uint32_t b = ((r / c0 * n1 + c / 16) * 16 + c % 16) * c0 + r % c0;
                const T *l0a = reinterpret_cast<T *>(memory(MEM_L0A));
                const T *l0b = reinterpret_cast<T *>(memory(MEM_L0B));
                is("L0A", double(float(l0a[w.turns ? turned_ : plain])), want);
                if (sizeof(T) != 1)
                    is("L0B", double(float(l0b[b])), want);
            }
    });
}
template <class T> void load_3d_all()
{
    constexpr uint32_t c0 = 32 / sizeof(T);
    const image_case cases[] = {
        {6, 5, 2 * c0, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, false},
        {5, 7, 4, 2, 3, 1, 1, 1, 1, 0, 0, 0, 0, true},
        {5, 6, c0 + (sizeof(T) == 4 ? 4 : 8), 2, 2, 1, 2, 2, 1, 1, 1, 0, 1, false},
        {1, 40, 3 * c0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, false}, /* rows of a matrix */
        {1, 300, c0, 257, 1, 3, 1, 1, 1, 0, 0, 0, 0, false},  /* a filter wider than 255 */
    };
    for (const image_case &k : cases)
        for (int form = 0; form < 4; form++) {
            const bool is_wide = k.fw > 255;
            const uint32_t ow = (k.w + k.left + k.right - ((k.fw - 1) * k.dw + 1)) / k.sw + 1;
            const uint32_t oh = (k.h + k.top + k.bottom - ((k.fh - 1) * k.dh + 1)) / k.sh + 1;
            const uint32_t columns = is_wide ? 4 * c0 : k.fw * k.fh * k.c;
            const part whole = {0, ow * oh, 0, columns, form % 2 && sizeof(T) != 1, form / 2 != 0};
            load_3d_of<T>(k, whole);
            if (columns > 2 * c0) { /* from the middle, less than all */
                part some = whole;
                some.row0 = ow * oh > 2 ? 2 : 0;
                some.rows = ow * oh - some.row0;
                some.column0 = c0;
                some.columns = c0;
                load_3d_of<T>(k, some);
            }
        }
}
void load_3d(void **)
{
    load_3d_all<half>();
    load_3d_all<bfloat16_t>();
    load_3d_all<float>();
    load_3d_all<int32_t>();
    load_3d_all<uint32_t>();
    load_3d_all<int8_t>();
    load_3d_all<uint8_t>();
}
/* Repeats along rows and along columns; a call that keeps what was set; the source that wraps. */
void load_3d_settings(void **)
{
    std::vector<half> l1(1024);
    for (size_t i = 0; i < l1.size(); i++)
        l1[i] = half(float(i));
    static constexpr IsResetLoad3dConfig keeps = {false, false};
    const uint8_t no_pads[4] = {0, 0, 0, 0}, left[4] = {1, 0, 0, 0};
    on_cube([&] {
        std::memcpy(memory(MEM_L1), l1.data(), 2048);
        const half *l0a = reinterpret_cast<half *>(memory(MEM_L0A));
        LoadData3DParamsV2<half> p;
        p.l1H = 2;
        p.l1W = 16;
        p.channelSize = 32;
        p.kExtension = 16;
        p.mExtension = 16;
        const auto load = [&] {
            LoadData(at<half>(TPosition::A2, 0, 1), at<half>(TPosition::A1, 0, 1), p);
            wait_for_all();
        };
        SetLoadDataRepeat({1, 2, 0}); /* rows 16 to 31 follow */
        load();
        for (uint32_t i = 0; i < 512; i++)
            is("repeats of rows", double(float(l0a[i])), i);
        SetLoadDataRepeat({1, 2, 1}); /* the next 16 columns follow */
        load();
        for (uint32_t i = 0; i < 512; i++)
            is("repeats of columns", double(float(l0a[i])), i / 256 * 512 + i % 256);
        SetLoadDataRepeat({0, 0, 0}); /* none */
        p.kStartPt = 16;
        load();
        is("no repeat", double(float(l0a[0])), 0);
        SetLoadDataRepeat({0, 1, 0});
        p.kStartPt = 0;
        /* what stands in the call does not count */
        SetFmatrix(2, 16, left, FmatrixMode::FMATRIX_LEFT);
        SetLoadDataPaddingValue(half(7.0f));
        p.l1H = 9;
        p.padValue = half(9.0f);
        LoadData<half, keeps>(at<half>(TPosition::A2, 0, 1), at<half>(TPosition::A1, 0, 1), p);
        wait_for_all();
        is("the padding that was set", double(float(l0a[0])), 7);
        is("beside it", double(float(l0a[16])), 0);
        /* behind 1024 bytes L1 begins again */
        SetFmatrix(2, 16, no_pads, FmatrixMode::FMATRIX_LEFT);
        SetLoadDataBoundary(1024);
        LoadData<half, keeps>(at<half>(TPosition::A2, 0, 1), at<half>(TPosition::A1, 768, 1), p);
        wait_for_all();
        is("before the boundary", double(float(l0a[7 * 16])), 384 + 7 * 16);
        is("behind it", double(float(l0a[8 * 16])), 0);
        SetLoadDataBoundary(0);
        p.l1H = 0; /* nothing to do */
        load();
        is("an image of no rows", double(float(l0a[8 * 16])), 0);
    });
    auto load = [](uint16_t h, uint16_t channels, uint16_t k0, uint8_t filter) {
        LoadData3DParamsV2<half> p;
        p.l1H = h;
        p.l1W = 16;
        p.channelSize = channels;
        p.kExtension = p.mExtension = 16;
        p.kStartPt = k0;
        p.filterH = filter;
        LoadData(at<half>(TPosition::A2, 0, 1), at<half>(TPosition::A1, 0, 1), p);
    };
    fails_on_cube([&] { load(4, 18, 0, 1); }, NPU_E_ARG, "channelSize 18 and kStartPt 0");
    fails_on_cube([&] { load(4, 16, 8, 1); }, NPU_E_ARG, "kStartPt is a multiple of 16");
    fails_on_cube([&] { load(4, 16, 0, 5); }, NPU_E_ARG, "does not fit into the image of 4 x 16");
    fails_on_cube([&] { load(1100, 16, 0, 1); }, NPU_E_RANGE, "L1 has 524288 bytes");
    fails_on_cube([&] { load(40000, 16, 0, 1); }, NPU_E_ARG,
                  "40000 x 16 (height x width); each is at most 32767");
    fails_on_cube([] { SetLoadDataBoundary(1000); }, NPU_E_ARG, "1000 bytes; 0, or 1024 to");
    fails_on_cube([] { SetLoadDataBoundary(524289); }, NPU_E_ARG, "524289 bytes");
    fails_on_cube([&] { SetFmatrix(1, 1, no_pads, FmatrixMode(2)); }, NPU_E_ARG, "fmatrixMode 2");
}

/* ---- InitConstValue, Fill --------------------------------------------------------------- */

template <class T> void filled(T value)
{
    for (int name = 0; name < 2; name++)
        on_cube([&] {
            const InitConstValueParams<T> p(2, 3, 1, value);
            const struct {
                TPosition position;
                npu_mem mem;
                uint32_t block;
            } places[] = {{TPosition::A1, MEM_L1, 32},
                          {TPosition::B1, MEM_L1, 32},
                          {TPosition::A2, MEM_L0A, 512},
                          {TPosition::B2, MEM_L0B, 512}};
            for (const auto &k : places) {
                std::memset(memory(k.mem), 0xee, 16384);
                if (name)
                    Fill(at<T>(k.position, 512, 1), p);
                else
                    InitConstValue(at<T>(k.position, 512, 1), p);
                wait_for_all();
                for (uint32_t i = 0; i < 8 * k.block; i++) {
                    const bool on = i / k.block < 7 && i / k.block != 3;
                    const uint8_t *v = reinterpret_cast<const uint8_t *>(&value);
                    is("a byte", memory(k.mem)[512 + i], on ? v[i % sizeof(T)] : 0xee);
                }
                is("the byte before", memory(k.mem)[511], 0xee);
            }
        });
}
void fills(void **)
{
    filled<int16_t>(-3);
    filled<uint16_t>(0xabcd);
    filled<half>(half(1.5f));
    filled<bfloat16_t>(bfloat16_t(-2.5f));
    filled<int32_t>(-70000);
    filled<uint32_t>(0xdeadbeef);
    filled<float>(0.1f);
    on_cube([] {
        std::memset(memory(MEM_L1), 0xee, 64);
        InitConstValue(at<half>(TPosition::A1, 0, 1),
                       InitConstValueParams<half>(0, 1, 0, half(1.0f)));
        InitConstValue(at<half>(TPosition::A1, 0, 1),
                       InitConstValueParams<half>(1, 0, 0, half(1.0f)));
        wait_for_all();
        is("nothing to do", memory(MEM_L1)[0], 0xee);
    });
    auto fill = [](TPosition to, uint32_t at_bytes, uint16_t blocks) {
        Fill(at<half>(to, at_bytes, 1), InitConstValueParams<half>(1, blocks, 0, half(0.0f)));
    };
    fails_on_cube([&] { fill(TPosition::CO1, 0, 1); }, NPU_E_ARG, "Fill: dst lies in L0C");
    fails_on_cube([&] { fill(TPosition::A2, 32, 1); }, NPU_E_ALIGN, "multiple of 512");
    fails_on_cube([&] { fill(TPosition::A1, 16, 1); }, NPU_E_ALIGN, "multiple of 32");
    fails_on_cube([&] { fill(TPosition::B2, 0, 129); }, NPU_E_RANGE, "L0B has 65536 bytes");
}

/* ---- Mmad ------------------------------------------------------------------------------- */

/* What a sum begins with, by each parameter that says so. */
template <class T, class C> void begins_with()
{
    problem<T, C> p(20, 64, 24, 3);
    const struct {
        bool is_bias, init, source;
        int bias_tensor; /* 1: in the bias table, 2: in L0C */
        double on_old, on_bias;
    } rows[] = {{false, true, false, 0, 0, 0}, {false, false, false, 0, 1, 0},
                {false, false, true, 0, 0, 1}, {true, true, false, 0, 1, 0},
                {true, true, true, 0, 1, 0},   {false, true, false, 1, 0, 1},
                {false, false, false, 2, 1, 0}};
    for (const auto &r : rows) {
        on_cube([&] {
            load_operands(p);
            GlobalTensor<C> g;
            g.SetGlobalBuffer(p.bias.data(), p.bias.size());
            DataCopy(at<C>(TPosition::C1, on_chip().c1, 1), g, 32u);
            wait_for_all();
            DataCopy(at<C>(TPosition::C2, 0, 1), at<C>(TPosition::C1, on_chip().c1, 1), 32u);
            multiply(p);
            MmadParams q(20, 24, 64, 0, r.source, r.init);
            q.isBias = r.is_bias;
            q.unitFlag = 3; /* orders nothing that is not ordered here */
            q.fmOffset = 5;
            q.enSsparse = q.enWinogradA = q.enWinogradB =
                true; /* as the page says: not looked at */
            if (r.bias_tensor)
                Mmad(sums<C>(), at<T>(TPosition::A2, 0, 1), at<T>(TPosition::B2, 0, 1),
                     r.bias_tensor == 1 ? at<C>(TPosition::C2, 0, 1) : sums<C>(), q);
            else
                Mmad(sums<C>(), at<T>(TPosition::A2, 0, 1), at<T>(TPosition::B2, 0, 1), q);
            wait_for_all();
            rows_out(p);
        });
        for (uint32_t i = 0; i < p.m; i++)
            for (uint32_t j = 0; j < p.n; j++)
                assert_true(double(p.c[i * p.n + j]) ==
                            p.sum(i, j) * (1 + r.on_old) + r.on_bias * double(p.bias[j]));
    }
}
void sums_begin(void **)
{
    begins_with<half, float>();
    begins_with<bfloat16_t, float>();
    begins_with<float, float>();
    begins_with<int8_t, int32_t>();
}

/* int4b_t, all numbers of it. */
void nibble_products(void **)
{
    enum { M = 20, K = 192, N = 40 };
    std::mt19937 gen{8};
    std::vector<int> a(M * K), b(N * K);
    std::vector<uint8_t> a1(M * K / 2), b1(N * K / 2);
    std::vector<int32_t> c(M * N);
    auto fill = [&](std::vector<int> &v, std::vector<uint8_t> &packed) {
        for (size_t i = 0; i < v.size(); i++) {
            v[i] = int(gen() % 16) - 8;
            packed[i / 2] |= uint8_t((v[i] & 15) << i % 2 * 4);
        }
    };
    fill(a, a1);
    fill(b, b1);
    on_cube([&] {
        load_rows(TPosition::A1, 0, a1, M, K / 2);
        load_rows(TPosition::B1, 131072, b1, N, K / 2);
        wait_for_all();
        for (uint16_t i = 0; i < 2; i++)
            LoadData(at<int4b_t>(TPosition::A2, i * 3u * 512, 1), at<int4b_t>(TPosition::A1, 0, 1),
                     LoadData2DParams(i, 3, 2, 0, 0, false, 0));
        LoadData(at<int4b_t>(TPosition::B2, 0, 1), at<int4b_t>(TPosition::B1, 131072, 1),
                 LoadData2DParams(0, 9, 1, 0, 0, false, 0));
        wait_for_all();
        Mmad(sums<int32_t>(), at<int4b_t>(TPosition::A2, 0, 1), at<int4b_t>(TPosition::B2, 0, 1),
             MmadParams(M, N, K, 0, false, true));
        wait_for_all();
        GlobalTensor<int32_t> g;
        g.SetGlobalBuffer(c.data(), c.size());
        Fixpipe(g, sums<int32_t>(), FixpipeParamsV220(N, M, 32, N, false));
    });
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int64_t want = 0;
            for (int k = 0; k < K; k++)
                want += a[size_t(i * K + k)] * b[size_t(j * K + k)];
            assert_int_equal(c[size_t(i * N + j)], want);
        }
}

/* k of 36 floats: fractals of 8, in pairs when they were turned on their way. */
void k_in_pairs(void **)
{
    for (const bool pairs : {false, true}) {
        problem<float, float> p(32, 36, 16, 6);
        const uint32_t k1 = pairs ? 6 : 5; /* fractals that a row of them has room for */
        on_cube([&] {
            load_operands(p);
            float *l0a = reinterpret_cast<float *>(memory(MEM_L0A));
            std::vector<float> rows(l0a, l0a + 2 * 5 * 128);
            std::fill(l0a, l0a + 2 * 6 * 128, 1e30f);
            for (uint32_t i = 0; i < 2; i++)
                std::memcpy(l0a + i * k1 * 128, rows.data() + i * 5 * 128, 5 * 128 * sizeof(float));
            MmadParams q(32, 16, 36, 0, false, true);
            q.kDirectionAlign = pairs;
            Mmad(sums<float>(), at<float>(TPosition::A2, 0, 1), at<float>(TPosition::B2, 0, 1), q);
            wait_for_all();
            rows_out(p);
        });
        for (uint32_t i = 0; i < p.m; i++)
            for (uint32_t j = 0; j < p.n; j++)
                assert_true(double(p.c[i * p.n + j]) == p.sum(i, j));
    }
}

/* Integers stop at the ends of their type; infinity stays unless CTRL[48] is 0. */
void sums_at_the_end(void **)
{
    on_cube([] {
        int8_t *a = reinterpret_cast<int8_t *>(memory(MEM_L0A));
        int8_t *b = reinterpret_cast<int8_t *>(memory(MEM_L0B));
        int32_t *c = reinterpret_cast<int32_t *>(memory(MEM_L0C));
        std::memset(a, 127, 512);
        std::memset(b, 127, 512);
        std::fill(c, c + 256, INT32_MAX - 1000);
        Mmad(sums<int32_t>(), at<int8_t>(TPosition::A2, 0, 1), at<int8_t>(TPosition::B2, 0, 1),
             MmadParams(16, 16, 32, 0, false, false));
        wait_for_all();
        is("the largest", c[0], INT32_MAX);
        std::memset(b, 0x81, 512);
        std::fill(c, c + 256, INT32_MIN + 1000);
        Mmad(sums<int32_t>(), at<int8_t>(TPosition::A2, 0, 1), at<int8_t>(TPosition::B2, 0, 1),
             MmadParams(16, 16, 32, 0, false, false));
        wait_for_all();
        is("the least", c[255], INT32_MIN);
        std::memset(a, -128, 16 * 2048);
        std::memset(b, -128, 16 * 2048);
        for (uint16_t k : {1024, 2048}) {
            Mmad(sums<int32_t>(), at<int8_t>(TPosition::A2, 0, 1), at<int8_t>(TPosition::B2, 0, 1),
                 MmadParams(16, 16, k, 0, false, true));
            wait_for_all();
            is("the longest sum", c[17], 128.0 * 128 * k);
        }
        bfloat16_t *x = reinterpret_cast<bfloat16_t *>(memory(MEM_L0A));
        bfloat16_t *y = reinterpret_cast<bfloat16_t *>(memory(MEM_L0B));
        const float *z = reinterpret_cast<float *>(memory(MEM_L0C));
        std::fill(x, x + 256, bfloat16_t(1e30f));
        std::fill(y, y + 256, bfloat16_t(-1e30f));
        for (int finite = 0; finite < 2; finite++) {
            AscendCUtils::SetOverflow(finite ? 0 : 1);
            Mmad(sums<float>(), at<bfloat16_t>(TPosition::A2, 0, 1),
                 at<bfloat16_t>(TPosition::B2, 0, 1), MmadParams(16, 16, 16, 0, false, true));
            wait_for_all();
            is("the sum", double(z[0]), finite ? -double(3.40282346638528859812e38f) : -HUGE_VAL);
        }
        AscendCUtils::SetOverflow(1);
        /* nothing to do */
        reinterpret_cast<float *>(memory(MEM_L0C))[0] = 17;
        for (const MmadParams &p :
             {MmadParams(0, 16, 16, 0, false, true), MmadParams(16, 0, 16, 0, false, true),
              MmadParams(16, 16, 0, 0, false, true)})
            Mmad(sums<float>(), at<half>(TPosition::A2, 0, 1), at<half>(TPosition::B2, 0, 1), p);
        wait_for_all();
        is("m, n or k of 0", double(z[0]), 17);
    });
    fails_on_cube(
        [] {
            Mmad(at<float>(TPosition::CO1, 512, 1), at<half>(TPosition::A2, 0, 1),
                 at<half>(TPosition::B2, 0, 1), MmadParams(16, 16, 16, 0, false, true));
        },
        NPU_E_ALIGN, "dst begins at L0C byte 512, which is not a multiple of 1024");
    fails_on_cube(
        [] {
            Mmad(sums<float>(), at<half>(TPosition::A2, 256, 1), at<half>(TPosition::B2, 0, 1),
                 MmadParams(16, 16, 16, 0, false, true));
        },
        NPU_E_ALIGN, "left matrix begins at L0A byte 256");
    fails_on_cube(
        [] {
            Mmad(sums<float>(), at<half>(TPosition::A2, 0, 1), at<half>(TPosition::B2, 0, 1),
                 at<float>(TPosition::C2, 32, 1), MmadParams(16, 16, 16, 0, false, true));
        },
        NPU_E_ALIGN, "bias begins at BT byte 32, which is not a multiple of 64");
    fails_on_cube(
        [] {
            Mmad(sums<float>(), at<half>(TPosition::A2, 0, 1), at<half>(TPosition::B2, 0, 1),
                 at<float>(TPosition::C2, 0, 1), MmadParams(16, 272, 16, 0, false, true));
        },
        NPU_E_RANGE, "BT has 1024 bytes");
    fails_on_cube(
        [] {
            Mmad(sums<float>(), at<half>(TPosition::A2, 0, 1), at<half>(TPosition::B2, 0, 1),
                 MmadParams(16, 16, 2049, 0, false, true));
        },
        NPU_E_RANGE, "L0A has 65536 bytes");
}

/* SetHF32Mode keeps 11 bits of fraction; SetHF32TransMode says where halves go. The directions of
 * SetMMColumnMajor and SetMMRowMajor change no sum. */
void hf32(void **)
{
    const struct {
        float f;
        double even, zero;
    } rows[] = {{1 + 1.0f / 4096, 1, 1},
                {1 + 3.0f / 4096, 1 + 4.0 / 4096, 1 + 2.0 / 4096},
                {1 + 3.0f / 8192, 1 + 2.0 / 4096, 1 + 2.0 / 4096},
                {-(1 + 1.0f / 8192), -1, -1},
                {3.0f, 3, 3}};
    for (const auto &r : rows)
        for (int mode = 0; mode < 3; mode++)
            on_cube([&] {
                float *a = reinterpret_cast<float *>(memory(MEM_L0A));
                float *b = reinterpret_cast<float *>(memory(MEM_L0B));
                std::memset(a, 0, 512);
                std::memset(b, 0, 512);
                a[0] = r.f;
                b[0] = 1;
                SetHF32Mode(mode ? HF32Mode::ENABLE : HF32Mode::DISABLE);
                SetHF32TransMode(mode == 2 ? HF32TransMode::NEAREST_ZERO
                                           : HF32TransMode::NEAREST_EVEN);
                for (int major = 0; major < 2; major++) {
                    if (major)
                        SetMMColumnMajor();
                    else
                        SetMMRowMajor();
                    Mmad(sums<float>(), at<float>(TPosition::A2, 0, 1),
                         at<float>(TPosition::B2, 0, 1), MmadParams(16, 16, 8, 0, false, true));
                    wait_for_all();
                    is("the product", double(reinterpret_cast<float *>(memory(MEM_L0C))[0]),
                       mode == 0   ? double(r.f)
                       : mode == 1 ? r.even
                                   : r.zero);
                }
                SetHF32Mode(false);
                SetHF32TransMode(false);
            });
}

/* ---- Fixpipe and DataCopy out of L0C ------------------------------------------------------ */

constexpr uint32_t ROWS = 32, COLUMNS = 64;
double sum_at(uint32_t d, uint32_t i, uint32_t j)
{
    return double(int(d * 500 + i * 31 + j * 7)) - 600;
}
/* Matrices of 32 x 32 side by side, columns of 16. */
template <class From> void put_sums()
{
    From *c = reinterpret_cast<From *>(memory(MEM_L0C));
    for (uint32_t d = 0; d < 3; d++)
        for (uint32_t i = 0; i < ROWS; i++)
            for (uint32_t j = 0; j < COLUMNS; j++)
                c[d * 2 * 1024 + j / 16 * ROWS * 16 + i * 16 + j % 16] =
                    From(sum_at(d + j / 32, i, j % 32));
}
uint64_t parameter(float scale, int offset)
{
    uint32_t u;
    std::memcpy(&u, &scale, 4);
    return (u & 0xffffe000u) | (uint64_t(offset) & 511) << 37 | 1ull << 46;
}
struct way_out {
    QuantMode_t quant;
    bool is_vector, relu;
};
template <class To> double wanted(double sum, const way_out &k, uint32_t j)
{
    double v = sum < 0 && k.relu ? 0 : sum;
    if (k.quant >= DEQF16)
        v *= k.is_vector ? 0.0625 * (1 + j % 3) : 0.125;
    if (sizeof(To) == 1) {
        v = std::fmin(std::fmax(std::nearbyint(v), -256), 255) - 9;
        const double least = std::is_signed_v<To> ? -128 : 0;
        return std::fmin(std::fmax(v, least), least + 255);
    }
    return std::is_same_v<To, int32_t> ? v : double(float(To(float(v))));
}
/* Two matrices of 32 x 32 into rows; 32 x 64 into columns of fractals in GM and in L1; each by
 * Fixpipe and by DataCopy with the registers that it reads. */
template <class From, class To> void out_by(const way_out &k)
{
    constexpr uint32_t width = sizeof(To) == 1 ? 32 : 16, nd = 32 * 40;
    constexpr bool to_l1 = sizeof(To) < 4;
    std::vector<uint64_t> q(COLUMNS);
    for (uint32_t j = 0; j < COLUMNS; j++)
        q[j] = parameter(0.0625f * float(1 + j % 3), -9);
    for (int by_copy = 0; by_copy < 2; by_copy++) {
        std::vector<To> rows(2 * nd, To(1.0f)), nz(ROWS * COLUMNS);
        on_cube([&] {
            GlobalTensor<To> r, z;
            GlobalTensor<uint64_t> g;
            r.SetGlobalBuffer(rows.data(), rows.size());
            z.SetGlobalBuffer(nz.data(), nz.size());
            g.SetGlobalBuffer(q.data(), q.size());
            put_sums<From>();
            LocalTensor<uint64_t> c1 = at<uint64_t>(TPosition::C1, 0, COLUMNS);
            LocalTensor<uint64_t> fb = at<uint64_t>(TPosition::C2PIPE2GM, 512, COLUMNS);
            LocalTensor<To> l1 = at<To>(TPosition::A1, 65536, 1);
            DataCopy(c1, g, COLUMNS);
            wait_for_all();
            const uint32_t nz_step = ROWS * width * sizeof(To) / 32;
            if (by_copy) {
                DataCopy(fb, c1, DataCopyParams(1, COLUMNS * 8 / 128, 0, 0));
                wait_for_all();
                if (k.is_vector)
                    SetFixPipeConfig(fb);
                SetFixpipePreQuantFlag(parameter(0.125f, -9));
                DataCopyCO12DstParams p(32, ROWS, 40, ROWS, k.quant, k.relu, false, true);
                p.srcStride = ROWS;
                DataCopyCO12DstParams two(COLUMNS, ROWS, nz_step, ROWS, k.quant, k.relu, false,
                                          false);
                if (k.is_vector) /* parameters of 32 columns, the same for both */
                    SetFixPipeConfig(LocalTensor<uint64_t>(), fb);
                SetFixpipeNz2ndFlag(2, 4, nd); /* the next begins four blocks of 16 x 16 on */
                DataCopy(r, sums<From>(), p);
                DataCopy(z, sums<From>(), two);
                if constexpr (to_l1)
                    DataCopy(l1, sums<From>(), two);
            } else {
                FixpipeParamsV220 p(32, ROWS, ROWS, 40, k.relu, k.quant,
                                    int64_t(parameter(0.125f, -9)), 2, 4, nd, 0);
                FixpipeParamsV220 two(COLUMNS, ROWS, ROWS, nz_step, k.relu, k.quant,
                                      int64_t(parameter(0.125f, -9)), 1, 0, 0, 0);
                if (k.is_vector) {
                    Fixpipe(r, sums<From>(), c1, p);
                    Fixpipe<To, From, CFG_NZ>(z, sums<From>(), c1, two);
                    if constexpr (to_l1)
                        Fixpipe(l1, sums<From>(), c1,
                                two); /* rows are not for L1: columns there too */
                } else {
                    Fixpipe(r, sums<From>(), p);
                    Fixpipe<To, From, CFG_NZ>(z, sums<From>(), two);
                    if constexpr (to_l1)
                        Fixpipe<To, From, CFG_NZ>(l1, sums<From>(), two);
                }
            }
            wait_for_all();
            if (to_l1)
                same("L1", memory(MEM_L1) + 65536, nz.data(), nz.size() * sizeof(To));
        });
        for (uint32_t i = 0; i < ROWS; i++)
            for (uint32_t j = 0; j < COLUMNS; j++) {
                const double want_nz = wanted<To>(sum_at(j / 32, i, j % 32), k, j);
                const double have =
                    double(float(nz[j / width * ROWS * width + i * width + j % width]));
                const uint32_t d = j / 32;
                const double want_nd = wanted<To>(sum_at(d, i, j % 32), k, j % 32);
                const double have_nd = double(float(rows[d * nd + i * 40 + j % 32]));
                if (have != want_nz || have_nd != want_nd)
                    fail_msg("quant %d relu %d copy %d: row %u column %u is %g, not %g; in rows "
                             "%g, not %g",
                             k.quant, k.relu, by_copy, i, j, have, want_nz, have_nd, want_nd);
            }
        for (uint32_t i = 0; i < ROWS; i++) /* between rows nothing is written */
            assert_true(double(float(rows[i * 40 + 32])) == 1);
    }
}
void out(void **)
{
    for (const bool relu : {false, true}) {
        out_by<float, float>({NoQuant, false, relu});
        out_by<float, half>({F322F16, false, relu});
        out_by<float, bfloat16_t>({F322BF16, false, relu});
        out_by<float, int8_t>({QF322B8_PRE, false, relu});
        out_by<float, uint8_t>({QF322B8_PRE, false, relu});
        out_by<float, int8_t>({VQF322B8_PRE, true, relu});
        out_by<float, uint8_t>({VQF322B8_PRE, true, relu});
        out_by<int32_t, int32_t>({NoQuant, false, relu});
        out_by<int32_t, half>({DEQF16, false, relu});
        out_by<int32_t, half>({VDEQF16, true, relu});
        out_by<int32_t, int8_t>({REQ8, false, relu});
        out_by<int32_t, uint8_t>({REQ8, false, relu});
        out_by<int32_t, int8_t>({VREQ8, true, relu});
        out_by<int32_t, uint8_t>({VREQ8, true, relu});
    }
}
/* The shift of int32 sums, atomic operations on each type, CTRL[48], nothing to do, what is wrong.
 */
void out_settings(void **)
{
    std::vector<half> h(256);
    std::vector<int32_t> ints(256, 10);
    std::vector<half> halves(256, half(10.0f));
    std::vector<float> none(256, 3);
    on_cube([&] {
        GlobalTensor<half> g;
        GlobalTensor<int32_t> gi;
        GlobalTensor<float> gn;
        g.SetGlobalBuffer(h.data(), h.size());
        gi.SetGlobalBuffer(ints.data(), ints.size());
        gn.SetGlobalBuffer(none.data(), none.size());
        int32_t *c = reinterpret_cast<int32_t *>(memory(MEM_L0C));
        for (int i = 0; i < 256; i++)
            c[i] = (i - 128) * 1000000;
        /* right by 5 and cut to 16 bits first */
        const uint64_t shift = parameter(0.5f, 0) | 4ull << 32 | 1ull << 36;
        Fixpipe(g, sums<int32_t>(),
                FixpipeParamsV220(16, 16, 16, 16, false, DEQF16, int64_t(shift), 1, 0, 0, 0));
        wait_for_all();
        for (int i = 0; i < 256; i++)
            is("shifted", double(float(h[size_t(i)])),
               double(float(half(
                   float(std::fmin(std::fmax((i - 128) * 1000000 >> 5, -32768), 32767) * 0.5)))));
        for (int i = 0; i < 256; i++)
            c[i] = i - 20;
        SetAtomicMax<int32_t>();
        Fixpipe(gi, sums<int32_t>(), FixpipeParamsV220(16, 16, 16, 16, false));
        SetAtomicNone();
        wait_for_all();
        for (int i = 0; i < 256; i++)
            is("the larger", ints[size_t(i)], i - 20 > 10 ? i - 20 : 10);
        float *f = reinterpret_cast<float *>(memory(MEM_L0C));
        std::fill(f, f + 256, 1e10f);
        GlobalTensor<half> gh;
        gh.SetGlobalBuffer(halves.data(), halves.size());
        const FixpipeParamsV220 to_half(16, 16, 16, 16, false, F322F16, 0, 1, 0, 0, 0);
        AscendCUtils::SetOverflow(0);
        Fixpipe(gh, sums<float>(), to_half);
        wait_for_all();
        is("CTRL[48] 0", double(float(halves[0])), 65504);
        AscendCUtils::SetOverflow(1);
        Fixpipe(gh, sums<float>(), to_half);
        wait_for_all();
        is("CTRL[48] 1", double(float(halves[0])), HUGE_VAL);
        Fixpipe(gn, sums<float>(), FixpipeParamsV220(0, 16, 16, 16, false));
        Fixpipe(gn, sums<float>(), FixpipeParamsV220(16, 0, 16, 16, false));
        Fixpipe(gn, sums<float>(),
                FixpipeParamsV220(16, 16, 16, 16, false, NoQuant, 0, 0, 0, 0, 0));
        wait_for_all();
        is("nothing to do", double(none[0]), 3);
        SetFixPipeConfig(sums<float>(), true); /* only clears what is not here */
    });
    auto nz = [&](uint16_t n, uint16_t m, bool splits, QuantMode_t quant) {
        GlobalTensor<float> g;
        g.SetGlobalBuffer(none.data(), none.size());
        Fixpipe<float, float, CFG_NZ>(
            g, sums<float>(), FixpipeParamsV220(n, m, 16, 16, false, quant, 0, 1, 0, 0, 0, splits));
    };
    fails_on_cube([&] { nz(24, 16, false, NoQuant); }, NPU_E_ARG,
                  "nSize 24; columns of fractals take multiples of 16");
    fails_on_cube([&] { nz(20, 16, true, NoQuant); }, NPU_E_ARG, "multiples of 8");
    fails_on_cube([&] { nz(16, 16, false, F322F16); }, NPU_E_TYPE,
                  "F322F16 does not make f32 of f32");
    fails_on_cube([&] { nz(4112, 16, false, NoQuant); }, NPU_E_ARG, "nSize 4112; at most 4095");
    fails_on_cube(
        [&] {
            GlobalTensor<float> g;
            g.SetGlobalBuffer(none.data(), none.size());
            Fixpipe(g, sums<float>(), FixpipeParamsV220(16, 8193, 16, 16, false));
        },
        NPU_E_ARG, "mSize 8193; at most 8192 into rows");
    fails_on_cube(
        [] {
            Fixpipe<float, float, CFG_NZ>(at<float>(TPosition::A1, 0, 1), sums<float>(),
                                          FixpipeParamsV220(16, 16, 16, 16, false));
        },
        NPU_E_TYPE, "quantPre NoQuant into L1");
    fails_on_cube(
        [&] {
            GlobalTensor<float> g;
            g.SetGlobalBuffer(none.data(), none.size());
            Fixpipe(g, at<float>(TPosition::CO1, 32, 1), FixpipeParamsV220(16, 16, 16, 16, false));
        },
        NPU_E_ALIGN, "src begins at L0C byte 32, which is not a multiple of 64");
    fails_on_cube(
        [&] {
            GlobalTensor<float> g;
            g.SetGlobalBuffer(none.data(), none.size());
            DataCopyCO12DstParams p(16, 16, 16, 16, NoQuant, 0, false, true);
            p.clipReluPre = 1;
            DataCopy(g, sums<float>(), p);
        },
        NPU_E_ARG, "clipReluPre 1");
}

/* A bias of halves becomes floats in the bias table, by count and in bursts. */
void bias_of_halves(void **)
{
    std::vector<half> h(64);
    for (size_t i = 0; i < 64; i++)
        h[i] = half(float(i) / 4);
    on_cube([&] {
        std::memcpy(memory(MEM_L1), h.data(), 128);
        const float *bt = reinterpret_cast<float *>(memory(MEM_BT));
        DataCopy(at<float>(TPosition::C2, 0, 1), at<half>(TPosition::C1, 0, 1), 48u);
        DataCopy(at<float>(TPosition::C2, 512, 1), at<half>(TPosition::C1, 0, 1),
                 DataCopyParams(1, 2, 0, 0));
        wait_for_all();
        for (uint32_t i = 0; i < 48; i++)
            is("by count", double(bt[i]), i / 4.0);
        for (uint32_t i = 0; i < 64; i++)
            is("in bursts", double(bt[128 + i]), i / 4.0);
    });
    fails_on_cube(
        [] { DataCopy(at<float>(TPosition::A1, 0, 1), at<half>(TPosition::C1, 0, 1), 16u); },
        NPU_E_ARG, "DataCopy from");
}

} // namespace

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_products),
        cmocka_unit_test(sparse_refuses),
        cmocka_unit_test(load_2d),
        cmocka_unit_test(load_turned),
        cmocka_unit_test(load_3d),
        cmocka_unit_test(load_3d_settings),
        cmocka_unit_test(fills),
        cmocka_unit_test(sums_begin),
        cmocka_unit_test(nibble_products),
        cmocka_unit_test(k_in_pairs),
        cmocka_unit_test(sums_at_the_end),
        cmocka_unit_test(hf32),
        cmocka_unit_test(out),
        cmocka_unit_test(out_settings),
        cmocka_unit_test(bias_of_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_cube.cpp - the cube core: layouts, products, the way out.
 *
 * Expected values are sums in double or int64 over the plain matrices, never over fractals. Inputs
 * are small integers and quarters, so that every order of adding gives the same bits; where they
 * are not, the bound is the one of any order of adding: k * 2^-24 * sum |a b|.
 */
#include "cube.hpp"

namespace {

struct shape {
    uint32_t m, k, n;
};
constexpr shape shapes[] = {{16, 32, 16}, {30, 70, 40},  {128, 64, 96}, {17, 33, 5},
                            {1, 100, 48}, {64, 128, 64}, {2, 16, 130},  {33, 15, 17}};

/* m = 1 reads the left matrix as one row: rows of fractals hold it in their first blks. */
template <class T, class C> void gemv_row(problem<T, C> &p)
{
    GlobalTensor<T> g;
    std::vector<T> row(up(p.k, 512 / sizeof(T)));
    std::copy(p.a.begin(), p.a.end(), row.begin());
    g.SetGlobalBuffer(row.data(), row.size());
    DataCopy(at<T>(TPosition::A1, 0, 1), g, uint32_t(row.size()));
    wait_for_all();
    LoadData(at<T>(TPosition::A2, 0, 1), at<T>(TPosition::A1, 0, 1),
             LoadData2DParams(0, uint8_t(row.size() * sizeof(T) / 512), 1, 0, 0, false, 0));
    wait_for_all();
}

template <class T, class C> void products(void **)
{
    int seed = 0;
    for (const shape &s : shapes) {
        problem<T, C> p(s.m, s.k, s.n, ++seed);
        on_cube([&] {
            load_operands(p);
            if (p.m == 1)
                gemv_row(p);
            multiply(p);
            multiply(p, false); /* once more on top */
            rows_out(p);
        });
        for (uint32_t i = 0; i < p.m; i++)
            for (uint32_t j = 0; j < p.n; j++)
                if (double(p.c[size_t(i) * p.n + j]) != 2 * p.sum(i, j))
                    fail_msg("%u x %u x %u: row %u column %u is %g, not %g", s.m, s.k, s.n, i, j,
                             double(p.c[size_t(i) * p.n + j]), 2 * p.sum(i, j));
    }
}

/* The bias table: from L1, then under the product; through both forms of the call. */
template <class T, class C> void bias_comes_first(void **)
{
    for (int form = 0; form < 2; form++) {
        problem<T, C> p(20, 48, 40, 7 + form);
        on_cube([&] {
            load_operands(p);
            GlobalTensor<C> g;
            g.SetGlobalBuffer(p.bias.data(), p.bias.size());
            LocalTensor<C> c1 = at<C>(TPosition::C1, on_chip().c1, 48);
            LocalTensor<C> c2 = at<C>(TPosition::C2, 0, 48);
            DataCopy(c1, g, 48u);
            wait_for_all();
            DataCopy(c2, c1, DataCopyParams(1, 48 * sizeof(C) / 64, 0, 0));
            wait_for_all();
            MmadParams q(20, 40, 48, 0, true, false);
            if (form)
                Mmad(sums<C>(), at<T>(TPosition::A2, 0, 1), at<T>(TPosition::B2, 0, 1), q);
            else
                Mmad(sums<C>(), at<T>(TPosition::A2, 0, 1), at<T>(TPosition::B2, 0, 1), c2, q);
            wait_for_all();
            rows_out(p);
        });
        for (uint32_t i = 0; i < p.m; i++)
            for (uint32_t j = 0; j < p.n; j++)
                assert_true(double(p.c[size_t(i) * p.n + j]) == p.sum(i, j) + double(p.bias[j]));
    }
}

/* Floats that are no small integers: within the bound of any order of adding. */
void sums_keep_their_bound(void **)
{
    problem<float, float> p(48, 80, 32, 1);
    std::mt19937 gen{5};
    std::uniform_real_distribution<float> pick(-3, 3);
    for (float &v : p.a)
        v = pick(gen);
    for (float &v : p.b)
        v = pick(gen);
    on_cube([&] {
        load_operands(p);
        multiply(p);
        rows_out(p);
    });
    for (uint32_t i = 0; i < p.m; i++)
        for (uint32_t j = 0; j < p.n; j++) {
            double all = 0;
            for (uint32_t x = 0; x < p.k; x++)
                all += std::fabs(double(p.a[i * p.k + x]) * double(p.b[j * p.k + x]));
            assert_true(std::fabs(double(p.c[i * p.n + j]) - p.sum(i, j)) <=
                        all * p.k * std::ldexp(1.0, -24));
        }
}

/* B as K x N, turned on its way: LoadData's ifTranspose, then LoadDataWithTranspose of each size.
 */
template <class T, class C> void turned(void **)
{
    constexpr uint32_t c0 = 32 / sizeof(T);
    constexpr bool squares = sizeof(T) != 2;
    const uint32_t m = 32, k = 64, n = 64;
    problem<T, C> p(m, k, n, 11);
    std::vector<T> kn(size_t(k) * n);
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < n; j++)
            kn[size_t(i) * n + j] = p.b[size_t(j) * k + i];
    for (int way = squares ? 1 : 0; way < 2; way++) {
        std::fill(p.c.begin(), p.c.end(), C(0));
        on_cube([&] {
            load_operands(p);
            load_rows(TPosition::B1, on_chip().b1, kn, k, n); /* [n / c0][k][c0] */
            wait_for_all();
            if (way == 0) {
                for (uint32_t i = 0; i < k / 16; i++)
                    LoadData(at<T>(TPosition::B2, i * n / 16 * 512, 1),
                             at<T>(TPosition::B1, on_chip().b1 + i * 512, 1),
                             LoadData2DParams(0, n / 16, k / 16, 0, 0, true, 0));
            } else if (sizeof(T) == 4) { /* squares of 16 columns: [n / 8][k][8] holds halves of
                                          * them apart, so each is made of two loads' sources */
                for (uint32_t i = 0; i < k / 16; i++)
                    for (uint32_t j = 0; j < n / 16; j++) {
                        /* put the two fractals side by side in L1 */
                        GlobalTensor<T> g;
                        g.SetGlobalBuffer(kn.data(), kn.size());
                        DataCopy(at<T>(TPosition::B1, on_chip().c1, 1), g[i * 16 * n + j * 16],
                                 Nd2NzParams(1, 16, 16, 0, uint16_t(n), 16, 1, 0));
                        wait_for_all();
                        LoadDataWithTranspose(
                            at<T>(TPosition::B2, (i * 2 * n / 16 + j) * 512, 1),
                            at<T>(TPosition::B1, on_chip().c1, 1),
                            LoadData2dTransposeParams(0, 1, 1, 0, uint16_t(n / 16 - 1)));
                        wait_for_all();
                    }
            } else {
                const uint32_t side = sizeof(T) == 1 ? 32 : 16; /* of a square */
                for (uint32_t i = 0; i < k / side; i++)
                    LoadDataWithTranspose(at<T>(TPosition::B2, i * n / 16 * 512, 1),
                                          at<T>(TPosition::B1, on_chip().b1 + i * side * 32, 1),
                                          LoadData2dTransposeParams(0, uint8_t(n / side),
                                                                    uint16_t(k / side),
                                                                    sizeof(T) == 1 ? 1 : 0, 0));
            }
            wait_for_all();
            multiply(p);
            rows_out(p);
        });
        for (uint32_t i = 0; i < m; i++)
            for (uint32_t j = 0; j < n; j++)
                if (double(p.c[size_t(i) * n + j]) != p.sum(i, j))
                    fail_msg("way %d: row %u column %u is %g, not %g (c0 %u)", way, i, j,
                             double(p.c[size_t(i) * n + j]), p.sum(i, j), c0);
    }
}

/* ---- image to columns ------------------------------------------------------------------ */

/* 3 x 3 filter, stride 2, dilation 1, padding 1 of a 6 x 5 image with 32 channels: the product with
 * weights is the convolution, summed in double over the image itself. */
void convolution(void **)
{
    enum { H = 6, W = 5, C = 32, K = 3, N = 16, OH = 3, OW = 3, C0 = 16 };
    std::vector<half> image(C * H * W), weight(N * K * K * C);
    std::vector<float> out(OH * OW * N);
    std::mt19937 gen{3};
    std::uniform_int_distribution<int> pick(-8, 8);
    for (half &v : image)
        v = half(float(pick(gen)));
    for (half &v : weight)
        v = half(float(pick(gen)));
    on_cube([&] {
        GlobalTensor<half> g, w;
        GlobalTensor<float> o;
        g.SetGlobalBuffer(image.data(), image.size());
        w.SetGlobalBuffer(weight.data(), weight.size());
        o.SetGlobalBuffer(out.data(), out.size());
        const uint32_t k = K * K * C;
        DataCopy(at<half>(TPosition::A1, 0, 1), g, uint32_t(image.size()));
        DataCopy(at<half>(TPosition::B1, on_chip().b1, 1), w,
                 Nd2NzParams(1, N, uint16_t(k), 0, uint16_t(k), N, 1, 0));
        wait_for_all();
        const uint8_t pads[4] = {1, 1, 1, 1};
        LoadData(at<half>(TPosition::A2, 0, 1), at<half>(TPosition::A1, 0, 1),
                 LoadData3DParamsV2<half>(pads, H, W, C, uint16_t(k), 16, 0, 0, 2, 2, K, K, 1, 1,
                                          false, false, half(0.0f)));
        LoadData(at<half>(TPosition::B2, 0, 1), at<half>(TPosition::B1, on_chip().b1, 1),
                 LoadData2DParams(0, uint8_t(k / C0), 1, 0, 0, false, 0));
        wait_for_all();
        Mmad(sums<float>(), at<half>(TPosition::A2, 0, 1), at<half>(TPosition::B2, 0, 1),
             MmadParams(OH * OW, N, uint16_t(k), 0, false, true));
        wait_for_all();
        Fixpipe(o, sums<float>(), FixpipeParamsV220(N, OH * OW, 16, N, false));
    });
    for (int y = 0; y < OH; y++)
        for (int x = 0; x < OW; x++)
            for (int n = 0; n < N; n++) {
                double want = 0;
                for (int c = 0; c < C; c++)
                    for (int i = 0; i < K; i++)
                        for (int j = 0; j < K; j++) {
                            const int yy = y * 2 + i - 1, xx = x * 2 + j - 1;
                            if (yy < 0 || xx < 0 || yy >= H || xx >= W)
                                continue;
                            want += number(image[((c / C0 * H + yy) * W + xx) * C0 + c % C0]) *
                                    number(weight[n * K * K * C + ((c / C0 * K + i) * K + j) * C0 +
                                                  c % C0]);
                        }
                assert_true(double(out[(y * OW + x) * N + n]) == want);
            }
}

/* ---- the way out ----------------------------------------------------------------------- */

/* Sums 0, 1, 2 .. of a 32 x 48 matrix less 700: one product of counting halves. */
constexpr uint32_t M = 32, N = 48;
double sum_at(uint32_t i, uint32_t j) { return double(int(i * N + j)) - 700; }
template <class From> void put_sums()
{
    /* In L0C as the cube unit leaves them: columns of 16. */
    LocalTensor<From> c = sums<From>();
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t j = 0; j < N; j++)
            c.SetValue(j / 16 * M * 16 + i * 16 + j % 16, From(sum_at(i, j)));
}
float ten_bits(float f)
{
    uint32_t u;
    std::memcpy(&u, &f, 4);
    u &= 0xffffe000u;
    std::memcpy(&f, &u, 4);
    return f;
}
uint64_t bits_of_scale(float f)
{
    uint32_t u;
    std::memcpy(&u, &f, 4);
    return u;
}
template <class To> double wanted(double sum, float scale, int offset, bool relu, bool scales)
{
    double v =
        !scales ? sum : double(float(sum)) * (sum < 0 && relu ? 0.0 : double(ten_bits(scale)));
    if (!scales && relu && v < 0)
        v = 0;
    if constexpr (sizeof(To) == 1) {
        v = std::nearbyint(v);
        v = std::fmin(std::fmax(v, -256), 255) + offset;
        const double least = std::is_signed_v<To> ? -128 : 0;
        return std::fmin(std::fmax(v, least), least + 255);
    } else if constexpr (sizeof(To) == 2) {
        return double(float(To(float(v))));
    }
    return v;
}
struct out_case {
    QuantMode_t quant;
    float scale;
    int offset;
    bool relu, vector;
};
template <class From, class To> void check_out(const out_case &k, const FixpipeConfig &)
{
    std::vector<To> out(M * N + 8);
    std::vector<uint64_t> parameters(up(N, 16));
    for (uint32_t j = 0; j < N; j++)
        parameters[j] = bits_of_scale(k.scale * float(j % 5 + 1)) |
                        (uint64_t(k.offset) & 511) << 37 | 1ull << 46;
    const bool scales = k.quant != NoQuant && k.quant != F322F16 && k.quant != F322BF16;
    for (int layout = 0; layout < 2; layout++) {
        on_cube([&] {
            GlobalTensor<To> g;
            GlobalTensor<uint64_t> q;
            g.SetGlobalBuffer(out.data(), out.size());
            q.SetGlobalBuffer(parameters.data(), parameters.size());
            put_sums<From>();
            LocalTensor<uint64_t> c1 = at<uint64_t>(TPosition::C1, 0, N);
            DataCopy(c1, q, uint32_t(parameters.size()));
            wait_for_all();
            FixpipeParamsV220 f(N, M, M,
                                layout ? M * (sizeof(To) == 1 ? 32 : 16) * sizeof(To) / 32 : N,
                                k.relu, k.quant, int64_t(parameters[0]), 1, 0, 0, 0);
            if (layout && k.vector)
                Fixpipe<To, From, CFG_NZ>(g, sums<From>(), c1, f);
            else if (layout)
                Fixpipe<To, From, CFG_NZ>(g, sums<From>(), f);
            else if (k.vector)
                Fixpipe(g, sums<From>(), c1, f);
            else
                Fixpipe(g, sums<From>(), f);
        });
        const uint32_t width = sizeof(To) == 1 ? 32 : 16;
        for (uint32_t i = 0; i < M; i++)
            for (uint32_t j = 0; j < N; j++) {
                const float scale = k.scale * float(k.vector ? j % 5 + 1 : 1);
                const uint32_t column = j / width,
                               in_column = N - column * width < width ? 16 : width;
                const uint32_t at_ =
                    layout ? column * M * width + i * in_column + j % width : i * N + j;
                const double want = wanted<To>(sum_at(i, j), scale, k.offset, k.relu, scales);
                if (double(float(out[at_])) != want)
                    fail_msg("quant %d layout %d relu %d: row %u column %u is %g, not %g", k.quant,
                             layout, k.relu, i, j, double(float(out[at_])), want);
            }
    }
}
void quantised(void **)
{
    const FixpipeConfig nd = CFG_ROW_MAJOR;
    for (int relu = 0; relu < 2; relu++) {
        check_out<float, float>({NoQuant, 1, 0, relu != 0, false}, nd);
        check_out<float, half>({F322F16, 1, 0, relu != 0, false}, nd);
        check_out<float, bfloat16_t>({F322BF16, 1, 0, relu != 0, false}, nd);
        check_out<float, int8_t>({QF322B8_PRE, 0.1f, -7, relu != 0, false}, nd);
        check_out<float, uint8_t>({QF322B8_PRE, 0.3f, 100, relu != 0, false}, nd);
        check_out<float, int8_t>({VQF322B8_PRE, 0.07f, 3, relu != 0, true}, nd);
        check_out<int32_t, int32_t>({NoQuant, 1, 0, relu != 0, false}, nd);
        check_out<int32_t, half>({DEQF16, 0.37f, 0, relu != 0, false}, nd);
        check_out<int32_t, half>({VDEQF16, 1.7f, 0, relu != 0, true}, nd);
        check_out<int32_t, int8_t>({REQ8, 0.21f, 5, relu != 0, false}, nd);
        check_out<int32_t, uint8_t>({VREQ8, 0.11f, 60, relu != 0, true}, nd);
    }
}
/* The older parameters: bursts of columns 16 wide. Into rows, where the last burst passes the
 * matrix; into columns with gaps; gaps between bursts in L0C; by a parameter a column. */
void by_bursts(void **)
{
    enum { COLUMNS = 40, GAP = 3, ROW = 48 };
    std::vector<half> rows(M * ROW, half(1.0f)), columns((M + GAP) * COLUMNS, half(1.0f));
    std::vector<half> every_second(M * 32), vector(M * N);
    std::vector<uint64_t> scales(N);
    for (uint32_t j = 0; j < N; j++)
        scales[j] = bits_of_scale(0.5f * float(j % 3 + 1));
    on_cube([&] {
        GlobalTensor<half> r, c, e, v;
        GlobalTensor<uint64_t> q;
        r.SetGlobalBuffer(rows.data(), rows.size());
        c.SetGlobalBuffer(columns.data(), columns.size());
        e.SetGlobalBuffer(every_second.data(), every_second.size());
        v.SetGlobalBuffer(vector.data(), vector.size());
        q.SetGlobalBuffer(scales.data(), scales.size());
        put_sums<float>();
        const uint16_t burst = M * 16 * sizeof(float) / 32;
        FixpipeParams<float> p(3, burst, 0, ROW);
        p.quantParams = {QuantMode_t::F322F16};
        p.nz2ndParams = {true, 1, 0, 0, COLUMNS};
        p.reluEn = true;
        Fixpipe(r, sums<float>(), p);
        FixpipeParams<float> to_nz(2, burst, 0, GAP);
        to_nz.quantParams = {QuantMode_t::F322F16};
        Fixpipe(c, sums<float>(), to_nz);
        FixpipeParams<float> apart(2, burst, M / 16, 32); /* from column 0 to column 2 */
        apart.quantParams = {QuantMode_t::F322F16};
        apart.nz2ndParams = {true, 1, 0, 0, 32};
        Fixpipe(e, sums<float>(), apart);
        wait_for_all();
        put_sums<int32_t>();
        LocalTensor<uint64_t> c1 = at<uint64_t>(TPosition::C1, 0, N);
        DataCopy(c1, q, N);
        wait_for_all();
        FixpipeParams<int32_t> by_column(N / 16, burst, 0, N);
        by_column.quantParams = {QuantMode_t::VDEQF16};
        by_column.nz2ndParams = {true, 1, 0, 0, N};
        Fixpipe(v, sums<int32_t>(), c1, by_column);
    });
    for (uint32_t i = 0; i < M; i++) {
        for (uint32_t j = 0; j < ROW; j++)
            assert_true(double(float(rows[i * ROW + j])) ==
                        (j < COLUMNS ? std::fmax(sum_at(i, j), 0) : 1.0));
        for (uint32_t j = 0; j < 32; j++) {
            assert_true(double(float(columns[j / 16 * (M * 16 + GAP * 16) + i * 16 + j % 16])) ==
                        sum_at(i, j));
            assert_true(double(float(every_second[i * 32 + j])) == sum_at(i, j < 16 ? j : j + 16));
        }
        for (uint32_t j = 0; j < N; j++)
            assert_true(double(float(vector[i * N + j])) ==
                        double(float(half(float(sum_at(i, j) * 0.5 * double(j % 3 + 1))))));
    }
    for (uint32_t j = 0; j < GAP * 16; j++) /* what the gap leaves */
        assert_true(double(float(columns[M * 16 + j])) == 1);
    fails_on_cube(
        [&] {
            FixpipeParams<float> p(1, M * 2, 0, 16);
            GlobalTensor<float> g;
            std::vector<float> gm(M * 16);
            g.SetGlobalBuffer(gm.data(), gm.size());
            p.nz2ndParams.nz2ndEn = true;
            Fixpipe(g, sums<float>(), p);
        },
        NPU_E_ARG, "nz2ndParams.originalNSize 0; rows have 1 to 16 columns");
}
/* Added to what GM holds, in floats; and columns of 8 floats. */
void added_and_split(void **)
{
    std::vector<float> out(M * N, 1000.0f), split(M * N);
    on_cube([&] {
        GlobalTensor<float> g, s;
        g.SetGlobalBuffer(out.data(), out.size());
        s.SetGlobalBuffer(split.data(), split.size());
        put_sums<float>();
        SetAtomicAdd<float>();
        Fixpipe(g, sums<float>(), FixpipeParamsV220(N, M, M, N, false));
        SetAtomicNone();
        FixpipeParamsV220 f(N, M, M, M * 8 * 4 / 32, false, NoQuant, 0, 1, 0, 0, 0, true);
        Fixpipe<float, float, CFG_NZ>(s, sums<float>(), f);
    });
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t j = 0; j < N; j++) {
            assert_true(double(out[i * N + j]) == sum_at(i, j) + 1000);
            assert_true(double(split[j / 8 * M * 8 + i * 8 + j % 8]) == sum_at(i, j));
        }
}

/* ---- what is wrong --------------------------------------------------------------------- */

template <class Queue> void queue_of(uint8_t n, uint32_t bytes)
{
    TPipe pipe;
    Queue q;
    TBuf<TPosition::A1> first;
    pipe.InitBuffer(first, 64 * 1024);
    pipe.InitBuffer(q, n, bytes);
}
/* The memory, what is asked, what is left of how much. */
void buffers_refuse(void **)
{
    const struct {
        void (*body)();
        const char *words;
    } cases[] = {
        {[] { queue_of<TQue<TPosition::A1, 1>>(2, 256 * 1024); },
         "TQue<A1, 1> does not fit into L1: 2 x 262144 bytes asked (524288 after rounding up to "
         "32), 458752 of 524288 bytes are left, 65536 too many"},
        {[] { queue_of<TQue<TPosition::A2, 1>>(2, 32800); },
         "does not fit into L0A: 2 x 32800 bytes asked (65600 after rounding up to 32), 65536 of "
         "65536 bytes are left, 64 too many"},
        {[] { queue_of<TQue<TPosition::B2, 1>>(1, 65537); }, "L0B: 1 x 65537 bytes asked (65568"},
        {[] { queue_of<TQue<TPosition::CO1, 1>>(2, 128 * 1024); },
         "262144 after rounding up to 32), 131072 of 131072 bytes are left, 131072 too many"},
        {[] { queue_of<TQue<TPosition::C2, 1>>(1, 2048); }, "1024 of 1024 bytes are left"},
        {[] { LocalMemAllocator<Hardware::L1>().Alloc<TPosition::A1, half>(300000); },
         "LocalMemAllocator::Alloc does not fit into L1: 1 x 600000 bytes asked (600000 after "
         "rounding up to 32), 524288 of 524288 bytes are left, 75712 too many"},
        {[] { LocalMemAllocator<Hardware::L0C>().Alloc<TPosition::CO1, float>(40000); },
         "131072 of 131072 bytes are left, 28928 too many"},
    };
    for (const auto &x : cases)
        fails_on_cube(x.body, NPU_E_UB_FULL, x.words);
    const outcome o = run_on(CORE_AIV, 0, [] {
        LocalMemAllocator<Hardware::UB>().Alloc<TPosition::VECIN, half>(100000);
    });
    if (o.status != NPU_E_UB_FULL || !strstr(o.story.c_str(), "UB: 1 x 200000 bytes asked (200000"))
        fail_msg("%s", o.story.c_str());
}

/* Both kinds of cores of a group make all tensors; each uses its own. */
void tensors_of_others(void **)
{
    std::vector<float> gm(64);
    const auto run = [&](bool is_wrong) {
        return run_on(CORE_AIC, 2, [&] {
            LocalTensor<float> ub(TPosition::VECCALC, 1024, 64), l0c(TPosition::CO1, 1024, 256);
            LocalTensor<half> l0a(TPosition::A2, 0, 256), l0b(TPosition::B2, 0, 256);
            GlobalTensor<float> g;
            g.SetGlobalBuffer(gm.data(), gm.size());
            if (npu_self()->core_kind == CORE_AIC) {
                if (is_wrong)
                    Duplicate(ub, 1.0f, 64);
                Mmad(l0c, l0a, l0b, MmadParams(16, 16, 16, 0, false, true));
            } else if (GetSubBlockIdx() == 0 && !is_wrong) {
                Duplicate(ub, 2.0f, 64);
                PipeBarrier<PIPE_ALL>();
                DataCopy(g, ub, 64);
            }
        });
    };
    const outcome well = run(false);
    if (well.status != NPU_OK || gm[63] != 2.0f)
        fail_msg("%g: %s", double(gm[63]), well.story.c_str());
    const outcome wrong = run(true);
    if (wrong.status == NPU_OK ||
        !strstr(wrong.story.c_str(), "vdup: dst is in UB, which a cube core does not have"))
        fail_msg("%s", wrong.story.c_str());
}

void refuses(void **)
{
    std::vector<half> gm(64 * 1024);
    auto copy = [&](uint32_t at_bytes, uint16_t rows) {
        GlobalTensor<half> g;
        g.SetGlobalBuffer(gm.data(), gm.size());
        DataCopy(at<half>(TPosition::A1, at_bytes, 1), g,
                 Nd2NzParams(1, rows, 64, 0, 64, rows, 1, 0));
    };
    fails_on_cube([&] { copy(512 * 1024 - 1024, 64); }, NPU_E_RANGE, "L1 has 524288 bytes");
    fails_on_cube([&] { copy(16, 16); }, NPU_E_ALIGN, "not a multiple of 32");
    fails_on_cube(
        [] {
            LoadData(at<half>(TPosition::A2, 0, 1), at<half>(TPosition::A1, 0, 1),
                     LoadData2DParams(0, 129, 1, 0, 0, false, 0));
        },
        NPU_E_RANGE, "L0A bytes 0 to 66047 (66048 bytes), but L0A has 65536 bytes");
    fails_on_cube(
        [] {
            LoadData(at<half>(TPosition::B2, 256, 1), at<half>(TPosition::B1, 0, 1),
                     LoadData2DParams(0, 1, 1, 0, 0, false, 0));
        },
        NPU_E_ALIGN, "L0B byte 256, which is not a multiple of 512");
    fails_on_cube(
        [] {
            Mmad(sums<float>(), at<half>(TPosition::A2, 0, 1), at<half>(TPosition::B2, 0, 1),
                 MmadParams(256, 256, 16, 0, false, true));
        },
        NPU_E_RANGE, "L0C has 131072 bytes");
    fails_on_cube(
        [] {
            Mmad(sums<float>(), at<half>(TPosition::B2, 0, 1), at<half>(TPosition::B2, 0, 1),
                 MmadParams(16, 16, 16, 0, false, true));
        },
        NPU_E_ARG, "fm lies in L0B; it may lie in L0A");
    fails_on_cube(
        [&] {
            GlobalTensor<half> g;
            g.SetGlobalBuffer(gm.data(), gm.size());
            Fixpipe(g, sums<float>(), FixpipeParamsV220(16, 16, 16, 16, false));
        },
        NPU_E_TYPE, "quantPre NoQuant does not make f16 of f32");
    const outcome o = run_on(CORE_AIV, 0, [] {
        Mmad(at<float>(TPosition::CO1, 0, 1), at<half>(TPosition::A2, 0, 1),
             at<half>(TPosition::B2, 0, 1), MmadParams(16, 16, 16, 0, false, true));
    });
    assert_true(o.status != NPU_OK && strstr(o.story.c_str(), "vector cores have none"));
}

/* ---- mix kernels ----------------------------------------------------------------------- */

/* Both kinds know who they are; a flag from the cube core frees both vector cores, two flags of
 * those free the cube core. */
void groups(void **)
{
    enum { BLOCKS = 4 };
    for (int n = 1; n <= 2; n++)
        for (int round = 0; round < 50; round++) {
            std::vector<int> step(BLOCKS, 0), seen(size_t(BLOCKS) * 2, 0), back(BLOCKS, 0);
            const outcome o = run_on(
                CORE_AIC, n,
                [&] {
                    const npu_core *c = npu_self();
                    const size_t block = c->block_idx;
                    if (c->core_kind == CORE_AIC) {
                        step[block] = int(block) + 1;
                        CrossCoreSetFlag<2, PIPE_FIX>(5);
                        CrossCoreWaitFlag(6);
                        for (int v = 0; v < n; v++)
                            back[block] += seen[block * size_t(n) + size_t(v)];
                        if (GetBlockIdx() != int64_t(block) || GetTaskRatio() != 1)
                            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "wrong ids");
                    } else {
                        CrossCoreWaitFlag(5);
                        seen[size_t(GetBlockIdx())] = step[block] * 10;
                        CrossCoreSetFlag<2, PIPE_MTE3>(6);
                        if (GetBlockIdx() != int64_t(block) * n + GetSubBlockIdx() ||
                            GetTaskRatio() != n || GetBlockNum() != BLOCKS)
                            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "wrong ids");
                    }
                    SyncAll<false>();
                    if (c->core_kind == CORE_AIV)
                        SyncAll();
                },
                BLOCKS);
            if (o.status != NPU_OK)
                fail_msg("%s", o.story.c_str());
            for (int i = 0; i < BLOCKS; i++)
                assert_int_equal(back[size_t(i)], (i + 1) * 10 * n);
        }
}
/* In a mix kernel: all cores of a kind, and the vector cores of one group; each sees what the
 * others did before their flag. */
void flags_of_a_kind(void **)
{
    enum { BLOCKS = 3 };
    for (int n = 1; n <= 2; n++) {
        std::vector<int> aic(BLOCKS, 0), aiv(size_t(BLOCKS) * size_t(n), 0);
        const outcome o = run_on(
            CORE_AIC, n,
            [&] {
                const npu_core *c = npu_self();
                const bool is_aic = c->core_kind == CORE_AIC;
                std::vector<int> &all = is_aic ? aic : aiv;
                const auto sees = [&](size_t from, size_t to, int step) {
                    for (size_t i = from; i < to; i++)
                        if (all[i] < step)
                            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "core %zu is not at %d", i,
                                      step);
                };
                int &mine = all[size_t(is_aic ? c->block_idx : GetBlockIdx())];
                for (int step = 1; step <= 20; step++) {
                    mine = step;
                    CrossCoreSetFlag<0, PIPE_MTE2>(7);
                    CrossCoreWaitFlag<0>(7);
                    sees(0, all.size(), step);
                    CrossCoreSetFlag<0, PIPE_MTE2>(9); /* before anybody goes on */
                    CrossCoreWaitFlag(9);
                    if (is_aic)
                        continue;
                    mine = 1000 + step;
                    CrossCoreSetFlag<1, PIPE_MTE3>(8);
                    CrossCoreWaitFlag<1>(8);
                    sees(c->block_idx * size_t(n), (c->block_idx + 1) * size_t(n), 1000 + step);
                    CrossCoreSetFlag<0, PIPE_MTE2>(10);
                    CrossCoreWaitFlag(10);
                }
                SyncAll<false>();
            },
            BLOCKS);
        if (o.status != NPU_OK)
            fail_msg("%s", o.story.c_str());
    }
}
/* A cube core that is far ahead of its vector cores: their counters go to 15, it is held until they
 * come. When they do not come often enough, the flag is named. */
void runs_ahead(void **)
{
    for (const int wanted : {100, 80}) {
        std::vector<int> seen(2);
        const outcome o = run_on(CORE_AIC, 2, [&] {
            if (npu_self()->core_kind == CORE_AIC) {
                for (int i = 0; i < 100; i++)
                    CrossCoreSetFlag<2, PIPE_FIX>(8);
                return;
            }
            for (int i = 0; i < wanted; i++) {
                CrossCoreWaitFlag(8);
                seen[size_t(GetSubBlockIdx())]++;
            }
        });
        if (o.status != (wanted == 100 ? NPU_OK : NPU_E_RANGE) || seen[0] != wanted ||
            seen[1] != wanted ||
            !strstr(o.story.c_str(), wanted == 100 ? "" : "counter 8 goes beyond 15"))
            fail_msg("%d of %d waits: %d and %d: %s", wanted, 100, seen[0], seen[1],
                     o.story.c_str());
    }
}
void never_arrives(void **)
{
    const outcome o = run_on(
        CORE_AIC, 2,
        [] {
            if (npu_self()->core_kind == CORE_AIC)
                CrossCoreWaitFlag(3);
            else if (npu_self()->sub_idx == 0)
                CrossCoreSetFlag<2, PIPE_MTE3>(3);
        },
        2);
    assert_int_equal(o.status, NPU_E_DEADLOCK);
    assert_non_null(strstr(o.story.c_str(), "block 0 of 2 (AIC)"));
    assert_non_null(strstr(o.story.c_str(), "t_cube.cpp:"));
    assert_non_null(strstr(o.story.c_str(), "CrossCoreWaitFlag(3)"));
    assert_non_null(
        strstr(o.story.c_str(), "AIV 1 of block 0 has not called CrossCoreSetFlag<2>(3)"));
    const outcome all = run_on(CORE_AIC, 1, [] {
        if (npu_self()->core_kind == CORE_AIC)
            SyncAll<false>();
    });
    assert_int_equal(all.status, NPU_E_DEADLOCK);
    assert_non_null(strstr(all.story.c_str(), "SyncAll waits for ever: 1 of 2 cores"));
    /* a fault elsewhere is the story, not who waits for it */
    const outcome first = run_on(CORE_AIC, 2, [] {
        if (npu_self()->core_kind == CORE_AIC)
            CrossCoreWaitFlag(0);
        else
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "the reason");
    });
    assert_int_equal(first.status, NPU_E_ARG);
    const outcome many = run_on(CORE_AIC, 2, [] { SyncAll<false>(); }, 25);
    assert_int_equal(many.status, NPU_E_DEADLOCK);
}

} // namespace

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test((products<half, float>)),
        cmocka_unit_test((products<bfloat16_t, float>)),
        cmocka_unit_test((products<float, float>)),
        cmocka_unit_test((products<int8_t, int32_t>)),
        cmocka_unit_test((bias_comes_first<half, float>)),
        cmocka_unit_test((bias_comes_first<int8_t, int32_t>)),
        cmocka_unit_test(sums_keep_their_bound),
        cmocka_unit_test((turned<half, float>)),
        cmocka_unit_test((turned<int8_t, int32_t>)),
        cmocka_unit_test((turned<float, float>)),
        cmocka_unit_test(convolution),
        cmocka_unit_test(quantised),
        cmocka_unit_test(by_bursts),
        cmocka_unit_test(added_and_split),
        cmocka_unit_test(buffers_refuse),
        cmocka_unit_test(tensors_of_others),
        cmocka_unit_test(refuses),
        cmocka_unit_test(groups),
        cmocka_unit_test(flags_of_a_kind),
        cmocka_unit_test(runs_ahead),
        cmocka_unit_test(never_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

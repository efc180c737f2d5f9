/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cube.hpp - problems for the cube core: plain matrices, how they get into its memories and out.
 *
 * What is expected is a sum in double over the plain matrices, never over fractals.
 */
#ifndef NPU_TEST_CUBE_HPP
#define NPU_TEST_CUBE_HPP
#include "kernel.hpp"
#include <cmath>
#include <random>

using namespace AscendC;

namespace {

constexpr uint32_t up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

template <class T> T value_of(int v)
{
    if constexpr (std::is_same_v<T, int8_t>)
        return int8_t(v);
    else
        return T(float(v) / 4);
}
template <class T> double number(T v) { return double(float(v)); }

/* A is m x k, B is n x k (rows are columns of the right matrix), both row by row. */
template <class T, class C> struct problem {
    uint32_t m, k, n;
    std::vector<T> a, b;
    std::vector<C> c, bias;
    problem(uint32_t m_, uint32_t k_, uint32_t n_, int seed) : m(m_), k(k_), n(n_)
    {
        std::mt19937 gen{uint32_t(seed)};
        std::uniform_int_distribution<int> pick(-20, 20);
        a.resize(size_t(m) * k);
        b.resize(size_t(n) * k);
        c.resize(size_t(m) * n);
        bias.resize(up(n, 16));
        for (T &v : a)
            v = value_of<T>(pick(gen));
        for (T &v : b)
            v = value_of<T>(pick(gen));
        for (C &v : bias)
            v = C(pick(gen));
    }
    double sum(uint32_t i, uint32_t j) const
    {
        double s = 0;
        for (uint32_t x = 0; x < k; x++)
            s += number(a[size_t(i) * k + x]) * number(b[size_t(j) * k + x]);
        return s;
    }
};

struct on_chip {
    uint32_t a1 = 0, b1 = 128 * 1024, c1 = 384 * 1024;
};
template <class T> LocalTensor<T> at(TPosition p, uint32_t bytes, uint32_t n)
{
    return LocalTensor<T>(p, bytes, n);
}
void wait_for_all() { PipeBarrier<PIPE_ALL>(); }

template <class T>
void load_rows(TPosition l1, uint32_t at_bytes, std::vector<T> &gm, uint32_t rows, uint32_t k)
{
    GlobalTensor<T> g;
    g.SetGlobalBuffer(gm.data(), gm.size());
    Nd2NzParams p(1, uint16_t(rows), uint16_t(k), 0, uint16_t(k), uint16_t(up(rows, 16)), 1, 0);
    DataCopy(at<T>(l1, at_bytes, 1), g, p);
}
/* Both operands into L0A and L0B by LoadData without transposing. */
template <class T, class C> void load_operands(problem<T, C> &p)
{
    constexpr uint32_t c0 = 32 / sizeof(T), fractal = 16 * c0;
    const uint32_t m1 = up(p.m, 16) / 16, k1 = up(p.k, c0) / c0, n1 = up(p.n, 16) / 16;
    on_chip at_;
    load_rows(TPosition::A1, at_.a1, p.a, p.m, p.k);
    load_rows(TPosition::B1, at_.b1, p.b, p.n, p.k);
    wait_for_all();
    for (uint32_t i = 0; i < m1; i++)
        LoadData(at<T>(TPosition::A2, i * k1 * 512, fractal),
                 at<T>(TPosition::A1, at_.a1 + i * 512, fractal),
                 LoadData2DParams(0, uint8_t(k1), uint16_t(m1), 0, 0, false, 0));
    for (uint32_t i = 0; i < k1; i++)
        LoadData(at<T>(TPosition::B2, i * n1 * 512, fractal), at<T>(TPosition::B1, at_.b1, fractal),
                 LoadData2DParams(uint16_t(i * n1), uint8_t(n1), 1, 0, 0, false, 0));
    wait_for_all();
}
template <class C> LocalTensor<C> sums() { return at<C>(TPosition::CO1, 0, 32768); }
template <class T, class C> void multiply(problem<T, C> &p, bool from_zero = true)
{
    MmadParams q(uint16_t(p.m), uint16_t(p.n), uint16_t(p.k), 0, false, from_zero);
    Mmad(sums<C>(), at<T>(TPosition::A2, 0, 1), at<T>(TPosition::B2, 0, 1), q);
    wait_for_all();
}
template <class T, class C> void rows_out(problem<T, C> &p, QuantMode_t quant = NoQuant)
{
    GlobalTensor<C> g;
    g.SetGlobalBuffer(p.c.data(), p.c.size());
    FixpipeParamsV220 f(uint16_t(p.n), uint16_t(p.m), uint16_t(up(p.m, 16)), p.n, false, quant, 0,
                        1, 0, 0, 0);
    Fixpipe(g, sums<C>(), f);
}
template <class Body> void on_cube(Body body)
{
    const outcome o = run_on(CORE_AIC, 0, body);
    if (o.status != NPU_OK)
        fail_msg("%s", o.story.c_str());
}
template <class Body> void fails_on_cube(Body body, npu_status status, const char *words)
{
    const outcome o = run_on(CORE_AIC, 0, body);
    if (o.status != status || !strstr(o.story.c_str(), words))
        fail_msg("%s: %s, not '%s'", npu_status_name(o.status), o.story.c_str(), words);
}

struct image_case {
    uint32_t h, w, c, fw, fh, sw, sh, dw, dh;
    uint32_t left, right, top, bottom;
    bool right_side;
};
/* Element (row, column) of the unfolded matrix, from the image as [h][w][c]. */
template <class T>
T unfolded(const image_case &k, const std::vector<T> &hwc, uint32_t row, uint32_t column, T pad)
{
    constexpr uint32_t c0 = 32 / sizeof(T);
    const uint32_t ow = (k.w + k.left + k.right - ((k.fw - 1) * k.dw + 1)) / k.sw + 1;
    const uint32_t taps = k.fw * k.fh, whole = k.c / c0 * taps * c0;
    const uint32_t width = column < whole ? c0 : k.c % c0;
    const uint32_t in_plane = column < whole ? column % (taps * c0) : column - whole;
    const uint32_t channel =
        (column < whole ? column / (taps * c0) * c0 : k.c / c0 * c0) + in_plane % width;
    const uint32_t tap = in_plane / width;
    const int y = int(row / ow * k.sh + tap / k.fw * k.dh) - int(k.top);
    const int x = int(row % ow * k.sw + tap % k.fw * k.dw) - int(k.left);
    if (y < 0 || x < 0 || y >= int(k.h) || x >= int(k.w))
        return pad;
    return hwc[(size_t(y) * k.w + size_t(x)) * k.c + channel];
}

/* ---- what a kernel checks in place ------------------------------------------------------ */

[[maybe_unused]] uint8_t *memory(npu_mem m) { return npu_self()->mem[m].base; }
template <class T> T *in(npu_mem m, uint32_t at_bytes = 0)
{
    return reinterpret_cast<T *>(memory(m) + at_bytes);
}
[[maybe_unused]] std::vector<uint8_t> noise(size_t n, uint32_t seed = 1)
{
    std::mt19937 gen{seed};
    std::vector<uint8_t> v(n);
    for (uint8_t &b : v)
        b = uint8_t(gen());
    return v;
}
/* Inside a kernel: n bytes at a are those at b. */
[[maybe_unused]] void same(const char *what, const void *a, const void *b, size_t n)
{
    const uint8_t *x = static_cast<const uint8_t *>(a), *y = static_cast<const uint8_t *>(b);
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i]) {
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "%s: byte %zu is %u, not %u", what, i, x[i],
                      y[i]);
            return;
        }
}
[[maybe_unused]] void is(const char *what, double have, double want)
{
    if (have != want)
        npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "%s is %g, not %g", what, have, want);
}

} // namespace
#endif

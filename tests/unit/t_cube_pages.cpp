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

} // namespace

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_products),
        cmocka_unit_test(sparse_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_c_api_cube.cpp - the C API of the cube core: what each move puts where, byte by byte, and
 * products against sums in double over the plain matrices.
 */
#include "c_api.hpp"
#include "cube.hpp"

namespace {

/* ---- bursts ---------------------------------------------------------------------------- */

void bursts_into_l1(void **)
{
    const std::vector<uint8_t> gm = noise(8192);
    std::vector<uint8_t> back(1024, 0);
    call_is_tested("asc_copy_gm2l1");
    call_is_tested("asc_copy_l12gm");
    on_cube([&] {
        asc_copy_gm2l1(in<void>(MEM_L1), gm.data(), 128u);
        asc_copy_gm2l1_sync(in<void>(MEM_L1, 4096), gm.data() + 64, 96u);
        same("asc_copy_gm2l1", memory(MEM_L1), gm.data(), 128);
        same("asc_copy_gm2l1_sync", memory(MEM_L1) + 4096, gm.data() + 64, 96);
        /* three bursts of two blks; a blk of gap in GM, two in L1 */
        asc_copy_gm2l1(in<void>(MEM_L1, 8192), gm.data(), 3, 2, 1, 2);
        wait_for_all();
        for (uint32_t i = 0; i < 3; i++)
            same("bursts of asc_copy_gm2l1", memory(MEM_L1) + 8192 + i * 128, gm.data() + i * 96,
                 64);
        asc_copy_l12gm(back.data(), in<void>(MEM_L1, 8192), 3, 2, 2, 0);
        wait_for_all();
        asc_copy_l12gm_sync(back.data() + 512, in<void>(MEM_L1), 2, 1, 1, 1);
        for (uint32_t i = 0; i < 3; i++)
            same("asc_copy_l12gm", back.data() + i * 64, gm.data() + i * 96, 64);
        for (uint32_t i = 0; i < 2; i++)
            same("asc_copy_l12gm_sync", back.data() + 512 + i * 64, gm.data() + i * 64, 32);
    });
}

/* Groups of bytes: so many of GM become so many of L1. */
void padded_into_l1(void **)
{
    const std::vector<uint8_t> gm = noise(512, 3);
    using size_form = void (*)(void *, const void *, uint32_t, npu_where);
    using burst_form =
        void (*)(void *, const void *, uint16_t, uint16_t, uint16_t, uint16_t, npu_where);
    const struct {
        const char *name;
        size_form plain, sync;
        burst_form bursts;
        uint32_t from, to;
    } pads[] = {
#define PAD(n, from, to)                                                                           \
    {"asc_copy_gm2l1_pad" #n,                                                                      \
     asc_copy_gm2l1_pad##n,                                                                        \
     asc_copy_gm2l1_pad##n##_sync,                                                                 \
     asc_copy_gm2l1_pad##n,                                                                        \
     from,                                                                                         \
     to},
        PAD(1, 1, 32) PAD(2, 1, 16) PAD(3, 2, 16) PAD(4, 4, 16) PAD(5, 8, 16) PAD(6, 32, 4)
            PAD(7, 32, 8) PAD(8, 32, 16)
#undef PAD
    };
    for (const auto &k : pads) {
        call_is_tested(k.name);
        std::vector<uint8_t> want;
        for (uint32_t i = 0; i < 128; i += k.from)
            for (uint32_t b = 0; b < k.to; b++)
                want.push_back(b < k.from ? gm[i + b] : 0);
        on_cube([&] {
            std::memset(memory(MEM_L1), 0xee, 65536);
            k.plain(memory(MEM_L1), gm.data(), 128, NPU_HERE);
            k.sync(memory(MEM_L1) + 8192, gm.data(), 128, NPU_HERE);
            same(k.name, memory(MEM_L1), want.data(), want.size());
            same(k.name, memory(MEM_L1) + 8192, want.data(), want.size());
            is("the byte behind", memory(MEM_L1)[want.size()], 0xee);
            /* two bursts of two blks, each after a gap of its own */
            k.bursts(memory(MEM_L1) + 16384, gm.data(), 2, 2, 0, 1, NPU_HERE);
            wait_for_all();
            const size_t half = want.size() / 2;
            same(k.name, memory(MEM_L1) + 16384, want.data(), half);
            same(k.name, memory(MEM_L1) + 16384 + half + 32, want.data() + half, half);
        });
    }
}

/* ---- fractals -------------------------------------------------------------------------- */

template <class T> void fractals_of(const std::vector<uint8_t> &gm)
{
    T *src = reinterpret_cast<T *>(const_cast<uint8_t *>(gm.data()));
    on_cube([&] {
        auto check = [&](const char *name, const uint8_t *at) {
            for (uint32_t i = 0; i < 3; i++) /* begins at 1, every second one, one apart */
                same(name, at + i * 1024, gm.data() + (1 + i * 2) * 512, 512);
        };
        asc_copy_gm2l0a(in<T>(MEM_L0A), src, 1, 3, 2, 1);
        asc_copy_gm2l0b(in<T>(MEM_L0B), src, 1, 3, 2, 1);
        asc_copy_gm2l0a_sync(in<T>(MEM_L0A, 8192), src, 1, 3, 2, 1);
        asc_copy_gm2l0b_sync(in<T>(MEM_L0B, 8192), src, 1, 3, 2, 1);
        check("asc_copy_gm2l0a", memory(MEM_L0A));
        check("asc_copy_gm2l0b", memory(MEM_L0B));
        check("asc_copy_gm2l0a_sync", memory(MEM_L0A) + 8192);
        check("asc_copy_gm2l0b_sync", memory(MEM_L0B) + 8192);
        if constexpr (!std::is_same_v<T, int4b_t>) {
            asc_copy_gm2l1(in<T>(MEM_L1), src, uint16_t(1), uint8_t(3), uint16_t(2), uint16_t(1));
            asc_copy_gm2l1_sync(in<T>(MEM_L1, 8192), src, uint16_t(1), uint8_t(3), uint16_t(2),
                                uint16_t(1));
            check("asc_copy_gm2l1 of fractals", memory(MEM_L1));
            check("asc_copy_gm2l1_sync of fractals", memory(MEM_L1) + 8192);
        }
        asc_copy_gm2l1_sync(in<void>(MEM_L1, 16384), gm.data(), 4096u);
        asc_copy_l12l0a(in<T>(MEM_L0A, 16384), in<T>(MEM_L1, 16384), 1, 3, 2, 1);
        asc_copy_l12l0b(in<T>(MEM_L0B, 16384), in<T>(MEM_L1, 16384), 1, 3, 2, 1);
        asc_copy_l12l0a_sync(in<T>(MEM_L0A, 24576), in<T>(MEM_L1, 16384), 1, 3, 2, 1);
        asc_copy_l12l0b_sync(in<T>(MEM_L0B, 24576), in<T>(MEM_L1, 16384), 1, 3, 2, 1);
        check("asc_copy_l12l0a", memory(MEM_L0A) + 16384);
        check("asc_copy_l12l0b", memory(MEM_L0B) + 16384);
        check("asc_copy_l12l0a_sync", memory(MEM_L0A) + 24576);
        check("asc_copy_l12l0b_sync", memory(MEM_L0B) + 24576);
    });
}
void fractals(void **)
{
    const std::vector<uint8_t> gm = noise(8192, 5);
    for (const char *name :
         {"asc_copy_gm2l0a", "asc_copy_gm2l0b", "asc_copy_l12l0a", "asc_copy_l12l0b"})
        call_is_tested(name);
    fractals_of<int4b_t>(gm);
    fractals_of<int8_t>(gm);
    fractals_of<uint8_t>(gm);
    fractals_of<half>(gm);
    fractals_of<bfloat16_t>(gm);
    fractals_of<int32_t>(gm);
    fractals_of<uint32_t>(gm);
    fractals_of<float>(gm);
}

/* Squares of side x side elements whose fractals lie side by side (32 bits) or one below the other.
 */
template <class T> void turned_squares(const std::vector<uint8_t> &gm)
{
    constexpr uint32_t side = sizeof(T) == 1 ? 32 : 16, group = sizeof(T) == 2 ? 1 : 2;
    constexpr uint32_t elem = sizeof(T), square = 512 * group, fractal_apart = group == 1 ? 1 : 3;
    auto at = [](uint32_t row,
                 uint32_t column) { /* byte of an element in a square */
                                    return elem == 4 ? column / 8 * 512 + row * 32 + column % 8 * 4
                                                     : row * side * elem + column * elem;
    };
    auto check = [&](const char *name, const uint8_t *to, bool down) {
        for (uint32_t s = 0; s < 2; s++)
            for (uint32_t r = 0; r < side; r++)
                for (uint32_t k = 0; k < side; k++) {
                    const uint32_t from = at(k, r) + (down ? 2 - s : 1 + s) * square;
                    const uint32_t d = at(r, k);
                    same(name, to + s * 2 * 512 + d / 512 * 512 * fractal_apart + d % 512,
                         gm.data() + from, elem);
                }
    };
    on_cube([&] {
        asc_copy_gm2l1_sync(in<void>(MEM_L1), gm.data(), 8192u);
        asc_copy_l12l0a_trans(in<T>(MEM_L0A), in<T>(MEM_L1), 1, 2, 1, 1, false, 2);
        asc_copy_l12l0b_trans(in<T>(MEM_L0B), in<T>(MEM_L1), 1, 2, 1, 1, false, 2);
        asc_copy_l12l0a_trans_sync(in<T>(MEM_L0A, 8192), in<T>(MEM_L1), 2, 2, 1, 1, true, 2);
        asc_copy_l12l0b_trans_sync(in<T>(MEM_L0B, 8192), in<T>(MEM_L1), 2, 2, 1, 1, true, 2);
        check("asc_copy_l12l0a_trans", memory(MEM_L0A), false);
        check("asc_copy_l12l0b_trans", memory(MEM_L0B), false);
        check("asc_copy_l12l0a_trans_sync", memory(MEM_L0A) + 8192, true);
        check("asc_copy_l12l0b_trans_sync", memory(MEM_L0B) + 8192, true);
    });
}
void turned(void **)
{
    const std::vector<uint8_t> gm = noise(8192, 7);
    call_is_tested("asc_copy_l12l0a_trans");
    call_is_tested("asc_copy_l12l0b_trans");
    turned_squares<int8_t>(gm);
    turned_squares<uint8_t>(gm);
    turned_squares<half>(gm);
    turned_squares<bfloat16_t>(gm);
    turned_squares<int32_t>(gm);
    turned_squares<uint32_t>(gm);
    turned_squares<float>(gm);
}

/* ---- products -------------------------------------------------------------------------- */

/* Two matrices from rows in GM to sums in GM, all by the C API. */
template <class T, class C> void product_of(uint32_t m, uint32_t k, uint32_t n, bool sync)
{
    constexpr uint32_t c0 = 32 / sizeof(T);
    problem<T, C> p(m, k, n, int(m + k + n));
    const uint16_t m16 = uint16_t(up(m, 16)), n16 = uint16_t(up(n, 16)),
                   k1 = uint16_t(up(k, c0) / c0);
    on_cube([&] {
        T *a1 = in<T>(MEM_L1), *b1 = in<T>(MEM_L1, 131072);
        T *a2 = in<T>(MEM_L0A), *b2 = in<T>(MEM_L0B);
        C *c = in<C>(MEM_L0C), *c1 = in<C>(MEM_L1, 262144);
        asc_copy_gm2l1_nd2nz(a1, p.a.data(), 1, uint16_t(m), uint16_t(k), 0, uint16_t(k), m16, 1,
                             0);
        asc_copy_gm2l1_nd2nz_sync(b1, p.b.data(), 1, uint16_t(n), uint16_t(k), 0, uint16_t(k), n16,
                                  1, 0);
        for (uint16_t i = 0; i < m16 / 16; i++)
            asc_copy_l12l0a(a2 + i * k1 * 16 * c0, a1, i, uint8_t(k1), uint16_t(m16 / 16), 0);
        for (uint16_t i = 0; i < k1; i++)
            asc_copy_l12l0b(b2 + i * n16 * c0, b1, uint16_t(i * n16 / 16), uint8_t(n16 / 16), 1, 0);
        asc_copy_gm2l1_sync(static_cast<void *>(c1), p.bias.data(), n16 * 4u);
        asc_copy_l12bt_sync(0, c1, n16 * 4u);
        wait_for_all();
        if (sync) {
            asc_mmad_sync(c, a2, b2, uint16_t(m), uint16_t(k), uint16_t(n), 0, false, true, false);
            asc_mmad_sync(c, a2, b2, uint16_t(m), uint16_t(k), uint16_t(n), 0, 0, 0, false, false,
                          false, false);
            asc_set_l0c_copy_params(1, 0, 0);
            asc_copy_l0c2gm_sync(p.c.data(), c, uint16_t(n), uint16_t(m), n, m16, 0, NoQuant, 0,
                                 false, true);
        } else {
            asc_mmad(c, a2, b2, uint16_t(m), uint16_t(k), uint16_t(n), 0, 0, 0, false, false, true,
                     false);
            wait_for_all();
            asc_mmad(c, a2, b2, uint16_t(m), uint16_t(k), uint16_t(n), 0, false, false, false);
            wait_for_all();
            asc_set_l0c_copy_params(1, 0, 0);
            asc_copy_l0c2gm(p.c.data(), c, uint16_t(n), uint16_t(m), n, m16, 0, NoQuant, 0, false,
                            true);
        }
    });
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++)
            if (double(p.c[size_t(i) * n + j]) != 2 * p.sum(i, j) + double(p.bias[j]))
                fail_msg("%u x %u x %u: row %u column %u is %g, not %g", m, k, n, i, j,
                         double(p.c[size_t(i) * n + j]), 2 * p.sum(i, j) + double(p.bias[j]));
}
void products(void **)
{
    for (const char *name :
         {"asc_copy_gm2l1_nd2nz", "asc_copy_l12bt", "asc_mmad", "asc_copy_l0c2gm"})
        call_is_tested(name);
    call_is_tested("asc_set_l0c_copy_params");
    for (const bool sync : {false, true}) {
        product_of<half, float>(30, 70, 40, sync);
        product_of<bfloat16_t, float>(64, 48, 96, sync);
        product_of<float, float>(17, 33, 16, sync);
        product_of<int8_t, int32_t>(48, 100, 80, sync);
    }
}

/* 4-bit integers, two a byte. */
void nibbles(void **)
{
    enum { M = 16, K = 128, N = 32 };
    std::mt19937 gen{9};
    std::vector<uint8_t> a(M * K / 2), b(N * K / 2);
    std::vector<int32_t> out(M * N);
    for (uint8_t &v : a)
        v = uint8_t(gen());
    for (uint8_t &v : b)
        v = uint8_t(gen());
    auto number = [](const std::vector<uint8_t> &v, size_t i) {
        return int(int8_t(uint8_t(v[i / 2] >> i % 2 * 4 << 4))) / 16;
    };
    call_is_tested("asc_mmad_s4");
    for (int form = 0; form < 2; form++) {
        on_cube([&] { /* fractals of 16 rows of 64: a column of 32 bytes of each row */
                      asc_copy_gm2l1_nd2nz(in<uint8_t>(MEM_L1), a.data(), 1, M, K / 2, 0, K / 2, M,
                                           1, 0);
                      asc_copy_gm2l1_nd2nz_sync(in<uint8_t>(MEM_L1, 65536), b.data(), 1, N, K / 2,
                                                0, K / 2, N, 1, 0);
                      asc_copy_l12l0a(in<int4b_t>(MEM_L0A), in<int4b_t>(MEM_L1), 0, K / 64, 1, 0);
                      asc_copy_l12l0b_sync(in<int4b_t>(MEM_L0B), in<int4b_t>(MEM_L1, 65536), 0,
                                           K / 64 * N / 16, 1, 0);
                      if (form)
                          asc_mmad_s4_sync(in<int32_t>(MEM_L0C), in<int4b_t>(MEM_L0A),
                                           in<int4b_t>(MEM_L0B), M, K, N, 0, false, false, true);
                      else
                          asc_mmad_s4(in<int32_t>(MEM_L0C), in<int4b_t>(MEM_L0A),
                                      in<int4b_t>(MEM_L0B), M, K, N, 0, 0, 0, false, false, false,
                                      true);
                      wait_for_all();
                      asc_set_l0c_copy_params(1, 0, 0);
                      asc_copy_l0c2gm(out.data(), in<int32_t>(MEM_L0C), N, M, N, M, 0, NoQuant, 0,
                                      false, true);
        });
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                int want = 0;
                for (int k = 0; k < K; k++)
                    want += number(a, size_t(i * K + k)) * number(b, size_t(j * K + k));
                assert_int_equal(out[size_t(i * N + j)], want);
            }
    }
}

void sparse(void **)
{
    enum { M = 16, K = 128, N = 16 };
    problem<int8_t, int32_t> p(M, K, N, 4);
    std::mt19937 gen{2};
    std::vector<int8_t> packed(K / 2 * N);
    std::vector<int8_t> index(K / 8 * N);
    for (int8_t &v : packed)
        v = int8_t(gen());
    for (int8_t &v : index)
        v = int8_t(gen() & 0x44 ? 0x99 : 0x11); /* (1, 2): second and fourth; (1, 0): the second */
    call_is_tested("asc_copy_l12l0b_sparse");
    call_is_tested("asc_mmad_sparse");
    for (int form = 0; form < 2; form++) {
        on_cube([&] {
            load_operands(p);
            asc_copy_gm2l1(in<void>(MEM_L1, 131072), packed.data(), uint32_t(packed.size()));
            asc_copy_gm2l1_sync(in<void>(MEM_L1, 262144), index.data(), uint32_t(index.size()));
            int8_t *b2 = in<int8_t>(MEM_L0B), *b1 = in<int8_t>(MEM_L1, 131072);
            int8_t *a2 = in<int8_t>(MEM_L0A), *x1 = in<int8_t>(MEM_L1, 262144);
            if (form) {
                asc_copy_l12l0b_sparse_sync(b2, b1, x1, 0, K / 64);
                asc_mmad_sparse_sync(in<int32_t>(MEM_L0C), a2, b2, M, K, N, 0, false, true);
            } else {
                asc_copy_l12l0b_sparse(b2, b1, x1, 0, K / 64);
                wait_for_all();
                asc_mmad_sparse(in<int32_t>(MEM_L0C), a2, b2, M, K, N, 0, false, true);
            }
            wait_for_all();
            rows_out(p);
        });
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double want = 0;
                for (int h = 0; h < K / 2; h += 2) {
                    const size_t at = size_t((h / 32 * 16 + j) * 32 + h % 32);
                    const bool lone = (index[at / 4] >> at % 4 * 2 & 15) == 1;
                    want += double(p.a[size_t(i * K + h * 2 + 1)]) * packed[at] +
                            double(p.a[size_t(i * K + h * 2 + (lone ? 1 : 3))]) * packed[at + 1];
                }
                assert_true(double(p.c[size_t(i * N + j)]) == want);
            }
    }
}

/* HF32 drops bits that floats keep: 1 + 2^-12 is 1 when ties go to even or to zero. */
void hf32(void **)
{
    for (const char *name : {"asc_enable_hf32", "asc_enable_hf32_trans", "asc_set_fp32_mode",
                             "asc_set_mmad_direction_m", "asc_set_mmad_direction_n"})
        call_is_tested(name);
    /* kept: 11 bits of fraction; the lowest of them is odd in the second row */
    const float rows[2] = {1 + 1.0f / 4096, 1 + 3.0f / 4096};
    const struct {
        int mode; /* -1: floats as they are */
        double want[2];
    } modes[] = {
        {-1, {1 + 1.0 / 4096, 1 + 3.0 / 4096}}, {0, {1, 1 + 4.0 / 4096}}, {1, {1, 1 + 2.0 / 4096}}};
    for (const auto &k : modes)
        for (int r = 0; r < 2; r++)
            on_cube([&] {
                float *a = in<float>(MEM_L0A), *b = in<float>(MEM_L0B), *c = in<float>(MEM_L0C);
                std::memset(a, 0, 1024);
                std::memset(b, 0, 1024);
                a[0] = rows[r];
                b[0] = 1;
                asc_set_fp32_mode();
                if (k.mode >= 0) {
                    asc_enable_hf32();
                    asc_enable_hf32_trans(uint32_t(k.mode));
                }
                asc_set_mmad_direction_m();
                asc_set_mmad_direction_n();
                asc_mmad_sync(c, a, b, 16, 8, 16, 0, false, false, true);
                is("the product", double(c[0]), k.want[r]);
                asc_set_fp32_mode();
            });
    fails_on_cube([] { asc_enable_hf32_trans(2); }, NPU_E_ARG, "mode 2; 0 (ties to even)");
}

/* ---- one value, other ways out of L1 --------------------------------------------------- */

template <class T, class V> void filled_with(V value, uint32_t bits)
{
    asc_fill_value_config k;
    k.repeat = 2;
    k.blk_num = 2;
    k.dst_gap = 1;
    on_cube([&] {
        const auto check = [&](const char *name, npu_mem m, uint32_t at, uint32_t block) {
            for (uint32_t i = 0; i < 5 * block; i++) {
                const bool on = i / block != 2;
                const uint8_t want = on ? uint8_t(bits >> i % sizeof(T) * 8) : 0xee;
                is(name, memory(m)[at + i], want);
            }
        };
        for (const npu_mem m : {MEM_L1, MEM_L0A, MEM_L0B})
            std::memset(memory(m), 0xee, 16384);
        asc_fill_l1(in<T>(MEM_L1), value, k);
        asc_fill_l1_sync(in<T>(MEM_L1, 8192), value, k);
        asc_fill_l0a(in<T>(MEM_L0A), value, k);
        asc_fill_l0a_sync(in<T>(MEM_L0A, 8192), value, k);
        asc_fill_l0b(in<T>(MEM_L0B), value, k);
        asc_fill_l0b_sync(in<T>(MEM_L0B, 8192), value, k);
        for (const uint32_t at : {0u, 8192u}) {
            check("asc_fill_l1", MEM_L1, at, 32);
            check("asc_fill_l0a", MEM_L0A, at, 512);
            check("asc_fill_l0b", MEM_L0B, at, 512);
        }
    });
}
void filled(void **)
{
    call_is_tested("asc_fill_l1");
    call_is_tested("asc_fill_l0a");
    call_is_tested("asc_fill_l0b");
    const half h = half(1.5f); /* 0x3e00 */
    filled_with<int16_t>(h, 0x3e00);
    filled_with<uint16_t>(uint32_t(0x12345), 0x2345);
    filled_with<half>(h, 0x3e00);
    filled_with<half>(uint32_t(7), 7);
    filled_with<bfloat16_t>(bfloat16_t(1.5f), 0x3fc0);
    filled_with<bfloat16_t>(h, 0x3e00);
    filled_with<int32_t>(h, 0x3e00);
    filled_with<uint32_t>(uint32_t(0xdeadbeef), 0xdeadbeef);
    filled_with<float>(uint32_t(0x3f800000), 0x3f800000);
}

void out_of_l1(void **)
{
    const std::vector<uint8_t> gm = noise(2048, 11);
    std::vector<half> halves(64);
    std::vector<float> floats(64);
    for (size_t i = 0; i < 64; i++) {
        halves[i] = half(float(i) / 8);
        floats[i] = float(i) + 1.0f / 4096; /* 12 bits below: lost in half and bfloat16 */
    }
    for (const char *name : {"asc_copy_l12fb", "asc_copy_l12l0c"})
        call_is_tested(name);
    on_cube([&] {
        asc_copy_gm2l1_sync(in<void>(MEM_L1), gm.data(), 1024u);
        asc_copy_l12bt(4, in<void>(MEM_L1), 64u); /* byte 64 */
        asc_copy_l12bt((uint64_t(uintptr_t(memory(MEM_BT))) + 256) / 16, in<void>(MEM_L1, 512), 0,
                       1, 4, 0, 0);
        asc_copy_l12fb(in<void>(MEM_FB), in<void>(MEM_L1), 128u);
        asc_copy_l12fb_sync(in<void>(MEM_FB, 256), in<void>(MEM_L1, 128), 256u);
        asc_copy_l12fb(in<void>(MEM_FB, 1024), in<void>(MEM_L1), 2, 4, 1, 4);
        wait_for_all();
        same("asc_copy_l12bt", memory(MEM_BT) + 64, gm.data(), 64);
        same("bursts of asc_copy_l12bt", memory(MEM_BT) + 256, gm.data() + 512, 128);
        same("asc_copy_l12fb", memory(MEM_FB), gm.data(), 128);
        same("asc_copy_l12fb_sync", memory(MEM_FB) + 256, gm.data() + 128, 256);
        same("bursts of asc_copy_l12fb", memory(MEM_FB) + 1024, gm.data(), 128);
        same("bursts of asc_copy_l12fb", memory(MEM_FB) + 1024 + 256, gm.data() + 160, 128);
        /* halves become floats in the bias table */
        asc_copy_gm2l1_sync(in<void>(MEM_L1), halves.data(), 128u);
        asc_copy_l12bt(0, in<void>(MEM_L1), 1, 1, 4, 0, 0);
        wait_for_all();
        for (uint32_t i = 0; i < 64; i++)
            is("a bias", double(in<float>(MEM_BT)[i]), double(i) / 8);
        /* L0C: as they are, and floats as halves and bfloat16 */
        asc_copy_gm2l1_sync(in<void>(MEM_L1), floats.data(), 256u);
        asc_copy_l12l0c(in<float>(MEM_L0C), in<float>(MEM_L1), 2, 2, 1, 0);
        asc_copy_l12l0c_sync(in<half>(MEM_L0C, 4096), in<float>(MEM_L1), 1, 8, 0, 0);
        asc_copy_l12l0c_sync(in<bfloat16_t>(MEM_L0C, 8192), in<float>(MEM_L1), 1, 8, 0, 0);
        asc_copy_l12l0c(in<int32_t>(MEM_L0C, 12288), in<int32_t>(MEM_L1), 1, 8, 0, 0);
        asc_copy_l12l0c(in<uint32_t>(MEM_L0C, 16384), in<uint32_t>(MEM_L1), 1, 8, 0, 0);
        asc_copy_l12l0c(in<half>(MEM_L0C, 20480), in<half>(MEM_L1), 1, 8, 0, 0);
        asc_copy_l12l0c(in<bfloat16_t>(MEM_L0C, 24576), in<bfloat16_t>(MEM_L1), 1, 8, 0, 0);
        wait_for_all();
        same("asc_copy_l12l0c", memory(MEM_L0C), floats.data(), 64);
        same("asc_copy_l12l0c", memory(MEM_L0C) + 64, floats.data() + 24, 64);
        for (const uint32_t at : {12288u, 16384u, 20480u, 24576u})
            same("asc_copy_l12l0c", memory(MEM_L0C) + at, floats.data(), 256);
        for (uint32_t i = 0; i < 64; i++) {
            is("a half", double(float(in<half>(MEM_L0C, 4096)[i])),
               i ? double(i) : 1.0 / 4096); /* half keeps 2^-12 alone */
            is("a bfloat16", double(float(in<bfloat16_t>(MEM_L0C, 8192)[i])),
               i ? double(i) : 1.0 / 4096);
        }
    });
}

/* ---- image to columns ------------------------------------------------------------------ */

template <class T> void image_of_case(const image_case &k, bool sync)
{
    constexpr uint32_t c0 = 32 / sizeof(T);
    std::mt19937 gen{k.h * 31 + k.c};
    std::vector<T> hwc(size_t(k.h) * k.w * k.c), l1;
    for (T &v : hwc)
        v = T(float(int(gen() % 100)) - 50);
    for (uint32_t c1 = 0; c1 < k.c; c1 += c0) /* planes of c0 channels, the last of what is left */
        for (uint32_t i = 0; i < k.h * k.w; i++)
            for (uint32_t c = c1; c < k.c && c < c1 + c0; c++)
                l1.push_back(hwc[i * k.c + c]);
    const uint32_t ow = (k.w + k.left + k.right - ((k.fw - 1) * k.dw + 1)) / k.sw + 1;
    const uint32_t oh = (k.h + k.top + k.bottom - ((k.fh - 1) * k.dh + 1)) / k.sh + 1;
    const uint32_t rows = ow * oh, columns = k.fw * k.fh * k.c;
    const uint32_t r1 = up(rows, 16) / 16, k1 = up(columns, c0) / c0;
    l1.resize(up(uint32_t(l1.size()), c0));
    asc_l13d_fmatrix_config f;
    f.l1_height = uint16_t(k.h);
    f.l1_width = uint16_t(k.w);
    f.padding_left_size = uint8_t(k.left);
    f.padding_right_size = uint8_t(k.right);
    f.padding_top_size = uint8_t(k.top);
    f.padding_bottom_size = uint8_t(k.bottom);
    asc_load3d_v2_config once;
    const T pad = T(3.0f);
    on_cube([&] {
        asc_copy_gm2l1_sync(in<void>(MEM_L1), l1.data(), uint32_t(l1.size() * sizeof(T)));
        if (k.right_side)
            asc_set_l13d_fmatrix_b(f);
        else
            asc_set_l13d_fmatrix(f);
        asc_set_l13d_rpt(once);
        asc_set_l13d_size(0);
        uint64_t bits = 0;
        std::memcpy(&bits, &pad, sizeof pad);
        asc_set_l13d_padding(bits);
#define NUMBERS                                                                                    \
    uint16_t(columns), uint16_t(rows), 0, 0, uint8_t(k.sw), uint8_t(k.sh), uint8_t(k.fw),          \
        uint8_t(k.fh), uint8_t(k.dw), uint8_t(k.dh), false, false, false, k.right_side,            \
        uint16_t(k.c)
        if (sync)
            asc_copy_l12l0a_sync(in<T>(MEM_L0A), in<T>(MEM_L1), NUMBERS);
        else
            asc_copy_l12l0a(in<T>(MEM_L0A), in<T>(MEM_L1), NUMBERS);
        if constexpr (sizeof(T) != 1) {
            if (sync)
                asc_copy_l12l0b_sync(in<T>(MEM_L0B), in<T>(MEM_L1), NUMBERS);
            else
                asc_copy_l12l0b(in<T>(MEM_L0B), in<T>(MEM_L1), NUMBERS);
        }
#undef NUMBERS
        wait_for_all();
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < columns; c++) {
                const double want = double(float(unfolded(k, hwc, r, c, pad)));
                const uint32_t a = ((r / 16 * k1 + c / c0) * 16 + r % 16) * c0 + c % c0;
                is("an element in L0A", double(float(in<T>(MEM_L0A)[a])), want);
                if constexpr (sizeof(T) !=
                              1) { /* K are its rows: fractals of c0 rows x 16 columns */
                    const uint32_t n1 = up(up(columns, c0), 16) / 16;
                    const uint32_t b = ((r / c0 * n1 + c / 16) * 16 + c % 16) * c0 + r % c0;
                    is("an element in L0B", double(float(in<T>(MEM_L0B)[b])), want);
                }
            }
        (void)r1;
    });
}
void images(void **)
{
    for (const char *name : {"asc_set_l13d_fmatrix", "asc_set_l13d_fmatrix_b",
                             "asc_set_l13d_padding", "asc_set_l13d_rpt", "asc_set_l13d_size"})
        call_is_tested(name);
    const image_case cases[] = {
        {6, 5, 32, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, false},
        {5, 7, 4, 2, 3, 1, 1, 1, 1, 0, 0, 0, 0, true},
        {4, 4, 8, 3, 3, 1, 1, 1, 1, 1, 0, 0, 2, false},
        {5, 6, 36, 2, 2, 1, 2, 2, 1, 1, 1, 0, 1, true},
        {6, 6, 40, 1, 2, 3, 1, 1, 2, 0, 2, 2, 0, false},
    };
    for (const image_case &k : cases)
        for (const bool sync : {false, true}) {
            image_of_case<half>(k, sync);
            image_of_case<float>(k, sync);
            image_of_case<bfloat16_t>(k, sync);
            image_of_case<int8_t>(k, sync);
        }
    /* the other forms of the padding value, the source that wraps, repeats along rows */
    std::vector<half> gm(1024);
    for (size_t i = 0; i < gm.size(); i++)
        gm[i] = half(float(i));
    on_cube([&] {
        asc_copy_gm2l1_sync(in<void>(MEM_L1), gm.data(), 2048u);
        asc_l13d_fmatrix_config f;
        f.l1_height = 4;
        f.l1_width = 16;
        f.padding_left_size = 1;
        asc_set_l13d_fmatrix(f);
        asc_load3d_v2_config twice;
        twice.rpt_time = 2;
        twice.rpt_stride = 2;
        asc_set_l13d_rpt(twice);
        const auto load = [&] {
            asc_copy_l12l0a_sync(in<half>(MEM_L0A), in<half>(MEM_L1, 1024), 16, 16, 0, 0, 1, 1, 1,
                                 1, 1, 1, false, false, false, false, 16);
        };
        asc_set_l13d_padding(half(-2.0f));
        load();
        is("the padding", double(float(in<half>(MEM_L0A)[0])), -2);
        is("a repeat", double(float(in<half>(MEM_L0A)[256])), 1024 / 2 + 31 * 16 - 16 + 1 - 1);
        asc_set_l13d_padding(int16_t(0x4000));
        load();
        is("the padding", double(float(in<half>(MEM_L0A)[0])), 2);
        asc_set_l13d_padding(uint16_t(0x4200));
        load();
        is("the padding", double(float(in<half>(MEM_L0A)[0])), 3);
        asc_set_l13d_size(1024 + 64);
        load();
        is("before the boundary", double(float(in<half>(MEM_L0A)[2 * 16])), 512 + 16);
        is("behind it", double(float(in<half>(MEM_L0A)[3 * 16])), 0);
    });
    fails_on_cube([] { asc_set_l13d_size(100); }, NPU_E_ARG,
                  "SetLoadDataBoundary: 100 bytes; 0, or 1024 to the 524288");
    fails_on_cube(
        [] {
            asc_copy_l12l0a(in<half>(MEM_L0A), in<half>(MEM_L1), 16, 16, 0, 0, 1, 1, 1, 1, 1, 1,
                            false, false, false, false, 7);
        },
        NPU_E_ARG, "channelSize 7");
}

/* ---- out of L0C ------------------------------------------------------------------------ */

constexpr uint32_t M = 32, N = 48;
double sum_at(uint32_t i, uint32_t j) { return double(int(i * N + j)) - 700; }
template <class From> void put_sums()
{
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t j = 0; j < N; j++)
            in<From>(MEM_L0C)[j / 16 * M * 16 + i * 16 + j % 16] = From(sum_at(i, j));
}
uint64_t parameter(float scale, int offset)
{
    uint32_t u;
    std::memcpy(&u, &scale, 4);
    return (u & 0xffffe000u) | (uint64_t(offset) & 511) << 37 | 1ull << 46;
}
struct out_case {
    QuantMode_t quant;
    uint8_t relu;
    bool is_vector;
};
template <class To> double wanted(double sum, const out_case &k, uint32_t j)
{
    const bool scales = k.quant >= DEQF16;
    double v = sum < 0 && k.relu ? (k.relu == 2 ? sum * 0.25 : 0) : sum;
    if (scales)
        v *= k.is_vector ? 0.125 * (1 + j % 4) : 0.125;
    if (sizeof(To) == 1) {
        v = std::fmin(std::fmax(std::nearbyint(v), -256), 255) + 3;
        const double least = std::is_signed_v<To> ? -128 : 0;
        return std::fmin(std::fmax(v, least), least + 255);
    }
    return std::is_same_v<To, int32_t> ? std::nearbyint(v) : double(float(To(float(v))));
}
template <class From, class To> void out_of(const out_case &k)
{
    std::vector<To> rows(M * N), nz(M * N + 1024), rows2(M * N);
    std::vector<uint64_t> q(64);
    for (uint32_t j = 0; j < q.size(); j++)
        q[j] = parameter(0.125f * float(1 + j % 4), 3);
    const uint32_t width = sizeof(To) == 1 ? 32 : 16;
    on_cube([&] {
        put_sums<From>();
        asc_copy_gm2l1_sync(in<void>(MEM_L1), q.data(), 512u);
        asc_copy_l12fb_sync(in<void>(MEM_FB, 256), in<void>(MEM_L1), 512u);
        asc_set_l0c2gm_config(0, 2, false); /* byte 256 in units of 128 */
        asc_set_l0c_copy_prequant(parameter(0.125f, 3));
        asc_set_l0c2gm_lrelu_alpha(half(0.25f));
        asc_set_l0c_copy_params(1, 0, 0);
        asc_copy_l0c2gm(rows.data(), in<From>(MEM_L0C), N, M, N, M, 0, k.quant, k.relu, false,
                        true);
        wait_for_all();
        const float alpha = 0.25f;
        asc_set_l0c2gm_lrelu_alpha(alpha);
        asc_set_l0c2gm_config(0, uint64_t(uintptr_t(memory(MEM_FB))) + 256, false);
        asc_copy_l0c2gm_sync(nz.data(), in<From>(MEM_L0C), N, M, M * width, M, 0, k.quant, k.relu,
                             false, false);
        if constexpr (!std::is_same_v<To, float> && !std::is_same_v<To, int32_t> &&
                      !(std::is_same_v<From, float> && std::is_same_v<To, uint8_t>)) {
            asc_copy_l0c2l1(in<To>(MEM_L1, 65536), in<From>(MEM_L0C), N, M, M * width, M, 0,
                            k.quant, k.relu, false, false);
            asc_copy_l0c2l1_sync(in<To>(MEM_L1, 131072), in<From>(MEM_L0C), N, M, M * width, M, 0,
                                 k.quant, k.relu, false, false);
            same("asc_copy_l0c2l1", in<To>(MEM_L1, 65536), nz.data(), M * 32);
            same("asc_copy_l0c2l1_sync", in<To>(MEM_L1, 131072), nz.data(), M * 32);
        }
    });
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t j = 0; j < N; j++) {
            const double want = wanted<To>(sum_at(i, j), k, j);
            const uint32_t in_column = N - j / width * width < width ? 16 : width;
            const uint32_t at_ = j / width * M * width + i * in_column + j % width;
            if (double(float(rows[i * N + j])) != want || double(float(nz[at_])) != want)
                fail_msg("quant %d relu %d: row %u column %u is %g and %g, not %g", k.quant, k.relu,
                         i, j, double(float(rows[i * N + j])), double(float(nz[at_])), want);
        }
}
void quantised(void **)
{
    for (const char *name :
         {"asc_copy_l0c2l1", "asc_set_l0c2gm_config", "asc_set_l0c_copy_prequant",
          "asc_set_l0c2gm_lrelu_alpha", "asc_get_l0c2gm_prequant", "asc_get_l0c2gm_relu",
          "asc_get_l0c2gm_unitflag"})
        call_is_tested(name);
    for (uint8_t relu = 0; relu < 3; relu++) {
        out_of<float, float>({NoQuant, relu, false});
        out_of<float, half>({F322F16, relu, false});
        out_of<float, bfloat16_t>({F322BF16, relu, false});
        out_of<float, int8_t>({QF322B8_PRE, relu, false});
        out_of<float, uint8_t>({VQF322B8_PRE, relu, true});
        out_of<int32_t, int32_t>({NoQuant, relu, false});
        out_of<int32_t, half>({DEQF16, relu, false});
        out_of<int32_t, half>({VDEQF16, relu, true});
        out_of<int32_t, int8_t>({REQ8, relu, false});
        out_of<int32_t, uint8_t>({VREQ8, relu, true});
    }
    on_cube([] {
        asc_set_l0c2gm_config(7, 3, true);
        is("asc_get_l0c2gm_prequant", double(asc_get_l0c2gm_prequant()), 3);
        is("asc_get_l0c2gm_relu", double(asc_get_l0c2gm_relu()), 7);
        is("asc_get_l0c2gm_unitflag", double(asc_get_l0c2gm_unitflag()), 1);
    });
    /* two matrices at once; columns of 8 floats */
    std::vector<float> two(2 * 16 * 16), split(M * N);
    on_cube([&] {
        put_sums<float>();
        asc_set_l0c_copy_params(2, 2, 256); /* every second block of 16 x 16 */
        asc_copy_l0c2gm_sync(two.data(), in<float>(MEM_L0C), 16, 16, 16, M, 0, NoQuant, 0, false,
                             true);
        asc_copy_l0c2gm_sync(split.data(), in<float>(MEM_L0C), N, M, M * 8, M, 0, NoQuant, 0, true,
                             false);
    });
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < 16; j++)
            for (uint32_t d = 0; d < 2; d++)
                assert_true(double(two[d * 256 + i * 16 + j]) == sum_at(i, j + d * 16));
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t j = 0; j < N; j++)
            assert_true(double(split[j / 8 * M * 8 + i * 8 + j % 8]) == sum_at(i, j));
}

/* ---- what is wrong --------------------------------------------------------------------- */

void refuses(void **)
{
    std::vector<uint8_t> gm(65536);
    fails_on_cube([&] { asc_copy_gm2l1(gm.data(), gm.data(), 64u); }, NPU_E_RANGE,
                  "asc_copy_gm2l1: dst is at");
    fails_on_cube([&] { asc_copy_gm2l1(in<void>(MEM_L1, 524256), gm.data(), 64u); }, NPU_E_RANGE,
                  "L1 has 524288 bytes");
    fails_on_cube([&] { asc_copy_l12l0a(in<half>(MEM_L0A, 256), in<half>(MEM_L1), 0, 1, 1, 0); },
                  NPU_E_ALIGN, "L0A byte 256, which is not a multiple of 512");
    fails_on_cube([&] { asc_copy_l12l0b(in<half>(MEM_L0B), in<half>(MEM_L1), 0, 129, 1, 0); },
                  NPU_E_RANGE, "L0B has 65536 bytes");
    fails_on_cube([&] { asc_copy_l12bt(1000, in<void>(MEM_L1), 64u); }, NPU_E_RANGE,
                  "asc_copy_l12bt: dst is at");
    fails_on_cube([&] { asc_copy_l12bt(2, in<void>(MEM_L1), 64u); }, NPU_E_ALIGN,
                  "BT byte 32, which is not a multiple of 64");
    fails_on_cube([&] { asc_copy_l12fb(in<void>(MEM_FB, 2048 - 32), in<void>(MEM_L1), 64u); },
                  NPU_E_ALIGN, "multiple of 128");
    fails_on_cube(
        [&] {
            asc_mmad(in<float>(MEM_L0C), in<half>(MEM_L0A), in<half>(MEM_L0B), 4096, 16, 16, 0,
                     false, false, true);
        },
        NPU_E_ARG, "asc_mmad: m 4096, n 16, k 16; each is at most 4095");
    fails_on_cube(
        [&] {
            asc_mmad(in<float>(MEM_L0C, 64), in<half>(MEM_L0A), in<half>(MEM_L0B), 16, 16, 16, 0,
                     false, false, true);
        },
        NPU_E_ALIGN, "multiple of 1024");
    fails_on_cube(
        [&] {
            asc_mmad(in<float>(MEM_L0C), in<half>(MEM_L0A), in<half>(MEM_L0B), 16, 16, 16, 0, 0, 0,
                     false, true, false, true);
        },
        NPU_E_UNSUP, "is_weight_offset");
    fails_on_cube(
        [&] {
            asc_copy_l0c2gm(reinterpret_cast<half *>(gm.data()), in<float>(MEM_L0C), 16, 16, 16, 16,
                            0, NoQuant, 0, false, true);
        },
        NPU_E_TYPE, "quantPre NoQuant does not make f16 of f32");
    fails_on_cube(
        [&] {
            asc_copy_l0c2gm(reinterpret_cast<int16_t *>(gm.data()), in<int32_t>(MEM_L0C), 16, 16,
                            16, 16, 0, DEQF16, 0, false, true);
        },
        NPU_E_TYPE, "does not make s16 of s32");
    fails_on_cube(
        [&] {
            asc_copy_l0c2gm(reinterpret_cast<float *>(gm.data()), in<float>(MEM_L0C), 16, 16, 16,
                            16, 0, NoQuant, 3, false, true);
        },
        NPU_E_ARG, "relu_pre 3; 0 (none), 1 (ReLU) or 2 (leaky)");
    fails_on_cube(
        [&] {
            asc_copy_l0c2gm(reinterpret_cast<half *>(gm.data()), in<float>(MEM_L0C), 16, 16, 17, 16,
                            0, F322F16, 0, false, false);
        },
        NPU_E_ALIGN, "17 elements of 2 bytes apart");
    fails_on_cube(
        [&] {
            asc_copy_l0c2l1(in<void>(MEM_L1), in<float>(MEM_L0C), 16, 16, 16, 16, 0, 0, 0, false,
                            false);
        },
        NPU_E_UNSUP, "4-bit results");
    const outcome o = run_on(CORE_AIV, 0, [&] { asc_copy_gm2l1(gm.data(), gm.data(), 64u); });
    assert_true(o.status == NPU_E_RANGE && strstr(o.story.c_str(), "this core has none"));
}

/* ---- the raw intrinsics: what the calls above do, by another name ------------------------- */

template <class T, class C, class Nd2Nz> void raw_product(Nd2Nz nd2nz)
{
    constexpr uint32_t K = 64, c0 = 32 / sizeof(T);
    problem<T, C> p(M, K, N, 77);
    std::vector<C> nz(M * N);
    on_cube([&] {
        T *a1 = in<T>(MEM_L1), *b1 = in<T>(MEM_L1, 131072);
        nd2nz(a1, p.a.data(), M, K);
        nd2nz(b1, p.b.data(), N, K);
        copy_gm_to_cbuf(in<void>(MEM_L1, 262144), p.bias.data(), 0, 1, N * 4 / 32, 0, 0, PAD_NONE);
        wait_for_all();
        for (uint16_t i = 0; i < M / 16; i++)
            load_cbuf_to_ca(in<T>(MEM_L0A) + i * 16 * K, a1, i, K / c0, M / 16, 0, 0, false,
                            addr_cal_mode_t::inc);
        load_cbuf_to_cb(in<T>(MEM_L0B), b1, 0, uint8_t(K / c0 * N / 16), 1, 0, 0, false,
                        addr_cal_mode_t::inc);
        copy_cbuf_to_bt(0, in<void>(MEM_L1, 262144), 0, 1, N * 4 / 32, 0, 0);
        wait_for_all();
        mad(in<C>(MEM_L0C), in<T>(MEM_L0A), in<T>(MEM_L0B), M, K, N, 0, false, true, false);
        wait_for_all();
        set_nd_para(1);
        copy_matrix_cc_to_gm(p.c.data(), in<C>(MEM_L0C), 0, N, M, N, M, 0, NoQuant, 0, false, true);
        copy_matrix_cc_to_gm(nz.data(), in<C>(MEM_L0C), 0, N, M, M * 16, M, 0, NoQuant, 0, false,
                             false);
    });
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t j = 0; j < N; j++) {
            const double want = p.sum(i, j) + double(p.bias[j]);
            assert_true(double(p.c[i * N + j]) == want);
            assert_true(double(nz[j / 16 * M * 16 + i * 16 + j % 16]) == want);
        }
}
void raw_products(void **)
{
    for (const char *name :
         {"copy_gm_to_cbuf_multi_nd2nz_b8", "copy_gm_to_cbuf_multi_nd2nz_b16",
          "copy_gm_to_cbuf_multi_nd2nz_b32s", "copy_gm_to_cbuf", "load_cbuf_to_ca",
          "load_cbuf_to_cb", "copy_cbuf_to_bt", "mad", "copy_matrix_cc_to_gm", "set_nd_para"})
        call_is_tested(name);
#define RAW(bits)                                                                                  \
    [](auto *to, auto *from, uint16_t rows, uint16_t k) {                                          \
        copy_gm_to_cbuf_multi_nd2nz_##bits(to, from, 0, 1, rows, k, 0, k, rows, 1, 0);             \
    }
    raw_product<int8_t, int32_t>(RAW(b8));
    raw_product<half, float>(RAW(b16));
    raw_product<bfloat16_t, float>(RAW(b16));
    raw_product<float, float>(RAW(b32s));
#undef RAW
}
void raw_moves(void **)
{
    const std::vector<uint8_t> gm = noise(8192, 41);
    std::vector<uint8_t> back(128, 0);
    for (const char *name :
         {"load_gm_to_cbuf", "load_gm_to_ca", "load_gm_to_cb", "load_cbuf_to_ca_transpose",
          "load_cbuf_to_cb_transpose", "create_cbuf_matrix", "create_ca_matrix", "create_cb_matrix",
          "create_cbuf_matrix_bf16", "create_ca_matrix_bf16", "create_cb_matrix_bf16",
          "copy_cbuf_to_fbuf", "copy_cbuf_to_gm", "copy_matrix_cc_to_cbuf", "set_quant_pre"})
        call_is_tested(name);
    on_cube([&] {
        half *src = reinterpret_cast<half *>(const_cast<uint8_t *>(gm.data()));
        load_gm_to_cbuf(in<half>(MEM_L1), src, 1, 2, 2, 1, 0, addr_cal_mode_t::inc);
        load_gm_to_ca(in<half>(MEM_L0A), src, 3, 2, 2, 0, 0, addr_cal_mode_t::dec);
        load_gm_to_cb(in<half>(MEM_L0B), src, 1, 2, 2, 0, 0, addr_cal_mode_t::inc);
        wait_for_all();
        for (uint32_t i = 0; i < 2; i++) {
            same("load_gm_to_cbuf", memory(MEM_L1) + i * 1024, gm.data() + (1 + i * 2) * 512, 512);
            same("load_gm_to_ca", memory(MEM_L0A) + i * 512, gm.data() + (3 - i * 2) * 512, 512);
            same("load_gm_to_cb", memory(MEM_L0B) + i * 512, gm.data() + (1 + i * 2) * 512, 512);
        }
        load_cbuf_to_ca_transpose(in<half>(MEM_L0A), in<half>(MEM_L1), 0, 1, 1, 0,
                                  addr_cal_mode_t::inc, 0);
        load_cbuf_to_cb_transpose(in<half>(MEM_L0B), in<half>(MEM_L1), 0, 1, 1, 0,
                                  addr_cal_mode_t::inc, 0);
        load_cbuf_to_ca(in<half>(MEM_L0A, 512), in<half>(MEM_L1), 0, 1, 1, 0, 0, true,
                        addr_cal_mode_t::inc);
        wait_for_all();
        for (uint32_t i = 0; i < 256; i++) {
            const uint8_t *want = gm.data() + 512 + (i % 16 * 16 + i / 16) * 2;
            same("load_cbuf_to_ca_transpose", memory(MEM_L0A) + i * 2, want, 2);
            same("load_cbuf_to_cb_transpose", memory(MEM_L0B) + i * 2, want, 2);
            same("load_cbuf_to_ca, turned", memory(MEM_L0A) + 512 + i * 2, want, 2);
        }
        const int64_t config = 2 | 1ll << 16 | 1ll << 32; /* two times one, one apart */
        create_cbuf_matrix(in<half>(MEM_L1), config, half(2.0f));
        create_ca_matrix(in<half>(MEM_L0A), config, half(3.0f));
        create_cb_matrix(in<float>(MEM_L0B), config, uint32_t(0x40800000));
        create_cbuf_matrix_bf16(in<bfloat16_t>(MEM_L1, 4096), config, bfloat16_t(5.0f));
        create_ca_matrix_bf16(in<bfloat16_t>(MEM_L0A, 4096), config, bfloat16_t(6.0f));
        create_cb_matrix_bf16(in<bfloat16_t>(MEM_L0B, 4096), config, bfloat16_t(7.0f));
        wait_for_all();
        is("create_cbuf_matrix", double(float(in<half>(MEM_L1)[32])), 2);
        same("between", memory(MEM_L1) + 32, gm.data() + 512 + 32, 32);
        is("create_ca_matrix", double(float(in<half>(MEM_L0A)[512])), 3);
        is("create_cb_matrix", double(in<float>(MEM_L0B)[256]), 4);
        is("create_cbuf_matrix_bf16", double(float(in<bfloat16_t>(MEM_L1, 4096)[32])), 5);
        is("create_ca_matrix_bf16", double(float(in<bfloat16_t>(MEM_L0A, 4096)[512])), 6);
        is("create_cb_matrix_bf16", double(float(in<bfloat16_t>(MEM_L0B, 4096)[512])), 7);
        copy_gm_to_cbuf(in<void>(MEM_L1), gm.data(), 0, 1, 4, 0, 0, PAD_NONE);
        copy_gm_to_cbuf(in<void>(MEM_L1, 8192), gm.data(), 0, 1, 1, 0, 0, PAD_MODE4);
        wait_for_all();
        for (uint32_t i = 0; i < 128; i++)
            is("PAD_MODE4", memory(MEM_L1)[8192 + i], i % 16 < 4 ? gm[i / 16 * 4 + i % 16] : 0);
        copy_cbuf_to_fbuf(in<void>(MEM_FB), in<void>(MEM_L1), 1, 4, 0, 0);
        copy_cbuf_to_gm(back.data(), in<void>(MEM_L1), 0, 1, 4, 0, 0);
        wait_for_all();
        same("copy_cbuf_to_fbuf", memory(MEM_FB), gm.data(), 128);
        same("copy_cbuf_to_gm", back.data(), gm.data(), 128);
        for (uint32_t i = 0; i < 256; i++)
            in<int32_t>(MEM_L0C)[i] = int32_t(i) - 100;
        set_quant_pre(parameter(0.5f, 0));
        copy_matrix_cc_to_cbuf(in<half>(MEM_L1), in<int32_t>(MEM_L0C), 0, 16, 16, 256, 16, 0,
                               DEQF16, 1, false, false);
        wait_for_all();
        for (uint32_t i = 0; i < 256; i++)
            is("copy_matrix_cc_to_cbuf", double(float(in<half>(MEM_L1)[i])),
               i < 100 ? 0 : (i - 100.0) / 2);
    });
}
/* Width 4 with a column of padding on its left: registers packed as the chip has them. */
void raw_images(void **)
{
    for (const char *name : {"img2colv2_cbuf_to_ca", "img2colv2_cbuf_to_cb", "set_fmatrix",
                             "set_fmatrix_b", "set_padding", "set_l3d_rpt", "set_l1_3d_size"})
        call_is_tested(name);
    on_cube([] {
        for (uint32_t i = 0; i < 1024; i++)
            in<half>(MEM_L1)[i] = half(float(i));
        for (int side = 0; side < 2; side++) {
            const uint64_t image = 4 | 4ull << 16 | 1ull << 32; /* 4 x 4, one column of padding */
            if (side)
                set_fmatrix_b(image);
            else
                set_fmatrix(image);
            set_padding(0x4500); /* 5 */
            set_l3d_rpt(1 << 16);
            set_l1_3d_size(0);
            img2colv2_cbuf_to_ca(in<half>(MEM_L0A), in<half>(MEM_L1), 16, 16, 0, 0, 1, 1, 1, 1, 1,
                                 1, false, false, false, side != 0, 16);
            img2colv2_cbuf_to_cb(in<half>(MEM_L0B), in<half>(MEM_L1), 16, 16, 0, 0, 1, 1, 1, 1, 1,
                                 1, false, false, false, side != 0, 16);
            wait_for_all();
            for (uint32_t r = 0; r < 16; r++)
                for (uint32_t c = 0; c < 16; c++) {
                    const double want = r % 5 ? (r / 5 * 4 + r % 5 - 1) * 16.0 + c : 5;
                    is("img2colv2_cbuf_to_ca", double(float(in<half>(MEM_L0A)[r * 16 + c])), want);
                    is("img2colv2_cbuf_to_cb", double(float(in<half>(MEM_L0B)[c * 16 + r])), want);
                }
            set_fmatrix(0);
        }
    });
}

void every_name_was_called(void **)
{
    assert_all_called({"cube"});
    assert_all_called({"cube"}, "cce");
}

} // namespace

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_into_l1),
        cmocka_unit_test(padded_into_l1),
        cmocka_unit_test(fractals),
        cmocka_unit_test(turned),
        cmocka_unit_test(products),
        cmocka_unit_test(nibbles),
        cmocka_unit_test(sparse),
        cmocka_unit_test(hf32),
        cmocka_unit_test(filled),
        cmocka_unit_test(out_of_l1),
        cmocka_unit_test(images),
        cmocka_unit_test(quantised),
        cmocka_unit_test(refuses),
        cmocka_unit_test(raw_products),
        cmocka_unit_test(raw_moves),
        cmocka_unit_test(raw_images),
        cmocka_unit_test(every_name_was_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

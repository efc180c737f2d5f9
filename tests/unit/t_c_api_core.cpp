/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_c_api_core.cpp - the C API around the vector unit: copies between GM and UB, flags and
 * barriers, atomic copies, caches, bits of scalar words, and what a core knows of itself.
 */
#include "c_api.hpp"

template <class T> static std::vector<T> counting(uint32_t n)
{
    std::vector<T> v(n);
    for (uint32_t i = 0; i < n; i++)
        v[i] = T(i % 100 + 1);
    return v;
}
static std::string at(const char *name, uint32_t i)
{
    return std::string(name) + ": " + std::to_string(i);
}

/* ---- copies of whole blks -------------------------------------------------------------- */

static std::string whole_blks()
{
    const std::vector<uint8_t> in = counting<uint8_t>(4096);
    std::vector<uint8_t> out(4096, 0xee);
    std::memset(ub(), 0x11, 8192);
    asc_copy_gm2ub(ub(), in.data(), 64 + 5); /* what does not fill a blk stays behind */
    for (uint32_t i = 0; i < 96; i++)
        if (ub()[i] != (i < 64 ? in[i] : 0x11))
            return at("asc_copy_gm2ub", i);
    asc_copy_gm2ub_sync(ub() + 1024, in.data() + 1, 32);
    asc_copy_ub2ub(ub() + 2048, ub() + 1024, 32);
    asc_copy_ub2ub_sync(ub() + 3072, ub() + 2048, 32);
    asc_copy_ub2gm(out.data(), ub() + 3072, 32);
    asc_copy_ub2gm_sync(out.data() + 32, ub(), 64);
    for (uint32_t i = 0; i < 128; i++)
        if (out[i] != (i < 32 ? in[i + 1] : i < 96 ? in[i - 32] : 0xee))
            return at("asc_copy_ub2gm", i);
    return "";
}
/* Three bursts of two blks; one blk of gap in the source, two in dst. */
static std::string bursts_of_blks()
{
    const std::vector<uint8_t> in = counting<uint8_t>(4096);
    std::vector<uint8_t> out(4096, 0xee);
    std::memset(ub(), 0xee, 8192);
    asc_copy_gm2ub(ub(), in.data(), 3, 2, 1, 2);
    asc_copy_ub2ub(ub() + 4096, ub(), 3, 2, 2, 0);
    asc_copy_ub2gm(out.data(), ub() + 4096, 3, 2, 0, 1);
    for (uint32_t i = 0; i < 512; i++) {
        const bool in_ub = i % 128 < 64 && i < 384, in_gm = i % 96 < 64 && i < 288;
        if (ub()[i] != (in_ub ? in[i / 128 * 96 + i % 128] : 0xee))
            return at("asc_copy_gm2ub, bursts", i);
        if (out[i] != (in_gm ? in[i] : 0xee))
            return at("asc_copy_ub2gm, bursts", i);
        if (i < 192 && ub()[4096 + i] != in[i / 64 * 96 + i % 64])
            return at("asc_copy_ub2ub, bursts", i);
    }
    return "";
}

/* ---- copies of any length -------------------------------------------------------------- */

/* 8- to 32-bit elements come in, those and 64-bit ones go out. Five elements a burst, one on the
 * left and two on the right as padding; the gap in GM is one blk. */
template <class T> static std::string padded_in(T pad)
{
    const uint32_t per = 32 / sizeof(T), n = 5, room = (n + 3 + per - 1) / per * per;
    const std::vector<T> in = counting<T>(512);
    T *d = (T *)ub();
    std::memset(ub(), 0x11, 4096);
    asc_copy_gm2ub_align(d, in.data() + 3, n * sizeof(T));
    asc_copy_gm2ub_align_sync(d + 256, in.data() + 1, 7 * sizeof(T));
    for (uint32_t i = 0; i < 7; i++)
        if (!(d[256 + i] == in[1 + i]) || (i < n && !(d[i] == in[3 + i])))
            return at("asc_copy_gm2ub_align", i);
    asc_set_copy_pad_val(pad);
    asc_copy_gm2ub_align(d, in.data(), 2, n * sizeof(T), 1, 2, 1, 3);
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t i = 0; i < n + 3; i++) {
            const T want = i >= 1 && i <= n ? in[b * (n + per) + i - 1] : pad;
            if (!(d[b * (room + 3 * per) + i] == want))
                return at("asc_copy_gm2ub_align, bursts of elements with bytes",
                          uint32_t(sizeof(T)));
        }
    return "";
}
template <class T> static std::string out_of_ub()
{
    const uint32_t per = 32 / sizeof(T), n = per + 1;
    std::vector<T> out(512, T(77)), want(512, T(77));
    T *a = (T *)ub();
    for (uint32_t i = 0; i < 512; i++)
        a[i] = T(i % 50);
    asc_copy_ub2gm_align(out.data() + 1, a, n * sizeof(T));
    asc_copy_ub2gm_align_sync(out.data() + 101, a, 3 * sizeof(T));
    /* a burst takes two blks of UB, then one of gap; in GM the gap is two blks */
    asc_copy_ub2gm_align(out.data() + 201, a, 2, n * sizeof(T), 0, 0, 1, 2);
    for (uint32_t i = 0; i < n; i++) {
        want[1 + i] = want[201 + i] = a[i];
        want[201 + n + 2 * per + i] = a[3 * per + i];
        if (i < 3)
            want[101 + i] = a[i];
    }
    for (uint32_t i = 0; i < 512; i++)
        if (std::memcmp(&out[i], &want[i], sizeof(T)))
            return at("asc_copy_ub2gm_align", i) + " of bytes " + std::to_string(sizeof(T));
    return "";
}
static void copies(void **)
{
    run_and_check(whole_blks);
    run_and_check(bursts_of_blks);
    run_and_check([] { return padded_in<int8_t>(-3); });
    run_and_check([] { return padded_in<uint8_t>(200); });
    run_and_check([] { return padded_in<half>(half(-1.5f)); });
    run_and_check([] { return padded_in<bfloat16_t>(bfloat16_t(-2.5f)); });
    run_and_check([] { return padded_in<int16_t>(-300); });
    run_and_check([] { return padded_in<uint16_t>(60000); });
    run_and_check([] { return padded_in<float>(-1.25f); });
    run_and_check([] { return padded_in<int32_t>(-70000); });
    run_and_check([] { return padded_in<uint32_t>(3000000000u); });
    run_and_check(out_of_ub<int8_t>);
    run_and_check(out_of_ub<uint8_t>);
    run_and_check(out_of_ub<half>);
    run_and_check(out_of_ub<bfloat16_t>);
    run_and_check(out_of_ub<int16_t>);
    run_and_check(out_of_ub<uint16_t>);
    run_and_check(out_of_ub<float>);
    run_and_check(out_of_ub<int32_t>);
    run_and_check(out_of_ub<uint32_t>);
    run_and_check(out_of_ub<double>);
    run_and_check(out_of_ub<int64_t>);
    run_and_check(out_of_ub<uint64_t>);
    const std::vector<float> in(64);
    const float *gm = in.data();
    run_fails([=] { asc_copy_gm2ub_align((float *)ub(), gm, 1, 4, 9, 0, 0, 0); }, NPU_E_ARG,
              {"asc_copy_gm2ub_align", "leftPadding 9"});
    run_fails([=] { asc_copy_gm2ub_align((float *)ub(), gm, 5000, 4, 0, 0, 0, 0); }, NPU_E_ARG,
              {"asc_copy_gm2ub_align", "5000 (0..4095)"});
    run_fails([=] { asc_copy_gm2ub(ub() + 196608, gm, 32); }, NPU_E_RANGE, {"196608"});
    for (const char *name :
         {"asc_copy_gm2ub", "asc_copy_ub2gm", "asc_copy_ub2ub", "asc_copy_gm2ub_align",
          "asc_copy_ub2gm_align", "asc_set_copy_pad_val"})
        call_is_tested(name);
}

/* ---- flags ----------------------------------------------------------------------------- */

static std::string in_step()
{
    const std::vector<float> in = counting<float>(64);
    std::vector<float> out(64);
    float *a = (float *)ub(), *d = (float *)(ub() + 1024);
    asc_copy_gm2ub(a, in.data(), 256);
    asc_sync_mte2(0);
    asc_add(d, a, a, 64);
    asc_sync_vec();
    asc_sync_pipe(PIPE_V);
    asc_sync_data_barrier(mem_dsb_t::DSB_UB);
    asc_sync_data_barrier(DSB_ALL);
    asc_sync_notify(PIPE_V, PIPE_MTE3, EVENT_ID0);
    asc_sync_wait(PIPE_V, PIPE_MTE3, EVENT_ID0);
    asc_copy_ub2gm(out.data(), d, 256);
    asc_sync_mte3(7);
    asc_sync();
    for (uint32_t i = 0; i < 64; i++)
        if (out[i] != 2 * in[i])
            return at("out", i);
    return "";
}
/* The page's own example: a copy, a sum and a copy with nothing but asc_sync_vec between them. */
static void pipes_in_lazy_order(void)
{
    const std::vector<float> in = counting<float>(64);
    std::vector<float> out(64);
    run_out_of_order(0, 1, [&] {
        float *a = (float *)ub(), *d = (float *)(ub() + 1024);
        asc_copy_gm2ub(a, in.data(), 256);
        asc_sync_vec();
        asc_add(d, a, a, 64);
        asc_sync_vec();
        asc_copy_ub2gm(out.data(), d, 256);
    });
    for (uint32_t i = 0; i < 64; i++)
        assert_true(out[i] == 2 * in[i]);
}
static void flags(void **)
{
    run_and_check(in_step);
    pipes_in_lazy_order();
    const std::string line = line_text(__FILE__, __LINE__ + 1);
    run_fails([] { asc_sync_wait(PIPE_V, PIPE_S, 3); }, NPU_E_DEADLOCK,
              {line.c_str(), "no set_flag"});
    run_fails([] { asc_sync_notify(PIPE_V, PIPE_MTE3, 8); }, NPU_E_ARG, {"event id 8"});
    for (const char *name :
         {"asc_sync", "asc_sync_pipe", "asc_sync_notify", "asc_sync_wait", "asc_sync_vec",
          "asc_sync_mte2", "asc_sync_mte3", "asc_sync_data_barrier"})
        call_is_tested(name);
}

/* ---- scalar words ---------------------------------------------------------------------- */

/* From the pages of the calls, or counted by hand. */
static void words(void **)
{
    assert_int_equal(asc_popc(33), 2);
    assert_int_equal(asc_popc(~0ull), 64);
    assert_int_equal(asc_zero_bits_cnt(33), 62);
    assert_int_equal(asc_clz(0x0fffffffffffffff), 4);
    assert_int_equal(asc_clz(0), 64);
    assert_int_equal(asc_ffs(10), 1);
    assert_int_equal(asc_ffs(0), -1);
    assert_int_equal(asc_ffz(33), 1);
    assert_int_equal(asc_ffz(~0ull), -1);
    assert_int_equal(asc_sflbits(0x0f00000000000000), 3);
    assert_int_equal(asc_sflbits(0x000f00ff0ff0ffff), 11);
    assert_int_equal(asc_sflbits(0), -1);
    assert_int_equal(asc_sflbits(-1), -1);
    assert_int_equal(asc_sflbits(-2), 62);
    assert_int_equal(asc_set_nthbit(0, 2), 4);
    assert_int_equal(asc_set_nthbit(0, 66), 4);
    assert_int_equal(asc_set_nthbit(0, -1), 0x8000000000000000);
    assert_int_equal(asc_clear_nthbit(7, 2), 3);
    assert_int_equal(asc_clear_nthbit(~0ull, -64), ~1ull);
    for (const char *name : {"asc_popc", "asc_zero_bits_cnt", "asc_clz", "asc_ffs", "asc_ffz",
                             "asc_sflbits", "asc_set_nthbit", "asc_clear_nthbit"})
        call_is_tested(name);
}

/* ---- atomic copies --------------------------------------------------------------------- */

/* GM holds 5, UB 3: 8, 5 and 3; without an operation 3. */
template <class T>
static std::string atomic(void (*add)(), void (*max)(), void (*min)(), uint16_t type)
{
    void (*const set[])() = {add, max, min, asc_set_atomic_none};
    const double want[] = {8, 5, 3, 3};
    for (int k = 0; k < 6; k++) {
        std::vector<T> gm(64, T(5));
        asc_store_atomic_config got;
        for (int i = 0; i < 64; i++)
            ((T *)ub())[i] = T(3);
        if (k < 4)
            set[k]();
        else
            asc_set_store_atomic_config_v1(k == 4 ? type : 0, 0);
        asc_get_store_atomic_config(got);
        if ((k == 0 || k == 4) && (got.atomic_type != type || got.atomic_op != 0))
            return at("asc_get_store_atomic_config", type);
        if ((k == 3 || k == 5) && got.atomic_type)
            return "asc_get_store_atomic_config: not none";
        asc_copy_ub2gm_sync(gm.data(), ub(), 64 * sizeof(T));
        asc_set_atomic_none();
        for (const T &x : gm)
            if (!(x == T(k == 4 ? 8 : k == 5 ? 3 : want[k])))
                return at("atomic, case", uint32_t(k)) + " of type " + std::to_string(type);
    }
    return "";
}
#define ATOMIC(T, suffix, type)                                                                    \
    run_and_check([] {                                                                             \
        return atomic<T>(asc_set_atomic_add_##suffix, asc_set_atomic_max_##suffix,                 \
                         asc_set_atomic_min_##suffix, type);                                       \
    });                                                                                            \
    call_is_tested("asc_set_atomic_add_" #suffix);                                                 \
    call_is_tested("asc_set_atomic_max_" #suffix);                                                 \
    call_is_tested("asc_set_atomic_min_" #suffix)
static void atomics(void **)
{
    ATOMIC(float, float, 1);
    ATOMIC(half, float16, 2);
    ATOMIC(int16_t, int16, 3);
    ATOMIC(int32_t, int, 4);
    ATOMIC(int8_t, int8, 5);
    ATOMIC(bfloat16_t, bfloat, 6);
    run_fails([] { asc_set_store_atomic_config_v1(7, 0); }, NPU_E_ARG, {"type 7", "0 to 6"});
    for (const char *name :
         {"asc_set_atomic_none", "asc_set_store_atomic_config_v1", "asc_get_store_atomic_config"})
        call_is_tested(name);
}

/* ---- who and where --------------------------------------------------------------------- */

static void system_values(void **)
{
    int64_t idx[3] = {-1, -1, -1}, id[3] = {-1, -1, -1}, num = 0;
    run_well(
        [&] {
            idx[asc_get_block_idx()] = asc_get_block_idx();
            id[asc_get_block_idx()] = asc_get_core_id();
            num = asc_get_block_num();
        },
        3);
    assert_int_equal(num, 3);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(idx[k], k);
        assert_int_equal(id[k], k); /* no two blocks on one core */
    }
    run_and_check([]() -> std::string {
        const int64_t t = asc_get_system_cycle(), pc = asc_get_program_counter();
        if (asc_get_sub_block_id() != 0 || asc_get_sub_block_num() != 1)
            return "sub block of a kernel without cube cores";
        if (asc_get_phy_buf_addr(64) != uint64_t(uintptr_t(ub())) + 64)
            return "asc_get_phy_buf_addr";
        if (asc_get_program_counter() == pc || asc_get_program_counter() <= 0)
            return "asc_get_program_counter: two places have one";
        for (int64_t now = t; now - t < 50; now = asc_get_system_cycle()) /* a microsecond */
            if (now < t)
                return "asc_get_system_cycle goes back";
        return "";
    });
    for (const char *name :
         {"asc_get_block_idx", "asc_get_block_num", "asc_get_core_id", "asc_get_sub_block_id",
          "asc_get_sub_block_num", "asc_get_phy_buf_addr", "asc_get_program_counter",
          "asc_get_system_cycle"})
        call_is_tested(name);
}

/* A vector core alone in its group meets itself; two arrivals are two waits. */
/* Both vector cores of a group write, its cube core sees both and answers. */
static void cube_and_vector_cores(void)
{
    enum { GROUPS = 3 };
    for (int round = 0; round < 20; round++) {
        int wrote[GROUPS][2] = {}, seen[GROUPS] = {}, answer[GROUPS][2] = {};
        const outcome o = run_on(
            CORE_AIC, 2,
            [&] {
                const size_t group = nputwin::core()->block_idx, sub = nputwin::core()->sub_idx;
                if (nputwin::core()->core_kind == CORE_AIV) {
                    wrote[group][sub] = 1;
                    asc_sync_block_arrive(PIPE_MTE3, 3);
                    asc_sync_block_wait(PIPE_S, 4);
                    answer[group][sub] = seen[group];
                } else {
                    asc_sync_block_wait(PIPE_S, 3);
                    seen[group] = wrote[group][0] + wrote[group][1];
                    asc_sync_block_arrive(PIPE_FIX, 4);
                }
            },
            GROUPS);
        assert_int_equal(o.status, NPU_OK);
        for (const auto &a : answer)
            assert_true(a[0] == 2 && a[1] == 2);
    }
}
static void between_cores(void **)
{
    cube_and_vector_cores();
    run_and_check([]() -> std::string {
        asc_set_ffts_base_addr(0x1234567890);
        asc_sync_block_arrive(PIPE_V, 1);
        asc_sync_block_arrive(PIPE_MTE3, 1);
        asc_sync_block_wait(PIPE_S, 1);
        asc_sync_block_wait(PIPE_S, uint8_t(1));
        return asc_get_ffts_base_addr() == 0x1234567890 ? "" : "asc_get_ffts_base_addr";
    });
    run_fails([] { asc_sync_block_wait(PIPE_S, 2); }, NPU_E_DEADLOCK, {"waits for ever"});
    run_fails([] { asc_sync_block_arrive(PIPE_V, 16); }, NPU_E_ARG,
              {"asc_sync_block_arrive: flag_id is 16, allowed are 0 to 15"});
    for (const char *name : {"asc_set_ffts_base_addr", "asc_get_ffts_base_addr",
                             "asc_sync_block_arrive", "asc_sync_block_wait"})
        call_is_tested(name);
}

/* asc_init: mask full and normal, no atomic copies. */
static void state(void **)
{
    run_and_check([]() -> std::string {
        std::vector<float> gm(64, 5.0f);
        asc_set_mask_count();
        asc_set_vector_mask(0, 3);
        asc_set_atomic_add_float();
        asc_init();
        float *d = (float *)ub();
        asc_duplicate(d, 2.0f, 1, 1, 8);
        asc_copy_ub2gm_sync(gm.data(), d, 256);
        for (uint32_t i = 0; i < 64; i++)
            if (gm[i] != 2.0f)
                return at("asc_init: element", i);
        return "";
    });
    call_is_tested("asc_init");
}

/* CTRL[48] set: 65504 + 65504 is infinity; clear: it stays 65504, and NaN becomes 0. */
static void control(void **)
{
    run_and_check([]() -> std::string {
        half *d = (half *)ub(), *a = (half *)(ub() + 1024);
        const int64_t start = asc_get_ctrl();
        if (!(start >> 48 & 1))
            return "asc_get_ctrl: halves saturate from the start";
        a[0] = half(65504.0f);
        a[1] = half(NAN);
        asc_set_ctrl(uint64_t(start) & ~(uint64_t(1) << 48));
        if (asc_get_ctrl() >> 48 & 1)
            return "asc_set_ctrl: bit 48 stays";
        asc_add(d, a, a, 2);
        if (d[0].bits() != 0x7bff || d[1].bits() != 0)
            return "asc_set_ctrl: not saturated";
        asc_set_ctrl(uint64_t(start) | uint64_t(1) << 56);
        asc_set_vector_mask(0, 1); /* counts elements now */
        asc_add(d, a, a, 1, 1, 1, 1, 8, 8, 8);
        if (d[0].bits() != 0x7c00 || d[1].bits() != 0)
            return "asc_set_ctrl: counter mode";
        asc_set_mask_norm();
        return asc_get_ctrl() == start ? "" : "asc_get_ctrl";
    });
    run_fails([] { asc_set_ctrl(uint64_t(1) << 49); }, NPU_E_UNSUP, {"asc_set_ctrl: bit 49"});
    call_is_tested("asc_get_ctrl");
    call_is_tested("asc_set_ctrl");
}

/* One call of each that may overflow, and the boundary values that the vendor's table has of it. */
template <class T> static std::string stops(int64_t low, int64_t high)
{
    T *d = (T *)ub(), *a = (T *)(ub() + 1024), *b = (T *)(ub() + 2048);
    const int64_t x[] = {low, low, high, high}, y[] = {low, high, high, low};
    const int64_t sum[2][4] = {{0, -1, -2, -1}, {low, -1, high, -1}};
    const int64_t difference[2][4] = {{0, 1, 0, -1}, {0, low, 0, high}};
    const int64_t product[2][4] = {{0, low, 1, low}, {high, low, high, low}};

    for (int i = 0; i < 4; i++) {
        a[i] = T(x[i]);
        b[i] = T(y[i]);
    }
    for (int on = 0; on < 2; on++) {
        const uint64_t old = uint64_t(asc_get_ctrl());
        asc_set_ctrl((old & ~(uint64_t(1) << 53)) | uint64_t(on) << 53);
        if (int(asc_get_ctrl() >> 53 & 1) != on)
            return "asc_get_ctrl: bit 53";
        asc_add(d, a, b, 4);
        for (int i = 0; i < 4; i++)
            if (d[i] != T(sum[on][i]))
                return at("CTRL[53]: asc_add", i);
        asc_sub(d, a, b, 4);
        for (int i = 0; i < 4; i++)
            if (d[i] != T(difference[on][i]))
                return at("CTRL[53]: asc_sub", i);
        asc_mul(d, a, b, 4);
        for (int i = 0; i < 4; i++)
            if (d[i] != T(product[on][i]))
                return at("CTRL[53]: asc_mul", i);
        asc_add_scalar(d, a, T(low), 4);
        if (d[0] != T(sum[on][0]) || d[2] != T(-1))
            return "CTRL[53]: asc_add_scalar";
        asc_mul_scalar(d, a, T(high), 4);
        if (d[0] != T(product[on][1]) || d[2] != T(product[on][2]))
            return "CTRL[53]: asc_mul_scalar";
    }
    return "";
}

/* CTRL[53] set: integers stop at the ends of their type; clear: they wrap. CTRL[59] set:
 * conversions keep the lower bits. */
static void control_of_integers(void **)
{
    run_and_check([]() -> std::string {
        std::string bad = stops<int16_t>(INT16_MIN, INT16_MAX);
        if (bad.empty())
            bad = stops<int32_t>(INT32_MIN, INT32_MAX);
        return bad;
    });
    run_and_check([]() -> std::string {
        int16_t *s = (int16_t *)ub(), *d = (int16_t *)(ub() + 1024);
        const int64_t start = asc_get_ctrl();
        int32_t *w = (int32_t *)(ub() + 2048);
        s[0] = 32767;
        s[1] = -32768;
        w[0] = 0x12345;
        w[1] = -0x12345;
        asc_set_ctrl(uint64_t(start) | uint64_t(1) << 53 | uint64_t(1) << 59);
        asc_add_relu(d, s, s, 2);
        if (d[0] != 32767 || d[1] != 0)
            return "CTRL[53]: asc_add_relu";
        asc_int322int16(d, w, 2);
        if (d[0] != 0x2345 || d[1] != -0x2345)
            return "CTRL[59]: asc_int322int16";
        if (asc_get_ctrl() != int64_t(uint64_t(start) | uint64_t(1) << 53 | uint64_t(1) << 59))
            return "asc_get_ctrl: bits 53 and 59";
        asc_set_ctrl(uint64_t(start));
        asc_int322int16(d, w, 2);
        if (d[0] != 32767 || d[1] != -32768)
            return "asc_set_ctrl: bit 59 stays";
        return asc_get_ctrl() == start ? "" : "asc_get_ctrl";
    });
}

/* The twin's memory is coherent: what was written before a flush is there after it. */
static void caches(void **)
{
    run_and_check([]() -> std::string {
        std::vector<uint64_t> gm(16, 0);
        gm[3] = 7;
        asc_dcci_single(gm.data());
        asc_dcci_entire_all();
        asc_dcci_entire_ub();
        asc_dcci_entire_out();
        asc_dcci_entire_atomic();
        asc_ub_dcci_single(ub());
        asc_datacache_preload(gm.data(), 24);
        asc_icache_preload(reinterpret_cast<const void *>(asc_get_program_counter()), 32);
        if (asc_get_icache_preload_status() != 0)
            return "asc_get_icache_preload_status: busy";
        asc_copy_gm2ub_sync(ub(), gm.data(), 128);
        return ((uint64_t *)ub())[3] == 7 ? "" : "a flush lost a word";
    });
    for (const char *name :
         {"asc_dcci_single", "asc_dcci_entire_all", "asc_dcci_entire_ub", "asc_dcci_entire_out",
          "asc_dcci_entire_atomic", "asc_ub_dcci_single", "asc_datacache_preload",
          "asc_icache_preload", "asc_get_icache_preload_status"})
        call_is_tested(name);
}

static void every_name_was_called(void **)
{
    assert_all_called({"copy", "sync", "scalar", "atomic", "cache", "system"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(flags),
        cmocka_unit_test(words),
        cmocka_unit_test(atomics),
        cmocka_unit_test(system_values),
        cmocka_unit_test(state),
        cmocka_unit_test(between_cores),
        cmocka_unit_test(caches),
        cmocka_unit_test(control),
        cmocka_unit_test(control_of_integers),
        cmocka_unit_test(every_name_was_called),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

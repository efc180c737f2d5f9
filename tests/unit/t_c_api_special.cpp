/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_c_api_special.cpp - the C API beside the lane by lane calls: fills, gathers, sorting,
 * transposing, and the mask register.
 *
 * Expected values are worked out by hand or by a plain loop over elements in this file.
 */
#include "c_api.hpp"
#include <algorithm>

static const uint64_t odd_mask[2] = {0x0f0f0f0ff0f0f0f1, 0x00ff00ff00ff7f00};
static bool is_on(uint32_t l) { return odd_mask[l / 64] >> (l % 64) & 1; }
static void set_odd_mask()
{
    asc_set_mask_norm();
    asc_set_vector_mask(odd_mask[1], odd_mask[0]);
}

/* n elements of UB from byte `at` on, each f(i). */
template <class T> static T *array(uint32_t at, uint32_t n, std::function<double(uint32_t)> f)
{
    T *p = (T *)(ub() + at);
    for (uint32_t i = 0; i < n; i++)
        p[i] = T(f(i));
    return p;
}
static double nine(uint32_t) { return 9; }
static double count_up(uint32_t i) { return i % 97; }

template <class T>
static std::string differs(const char *name, const T *got, uint32_t n,
                           std::function<T(uint32_t)> want)
{
    for (uint32_t i = 0; i < n; i++)
        if (nputwin::bits_of(got[i]) != nputwin::bits_of(want(i)))
            return std::string(name) + " of " + std::to_string(sizeof(T)) + " bytes: element " +
                   std::to_string(i) + " is " + std::to_string(double(got[i])) + ", not " +
                   std::to_string(double(want(i)));
    return "";
}
#define TRY(name, T, got, n, ...)                                                                  \
    if (std::string s = differs<T>(name, got, n, __VA_ARGS__); !s.empty())                         \
    return s

/* ---- fills ----------------------------------------------------------------------------- */

template <class T> static std::string duplicate()
{
    const uint32_t lanes = 256 / sizeof(T), per = 32 / sizeof(T);
    const T v = T(5);
    T *d = array<T>(0, 1024, nine);
    asc_duplicate(d, v, lanes + 13);
    TRY("asc_duplicate", T, d, 1024, [&](uint32_t i) { return i < lanes + 13 ? v : T(9); });
    array<T>(0, 1024, nine);
    asc_duplicate_sync(d, v, 7);
    TRY("asc_duplicate_sync", T, d, 1024, [&](uint32_t i) { return i < 7 ? v : T(9); });
    array<T>(0, 1024, nine);
    set_odd_mask();
    asc_duplicate(d, v, 2, 2, 17);
    std::vector<T> want(1024, T(9));
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t l = 0; l < lanes; l++)
            if (is_on(l) && r * 17 * per + l / per * 2 * per + l % per < 1024)
                want[r * 17 * per + l / per * 2 * per + l % per] = v;
    TRY("asc_duplicate, repeats", T, d, 1024, [&](uint32_t i) { return want[i]; });
    return "";
}
template <class T> static std::string broadcast()
{
    const uint32_t per = 32 / sizeof(T);
    for (bool sync : {false, true}) {
        T *d = array<T>(0, 1024, nine), *a = array<T>(8192, 16, count_up);
        if (sync)
            asc_brcb_sync(d, a, 2, 17, 2);
        else
            asc_brcb(d, a, 2, 17, 2);
        std::vector<T> want(1024, T(9));
        for (uint32_t k = 0; k < 16; k++)
            for (uint32_t i = 0; i < per; i++)
                if (k / 8 * 17 * per + k % 8 * 2 * per + i < 1024)
                    want[k / 8 * 17 * per + k % 8 * 2 * per + i] = T(k);
        TRY("asc_brcb", T, d, 1024, [&](uint32_t i) { return want[i]; });
    }
    return "";
}
static void fills(void **)
{
    run_and_check(duplicate<half>);
    run_and_check(duplicate<bfloat16_t>);
    run_and_check(duplicate<float>);
    run_and_check(duplicate<int16_t>);
    run_and_check(duplicate<uint16_t>);
    run_and_check(duplicate<int32_t>);
    run_and_check(duplicate<uint32_t>);
    run_and_check(broadcast<uint16_t>);
    run_and_check(broadcast<uint32_t>);
    call_is_tested("asc_duplicate");
    call_is_tested("asc_brcb");
}

/* ---- gathers --------------------------------------------------------------------------- */

template <class T> static std::string gather()
{
    const uint32_t lanes = 256 / sizeof(T), n = lanes + 13;
    for (int f = 0; f < 3; f++) {
        T *d = array<T>(0, 3 * lanes, nine), *a = array<T>(8192, 512, count_up);
        uint32_t *at = array<uint32_t>(16384, 2 * lanes,
                                       [](uint32_t i) { return double((511 - i) * sizeof(T)); });
        set_odd_mask();
        if (f == 0)
            asc_gather(d, a, at, n);
        else if (f == 1)
            asc_gather_sync(d, a, at, n);
        else
            asc_gather(d, a, at, 16, 2);
        const uint32_t gap = 16 * 32 / sizeof(T); /* elements from repeat to repeat */
        TRY("asc_gather", T, d, 3 * lanes, [&](uint32_t i) {
            const uint32_t r = i / gap, l = i % gap;
            if (f < 2)
                return i < n ? a[511 - i] : T(9);
            return r < 2 && l < lanes && is_on(l) ? a[511 - (r * lanes + l)] : T(9);
        });
    }
    return "";
}
template <class T> static std::string gather_blks()
{
    const uint32_t per = 32 / sizeof(T);
    for (bool sync : {false, true}) {
        T *d = array<T>(0, 1024, nine), *a = array<T>(8192, 1024, count_up);
        uint32_t *at =
            array<uint32_t>(16384, 16, [](uint32_t i) { return double((31 - 2 * i) * 32); });
        if (sync)
            asc_gather_datablock_sync(d, a, at, 17, 2, 2);
        else
            asc_gather_datablock(d, a, at, 17, 2, 2);
        std::vector<T> want(1024, T(9));
        for (uint32_t k = 0; k < 16; k++)
            for (uint32_t i = 0; i < per; i++)
                if (k / 8 * 17 * per + k % 8 * 2 * per + i < 1024)
                    want[k / 8 * 17 * per + k % 8 * 2 * per + i] = a[(31 - 2 * k) * per + i];
        TRY("asc_gather_datablock", T, d, 1024, [&](uint32_t i) { return want[i]; });
    }
    return "";
}

/* What a pattern takes: even, odd, one of four, all; 0: the bits given. */
static bool takes(int pattern, const uint8_t *bits, uint32_t i)
{
    switch (pattern) {
    case 0:
        return bits[i / 8] >> i % 8 & 1;
    case 1:
    case 2:
        return i % 2 == uint32_t(pattern - 1);
    case 7:
        return true;
    default:
        return i % 4 == uint32_t(pattern - 3);
    }
}
template <class T> static std::string gather_mask()
{
    const uint32_t lanes = 256 / sizeof(T), per = 32 / sizeof(T);
    const uint8_t *bits =
        array<uint8_t>(16384, 256, [](uint32_t i) { return (i * 73 + 19) % 256; });
    for (int f = 0; f < 2; f++) { /* count forms: the bits at src1 */
        T *d = array<T>(0, 512, nine), *a = array<T>(8192, 512, count_up);
        const uint32_t n = lanes + 13;
        std::vector<T> want;
        for (uint32_t i = 0; i < n; i++)
            if (takes(0, bits, i))
                want.push_back(a[i]);
        if (f)
            asc_reduce_sync(d, a, (T *)bits, n);
        else
            asc_reduce(d, a, (T *)bits, n);
        if (asc_get_rsvd_count() != int64_t(want.size()))
            return "asc_get_rsvd_count";
        want.resize(512, T(9));
        TRY("asc_reduce", T, d, 512, [&](uint32_t i) { return want[i]; });
    }
    for (int pattern = 0; pattern <= 8; pattern++) { /* 8: asc_squeeze */
        const int mode = pattern == 8 ? 0 : pattern;
        T *d = array<T>(0, 512, nine), *a = array<T>(8192, 1024, count_up);
        std::vector<T> want;
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t i = 0; i < lanes; i++)
                if (takes(mode, bits + r * 2 * 32, i))
                    want.push_back(a[r * 17 * per + i / per * 2 * per + i % per]);
        set_odd_mask(); /* has no say */
        if (pattern == 8)
            asc_squeeze(d, a, (T *)bits, 2, 1, 2, 1, 8, 17, 2);
        else
            asc_reduce(d, a, (T *)bits, 2, 2, uint8_t(mode), 17, 2);
        if (asc_get_rsvd_count() != int64_t(want.size()))
            return "asc_get_rsvd_count of pattern " + std::to_string(pattern);
        want.resize(512, T(9));
        TRY(pattern == 8 ? "asc_squeeze" : "asc_reduce, repeats", T, d, 512,
            [&](uint32_t i) { return want[i]; });
    }
    return "";
}
static void gathers(void **)
{
    run_and_check(gather<half>);
    run_and_check(gather<bfloat16_t>);
    run_and_check(gather<float>);
    run_and_check(gather<int16_t>);
    run_and_check(gather<uint16_t>);
    run_and_check(gather<int32_t>);
    run_and_check(gather<uint32_t>);
    run_and_check(gather_blks<uint16_t>);
    run_and_check(gather_blks<uint32_t>);
    run_and_check(gather_mask<uint16_t>);
    run_and_check(gather_mask<uint32_t>);
    for (const char *name :
         {"asc_gather", "asc_gather_datablock", "asc_reduce", "asc_squeeze", "asc_get_rsvd_count"})
        call_is_tested(name);
}

/* ---- sorting --------------------------------------------------------------------------- */

/* Score and index of pair k: 8 bytes, the score at the front. */
template <class T> static std::pair<double, uint32_t> pair_at(const void *base, uint32_t k)
{
    T score;
    uint32_t index;
    std::memcpy(&score, static_cast<const uint8_t *>(base) + 8 * k, sizeof score);
    std::memcpy(&index, static_cast<const uint8_t *>(base) + 8 * k + 4, sizeof index);
    return {double(score), index};
}
template <class T> static void put_pair(void *base, uint32_t k, double score, uint32_t index)
{
    const T s = T(score);
    std::memcpy(static_cast<uint8_t *>(base) + 8 * k, &s, sizeof s);
    std::memcpy(static_cast<uint8_t *>(base) + 8 * k + 4, &index, sizeof index);
}

template <class T> static std::string bitsort()
{
    for (bool sync : {false, true}) {
        T *d = (T *)ub(), *a = array<T>(8192, 64, [](uint32_t i) { return i * 37 % 64; });
        uint32_t *index = array<uint32_t>(16384, 64, [](uint32_t i) { return 1000 + i; });
        std::memset(ub(), 0x33, 1024);
        if (sync)
            asc_bitsort_sync(d, a, index, 2);
        else
            asc_bitsort(d, a, index, 2);
        for (uint32_t r = 0; r < 2; r++) {
            std::vector<std::pair<double, uint32_t>> want;
            for (uint32_t i = 0; i < 32; i++)
                want.push_back({double(a[r * 32 + i]), 1000 + r * 32 + i});
            std::sort(want.rbegin(), want.rend());
            for (uint32_t k = 0; k < 32; k++)
                if (pair_at<T>(d, r * 32 + k) != want[k])
                    return "asc_bitsort: pair " + std::to_string(r * 32 + k);
        }
        if (ub()[512] != 0x33)
            return "asc_bitsort wrote behind dst";
    }
    return "";
}

/* Queue q falls from 100 - q in steps of 5, so that the queues alternate in the result. */
template <class T> static std::string mrgsort()
{
    for (uint8_t valid : {3, 7, 15})
        for (bool sync : {false, true}) {
            const uint16_t n[] = {8, 12, 4, 8};
            const uint32_t queues = valid == 3 ? 2 : valid == 7 ? 3 : 4;
            T *d = (T *)ub(), *src[4];
            std::vector<std::pair<double, uint32_t>> want;
            for (uint32_t q = 0; q < 4; q++) {
                src[q] = (T *)(ub() + 8192 + 1024 * q);
                for (uint32_t k = 0; k < n[q]; k++) {
                    put_pair<T>(src[q], k, 100 - q - 5.0 * k, q * 100 + k);
                    if (q < queues)
                        want.push_back({100 - q - 5.0 * k, q * 100 + k});
                }
            }
            std::sort(want.rbegin(), want.rend());
            if (sync)
                asc_mrgsort4_sync(d, src, 1, n[0], n[1], n[2], n[3], false, valid);
            else
                asc_mrgsort4(d, src, 1, n[0], n[1], n[2], n[3], false, valid);
            for (uint32_t k = 0; k < want.size(); k++)
                if (pair_at<T>(d, k) != want[k])
                    return "asc_mrgsort4: pair " + std::to_string(k);
        }
    /* Stops when queue 2 (4 pairs: 98 93 88 83) is empty: 83 is the 15th pair. */
    const uint16_t n[] = {8, 12, 4, 8};
    T *src[4];
    for (uint32_t q = 0; q < 4; q++)
        src[q] = (T *)(ub() + 8192 + 1024 * q);
    asc_mrgsort4((T *)ub(), src, 1, n[0], n[1], n[2], n[3], true, 15);
    uint16_t taken[ASC_C_API_MRGSORT_ELEMENT_LEN];
    asc_get_vms4_sr(taken);
    if (taken[0] != 4 || taken[1] != 4 || taken[2] != 4 || taken[3] != 3)
        return "asc_get_vms4_sr";
    /* Two repeats of four queues that lie one after the other. */
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t q = 0; q < 4; q++) {
            src[q] = (T *)(ub() + 8192 + 64 * q);
            for (uint32_t k = 0; k < 8; k++)
                put_pair<T>(ub() + 8192, r * 32 + q * 8 + k, 100 - q - 5.0 * k, r);
        }
    asc_mrgsort4((T *)ub(), src, 2, 8, 8, 8, 8, false, 15);
    for (uint32_t k = 0; k < 64; k++) {
        const uint32_t i = k % 32;
        if (pair_at<T>(ub(), k) != std::pair<double, uint32_t>(100 - i % 4 - 5.0 * (i / 4), k / 32))
            return "asc_mrgsort4, two repeats: pair " + std::to_string(k);
    }
    return "";
}
static void sorting(void **)
{
    run_and_check(bitsort<half>);
    run_and_check(bitsort<float>);
    run_and_check(mrgsort<half>);
    run_and_check(mrgsort<float>);
    run_fails([] { asc_bitsort((half *)ub(), (half *)ub(), (uint32_t *)ub(), 256); }, NPU_E_ARG,
              {"asc_bitsort: repeat is 256"});
    run_fails(
        [] {
            float *src[4] = {};
            asc_mrgsort4((float *)ub(), src, 1, 8, 8, 8, 8, false, 5);
        },
        NPU_E_ARG, {"asc_mrgsort4: valid_bit is 5, allowed are 3, 7 and 15"});
    run_fails(
        [] {
            float *src[4] = {(float *)ub(), (float *)ub(), (float *)ub(), (float *)ub()};
            asc_mrgsort4((float *)ub(), src, 2, 8, 8, 8, 8, false, 15);
        },
        NPU_E_ARG, {"asc_mrgsort4: repeat is 2", "one after the other"});
    for (const char *name : {"asc_bitsort", "asc_mrgsort4", "asc_get_vms4_sr"})
        call_is_tested(name);
}

/* ---- transposition --------------------------------------------------------------------- */

template <class T> static std::string transpose()
{
    for (bool sync : {false, true}) {
        T *d = array<T>(0, 257, nine), *a = array<T>(8192, 256, [](uint32_t i) { return i; });
        if (sync)
            asc_transpose_sync(d, a);
        else
            asc_transpose(d, a);
        TRY("asc_transpose", T, d, 257,
            [](uint32_t i) { return i < 256 ? T(i % 16 * 16 + i / 16) : T(9); });
    }
    return "";
}

/* 16 blks, 64 bytes apart in src and 96 in dst, from the middle of the registers. */
template <class T> static void set_blks()
{
    T *dst[16], *src[16];
    for (uint32_t k = 0; k < 16; k++) {
        dst[k] = (T *)(ub() + 96 * k);
        src[k] = (T *)(ub() + 8192 + 64 * k);
    }
    asc_set_va_reg(VA2, dst);
    asc_set_va_reg(VA3, dst + 8);
    asc_set_va_reg(VA4, src);
    asc_set_va_reg(VA5, src + 8);
}
template <class T> static T src_at(uint32_t blk, uint32_t i)
{
    return ((T *)(ub() + 8192 + 64 * blk))[i];
}
template <class T> static T dst_at(uint32_t blk, uint32_t i) { return ((T *)(ub() + 96 * blk))[i]; }

/* Element i of blk k goes to blk i (16-bit), to blk 2 i or 2 i + 1 (32-bit). A repeat of several
 * begins at the lists, a single one a stride later. */
template <class T, class Elem> static std::string transpose_16(bool sync)
{
    for (uint32_t i = 0; i < 4096; i++)
        ub()[i] = 0x44;
    for (uint32_t i = 0; i < 4096 / sizeof(T); i++)
        ((T *)(ub() + 8192))[i] = T(i + 1);
    set_blks<Elem>();
    if (sizeof(T) == 2)
        sync ? asc_transto5hd_b16_sync(VA2, VA4, 1, 0, 0) : asc_transto5hd_b16(VA2, VA4, 2, 1, 1);
    else
        sync ? asc_transto5hd_b32_sync(VA2, VA4, 1, 0, 0) : asc_transto5hd_b32(VA2, VA4, 2, 1, 1);
    const uint32_t per = 32 / sizeof(T);
    for (uint32_t r = 0; r < (sync ? 1u : 2u); r++)
        for (uint32_t blk = 0; blk < 16; blk++)
            for (uint32_t i = 0; i < per; i++) {
                const T want = sizeof(T) == 2 ? src_at<T>(i, r * per + blk)
                                              : src_at<T>(blk % 2 * 8 + i, r * per + blk / 2);
                if (dst_at<T>(blk, r * per + i) != want)
                    return "asc_transto5hd_b" + std::to_string(8 * sizeof(T)) + ": blk " +
                           std::to_string(blk) + ", element " + std::to_string(i);
            }
    return "";
}
template <class Elem> static std::string transpose_8()
{
    for (int half_dst = 0; half_dst < 2; half_dst++)
        for (int half_src = 0; half_src < 2; half_src++) {
            for (uint32_t i = 0; i < 4096; i++) {
                ub()[i] = 0x44;
                ub()[8192 + i] = uint8_t(i * 7 + i / 64);
            }
            set_blks<Elem>();
            if (half_src)
                asc_transto5hd_b8_sync(VA2, VA4, 1, 0, 0, half_dst, true);
            else
                asc_transto5hd_b8(VA2, VA4, 1, 0, 0, half_dst, false);
            for (uint32_t blk = 0; blk < 16; blk++)
                for (uint32_t i = 0; i < 32; i++) {
                    const bool written = int(i / 16) == half_dst;
                    const uint8_t want =
                        written ? src_at<uint8_t>(i % 16, half_src * 16 + blk) : uint8_t(0x44);
                    if (dst_at<uint8_t>(blk, i) != want)
                        return "asc_transto5hd_b8: blk " + std::to_string(blk);
                }
        }
    return "";
}
static void transposing(void **)
{
    run_and_check(transpose<int16_t>);
    run_and_check(transpose<uint16_t>);
    for (bool sync : {false, true}) {
        run_and_check([=] { return transpose_16<uint16_t, half>(sync); });
        run_and_check([=] { return transpose_16<uint16_t, int16_t>(sync); });
        run_and_check([=] { return transpose_16<uint16_t, uint16_t>(sync); });
        run_and_check([=] { return transpose_16<uint32_t, float>(sync); });
        run_and_check([=] { return transpose_16<uint32_t, int32_t>(sync); });
        run_and_check([=] { return transpose_16<uint32_t, uint32_t>(sync); });
    }
    run_and_check(transpose_8<int8_t>);
    run_and_check(transpose_8<uint8_t>);
    run_fails([] { asc_transto5hd_b16(VA7, VA0, 1, 0, 0); }, NPU_E_ARG,
              {"asc_transto5hd_b16: VA7 and VA0"});
    for (const char *name : {"asc_transpose", "asc_transto5hd_b8", "asc_transto5hd_b16",
                             "asc_transto5hd_b32", "asc_set_va_reg"})
        call_is_tested(name);
}

/* ---- dequantisation -------------------------------------------------------------------- */

/* src[i] = 3 i - 60 times 0.5, plus 10: 30 - 1.5 .. by hand for the first: -20, -18.5 to even -18,
 * -17. */
static std::string deq_words()
{
    for (int f = 0; f < 3; f++) {
        half *d = array<half>(0, 512, nine);
        int32_t *a = array<int32_t>(8192, 512, [](uint32_t i) { return int(i) * 3 - 60; });
        asc_set_deq_scale(half(0.5f));
        set_odd_mask();
        if (f == 0)
            asc_deq_int322half(d, a, 77);
        else if (f == 1)
            asc_deq_int322half_sync(d, a, 77);
        else
            asc_deq_int322half(d, a, 2, 2, 1, 17, 8);
        std::vector<half> want(512, half(9));
        for (uint32_t i = 0; i < (f < 2 ? 77u : 128u); i++) {
            const uint32_t r = i / 64, l = i % 64;
            if (f < 2)
                want[i] = half(int(i) * 1.5f - 30);
            else if (is_on(l))
                want[r * 17 * 16 + l / 16 * 32 + l % 16] = half(int(i) * 1.5f - 30);
        }
        TRY("asc_deq_int322half", half, d, 512, [&](uint32_t i) { return want[i]; });
    }
    return "";
}

/* 16 results in the low or high half of a blk. Sources run through all residues; the scale of the
 * vector form differs from lane to lane of a blk. */
template <class T> static double deq_expected(int v, double scale, int offset)
{
    const double y = std::nearbyint(v * scale + offset); /* to even */
    const double low = std::is_signed_v<T> ? -128 : 0, high = std::is_signed_v<T> ? 127 : 255;
    return y < low ? low : y > high ? high : y;
}
template <class T> static std::string deq_bytes()
{
    using call = void (*)(T *, const int16_t *, uint32_t, npu_where);
    using repeat_call =
        void (*)(T *, const int16_t *, uint8_t, uint16_t, uint16_t, uint8_t, uint8_t, npu_where);
    static const struct {
        call count, sync;
        repeat_call repeat;
        bool is_vector, is_high;
    } calls[] = {
        {asc_deq_int162b8_l, asc_deq_int162b8_l_sync, asc_deq_int162b8_l, false, false},
        {asc_deq_int162b8_h, asc_deq_int162b8_h_sync, asc_deq_int162b8_h, false, true},
        {asc_vdeq_int162b8_l, asc_vdeq_int162b8_l_sync, asc_vdeq_int162b8_l, true, false},
        {asc_vdeq_int162b8_h, asc_vdeq_int162b8_h_sync, asc_vdeq_int162b8_h, true, true},
    };
    float scale[16];
    int16_t offset[16];
    bool sign[16];
    for (int k = 0; k < 16; k++) {
        scale[k] = 0.25f * float(k + 1);
        offset[k] = int16_t(k % 2 ? -k : k);
        sign[k] = std::is_signed_v<T>;
    }
    for (const auto &c : calls)
        for (int f = 0; f < 3; f++) {
            uint8_t *d = array<uint8_t>(0, 2048, nine);
            int16_t *a =
                array<int16_t>(8192, 1024, [](uint32_t i) { return int(i * 37 % 301) - 150; });
            if (c.is_vector)
                asc_set_deq_scale((uint64_t *)(ub() + 16384), scale, offset, sign);
            else
                asc_set_deq_scale(0.5f, int16_t(-7), std::is_signed_v<T>);
            set_odd_mask();
            const uint32_t n = f == 2 ? 256 : 128 + 13;
            if (f == 0)
                c.count((T *)d, a, n, nputwin::here());
            else if (f == 1)
                c.sync((T *)d, a, n, nputwin::here());
            else
                c.repeat((T *)d, a, 2, 2, 1, 17, 8, nputwin::here());
            std::vector<uint8_t> want(2048, 9);
            for (uint32_t i = 0; i < n; i++) {
                const uint32_t r = i / 128, l = i % 128, j = l % 16;
                const uint32_t blk = f == 2 ? r * 17 + l / 16 * 2 : i / 16;
                if (f == 2 && !is_on(l))
                    continue;
                want[blk * 32 + (c.is_high ? 16 : 0) + j] =
                    uint8_t(T(c.is_vector ? deq_expected<T>(a[i], 0.25 * (j + 1), offset[j])
                                          : deq_expected<T>(a[i], 0.5, -7)));
            }
            TRY("asc_deq_int162b8", uint8_t, d, 2048, [&](uint32_t i) { return want[i]; });
        }
    return "";
}
static void dequantisation(void **)
{
    run_and_check(deq_words);
    run_and_check(deq_bytes<int8_t>);
    run_and_check(deq_bytes<uint8_t>);
    run_fails([] { asc_deq_int322half((half *)ub(), (int32_t *)ub(), 64); }, NPU_E_ARG,
              {"asc_deq_int322half"});
    for (const char *name : {"asc_deq_int322half", "asc_deq_int162b8_h", "asc_deq_int162b8_l",
                             "asc_vdeq_int162b8_h", "asc_vdeq_int162b8_l", "asc_set_deq_scale"})
        call_is_tested(name);
}

/* ---- 4-bit integers -------------------------------------------------------------------- */

static int nibble(const uint8_t *p, uint32_t i)
{
    const int x = p[i / 2] >> i % 2 * 4 & 0xf;
    return x < 8 ? x : x - 16;
}
static void set_nibble(uint8_t *p, uint32_t i, int v)
{
    p[i / 2] = uint8_t(i % 2 ? (p[i / 2] & 0x0f) | (v & 0xf) << 4 : (p[i / 2] & 0xf0) | (v & 0xf));
}
/* Lane l of repeat r in nibbles: 64 a blk, blks 3 apart, repeats 7. */
static uint32_t nibble_at(uint32_t r, uint32_t l) { return (r * 7 + l / 64 * 3) * 64 + l % 64; }

struct to_int4 {
    const char *name;
    void (*count)(int4b_t *, const half *, uint32_t, npu_where);
    void (*sync)(int4b_t *, const half *, uint32_t, npu_where);
    void (*repeat)(int4b_t *, const half *, uint8_t, uint16_t, uint16_t, uint16_t, uint16_t,
                   npu_where);
    int want[8]; /* of the values below, by hand */
};
static const double to_int4_from[] = {2.5, -2.5, 3.5, -0.75, 0.25, 6.5, 100, -100};
#define TO_INT4(name, ...) {#name, name, name##_sync, name, __VA_ARGS__}
static const to_int4 to_int4_calls[] = {
    TO_INT4(asc_half2int4, {2, -2, 4, -1, 0, 6, 7, -8}),
    TO_INT4(asc_half2int4_rn, {2, -2, 4, -1, 0, 6, 7, -8}),
    TO_INT4(asc_half2int4_rna, {3, -3, 4, -1, 0, 7, 7, -8}),
    TO_INT4(asc_half2int4_rd, {2, -3, 3, -1, 0, 6, 7, -8}),
    TO_INT4(asc_half2int4_ru, {3, -2, 4, 0, 1, 7, 7, -8}),
    TO_INT4(asc_half2int4_rz, {2, -2, 3, 0, 0, 6, 7, -8}),
};
static uint32_t dealt(uint32_t i) { return (i * 5 + i / 8) % 8; }

static std::string try_to_int4(const to_int4 &c)
{
    for (int f = 0; f < 3; f++) {
        const uint32_t n = f < 2 ? 140 : 256;
        uint8_t *d = array<uint8_t>(0, 1024, nine);
        half *a = array<half>(8192, 256, [](uint32_t i) { return to_int4_from[dealt(i)]; });
        std::vector<uint8_t> want(1024, 9);
        set_odd_mask();
        if (f == 0)
            c.count((int4b_t *)d, a, n, nputwin::here());
        else if (f == 1)
            c.sync((int4b_t *)d, a, n, nputwin::here());
        else
            c.repeat((int4b_t *)d, a, 2, 3, 1, 7, 8, nputwin::here());
        for (uint32_t i = 0; i < n; i++)
            if (f < 2 || is_on(i % 128))
                set_nibble(want.data(), f < 2 ? i : nibble_at(i / 128, i % 128), c.want[dealt(i)]);
        TRY(c.name, uint8_t, d, 1024, [&](uint32_t i) { return want[i]; });
    }
    return "";
}
static std::string from_int4()
{
    for (int f = 0; f < 3; f++) {
        const uint32_t n = f < 2 ? 140 : 256;
        half *d = array<half>(0, 512, nine);
        uint8_t *a = array<uint8_t>(8192, 1024, [](uint32_t i) { return (i * 89 + 17) % 256; });
        set_odd_mask();
        if (f == 0)
            asc_int42half(d, (int4b_t *)a, n);
        else if (f == 1)
            asc_int42half_sync(d, (int4b_t *)a, n);
        else
            asc_int42half(d, (int4b_t *)a, 2, 1, 3, 16, 7);
        std::vector<half> want(512, half(9));
        for (uint32_t i = 0; i < n; i++)
            if (f < 2)
                want[i] = half(nibble(a, i));
            else if (is_on(i % 128))
                want[i / 128 * 256 + i % 128] = half(nibble(a, nibble_at(i / 128, i % 128)));
        TRY("asc_int42half", half, d, 512, [&](uint32_t i) { return want[i]; });
    }
    return "";
}
static void four_bits(void **)
{
    for (const to_int4 &c : to_int4_calls) {
        run_and_check([&] { return try_to_int4(c); });
        call_is_tested(c.name);
    }
    run_and_check(from_int4);
    call_is_tested("asc_int42half");
    run_fails([] { asc_half2int4((int4b_t *)ub(), (half *)ub(), 3); }, NPU_E_ARG,
              {"asc_half2int4: count is 3"});
    /* the last blk of UB has room for 64 */
    run_fails([] { asc_half2int4((int4b_t *)(ub() + 196608 - 32), (half *)ub(), 66); }, NPU_E_RANGE,
              {"vf162s4: dst covers"});
    run_well([] { asc_half2int4((int4b_t *)(ub() + 196608 - 32), (half *)ub(), 64); });
}

/* ---- extremes over all repeats --------------------------------------------------------- */

/* The pages' own examples, and two equal extremes: the first counts. */
template <class T> static std::string extremes()
{
    T *a = array<T>(8192, 256, [](uint32_t i) { return i + 1; }), value;
    uint32_t index = 0;
    asc_repeat_reduce_max_value_index((T *)ub(), a, 256);
    asc_get_reduce_max_cnt(value, index);
    if (!(value == T(256)) || index != 255)
        return "asc_get_reduce_max_cnt";
    a = array<T>(8192, 256, [](uint32_t i) { return 256 - i; });
    asc_repeat_reduce_min_only_value_sync((T *)ub(), a, 256);
    asc_get_reduce_min_cnt(value, index);
    if (!(value == T(1)) || index != 255)
        return "asc_get_reduce_min_cnt";
    a = array<T>(8192, 256, [](uint32_t i) { return i % 100; });
    asc_set_vector_mask(~uint64_t(0), ~uint64_t(0));
    asc_repeat_reduce_max_only_index((T *)ub(), a, 2, 1, 1, 8);
    asc_get_reduce_max_cnt(value, index);
    if (!(value == T(99)) || index != 99)
        return "asc_get_reduce_max_cnt: not the first";
    return "";
}
static void extremes_of_all(void **)
{
    run_and_check(extremes<half>);
    run_and_check(extremes<float>);
    call_is_tested("asc_get_reduce_max_cnt");
    call_is_tested("asc_get_reduce_min_cnt");
}

/* ---- mask register --------------------------------------------------------------------- */

static void masks(void **)
{
    run_and_check([]() -> std::string {
        float *d = array<float>(0, 256, nine);
        asc_set_mask_count();
        asc_set_vector_mask(0, 70); /* elements, whatever the repeats are */
        asc_abs(d, array<float>(8192, 256, [](uint32_t i) { return -1.0 - i; }), 1, 1, 1, 8, 8);
        TRY("counter mode", float, d, 256, [](uint32_t i) { return i < 70 ? i + 1.0f : 9.0f; });
        array<float>(0, 256, nine);
        asc_set_mask_norm();
        asc_set_vector_mask(0, 5);
        asc_abs(d, array<float>(8192, 256, [](uint32_t i) { return -1.0 - i; }), 1, 1, 1, 8, 8);
        TRY("normal mode", float, d, 256,
            [](uint32_t i) { return i == 0 || i == 2 ? i + 1.0f : 9.0f; });
        return "";
    });
    for (const char *name : {"asc_set_mask_count", "asc_set_mask_norm", "asc_set_vector_mask"})
        call_is_tested(name);
}

/* ---- raw intrinsics -------------------------------------------------------------------- */

/* The eight pairs of t_c_api.cpp without the odd ones: 1 ? 2, 2 ? 2, 3 ? 2. */
static std::string raw_compare()
{
    using call = void (*)(const float *, const float *, uint8_t, uint8_t, uint8_t, uint8_t, uint8_t,
                          uint8_t, uint8_t, npu_where);
    static const struct {
        call fn;
        uint8_t says;
    } calls[] = {{vcmp_lt<float>, 1}, {vcmp_gt<float>, 4}, {vcmp_eq<float>, 2},
                 {vcmp_le<float>, 3}, {vcmp_ge<float>, 6}, {vcmp_ne<float>, 5}};
    float *a = array<float>(8192, 64, [](uint32_t i) { return 1 + i % 3; });
    float *b = array<float>(16384, 64, [](uint32_t) { return 2; });
    for (const auto &c : calls) {
        asc_set_mask_norm();
        asc_set_vector_mask(0, 7); /* the three lanes */
        std::memset(ub(), 0xff, 32);
        set_cmpmask(ub());
        c.fn(a, b, 1, 1, 1, 1, 8, 8, 8, nputwin::here());
        get_cmpmask(ub() + 16);
        if (ub()[16] != (0xf8 | c.says) || ub()[17] != 0xff)
            return "vcmp: " + std::to_string(c.says);
    }
    return "";
}
template <class T> static std::string raw_pairs()
{
    const uint32_t lanes = 256 / sizeof(T);
    T *d = array<T>(0, 2 * lanes, nine),
      *a = array<T>(8192, 2 * lanes, [](uint32_t i) { return i; });
    asc_set_vector_mask(~uint64_t(0), ~uint64_t(0));
    vcpadd(d, a, 2, 2, 1, 8); /* results of the second repeat a whole repeat later */
    TRY("vcpadd", T, d, 2 * lanes, [&](uint32_t i) {
        return i % lanes < lanes / 2 ? T(i / lanes * lanes * 2 + i % lanes * 4 + 1) : T(9);
    });
    return "";
}
/* 4 i - 60: times a half is 2 i - 30; plus the offset 3 in the 46-bit register is 2 i - 27. */
static std::string raw_deq()
{
    int32_t *words = array<int32_t>(8192, 64, [](uint32_t i) { return int(i) * 4 - 60; });
    asc_set_vector_mask(~uint64_t(0), ~uint64_t(0));
    set_deqscale(half(0.5f));
    vconv_deq((half *)ub(), words, 1, 1, 1, 4, 8);
    TRY("vconv_deq", half, (half *)ub(), 64, [](uint32_t i) { return half(int(i) * 2 - 30); });
    int16_t *a = array<int16_t>(8192, 16, [](uint32_t i) { return int(i) * 4 - 60; });
    const uint64_t config = uint64_t(0x3f000000) | uint64_t(3) << 37 | uint64_t(1) << 46;
    for (int k = 0; k < 4; k++) {
        int8_t *d = array<int8_t>(0, 32, nine);
        for (int j = 0; j < 16; j++)
            ((uint64_t *)(ub() + 16384))[j] = config;
        asc_set_vector_mask(0, 0xffff);
        set_deqscale(k < 2 ? config : uint64_t(16384 / 32));
        if (k == 0)
            vconv_deqs162b8l(d, a, 1, 1, 1, 8, 8);
        else if (k == 1)
            vconv_deqs162b8h(d, a, 1, 1, 1, 8, 8);
        else if (k == 2)
            vconv_vdeqs162b8l(d, a, 1, 1, 1, 8, 8);
        else
            vconv_vdeqs162b8h(d, a, 1, 1, 1, 8, 8);
        TRY("vconv_deqs162b8", int8_t, d, 32, [&](uint32_t i) {
            return int(i / 16) == k % 2 ? int8_t(int(i % 16) * 2 - 27) : int8_t(9);
        });
    }
    return "";
}
static std::string raw_int4()
{
    using call =
        void (*)(void *, const half *, uint8_t, uint16_t, uint16_t, uint16_t, uint16_t, npu_where);
    static const call calls[] = {vconv_f162s4,  vconv_f162s4r, vconv_f162s4a,
                                 vconv_f162s4f, vconv_f162s4c, vconv_f162s4z};
    half *a = array<half>(8192, 128, [](uint32_t i) { return to_int4_from[i % 8]; });
    asc_set_vector_mask(~uint64_t(0), ~uint64_t(0));
    for (int k = 0; k < 6; k++) {
        calls[k](ub(), a, 1, 1, 1, 2, 8, nputwin::here());
        for (uint32_t i = 0; i < 128; i++)
            if (nibble(ub(), i) != to_int4_calls[k].want[i % 8])
                return std::string("raw ") + to_int4_calls[k].name;
    }
    vconv_s42f16((half *)(ub() + 1024), ub(), 1, 1, 1, 8, 2); /* what the last one left: to zero */
    TRY("vconv_s42f16", half, (half *)(ub() + 1024), 128,
        [](uint32_t i) { return half(to_int4_calls[5].want[i % 8]); });
    return "";
}
/* Two repeats, odd lanes, repeats of dst 17 blks apart: dst[l] is the element that offset l names.
 */
template <class T> static std::string raw_gather()
{
    constexpr uint32_t lanes = 256 / sizeof(T), per = 32 / sizeof(T);
    T *a = array<T>(8192, 2 * lanes, [](uint32_t i) { return i % 99; });
    T *d = array<T>(0, 34 * per, nine);
    array<uint32_t>(16384, 2 * lanes,
                    [](uint32_t i) { return sizeof(T) * ((i * 7 + 3) % (2 * lanes)); });
    asc_set_mask_norm();
    asc_set_vector_mask(0x00ff00ff00ff7f00, 0x0f0f0f0ff0f0f0f1);
    vgather(d, (uint32_t *)(ub() + 16384), uint32_t(get_imm(8192)), 17, 2);
    TRY("vgather", T, d, 34 * per, [&](uint32_t i) {
        const uint32_t r = i / (17 * per), l = i % (17 * per);
        const uint64_t word = l < 64 ? 0x0f0f0f0ff0f0f0f1 : 0x00ff00ff00ff7f00;
        const bool on = l < lanes && word >> l % 64 & 1;
        return on ? a[((r * lanes + l) * 7 + 3) % (2 * lanes)] : T(9);
    });
    return "";
}
/* Eight blks a repeat; dst blks two apart, repeats 17. */
template <class T> static std::string raw_gather_blks()
{
    constexpr uint32_t per = 32 / sizeof(T);
    T *a = array<T>(8192, 16 * per, count_up), *d = array<T>(0, 34 * per, nine);
    uint32_t *at = array<uint32_t>(16384, 16, [](uint32_t i) { return 32 * (15 - i); });
    vgatherb(d, at, uint32_t(get_imm(8192)), 17, 2, 2);
    TRY("vgatherb", T, d, 34 * per, [&](uint32_t i) {
        const uint32_t r = i / (17 * per), blk = i % (17 * per) / per;
        const bool on = blk < 16 && blk % 2 == 0;
        return on ? a[(15 - r * 8 - blk / 2) * per + i % per] : T(9);
    });
    return "";
}
/* Patterns of two repeats 10 blks apart; bits of UB; a number of elements in counter mode. */
template <class T> static std::string raw_squeeze()
{
    constexpr uint32_t lanes = 256 / sizeof(T), per = 32 / sizeof(T);
    static const char *const patterns[] = {"", "10", "01", "1000", "0100", "0010", "0001", "1"};
    T *a = array<T>(8192, 18 * per, count_up), *bits = array<T>(16384, 16, [](uint32_t i) {
        return i % 3 ? 0 : 5; /* of each third word: lanes 0 and 2 */
    });
    for (uint8_t pattern = 0; pattern < 8; pattern++) {
        T *d = array<T>(0, 2 * lanes + 1, nine);
        const std::string chosen = patterns[pattern];
        std::vector<T> want;
        for (uint32_t i = 0; i < 2 * lanes; i++) {
            const uint32_t r = i / lanes, l = i % lanes, word = l / (8 * sizeof(T));
            const bool on = pattern ? chosen[l % chosen.size()] == '1'
                                    : bits[r * per + word] >> l % (8 * sizeof(T)) & 1;
            if (on)
                want.push_back(a[r * 10 * per + l]);
        }
        set_mask_norm();
        vreducev2(d, a, bits, 2, 1, pattern, 10, 1);
        if (get_rsvd_cnt() != int64_t(want.size()))
            return "get_rsvd_cnt";
        TRY("vreducev2", T, d, 2 * lanes + 1,
            [&](uint32_t i) { return i < want.size() ? want[i] : T(9); });
    }
    set_mask_count();
    set_vector_mask(0, 5); /* five elements a repeat */
    vreducev2((T *)ub(), a, a, 1, 1, 7, 8, 0);
    set_mask_norm();
    return get_rsvd_cnt() == 5 ? "" : "get_rsvd_cnt in counter mode";
}
/* 7 i modulo 32 falls from 31 - k; 7 times 23 is 1. Two repeats, the second one higher by 32. */
template <class T> static std::string raw_sort()
{
    T *scores = array<T>(8192, 64, [](uint32_t i) { return i / 32 * 32 + i * 7 % 32; });
    uint32_t *index = array<uint32_t>(16384, 64, [](uint32_t i) { return i; });
    vbitsort((T *)ub(), scores, index, 2);
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t r = i / 32, k = i % 32;
        if (pair_at<T>(ub(), i) !=
            std::pair<double, uint32_t>(r * 32 + 31 - k, r * 32 + (31 - k) * 23 % 32))
            return "vbitsort: " + std::to_string(i);
    }
    return "";
}
template <class T> static std::string raw_transpose()
{
    T *a = array<T>(8192, 256, [](uint32_t i) { return i; }), *d = array<T>(0, 257, nine);
    vtranspose(d, a);
    TRY("vtranspose", T, d, 257,
        [](uint32_t i) { return i < 256 ? T(i % 16 * 16 + i / 16) : T(9); });
    return "";
}
/* 16 x 16 elements of 16 bits, 8 x 16 of 32, 16 x 16 of 8 in the low halves of the blks. */
template <class T> static std::string raw_nchw()
{
    uint64_t dst[16], src[16];
    for (uint32_t k = 0; k < 16; k++) {
        dst[k] = get_imm(32 * k);
        src[k] = get_imm(8192 + 32 * k);
    }
    for (uint32_t i = 0; i < 512 / sizeof(T); i++)
        ((T *)(ub() + 8192))[i] = T(i * 5 + 1);
    set_va_reg_sb(VA0, dst);
    set_va_reg_sb(VA1, dst + 8);
    set_va_reg_sb(VA6, src);
    set_va_reg_sb(VA7, src + 8);
    if (sizeof(T) == 1)
        scatter_vnchwconv_b8(VA0, VA6, 1, 0, 0, false, false);
    else
        sizeof(T) == 2 ? scatter_vnchwconv_b16(VA0, VA6, 1, 0, 0)
                       : scatter_vnchwconv_b32(VA0, VA6, 1, 0, 0);
    const uint32_t per = 32 / sizeof(T), n = sizeof(T) == 4 ? 8 : 16;
    for (uint32_t blk = 0; blk < 16; blk++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t from = sizeof(T) == 4 ? blk % 2 * 8 + i : i,
                           elem = sizeof(T) == 4 ? blk / 2 : blk;
            if (((T *)ub())[blk * per + i] != T((from * per + elem) * 5 + 1))
                return "scatter_vnchwconv_b" + std::to_string(8 * sizeof(T));
        }
    return "";
}
static std::string raw_words()
{
    std::vector<int16_t> gm(16, 5);
    const int64_t start = get_ctrl(), t = get_sys_cnt();
    set_ctrl(uint64_t(start) & ~(uint64_t(1) << 48));
    if (get_ctrl() == start)
        return "set_ctrl";
    set_ctrl(sbitset1(sbitset1(uint64_t(start), 53), 59));
    if (uint64_t(get_ctrl()) != (uint64_t(start) | uint64_t(1) << 53 | uint64_t(1) << 59))
        return "set_ctrl: bits 53 and 59";
    set_ctrl(uint64_t(start));
    dsb(DSB_DDR);
    dc_preload((const uint64_t *)gm.data(), 0);
    if (bcnt0(33) != 62 || bcnt1(33) != 2 || clz(uint64_t(0x0fffffffffffffff)) != 4 ||
        sff0(33) != 1 || sff1(10) != 1 || sflbits(0x0f00000000000000) != 3 || sbitset0(7, 2) != 3 ||
        sbitset1(0, 2) != 4 || get_icache_prl_st() != 0 || get_coreid() != 0 || get_sys_cnt() < t)
        return "words";
    set_mov_pad_val(77);
    copy_gm_to_ubuf_align_b16(ub(), gm.data(), 0, 1, 6, 0, 2, 0, 0);
    if (((int16_t *)ub())[2] != 5 || ((int16_t *)ub())[3] != 77)
        return "set_mov_pad_val";
    return "";
}
/* GM holds 5, UB 3. */
template <class T> static std::string raw_atomic(void (*set_type)())
{
    void (*const ops[])() = {set_atomic_add, set_atomic_max, set_atomic_min, set_atomic_none};
    const double want[] = {8, 5, 3, 3};
    for (int k = 0; k < 4; k++) {
        std::vector<T> gm(32 / sizeof(T), T(5));
        for (uint32_t i = 0; i < gm.size(); i++)
            ((T *)ub())[i] = T(3);
        set_type();
        ops[k]();
        copy_ubuf_to_gm(gm.data(), ub(), 0, 1, 1, 0, 0);
        set_atomic_none();
        if (!(gm[0] == T(want[k])))
            return "raw atomic " + std::to_string(k);
    }
    return "";
}
static void raw_intrinsics(void **)
{
    run_and_check(raw_compare);
    run_and_check(raw_pairs<half>);
    run_and_check(raw_pairs<float>);
    run_and_check(raw_deq);
    run_and_check(raw_int4);
    run_and_check(raw_gather<half>);
    run_and_check(raw_gather<bfloat16_t>);
    run_and_check(raw_gather<int16_t>);
    run_and_check(raw_gather<uint16_t>);
    run_and_check(raw_gather<float>);
    run_and_check(raw_gather<int32_t>);
    run_and_check(raw_gather<uint32_t>);
    run_and_check(raw_gather_blks<uint16_t>);
    run_and_check(raw_gather_blks<uint32_t>);
    run_and_check(raw_squeeze<uint16_t>);
    run_and_check(raw_squeeze<uint32_t>);
    run_and_check(raw_sort<half>);
    run_and_check(raw_sort<float>);
    run_and_check(raw_transpose<int16_t>);
    run_and_check(raw_transpose<uint16_t>);
    run_and_check(raw_nchw<uint8_t>);
    run_and_check(raw_nchw<uint16_t>);
    run_and_check(raw_nchw<uint32_t>);
    run_and_check(raw_words);
    run_and_check([] { return raw_atomic<float>(set_atomic_f32); });
    run_and_check([] { return raw_atomic<half>(set_atomic_f16); });
    run_and_check([] { return raw_atomic<bfloat16_t>(set_atomic_bf16); });
    run_and_check([] { return raw_atomic<int32_t>(set_atomic_s32); });
    run_and_check([] { return raw_atomic<int16_t>(set_atomic_s16); });
    run_and_check([] { return raw_atomic<int8_t>(set_atomic_s8); });
}

static void every_name_was_called(void **) { assert_all_called({"special"}); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills),          cmocka_unit_test(gathers),
        cmocka_unit_test(sorting),        cmocka_unit_test(transposing),
        cmocka_unit_test(dequantisation), cmocka_unit_test(extremes_of_all),
        cmocka_unit_test(four_bits),      cmocka_unit_test(raw_intrinsics),
        cmocka_unit_test(masks),          cmocka_unit_test(every_name_was_called),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_scalar_cache.cpp - NPUTWIN_SCALAR_CACHE=strict: what a core's scalar unit sees of GM, and what
 * the others see of it. A program of its own, because the variable is read once.
 */
#define ASCENDC_DUMP 0
#include "kernel.hpp"
#include <cstdlib>

using namespace AscendC;

static GlobalTensor<int32_t> tensor(int32_t *p)
{
    GlobalTensor<int32_t> g;
    g.SetGlobalBuffer(p, 64);
    return g;
}
template <CacheLine line = CacheLine::SINGLE_CACHE_LINE>
static void clean(const GlobalTensor<int32_t> &g)
{
    DataCacheCleanAndInvalid<int32_t, line, DcciDst::CACHELINE_OUT>(g);
}

static void a_line_stays_as_it_was_read(void **)
{
    alignas(64) int32_t gm[64] = {1, 2, 3};
    int32_t seen[5] = {};
    run_well([&] {
        const GlobalTensor<int32_t> g = tensor(gm);
        seen[0] = g.GetValue(0);
        gm[1] = 20; /* somebody else */
        seen[1] = g.GetValue(1);
        seen[2] = ReadGmByPassDCache(gm + 1);
        clean(g);
        seen[3] = g.GetValue(1);
        GlobalTensor<uint64_t> words;
        words.SetGlobalBuffer(reinterpret_cast<uint64_t *>(gm), 32);
        DataCachePreload(words, int64_t(64));
        gm[16] = 5;
        seen[4] = g.GetValue(16);
    });
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 2);
    assert_int_equal(seen[2], 20);
    assert_int_equal(seen[3], 20);
    assert_int_equal(seen[4], 0);
}
static void a_write_arrives_when_its_line_is_cleaned(void **)
{
    alignas(64) int32_t gm[64] = {};
    int32_t before = -1, after = -1, own = -1;
    run_well([&] {
        const GlobalTensor<int32_t> g = tensor(gm);
        g.SetValue(3, 7);
        g(4) = 8;
        before = gm[3];
        own = g.GetValue(3);
        clean(g[3]);
        after = gm[3];
        g.SetValue(20, 9);
        clean<CacheLine::ENTIRE_DATA_CACHE>(g);
    });
    assert_int_equal(before, 0);
    assert_int_equal(own, 7);
    assert_int_equal(after, 7);
    assert_int_equal(gm[4], 8);
    assert_int_equal(gm[20], 9);
}
/* Lines are written back whole: a neighbour's word in the same line goes lost. */
static void cores_share_no_line(void **)
{
    alignas(64) int32_t gm[64] = {};
    run_well(
        [&] {
            const uint32_t me = uint32_t(GetBlockIdx());
            const GlobalTensor<int32_t> g = tensor(gm);
            g.SetValue(me, int32_t(me) + 1);
            SyncAll();
            if (me == 1)
                clean(g);
            SyncAll();
            if (me == 0)
                clean(g);
        },
        2);
    assert_int_equal(gm[0], 1);
    assert_int_equal(gm[1], 0);
}
/* The copy engines do not look into the cache. */
static void copies_go_past_it(void **)
{
    alignas(64) int32_t gm[64] = {};
    int32_t copied = -1;
    run_well([&] {
        const GlobalTensor<int32_t> g = tensor(gm);
        LocalTensor<int32_t> x(TPosition::VECIN, 0, 8);
        g.SetValue(0, 5);
        DataCopy(x, g, 8);
        copied = x.GetValue(0);
        clean(g);
    });
    assert_int_equal(copied, 0);
    assert_int_equal(gm[0], 5);
}
static void what_is_not_cleaned_is_lost(void **)
{
    alignas(64) int32_t gm[64] = {};
    run_well([&] { tensor(gm).SetValue(0, 5); });
    assert_int_equal(gm[0], 0);
}

/* ASCENDC_DUMP=0: nothing is printed, nothing asserted. */
static void dumps_are_off(void **)
{
    run_well([] {
        LocalTensor<int32_t> x(TPosition::VECIN, 0, 8);
        ascendc_assert(GetBlockNum() == 7, "not looked at");
        DumpTensor(x, 1, 1u << 30);
        DumpAccChkPoint(x, 1, 0, 1u << 30);
        AscendC::printf("%s", "dumps are off, and this is printed\n");
    });
}

int main(void)
{
    setenv("NPUTWIN_SCALAR_CACHE", "strict", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_stays_as_it_was_read),
        cmocka_unit_test(a_write_arrives_when_its_line_is_cleaned),
        cmocka_unit_test(cores_share_no_line),
        cmocka_unit_test(copies_go_past_it),
        cmocka_unit_test(what_is_not_cleaned_is_lost),
        cmocka_unit_test(dumps_are_off),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

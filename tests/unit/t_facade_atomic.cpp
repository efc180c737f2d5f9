/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_atomic.cpp - copies to GM that add or keep an extreme, padding by SetPadValue, and
 * blocks that wait for words of GM. Expected values: the vendor's table of boundary values, plain
 * loops.
 */
#include "kernel.hpp"
#include <cmath>

using namespace AscendC;

namespace {

template <class T> void expect(T got, T want, const char *what, size_t at)
{
    if (nputwin::bits_of(got) != nputwin::bits_of(want))
        fail_msg("%s %zu: %.9g, expected %.9g", what, at, double(float(got)), double(float(want)));
}

enum kind { ADD, MAXIMUM, MINIMUM };
template <class T> void set(kind k)
{
    if (k == ADD)
        SetAtomicAdd<T>();
    else if (k == MAXIMUM)
        SetAtomicMax<T>();
    else
        SetAtomicMin<T>();
}

/* One copy of n elements onto gm. */
template <class T> void copy_onto(std::vector<T> &gm, const std::vector<T> &v, kind k)
{
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<T> t = ub.Alloc<T>(uint32_t(v.size()));
        GlobalTensor<T> g;
        g.SetGlobalBuffer(gm.data(), gm.size());
        for (uint32_t i = 0; i < v.size(); i++)
            t.SetValue(i, v[i]);
        set<T>(k);
        DataCopy(g, t, uint32_t(v.size()));
        DisableDmaAtomic();
    });
}

/* The integer types wrap; the floats round once. */
template <class T> void check_values(void **)
{
    std::vector<T> old(64), v(64);
    for (size_t i = 0; i < 64; i++) {
        old[i] = T(int(i * 37 % 101) - 50);
        v[i] = T(int(i * 53 % 89) - 40);
    }
    for (kind k : {ADD, MAXIMUM, MINIMUM}) {
        std::vector<T> gm = old;
        copy_onto(gm, v, k);
        for (size_t i = 0; i < 64; i++) {
            const float a = old[i], b = v[i];
            expect(gm[i],
                   k == ADD       ? T(a + b)
                   : k == MAXIMUM ? T(std::fmax(a, b))
                                  : T(std::fmin(a, b)),
                   "kind", i);
        }
    }
}

/* The vendor's table, rows of half. */
void check_table(void **)
{
    const float MAX = 65504.0f, INF = INFINITY;
    struct row {
        kind k;
        float old, v, want;
    };
    const row rows[] = {
        {ADD, MAX, MAX, INF},        {ADD, -MAX, MAX, 0.0f},       {ADD, -0.0f, -0.0f, -0.0f},
        {ADD, 0.0f, -0.0f, 0.0f},    {ADD, INF, -INF, NAN},        {ADD, MAX, NAN, NAN},
        {MAXIMUM, -MAX, 0.0f, 0.0f}, {MAXIMUM, 0.0f, -0.0f, 0.0f}, {MAXIMUM, -0.0f, -INF, -0.0f},
        {MAXIMUM, MAX, NAN, NAN},    {MAXIMUM, NAN, INF, NAN},     {MINIMUM, 0.0f, -0.0f, -0.0f},
        {MINIMUM, MAX, INF, MAX},    {MINIMUM, -MAX, NAN, NAN},    {MINIMUM, INF, -INF, -INF},
    };
    for (const row &r : rows) {
        std::vector<half> gm(16, half(r.old));
        copy_onto(gm, std::vector<half>(16, half(r.v)), r.k);
        const float got = gm[7];
        if (r.want != r.want ? got == got
                             : nputwin::bits_of(gm[7]) != nputwin::bits_of(half(r.want)))
            fail_msg("kind %d: %g and %g are %g, not %g", r.k, double(r.old), double(r.v),
                     double(got), double(r.want));
    }
    std::vector<int8_t> gm(32, 127); /* integers wrap, as those of Add */
    copy_onto(gm, std::vector<int8_t>(32, 1), ADD);
    assert_int_equal(gm[31], -128);
}

/* SetStoreAtomicConfig adds in the named type; SetAtomicType changes only the type of what is on;
 * SetAtomicNone ends it. */
void check_config(void **)
{
    std::vector<float> f(8, 1.0f);
    std::vector<int32_t> k(8, 1), last(8, 1);
    std::vector<uint16_t> seen(2, 99);
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<float> two = ub.Alloc<float>(8);
        LocalTensor<int32_t> five = ub.Alloc<int32_t>(8);
        GlobalTensor<float> gf;
        GlobalTensor<int32_t> gk, gl;
        gf.SetGlobalBuffer(f.data(), f.size());
        gk.SetGlobalBuffer(k.data(), k.size());
        gl.SetGlobalBuffer(last.data(), last.size());
        for (uint32_t i = 0; i < 8; i++) {
            two.SetValue(i, 2.0f);
            five.SetValue(i, 5);
        }
        SetStoreAtomicConfig<AtomicDtype::ATOMIC_F32, AtomicOp::ATOMIC_SUM>();
        GetStoreAtomicConfig(seen[0], seen[1]);
        DataCopy(gf, two, 8);
        SetAtomicType<int32_t>();
        DataCopy(gk, five, 8);
        SetAtomicNone();
        DataCopy(gl, five, 8);
    });
    assert_int_equal(seen[0], int(AtomicDtype::ATOMIC_F32));
    assert_int_equal(seen[1], int(AtomicOp::ATOMIC_SUM));
    for (size_t i = 0; i < 8; i++) {
        expect(f[i], 3.0f, "f32", i);
        assert_int_equal(k[i], 6);
        assert_int_equal(last[i], 5);
    }
}

/* Forty blocks add to the same words: nothing gets lost. Also bursts with gaps, and off again. */
template <class T> void check_blocks(void **)
{
    std::vector<T> gm(64, T(3)), other(64, T(3));
    std::vector<uint16_t> types(2);
    run_well(
        [&] {
            LocalMemAllocator<> ub;
            LocalTensor<T> t = ub.Alloc<T>(64);
            GlobalTensor<T> g, o;
            g.SetGlobalBuffer(gm.data(), gm.size());
            o.SetGlobalBuffer(other.data(), other.size());
            for (uint32_t i = 0; i < 64; i++)
                t.SetValue(i, T(int(i % 3)));
            SetAtomicAdd<T>();
            for (int k = 0; k < 50; k++) {
                DataCopyPad(g, t, DataCopyExtParams(2, 10 * sizeof(T), 0, 3 * sizeof(T), 0));
                SetAtomicAdd<T>();
            }
            if (GetBlockIdx() == 0)
                GetStoreAtomicConfig(types[0], types[1]);
            DisableDmaAtomic();
            DataCopy(o, t, 32);
        },
        40);
    const uint32_t per_blk = 32 / sizeof(T), second = (10 + per_blk - 1) / per_blk * per_blk;
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t from = i < 10 ? i : i >= 13 && i < 23 ? second + i - 13 : 0;
        expect(gm[i], T(float(3 + (from % 3) * 2000)), "sum", i);
        expect(other[i], i < 32 ? T(int(i % 3)) : T(3), "plain", i);
    }
    assert_true(types[0] >= 1 && types[0] <= 6 && types[1] == 0);
}

void check_refused(void **)
{
    std::vector<float> gm(32);
    run_fails(
        [&] {
            LocalMemAllocator<> ub;
            GlobalTensor<int8_t> g;
            g.SetGlobalBuffer(reinterpret_cast<int8_t *>(gm.data()) + 1);
            SetAtomicAdd<float>();
            DataCopy(g, ub.Alloc<int8_t>(32), 32);
        },
        NPU_E_ALIGN, {"copy_ub_to_gm", "f32", "multiples of 4", "t_facade_atomic.cpp"});
}

void check_pad_value(void **)
{
    std::vector<half> gm(32, half(5.0f));
    run_well([&] {
        LocalMemAllocator<> ub;
        LocalTensor<half> t = ub.Alloc<half>(32);
        GlobalTensor<half> g;
        g.SetGlobalBuffer(gm.data());
        const DataCopyExtParams p(1, 6, 0, 0, 0);
        SetPadValue(half(-2.0f));
        DataCopyPad(t, g, p, DataCopyPadExtParams<half>(false, 2, 3, half(9.0f)));
        for (uint32_t i = 0; i < 16; i++)
            if (float(t.GetValue(i)) != (i >= 2 && i < 5 ? 5.0f : -2.0f))
                npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "element %u", i);
        DataCopyPad(t, g, p, DataCopyPadExtParams<half>(true, 2, 3, half(9.0f)));
        if (float(t.GetValue(0)) != 9.0f || float(t.GetValue(5)) != 9.0f)
            npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "isPad rules");
    });
}

/* ---- words -------------------------------------------------------------------------------- */

/* A chain: block i waits for block i - 1; three rounds with the same event. */
void check_chain(void **)
{
    enum { BLOCKS = 24, ROUNDS = 3 };
    std::vector<int32_t> words(BLOCKS * 8 * 3, 0), order;
    run_well(
        [&] {
            GlobalTensor<int32_t> gm;
            LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 8);
            gm.SetGlobalBuffer(words.data());
            const int32_t me = int32_t(GetBlockIdx());
            for (int round = 0; round < ROUNDS; round++) {
                if (me)
                    IBWait(gm, ub, me - 1, 2);
                order.push_back(round * BLOCKS + me);
                if (me + 1 < BLOCKS)
                    IBSet(gm, ub, me, 2);
                SyncAll();
            }
        },
        BLOCKS);
    assert_int_equal(order.size(), BLOCKS * ROUNDS);
    for (size_t i = 0; i < order.size(); i++)
        assert_int_equal(order[i], i);
    for (int32_t word : words)
        assert_int_equal(word, 0);
}

void check_turns(void **)
{
    enum { BLOCKS = 17, ROUNDS = 5 };
    std::vector<int32_t> words(BLOCKS * 8, 12345), order; /* need not be zero */
    run_well(
        [&] {
            GlobalTensor<int32_t> gm;
            LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 8);
            gm.SetGlobalBuffer(words.data());
            InitDetermineComputeWorkspace(gm, ub);
            for (int round = 0; round < ROUNDS; round++) {
                WaitPreBlock(gm, ub);
                order.push_back(round * BLOCKS + int32_t(GetBlockIdx()));
                NotifyNextBlock(gm, ub);
            }
        },
        BLOCKS);
    assert_int_equal(order.size(), BLOCKS * ROUNDS);
    for (size_t i = 0; i < order.size(); i++)
        assert_int_equal(order[i], i);
}

/* The first blocks look at a word until the last one writes it. */
void check_polling(void **)
{
    enum { BLOCKS = 30 };
    int64_t word = 0;
    std::vector<int64_t> seen(BLOCKS);
    run_well(
        [&] {
            const int64_t me = GetBlockIdx();
            if (me == BLOCKS - 1)
                WriteGmByPassDCache(&word, 77);
            while ((seen[size_t(me)] = ReadGmByPassDCache(&word)) != 77) {
            }
        },
        BLOCKS);
    for (int64_t v : seen)
        assert_int_equal(v, 77);
}

void check_deadlocks(void **)
{
    std::vector<int32_t> words(512, 0);
    const auto wait = [&](int32_t who) {
        GlobalTensor<int32_t> gm;
        gm.SetGlobalBuffer(words.data());
        IBWait(gm, LocalTensor<int32_t>(TPosition::VECCALC, 0, 8), who, 0);
    };
    outcome o = run_kernel([&] { wait(0); });
    assert_int_equal(o.status, NPU_E_DEADLOCK);
    assert_non_null(std::strstr(o.story.c_str(), "IBWait waits for ever"));
    o = run_kernel(/* three wait, two are in SyncAll, one has ended */
                   [&] {
                       if (GetBlockIdx() < 3)
                           wait(int32_t(GetBlockIdx()));
                       else if (GetBlockIdx() < 5)
                           SyncAll();
                   },
                   6);
    assert_int_equal(o.status, NPU_E_DEADLOCK);
    assert_non_null(std::strstr(o.story.c_str(), "block 0 of 6"));
    o = run_kernel([&] { wait(0); }, 49);
    assert_int_equal(o.status, NPU_E_DEADLOCK);
    assert_non_null(std::strstr(o.story.c_str(), "has 48 such cores"));
    o = run_kernel([&] {
        GlobalTensor<int32_t> gm;
        IBSet(gm, LocalTensor<int32_t>(TPosition::VECCALC, 0, 8), 0, 0);
    });
    assert_int_equal(o.status, NPU_E_ARG);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(check_values<int8_t>),  cmocka_unit_test(check_values<int16_t>),
        cmocka_unit_test(check_values<half>),    cmocka_unit_test(check_values<bfloat16_t>),
        cmocka_unit_test(check_values<int32_t>), cmocka_unit_test(check_values<float>),
        cmocka_unit_test(check_config),          cmocka_unit_test(check_table),
        cmocka_unit_test(check_blocks<int16_t>), cmocka_unit_test(check_blocks<int32_t>),
        cmocka_unit_test(check_blocks<float>),   cmocka_unit_test(check_refused),
        cmocka_unit_test(check_pad_value),       cmocka_unit_test(check_chain),
        cmocka_unit_test(check_turns),           cmocka_unit_test(check_polling),
        cmocka_unit_test(check_deadlocks),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

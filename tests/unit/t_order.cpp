/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_order.cpp - program, lazy and random order: equal where the flags are complete, different where
 * one is missing. Expected values are worked out by hand.
 */
#include "kernel.hpp"
#include <cstdlib>

using namespace AscendC;

enum { N = 64 };

template <class Body> static outcome run_in(npu_order order, uint64_t seed, Body body)
{
    npu_diag d = {};
    struct npu_launch l = {};
    l.soc = npu_soc_find("Ascend910B2");
    l.name = "test";
    l.block_dim = 1;
    l.core_kind = CORE_AIV;
    l.order = uint8_t(order);
    l.seed = seed;
    l.run = [](void *arg, npu_core *) { (*static_cast<Body *>(arg))(); };
    l.arg = &body;
    const npu_status st = npu_launch(&l, &d);
    return {st, d.text};
}

/* ---- a normalisation by hand, with flags that can be left out -------------------------- */

struct missing {
    bool mte2_v, v_s, v_mte3;
};
static const missing nothing = {false, false, false};

static void normalise(const float *in, float *out, missing m)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> xb, mb, wb;
    pipe.InitBuffer(xb, N * sizeof(float));
    pipe.InitBuffer(mb, 32);
    pipe.InitBuffer(wb, N * sizeof(float));
    GlobalTensor<float> src, dst;
    src.SetGlobalBuffer(const_cast<float *>(in), N);
    dst.SetGlobalBuffer(out, N);
    LocalTensor<float> x = xb.Get<float>(), top = mb.Get<float>(), work = wb.Get<float>();
    for (uint32_t i = 0; i < N; i++)
        x.SetValue(i, 4.0f);
    top.SetValue(0, 2.0f);
    DataCopy(x, src, N);
    if (!m.mte2_v) {
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    }
    ReduceMax(top, x, work, N);
    PipeBarrier<PIPE_V>();
    if (!m.v_s) {
        SetFlag<HardEvent::V_S>(EVENT_ID1);
        WaitFlag<HardEvent::V_S>(EVENT_ID1);
    }
    const float inv = 1.0f / top.GetValue(0);
    SetFlag<HardEvent::S_V>(EVENT_ID1);
    WaitFlag<HardEvent::S_V>(EVENT_ID1);
    Muls(x, x, inv, N);
    if (!m.v_mte3) {
        SetFlag<HardEvent::V_MTE3>(EVENT_ID2);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
    }
    DataCopy(dst, x, N);
}

static std::vector<float> normalised(npu_order order, uint64_t seed, missing m)
{
    std::vector<float> in(N), out(N, -1.0f);
    for (int i = 0; i < N; i++)
        in[size_t(i)] = 0.5f * float(i + 1);
    const outcome o = run_in(order, seed, [&] { normalise(in.data(), out.data(), m); });
    if (o.status != NPU_OK)
        fail_msg("%s", o.story.c_str());
    return out;
}
/* (i + 1) / 64: the maximum is 32. */
static std::vector<float> right_values()
{
    std::vector<float> v(N);
    for (int i = 0; i < N; i++)
        v[size_t(i)] = float(i + 1) / 64.0f;
    return v;
}

static void orders_agree_when_flags_are_complete(void **)
{
    assert_true(normalised(ORDER_PROGRAM, 0, nothing) == right_values());
    assert_true(normalised(ORDER_LAZY, 0, nothing) == right_values());
    for (uint64_t seed = 0; seed < 200; seed++)
        assert_true(normalised(ORDER_RANDOM, seed, nothing) == right_values());
}

/* The program order hides each of them. */
static void a_missing_flag_shows(void **)
{
    for (int k = 0; k < 3; k++) {
        const missing m = {k == 0, k == 1, k == 2};
        std::vector<float> lazy(N);
        assert_true(normalised(ORDER_PROGRAM, 0, m) == right_values());
        lazy = normalised(ORDER_LAZY, 0, m);
        assert_true(lazy != right_values());
        if (k == 0) /* the copy came last: the maximum and the scaled values were 4 */
            assert_true(lazy[0] == 0.5f || lazy[0] == 1.0f);
        if (k == 1) /* top was still 2 */
            assert_true(lazy[63] == 16.0f && lazy[0] == 0.25f);
        if (k == 2) /* copied out before it was scaled */
            assert_true(lazy[63] == 32.0f && lazy[0] == 0.5f);
        int differs = 0;
        for (uint64_t seed = 0; seed < 50; seed++)
            differs += normalised(ORDER_RANDOM, seed, m) != right_values();
        assert_true(differs > 0);
        assert_true(normalised(ORDER_RANDOM, 7, m) == normalised(ORDER_RANDOM, 7, m));
    }
}

/* What was read must not be overwritten before: only some orders show it. */
static void a_missing_drained_flag_shows_in_some_order(void **)
{
    int differs = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        std::vector<float> a(N, 1.0f), b(N, 2.0f), out(2 * N, -1.0f), want(N, 1.0f);
        const outcome o = run_in(ORDER_RANDOM, seed, [&] {
            LocalMemAllocator<Hardware::UB> ub;
            LocalTensor<float> x = ub.Alloc<float, N>();
            GlobalTensor<float> ga, gb, go;
            ga.SetGlobalBuffer(a.data(), N);
            gb.SetGlobalBuffer(b.data(), N);
            go.SetGlobalBuffer(out.data(), 2 * N);
            DataCopy(x, ga, N);
            SetFlag<HardEvent::MTE2_MTE3>(0);
            WaitFlag<HardEvent::MTE2_MTE3>(0);
            DataCopy(go, x, N);
            DataCopy(x, gb, N); /* MTE3 may still read x */
            SetFlag<HardEvent::MTE2_MTE3>(0);
            WaitFlag<HardEvent::MTE2_MTE3>(0);
            DataCopy(go[N], x, N);
        });
        assert_int_equal(o.status, NPU_OK);
        assert_true(out[N] == 2.0f);
        differs += out[0] != 1.0f;
    }
    assert_true(differs > 0);
}

/* ---- queues, barriers, long programs --------------------------------------------------- */

static void queues_give_complete_flags(void **)
{
    enum { TILES = 9, LEN = 256 };
    for (int k = 0; k < 60; k++) {
        std::vector<float> in(TILES * LEN), out(TILES * LEN, 0.0f);
        for (size_t i = 0; i < in.size(); i++)
            in[i] = float(i);
        const npu_order order = k == 0 ? ORDER_LAZY : k == 1 ? ORDER_PROGRAM : ORDER_RANDOM;
        const outcome o = run_in(order, uint64_t(k), [&] {
            TPipe pipe;
            TQue<TPosition::VECIN, 2> qin;
            TQue<TPosition::VECOUT, 2> qout;
            GlobalTensor<float> src, dst;
            src.SetGlobalBuffer(in.data(), in.size());
            dst.SetGlobalBuffer(out.data(), out.size());
            pipe.InitBuffer(qin, 2, LEN * sizeof(float));
            pipe.InitBuffer(qout, 2, LEN * sizeof(float));
            for (uint32_t t = 0; t < TILES; t++) {
                LocalTensor<float> x = qin.AllocTensor<float>();
                DataCopy(x, src[t * LEN], LEN);
                qin.EnQue(x);
                x = qin.DeQue<float>();
                LocalTensor<float> y = qout.AllocTensor<float>();
                Adds(y, x, 1.0f, LEN);
                qin.FreeTensor(x);
                qout.EnQue(y);
                y = qout.DeQue<float>();
                DataCopy(dst[t * LEN], y, LEN);
                qout.FreeTensor(y);
            }
        });
        assert_int_equal(o.status, NPU_OK);
        for (size_t i = 0; i < out.size(); i++)
            assert_true(out[i] == float(i) + 1.0f);
    }
}

/* A barrier on all pipes needs no flag; more instructions than a queue holds. */
static void barriers_and_long_programs(void **)
{
    enum { TIMES = 3000 };
    for (npu_order order : {ORDER_PROGRAM, ORDER_LAZY, ORDER_RANDOM}) {
        float sum = 0;
        const outcome o = run_in(order, 3, [&] {
            LocalMemAllocator<Hardware::UB> ub;
            LocalTensor<float> x = ub.Alloc<float, N>();
            for (uint32_t i = 0; i < N; i++)
                x.SetValue(i, 0.0f);
            for (int i = 0; i < TIMES; i++)
                Adds(x, x, 1.0f, N);
            PipeBarrier<PIPE_ALL>();
            sum = x.GetValue(N - 1);
        });
        assert_int_equal(o.status, NPU_OK);
        assert_true(sum == float(TIMES));
    }
}

/* Instructions that exchange values with the program run when they are issued, in every order. */
static void values_for_the_program_are_there(void **)
{
    for (npu_order order : {ORDER_PROGRAM, ORDER_LAZY, ORDER_RANDOM}) {
        uint64_t n = 0;
        const outcome o = run_in(order, 11, [&] {
            LocalMemAllocator<Hardware::UB> ub;
            LocalTensor<float> x = ub.Alloc<float, N>(), y = ub.Alloc<float, N>();
            Duplicate(x, 3.0f, N);
            GatherMask(y, x, 1, false, 0, {1, 1, 8, 0}, n); /* every second element */
        });
        assert_int_equal(o.status, NPU_OK);
        assert_int_equal(n, N / 2);
    }
}

/* Calls that become one vrows take part in the order as every instruction does: x in rows of 16,
 * their sums, each sum 8 times. */
static void rows_wait_for_their_operands(void **)
{
    for (uint64_t k = 0; k < 60; k++) {
        const npu_order order = k == 0 ? ORDER_LAZY : k == 1 ? ORDER_PROGRAM : ORDER_RANDOM;
        std::vector<float> in(N), out(4 * 8, -1.0f);
        for (size_t i = 0; i < N; i++)
            in[i] = float(i);
        const outcome o = run_in(order, k, [&] {
            LocalMemAllocator<Hardware::UB> ub;
            LocalTensor<float> x = ub.Alloc<float, N>(), y = ub.Alloc<float, N>();
            LocalTensor<float> z = ub.Alloc<float, N>();
            LocalTensor<uint8_t> tmp = ub.Alloc<uint8_t, 1024>();
            GlobalTensor<float> src, dst;
            src.SetGlobalBuffer(in.data(), N);
            dst.SetGlobalBuffer(out.data(), out.size());
            const uint32_t from[] = {4, 1}, to[] = {4, 8};
            DataCopy(x, src, N);
            SetFlag<HardEvent::MTE2_V>(0);
            WaitFlag<HardEvent::MTE2_V>(0);
            Sum(y, x, tmp, SumParams{4, 16, 16});
            Broadcast<float, 2, 1>(z, y, to, from, tmp);
            Duplicate(x, 0.0f, N);
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            DataCopy(dst, z, 4 * 8);
        });
        assert_int_equal(o.status, NPU_OK);
        for (uint32_t i = 0; i < 4 * 8; i++) /* 16 numbers from 16 r on */
            assert_true(out[i] == float(i / 8 * 256 + 120));
    }
}

/* The compare register is written and read in the name of the vector unit. */
static void the_compare_register_keeps_order(void **)
{
    for (uint64_t k = 0; k < 60; k++) {
        const npu_order order = k == 0 ? ORDER_LAZY : k == 1 ? ORDER_PROGRAM : ORDER_RANDOM;
        std::vector<float> in(N), out(2 * N, -1.0f);
        uint8_t bits[32] = {0x0f, 0, 0xff};
        for (size_t i = 0; i < N; i++)
            in[i] = float(i);
        const outcome o = run_in(order, k, [&] {
            LocalMemAllocator<Hardware::UB> ub;
            LocalTensor<float> x = ub.Alloc<float, N>(), y = ub.Alloc<float, N>();
            LocalTensor<float> z = ub.Alloc<float, N>(), w = ub.Alloc<float, N>();
            LocalTensor<uint8_t> mask = ub.Alloc<uint8_t, 32>();
            GlobalTensor<float> src, dst;
            GlobalTensor<uint8_t> choice;
            src.SetGlobalBuffer(in.data(), N);
            dst.SetGlobalBuffer(out.data(), out.size());
            choice.SetGlobalBuffer(bits, 32);
            DataCopy(x, src, N);
            DataCopy(mask, choice, 32);
            SetFlag<HardEvent::MTE2_V>(0);
            WaitFlag<HardEvent::MTE2_V>(0);
            Duplicate(y, 20.0f, N);
            Select(z, mask, x, y, SELMODE::VSEL_CMPMASK_SPR, N);
            Compare(x, y, CMPMODE::LT, uint64_t(N), BinaryRepeatParams(1, 1, 1, 8, 8, 8));
            Select<float, SELMODE::VSEL_CMPMASK_SPR>(w, x, y, 1,
                                                     BinaryRepeatParams(1, 1, 1, 8, 8, 8));
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            DataCopy(dst, z, N);
            DataCopy(dst[N], w, N);
        });
        assert_int_equal(o.status, NPU_OK);
        for (uint32_t i = 0; i < N; i++) {
            assert_true(out[i] == (i < 4 || (i >= 16 && i < 24) ? float(i) : 20.0f));
            assert_true(out[N + i] == (i < 20 ? float(i) : 20.0f));
        }
    }
}

/* ---- faults ---------------------------------------------------------------------------- */

static void a_wait_without_set_is_a_deadlock(void **)
{
    for (npu_order order : {ORDER_PROGRAM, ORDER_LAZY, ORDER_RANDOM}) {
        const outcome v = run_in(order, 1, [] { WaitFlag<HardEvent::MTE2_V>(3); });
        assert_int_equal(v.status, NPU_E_DEADLOCK);
        assert_non_null(strstr(v.story.c_str(), "wait_flag(MTE2, V, 3) waits for ever"));
        const outcome s = run_in(order, 1, [] { WaitFlag<HardEvent::V_S>(2); });
        assert_int_equal(s.status, NPU_E_DEADLOCK);
        /* each waits for what stands behind the other's wait */
        const outcome ring = run_in(order, 1, [] {
            WaitFlag<HardEvent::MTE3_V>(0);
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            SetFlag<HardEvent::MTE3_V>(0);
        });
        assert_int_equal(ring.status, NPU_E_DEADLOCK);
    }
}

static void a_fault_names_line_and_order(void **)
{
    uint32_t line = 0;
    const outcome o = run_in(ORDER_RANDOM, 42, [&] {
        LocalMemAllocator<Hardware::UB> ub;
        LocalTensor<float> x = ub.Alloc<float, N>();
        line = __LINE__ + 1;
        Adds(x, x, 1.0f, 1 << 20);
    });
    assert_int_equal(o.status, NPU_E_RANGE);
    assert_non_null(strstr(o.story.c_str(), ("t_order.cpp:" + std::to_string(line)).c_str()));
    assert_non_null(strstr(o.story.c_str(), "NPUTWIN_ORDER=random:42"));
}

int main(void)
{
    setenv("NPUTWIN_AUTO_SYNC", "off", 1); /* a missing flag to the scalar unit is to show */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_agree_when_flags_are_complete),
        cmocka_unit_test(a_missing_flag_shows),
        cmocka_unit_test(a_missing_drained_flag_shows_in_some_order),
        cmocka_unit_test(queues_give_complete_flags),
        cmocka_unit_test(barriers_and_long_programs),
        cmocka_unit_test(values_for_the_program_are_there),
        cmocka_unit_test(rows_wait_for_their_operands),
        cmocka_unit_test(the_compare_register_keeps_order),
        cmocka_unit_test(a_wait_without_set_is_a_deadlock),
        cmocka_unit_test(a_fault_names_line_and_order),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

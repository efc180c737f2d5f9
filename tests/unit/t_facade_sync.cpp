/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_sync.cpp - what joins cores: flags between them, partial SyncAll, group barriers. Each
 * test has blocks that write what others read, so that a missing wait shows as a wrong number.
 */
#include "kernel.hpp"

using namespace AscendC;

enum { BLOCKS = 8 };

/* Mode 0: nobody goes on before all have set; twice, so that counters go up and down again. */
static void cross_flags_join_all_cores(void **)
{
    for (int round = 0; round < 20; round++) {
        std::vector<int> in(BLOCKS, 0), sum(BLOCKS, 0), twice(BLOCKS, 0);
        run_well(
            [&] {
                const int me = int(GetBlockIdx());
                in[size_t(me)] = me + 1;
                CrossCoreSetFlag<0, PIPE_MTE3>(3);
                CrossCoreWaitFlag(3);
                for (int v : in)
                    sum[size_t(me)] += v;
                CrossCoreSetFlag<0x0, PIPE_V>(3);
                CrossCoreWaitFlag<0, PIPE_V>(3);
                for (int v : sum)
                    twice[size_t(me)] += v;
            },
            BLOCKS);
        for (int i = 0; i < BLOCKS; i++) {
            assert_int_equal(sum[size_t(i)], 36);
            assert_int_equal(twice[size_t(i)], 36 * BLOCKS);
        }
    }
}
/* Mode 1: a launch of vector cores has groups of one. Ids keep their low four bits. */
static void cross_flags_of_a_group(void **)
{
    run_well(
        [] {
            CrossCoreSetFlag<1, PIPE_MTE2>(0);
            CrossCoreSetFlag<1, PIPE_MTE2>(16);
            CrossCoreWaitFlag<1, PIPE_MTE2>(0);
            CrossCoreWaitFlag(0);
        },
        3);
}

/* The flag stands behind the copy on its pipe, in every order. */
static void cross_flags_stand_on_their_pipe(void **)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        std::vector<float> gm(BLOCKS * 8, 0.0f), sum(BLOCKS, 0.0f);
        auto body = [&] {
            const uint32_t me = uint32_t(GetBlockIdx());
            LocalMemAllocator<Hardware::UB> ub;
            LocalTensor<float> x = ub.Alloc<float, 8>(), y = ub.Alloc<float, BLOCKS * 8>();
            GlobalTensor<float> g;
            g.SetGlobalBuffer(gm.data(), gm.size());
            Duplicate(x, float(me + 1), 8);
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            DataCopy(g[me * 8], x, 8);
            CrossCoreSetFlag<0, PIPE_MTE3>(1);
            CrossCoreWaitFlag(1);
            DataCopy(y, g, BLOCKS * 8);
            SetFlag<HardEvent::MTE2_S>(0);
            WaitFlag<HardEvent::MTE2_S>(0);
            for (uint32_t i = 0; i < BLOCKS; i++)
                sum[me] += y.GetValue(i * 8);
        };
        run_out_of_order(seed, BLOCKS, body);
        for (float s : sum)
            assert_true(s == 36.0f);
    }
}
/* What the vector unit leaves in registers is there when the scalar unit reads it. */
static void registers_wait(void **)
{
    run_out_of_order(0, 1, [] {
        LocalTensor<float> x(TPosition::VECCALC, 0, 64), y(TPosition::VECCALC, 1024, 64);
        uint64_t n = 99;
        float value = 0, index = 0;
        Duplicate(x, 2.0f, 64);
        GatherMask(y, x, uint8_t(1), false, 0, {1, 1, 8, 0}, n);
        assert_int_equal(n, 32);
        ReduceSum(y, x, x, 64);
        assert_true(GetReduceRepeatSumSpr<float>() == 128.0f);
        x.SetValue(7, 5.0f);
        ReduceMax(y, x, x, 64);
        GetReduceRepeatMaxMinSpr(value, index);
        assert_true(value == 5.0f);
        assert_int_equal(int64_t(get_max_min_cnt()), int64_t(7) << 32 | 0x40a00000);
        float *queues[4] = {(float *)x.GetPhyAddr(), (float *)x.GetPhyAddr(2)};
        vmrgsort4((float *)y.GetPhyAddr(), queues, 1, 1, 1, 0, 0, false, 3);
        assert_true(get_vms4_sr() == 0x00010001);
        vreducev2((uint32_t *)y.GetPhyAddr(), (uint32_t *)x.GetPhyAddr(), (uint32_t *)nullptr, 1, 1,
                  3, 8, 0);
        assert_int_equal(get_rsvd_cnt(), 16);
    });
}
/* The compiler inserts V -> S, S -> V and MTE2 -> S; with NPUTWIN_AUTO_SYNC=off t_order.cpp tests
 * it. */
static void scalar_accesses_wait(void **)
{
    std::vector<float> in(64, 3.0f);
    for (uint32_t seed = 0; seed < 30; seed++) {
        float first = 0, second = 0, third = 0;
        run_out_of_order(seed, 1, [&] {
            LocalTensor<float> x(TPosition::VECCALC, 0, 64), y(TPosition::VECCALC, 1024, 64);
            GlobalTensor<float> g;
            g.SetGlobalBuffer(in.data(), 64);
            DataCopy(x, g, 64);
            first = x.GetValue(63);
            Muls(y, x, 2.0f, 64);
            x.SetValue(0, 100.0f); /* Muls has read it */
            second = y.GetValue(0);
            Muls(y, x, 2.0f, 64);
            third = y(0);
        });
        assert_true(first == 3.0f && second == 6.0f && third == 200.0f);
    }
}
static void cross_flag_refusals(void **)
{
    run_fails([] { CrossCoreWaitFlag(2); }, NPU_E_DEADLOCK, {"CrossCoreWaitFlag(2)", "for ever"});
    const outcome o = run_kernel(
        [] {
            if (GetBlockIdx() != 1)
                CrossCoreSetFlag<0, PIPE_V>(4);
            CrossCoreWaitFlag(4);
        },
        3);
    assert_int_equal(o.status, NPU_E_DEADLOCK);
    run_fails([] { CrossCoreSetFlag<2, PIPE_V>(4); }, NPU_E_UNSUP, {"CrossCoreSetFlag<2>", "cube"});
    run_fails(
        [] {
            for (int i = 0; i < 16; i++)
                CrossCoreSetFlag<0, PIPE_V>(4);
        },
        NPU_E_RANGE, {"counter 4", "15"});
    const outcome many = run_kernel([] { CrossCoreSetFlag<0, PIPE_V>(4); }, 49);
    assert_int_equal(many.status, NPU_E_DEADLOCK);
    assert_non_null(strstr(many.story.c_str(), "at most 48"));
}

static GlobalTensor<int32_t> words(std::vector<int32_t> &v)
{
    GlobalTensor<int32_t> g;
    g.SetGlobalBuffer(v.data(), v.size());
    return g;
}
/* The soft form: the first n of the blocks, again and again on the same words. */
static void soft_sync_of_some_cores(void **)
{
    for (int used : {0, 1, 3, int(BLOCKS)}) {
        std::vector<int32_t> gm(BLOCKS * 8, 0);
        std::vector<int> step(BLOCKS, 0);
        const int n = used ? used : BLOCKS;
        bool ok[BLOCKS] = {};
        run_well(
            [&] {
                const int me = int(GetBlockIdx());
                LocalTensor<int32_t> ub(TPosition::VECCALC, 0, BLOCKS * 8);
                if (me >= n)
                    return;
                bool fine = true;
                for (int s = 1; s <= 4; s++) {
                    __atomic_store_n(&step[size_t(me)], s, __ATOMIC_SEQ_CST);
                    SyncAll(words(gm), ub, used);
                    for (int i = 0; i < n; i++)
                        fine &= __atomic_load_n(&step[size_t(i)], __ATOMIC_SEQ_CST) >= s;
                    SyncAll<true>(words(gm), ub, used);
                    for (int i = 0; i < n; i++)
                        fine &= __atomic_load_n(&step[size_t(i)], __ATOMIC_SEQ_CST) == s;
                    SyncAll(words(gm), ub, used);
                }
                ok[me] = fine;
            },
            BLOCKS);
        for (int i = 0; i < n; i++)
            assert_true(ok[i]);
    }
    std::vector<int32_t> gm(BLOCKS * 8, 0);
    run_fails(
        [&] {
            LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 64);
            SyncAll(words(gm), ub, 2);
        },
        NPU_E_ARG, {"SyncAll of 2 cores in block 0 of 1"});
}

/* Two blocks arrive, three wait, twice. */
static void group_barrier(void **)
{
    alignas(512) static int32_t gm[3 * 128];
    std::memset(gm, 0, sizeof gm);
    std::vector<int> in(2, 0), got(3, 0), again(3, 0);
    run_well(
        [&] {
            const uint32_t me = uint32_t(GetBlockIdx());
            GroupBarrier<PipeMode::MTE3_MODE> bar(reinterpret_cast<uint8_t *>(gm), 2, 3);
            if (me < 2) {
                in[me] = int(me) + 5;
                bar.Arrive(me);
                bar.Arrive(me);
            } else {
                bar.Wait(me - 2);
                got[me - 2] = in[0] * in[1];
                bar.Wait(me - 2);
                again[me - 2] = int(bar.GetWorkspaceLen());
            }
        },
        5);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(got[size_t(i)], 30);
        assert_int_equal(again[size_t(i)], 3 * 512);
    }
    run_fails(
        [] { GroupBarrier<PipeMode::MTE3_MODE>(reinterpret_cast<uint8_t *>(gm), 2, 3).Arrive(2); },
        NPU_E_ARG, {"GroupBarrier::Arrive", "2 of 2"});
    run_fails([] { GroupBarrier<PipeMode::MTE3_MODE>(reinterpret_cast<uint8_t *>(gm + 1), 2, 3); },
              NPU_E_ARG, {"GroupBarrier", "512"});
}

static void que_sync_and_tasks(void **)
{
    run_well([] {
        TQueSync<PIPE_V, PIPE_MTE3> s;
        s.SetFlag(2);
        s.WaitFlag(2);
        WaitPreTaskEnd();
        SetNextTaskStart();
        SetNextTaskStart<PIPE_V, PIPE_M, true>();
        DataSyncBarrier<MemDsbT::ALL>();
        DataSyncBarrier<MemDsbT::SEQ>();
    });
    run_fails([] { TQueSync<PIPE_V, PIPE_MTE3>().WaitFlag(2); }, NPU_E_DEADLOCK,
              {"wait_flag(V, MTE3, 2)"});
    for (int id : {8, -1, 1000})
        run_fails([=] { SetFlag<HardEvent::V_MTE3>(id); }, NPU_E_ARG, {"event id", "0 to 7"});
}

/* A block that looks at GM until it changes lets the others run. */
static void polling_through_the_cache(void **)
{
    alignas(64) int32_t flags[4 * 16] = {};
    bool seen = false;
    run_well(
        [&] {
            const uint32_t me = uint32_t(GetBlockIdx());
            GlobalTensor<int32_t> g;
            g.SetGlobalBuffer(flags, 64);
            if (me) {
                g.SetValue(me * 16, 7);
                DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE,
                                         DcciDst::CACHELINE_OUT>(g[me * 16]);
                return;
            }
            for (uint32_t i = 1; i < 4; i++)
                while (g.GetValue(i * 16) != 7)
                    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(g);
            seen = true;
        },
        4);
    assert_true(seen);
}

/* ---- messages to cube cores (tests/cc/src/group.asc runs them) ------------------------------ */

struct message {
    CubeGroupMsgHead head;
    uint8_t rest[62];
};
template <class M, class Msg> struct nothing {
    static void Init(nothing &, M &, GM_ADDR) {}
    static void Call(M &, Msg *, CubeResGroupHandle<Msg> &) {}
};

/* Three queues of four messages of 64 bytes are 768 bytes, 1024 in multiples of 512. */
static void message_memory(void **)
{
    alignas(512) static uint8_t gm[4096];
    uint8_t *at[3] = {};
    uint16_t offset[5] = {};
    run_well([&] {
        KfcWorkspace desc(gm);
        at[0] = desc.GetKfcWorkspace();
        desc.UpdateKfcWorkspace(64);
        at[1] = desc.GetKfcWorkspace();
        auto handle = CreateCubeResGroup<1, int, nothing, message>(desc, 0, 2, 3, nullptr);
        at[2] = desc.GetKfcWorkspace();
        handle.AssignQueue(1);
        for (int i = 0; i < 4; i++)
            offset[i] = handle.PostFakeMsg(handle.AllocMessage());
        gm[64 + 64] = 0; /* as a cube core that frees the first message of queue 1 */
        message m = {{CubeMsgState::VALID, 9}, {7}};
        offset[4] = handle.PostMessage(handle.AllocMessage(), m);
    });
    assert_true(at[0] == gm && at[1] == gm + 64 && at[2] == gm + 64 + 1024);
    for (int i = 0; i < 4; i++)
        assert_int_equal(offset[i], 3 * i);
    assert_int_equal(offset[4], 0);
    assert_int_equal(gm[64 + 64], uint8_t(CubeMsgState::VALID));
    assert_int_equal(gm[64 + 64 + 1], 9);
    assert_int_equal(gm[64 + 64 + 2], 7);
    for (int i = 1; i < 4; i++)
        assert_int_equal(gm[64 + (3 * i + 1) * 64], uint8_t(CubeMsgState::FAKE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_memory),
        cmocka_unit_test(cross_flags_join_all_cores),
        cmocka_unit_test(cross_flags_of_a_group),
        cmocka_unit_test(cross_flags_stand_on_their_pipe),
        cmocka_unit_test(registers_wait),
        cmocka_unit_test(scalar_accesses_wait),
        cmocka_unit_test(cross_flag_refusals),
        cmocka_unit_test(soft_sync_of_some_cores),
        cmocka_unit_test(group_barrier),
        cmocka_unit_test(que_sync_and_tasks),
        cmocka_unit_test(polling_through_the_cache),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

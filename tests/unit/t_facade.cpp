/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade.cpp - whole kernels in the four styles of Ascend C, and what the door says when a kernel
 * breaks a rule of TPipe and TQue.
 */
#include "kernel.hpp"
#include <chrono>
#include <cmath>
#include <cstring>
#include <unistd.h>

using namespace AscendC;

/* ---- style 1: queues, double-buffered, several blocks, a tail ------------------------ */

template <class T> class AddWithQueues {
public:
    __aicore__ inline AddWithQueues() {}
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n, uint32_t tile)
    {
        const uint32_t each = n / uint32_t(GetBlockNum()), at = each * uint32_t(GetBlockIdx());
        tile_ = tile;
        n_ = GetBlockIdx() == GetBlockNum() - 1 ? n - at : each;
        x_.SetGlobalBuffer((__gm__ T *)x + at, n_);
        y_.SetGlobalBuffer((__gm__ T *)y + at, n_);
        z_.SetGlobalBuffer((__gm__ T *)z + at, n_);
        pipe_.InitBuffer(in_x_, 2, tile * sizeof(T));
        pipe_.InitBuffer(in_y_, 2, tile * sizeof(T));
        pipe_.InitBuffer(out_, 2, tile * sizeof(T));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < n_; at += tile_) {
            const uint32_t len = n_ - at < tile_ ? n_ - at : tile_;
            CopyIn(at, len);
            Compute(len);
            CopyOut(at, len);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t len)
    {
        LocalTensor<T> x = in_x_.template AllocTensor<T>(), y = in_y_.template AllocTensor<T>();
        DataCopyExtParams p{1, uint32_t(len * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, T(0)};
        DataCopyPad(x, x_[at], p, pad);
        DataCopyPad(y, y_[at], p, pad);
        in_x_.EnQue(x);
        in_y_.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t len)
    {
        LocalTensor<T> x = in_x_.template DeQue<T>(), y = in_y_.template DeQue<T>();
        LocalTensor<T> z = out_.template AllocTensor<T>();
        Add(z, x, y, len);
        out_.template EnQue<T>(z);
        in_x_.FreeTensor(x);
        in_y_.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t len)
    {
        LocalTensor<T> z = out_.template DeQue<T>();
        DataCopyPad(z_[at], z, DataCopyExtParams{1, uint32_t(len * sizeof(T)), 0, 0, 0});
        out_.FreeTensor(z);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_x_, in_y_;
    TQue<TPosition::VECOUT, 1> out_;
    GlobalTensor<T> x_, y_, z_;
    uint32_t n_ = 0, tile_ = 0;
};

template <class T> static void add_with_queues(uint32_t blocks)
{
    const uint32_t n = 10007;
    std::vector<T> x(n), y(n), z(n, T(-1)), want(n);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = T(int(i % 251) - 100);
        y[i] = T(int(i % 17) * 3);
        want[i] = T(x[i] + y[i]);
    }
    run_well(
        [&] {
            AddWithQueues<T> op;
            op.Init((GM_ADDR)x.data(), (GM_ADDR)y.data(), (GM_ADDR)z.data(), n, 512);
            op.Process();
        },
        blocks);
    assert_same(z, want, "z");
}
static void queues(void **)
{
    add_with_queues<half>(1);
    add_with_queues<float>(8);
    add_with_queues<int16_t>(48);
    add_with_queues<int32_t>(3);
}

/* ---- style 2: TBuf and flags of the pipe --------------------------------------------- */

static void buffers(void **)
{
    const uint32_t n = 256;
    std::vector<float> x(n), z(n), want(n);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = float(i) - 3.5f;
        want[i] = x[i] * 2.0f + 1.0f;
    }
    run_well([&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> mem;
        GlobalTensor<float> gx, gz;
        gx.SetGlobalBuffer(x.data(), n);
        gz.SetGlobalBuffer(z.data());
        pipe.InitBuffer(mem, 2 * n * sizeof(float));
        LocalTensor<float> a = mem.Get<float>(n),
                           b = mem.GetWithOffset<float>(n, n * sizeof(float));
        TEventID in = pipe.AllocEventID<HardEvent::MTE2_V>();
        DataCopy(a, gx, n);
        SetFlag<HardEvent::MTE2_V>(in);
        WaitFlag<HardEvent::MTE2_V>(in);
        pipe.ReleaseEventID<HardEvent::MTE2_V>(in);
        Muls(b, a, 2.0f, n);
        PipeBarrier<PIPE_V>();
        Adds(b, b, 1.0f, n);
        TEventID out = GetTPipePtr()->FetchEventID(HardEvent::V_MTE3);
        SetFlag<HardEvent::V_MTE3>(out);
        WaitFlag<HardEvent::V_MTE3>(out);
        DataCopy(gz, b, n);
    });
    assert_same(z, want, "z");
}

/* ---- style 3: no pipe, LocalMemAllocator and event ids by hand ----------------------- */

static void allocator(void **)
{
    const uint32_t n = 1024, tile = 128;
    std::vector<half> x(n), z(n), want(n);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = half(i % 64) * half(0.25);
        want[i] = half(float(x[i]) * float(x[i]));
    }
    run_well([&] {
        InitSocState();
        LocalMemAllocator<Hardware::UB> ub;
        LocalTensor<half> a = ub.Alloc<half, tile>(), b = ub.Alloc<TPosition::VECOUT, half>(tile);
        assert_int_equal(ub.GetCurAddr(), 2 * tile * sizeof(half));
        GlobalTensor<half> gx, gz;
        gx.SetGlobalBuffer(x.data(), n);
        gz.SetGlobalBuffer(z.data(), n);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
        for (uint32_t at = 0; at < n; at += tile) {
            WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
            DataCopy(a, gx[at], tile);
            SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
            WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
            WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
            Mul(b, a, a, tile);
            SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
            SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
            WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
            DataCopy(gz[at], b, tile);
            SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
        }
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    });
    assert_same(z, want, "z");
}

/* ---- other shapes of a queue --------------------------------------------------------- */

static void bind_and_inplace(void **)
{
    const uint32_t n = 64;
    std::vector<float> x(n), y(n), z(n);
    for (uint32_t i = 0; i < n; i++)
        x[i] = float(i);
    run_well([&] {
        TPipe pipe;
        TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> through;
        TQue<TPosition::VECIN, 0> in;
        TQue<TPosition::VECIN, 2> two;
        GlobalTensor<float> gx, gy, gz;
        gx.SetGlobalBuffer(x.data(), n);
        gy.SetGlobalBuffer(y.data(), n);
        gz.SetGlobalBuffer(z.data(), n);
        pipe.InitBuffer(through, 1, n * sizeof(float));
        pipe.InitBuffer(in, 1, n * sizeof(float));
        pipe.InitBuffer(two, 2, 32);

        LocalTensor<float> t = through.AllocTensor<float>(); /* GM to GM without the vector pipe */
        DataCopy(t, gx, n);
        through.EnQue(t);
        t = through.DeQue<float>();
        DataCopy(gy, t, n);
        through.FreeTensor(t);

        LocalTensor<float> u;
        in.AllocTensor(u);
        DataCopy(u, gx, n);
        in.EnQue(u);
        in.DeQue(u);
        u = u + u;
        PipeBarrier<PIPE_ALL>();
        DataCopy(gz, u, n);
        in.FreeTensor(u);

        assert_true(two.HasIdleBuffer() && two.VacantInQue() && !two.HasTensorInQue());
        LocalTensor<float> a = two.AllocTensor<float>(), b = two.AllocTensor<float>();
        assert_false(two.HasIdleBuffer());
        assert_true(a.GetPhyAddr() + 32 == b.GetPhyAddr());
        two.EnQue(a);
        two.EnQue(b);
        assert_false(two.VacantInQue());
        assert_int_equal(two.GetTensorCountInQue(), 2);
        LocalTensor<float> c = two.DeQue<float>(), d = two.DeQue<float>(); /* first in, first out */
        assert_true(c.GetPhyAddr() == a.GetPhyAddr() && d.GetPhyAddr() == b.GetPhyAddr());
        two.FreeTensor(d);
        two.FreeTensor(c);
        two.FreeAllEvent();
    });
    for (uint32_t i = 0; i < n; i++) {
        assert_true(y[i] == x[i]);
        assert_true(z[i] == 2 * x[i]);
    }
}

static void reset_and_destroy(void **)
{
    run_well([&] {
        TPipe pipe;
        TQue<TPosition::VECOUT, 1> que;
        for (int i = 0; i < 3; i++) { /* all of UB each time */
            pipe.InitBuffer(que, 1, 192 * 1024);
            LocalTensor<float> t = que.AllocTensor<float>();
            que.EnQue(t);
            t = que.DeQue<float>();
            que.FreeTensor(t);
            pipe.Reset();
        }
        pipe.Destroy();
        assert_null(GetTPipePtr());
        TPipe next;
        assert_ptr_equal(GetTPipePtr(), &next);
        next.InitBuffer(que, 2, 1024);
        next.Destroy();
        next.Init();
        next.InitBuffer(que, 1, 1024);
    });
}

static void tensors(void **)
{
    run_well([&] {
        TPipe pipe;
        TBuf<> buf;
        pipe.InitBuffer(buf, 100); /* rounded up to 128 */
        LocalTensor<int32_t> t = buf.Get<int32_t>();
        assert_int_equal(t.GetSize(), 32);
        assert_int_equal(t.GetLength(), 128);
        assert_int_equal(t.GetPosition(), int(TPosition::VECCALC));
        for (int i = 0; i < 32; i++)
            t.SetValue(i, i);
        t(5) = 500;
        assert_int_equal(t.GetValue(5), 500);
        assert_int_equal(t[4].GetValue(1), 500);
        assert_int_equal(t[30].GetSize(), 2);
        LocalTensor<int16_t> s = t.ReinterpretCast<int16_t>();
        assert_int_equal(s.GetSize(), 64);
        assert_int_equal(s(6), 3);
        LocalTensor<uint8_t> u;
        u.SetAddrWithOffset(t, 2);
        assert_int_equal(u(0), 2);
        t.SetSize(7);
        assert_int_equal(t.GetLength(), 28);
        t.SetUserTag(9);
        assert_int_equal(t.ReinterpretCast<float>().GetUserTag(), 9);
        assert_true(t.GetPhyAddr(1) == t.GetPhyAddr() + 4);
        LocalTensor<float> fixed(TPosition::VECIN, 64, 8);
        assert_int_equal(fixed.GetSize(), 8);
        fixed.ReinterpretCast<int32_t>().SetValue(0, 77);
        assert_int_equal(buf.Get<int32_t>().GetValue(16), 77);

        std::vector<float> g(16, 1.5f);
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(g.data(), 16);
        gm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        gm.SetValue(3, 2.5f);
        gm(4) = 3.5f;
        assert_true(gm[3].GetValue(0) == 2.5f && gm.GetValue(4) == 3.5f);
        assert_int_equal(gm[3].GetSize(), 13);
        assert_int_equal(gm.ReinterpretCast<half>().GetSize(), 32);
        assert_ptr_equal(gm.GetPhyAddr(), g.data());
        assert_int_equal(nputwin::type_of<half>, TYPE_f16);
    });
}

/* Memory that a kernel lays out itself: the fields of an address, in any order. */
static void addresses(void **)
{
    run_well([&] {
        LocalTensor<int32_t> whole(TPosition::VECIN, 0, 1024);
        for (int i = 0; i < 1024; i++)
            whole.SetValue(uint32_t(i), i);
        LocalTensor<int32_t> t;
        t.InitBuffer(128, 32);
        assert_int_equal(t.GetSize(), 32);
        assert_int_equal(t.GetValue(1), 33);
        assert_int_equal(t.address_.bufferAddr, 128);
        assert_int_equal(t.address_.dataLen, 128);
        TBuffAddr a;
        a.logicPos = uint8_t(TPosition::VECOUT);
        a.bufferAddr = 256;
        a.dataLen = 64;
        LocalTensor<int16_t> s;
        s.SetAddr(a);
        assert_int_equal(s.GetPosition(), int(TPosition::VECOUT));
        assert_int_equal(s.GetSize(), 32);
        assert_int_equal(s.GetValue(2), 65);
        s.SetAddr(t.address_);
        assert_int_equal(s.GetValue(0), 32);
        s.address_.bufferAddr = whole[7].GetPhyAddr(); /* a pointer into UB is an address too */
        assert_int_equal(s.GetValue(0), 7);
        assert_int_equal(s.address_.bufferAddr, 28);
        s.address_.dataLen = t.address_.dataLen;
        assert_int_equal(s.GetSize(), 64);
        assert_int_equal(LocalTensor<int32_t>(a).GetValue(0), 64);
        LocalTensor<int32_t> null;
        null.address_.logicPos = t.address_.logicPos;
        assert_null(null.raw());
    });
    /* From one memory to the next: the offset stays. A cube core has no UB to begin with. */
    const outcome o = run_on(CORE_AIC, 0, [] {
        LocalTensor<uint8_t> t;
        t.InitBuffer(512, 1024);
        assert_int_equal(t.address_.bufferAddr, 512);
        t.address_.logicPos = uint8_t(TPosition::A1);
        assert_ptr_equal(t.raw(), npu_self()->mem[MEM_L1].base + 512);
        t.address_.logicPos = uint8_t(TPosition::CO1);
        assert_ptr_equal(t.raw(), npu_self()->mem[MEM_L0C].base + 512);
        assert_int_equal(t[256].ReinterpretCast<half>().address_.bufferAddr, 768);
    });
    assert_int_equal(o.status, NPU_OK);
}

static void who_am_i(void **)
{
    std::vector<int64_t> seen(12 * 8);
    run_well(
        [&] {
            int64_t *row = &seen[size_t(GetBlockIdx()) * 8];
            row[0] = GetBlockIdx();
            row[1] = GetBlockNum();
            row[2] = GetSubBlockIdx();
            row[3] = GetTaskRatio();
            row[4] = get_block_idx();
            row[5] = get_block_num();
            SyncAll();
            row[6] =
                seen[size_t((GetBlockIdx() + 1) % 12) * 8] + 1; /* written before the barrier */
        },
        12);
    for (int64_t i = 0; i < 12; i++) {
        const int64_t *row = &seen[size_t(i) * 8];
        assert_int_equal(row[0], i);
        assert_int_equal(row[1], 12);
        assert_int_equal(row[2], 0);
        assert_int_equal(row[3], 1);
        assert_int_equal(row[4], i);
        assert_int_equal(row[5], 12);
        assert_int_equal(row[6], (i + 1) % 12 + 1);
    }
}

/* A kernel's own function of that name is the one that it means. */
template <class T> static T AlignUp(T a, T) { return a + 100; }
static_assert(AscendC::AlignUp(33u, 32u) == 64 && AscendC::AlignUp(64, 32) == 64);
static_assert(AscendC::AlignUp(int64_t(1), 512) == 512 && AscendC::AlignUp(7, 0) == 0);

static void sizes_and_clock(void **)
{
    assert_int_equal(AlignUp(1, 32), 101);
    run_well([] {
        static_assert(TOTAL_UB_SIZE == 196608 && GetDataBlockSizeInBytes() == 32);
        const int64_t start = GetSystemCycle();
        usleep(20000);
        assert_in_range(GetSystemCycle() - start, 20000 * 50,
                        100000000); /* 50 ticks a microsecond */
        DataSyncBarrier<MemDsbT::ALL>();
        GlobalTensor<int32_t> gm;
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm);
        TPipe pipe;
        assert_ptr_equal(::GetTPipePtr(), AscendC::GetTPipePtr());
    });
}

/* ---- faults -------------------------------------------------------------------------- */

/* Three 64 KB buffers fill UB; the fourth is named with what it asks and what is left. */
static void ub_overflow(void **)
{
    auto kernel = [] {
        TPipe pipe;
        TQue<TPosition::VECIN, 1> qa, qb;
        TQue<TPosition::VECOUT, 1> qc;
        TBuf<TPosition::VECCALC> tmp;
        pipe.InitBuffer(qa, 1, 128 * 128 * sizeof(float));
        pipe.InitBuffer(qb, 1, 128 * 128 * sizeof(float));
        pipe.InitBuffer(qc, 1, 128 * 128 * sizeof(float));
        pipe.InitBuffer(tmp, 2290);
        LocalTensor<float> t = tmp.Get<float>(); /* the scalar code of a failed kernel runs on */
        for (uint32_t i = 0; i < 576; i++)
            t.SetValue(i, 1.0f);
        Duplicate(t, 0.0f, 64);
    };
    run_fails(kernel, NPU_E_UB_FULL,
              {"TBuf<VECCALC>", "2290", "2304", "0 of 196608", "2304 too many", "t_facade.cpp"});
    run_well(kernel, 1, "Ascend950PR_9599"); /* 253952 bytes there */

    run_fails(
        [] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> q;
            pipe.InitBuffer(q, 3, 65568);
            LocalTensor<float> t = q.AllocTensor<float>();
            for (uint32_t i = 0; i < 65568 / 4; i++)
                t.SetValue(i, 1.0f);
        },
        NPU_E_UB_FULL, {"TQue<VECIN, 1>", "3 x 65568", "196704", "96 too many"});
    run_fails(
        [] {
            LocalMemAllocator<Hardware::UB> ub;
            ub.Alloc<float, 40000>();
            ub.Alloc<half>(20000);
        },
        NPU_E_UB_FULL, {"LocalMemAllocator", "36608 of 196608"});
    run_well([] {
        TPipe pipe;
        TQue<TPosition::VECIN, 1> qa, qb, qc;
        TBuf<TPosition::VECCALC> tmp;
        pipe.InitBuffer(qa, 2, 64 * 96 * sizeof(float));
        pipe.InitBuffer(qb, 2, 64 * 96 * sizeof(float));
        pipe.InitBuffer(qc, 2, 64 * 96 * sizeof(float));
        pipe.InitBuffer(tmp, 2290);
        assert_int_equal(pipe.UsedBytes(), 149760);
    });
}

/* Select keeps temporaries in the top 8 KB: silent corruption on the chip, a fault here. */
static void reserved_ub(void **)
{
    run_fails(
        [] {
            TPipe pipe;
            TBuf<> all;
            pipe.InitBuffer(all, 190 * 1024);
            LocalTensor<float> t = all.Get<float>();
            Select(t, t[1024].ReinterpretCast<uint8_t>(), t[2048], 1.0f,
                   SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
        },
        NPU_E_UB_FULL, {"Select", "8192", "194560", "188416"});
}

static void queue_protocol(void **)
{
    run_fails(
        [] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> q;
            pipe.InitBuffer(q, 1, 64);
            q.AllocTensor<float>();
            q.AllocTensor<float>();
        },
        NPU_E_QUEUE, {"TQue<VECIN, 1>", "AllocTensor", "FreeTensor"});
    run_fails(
        [] {
            TQue<TPosition::VECIN, 1> q;
            LocalTensor<float> t = q.AllocTensor<float>();
            t.SetValue(0, 1.0f);
        },
        NPU_E_QUEUE, {"AllocTensor before InitBuffer"});
    run_fails(
        [] {
            TPipe pipe;
            TQue<TPosition::VECOUT, 1> q;
            pipe.InitBuffer(q, 2, 64);
            LocalTensor<float> t = q.DeQue<float>();
            t.SetValue(0, 1.0f);
        },
        NPU_E_QUEUE, {"TQue<VECOUT, 1>", "DeQue from an empty queue"});
    run_fails(
        [] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> q;
            pipe.InitBuffer(q, 2, 64);
            q.EnQue(q.AllocTensor<float>());
            q.EnQue(q.AllocTensor<float>());
        },
        NPU_E_QUEUE, {"full queue", "depth"});
    run_fails(
        [] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> q;
            TBuf<> b;
            pipe.InitBuffer(q, 2, 64);
            pipe.InitBuffer(b, 64);
            q.EnQue(b.Get<float>());
        },
        NPU_E_QUEUE, {"EnQue", "did not allocate"});
    run_fails(
        [] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> q;
            pipe.InitBuffer(q, 2, 64);
            LocalTensor<float> t = q.AllocTensor<float>();
            q.FreeTensor(t);
            q.FreeTensor(t);
        },
        NPU_E_QUEUE, {"free already"});
    run_fails(
        [] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> q;
            pipe.InitBuffer(q, 2, 64);
            LocalTensor<float> t = q.AllocTensor<float>();
            q.EnQue(t);
            q.FreeTensor(t);
        },
        NPU_E_QUEUE, {"still in the queue", "DeQue"});
    run_fails(
        [] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> q[9];
            for (auto &each : q) {
                pipe.InitBuffer(each, 1, 64);
                each.AllocTensor<float>();
            }
        },
        NPU_E_QUEUE, {"more than 8 tensors"});
    run_fails(
        [] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> q;
            pipe.InitBuffer(q, 64, 64);
            pipe.InitBuffer(q, 1, 64);
        },
        NPU_E_QUEUE, {"at most 64"});
    run_fails(
        [] {
            TPipe pipe;
            TPipe second;
        },
        NPU_E_QUEUE, {"second TPipe"});
    run_fails(
        [] {
            TPipe pipe;
            for (int i = 0; i < 9; i++)
                pipe.AllocEventID<HardEvent::V_S>();
        },
        NPU_E_QUEUE, {"all 8 event ids from pipe V to pipe S"});
    run_fails(
        [] {
            TPipe pipe;
            TBuf<> b;
            pipe.InitBuffer(b, 64);
            b.Get<float>(17);
        },
        NPU_E_RANGE, {"TBuf<VECCALC>", "17 elements", "68", "64"});
}

/* Stories name the kernel's own line. */
static void faults_name_the_line(void **)
{
    int line = 0;
    const outcome o = run_kernel([&] {
        TPipe pipe;
        TBuf<> b;
        pipe.InitBuffer(b, 256);
        line = __LINE__ + 1;
        Add(b.Get<float>(), b.Get<float>(), b.Get<float>(), 1000000);
    });
    assert_int_equal(o.status, NPU_E_RANGE);
    assert_non_null(std::strstr(o.story.c_str(), line_text("t_facade.cpp", line).c_str()));
}

static void misalignment(void **)
{
    run_fails(
        [] {
            TPipe pipe;
            TBuf<> b;
            pipe.InitBuffer(b, 1024);
            LocalTensor<float> t = b.Get<float>();
            Add(t[1], t, t, 64);
        },
        NPU_E_ALIGN, {"32"});
    run_fails(
        [] {
            std::vector<float> g(64);
            TPipe pipe;
            TBuf<> b;
            GlobalTensor<float> gm;
            gm.SetGlobalBuffer(g.data(), 64);
            pipe.InitBuffer(b, 1024);
            DataCopy(b.Get<float>()[3], gm, 8);
        },
        NPU_E_ALIGN, {"32"});
}

static void assertions(void **)
{
    const outcome o = run_kernel([] {
        const int count = 10;
        ascendc_assert(count == 10);
        ascendc_assert(count != 10, "The count is %d.", count);
    });
    assert_int_equal(o.status, NPU_E_ASSERT);
    assert_non_null(std::strstr(o.story.c_str(), "[ASSERT]"));
    assert_non_null(std::strstr(o.story.c_str(), "Assertion `count != 10' The count is 10."));
    assert_non_null(std::strstr(o.story.c_str(), "t_facade.cpp"));
    run_fails([] { ascendc_assert(1 + 1 == 3); }, NPU_E_ASSERT, {"1 + 1 == 3"});
    run_fails([] { Trap(); }, NPU_E_ASSERT, {"Trap"});
    run_fails(
        [] { ASCENDC_ASSERT(GetBlockNum() == 0, { KERNEL_LOG(KERNEL_ERROR, "n is %d", 3); }); },
        NPU_E_ASSERT, {"n is 3", "t_facade.cpp"});
    run_fails([] { ASCENDC_ASSERT(GetBlockNum() == 0, {}); }, NPU_E_ASSERT, {"GetBlockNum() == 0"});
    run_well([] { ASCENDC_ASSERT(GetBlockNum() == 1, { KERNEL_LOG(KERNEL_ERROR, "never"); }); });
    run_well([] { KERNEL_LOG(KERNEL_ERROR, "a line of the log stops no kernel: %d", 1); });
    bool was_warned = false, was_reached = false;
    run_well([&] {
        ASCENDC_ASSERT_WARNING(GetBlockNum() == 1, { was_reached = true; });
        ASCENDC_ASSERT_WARNING(GetBlockNum() == 0, { was_warned = true; });
    });
    assert_true(was_warned && !was_reached);
}

/* ---- printf
 * --------------------------------------------------------------------------------------- */

/* What `body` printed, taken from file descriptor 1. */
template <class Body> static std::string printed(Body body)
{
    std::fflush(stdout);
    const int old = dup(1);
    FILE *f = tmpfile();
    dup2(fileno(f), 1);
    body();
    std::fflush(stdout);
    dup2(old, 1);
    close(old);
    std::string text(size_t(ftell(f) < 0 ? 0 : lseek(fileno(f), 0, SEEK_END)), 0);
    lseek(fileno(f), 0, SEEK_SET);
    const ssize_t n = read(fileno(f), &text[0], text.size());
    std::fclose(f);
    assert_int_equal(n, text.size());
    return text;
}

static void print_forms(void **)
{
    const std::string text = printed([] {
        run_well([] {
            const int64_t big = -5000000000;
            AscendC::printf("%d|%5.2f|%f|%x|%u|%s|%%|%ld|%i\n", big, half(1.5), bfloat16_t(2), 255u,
                            uint8_t(7), "text", int64_t(-3), int8_t(-4));
            PRINTF("%c%03d%p\n", 'a', 5, (void *)0x10);
            PRINTF("plain\n");
        });
    });
    assert_string_equal(text.c_str(),
                        "[AIV Block 0/1] -5000000000| 1.50|2.000000|ff|7|text|%|-3|-4\n"
                        "[AIV Block 0/1] a0050x10\n"
                        "[AIV Block 0/1] plain\n");
    const std::string host = printed([] { AscendC::printf("host %d %s\n", 3, "side"); });
    assert_string_equal(host.c_str(), "host 3 side\n");
}

/* ---- speed
 * ------------------------------------------------------------------------------------------ */

static double seconds_since(std::chrono::steady_clock::time_point t)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

/* A scalar loop over UB costs what one over an array costs; 3 is room for a busy machine. */
static void scalar_loops(void **)
{
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* a figure of optimised code */
#endif
    const uint32_t n = 16384, rounds = 200;
    std::vector<uint16_t> plain(n, 1);
    double ours = 1e9, theirs = 1e9;
    run_well([&] {
        TPipe pipe;
        TBuf<> b;
        pipe.InitBuffer(b, n * 2);
        LocalTensor<uint16_t> t = b.Get<uint16_t>();
        for (int attempt = 0; attempt < 5; attempt++) {
            auto start = std::chrono::steady_clock::now();
            for (uint32_t r = 0; r < rounds; r++) {
                for (uint32_t i = 0; i < n; i++)
                    t.SetValue(i, uint16_t(t.GetValue(i) * 3 + 1));
                asm volatile("" ::: "memory");
            }
            ours = std::min(ours, seconds_since(start));
            uint16_t *p = plain.data();
            start = std::chrono::steady_clock::now();
            for (uint32_t r = 0; r < rounds; r++) {
                for (uint32_t i = 0; i < n; i++)
                    p[i] = uint16_t(p[i] * 3 + 1);
                asm volatile("" ::: "memory");
            }
            theirs = std::min(theirs, seconds_since(start));
        }
    });
    if (ours > 3 * theirs)
        fail_msg("%.2f ns an element, a plain array takes %.2f", ours / n / rounds * 1e9,
                 theirs / n / rounds * 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues),
        cmocka_unit_test(buffers),
        cmocka_unit_test(allocator),
        cmocka_unit_test(bind_and_inplace),
        cmocka_unit_test(reset_and_destroy),
        cmocka_unit_test(tensors),
        cmocka_unit_test(addresses),
        cmocka_unit_test(who_am_i),
        cmocka_unit_test(sizes_and_clock),
        cmocka_unit_test(ub_overflow),
        cmocka_unit_test(reserved_ub),
        cmocka_unit_test(queue_protocol),
        cmocka_unit_test(faults_name_the_line),
        cmocka_unit_test(misalignment),
        cmocka_unit_test(assertions),
        cmocka_unit_test(print_forms),
        cmocka_unit_test(scalar_loops),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

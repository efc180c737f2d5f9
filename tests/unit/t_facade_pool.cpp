/* SPDX-License-Identifier: Apache-2.0 */
/* t_facade_pool.cpp - TBufPool: parts of UB, shared between stages, and pools of a kernel's own. */
#include "kernel.hpp"

using namespace AscendC;

namespace {

constexpr uint32_t N = 128, BYTES = N * sizeof(half);
template <TPosition pos> using que = TQue<pos, 1>;

void must(bool ok, const char *what)
{
    if (!ok)
        npu_fault(npu_self(), NPU_E_ASSERT, NPU_HERE, "not so: %s", what);
}

/* z = x + y through queues a, b, o. */
void stage(que<TPosition::VECIN> &a, que<TPosition::VECIN> &b, que<TPosition::VECOUT> &o, half *x,
           half *y, half *z)
{
    GlobalTensor<half> gx, gy, gz;
    gx.SetGlobalBuffer(x);
    gy.SetGlobalBuffer(y);
    gz.SetGlobalBuffer(z);
    LocalTensor<half> s = a.AllocTensor<half>(), t = b.AllocTensor<half>();
    DataCopy(s, gx, N);
    DataCopy(t, gy, N);
    a.EnQue(s);
    b.EnQue(t);
    s = a.DeQue<half>();
    t = b.DeQue<half>();
    LocalTensor<half> d = o.AllocTensor<half>();
    Add(d, s, t, int32_t(N));
    o.EnQue(d);
    a.FreeTensor(s);
    b.FreeTensor(t);
    d = o.DeQue<half>();
    DataCopy(gz, d, N);
    o.FreeTensor(d);
}

struct vectors {
    std::vector<half> x, y, z;
    vectors() : x(N), y(N), z(N)
    {
        for (uint32_t i = 0; i < N; i++) {
            x[i] = half(float(i));
            y[i] = half(float(i % 7));
        }
    }
};

/* Two pools on the same bytes, one after the other. */
void check_shared(void **)
{
    vectors v, w;
    run_well([&] {
        TPipe pipe;
        TBufPool<TPosition::VECCALC> one, two;
        que<TPosition::VECIN> a, b, c, d;
        que<TPosition::VECOUT> o, p;
        must(pipe.InitBufPool(one, BYTES * 3), "one");
        must(pipe.InitBufPool(two, BYTES * 3, one), "two");
        must(pipe.UsedBytes() == BYTES * 3, "memory of one pool");
        must(one.InitBuffer(a, 1, BYTES) && one.InitBuffer(b, 1, BYTES) &&
                 one.InitBuffer(o, 1, BYTES),
             "buffers of one");
        stage(a, b, o, v.x.data(), v.y.data(), v.z.data());
        one.Reset();
        must(two.InitBuffer(c, 1, BYTES) && two.InitBuffer(d, 1, BYTES) &&
                 two.InitBuffer(p, 1, BYTES),
             "buffers of two");
        LocalTensor<half> first = c.AllocTensor<half>();
        must(first.GetPhyAddr() == uint64_t(uintptr_t(npu_self()->mem[MEM_UB].base)), "same place");
        c.FreeTensor(first);
        stage(c, d, p, v.z.data(), w.y.data(), w.z.data());
        two.Reset();
        stage(a, b, o, v.x.data(), v.y.data(), v.z.data()); /* back in the first, as it is */
        one.Reset();
    });
    for (uint32_t i = 0; i < N; i++) {
        assert_true(float(v.z[i]) == float(i + i % 7));
        assert_true(float(w.z[i]) == float(i + 2 * (i % 7)));
    }
}

/* A pool divided into pools and a TBuf; no piece lies on another. */
void check_divided(void **)
{
    run_well([] {
        TPipe pipe;
        TBufPool<TPosition::VECCALC, 6> all; /* the buffers of its parts are their own */
        TBufPool<TPosition::VECIN> part, same;
        que<TPosition::VECIN> a;
        TBuf<TPosition::VECCALC> buf, in_part, in_same;
        must(pipe.InitBufPool(all, 1000), "all"); /* 1024 */
        must(all.InitBuffer(a, 2, 90), "queue");  /* 2 * 96 */
        must(all.InitBufPool(part, 512), "part");
        must(all.InitBufPool(same, 300, part), "shared part");
        must(all.InitBuffer(buf, 320), "TBuf");
        must(part.InitBuffer(in_part, 512) && same.InitBuffer(in_same, 320), "buffers of parts");
        const auto at = [](const LocalTensor<half> &t) {
            return uint32_t(t.GetPhyAddr() - uint64_t(uintptr_t(npu_self()->mem[MEM_UB].base)));
        };
        must(at(a.AllocTensor<half>()) == 0 && at(a.AllocTensor<half>()) == 96,
             "queue at 0 and 96");
        must(at(in_part.Get<half>()) == 192 && in_part.Get<half>().GetLength() == 512,
             "part at 192");
        must(at(in_same.Get<half>()) == 192 && in_same.Get<half>().GetLength() == 320,
             "same at 192");
        must(at(buf.Get<half>()) == 704, "TBuf at 704");
    });
}

class every_other { /* leaves a gap of one buffer behind each */
public:
    every_other() { Init(); }
    template <class T> bool InitBuffer(T &q, uint8_t num, uint32_t len)
    {
        const auto handle = GetBufHandle(GetCurBufSize());
        const uint32_t at = GetCurAddr();
        q.InitStartBufHandle(handle, num, len);
        for (uint32_t i = 0; i < num; i++)
            q.InitBufHandle(this, i, handle, at + 2 * i * len, len);
        SetCurAddr(at + 2 * num * len);
        SetCurBufSize(uint8_t(GetCurBufSize() + num));
        return true;
    }
    template <TPosition pos> bool InitBuffer(TBuf<pos> &b, uint32_t len)
    {
        return InitBuffer(b, 1, len);
    }
    EXTERN_IMPL_BUFPOOL(every_other, TPosition::VECCALC, 16);
};

void check_own_pool(void **)
{
    vectors v;
    run_well([&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> before, buf;
        every_other pool;
        que<TPosition::VECIN> a, b;
        que<TPosition::VECOUT> o;
        pipe.InitBuffer(before, 64);
        must(pipe.InitBufPool(pool, BYTES * 10), "pool");
        must(pool.InitBuffer(a, 2, BYTES) && pool.InitBuffer(b, 1, BYTES), "in");
        must(pool.InitBuffer(buf, BYTES) && pool.InitBuffer(o, 1, BYTES), "out");
        must(pool.GetCurAddr() == 64 + 10 * BYTES && pool.GetCurBufSize() == 5, "taken");
        must(buf.Get<half>().GetPhyAddr() - before.Get<half>().GetPhyAddr() == 64 + 6 * BYTES,
             "gap");
        stage(a, b, o, v.x.data(), v.y.data(), v.z.data());
        pool.Reset();
        pipe.Reset();
    });
    for (uint32_t i = 0; i < N; i++)
        assert_true(float(v.z[i]) == float(i + i % 7));
}

void check_faults(void **)
{
    run_fails(
        [] {
            TPipe pipe;
            TBuf<TPosition::VECCALC> b;
            b.InitStartBufHandle(nullptr, 2, 64);
        },
        NPU_E_ARG, {"InitStartBufHandle: num is 2", "t_facade_pool.cpp"});
    run_fails(
        [] {
            TPipe pipe;
            TBufPool<TPosition::VECCALC> pool;
            que<TPosition::VECIN> a;
            pipe.InitBufPool(pool, 256);
            pool.InitBuffer(a, 3, 96);
        },
        NPU_E_UB_FULL, {"a pool of 256 bytes", "3 x 96", "t_facade_pool.cpp"});
    run_fails(
        [] {
            TPipe pipe;
            TBufPool<TPosition::VECCALC, 2> pool;
            que<TPosition::VECIN> a;
            pipe.InitBufPool(pool, 4096);
            pool.InitBuffer(a, 3, 96);
        },
        NPU_E_QUEUE, {"a pool of 2 buffers", "3 more"});
    run_fails(
        [] {
            TBufPool<TPosition::VECCALC> pool;
            TBuf<TPosition::VECCALC> a;
            pool.InitBuffer(a, 96);
        },
        NPU_E_QUEUE, {"before InitBufPool"});
    run_fails(
        [] {
            TPipe pipe;
            TBufPool<TPosition::VECCALC> one, two;
            pipe.InitBufPool(one, 256);
            pipe.InitBufPool(two, 257, one);
        },
        NPU_E_UB_FULL, {"257 bytes", "has 256"});
    run_fails(
        [] {
            TPipe pipe;
            TBufPool<TPosition::VECCALC> one;
            pipe.InitBufPool(one, 200000);
        },
        NPU_E_UB_FULL, {"200000 bytes"});
    run_fails(
        [] {
            TPipe pipe;
            every_other pool;
            pool.GetBufHandle(16);
        },
        NPU_E_ARG, {"GetBufHandle: buffer 16"});
}

} // namespace

/* ---- buffers where the kernel says, what is left of UB, and room in GM -------------------- */

static void buffers_at_addresses(void **)
{
    uint64_t at[3] = {}, next = 0;
    run_well([&] {
        TPipe pipe;
        TQue<TPosition::VECIN, 1> q;
        TBuf<> buf;
        pipe.InitBuffer(q, Std::make_tuple(64, 96), Std::make_tuple(1024u, 96u),
                        Std::make_tuple(uint64_t(512), 96));
        pipe.InitBuffer(buf, 32);
        const uint64_t base = LocalTensor<uint8_t>(TPosition::VECIN, 0, 1).GetPhyAddr();
        for (uint64_t &a : at) {
            LocalTensor<float> t = q.AllocTensor<float>();
            a = t.GetPhyAddr() - base;
            q.EnQue(t);
            t = q.DeQue<float>();
            q.FreeTensor(t);
        }
        next = buf.Get<uint8_t>().GetPhyAddr() - base;
    });
    assert_int_equal(at[0], 64);
    assert_int_equal(at[1], 1024);
    assert_int_equal(at[2], 512);
    assert_int_equal(next, 1120);
    auto call = [](uint32_t a, uint32_t len, uint32_t len2) {
        return [=] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> q;
            pipe.InitBuffer(q, Std::make_tuple(a, len), Std::make_tuple(0u, len2));
        };
    };
    run_fails(call(16, 96, 96), NPU_E_ARG, {"byte 16", "multiples of 32"});
    run_fails(call(32, 96, 64), NPU_E_ARG, {"buffer 1", "one length"});
    run_fails(call(196608, 32, 32), NPU_E_ARG, {"byte 196608"});
}
static void rest_of_ub(void **)
{
    uint32_t size = 0;
    uint64_t at = 0;
    bool ok = false;
    run_well([&] {
        TPipe pipe;
        TBuf<> buf;
        pipe.InitBuffer(buf, 1000);
        LocalTensor<float> rest;
        ok = PopStackBuffer<float, TPosition::LCM>(rest);
        size = rest.GetSize();
        at = rest.GetPhyAddr() - LocalTensor<uint8_t>(TPosition::VECIN, 0, 1).GetPhyAddr();
    });
    assert_true(ok);
    assert_int_equal(at, 1024);
    assert_int_equal(size, (196608 - 8192 - 1024) / 4);
    run_fails(
        [] {
            TPipe pipe;
            TBuf<> buf;
            pipe.InitBuffer(buf, 196608);
            LocalTensor<float> rest;
            (void)PopStackBuffer<float, TPosition::VECCALC>(rest);
        },
        NPU_E_UB_FULL, {"PopStackBuffer", "196608"});
}
static void room_in_gm(void **)
{
    std::vector<float> gm(64, 0.0f);
    float got[2] = {};
    run_well([&] {
        TPipe pipe;
        GlobalTensor<float> g;
        g.SetGlobalBuffer(gm.data(), gm.size());
        pipe.InitSpmBuffer(g, 256);
        LocalTensor<float> x(TPosition::VECCALC, 0, 16), y(TPosition::VECCALC, 64, 16);
        Duplicate(x, 3.0f, 16);
        pipe.WriteSpmBuffer(x, 16, 32);
        pipe.WriteSpmBuffer(x, DataCopyParams{1, 1, 0, 0}, 128);
        pipe.ReadSpmBuffer(y, 16, 32);
        got[0] = y.GetValue(15);
        pipe.ReadSpmBuffer(y, DataCopyParams{1, 1, 0, 0}, 192);
        got[1] = y.GetValue(0);
    });
    assert_true(got[0] == 3.0f && got[1] == 0.0f);
    assert_true(gm[7] == 0.0f && gm[8] == 3.0f && gm[23] == 3.0f && gm[24] == 0.0f);
    assert_true(gm[32] == 3.0f && gm[39] == 3.0f && gm[40] == 0.0f);
    run_fails(
        [] {
            TPipe pipe;
            pipe.WriteSpmBuffer(LocalTensor<float>(TPosition::VECCALC, 0, 16), 16);
        },
        NPU_E_ARG, {"InitSpmBuffer comes first"});
}
static void output_filled_with_a_value(void **)
{
    std::vector<float> gm(40000, 1.0f);
    float kept = 0;
    run_well([&] {
        TPipe pipe;
        TBuf<> buf;
        pipe.InitBuffer(buf, 64);
        LocalTensor<float> mine = buf.Get<float>();
        mine.SetValue(0, 9.0f);
        GlobalTensor<float> g;
        g.SetGlobalBuffer(gm.data(), gm.size());
        InitOutput<float>(g[1], 39001, 2.5f);
        InitOutput(g[39999], 1);
        kept = mine.GetValue(0);
    });
    assert_true(kept == 9.0f && gm[0] == 1.0f && gm[39999] == 0.0f);
    for (size_t i = 1; i < 39999; i++)
        assert_true(gm[i] == (i <= 39001 ? 2.5f : 1.0f));
}
static void memories_of_other_cores(void **)
{
    run_fails([] { (void)LocalMemAllocator<Hardware::L1>().Alloc<half>(64); }, NPU_E_ARG,
              {"LocalMemAllocator<L1>", "vector cores"});
    run_fails([] { (void)LocalMemAllocator<Hardware::UB>().Alloc<TPosition::A1, half>(64); },
              NPU_E_ARG, {"A1 lies in L1"});
    run_fails([] { (void)LocalTensor<half>(TPosition::CO1, 0, 64); }, NPU_E_ARG, {"CO1", "L0C"});
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(check_shared),
        cmocka_unit_test(check_divided),
        cmocka_unit_test(check_own_pool),
        cmocka_unit_test(check_faults),
        cmocka_unit_test(buffers_at_addresses),
        cmocka_unit_test(rest_of_ub),
        cmocka_unit_test(room_in_gm),
        cmocka_unit_test(memories_of_other_cores),
        cmocka_unit_test(output_filled_with_a_value),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_cases.cpp - public bug reports as small kernels, with the values that they must give
 * here. The rows that lose their tail are in t_facade_copy.cpp, the reads without a flag in
 * t_order.cpp.
 */
#define ASCENDC_TIME_STAMP_ON
#include "kernel.hpp"
#undef NDEBUG
#include "../../front/cpp/asc_assert.h"
#include <cstdlib>
#include <unistd.h>

using namespace AscendC;

/* ---- UB budget: 3 * 65536 + 2304 bytes are 2304 more than 910B has ------------------------ */

static void tiles(bool small)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> qa, qb;
    TQue<TPosition::VECOUT, 1> qc;
    TBuf<TPosition::VECCALC> tmp;
    const uint8_t num = small ? 2 : 1;
    const uint32_t len = small ? 64 * 96 * sizeof(float) : 128 * 128 * sizeof(float);
    pipe.InitBuffer(qa, num, len);
    pipe.InitBuffer(qb, num, len);
    pipe.InitBuffer(qc, num, len);
    pipe.InitBuffer(tmp, 2290);
}
static void buffers_beyond_ub(void **)
{
    run_fails([] { tiles(false); }, NPU_E_UB_FULL,
              {"TBuf<VECCALC>", "2290", "2304", "196608", "2304 too many"});
    run_well([] { tiles(true); });
    run_well([] { tiles(false); }, 1, "Ascend950PR_9599");
}

/* ---- a ring whose slots are not all loaded ------------------------------------------------ */

enum { SLOTS = 4, C = 64 };
template <bool FIXED> static void ring(float *hist, float *out, uint32_t have)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf, accB;
    pipe.InitBuffer(buf, SLOTS * C * sizeof(float));
    pipe.InitBuffer(accB, C * sizeof(float));
    GlobalTensor<float> h, o;
    h.SetGlobalBuffer(hist, SLOTS * C);
    o.SetGlobalBuffer(out, C);
    LocalTensor<float> r = buf.Get<float>(), acc = accB.Get<float>();
    if (FIXED) {
        Duplicate(r, 0.0f, SLOTS * C);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    }
    for (uint32_t s = 0; s < have; ++s)
        DataCopy(r[s * C], h[s * C], C);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(acc, 0.0f, C);
    PipeBarrier<PIPE_V>();
    for (uint32_t s = 0; s < SLOTS; ++s) {
        Add(acc, acc, r[s * C], C);
        PipeBarrier<PIPE_V>();
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(o, acc, C);
}
/* UB keeps what the last kernel left there, on the chip as here: the ring that is not cleared adds
 * it up. Naming the read is a checker's work. */
static void ring_slots_before_they_are_written(void **)
{
    float hist[SLOTS * C], out[C] = {};
    for (int i = 0; i < SLOTS * C; i++)
        hist[i] = float(i / C + 1);
    for (uint32_t have : {2u, 4u}) {
        run_well([] {
            LocalTensor<float> all(TPosition::VECCALC, 0, SLOTS * C);
            Duplicate(all, 100.0f, SLOTS * C);
        });
        run_well([&] { ring<true>(hist, out, have); });
        for (float v : out)
            assert_true(v == (have == 2 ? 3.0f : 10.0f));
        run_well([] {
            LocalTensor<float> all(TPosition::VECCALC, 0, SLOTS * C);
            Duplicate(all, 100.0f, SLOTS * C);
        });
        run_well([&] { ring<false>(hist, out, have); });
        for (float v : out)
            assert_true(v == (have == 2 ? 203.0f : 10.0f));
    }
}

/* ---- a workspace size multiplied in 32 bits ----------------------------------------------- */

/* The kernel writes what it was told to, one block behind the end: the page behind the allocation
 * is closed, and the fault names it. */
static uint64_t wrapped(uint32_t per_block, uint32_t blocks) { return per_block * blocks; }
static uint64_t wide(uint32_t per_block, uint32_t blocks) { return uint64_t(per_block) * blocks; }
static void workspace_in_32_bits(void **)
{
    assert_int_equal(wrapped(147456, 32768), 536870912);
    assert_true(wide(147456, 32768) == 4831838208ull);
    assert_int_equal(wrapped(147456, 1024), wide(147456, 1024));
}

/* ---- flags that stay behind --------------------------------------------------------------- */

/* stderr of body's launch. */
template <class Body> static std::string told(Body body)
{
    FILE *file = tmpfile();
    const int keep = dup(2);
    fflush(stderr);
    dup2(fileno(file), 2);
    const outcome o = run_kernel(body);
    fflush(stderr);
    dup2(keep, 2);
    close(keep);
    rewind(file);
    std::string text = o.status == NPU_OK ? "" : o.story;
    for (int c; (c = fgetc(file)) != EOF;)
        text += char(c);
    fclose(file);
    return text;
}
static void an_unpaired_flag_is_told(void **)
{
    const std::string first = told([] {
        SetFlag<HardEvent::MTE2_V>(5);
        SetFlag<HardEvent::MTE2_V>(6);
        WaitFlag<HardEvent::MTE2_V>(6);
    });
    assert_non_null(strstr(first.c_str(), "note FLAG-LEFT: set_flag(MTE2, V, 5)"));
    /* it is not there in the next kernel: what waits for it, waits for ever */
    run_fails([] { WaitFlag<HardEvent::MTE2_V>(5); }, NPU_E_DEADLOCK, {"wait_flag(MTE2, V, 5)"});
}
static void a_length_is_told_once_with_its_times(void **)
{
    float gm[16];
    auto kernel = [&] {
        GlobalTensor<float> g;
        g.SetGlobalBuffer(gm, 16);
        for (int i = 0; i < 3; i++)
            DataCopy(LocalTensor<float>(TPosition::VECIN, 0, 16), g, 12);
    };
    const std::string text = told(kernel);
    assert_non_null(strstr(text.c_str(), "note DATACOPY-LENGTH: 48 B requested, 32 B moved"));
    assert_non_null(strstr(text.c_str(), "(3 times, first in block 0)"));
    assert_non_null(strstr(text.c_str(), "t_facade_cases.cpp:"));
    assert_string_equal(told(kernel).c_str(), "");
}

/* ---- assertions and time stamps ----------------------------------------------------------- */

static void assertions(void **)
{
    run_well([] { assert(1 + 1 == 2); });
    run_fails([] { assert(1 + 1 == 3); }, NPU_E_ASSERT, {"1 + 1 == 3", "t_facade_cases.cpp"});
    run_fails([] { assert(GetBlockNum() == 3, "blocks: %d", GetBlockNum()); }, NPU_E_ASSERT,
              {"GetBlockNum() == 3", "blocks: 1"});
}
static void time_stamps(void **)
{
    FILE *file = tmpfile();
    const int keep = dup(1);
    fflush(stdout);
    dup2(fileno(file), 1);
    int64_t before = 0, after = 0;
    run_well([&] {
        before = GetSystemCycle();
        PrintTimeStamp(70000);
        after = GetSystemCycle();
    });
    fflush(stdout);
    dup2(keep, 1);
    close(keep);
    rewind(file);
    unsigned desc = 0, rsv = 9;
    long long stamp = 0, pc = 0, entry = 0;
    assert_int_equal(
        fscanf(file, "descId is %u, rsv is %u, timeStamp is %lld, pcPtr is %lld, entry is %lld.",
               &desc, &rsv, &stamp, &pc, &entry),
        5);
    fclose(file);
    assert_true(desc == 70000 && rsv == 0 && pc != 0);
    assert_true(entry <= before && before <= stamp && stamp <= after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_beyond_ub),
        cmocka_unit_test(ring_slots_before_they_are_written),
        cmocka_unit_test(workspace_in_32_bits),
        cmocka_unit_test(an_unpaired_flag_is_told),
        cmocka_unit_test(a_length_is_told_once_with_its_times),
        cmocka_unit_test(assertions),
        cmocka_unit_test(time_stamps),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_3510.cpp - what the door says differently to a kernel compiled for --npu-arch=dav-3510.
 */
#define __NPU_ARCH__ 3510
#include "kernel.hpp"

using namespace AscendC;

static void sizes(void **)
{
    static_assert(GetUBSizeInBytes() == 253952 && TOTAL_UB_SIZE == 253952);
    run_well([] { assert_int_equal(GetRuntimeUBSize(), 253952); }, 1, "Ascend950PR_9599");
    run_well(
        [] {
            TPipe pipe;
            TBuf<> all;
            pipe.InitBuffer(all, GetUBSizeInBytes());
            assert_int_equal(all.Get<half>().GetSize(), 126976);
        },
        1, "Ascend950DT_95A2");
}

/* Gaps have 64 bits there; minus the length of a burst reads the same burst again. */
static void negative_gap(void **)
{
    static_assert(sizeof(DataCopyExtParams().srcStride) == 8);
    std::vector<float> in(32), out(32);
    for (int i = 0; i < 32; i++)
        in[size_t(i)] = float(i);
    run_well(
        [&] {
            TPipe pipe;
            TBuf<> buf;
            pipe.InitBuffer(buf, 1024);
            GlobalTensor<float> src, dst;
            src.SetGlobalBuffer(in.data(), 32);
            dst.SetGlobalBuffer(out.data(), 32);
            LocalTensor<float> t = buf.Get<float>();
            DataCopyPad(t, src[8], DataCopyExtParams{4, 32, -32, 0, 0},
                        DataCopyPadExtParams<float>{});
            PipeBarrier<PIPE_ALL>();
            DataCopy(dst, t, 32);
        },
        1, "Ascend950PR_9599");
    for (int i = 0; i < 32; i++)
        assert_true(out[size_t(i)] == float(8 + i % 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(negative_gap)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

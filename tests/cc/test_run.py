# SPDX-License-Identifier: Apache-2.0
"""Whole programs from source to result, on the real runtime."""

import pytest


@pytest.fixture
def build_and_run(cc):
    def run(name, text, *words, options=(), expect=0):
        cc.run(cc.bisheng, "-x", "asc", "--npu-arch=dav-2201", cc.source(f"{name}.asc", text), "-o", name, *options)
        return cc.run(cc.directory / name, *words, env={"LD_LIBRARY_PATH": str(cc.prefix / "lib64")}, expect=expect)
    return run


ASSERT = """#include <cassert>
#include <cstdio>
#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void k(int n) { assert(n < 100 && "n is too large"); }
int main(int argc, char **)
{
    aclrtStream stream = nullptr;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    k<<<1, nullptr, stream>>>(256);
    const int code = aclrtSynchronizeStream(stream);
    std::printf("%d %s\\n", code, aclGetRecentErrMsg());
    std::fflush(stdout);
    assert(argc == 1);
    return 0;
}
"""


def test_assert_behind_c_headers(build_and_run):
    """C's <cassert> comes first, as the documents ask: the kernel fails with its line, the process lives on."""
    said = build_and_run("asserts", ASSERT).stdout
    assert said.startswith("507035 ")
    assert "asserts.asc:5: : Assertion `n < 100 && \"n is too large\"' failed." in said


def test_assert_of_the_host_is_that_of_c(build_and_run):
    done = build_and_run("asserts", ASSERT, "one more", expect=-6)
    assert done.stderr.startswith("asserts: ")
    assert done.stderr.endswith("asserts.asc:16: int main(int, char**): Assertion `argc == 1' failed.\n")


# What kernels in the field do and g++ alone would not take: `[aicore]`, a function of AscendC called with
# template arguments and without AscendC::, a header of the basic API by its bare name, a registered tiling struct.
DIALECT = """#include <cstdio>
#include "acl/acl.h"
#include "kernel_tensor.h"
#include "kernel_operator_intf.h"
#ifndef __aicore__
#error "a word of the language"
#endif
#undef __aicore__
#define __aicore__ [aicore]
struct Sizes { int n; };
struct Sum {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buf;
    __aicore__ inline Sum() {}
    [host, aicore] inline int twice(int aicore) { return [aicore] { return 2 * aicore; }(); }
    __aicore__ inline void run(__gm__ float *y)
    {
        pipe.InitBuffer(buf, 1024);
        AscendC::LocalTensor<float> x = buf.Get<float>(), d = x[64], w = x[128];
        Duplicate<float>(x, 1.5f, 64);
        ReduceSum<float>(d, x, w, 64);
        y[0] = d.GetValue(0) * twice(1);
    }
};
extern "C" __global__ __aicore__ void k(__gm__ uint8_t *y)
{
    REGISTER_TILING_DEFAULT(Sizes);
    Sum sum;
    sum.run((__gm__ float *)y);
    AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE>(
        [](AscendC::GlobalTensor<float> g, __gm__ uint8_t *y) { g.SetGlobalBuffer((__gm__ float *)y); return g; }({}, y));
}
int main()
{
    aclrtStream stream = nullptr;
    void *y = nullptr;
    float sum = 0;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc(&y, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    k<<<1, nullptr, stream>>>((uint8_t *)y);
    std::printf("%d ", aclrtSynchronizeStream(stream));
    aclrtMemcpy(&sum, 4, y, 4, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%g\\n", sum);
}
"""


@pytest.mark.parametrize("standard", ["-std=c++17", "-std=c++20"])
def test_dialect_of_clang(build_and_run, standard):
    assert build_and_run("dialect", DIALECT, options=[standard]).stdout == "0 192\n"

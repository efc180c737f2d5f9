# SPDX-License-Identifier: Apache-2.0
"""Whole programs from source to result, on the real runtime."""

import sysconfig
from pathlib import Path

import pytest


LOG = """#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void k(int n)
{
    KERNEL_LOG(KERNEL_DEBUG, "debug %d", n);
    KERNEL_LOG(KERNEL_INFO, "info %s", "text");
    KERNEL_LOG(KERNEL_WARN, "warn");
    ASCENDC_ASSERT_WARNING(n < 0, { KERNEL_LOG(KERNEL_ERROR, "error %u", unsigned(n)); });
}
int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    k<<<2, nullptr, nullptr>>>(7);
    return aclrtSynchronizeStream(nullptr);
}
"""


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


RESET = "aclrtResetDevice(0);\n    "


@pytest.mark.parametrize("reset", ["", RESET])
def test_a_fault_that_nobody_reads_is_told_at_the_end(build_and_run, reset):
    deaf = ASSERT.replace(", aclGetRecentErrMsg()", ', "-"').replace("std::fflush(stdout);", reset)
    done = build_and_run("deaf", deaf)
    assert done.stdout == "507035 -\n"
    assert done.stderr.count("nputwin: device 0 stopped with 507035, and the program did not ask aclGetRecentErrMsg why: k, block 0 of 1: ") == 1
    assert "Assertion `n < 100" in done.stderr
    assert "nputwin: device" not in build_and_run("asserts", ASSERT).stderr


def test_assert_of_the_host_is_that_of_c(build_and_run):
    done = build_and_run("asserts", ASSERT, "one more", expect=-6)
    assert done.stderr.startswith("asserts: ")
    assert done.stderr.endswith("asserts.asc:16: int main(int, char**): Assertion `argc == 1' failed.\n")


# What kernels in the field do and g++ alone would not take: `[aicore]`, a function of AscendC called with
# template arguments and without AscendC::, a header of the basic API by its bare name, a registered tiling struct,
# macros in place of the compiler's own names, __forceinline__, __bf16, a member named as a type used before it.
DIALECT = """#define EVENT_ID0 0
#include <cstdio>
#include "acl/acl.h"
#include "kernel_tensor.h"
#include "kernel_operator_intf.h"
#ifndef __aicore__
#error "a word of the language"
#endif
#undef __aicore__
#define __aicore__ [aicore]
struct Sizes { int n; };
enum class Kind { ONE, TWO };
template <Kind kind> struct Chosen { static constexpr bool Kind = kind == Kind::ONE; };
template <class T> __global__ __aicore__ void store(__gm__ T *p, __bf16 v) { *p = T(v) + T(Chosen<Kind::ONE>::Kind); }
#if __cplusplus >= 202002L
struct Ordered { int n; int operator<=>(const Ordered &o) const { return n - o.n; } };
#endif
__forceinline__ [host, aicore] int one() { return 1; }
inline __forceinline__ int also_one() { return EVENT_ID0 + 1; }
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
        y[0] = d.GetValue(0) * twice(one()) * also_one();
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
    std::printf("%g", sum);
    store<__bf16><<<1, nullptr, stream>>>((__bf16 *)y, __bf16(2.0f));
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(&sum, 4, y, 4, ACL_MEMCPY_DEVICE_TO_HOST);
    unsigned bits;
    __builtin_memcpy(&bits, &sum, 4);
    std::printf(" %x\\n", bits & 0xffff);
}
"""


@pytest.mark.parametrize("standard", ["-std=c++17", "-std=c++20"])
def test_dialect_of_clang(build_and_run, standard):
    assert build_and_run("dialect", DIALECT, options=[standard]).stdout == "0 192 4040\n"


DEVICE_FUNCTIONS = """#include "kernel_operator.h"
#include "calls.h"
__aicore__ void apply(int which, const AscendC::LocalTensor<float> &y, const AscendC::LocalTensor<float> &x,
                      AscendC::LocalTensor<uint8_t> &tmp, uint32_t n)
{
    if (which == 0) AscendC::Tanh(y, x, tmp, n);
    if (which == 1) AscendC::Erf(y, x, tmp, n);
    if (which == 2) AscendC::Atan(y, x, tmp, n);
    if (which == 3) AscendC::Sigmoid(y, x, tmp, n);
    if (which == 4) AscendC::Cosh(y, x, tmp, n);
}
"""
DEVICE_KERNEL = """#include "kernel_operator.h"
#include "calls.h"
extern "C" __global__ __vector__ void math(GM_ADDR out, GM_ADDR in, int which, uint32_t n, uint32_t tmp_bytes)
{
    using namespace AscendC;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> qin;
    TQue<TPosition::VECOUT, 1> qout;
    TBuf<TPosition::VECCALC> scratch;
    pipe.InitBuffer(qin, 1, n * 4);
    pipe.InitBuffer(qout, 1, n * 4);
    if (tmp_bytes)
        pipe.InitBuffer(scratch, tmp_bytes);
    GlobalTensor<float> src, dst;
    src.SetGlobalBuffer((__gm__ float *)in, n);
    dst.SetGlobalBuffer((__gm__ float *)out, n);
    LocalTensor<float> x = qin.AllocTensor<float>();
    DataCopy(x, src, n);
    qin.EnQue(x);
    x = qin.DeQue<float>();
    LocalTensor<float> y = qout.AllocTensor<float>();
    LocalTensor<uint8_t> tmp = scratch.Get<uint8_t>();
    apply(which, y, x, tmp, n);
    qout.EnQue(y);
    qin.FreeTensor(x);
    y = qout.DeQue<float>();
    DataCopy(dst, y, n);
    qout.FreeTensor(y);
}
"""
CALLS_H = """#pragma once
__aicore__ void apply(int, const AscendC::LocalTensor<float> &, const AscendC::LocalTensor<float> &,
                      AscendC::LocalTensor<uint8_t> &, uint32_t);
"""
HOST = """#include <cmath>
#include <cstdio>
#include "acl/acl.h"
#include "tiling/tiling_api.h"
extern "C" __global__ __vector__ void math(GM_ADDR out, GM_ADDR in, int which, uint32_t n, uint32_t tmp_bytes);
using size_fn = void (*)(const AscendC::TensorShape &, uint32_t, bool, uint32_t &, uint32_t &);
static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
int main()
{
    enum { N = 1000 };
    const struct { size_fn size; double (*f)(double); } calls[] = {
        {AscendC::GetTanhMaxMinTmpSize, std::tanh}, {AscendC::GetErfMaxMinTmpSize, std::erf},
        {AscendC::GetAtanMaxMinTmpSize, std::atan}, {AscendC::GetSigmoidMaxMinTmpSize, sigmoid},
        {AscendC::GetCoshMaxMinTmpSize, std::cosh}};
    float x[N], y[N];
    void *in = nullptr, *out = nullptr;
    aclrtStream stream = nullptr;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc(&in, sizeof x, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&out, sizeof y, ACL_MEM_MALLOC_HUGE_FIRST);
    for (int i = 0; i < N; i++)
        x[i] = float(i - 500) / 128;
    aclrtMemcpy(in, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE);
    for (int which = 0; which < 5; which++) {
        uint32_t most = 0, least = 0;
        calls[which].size(AscendC::TensorShape({N}), 4, false, most, least);
        for (uint32_t bytes : {least, most}) {
            double worst = 0;
            math<<<1, nullptr, stream>>>((uint8_t *)out, (uint8_t *)in, which, N, bytes);
            if (int code = aclrtSynchronizeStream(stream)) {
                std::printf("%d: %d %s\\n", which, code, aclGetRecentErrMsg());
                return 1;
            }
            aclrtMemcpy(y, sizeof y, out, sizeof y, ACL_MEMCPY_DEVICE_TO_HOST);
            for (int i = 0; i < N; i++) {
                const double want = calls[which].f(double(x[i]));
                worst = std::fmax(worst, std::fabs(y[i] - want) / std::fmax(std::fabs(want), 1e-30));
            }
            std::printf("%d %s %d\\n", which, worst < 2.4e-7 ? "right" : "wrong", least <= most);
        }
    }
    return 0;
}
"""


def test_separate_device_files_with_the_high_level_api(cc):
    """-dc: a device function, a kernel that calls it, and a host that sizes its temporary space; the least and the most."""
    for name, text in (("functions.asc", DEVICE_FUNCTIONS), ("kernel.asc", DEVICE_KERNEL), ("host.asc", HOST), ("calls.h", CALLS_H)):
        cc.source(name, text)
    flags = ["--npu-arch=dav-2201", f"-I{cc.directory}"]
    for name in ("functions", "kernel", "host"):
        cc.run(cc.bisheng, "-dc", *flags, f"{name}.asc", "-o", f"{name}.o")
    cc.run(cc.bisheng, "functions.o", "kernel.o", "host.o", "-ltiling_api", "-lplatform", "-lregister", "-o", "math")
    said = cc.output(cc.directory / "math", env={"LD_LIBRARY_PATH": str(cc.prefix / "lib64")})
    assert said.split("\n")[:-1] == [f"{which} right 1" for which in range(5) for _ in range(2)]


# Older names, hints, and types of the other chip, as kernels in the field use them.
OLDER = """#include <cstdio>
#include "acl/acl.h"
#include "kernel_operator.h"
#include "lib/matrix/matmul/tiling.h"
using namespace AscendC;
template <class T> struct ByType { static constexpr int code = std::is_same_v<T, AscendC::fp8_e8m0_t> ? 8 : 0; };
struct Worker {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    __aicore__ inline void run(GM_ADDR y)
    {
        GlobalTensor<float> out;
        out.SetGlobalBuffer((__gm__ float *)y, 256);
        InitGlobalMemory(out, 128, 0.5f);
        PipeBarrier<PIPE_ALL>();
        pipe.InitBuffer(buf, 2 * ONE_REPEAT_BYTE_SIZE);
        LocalTensor<float> x = buf.Get<float>();
        Duplicate(x, 1.0f, 128);
        SetMaskNorm();
        AscendCUtils::SetMask<float>(3);
        Adds<float, false>(x, x, 4.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        ResetMask();
        PipeBarrier<PIPE_ALL>();
        DataCopy(out[128], x, 64);
    }
};
__global__ __vector__ void k(GM_ADDR y)
{
    Worker worker;
    if (likely(g_coreType == AscendC::AIV) && !unlikely(y == nullptr))
        worker.run(y);
}
int main()
{
    constexpr SoftMaxTiling plan = SoftMaxFlashV2TilingFunc({16, 64, 16, 64}, 4, 4, 8192, true, false);
    static_assert(plan.srcM == 16 && plan.srcSize == 1024 && CeilAlign(33, 16) == 48 && Ceil(33u, 16) == 3, "");
    static_assert(ByType<fp8_e8m0_t>::code == 8 && QuantMode_t::QF322F16_PRE > QuantMode_t::VREQ8, "");
    aclrtStream stream = nullptr;
    void *y = nullptr;
    float got[256];
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc(&y, sizeof got, ACL_MEM_MALLOC_HUGE_FIRST);
    k<<<1, nullptr, stream>>>((uint8_t *)y);
    std::printf("%d", aclrtSynchronizeStream(stream));
    aclrtMemcpy(got, sizeof got, y, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf(" %g %g %g %g %g\\n", got[0], got[127], got[128], got[130], got[131]);
}
"""


def test_older_names(build_and_run):
    assert build_and_run("older", OLDER).stdout == "0 0.5 0.5 5 5 1\n"


GERT = """#include "graph/types.h"
#include "graph/utils/type_utils.h"
#include "register/op_def_registry.h"
#include "exe_graph/runtime/tensor.h"
int main()
{
    const gert::StorageFormat nd(ge::FORMAT_ND, ge::FORMAT_ND, gert::ExpandDimsType());
    const gert::Tensor t(gert::StorageShape({2, 3}, {2, 3}), nd, ge::DT_BF16);
    gert::CompileTimeTensorDesc desc;
    desc.SetDataType(t.GetDataType());
    desc.SetOriginFormat(t.GetOriginFormat());
    return t.GetSize() == 12 && ge::TypeUtils::DataTypeToSerialString(desc.GetDataType()) == "DT_BF16" &&
                   ge::TypeUtils::FormatToSerialString(desc.GetOriginFormat()) == "ND" &&
                   ge::TypeUtils::DataTypeToSerialString(ge::DataType(99)) == "UNDEFINED"
               ? int(ge::GRAPH_SUCCESS) : 1;
}
"""


@pytest.mark.parametrize("order", [[0], [0, 1], [1, 0]], ids=["alone", "before torch_npu", "behind torch_npu"])
def test_host_headers_beside_those_of_torch_npu(cc, order):
    """torch_npu's wheel has headers of the same names; a file that includes both keeps the first."""
    places = [cc.prefix / "include", Path(sysconfig.get_path("platlib")) / "torch_npu" / "include"]
    source = cc.source("gert.cpp", GERT)
    cc.run("g++", "-std=c++17", *[f"-I{places[i]}" for i in order], source, "-o", "gert")
    cc.run(cc.directory / "gert")


@pytest.mark.parametrize("level", range(5))
def test_kernel_log_goes_into_the_process_log(cc, level):
    """From ASCEND_GLOBAL_LOG_LEVEL on, into the file or to stdout; a line has its place and its block."""
    cc.run(cc.bisheng, "-x", "asc", "--npu-arch=dav-2201", cc.source("log.asc", LOG), "-o", "log")
    base = {"LD_LIBRARY_PATH": str(cc.prefix / "lib64"), "ASCEND_GLOBAL_LOG_LEVEL": str(level), "NPUTWIN_THREADS": "1"}
    assert cc.run(cc.directory / "log", env=base).stdout == ""
    told = cc.run(cc.directory / "log", env=base | {"ASCEND_SLOG_PRINT_TO_STDOUT": "1"}).stdout
    cc.run(cc.directory / "log", env=base | {"ASCEND_PROCESS_LOG_PATH": str(cc.directory / "logs")})
    kept = "".join(path.read_text() for path in (cc.directory / "logs/debug").rglob("*.log"))
    lines = [("DEBUG", 5, "debug 7"), ("INFO", 6, "info text"), ("WARNING", 7, "warn"), ("ERROR", 8, "error 7")]
    for text in (told, kept):
        got = [line for line in text.splitlines() if "log.asc" in line]
        assert len(got) == 2 * len(lines[level:])
        for i, (name, line, words) in enumerate(lines[level:]):
            for block in range(2):
                row = got[block * len(lines[level:]) + i]
                assert row.startswith(f"[{name}] APP(") and f"log.asc:{line}]" in row
                assert row.endswith(f"[AIV Block {block}/2] {words}")

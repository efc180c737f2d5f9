/* SPDX-License-Identifier: Apache-2.0 */
/* rtc.cpp - kernels that are compiled while this program runs. */
#include "check.h"

#include "acl/acl_rt_compile.h"

#include <string>
#include <thread>
#include <vector>

static const char TEMPLATE[] = R"(
#include "kernel_operator.h"
#include "sub/addend.h"
namespace ns {
template <typename T, int N> __global__ __vector__ void add(__gm__ T *x) { x[AscendC::GetBlockIdx()] += N + ADDEND; }
}
extern "C" __global__ __vector__ void plain(__gm__ int32_t *x, int32_t n) { *x = n; }
)";
static const char *headers[] = {"#define ADDEND 100\n"}, *names[] = {"sub/addend.h"};

static std::string log_of(aclrtcProg prog)
{
    size_t n = 0;

    OK(aclrtcGetCompileLogSize(prog, &n));
    std::vector<char> text(n);
    OK(aclrtcGetCompileLog(prog, text.data()));
    CHECK(n == strlen(text.data()) + 1);
    return text.data();
}

static void test_templates()
{
    const char *options[] = {"--npu-arch=dav-2201", "-O1"}, *lowered = nullptr, *of_short = nullptr;
    aclrtcProg prog = nullptr;
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle f = nullptr, plain = nullptr;
    size_t n = 0;
    int32_t *p = nullptr, back[3] = {1, 2, 3}, seven = 7;

    OK(aclrtcCreateProg(&prog, TEMPLATE, "templates", 1, headers, names));
    OK(aclrtcAddNameExpr(prog, "ns::add<int32_t, 5>"));
    OK(aclrtcAddNameExpr(prog, "ns::add<int16_t, 1 + 1>"));
    FAILS(176006, "aclrtcCompileProg first",
          aclrtcGetLoweredName(prog, "ns::add<int32_t, 5>", &lowered));
    FAILS(176000, "aclrtcCompileProg first", aclrtcGetBinDataSize(prog, &n));
    OK(aclrtcCompileProg(prog, 2, options));
    FAILS(176005, "add names first", aclrtcAddNameExpr(prog, "plain"));
    OK(aclrtcGetLoweredName(prog, "ns::add<int32_t, 5>", &lowered));
    CHECK(!strcmp(lowered, "_ZN2ns3addIiLi5EEEvPT_"));
    OK(aclrtcGetLoweredName(prog, "ns::add<int16_t, 1 + 1>", &of_short));
    CHECK(!strcmp(of_short, "_ZN2ns3addIsLi2EEEvPT_"));
    FAILS(176007, "exactly", aclrtcGetLoweredName(prog, "ns::add<int32_t,5>", &lowered));
    OK(aclrtcGetBinDataSize(prog, &n));
    std::vector<char> bytes(n);
    OK(aclrtcGetBinData(prog, bytes.data()));

    OK(aclrtBinaryLoadFromData(bytes.data(), n, nullptr, &binary));
    OK(aclrtBinaryGetFunction(binary, lowered, &f));
    OK(aclrtBinaryGetFunction(binary, "plain", &plain));
    OK(aclrtMalloc(reinterpret_cast<void **>(&p), sizeof back, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(p, sizeof back, back, sizeof back, ACL_MEMCPY_HOST_TO_DEVICE));
    void *args[] = {&p, &seven};
    OK(aclrtLaunchKernelWithArgsArray(f, 3, nullptr, nullptr, args));
    OK(aclrtSynchronizeStream(nullptr));
    OK(aclrtMemcpy(back, sizeof back, p, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(back[0] == 106 && back[1] == 107 && back[2] == 108);
    OK(aclrtLaunchKernelWithArgsArray(plain, 1, nullptr, nullptr, args));
    OK(aclrtSynchronizeStream(nullptr));
    OK(aclrtMemcpy(back, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(back[0] == 7);
    OK(aclrtBinaryUnLoad(binary));
    OK(aclrtFree(p));
    OK(aclrtcDestroyProg(&prog));
    CHECK(prog == nullptr);
}

/* What is wrong stands in the log, with the program's name and the user's line. */
static void test_mistakes()
{
    const char *options[] = {"--npu-arch=dav-2201"}, *unknown[] = {"--npu-arch=dav-9"};
    aclrtcProg prog = nullptr, gone = nullptr;
    size_t n = 0;

    OK(aclrtcCreateProg(&prog,
                        "extern \"C\" __global__ __vector__ void k(int n)\n{\n    return m;\n}\n",
                        "broken", 0, nullptr, nullptr));
    FAILS(176003, "broken.asc:3:", aclrtcCompileProg(prog, 1, options));
    CHECK(log_of(prog).find("broken.asc:3:12: error: ") == 0 ||
          log_of(prog).find("\nbroken.asc:3:12: error: ") != std::string::npos);
    CHECK(log_of(prog).find("/tmp/") == std::string::npos);
    FAILS(176000, "did not compile", aclrtcGetBinDataSize(prog, &n));
    FAILS(176002, "dav-9", aclrtcCompileProg(prog, 1, unknown));
    CHECK(log_of(prog).find("dav-2201") != std::string::npos);
    FAILS(176001, "NULL", aclrtcCompileProg(prog, 1, nullptr));
    FAILS(176001, "NULL", aclrtcGetBinData(prog, nullptr));
    gone = prog;
    OK(aclrtcDestroyProg(&prog));
    FAILS(176000, "no aclrtcProg", aclrtcCompileProg(gone, 1, options));
    FAILS(176000, "no aclrtcProg", aclrtcDestroyProg(&gone));
    FAILS(176001, "prog is NULL", aclrtcDestroyProg(nullptr));
    FAILS(176001, "src is NULL", aclrtcCreateProg(&prog, nullptr, "x", 0, nullptr, nullptr));
    FAILS(176001, "..", aclrtcCreateProg(&prog, "int x;", "../x", 0, nullptr, nullptr));
    FAILS(176001, "includeNames", aclrtcCreateProg(&prog, "int x;", "x", 1, headers, nullptr));

    OK(aclrtcCreateProg(&prog, TEMPLATE, "", 1, headers, names));
    OK(aclrtcAddNameExpr(prog, "ns::absent<float>"));
    FAILS(176007, "no kernel", aclrtcCompileProg(prog, 1, options));
    OK(aclrtcDestroyProg(&prog));
}

static void compile_alone(int i, int32_t *result)
{
    const std::string source =
        "extern \"C\" __global__ __vector__ void k(__gm__ int32_t *x) { *x = " + std::to_string(i) +
        "; }\n";
    aclrtcProg prog = nullptr;
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle f = nullptr;
    size_t n = 0;
    void *p = nullptr, *args[] = {&p};

    if (aclrtSetDevice(0) || aclrtcCreateProg(&prog, source.c_str(), "k", 0, nullptr, nullptr) ||
        aclrtcCompileProg(prog, 0, nullptr) || aclrtcGetBinDataSize(prog, &n))
        return;
    std::vector<char> bytes(n);
    if (aclrtcGetBinData(prog, bytes.data()) ||
        aclrtBinaryLoadFromData(bytes.data(), n, nullptr, &binary) ||
        aclrtBinaryGetFunction(binary, "k", &f) || aclrtMalloc(&p, 4, ACL_MEM_MALLOC_HUGE_FIRST) ||
        aclrtLaunchKernelWithArgsArray(f, 1, nullptr, nullptr, args) || aclrtSynchronizeDevice() ||
        aclrtMemcpy(result, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST) || aclrtFree(p) ||
        aclrtBinaryUnLoad(binary) || aclrtcDestroyProg(&prog))
        return;
}

/* Kernels of one name in binaries of their own do not meet. */
static void test_threads()
{
    int32_t result[3] = {-1, -1, -1};
    std::vector<std::thread> threads;

    for (int i = 0; i < 3; i++)
        threads.emplace_back(compile_alone, i, &result[i]);
    for (std::thread &t : threads)
        t.join();
    for (int i = 0; i < 3; i++)
        CHECK(result[i] == i);
}

int main()
{
    OK(aclInit(nullptr));
    OK(aclrtSetDevice(0));
    test_templates();
    test_mistakes();
    test_threads();
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return ended("rtc");
}

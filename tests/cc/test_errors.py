# SPDX-License-Identifier: Apache-2.0
"""Messages: the user's own file, line, column and caret, once; what is not supported is named."""

import os

import pytest


def errors_of(cc, text, *options, name="bad.asc"):
    return cc.compile("-c", cc.source(name, text), "-o", "bad.o", *options, expect=1).stderr


def column_of(text, line, word):
    return text.splitlines()[line - 1].index(word) + 1


KERNEL_ERROR = """#define BAD(x) undeclared_##x
__global__ __mix__(1, 2) void k(__gm__ int *p, float a) {
    int unused = BAD(thing);
    if ASCEND_IS_AIV { __gm__ int *__restrict__ q = p; *q = nope; }
}
int main() { int *d = nullptr; k<<<1, nullptr, nullptr>>>(d, 2); return missing; }
"""


def test_errors_stand_where_the_user_wrote_them(cc):
    """In a kernel behind qualifiers and predicates, and behind a launch; each said once for all views."""
    talk = errors_of(cc, KERNEL_ERROR)
    file = cc.directory / "bad.asc"
    for line, word in ((3, "BAD"), (4, "nope"), (6, "missing")):
        where = f"{file}:{line}:{column_of(KERNEL_ERROR, line, word)}: error: "
        assert talk.count(where) == 1, talk
    assert talk.count(": error: ") == 3
    lines = talk.splitlines()
    shown = next(i for i, text in enumerate(lines) if "return missing" in text)
    assert lines[shown + 1].index("^") - lines[shown].index("missing") == 0


@pytest.mark.parametrize("launch,says", [
    ("k<<<1, nullptr, nullptr>>>(p)", "the launch passes a different number of arguments than the kernel has parameters"),
    ("k<<<1, nullptr, nullptr>>>(p, \"text\")", "a launch argument does not convert to the kernel's parameter type"),
    ("k<<<1, 64, 0, nullptr>>>(p, 1)", "is SIMT, which this version of nputwin does not support"),
    ("r<<<1, nullptr, nullptr>>>(p)", "a kernel returns void"),
    ("s<<<1, nullptr, nullptr>>>(std::string())", "kernel parameters must be plain values"),
])
def test_wrong_launch(cc, launch, says):
    text = ("#include <string>\n__global__ void k(int *p, int n) { *p = n; }\nint r(int *p) { return *p; }\n"
            f"{'__global__ void s(std::string t) {}' if launch[0] == 's' else ''}\n"
            f"void go(int *p) {{ int unused = 0; {launch}; }}\n")
    talk = errors_of(cc, text)
    assert says in talk
    assert talk.count(": error: ") == 1
    assert (f"<stub of s, {cc.directory}/bad.asc>:4:" if launch[0] == "s" else f"{cc.directory}/bad.asc:5:") in talk


@pytest.mark.parametrize("text,says", [
    ("__global__ void k(int *p) {}\nvoid go(int *p) { k<<<1, 0; }\n", "bad.asc:2:20: error: a launch <<< without its >>>("),
    ("__global__ void k(int *p) {}\nvoid go(int *p) { k<<<>>>(p); }\n", "bad.asc:2:20: error: a launch needs a kernel before <<<"),
    ("__global__ void k(int *p) {\n  *p = 1;\n", "bad.asc:1:27: error: the body of this kernel is never closed"),
    ("__global__ int;\n", "bad.asc:1:1: error: __global__ stands before something that is no function"),
])
def test_what_the_rewriter_refuses(cc, text, says):
    assert f"{cc.directory}/" + says in errors_of(cc, text)


MEANINGS = """enum class Kind {{ ONE }};
struct S {{ static constexpr bool Kind = Kind::ONE == Kind::ONE; }};
__global__ void k(int *p) {{ *p = S::Kind{more}; }}
"""


@pytest.mark.parametrize("more,says", [(" + nope", "‘nope’ was not declared"), ("; int *q = 1L", "invalid conversion")])
def test_what_a_change_of_meaning_does_not_hide(cc, more, says):
    """A member named as a type that its class used is no error; what else g++ may let pass is one."""
    cc.compile("-c", cc.source("good.asc", MEANINGS.format(more="")), "-o", "good.o")
    cc.env["LC_ALL"] = "C.UTF-8"
    assert says in errors_of(cc, MEANINGS.format(more=more))


def test_generated_text_repeats_no_error(cc):
    talk = errors_of(cc, "__global__ void k(Foo x, int n) { n = x; }\n")
    assert "'Foo' was not declared" in talk.replace("‘", "'").replace("’", "'")
    assert "nputwin_" not in talk and "<stub of" not in talk


def test_missing_header_is_said_once(cc):
    talk = errors_of(cc, '#include "nothere.h"\n')
    assert talk.count("bad.asc:1:10: fatal error: nothere.h") == 1


def test_warnings_of_generated_text_are_not_shown(cc):
    text = ("template <class T> __global__ void d(T *p, T v) { *p = v; }\n"
            "__global__ __aicore__ void k(int *p, const int n) { *p = n; }\n"
            "void go(int *p) { d<<<1>>>(p, 2); k<<<1>>>(p, 3); int odd; }\n")
    talk = cc.compile("-Wall", "-Wextra", "-Wshadow", "-Wold-style-cast", "-c", cc.source("w.asc", text), "-o", "w.o").stderr
    assert talk.count("warning: ") == 1 and "unused variable 'odd'" in talk.replace("‘", "'").replace("’", "'")


@pytest.mark.parametrize("option,words", [
    ("--npu-arch=dav-1001", ["Unsupported NPU architecture or soc", "dav-1001", "dav-2201", "dav-3510"]),
    ("--npu-arch=2201", ["Unsupported NPU architecture or soc", "2201", "dav-2201"]),
    ("--npu-soc=Ascend310P", ["Unsupported NPU architecture or soc", "Ascend310P", "Ascend910B1..B4"]),
    ("--npu-soc=Ascend910B", ["Unsupported NPU architecture or soc", "first-generation", "Ascend910B1"]),
    ("--enable-simt", ["--enable-simt", "SIMT"]),
    ("--run-mode=fpga", ["--run-mode=fpga", "npu, cpu, sim"]),
    ("--cce-auto-snyc-log=x", ["unknown option --cce-auto-snyc-log=x", "did you mean --cce-auto-sync-log="]),
    ("--npu-arhc=dav-2201", ["did you mean --npu-arch="]),
    ("--npu-arch", ["--npu-arch needs a value"]),
    ("--asc-nothing-like-it-at-all", ["unknown option --asc-nothing-like-it-at-all", "--help"]),
    ("--cce-host-only", ["--cce-host-only", "host and device code together"]),
    ("-", ["standard input"]),
])
def test_options_that_are_refused(cc, option, words):
    talk = cc.compile("-c", cc.source("k.asc", "\n"), option, expect=2).stderr
    assert talk.startswith("bisheng: error: ") and talk.count("\n") == 1
    for word in words:
        assert word in talk


def test_missing_host_compiler(cc):
    """One line that says what to install."""
    talk = cc.compile("-c", cc.source("k.asc", "\n"), env={"PATH": "/nonexistent"}, expect=1).stderr
    assert talk.count("\n") == 1 and "g++" in talk and "apt install g++" in talk


def test_no_input(cc):
    assert "no input files" in cc.run(cc.bisheng, expect=2).stderr


def test_relocatable_device_code(cc):
    """-dc is fine where every view has one text, and refused by name where it would be wrong."""
    same = cc.source("same.asc", "__aicore__ int helper(int x) { return x * 9; }\n")
    kernel = cc.source("kernel.asc", "#include <cstdio>\n__aicore__ int helper(int);\n"
                       "__global__ __vector__ void k(int *p) { *p = helper(*p); }\n"
                       'int main() { int v = 5; k<<<1>>>(&v); printf("%d\\n", v); }\n')
    cc.compile("-dc", same, kernel)
    cc.compile("same.o", "kernel.o", "-o", "user")
    assert cc.output("./user") == "45\n"
    differs = cc.source("differs.asc", "__aicore__ int helper() { if ASCEND_IS_AIC { return 1; } return 2; }\n"
                        "__global__ __aicore__ void k(int *p) { *p = helper(); }\n")
    assert "-dc" in cc.compile("-dc", differs, expect=1).stderr


C_API = """#include "c_api/asc_simd.h"
__vector__ __global__ void k(__gm__ half *p)
{
    __ubuf__ half a[128];
    asc_copy_gm2ub_sync(a, p, 256);
    CALL;
    asc_copy_ub2gm_sync(p, a, 256);
}
void go(half *p) { k<<<1, 0, nullptr>>>(p); }
"""


@pytest.mark.parametrize("arch,call,says", [
    ("2201", "asc_abs((double *)a, (double *)a, 8)", "asc_abs: on dav-2201 the elements are F16_F32; forms: (dst, src, count)"),
    ("2201", "asc_div_sync((int32_t *)a, (int32_t *)a, (int32_t *)a, 8)", "asc_div_sync: on dav-2201 the elements are F16_F32"),
    ("2201", "asc_copy_gm2ub_align((int64_t *)a, (int64_t *)p, 8)", "asc_copy_gm2ub_align: elements of 8, 16 or 32 bits"),
    ("2201", "(void)asc_get_status()", "asc_get_status: the twin has no exception bits of the arithmetic units to return"),
    ("3510", "asc_abs(a, a, 8)", "asc_abs: calls from UB to UB are dav-2201's"),
])
def test_the_c_api_refuses_by_name(cc, arch, call, says):
    """What a chip or a type does not have: the call, the elements that there are, and the user's line."""
    talk = errors_of(cc, C_API.replace("CALL", call), f"--npu-arch=dav-{arch}")
    assert says in talk
    assert "bad.asc:6:" in talk


def test_the_c_api_compiles(cc):
    cc.compile("-c", cc.source("good.asc", C_API.replace("CALL", "asc_abs(a, a, 128); asc_sync()")), "-o", "good.o",
               "--npu-arch=dav-2201")


REFUSED = [
    ("struct m { AscendC::CubeGroupMsgHead head; }; AscendC::CubeResGroupHandle<m> h;", "CubeResGroupHandle: a message is a struct of a multiple of 64"),
    ("AscendC::SetAippFunctions(p, AscendC::AippInputFormat::RGB888_U8, 0);", "SetAippFunctions: this version does not model the image"),
    ("AscendC::LoadImageToLocal(p, 0);", "LoadImageToLocal: this version does not model the image"),
    ("Conv3dApi::Conv3D<int, int, int> c;", "Conv3D: this version has no convolution objects"),
    ("ConvBackpropApi::Conv3DBackpropInput<int, int, int, int> c;", "Conv3DBackpropInput: this version has no convolution"),
    ("ConvBackpropApi::Conv3DBackpropFilter<int, int, int, int> c;", "Conv3DBackpropFilter: this version has no convolution"),
    ("AscendC::Hccl<AscendC::HCCL_SERVER_TYPE_AICPU> h;", "Hccl: this version has no collectives within a kernel"),
    ("AscendC::GetHcclContext<AscendC::HCCL_GROUP_ID_0>();", "GetHcclContext: this version has no collectives"),
    ("AscendC::GmAlloc(64);", "GmAlloc is of the vendor's CPU debugging"),
    ("AscendC::SetKernelMode(1);", "SetKernelMode"),
    ("ICPU_RUN_KF(k, 1, p);", "ICPU_RUN_KF"),
    ("ICPU_SET_TILING_KEY(1);", "ICPU_SET_TILING_KEY"),
    ("uint32_t v; AscendC::GetArchVersion(v);", "GetArchVersion: the version numbers"),
    ("AscendC::CheckLocalMemoryIA(AscendC::CheckLocalMemoryIAParam());", "CheckLocalMemoryIA"),
    ("AscendC::CrossCoreSetFlag<4, PIPE_V>(1);", "CrossCoreSetFlag: modes 0, 1 and 2"),
    ("AscendC::PipeBarrier<PIPE_S>();", "PIPE_S is not allowed"),
    ("AscendC::TQue<AscendC::TPosition::VECIN, 0> q; (void)q.VacantInQue();", "VacantInQue: a queue of depth 0 works in place"),
    ("AscendC::TQue<AscendC::TPosition::VECIN, 0> q; (void)q.HasIdleBuffer();", "HasIdleBuffer: a queue of depth 0 works in place"),
    ("AscendC::GetCtrlSpr<3, 2>();", "GetCtrlSpr: 0 <= startBit <= endBit"),
    ("AscendC::Cast<float, half, AscendC::RoundMode::CAST_RINT>(1.0f);", "Cast of a scalar: float to half with CAST_ODD"),
]


@pytest.mark.parametrize("statement,says", REFUSED, ids=[says.split()[0].rstrip(":") for _, says in REFUSED])
def test_calls_that_are_refused_by_name(cc, statement, says):
    text = f'#include "kernel_operator.h"\n__global__ __vector__ void k(__gm__ uint8_t *p) {{ {statement} }}\nint main() {{}}\n'
    assert says in errors_of(cc, text)


@pytest.mark.parametrize("call,name,says", [
    ("AscendC::Reg::RegTensor<float> r", "Reg", "the register API of dav-3510"),
    ("asc_loadalign(p)", "asc_loadalign", "the C API of dav-3510, on registers"),
    ("p[threadIdx.x] = 0", "threadIdx", "SIMT programming on dav-3510"),
    ("AscendC::Te::MakeTensor(p)", "Te", "the Tensor API of dav-3510"),
    ("AscendC::Clamp(p)", "Clamp", "a call of dav-3510; dav-2201 has none of that name"),
    ("AscendC::LoadImageToLocalParams i", "LoadImageToLocalParams", "the image processor (AIPP)"),
    ("AscendC::RpSort16(p)", "RpSort16", "a call of chips before dav-2201"),
])
def test_documented_names_that_are_missing(cc, call, name, says):
    text = f'#include "kernel_operator.h"\n__global__ __vector__ void k(__gm__ float *p) {{ {call}; {call}; }}\n'
    talk = errors_of(cc, text, "--npu-arch=dav-2201")
    assert talk.count(f"bisheng: note: {name} is of {says}" if "call of" not in says else f"bisheng: note: {name} is {says}") == 1, talk


def test_a_crash_of_the_compiler_names_the_way_around(cc):
    fake = cc.source("g++", "#!/bin/sh\necho 'k.h:7:1: internal compiler error: in tsubst, at cp/pt.cc:15867' >&2\nexit 1\n")
    fake.chmod(0o755)
    text = "__global__ __vector__ void k(__gm__ float *p) { *p = 1; }\n"
    talk = cc.compile("-c", cc.source("k.asc", text), "-o", "k.o", expect=1,
                      env={"PATH": f"{cc.directory}:{os.environ['PATH']}"}).stderr
    assert talk.count("bisheng: note: this g++ fails where a static constexpr") == 1, talk


def test_other_unknown_names_are_not_explained(cc):
    assert "bisheng: note" not in errors_of(cc, "int f() { return asc_ad(3) + Clampp; }\n")

# SPDX-License-Identifier: Apache-2.0
"""The command line: what build systems of both generations write."""

import pytest

HELLO = """#include <cstdio>
__global__ __vector__ void put(GM_ADDR p) { *(__gm__ int *)p = VALUE; }
int main() { int v = 0; put<<<1, nullptr, nullptr>>>((uint8_t *)&v); printf("%d\\n", v); }
"""


def test_libraries_before_sources(cc):
    """`-lx a.asc -o a.so`: the library is linked, and stays although nothing needed it yet."""
    cc.run("gcc", "-shared", "-fPIC", "-o", "libanswer.so", "-x", "c", cc.source("answer.c", "int answer(void) { return 42; }\n"))
    kernel = cc.source("k.asc", 'extern "C" int answer();\n__global__ void k(int *p) { *p = 1; }\n'
                       'extern "C" int go() { int v; k<<<1>>>(&v); return answer() + v; }\n')
    cc.compile("-x", "asc", "--npu-arch=dav-2201", "--shared", "-fPIC", "-std=c++17", f"-L{cc.directory}", "-lanswer", "-ldl",
               kernel, "-o", "k.so")
    needed = cc.output("readelf", "-d", "k.so")
    for library in ("libanswer.so", "libascendc_runtime.so"):
        assert f"[{library}]" in needed
    assert f"{cc.prefix}/lib64" in needed


def test_static_library(cc):
    """-lib makes an archive; a program of g++ takes its kernels from it."""
    cc.compile("-lib", cc.src / "stubs.asc", cc.src / "other.asc", "-o", "libk.a")
    assert cc.output("ar", "t", "libk.a").count(".o") == 2
    cc.run("g++", cc.src / "caller_cpp.cpp", "libk.a", *cc.runtime, "-o", "user")
    assert cc.output("./user") == "7 74 174\n"


def test_cmake_compile_line(cc):
    """The line that LANGUAGES ASC writes: a .cpp made Ascend C, a make rule beside the object."""
    header = cc.source("value.h", "#define VALUE 7\n")
    device = cc.source("device.h", "\n")
    source = cc.source("k.cpp", '#include "value.h"\n#ifdef __DAV_C220_CUBE__\n#include "device.h"\n#endif\n' + HELLO)
    cc.compile("-Dx_EXPORTS", f"-I{cc.directory}", "-std=c++17", "-O3", "-DNDEBUG", "-fPIC", "--npu-arch=dav-2201", "-MD",
               "-MT", "dir/k.o", "-MF", "k.d", "-o", "k.o", "-c", "--asc-aicore-lang", source)
    rule = (cc.directory / "k.d").read_text()
    assert rule.startswith("dir/k.o: ") and str(header) in rule and str(device) in rule
    cc.run("g++", "k.o", *cc.runtime, "-o", "k")
    assert cc.output("./k") == "7\n"


@pytest.mark.parametrize("arch,define", [("dav-2201", "2201"), ("dav-3510", "3510")])
def test_macros_of_each_view(cc, arch, define):
    family = {"2201": "C220", "3510": "C310"}[define]
    source = cc.source("m.asc", f"""#include <cstdio>
#if __NPU_ARCH__ != {define}
#error "architecture"
#endif
#ifdef __CCE_AICORE__
#if defined(__DAV_{family}_VEC__) == defined(__DAV_{family}_CUBE__)
#error "a device view is one of the two"
#endif
#endif
__global__ __mix__(1, 2) void k(int *p) {{
#ifdef __DAV_{family}_VEC__
  p[0] = 1;
#endif
#ifdef __DAV_{family}_CUBE__
  p[1] = 2;
#endif
}}
int main() {{
#ifdef __CCE_AICORE__
  nonsense here
#endif
  int v[2] = {{}}; k<<<1>>>(v); printf("%d %d\\n", v[0], v[1]); }}
""")
    # the host's text differs from the device's: main() of a device view would not compile
    host_only = source.read_text().replace("  nonsense here\n", "")
    source.write_text(host_only)
    cc.compile(source, f"--npu-arch={arch}", "-o", "m")
    assert cc.output("./m") == "1 2\n"


def test_options_for_one_side(cc):
    source = cc.source("s.asc", """#include <cstdio>
__global__ __vector__ void k(int *p) { *p = SIDE; }
int main() { int v; k<<<1>>>(&v); printf("%d %d\\n", v, SIDE); }
""")
    cc.compile(source, "-Xaicore-start", "-DSIDE=1", "-Xaicore-end", "-Xhost-start", "-DSIDE=2", "-Xhost-end", "-o", "s")
    assert cc.output("./s") == "1 2\n"
    cc.compile(source, "-Xaicore-start", "-DSIDE=3", "-Xaicore-end", "-o", "s", "-forward-options-to-host-compiler", "-DSIDE=4")
    assert cc.output("./s") == "3 4\n"


def test_options_of_the_vendor_that_mean_nothing_here(cc):
    cc.compile(cc.source("k.asc", HELLO), "-DVALUE=3", "--npu-soc=ascend910b3", "--run-mode=sim", "--cce-auto-sync=off",
               "--cce-auto-sync-log=x.log", "--cce-simd-vf-fusion=true", "--cce-disable-asc-reserved-ubuf", "-mllvm",
               "-cce-aicore-stack-size=0x8000", "--sanitizer", "-g", "--gcc-toolchain=/usr", "-o", "k")
    assert cc.output("./k") == "3\n"


def test_host_sources_go_to_the_host_compiler_untouched(cc):
    """No force-included header, no language macros: <<< stays an error there, words stay names."""
    source = cc.source("h.cpp", "#include <cstdio>\nint __aicore__ = 3;\n#ifdef __NPU_ARCH__\n#error\n#endif\n"
                       'int main() { printf("%d\\n", __aicore__); }\n')
    cc.compile(source, "-o", "h")
    assert cc.output("./h") == "3\n"


def test_mixed_sources_and_default_output(cc):
    cc.source("k.asc", HELLO.split("int main")[0])
    cc.source("m.cpp", "#include <cstdint>\n#include <cstdio>\nvoid put(uint32_t, void *, void *, uint8_t *);\n"
              'int main() { int v = 0; put(1, 0, 0, (uint8_t *)&v); printf("%d\\n", v); }\n')
    cc.compile("k.asc", "m.cpp", "-DVALUE=8")
    assert cc.output("./a.out") == "8\n"
    cc.compile("-c", "k.asc", "m.cpp", "-DVALUE=9")
    cc.compile("k.o", "m.o", "-o", "again")
    assert cc.output("./again") == "9\n"


def test_preprocess_response_file_show_and_version(cc):
    cc.source("k.asc", HELLO)
    assert "VALUE" in cc.compile("-E", "k.asc").stdout
    cc.source("words", '-DVALUE=6 "k.asc"\n-o k')
    cc.compile("@words")
    assert cc.output("./k") == "6\n"
    shown = cc.compile("-###", "-c", "k.asc", "-o", "never.o")
    assert "g++" in shown.stderr and not (cc.directory / "never.o").exists()
    assert cc.compile("--version").stdout.startswith("bisheng (nputwin) ")
    assert "--npu-arch=ARCH" in cc.compile("--help").stdout


def test_nothing_is_left_behind(cc):
    cc.compile("-c", cc.source("k.asc", HELLO), "-DVALUE=1", "-o", "k.o")
    cc.compile("-c", cc.source("bad.asc", "int x = ;\n"), "-o", "bad.o", expect=1)
    assert sorted(p.name for p in cc.directory.iterdir()) == ["bad.asc", "k.asc", "k.o"]


def test_same_input_same_object(cc):
    source = cc.source("k.asc", HELLO)
    for name in ("one", "two"):
        cc.compile("-c", source, "-DVALUE=1", "-o", "k.o")
        (cc.directory / "k.o").rename(cc.directory / name)
    assert (cc.directory / "one").read_bytes() == (cc.directory / "two").read_bytes()

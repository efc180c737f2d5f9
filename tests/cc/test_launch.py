# SPDX-License-Identifier: Apache-2.0
"""What a launch may look like, and that what the driver makes runs however it is linked."""

import pytest

MIX = """constructed
mix ok, host 1; string "k<<<1>>>()"
template 3.5
through a template 5
deduced 2
deduced in a namespace 4
anonymous 7
static 8
macro 9
lambda 5
selected 6
pointer 11
one name 1 2 3
other file, C 21
other file, C++ 22
"""
TORTURE = "7 8 6 6 12 9108\n31 32 31 78 15 31 32 55 56\n"


@pytest.mark.parametrize("options", [["-O2"], ["-O0", "-g"], ["-O3", "-fvisibility=hidden"]])
def test_vector_add(cc, options):
    cc.compile("-c", cc.src / "add.asc", "-o", "add.o", *options)
    cc.run("g++", "add.o", *cc.runtime, "-o", "add")
    assert cc.output("./add") == "add ok\n"


def test_one_compile_when_all_views_are_equal(cc):
    talk = cc.compile("-v", "-c", cc.src / "add.asc", "-o", "add.o").stderr
    assert talk.count(" -fpreprocessed ") == 1


def test_every_form_of_launch_in_two_files(cc):
    """Templates, deduced arguments, lambdas, macros, pointers, namespaces, static and anonymous kernels,
    stream objects, kernels of another file; equal names with other bodies in each file and core."""
    for name in ("mix", "other"):
        talk = cc.compile("-Wall", "-Wextra", "-c", cc.src / f"{name}.asc", "-o", f"{name}.o").stderr
        assert talk == ""
    cc.run("g++", "mix.o", "other.o", *cc.runtime, "-o", "mix")
    assert cc.output("./mix") == MIX


def test_several_sources_in_one_call(cc):
    cc.compile(cc.src / "mix.asc", cc.src / "other.asc", "-o", "mix")
    assert cc.output("./mix") == MIX


@pytest.mark.parametrize("sides", [[], ["-Xhost-start", "-DHOST_SIDE", "-Xhost-end"]], ids=["merged", "apart"])
def test_torture(cc, sides):
    """Odd declarations, comments and strings with <<< >>>, operators, macros that make kernels."""
    cc.compile("-Wall", cc.src / "torture.asc", "-o", "torture", *sides)
    assert cc.output("./torture") == TORTURE


@pytest.mark.parametrize("caller,compiler,says", [("caller_cpp.cpp", "g++", "7 74 174\n"), ("caller_c.c", "gcc", "7 74\n")])
def test_stubs_for_other_compilers(cc, caller, compiler, says):
    """A host file declares the kernel as a function, with C++ or C linkage; extern "C" kernel or not."""
    cc.compile("-c", cc.src / "stubs.asc", "-o", "stubs.o")
    cc.run("ar", "rcs", "libstubs.a", "stubs.o")
    cc.run(compiler, "-c", cc.src / caller, "-o", "caller.o")
    cc.run("g++", "caller.o", "-L.", "-lstubs", *cc.runtime, "-o", "user")
    assert cc.output("./user") == says
    cc.run("g++", "-shared", "stubs.o", *cc.runtime, "-o", "libstubs.so")
    cc.run("g++", "caller.o", "./libstubs.so", *cc.runtime, "-o", "user")
    assert cc.output("./user") == says


def test_a_kernel_may_have_the_name_of_a_c_function(cc):
    source = cc.source("exp.asc", """#include <cmath>
#include <cstdio>
__global__ __vector__ void exp(int *p, int n) { *p = n; }
int main(int argc, char **) { int v; exp<<<1>>>(&v, 3); printf("%d %g\\n", v, ::exp(double(argc - 1))); }
""")
    cc.compile("-O0", source, "-o", "exp")
    assert cc.output("./exp") == "3 1\n"


def test_strip_and_section_garbage_collection(cc):
    cc.compile("-c", cc.src / "torture.asc", "-o", "torture.o")
    cc.run("g++", "-Wl,--gc-sections", "torture.o", *cc.runtime, "-o", "torture")
    cc.run("strip", "torture")
    assert cc.output("./torture") == TORTURE


def test_exceptions(cc):
    """Inside a kernel they work; one that leaves it is a fault of the core; a kernel is no function."""
    cc.compile(cc.src / "throw.asc", "-o", "throw")
    done = cc.run("./throw")
    assert done.stdout.splitlines()[:2] == ["caught in the kernel 42", "caught on the host 1"]
    assert "void caught(int*) is a kernel and was called like a function" in done.stdout
    assert done.stderr == ("fault 9: an exception left the kernel: big\n"
                           "fault 9: an exception left the kernel: something that is no std::exception\n")


def test_two_libraries_with_equal_names_and_unload(cc):
    """Each runs its own kernel although both export the same names; constructors run once a load."""
    for name, value in (("one", 10), ("two", 20)):
        cc.compile("-shared", cc.src / "lib_kernel.asc", f"-DVALUE={value}", f"-DTEST=run_{name}", "-o", f"lib{name}.so")
    cc.run("gcc", cc.src / "loader.c", *cc.runtime, "-ldl", "-o", "loader")
    both = ["constructed 10", "constructed 20", "run_one 10 11 of 4 kernels", "run_two 20 21 of 4 kernels"]
    assert cc.output("./loader", "global").splitlines() == both
    assert cc.output("./loader", "local").splitlines() == both + [
        "2 kernels left", "run_two 20 21 of 2 kernels", "constructed 10", "run_one 10 11 of 4 kernels"]


def test_kinds_of_kernels(cc):
    cc.compile(cc.src / "kinds.asc", "-o", "kinds")
    done = cc.run("./kinds")
    rows = [line.split(maxsplit=4) for line in done.stdout.splitlines()]
    assert sorted(done.stderr.splitlines()) == [
        "task_keyed 0: 0 AIC", "task_keyed 0: 2 AIC", "task_over 1: 10000000002 MIX_1_2", "task_over 1: 7 AIV"]
    assert {row[0]: (row[1], row[2]) for row in rows} == {
        "v": ("AIV", "v-"), "c": ("AIC", "-c"), "m11": ("MIX_1_1", "vc"), "m12": ("MIX_1_2", "vc"),
        "m10": ("AIC", "-c"), "m01": ("AIV", "v-"), "task": ("MIX_1_1", "vc"), "task_keyed": ("AIV", "-c"), "task_over": ("AIV", "vc"), "aiv_only": ("AIV", "v-"), "mix_aiv": ("AIV", "v-"), "mix_aic": ("AIC", "-c"), "mix_both": ("MIX_1_2", "vc"),
        "only_v": ("AIV", "v-"), "only_c": ("AIC", "-c"), "both": ("MIX_1_2", "vc"), "guarded": ("AIV", "v-"),
        "templ<int>": ("AIC", "-c")}
    assert {row[3] for row in rows} == {"2201"}
    assert rows[-1][4] == "templ<int>"


@pytest.mark.parametrize("words, says", [
    ("KERNEL_TASK_TYPE(2, KERNEL_TYPE_AIC_ONLY); { KERNEL_TASK_TYPE(2, KERNEL_TYPE_AIV_ONLY); }",
     "k: KERNEL_TASK_TYPE gives tiling key 2 two types"),
    ("KERNEL_TASK_TYPE(2, KERNEL_TYPE_AICORE);", "k: KERNEL_TYPE_AICORE is no type of kernels of this chip; KERNEL_TYPE_AIV_ONLY"),
    ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_VECTOR_CORE);", "k: KERNEL_TYPE_MIX_VECTOR_CORE is no type")])
def test_kinds_that_are_refused(cc, words, says):
    source = cc.source("kind.asc", f'extern "C" __global__ __aicore__ void k(int *) {{ {words} }}\nint main() {{ return 0; }}\n')
    assert says in cc.compile(source, "-o", "kind", expect=1).stderr


def test_kernel_of_one_text_is_a_vector_kernel(cc):
    talk = cc.compile("-v", cc.src / "one_text.asc", "-o", "one").stderr
    assert talk.count(" -fpreprocessed ") == 1
    assert cc.output("./one") == "kind 0 plain\n"


def test_arrays_in_the_memory_of_the_core(cc):
    """`__ubuf__ T a[N];` lies in UB, ends with its scope, and names itself when it does not fit."""
    cc.compile("-Wall", cc.src / "place.asc", "-o", "place")
    done = cc.run("./place")
    assert done.stdout == "sum 4167, in UB 1, sizeof 16384, misaligned by 0, 16384 bytes used, blocks 12\n3\n3\n"
    assert done.stderr == "fault 4: y does not fit into UB: 80000 bytes asked, 36608 of 196608 left\n"


def test_arguments_in_braces(cc):
    """Their type is the parameter's; beside other arguments, over several lines, with a launch behind."""
    source = cc.source("braces.asc", """#include <cstdio>
struct pair { int a; float b; };
struct deep { pair p[2]; int n; };
__global__ __vector__ void one(pair p) { printf("%d %g\\n", p.a, p.b); }
__global__ __vector__ void many(int n, deep d, float f) { printf("%d %d %g %d %g\\n", n, d.p[1].a, d.p[1].b, d.n, f); }
__global__ __vector__ void zero(int n) { printf("%d\\n", n); }
int main()
{
    int x = 5;
    one<<<1>>>({x, 2.5f});
    many<<<1>>>(x + 1,
                {{{1, 2}, {x, 4.5f}}, 7}, 0.25f);
    one<<<1>>>({}); zero<<<1>>>({3});
    return 0;
}
""")
    cc.compile(source, "-o", "braces", *cc.runtime)
    assert cc.output("./braces") == "5 2.5\n6 5 4.5 7 0.25\n0 0\n3\n"


@pytest.mark.parametrize("sides", [[], ["-Xhost-start", "-DHOST_SIDE", "-Xhost-end"]], ids=["merged", "apart"])
def test_default_arguments(cc, sides):
    """Those of the definition or of a declaration before it; as many as are missing; any kind of value."""
    source = cc.source("defaults.asc", """#include <cstdio>
struct pair { int a; float b; };
constexpr int seven() { return 7; }
__global__ __vector__ void all(int n = seven(), float f = 0.5f, pair p = {1, 2.5f}, void *q = nullptr)
{
    printf("%d %g %d %g %d\\n", n, f, p.a, p.b, q == nullptr);
}
__global__ __vector__ void some(int n, long more = -3);
namespace inner { extern "C" __global__ __vector__ void c(int n, int more = (2, 3)); }
int main()
{
    all<<<1>>>();
    all<<<1, nullptr, nullptr>>>(8);
    all<<<1>>>(9, 1.5f, {3, 4});
    all<<<1>>>(9, 1.5f, pair{3, 4}, (void *)main);
    some<<<1>>>(4);
    some<<<1>>>(4, 5);
    ::inner::c<<<1>>>(6);
    return 0;
}
__global__ __vector__ void some(int n, long more) { printf("%d %ld\\n", n, more); }
namespace inner { extern "C" __global__ __vector__ void c(int n, int more) { printf("%d %d\\n", n, more); } }
""")
    cc.compile(source, "-o", "defaults", *sides, *cc.runtime)
    assert cc.output("./defaults") == "7 0.5 1 2.5 1\n8 0.5 1 2.5 1\n9 1.5 3 4 1\n9 1.5 3 4 0\n4 -3\n4 5\n6 3\n"


def test_too_few_arguments_beside_defaults(cc):
    source = cc.source("few.asc", """__global__ __vector__ void k(int a, int b, int c = 3) {}
int main() { k<<<1>>>(1); }
""")
    done = cc.compile(source, "-o", "few", *cc.runtime, expect=1)
    assert "a different number of arguments than the kernel has parameters" in done.stderr

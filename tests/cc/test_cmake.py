# SPDX-License-Identifier: Apache-2.0
"""find_package(ASC) and LANGUAGES ASC; ascendc.cmake of the older generation. These run on the runtime
of the prefix."""

import os
import shutil

import pytest

PLACES = ["tools/tikcpp/ascendc_kernel_cmake", "compiler/tikcpp/ascendc_kernel_cmake", "ascendc_devkit/tikcpp/samples/cmake"]


@pytest.fixture
def cmake(cc):
    """configure(project, options...) and build(targets...) in a fresh build directory."""

    class Project:
        env = {"ASCEND_HOME_PATH": str(cc.prefix), "CMAKE_PREFIX_PATH": str(cc.prefix / "lib64" / "cmake"),
               "LD_LIBRARY_PATH": ""}

        def configure(self, source, *options, expect=0, env=None):
            return cc.run("cmake", "-S", source, "-B", "build", *options, env=self.env | (env or {}), expect=expect)

        def build(self, *words):
            return cc.run("cmake", "--build", "build", "-j", "2", *words, env=self.env).stdout

        def output(self, program, **env):
            return cc.output(f"build/{program}", env=self.env | env)

    return Project()


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_language_asc(cc, cmake, generator, tmp_path):
    source = tmp_path / "project"
    cc.run("cp", "-r", cc.src / "new_style", source)
    cmake.configure(source, "-G", generator, "-DCMAKE_ASC_ARCHITECTURES=dav-3510", "-DCMAKE_BUILD_TYPE=Release")
    cmake.build()
    assert cmake.output("alone", NPUTWIN_SOC="Ascend950PR_9599") == "alone 42, arch 3510\n"
    assert cmake.output("user") == "mixed 42\n"
    assert "Building" not in cmake.build()
    (source / "headers" / "value.h").write_text("constexpr int VALUE = 9;\n")
    cmake.build("--target", "alone")
    assert cmake.output("alone", NPUTWIN_SOC="Ascend950PR_9599") == "alone 10, arch 3510\n"


def test_the_language_of_the_ai_cpu_is_refused_by_name(cc, cmake, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES NONE)\nfind_package(AICPU REQUIRED)\n")
    talk = cmake.configure(tmp_path, expect=1).stderr
    assert "this software NPU has AI Cores only: kernels for the AI CPU are not" in " ".join(talk.split())


def test_an_installation_whose_path_has_blanks(cc, cmake, tmp_path):
    home = tmp_path / "Ein Ordner \u00fc"

    def link(source, target):  # on another disk a copy
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)

    shutil.copytree(cc.prefix, home, symlinks=True, copy_function=link)
    env = {"ASCEND_HOME_PATH": str(home), "CMAKE_PREFIX_PATH": str(home / "lib64/cmake")}
    cmake.configure(cc.src / "new_style", "-DCMAKE_ASC_ARCHITECTURES=dav-2201", env=env)
    cmake.build()
    assert cmake.output("user") == "mixed 42\n"
    assert str(home) in cc.run("readelf", "-d", "build/libmixed.so").stdout


@pytest.mark.parametrize("mode", ["npu", "cpu", "sim"])
def test_every_run_mode_runs(cc, cmake, mode):
    cmake.configure(cc.src / "new_style", f"-DCMAKE_ASC_RUN_MODE={mode}", "-DCMAKE_ASC_ARCHITECTURES=dav-2201")
    assert f"--run-mode={mode}" in cmake.build("--target", "alone", "--verbose")
    assert cmake.output("alone") == "alone 42, arch 2201\n"


@pytest.mark.parametrize("where", PLACES)
def test_ascendc_library(cc, cmake, where):
    """A placeholder SOC_VERSION takes NPUTWIN_SOC and says so; the launch header; options a side."""
    first = where == PLACES[0]
    done = cmake.configure(cc.src / "legacy", "-G", "Ninja" if first else "Unix Makefiles", f"-DWHERE={where}",
                           env={"NPUTWIN_SOC": "Ascend910B3"})
    assert "placeholder Ascendxxxyy: compiling for Ascend910B3" in done.stderr
    if not first:
        return
    cmake.build()
    assert cmake.output("user") == "legacy 13 23 33 43, codes 0 0 107000\n"
    header = (cc.directory / "build/include/kernels/aclrtlaunch_scale.h").read_text()
    assert ("uint32_t aclrtlaunch_scale(uint32_t numBlocks, aclrtStream stream, void *x, void *y, uint32_t n, "
            "float unused);") in header


def test_where_a_kernel_finds_its_workspace(cc, cmake):
    """HAVE_WORKSPACE: behind the system's 16 MiB, GetUserWorkspace says the same; HAVE_TILING: one parameter before."""
    cmake.configure(cc.src / "legacy", f"-DWHERE={PLACES[0]}", "-DSOC_VERSION=Ascend910B2")
    cmake.build("--target", "places")
    lines = cmake.output("places").splitlines()
    lines, null = lines[:3], " ".join(lines[3:])
    system = 16 << 20
    assert lines == [f"nothing: 0, 0 1 {system} 0, 77",
                     f"workspace: 0, {system} 0 {system} 0, 77",
                     f"tiling: 0, {system} 0 {system} 5, 77"]
    assert "HAVE_WORKSPACE: the workspace is null; pass GetLibApiWorkSpaceSize() bytes" in null


@pytest.mark.parametrize("kernel,options,place", [("void k(float x)", ["-DHAVE_WORKSPACE=1", "-D", "HAVE_TILING"], "last but one"),
                                                  ("void k()", ["-DHAVE_WORKSPACE"], "last"),
                                                  ("void k(GM_ADDR x, GM_ADDR)", ["-DHAVE_WORKSPACE"], "last")])
def test_have_workspace_without_one(cc, kernel, options, place):
    source = cc.source("k.cpp", f'extern "C" __global__ __aicore__ {kernel} {{}}\n')
    done = cc.compile("-x", "asc", "--aclrt-launch", *options, "-c", source, "-o", "k.o", expect=1)
    assert f"k needs a GM_ADDR with a name as its {place} parameter, the workspace" in done.stderr


@pytest.mark.parametrize("soc,says", [("Ascend910B", "first-generation"), ("Ascend310", "Unsupported NPU architecture or soc")])
def test_soc_version_is_checked(cc, cmake, soc, says):
    done = cmake.configure(cc.src / "legacy", f"-DWHERE={PLACES[0]}", f"-DSOC_VERSION={soc}", expect=1)
    assert soc in done.stderr and says in " ".join(done.stderr.split())


def test_soc_version_in_any_case(cc, cmake):
    cmake.configure(cc.src / "legacy", f"-DWHERE={PLACES[0]}", "-DSOC_VERSION=ascend910b2")


def test_two_architectures_are_refused(cc, cmake):
    done = cmake.configure(cc.src / "new_style", "-DCMAKE_ASC_ARCHITECTURES=dav-2201;dav-3510", expect=1)
    assert "one architecture" in " ".join(done.stderr.split())


def test_sources_of_the_legacy_library_are_device_code_alone(cc):
    """What stands behind __CCE_AICORE__ is there in all views, as the vendor reads such a file for the device only."""
    source = cc.source("k.cpp", """#include "kernel_operator.h"
#ifdef __CCE_AICORE__
inline int on_device() { return 7; }
#endif
template <class T> struct op { int run() { return on_device(); } };
extern "C" __global__ __aicore__ void k(GM_ADDR y) { op<int> o; *(__gm__ int *)y = o.run(); }
""")
    cc.compile("-x", "asc", "--npu-arch=dav-2201", "--aclrt-launch", "-c", source, "-o", "k.o")
    cc.compile("-x", "asc", "--npu-arch=dav-2201", "-c", source, "-o", "k.o", expect=1)
    late = cc.source("late.cpp", source.read_text() + "#if __CCE_AICORE__ >= 220\n" + """
extern "C" __global__ __aicore__ void late(GM_ADDR y) { *(__gm__ int *)y = 8; }\n#endif\n""")
    cc.compile("-x", "asc", "--npu-arch=dav-2201", "--aclrt-headers=.", late)
    assert (cc.directory / "aclrtlaunch_late.h").exists()

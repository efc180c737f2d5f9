# SPDX-License-Identifier: Apache-2.0
"""Binaries of kernels: loaded, launched by handle, and compiled while the program runs."""

import pytest


@pytest.fixture(scope="module")
def loader(bench):
    bench.binary(bench.src / "kernels.asc", "kernels.o")
    bench.program(bench.src / "binary.c", "binary")
    return bench


@pytest.mark.parametrize("delay_us", [None, "300"])
def test_every_way_to_launch(loader, delay_us):
    """With a delay each launch waits in its queue: values must have been copied, code must stay."""
    env = {"NPUTWIN_QUEUE_DELAY_US": delay_us} if delay_us else {}
    assert loader.run("./binary", "kernels.o", env=env).stdout == "binary: ok\n"


@pytest.mark.parametrize("arch,soc,runs", [
    ("dav-2201", "Ascend910B3", True), ("dav-2201", "Ascend910_9391", True), ("dav-3510", "Ascend950PR_9599", True),
    ("dav-3510", "Ascend910B2", False), ("dav-2201", "Ascend950PR_9599", False)])
def test_a_binary_of_another_chip(loader, arch, soc, runs):
    """Case C07: another member of the family is fine; another family is refused before anything runs."""
    loader.program(loader.src / "chip.c", "chip")
    loader.binary(loader.src / "kernels.asc", f"{arch}.o", f"--npu-arch={arch}")
    said = loader.run("./chip", f"{arch}.o", env={"NPUTWIN_SOC": soc}).stdout
    assert said.endswith("chip: ok\n")
    if runs:
        assert said.startswith("0 launched\n")
    else:
        assert said.startswith("107000 ") and f"was compiled for {arch}" in said and f"rebuild with SOC_VERSION={soc}" in said, said


def test_compiled_while_running(bench):
    bench.program(bench.src / "rtc.cpp", "rtc", "-lacl_rtc", "-lpthread")
    assert bench.run("./rtc").stdout == "rtc: ok\n"


def test_a_binary_has_a_name_of_its_own(bench):
    """-c beside --cce-aicore-only says nothing, and without -o the source names the output."""
    source = bench.directory / "one.asc"
    source.write_text('extern "C" __global__ __vector__ void one(__gm__ int *x) { *x = 1; }\n')
    bench.run(bench.prefix / "bin" / "bisheng", "-c", "--aicore-only", source)
    assert (bench.directory / "one.o").read_bytes()[-32:-24] == b"nputwinB"


def test_fatbin_library(loader):
    """The legacy function makes and installs the same binary, with the definitions set for it."""
    project = loader.directory / "fatbin_project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.16)
project(fatbin LANGUAGES CXX)
set(SOC_VERSION Ascend910B2)
include({loader.prefix}/compiler/tikcpp/ascendc_kernel_cmake/ascendc.cmake)
ascendc_fatbin_library(kernels kernels.cpp)
ascendc_compile_definitions(kernels PRIVATE NAME_OF_ONE=entry_20)
""")
    text = (loader.src / "kernels.asc").read_text()
    (project / "kernels.cpp").write_text(text.replace("entry_20(", "NAME_OF_ONE("))
    loader.run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_INSTALL_PREFIX={project}/out")
    loader.run("cmake", "--build", project / "build")
    loader.run("cmake", "--install", project / "build")
    assert loader.run("./binary", project / "out" / "fatbin" / "kernels" / "kernels.o").stdout == "binary: ok\n"

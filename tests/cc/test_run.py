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

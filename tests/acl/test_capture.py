# SPDX-License-Identifier: Apache-2.0
"""A captured graph in a C++ program: a launch in the language, an aclnn operator, copies, two streams."""

import pytest


@pytest.fixture(scope="module")
def graph(bench):
    lib = bench.prefix / "lib64"
    bench.run(bench.prefix / "bin" / "bisheng", "-x", "asc", "--npu-arch=dav-2201", f"-I{bench.src}",
              f"-I{bench.prefix}/include", bench.src / "graph.asc", "-o", "graph", f"-L{lib}", "-lascendcl", "-lopapi")
    return bench


@pytest.mark.parametrize("env", [{}, {"NPUTWIN_QUEUE_DELAY_US": "300"}], ids=["at once", "held back"])
def test_kernel_and_operator(graph, env):
    assert graph.run("./graph", env=env).stdout == "graph: ok\n"

# SPDX-License-Identifier: Apache-2.0
"""Kernels of the cube core, compiled by bisheng: the C API with arrays in the core's memories."""


def test_a_product_by_the_c_api(bench):
    bench.run(bench.prefix / "bin" / "bisheng", "-x", "asc", "--npu-arch=dav-2201", "-Wall", "-Werror",
              bench.src / "c_cube.asc", "-lascendcl", "-o", "c_cube")
    assert bench.run("./c_cube").stdout == "code 0, 0 of 3840 wrong\n"

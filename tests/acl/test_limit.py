# SPDX-License-Identifier: Apache-2.0
"""Kernels that do not end are stopped when their launch's time, or the process's, is up."""


def test_limits(bench):
    bench.run(bench.prefix / "bin" / "bisheng", "-x", "asc", "--npu-arch=dav-2201", f"-I{bench.src}",
              bench.src / "limit.asc", "-o", "limit", f"-L{bench.prefix / 'lib64'}", "-lascendcl")
    for threads in ("1", "4"):
        assert bench.run("./limit", env={"NPUTWIN_THREADS": threads}).stdout == "limit: ok\n"

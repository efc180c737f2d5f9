# SPDX-License-Identifier: Apache-2.0
"""Mix kernels from source to result: two views of a file, groups of cores, flags between them."""

import numpy as np
import pytest

BLOCKS, N = 4, 32


@pytest.fixture
def program(cc):
    cc.run(cc.bisheng, "-x", "asc", "--npu-arch=dav-2201", cc.src / "mix_run.asc", "-o", "mix_run")
    return cc.directory / "mix_run"


def libraries(cc):
    return {"LD_LIBRARY_PATH": str(cc.prefix / "lib64")}


def run_and_check(cc, program, launches):
    cc.run(program, "out.bin", launches, env=libraries(cc))
    raw = (cc.directory / "out.bin").read_bytes()
    n = BLOCKS * N * N
    a, b = np.frombuffer(raw, np.float16, n), np.frombuffer(raw, np.float16, N * N, 2 * n)
    got = np.frombuffer(raw, np.float32, offset=2 * n + 2 * N * N).reshape(3, BLOCKS, N, N)
    want = a.reshape(BLOCKS, N, N).astype(np.float64) @ b.reshape(N, N).astype(np.float64)
    for kernel, plus in enumerate((1, 1, 0)):
        np.testing.assert_array_equal(got[kernel], want + plus)  # eighths and quarters: every sum is exact


def test_groups_compute(cc, program):
    run_and_check(cc, program, 300)


@pytest.mark.long
def test_ten_thousand_launches(cc, program):
    run_and_check(cc, program, 10000)


def test_core_that_never_arrives(cc, program):
    story = cc.output(program, "stuck", env=libraries(cc))
    assert story.startswith("507014 "), story
    for words in ("block 0 of 2 (AIC)", "mix_run.asc:", "CrossCoreWaitFlag(4) waits for ever", "AIV 0 of block 0 has not called CrossCoreSetFlag<2>(4)"):
        assert words in story, story


def test_core_that_has_no_time_left(cc, program):
    """While another core runs no wait is hopeless: the limit of an operator ends both, and both are named."""
    story = cc.output(program, "late", env=libraries(cc))
    assert story.startswith("507014 "), story
    for words in ("late, block 0 of 1 (AIV 0)", "did not end within 40000 us and was stopped; meanwhile", "block 0 of 1 (AIC)", "mix_run.asc:",
                  "CrossCoreWaitFlag(5) waits for ever: AIV 0 of block 0 has not called CrossCoreSetFlag<2>(5)"):
        assert words in story, story


def test_vector_kernel_runs_once_a_block(cc):
    """DataCopy may go to L1 too; that a kernel copies does not make it one for cube cores."""
    cc.run(cc.bisheng, "-x", "asc", "--npu-arch=dav-2201", cc.src / "once.asc", "-o", "once")
    assert cc.output(cc.directory / "once", env=libraries(cc)).split() == ["1"] * 8 + ["0"] * 8


def test_every_ratio(cc):
    """__mix__(c, v) and KERNEL_TASK_TYPE_DEFAULT: which cores run, by which index, of which ratio; flags of mode 0 join them."""
    cc.run(cc.bisheng, "-x", "asc", "--npu-arch=dav-2201", cc.src / "ratio.asc", "-o", "ratio")
    cubes = [f"C{i}.0/1" for i in range(3)]
    vectors = {0: [], 1: [f"V{i}.0/1" for i in range(3)], 2: [f"V{i}.{i % 2}/2" for i in range(6)]}
    want = {"10": cubes, "01": vectors[1], "11": cubes + vectors[1], "12": cubes + vectors[2]}
    told = [line.split() for line in cc.output(cc.directory / "ratio", env=libraries(cc)).splitlines()]
    assert [t[0] for t in told] == [kind + n for kind in "rk" for n in want]
    for name, rc, *who in told:
        assert (rc, who) == ("0", want[name[1:]]), name

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


def test_compiled_while_running(bench):
    bench.program(bench.src / "rtc.cpp", "rtc", "-lacl_rtc", "-lpthread")
    assert bench.run("./rtc").stdout == "rtc: ok\n"


def test_a_binary_has_a_name_of_its_own(bench):
    """-c beside --cce-aicore-only says nothing, and without -o the source names the output."""
    source = bench.directory / "one.asc"
    source.write_text('extern "C" __global__ __vector__ void one(__gm__ int *x) { *x = 1; }\n')
    bench.run(bench.prefix / "bin" / "bisheng", "-c", "--aicore-only", source)
    assert (bench.directory / "one.o").read_bytes()[-32:-24] == b"nputwinB"

# SPDX-License-Identifier: Apache-2.0
"""Public bug reports as small inputs with right values, as far as they show at run time."""
import ctypes
import os
import subprocess
import sys
import textwrap

import pytest
import torch
import torch_npu  # noqa: F401
from extension import build
from torch._subclasses.fake_tensor import FakeTensorMode, UnsupportedOperatorException

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.fixture(scope="module")
def library():
    path = build("cases.asc")
    torch.ops.load_library(path)
    return path


@pytest.fixture(scope="module")
def ops(library):
    return torch.ops.nputwin_cases


def run_python(text, **env):
    """A fresh interpreter: a poisoned device or an abort must not reach the other tests."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], cwd=HERE, timeout=300,
                          capture_output=True, text=True, env={**os.environ, **env})


def test_two_libraries_claim_one_namespace():
    """The second TORCH_LIBRARY throws in a static constructor: no exception reaches Python."""
    a, b = build("claim_a.cpp"), build("claim_b.cpp")
    assert run_python(f"import torch; torch.ops.load_library({a!r}); print('one')").stdout == "one\n"
    both = run_python(f"""
        import torch
        torch.ops.load_library({a!r})
        torch.ops.load_library({b!r})
    """)
    assert both.returncode == -6  # SIGABRT
    assert "Only a single TORCH_LIBRARY can be used to register the namespace" in both.stderr


def test_operator_without_meta_kernel(ops):
    x = torch.arange(24.0).view(6, 4).npu()
    assert ops.half_rows(x).shape == (3, 4)
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(x)
        assert ops.keep_rows(fake).shape == (6, 4)
        with pytest.raises(UnsupportedOperatorException, match="half_rows"):
            ops.half_rows(fake)


def test_wrong_meta_kernel_shows_in_the_shape(ops):
    """A Meta kernel that forgets to halve the rows: fake and real call disagree."""
    impl = torch.library.Library("nputwin_cases", "IMPL")
    impl.impl("half_rows", lambda x: torch.empty_like(x), "Meta")
    try:
        x = torch.arange(24.0).view(6, 4).npu()
        with FakeTensorMode() as mode:
            fake = ops.half_rows(mode.from_tensor(x))
        assert (tuple(fake.shape), tuple(ops.half_rows(x).shape)) == ((6, 4), (3, 4))
    finally:
        impl._destroy()


def twice_behind_a_slow_queue(library, op, busy, **env):
    """Whether op sees x.fill_(1.0), called before it while an operator keeps the task queue busy.

    busy: microseconds, or None for as long as op takes to return."""
    done = run_python(f"""
        import torch, torch_npu
        torch.ops.load_library({library!r})
        ops = torch.ops.nputwin_cases
        x = torch.empty(256, device="npu")
        ops.hold_queue(x) if {busy} is None else ops.slow_queue(x, {busy})
        x.fill_(1.0)
        y = ops.{op}(x)
        ops.release_queue(x)
        print(bool((y.cpu() == 2.0).all()))
    """, **env)
    assert done.stdout in ("True\n", "False\n"), done.stderr
    return done.stdout == "True\n"


@pytest.mark.parametrize("queue, delay_us", [("0", "0"), ("1", "0"), ("2", "0"), ("1", "20000")])
def test_launch_after_queued_operators(library, queue, delay_us):
    """stream(true) empties the task queue first: every queued operator is seen."""
    assert twice_behind_a_slow_queue(library, "twice", 50000, TASK_QUEUE_ENABLE=queue,
                                     NPUTWIN_QUEUE_DELAY_US=delay_us)


def test_launch_that_overtakes_the_task_queue(library):
    """stream(false) does not: the kernel runs before the operators that were called earlier."""
    assert not twice_behind_a_slow_queue(library, "twice_overtaking", None, TASK_QUEUE_ENABLE="1")


def test_strided_inputs(ops):
    base = torch.arange(12, dtype=torch.float32).view(3, 4).npu()
    views = {
        "transposed": (base.t(), [[0, 8, 16], [2, 10, 18], [4, 12, 20], [6, 14, 22]]),
        "columns": (base[:, :2], [[0, 2], [8, 10], [16, 18]]),
        "rows": (base[1:], [[8, 10, 12, 14], [16, 18, 20, 22]]),
    }
    for name, (view, right) in views.items():
        assert ops.twice(view).cpu().tolist() == right, name


def test_strided_input_read_as_flat(ops):
    """What the fault gives, so that the test above cannot pass by accident."""
    base = torch.arange(12, dtype=torch.float32).view(3, 4).npu()
    assert ops.twice_flat(base[:, :2]).cpu().tolist() == [[0, 2], [4, 6], [8, 10]]
    assert ops.twice_flat(base[1:]).cpu().tolist() == [[8, 10, 12, 14], [16, 18, 20, 22]]


def test_view_with_an_offset(ops):
    """A helper that takes storage().data() reads from the start of the base; data_ptr() knows the offset."""
    x = torch.arange(16, dtype=torch.float32).npu()[4:12]
    assert ops.twice(x).cpu().tolist() == [8, 10, 12, 14, 16, 18, 20, 22]
    assert ops.twice_base(x).cpu().tolist() == [0, 2, 4, 6, 8, 10, 12, 14]  # the fault, so that this test can fail


def launch_one_per_block(library, n_blocks, out, items):
    entry = ctypes.CDLL(library).aclrtlaunch_one_per_block
    entry.restype = ctypes.c_uint32
    entry.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32]
    stream = torch.npu.current_stream().npu_stream
    return entry(n_blocks, stream, out.data_ptr(), items)


@pytest.mark.parametrize("n_blocks", [0, 65536])
def test_block_number_out_of_range(library, n_blocks):
    out = torch.zeros(8 * 65536, device="npu")
    torch.npu.synchronize()
    assert launch_one_per_block(library, n_blocks, out, 65536) == 107000
    message = ctypes.CDLL("libascendcl.so").aclGetRecentErrMsg
    message.restype = ctypes.c_char_p
    text = message().decode()
    assert "one_per_block" in text and str(n_blocks) in text and "65535" in text
    assert not out.cpu().any()  # nothing ran, and the device is well


def test_strided_loop_over_blocks(library):
    out = torch.zeros(8 * 65536, device="npu")
    torch.npu.synchronize()
    assert launch_one_per_block(library, 48, out, 65536) == 0
    torch.npu.synchronize()
    assert bool((out.cpu() == 1.0).all())


def test_kernel_out_of_ub_poisons_the_device(library):
    """The next synchronise and copy raise and name the buffer; the process lives."""
    done = run_python(f"""
        import torch, torch_npu
        torch.ops.load_library({library!r})
        x = torch.ones(8, device="npu")
        try:
            torch.ops.nputwin_cases.out_of_ub(x)
        except RuntimeError:
            pass
        for act in (torch.npu.synchronize, x.cpu):
            try:
                act()
                print("no error")
            except RuntimeError as error:
                text = str(error)
                print("out_of_ub" in text and "131072" in text and "196608" in text)
        print("alive")
    """)
    assert done.stdout.splitlines() == ["True", "True", "alive"], (done.stdout, done.stderr)

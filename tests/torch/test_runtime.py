# SPDX-License-Identifier: Apache-2.0
"""Devices, streams, events, memory and errors under the real torch_npu, without any operator that
computes: what fails here is the runtime."""
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import torch

torch_npu = pytest.importorskip("torch_npu")
if not torch.npu.is_available():
    pytest.skip("no NPU: the libraries of nputwin are not loaded", allow_module_level=True)

MIB = 1 << 20


def fill(n, dtype=torch.uint8):
    return torch.arange(n, dtype=torch.int64).mul(31).remainder(251).to(dtype)


def run(code, **env):
    """A fresh process: what it prints, its errors, its exit code."""
    p = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env={**os.environ, **env},
                       capture_output=True, text=True, timeout=120)
    return p.stdout, p.stderr, p.returncode


# ---- what the device is ----------------------------------------------------------------------

def test_device_is_the_soc_row():
    p = torch.npu.get_device_properties(0)
    assert torch.npu.device_count() == int(os.environ.get("NPUTWIN_DEVICES", "1"))
    assert torch.npu.get_device_name(0) == os.environ.get("NPUTWIN_SOC", "Ascend910B2")
    assert 0 < p.cube_core_num < 100 and p.vector_core_num == 2 * p.cube_core_num
    assert p.L2_cache_size > 0
    free, total = torch.npu.mem_get_info()
    assert 0 < free <= total == p.total_memory


def test_version_is_parsed():
    assert torch_npu.npu.utils.get_cann_version("CANN").startswith("8.5")


# ---- copies ----------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", [torch.uint8, torch.uint16, torch.int16, torch.int32, torch.int64,
                                   torch.float16, torch.bfloat16, torch.float32, torch.bool])
def test_copy_there_and_back(dtype):
    x = fill(4097, dtype)
    assert torch.equal(x.npu().cpu(), x)


@pytest.mark.parametrize("n", [0, 1, 31, MIB + 3, 40 * MIB])
def test_copy_sizes(n):
    x = fill(n)
    assert torch.equal(x.npu().cpu(), x)


def test_pinned_memory():
    x = fill(3 * MIB).pin_memory()
    assert x.is_pinned() and not fill(8).is_pinned()
    y = torch.empty_like(x, device="npu")
    y.copy_(x, non_blocking=True)
    back = torch.empty_like(x).pin_memory()
    back.copy_(y, non_blocking=True)
    torch.npu.synchronize()
    assert torch.equal(back, x)


# ---- streams and events ----------------------------------------------------------------------

def test_streams_are_ordered_by_events():
    a, b = torch.npu.Stream(), torch.npu.Stream()
    src, mid, dst = (fill(MIB).npu() for _ in range(3))
    src.copy_(fill(MIB).flip(0))
    with torch.npu.stream(a):
        mid.copy_(src, non_blocking=True)
        e = a.record_event()
    b.wait_event(e)
    with torch.npu.stream(b):
        dst.copy_(mid, non_blocking=True)
    b.synchronize()
    assert torch.equal(dst.cpu(), fill(MIB).flip(0))
    assert a.query() and b.query() and e.query()


def test_event_times_are_real():
    start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    start.record()
    torch.npu.synchronize()
    time.sleep(0.02)
    end.record()
    end.synchronize()
    assert 19 < start.elapsed_time(end) < 2000


def test_event_without_record():
    e = torch.npu.Event()
    assert e.query()
    e.synchronize()
    torch.npu.current_stream().wait_event(e)
    torch.npu.synchronize()


def test_current_stream_is_per_thread():
    s = torch.npu.Stream()
    seen = []
    with torch.npu.stream(s):
        t = threading.Thread(target=lambda: seen.append(torch.npu.current_stream()))
        t.start()
        t.join()
        assert torch.npu.current_stream() == s
    assert seen[0] != s


def test_four_threads_copy():
    wrong = []

    def work(k):
        s = torch.npu.Stream()
        with torch.npu.stream(s):
            for i in range(50):
                x = torch.full((1000 + i,), k * 50 + i, dtype=torch.int32)
                if not torch.equal(x.npu().cpu(), x):
                    wrong.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


# ---- memory ----------------------------------------------------------------------------------

def test_memory_statistics():
    gc.collect()  # what other tests left is freed now, not in between
    torch.npu.empty_cache()
    before = torch.npu.memory_allocated()
    x = torch.empty(64 * MIB, dtype=torch.uint8, device="npu")
    assert torch.npu.memory_allocated() - before >= 64 * MIB
    assert torch.npu.max_memory_allocated() >= torch.npu.memory_allocated()
    free_with, _ = torch.npu.mem_get_info()
    del x
    torch.npu.empty_cache()
    free_without, _ = torch.npu.mem_get_info()
    assert torch.npu.memory_allocated() == before
    assert free_without - free_with >= 64 * MIB


def test_too_much_memory_is_a_torch_oom():
    _, total = torch.npu.mem_get_info()
    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(total + MIB, dtype=torch.uint8, device="npu")
    assert torch.equal(fill(100).npu().cpu(), fill(100))


def test_expandable_segments():
    """Blocks made of mapped pieces of virtual memory."""
    out, err, rc = run("""
        import torch, torch_npu
        xs = [torch.arange(3 << 20, dtype=torch.int32).add(i) for i in range(6)]
        ys = [x.npu() for x in xs]
        assert all(torch.equal(x, y.cpu()) for x, y in zip(xs, ys))
        big = torch.arange(30 << 20, dtype=torch.int32)
        assert torch.equal(big.npu().cpu(), big)
        del ys
        torch.npu.empty_cache()
        print(torch.npu.memory_reserved())
    """, PYTORCH_NPU_ALLOC_CONF="expandable_segments:True")
    assert rc == 0, err
    assert "PYTORCH_NPU_ALLOC_CONF" not in err or "not support" not in err, err


# ---- several devices ---------------------------------------------------------------------------

def test_two_devices():
    out, err, rc = run("""
        import torch, torch_npu
        assert torch.npu.device_count() == 2
        x = torch.arange(1000)
        a = x.to("npu:0")
        b = a.to("npu:1")
        assert b.device.index == 1 and torch.equal(b.cpu(), x)
        with torch.npu.device(1):
            assert torch.npu.current_device() == 1
            c = torch.empty(10, device="npu")
        assert c.device.index == 1 and torch.npu.current_device() == 0
        assert torch.npu.get_device_properties(0).uuid != torch.npu.get_device_properties(1).uuid
    """, NPUTWIN_DEVICES="4", ASCEND_RT_VISIBLE_DEVICES="1,3")
    assert rc == 0, err


def test_no_visible_device():
    out, err, rc = run("""
        import torch, torch_npu
        print(torch.npu.is_available(), torch.npu.device_count())
    """, ASCEND_RT_VISIBLE_DEVICES="7")
    assert out.split()[-2:] == ["False", "0"], err


# ---- host runs ahead -----------------------------------------------------------------------------

def test_delayed_queue_is_really_asynchronous():
    out, err, rc = run("""
        import time, torch, torch_npu
        x = torch.arange(16, dtype=torch.int32).pin_memory()
        y = torch.zeros(16, dtype=torch.int32).pin_memory()
        d = torch.empty(16, dtype=torch.int32, device="npu")
        torch.npu.synchronize()
        d.copy_(x, non_blocking=True)
        y.copy_(d, non_blocking=True)
        early = int(y.sum())
        torch.npu.synchronize()
        print(early, int(y.sum()))
    """, NPUTWIN_QUEUE_DELAY_US="100000")
    assert rc == 0, err
    assert out.split()[-2:] == ["0", "120"]


# ---- errors --------------------------------------------------------------------------------------

def test_bad_soc_is_named():
    out, err, rc = run("import torch, torch_npu; torch.empty(1, device='npu')", NPUTWIN_SOC="Ascend1")
    assert rc != 0
    assert "Ascend1" in err


BROKEN = """
    import ctypes, torch, torch_npu
    x = torch.arange(8).npu()
    torch.npu.synchronize()
    rt = ctypes.CDLL("libascendc_runtime.so")
    TASK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    fail = TASK(lambda arg, story: 507035)
    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    rc = rt.npu_rt_enqueue(stream, b"broken_kernel", fail, None, None, None)
    assert rc == 507035, rc

    def raises(what, f):
        try:
            f()
        except RuntimeError as e:
            assert "507035" in str(e) and "broken_kernel" in str(e), (what, str(e))
        else:
            raise AssertionError(what + " did not raise")

    raises("synchronize", torch.npu.synchronize)
    raises("stream", torch.npu.current_stream().synchronize)
    raises("cpu", x.cpu)
    raises("copy", lambda: x.copy_(torch.zeros(8, dtype=torch.int64)))
    print("alive")
"""


@pytest.mark.parametrize("queue", ["0", "1", "2"])
def test_failed_kernel_is_never_silent(queue):
    out, err, rc = run(BROKEN, TASK_QUEUE_ENABLE=queue)
    assert "alive" in out, err


def test_nothing_on_stdout():
    out, err, rc = run("import torch, torch_npu; torch.empty(1, device='npu').cpu()")
    # torch_npu itself says there that ASCEND_HOME_PATH is not set, when it is not
    lines = [l for l in out.splitlines() if "ASCEND_HOME_PATH" not in l]
    assert rc == 0 and not lines, (out, err)

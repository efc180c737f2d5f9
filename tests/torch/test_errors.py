# SPDX-License-Identifier: Apache-2.0
"""What a user sees when something is wrong. A broken device stays broken, so each case is a process.

A mistake that the first phase finds is an ordinary exception, and the next operator is right. A
mistake that only the device finds (an index in device memory) makes the device unusable, loudly:
every later result or synchronise raises with the same story, and none returns wrong data.
"""
import os
import subprocess
import sys

import pytest

HEAD = """
import faulthandler
faulthandler.dump_traceback_later(60, exit=True)
import torch, torch_npu
x = torch.arange(12.0).reshape(3, 4).npu()

def story(fn):
    try:
        fn()
    except Exception as e:
        return f"{type(e).__name__}: {e}"
    return "no exception"

def is_well():
    return (x + 1).sum().item() == 78.0
"""


def run(body, queue_mode="1", soc="Ascend910B2"):
    env = os.environ | {"TASK_QUEUE_ENABLE": queue_mode, "NPUTWIN_SOC": soc}
    done = subprocess.run([sys.executable, "-c", HEAD + body], env=env, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout


every_mode = pytest.mark.parametrize("queue_mode", ["0", "1", "2"])


@every_mode
def test_shape_mismatch(queue_mode):
    out = run("""
print(story(lambda: torch.ones(3, device="npu") + torch.ones(4, device="npu")))
print("well", is_well())
""", queue_mode)
    assert "RuntimeError: The size of tensor a (3) must match" in out
    assert "well True" in out


@pytest.mark.parametrize("queue_mode", ["0", "1"])
def test_shapes_that_the_first_phase_refuses(queue_mode):
    """In mode 2 torch_npu runs the first phase on its own thread, and stops for good after an error."""
    out = run("""
ones = lambda *shape: torch.ones(*shape, device="npu")
print("1", story(lambda: ones(3, 4) @ ones(5, 2)))
print("2", story(lambda: torch.nn.functional.conv2d(ones(1, 3, 8, 8), ones(4, 2, 3, 3))))
print("3", story(lambda: ones(2, 3).gather(1, torch.zeros(3, 1, dtype=torch.long).npu())))
print("4", story(lambda: torch.mm(ones(2, 3), ones(3, 4).half())))
print("well", is_well())
""", queue_mode)
    assert "no exception" not in out
    assert "[3, 4] x [5, 2] do not multiply" in out
    assert "index has shape [3, 1], self [2, 3]" in out
    assert "float32 x float16: the types must be equal" in out
    assert "well True" in out


@every_mode
def test_index_out_of_range_is_sticky(queue_mode):
    out = run("""
bad = torch.tensor([[99], [0], [1]]).npu()
print("1", story(lambda: x.gather(1, bad).cpu()))
print("2", story(lambda: (x + 1).cpu()))
print("3", story(torch.npu.synchronize))
print("4", story(lambda: torch.npu.current_stream().synchronize()))
print("alive", 1 + 1)
""", queue_mode)
    assert "no exception" not in out
    assert out.count("index 99 is out of bounds for dimension 1 with size 4") >= 2
    assert "aclnnGather" in out
    assert "alive 2" in out


def test_error_in_the_middle_of_a_stream_waits_for_nobody():
    out = run("""
s = torch.npu.Stream()
with torch.npu.stream(s):
    torch.zeros(4, device="npu").index_select(0, torch.tensor([7]).npu())
print(story(s.synchronize))
print(story(lambda: x.cpu()))
""")
    assert out.count("RuntimeError") == 2


def test_refused_attention_form_names_the_argument():
    out = run("""
q = torch.randn(1, 2, 4, 8).npu()
mask = torch.zeros(2048, 2048, dtype=torch.bool).npu()
print(story(lambda: torch_npu.npu_fusion_attention(q, q, q, 2, "BNSD", atten_mask=mask, sparse_mode=4)[0]))
print(story(lambda: torch_npu.npu_fusion_attention(q, q, q, 2, "BNSD", pse=torch.zeros(1, 2, 4, 4).npu())[0]))
print("well", is_well())
""", "0")
    assert "sparseMode must be 0, 1, 2 or 3" in out
    assert "realShiftOptional is not supported" in out
    assert "well True" in out


HIFLOAT8 = """
y = torch.tensor([0.0, 1.0, -1.0, 2.5, -0.3, 100.0, 0.01]).npu()
print(story(lambda: torch_npu.npu_dtype_cast(y, torch_npu.hifloat8).cpu()))
"""


def test_hifloat8_is_a_type_of_950():
    out = run(HIFLOAT8 + """
codes = torch_npu.npu_dtype_cast(y, torch_npu.hifloat8)
print([hex(v) for v in codes.cpu().tolist()])
print(torch_npu.npu_dtype_cast(codes, torch.float32, input_dtype=torch_npu.hifloat8).cpu().tolist())
""", soc="Ascend950PR_9599")
    assert "no exception" in out
    assert "['0x0', '0x8', '0x88', '0x12', '0xb2', '0x4a', '0x5d']" in out
    assert "[0.0, 1.0, -1.0, 2.5, -0.3125, 96.0, 0.009765625]" in out


def test_hifloat8_is_refused_by_chips_without_it():
    out = run(HIFLOAT8 + """print("well", is_well())""", "0")
    assert "out has type hifloat8, which Ascend910B2 does not have" in out
    assert "well True" in out


FLOAT8 = """
for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
    v = torch.linspace(-4, 4, 33)
    print(dtype, story(lambda: print(torch.equal(v.npu().to(dtype).float().cpu(), v.to(dtype).float()))))
    print(story(lambda: v.to(dtype).npu().float().cpu()))
print("well", is_well())
"""


def test_float8_is_a_type_of_950():
    out = run(FLOAT8, "0", soc="Ascend950PR_9599")
    assert out.count("True\n") == 3 and out.count("no exception") == 4, out


@pytest.mark.parametrize("soc", ["Ascend910B2", "Ascend910_9391"])
def test_float8_is_refused_by_chips_without_it(soc):
    """With the list of what the chip has."""
    out = run(FLOAT8, "0", soc=soc)
    for name in ("float8_e4m3fn", "float8_e5m2"):
        says = f"has type {name}, which {soc} does not have; Ascend950 has. The types of {soc}: float32, float16, int8"
        assert out.count(says) == 2, out
    assert "no exception" not in out and "well True" in out


def test_no_wrong_data_after_a_refusal_behind_the_queue():
    """Mode 2: torch_npu drops what is queued after an error of the first phase, and goes on."""
    out = run(HIFLOAT8 + """
for _ in range(3):
    print(story(lambda: (x + 1).cpu()))
print(story(torch.npu.synchronize))
""", "2")
    assert "no exception" not in out
    assert "out has type hifloat8, which Ascend910B2 does not have" in out


def test_integer_output_of_a_real_function():
    out = run("""
print(story(lambda: torch.special.logit(torch.ones(3, dtype=torch.long, device="npu")).cpu()))
print("well", is_well())
""", "0")
    assert "the result is not an integer" in out
    assert "well True" in out


def test_unknown_single_operator_is_named():
    out = run("""
torch.npu.set_compile_mode(jit_compile=True)
print(story(lambda: torch.linalg.svd(x)[1].cpu()))
""", "0")
    assert "no exception" not in out
    assert "is not supported by the twin" in out


def test_missing_operator_is_an_error_not_garbage():
    out = run("""
print(story(lambda: torch.stft(torch.randn(400).npu(), 64, window=torch.ones(64).npu(), return_complex=True).cpu()))
print("well", is_well())
""")
    assert "no exception" not in out
    assert "well True" in out


def test_many_errors_do_not_leak_or_stop_the_process():
    out = run("""
q = torch.randn(1, 2, 4, 8).npu()
for _ in range(300):
    story(lambda: torch_npu.npu_fusion_attention(q, q, q, 2, "BNSD", sparse_mode=7)[0])
print("well", is_well())
""", "0")
    assert "well True" in out

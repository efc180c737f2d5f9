# SPDX-License-Identifier: Apache-2.0
"""Every operator sample of torch, on the npu and on the CPU; and every exported row must have run.

The default run takes a sample or two of each operator; the long one takes more, in more types and
on the SoC that knows no other door than aclnn.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import aclnn
import sweep

HERE = Path(__file__).parent

# Where an NPU under torch_npu differs from a CPU, whatever computes: (operator, why).
DIFFERS = {
    r"nn_functional_gelu": "aclnnGelu has no approximate argument before 950",
    r"native_layer_norm|_?native_batch_norm(_legit)?": "statistics are float, and kept in eval mode",
    r"nn_functional_(adaptive_)?max_pool\dd": "indices are int32, or an opaque mask",
    r"as_strided_partial_views": "the sample is a view into a larger storage, which is not copied",
    r"nn_functional_binary_cross_entropy_with_logits": "no gradient for the target",
    r"nn_functional_conv_transpose3d": "half products add up in float here, in half on the CPU",
}
# What torch_npu or the twin does not have: an exception with this text, and the next operator is right.
REFUSES = {
    "; allowed: ": "a type that the operator's documentation does not list",
    "aclStft": "not exported",
    "'stft' is not differentiable": "torch_npu has no gradient for the window",
    "from the 'SparseCsrnpu' backend": "torch_npu has no sparse CSR kernels",
    "tensor_indices_or_sections to be on cpu": "torch wants the sections of tensor_split on the CPU",
    "Only contiguous_format or preserve_format": "torch_npu knows no channels_last",
    "are out of bounds for storage": "the sample is a view into a larger storage, which is not copied",
    "CdistGrad": "a single operator",
    "LeakyRelu": "a single operator",
    "an input has 1 dimensions, the output 0": "torch_npu copies from [1] to [] in rrelu",
    "the result is not an integer": "torch_npu makes an integer output for logit and exp",
    "doesn't match the broadcast shape": "torch_npu checks the in-place shape of addbmm another way",
    "input must be half, float, int32 or bfloat16": "torch_npu's foreach takes no int64",
    "cannot reshape tensor of 0 elements": "torch_npu's matmul of empty batches",
}


def known(table, name):
    return any(re.fullmatch(pattern, name) for pattern in table)


def run(path, *options, **env):
    subprocess.run([sys.executable, str(HERE / "sweep.py"), "--out", str(path), *options], check=True,
                   env=os.environ | {"TASK_QUEUE_ENABLE": "0"} | env, timeout=3000)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [x for x in lines if "op" in x], lines[-1]["calls"]


@pytest.fixture(scope="module")
def short_run(tmp_path_factory):
    return run(tmp_path_factory.mktemp("sweep") / "short.json", "--samples", "2", "--dtypes", "float32,int64")


def judge(found):
    assert sum(x["status"] == "ok" and x["n"] > 0 for x in found) > 800
    broken = [x for x in found if x["status"] in ("device", "crash")]
    wrong = [x for x in found if x["status"] == "wrong" and not known(DIFFERS, x["op"])]
    refused = [x for x in found if x["status"] == "refused" and not any(text in x["text"] for text in REFUSES)]
    assert not broken + wrong + refused


def test_samples_agree(short_run):
    judge(short_run[0])


def launched_by(test, path):
    subprocess.run([sys.executable, "-m", "pytest", str(test), "-q", "-p", "no:cacheprovider", "-p", "conftest"],
                   env=os.environ | {"TWIN_LAUNCHES": str(path), "PYTHONPATH": str(HERE.parent / "torch")},
                   check=True, timeout=900, stdout=subprocess.DEVNULL)
    return {name for name, n in json.loads(path.read_text()).items() if n}


def test_every_row_has_run(short_run, tmp_path):
    """A row of aclnn.tbl that no test has launched must not be exported."""
    ran = {name for name, n in short_run[1].items() if n}
    ran |= launched_by(HERE / "test_direct.py", tmp_path / "direct.json")
    ran |= launched_by(HERE.parent / "torch" / "test_eager.py", tmp_path / "eager.json")
    assert len(ran) > 500
    never = sorted(set(aclnn.rows()) - ran)
    assert never == []


@pytest.mark.long
@pytest.mark.parametrize("soc", ["Ascend910B2", "Ascend950PR_9599"])
def test_more_samples_agree(tmp_path, soc):
    judge(run(tmp_path / "long.json", "--samples", "8", "--dtypes", "float32,int64,float16,bool,bfloat16,int32",
              NPUTWIN_SOC=soc)[0])

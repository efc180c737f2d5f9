# SPDX-License-Identifier: Apache-2.0
"""`nputwin new op --optype`: for every type that the twin computes, what is written compiles, passes its own test and
has the schema of the type's row.

A package a type would take a minute each: the host files are compiled as one, each in a namespace of its own.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r'^ACLOP\("(\w+)", \w+(?:\("[^"]*"\))?, "([^"]*)", "([^"]*)", "([^"]*)",', re.M)
ROWS = {name: rest for name, *rest in ROW.findall((ROOT / "rt/opapi/aclop.def").read_text())}
OWN = {"LayerNormV3", "LayerNormV4"}  # they have templates, with gradients
SAMPLE = ["Add", "SelectV2", "ReduceSum", "ConcatD", "Cast", "PadV3", "GatherV2", "Sort", "MatMul", "StridedSlice", "LayerNorm", "SoftmaxV2", "SortV2"]


def name_of(op_type):
    return "op_" + re.sub(r"(?<!^)(?=[A-Z])", "_", op_type).lower()


def written(run):
    """The types that `new` writes; the rest it refuses by name: outputs whose shape takes more than the row says."""
    done = {name: run("nputwin", "new", "op", name_of(name), "--optype", name, "--dry-run") for name in ROWS if name not in OWN}
    assert all(d.returncode == 0 or (d.returncode == 2 and f"operator type {name}" in d.stderr) for name, d in done.items())
    return [name for name, d in done.items() if d.returncode == 0]


def make(run, folder, op_type):
    done = run("nputwin", "new", "op", name_of(op_type), "--optype", op_type, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / f"{name_of(op_type)}_extension"


RUN = """
import sys, types, unittest, torch, torch_npu
torch.ops.load_library(sys.argv[1])
bad = {}
for path in sys.argv[2:]:
    name = path.split("/")[-3].removesuffix("_extension")
    sys.modules[name + "_ext"] = types.ModuleType(name + "_ext")
    module = types.ModuleType("test_" + name)
    exec(compile(open(path).read(), path, "exec"), module.__dict__)
    torch._dynamo.reset()
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    for case, text in result.failures + result.errors:
        bad[f"{name}.{case._testMethodName}"] = text
    assert result.testsRun >= 5, (name, result.testsRun)
for name, text in bad.items():
    print(name, text)
sys.exit(bool(bad))
"""


def includes_first(texts):
    """One file: every include once, then each host file in its own namespace."""
    lines = [line for text in texts for line in text.splitlines()]
    includes = dict.fromkeys(line for line in lines if line.startswith("#include"))
    bodies = [f"namespace host_{i} {{\n" + "\n".join(line for line in text.splitlines() if not line.startswith("#include")) + "\n}\n"
              for i, text in enumerate(texts)]
    return "\n".join([*includes, *bodies])


def build(folder):
    import torch

    torch_dir = Path(torch.__file__).parent
    npu_dir = torch_dir.parent / "torch_npu"
    version = "R".join(torch.__version__.split(".")[:2])
    includes = [torch_dir / "include", torch_dir / "include/torch/csrc/api/include", npu_dir / "include", npu_dir / "include/third_party/acl/inc"]
    done = subprocess.run(
        ["g++", "-std=c++17", "-O0", "-Wall", "-Werror", "-fPIC", "-shared", f"-DCURRENT_VERSION=V{version}", "all.cpp", "-o", "all.so",
         *[f"-isystem{path}" for path in includes], f"-L{npu_dir}/lib", f"-L{torch_dir}/lib", "-ltorch_npu", "-ltorch_cpu", "-lc10"],
        cwd=folder, capture_output=True, text=True, timeout=2400)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.parametrize("types", [pytest.param(SAMPLE, id="sample"), pytest.param(None, id="every", marks=pytest.mark.long)])
def test_compiles_and_passes(run, tmp_path, types):
    trees = [make(run, tmp_path, op_type) for op_type in types or written(run)]
    (tmp_path / "all.cpp").write_text(includes_first([(tree / f"csrc/host/{tree.name[:-10]}.cpp").read_text() for tree in trees]))
    build(tmp_path)
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run([sys.executable, "-c", RUN, str(tmp_path / "all.so"), *[str(tree / "test/test.py") for tree in trees]], env=env,
                          cwd="/", capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]


def words(text):
    return [re.match(r"\w+", word).group() for word in text.split()]


def test_schema_is_the_rows(run, tmp_path):
    """Inputs and attributes in the row's order and by its names; left out is what has one value or none here."""
    types = written(run)
    assert len(types) >= 140 and set(SAMPLE) < set(types)
    for op_type in types:
        text = (make(run, tmp_path, op_type) / f"csrc/host/{name_of(op_type)}.cpp").read_text()
        schema, rets = re.search(r'm\.def\("\w+\((.*)\) -> (.*)"\);', text).groups()
        inputs, outputs, attrs = ROWS[op_type]
        left_out = {re.match(r"\w+", w).group() for w in attrs.split() if "==" in w or w.endswith("~")} | ({"N"} if "*" in inputs else set())
        want = words(inputs) + [w for w in words(attrs) if w not in left_out]
        got = [part.split("=")[0].split()[-1].rstrip("_") for part in schema.split(", ")]
        assert got == want, op_type
        assert rets.count("Tensor") == len(outputs.split()), op_type


def test_trees_are_clean(run, tmp_path):
    for op_type in SAMPLE:
        make(run, tmp_path, op_type)
    done = run("nputwin", "check", "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["items"] == []


def test_an_unknown_type_names_the_nearest(run, tmp_path):
    done = run("nputwin", "new", "op", "scale", "--optype", "ReduceSumm", cwd=tmp_path)
    assert done.returncode == 2 and "did you mean ReduceSum?" in done.stderr and list(tmp_path.iterdir()) == []

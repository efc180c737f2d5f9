# SPDX-License-Identifier: Apache-2.0
"""`nputwin new op --optype`: for every type that the twin computes, what is written compiles, passes its own test and
has the schema of the type's row.

A package a type would take a minute each: the host files are compiled as one, each in a namespace of its own.
"""

import json
import os
import re
import subprocess
import sysconfig
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r'^ACLOP\("(\w+)", \w+(?:\("[^"]*"\))?, "([^"]*)", "([^"]*)", "([^"]*)",', re.M)
ROWS = {name: rest for name, *rest in ROW.findall((ROOT / "rt/opapi/aclop.def").read_text())}
OWN = {"LayerNormV3", "LayerNormV4"}  # they have templates, with gradients
SAMPLE = ["Add", "SelectV2", "ReduceSum", "ConcatD", "Cast", "PadV3", "GatherV2", "Sort", "MatMul", "StridedSlice", "LayerNorm", "SoftmaxV2", "SortV2",
          "AddRmsNorm", "BNTrainingUpdate", "Conv2D", "DropOutGenMask", "NonZero", "Range", "StatelessRandomUniformV2", "ViewCopy"]
NO_GRADIENT = ["no result of this operator has a gradient", "changes an argument in place", "random numbers have no gradient",
               "the data decides the size of the result", "in float32, which this operator does not take"]


def name_of(op_type):
    return "op_" + re.sub(r"(?<!^)(?=[A-Z])", "_", op_type).lower()


def smooth(run, types):
    """Those that --autograd writes a gradient for; the rest it refuses by name."""
    done = {name: run("nputwin", "new", "op", name_of(name), "--optype", name, "--autograd", "--dry-run") for name in types}
    assert all(d.returncode == 0 or (d.returncode == 2 and any(why in d.stderr for why in NO_GRADIENT)) for d in done.values())
    return {name for name, d in done.items() if d.returncode == 0}


def written(run):
    """The types that `new` writes: every one of `nputwin list aclop`."""
    done = {name: run("nputwin", "new", "op", name_of(name), "--optype", name, "--dry-run") for name in ROWS if name not in OWN}
    assert {name: d.stderr for name, d in done.items() if d.returncode} == {}
    return list(done)


def make(run, folder, op_type, *args):
    done = run("nputwin", "new", "op", name_of(op_type), "--optype", op_type, *args, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / f"{name_of(op_type)}_extension"


RUN = """
import importlib.machinery, importlib.util, sys, types, unittest, torch, torch_npu
loader = importlib.machinery.ExtensionFileLoader("_C", sys.argv[1])
C = importlib.util.module_from_spec(importlib.util.spec_from_loader("_C", loader))
loader.exec_module(C)
bad = {}
for path in sys.argv[2:]:
    # The package as it is, but for its loader and its binding: those are in the one library.
    package = next(p.parent for p in __import__("pathlib").Path(path).parents[1].glob("*/__init__.py"))
    name = package.name.rsplit("_", 1)[0]
    sys.modules[package.name] = module = types.ModuleType(package.name)
    module.__package__, module.__path__ = package.name, []
    sys.modules[package.name + "._load"], sys.modules[package.name + "._C"] = types.ModuleType("_load"), C
    exec(compile((package / "__init__.py").read_text(), str(package), "exec"), module.__dict__)
    module = types.ModuleType("test_" + name)
    exec(compile(open(path).read(), path, "exec"), module.__dict__)
    torch._dynamo.reset()
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    for case, text in result.failures + result.errors:
        bad[f"{name}.{case._testMethodName}"] = text
    assert result.testsRun >= 4 + ("_ext" in package.name), (name, result.testsRun)
for name, text in bad.items():
    print(name, text)
sys.exit(bool(bad))
"""


def includes_first(texts):
    """One file: every include once, then each host file in its own namespace, its binding as a function beside it."""
    texts = ["\n".join(text).replace("PYBIND11_MODULE(_C, m)", "void bind(pybind11::module_ &m)") for text in texts]
    lines = [line for text in texts for line in text.splitlines()]
    includes = dict.fromkeys(line for line in lines if line.startswith("#include"))
    bodies = [f"namespace host_{i} {{\n" + "\n".join(line for line in text.splitlines() if not line.startswith("#include")) + "\n}\n"
              for i, text in enumerate(texts)]
    binds = "".join(f"    host_{i}::bind(m);\n" for i, text in enumerate(texts) if "void bind(" in text)
    return "\n".join(["#include <torch/csrc/utils/pybind.h>", *includes, *bodies, "PYBIND11_MODULE(_C, m)\n{\n" + binds + "}\n"])


def build(folder):
    import torch

    torch_dir = Path(torch.__file__).parent
    npu_dir = torch_dir.parent / "torch_npu"
    version = "R".join(torch.__version__.split(".")[:2])
    includes = [sysconfig.get_paths()["include"], torch_dir / "include", torch_dir / "include/torch/csrc/api/include", npu_dir / "include", npu_dir / "include/third_party/acl/inc"]
    done = subprocess.run(
        ["g++", "-std=c++17", "-O0", "-Wall", "-Werror", "-fPIC", "-shared", f"-DCURRENT_VERSION=V{version}", "all.cpp", "-o", "all.so",
         *[f"-isystem{path}" for path in includes], f"-L{npu_dir}/lib", f"-L{torch_dir}/lib", "-ltorch_npu", "-ltorch_python", "-ltorch_cpu", "-lc10"],
        cwd=folder, capture_output=True, text=True, timeout=2400)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.parametrize("types", [pytest.param(SAMPLE, id="sample"), pytest.param(None, id="every", marks=pytest.mark.long)])
def test_compiles_and_passes(run, tmp_path, types):
    """With its binding, and with a gradient where a result has one."""
    types = types or written(run)
    with_gradient = smooth(run, types)
    assert with_gradient
    trees = []
    for op_type in types:
        trees.append(make(run, tmp_path, op_type, *(["--autograd"] if op_type in with_gradient else [])))
        (tmp_path / "bound").mkdir(exist_ok=True)
        trees.append(make(run, tmp_path / "bound", op_type, "--route", "pybind"))
    texts = [[path.read_text() for path in sorted(tree.glob("csrc/host/*.cpp"))] for tree in trees]
    # The binding's host file is the library's: once is enough.
    texts = [[*plain, *(text for text in bound if text not in plain)] for plain, bound in zip(texts[::2], texts[1::2])]
    assert all(len(text) == 2 for text in texts)
    (tmp_path / "all.cpp").write_text(includes_first(texts))
    build(tmp_path)
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run([sys.executable, "-c", RUN, str(tmp_path / "all.so"), *[str(tree / "test/test.py") for tree in trees]], env=env,
                          cwd="/", capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]


def words(text):
    return [re.match(r"\w+", word).group() for word in text.split()]


def test_schema_is_the_rows(run, tmp_path):
    """Inputs and attributes in the row's order and by its names; left out is what has one value or none here. An output with the
    name of an input is that input, changed in place."""
    types = written(run)
    assert len(types) >= 205 and set(SAMPLE) < set(types)
    for op_type in types:
        text = (make(run, tmp_path, op_type) / f"csrc/host/{name_of(op_type)}.cpp").read_text()
        schema, rets = re.search(r'm\.def\("\w+\((.*)\) -> (.*)"(?:, \{at::Tag::\w+\})?\);', text).groups()
        inputs, outputs, attrs = ROWS[op_type]
        left_out = {re.match(r"\w+", w).group() for w in attrs.split() if "==" in w or w.endswith("~")} | ({"N"} if "*" in inputs else set())
        want = words(inputs) + [w for w in words(attrs) if w not in left_out]
        got = [part.split("=")[0].split()[-1].rstrip("_") for part in schema.split(", ")]
        assert got == want, op_type
        changed = [name for name in words(outputs) if name in words(inputs)]  # in place
        assert re.findall(r"Tensor\(\w!\) (\w+)", schema) == [name for name in words(inputs) if name in changed], op_type
        assert rets.count("Tensor") == len(outputs.split()) - len(changed), op_type


def test_a_gradient_holds_for_every_attribute(run, tmp_path):
    """What a reference does not read, its gradient would be wrong for. CANN refuses another p of LpLoss than 1."""
    unread = {}
    for op_type in smooth(run, written(run)):
        text = (make(run, tmp_path, op_type, "--autograd") / f"{name_of(op_type)}_ext/__init__.py").read_text()
        head, body = re.search(r"^def _formula\((.*)\):\n((?:    .*\n)+)", text, re.M).groups()
        attrs = [re.match(r"\w+", w).group() for w in ROWS[op_type][2].split()]
        unread[op_type] = [a for a in attrs if re.search(rf"\b{a}\b", head) and not re.search(rf"\b{a}\b", body)]
    assert {op_type: names for op_type, names in unread.items() if names} == {"LpLoss": ["p"]}


def test_trees_are_clean(run, tmp_path):
    for op_type in SAMPLE:
        make(run, tmp_path, op_type)
    done = run("nputwin", "check", "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["items"] == []


def test_an_unknown_type_names_the_nearest(run, tmp_path):
    done = run("nputwin", "new", "op", "scale", "--optype", "ReduceSumm", cwd=tmp_path)
    assert done.returncode == 2 and "did you mean ReduceSum?" in done.stderr and list(tmp_path.iterdir()) == []

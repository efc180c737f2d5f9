# SPDX-License-Identifier: Apache-2.0
"""`nputwin new op --optype` and `plan` for an operator that the project here registers with OP_ADD: its class says names, types and
defaults, and what it does not say is asked for by name."""
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PREFIX = Path(sysconfig.get_path("purelib")) / "nputwin/cann"

EVERY_KIND = """
namespace ge {
static graphStatus InferShape(gert::InferShapeContext *context)
{
    const gert::Shape *x_shape = context->GetInputShape(0);
    gert::Shape *y_shape = context->GetOutputShape(0);
    *y_shape = *x_shape;
    *context->GetOutputShape(1) = *context->GetInputShape(2);
    return GRAPH_SUCCESS;
}
}
class ManyKinds : public OpDef {
public:
    explicit ManyKinds(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).AutoContiguous();
        this->Input("index").ParamType(REQUIRED).DataTypeList({ge::DT_INT32, ge::DT_INT64});
        this->Input("more").ParamType(DYNAMIC).DataType({ge::DT_FLOAT, ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Output("count").ParamType(REQUIRED).DataType({ge::DT_INT32, ge::DT_INT32});
        this->Output("kind").ParamType(REQUIRED).DataType({ge::DT_INT32, ge::DT_INT64});
        this->Attr("axis").AttrType(REQUIRED).Int(0);
        this->Attr("eps").AttrType(OPTIONAL).Float(1e-5f);
        this->Attr("keep").AttrType(OPTIONAL).Bool(true);
        this->Attr("mode").AttrType(OPTIONAL).String("sum");
        this->Attr("steps").AttrType(OPTIONAL).ListInt({1, -1});
        this->SetInferShape(ge::InferShape);
    }
};
OP_ADD(ManyKinds);
"""


@pytest.fixture
def new(run, tmp_path):
    def call(text, *args, folder="op_host"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "def.cpp").write_text(text)
        return run("nputwin", "new", "op", "many", "--optype", "ManyKinds", *args, cwd=tmp_path)

    return call


def test_every_kind_of_input_output_and_attribute(new, run, tmp_path):
    done = new(EVERY_KIND)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "many_extension/csrc/host/many.cpp").read_text()
    schema, = re.findall(r'm\.def\("(.*)"\);', text)
    assert schema == ('many(Tensor x, Tensor? bias, Tensor index, Tensor[] more, int axis, float eps=1e-5, bool keep=True, str mode=\\"sum\\", '
                      'int[] steps=[1,-1]) -> (Tensor, Tensor, Tensor)')
    flat = re.sub(r"\s+", " ", text)
    assert 'Check(index, "index", {at::kInt, at::kLong}, x);' in flat and 'Check(one, "more", {at::kFloat}, x);' in flat
    assert 'if (bias.has_value()) Check(*bias, "bias", {x.scalar_type()}, x);' in flat
    assert ("{at::empty_symint(x.sym_sizes(), x.options()), at::empty_symint(index.sym_sizes(), x.options().dtype(at::kInt)), "
            "at::empty_symint(x.sym_sizes(), x.options().dtype(index.scalar_type()))}") in flat
    assert 'command.Input(more[i].contiguous(), "more" + std::to_string(i));' in flat and "command.Output(count);" in flat
    assert "the shape of kind is taken to be that of x" in done.stderr and "the shape of count" not in done.stderr
    readme = (tmp_path / "many_extension/README.md").read_text()
    assert "**the shape of kind** is taken to be that of x" in readme and "**the shape of count** is that of index, as InferShape says" in readme
    done = run("nputwin", "check", cwd=tmp_path / "many_extension")  # OP_ADD is above it
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


@pytest.mark.parametrize("old, new_, says", [
    ('this->Output("count")', 'this->Output("index")', "output index is an input too, written in place"),
    ('Output("count").ParamType(REQUIRED)', 'Output("count").ParamType(DYNAMIC)', "output count is not REQUIRED"),
    ("{ge::DT_INT32, ge::DT_INT32}", "{ge::DT_INT32, ge::DT_INT8}", "the types of output count follow those of no input"),
    (".Float(1e-5f)", ".ListFloat({1.0f})", "attribute eps is a ListFloat"),
    ("DataTypeList({ge::DT_INT32, ge::DT_INT64})", "DataTypeList(kinds)", "the types of index are no list of ge::DT_..."),
    ('"x").ParamType(REQUIRED)', '"x").ParamType(OPTIONAL)', "its first input, x, is optional"),
    ("class ManyKinds", "class OtherKinds", "has OP_ADD(ManyKinds) and no class ManyKinds"),
    ("OP_ADD(ManyKinds);", "", "nothing can be written for operator type ManyKinds")])
def test_what_a_class_does_not_say_is_refused_by_name(new, tmp_path, old, new_, says):
    assert old in EVERY_KIND
    done = new(EVERY_KIND.replace(old, new_))
    assert (done.returncode, done.stdout) == (2, "") and says in done.stderr, done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["op_host"]


def test_a_shape_that_is_computed_is_said_to_be_taken(new):
    done = new(EVERY_KIND.replace("*y_shape = *x_shape;", "*y_shape = *x_shape; y_shape->SetDim(0, 1);"))
    assert done.returncode == 0 and "the shape of y is taken to be that of x" in done.stderr


def test_its_gradient_is_not_known(new):
    done = new(EVERY_KIND, "--autograd")
    assert done.returncode == 2 and "--autograd: the formula of an operator of a project is not known" in done.stderr


def test_plan_names_the_command_that_makes_its_tree(run, tmp_path):
    shutil.copytree(ROOT / "ops/custom_ops/axpy_custom", tmp_path / "axpy", ignore=shutil.ignore_patterns("framework", "build*"))
    (tmp_path / "axpy/framework").mkdir()
    (tmp_path / "axpy/framework/README.md").write_text("")
    data = json.loads(run("nputwin", "plan", "--json", cwd=tmp_path / "axpy").stdout)
    command, = [line.split() for line in data["commands"] if line.startswith("nputwin new ")]
    done = run(*command, cwd=tmp_path / "axpy")
    assert done.returncode == 0, done.stderr
    assert set(data["files"]) == set(done.stdout.split()) and data["directory"] == "framework/axpy_custom_extension"
    assert "is taken to be" not in done.stderr
    done = run("nputwin", "check", cwd=tmp_path / "axpy")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


@pytest.mark.long
@pytest.mark.parametrize("route", ["library", "pybind"])
def test_the_tree_of_an_installed_package_builds_and_passes(run, tmp_path, route):
    """The values are said to be compared with nothing; with a reference they are compared."""
    shutil.copytree(ROOT / "ops/custom_ops/axpy_custom", tmp_path / "axpy", ignore=shutil.ignore_patterns("framework", "build*"))
    build = f"source '{PREFIX}/set_env.sh' && cmake -S . -B build && cmake --build build -j2 --target binary package && build/*.run --install-path=$PWD/opp"
    tools = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", build], cwd=tmp_path / "axpy", env=tools, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert run("nputwin", "new", "op", "axpy", "--optype", "AxpyCustom", "--route", route, cwd=tmp_path / "axpy").returncode == 0
    site, tree = str(tmp_path / "site"), tmp_path / "axpy/axpy_extension"
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PIP_TARGET": site, "PYTHONPATH": site,
           "ASCEND_CUSTOM_OPP_PATH": str(tmp_path / "axpy/opp/vendors/customize")}
    for command in ("build", "install", "test"):
        done = run("nputwin", command, "--python", sys.executable, env=env, cwd=tree)
        assert done.returncode == 0, done.stderr[-4000:]
    assert "skipped: test_axpy: reference() is not written" in done.stderr
    report = run("nputwin", "report", env=env, cwd=tree)
    assert report.returncode == 0 and "tests were skipped" in report.stdout and "reference() is not written" in report.stdout
    test = tree / "test/test.py"
    test.write_text(test.read_text().replace("    return None\n", "    return alpha * x + y\n"))
    done = run("nputwin", "test", "--python", sys.executable, env=env, cwd=tree)
    assert done.returncode == 0 and "skipped" not in done.stderr, done.stderr[-4000:]
    test.write_text(test.read_text().replace("    return alpha * x + y\n", "    return alpha * x - y\n"))
    assert run("nputwin", "test", "--python", sys.executable, env=env, cwd=tree).returncode == 1

# SPDX-License-Identifier: Apache-2.0
"""`nputwin plan`: one project for each rule by which a way is chosen."""

import json
from pathlib import Path

import pytest

KERNEL = 'extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y%s) { (void)x; }\n'
PROJECT = {"op_host/scale.cpp": "namespace ops { OP_ADD(ScaleCustom); }\n", "op_kernel/scale_custom.cpp": KERNEL % ", GM_ADDR workspace, GM_ADDR tiling",
           "scale_custom.json": "[]"}


@pytest.fixture
def plan(run, tmp_path):
    def call(files, *args):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        done = run("nputwin", "plan", "--json", *args, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        data = json.loads(done.stdout)
        text = run("nputwin", "plan", *args, cwd=tmp_path).stdout
        assert all(line in text for key in ("why", "files", "untouched", "commands") for line in data[key])
        return data

    return call


@pytest.mark.parametrize("files, args, want, because", [
    # the route
    ({}, [], {"route": "library"}, "torch.library"),
    ({}, ["--goal", "quick"], {"route": "pybind", "generation": "26"}, "no operator of torch"),
    ({}, ["--goal", "quick", "--gen", "7"], {"route": "pybind", "generation": "7"}, "as asked for"),
    ({}, ["--goal", "graph"], {"route": "library"}, "TorchAir"),
    ({}, ["--optype", "LayerNormV3"], {"pattern": "C", "operator": "layer_norm_v3"}, "built into CANN"),
    # Plan A or B
    (PROJECT, [], {"plan": "A", "pattern": "C", "type": "ScaleCustom", "operator": "scale_custom"}, "op_host/ and op_kernel/"),
    (PROJECT, ["--deliver", "op-plugin"], {"plan": "B"}, "is asked for"),
    ({"op_plugin/config/op_plugin_functions.yaml": "custom:\n"}, [], {"plan": "B"}, "op-plugin tree"),
    ({}, [], {"plan": "A"}, "lightest way"),
    # Pattern A, B or C
    ({"k.cpp": KERNEL % ""}, [], {"pattern": "A", "operator": "scale"}, "inputs, outputs and scalars"),
    ({"k.cpp": KERNEL % ", GM_ADDR workspace"}, [], {"pattern": "B"}, "takes a workspace"),
    ({"k.cpp": KERNEL % ", GM_ADDR workspace, ScaleTiling tiling"}, [], {"pattern": "B"}, "takes tiling data"),
    ({}, ["--optype", "LayerNormV3", "--soc", "Ascend950PR_9599"], {"pattern": "C", "route": "aclnn"}, "disables aclop"),
    ({}, ["--optype", "Frobnicate"], {"pattern": "C"}, "does not have it"),
    # the generation
    ({"csrc/scale.asc": KERNEL % ""}, [], {"generation": "26"}, ".asc files"),
    ({"k.cpp": KERNEL % ""}, [], {"generation": "7"}, "ascendc_library"),
])
def test_each_rule(plan, files, args, want, because):
    data = plan(files, *args)
    assert want.items() <= data.items() and because in "\n".join(data["why"])


def test_files_lie_where_the_project_wants_them(plan):
    assert plan(PROJECT)["directory"] == "scale_custom_extension"
    data = plan({**PROJECT, "framework/README.md": ""})
    assert data["directory"] == "framework/scale_custom_extension"
    assert data["untouched"] == ["op_host/", "op_kernel/", "tiling headers", "*.json"]
    assert f"{data['directory']}/csrc/host/scale_custom.cpp" in data["files"]
    assert not any("csrc/kernel" in name for name in data["files"])  # Pattern C has none


def test_plan_b_has_its_two_places(plan):
    data = plan({}, "--deliver", "op-plugin", "--name", "scale")
    assert "op_plugin/ops/opapi/ScaleKernelNpuOpApi.cpp" in data["files"] and data["directory"] == "examples/scale_extension"


@pytest.mark.parametrize("args", [["--name", "scale"], ["--name", "scale", "--deliver", "op-plugin"], ["--optype", "ReduceSum", "--name", "row_sum"],
                                  ["--name", "scale", "--goal", "quick"], ["--name", "scale", "--goal", "quick", "--gen", "7"], ["--name", "scale", "--gen", "26"],
                                  ["--optype", "LayerNormV3", "--deliver", "op-plugin", "--name", "norm"]],
                         ids=" ".join)
def test_the_command_that_it_names_makes_the_files_that_it_names(plan, run, tmp_path, args):
    data = plan({}, *args)
    command, = [line.split() for line in data["commands"] if line.startswith("nputwin new ")]
    done = run(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {name.split(" (")[0] for name in data["files"]} == set(done.stdout.split()) - {"+", "-"}, done.stdout


def test_what_new_has_no_template_for_names_an_example_that_is_there(plan, tmp_path):
    for files, args, says in ((PROJECT, [], "ScaleCustom for AxpyCustom"),
                              ({}, ["--optype", "LayerNormV3", "--soc", "Ascend950PR_9599"], "EXEC_NPU_CMD_EXT of aclnnLayerNormV3")):
        data = plan(files, *args)
        copy, = [line for line in data["commands"] if line.startswith("cp -r ")]
        assert says in copy and (Path(copy.split("'")[1]) / "csrc/host").is_dir()
        assert not any(line.startswith("nputwin new") for line in data["commands"])


@pytest.mark.parametrize("args, says", [
    (["--goal", "qiuck"], "--goal qiuck: one of formal, quick, graph; did you mean quick?"), (["--deliver", "mail"], "--deliver mail: one of project, op-plugin"), (["--gaol", "quick"], "did you mean --goal?"),
    (["no/such"], "no/such: No such file")])
def test_usage_errors(run, args, says):
    done = run("nputwin", "plan", *args)
    assert (done.returncode, done.stdout) == (2, "") and says in done.stderr

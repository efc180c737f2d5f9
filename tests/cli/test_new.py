# SPDX-License-Identifier: Apache-2.0
"""`nputwin new op`: every combination is a clean package that builds and passes its test at once."""

import itertools
import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(r'^TEMPLATE\("(\w)", "(\w+)", +"(\d+)", +"(\w+)", +"(\w*)", +"([\w/ .@]+)",\s+"(\w+)",\s+"[^"]*", "([^"]*)"\)', (ROOT / "cli/template.def").read_text(), re.M)
SAMPLE = [("A", "library", "7", "extension"), ("B", "direct", "26", "extension")]


def arguments(pattern, route, gen, layout, optype, *_):
    return ["--pattern", pattern, "--route", route, "--gen", gen, "--layout", layout, *(["--optype", optype] if optype else [])]


def place(row):
    """The folder of a fresh tree, below the current one."""
    return "" if row[3] == "amct" else "gated_sum_direct" if row[1] == "direct" else "gated_sum_extension"


@pytest.fixture
def new(run, tmp_path):
    return lambda *args: run("nputwin", "new", "op", *args, cwd=tmp_path)


def test_rows_were_read():
    assert set(SAMPLE) <= {row[:4] for row in ROWS} and len(ROWS) == (ROOT / "cli/template.def").read_text().count("\nTEMPLATE(")


@pytest.mark.parametrize("row", ROWS, ids=["-".join(filter(None, row[:5])) for row in ROWS])
def test_names_are_replaced_and_nothing_else(new, tmp_path, row):
    """The tree is packages of ops/ with their names replaced: as many files, and other ones byte for byte."""
    done = new("gated_sum", *arguments(*row))
    assert done.returncode == 0, done.stderr
    word = row[6]
    camel = "".join(part.capitalize() for part in word.split("_"))
    parts = row[5].split()
    sources = {}
    is_alone = sum((ROOT / "ops" / part).is_dir() for part in parts) == 1
    for part in parts:
        part, _, folder = part.partition("@")
        if (ROOT / "ops" / part).is_file():
            sources[(Path(folder) / Path(part).name).as_posix()] = ROOT / "ops" / part
        for path in (ROOT / "ops" / part).rglob("*"):
            if path.is_file() and not {"build", "dist", "staging", "__pycache__"} & set(path.parts) and not any(word in path.as_posix() for word in row[7].split()):
                sources[path.relative_to(ROOT / "ops" / part if is_alone else ROOT / "ops").as_posix()] = path
    tree = tmp_path / place(row)
    made = {p.relative_to(tree).as_posix(): p for p in tree.rglob("*") if p.is_file()}
    assert len(made) == len(sources) >= 4
    for name, path in made.items():
        text = name + path.read_text()
        text = text.replace("functional.rms_norm", "")  # torch's
        assert word not in text and (row[4] or camel not in text), name  # the called operator keeps its name
    same = [name for name in made if name in sources and made[name].read_bytes() == sources[name].read_bytes()]
    assert "setup.py" in same or "amct_ops/ops_build.sh" in same and "amct_ops/setup.py" in same or len(parts) == 1 or row[1] in ("direct", "pybind")


@pytest.mark.parametrize("row", ROWS, ids=["-".join(filter(None, row[:5])) for row in ROWS])
def test_fresh_trees_are_clean(new, run, tmp_path, row):
    new("gated_sum", *arguments(*row))
    done = run("nputwin", "check", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_dry_run_names_the_files_and_writes_none(new, tmp_path):
    dry = new("gated_sum", "--dry-run")
    assert dry.returncode == 0 and list(tmp_path.iterdir()) == []
    assert new("gated_sum").stdout == dry.stdout
    assert "gated_sum_extension/test/test.py" in dry.stdout.split()


def test_nothing_that_exists_is_written_to(new, tmp_path):
    new("gated_sum")
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    done = new("gated_sum", "--gen", "26")
    assert done.returncode == 1 and "exists" in done.stderr
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}


def test_an_operator_project_keeps_it_in_framework(new, tmp_path):
    (tmp_path / "framework").mkdir()
    assert new("gated_sum").returncode == 0 and (tmp_path / "framework/gated_sum_extension/setup.py").is_file()


@pytest.mark.parametrize("args, says", [
    (["my_add"], "a name of an example"), (["Scale"], "small letters"), (["a-b"], "small letters"), (["class"], "a word of Python or C++"),
    (["../x"], "small letters"), ([""], "small letters"), (["scale", "--pattern", "Q"], "--pattern Q: one of A B C"), (["scale", "--gen", "8"], "--gen 8: one of 7 26"),
    (["scale", "--optype", "Addd"], "did you mean Add?"), (["scale", "--plan", "c"], "--plan c: one of a b"),
    (["scale", "--plan", "b", "--layout", "amct"], "not route library, layout amct"), (["scale", "--optype", "Add", "--pattern", "A"], "--pattern C, not A"),
    (["scale", "--autograd", "--optype", "Equal"], "no result of this operator has a gradient"), (["scale", "--autograd", "--optype", "ScatterUpdate"], "changes an argument in place"),
    (["scale", "--autograd", "--optype", "StatelessRandomNormalV2"], "random numbers have no gradient"), (["scale", "--autograd", "--optype", "MaskedSelect"], "the data decides the size"),
    (["scale", "--autograd", "--optype", "AttentionScore"], "computed in float32, which this operator does not take"), (["scale", "--autograd", "--route", "direct"], "without torch has no gradient"),
    (["scale", "--autograd", "--plan", "b"], "derivatives.yaml"), (["scale", "--autograd", "--layout", "amct"], "have no gradient"), ([], "takes the word op and a name")])
def test_usage_errors(new, tmp_path, args, says):
    done = new(*args)
    assert (done.returncode, done.stdout) == (2, "") and says in done.stderr and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pattern", "ABC")
def test_every_combination_has_a_tree_or_a_reason(new, tmp_path, pattern):
    """A reason says what to take in place of it, and that is there."""
    for route, gen, layout, plan in itertools.product(("library", "pybind", "opcommand", "direct"), ("7", "26"), ("extension", "amct"), "ab"):
        args = ["--pattern", pattern, "--route", route, "--gen", gen, "--layout", layout, "--plan", plan]
        done = new("gated_sum", *args, "--dry-run")
        if done.returncode == 0:
            assert "README.md" in done.stdout, args
        else:
            assert (done.returncode, done.stdout) == (2, "") and "nputwin new --help" not in done.stderr, args
            assert re.search(r": .*(--(pattern|route|gen|layout) \w|--plan b is)", done.stderr), (args, done.stderr)


@pytest.mark.parametrize("variable", ["SOC_VERSION", "NPUTWIN_SOC"])
def test_pattern_c_is_refused_for_a5(run, tmp_path, variable):
    done = run("nputwin", "new", "op", "row_sum", "--optype", "ReduceSum", cwd=tmp_path, env={variable: "Ascend950PR_9599"})
    assert done.returncode == 2 and "aclnn entry" in done.stderr and list(tmp_path.iterdir()) == []


def lines_added(new, tmp_path, *args):
    """What --into changes of files that are there: {name: [line]}; nothing but whole lines is added."""
    before = {p: p.read_text() for p in tmp_path.rglob("*") if p.is_file()}
    dry = new("gated_sum", *args, "--dry-run")
    assert dry.returncode == 0 and before == {p: p.read_text() for p in tmp_path.rglob("*") if p.is_file()}, dry.stderr
    assert new("gated_sum", *args).stdout == dry.stdout
    return {p.relative_to(tmp_path).as_posix(): (text, p.read_text()) for p, text in before.items() if p.read_text() != text}


def test_into_an_extension(new, run, tmp_path):
    """One host file, one kernel, one ascendc_library linked in, one test class, a line in the README."""
    new("scale_rows")
    changed = lines_added(new, tmp_path, "--into", "scale_rows_extension")
    assert set(changed) == {f"scale_rows_extension/{name}" for name in ("CMakeLists.txt", "README.md", "test/test.py", "scale_rows_ext/__init__.py")}
    cmake = changed["scale_rows_extension/CMakeLists.txt"][1]
    assert "from test_gated_sum import TestGatedSum" in changed["scale_rows_extension/test/test.py"][1]
    assert "ascendc_library(gated_sum_kernel STATIC csrc/kernel/gated_sum_custom.cpp)" in cmake
    assert re.search(r"add_library\(\w+ SHARED csrc/host/scale_rows.cpp csrc/host/gated_sum.cpp\)", cmake)
    assert re.search(r"target_link_libraries\([^)]* gated_sum_kernel\)", cmake)
    assert "import scale_rows_ext  #" in (tmp_path / "scale_rows_extension/test/test_gated_sum.py").read_text()
    assert (tmp_path / "scale_rows_extension/csrc/kernel/gated_sum_custom.cpp").is_file()
    done = run("nputwin", "check", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout
    assert new("gated_sum", "--into", "scale_rows_extension").returncode == 1  # it is there now


@pytest.mark.parametrize("args, files", [
    (["--gen", "26"], {"setup.py", "csrc/pybind.asc", "README.md", "test/test.py", "scale_rows_asc/__init__.py"}),
    (["--pattern", "C"], {"CMakeLists.txt", "README.md", "test/test.py", "scale_rows_ext/__init__.py"}),
    (["--optype", "Add"], {"CMakeLists.txt", "README.md", "test/test.py"}),
    (["--pattern", "B"], {"CMakeLists.txt", "README.md", "test/test.py", "scale_rows_ext/__init__.py"}),
    (["--route", "pybind", "--gen", "7"], {"CMakeLists.txt", "README.md", "test/test.py", "csrc/host/pybind.cpp", "scale_rows_pybind/__init__.py"}),
    (["--pattern", "B", "--gen", "26"], {"setup.py", "csrc/pybind.asc", "README.md", "test/test.py", "scale_rows_asc/__init__.py"}),
    (["--pattern", "B", "--route", "pybind"], {"CMakeLists.txt", "README.md", "test/test.py", "csrc/host/pybind.cpp", "scale_rows_pybind/__init__.py"}),
    (["--pattern", "C", "--route", "pybind"], {"CMakeLists.txt", "README.md", "test/test.py", "csrc/host/pybind.cpp", "scale_rows_pybind/__init__.py"}),
    (["--optype", "ConcatD", "--route", "pybind", "--autograd"], {"CMakeLists.txt", "README.md", "test/test.py", "csrc/host/pybind.cpp", "scale_rows_pybind/__init__.py"}),
    (["--optype", "Log", "--autograd"], {"CMakeLists.txt", "README.md", "test/test.py", "scale_rows_ext/__init__.py"}),
    (["--optype", "NonZero"], {"CMakeLists.txt", "README.md", "test/test.py", "scale_rows_ext/__init__.py"}),
    (["--optype", "Range", "--route", "pybind"], {"CMakeLists.txt", "README.md", "test/test.py", "csrc/host/pybind.cpp", "scale_rows_pybind/__init__.py"}),
    (["--optype", "ScatterUpdate"], {"CMakeLists.txt", "README.md", "test/test.py"}),
    (["--route", "direct"], {"README.md"}),
    (["--pattern", "B", "--route", "direct"], {"README.md"}),
], ids=["asc", "layer_norm_v3", "Add", "B-7", "pybind-7", "B-26", "pybind-B", "pybind-C", "pybind-ConcatD", "Log", "NonZero", "pybind-Range", "ScatterUpdate",
        "direct", "direct-B"])
def test_into_the_other_layouts(new, run, tmp_path, args, files):
    tree = "scale_rows_direct" if "direct" in args else "scale_rows_extension"
    new("scale_rows", *args)
    changed = lines_added(new, tmp_path, *args, "--into", tree + "/")
    assert set(changed) == {f"{tree}/{name}" for name in files}
    for before, after in changed.values():
        kept = iter(after.splitlines())
        assert all("SOURCES = (" in line or "SHARED" in line or " ascendcl " in line or line in kept for line in before.splitlines())
    done = run("nputwin", "check", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


@pytest.mark.parametrize("args", [["--pattern", "C"], ["--optype", "Add"]], ids=["C", "Add"])
def test_the_tests_of_two_operators_that_call_the_same_one_have_two_names(new, tmp_path, args):
    """Their classes have one name; an import under it would take the place of the package's own tests."""
    new("scale_rows", *args)
    new("gated_sum", *args, "--into", "scale_rows_extension")
    own, other = ((tmp_path / "scale_rows_extension/test" / name).read_text() for name in ("test.py", "test_gated_sum.py"))
    (one, same), = re.findall(r"^from test_gated_sum import (\w+)(?: as (\w+))?  #", own, re.M)
    assert f"\nclass {one}(" in other and f"\nclass {same or one}(" not in own


def test_pattern_c_goes_into_a_package_of_kernels_and_not_the_reverse(new, tmp_path):
    new("scale_rows")
    assert new("gated_sum", "--optype", "Add", "--into", "scale_rows_extension").returncode == 0
    new("row_sum", "--optype", "ReduceSum")
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    done = new("shift", "--into", "row_sum_extension")
    assert done.returncode == 1 and "(for a kernel) ascendc_library" in done.stderr
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}


YAML = "all_version: [v2.1, v2.13]\nofficial:\n  - func: abs(Tensor self) -> Tensor\n    op_api: all_version\n\ncustom:\n  - func: npu_x(Tensor self) -> Tensor\n    op_api: all_version\n"
PLAN_B = {"A": ([], "opapi/GatedSumKernelNpuOpApi.cpp", "op_api"), "C": (["--pattern", "C"], "aclops/GatedSumKernelNpu.cpp", "acl_op"),
          "optype": (["--optype", "ReduceSum"], "aclops/GatedSumKernelNpu.cpp", "acl_op"),
          "in place": (["--optype", "BNTrainingUpdate"], "aclops/GatedSumKernelNpu.cpp", "acl_op"),
          "nothing returned": (["--optype", "ScatterUpdate"], "aclops/GatedSumKernelNpu.cpp", "acl_op"),
          "sized by data": (["--optype", "MaskedSelect"], "aclops/GatedSumKernelNpu.cpp", "acl_op")}


@pytest.mark.parametrize("args, source, kind", PLAN_B.values(), ids=PLAN_B)
def test_plan_b(new, run, tmp_path, args, source, kind):
    """A file below op_plugin/ops, an entry in the yaml file that is there, and the example."""
    (tmp_path / "tree/op_plugin/config").mkdir(parents=True)
    (tmp_path / "tree/op_plugin/config/op_plugin_functions.yaml").write_text(YAML)
    changed = lines_added(new, tmp_path, *args, "--plan", "b", "--into", "tree")
    (before, after), = changed.values()
    entry = after.replace("custom:\n", "", 1)
    assert re.search(rf"custom:\n  - func: npu_gated_sum\(.*\n    {kind}: all_version\n\n  - func: npu_x", after) and len(entry) > len(before)
    assert (tmp_path / "tree/op_plugin/ops" / source).is_file() and (tmp_path / "tree/examples/gated_sum_extension/setup.py").is_file()
    done = run("nputwin", "check", cwd=tmp_path / "tree")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout
    again = new("gated_sum", *args, "--plan", "b", "--into", "tree")
    assert again.returncode == 1 and "exist" in again.stderr


@pytest.mark.parametrize("args, source, kind", [pytest.param(*row, id=name, marks=[] if name == "optype" else pytest.mark.long) for name, row in PLAN_B.items()])
def test_the_file_of_plan_b_compiles(new, run, tmp_path, args, source, kind):
    """Against the wheel and the declaration of its own entry; linking is said to be not run."""
    new("gated_sum", *args, "--plan", "b", "--into", "tree")
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = run("nputwin", "build", "npu_gated_sum", "--path", "tree", "--python", sys.executable, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "linking into torch_npu was not run" in done.stderr and "bash ci/build.sh --python=3." in done.stderr
    assert (tmp_path / "tree/build/nputwin" / f"{Path(source).name}.o").is_file()
    path = tmp_path / "tree/op_plugin/config/op_plugin_functions.yaml"
    path.write_text(re.sub(r"npu_gated_sum\(Tensor\S* (\w+)", r"npu_gated_sum(int \1", path.read_text()))
    done = run("nputwin", "build", "npu_gated_sum", "--path", "tree", "--python", sys.executable, env=env, cwd=tmp_path)
    assert done.returncode == 1 and "has another schema than the function" in done.stderr


def test_into_a_package_of_amct_ops(new, run, tmp_path):
    """Copy and rename: the scripts of all operators stay as they are, byte for byte."""
    new("scale_rows", "--layout", "amct")
    changed = lines_added(new, tmp_path, "--layout", "amct", "--into", ".")
    assert set(changed) == {"amct_ops/README.md"}
    assert re.search(r"^\| `gated_sum` \| `gated_sum_encode", changed["amct_ops/README.md"][1], re.M)
    assert (tmp_path / "tests/amct_ops/test_gated_sum.py").is_file()
    done = run("nputwin", "check", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_into_what_is_no_package(new, tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x/setup.py").write_text("")
    done = new("gated_sum", "--into", "x")
    assert done.returncode == 1 and "no package that this operator can be added to" in done.stderr
    assert [p.name for p in (tmp_path / "x").iterdir()] == ["setup.py"]


LONG = [pytest.param(row, marks=[] if row[:4] in SAMPLE else pytest.mark.long, id="-".join(filter(None, row[:5]))) for row in ROWS]


@pytest.fixture
def from_new_to_report(new, run, tmp_path):
    """from_new_to_report(tree, arguments...): one `new` for each list of arguments, then the commands alone; what `test` printed."""

    def walk(tree, *calls):
        for args in calls:
            done = new(*args)
            assert done.returncode == 0, done.stderr
        site = str(tmp_path / "site")
        env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PIP_TARGET": site, "PYTHONPATH": site}
        for command in ("build", "install", "test"):
            done = run("nputwin", command, "--python", sys.executable, env=env, cwd=tmp_path / tree)
            assert done.returncode == 0, done.stderr[-4000:]
        assert run("nputwin", "report", env=env, cwd=tmp_path / tree).returncode == 0
        return done.stderr

    return walk


@pytest.mark.parametrize("row", LONG)
def test_a_fresh_tree_builds_and_passes(from_new_to_report, row):
    tree = "amct_ops" if row[3] == "amct" else place(row)
    from_new_to_report(tree, ["gated_sum", *arguments(*row)])


@pytest.mark.long
@pytest.mark.parametrize("args", [["--route", "opcommand"], ["--optype", "SortV2"], ["--optype", "SoftmaxV2"], ["--optype", "SoftmaxV2", "--autograd"],
                                  ["--optype", "GatherV2", "--route", "pybind", "--autograd"], ["--optype", "BNTrainingUpdate"],
                                  ["--optype", "NonZero", "--route", "pybind"], ["--optype", "StatelessDropOutGenMask"]], ids=" ".join)
def test_an_operator_of_cann_builds_and_passes(from_new_to_report, args):
    from_new_to_report("gated_sum_extension", ["gated_sum", *args])


INTO = {"A-7": ([], []), "A-26": (["--gen", "26"],) * 2, "pybind-7": (["--route", "pybind", "--gen", "7"],) * 2, "pybind-B": (["--route", "pybind", "--pattern", "B"],) * 2,
        "pybind-C": (["--route", "pybind", "--pattern", "C"], ["--route", "pybind", "--optype", "Add", "--autograd"]), "A-pybind-and-C": (["--route", "pybind"], ["--route", "pybind", "--optype", "ConcatD"]), "B-7": (["--pattern", "B"],) * 2, "B-26": (["--pattern", "B", "--gen", "26"],) * 2,
        "C": (["--pattern", "C"],) * 2, "C-into-A": ([], ["--optype", "Add"]),
        "C-sized-by-data": (["--optype", "ScatterUpdate"], ["--optype", "NonZero"]), "pybind-sized-by-data": (["--optype", "MaskedSelect", "--route", "pybind"],) * 2, "direct": (["--route", "direct"],) * 2,
        "amct": (["--layout", "amct"],) * 2}


@pytest.mark.long
@pytest.mark.parametrize("first, second", INTO.values(), ids=INTO)
def test_a_package_of_two_operators_builds_and_passes(from_new_to_report, tmp_path, first, second):
    tree = "" if "amct" in first else "scale_rows_direct" if "direct" in first else "scale_rows_extension"
    printed = from_new_to_report("amct_ops" if "amct" in first else tree, ["scale_rows", *first], ["gated_sum", *second, "--into", tree or "."])
    if "direct" in first:
        assert "./scale_rows" in printed and "./gated_sum" in printed
    else:
        files = [path for folder in ("test", "tests/amct_ops") for path in (tmp_path / tree / folder).glob("test*.py")]
        assert len(files) == 2
        assert sum(map(int, re.findall(r"^Ran (\d+) tests", printed, re.M))) == sum(path.read_text().count("    def test_") for path in files)


@pytest.mark.long
def test_the_example_of_plan_b_builds_and_passes(from_new_to_report):
    from_new_to_report("tree/examples/gated_sum_extension", ["gated_sum", "--plan", "b", "--into", "tree"])


def test_the_walk_of_the_docs_is_the_sequence_of_the_readme():
    for language in ("", ".zh"):
        steps = re.findall(r"^\| \d \| `([^`]+)` \|", (ROOT / f"docs/first_operator{language}.md").read_text(), re.M)
        readme, = re.findall(r"^```console\n(.*?)^```", (ROOT / f"README{language}.md").read_text(), re.M | re.S)
        assert [step for step in steps if step != "nputwin plan"] == readme.splitlines()


BROKEN = [line.split(" | ") for line in (ROOT / "docs/first_operator.md").read_text().partition("## Broken on purpose")[2].splitlines() if line.startswith("| `nputwin n")]


@pytest.mark.parametrize("line, says", BROKEN, ids=[line.strip("| `") for line, _ in BROKEN])
def test_what_the_docs_say_of_a_broken_command(run, tmp_path, line, says):
    done = run(*line.strip("| `").split(), cwd=tmp_path)
    assert done.returncode == 2 and says.strip("| `") in done.stderr and list(tmp_path.iterdir()) == []

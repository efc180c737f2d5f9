# SPDX-License-Identifier: Apache-2.0
"""Operator projects: configured, built, packed, installed and called, on the installation that `cann` names."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


class Shell:
    def __init__(self, directory, env):
        self.directory, self.env = directory, env

    def run(self, *words, expect=0, env=None):
        done = subprocess.run([str(w) for w in words], cwd=self.directory, env=self.env | (env or {}), capture_output=True,
                              text=True, timeout=600)
        assert done.returncode == expect, f"{words} gave {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def python(self, library, text, expect=0, **env):
        """text runs with npu's names, and op for the operator that `library` (path, name) is."""
        head = f"import sys; sys.path.insert(0, {str(HERE / 'call')!r})\nfrom npu import *\n"
        head += f"op = Op({str(library[0])!r}, {library[1]!r})\n"
        head += "def refused(code, *words, call=None):\n" \
                "    try: call()\n" \
                "    except Refused as e: assert e.code == code and all(w in e.text for w in words), str(e)\n" \
                "    else: raise AssertionError('not refused')\n"
        return self.run(sys.executable, "-c", head + text, expect=expect, env=env)


def build(shell, source, out, *options, targets=("package",)):
    shell.run("cmake", "-S", source, "-B", out, *options)
    shell.run("cmake", "--build", out, "-j", "2", "--target", *targets)


@pytest.fixture(scope="module")
def shell(cann, tmp_path_factory):
    env = {k: v for k, v in cann.items() if k not in ("ASCEND_CUSTOM_OPP_PATH", "NPUTWIN_SOC")}
    return Shell(tmp_path_factory.mktemp("custom"), env)


@pytest.fixture(scope="module")
def package(shell):
    """The installed package: vendors/customize."""
    build(shell, HERE / "axpy_custom", "axpy", targets=("binary", "package"))
    run_file, = (shell.directory / "axpy").glob("custom_opp_*.run")
    said = shell.run(run_file, f"--install-path={shell.directory}")
    assert said.endswith("SUCCESS\n")
    return shell.directory / "vendors" / "customize"


@pytest.fixture(scope="module")
def axpy(package):
    return package / "op_api/lib/libcust_opapi.so", "aclnnAxpyCustom"


@pytest.fixture(scope="module")
def programs(shell, package):
    build(shell, HERE / "call", "call", f"-DPACKAGE={package}", targets=("all",))
    return shell.directory / "call"


# ---- values ----

VALUES = """
rng = np.random.default_rng(5)
for kind in (np.float16, np.float32):
    for shape in ((1,), (63,), (5, 1000), (3, 7, 3333), (0, 4)):
        x, y = (rng.standard_normal(shape).astype(kind) for _ in range(2))
        z = Array(np.zeros(shape, kind))
        n = op(Array(x), Array(y), 0.3, z)
        want = (x.astype(np.float32) * np.float32(0.3) + y.astype(np.float32)).astype(kind)
        assert np.array_equal(z.numpy(), want), (kind, shape)
        assert (n > 0) == (kind == np.float16 and x.size > 0)
"""


@pytest.mark.parametrize("soc", ["Ascend910B2", "Ascend910_9391", "Ascend950PR_9599"])
def test_values_of_both_tiling_keys(shell, axpy, soc):
    shell.python(axpy, VALUES, NPUTWIN_SOC=soc)


def test_tensors_may_go_before_the_stream_runs(shell, axpy):
    shell.python(axpy, """
x, y, z = Array(np.arange(4000, dtype='f4')), Array(np.ones(4000, 'f4')), Array(np.zeros(4000, 'f4'))
n, e = op.prepare(x, y, 2.0, z)
for a in (x, y): good(opapi.aclDestroyTensor(a.handle))
op.launch(n, e)
assert np.array_equal(z.numpy(), 2 * np.arange(4000, dtype='f4') + 1)
""", NPUTWIN_QUEUE_DELAY_US="20000")


def test_strided_inputs_are_made_contiguous(shell, axpy):
    shell.python(axpy, """
x = np.arange(60, dtype='f4').reshape(6, 10)
z = Array(np.zeros((10, 6), 'f4'))
op(Array(x, ((10, 6), (1, 10))), Array(np.ones((10, 6), 'f4')), 1.0, z)
assert np.array_equal(z.numpy(), x.T + 1)
t = Array(x, ((10, 6), (1, 10)))
refused(161002, 'z is not contiguous', call=lambda: op.prepare(Array(x.T), Array(x.T), 1.0, t))
""")


def test_an_executor_that_is_repeatable(shell, axpy):
    shell.python(axpy, """
x, z = Array(np.ones(10, 'f4')), Array(np.zeros(10, 'f4'))
n, e = op.prepare(x, x, 2.0, z)
good(op.library.aclSetAclOpExecutorRepeatable(e))
for _ in range(2):
    op.launch(n, e)
assert (z.numpy() == 3).all()
good(op.library.aclDestroyAclOpExecutor(e))
refused(161002, 'not alive', call=lambda: op.launch(n, e))
n, e = op.prepare(x, x, 2.0, z)
op.launch(n, e)
good(op.library.aclDestroyAclOpExecutor(e))     # it has run: nothing is left
""")


# ---- what is refused ----

def test_refusals_name_what_is_allowed(shell, axpy):
    shell.python(axpy, """
f, h, i = (Array(np.ones(8, t)) for t in ('f4', 'f2', 'i4'))
refused(161001, 'aclnnAxpyCustom: x is null', call=lambda: op.prepare(None, f, 1.0, f))
refused(161002, 'x int32', '(x float16, y float16 -> z float16) (x float32, y float32 -> z float32)',
        call=lambda: op.prepare(i, i, 1.0, i))
refused(161002, 'x float32, y float16 -> z float32', call=lambda: op.prepare(f, h, 1.0, f))
refused(161002, 'z has shape [4]', '[8]', call=lambda: op.prepare(f, f, 1.0, Array(np.zeros(4, 'f4'))))
refused(161001, 'executor is null', call=lambda: op.launch(0, None))
n, e = op.prepare(h, h, 1.0, Array(np.zeros(8, 'f2')))
refused(161001, 'workspace is null', str(n), call=lambda: op.launch(n, e))
refused(161002, 'workspaceSize is 4', call=lambda: op.launch(4, e, f.memory))
op.launch(n, e, Array(np.zeros(n // 4, 'f4')).memory)
refused(161002, 'not alive', call=lambda: op.launch(n, e, f.memory))
""")


@pytest.fixture(scope="module")
def one_chip(shell):
    """A project that its build.sh has built, for the one chip of CMakePresets.json; and its files from before."""
    project = shell.directory / "one"
    shutil.copytree(HERE / "axpy_custom", project, ignore=shutil.ignore_patterns("build_out"))
    before = {f: f.read_bytes() for f in project.rglob("*") if f.is_file()}
    shell.run(project / "build.sh")
    return project, before


def test_a_chip_that_the_package_was_not_built_for(shell, one_chip):
    library = next(one_chip[0].rglob("libcust_opapi.so")), "aclnnAxpyCustom"
    call = "a = Array(np.ones(8, 'f4'))\nrefused(561103, 'ascend950', 'built for: ascend910b', call=lambda: op.prepare(a, a, 1.0, a))"
    shell.python(library, call, NPUTWIN_SOC="Ascend950PR_9599")
    shell.python(library, "a = Array(np.ones(8, 'f4'))\nop(a, a, 1.0, a)\nassert (a.numpy() == 2).all()")
    refuse_all(shell, library, ONE_CHIP, NPUTWIN_SOC="Ascend950PR_9599", ASCEND_CUSTOM_OPP_PATH=str(library[0].parents[2]), runs=False)


REFUSED = [  # the first three, each of another kind, in every run: a project is configured for each
    ("CMakeLists.txt", "TYPE RUN", "TYPE TREE", "TYPE must be RUN, SHARED or STATIC"),
    ("op_kernel/CMakeLists.txt", "KERNEL_FILE axpy_custom.cpp", "KERNEL_FILE axpi.cpp", "KERNEL_FILE axpi.cpp): not found"),
    ("op_host/axpy_custom.cpp", ".AutoContiguous()", ".OutputShapeDependOnCompute()", "x: OutputShapeDependOnCompute() is for outputs"),
    ("CMakeLists.txt", "ascend910b ascend910_93 ascend950", "ascend310p", "none of ASCEND_COMPUTE_UNIT ascend310p"),
    ("op_host/CMakeLists.txt", "cust_optiling TILING", "cust_optiling PLUGIN", "the type must be TILING, ACLNN, GRAPH"),
    ("op_host/CMakeLists.txt", "npu_op_package_add", "npu_op_device_tiling_library(d SHARED)\n#", "SHARED or STATIC, then sources"),
    ("op_host/axpy_custom.cpp", ".AutoContiguous()", ".To(ge::DT_FLOAT)", "x: To() is for Scalar() and ScalarList()"),
    ("op_host/axpy_custom.cpp", ".AutoContiguous()", ".ValueDepend(REQUIRED)", "x: ValueDepend() needs DT_FLOAT only"),
    ("op_host/axpy_custom.cpp", ".AutoContiguous()", ".InitValue(0)", "x: InitValue() is for outputs"),
    ("op_host/axpy_custom.cpp", ".AutoContiguous()", ".Version(1)", "x: Version() is for an OPTIONAL input"),
    ("op_host/axpy_custom.cpp", "Float(1.0f);", "Float(1.0f); this->Attr(\"l\").ListListInt();", "l: no aclnn function can take a ListListInt()"),
    ("op_host/axpy_custom.cpp", "this->AICore().SetTiling", "this->AICPU(); this->AICore().SetTiling", "AICPU(): the twin has AI Cores only"),
    ("op_host/axpy_custom.cpp", "this->AICore().SetTiling", "this->HostCPU(); this->AICore().SetTiling", "HostCPU(): the twin has AI Cores only"),
    ("op_host/axpy_custom.cpp", "this->AICore().SetTiling", "this->MC2(); this->AICore().SetTiling", "MC2(): kernels that communicate"),
    ("op_host/axpy_custom.cpp", "OP_ADD(AxpyCustom)", "", "there is no OP_ADD"),
    ("op_host/axpy_custom.cpp", "{ge::DT_FLOAT16, ge::DT_FLOAT}", "{ge::DT_FLOAT16}", "x: lists 1 data types and 2 formats"),
]


@pytest.mark.parametrize("file,old,new,says", REFUSED[:3] + [pytest.param(*row, marks=pytest.mark.long) for row in REFUSED[3:]])
def test_projects_that_are_refused_say_why(shell, tmp_path, file, old, new, says):
    shutil.copytree(HERE / "axpy_custom", tmp_path / "p")
    text = (tmp_path / "p" / file).read_text()
    assert old in text
    (tmp_path / "p" / file).write_text(text.replace(old, new, 1))
    said = shell.run("cmake", "-S", tmp_path / "p", "-B", tmp_path / "b", expect=1)
    assert says in " ".join(said.split()), said


def test_a_kernel_of_another_signature_does_not_compile(shell, tmp_path):
    shutil.copytree(HERE / "older_custom", tmp_path / "p")
    kernel = tmp_path / "p/older_custom.cpp"
    kernel.write_text(kernel.read_text().replace("GM_ADDR bias, ", "").replace("bias", "x"))
    shell.run("cmake", "-S", tmp_path / "p", "-B", tmp_path / "b")
    done = subprocess.run(["cmake", "--build", tmp_path / "b"], env=shell.env, capture_output=True, text=True)
    assert done.returncode and "OlderCustom: its kernel takes GM_ADDR for each input" in done.stdout + done.stderr


# ---- by OP_ADD name ----

def test_aclop_finds_an_installed_operator(shell, package, axpy, older):
    """The path of OpCommand: optional attributes and workspace included."""
    shell.python(axpy, """
for kind in (np.float16, np.float32):
    x, y = (np.arange(700, dtype=kind) / 8 for _ in range(2))
    for words, alpha in (({'alpha': 0.5}, 0.5), ({}, 1.0)):
        z = Array(np.zeros(700, kind))
        aclop('AxpyCustom', [Array(x), Array(y)], [z], **words)
        assert np.array_equal(z.numpy(), (x.astype('f4') * np.float32(alpha) + y.astype('f4')).astype(kind))
a = Array(np.ones(8, 'f4'))
refused(100000, 'no attribute beta', call=lambda: aclop('AxpyCustom', [a, a], [a], beta=1.0))
refused(100000, 'alpha has another type', call=lambda: aclop('AxpyCustom', [a, a], [a], alpha=1))
refused(100000, 'at most 2 inputs', call=lambda: aclop('AxpyCustom', [a, a, a], [a]))
refused(161001, 'y is null', call=lambda: aclop('AxpyCustom', [a], [a]))
refused(161002, 'x float32, y int32', call=lambda: aclop('AxpyCustom', [a, Array(np.ones(8, 'i4'))], [a]))
""", ASCEND_CUSTOM_OPP_PATH=str(package))


def test_aclop_with_every_kind_of_attribute(shell, older):
    """A library for applications has the layout of a package once it lies in op_api/lib."""
    home = shell.directory / "as-package"
    (home / "op_api/lib").mkdir(parents=True)
    shutil.copy(older[0], home / "op_api/lib")
    shell.python(older, """
x, b = np.arange(7, dtype='i4'), np.arange(7, dtype='i4') * 100
a = Array(x); aclop('OlderCustom', [a, Array(b)], [a], times=2, offsets=[1, 2], word='minus', flip=True)
assert np.array_equal(a.numpy(), -(x * 2 + np.resize([1, 2], 7) - b))
a = Array(x); aclop('OlderCustom', [a, None], [a], times=3)
assert np.array_equal(a.numpy(), x * 3)
refused(100000, 'attribute times is missing', call=lambda: aclop('OlderCustom', [a], [a]))
refused(100000, 'pass the same memory', call=lambda: aclop('OlderCustom', [a], [Array(x)], times=1))
""", ASCEND_CUSTOM_OPP_PATH=str(home))


def test_aclop_that_is_not_installed_says_what_to_run(shell, axpy):
    shell.python(axpy, """
a = Array(np.ones(8, 'f4'))
refused(200001, 'aclop operator type AxpyCustom', 'no operator package has it', '.run', call=lambda: aclop('AxpyCustom', [a, a], [a]))
""", ASCEND_OPP_PATH=str(shell.directory / "no-opp"))


# ---- bad input: one table, what goes wrong by each route ----

# The routes: an operator of CANN and one of a package, each by its aclnn function and by its type (aclop).
SETUP = """
f, g, i, n8 = (Array(np.ones(s, k)) for s, k in ((8, 'f4'), (4, 'f4'), (8, 'i4'), (0, 'f4')))
add = Op('libopapi.so', 'aclnnAdd')
atan = Op('libopapi.so', 'aclnnAtan2')
one = scalar(1.0)
class Bad: handle = memory = P(16); data = f.data
lost = lambda function: good(acl.aclrtLaunchKernelWithConfig(function, 1, None, None, None, None))
"""
CODES = [
    ("null", "CANN aclnn", "add.prepare(None, f, one, f)", 161001, ["parameter self must not be null"]),
    ("null", "package aclnn", "op.prepare(None, f, 1.0, f)", 161001, ["x is null"]),
    ("null", "CANN aclop", "aclop('Add', [f, None], [f])", 100000, ["input x2 is missing; the inputs are: x1 x2"]),
    ("null", "package aclop", "aclop('AxpyCustom', [f, None], [f])", 161001, ["y is null"]),
    ("no handle", "CANN aclnn", "add.prepare(one, f, one, f)", 161002, ["parameter self", "is not a live handle of its type"]),
    ("no handle", "package aclnn", "op.prepare(one, f, 1.0, f)", 161002, ["x", "is not an aclTensor"]),
    ("type", "CANN aclnn", "atan.prepare(f, f, Array(np.ones(8, 'u4')))", 161002, ["out", "uint32", "float32"]),
    ("type", "package aclnn", "op.prepare(i, i, 1.0, i)", 161002, ["x int32", "allowed: (x float16, y float16 -> z float16)"]),
    ("type", "CANN aclop", "aclop('Atan2', [i, i], [i])", 100000, ["x1 has type int32; allowed: float32, float16"]),
    ("type", "package aclop", "aclop('AxpyCustom', [i, i], [i])", 161002, ["x int32", "allowed: (x float16"]),
    ("shape", "CANN aclnn", "add.prepare(f, f, one, g)", 161002, ["the output has shape [4], but the inputs broadcast to 8"]),
    ("shape", "package aclnn", "op.prepare(f, f, 1.0, g)", 161002, ["z has shape [4]", "InferShape of the operator allows [8]"]),
    ("shape", "CANN aclop", "aclop('Add', [f, f], [g])", 100000, ["the output has shape [4]"]),
    ("shape", "package aclop", "aclop('AxpyCustom', [f, f], [g])", 161002, ["z has shape [4]", "allows [8]"]),
    ("attribute", "CANN aclop", "aclop('Exp', [f], [f], bias=1.0)", 100000, ["there is no attribute bias; the attributes are: base"]),
    ("attribute", "package aclop", "aclop('AxpyCustom', [f, f], [f], factor=2.0)", 100000, ["its OpDef has no attribute factor"]),
    ("executor", "CANN aclnn", "add.launch(0, None)", 161001, ["executor is null"]),
    ("executor", "package aclnn", "op.launch(0, None)", 161001, ["executor is null"]),
    ("launch", "by handle", "lost(None)", 107000, ["aclrtLaunchKernelWithConfig"]),
    ("launch", "by handle", "lost(P(16))", 107000, ["0x10"]),
    ("unknown", "by type", "aclop('NoSuchOperator', [f], [f])", 200001, ["NoSuchOperator", "no operator package has it", "nputwin list aclop"]),
]
ONE_CHIP = [
    ("kernel", "package aclnn", "op.prepare(f, f, 1.0, f)", 561103, ["ascend950", "built for: ascend910b", "ASCEND_COMPUTE_UNIT"]),
    ("chip without aclop", "CANN aclop", "aclop('Add', [f, f], [f])", 200001, ["Ascend950PR_9599 has no aclop operators"]),
    ("chip without aclop", "package aclop", "aclop('AxpyCustom', [f, f], [f])", 200001, ["Ascend950PR_9599 has no aclop operators"]),
]


def refuse_all(shell, library, rows, runs=True, **env):
    calls = "".join(f"print({what!r}, {route!r}, flush=True)\nrefused({code}, *{words!r}, call=lambda: {call})\n"
                    for what, route, call, code, words in rows)
    said = shell.python(library, SETUP + calls + ("op(f, f, 1.0, f)\n" if runs else "") + "print('well')\n", **env)
    assert said.count("\n") == len(rows) + 1, said


def test_codes_of_bad_input(shell, package, axpy):
    """Each mistake is refused with the vendor's code before anything runs; afterwards the device is well."""
    refuse_all(shell, axpy, CODES, ASCEND_CUSTOM_OPP_PATH=str(package))


# ---- programs, and where a package is found ----

def test_a_program_that_links_the_package(shell, package, programs):
    assert shell.run(programs / "linked") == "linked: 0 of 5000 wrong\n"


def test_search_order(shell, package, programs):
    """Nothing, then vendors/ by config.ini, then ASCEND_CUSTOM_OPP_PATH before it."""
    opp = shell.directory / "opp"
    opp.mkdir()
    env = {"ASCEND_OPP_PATH": str(opp)}
    assert "in no installed package" in shell.run(programs / "found", expect=2, env=env)
    run_file, = (shell.directory / "axpy").glob("custom_opp_*.run")
    (opp / "vendors").mkdir()
    (opp / "vendors/config.ini").write_text("load_priority=other\n")
    shell.run(run_file, "--quiet", env=env)
    assert (opp / "vendors/config.ini").read_text() == "load_priority=customize,other\n"
    shell.run(run_file, env=env)
    assert (opp / "vendors/config.ini").read_text() == "load_priority=customize,other\n"
    assert f"in {opp}/vendors/customize/" in shell.run(programs / "found", env=env)
    script = f"source {package}/bin/set_env.bash && exec {programs}/found"
    assert f"in {package}/" in shell.run("bash", "-c", script, env=env)
    shell.run(opp / "vendors/customize/scripts/uninstall.sh")
    assert (opp / "vendors/config.ini").read_text() == "load_priority=other\n"
    assert "in no installed package" in shell.run(programs / "found", expect=2, env=env)


def test_the_installer_refuses_what_it_does_not_know(shell, package):
    run_file, = (shell.directory / "axpy").glob("custom_opp_*.run")
    assert "--upgrade is not known" in shell.run(run_file, "--upgrade", expect=1)
    assert "absolute path" in shell.run(run_file, "--install-path=here", expect=1)
    assert "ASCEND_OPP_PATH is not set" in shell.run(run_file, expect=1, env={"ASCEND_OPP_PATH": ""})


# ---- the older way, and a library for applications ----

@pytest.fixture(scope="module")
def older(shell):
    where = shell.directory / "older-installed"
    build(shell, HERE / "older_custom", "older", f"-DCMAKE_INSTALL_PREFIX={where}", targets=("install",))
    assert (where / "include/aclnn_older_custom.h").exists() and (where / "lib/cmake/older/older-config.cmake").exists()
    return where / "lib/libcust_opapi.so", "aclnnOlderCustom"


def test_macro_tiling_attributes_and_in_place_output(shell, older):
    shell.python(older, """
word, no = ctypes.c_char_p, None
for kind in ('i4', 'i8'):
    x, b = np.arange(7, dtype=kind), np.arange(7, dtype=kind) * 100
    a = Array(x); op(a, None, 3, no, no, 0)
    assert np.array_equal(a.numpy(), x * 3)
    a = Array(x); op(a, Array(b), -2, ints(10, 20, 30), no, 0)
    assert np.array_equal(a.numpy(), x * -2 + np.resize([10, 20, 30], 7) + b)
    a = Array(x); op(a, Array(b), 1, ints(5), word(b'minus'), 1)
    assert np.array_equal(a.numpy(), -(x + 5 - b))
a = Array(x)
refused(561002, 'TilingFunc returned', call=lambda: op.prepare(a, None, 1, ints(1, 2, 3, 4, 5), no, 0))
refused(161002, 'attribute offsets', 'aclIntArray', call=lambda: op.prepare(a, None, 1, a, no, 0))
""")


def test_what_op_host_logs(shell, older):
    said = shell.python(older, """
a = Array(np.arange(7, dtype='i4'))
refused(561002, 'TilingFunc returned', call=lambda: op.prepare(a, None, 1, ints(1, 2, 3, 4, 5), None, 0))
""", ASCEND_SLOG_PRINT_TO_STDOUT="1")
    assert "OlderCustom: offsets has the number of elements 5, expected 1 to 4" in said


def test_two_packages_in_one_process(shell, axpy, older):
    shell.python(axpy, f"""
other = Op({str(older[0])!r}, 'aclnnOlderCustom')
a, i = Array(np.ones(8, 'f4')), Array(np.arange(8, dtype='i4'))
op(a, a, 1.0, a); other(i, None, 2, None, None, 0)
assert (a.numpy() == 2).all() and np.array_equal(i.numpy(), 2 * np.arange(8))
n, e = other.prepare(i, None, 2, None, None, 0)
refused(161002, 'was made for aclnnOlderCustom', call=lambda: op.launch(n, e))
good(op.library.aclDestroyAclOpExecutor(e))
""")


@pytest.fixture(scope="module")
def faulty(shell):
    """Its kernel reads more tiling data than there is; its InferDataType says int32 for alpha 2, and fails for alpha 3."""
    project, out = shell.directory / "faulty", shell.directory / "faulty-build"
    shutil.copytree(HERE / "axpy_custom", project, ignore=shutil.ignore_patterns("build_out"))
    replace(project / "op_kernel/axpy_custom.cpp", "GET_TILING_DATA(data, tiling);", "GET_TILING_DATA(data, tiling);\n    struct Long { "
            "AxpyCustomTilingData d; char more[8]; };\n    GET_TILING_DATA_WITH_STRUCT(Long, l, tiling); (void)l;")
    replace(project / "op_host/axpy_custom.cpp", "return context->SetOutputDataType(0, context->GetInputDataType(0));",
            "float alpha = *context->GetAttrs()->GetFloat(0);\n    if (alpha == 3.0f) return GRAPH_FAILED;\n    "
            "return context->SetOutputDataType(0, alpha == 2.0f ? DT_INT32 : context->GetInputDataType(0));")
    build(shell, project, out, "-DASCEND_COMPUTE_UNIT=ascend910b")
    return next(out.rglob("libcust_opapi.so")), "aclnnAxpyCustom"


def replace(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_kernel_that_reads_more_tiling_data_than_there_is(shell, faulty):
    shell.python(faulty, "a = Array(np.ones(8, 'f4'))\nrefused(507035, 'reads 24 bytes', 'wrote 16', call=lambda: op(a, a, 1.0, a))")


def test_infer_data_type_is_held_against_the_outputs(shell, faulty):
    """One that says something else than the caller gave: 161002 with both; one that fails: 561001."""
    shell.python(faulty, """
a = Array(np.ones(8, 'f4'))
refused(161002, 'z has type float32; InferDataType of the operator says int32', call=lambda: op.prepare(a, a, 2.0, a))
refused(561001, 'InferDataType of the operator returned', call=lambda: op.prepare(a, a, 3.0, a))
""")


def test_build_sh_with_presets_and_a_changed_operator(shell, one_chip):
    """Integration reads op_host, op_kernel and json and leaves them as they are."""
    project, before = one_chip
    assert {f: f.read_bytes() for f in before} == before
    assert {f.name for f in project.iterdir()} - {f.relative_to(project).parts[0] for f in before} == {"build_out"}
    assert len(list((project / "build_out").glob("custom_opp_*_*.run"))) == 1
    host = project / "op_host/axpy_custom.cpp"
    host.write_text(host.read_text().replace('Attr("alpha")', 'Attr("factor")'))
    shell.run("cmake", "--build", project / "build_out", "--target", "package")
    assert "double factor" in (project / "build_out/autogen/aclnn_axpy_custom.h").read_text()


@pytest.mark.long
def test_the_commands_of_the_readme(shell, tmp_path):
    """As they stand there, from this directory; what they install goes to a place of its own."""
    shutil.copytree(HERE, tmp_path / "custom_ops", ignore=shutil.ignore_patterns("build", "build_out", "__pycache__"))
    (tmp_path / "opp").mkdir()
    first, *rest = (HERE / "README.md").read_text().split("```")[3].strip().splitlines()
    assert first == "source $ASCEND_HOME_PATH/set_env.sh" and len(rest) == 3
    script = "\n".join([first, f"export ASCEND_OPP_PATH={tmp_path}/opp", *rest])
    said = Shell(tmp_path / "custom_ops", shell.env).run("bash", "-e", "-c", script)
    assert f"in {tmp_path}/opp/vendors/customize/" in said, said


# ---- words that say more than types ----

@pytest.fixture(scope="module")
def words(shell):
    build(shell, HERE / "words_custom", "words")
    return shell.directory / "words/vendors/words/op_api/lib/libcust_opapi.so", "aclnnSumListCustom"


SUM = """
def want(xs, w, scale, shifts=(), bias=0, negate=False):
    y = 3.0 + scale * sum(k * x.astype('f8') for k, x in zip(w, xs)) + sum(shifts) + bias + sum(w)   # the table sums to 0
    return -y if negate else y
one = [np.arange(12, dtype=kind).reshape(3, 4) for _ in range(3)]
xs, w = [x * k for k, x in enumerate(one, 1)], (2, -1, 4)
args = lambda: (tensors(*map(Array, xs)), ints(*w))
def check(y, *how, **more):
    assert np.array_equal(y.numpy(), want(xs, w, *how, **more).astype(kind)), y.numpy()
"""


def test_lists_values_scalars_and_versions(shell, words):
    shell.python(words, "kind = 'f4'" + SUM + """
new = lambda: Array(np.full((3, 4), 99, kind))
y = new(); op(*args(), scalar(0.5), None, y); check(y, 0.5)
y = new(); op(*args(), scalar(2, 'i8'), scalars(0.25, 1.5), y); check(y, 2, (0.25, 1.5))       # To("x"), To(FLOAT)
first, third = Op(op.library._name, 'aclnnSumListCustomV1'), Op(op.library._name, 'aclnnSumListCustomV3')
assert not hasattr(op.library, 'aclnnSumListCustomV2')                                         # no parameter names it
bias = np.full((3, 4), 10, kind)
y = new(); first(*args(), scalar(1.0), None, Array(bias), y); check(y, 1, bias=bias)
y = new(); third(*args(), scalar(1.0), None, None, 1, y); check(y, 1, negate=True)
x = Array(np.arange(12, dtype=kind).reshape(4, 3), ((3, 4), (1, 3)))                          # strided, in a list
y = new(); op(tensors(x), ints(1), scalar(1.0), None, y)
assert np.array_equal(y.numpy(), np.arange(12).reshape(4, 3).T + 3 + 1)
a = Array(xs[0])
refused(161001, 'x is null', call=lambda: op.prepare(None, ints(1), scalar(1.0), None, a))
refused(161001, 'x[1] is null', call=lambda: op.prepare(tensors(a, None), ints(1, 2), scalar(1.0), None, a))
refused(161001, 'weights is null', call=lambda: op.prepare(tensors(a), None, scalar(1.0), None, a))
refused(161002, 'is not an aclTensorList', call=lambda: op.prepare(a, ints(1), scalar(1.0), None, a))
refused(161002, 'weights', 'is not an aclIntArray', call=lambda: op.prepare(tensors(a), a, scalar(1.0), None, a))
refused(161002, 'scale', 'is not an aclScalar', call=lambda: op.prepare(tensors(a), ints(1), ints(1), None, a))
refused(161002, 'y has shape [4]; it follows x, which has [3, 4]',
        call=lambda: op.prepare(tensors(a), ints(1), scalar(1.0), None, Array(np.zeros(4, kind))))
refused(561002, 'TilingFunc returned', call=lambda: op.prepare(tensors(a), ints(1, 2), scalar(1.0), None, a))
""")


def test_types_that_only_one_chip_has(shell, words):
    run = SUM + "y = Array(np.zeros((3, 4), kind)); op(*args(), scalar(2.0), None, y); check(y, 2)\n"
    refuse = "a = Array(np.ones(4, kind)); refused(161002, 'x {}', 'on {}', 'allowed: {}', " \
             "call=lambda: op.prepare(tensors(a), ints(1), scalar(1.0), None, a))\n"
    shell.python(words, "kind = 'i4'" + run + "kind = 'f2'\n" + refuse.format(
        "float16", "Ascend910B2", "(x float32, weights int64, scale float32, shifts float32, bias float32 -> y float32) (x int32"))
    shell.python(words, "kind = 'f2'" + run + "kind = 'f4'\n" + refuse.format("float32", "Ascend950PR_9599", "(x float16, weights int64"),
                 NPUTWIN_SOC="Ascend950PR_9599")


@pytest.mark.parametrize("soc", ["Ascend910B2", "Ascend950PR_9599"])
def test_kernels_by_template_argument(shell, words, soc):
    """Every combination that is selected, on both types that share a kernel; one that is not selected is a fault."""
    shell.python((words[0], "aclnnPickCustom"), """
for kind in ('i4', 'u4'):
    x = np.arange(5, dtype=kind)
    for times, flip in ((1, 0), (1, 1), (90, 0), (90, 1), (2, 0)):
        y = Array(np.zeros(5, kind)); op(Array(x), times, flip, y)
        assert np.array_equal(y.numpy(), (x.astype('i8') * times * (-1 if flip else 1)).astype(kind)), (kind, times, flip)
a = Array(np.zeros(0, 'i4')); op(a, 1, 0, a)
refused(507035, 'PickCustom', 'none of the 5 combinations', call=lambda: op(Array(x), 2, 1, Array(x)))
""", NPUTWIN_SOC=soc)


CORES = """
def marks(op, key):
    y = Array(np.zeros(8, 'i4')); op(Array(np.zeros(8, 'i4')), key, y)
    return y.numpy().tolist()
vector, cube, two, one = [1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 2, 2, 0, 0], [1, 1, 1, 1, 2, 2, 0, 0], [1, 1, 0, 0, 2, 2, 0, 0]
"""


def test_cores_by_tiling_key(shell, words):
    """KERNEL_TASK_TYPE(key, type) over KERNEL_TASK_TYPE_DEFAULT, and ASCENDC_TPL_KERNEL_TYPE_SEL of each combination."""
    shell.python((words[0], "aclnnCoresCustom"), CORES + """
assert [marks(op, k) for k in (1, 4, 10000000001, 3, 1)] == [two, vector, cube, one, two]
assert marks(op, 99) == [0] * 8
""")
    shell.python((words[0], "aclnnCoresPickCustom"), CORES + "assert [marks(op, k) for k in (0, 1, 2, 0)] == [vector, two, cube, vector]\n")


POSITIVE = """
x = np.array([[3, -1, 0], [2, 5, -7]], kind)
new = lambda *shape, kind=kind: Array(np.zeros(shape, kind))
"""


def test_shapes_that_the_kernel_says(shell, words):
    """OutputShapeDependOnCompute: the caller's tensors are room, and have the shape of the result afterwards."""
    library = words[0], "aclnnPositiveCustom"
    for kind in ("f4", "i4"):
        shell.python(library, f"kind = {kind!r}" + POSITIVE + """
y, place, first = new(6), new(6, 1, kind='i8'), new(1, kind='f4')
op(Array(x), y, place, first)
assert y.shape() == [3] and place.shape() == [3, 1]
assert y.numpy()[:3].tolist() == [3, 2, 5] and place.numpy()[:3, 0].tolist() == [0, 3, 4] and first.numpy()[0] == 3
y = new(6); op(Array(-abs(x)), y, place, None)
assert y.shape() == [0] and place.shape() == [0, 1]
n, e = op.prepare(Array(x), y2 := new(6), place2 := new(6, 1, kind='i8'), None)
opapi.aclDestroyTensor(y2.handle)                                     # the executor holds it until it has run
op.launch(n, e); good(acl.aclrtSynchronizeDevice())
assert place2.shape() == [3, 1]
""")
    shell.python(library, "kind = 'f4'" + POSITIVE + """
refused(507035, "the kernel says shape [3] for y; its tensor has room for [2]", call=lambda: op(Array(x), new(2), new(6, 1, kind='i8'), None))
""")
    shell.python(library, "kind = 'f4'" + POSITIVE + """
outputs = [new(6), new(6, 1, kind='i8'), new(1)]
assert aclop('PositiveCustom', [Array(x)], outputs, v2=True) == [[3], [3, 1], [1]]
assert outputs[0].numpy()[:3].tolist() == [3, 2, 5]
refused(100000, 'known only when it has run', 'aclopCompileAndExecuteV2', call=lambda: aclop('PositiveCustom', [Array(x)], outputs))
""", ASCEND_CUSTOM_OPP_PATH=str(words[0].parents[2]))


def test_aclop_with_a_list_of_tensors(shell, words):
    """Names x0, x1 as OpCommand gives them are not needed: what is left over is the list."""
    shell.python(words, """
a, b = Array(np.ones(4, 'f4')), Array(np.arange(4, dtype='f4'))
refused(100000, 'weights is a ValueDepend(REQUIRED) input', call=lambda: aclop('SumListCustom', [a, b, a, a, a, a], [a]))
""", ASCEND_CUSTOM_OPP_PATH=str(words[0].parents[2]))


# ---- in PyTorch: framework/ in the project, and <op>_extension/ beside one without it ----

def wheel_of(shell, project, folder, where):
    """The built package below `where`; nothing of the operator project itself has changed."""
    shutil.copytree(HERE / project, where / "p", ignore=shutil.ignore_patterns("build", "build_out", "__pycache__", "*.egg-info"))
    before = {f: f.read_bytes() for f in (where / "p").rglob("*") if f.is_file()}
    assert not any("framework" in f.name for f in before) and any(f.name.endswith("_tiling.h") for f in before)
    build_in = Shell(where / "p" / folder, shell.env | {"PATH": f"{Path(sys.executable).parent}:{shell.env['PATH']}"})
    build_in.run(sys.executable, "setup.py", "-q", "egg_info", "--egg-base", where, "build", "--build-base", where / "work",
                 "--build-lib", where / "lib", "--build-temp", where / "work")
    after = {f for f in (where / "p").rglob("*") if f.is_file() and "__pycache__" not in f.parts}
    assert after == set(before) and all(f.read_bytes() == text for f, text in before.items())
    return where / "lib"


@pytest.fixture(scope="module")
def framework(shell, tmp_path_factory):
    return wheel_of(shell, "axpy_custom", "framework/axpy_ext", tmp_path_factory.mktemp("framework"))


def torch_run(shell, library, *words, expect=0, **env):
    return Shell("/", shell.env).run(sys.executable, *words, expect=expect, env={"PYTHONPATH": str(library)} | env)


@pytest.mark.parametrize("queue", [pytest.param("0", marks=pytest.mark.long), "2"])
def test_framework_of_the_project(shell, package, framework, queue):
    """OpCommand, EXEC_NPU_CMD_EXT and EXEC_KERNEL_CMD from torch; op_host, op_kernel, tiling and json stay byte for byte."""
    said = torch_run(shell, framework, HERE / "axpy_custom/framework/axpy_ext/test/test.py", TASK_QUEUE_ENABLE=queue,
                     ASCEND_CUSTOM_OPP_PATH=str(package))
    assert "OK" in said.splitlines(), said


ALONE = """
import torch, torch_npu, axpy_ext
x = torch.ones(8).npu()
for call in (torch.ops.npu.axpy_aclnn, torch.ops.npu.axpy):
    try:
        print(call(x, x, 1.0).cpu())
    except RuntimeError as e:
        print(e)
    print("--")
"""


def test_framework_before_the_package_is_installed(shell, framework, tmp_path):
    by_aclnn, by_name, _ = torch_run(shell, framework, "-c", ALONE, ASCEND_OPP_PATH=str(tmp_path)).split("--\n")
    assert "aclnnAxpyCustom" in by_aclnn and "libopapi.so" in by_aclnn, by_aclnn
    assert "AxpyCustom" in by_name and "custom_opp_" in by_name and ".run" in by_name, by_name


def test_framework_of_another_torch_is_not_opened(shell, framework, tmp_path):
    """Case C05: _load.py compares the record of the build first."""
    shutil.copytree(framework, tmp_path, dirs_exist_ok=True)
    record, = (tmp_path / "axpy_ext").glob("*.nputwin-build.json")
    record.write_text(json.dumps(json.loads(record.read_text()) | {"torch": "2.9.0", "torch_npu": "2.9.0.post4"}))
    said = torch_run(shell, tmp_path, "-c", "import axpy_ext", expect=1).splitlines()[-1]
    assert "libaxpy_ext.so was built for torch 2.9.0 / torch_npu 2.9.0.post4, running torch 2." in said
    assert said.endswith("pip install torch==2.9.0 torch_npu==2.9.0.post4")


def test_a_refused_call_behind_the_queue_poisons_the_device(shell, package, framework):
    """TASK_QUEUE_ENABLE=2: the first phase runs on torch_npu's thread, which would go on with an output that nobody wrote."""
    said = torch_run(shell, framework, "-c", """
import torch, torch_npu, axpy_ext
i = torch.ones(8, dtype=torch.int32).npu()
failed = 0
for _ in range(3):
    try:
        z = torch.ops.npu.axpy_aclnn(i, i, 1.0)
        torch.npu.synchronize()
        z.cpu()
    except RuntimeError as e:
        failed += 1
        last = str(e)
print(failed, last)
""", TASK_QUEUE_ENABLE="2", ASCEND_CUSTOM_OPP_PATH=str(package))
    assert "3 " in said and "x int32" in said, said


@pytest.mark.long
def test_extension_beside_a_project_without_framework(shell, words, tmp_path):
    library = wheel_of(shell, "words_custom", "pick_custom_extension", tmp_path)
    said = torch_run(shell, library, HERE / "words_custom/pick_custom_extension/test/test.py",
                     ASCEND_CUSTOM_OPP_PATH=str(words[0].parents[2]))
    assert "OK" in said.splitlines(), said

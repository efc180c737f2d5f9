# SPDX-License-Identifier: Apache-2.0
"""Every command block of the two seeds, as docs/seeds.md has it: it works, or says what is written beside it."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from blocks import ROOT, blocks, seed
from conftest import CONTAINER, sync

DOC = (ROOT / "docs/seeds.md").read_text()


def passes(done, what=""):
    assert done.returncode == 0, f"{what}\n{done.stdout[-3000:]}\n{done.stderr[-5000:]}"
    return done.stdout


# ---- the document ----

def test_both_seeds_are_numbered_in_full():
    assert re.findall(r"^\| (A-\d+) ", DOC, re.M) == [f"A-{i}" for i in range(1, 43)]
    assert re.findall(r"^\| (B-\d+) ", DOC, re.M) == [f"B-{i}" for i in range(1, 34)]


def test_every_block_is_named_in_a_test():
    tests = Path(__file__).read_text() + (Path(__file__).parent / "conftest.py").read_text()
    names = [info.split()[1] for info, _ in blocks("docs/seeds.md")]
    assert len(names) == len(set(names)) >= 30
    assert [n for n in names if not re.search(rf"\bseed\([\"']{n}[\"']|\"{n}\"", tests)] == []


def test_tests_and_rules_that_are_named_exist():
    files = {p.name: p for folder in ("tests", "ops") for p in (ROOT / folder).rglob("test_*.py")}
    for name, test in re.findall(r"`(test_\w+\.py)::(test_\w+)`", DOC):
        assert re.search(rf"def {test}\(", files[name].read_text()), f"{name}::{test}"
    rules = (ROOT / "cli/rule.def").read_text()
    assert [r for r in set(re.findall(r"NT[A-Z]\d{3}", DOC)) if f"RULE({r}," not in rules] == []


def test_every_statement_has_a_test_a_rule_or_a_word():
    for line in re.findall(r"^\| [AB]-\d+ .*$", DOC, re.M):
        assert re.search(r"::test_|NT[LD]\d{3}|\]\(|not there yet|block", line.split("|")[3]), line


# ---- seed A ----

def test_a1_precheck(shell):
    """A6 is A1 with one import statement less."""
    assert seed("A6") == seed("A1").replace("import torch; import torch_npu", "import torch, torch_npu")
    lines = passes(shell(seed("A1"), sourced=False)).splitlines()
    assert [line.split(":")[0] for line in lines] == ["torch", "torch_npu", "npu available"]
    assert lines[2] == "npu available: True" and "unknown" not in lines[1]


def test_a2_a3_in_a_container(shell, container):
    python = "/opt/venv/bin/python -c \"import torch, torch_npu; print(torch.npu.is_available())\""
    each = seed("A3", **{"<CANN>": "/usr/local/Ascend/ascend-toolkit", "<venv>": "source /opt/venv/bin/activate", "<command>": python})
    both = seed("A2", **{"<container>": CONTAINER, "<cmd>": each.strip()})
    assert passes(shell(both, sourced=False, **container)) == "True\nTrue\n"


@pytest.mark.long
def test_a4_steps_in_one_exec(shell, container, built):
    """The quick run has the same steps from docs/references/container-cli-driver.md."""
    steps = seed("A4").strip().replace("source ...", "source /usr/local/Ascend/ascend-toolkit/set_env.sh && source /opt/venv/bin/activate && "
                                       "cd /workspace/add_custom_ext").replace("pip install ...", "pip install --force-reinstall dist/*.whl")
    done = shell(f"docker exec {CONTAINER} bash -lc '{steps}'", sourced=False, **container)
    passes(done, steps)
    assert "OK" in done.stderr.splitlines()


def test_a5_set_env(shell, cann):
    text = seed("A5", **{"<CANN install path>": cann["ASCEND_HOME_PATH"]})
    assert passes(shell(text + "command -v bisheng; echo $ASCEND_HOME_PATH", sourced=False)).split() == [
        f"{cann['ASCEND_HOME_PATH']}/bin/bisheng", cann["ASCEND_HOME_PATH"]]


def test_a7_clone(shell, tmp_path):
    """As written, with git told that the address is a repository here; it has the branch and nothing of op-plugin."""
    passes(shell("git init -q -b 7.3.0 r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a", tmp_path))
    env = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{tmp_path}/r.insteadOf",
           "GIT_CONFIG_VALUE_0": "https://gitcode.com/ascend/op-plugin.git"}
    assert passes(shell(seed("A7").strip() + " && git branch --show-current", tmp_path, **env)) == "7.3.0\n"


def test_a8_versions_are_a_row_of_the_matrix():
    python, branch = re.search(r"--python=3\.(\d+) --pytorch=(\S+)", seed("A8")).groups()
    rows = re.findall(r"^MATRIX\((.*)\)$", (ROOT / "cli/matrix.def").read_text(), re.M)
    row, = [[c.strip(' "') for c in r.split(",")] for r in rows if f'"{branch}"' in r]
    assert int(row[5]) <= int(python) <= int(row[6])
    assert row[3] == re.search(r"--branch (\S+)", seed("A7"))[1] == branch.split("-")[1]


def test_a9_doubled_dist(shell, tmp_path):
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/torch_npu-2.7.1.post2-cp39-cp39-linux_x86_64.whl").write_bytes(b"")
    done = shell(seed("A9"), tmp_path)
    assert done.returncode != 0 and "dist/torch_npu-*.whl" in done.stderr
    (tmp_path / "README.md").write_text(f"```sh\n{seed('A9')}```\n")
    done = shell("nputwin check --select NTL091 README.md", tmp_path)
    assert done.returncode == 1 and "NTL091" in done.stdout


def test_a10_chip_of_npu_smi(shell):
    assert re.search(r"\b910B2\b", passes(shell(seed("A10"))))


def test_a11_ascend910b_stops(shell, package, tmp_path):
    copy = sync(package, tmp_path / "p")
    lists = copy / "CMakeLists.txt"
    old = re.search(r"^set\(SOC_VERSION .*\)$", lists.read_text(), re.M)[0]
    lists.write_text(lists.read_text().replace(old, seed("A11").strip()))
    done = shell("cmake -S p -B b", tmp_path)
    said = " ".join(done.stderr.split())
    assert done.returncode != 0 and "Ascend910B" in said and "Ascend910B1" in said, said
    assert "NTL061" in shell("nputwin check p --select NTL061", tmp_path).stdout


def test_a12_to_a14_build_install_test(shell, built):
    """A12 and A13 have run for `built`."""
    assert "A12" and "A13" and len(list((built / "dist").glob("*.whl"))) == 1
    done = shell(seed("A14"), built)
    passes(done)
    assert "OK" in done.stderr.splitlines(), done.stderr[-1000:]


def test_a15_expecttest(shell):
    assert "expecttest" in passes(shell(seed("A15")))


def test_a16_import_from_elsewhere(shell, built):
    assert passes(shell(seed("A16"), "/tmp", sourced=False)) == ""
    done = shell(seed("A16"), built)
    assert done.returncode != 0 and "this is the source folder" in done.stderr


def test_a17_dir_lists_what_was_used(shell, built):
    """Registering a gradient is a use; the library alone has the operator, and dir() does not list it."""
    assert passes(shell(seed("A17"))) == "['add_custom']\n"
    load = "import glob, importlib.util, torch, torch_npu; place, = importlib.util.find_spec('add_custom_ext').submodule_search_locations; " \
           "torch.ops.load_library(glob.glob(place + '/*.so')[0]); print('add_custom' in dir(torch.ops.npu), torch.ops.npu.add_custom)"
    assert passes(shell(f'python -c "{load}"')) == "False npu.add_custom\n"
    ask = "import torch, add_custom_ext; print(torch._C._dispatch_has_kernel_for_dispatch_key('npu::add_custom', 'PrivateUse1'))"
    assert passes(shell(f'python -c "{ask}"')) == "True\n"


# ---- layouts ----

def paths_of(tree):
    """Paths below the first line of a drawn tree."""
    stack, out = [], []
    for line in tree.splitlines()[1:]:
        bars, name = re.match(r"^((?:[│ ]   )*)[├└]── (.+)$", line).groups()
        stack[len(bars) // 4:] = [name.rstrip("/")]
        out.append("/".join(stack))
    return out


LAYOUTS = {  # block: (folder, placeholders, what it need not have)
    "L1": ("ops/custom_ops/axpy_custom", {"{pkg}": "axpy_ext", "{op_name}": "axpy", "{kernel_name}": "scale_custom"}, ["tiling"]),
    "L2": ("ops/custom_ops/words_custom", {"{op_name}_extension": "pick_custom_extension", "{pkg}": "pick_custom_ext",
                                           "{op_name}": "pick_custom"}, []),
    "L4": ("ops/amct_ops/hifloat8_cast", {}, []),
}


@pytest.mark.parametrize("block", LAYOUTS)
def test_layouts(block):
    folder, names, without = LAYOUTS[block]
    text = dict((info.split()[1], text) for info, text in blocks("docs/seeds.md"))[block]
    for placeholder, value in (names | {"<op>": "hifloat8_cast"}).items():
        text = text.replace(placeholder, value)
    wanted = [p for p in paths_of(text) if not any(w in p for w in without)]
    assert len(wanted) >= 9
    assert [p for p in wanted if not (ROOT / folder / p).exists()] == []


def test_layout_of_pattern_b():
    """L1 with its tiling folder: what lies below framework/{pkg}/ is a package of ours as it stands."""
    text = seed("L1", **{"{pkg}": "rms_norm_ext", "{op_name}": "rms_norm", "{kernel_name}": "rms_norm"})
    inner = "framework/rms_norm_ext/"
    wanted = [p.removeprefix(inner) for p in paths_of(text) if p.startswith(inner)]
    assert "csrc/host/tiling/*_tiling.cpp" in wanted and len(wanted) >= 12
    assert [p for p in wanted if not list((ROOT / "ops/npu_ops/rms_norm/legacy").glob(p))] == []


def test_l3_is_drawn():
    assert "op_plugin/ops/<chosen_domain_folder>/add_custom.cpp" in paths_of(seed("L3"))


# ---- seed B ----

def test_b1_files_to_read(shell, ops):
    lines = seed("B1").splitlines()
    for line in lines:
        assert len(passes(shell(line, ops)).splitlines()) > 3, line
    assert len(lines) == 12


@pytest.fixture(scope="module")
def staging(shell, ops):
    """One operator, built as B10 says."""
    passes(shell(f"set -e\n{seed('B10').splitlines()[0]}", ops))
    return ops / "amct_ops/staging"


def test_b8_to_b10_one_operator(shell, ops, staging):
    listed = passes(shell(seed("B8"), ops / "amct_ops"))
    assert re.search(r"hifloat8_cast/\S+\.so\n", listed) and "hifloat8_cast/ops.py" in listed and "hifloat8_cast/__init__.py" in listed
    done = shell(f"set -e\n{seed('B10').rstrip()}.Shapes", ops)  # the class, for time; all of it below
    passes(done)
    assert "OK" in done.stderr.splitlines(), done.stderr[-1000:]


def test_b9_import_line(shell, staging):
    env = {"PYTHONPATH": str(staging)}
    done = shell(seed("B9"), **env)
    assert done.returncode == 1 and "NameError: name 'torch' is not defined" in done.stderr
    beside = re.search(r"B9 needs `torch` bound: `(.*)`\.", DOC)[1].replace("<op>", "hifloat8_cast").replace("<fn>", "encode_to_hifloat8")
    assert "amct.encode_to_hifloat8" in passes(shell(beside, **env))


def test_b2_both_ways_to_call(shell, staging):
    """B2, B3 and B4 in one process."""
    call, function = seed("B2").splitlines()
    wrong = re.search(r"data_ptr<(\w+)>", seed("B3"))[1]
    assert wrong == "uint8_t"
    text = f"""
import inspect, torch
{function}
x = torch.randn(100).half().npu()
a = {call.replace("(...)", "(x)")}
assert torch.equal(a.cpu(), encode_to_hifloat8(x).cpu())
source = inspect.getsource(encode_to_hifloat8)
assert source.splitlines()[0] == {seed("B4").splitlines()[0]!r} and source.rstrip().endswith({seed("B4").splitlines()[1]!r}), source
assert all(word in encode_to_hifloat8.__doc__ for word in ("float16", "shape", "NPU", "Example")), encode_to_hifloat8.__doc__
print("equal")
"""
    assert passes(shell(f"python - <<'END'\n{text}END", PYTHONPATH=str(staging))) == "equal\n"


RENAME = ("cd amct_ops/triple_cast && rm -rf build *.so && find . -depth -name '*hifloat8_cast*' | while read f; do "
          "mv \"$f\" \"$(dirname \"$f\")/$(basename \"$f\" | sed s/hifloat8_cast/triple_cast/)\"; done && "
          "grep -rlZ hifloat8 . | xargs -0 sed -i 's/hifloat8_cast/triple_cast/g; s/encode_to_hifloat8/triple_encode/g; "
          "s/decode_from_hifloat8/triple_decode/g'")


@pytest.fixture
def template_copied(shell, ops, tmp_path):
    """The first two steps of a new operator, in a copy."""
    where = sync(ops, tmp_path / "ops")
    passes(shell(f"set -e\n{seed('B6')}{RENAME}", where))
    return where


def test_b6_copied_template_is_checked(shell, template_copied):
    """After copy and rename `check` asks for what the seed's steps 6 and 8 add, and for nothing else."""
    done = shell("nputwin check .", template_copied)
    assert "hifloat8_cast" not in "".join(p.read_text() for p in (template_copied / "amct_ops/triple_cast").rglob("*") if p.is_file())
    assert sorted(re.findall(r"NTL\d{3}", done.stdout)) == ["NTL119", "NTL120"], done.stdout
    for script in ("ops_build.sh", "setup.py"):
        assert (template_copied / "amct_ops" / script).read_bytes() == (ROOT / "ops/amct_ops" / script).read_bytes()


@pytest.mark.long
def test_b6_b7_new_operator(shell, template_copied):
    passes(shell(seed("B7"), template_copied / "amct_ops"))
    text = "import torch, amct_ops.triple_cast as t; print(t.triple_encode(torch.ones(2).half().npu()).cpu().tolist())"
    assert passes(shell(f'python -c "{text}"', PYTHONPATH=str(template_copied / "amct_ops/staging"))) == "[8, 8]\n"


OPERATORS = ["hifloat8_cast", "hifloat4_cast"]
CHIPS = {"ascend910b": "Ascend910B2", "ascend910_93": "Ascend910_9391", "ascend950": "Ascend950PR_9599"}


def all_pass(done):
    passes(done)
    assert "OK" in done.stderr.splitlines(), done.stderr[-1000:]  # a skip would stand beside it


@pytest.mark.long
@pytest.mark.parametrize("op", OPERATORS)
def test_b10_all_of_its_tests(op, shell, ops):
    all_pass(shell("set -e\n" + seed("B10", **{"<op>": op}), ops))


@pytest.mark.long
@pytest.mark.parametrize("block,op,packed", [("B5", "hifloat8_cast", [2, 2, 1]), ("B11", "hifloat4_cast", [1, 1, 1])])
def test_every_chip(block, op, packed, shell, ops):
    """Line by line as written; what each packs passes all its tests on the chip that it was built for."""
    lines = seed(block, **{"<op>": op}).splitlines()
    builds = [line for line in lines if line != "cd amct_ops/"]
    assert [re.findall(r"--soc (\w+)", line) for line in builds][1:] == [["ascend910_93"], ["ascend950"]]
    for line, n in zip(builds, packed, strict=True):
        passes(shell(line, ops / "amct_ops"))
        staged = [name for name in OPERATORS if (ops / "amct_ops/staging/amct_ops" / name).is_dir()]
        assert len(staged) == n and op in staged, line
        chip = CHIPS[re.search(r"--soc (\w+)|$", line)[1] or "ascend910b"]
        tests = " ".join(f"tests.amct_ops.test_{name}" for name in staged)
        all_pass(shell(f"python3 -m unittest {tests}", ops, PYTHONPATH="amct_ops/staging", NPUTWIN_SOC=chip))


def test_t2_chips():
    rows = re.findall(r"^\| (ascend\w+) \| (dav-\d+) \|", DOC, re.M)
    script = (ROOT / "ops/amct_ops/ops_build.sh").read_text()
    assert len(rows) == 3 and all(re.search(rf"^#\s+{soc}\s+{arch} ", script, re.M) for soc, arch in rows)
    sizes = dict(re.findall(r"^SOC\((Ascend\w+),\s*\d+,\s*\d+,\s*\d+,\s*(\d+)", (ROOT / "isa/soc.def").read_text(), re.M))
    assert sizes["Ascend910B2"] == sizes["Ascend910_9391"] == "196608" and sizes["Ascend950PR_9599"] == "253952"

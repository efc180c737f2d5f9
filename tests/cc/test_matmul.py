# SPDX-License-Identifier: Apache-2.0
"""Matmul objects against numpy in float64 and int64: types, formats, transposes, presets, batches, cube and mix kernels.

Inputs are small multiples of a quarter, so that every order of adding gives the same float and the expected bits are
those of one rounding to the type of C; `test_any_numbers` bounds the error of any order of adding otherwise.
"""

import re

import numpy as np
import pytest

RNG = np.random.default_rng(7)


# ---- number formats -------------------------------------------------------------------------------------------------

def to_bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(x):
    return (x.astype(np.uint32) << 16).view(np.float32)


def to_s4(x):
    pairs = np.asarray(x, np.int8).reshape(*x.shape[:-1], -1, 2) & 15
    return (pairs[..., 0] | pairs[..., 1] << 4).astype(np.uint8)


STORE = {"f16": np.float16, "f32": np.float32, "s8": np.int8, "s32": np.int32, "bf16": to_bf16, "s4": to_s4}
C0 = {"f16": 16, "bf16": 16, "f32": 8, "s8": 32, "s4": 64, "s32": 16}


def store(x, kind):
    if kind in ("bf16", "s4"):
        return STORE[kind](x)
    return np.asarray(x).astype(STORE[kind])


def draw(kind, *shape):
    if kind == "s4":
        return RNG.integers(-8, 8, shape).astype(np.float64)
    if kind == "s8":
        return RNG.integers(-60, 60, shape).astype(np.float64)
    return RNG.integers(-16, 17, shape) / 4.0


def up(n, to):
    return (n + to - 1) // to * to


def fractals(x, width):
    """NZ: columns of `width`, row after row, both padded."""
    m, n = x.shape
    full = np.zeros((up(m, 16), up(n, width)), x.dtype)
    full[:m, :n] = x
    return full.reshape(full.shape[0], -1, width).transpose(1, 0, 2).copy()


def quantise(exact, kind, scale, offset=0):
    x = exact * scale
    if kind == "f16":
        return x.astype(np.float16)
    return np.clip(np.clip(np.rint(x), -256, 255) + offset, -128, 127).astype(np.int8)


def word(scale, offset=0):
    return int(np.float32(scale).view(np.uint32)) | (offset & 511) << 37 | 1 << 46


# ---- running --------------------------------------------------------------------------------------------------------

def build(tmp_path_factory, prefix, name, *libraries):
    import subprocess

    from conftest import SRC
    out = tmp_path_factory.mktemp(name) / name
    done = subprocess.run([prefix / "bin" / "bisheng", "-x", "asc", "--npu-arch=dav-2201", SRC / f"{name}.asc", "-o", out,
                           *libraries], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def program(tmp_path_factory, prefix):
    return build(tmp_path_factory, prefix, "matmul")


@pytest.fixture(scope="module")
def cores(tmp_path_factory, prefix):
    return build(tmp_path_factory, prefix, "cores", "-ltiling_api", "-lplatform")


HOW = ["all", "tiles", "dense", "one_a", "one_b", "batch", "n_batch", "both", "ahead", "ahead_gm", "partial", "two"]


@pytest.fixture
def run(cc, program):
    def go(name, a, b, c, *, bias=None, q=None, size, base=(32, 32, 32), single=None, order=0, how="all", turns=(0, 0),
           quant=0, atomic=0, hf32=0, org=(0, 0, 0), batch=(0, 0), scale=0, layout=(), blocks=1, expect=0):
        files = []
        for tag, x in (("a", a), ("b", b), ("bias", bias), ("q", q), ("c", c)):
            path = cc.directory / f"{name}.{tag}"
            if x is not None:
                path.write_bytes(np.ascontiguousarray(x).tobytes())
            files.append(path.name if x is not None else "-")
        numbers = [*size, *(single or size), *base, order, HOW.index(how), *turns, int(bias is not None), quant, atomic,
                   hf32, *org, *batch, scale, *layout]
        (cc.directory / "jobs").write_text(" ".join(map(str, [name, blocks, *files, *numbers])) + "\n")
        done = cc.run(program, "jobs", env={"LD_LIBRARY_PATH": str(cc.prefix / "lib64")}, expect=expect)
        return done.stdout if expect else np.frombuffer((cc.directory / f"{name}.c").read_bytes(), c.dtype)
    return go


def check_types(run, name, a_kind, c_kind, size=(53, 70, 96), turns=(0, 0), **how):
    m, n, k = size
    ints = a_kind in ("s8", "s4")
    a, b = draw(a_kind, m, k), draw(a_kind, k, n)
    bias_kind = "s32" if ints else how.pop("bias_kind", "f32")
    bias = draw(bias_kind, n) if not ints else RNG.integers(-99, 99, n).astype(np.float64)
    exact = a @ b + bias
    got = run(name, store(a.T if turns[0] else a, a_kind), store(b.T if turns[1] else b, a_kind),
              np.zeros(m * n, store(np.zeros(2), c_kind).dtype), bias=store(bias, bias_kind), size=size, turns=turns,
              **how).reshape(m, n)
    return exact, got


FLOATS = [("f16_f32", "f16", "f32", "f32"), ("f16_f16", "f16", "f16", "f16"), ("f16_bf16", "f16", "bf16", "f32"),
          ("bf16_f32", "bf16", "f32", "f32"), ("bf16_bf16", "bf16", "bf16", "f32"), ("bf16_f16", "bf16", "f16", "f16"),
          ("f32_f32", "f32", "f32", "f32"), ("f32_f16", "f32", "f16", "f16"), ("f32_bf16", "f32", "bf16", "f32")]
TURNS = [(0, 0), (1, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("name, a_kind, c_kind, bias_kind", FLOATS)
def test_floats(run, name, a_kind, c_kind, bias_kind, turns):
    exact, got = check_types(run, name, a_kind, c_kind, turns=turns, bias_kind=bias_kind)
    np.testing.assert_array_equal(got, store(exact, c_kind))


@pytest.mark.parametrize("size", [(1, 1, 1), (17, 31, 33), (64, 64, 64), (5, 200, 7), (130, 3, 65)])
@pytest.mark.parametrize("name, kind", [("f16_f32", "f16"), ("f32_f32", "f32")])
def test_odd_sizes(run, name, kind, size):
    for turns in TURNS:
        exact, got = check_types(run, name, kind, "f32", size=size, turns=turns)
        np.testing.assert_array_equal(got, exact.astype(np.float32))


@pytest.mark.parametrize("turns", TURNS)
def test_int8(run, turns):
    exact, got = check_types(run, "s8_s32", "s8", "s32", size=(33, 70, 2100), turns=turns)
    np.testing.assert_array_equal(got, exact.astype(np.int64))


@pytest.mark.parametrize("k", [1024, 2100])
def test_the_largest_sums_of_int8(run, k):
    a, b = np.full((20, k), -128.0), np.full((k, 40), -128.0)
    got = run("s8_s32", store(a, "s8"), store(b, "s8"), np.zeros(20 * 40, np.int32), bias=np.zeros(40, np.int32), size=(20, 40, k))
    np.testing.assert_array_equal(got, 128 * 128 * k)


@pytest.mark.parametrize("turn_b", [0, 1])
def test_int4(run, turn_b):
    exact, got = check_types(run, "s4_s32", "s4", "s32", size=(33, 70, 130), base=(32, 32, 64), turns=(0, turn_b))
    np.testing.assert_array_equal(got, exact.astype(np.int64))


@pytest.mark.parametrize("quant", [1, 2, 3])
@pytest.mark.parametrize("name, a_kind, c_kind", [("s8_f16", "s8", "f16"), ("s4_f16", "s4", "f16"), ("s8_s8", "s8", "s8"),
                                                  ("f16_s8", "f16", "s8"), ("bf16_s8", "bf16", "s8")])
def test_scaled(run, name, a_kind, c_kind, quant):
    """SetQuantScalar and SetQuantVector."""
    m, n, k = 40, 72, 64
    scales = np.array([2.0 ** RNG.integers(-9, -3) for _ in range(n)]) if quant != 1 else np.full(n, 0.0625)
    offset = 3 if c_kind == "s8" else 0
    q = np.array([word(s, offset) for s in scales], np.uint64)
    exact, got = check_types(run, name, a_kind, c_kind, size=(m, n, k), base=(32, 32, 64), quant=quant, q=q,
                             scale=int(q[0]))
    np.testing.assert_array_equal(got, quantise(exact, c_kind, scales, offset))


def test_unscaled_is_refused(run):
    out = run("s8_f16", np.zeros((16, 32), np.int8), np.zeros((32, 16), np.int8), np.zeros(256, np.float16),
              size=(16, 16, 32), expect=1)
    assert "IterateAll: C is scaled to f16" in out and "SetQuantScalar or SetQuantVector" in out and "matmul.asc:" in out


@pytest.mark.parametrize("hf32", [1, 2])
def test_hf32(run, hf32):
    """SetHF32: a float without its last 12 bits, ties to even or not."""
    m, n, k = 32, 32, 64
    a, b = (RNG.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n)))
    got = run("f32_f32", a, b, np.zeros(m * n, np.float32), size=(m, n, k), hf32=hf32).reshape(m, n)

    def cut(x):
        bits = x.view(np.uint32).astype(np.uint64)
        return ((bits + 0x7ff + ((bits >> 12 & 1) if hf32 == 1 else 0)) & ~np.uint64(0xfff)).astype(np.uint32).view(np.float32)
    exact = cut(a).astype(np.float64) @ cut(b).astype(np.float64)
    assert np.abs(got - exact).max() < k * 2.0 ** -24 * (np.abs(a) @ np.abs(b)).max()
    assert np.abs(got - a.astype(np.float64) @ b.astype(np.float64)).max() > 1e-5


@pytest.mark.parametrize("name, kind", [("f16_f32", "f16"), ("bf16_f32", "bf16"), ("f32_f32", "f32")])
def test_any_numbers(run, name, kind):
    """The error is within that of any order of adding."""
    m, n, k = 64, 48, 1000
    a, b = RNG.standard_normal((m, k)), RNG.standard_normal((k, n))
    sa, sb = store(a, kind), store(b, kind)
    a, b = ((from_bf16(x) if kind == "bf16" else x).astype(np.float64) for x in (sa, sb))
    got = run(name, sa, sb, np.zeros(m * n, np.float32), size=(m, n, k)).reshape(m, n)
    assert (np.abs(got - a @ b) <= k * 2.0 ** -24 * (np.abs(a) @ np.abs(b))).all()


# ---- formats ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("name, kind, c_kind, formats", [
    ("nz_nd", "f16", "f32", "NZ ND ND"), ("nd_nz", "f16", "f16", "ND NZ ND"), ("nz_nz", "s8", "s32", "NZ NZ NZ"),
    ("f32_nz", "f32", "f32", "NZ NZ NZ"), ("f16_nz", "f16", "f16", "ND ND NZ"), ("split", "f16", "f32", "ND ND SPLIT")])
def test_fractals(run, name, kind, c_kind, formats, turns):
    m, n, k = 64, 96, 128
    fa, fb, fc = formats.split()
    a, b = draw(kind, m, k), draw(kind, k, n)
    sides = [store(x.T if t else x, kind) for x, t in zip((a, b), turns)]
    sides = [fractals(x, C0[kind]) if f == "NZ" else x for x, f in zip(sides, (fa, fb))]
    want = store(a @ b, c_kind)
    want = {"ND": want, "NZ": fractals(want, 16), "SPLIT": fractals(want, 8)}[fc]
    for how in ("all", "tiles"):
        got = run(name, *sides, np.zeros(m * n, want.dtype), size=(m, n, k), turns=turns, how=how)
        np.testing.assert_array_equal(got, want.ravel())


def test_fractals_of_bytes(run):
    m, n, k = 32, 64, 32
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run("s8_nz", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.int8), size=(m, n, k), quant=1, scale=word(0.25))
    np.testing.assert_array_equal(got, fractals(quantise(a @ b, "s8", 0.25), 32).ravel())


def test_padded_rows(run):
    m, n, k = 20, 37, 40
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run("padded", store(a, "f16"), store(b, "f16"), np.zeros(m * 48, np.float16), size=(m, n, k)).reshape(m, 48)
    np.testing.assert_array_equal(got[:, :37], (a @ b).astype(np.float16))
    assert not got[:, 37:].any()


def test_vector(run):
    a, b = draw("f16", 1, 300), draw("f16", 300, 70)
    got = run("vector", store(a, "f16"), store(b, "f16"), np.zeros(70, np.float32), size=(1, 70, 300))
    np.testing.assert_array_equal(got, (a @ b).astype(np.float32).ravel())


@pytest.mark.parametrize("how", ["one_a", "one_b"])
@pytest.mark.parametrize("name, kind", [("f16_f32", "f16"), ("f32_f32", "f32")])
def test_one_value(run, name, kind, how):
    """SetTensorA and SetTensorB of a scalar: sums of columns, of rows."""
    m, n, k = 20, 24, 50
    a, b = draw(kind, m, k), draw(kind, k, n)
    want = np.full_like(a, 0.5) @ b if how == "one_a" else a @ np.full_like(b, 0.25)
    got = run(name, store(a, kind), store(b, kind), np.zeros(m * n, np.float32), size=(m, n, k), how=how)
    np.testing.assert_array_equal(got.reshape(m, n), want.astype(np.float32))


# ---- presets and ways ---------------------------------------------------------------------------------------------------

PRESETS = [(name, how) for name in ("f16_f32", "basic", "checked", "outer_m", "outer_n") for how in ("all", "tiles", "two")]


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("name, how", [*PRESETS, ("fixed", "all"), ("fixed", "tiles"), ("policy", "all")])
def test_presets(run, name, how, order):
    m, n, k = 96, 80, 64
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run(name, store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k), how=how, order=order)
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b).astype(np.float32))


@pytest.mark.parametrize("order", [0, 1])
def test_tiles_in_a_row(run, order):
    m, n, k = 64, 96, 64
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run("f16_f32", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k), how="dense", order=order)
    tiles = (a @ b).reshape(2, 32, 3, 32).transpose((0, 2, 1, 3) if order else (2, 0, 1, 3))
    np.testing.assert_array_equal(got, tiles.astype(np.float32).ravel())


def test_partial_output(run):
    """Each step of baseK comes out alone; added up in GM they are the product."""
    m, n, k = 40, 50, 100
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run("partial", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k), how="partial")
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b).astype(np.float32))


@pytest.mark.parametrize("atomic, fold", [(1, np.add), (2, np.maximum), (3, np.minimum)])
@pytest.mark.parametrize("how", ["all", "tiles"])
def test_atomic(run, how, atomic, fold):
    m, n, k = 40, 50, 64
    a, b, old = draw("f16", m, k), draw("f16", k, n), draw("f32", m, n)
    got = run("f16_f32", store(a, "f16"), store(b, "f16"), old.astype(np.float32), size=(m, n, k), how=how, atomic=atomic)
    np.testing.assert_array_equal(got.reshape(m, n), fold(old, a @ b).astype(np.float32))


def test_part_of_larger_matrices(run):
    """SetOrgShape: rows are those of the whole matrices."""
    m, n, k = 32, 40, 48
    a, b = draw("f16", 50, 100), draw("f16", 100, 90)
    got = run("f16_f32", store(a, "f16"), store(b, "f16"), np.zeros((50, 90), np.float32), size=(m, n, k), org=(50, 90, 100))
    want = np.zeros((50, 90))
    want[:m, :n] = a[:m, :k] @ b[:k, :n]
    np.testing.assert_array_equal(got.reshape(50, 90), want.astype(np.float32))


@pytest.mark.parametrize("name, keeps", [("upper", lambda r, c: r <= c), ("lower", lambda r, c: r >= c)])
def test_triangles(run, name, keeps):
    m = n = 96
    a, b, old = draw("f16", m, 64), draw("f16", 64, n), draw("f32", m, n)
    got = run(name, store(a, "f16"), store(b, "f16"), old.astype(np.float32), size=(m, n, 64))
    rows, columns = np.indices((m, n)) // 32
    np.testing.assert_array_equal(got.reshape(m, n), np.where(keeps(rows, columns), a @ b, old).astype(np.float32))


@pytest.mark.parametrize("first", [0, 1])
def test_callbacks(run, first):
    """MatmulCallBackFunc, SetUserDefInfo, SetSelfDefineData: every second row of A, and what leaves is not negative."""
    m, n, k = 64, 96, 64
    a, b = draw("f16", 2 * m, k), draw("f16", k, n)
    got = run("called", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k), batch=(first, 0))
    np.testing.assert_array_equal(got.reshape(m, n), np.maximum(a[first::2] @ b, 0).astype(np.float32))


@pytest.mark.parametrize("name", ["constant", "in_l0c"])
def test_own_plans(run, name):
    """GetMatmulApiTiling with no TCubeTiling; sums that stay in L0C."""
    m, n, k = (96, 80, 64) if name == "constant" else (32, 96, 64)
    a, b, bias = draw("f16", m, k), draw("f16", k, n), draw("f32", n)
    got = run(name, store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), bias=store(bias, "f32"), size=(m, n, k))
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b + bias).astype(np.float32))


def test_both_in_l1(run):
    m, n, k = 48, 64, 80
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run("in_l1", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k))
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b).astype(np.float32))


@pytest.mark.parametrize("name, m", [("halves", 32), ("mixed_halves", 64)])
def test_sums_go_on(run, name, m):
    """Iterate(true): on top of what the last one has left."""
    n, k = 32, 96
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run(name, store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k), single=(32, n, k))
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b).astype(np.float32))


def test_sparse(run):
    """SetSparseIndex: two of four elements of B along k."""
    m, n, k = 40, 48, 128
    a = draw("s8", m, k)
    dense, packed, index = np.zeros((n, k)), np.zeros((n, k // 2), np.int8), np.zeros((n, k // 8), np.uint8)
    for r in range(n):
        for g in range(k // 4):
            first, second = sorted(RNG.choice(4, 2, replace=False))
            v = RNG.integers(-9, 10, 2)
            dense[r, 4 * g + first], dense[r, 4 * g + second] = v
            packed[r, 2 * g:2 * g + 2] = v
            index[r, g // 2] |= (first | (second - 1) << 2) << g % 2 * 4
    got = run("sparse", store(a, "s8"), packed, np.zeros(m * n, np.int32), q=fractals(index, 8), size=(m, n, k))
    np.testing.assert_array_equal(got.reshape(m, n), (a @ dense.T).astype(np.int64))


# ---- many cores ------------------------------------------------------------------------------------------------------------

def cut(cc, cores, jobs):
    """What cores.asc says of jobs M N K DIM TURN_A TURN_B MIX TAIL DEPTH: (used cores, wrong elements) each, and its notes."""
    (cc.directory / "jobs").write_text("".join(" ".join(map(str, j)) + "\n" for j in jobs))
    done = cc.run(cores, "jobs", env={"LD_LIBRARY_PATH": str(cc.prefix / "lib64")})
    answers = [line.split() for line in done.stdout.splitlines()]
    assert len(answers) == len(jobs) and all(a[0] == "0" for a in answers), done.stdout
    return [(int(a[1]), int(a[-1])) for a in answers], done.stderr


@pytest.mark.parametrize("mix", [0, 1])
def test_many_cores(cc, cores, mix):
    """GetTiling for 1 .. 24 cores, offsets of the pages and SetTail: uneven sizes are right on every core."""
    sizes = [(127, 255, 63), (300, 200, 100), (33, 65, 97), (1, 290, 40), (270, 1, 129)]
    jobs = [(*size, dim, dim & 1, dim >> 1 & 1, mix, 1, 0) for size in sizes for dim in range(1, 25)]
    answers, notes = cut(cc, cores, jobs)
    assert [j for j, (_, wrong) in zip(jobs, answers) if wrong] == []
    assert len({used for used, _ in answers}) > 10 and "MATMUL-" not in notes


def test_whole_parts_need_no_tail(cc, cores):
    jobs = [(m, n, k, dim, 0, 0, mix, 0, 0) for m, n, k in [(512, 512, 128), (320, 320, 64), (96, 160, 48)]
            for dim in (2, 7, 20, 24) for mix in (0, 1)]
    answers, notes = cut(cc, cores, jobs)
    assert all(wrong == 0 for _, wrong in answers) and "MATMUL-" not in notes


@pytest.mark.parametrize("mix", [0, 1])
def test_a_rest_without_tail_is_named(cc, cores, mix):
    _, notes = cut(cc, cores, [(300, 200, 100, 20, 0, 0, mix, 0, 0)])
    assert "note MATMUL-TAIL: IterateAll: the plan cuts m 300 and n 200 into parts of 32 x 112" in notes
    assert "12 x 88 for core 19, the last one; without SetTail(12, 88)" in notes and "cores.asc:" in notes


def test_a_depth_set_by_hand_is_held_against_the_steps(cc, cores):
    answers, notes = cut(cc, cores, [(256, 256, 512, 1, 0, 0, 0, 1, 6)])
    assert answers == [(1, 0)]
    assert re.search(r"note MATMUL-PLAN: depthA1 6 is stepM 1 \* stepKa \d+ or twice that", notes), notes


# ---- batches --------------------------------------------------------------------------------------------------------------

def nest(x, layout):
    """[B, G, S, D] as the layout nests it (N is 1)."""
    return x.transpose({"BSNGD": (0, 2, 1, 3), "SBNGD": (2, 0, 1, 3), "BNGS1S2": (0, 1, 2, 3)}[layout]).copy()


def layout_of(b, g, s, d):
    return (b, s, 1, g, d)


def batches(b, ga, gb, m, n, k, turn_b):
    a, x = draw("f16", b, ga, m, k), draw("f16", b, gb, k, n)
    g = max(ga, gb)
    exact = np.repeat(a, g // ga, 1) @ np.repeat(x, g // gb, 1)
    return a, x.transpose(0, 1, 3, 2) if turn_b else x, exact


@pytest.mark.parametrize("turn_b", [0, 1])
@pytest.mark.parametrize("ga, gb", [(3, 3), (1, 3), (3, 1)])
@pytest.mark.parametrize("name, layout, out", [("b_bsngd", "BSNGD", "BSNGD"), ("b_sbngd", "SBNGD", "SBNGD"),
                                               ("b_bngs1s2", "BNGS1S2", "BNGS1S2"), ("b_bsngd_out", "BSNGD", "BNGS1S2")])
def test_batches(run, name, layout, out, ga, gb, turn_b):
    b, m, n, k = 1, 20, 48, 40
    a, x, exact = batches(b, ga, gb, m, n, k, turn_b)
    shapes = (*layout_of(b, ga, m, k), *layout_of(b, gb, n if turn_b else k, k if turn_b else n), *layout_of(b, 3, m, n))
    got = run(name, store(nest(a, layout), "f16"), store(nest(x, layout), "f16"), np.zeros(exact.size, np.float32),
              size=(m, n, k), turns=(0, turn_b), batch=(ga, gb), layout=shapes)
    np.testing.assert_array_equal(got, nest(exact, out).astype(np.float32).ravel())


def test_batches_are_summed(run):
    """C with one G: the products of a group are added up."""
    m, n, k = 20, 48, 40
    a, x, exact = batches(1, 3, 3, m, n, k, 0)
    got = run("b_bngs1s2", store(nest(a, "BNGS1S2"), "f16"), store(nest(x, "BNGS1S2"), "f16"), np.zeros(m * n, np.float32),
              size=(m, n, k), batch=(3, 3), layout=(*layout_of(1, 3, m, k), *layout_of(1, 3, k, n), *layout_of(1, 1, m, n)))
    np.testing.assert_array_equal(got, exact.sum((0, 1)).astype(np.float32).ravel())


@pytest.mark.parametrize("name, one_bias", [("b_normal", False), ("b_one_bias", True)])
@pytest.mark.parametrize("gap, atomic", [(0, 0), (5, 0), (0, 1)])
def test_normal_batches(run, name, one_bias, gap, atomic):
    """SetBatchNum and IterateBatch, one bias for all or one each, matrices with gaps between them."""
    n_batch, m, n, k = 4, 20, 48, 40
    a, b = draw("f16", n_batch, m, k), draw("f16", n_batch, k, n)
    bias = draw("f32", n) if one_bias else draw("f32", n_batch, n)
    sa = np.concatenate([store(a, "f16").reshape(n_batch, -1), np.zeros((n_batch, gap), np.float16)], 1)
    strides = (m * k + gap if gap else 0, 0)
    got = run(name, sa, store(b, "f16"), np.ones(n_batch * m * n, np.float32), bias=store(bias, "f32"), size=(m, n, k),
              atomic=atomic, batch=(n_batch, n_batch), layout=(*layout_of(n_batch, 1, m, k), *layout_of(n_batch, 1, n, k),
                                                *layout_of(n_batch, 1, m, n), *strides))
    want = a @ b + (bias if one_bias else bias[:, None, :]) + atomic
    np.testing.assert_array_equal(got.reshape(want.shape), want.astype(np.float32))


@pytest.mark.parametrize("how", ["batch", "all", "n_batch"])
def test_batches_of_vector_cores(run, how):
    """IterateBatch into GM and UB, IterateNBatch with GetBatchTensorC and GetBatchC, WaitIterateBatch."""
    b, g, m, n, k = (3 if how == "n_batch" else 1), 2, 16, 32, 48
    a, x, exact = batches(b, g, g, m, n, k, 1)
    got = run("b_mixed", store(nest(a, "BSNGD"), "f16"), store(nest(x, "BSNGD"), "f16"), np.zeros(exact.size, np.float32),
              size=(m, n, k), turns=(0, 1), batch=(g, g), how=how,
              layout=(*layout_of(b, g, m, k), *layout_of(b, g, n, k), *layout_of(b, g, m, n)))
    np.testing.assert_array_equal(got, exact.astype(np.float32).ravel())


# ---- vector cores -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("how", ["all", "tiles", "both", "ahead", "ahead_gm", "dense", "two"])
def test_mixed(run, how):
    """GetTensorC into UB, GM and both, Iterate<false> through a workspace, AsyncGetTensorC, WaitIterateAll."""
    m, n, k = 128, 32, 80
    a, b, bias = draw("f16", m, k), draw("f16", k, n), draw("f32", n)
    got = run("mixed", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), bias=store(bias, "f32"), size=(m, n, k),
              single=(m // 2, n, k), how=how)
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b + bias).astype(np.float32))


@pytest.mark.parametrize("turn_b", [0, 1])
@pytest.mark.parametrize("k", [48, 50])
def test_from_ub(run, turn_b, k):
    m, n = 32, 48
    a, b, bias = draw("f16", m, k), draw("f16", k, n), draw("f32", n)
    got = run("from_ub", store(a, "f16"), store(b.T if turn_b else b, "f16"), np.zeros(m * n, np.float32),
              bias=store(bias, "f32"), size=(m, n, k), single=(16, n, k), turns=(0, turn_b))
    want = (a @ b + bias).astype(np.float32)
    np.testing.assert_array_equal(got, np.concatenate([fractals(want[:16], 16).ravel(), fractals(want[16:], 16).ravel()]))


@pytest.mark.parametrize("turn_b", [0, 1])
def test_both_from_ub(run, turn_b):
    m, n, k = 32, 48, 64
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run("both_from_ub", store(a, "f16"), store(b.T if turn_b else b, "f16"), np.zeros(m * n, np.float32),
              size=(m, n, k), single=(16, n, k), turns=(0, turn_b))
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b).astype(np.float32))


def test_from_tscm(run):
    m, n, k = 64, 48, 64
    a, b, bias = draw("f16", m, k), draw("f16", k, n), draw("f32", n)
    got = run("from_tscm", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), bias=store(bias, "f32"),
              size=(m, n, k), single=(32, n, k))
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b + bias).astype(np.float32))


def test_all_in_l1(run):
    """SetBias and IterateAll of tensors in L1, on a cube core."""
    m, n, k = 64, 48, 32
    a, b, bias = draw("f16", m, k), draw("f16", k, n), draw("f32", n)
    got = run("all_l1", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float16), bias=store(bias, "f32"), size=(m, n, k))
    np.testing.assert_array_equal(got, fractals((a @ b + bias).astype(np.float16), 16).ravel())


def test_chain_through_tscm(run):
    """The same of vector cores: what IterateAll leaves in TSCM is the A of the next object."""
    m, n, k = 64, 64, 64
    a, b, bias = draw("f16", m, k), draw("f16", k, n), draw("f32", n)
    product = (a @ b + bias).astype(np.float16).astype(np.float64)
    got = run("chain", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), bias=store(bias, "f32"),
              size=(m, n, k), single=(32, n, k))
    np.testing.assert_array_equal(got.reshape(m, n), (product @ b).astype(np.float32))


@pytest.mark.parametrize("name", ["one_place", "one_place_by_config"])
def test_one_place_of_tscm(run, name):
    """Bit 2 of mask, and scmBlockGroup: both vector cores have the same buffer."""
    m, n, k = 32, 96, 64
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run(name, store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k), single=(m, n // 2, k))
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b).astype(np.float32))


@pytest.mark.parametrize("how", ["all", "tiles", "dense", "partial"])
def test_ub_to_tscm(run, how):
    m, n, k = 64, 48, 64
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run("ub_to_tscm", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k), single=(32, n, k),
              how=how)
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b).astype(np.float32))


@pytest.mark.parametrize("how, words", [
    ("all", ["DataCopy: writes 1024 bytes into a tensor of 512 in L1"]),
    ("tiles", ["put 128 bytes into GM", "read 160"]),
    ("dense", ["DataCopy to L1 byte 1024", "TSCM<pos, 1> que"]),
    ("partial", ["ndNum 2, nValue 2", "ndNum is 1"])])
def test_ub_to_tscm_is_refused(run, how, words):
    out = run("ub_to_tscm_refused", np.zeros((16, 16), np.float16), np.zeros((16, 16), np.float16), np.zeros(256, np.float32),
              size=(16, 16, 16), how=how, expect=1)
    assert all(word in out for word in words) and "matmul.asc:" in out


@pytest.mark.parametrize("name", ["shared", "shared_b"])
def test_shared(run, name):
    """IBSHARE: both matrices, one computation for two calls; B alone, with a call that only keeps the pairs together."""
    m, n, k = 64, 48, 64
    a, b, old = draw("f16", m, k), draw("f16", k, n), draw("f32", m, n)
    got = run(name, store(a, "f16"), store(b, "f16"), old.astype(np.float32), size=(m, n, k))
    np.testing.assert_array_equal(got.reshape(m, n), (old + a @ b).astype(np.float32))


def test_dual_masters(run):
    m, n, k = 32, 32, 64
    a, b = draw("f16", m, k), draw("f16", k, n)
    got = run("dual", store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k))
    np.testing.assert_array_equal(got.reshape(m, n), (a @ b + 1).astype(np.float32))


@pytest.mark.parametrize("order", ["lazy", "random:3"])
def test_orders(cc, run, order):
    """What flags leave open changes nothing."""
    cc.env["NPUTWIN_ORDER"] = order
    m, n, k = 128, 32, 80
    a, b = draw("f16", m, k), draw("f16", k, n)
    for name, single in (("f16_f32", (m, n, k)), ("mixed", (m // 2, n, k))):
        got = run(name, store(a, "f16"), store(b, "f16"), np.zeros(m * n, np.float32), size=(m, n, k), single=single, how="tiles")
        np.testing.assert_array_equal(got.reshape(m, n), (a @ b).astype(np.float32))

# SPDX-License-Identifier: Apache-2.0
"""The proof behind `full` in aclnn.tbl, for operators over tensors and scalars of one or two inputs.

Each documented data type, each form (dense, 0-dim, empty, strided in and out, broadcast, other output types)
against torch on the CPU in double or the integer type itself; and each mistake is refused with its code.
    python test_levels.py [NAMES]   tries rows that are not full yet
"""
import re
import sys
from pathlib import Path

import pytest
import torch

pytest.importorskip("torch_npu")

import aclnn  # noqa: E402

TABLE = Path(__file__).parents[2] / "rt/opapi/aclnn.tbl"
FULL = [line.split("|")[0].strip() for line in TABLE.read_text().splitlines()
        if line.startswith("aclnn") and re.search(r"\bfull\b", line.split("|")[-1])]
ROWS, TYPES, SCHEMAS = aclnn.rows(), aclnn.types(), aclnn.schemas()
TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2, torch.float32: 2e-5, torch.complex64: 2e-5,
             torch.float64: 1e-9, torch.complex128: 1e-9}
PARTNER = {1: torch.tensor([[1.0, 2, 1], [3, 1, 2]]), 0: torch.tensor([[0.5, 0.25, 0.9], [1, 0, 0.75]])}


def sample(k, dtype, shape):
    """Input k: in the domain of asin, log and gcd; never 0 as a divisor."""
    x = PARTNER[k].double()
    x = x[:shape[0]] if len(shape) == 2 else x[0, 0] if not shape else x[0]
    x = torch.zeros(shape, dtype=torch.float64) if 0 in shape else x.reshape(shape) if len(shape) < 2 else x[:, :shape[1]]
    if dtype == torch.bool:
        return x > 0.6
    if dtype.is_complex:
        return torch.complex(x, 0.25 * x + 0.1).to(dtype)
    return (x if dtype.is_floating_point else (x * 4).round()).to(dtype)


def wide(x):
    """What the reference computes in."""
    if not isinstance(x, torch.Tensor):
        return x
    if x.is_complex():
        return x.to(torch.complex128)
    return x.double() if x.is_floating_point() else x


def function(name):
    base = SCHEMAS[name].removeprefix("aten::").split(".")[0]
    base = base.rstrip("_") if not base.startswith("__") else base
    return getattr(torch, base, None) or getattr(torch.nn.functional, base, None) or getattr(torch.ops.aten, base)


def reference(name, values):
    """Result of torch, in double where it is a real number, and the type that torch itself would give it."""
    fn = function(name)
    words = [(n, v) for (n, kind, _), v in zip(ROWS[name][1], values) if kind != "T" or n.endswith("Ref")]
    alpha = {n: v for n, v in words if n == "alpha"}
    args = [v for n, v in words if n != "alpha"]
    natural = fn(*args, **alpha).dtype
    return fn(*[wide(v) for v in args], **alpha), natural


def strided(t):
    """The same values with gaps and another order of dimensions."""
    if not t.dim():
        return torch.stack([t, t])[1]
    room = torch.zeros([2 * n for n in reversed(t.shape)], dtype=t.dtype)
    view = room[tuple(slice(None, None, 2) for _ in t.shape)].permute(*reversed(range(t.dim())))
    view.copy_(t)
    return view


def to_npu(t):
    """With its strides: a copy to the device would make it dense."""
    storage = torch.empty(0, dtype=torch.uint8).set_(t.untyped_storage()).npu()
    return torch.empty(0, dtype=t.dtype, device="npu").set_(storage.untyped_storage(), t.storage_offset(), t.shape,
                                                            t.stride())


def back(t):
    storage = torch.empty(0, dtype=torch.uint8, device="npu").set_(t.untyped_storage()).cpu()
    return torch.empty(0, dtype=t.dtype).set_(storage.untyped_storage(), t.storage_offset(), t.shape, t.stride())


def arguments(name, dtypes, shapes, layout):
    values, k = [], 0
    for (pname, kind, _) in ROWS[name][1]:
        if kind == "t" or (kind == "T" and pname.endswith("Ref")):
            values.append(layout(sample(k, dtypes[k], shapes[k])))
            k += 1
        elif kind == "s":
            scale = 2 if pname != "clipValueMax" else 3
            values.append(float(scale) if "erp" in name or pname in ("negativeSlope", "lambd") else scale)
        else:
            values.append(None)
    return values


def out_types(name, natural):
    """Documented output types that hold the result, the natural one first."""
    position = next(i for i, (_, kind, _) in enumerate(ROWS[name][1]) if kind == "T")
    listed = [t for t in TYPES[name][position] if torch.can_cast(natural, t)]
    return sorted(listed, key=lambda t: t != natural)


def run_case(name, values, out_dtype, expected, layout):
    place = [i for i, (_, kind, _) in enumerate(ROWS[name][1]) if kind == "T"][0]
    device = [to_npu(v) if isinstance(v, torch.Tensor) else v for v in values]
    if device[place] is None:
        device[place] = to_npu(layout(torch.zeros(expected.shape, dtype=out_dtype)))
    aclnn.run(name, *device)
    actual = back(device[place])
    tol = max(TOLERANCE.get(out_dtype, 0), TOLERANCE.get(next(v.dtype for v in values if isinstance(v, torch.Tensor)), 0))
    if not (actual.is_floating_point() or actual.is_complex()):
        tol = 0
    torch.testing.assert_close(actual, expected.to(out_dtype), rtol=tol, atol=tol, equal_nan=True, check_stride=False,
                               msg=lambda m: f"{name} {[getattr(v, 'dtype', v) for v in values]} -> {out_dtype}: {m}")


DENSE = torch.Tensor.contiguous
FORMS = [(((2, 3), (2, 3)), DENSE), (((2, 3), (2, 3)), strided), (((), ()), DENSE), (((0, 3), (0, 3)), DENSE)]
SPREADS = [(((2, 3), (3,)), DENSE), (((2, 3), ()), strided)]


def prove(name):
    """Runs every form in every type; returns how many calls that were."""
    inputs = [i for i, (pname, kind, _) in enumerate(ROWS[name][1])
              if kind == "t" or (kind == "T" and pname.endswith("Ref"))]
    in_place = ROWS[name][1][inputs[0]][1] == "T"
    n = 0
    for dtype in TYPES[name][inputs[0]]:
        partners = TYPES[name][inputs[1]] if len(inputs) > 1 else [dtype]
        same = dtype if dtype in partners else partners[0]
        forms = [(shapes, layout, same) for shapes, layout in FORMS + (SPREADS if len(inputs) > 1 else [])]
        forms += [(((2, 3), (2, 3)), DENSE, t) for t in partners if t != same]
        for shapes, layout, partner in forms:
            values = arguments(name, [dtype, partner], shapes, layout)
            try:
                expected, natural = reference(name, values)
            except (RuntimeError, TypeError):
                if partner == same:
                    raise  # a documented type that torch does not compute
                continue  # a pair that torch does not promote
            if in_place:
                if torch.can_cast(natural, dtype):
                    run_case(name, values, dtype, expected, layout)
                    n += 1
                continue
            candidates = out_types(name, natural)
            assert candidates or partner != same, f"no documented output type holds {natural}"
            for out in candidates if layout is DENSE and shapes == ((2, 3), (2, 3)) and partner == same else candidates[:1]:
                try:
                    run_case(name, list(values), out, expected, layout)
                except aclnn.Refused as e:
                    assert out != candidates[0] and e.code == 161002 and "must have the type of the input" in str(e)
                n += 1
    assert n
    return n


def refused(name, values, code, text):
    with pytest.raises(aclnn.Refused, match=text) as e:
        aclnn.run(name, *[to_npu(v) if isinstance(v, torch.Tensor) else v for v in values])
    assert e.value.code == code and name in str(e.value), e.value


def mistakes(name):
    """null is 161001; a type that is not documented and a shape that does not fit are 161002, with what is allowed."""
    params = ROWS[name][1]
    first = next(i for i, (p, kind, _) in enumerate(params) if kind == "t" or p.endswith("Ref"))
    dtype = TYPES[name][first][0]
    tensors = sum(kind in "tT" and (kind == "t" or p.endswith("Ref")) for p, kind, _ in params)
    second = [i for i, (p, kind, _) in enumerate(params) if kind == "t" and i != first]
    partner = dtype if not second or dtype in TYPES[name][second[0]] else TYPES[name][second[0]][0]
    values = arguments(name, [dtype, partner][:max(tensors, 1)], ((2, 3), (2, 3)), DENSE)
    expected, natural = reference(name, values)
    place = next(i for i, (_, kind, _) in enumerate(params) if kind == "T")
    if values[place] is None:
        values[place] = torch.zeros(expected.shape, dtype=out_types(name, natural)[0])
    for i, (pname, kind, optional) in enumerate(params):
        if not optional:
            refused(name, values[:i] + [None] + values[i + 1:], 161001, f"parameter {pname} must not be null")
        if kind in "tT":
            for odd in [t for t in aclnn.DTYPES if t not in TYPES[name][i]][:3]:
                wrong = torch.zeros(values[i].shape, dtype=odd)
                refused(name, values[:i] + [wrong] + values[i + 1:], 161002, f"{pname} has type .*; allowed: ")
    for i in [place] if first != place or len(second) else []:
        for shape in ((3, 2), (5,), (1, 2, 3)):
            if first != place:
                wrong = torch.zeros(shape, dtype=values[i].dtype)
                refused(name, values[:i] + [wrong] + values[i + 1:], 161002, "shape|dimensions|broadcast")
    for i in second:
        wrong = torch.zeros((3, 2), dtype=values[i].dtype)
        refused(name, values[:i] + [wrong] + values[i + 1:], 161002, "shape|dimensions|broadcast")


@pytest.mark.parametrize("name", FULL)
def test_full(name):
    prove(name)
    mistakes(name)


def test_enough_is_full():
    assert len(FULL) >= 100


def test_null_everywhere():
    """Every row of the table, full or not: the first handle that must not be null is named, with 161001."""
    lib = aclnn.library()
    for name, (_, params) in ROWS.items():
        must = [p for p, kind, optional in params if not optional and kind in "t T s ia ba fa tl TL sl str".split()]
        if not must:
            continue
        with pytest.raises(aclnn.Refused) as e:
            aclnn.run(name, *[None if kind not in aclnn.PLAIN else 0 for _, kind, _ in params])
        assert e.value.code == 161001 and f"{name}: parameter {must[0]} must not be null" in str(e.value), name
        code = getattr(lib, name)(None, 0, None, None)
        assert code == 161001 and f"{name}: executor is null" in aclnn.last_error()


def main():
    for name in sys.argv[1:] or [n for n in ROWS if any(TYPES[n]) and n not in FULL]:
        try:
            n = prove(name)
            mistakes(name)
            print("PROVEN", name, n, flush=True)
        except (Exception, pytest.fail.Exception) as e:
            print("NOT", name, type(e).__name__, " ".join(str(e).split())[:260], flush=True)
            if "50703" in str(e) or "inner error" in str(e).lower():
                sys.exit(3)


if __name__ == "__main__":
    main()

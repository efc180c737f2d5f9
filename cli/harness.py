# SPDX-License-Identifier: Apache-2.0
"""harness.py RESULT [--from FOLDER] FILE.py | -m MODULE: runs tests as Python would, and looks at what they call.
FOLDER, the current one when not given, is where they are.

Each call torch.ops.<ns>.<op>(...) of an operator that the tests registered, which succeeded, is made again
    fake    on fake tensors: shape, dtype, device and strides must be those of the real result
    views   on the same values as a transposed view, as columns of a wider tensor and as rows behind an offset:
            the result must be the same, unless such a tensor is refused
and what assertRtolEqual lets pass is compared element by element (strict). RESULT gets a JSON object:
{"fake": {"calls": 3, "wrong": ["npu::x: ..."]}, "views": ..., "strict": ..., "operators": ["npu::x"],
"skipped": ["test_x: why"]}.
`nputwin test` runs this text with python -c, here or in a container: it stands alone.
"""
import functools
import json
import os
import runpy
import sys
import unittest

import torch
import torch_npu  # noqa: F401
from torch.utils._pytree import tree_flatten, tree_map

CALLS = 8  # of one operator; tests call in loops
KNOWN = {name.split(".")[0] for name in torch._C._dispatch_get_all_op_names()}
RESULT = {kind: {"calls": 0, "wrong": []} for kind in ("fake", "views", "strict")}
SEEN = {}
SKIPPED = []
BITS = {torch.float32: torch.int32, torch.float64: torch.int64, torch.float16: torch.int16, torch.bfloat16: torch.int16}


def ulps(a, b):
    """How many numbers of their type lie between two of them."""
    if a.dtype not in BITS:
        return abs(a.item() - b.item())
    low = torch.iinfo(BITS[a.dtype]).min
    whole = [v.view(BITS[a.dtype]).item() for v in (a, b)]
    return abs(int.__sub__(*[v if v >= 0 else low - v for v in whole]))


def first_of(wrong, got, want):
    """'12 of 2048 elements, first [3, 7]: got 1.5, want 1.25, 256 ulp'"""
    at = tuple(int(i) for i in torch.nonzero(wrong.reshape(wrong.shape or (1,)))[0])[:wrong.dim()]
    a, b = got[at].clone(), want[at].clone()
    text = f"{int(wrong.sum())} of {wrong.numel()} elements, first {list(at)}: got {a.item()}, want {b.item()}"
    is_number = not (a.dtype.is_complex or a.dtype == torch.bool or a.isnan() or b.isnan())
    return text + (f", {ulps(a, b)} ulp" if is_number else "")


def differ(got, want):
    """A tensor of where they differ; equal NaNs do not."""
    wrong = got != want
    return wrong & ~(got.isnan() & want.isnan()) if got.is_floating_point() or got.is_complex() else wrong


def say(kind, text):
    RESULT[kind]["wrong"].append(text)
    print(f"nputwin test: {kind}: {text}", file=sys.stderr)


def layout_of(t):
    return f"{tuple(t.shape)} {str(t.dtype)[6:]} {t.device.type} strides {t.stride()}"


def fits(fake, real):
    """A size that the data decides is a symbol, and so is a stride that follows from it: any number fits."""
    pairs = [*zip(fake.shape, real.shape), *zip(fake.stride(), real.stride())]
    return ((fake.dtype, fake.device.type, fake.dim()) == (real.dtype, real.device.type, real.dim())
            and all(isinstance(f, torch.SymInt) or f == r for f, r in pairs))


def check_fake(name, op, args, kwargs, real):
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    RESULT["fake"]["calls"] += 1
    try:
        with FakeTensorMode(shape_env=ShapeEnv()) as mode:
            def faked(t):
                return mode.from_tensor(t, static_shapes=True) if isinstance(t, torch.Tensor) else t

            fake = tree_flatten(op(*tree_map(faked, args), **tree_map(faked, kwargs)))[0]
    except Exception as e:
        return say("fake", f"{name}: fails on fake tensors: {str(e).strip().splitlines()[0]}")
    for f, r in zip(fake, real):
        if isinstance(r, torch.Tensor) and not fits(f, r):
            return say("fake", f"{name}: fake {layout_of(f)} vs real {layout_of(r)}")


def transposed(t):
    return t.transpose(0, -1).contiguous().transpose(0, -1) if t.dim() > 1 else t


def columns(t):
    if t.dim() == 0:
        return t
    wide = torch.full((*t.shape[:-1], 2 * t.shape[-1] + 1), 77, dtype=t.dtype, device=t.device)
    wide[..., :t.shape[-1]] = t
    return wide[..., :t.shape[-1]]


def offset_rows(t):
    if t.dim() == 0:
        return t
    longer = torch.full((t.shape[0] + 1, *t.shape[1:]), 77, dtype=t.dtype, device=t.device)
    longer[1:] = t
    return longer[1:]


def check_views(name, op, args, kwargs, real):
    for view in (transposed, columns, offset_rows):
        def moved(t, view=view):
            return view(t) if isinstance(t, torch.Tensor) and t.device.type == "npu" and t.numel() else t

        try:
            given = tree_map(moved, (args, kwargs))
            if all(a is b for a, b in zip(tree_flatten(given)[0], tree_flatten((args, kwargs))[0])):
                continue
            RESULT["views"]["calls"] += 1
            got = tree_flatten(op(*given[0], **given[1]))[0]
        except (RuntimeError, NotImplementedError):
            continue  # refused by name: that is an answer
        for g, r in zip(got, real):
            if not isinstance(r, torch.Tensor):
                continue
            g, r = g.cpu(), r.cpu()
            wrong = differ(g, r) if g.shape == r.shape else None
            if wrong is None or wrong.any():
                more = first_of(wrong, g, r) if wrong is not None else f"shape {tuple(g.shape)}, want {tuple(r.shape)}"
                return say("views", f"{name}: {view.__name__.replace('_', ' ')} of the same values give another result: {more}")


def is_own(packet, args, kwargs, out):
    """A new operator, called with real tensors, that writes to none of them."""
    name = packet._qualified_op_name
    tensors = [t for t in tree_flatten((args, kwargs, out))[0] if isinstance(t, torch.Tensor)]
    if name in KNOWN or not tensors:
        return False
    if any(type(t) not in (torch.Tensor, torch.nn.Parameter) or t.device.type == "meta" for t in tensors):
        return False
    return not any(getattr(packet, o)._schema.is_mutable for o in packet.overloads())


def watched(call):
    @functools.wraps(call)
    def wrapper(packet, *args, **kwargs):
        out = call(packet, *args, **kwargs)
        try:
            look(call, packet, args, kwargs, out)
        except Exception as e:  # looking must not change what a test sees
            print(f"nputwin test: {packet} was not looked at: {type(e).__name__}: {e}", file=sys.stderr)
        return out

    return wrapper


def look(call, packet, args, kwargs, out):
    if torch.compiler.is_compiling() or torch.utils._python_dispatch._get_current_dispatch_mode() is not None:
        return
    if not is_own(packet, args, kwargs, out):
        return
    name = packet._qualified_op_name
    form = str([(tuple(t.shape), t.dtype, t.stride()) if isinstance(t, torch.Tensor) else str(t)[:80]
                for t in tree_flatten((args, kwargs))[0]])
    seen = SEEN.setdefault(name, set())
    if form in seen or len(seen) >= CALLS:
        return
    seen.add(form)
    with torch.no_grad():
        def op(*a, **k):
            return call(packet, *a, **k)

        real = tree_flatten(out)[0]
        check_fake(name, op, args, kwargs, real)
        check_views(name, op, args, kwargs, real)


def strictly(rtol_equal):
    @functools.wraps(rtol_equal)
    def wrapper(self, x, y, prec=1.e-4, prec16=1.e-3, *args, **kwargs):
        a, b = [v.detach().cpu() if isinstance(v, torch.Tensor) else torch.as_tensor(v) for v in (x, y)]
        is_same = a.shape == b.shape and a.dtype == b.dtype
        limit = prec16 if a.dtype in (torch.float16, torch.bfloat16) else prec
        wrong = None
        if is_same:
            wide = [v.double() if v.is_floating_point() else v for v in (a, b)]
            wrong = differ(a, b)
            if a.is_floating_point():
                size = (wide[0] - wide[1]).abs()
                wrong &= ~((size <= limit) | (size <= limit * torch.maximum(wide[0].abs(), wide[1].abs())))
        try:
            rtol_equal(self, x, y, prec, prec16, *args, **kwargs)
        except AssertionError:
            if wrong is not None and wrong.any():
                say("strict", f"{self.id()}: {first_of(wrong, a, b)}")
            raise
        RESULT["strict"]["calls"] += 1
        if wrong is not None and wrong.any():
            say("strict", f"{self.id()}: assertRtolEqual lets pass {first_of(wrong, a, b)}")

    return wrapper


def noted(add_skip):
    @functools.wraps(add_skip)
    def wrapper(self, test, reason):
        SKIPPED.append(f"{test.id().rsplit('.', 1)[-1]}: {reason}")
        return add_skip(self, test, reason)

    return wrapper


def platform_of():
    """What the tests ran on. The twin's tree has a file of that name, and is never hardware."""
    from importlib.metadata import version

    home = os.environ.get("ASCEND_HOME_PATH", "")
    return {"device": torch.npu.get_device_name(0) if torch.npu.is_available() else "no device",
            "is_twin": os.path.isfile(os.path.join(home, "nputwin.json")), "cann": home,
            "torch": version("torch"), "torch_npu": version("torch_npu"), "python": sys.version.split()[0]}


def main():
    result, rest, folder = sys.argv[1], sys.argv[2:], os.getcwd()
    if rest[0] == "--from":
        folder, rest = rest[1], rest[2:]
    unittest.TestResult.addSkip = noted(unittest.TestResult.addSkip)
    torch._ops.OpOverloadPacket.__call__ = watched(torch._ops.OpOverloadPacket.__call__)
    try:
        from torch_npu.testing.testcase import TestCase
        TestCase.assertRtolEqual = strictly(TestCase.assertRtolEqual)
    except ImportError:
        pass  # expecttest is not installed: then no test uses it
    sys.path.insert(0, folder)
    code = 0
    try:
        if rest[0] == "-m":
            sys.argv = ["python -m unittest", *rest[1:]]
            runpy.run_module("unittest", run_name="__main__")
        else:
            sys.argv = rest
            runpy.run_path(os.path.join(folder, rest[0]), run_name="__main__")
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else 0 if e.code is None else 1
        if isinstance(e.code, str):
            print(e.code, file=sys.stderr)
    finally:
        RESULT["operators"] = sorted(SEEN)
        RESULT["skipped"] = SKIPPED
        RESULT["platform"] = platform_of()
        with open(f"{result}.part", "w") as out:
            json.dump(RESULT, out)
        os.replace(f"{result}.part", result)
    sys.exit(code)


main()

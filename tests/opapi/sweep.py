# SPDX-License-Identifier: Apache-2.0
"""Runs torch's own operator samples on the npu and on the CPU and compares.

    python sweep.py [--ops REGEX] [--dtypes float32,int64] [--samples N] [--out FILE]

The samples (torch.testing's op_db and foreach lists; each operator also in place, where it has such
a form) know nothing of aclnn.tbl, so they judge it from outside. Each
finding is one JSON line {"op","dtype","status","text"}; status is ok, refused (a clean exception,
the next operator is right), wrong (a value differs), device (the device is unusable, the worker is
started again behind this operator) or crash. The last line tells which aclnn rows were launched.
"""
import argparse
import faulthandler
import json
import os
import re
import subprocess
import sys

DEVICE_CODES = ("507035", "507015", "The Inner error is reported")


def to_npu(x):
    import torch

    if isinstance(x, torch.Tensor):
        y = x.detach().to("npu")
        return y.requires_grad_() if x.requires_grad else y
    if isinstance(x, torch.device) or x == "cpu":
        return "npu"
    return x


def flat(x):
    import torch

    if isinstance(x, torch.Tensor):
        return [x]
    if isinstance(x, (tuple, list)):
        return [t for y in x for t in flat(y)]
    return []


def compare(expected, actual):
    import torch

    expected, actual = flat(expected), flat(actual)
    assert len(expected) == len(actual), f"{len(actual)} results, expected {len(expected)}"
    for e, a in zip(expected, actual):
        a = a.detach().cpu()
        e = e.detach().cpu()
        if e.dtype == torch.float64 or a.dtype == torch.float64:  # torch_npu has no double
            e, a = e.float(), a.float()
        loose = e.dtype in (torch.float16, torch.bfloat16)
        tol = dict(rtol=2e-2, atol=2e-2) if loose else dict(rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(a, e, equal_nan=True, check_stride=False, **tol)


def gradients(op, sample):
    import torch

    out = [t for t in flat(call(op, sample))
           if t.requires_grad and t.is_floating_point()]
    leaves = [t for t in flat([sample.input, sample.args, list(sample.kwargs.values())])
              if t.requires_grad]
    if not out or not leaves:
        return []
    weights = [(torch.arange(t.numel(), dtype=torch.float32) % 7 - 3).reshape(t.shape)
               .to(t.dtype).to(t.device) for t in out]
    grads = torch.autograd.grad(out, leaves, weights, allow_unused=True)
    return [g for g in grads if g is not None]


def cases(op, dtype, n_samples):
    """(what, expected, thunk on the npu) for each sample."""
    import torch

    backward = op.supports_autograd and dtype == torch.float32
    torch.manual_seed(1)
    for i, s in enumerate(op.sample_inputs("cpu", dtype, requires_grad=backward)):
        if i == n_samples:
            return
        try:
            expected = call(op, s)
        except Exception:
            continue  # the sample is not for this build of torch
        yield f"sample {i}", expected, lambda s=s: call(op, s.transform(to_npu))
        if backward:
            try:
                grads = gradients(op, s)
            except Exception:
                continue
            yield f"grad {i}", grads, lambda s=s: gradients(op, s.transform(to_npu))
        if op.inplace_variant:
            try:
                expected = in_place(op, s.transform(lambda x: x))
            except Exception:
                continue
            yield f"inplace {i}", expected, lambda s=s: in_place(op, s.transform(to_npu))


def in_place(op, s):
    import torch

    def copy(x):
        return [copy(y) for y in x] if isinstance(x, (list, tuple)) else x.detach().clone()

    target = copy(s.input)
    with torch.no_grad():
        op.inplace_variant(target, *s.args, **s.kwargs)
    return target


def call(op, s):
    return op(s.input, *s.args, **s.kwargs)


RANDOM = re.compile(r"rand|dropout|normal|bernoulli|multinomial|uniform|cauchy|exponential|geometric"
                    r"|empty|rrelu|svd_lowrank|pca_lowrank|resize|new_empty|fractional_max_pool"
                    r"|scaled_dot_product_attention|multi_head_attention")


def all_ops():
    from torch.testing._internal import common_methods_invocations as lists

    by_name = {}
    for db in ("op_db", "foreach_unary_op_db", "foreach_binary_op_db", "foreach_pointwise_op_db",
               "foreach_reduce_op_db", "foreach_other_op_db"):
        for op in getattr(lists, db, []):
            by_name.setdefault(op.formatted_name, op)
    return by_name


def run_worker(names, dtypes, n_samples):
    import torch
    import torch_npu  # noqa: F401

    import aclnn

    by_name = all_ops()

    def tell(**line):
        print(json.dumps(line), flush=True)

    for name in names:
        op = by_name[name]
        tell(start=name)
        for dtype in dtypes:
            if not op.supports_dtype(dtype, "cpu"):
                continue
            n_ok = 0
            for what, expected, thunk in cases(op, dtype, n_samples):
                faulthandler.dump_traceback_later(40, exit=True)
                status, text = "ok", ""
                try:
                    actual = thunk()
                    torch.npu.synchronize()
                    if not RANDOM.search(name):
                        compare(expected, actual)
                except AssertionError as e:
                    status, text = "wrong", str(e)
                except Exception as e:
                    text = f"{type(e).__name__}: {e}"
                    status = "device" if any(c in text for c in DEVICE_CODES) else "refused"
                faulthandler.cancel_dump_traceback_later()
                if status == "ok":
                    n_ok += 1
                    continue
                tell(op=name, dtype=str(dtype)[6:], what=what, status=status, text=text[:900])
                if status == "device":
                    tell(calls=aclnn.launches())
                    os._exit(3)
            tell(op=name, dtype=str(dtype)[6:], status="ok", n=n_ok)
    tell(calls=aclnn.launches())


def drive(names, dtypes, n_samples, out):
    calls, found = {}, []
    while names:
        worker = subprocess.Popen(
            [sys.executable, __file__, "--worker", "--dtypes", ",".join(dtypes), "--samples",
             str(n_samples), "--names", ",".join(names)], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if not os.environ.get("SWEEP_STDERR") else None, text=True)
        at = None
        for line in worker.stdout:
            if not line.startswith("{"):
                continue
            item = json.loads(line)
            if "start" in item:
                at = item["start"]
            elif "calls" in item:
                for k, v in item["calls"].items():
                    calls[k] = calls.get(k, 0) + v
            else:
                found.append(item)
                out.write(line)
                out.flush()
        code = worker.wait()
        if code == 0:
            break
        if code != 3:
            item = {"op": at, "dtype": "?", "status": "crash", "text": f"exit code {code}"}
            found.append(item)
            out.write(json.dumps(item) + "\n")
        names = names[names.index(at) + 1:] if at in names else []
    out.write(json.dumps({"calls": calls}) + "\n")
    return found, calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ops", default=".")
    parser.add_argument("--dtypes", default="float32,int64,float16,bool")
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--out", default="/dev/stdout")
    parser.add_argument("--names", default="")
    parser.add_argument("--worker", action="store_true")
    args = parser.parse_args()
    if args.worker:
        import torch

        run_worker(args.names.split(","), [getattr(torch, d) for d in args.dtypes.split(",")],
                   args.samples)
        return
    listing = "import sweep; print('\\n'.join(sweep.all_ops()))"
    names = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True,
                           cwd=os.path.dirname(os.path.abspath(__file__)),
                           env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
                           check=True).stdout.split()
    names = [n for n in names if re.search(args.ops, n)]
    with open(args.out, "w") as out:
        found, calls = drive(names, args.dtypes.split(","), args.samples, out)
    count = {}
    for item in found:
        count[item["status"]] = count.get(item["status"], 0) + 1
    print(count, "rows launched:", sum(1 for v in calls.values() if v), "of", len(calls),
          file=sys.stderr)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""demo - a sentence-embedding model whose weights go through our HiFloat8 operator on npu:0.

  1. every weight of all-MiniLM-L6-v2 is encoded to HiFloat8 by an Ascend C kernel and decoded again;
  2. every code is compared with an independent implementation of the format (en_dtypes);
  3. real sentences run through the model on the NPU, with the original and with the HiFloat8 weights.

Ends with `demo: OK` and exit code 0 when every check holds; otherwise 1, with what failed.
"""
import argparse
import sys
import time
from dataclasses import dataclass

import en_dtypes
import numpy as np
import torch
import torch_npu  # noqa: F401  gives torch its npu device

import minilm
from report import Checks, Progress, table

SMALLEST_NORMAL = 2.0 ** -15  # of HiFloat8; below it only powers of two down to 2^-22 are left
OVERFLOW_FROM = 40960.0       # en_dtypes: infinite from here on; the operator saturates at 32768
# Half a step where it is coarsest, 1.25 -> 1 or 1.5, on top of rounding to half (2^-10 near 2^-15).
MAX_ERROR = 0.2 + 1.2 * 2.0 ** -10
# With reference and operator equal the worst of these sentences has 0.9886.
MIN_COSINE = 0.98
NPU_TOLERANCE = 1e-5          # float32 through six layers, unit vectors

SENTENCES = [
    ("A man is playing a guitar.", "Someone plays an instrument.", True),
    ("The stock market fell sharply today.", "Share prices dropped a lot this afternoon.", True),
    ("How do I reset my password?", "I forgot my login and need a new one.", True),
    ("The cat sleeps on the sofa.", "A kitten is napping on the couch.", True),
    ("A man is playing a guitar.", "The stock market fell sharply today.", False),
    ("How do I reset my password?", "The cat sleeps on the sofa.", False),
    ("Quantum computers use qubits.", "Add the eggs and stir until smooth.", False),
]


@dataclass
class Layer:
    """What the round trip did to the weights of one layer."""
    name: str
    elements: int = 0
    seconds: float = 0.0         # encode and decode on the NPU
    wrong_codes: int = 0         # differ from the reference
    wrong_values: int = 0
    tiny: int = 0                # not zero, below HiFloat8's smallest normal
    moved_by_half: int = 0       # another code than straight from float32
    max_error: float = 0.0       # relative, weights that are not tiny
    sum_error: float = 0.0

    def add(self, other):
        for field in ("elements", "seconds", "wrong_codes", "wrong_values", "tiny", "moved_by_half", "sum_error"):
            setattr(self, field, getattr(self, field) + getattr(other, field))
        self.max_error = max(self.max_error, other.max_error)

    def row(self):
        compared = max(1, self.elements - self.tiny)
        return (self.name, self.elements, 3 * self.elements / 1e6, 100 * self.max_error,
                100 * self.sum_error / compared, self.tiny, self.elements / max(self.seconds, 1e-9) / 1e6)


COLUMNS = [("layer", "{}"), ("elements", "{:,}"), ("MB saved", "{:.2f}"), ("max rel.err %", "{:.2f}"),
           ("mean rel.err %", "{:.2f}"), ("tiny", "{:,}"), ("Melem/s", "{:,.0f}")]


def layer_of(name):
    """encoder.layer.3.attention... -> encoder.layer.3; embeddings.LayerNorm.bias -> embeddings.LayerNorm"""
    parts = name.split(".")
    return ".".join(parts[:3] if parts[0] == "encoder" else parts[:2] if parts[0] == "embeddings" else parts[:1])


def reference_codes(x):
    """en_dtypes' codes of a float32 array, with finite overflow saturated as the operator documents."""
    with np.errstate(all="ignore"):
        codes = x.astype(en_dtypes.hifloat8).view(np.uint8).copy()
    codes[(np.abs(x) >= OVERFLOW_FROM) & np.isfinite(x)] -= 1  # 6F, EF -> 6E, EE
    return codes


def round_trip(name, weight, device, ops):
    """(weight after HiFloat8 as float32, what happened)"""
    half = weight.to(torch.float16)
    on_npu = half.to(device)
    torch.npu.synchronize()
    begin = time.perf_counter()
    codes = ops.encode_to_hifloat8(on_npu)
    values = ops.decode_from_hifloat8(codes, torch.float16)
    torch.npu.synchronize()
    layer = Layer(name, weight.numel(), time.perf_counter() - begin)

    codes, values = codes.cpu().numpy(), values.float().cpu()
    want = reference_codes(half.float().numpy())
    with np.errstate(all="ignore"):
        want_values = want.view(en_dtypes.hifloat8).astype(np.float32)
    size = weight.abs()
    is_tiny = (size < SMALLEST_NORMAL) & (size > 0)
    error = ((values - weight).abs() / size.clamp(min=SMALLEST_NORMAL)).masked_fill(is_tiny, 0.0)
    layer.wrong_codes = int((codes != want).sum())
    layer.wrong_values = int((values.numpy() != want_values).sum())
    layer.moved_by_half = int((codes != reference_codes(weight.numpy())).sum())
    layer.tiny = int(is_tiny.sum())
    layer.max_error, layer.sum_error = float(error.max()), float(error.double().sum())
    return values, layer


def through_hifloat8(weights, device):
    """(weights after HiFloat8, one Layer a layer, their total)"""
    from amct_ops import hifloat8_cast

    hifloat8_cast.decode_from_hifloat8(  # both kernels once, so that the table shows steady speed
        hifloat8_cast.encode_to_hifloat8(torch.ones(1 << 16, dtype=torch.float16, device=device)), torch.float16)
    after, layers, total = {}, {}, Layer("all")
    with Progress("HiFloat8 on " + str(device), sum(w.numel() for w in weights.values())) as progress:
        for name, weight in weights.items():
            after[name], layer = round_trip(layer_of(name), weight, device, hifloat8_cast)
            layers.setdefault(layer.name, Layer(layer.name)).add(layer)
            total.add(layer)
            progress.step(weight.numel(), name)
    return after, list(layers.values()), total


def embed_all(files, quantised, device):
    """Embeddings of every sentence: on the CPU, on the NPU, and on the NPU with HiFloat8 weights."""
    sentences = sorted({s for a, b, _ in SENTENCES for s in (a, b)})
    runs = [("CPU", torch.device("cpu"), None), ("NPU", device, None), ("HiFloat8", device, quantised)]
    found = {}
    with Progress("model", len(runs)) as progress:
        for name, where, weights in runs:
            found[name] = dict(zip(sentences, files.embed(sentences, where, weights)))
            progress.step(1, name)
    return found


def largest_difference(a, b):
    return max(float((a[s] - b[s]).abs().max()) for s in a)


def show_sentences(found):
    rows = []
    for a, b, similar in SENTENCES:
        before, after = (float(found[k][a] @ found[k][b]) for k in ("NPU", "HiFloat8"))
        rows.append((f"{a} / {b}", "similar" if similar else "not", before, after))
    print(table([("sentences", "{}"), ("expected", "{}"), ("original", "{:.3f}"), ("HiFloat8", "{:.3f}")], rows))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="npu:0", help="where operator and model run (npu:0)")
    args = parser.parse_args()
    begin = time.monotonic()
    if not torch.npu.is_available():
        sys.exit("demo: torch.npu.is_available() is False: no NPU, and no twin installed in this environment")
    torch.npu.set_device(args.device)
    device = torch.device(args.device)
    checks = Checks()
    files = minilm.Files()

    print(f"model   {files.path}")
    print(f"device  {torch.npu.get_device_name(device)}, torch {torch.__version__}, "
          f"torch_npu {torch_npu.__version__}\n")

    quantised, layers, total = through_hifloat8(files.weights, device)
    print(table(COLUMNS, [layer.row() for layer in [*layers, total]]))
    print(f"\nFrom 4 bytes a weight to 1. The operator takes half, so float32 is rounded to half first; that moved "
          f"{total.moved_by_half:,} of {total.elements:,} codes\nto a neighbour. Relative errors are against float32, "
          f"over weights of at least 2^-15; smaller ones are counted as tiny.\n")
    checks.claim(total.wrong_codes == 0, f"every one of {total.elements:,} codes equals en_dtypes' "
                                         f"(finite overflow saturated); {total.wrong_codes} differ")
    checks.claim(total.wrong_values == 0, f"every decoded value is exact; {total.wrong_values} differ")
    checks.claim(total.max_error <= MAX_ERROR,
                 f"no weight moved by more than {100 * MAX_ERROR:.2f} %, half a step where steps are coarsest; "
                 f"the worst by {100 * total.max_error:.2f} %")

    print()
    found = embed_all(files, quantised, device)
    rows = show_sentences(found)
    cosines = [float(found["NPU"][s] @ found["HiFloat8"][s]) for s in found["NPU"]]
    print(f"\nembeddings, original against HiFloat8: cosine {min(cosines):.4f} (worst) to {max(cosines):.4f}, "
          f"mean {sum(cosines) / len(cosines):.4f}\n")
    worst = largest_difference(found["CPU"], found["NPU"])
    checks.claim(worst <= NPU_TOLERANCE,
                 f"NPU and CPU embeddings agree within {NPU_TOLERANCE}; they differ by {worst:.1e}")
    checks.claim(min(cosines) >= MIN_COSINE,
                 f"with HiFloat8 weights every embedding keeps a cosine of at least {MIN_COSINE} to the original")
    for column, name in ((2, "original"), (3, "HiFloat8")):
        similar = min(r[column] for r in rows if r[1] == "similar")
        other = max(r[column] for r in rows if r[1] != "similar")
        checks.claim(similar > other, f"{name} weights: the least similar pair that should be ({similar:.3f}) is above "
                                      f"the most similar that should not ({other:.3f})")
    print(f"\n{time.monotonic() - begin:.1f} s")
    if checks.failed:
        print("demo: FAILED\n  " + "\n  ".join(checks.failed))
        return 1
    print("demo: OK")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What HiFloat8, HiFloat4 and the two fp8 formats leave of the weights of real models: a table and a plot.

    python number_formats.py [--plot FILE.svg] NAME=MODEL.safetensors ...

HiFloat8 and HiFloat4 are our operators on npu:0, fp8 is torch on the CPU. docs/number_formats.md has the results.
"""
import argparse
import math
import sys

import numpy as np
import torch
import torch_npu  # noqa: F401  gives torch its npu device

import safetensors_file

FP8_E4M3, FP8_E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
BITS = range(-24, 3)  # the plot's magnitudes, powers of two


def hifloat8(x):
    from amct_ops import hifloat8_cast

    codes = hifloat8_cast.encode_to_hifloat8(x.half().npu())
    return hifloat8_cast.decode_from_hifloat8(codes, torch.float16).float().cpu()


def hifloat4(x):
    """Blocks of 64 in memory order; what does not fill the last one is padded with zeros."""
    from amct_ops import hifloat4_cast

    blocks = torch.nn.functional.pad(x, (0, -len(x) % 64))
    return hifloat4_cast.hifloat4_fake_quant(blocks.npu()).cpu()[:len(x)]


def fp8(dtype):
    return lambda x: x.to(dtype).float()


def scaled(largest, cast):
    """One power of two a tensor brings its largest element up to that."""
    def run(x):
        exponent = math.floor(math.log2(largest / float(x.abs().max())))
        return torch.ldexp(cast(torch.ldexp(x, torch.tensor(exponent))), torch.tensor(-exponent))

    return run


# 15 is the largest that HiFloat8 holds with three bits of mantissa.
FORMATS = {
    "HiFloat8": ("8", hifloat8),
    "HiFloat8, scale a tensor": ("8", scaled(15, hifloat8)),
    "fp8 e4m3": ("8", fp8(FP8_E4M3)),
    "fp8 e4m3, scale a tensor": ("8", scaled(448, fp8(FP8_E4M3))),
    "fp8 e5m2": ("8", fp8(FP8_E5M2)),
    "fp8 e5m2, scale a tensor": ("8", scaled(57344, fp8(FP8_E5M2))),
    "HiFloat4": ("4.5", hifloat4),
}
DRAWN = {"HiFloat8": "#0072b2", "fp8 e4m3": "#d55e00", "fp8 e5m2": "#cc79a7", "HiFloat4": "#009e73"}


class Errors:
    """What a format did to the weights that are not zero."""

    def __init__(self):
        self.signal = self.noise = self.relative = self.lost = self.n = 0
        self.square_by_bit, self.n_by_bit = np.zeros(len(BITS)), np.zeros(len(BITS))

    def add(self, x, y):
        x, y = x.double().numpy(), y.double().numpy()
        x, y = x[x != 0], y[x != 0]
        share = np.abs(y - x) / np.abs(x)
        self.signal += float((x * x).sum())
        self.noise += float(((y - x) ** 2).sum())
        self.relative += float(share.sum())
        self.lost += int((y == 0).sum())
        self.n += len(x)
        bit = np.clip(np.floor(np.log2(np.abs(x))).astype(int) - BITS[0], 0, len(BITS) - 1)
        self.square_by_bit += np.bincount(bit, share * share, len(BITS))
        self.n_by_bit += np.bincount(bit, minlength=len(BITS))

    def row(self):
        return (f"{10 * math.log10(self.signal / self.noise):.1f}", f"{100 * self.relative / self.n:.2f}",
                f"{100 * self.lost / self.n:.2f}")


def measure(path):
    """{format: Errors} over the floating-point tensors of a file."""
    errors = {name: Errors() for name in FORMATS}
    for tensor in safetensors_file.read(path).values():
        if tensor.is_floating_point() and bool((tensor != 0).any()):
            flat = tensor.float().flatten()
            for name, (_, cast) in FORMATS.items():
                errors[name].add(flat, cast(flat))
    return errors


def markdown(models):
    lines = ["| model | format | bits | SNR, dB | mean rel. error, % | to zero, % |", "|---|---|--:|--:|--:|--:|"]
    for model, errors in models.items():
        for name, (bits, _) in FORMATS.items():
            lines.append(f"| {model} | {name} | {bits} | " + " | ".join(errors[name].row()) + " |")
    return "\n".join(lines)


def svg(models):
    """A panel a model: root mean square of the relative error by magnitude, over a histogram of the weights."""
    width, height, left, top = 360, 220, 54, 36
    whole = left + len(models) * (width + 30)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{height + 110}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="#fff"/>']

    def text(x, y, words, anchor="middle", colour="#333"):
        out.append(f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>')

    def y_of(share):  # 0.2 % at the bottom, 100 % on top
        return top + height * (1 - (math.log10(min(max(share, 0.002), 1.0)) + 2.7) / 2.7)

    for i, (model, errors) in enumerate(models.items()):
        x0 = left + i * (width + 30)
        step = width / len(BITS)
        counts = errors["HiFloat8"].n_by_bit
        text(x0 + width / 2, top - 10, model)
        for b, n in enumerate(counts):
            bar = 0.6 * height * n / counts.max()
            out.append(f'<rect x="{x0 + b * step:.1f}" y="{top + height - bar:.1f}" width="{step - 1:.1f}" height="{bar:.1f}" fill="#e3e3e3"/>')
        for share in (0.01, 0.1, 1.0):
            out.append(f'<path d="M{x0} {y_of(share):.1f}h{width}" stroke="#bbb" stroke-dasharray="2 3"/>')
            if i == 0:
                text(x0 - 6, y_of(share) + 4, f"{100 * share:g} %", "end")
        for b in range(0, len(BITS), 4):
            text(x0 + (b + 0.5) * step, top + height + 16, f"2^{BITS[b]}")
        for name, colour in DRAWN.items():
            e = errors[name]
            seen = [b for b in range(len(BITS)) if e.n_by_bit[b] >= 20]
            points = " ".join(f"{x0 + (b + 0.5) * step:.1f},{y_of(math.sqrt(e.square_by_bit[b] / e.n_by_bit[b])):.1f}" for b in seen)
            out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    for i, (name, colour) in enumerate(DRAWN.items()):
        out.append(f'<path d="M{left + i * 130} {top + height + 44}h24" stroke="{colour}" stroke-width="2"/>')
        text(left + i * 130 + 30, top + height + 48, name, "start")
    text(left, top + height + 66, "relative error (root mean square) of weights by magnitude; grey: how many there are", "start")
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE.svg")
    parser.add_argument("models", nargs="+", metavar="NAME=MODEL.safetensors")
    args = parser.parse_args()
    pairs = [m.partition("=") for m in args.models]
    if any(not path for _, _, path in pairs):
        parser.error("a model is NAME=MODEL.safetensors")
    torch.npu.set_device(0)
    models = {name: measure(path) for name, _, path in pairs}
    print(markdown(models))
    if args.plot:
        with open(args.plot, "w", encoding="utf-8") as f:
            f.write(svg(models))
    return 0


if __name__ == "__main__":
    sys.exit(main())

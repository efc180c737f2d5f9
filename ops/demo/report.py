# SPDX-License-Identifier: Apache-2.0
"""What the demo prints: tables on stdout, progress on stderr. A bar on a terminal, plain lines otherwise."""
import os
import shutil
import sys
import time


class Progress:
    """with Progress("encode", total) as p: ... p.step(n, "what")"""

    def __init__(self, title, total, stream=None):
        self.title, self.total, self.done = title, max(total, 1), 0
        self.stream = stream or sys.stderr
        self.bar = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = self.bar and "NO_COLOR" not in os.environ
        self.begin = self.drawn = time.monotonic()

    def __enter__(self):
        if self.bar:
            self._draw("")
        else:
            print(f"{self.title} ...", file=self.stream, flush=True)
        return self

    def step(self, n=1, what=""):
        self.done += n
        now = time.monotonic()
        if self.bar and (now - self.drawn > 0.05 or self.done >= self.total):
            self.drawn = now
            self._draw(what)

    def __exit__(self, kind, *_):
        seconds = time.monotonic() - self.begin
        if self.bar:
            self.stream.write("\r\033[K")
        if kind is None:
            print(f"{self.title}: {seconds:.1f} s", file=self.stream, flush=True)

    def _draw(self, what):
        columns = shutil.get_terminal_size().columns
        width = max(10, min(30, columns - len(self.title) - 12))
        full = min(width, width * self.done // self.total)
        on, off = ("\033[36m", "\033[0m") if self.colour else ("", "")
        line = f"{self.title} [{on}{'#' * full}{off}{'.' * (width - full)}] {100 * self.done // self.total:3d} %"
        room = columns - len(self.title) - width - 10
        self.stream.write(f"\r\033[K{line} {what[:max(0, room)]}")
        self.stream.flush()


def table(columns, rows):
    """columns: [(heading, format)], the first one to the left, the others to the right."""
    cells = [[f.format(v) for v, (_, f) in zip(row, columns)] for row in rows]
    heads = [h for h, _ in columns]
    widths = [max(len(r[i]) for r in [heads, *cells]) for i in range(len(columns))]

    def line(row):
        return "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip()

    return "\n".join([line(heads), "  ".join("-" * w for w in widths), *map(line, cells)])


class Checks:
    """Named claims; the demo is fine when all hold."""

    def __init__(self):
        self.failed = []

    def claim(self, holds, text):
        print(f"  {'ok  ' if holds else 'FAIL'}  {text}")
        if not holds:
            self.failed.append(text)

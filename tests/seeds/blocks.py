# SPDX-License-Identifier: Apache-2.0
"""Fenced blocks of Markdown files. The first word after the fence is the language, the second says where it runs."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=fence)$", re.M | re.S)


def blocks(path):
    """[(info, text)] of a file below the root."""
    return [(m["info"].strip(), m["text"]) for m in FENCE.finditer((ROOT / path).read_text())]


def headings(path):
    """The depth of every heading, in order; fenced text does not count."""
    return [len(m) for m in re.findall(r"^(#+) ", FENCE.sub("", (ROOT / path).read_text()), re.M)]


PLACEHOLDERS = {"{pkg}": "add_custom_ext", "{op_name}": "add_custom", "{op_name_hint}": "add_custom", "{kernel_name}": "add_custom",
                "<op>": "hifloat8_cast", "<fn>": "encode_to_hifloat8", "<new_op>": "triple_cast"}


def seed(name, **more):
    """The command block of docs/seeds.md with that number, its placeholders filled."""
    found = {info.split()[1]: text for info, text in blocks("docs/seeds.md") if len(info.split()) == 2}
    text = found[name]
    for placeholder, value in (PLACEHOLDERS | more).items():
        text = text.replace(placeholder, value)
    return text

# SPDX-License-Identifier: Apache-2.0
"""rows.py ROOT OUT - at build time: what `nputwin list` needs from tables that are not C.

    ACLNN("aclnnAdd", "aten::add.out", "full")  rows of rt/opapi/aclnn.tbl
    TESTS("aclnnAdd", "tests/opapi/test_x.py")  tests that name an entry of any interface table

Sorted by name, because list.c looks a name up by bisection.
"""

import re
import sys
from pathlib import Path

TABLES = [("front/api/*.def", r"^API\((\w+)"), ("rt/abi.def", r"^ABI\( *\w+ *, *(\w+)"), ("rt/opapi/aclnn.tbl", r"^(aclnn\w+) *\|"),
          ("rt/opapi/aclop.def", r'^ACLOP\("(\w+)"')]
TESTS = ["tests/unit/*.c", "tests/unit/*.cpp", "tests/unit/*.hpp", "tests/fuzz/*.c", "tests/cc/**/*", "tests/torch/**/*", "tests/opapi/**/*", "tests/acl/**/*",
         "ops/**/test*.py", "ops/**/op_kernel/*", "ops/**/csrc/**/*"]
# A test that walks a table runs each of its rows without naming one.
WALKS = [("rt/opapi/aclnn_types.tbl", r"^(aclnn\w+) *\|", "tests/opapi/test_levels.py"),
         ("rt/opapi/aclop.def", r'^ACLOP\("(\w+)"', "tests/opapi/test_aclop.py")]
STAMPED = ("asc_", "vconv_", "vcmp_", "vcmpv_", "vcmpvs_")  # names that a macro puts together
SUFFIXES = {".c", ".cpp", ".hpp", ".h", ".py", ".asc"}


def names_of_tables(root):
    return {name for pattern, row in TABLES for path in root.glob(pattern) for name in re.findall(row, path.read_text(), re.M)}


def word_of(name):
    """What a test writes: the name itself, or of a mangled C++ name the last identifier."""
    words, at = [name], 2
    while name.startswith("_Z") and (match := re.search(r"[1-9]\d*", name[at:])):
        begin = at + match.end()
        at = begin + int(match.group())
        words.append(name[begin:at])
        if name[at:at + 1] == "E":
            break
    return words[-1]


def words_of_test(root, path):
    """The words of a test, and of the tables of calls that it expands."""
    text = path.read_text(errors="replace")
    text += "".join((root / table).read_text() for table in re.findall(r'#include "(?:\.\./)*(front/c/\w+\.def)"', text))
    return set(re.findall(r"\w+", text))


def is_mentioned(name, words):
    """Of a call of the C API or a raw intrinsic the test may write the stem: name##_sync, name##_rn,
    asc_set_atomic_add_##suffix, vconv_##src##2##dst."""
    if word_of(name) in words:
        return True
    if not name.startswith(STAMPED):
        return False
    stem = re.sub(r"(_r(n|na|d|u|z))?(_sync)?$", "", name) if name.startswith("asc_") else name
    return stem in words or any(stem.startswith(word) for word in words if word.startswith(STAMPED) and word.endswith("_"))


def tests_by_name(root, names):
    found = {}
    for path in sorted({p for pattern in TESTS for p in root.glob(pattern) if p.suffix in SUFFIXES}):
        words = words_of_test(root, path)
        for name in names:
            if is_mentioned(name, words):
                found.setdefault(name, []).append(path.relative_to(root).as_posix())
    for table, row, test in WALKS:
        for name in re.findall(row, (root / table).read_text(), re.M):
            if name in names and test not in found.setdefault(name, []):
                found[name].append(test)
    return found


def aclnn_rows(root):
    for line in (root / "rt/opapi/aclnn.tbl").read_text().splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) >= 3 and fields[0].startswith("aclnn"):
            is_full = len(fields) > 3 and "full" in fields[3].split()
            yield fields[0], fields[2], "full" if is_full else "partial"


def main():
    root, out = Path(sys.argv[1]), Path(sys.argv[2])
    lines = [f'ACLNN("{name}", "{schema}", "{level}")' for name, schema, level in sorted(aclnn_rows(root))]
    tests = tests_by_name(root, names_of_tables(root))
    lines += [f'TESTS("{name}", "{" ".join(paths)}")' for name, paths in sorted(tests.items())]
    out.write_text("\n".join(lines) + "\n#undef ACLNN\n#undef TESTS\n")


if __name__ == "__main__":
    main()

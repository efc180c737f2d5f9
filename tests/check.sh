#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check.sh BUILD - what has to hold before a push; each step stops at its first finding, by name.
#
#   format   clang-format            tidy      clang-tidy, the checks in .clang-tidy
#   layers   include arrows          cppcheck  tests/lint/cppcheck.txt says what is not shown, and why
#   headers  each compiles alone     asan tsan the C unit tests under sanitizers
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
build=$(cd "$1" && pwd)
jobs=$(nproc)

step() { echo "check: $1"; }
fail() { echo "check: FAILED: $1" >&2; exit 1; }
quietly() { # quietly LOG COMMAND...: the output only when it fails
    local log=$1
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
}
our_c() { # the C files that the build compiles, generated ones left out
    python3 - "$build/compile_commands.json" "$PWD" <<'PY'
import json, os, sys
for row in json.load(open(sys.argv[1])):
    name = os.path.relpath(os.path.join(row["directory"], row["file"]), sys.argv[2])
    if name.endswith(".c") and not name.startswith(("build", "..", "bench", "/")):
        print(name)
PY
}

step "format"
sh tests/lint/format.sh || fail "format (make fmt mends it)"

step "include layers, headers alone, licences"
quietly "$build/check/lint.log" python -m pytest -q tests/lint || fail "tests/lint"

step "clang-tidy"
our_c | sort -u | xargs -P "$jobs" -n 4 clang-tidy -p "$build" --quiet 2>/dev/null || fail "clang-tidy"

step "cppcheck"
mkdir -p "$build/check/cppcheck" # what it knows of each file: a second run reads what changed
quietly "$build/check/cppcheck.log" cppcheck --project="$build/compile_commands.json" -j "$jobs" \
    --cppcheck-build-dir="$build/check/cppcheck" \
    --enable=warning,portability,performance --inline-suppr --suppressions-list=tests/lint/cppcheck.txt \
    --include=tests/lint/cppcheck.h '--file-filter=*.c' \
    --quiet --error-exitcode=1 || fail "cppcheck"

unit_tests() { # unit_tests PATTERN...: names of the programs in tests/unit
    (cd tests/unit && printf '%s\n' $* | sed 's/\..*//' | sort -u)
}

# sanitized NAME FLAGS TEST...: these unit tests, built with -fsanitize=FLAGS.
# -O1: the headers of the doors take minutes a program with more.
# A sanitizer keeps shadow memory at fixed addresses, so the run has address randomisation off.
sanitized() {
    local dir=$build/$1 flags=$2
    shift 2
    local tests
    tests="^($(IFS='|'; echo "$*"))\$"
    quietly "$dir/configure.log" cmake -S . -B "$dir" -G Ninja -DDEV=ON "-DNPU_SANITIZE=$flags" \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1" \
        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" "-DPython3_EXECUTABLE=$(command -v python)" || return 1
    quietly "$dir/build.log" cmake --build "$dir" -j "$jobs" --target "$@" || return 1
    # dlopen by bare name does not look beside the program here: the sanitizer stands between.
    LD_LIBRARY_PATH=$dir/lib quietly "$dir/ctest.log" setarch "$(uname -m)" -R ctest --test-dir "$dir" --output-on-failure \
        --no-tests=error --timeout 600 -R "$tests" || return 1
    grep -E 'tests passed' "$dir/ctest.log"
}
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
step "unit tests under address and undefined-behaviour sanitizers"
sanitized asan address,undefined $(unit_tests 't_*') || fail "address or undefined-behaviour sanitizer"
step "launch tests under the thread sanitizer"
sanitized tsan thread $(unit_tests 't_launch.*' 't_stream.*' 't_fiber.*' 't_rt_*') || fail "thread sanitizer"

echo "check: OK"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD SECONDS - every fuzz target under address and undefined-behaviour sanitizers, for SECONDS
# in all. An input that ends a target is left as BUILD/fz_NAME.crash.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
seconds=$2
[[ $seconds =~ ^[0-9]+$ ]] || { echo "fuzz: SECONDS=$seconds is not a number" >&2; exit 2; }

mkdir -p "$build"
quietly() {
    "$@" >"$build/fuzz.log" 2>&1 || { cat "$build/fuzz.log" >&2; exit 1; }
}
quietly cmake -S . -B "$build" -G Ninja -DDEV=ON -DNPU_SANITIZE=address,undefined \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DPython3_EXECUTABLE=$(command -v python)"
quietly cmake --build "$build" -j "$(nproc)" --target fuzz_targets

targets=("$build"/bin/fz_*)
each=$(((seconds + ${#targets[@]} - 1) / ${#targets[@]}))
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
for target in "${targets[@]}"; do
    name=${target##*/fz_}
    shopt -s nullglob
    saved=(tests/fuzz/corpus/"$name"/*)
    "$target" --seconds "$each" --out "$build" "${saved[@]}" || {
        echo "fuzz: FAILED: $name; replay: $target $build/fz_$name.crash" >&2
        exit 1
    }
done
echo "fuzz: OK"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh [--write] - clang-format over our C and C++: names the places, or rewrites the files.
set -eu
cd "$(dirname "$0")/../.."
mode="--dry-run -Werror"
[ "${1:-}" != --write ] || mode=-i
# shellcheck disable=SC2086 # options
git ls-files -co --exclude-standard '*.c' '*.h' '*.hpp' '*.cpp' | xargs clang-format --style=file $mode

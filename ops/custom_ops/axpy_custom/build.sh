#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build_out/custom_opp_<os>_<arch>.run, for the chips of CMakePresets.json.
set -eu
cd "$(dirname "$0")"
cmake -S . -B build_out --preset=default
cmake --build build_out --target binary package -j"$(nproc)"

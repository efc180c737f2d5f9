#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# vector_speed.sh BUILD - the page docs/vector_speed.md, measured on this machine.
set -eu
cat <<TEXT
# How fast the vector instructions run

Written by \`make vector_speed\`, on $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1) with $(nproc) threads.

One core, operands in UB: so this is the instruction alone, without copies. G/s: billions of elements a
second. Of limit: the bytes that the operands come to, as a share of what the machine streams between
its memory and all of its threads; an instruction at 100 % or more never holds a kernel of one core up.
Names are those of \`nputwin list insn\`, by cost class; half computes in float and rounds once.

TEXT
"$1/bin/bench_vector"

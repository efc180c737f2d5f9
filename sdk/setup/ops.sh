#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ops.sh VENV PREFIX OUT - builds the amct_ops wheel against PREFIX and installs it into VENV, as a user
# would: through its own ops_build.sh, which builds nothing twice.
set -eu
venv=$1
prefix=$(cd "$2" && pwd)
mkdir -p "$3"
out=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)

log=$out/ops_build.log
ASCEND_HOME_PATH=$prefix PYTHON=$venv/bin/python AMCT_OPS_OUT=$out \
    bash "$here/ops/amct_ops/ops_build.sh" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
wheel=$(ls "$out"/dist/amct_ops-*.whl)
stamp=$venv/.nputwin/amct_ops
want=$(cksum "$wheel")
[ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || exit 0
"$venv/bin/python" -m pip --disable-pip-version-check -qq install --no-deps --force-reinstall "$wheel"
echo "$want" >"$stamp"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh VENV PREFIX - installs nputwin into VENV from a finished prefix, if it is not the same.
#
# The wheel is packed from PREFIX, so nothing is compiled twice and what is tested is what is shipped.
set -eu
venv=$1
prefix=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
cd "$here"

stamp=$venv/.nputwin/installed
want=$( (cat pyproject.toml sdk/hook/nputwin.pth sdk/hook/nputwin/*.py
         cd "$prefix" && find . -type f | sort | xargs cksum) | cksum)
if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ] && [ -x "$venv/bin/nputwin" ]; then
    exit 0
fi
"$venv/bin/python" -m pip --disable-pip-version-check -qq install --no-deps --no-build-isolation \
    --force-reinstall "--config-settings=cmake.define.NPU_PREBUILT=$prefix" .
echo "$want" >"$stamp"

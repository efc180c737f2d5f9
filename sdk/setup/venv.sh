#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# venv.sh VENV - makes VENV with the pinned requirements, or adds to a given one what it lacks.
#
# torch goes first and alone: with a torch present, nothing that comes later pulls another one in.
# An environment that somebody else made is never changed but for packages it does not have.
set -eu
venv=$1
here=$(cd "$(dirname "$0")/../.." && pwd)
cd "$here"

if [ ! -x "$venv/bin/python" ]; then
    echo "set-up: will create $venv with: $(grep -hv '^#' requirements.txt requirements-dev.txt requirements-demo.txt | tr '\n' ' ')"
    python3 -m venv "$venv"
    mkdir -p "$venv/.nputwin"
    touch "$venv/.nputwin/ours"
fi
python=$venv/bin/python
mkdir -p "$venv/.nputwin"
stamp=$venv/.nputwin/requirements
want=$(cat requirements*.txt | cksum)
[ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || exit 0

pip() {
    "$python" -m pip --disable-pip-version-check -qq "$@"
}
# The lines of the given files whose package the environment does not have, in any version.
lacking() {
    "$python" - "$@" <<'PY'
import importlib.metadata
import sys

for path in sys.argv[1:]:
    for line in open(path):
        name = line.split("==")[0].strip()
        if name and not name.startswith("#"):
            try:
                importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                print(line.strip())
PY
}

if [ -e "$venv/.nputwin/ours" ]; then
    echo "set-up: more than 1 GB is laid down, which takes minutes; then the build, which is as quiet"
    pip install torch==2.13.0
    pip install -r requirements.txt -r requirements-dev.txt
    pip install --no-deps -r requirements-demo.txt
else
    for package in torch torch_npu; do
        "$python" -c "import importlib.metadata as m; m.version('$package')" 2>/dev/null || {
            echo "set-up: $venv has no $package; install it there: $python -m pip install $package==2.13.0" >&2
            exit 1
        }
    done
    missing=$(lacking requirements.txt requirements-dev.txt)
    demo=$(lacking requirements-demo.txt)
    [ -z "$missing$demo" ] || echo "set-up: will install into $venv:" $missing $demo
    # shellcheck disable=SC2086 # lists of words
    [ -z "$missing" ] || pip install $missing
    # shellcheck disable=SC2086
    [ -z "$demo" ] || pip install --no-deps $demo
fi
echo "$want" >"$stamp"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# system.sh - installs the Debian packages that are missing; says which before it does.
# ccache comes along with others or for root, and may fail: without it the tests compile more.
set -eu

packages="g++ make git ca-certificates libboost-context-dev libcjson-dev libcmocka-dev python3 python3-venv"
# An interpreter built from source brings its own headers.
has_python_header() {
    python3 -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}
has_python_header || packages="$packages python3-dev"

if ! command -v dpkg-query >/dev/null; then
    echo "set-up: this is not a Debian-like system; install what these packages hold by hand:" >&2
    echo "set-up:   $packages" >&2
    exit 0
fi
is_missing() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" != installed ]
}
missing=
for package in $packages; do
    if is_missing "$package"; then missing="$missing $package"; fi
done
optional=
if is_missing ccache && { [ -n "$missing" ] || [ "$(id -u)" = 0 ]; }; then optional=" ccache"; fi
[ -n "$missing$optional" ] || exit 0

echo "set-up: will install these system packages with apt-get:$missing$optional"
as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
        echo "set-up: not root and no sudo; run as root: apt-get install -y$missing$optional" >&2
        exit 1
    }
    as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
install() {
    # shellcheck disable=SC2086 # a list of words
    $as_root apt-get install -y -q --no-install-recommends $1
}
$as_root apt-get update -q || [ -z "$missing" ]
[ -z "$missing" ] || install "$missing"
[ -z "$optional" ] || install "$optional" || echo "set-up: going on without$optional" >&2

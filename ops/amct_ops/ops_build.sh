#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the operators of this folder and packs them into one wheel:
#   <op>/CMakeLists.txt -> build/<arch>/<op>/*.so -> staging/amct_ops/<op>/ -> dist/amct_ops-*.whl
#
#   bash ops_build.sh [--soc ascend910b|ascend910_93|ascend950] [<op>...]
#
#   --soc           NPU_ARCH     chips                        (keep in step with <op>/CMakeLists.txt)
#   ascend910b      dav-2201     A2: 910B1..B4    (default)
#   ascend910_93    dav-2201     A3: 910_93xx
#   ascend950       dav-3510     A5: 950PR, 950DT
#
# Without <op> all operators are built. The wheel holds what this run built, and imports with it.
# An operator whose sources, tools and target did not change since its last build is not built again.
#
# Environment: ASCEND_HOME_PATH   the CANN installation; its set_env.sh is sourced
#              PYTHON             interpreter with torch, torch_npu, pip, setuptools, wheel (python3)
#              AMCT_OPS_OUT       where build/, staging/ and dist/ go (this folder)
#              JOBS               parallel compiles an operator (all CPUs)
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
OUT=${AMCT_OPS_OUT:-$HERE}
PYTHON=${PYTHON:-python3}
SOC=ascend910b
OPS=()

say() { echo "ops_build: $*" >&2; }
die() { say "$*"; exit 1; }
usage() { sed -n '3,21s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

known_ops() {
    local f
    for f in "$HERE"/*/CMakeLists.txt; do basename "$(dirname "$f")"; done
}

parse_arguments() {
    while [ $# -gt 0 ]; do
        case $1 in
        --soc) [ $# -ge 2 ] || die "--soc needs a value: ascend910b, ascend910_93 or ascend950"
            SOC=$2; shift ;;
        --soc=*) SOC=${1#--soc=} ;;
        -h|--help) usage; exit 0 ;;
        -*) say "unknown option $1"; usage >&2; exit 2 ;;
        *) OPS+=("$1") ;;
        esac
        shift
    done
    case $SOC in
    ascend910b|ascend910_93) NPU_ARCH=dav-2201 ;;
    ascend950) NPU_ARCH=dav-3510 ;;
    *) say "unknown --soc '$SOC'; allowed: ascend910b, ascend910_93, ascend950"; exit 2 ;;
    esac
    local all op
    mapfile -t all < <(known_ops)
    [ ${#OPS[@]} -gt 0 ] || OPS=("${all[@]}")
    for op in "${OPS[@]}"; do
        [ -f "$HERE/$op/CMakeLists.txt" ] || { say "no operator '$op' here; there is: ${all[*]}"; exit 2; }
    done
}

check_environment() {
    [ -n "${ASCEND_HOME_PATH:-}" ] || die "ASCEND_HOME_PATH is not set: source set_env.sh of your CANN installation"
    [ -f "$ASCEND_HOME_PATH/set_env.sh" ] || die "$ASCEND_HOME_PATH/set_env.sh is not there: ASCEND_HOME_PATH must name a CANN installation"
    set +u
    # shellcheck disable=SC1091
    source "$ASCEND_HOME_PATH/set_env.sh"
    set -u
    command -v cmake >/dev/null || die "cmake is missing: pip install cmake, or apt-get install cmake"
    command -v "$PYTHON" >/dev/null || die "$PYTHON is missing: activate a virtual environment with torch and torch_npu"
    # What decides the binary beside our own sources. Fails here, with the reason, rather than in cmake.
    TOOLS=$("$PYTHON" - <<'PY'
import importlib.util, sys
missing = [m for m in ("torch", "torch_npu", "setuptools", "wheel", "pip")
           if importlib.util.find_spec(m) is None]
if missing:
    sys.exit(f"ops_build: {sys.executable} lacks {', '.join(missing)}: pip install {' '.join(missing)}")
from importlib.metadata import version
print(sys.executable, sys.version, "torch", version("torch"), "torch_npu", version("torch_npu"))
PY
    ) || exit 1
    MACHINE_DIR=$(uname -m)-linux
}

# The same line for the same binary: sources, interpreter, torch, compiler, headers and target.
fingerprint() {
    local op=$1
    {
        echo "$NPU_ARCH $MACHINE_DIR $ASCEND_HOME_PATH $HERE $TOOLS ${CXXFLAGS:-} ${ASCFLAGS:-}"
        (cd "$HERE/$op" && find . -type f ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum)
        cat "${BASH_SOURCE[0]}"
        c++ --version 2>/dev/null || true
        sha256sum 2>/dev/null <"$(command -v bisheng)" || true
        # headers of the installation: size and time are enough, reading them all is not free
        find -L "$ASCEND_HOME_PATH/$MACHINE_DIR/include" "$ASCEND_HOME_PATH/$MACHINE_DIR/asc" \
            -type f -name '*.h*' -printf '%P %s %T@\n' 2>/dev/null | sort
    } | sha256sum | cut -d' ' -f1
}

build_op() {
    local op=$1 dir=$OUT/build/$NPU_ARCH/$1 stamp log now
    stamp=$dir/.fingerprint
    log=$OUT/build/$NPU_ARCH/$op.log
    now=$(fingerprint "$op")
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$now" ] && ls "$dir"/*.so >/dev/null 2>&1; then
        say "$op for $NPU_ARCH: unchanged"
        return
    fi
    say "$op for $NPU_ARCH: building (log: $log)"
    rm -rf "$dir"
    mkdir -p "$dir"
    if ! { cmake -S "$HERE/$op" -B "$dir" -DCMAKE_BUILD_TYPE=Release -DNPU_ARCH="$NPU_ARCH" \
        -DASCEND_ARCH_DIR="$MACHINE_DIR" -DPython3_EXECUTABLE="$(command -v "$PYTHON")" &&
        cmake --build "$dir" -j"${JOBS:-$(nproc)}"; } >"$log" 2>&1; then
        grep -nE -A3 '([Ee]rror|FATAL)' "$log" | head -40 >&2 || true
        die "$op did not build; the whole log is $log"
    fi
    echo "$now" >"$stamp"
}

# staging/amct_ops holds exactly the operators of this run.
stage() {
    local op
    rm -rf "$OUT/staging"
    mkdir -p "$OUT/staging/amct_ops"
    cp "$HERE/ops_init.py" "$OUT/staging/amct_ops/__init__.py"
    for op in "${OPS[@]}"; do
        cp -r "$HERE/$op/python/$op" "$OUT/staging/amct_ops/$op"
        cp "$OUT/build/$NPU_ARCH/$op"/*.so "$OUT/staging/amct_ops/$op/"
        find "$OUT/staging/amct_ops/$op" -name __pycache__ -prune -exec rm -rf {} +
    done
}

pack() {
    local stamp=$OUT/build/.wheel now
    mkdir -p "$OUT/dist"
    now=$({ cat "$HERE/setup.py"; echo "$TOOLS"; cd "$OUT/staging" && find . -type f -print0 | sort -z |
        xargs -0 sha256sum; } | sha256sum | cut -d' ' -f1)
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$now" ] && ls "$OUT"/dist/amct_ops-*.whl >/dev/null 2>&1; then
        say "wheel: unchanged"
    else
        rm -f "$OUT"/dist/amct_ops-*.whl
        rm -rf "$OUT/build/setup"
        AMCT_OPS_OUT=$OUT "$PYTHON" -m pip wheel "$HERE" -w "$OUT/dist" --no-deps --no-build-isolation -q \
            --disable-pip-version-check || die "the wheel could not be packed"
        rm -rf "$HERE"/amct_ops.egg-info
        echo "$now" >"$stamp"
    fi
    ls "$OUT"/dist/amct_ops-*.whl
}

parse_arguments "$@"
check_environment
for op in "${OPS[@]}"; do build_op "$op"; done
stage
pack

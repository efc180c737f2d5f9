#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pack.sh <stage> <vendor> <output.run> - a package that installs itself: a script, then a tar.
set -eu
stage=$1 vendor=$2 output=$3

mkdir -p "$stage/bin" "$stage/scripts" "$(dirname "$output")"
cat >"$stage/bin/set_env.bash" <<'END'
# source this file: operators of this package come first
_npu_op=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ":${ASCEND_CUSTOM_OPP_PATH:-}:" in
*":$_npu_op:"*) ;;
*) export ASCEND_CUSTOM_OPP_PATH="$_npu_op${ASCEND_CUSTOM_OPP_PATH:+:$ASCEND_CUSTOM_OPP_PATH}" ;;
esac
unset _npu_op
END
cat >"$stage/scripts/uninstall.sh" <<'END'
#!/bin/sh
# Takes this package out of vendors/ and out of config.ini.
set -eu
home=$(cd "$(dirname "$0")/.." && pwd)
vendor=$(basename "$home") config=$(dirname "$home")/config.ini
if [ -f "$config" ]; then
    list=$(sed -n 's/^load_priority=//p' "$config" | tr ',' '\n' | grep -vx "$vendor" | paste -sd, - || true)
    printf 'load_priority=%s\n' "$list" >"$config"
fi
rm -rf "$home"
echo SUCCESS
END
chmod +x "$stage/scripts/uninstall.sh"

cat >"$output.new" <<END
#!/bin/sh
# Operator package $vendor: --install-path=DIR installs into DIR/vendors/$vendor, otherwise
# into \$ASCEND_OPP_PATH/vendors/$vendor.
vendor=$vendor
END
cat >>"$output.new" <<'END'
set -eu
fail() {
    echo "$(basename "$0"): $1" >&2
    exit 1
}
path=
for word; do
    case $word in
    --install-path=/*) path=${word#*=} ;;
    --install-path=*) fail "$word: an absolute path is needed" ;;
    --quiet | --force) ;; # nothing is asked, and machine and glibc are those of the build
    --help | -h)
        echo "usage: $(basename "$0") [--install-path=DIR] [--quiet] [--force]"
        exit 0
        ;;
    *) fail "$word is not known; it takes --install-path=DIR, --quiet and --force" ;;
    esac
done
if [ -z "$path" ]; then
    [ -n "${ASCEND_OPP_PATH:-}" ] || fail "ASCEND_OPP_PATH is not set: source set_env.sh, or pass --install-path=DIR"
    path=$ASCEND_OPP_PATH
    into_config=1
fi
home=$path/vendors/$vendor
mkdir -p "$home" || fail "$home cannot be made"
rm -rf "$home/op_api"
sed '1,/^#----- tar -----$/d' "$0" | tar xzf - -C "$home"
if [ -n "${into_config:-}" ]; then
    config=$path/vendors/config.ini
    others=$(sed -n 's/^load_priority=//p' "$config" 2>/dev/null | head -1 | tr ',' '\n' | grep -vx "$vendor" | paste -sd, - || true)
    printf 'load_priority=%s%s\n' "$vendor" "${others:+,$others}" >"$config"
else
    echo "to use it: source $home/bin/set_env.bash"
fi
echo SUCCESS
exit 0
#----- tar -----
END
tar czf - -C "$stage" . >>"$output.new"
chmod +x "$output.new"
mv "$output.new" "$output"

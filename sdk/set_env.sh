# SPDX-License-Identifier: Apache-2.0
# source this file (bash, zsh, dash from its own directory): the twin becomes this shell's CANN.
# Prints nothing; sourcing it twice changes nothing.
if [ -n "${BASH_SOURCE:-}" ]; then
    _nputwin_home=$(cd "$(dirname "${BASH_SOURCE}")" && pwd)
elif [ -n "${ZSH_VERSION:-}" ]; then
    _nputwin_home=$(cd "$(dirname "${(%):-%x}")" && pwd)
else
    _nputwin_home=${NPUTWIN_HOME:-$PWD}
fi

# prepend VARIABLE DIRECTORY, unless it is already there
_nputwin_prepend() {
    eval "_nputwin_old=\${$1:-}"
    case ":$_nputwin_old:" in
    *":$2:"*) ;;
    *) export "$1=$2${_nputwin_old:+:$_nputwin_old}" ;;
    esac
}

if [ ! -f "$_nputwin_home/nputwin.json" ]; then
    echo "set_env.sh: $_nputwin_home is not an nputwin prefix (set NPUTWIN_HOME)" >&2
else
    export NPUTWIN_HOME="$_nputwin_home"
    export ASCEND_HOME_PATH="$_nputwin_home"
    export ASCEND_TOOLKIT_HOME="$_nputwin_home"
    export ASCEND_OPP_PATH="$_nputwin_home/opp"
    export ASCEND_AICPU_PATH="$_nputwin_home"
    export TOOLCHAIN_HOME="$_nputwin_home/tools"
    _nputwin_prepend PATH "$_nputwin_home/bin"
    _nputwin_prepend LD_LIBRARY_PATH "$_nputwin_home/lib64"
    _nputwin_prepend CMAKE_PREFIX_PATH "$_nputwin_home/lib64/cmake"
fi
unset _nputwin_home _nputwin_old
unset -f _nputwin_prepend

# SPDX-License-Identifier: Apache-2.0
# Sourced by packaging/run and packaging/test: where we are, what is printed, how a step is run and timed.

start_folder="$PWD"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)"
cd "$root" || exit 2
# A bare login shell, a service or a container may have no home; caches need one.
export HOME="${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}"
HOME="${HOME:-/tmp}"
cores="$(nproc 2>/dev/null || echo 2)"
quiet="${quiet:-0}"
logs="$root/build/logs"
mkdir -p "$logs"

say() { printf '%s\n' "$*"; }
note() { printf '%s\n' "$*" >&2; }
step() { printf '== [%4d s] %s\n' "$SECONDS" "$*"; }
die() {
    note "error: $1"
    exit "${2:-1}"
}

# run_step NAME COMMAND...: runs it, keeps its output in build/logs/NAME.log, shows it as it comes
# (--quiet: only the end of it, and only when it fails). Returns the command's exit status.
run_step() {
    local log="$logs/$1.log" status
    shift
    if [ "$quiet" = 1 ]; then
        "$@" >"$log" 2>&1 </dev/null
        status=$?
        [ "$status" -eq 0 ] || tail -n 60 "$log"
    else
        "$@" 2>&1 </dev/null | tee "$log"
        status=${PIPESTATUS[0]}
    fi
    return "$status"
}

# retry TIMES COMMAND...: for what a network does; waits 5, 20, 60 s between tries.
retry() {
    local times="$1" try=1 wait=5
    shift
    while ! "$@"; do
        [ "$try" -lt "$times" ] || return 1
        note "try $try of $times failed: $* (again in $wait s)"
        sleep "$wait"
        try=$((try + 1))
        wait=$((wait < 20 ? 20 : 60))
    done
}

# Objects compiled in one checkout serve every other one: paths are hashed relative to the source folder.
use_ccache() {
    export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1
    export CCACHE_SLOPPINESS="pch_defines,time_macros,include_file_mtime,include_file_ctime"
    # A cache folder that can't be written would fail each compile, not only slow it down.
    if command -v ccache >/dev/null && ! ccache -s >/dev/null 2>&1; then
        export CCACHE_DISABLE=1
    fi
}

# configure_and_build PRESET [CMAKE OPTION...]; a build folder that CMake can't reuse is made again once.
configure_and_build() {
    local preset="$1"
    shift
    configure "$preset" "$@" || { rm -rf "${root:?}/build/$preset" && configure "$preset" "$@"; } || return 1
    run_step "build-$preset" cmake --build --preset "$preset" -j "$cores"
}

configure() {
    local preset="$1"
    shift
    run_step "configure-$preset" cmake --preset "$preset" "$@"
}

# SPDX-License-Identifier: Apache-2.0
# What `packaging/test --all` adds. Each check has a time limit of its own and all share what is left of the run's;
# one that runs out of time fails. One whose tools are missing is printed as not run, except in continuous integration
# (CI=true), which installs them: there it fails.

time_limit=5100
checks=()
runner="" # what programs built with a sanitizer are started with; see try_sanitizer

report() {
    checks+=("$(printf '%-22s %s' "$1:" "$2")")
    step "$1: $2"
}

# fail_check CHECK [WHY]
fail_check() {
    report "$1" "failed${2:+: $2}"
    failed=$((failed + 1))
    failures+=("$1${2:+: $2}")
}

# cannot_run CHECK WHY: when a tool is missing or does not work here.
cannot_run() {
    if [ "${CI:-}" = true ]; then
        fail_check "$1" "$2"
    else
        report "$1" "not run: $2"
    fi
}

# bounded LIMIT LOG COMMAND...: the command's status, or 124 when time was up.
bounded() {
    local limit="$1" log="$2" left=$((time_limit - SECONDS)) began=$SECONDS status
    shift 2
    [ "$limit" -le "$left" ] || limit="$left"
    [ "$limit" -gt 15 ] || return 124
    run_step "$log" timeout --kill-after=15 "$limit" "$@"
    status=$?
    [ $((SECONDS - began)) -lt "$limit" ] || status=124
    return "$status"
}

# judge CHECK STATUS: prints the outcome of a check whose last command ended with STATUS; true when it passed.
judge() {
    case "$2" in
    0) return 0 ;;
    124) fail_check "$1" "out of time" ;;
    *) fail_check "$1" ;;
    esac
    return 1
}

# build_check CHECK PRESET LIMIT [TARGET...]: configures and builds a preset, or targets of it, within its limit.
# $preset_options: options of CMake that go beyond the preset.
preset_options=()
build_check() {
    local began=$SECONDS limit="$3"
    bounded "$limit" "configure-$2" cmake --preset "$2" "${preset_options[@]}" || {
        judge "$1" $?
        return 1
    }
    local check="$1" preset="$2"
    shift 3
    bounded $((limit - SECONDS + began)) "build-$preset" cmake --build --preset "$preset" -j "$cores" ${1:+--target "$@"}
    judge "$check" $?
}

check_format() {
    command -v clang-format >/dev/null || {
        cannot_run format "clang-format is not installed"
        return
    }
    local list="$logs/format-files.txt"
    tracked_files | grep -E '\.(cpp|h)$' >"$list"
    bounded 300 format xargs -a "$list" -r -d '\n' -n 20 -P "$cores" clang-format --dry-run -Werror --style=file
    judge format $? && report format "passed ($(wc -l <"$list") files)"
}

# A checkout that belongs to someone else is still read; without git every file counts.
tracked_files() {
    git -c safe.directory='*' ls-files 2>/dev/null | while read -r file; do
        [ -f "$file" ] && printf '%s\n' "$file"
    done | grep . || find app core ui resources tests packaging -type f
}

check_core_only() {
    build_check "core-only" core-only 900 && report core-only "passed (core and command line build without Qt)"
}

# A precompiled header hides an include that is missing.
check_plain() {
    build_check plain plain 1200 && report plain "passed (everything builds without precompiled headers)"
}

# Qt's own assertions are in debug builds only.
check_debug() {
    build_check dev dev 1200 && run_sanitized_tests dev 1500 -E '^(pytest|plan_goldens)$'
}

# try_sanitizer NAME COMPILER FLAGS: compiles and starts a small program; sets $runner to what such programs need to run at all.
# Newer kernels place mappings where the sanitizers of GCC 12 and clang 14 don't expect them; setarch -R turns that off.
try_sanitizer() {
    local program="$logs/try-$1"
    runner=""
    printf 'int main(int argc, char** argv) { delete new int{argc + (argv == nullptr)}; return 0; }\n' >"$program.cpp"
    "$2" $3 -std=c++20 "$program.cpp" -o "$program" >"$program.log" 2>&1 || return 1
    "$program" >>"$program.log" 2>&1 </dev/null && return 0
    runner="setarch -R"
    $runner "$program" >>"$program.log" 2>&1 </dev/null
}

# LeakSanitizer stops its process with ptrace, which some containers forbid: it then fails on any program.
choose_leak_check() {
    leaks=1
    ASAN_OPTIONS=detect_leaks=1 $runner "$logs/try-$1" >/dev/null 2>&1 </dev/null || leaks=0
    [ "$leaks" = 1 ] || note "LeakSanitizer can't work here (ptrace is forbidden): leaks are not looked for"
    export ASAN_OPTIONS="detect_leaks=$leaks:abort_on_error=0:allocator_may_return_null=1"
    export UBSAN_OPTIONS="print_stacktrace=1"
}

# A test that is wrong or too slow while both cores are busy is run once more by itself, and must pass then: a quarter of
# the time is left for that.
run_sanitized_tests() {
    local check="$1" limit="$2" log="ctest-$1" began=$SECONDS status bad
    # shellcheck disable=SC2206 # no or two words
    local tests=($runner ctest --test-dir "build/$check" --output-on-failure --no-tests=error)
    shift 2
    # How long a function of a test may take: CTest has a limit for its whole program.
    export QTEST_FUNCTION_TIMEOUT=3600000
    rm -f "$logs/$log.log" "$logs/$log-again.log"
    bounded $((limit * 3 / 4)) "$log" "${tests[@]}" -j "$cores" "$@"
    status=$?
    bad="$(tests_that 'Failed|Exception|Timeout' "$log")"
    if [ "$status" != 0 ] && [ "$status" != 124 ] && [ -n "$bad" ] && [ -z "$(tests_that 'Not Run' "$log")" ]; then
        bounded $((limit - SECONDS + began)) "$log-again" "${tests[@]}" -j 1 -R "^(${bad//$'\n'/|})\$"
        status=$?
        log="$log-again"
    fi
    if [ "$status" = 0 ]; then
        report "$check" "passed ($(tests_that '' "ctest-$check" | wc -l) programs)"
        return
    fi
    if [ "$status" = 124 ]; then
        # Stopping ctest stops its tests, too: what crashed then is no failure.
        bad="$(tests_that 'Failed|Timeout' "ctest-$check")"
        bad="out of time${bad:+, wrong before: $bad}"
    else
        bad="$(tests_that 'Failed|Exception|Timeout|Not Run' "$log")"
    fi
    fail_check "$check" "${bad//$'\n'/, }"
}

# tests_that RESULT LOG: names of the tests of such a result in a log of ctest.
tests_that() {
    grep -sE '[0-9]+/[0-9]+ Test +#' "$logs/$2.log" | grep -E "${1:+\*\*\*($1)}" |
        sed -E 's/.*Test +#[0-9]+: ([^ ]+) .*/\1/'
}

# The programs of each module and those with threads; with --exhaustive all others, too, which run for half an hour.
# Without it auto_threads_test is left to ThreadSanitizer: it takes a tenth of the time and runs planners that have tests
# of their own.
check_asan() {
    try_sanitizer asan g++ "-fsanitize=address,undefined" || {
        cannot_run asan "a program built with AddressSanitizer does not start here"
        return
    }
    choose_leak_check asan
    if [ "$exhaustive" = 1 ]; then
        local preset_options=(-DPLIMSOLL_SANITIZE_WITHOUT=)
        build_check asan asan 2400 && run_sanitized_tests asan 3600
    else
        build_check asan asan 900 unit_tests threads_tests && run_sanitized_tests asan 1800 -L 'unit|threads' -E '^auto_threads_test$'
    fi
}

# Only tests that start threads tell anything under ThreadSanitizer; they carry the label `threads`, and only they are
# built.
check_tsan() {
    try_sanitizer tsan g++ "-fsanitize=thread" || {
        cannot_run tsan "a program built with ThreadSanitizer does not start here"
        return
    }
    if ! ctest --test-dir build/release -N -L threads 2>/dev/null | grep -q 'Total Tests: [1-9]'; then
        fail_check tsan "no test carries the label threads"
        return
    fi
    build_check tsan tsan 600 threads_tests || return
    # Qt's own code is not instrumented: what it does with its threads is not ours to judge.
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1"
    run_sanitized_tests tsan 1200 -L threads
}

# fuzzed TARGET: runs it for 20 s and prints how that ended.
fuzzed() {
    local name work seeds=""
    name="$(basename "$1")"
    work="$logs/$name-corpus"
    rm -rf "$work"
    mkdir -p "$work"
    [ -d "tests/fuzz/corpus/$name" ] && seeds="tests/fuzz/corpus/$name"
    # shellcheck disable=SC2086 # no or several words
    timeout --kill-after=15 90 $runner "$1" -max_total_time=20 -timeout=20 -rss_limit_mb=4096 -close_fd_mask=1 \
        -artifact_prefix="$logs/$name-" "$work" $seeds >"$logs/$name.log" 2>&1 </dev/null
    echo "status $? $name"
}

check_fuzz() {
    command -v clang++ >/dev/null && try_sanitizer fuzz clang++ "-fsanitize=address" || {
        cannot_run fuzz "clang's AddressSanitizer is not installed or does not start here"
        return
    }
    choose_leak_check fuzz
    build_check fuzz fuzz 600 fuzz_targets || return
    local status name list="$logs/fuzz-targets.txt"
    find build/fuzz/bin -type f -perm -u+x -name 'fuzz_*' | sort >"$list"
    [ -s "$list" ] || {
        fail_check fuzz "no target was built"
        return
    }
    export logs runner
    export -f fuzzed
    bounded 400 fuzz xargs -a "$list" -r -d '\n' -n 1 -P "$cores" bash -c 'fuzzed "$0"'
    judge fuzz $? || return
    while read -r _ status name; do
        judge "fuzz $name" "$status" || tail -n 30 "$logs/$name.log"
    done < <(grep '^status ' "$logs/fuzz.log")
    report fuzz "$(grep -c '^status 0 ' "$logs/fuzz.log") of $(wc -l <"$list") targets ran up to 20 s each without a finding"
}

# tidied FILE: prints how clang-tidy ended (124: out of time).
tidied() {
    timeout --kill-after=5 120 clang-tidy -p build/tidy --quiet "$1" >>"$logs/tidy-remarks.log" 2>/dev/null </dev/null
    echo "status $?"
}

# The six files changed last, each by itself; remarks are reported, because new ones must not stop a release build.
check_tidy() {
    command -v clang-tidy >/dev/null || {
        cannot_run tidy "clang-tidy is not installed"
        return
    }
    local list="$logs/tidy-files.txt" commands=build/tidy/compile_commands.json clean dirty
    # clang can't read the headers that GCC has precompiled, and each source has to stand by itself. What the build generates
    # lies in the folder of the release.
    bounded 120 configure-tidy cmake --preset release -B build/tidy -DPLIMSOLL_BUILD_TESTS=ON \
        -DPLIMSOLL_PCH=OFF -DPLIMSOLL_UNITY=OFF
    judge tidy $? || return
    sed -i 's#/build/tidy\b#/build/release#g' "$commands"
    git -c safe.directory='*' log -n 20 --name-only --format= -- '*.cpp' 2>/dev/null | awk '!seen[$0]++' |
        while read -r file; do
            [ -f "$file" ] && grep -q "/$file\"" "$commands" 2>/dev/null && echo "$file"
        done | head -n 6 >"$list"
    rm -f "$logs/tidy-remarks.log"
    export logs
    export -f tidied
    bounded 400 tidy xargs -a "$list" -r -d '\n' -n 1 -P "$cores" bash -c 'tidied "$0"'
    judge tidy $? || return
    clean="$(grep -cx 'status 0' "$logs/tidy.log")"
    dirty=$(($(wc -l <"$list") - clean))
    if grep -qxE 'status (124|137)' "$logs/tidy.log"; then
        fail_check tidy "out of time"
    else
        report tidy "$clean files clean, $dirty with remarks (build/logs/tidy-remarks.log)"
    fi
}

# All recorded plans; without --exhaustive CTest checks those of the small samples.
check_plans() {
    run_step plans python3 tests/golden/plans/plan_goldens.py check build/release/bin/plimsoll-cli --all
    judge plans $? && report plans "passed: $(tail -n 1 "$logs/plans.log")"
}

run_checks() {
    step "format check"
    check_format
    if [ "$exhaustive" = 1 ]; then
        step "core without Qt"
        check_core_only
        step "no precompiled headers"
        check_plain
        step "debug build"
        check_debug
    fi
    step "address and undefined behaviour sanitizers"
    check_asan
    step "fuzz targets"
    check_fuzz
    if [ "$exhaustive" = 1 ]; then
        step "all recorded plans"
        check_plans
    fi
    step "thread sanitizer"
    check_tsan
    step "clang-tidy on what changed last"
    check_tidy
}

# SPDX-License-Identifier: Apache-2.0
# Runs CTest and adds up what ran: one for each CTest program, one for each pytest test, skips of both.

passed=0
failed=0
skipped=0
failures=()
again=()

# tests_with_status FILE STATUS: names in a JUnit file of CTest.
tests_with_status() {
    [ -f "$1" ] || return 0
    sed -n 's/.*<testcase name="\([^"]*\)".* status="'"$2"'".*/\1/p' "$1"
}

# A QtTest program that skips a function passes for CTest; its own totals line tells.
count_qt_skips() {
    local log="$1/Testing/Temporary/LastTest.log" count
    [ -f "$log" ] || return 0
    count="$(sed -n 's/^Totals: .* \([0-9]*\) skipped.*/\1/p' "$log" | awk '{sum += $1} END {print sum + 0}')"
    skipped=$((skipped + count))
    grep -A1 '^SKIP ' "$log" || true
}

count_program() {
    local name="$1" ok="$2"
    if [ "$ok" = 1 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=("$name")
    fi
}

# count_pytest FILE: the tests inside of one pytest run, as run_pytest.py tells them; without the file it did not end.
count_pytest() {
    local kind what
    [ -f "$1" ] || {
        count_program "$(basename "$1" .txt) (did not run to its end)" 0
        return
    }
    while read -r kind what; do
        case "$kind" in
        passed) passed=$((passed + what)) ;;
        skipped) skipped=$((skipped + what)) ;;
        again) again+=("$what") ;;
        failed) count_program "$what" 0 ;;
        esac
    done <"$1"
}

count_tests() {
    local build="$1" name ok="$3"
    for name in $2; do
        case "$name" in
        pytest) count_pytest "$build/$name.txt" ;;
        *) count_program "$name" "$ok" ;;
        esac
    done
}

ctest_once() {
    local build="$1" log="$2" limit=$((run_limit - SECONDS))
    shift 2
    [ "$limit" -gt 60 ] || limit=60
    run_step "$log" timeout --kill-after=15 "$limit" ctest --test-dir "$build" --output-on-failure \
        --no-tests=error --test-output-size-passed 1000000 --output-junit "$root/$build/$log.xml" "$@"
}

# run_tests BUILD: all tests of a build folder. What fails while both cores are busy is run once more by itself; a test
# that passes only then counts as passed and is named. For its own tests pytest's run has done so.
run_tests() {
    local build="$1" first="$root/$1/ctest-all.xml" second="$root/$1/ctest-again.xml" bad alone still name
    rm -f "$first" "$second" "$root/$build"/pytest*.txt
    ctest_once "$build" ctest-all -j "$cores"
    local status=$?
    count_qt_skips "$root/$build"
    if [ ! -f "$first" ]; then
        failed=$((failed + 1))
        failures+=("ctest itself (status $status: nothing to run, or out of time)")
        return
    fi
    bad="$(tests_with_status "$first" fail)"
    still="$bad"
    alone="$(grep -vx pytest <<<"$bad")"
    if [ -n "$alone" ] && [ "$(wc -w <<<"$alone")" -le 8 ]; then
        step "run what failed once more, alone"
        # By name: --rerun-failed goes by numbers, which differ where a test is left out.
        ctest_once "$build" ctest-again -R "^($(paste -sd '|' <<<"$alone"))\$" -j 1
        [ -f "$second" ] && still="$(grep -vxF -f <(tests_with_status "$second" run) <<<"$bad")"
    fi
    for name in $bad; do
        grep -qx -- "$name" <<<"$still" || again+=("$name")
    done
    count_tests "$root/$build" "$(tests_with_status "$first" run) ${again[*]:-}" 1
    count_tests "$root/$build" "$still" 0
    for name in $(tests_with_status "$first" notrun) $(tests_with_status "$first" disabled); do
        count_program "$name (could not be run)" 0
    done
}

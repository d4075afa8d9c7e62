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

# attribute FILE NAME: a count at the head of a JUnit file of pytest.
attribute() {
    grep -o "<testsuite [^>]*" "$1" 2>/dev/null | head -n 1 | sed -n "s/.* $2=\"\([0-9]*\)\".*/\1/p"
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

# count_pytest BUILD NAME OK: the tests inside of one pytest run.
count_pytest() {
    local file="$1/$2.xml" ok="$3" total wrong left_out
    total="$(attribute "$file" tests)"
    if [ -z "$total" ]; then
        count_program "$2" "$ok"
        return
    fi
    wrong=$(($(attribute "$file" failures) + $(attribute "$file" errors)))
    left_out="$(attribute "$file" skipped)"
    [ "$ok" = 1 ] || [ "$wrong" -gt 0 ] || wrong=1
    passed=$((passed + total - left_out - wrong))
    failed=$((failed + wrong))
    skipped=$((skipped + left_out))
    [ "$wrong" -eq 0 ] || failures+=("$2")
}

count_tests() {
    local build="$1" name ok="$3"
    for name in $2; do
        case "$name" in
        pytest_*) count_pytest "$build" "$name" "$ok" ;;
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
# that passes only then counts as passed and is named.
run_tests() {
    local build="$1" first="$root/$1/ctest-all.xml" second="$root/$1/ctest-again.xml" bad still name
    rm -f "$first" "$second" "$root/$build"/pytest_*.xml
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
    if [ -n "$bad" ] && [ "$(wc -w <<<"$bad")" -le 8 ]; then
        step "run what failed once more, alone"
        ctest_once "$build" ctest-again --rerun-failed -j 1
        [ -f "$second" ] && still="$(tests_with_status "$second" fail)"
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

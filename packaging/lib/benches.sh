# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks and makes one table of the rows that they print (tests/bench/rows.h).

bench_table="$logs/bench-table.txt"
bench_limit="${bench_limit:-900}" # seconds, of one program
rm -f "$bench_table" # of an earlier run

# bench_row ROW TEXT VERDICT: a row of the table that no program could print.
bench_row() { printf '| %-3s | %-82s | %9s | %9s | %s |\n' "$1" "$2" - - "$3"; }

# run_bench PROGRAM: adds its rows; one that fails, runs out of time or prints none is a row of its own.
run_bench() {
    local name status rows
    name="$(basename "$1")"
    run_step "$name" timeout --kill-after=15 "$bench_limit" "$1"
    status=$?
    rows="$(grep -E '^\| .* \| (pass|MISS) \|$' "$logs/$name.log")"
    [ -z "$rows" ] || printf '%s\n' "$rows" >>"$bench_table"
    [ "$status" -eq 0 ] || bench_row - "$name ended with status $status: rows may be missing" FAIL >>"$bench_table"
    [ "$status" -ne 0 ] || [ -n "$rows" ] || bench_row - "$name printed no rows" FAIL >>"$bench_table"
}

# run_benches PROGRAM...: into the table, by the goals' numbers; what misses its target counts as failed.
run_benches() {
    local program missed
    : >"$bench_table"
    for program in "$@"; do
        step "$(basename "$program")"
        run_bench "$program"
    done
    sort -s -t '|' -k 2,2V -o "$bench_table" "$bench_table"
    missed="$(grep -cvE '\| pass \|$' "$bench_table")"
    if [ ! -s "$bench_table" ]; then
        count_program "the benchmarks: none was run" 0
    elif [ "$missed" -gt 0 ]; then
        count_program "$missed of the benchmarks' $(wc -l <"$bench_table") rows miss their targets" 0
    else
        count_program "the benchmarks" 1
    fi
}

# The rows of "row" are numbered as the goals in performance.md; "-": a goal of our own.
print_bench_table() {
    local verdict
    [ -s "$bench_table" ] || return 0
    printf '| %-3s | %-82s | %9s | %9s | %-4s |\n' row measured value target ""
    printf '| --- | %s | --------: | --------: | ---- |\n' "$(printf -- '-%.0s' {1..82})"
    cat "$bench_table"
    for verdict in pass MISS FAIL; do
        printf '%s %s  ' "$(grep -c "| $verdict |\$" "$bench_table")" "$verdict"
    done
    printf '\n'
}

#!/bin/sh
# Runs every fuzzer of a build for SECONDS_EACH (10) seconds from the inputs of corpus/, which stays as it is, and prints
# what became of each. ONLY names some of them. What a reader did not stand is left in BUILD/findings/<reader>-*.
#
# sh tests/fuzz/run.sh BUILD
set -u
build=$1
here=$(dirname "$0")
each=${SECONDS_EACH:-10}
findings=$build/findings
mkdir -p "$findings"
status=0

printf '%-14s %10s %8s  %s\n' reader inputs seconds outcome
for reader in ${ONLY:-$(for file in "$here"/*.cpp; do basename "$file" .cpp; done)}; do
    program=$build/tests/fuzz/fuzz_$reader
    [ -x "$program" ] || { printf '%-14s %10s %8s  not built\n' "$reader" - -; status=1; continue; }
    grown=$build/corpus/$reader
    mkdir -p "$grown"
    # A file that claims much may ask for no more than 2 GB, and nothing takes longer than five seconds. What inputs
    # before it have freed is given back: it would be counted, too.
    ASAN_OPTIONS=quarantine_size_mb=16:allocator_release_to_os_interval_ms=100 \
    "$program" -max_total_time="$each" -timeout=5 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
        -artifact_prefix="$findings/$reader-" "$grown" "$here/corpus/$reader" >"$build/$reader.log" 2>&1
    code=$?
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$reader.log")
    if [ $code -eq 0 ]; then
        outcome="nothing found"
    else
        status=1
        outcome="found: $(grep -m1 -E 'SUMMARY|ERROR' "$build/$reader.log"); see $build/$reader.log"
    fi
    printf '%-14s %10s %8s  %s\n' "$reader" "${inputs:--}" "$each" "$outcome"
done
exit $status

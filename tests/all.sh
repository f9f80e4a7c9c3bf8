#!/bin/sh
# make test-all: every preset that tests can be built in, with warnings as errors, and the whole suite in each. One that
# fails does not keep the others from being tried; what each said is in build/<preset>/test-all.log.
#
# sh tests/all.sh JOBS, with PRESETS (those to try) and TARGETS (to build these alone and run nothing) in the environment.
set -u
jobs=$1
status=0
printf '%-10s %-12s %s\n' preset minutes outcome
for preset in ${PRESETS:-debug asan tsan portable clang}; do
    build=build/$preset
    log=$build/test-all.log
    mkdir -p "$build"
    begun=$(date +%s)
    generator=
    [ -f "$build/CMakeCache.txt" ] || ! command -v ninja >/dev/null || generator="-G Ninja"
    # shellcheck disable=SC2086 # two words, or none; targets, a word each
    if ! { cmake --preset "$preset" $generator -DRFBENCH_WERROR=ON &&
        cmake --build "$build" --parallel "$jobs" ${TARGETS:+--target $TARGETS}; } >"$log" 2>&1; then
        outcome="does not build: see $log"
    elif [ -n "${TARGETS:-}" ]; then
        outcome="builds: $TARGETS"
    elif ctest --test-dir "$build" --output-on-failure -j "$jobs" >>"$log" 2>&1; then
        outcome=$(grep 'tests passed' "$log" | tail -n 1)
    else
        outcome="$(grep 'tests passed' "$log" | tail -n 1): see $log"
    fi
    case $outcome in *" see "*) status=1 ;; esac
    printf '%-10s %-12s %s\n' "$preset" "$((($(date +%s) - begun) / 60))" "$outcome"
done
exit $status

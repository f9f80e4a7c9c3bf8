#!/bin/sh
# check.sh LAUNCHER: the launcher in a prefix with scripts for programs, which say what they were given.
set -eu
scratch=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/a prefix/bin" "$scratch/elsewhere"
prefix="$scratch/a prefix"
cp "$1" "$prefix/bin/rfbench"
unset RFBENCH_INSTRUCTION_SET

# says CODE WHAT COMMAND...: the command ends so, and says that alone.
says() {
    code=$1
    what=$2
    shift 2
    ended=0
    answer=$("$@" 2>&1) || ended=$?
    [ "$ended" -eq "$code" ] && [ "$answer" = "$what" ] && return
    printf 'failed: %s\nends with %s, says %s\n   and not %s,      %s\n' "$*" "$ended" "$answer" "$code" "$what" >&2
    exit 1
}

says 1 "rfbench: there are no programs in $prefix/lib/rfbench: install rfbench whole" "$prefix/bin/rfbench" list

program() {
    mkdir -p "$prefix/lib/rfbench/$1"
    printf '#!/bin/sh\necho "%s: $# words, $*"\nexit 7\n' "$1" >"$prefix/lib/rfbench/$1/rfbench"
    chmod +x "$prefix/lib/rfbench/$1/rfbench"
}
# Plain x86-64 is what every processor has that this runs on.
program x86-64
says 7 "x86-64: 3 words, run a  b --set=x" "$prefix/bin/rfbench" run "a  b" --set=x
says 7 "x86-64: 0 words, " env RFBENCH_INSTRUCTION_SET= "$prefix/bin/rfbench"
says 7 "x86-64: 0 words, " env RFBENCH_INSTRUCTION_SET=x86-64 "$prefix/bin/rfbench"
says 2 "rfbench: RFBENCH_INSTRUCTION_SET is 'x86-64-v3'; here are x86-64" \
    env RFBENCH_INSTRUCTION_SET=x86-64-v3 "$prefix/bin/rfbench" list

# Another folder there is no level.
mkdir "$prefix/lib/rfbench/other"
says 7 "x86-64: 1 words, list" "$prefix/bin/rfbench" list

# By any name and from any place, and where the prefix was moved to.
ln -s "$prefix/bin/rfbench" "$scratch/elsewhere/mine"
says 7 "x86-64: 1 words, list" "$scratch/elsewhere/mine" list
mv "$prefix" "$scratch/moved"
prefix="$scratch/moved"
says 7 "x86-64: 1 words, list" env PATH="$prefix/bin:$PATH" rfbench list

# A level above all processors is not chosen, and refused when it is asked for.
program x86-64-v9
says 7 "x86-64: 1 words, list" "$prefix/bin/rfbench" list
RFBENCH_INSTRUCTION_SET=x86-64-v9 "$prefix/bin/rfbench" list 2>&1 | grep -q "is x86-64-v9, and this processor has x86-64.* at most"

chmod -x "$prefix/lib/rfbench/x86-64/rfbench"
says 1 "rfbench: $prefix/lib/rfbench/x86-64/rfbench cannot be run (Permission denied): install rfbench whole" "$prefix/bin/rfbench" list

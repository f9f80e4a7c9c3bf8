#!/bin/sh
# packages.sh FOLDER: unpacks the Debian packages of a folder (build/package), and runs the program and the Python package
# for every level of x86-64 that this processor has.
set -eu
packages=$(cd "$1" && pwd -P)
tests=$(cd "$(dirname "$0")/.." && pwd -P)
scratch=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$scratch"' EXIT
unset RFBENCH_INSTRUCTION_SET
for package in "$packages"/*.deb; do dpkg-deb -x "$package" "$scratch/root"; done
usr="$scratch/root/usr"
mkdir "$scratch/empty"
cd "$scratch/empty"

fail() {
    echo "failed: $1" >&2
    exit 1
}
export PYTHONPATH="$usr/lib/python3/dist-packages:$tests/python" PYTHONDONTWRITEBYTECODE=1 RFBENCH_PROGRAM="$usr/bin/rfbench"
python() { /usr/bin/python3 "$@"; }

# No code of a level above its own is in a program: a linker keeps one of functions of one name.
registers() { objdump -d --no-show-raw-insn "$1" | grep -o '%[yz]mm' | sort -u | tr -d '\n'; }
[ "$(registers "$usr/bin/rfbench")" = "" ] || fail "the launcher has vector instructions of levels above x86-64"
[ "$(registers "$usr/lib/rfbench/x86-64-v2/rfbench")" = "" ] || fail "x86-64-v2 has instructions of levels above"
[ "$(registers "$usr/lib/rfbench/x86-64-v3/rfbench")" = "%ymm" ] || fail "x86-64-v3 has not its own instructions"

# The processor's best level, by the names of the C library's folders.
best=$(/lib64/ld-linux-x86-64.so.2 --help | sed -n 's/^  \(x86-64-v[0-9]\) (supported, searched)$/\1/p' | head -n 1)
[ "$(python -c 'import rfbench; print(rfbench.instruction_set)')" = "$best" ] || fail "Python does not take $best"
"$usr/bin/rfbench" --version | grep -qx "instruction_set: $best" || fail "the program does not take $best"
says="import h5py, sys; print(h5py.File(sys.argv[1]).attrs['instruction_set'])"
for level in x86-64-v2 x86-64-v3 x86-64-v4; do
    export RFBENCH_INSTRUCTION_SET=$level
    "$usr/bin/rfbench" run variance/gain --profile smoke --no-figures --quiet --results "$level" >/dev/null || fail "a run with $level"
    [ "$(python -c "$says" "$level/smoke/variance/gain.h5")" = "$level" ] || fail "the result of $level names another one"
    # Features are those of the program to the bit.
    python -m unittest -q features 2>"$scratch/said" || { cat "$scratch/said" >&2; fail "features of $level"; }
    "$usr/bin/rfbench" slurm variance/gain --profile smoke --results "slurm $level" --tasks 2 >/dev/null || fail "slurm of $level"
    grep -rq "exec env RFBENCH_INSTRUCTION_SET=$level $usr/bin/rfbench run" "slurm $level" || fail "jobs of $level run on any node"
    echo "packages: $level runs"
    [ "$level" = "$best" ] && break
done

export RFBENCH_INSTRUCTION_SET=x86-64-v9
code=0
"$usr/bin/rfbench" list experiments 2>said || code=$?
[ "$code" -eq 2 ] || fail "a level that is not there ends with $code"
! python -c 'import rfbench' 2>python_said || fail "Python takes a level that is not there"
for file in said python_said; do
    grep -q "RFBENCH_INSTRUCTION_SET is 'x86-64-v9'; here are x86-64-v2, x86-64-v3 and x86-64-v4" $file || { cat $file >&2; fail "no sentence"; }
done

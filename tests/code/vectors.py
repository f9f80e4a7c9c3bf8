"""Loops marked `#pragma omp simd` become vector instructions on a processor without mask registers (x86-64-v3), by what
g++ reports of them. python3 tests/code/vectors.py COMPILER INCLUDE... compiles the files that have one."""

import concurrent.futures
import os
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
FLAGS = "-O3 -DNDEBUG -DEIGEN_DONT_PARALLELIZE -march=x86-64-v3 -ffp-contract=off -fPIC -fopenmp -std=c++20".split()
MARK = re.compile(r"^\s*#pragma omp simd$")
REPORT = re.compile(r"^(\S+?):(\d+):\d+: optimized: +loop vectorized", re.MULTILINE)
LINES_OF_A_LOOP = 2  # g++ names the loop's first line or that of its body


def marks():
    """(file, line) of every mark."""
    for file in sorted((SOURCE / "framework").rglob("*.[ch]pp")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if MARK.match(line):
                yield file, number


def vectorized(compiler, includes, file):
    """(file, line) of every loop of a source file, and of its headers, that g++ reports as vectors."""
    command = [compiler, *FLAGS, *includes, "-fopt-info-vec-optimized", "-c", str(file), "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return {(Path(name).resolve(), int(line)) for name, line in REPORT.findall(done.stderr)}


def main(compiler, folders):
    marked = list(marks())
    sources = sorted({file for file, _ in marked if file.suffix == ".cpp"})
    includes = [word for folder in folders for word in ("-isystem", folder)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = set().union(*pool.map(lambda file: vectorized(compiler, includes, file), sources))
    scalar = [
        f"{file.relative_to(SOURCE)}:{line}: g++ leaves this loop scalar"
        for file, line in marked
        if not any((file, line + k) in found for k in range(1, LINES_OF_A_LOOP + 1))
    ]
    print("\n".join(scalar) or f"{len(marked)} loops are vectors")
    sys.exit(bool(scalar))


main(sys.argv[1], sys.argv[2:])

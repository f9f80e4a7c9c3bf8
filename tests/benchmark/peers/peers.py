"""Ours beside numpy and, where it is installed, torch: every row is run in turn by each, round after round, so that a
busy machine disturbs all alike. Prints medians, and ratios to the best peer.

    python3 peers.py PROGRAM [--rounds 7] [--threads 1 2] [--rows features sweep]

PROGRAM is rfbench_peers. A row is a function in ours.cpp and one in numpy_rows.py or torch_rows.py, by the same name.
"""
import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time

ROWS = {
    "features": "positive features, float, N = 65536, d = 64, M = 256",
    "orthogonal": "orthogonal projections, double, d = 64, M = 4096",
    "sweep": "kernel regression, 25249 x 6, 18 classes, M = 128, 10 gammas, 50 draws; peers tuned",
    "sweep_plain": "the same; numpy as one writes it for a paper: all features, one-hot classes",
}

COLUMNS = ("ours", "numpy", "torch")


class Ours:
    """The C++ program: named a row, it answers with seconds."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, row):
        print(row, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def has(self, row):
        return row in ROWS


class Peer:
    def __init__(self, functions, threads):
        self.functions, self.threads, self.ready = functions, threads, {}

    def has(self, row):
        return hasattr(self.functions, row)

    def seconds(self, row):
        if row not in self.ready:
            self.ready[row] = getattr(self.functions, row)(self.threads)
            self.ready[row]()
        start = time.perf_counter()
        self.ready[row]()
        return time.perf_counter() - start


def contenders(program, threads):
    import numpy_rows

    result = {"ours": Ours(program), "numpy": Peer(numpy_rows, threads)}
    if importlib.util.find_spec("torch"):
        import torch_rows

        result["torch"] = Peer(torch_rows, threads)
    return result


def measure(program, threads, rounds, rows):
    everyone = contenders(program, threads)
    for row in rows:
        times = {name: [] for name in everyone if everyone[name].has(row)}
        for _ in range(rounds):
            for name in times:
                times[name].append(everyone[name].seconds(row))
        medians = {name: statistics.median(own) for name, own in times.items()}
        best = min((name for name in medians if name != "ours"), key=medians.get)
        cells = [f"{1e3 * medians[name]:9.1f}" if name in medians else f"{'-':>9}" for name in COLUMNS]
        ratio = medians[best] / medians["ours"]
        print(f"{row:<12} T{threads} {' '.join(cells)}   {ratio:6.1f}  ({best})", flush=True)


def start_over(program, threads, rounds, rows):
    """Libraries read their number of threads once: a process for each number and row. Peers share work among Python
    threads, each with a serial BLAS, which is faster than a threaded BLAS between serial exponentials; plain rows have
    no threads but BLAS's."""
    for row in rows:
        blas = str(threads) if row.endswith("_plain") else "1"
        # Ours binds its team to cores; unbound, two threads may share one.
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=blas, MKL_NUM_THREADS=blas,
                           OMP_PLACES="cores")
        arguments = [program, "--rounds", str(rounds), "--measure", str(threads), "--rows", row]
        subprocess.run([sys.executable, sys.argv[0], *arguments], env=environment, check=True)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    arguments.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if not importlib.util.find_spec("numpy"):
        sys.exit(f"peers: {sys.executable} has no numpy. On Debian: apt-get install python3-numpy libopenblas0-pthread")
    if given.measure:
        measure(given.program, given.measure, given.rounds, given.rows)
        return
    if not importlib.util.find_spec("torch"):
        print("torch is left out; on Debian: apt-get install python3-torch\n")
    for row in given.rows:
        print(f"{row:<12} {ROWS[row]}")
    print(f"\nmedians of {given.rounds} rounds in ms   ours     numpy     torch   best peer / ours")
    for threads in given.threads:
        start_over(given.program, threads, given.rounds, given.rows)


if __name__ == "__main__":
    main()

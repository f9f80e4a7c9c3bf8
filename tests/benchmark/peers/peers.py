"""Ours beside numpy and, where it is installed, torch: every row is run in turn by each, round after round, so that a
busy machine disturbs all alike. Prints medians, the best peer's over ours, and what that would be at the roofline: had our
multiplications and exponentials run at the full rate of the units that multiply and add.

    python3 peers.py PROGRAM [--rounds 7] [--threads 1 2] [--rows features sweep]

PROGRAM is rfbench_peers. A row is a function there (ours*.cpp), in numpy_*.py and in torch_*.py, by the same name.
"""
import argparse
import importlib
import importlib.util
import math
import os
import statistics
import subprocess
import sys
import time

ROWS = {
    "features": "positive features, float, N = 65536, d = 64, M = 256",
    "features_plain": "the same; numpy as one writes it for a paper",
    "orthogonal": "orthogonal projections, double, d = 64, M = 4096",
    "sweep": "kernel regression, 25249 x 6, 18 classes, M = 128, 10 gammas, 50 draws; peers tuned",
    "sweep_plain": "the same; numpy as one writes it for a paper: all features, one-hot classes",
    "exact": "softmax attention, float, L = 16384, d = 64",
    "exact_gradient": "the same with gradients of queries, keys and values, L = 8192; peers in tiles",
    "exact_gradient_plain": "the same; torch as one writes it: the whole matrix, its own gradient",
    "linear": "linear attention, features made on the way, float, L = 65536, d = 64, M = 256",
    "causal": "the same, causal",
    "backward": "gradients of queries, keys and values, causal, float, L = 16384, d = 64, M = 256",
    "mask_4096": "attention under a Toeplitz mask, float, L = 4096, d = M = 64",
    "mask_16384": "the same, L = 16384",
    "mask_fft_4096": "the same, L = 4096; torch by FFTs, as one writes it for a paper",
    "mask_fft_16384": "the same, L = 16384",
    "gpt_step": "a step of training: GPT of 4 layers, width 128, 16 sequences of 256 tokens, softmax attention, float",
    "gpt_step_favor": "the same by FAVOR+, 64 columns a head; torch in chunks of 64 tokens",
}

COLUMNS = ("ours", "numpy", "torch")


class Contender:
    """A process of its own, with the threads its libraries are told of: named a row, it answers with seconds, or nan for
    a row that it does not have; ours adds the least that the row may take, or 0."""

    def __init__(self, command, **environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})
        # Only one process works at a time: what this one loads, it loads before any other is timed.
        self.process.stdout.readline()

    def seconds(self, row):
        print(row, file=self.process.stdin, flush=True)
        return [float(number) for number in self.process.stdout.readline().split()]


def serve(library, threads):
    """A peer's side: reads names of rows, writes seconds. A row is made, and run once, when it is first named."""
    parts = ("rows", "attention", "networks") if library == "torch" else ("rows", "attention")
    modules = [importlib.import_module(f"{library}_{part}") for part in parts]
    functions = {name: own for module in modules for name, own in vars(module).items()}
    ready = {}
    print("loaded", flush=True)
    for line in sys.stdin:
        row = line.strip()
        if row not in functions:
            print(math.nan, flush=True)
            continue
        if row not in ready:
            ready[row] = functions[row](threads)
            ready[row]()
        start = time.perf_counter()
        ready[row]()
        print(time.perf_counter() - start, flush=True)


def contenders(program, threads, plain):
    # Ours binds its team to cores; unbound, two threads may share one.
    everyone = {"ours": Contender([program], OMP_NUM_THREADS=str(threads), OMP_PLACES="cores")}
    # numpy shares work among Python threads, each with a serial BLAS, which is faster than a threaded BLAS between
    # serial exponentials; plain rows have no threads but BLAS's. torch has threads within each operation, which sleep
    # while BLAS has its own at work.
    blas = str(threads) if plain else "1"
    settings = {"numpy": {"OPENBLAS_NUM_THREADS": blas, "MKL_NUM_THREADS": blas},
                "torch": {"OPENBLAS_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}}
    for library, environment in settings.items():
        if importlib.util.find_spec(library):
            command = [sys.executable, __file__, "--serve", library, "--threads", str(threads)]
            everyone[library] = Contender(command, **environment)
    return everyone


def measure(program, threads, rounds, rows):
    teams = {}
    for row in rows:
        plain = row.endswith("_plain")
        if plain not in teams:
            teams[plain] = contenders(program, threads, plain)
        everyone = teams[plain]
        times, roofline = {name: [] for name in everyone}, 0
        for _ in range(rounds):
            for name, contender in everyone.items():
                seconds, *least = contender.seconds(row)
                times[name].append(seconds)
                roofline = least[0] if least else roofline
        medians = {name: statistics.median(own) for name, own in times.items() if not math.isnan(own[0])}
        best = min((name for name in medians if name != "ours"), key=medians.get, default=None)
        cells = [f"{1e3 * medians[name]:9.1f}" if name in medians else f"{'-':>9}" for name in COLUMNS]
        ratio = f"{medians[best] / medians['ours']:6.1f}" if best else f"{'-':>6}"
        limit = f"{medians[best] / roofline:10.1f}" if best and roofline else f"{'-':>10}"
        print(f"{row:<20} T{threads} {' '.join(cells)}   {ratio} {limit}  ({best or 'no peer'})", flush=True)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", nargs="?")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    arguments.add_argument("--serve", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.serve:
        serve(given.serve, given.threads[0])
        return
    if not given.program:
        arguments.error("which program? build/release/tests/benchmark/rfbench_peers")
    if not importlib.util.find_spec("numpy"):
        sys.exit(f"peers: {sys.executable} has no numpy. On Debian: apt-get install python3-numpy libopenblas0-pthread")
    if not importlib.util.find_spec("torch"):
        print("torch is left out; on Debian: apt-get install python3-torch\n")
    for row in given.rows:
        print(f"{row:<20} {ROWS[row]}")
    print(f"\nmedians of {given.rounds} rounds in ms   ours     numpy     torch   best peer / ours, at the roofline")
    for threads in given.threads:
        measure(given.program, threads, given.rounds, given.rows)


if __name__ == "__main__":
    main()

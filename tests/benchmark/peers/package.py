"""Features by the Python package beside scikit-learn's RBFSampler and NumPy as one writes it, at equal columns: a process
each, run in turn, round after round, so that a busy machine disturbs all alike. Prints medians and the peer's over ours.

    python3 package.py [--rounds 7] [--threads 1 2], with the folder of the package in PYTHONPATH
"""

import argparse
import os
import re
import statistics
import sys
import time

from peers import Contender

POINTS, D, COLUMNS = 65536, 64, 256
ROWS = {
    "positive": "positive features; numpy.exp(x @ omega - (x**2).sum(1)[:, None]) / M**0.5",
    "cosine-phase": "the law of RBFSampler; RBFSampler.transform",
    "trigonometric": "a sine and a cosine a draw; RBFSampler.transform",
}


def points(precision):
    import numpy

    return (0.3 * numpy.random.default_rng(1).standard_normal((POINTS, D))).astype(precision)


def ours(name, precision):
    """Makes all features anew, as a caller has them."""
    import rfbench

    x = points(precision)
    drawn = rfbench.fit(name, x[:1000]).draw(columns=COLUMNS)
    return lambda: drawn.queries(x)


def peer(name, precision):
    import numpy
    from sklearn.kernel_approximation import RBFSampler

    x = points(precision)
    if name != "positive":
        sampler = RBFSampler(gamma=0.5, n_components=COLUMNS, random_state=1).fit(x)
        return lambda: sampler.transform(x)
    omega = numpy.random.default_rng(2).standard_normal((D, COLUMNS)).astype(precision)
    root = omega.dtype.type(COLUMNS**0.5)
    return lambda: numpy.exp(x @ omega - (x**2).sum(1)[:, None]) / root


def serve(make):
    """Reads "NAME PRECISION", writes seconds. A row is made, and run once, when it is first named."""
    ready = {}
    print("loaded", flush=True)
    for line in sys.stdin:
        if line not in ready:
            ready[line] = make(*line.split())
            ready[line]()
        begun = time.perf_counter()
        ready[line]()
        print(time.perf_counter() - begun, flush=True)


def measure(rounds, threads):
    command = [sys.executable, __file__, "--serve"]
    # Ours binds its team to cores; unbound, two threads may share one.
    everyone = [Contender([*command, "ours"], OMP_NUM_THREADS=str(threads), OMP_PLACES="cores"),
                Contender([*command, "peer"], OPENBLAS_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads))]
    for precision in ("float32", "float64"):
        for name in ROWS:
            times = [[1e3 * each.seconds(f"{name} {precision}")[0] for each in everyone] for _ in range(rounds)]
            own, other = map(statistics.median, zip(*times))
            print(f"{name:<14} {precision} T{threads} {own:8.1f} {other:8.1f} {other / own:8.1f}", flush=True)


def where():
    """The processor, and the BLAS that NumPy has loaded."""
    import numpy

    numpy.ones((64, 64)) @ numpy.ones((64, 64))
    with open("/proc/cpuinfo") as file:
        processor = re.search(r"model name\s*: (.*)", file.read())
    with open("/proc/self/maps") as file:
        libraries = {os.path.basename(os.path.realpath(path)) for path in re.findall(r"/\S*blas\S*\.so\S*", file.read())}
    return f"{processor[1] if processor else 'unknown processor'}; {', '.join(sorted(libraries)) or 'BLAS of NumPy itself'}"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--serve", choices=["ours", "peer"], help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.serve:
        serve(ours if given.serve == "ours" else peer)
        return
    print(f"{where()}\n{POINTS} points, d = {D}, {COLUMNS} columns\n")
    for name, what in ROWS.items():
        print(f"{name:<14} {what}")
    print(f"\nmedians of {given.rounds} rounds in ms   ours     peer    ratio")
    for threads in given.threads:
        measure(given.rounds, threads)


if __name__ == "__main__":
    main()

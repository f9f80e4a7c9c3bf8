"""make faults: what can go wrong around a run is done to it, some hundred times, and what was lost is counted.

python3 tests/faults/run.py PROGRAM, with FAULT_SECONDS (100) in the environment: what all faults together may take. Each
has a share of it; how often a fault is injected depends on the machine, where it is injected on the seed that is printed
(SEED for another). Whatever was done, the next run must end with the bytes of a run that nothing was done to.
"""

import collections
import errno
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from foreign import Foreign

HERE = pathlib.Path(__file__).resolve().parent
SWEEP = """experiment: variance
study: monte-carlo
methods: [trigonometric, positive, regularized, optimal-positive, poisson, geometric]
samplings: [iid, orthogonal, antithetic]
dimensions: [4]
repeats: 400
"""
RESULT = "variance/sweep.h5"
MEASURED = """experiment: cost
study: attention
methods: [copy, exact]
lengths: [64]
dimension: 8
threads: [1]
repeats: 2
"""
KEPT = {"capture_output": True, "text": True, "errors": "replace"}  # what a program says


class Faults:
    def __init__(self, program, folder, seconds, seed):
        self.program, self.folder, self.seconds = program, folder, seconds
        self.random = random.Random(seed)
        self.config = folder / "sweep.yaml"
        self.config.write_text(SWEEP)
        self.library = folder / "failing_calls.so"
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", self.library,
                        HERE / "failing_calls.c", "-ldl"], check=True)
        self.rows = []
        whole = self.results("whole")
        begun = time.monotonic()
        assert self.run(whole).returncode == 0
        self.usual = time.monotonic() - begun
        self.right, self.cells = (whole / RESULT).read_bytes(), self.done(whole)

    def results(self, name):
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    def command(self, results, *more):
        return [self.program, "run", self.config, "--results", results, "--no-figures", "--quiet", "--threads", "1", *more]

    def environment(self, results, **more):
        return os.environ | {"LD_PRELOAD": str(self.library), "RFBENCH_FAULT_UNDER": str(results)} | {
            f"RFBENCH_FAULT_{name}": str(value) for name, value in more.items()}

    def run(self, results, *more, faults=None):
        return subprocess.run(self.command(results, *more), env=faults, **KEPT, timeout=120)

    def start(self, results, *more):
        return subprocess.Popen(self.command(results, *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                errors="replace")

    def done(self, results):
        """Cells that are stored."""
        told = subprocess.run([self.program, "status", self.config, "--results", results, "--json"], **KEPT,
                              timeout=60)
        try:
            said = json.loads(told.stdout)
            return (said[0] if isinstance(said, list) else said).get("done", 0)
        except (ValueError, IndexError, AttributeError):
            return 0

    def is_right(self, results):
        file = results / RESULT
        return file.exists() and file.read_bytes() == self.right

    def ends_right(self, results):
        """Whether a run that nothing is done to any more ends with the right bytes."""
        return self.run(results).returncode == 0 and self.is_right(results)

    def row(self, what, injected, lost, note=""):
        self.rows.append((what, injected, lost, note))
        print(f"| {what} | {injected} | {lost} | {note} |", flush=True)

    def until(self, share):
        """Numbers from 0 until a share of all seconds is over, one at least."""
        end = time.monotonic() + share * self.seconds
        number = 0
        while number == 0 or time.monotonic() < end:
            yield number
            number += 1

    # Faults that are done to runs

    def kills(self):
        """kill -9 at random moments, again and again, until the run is whole."""
        injected = lost = 0
        for number in self.until(0.2):
            results, before = self.results("kills"), 0
            for _ in range(4):
                run = self.start(results)
                try:
                    run.wait(self.random.uniform(0, self.usual))
                except subprocess.TimeoutExpired:
                    run.kill()
                    injected += 1
                run.communicate()
                now = self.done(results)
                lost += now < before
                before = now
            lost += not self.ends_right(results)
        self.row("kill -9 at a random moment", injected, lost)

    def calls(self, what, share, code):
        """One call that changes a file fails, or is the last thing before a kill."""
        counted = self.folder / "count"
        results = self.results("calls")
        self.run(results, faults=self.environment(results, COUNT=counted))
        count = int(counted.read_text())
        order = list(range(1, count + 1))
        self.random.shuffle(order)
        injected = lost = silent = 0
        for number in self.until(share):
            if number == len(order):
                break
            results = self.results("calls")
            done = self.run(results, faults=self.environment(results, AT=order[number], ERROR=code))
            injected += 1
            # A call whose failure may be passed over leaves a whole result; all others are told.
            silent += done.returncode == 0 and not self.is_right(results)
            lost += not self.ends_right(results)
        self.row(what, f"{injected} of {count} calls", lost + silent)

    def allocations(self):
        """One allocation finds no memory: the run says so, or goes on without; no signal ends it."""
        counted = self.folder / "count"
        results = self.results("memory")
        self.run(results, faults=self.environment(results, MEMORY=1, COUNT=counted))
        count = int(counted.read_text())
        injected = lost = told = signals = 0
        for number in self.until(0.15):
            # Most are in the sweep: beginning and end have as many as the middle, by the logarithm of the distance.
            near = int(count ** self.random.random())
            results, at = self.results("memory"), [self.random.randint(1, count), near, count + 1 - near][number % 3]
            done = self.run(results, faults=self.environment(results, MEMORY=1, AT=at))
            injected += 1
            told += done.returncode > 0
            if done.returncode < 0 or done.returncode > 128:
                signals += 1
                print(f"allocation {at}: signal {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
            lost += done.returncode == 0 and not self.is_right(results)
            lost += not self.ends_right(results)
        self.row("an allocation finds no memory", f"{injected} of {count}", lost, f"{told} told, {signals} ended by a signal")

    def full(self):
        """A file system that is full at any size, then grows."""
        injected = lost = silent = 0
        place = self.folder / "full"
        place.mkdir()
        for size in (8, 16, 32, 48, 64, 96, 128, 192):
            script = ('mount -t tmpfs -o size="$1"k none "$2" || exit 99; shift; place=$1; shift; "$@"; code=$?; '
                      'mount -o remount,size=64m "$place"; "$@" && cp "$place/r/' + RESULT + '" "$place.h5"; '
                      'again=$?; umount "$place"; exit $((code * 10 + (again != 0)))')
            unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
            done = subprocess.run([*unshare, "sh", "-c", script, "sh", str(size), place,
                                   *self.command(place / "r")], **KEPT, timeout=120)
            if done.returncode == 99:
                self.row("a full tmpfs", 0, 0, "not injected: no tmpfs can be mounted here")
                return
            copy = pathlib.Path(f"{place}.h5")
            whole = copy.exists() and copy.read_bytes() == self.right
            injected += done.returncode >= 10
            lost += done.returncode % 10 != 0 or not whole
            copy.unlink(missing_ok=True)
        self.row("a full tmpfs, which then grows", injected, lost + silent)

    def flips(self):
        """One bit of one file of a whole sweep: it is told, or makes no difference."""
        results = self.results("flips")
        self.run(results)
        kept = self.folder / "kept"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(results, kept)
        files = [path.relative_to(kept) for path in sorted(kept.rglob("*")) if path.is_file() and path.stat().st_size > 0]
        counts = {"result file": [0, 0, 0], "other file": [0, 0, 0]}
        unseen = {"result file": collections.Counter(), "other file": collections.Counter()}
        for number in self.until(0.15):
            shutil.rmtree(results)
            shutil.copytree(kept, results)
            name = self.random.choice(files) if number % 2 else pathlib.Path(RESULT)
            damaged = bytearray((results / name).read_bytes())
            at = self.random.randrange(8 * len(damaged))
            damaged[at // 8] ^= 1 << at % 8
            (results / name).write_bytes(damaged)
            told = subprocess.run([self.program, "verify", "--results", results], **KEPT, timeout=60)
            kind = "result file" if str(name) == RESULT else "other file"
            counts[kind][0] += 1
            if told.returncode == 0:
                unseen[kind][name.name] += 1
            again = self.run(results)
            counts[kind][1] += not self.is_right(results)
            counts[kind][2] += again.returncode != 0
        for what, (injected, wrong, refused) in counts.items():
            names = ", ".join(f"{name} {times}" for name, times in sorted(unseen[what].items()))
            self.row(f"one bit of {'the result file' if what == 'result file' else 'any file'} flipped", injected, wrong,
                     f"{unseen[what].total()} not seen by verify{f' ({names})' if names else ''}; {refused} times the next "
                     "run stopped with a message")

    def readers(self):
        """While a run computes all again, who reads the result finds it whole."""
        results = self.results("readers")
        self.run(results)
        reads = torn = verified = alarms = 0
        for _ in self.until(0.1):
            writer = self.start(results, "--fresh")
            while writer.poll() is None:
                reads += 1
                torn += not self.is_right(results)
                if reads % 20 == 0:
                    verify = subprocess.run([self.program, "verify", "--results", results], **KEPT, timeout=60)
                    verified += 1
                    alarms += verify.returncode != 0
                time.sleep(0.005)
            writer.communicate()
        self.row("reads beside a run that writes", reads, torn,
                 f"and `verify` {verified} times, with {alarms} false alarms")

    def writers(self):
        """Two runs at once in one folder: one is refused, or comes after the other."""
        injected = lost = refused = 0
        for _ in self.until(0.08):
            results = self.results("writers")
            both = [self.start(results), self.start(results)]
            codes = []
            for run in both:
                said = run.communicate(timeout=120)[1]
                codes.append(run.returncode)
                refused += run.returncode != 0 and "at work here already" in said
            injected += 1
            lost += codes.count(0) == 0 or not self.ends_right(results)
        self.row("two runs at once in one folder", injected, lost, f"{refused} refused by the lock")

    def stopped(self):
        """A run is stopped while it holds the lock; others are told so at once; it goes on, or is killed."""
        injected = lost = 0
        for number in self.until(0.08):
            results = self.results("stopped")
            holder = self.start(results)
            time.sleep(self.random.uniform(0.3, 0.7) * self.usual)
            if holder.poll() is not None:
                holder.communicate()
                continue
            holder.send_signal(signal.SIGSTOP)
            injected += 1
            begun = time.monotonic()
            other = self.run(results)
            if other.returncode == 0:
                lost += not self.is_right(results)  # it was stopped before it had the lock, or after its end
            else:
                lost += "at work here already" not in other.stderr or time.monotonic() - begun > 10 + 5 * self.usual
            holder.send_signal(signal.SIGCONT if number % 2 == 0 else signal.SIGKILL)
            holder.communicate()
            lost += not self.ends_right(results)
        self.row("a stopped run that holds the lock", injected, lost)

    def clocks(self):
        """A run goes on under a clock that is years or minutes behind, and one that is ahead."""
        injected = lost = 0
        for _ in self.until(0.08):
            results = self.results("clocks")
            for shift in (10**8, -(10**8), 60, -3600):
                run = subprocess.Popen(self.command(results, *(["--fresh"] if shift < 0 else [])),
                                       env=self.environment("/nowhere", CLOCK=shift), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
                try:
                    run.wait(self.random.uniform(0.5, 1.2) * self.usual)
                except subprocess.TimeoutExpired:
                    run.kill()
                run.wait()
                injected += 1
            lost += not self.ends_right(results)
        self.row("a clock that jumps between runs", injected, lost)

    def measured(self):
        """Times that are measured anew take the place of those before, though the clock is behind."""
        config = self.folder / "cost.yaml"
        config.write_text(MEASURED)
        results, times, lost = self.results("measured"), set(), 0
        command = [self.program, "run", config, "--results", results, "--no-figures", "--quiet", "--fresh"]
        for number in self.until(0.04):
            subprocess.run(command, env=self.environment("/nowhere", CLOCK=-(10**6) * number), **KEPT, timeout=120)
            times.add((results / "cost/cost.h5").read_bytes())
            lost += len(times) != number + 1
        self.row("times measured anew under a clock that is days behind", number + 1, lost)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    seconds, seed = float(os.environ.get("FAULT_SECONDS", "100")), int(os.environ.get("SEED", "20"))
    with tempfile.TemporaryDirectory(prefix="rfbench-faults-") as folder:
        faults = Faults(program, pathlib.Path(folder), seconds, seed)
        print(f"make faults: {seconds:g} seconds, seed {seed}; a run that nothing is done to takes {faults.usual:.2f} s\n")
        print("| injected | how often | lost | |\n| --- | --- | --- | --- |", flush=True)
        faults.kills()
        faults.calls("kill -9 before a call that changes a file", 0.1, 0)
        faults.calls("a call that changes a file fails, disk full", 0.1, errno.ENOSPC)
        faults.calls("a call that changes a file fails, disk broken", 0.1, errno.EIO)
        faults.allocations()
        faults.full()
        faults.flips()
        faults.readers()
        faults.writers()
        faults.stopped()
        faults.clocks()
        faults.measured()
        foreign = Foreign(faults)
        foreign.foreign()
        foreign.lists()
    lost = sum(row[2] for row in faults.rows)
    print(f"\n{lost} lost" if lost else "\nNothing was lost.")
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()

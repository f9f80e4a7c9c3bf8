"""make test-slurm: on a real Slurm one task is killed, one requeued and one node's daemon killed, and the files are those
of one process."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from loopback import Slurm, wait_for

# Cells of half a second, in a folder whose name the scripts must quote.
SWEEPS = {
    "drawn.yaml": """experiment: variance
study: monte-carlo
methods: [trigonometric, cosine-phase, positive, regularized, hybrid, optimal-positive, poisson, geometric]
samplings: [iid, orthogonal, simplex, antithetic, sobol, hadamard]
dimensions: [4, 8]
repeats: 2500
""",
    "gain.yaml": """experiment: variance
study: gain
dimensions: [2, 4, 8]
square_sums: {linspace: [1, 100, 5]}
""",
}
TASKS = 8


def results(tree):
    """Every result file by its relative name: without cells, journals and pictures, which hold times or are drawn."""
    kept = {".h5", ".json", ".csv", ".md", ".tex"}
    return {
        str(path.relative_to(tree)): path.read_bytes()
        for path in sorted(tree.rglob("*"))
        if path.suffix in kept and "cells" not in path.parts and "slurm" not in path.parts
    }


def at_work(slurm, folder, others):
    """Waits until a task that is none of these has stored a cell, so that something is lost and something is there.

    Its run's process, its job, its number in the array and its node.
    """

    def look():
        for pid, program, variables in slurm.processes():
            number = variables.get("SLURM_ARRAY_TASK_ID")
            if program == "rfbench" and number and number not in others and list(folder.glob(f"cells/*-{pid}-*.pack")):
                return pid, variables["SLURM_JOB_ID"], number, variables["SLURMD_NODENAME"]
        return None

    return wait_for("a task that computes", look, 300)


def disturb(slurm, shared):
    """What can happen to an array: returns the number of the task that was killed, and the requeued job."""
    pid, _, killed, _ = at_work(slurm, shared, set())
    os.kill(pid, signal.SIGKILL)
    print(f"task {killed}: its run was killed (-9)", flush=True)

    pid, job, requeued, _ = at_work(slurm, shared, {killed})
    slurm.run("scontrol", "requeue", job)
    wait_for("the end of the requeued task", lambda: not pathlib.Path(f"/proc/{pid}").exists(), 60)
    wait_for("the requeued task in the queue", lambda: slurm.job(job)["JobState"] == "PENDING", 60)
    slurm.run("scontrol", "update", f"JobId={job}", "StartTime=now")  # instead of two minutes later
    print(f"task {requeued}: requeued, job {job}", flush=True)

    *_, node = at_work(slurm, shared, {killed, requeued})
    os.kill(slurm.pid(f"slurmd.{node}.pid"), signal.SIGKILL)
    print(f"node {node}: its daemon was killed (-9)", flush=True)
    time.sleep(3)
    slurm.start_node(node)
    return killed, job


def submit(slurm, program, folder, names, shared):
    said = slurm.run(program, "slurm", *names, "--results", str(shared), "--tasks", str(TASKS), "--time", "60",
                     "--memory", "400M", "--partition", "main", "--submit", cwd=folder)
    print(said, end="", flush=True)
    scripts = shared / "slurm"
    slurm.run("shellcheck", "--severity=warning", str(scripts / "tasks.sh"), str(scripts / "collect.sh"))
    return re.search(r"submitted: tasks (\d+), then (\d+)", said).groups()


def has_ended(job):
    ended = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")
    return job["JobState"] in ended or job["Reason"] == "DependencyNeverSatisfied"


def check(slurm, array, collecting, killed, requeued, one, shared):
    """The sentences of what is not as it should be."""
    wrong = []
    if slurm.job(collecting)["JobState"] != "COMPLETED":
        wrong.append(f"the collecting job is {slurm.job(collecting)['JobState']}")
    if slurm.job(f"{array}_{killed}")["ExitCode"] != "137:0":
        wrong.append(f"the killed task has the exit code {slurm.job(f'{array}_{killed}')['ExitCode']}, not 137:0")
    if slurm.job(requeued).get("Restarts") != "1":
        wrong.append("the requeued task was not started again")
    ours, theirs = results(one), results(shared)
    if not any(name.endswith(".h5") for name in ours):
        wrong.append("one process made no result file")
    wrong += [f"{name} is in one tree only" for name in ours.keys() ^ theirs.keys()]
    wrong += [f"{name} has other bytes" for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]]
    print(f"{len(ours)} result files compared", flush=True)
    return wrong


def main(program):
    if os.geteuid() != 0:
        sys.exit("test-slurm: this needs root, since Slurm's daemons run jobs as other users")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rfbench-slurm-"))
    wrong = ["not finished"]
    try:
        work = folder / "it's a \"place\""
        work.mkdir()
        for name, text in SWEEPS.items():
            (work / name).write_text(text)
        # Figures' data are compared, pictures are not drawn.
        os.environ["RFBENCH_PYTHON"] = str(folder / "none")
        one, shared = work / "one process", work / "shared $HOME"
        begin = time.monotonic()
        subprocess.run([program, "run", *SWEEPS, "--results", str(one), "--quiet"], cwd=work, check=True)
        print(f"one process: {time.monotonic() - begin:.0f} s", flush=True)
        with Slurm(folder) as slurm:
            array, collecting = submit(slurm, program, work, SWEEPS, shared)
            killed, requeued = disturb(slurm, shared)
            wait_for("the collecting job", lambda: has_ended(slurm.job(collecting)), 900)
            wrong = check(slurm, array, collecting, killed, requeued, one, shared)
    finally:
        if wrong:
            for log in sorted([*folder.glob("log/*"), *folder.rglob("slurm/log/*")]):
                print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}", flush=True)
        shutil.rmtree(folder)
    for sentence in wrong:
        print(f"test-slurm: {sentence}", file=sys.stderr)
    if not wrong:
        print("test-slurm: the files are those of one process")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))

"""Plants each bug of tests/mutants/ in a copy of the tree, and sees whether the tests that should catch it do.

python3 tests/mutants/run.py, with ONLY (folders of tests/mutants/, or <folder>/<what-is-wrong>), AGAIN (anything: forget
what is known) and DRY (anything: only whether the patches apply) in the environment. A mutant is a unified diff,
tests/mutants/<folder>/<what-is-wrong>.patch, that begins with a sentence and the line `caught by: test_<folder> FILTER`,
a test program and what it is given; `caught by: drawing CASE` is a case of tests/drawing/figures.py. The copy is
build/mutants/tree: the tree that is worked in is never touched.

What is known stays in build/mutants/known.json, so that a run that is interrupted goes on. It holds as long as the
patch, the file that it changes and the tests of the program are what they were.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
WORK = SOURCE / "build" / "mutants"
TREE = WORK / "tree"
BUILD = TREE / "build" / "release"
KNOWN = WORK / "known.json"
COPIED = ("CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "cmake", "configs",
          "data", "docs", "experiments", "framework", "results/reference", "tests")
LEAST_PATIENCE = 120  # seconds: a mutant that takes ten times what the right code does, and no less, hangs


class Wrong(Exception):
    """What makes a score meaningless: a patch that does not apply or build, a test that fails without any bug."""


class Mutant:
    def __init__(self, path):
        self.path, self.text = path, path.read_text()
        self.name = f"{path.parent.name}/{path.stem}"
        caught = re.search(r"^caught by: (\S+) (.+)$", self.text, re.MULTILINE)
        changed = re.findall(r"^\+\+\+ b/(\S+)", self.text, re.MULTILINE)
        if not caught or not changed:
            raise Wrong(f"{self.name}: there is no line `caught by: PROGRAM FILTER`, or no diff")
        self.what = self.text.splitlines()[0]
        self.program, self.filter = caught.groups()
        self.files = changed


def copy_tree():
    """Makes the copy equal to the tree; what is equal keeps its time, so that nothing of it is compiled again."""
    kept = set()
    for top in COPIED:
        found = [SOURCE / top] if (SOURCE / top).is_file() else sorted((SOURCE / top).rglob("*"))
        for path in found:
            relative = path.relative_to(SOURCE)
            if path.is_dir() or "__pycache__" in relative.parts or relative.parts[:2] == ("data", "cache"):
                continue
            kept.add(relative)
            copy, content = TREE / relative, path.read_bytes()
            if copy.exists() and copy.read_bytes() == content:
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    for path in TREE.rglob("*"):
        relative = path.relative_to(TREE)
        if relative.parts[0] != "build" and path.is_file() and relative not in kept and "__pycache__" not in str(relative):
            path.unlink()


def call(command, limit=None, **more):
    """The exit code and the output of a program; None is the code of one that took longer than it may."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, errors="replace",
                              **more)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as error:
        return None, (error.stdout or b"").decode(errors="replace")


def build(program):
    if program == "drawing":
        return True, ""
    code, said = call(["cmake", "--build", BUILD, "--parallel", os.environ.get("JOBS", "1"), "--target", program])
    return code == 0, said


def test(mutant, limit=None):
    """The exit code of the tests that should catch the mutant, what they said and the seconds they took."""
    if mutant.program == "drawing":
        command = [sys.executable, TREE / "tests/drawing/figures.py", *mutant.filter.split()]
    else:
        command = [BUILD / "tests" / mutant.program, "--filenames-as-tags", "-w", "NoTests", mutant.filter]
    own = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "PYTHONDONTWRITEBYTECODE": "1"}
    begun = time.monotonic()
    code, said = call(command, limit, cwd=BUILD, env=os.environ | own)
    return code, said, time.monotonic() - begun


def patch(mutant, tree, *more):
    return call(["patch", "-p1", "-s", "-F0", "-N", "-f", "-i", mutant.path, *more], cwd=tree)


def restore(mutant):
    for name in mutant.files:
        shutil.copy(SOURCE / name, TREE / name)
        for left in (".orig", ".rej"):
            (TREE / (name + left)).unlink(missing_ok=True)


def digest(mutant):
    """Of the patch, the files it changes and the tests that it is given to."""
    seen = hashlib.sha256(mutant.text.encode())
    tests = SOURCE / "tests" / mutant.program.removeprefix("test_")
    for path in [SOURCE / name for name in mutant.files] + sorted(each for each in tests.rglob("*.?pp")):
        seen.update(path.read_bytes())
    return seen.hexdigest()


def outcome(mutant, base_seconds):
    """`caught`, `hangs` or `survived`."""
    restore(mutant)
    code, said = patch(mutant, TREE)
    if code != 0:
        restore(mutant)
        raise Wrong(f"{mutant.name}: the patch does not apply:\n{said}")
    try:
        built, said = build(mutant.program)
        if not built:
            raise Wrong(f"{mutant.name}: what it makes does not build:\n{said[-2000:]}")
        code, _, _ = test(mutant, max(LEAST_PATIENCE, 10 * base_seconds))
        return "survived" if code == 0 else "hangs" if code is None else "caught"
    finally:
        restore(mutant)


def check_unmutated(mutant, bases):
    """Seconds of the mutant's tests on the right code, which must pass."""
    key = (mutant.program, mutant.filter)
    if key not in bases:
        built, said = build(mutant.program)
        if not built:
            raise Wrong(f"{mutant.program} does not build without any bug:\n{said[-2000:]}")
        code, said, seconds = test(mutant)
        if code != 0:
            raise Wrong(f"{mutant.name}: {mutant.program} '{mutant.filter}' fails, or has no test, without any bug:\n"
                        f"{said[-2000:]}")
        bases[key] = seconds
    return bases[key]


def read_mutants(asked):
    """Those that are asked for, all of which must apply to the tree."""
    wrong, mutants = [], []
    for path in sorted(HERE.glob("*/*.patch")):
        if asked and path.parent.name not in asked and f"{path.parent.name}/{path.stem}" not in asked:
            continue
        try:
            mutants.append(Mutant(path))
            code, said = patch(mutants[-1], SOURCE, "--dry-run")
            if code != 0:
                raise Wrong(f"{mutants[-1].name}: the patch does not apply:\n{said}")
        except Wrong as error:
            wrong.append(str(error))
    if wrong:
        sys.exit("\n".join(wrong))
    return mutants


def main():
    asked = os.environ.get("ONLY", "").split()
    folders = sorted(each.name for each in HERE.iterdir() if each.is_dir() and each.name != "__pycache__")
    for name in asked:
        if name not in folders and not (HERE / f"{name}.patch").exists():
            sys.exit(f"make mutants: ONLY={name}: there is no such folder or patch. There are {', '.join(folders)}.")
    mutants = read_mutants(asked)
    if os.environ.get("DRY"):
        print(f"All of {len(mutants)} patches apply.")
        return
    TREE.mkdir(parents=True, exist_ok=True)
    lock = open(WORK / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"make mutants: another one is at work in {TREE}; wait for its end, or stop it.")
    known = {} if os.environ.get("AGAIN") or not KNOWN.exists() else json.loads(KNOWN.read_text())
    copy_tree()
    cache = SOURCE / "data" / "cache"
    if cache.is_dir():
        os.environ.setdefault("RFBENCH_DATA", str(cache))

    if not (BUILD / "CMakeCache.txt").exists():
        code, said = call(["cmake", "--preset", "release",
                           "-DRFBENCH_JOINED=1",  # a bug changes one file
                           f"-DRFBENCH_WERROR={os.environ.get('CXXWARN') or 'OFF'}",
                           *(["-G", "Ninja"] if shutil.which("ninja") else [])], cwd=TREE)
        if code != 0:
            sys.exit(said)

    wrong, bases, counts, survivors = [], {}, {}, []
    for number, mutant in enumerate(sorted(mutants, key=lambda each: (each.program, each.name)), 1):
        own = digest(mutant)
        if known.get(mutant.name, {}).get("digest") != own:
            try:
                begun = time.monotonic()
                result = outcome(mutant, check_unmutated(mutant, bases))
                known[mutant.name] = {"digest": own, "outcome": result, "seconds": round(time.monotonic() - begun, 1)}
                KNOWN.with_suffix(".new").write_text(json.dumps(known, indent=1))
                KNOWN.with_suffix(".new").replace(KNOWN)
            except Wrong as error:
                print(f"WRONG    {error}", flush=True)
                wrong.append(mutant.name)
                continue
        result = known[mutant.name]["outcome"]
        print(f"{result:8} {number:3}/{len(mutants)}  {mutant.name}: {mutant.what}", flush=True)
        caught, all_of_folder = counts.get(mutant.path.parent.name, (0, 0))
        counts[mutant.path.parent.name] = caught + (result != "survived"), all_of_folder + 1
        if result == "survived":
            survivors.append(mutant)

    print("\nfolder          caught / all")
    for folder, (caught, every) in sorted(counts.items()):
        print(f"{folder:15} {caught:6} / {every}")
    caught, every = (sum(each[i] for each in counts.values()) for i in (0, 1))
    print(f"{'all':15} {caught:6} / {every}")
    for mutant in survivors:
        print(f"survived: {mutant.name}: {mutant.what} ({mutant.program} '{mutant.filter}')")
    for name in wrong:
        print(f"no mutant, see above: {name}")
    sys.exit(1 if survivors or wrong else 0)


if __name__ == "__main__":
    main()

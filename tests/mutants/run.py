"""Plants each bug of tests/mutants/ in a copy of the tree, and sees whether the tests that should catch it do.

python3 tests/mutants/run.py, with ONLY (folders, or <folder>/<name>), AGAIN (anything: forget what is known) and DRY
(anything: only whether every bug can be planted) in the environment. A bug is an entry of tests/mutants/<folder>.yaml,
under the file that it changes:

    framework/transforms/cosine.cpp:
      first-cosine-not-smaller:
        bug: The first entry of a cosine transform is larger by the root of two.
        line: quarters_[0] /= std::numbers::sqrt2_v<Scalar>;
        becomes: ''
        caught by: test_transforms [#cosine]

`line` stands once in the file, whatever its indentation; it may be several lines, or a list of places. `caught by` is a
test program and its filter; `drawing CASE` is a case of tests/drawing/figures.py, `code CASE` of
tests/code/digests.py, `setup CASE` of tests/setup/check.py, `python MODULE.CLASS` one of tests/python/. The copy is
build/mutants/tree: the tree that is worked in is never touched.

Outcomes stay in build/mutants/known.json, so that a run that is interrupted goes on. An outcome holds as long as the
entry, the file that it changes and the tests of the program are what they were.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
WORK = SOURCE / "build" / "mutants"
TREE = WORK / "tree"
BUILD = TREE / "build" / "release"
KNOWN = WORK / "known.json"
COPIED = ("CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "Makefile", "README.md", "cmake",
          "configs", "data", "docs", "experiments", "framework", "results/reference", "tests")
SCRIPTS = {"code": "tests/code/digests.py", "drawing": "tests/drawing/figures.py", "setup": "tests/setup/check.py"}
LEAST_PATIENCE = 120  # seconds: a mutant that takes ten times what the right code does, and no less, hangs


class Wrong(Exception):
    """Makes a score meaningless: a bug that cannot be planted or built, a test that fails without any bug."""


class UniqueKeys(yaml.SafeLoader):
    """Refuses a key that stands twice in a map, of whose values PyYAML would keep the last alone."""

    def construct_mapping(self, node, deep=False):
        names = [key.value for key, _ in node.value]
        for name in names:
            if names.count(name) > 1:
                raise Wrong(f"{node.start_mark.name}: '{name}' stands twice")
        return super().construct_mapping(node, deep)


class Mutant:
    def __init__(self, folder, file, name, entry):
        self.folder, self.file, self.name = folder, file, f"{folder}/{name}"
        keys = {"bug", "line", "becomes", "caught by"}
        if not isinstance(entry, dict) or set(entry) != keys:
            raise Wrong(f"{self.name}: an entry has the keys {', '.join(sorted(keys))}")
        self.entry, self.what = entry, entry["bug"]
        self.program, _, self.filter = entry["caught by"].partition(" ")

    def planted(self, text):
        """The file's text with the bug in it."""
        places = zip(*(each if isinstance(each, list) else [each] for each in (self.entry["line"], self.entry["becomes"])),
                     strict=True)
        lines = text.splitlines()
        for old, new in places:
            wanted = [line.strip() for line in old.splitlines()]
            found = [at for at in range(len(lines)) if [line.strip() for line in lines[at:at + len(wanted)]] == wanted]
            if len(found) != 1:
                raise Wrong(f"{self.name}: {self.file} has {len(found) or 'no'} places that read `{wanted[0]}`")
            # Lines of both texts are indented alike, and the file's first one says how far.
            first = lines[found[0]]
            indent = first[:len(first) - len(first.lstrip())].removesuffix(old[:len(old) - len(old.lstrip())])
            lines[found[0]:found[0] + len(wanted)] = textwrap.indent(new, indent).splitlines()
        return "\n".join(lines) + "\n"


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
    if program in SCRIPTS:
        return True, ""
    target = "test_python" if program == "python" else program
    code, said = call(["cmake", "--build", BUILD, "--parallel", os.environ.get("JOBS", "1"), "--target", target])
    return code == 0, said


def test(mutant, limit=None):
    """The exit code of the tests that should catch the mutant, what they said and the seconds they took."""
    if mutant.program in SCRIPTS:
        command = [sys.executable, TREE / SCRIPTS[mutant.program], *mutant.filter.split()]
    elif mutant.program == "python":
        command = [sys.executable, "-m", "unittest", *mutant.filter.split()]
    else:
        command = [BUILD / "tests" / mutant.program, "--filenames-as-tags", "-w", "NoTests", mutant.filter]
    own = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "PYTHONDONTWRITEBYTECODE": "1",
           "RFBENCH_PROGRAM": str(BUILD / "rfbench"),
           "PYTHONPATH": os.pathsep.join(map(str, (BUILD / "python", TREE / "tests/python", TREE / "cmake")))}
    begun = time.monotonic()
    code, said = call(command, limit, cwd=BUILD, env=os.environ | own)
    return code, said, time.monotonic() - begun


def restore(mutant):
    shutil.copy(SOURCE / mutant.file, TREE / mutant.file)


def digest(mutant):
    """SHA-256 of the entry, the file that it changes and the tests that it is given to."""
    seen = hashlib.sha256(json.dumps(mutant.entry, sort_keys=True).encode())
    tests = SOURCE / "tests" / mutant.program.removeprefix("test_")
    for path in [SOURCE / mutant.file] + sorted(each for end in ("?pp", "py") for each in tests.rglob(f"*.{end}")):
        seen.update(path.read_bytes())
    return seen.hexdigest()


def outcome(mutant, base_seconds):
    """`caught`, `hangs` or `survived`."""
    restore(mutant)
    try:
        (TREE / mutant.file).write_text(mutant.planted((SOURCE / mutant.file).read_text()))
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
    """The mutants that are asked for, each of which must be plantable."""
    wrong, mutants = [f"{path}: bugs are entries of a table" for path in sorted(HERE.glob("*/*.patch"))], []
    for path in sorted(HERE.glob("*.yaml")):
        try:
            with path.open() as table:
                bugs = yaml.load(table, UniqueKeys)
        except Wrong as error:
            wrong.append(str(error))
            continue
        for file, entries in bugs.items():
            for name, entry in entries.items():
                if asked and path.stem not in asked and f"{path.stem}/{name}" not in asked:
                    continue
                try:
                    mutants.append(Mutant(path.stem, file, name, entry))
                    mutants[-1].planted((SOURCE / file).read_text())
                except (Wrong, OSError) as error:
                    wrong.append(str(error))
    if wrong:
        sys.exit("\n".join(wrong))
    return mutants


def main():
    asked = os.environ.get("ONLY", "").split()
    mutants = read_mutants(asked)
    known_names = {mutant.name for mutant in mutants} | {mutant.folder for mutant in mutants}
    for name in asked:
        if name not in known_names:
            folders = ", ".join(sorted(path.stem for path in HERE.glob("*.yaml")))
            sys.exit(f"make mutants: ONLY={name}: there is no such folder or bug. There are {folders}.")
    if os.environ.get("DRY"):
        print(f"All of {len(mutants)} bugs can be planted.")
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
        caught, all_of_folder = counts.get(mutant.folder, (0, 0))
        counts[mutant.folder] = caught + (result != "survived"), all_of_folder + 1
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

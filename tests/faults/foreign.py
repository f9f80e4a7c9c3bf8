"""Somebody else's results folder, and damaged lists in one's own: what they make a run do.

A foreign folder names files outside of itself in sound lists, or has links in the place of its own: nothing outside may
change, whatever is said to it. Damaged lists may cost no cell, and are mended by the next run.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess

KEPT = {"capture_output": True, "text": True, "errors": "replace", "timeout": 120}
PLACE = pathlib.Path("variance/sweep")


def sealed(lines):
    """A list as the program writes it, with the sha256 of its lines in the last one: it is sound but for its names."""
    text = "".join(f"{sha256}  {name}\n" for sha256, name in lines)
    return text + f"# sha256 of the lines above: {hashlib.sha256(text.encode()).hexdigest()}\n"


def below(folder):
    """All that is below a folder: files by their bytes, folders, and links by what they lead to."""
    return {path.relative_to(folder): os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes()
            for path in folder.rglob("*")}


class Foreign:
    def __init__(self, faults):
        self.faults = faults
        self.kept, self.outside = faults.folder / "sound", faults.folder / "outside"
        faults.run(self.kept)
        self.say(self.kept, "table")

    def say(self, results, verb):
        if verb == "run":
            return self.faults.run(results, "--fresh")
        command = ["collect", results, "--results", self.faults.results("ours")] if verb == "collect" else \
            [verb, "--results", results]
        return subprocess.run([self.faults.program, *command], **KEPT)

    def copy(self, name):
        results = self.faults.results(name)
        shutil.copytree(self.kept, results, symlinks=True)
        return results

    def fill_outside(self):
        shutil.rmtree(self.outside, ignore_errors=True)
        self.outside.mkdir()
        for name in ("victim", "sweep.md", "sweep.svg", "lock", "journal", "cells", "SHA256SUMS", "a-1-a.pack", "sweep.h5"):
            (self.outside / name).write_text("precious\n")
        return hashlib.sha256(b"precious\n").hexdigest()

    # Ways out

    def named(self, place, sha256, name):
        """A sound list names a file outside."""
        (place / "SHA256SUMS").write_text(sealed([(sha256, name)]))

    def left(self, place, sha256, name):
        """A replacement that was stopped names one, as a file before it or as one that is to take its place."""
        for own, before in (("next-1", []), ("next-2", [(sha256, name)])):
            (place / own / "before").mkdir(parents=True)
            (place / own / "before/SHA256SUMS").write_text(sealed(before))
            (place / own / "SHA256SUMS").write_text(sealed([(sha256, name)] if not before else []))
        made = pathlib.Path(os.path.normpath(place / "next-1" / name.removeprefix("../")))
        if not name.startswith("/") and place in made.parents:
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text("another\n")

    def linked(self, results, name):
        """A link stands in the place of one of its folders or files."""
        path = results / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(self.outside / path.name if (self.outside / path.name).is_file() else self.outside)

    def foreign(self):
        """Nothing outside of a foreign folder is made, changed or removed."""
        out = "../" * 6 + "outside/victim"  # from tables/ of a result, and beyond
        names = [f"tables/{'../' * up}outside/victim" for up in (4, 5)] + [out, str(self.outside / "victim"), "../../x/../" + out]
        linked = ["variance", PLACE, PLACE / "tables", PLACE / "figures", PLACE / "lock", PLACE / "journal", PLACE / "cells",
                  PLACE / "SHA256SUMS", PLACE / "next-1", PLACE / "next-1/tables", PLACE / "shards", "cells", "cells/checkpoints",
                  "cells/a-1-a.pack", "variance/sweep.h5", "index.html"]
        cases = [(how, name) for how in ("named", "left") for name in names] + [("linked", name) for name in linked]
        verbs = ["run", "table", "prune", "verify", "collect", "plot"]
        cases = [(verb, *case) for verb in verbs for case in cases]
        self.faults.random.shuffle(cases)
        injected = lost = 0
        for number in self.faults.until(0.1):
            if number == len(cases):
                break
            verb, how, name = cases[number]
            results = self.copy("foreign")
            sha256 = self.fill_outside()
            if how == "linked":
                self.linked(results, name)
            else:
                getattr(self, how)(results / PLACE, sha256, name)
            before = below(self.outside)
            done = self.say(results, verb)
            injected += 1
            if below(self.outside) != before or done.returncode < 0 or done.returncode > 5:
                lost += 1
                print(f"{verb}, {how} {name}: exit {done.returncode} {done.stderr[-300:]}", flush=True)
        self.faults.row("a foreign folder whose lists and links lead out of it", f"{injected} of {len(cases)}", lost)

    # Damage of lists

    def damaged(self, text):
        """Bytes of a list, damaged in one of many ways, and the way."""
        at = self.faults.random.randrange(len(text))
        lines = text.splitlines(keepends=True)
        line = self.faults.random.randrange(len(lines))
        end = len(b"".join(lines[:line + 1])) - 1
        how = self.faults.random.choice(("bit", "cut", "cut at a line", "line", "nul", "malformed", "emptied"))
        return how, {"bit": text[:at] + bytes([text[at] ^ 1 << at % 8]) + text[at + 1:],
                     "cut": text[:at],
                     "cut at a line": b"".join(lines[:line]),
                     "line": b"".join(lines[:line] + lines[line + 1:]),
                     "nul": text[:end] + b"\0" + text[end + 1:],
                     "malformed": b"".join(lines[:line] + [b"x" + lines[line]] + lines[line + 1:]),
                     "emptied": b""}[how]

    def lists(self):
        """A list is damaged or missing: no cell goes, and after a run all is as it was."""
        injected = lost = unseen = 0
        for number in self.faults.until(0.1):
            results = self.copy("lists")
            name = ("SHA256SUMS", "cells", "next-1/SHA256SUMS")[number % 3]
            path = results / PLACE / name
            path.parent.mkdir(exist_ok=True)
            how, text = self.damaged((results / PLACE / pathlib.Path(name).name).read_bytes())
            path.write_bytes(text)
            if number % 10 == 9:
                how, _ = "missing", path.unlink()
            told = self.say(results, "verify")
            self.say(results, "prune")
            kept = self.faults.done(results) == self.faults.cells
            mended = self.faults.run(results)
            shown = self.say(results, "table")
            after = self.say(results, "verify")
            injected += 1
            unseen += told.returncode == 0
            if not (kept and self.faults.is_right(results) and mended.returncode == shown.returncode == after.returncode == 0):
                lost += 1
                print(f"{name}, {how}: cells {'kept' if kept else 'gone'}, run {mended.returncode}, table {shown.returncode}, "
                      f"verify {told.returncode} and {after.returncode}", flush=True)
        self.faults.row("a list damaged, cut, emptied or gone", injected, lost,
                        f"{unseen} not seen by verify; `prune`, then `run`, `table` and `verify`")

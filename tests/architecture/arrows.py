"""Checks the picture of arrows in docs/architecture.md against the includes of framework/ and experiments/.

The picture is the code block that has `cli -> experiments`. Chains `a -> b -> c` stand on lines of their
own, or two spaces apart; braces hold several folders. A folder may include another one that its arrows lead to. python3 tests/architecture/arrows.py runs the tests.
"""

import re
import unittest
from itertools import pairwise
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
INCLUDE = re.compile(r'^#include "rfbench/([a-z_]+)/', re.MULTILINE)


def arrows(picture):
    """Folder -> folders that its arrows lead to directly."""
    found = {}
    for chain in re.split(r"\n|  +", picture):
        groups = [re.findall(r"[a-z_]+", group) for group in chain.split("->")]
        for left, right in pairwise(groups):
            for folder in left:
                found.setdefault(folder, set()).update(right)
    return found


def reached(folder, found):
    """Folders that arrows lead to from a folder, over others too."""
    open_ends, seen = [folder], set()
    while open_ends:
        for next_one in found.get(open_ends.pop(), ()):
            if next_one not in seen:
                seen.add(next_one)
                open_ends.append(next_one)
    return seen


def faults(picture, includes):
    """A sentence for each circle, folder that is not in the picture, and include against the arrows.

    `includes` is a list of (file, its folder, included folder).
    """
    found = arrows(picture)
    drawn = set(found).union(*found.values())
    said = [f"{folder} is on a circle of arrows" for folder in sorted(found) if folder in reached(folder, found)]
    for folder in sorted({folder for _, *both in includes for folder in both} - drawn):
        said.append(f"{folder} is not in the picture")
    for file, folder, included in includes:
        if included != folder and included in drawn and included not in reached(folder, found):
            said.append(f"{file} includes {included}, and no arrow leads there from {folder}")
    return said


def includes_of_the_tree():
    """Every include of one folder by a file of another. Files of framework/ itself, such as errors.hpp, are everybody's."""
    for path in sorted([*SOURCE.glob("framework/*/**/*.?pp"), *SOURCE.glob("experiments/**/*.?pp")]):
        file = path.relative_to(SOURCE)
        folder = file.parts[1] if file.parts[0] == "framework" else "experiments"
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            yield str(file), folder, included


class Arrows(unittest.TestCase):
    def test_the_picture_agrees_with_the_includes(self):
        blocks = (SOURCE / "docs/architecture.md").read_text(encoding="utf-8").split("```")
        picture = next(block for block in blocks if "cli -> experiments" in block)
        self.assertEqual(faults(picture, list(includes_of_the_tree())), [])

    def test_an_include_against_the_arrows_is_told(self):
        picture = "a -> {b, c} -> d\n"
        self.assertEqual(faults(picture, [("a/x.cpp", "a", "d"), ("c/x.cpp", "c", "d")]), [])
        self.assertEqual(faults(picture, [("d/x.cpp", "d", "a")]), ["d/x.cpp includes a, and no arrow leads there from d"])
        self.assertEqual(faults(picture, [("b/x.cpp", "b", "c")]), ["b/x.cpp includes c, and no arrow leads there from b"])
        self.assertEqual(faults(picture, [("a/x.cpp", "a", "e")]), ["e is not in the picture"])

    def test_a_circle_is_told(self):
        self.assertEqual(faults("a -> b\nb -> a\n", []), ["a is on a circle of arrows", "b is on a circle of arrows"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Proposes a look for a name that looks.json lacks: python3 propose.py NAME FAMILY

The colour is far from those of the family for all sights, and of their hues if it can be; no other of the family has
the dash and mark.
Prints the line of looks.json, and how far the colour is from its nearest neighbour.
"""
import itertools
import json
import sys

sys.dont_write_bytecode = True  # the folder may be an installed one
MISSING_MATPLOTLIB = 3  # exit code

try:
    import numpy as np
    from looks import DASHES, looks_table
except ImportError as missing:
    print(f"{missing}", file=sys.stderr)
    sys.exit(MISSING_MATPLOTLIB)

from sight import APART, FROM_WHITE, distances, seen

STEPS = range(0, 256, 15)  # of red, green and blue
LIGHTEST, GREY, KIN = 85, 5, 25  # lightness at most; chroma below which there is no hue; degrees of kindred hues


def hues(colours):
    """Angles in CIELAB's plane of colours, as complex numbers of length one; 0 for greys."""
    lab = seen(colours, "normal")
    plane = lab[:, 1] + 1j * lab[:, 2]
    return np.where(abs(plane) > GREY, plane / np.maximum(abs(plane), GREY), 0)


def free_colour(taken):
    """The colour farthest from all that are taken, and its distance to the nearest: of the hues of those where one is
    far enough, else of any."""
    candidates = [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in itertools.product(STEPS, repeat=3)]
    apart = distances(candidates, taken).min(axis=1)
    pale = (distances(candidates, ["#ffffff"])[:, 0] <= FROM_WHITE) | (seen(candidates, "normal")[:, 0] > LIGHTEST)
    apart[pale] = 0  # lost on the page
    kin = np.max((hues(candidates)[:, None] * np.conj(hues(taken))[None]).real, axis=1) >= np.cos(np.radians(KIN))
    best = int(np.argmax(np.where(kin, apart, 0)))
    if apart[best] <= APART + 1:
        best = int(np.argmax(apart))
    return candidates[best], float(apart[best])


def free_shape(looks, marks):
    """The dash that fewest have, and the mark that fewest have; both together are free."""
    def rarest(values, key):
        return sorted(values, key=lambda value: sum(look[key] == value for look in looks))
    taken = {(look["dash"], look["mark"]) for look in looks}
    pairs = itertools.product(rarest(marks, "mark"), rarest(DASHES, "dash"))
    return next(((dash, mark) for mark, dash in pairs if (dash, mark) not in taken), (next(iter(DASHES)), marks[0]))


def proposed(family, table):
    """A look that the family has room for, and how far its colour is from the nearest."""
    looks = list(table["families"][family].values())
    colour, apart = free_colour([look["colour"] for look in looks])
    dash, mark = free_shape(looks, table["unknown"]["marks"])
    return {"colour": colour, "dash": dash, "mark": mark}, apart


def main():
    name, family = sys.argv[1:3]
    table = looks_table()
    if family not in table["families"]:
        print(f"there is no family '{family}' of looks; there are {', '.join(table['families'])}", file=sys.stderr)
        return 2
    for where, looks in table["families"].items():
        if name in looks:
            print(f"{json.dumps(name)}: {json.dumps(looks[name])}")
            print(f"# it has this look already, in the family {where} of framework/drawing/looks.json")
            return 0
    look, apart = proposed(family, table)
    print(f"{json.dumps(name)}: {json.dumps(look)}")
    print(f"# a line of the family {family} in framework/drawing/looks.json; its colour is {apart:.0f} from the nearest "
          f"there ({APART} are needed)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws rfbench's figures: python3 draw.py FIGURE.json... [--style FILE.mplstyle] [--no-title]

Each FIGURE.json becomes FIGURE.svg and FIGURE.pdf beside it, whole or not at all, with the same bytes for the same
input and the same matplotlib. docs/results.md says what a file may hold; looks.json beside this script says which
colour, dashes and mark a name has, rfbench.mplstyle the rest.
"""
import argparse
import difflib
import hashlib
import json
import math
import os
import re
import sys
import warnings

sys.dont_write_bytecode = True  # the folder may be an installed one
MISSING_MATPLOTLIB = 3  # exit code

try:
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.backends.backend_pdf
    import matplotlib.backends.backend_svg
    import matplotlib.pyplot as plt
except ImportError as missing:
    print(f"{missing}", file=sys.stderr)
    sys.exit(MISSING_MATPLOTLIB)

from files import save
from legends import shared_legend
from looks import HERE, Looks, looks_table
from panels import draw_panel, nothing_left_out, panel_height
from words import wrapped

ONE_COLUMN, TWO_COLUMNS = 3.5, 7.2  # inches, of a journal's page
GREY = "#555555"


def notes_of(figure, left_out):
    """What bands and bars are, and what cannot be seen."""
    notes = [figure["interval"]] if figure.get("interval") else []
    unseen = [f"{label} ({count})" for label, count in left_out["unseen"].items() if count]
    if unseen:
        notes.append("Values ≤ 0, not drawn on log axes: " + ", ".join(unseen))
    for words, partly in (("No values: ", False), ("No values in some panels: ", True)):
        empty = [label for label in left_out["empty"] if (label in left_out["drawn"]) == partly]
        if empty:
            notes.append(words + ", ".join(empty))
    if left_out["beyond"]:
        notes.append("Triangles at the frame point to what lies beyond it")
    return notes


def drawn(figure, table, titled=True):
    """The whole figure, laid out; with its title in the picture or, for papers, which have it below, without."""
    panels, columns = figure["panels"], max(1, min(figure.get("columns", 1), len(figure["panels"])))
    figure["columns"] = columns
    width = figure.get("width") or (ONE_COLUMN if columns == 1 else TWO_COLUMNS)
    rows = math.ceil(len(panels) / columns)
    heights = [max(panel_height(p, columns) for p in panels[r * columns:(r + 1) * columns]) for r in range(rows)]
    canvas = plt.figure(figsize=(width, sum(heights)), layout="constrained")
    canvas.after_layout = []
    grid = canvas.add_gridspec(rows, columns, height_ratios=list(heights))
    looks, entries = Looks(table, figure), {}
    left_out = nothing_left_out()
    for i in range(len(panels)):
        listed = draw_panel(canvas, canvas.add_subplot(grid[i // columns, i % columns]), figure, i, looks, left_out,
                            width / columns - 0.6)
        for label, handle in listed.items():
            entries.setdefault(label, handle)

    left_out["beyond"] = bool(canvas.findobj(lambda artist: "-beyond-" in (artist.get_gid() or "")))

    # Title above, legend and notes below, panels in what is left.
    title = wrapped(figure.get("title", ""), 0.86 * width, 8) if titled else ""
    if title:
        heights.append(0.14 * (title.count("\n") + 1) + 0.06)
        canvas.suptitle(title, x=0.01, ha="left")
    below = "\n".join(wrapped(note, width - 0.1, 7) for note in notes_of(figure, left_out))
    note_height = 0.125 * (below.count("\n") + 1) + 0.04 if below else 0.0
    legend_height = shared_legend(canvas, entries, width)
    height = sum(heights) + legend_height + note_height
    canvas.set_size_inches(width, height)
    if below:
        words = canvas.text(0.05 / width, 0.03 / height, below, fontsize=7, color=GREY, va="bottom", gid="notes")
        words.set_in_layout(False)
    if entries:
        canvas.legends[-1].set_bbox_to_anchor((0.0, (note_height + 0.02) / height, 1.0, 1.0))
    bottom = (legend_height + note_height) / height
    canvas.get_layout_engine().set(rect=(0, bottom, 1, 1 - bottom), w_pad=0.04, h_pad=0.04, hspace=0.03,
                                   wspace=0.08 if any(p.get("map") for p in panels) else 0.03)  # labels of colour bars
    canvas.get_layout_engine().execute(canvas)
    canvas.set_layout_engine("none")
    for ax in canvas.axes:  # the solver of the layout goes by addresses in memory, which change the last bits
        for which in ("original", "active"):
            ax.set_position([round(float(part), 9) for part in ax.get_position(which == "original").bounds], which)
    for finish in canvas.after_layout:
        finish()
    return canvas


def draw_file(path, table, titled):
    with open(path, "rb") as file:
        content = file.read()
    figure = json.loads(content)
    for panel in figure["panels"]:
        for series in panel.get("series", []):
            series.setdefault("style", "line")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        canvas = drawn(figure, table, titled)
        try:
            save(canvas, figure, hashlib.sha256(content).hexdigest(), os.path.splitext(path)[0])
        finally:
            plt.close(canvas)
    say_missing_characters(figure["name"], [str(one.message) for one in said])


def say_missing_characters(name, warned):
    """Names the characters that no font has: boxes stand for them in the picture."""
    codes = {int(found[1]) for found in (re.match(r"Glyph (\d+) ", one) for one in warned) if found}
    if codes:
        named = ", ".join(f"{chr(code)} (U+{code:04X})" for code in sorted(codes))
        print(f"note: {name}: the font has no {named}, so that they are not seen. A font that has them can be named in a file "
              "for --style, under font.sans-serif", file=sys.stderr)


def check_style(path):
    """Refuses a file with settings that matplotlib does not know: it would draw without them."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            key = line.split("#")[0].split(":")[0].strip()
            if key and key not in matplotlib.rcParams:
                near = difflib.get_close_matches(key, matplotlib.rcParams, 1)
                sys.exit(f"{path}:{number}: there is no setting '{key}'" + (f"; did you mean '{near[0]}'?" if near else ""))


def prepare(style=None):
    """Our settings and a file of the reader's over them, not those that a matplotlib finds on this machine."""
    matplotlib.rcdefaults()
    if style:
        check_style(style)
    plt.style.use([os.path.join(HERE, "rfbench.mplstyle")] + ([style] if style else []))
    matplotlib.rcParams.update({"svg.hashsalt": "rfbench", "text.parse_math": False, "text.usetex": False})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("figures", nargs="+", metavar="FIGURE.json")
    parser.add_argument("--no-title", action="store_true", help="leave the title out of the picture, for papers")
    parser.add_argument("--style", metavar="FILE", help="matplotlib settings over those of rfbench.mplstyle")
    options = parser.parse_args()
    prepare(options.style)
    table = looks_table()
    failed = False
    for path in options.figures:
        try:
            draw_file(path, table, not options.no_title)
            print(path, flush=True)
        except Exception as error:  # one figure that cannot be drawn leaves the others
            failed = True
            print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws rfbench's figures: python3 draw.py FIGURE.json... [--style FILE.mplstyle]

Each FIGURE.json becomes FIGURE.svg and FIGURE.pdf beside it, whole or not at all, with the same bytes for the same
input and the same matplotlib. docs/results.md says what a file may hold; looks.json beside this script says which
colour, dashes and mark a name has, rfbench.mplstyle the rest.
"""
import argparse
import collections
import hashlib
import io
import json
import math
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MISSING_MATPLOTLIB = 3  # exit code

try:
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.backends.backend_pdf
    import matplotlib.backends.backend_svg
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib import colors, lines, patheffects, ticker
    from matplotlib.textpath import text_to_path
except ImportError as missing:
    print(f"{missing}", file=sys.stderr)
    sys.exit(MISSING_MATPLOTLIB)

ONE_COLUMN, TWO_COLUMNS = 3.5, 7.2  # inches, of a journal's page
PANEL_HEIGHT = {1: 2.3, 2: 2.2, 3: 1.85, 4: 1.45}  # inches, by the number of columns
GREY = "#555555"
DASHES = {"solid": "-", "dashed": (0, (5, 1.6)), "dotted": (0, (1.2, 1.2)), "dash-dot": (0, (5, 1.4, 1.2, 1.4)),
          "short": (0, (2.6, 1.2)), "long": (0, (9, 2)), "dash-dot-dot": (0, (5, 1.2, 1.2, 1.2, 1.2, 1.2))}


# Numbers and text

def number(value):
    """As in a paper: 0.25, 2000, 3·10⁻⁷."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "∞" if value > 0 else "−∞"
    power = math.floor(math.log10(abs(value)) + 1e-9)
    if -4 < power < 5:
        return f"{value:.6g}".replace("-", "−")
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    factor = f"{value / 10.0 ** power:.4g}"
    sign, factor = ("−", factor[1:]) if factor[0] == "-" else ("", factor)
    return f"{sign}10{raised}" if factor == "1" else f"{sign}{factor}·10{raised}"


def shown(text):
    """What a file of text cannot hold is shown as the sign for a lost character."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]", "\ufffd", text)


def wrapped(text, inches, size):
    """Lines not wider than that, broken at spaces; breaks that the text has stay."""
    font = matplotlib.font_manager.FontProperties(size=size)
    fits = lambda line: text_to_path.get_text_width_height_descent(line, font, False)[0] <= 72 * inches
    result = []
    for paragraph in shown(text).split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if line and not fits(longer):
                result.append(line)
                longer = word
            line = longer
        result.append(line)
    return "\n".join(result)


def values(numbers):
    """null is a gap; "inf" and "-inf" are what they say."""
    return np.array([math.nan if v is None else float(v) for v in numbers])


# Looks: by name, the same in all figures

class Looks:
    """Chooses colour, dashes and mark for every label of one figure."""

    def __init__(self, table, figure):
        self.known = {name: look for family in table["families"].values() for name, look in family.items()}
        self.parts = table["families"]["samplings"]
        self.aliases, self.spare = table["aliases"], table["unknown"]
        self.chosen = {}
        series = [s for panel in figure["panels"] for s in panel.get("series", [])]
        own = [s for s in series if not s.get("like")]
        for label in dict.fromkeys(s["label"] for s in own if s["style"] == "reference"):
            self.chosen[label] = self.reference(len(self.chosen))
        labels = list(dict.fromkeys(s["label"] for s in own if s["style"] != "reference"))
        self.ordered(labels)
        for wanted in (self.named, self.unknown):  # names have their looks before others choose among what is left
            for label in labels:
                if label not in self.chosen and (look := wanted(label)):
                    self.chosen[label] = look
        for s in series:
            if s.get("like"):
                self.chosen.setdefault(s["label"], self.chosen.get(s["like"]) or self.named(s["like"])
                                       or self.unknown(s["like"]))
        for s in series:
            if "look" in s:
                self.chosen[s["label"]] = {**self.chosen[s["label"]], **s["look"]}

    def __getitem__(self, label):
        return self.chosen[label]

    @staticmethod
    def reference(i):
        return {"colour": ("#555555", "#999999")[i // 4 % 2], "mark": "",
                "dash": ("dashed", "dotted", "dash-dot", "solid")[i % 4]}

    def ordered(self, labels):
        """Where most labels are values of one quantity, "d = 2", "d = 8", ..., they are steps from dark to light."""
        steps = {}
        for label in labels:
            if match := re.fullmatch(r"(.+?) = ([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)", label):
                steps.setdefault(match[1], {})[label] = float(match[2])
        most = max(steps.values(), key=len, default={})
        if len(most) < 2 or 2 * len(most) < len(labels):
            return
        marks = self.spare["marks"]
        for i, label in enumerate(sorted(most, key=most.get)):
            colour = plt.get_cmap("viridis")(0.85 * i / (len(most) - 1))
            self.chosen[label] = {"colour": colors.to_hex(colour), "dash": "solid", "mark": marks[i % len(marks)]}

    def named(self, label):
        """A name of the table, alone or with more behind it: "positive, orthogonal" is dashed as orthogonal is, and
        "hybrid-not-conjugated" has the colour and mark of hybrid."""
        label = self.aliases.get(label, label)
        if label in self.known:
            return self.known[label]
        first, comma, rest = label.partition(", ")
        if not comma:
            first = max((n for n in self.known if label.startswith(n + "-")), key=len, default="")
            rest = label[len(first):]
        if first not in self.known:
            return None
        dash = self.parts[rest]["dash"] if rest in self.parts else self.pick(self.spare["dashes"], rest)
        return {**self.known[first], "dash": dash}

    @staticmethod
    def hashed(text):
        return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)

    def pick(self, choices, text):
        return choices[self.hashed(text) % len(choices)]

    def unknown(self, label):
        """The look its name hashes to, or, where another of this figure has that, the next that is free."""
        hues, dashes, marks = (self.spare[k] for k in ("colours", "dashes", "marks"))
        taken = {(look["colour"], look["dash"]) for look in self.chosen.values()}
        start = self.hashed(label) % len(hues)
        for i in range(len(hues) * len(dashes)):
            colour, dash = hues[(start + i) % len(hues)], dashes[i // len(hues)]
            if (colour, dash) not in taken:
                break
        return {"colour": colour, "dash": dash, "mark": marks[(start + i) % len(marks)]}


# Axes

def numbers_along(panel, axis):
    """All that is drawn along "x" or "y"."""
    keys = ("x",) if axis == "x" else ("y", "low", "high")
    parts = [values(s.get(k, [])) for s in panel.get("series", []) for k in keys]
    parts.append(values([line["at"] for line in panel.get("vertical" if axis == "x" else "horizontal", [])]))
    parts.append(values([note[axis] for note in panel.get("annotations", [])]))
    if panel.get("map"):
        parts.append(values(panel["map"][axis]))
    all_of_them = np.concatenate(parts)
    return all_of_them[np.isfinite(all_of_them)]


def limits(panel, axis):
    spec = panel[axis]
    if spec.get("range"):
        return spec["range"]
    found = numbers_along(panel, axis)
    if spec.get("log"):
        found = np.log10(found[found > 0])
    if not found.size:
        return (0.1, 10.0) if spec.get("log") else (0.0, 1.0)
    low, high = found.min(), found.max()
    if panel.get("map"):
        margin = 0.0
    elif high > low:
        margin = (0.05 if axis == "y" else 0.03) * (high - low)
    elif spec.get("log"):
        margin = 0.3
    else:
        margin = max(0.5, 0.1 * abs(high)) if high == round(high) else 0.1 * abs(high)
    low, high = low - margin, high + margin
    return (10.0 ** low, 10.0 ** high) if spec.get("log") else (low, high)


def few_values(found, log):
    """The values themselves where they are few and far enough apart to be the ticks."""
    distinct = np.unique(found)
    round_ones = all(value == round(value) or value == float(f"{value:.3g}") for value in distinct)
    if not 2 <= distinct.size <= 7 or not round_ones:
        return None
    at = np.log10(distinct) if log else distinct
    return distinct if np.diff(at).min() >= (at[-1] - at[0]) / 9 else None


def named_ticks(ax, axis, ticks, inches):
    texts = [shown(t["text"]) or number(t["at"]) for t in ticks]
    getattr(ax, f"{axis}axis").set_ticks([t["at"] for t in ticks], texts)
    if axis == "x" and 0.065 * max(map(len, texts)) * len(texts) > inches:  # they would overlap
        plt.setp(ax.get_xticklabels(), rotation=35, ha="right", rotation_mode="anchor")


def log_ticks(line, low, high):
    """Decades, or 1, 2, 5 where there are fewer than two."""
    decades = math.floor(math.log10(high) + 1e-9) - math.ceil(math.log10(low) - 1e-9) + 1
    if decades >= 2:
        line.set_major_locator(ticker.LogLocator(numticks=7))
        line.set_minor_locator(ticker.LogLocator(subs=range(2, 10), numticks=12))
    elif high / low >= 3:
        line.set_major_locator(ticker.LogLocator(subs=(1, 2, 5), numticks=12))
    else:
        line.set_major_locator(ticker.MaxNLocator(4))


def set_ticks(ax, panel, axis, inches):
    spec, line = panel[axis], getattr(ax, f"{axis}axis")
    line.set_minor_locator(ticker.NullLocator())
    if spec.get("ticks"):
        named_ticks(ax, axis, spec["ticks"], inches)
        return
    found, log = numbers_along(panel, axis), spec.get("log", False)
    whole = found.size > 0 and bool(np.all(found == np.round(found)))
    few = few_values(found[found > 0] if log else found, log) if axis == "x" and (log or whole) else None
    if few is not None and not panel.get("map"):
        line.set_major_locator(ticker.FixedLocator(few))
    elif log:
        log_ticks(line, *limits(panel, axis))
    else:
        apart = 0.42 if axis == "x" else 0.35  # inches
        line.set_major_locator(ticker.MaxNLocator(max(3, int(inches / apart)), integer=whole, steps=[1, 2, 2.5, 5, 10]))
    line.set_major_formatter(ticker.FuncFormatter(lambda v, _: number(v)))
    line.set_minor_formatter(ticker.NullFormatter())


def reference_lines(ax, panel, gid):
    """Lines across the panel; their words stand outside the frame, where no curve is."""
    for kind, draw, side in (("horizontal", ax.axhline, "right"), ("vertical", ax.axvline, "top")):
        marks = panel.get(kind, [])
        for i, mark in enumerate(marks):
            line = draw(mark["at"], color="#777777", linewidth=0.8, linestyle=DASHES["short"], zorder=1.5,
                        gid=f"{gid}-{kind}-{i + 1}")
            if panel.get("map"):  # seen on dark and light colours
                line.set(color="white", linestyle="-", zorder=3,
                         path_effects=[patheffects.Stroke(linewidth=2, foreground="black"), patheffects.Normal()])
        words = [m for m in marks if m.get("text")]
        if not words:
            continue
        beside = ax.secondary_yaxis("right") if side == "right" else ax.secondary_xaxis("top")
        line = beside.yaxis if side == "right" else beside.xaxis
        line.set_major_locator(ticker.FixedLocator([m["at"] for m in words]))
        line.set_minor_locator(ticker.NullLocator())
        line.set_major_formatter(ticker.FixedFormatter([wrapped(m["text"], 0.8, 7) for m in words]))
        beside.tick_params(length=0, pad=2)
        beside.spines[side].set_visible(False)


# Series

def draw_interval(ax, panel, series, drawn, look, gid, faint):
    """A band or bars from low to high; where they reach beyond a log axis, they reach the frame."""
    x, low, high = (values(series[k]) for k in ("x", "low", "high"))
    bottom, top = ax.get_ylim()
    drawn = drawn & ~np.isnan(low) & ~np.isnan(high)
    if series.get("spread") == "bars":
        part = ax.vlines(x[drawn], np.clip(low[drawn], bottom, top), np.clip(high[drawn], bottom, top),
                         color=look["colour"], linewidth=0.8)
    else:
        floor = bottom / 1e3 if panel["y"].get("log") else -1e300
        part = ax.fill_between(x, np.maximum(low, floor), np.minimum(high, 1e300), where=drawn, color=look["colour"],
                               alpha=0.09 if faint else 0.16, linewidth=0, zorder=1.2)
    part.set_gid(f"{gid}-interval")


def alone(y):
    """Points with a gap on either side, which no line would show."""
    there = np.concatenate([[False], np.isfinite(y), [False]])
    return there[1:-1] & ~there[:-2] & ~there[2:]


def stroke(series, y, look, place, count):
    """How a series is drawn. Each is thinner than the one before it and has its marks at other points, so that of
    curves which coincide all are seen."""
    settings, style = matplotlib.rcParams, series["style"]
    thicker = 1 + 0.6 * (1 - place / (count - 1)) if count > 1 else 1
    result = {"color": look["colour"], "linestyle": DASHES[look["dash"]], "markeredgewidth": 0.7,
              "linewidth": thicker * settings["lines.linewidth"],
              "markersize": (1 + 0.5 * (thicker - 1)) * settings["lines.markersize"]}
    mark = look["mark"] or "."
    if style == "points":
        result.update(linestyle="none", marker=mark, markersize=settings["lines.markersize"])
    elif style == "line and points":
        every = max(math.ceil(len(y) / 12), min(count, 2 * len(y) // 5), 1)
        result.update(marker=mark, markevery=(place % every, every))
    elif alone(y).any():
        result.update(marker=mark, markevery=list(np.flatnonzero(alone(y))))
    if style == "reference":
        result.update(linewidth=0.9, zorder=1.8)
    if style == "steps":
        result["drawstyle"] = "steps-post"
    return result


def mark_beyond(ax, x, y, look, gid):
    """Triangles at the edges of the axes, pointing to what lies beyond."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    inside_x, inside_y = (x >= left) & (x <= right), (y >= bottom) & (y <= top)
    edges = ((inside_x & (y > top), x, np.full_like(y, top), "^"),
             (inside_x & (y < bottom), x, np.full_like(y, bottom), "v"),
             (inside_y & (x > right), np.full_like(x, right), y, ">"),
             (inside_y & (x < left), np.full_like(x, left), y, "<"))
    for there, at_x, at_y, mark in edges:
        if there.any():
            ax.plot(at_x[there], at_y[there], linestyle="none", marker=mark, markersize=4.2, color=look["colour"],
                    clip_on=False, zorder=5, gid=f"{gid}-beyond-{mark}")


def first_of_each_run(there):
    return there & ~np.concatenate([[False], there[:-1]])


def draw_series(ax, panel, series, look, gid, places):
    """The series, its interval, and what is beyond; returns how many values <= 0 a log axis does not show, and whether
    there are none at all."""
    x, y = values(series["x"]), values(series["y"])
    unseen = np.zeros(len(x), bool)
    for along, axis in ((x, "x"), (y, "y")):
        if panel[axis].get("log"):
            unseen |= along <= 0
    drawn = np.isfinite(y) & ~unseen
    finite = np.where(drawn, y, math.nan)
    if "low" in series:
        draw_interval(ax, panel, series, drawn, look, gid, faint=len(places) > 4)
    ax.plot(x, finite, gid=gid, **stroke(series, finite, look, *places.get(series["label"], (0, 1))))

    # Of points every one that is cut off is marked, of a line where each part leaves.
    bottom, top = ax.get_ylim()
    seen = np.where(unseen, math.nan, y)
    if series["style"] != "points":
        off = (seen > top) | (seen < bottom)
        seen[off & ~first_of_each_run(off)] = math.nan
    mark_beyond(ax, x, seen, look, gid)
    if series.get("spread") == "bars" and "low" in series:
        low, high = values(series["low"]), values(series["high"])
        if panel["y"].get("log"):
            low[low <= 0] = math.nan
        for end, name in ((low, "low"), (high, "high")):
            mark_beyond(ax, x, np.where(drawn, end, math.nan), look, f"{gid}-{name}")

    return int(unseen.sum()), bool(np.isnan(y).all())


# Maps

def edges_of(nodes, log):
    at = np.log(nodes) if log else nodes
    middle = (at[1:] + at[:-1]) / 2
    edges = np.concatenate([[2 * at[0] - middle[0]], middle, [2 * at[-1] - middle[-1]]])
    return np.exp(edges) if log else edges


def label_contours(ax, contours):
    """Numbers on the lines, where no other number is and the frame is not near."""
    inside, taken, chosen = ax.get_window_extent(), [], []
    tried = ax.clabel(contours, fmt=number, fontsize=7, inline=False)
    for text in tried:
        box = text.get_window_extent().padded(2)
        if inside.x0 < box.x0 and box.x1 < inside.x1 and inside.y0 < box.y0 and box.y1 < inside.y1 \
                and not any(box.overlaps(other) for other in taken):
            taken.append(box)
            chosen.append(text.get_position())
    for text in tried:
        text.remove()
    if chosen:
        ax.clabel(contours, fmt=number, fontsize=7, inline=True, inline_spacing=2, manual=chosen)


def draw_map(figure, ax, panel, gid):
    spec = panel["map"]
    x, y = values(spec["x"]), values(spec["y"])
    z = np.ma.masked_invalid(np.array([values(column) for column in spec["z"]])).T
    ax.set_facecolor("#f2f2f2")
    ax.grid(False)
    if z.count() == 0:
        no_values(ax)
        return
    low, high = spec.get("range") or (z.min(), z.max())
    low, high = float(low), float(high)
    diverging = spec.get("palette") == "diverging"
    if diverging:
        reach = max(abs(low), abs(high)) or 1.0
        low, high = -reach, reach
    elif low == high:
        low, high = low - 0.5, high + 0.5
    mesh = ax.pcolormesh(edges_of(x, panel["x"].get("log")), edges_of(y, panel["y"].get("log")), z,
                         cmap="RdBu_r" if diverging else None, norm=colors.Normalize(low, high), rasterized=True)
    mesh.set_gid(f"{gid}-map")
    beyond = {(True, True): "both", (True, False): "min", (False, True): "max", (False, False): "neither"}
    bar = figure.colorbar(mesh, ax=ax, aspect=25, pad=0.03, extend=beyond[bool(z.min() < low), bool(z.max() > high)])
    bar.set_label(shown(spec["label"]))
    bar.ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: number(v)))
    bar.outline.set_linewidth(0.5)
    if diverging and z.min() < z.max():
        bar.ax.set_ylim(max(low, z.min()), min(high, z.max()))
    levels = sorted({level for level in spec.get("contours", []) if z.min() < level < z.max()})
    if levels:
        lines_of = ax.contour(x, y, z, levels=levels, colors="black" if diverging else "white", linewidths=0.7,
                              linestyles="solid")
        figure.after_layout.append(lambda: label_contours(ax, lines_of))
        for i, part in enumerate(lines_of.collections):
            part.set_gid(f"{gid}-contour-{number(levels[i])}")


# A figure

def entry(series, look):
    """What stands for a series in a legend."""
    style = series["style"]
    mark = look["mark"] if style in ("points", "line and points") else ""
    return lines.Line2D([], [], color=look["colour"], linestyle="none" if style == "points" else DASHES[look["dash"]],
                        marker=mark or ("." if style == "points" else None), markeredgewidth=0.7,
                        markerfacecolor="white" if look.get("open") else look["colour"],
                        linewidth=0.9 if style == "reference" else None)


def legend_of(holder, entries, **options):
    """A legend that shows labels as they are, also those that matplotlib keeps for itself."""
    legend = holder.legend(list(entries.values()), ["x"] * len(entries), **options)
    for text, label in zip(legend.get_texts(), entries):
        text.set_text(shown(label))
    return legend


def shared_legend(figure, entries, width):
    """Below all panels, in as many columns as fit. Its height in inches."""
    if not entries:
        return 0.0
    for columns in range(min(6, len(entries)), 0, -1):
        legend = legend_of(figure, entries, loc="lower center", ncol=columns, borderaxespad=0.2)
        extent = legend.get_window_extent(figure.canvas.get_renderer())
        if columns == 1 or extent.width <= (width - 0.1) * figure.dpi:
            break
        legend.remove()
    legend.set_gid("legend")
    legend.set_in_layout(False)
    return extent.height / figure.dpi + 0.06


def panel_height(panel, columns):
    named = len(panel["y"].get("ticks", []))
    return max(PANEL_HEIGHT.get(columns, 1.4), 0.14 * named + 0.6)


def name_of(figure, index):
    return figure["panels"][index].get("title") or f"panel {index + 1}"


def no_values(ax):
    ax.text(0.5, 0.5, "no values", transform=ax.transAxes, ha="center", va="center", fontsize=7)


def draw_panel(canvas, ax, figure, index, looks, left_out, inches):
    panel, gid = figure["panels"][index], f"panel-{index + 1}"
    ax.set_gid(gid)
    sizes = {"x": inches, "y": panel_height(panel, figure["columns"]) - 0.5}
    for axis, size in sizes.items():
        if panel[axis].get("log"):
            getattr(ax, f"set_{axis}scale")("log")
        getattr(ax, f"set_{axis}lim")(*limits(panel, axis))
        getattr(ax, f"set_{axis}label")(wrapped(panel[axis]["label"], size, 8))
    ax.set_autoscale_on(False)
    if panel.get("title"):
        ax.set_title(wrapped(panel["title"], inches, 8))
    entries, empty = {}, []
    if panel.get("map"):
        draw_map(canvas, ax, panel, gid)
    curves = [s["label"] for s in panel.get("series", []) if s["style"] not in ("points", "reference")]
    places = {label: (i, len(curves)) for i, label in enumerate(curves)}
    for i, series in enumerate(panel.get("series", [])):
        label, look = series["label"], looks[series["label"]]
        unseen, nothing = draw_series(ax, panel, series, look, f"{gid}-series-{i + 1}", places)
        left_out["unseen"][label] += unseen
        left_out["empty"][label] += nothing
        empty.append(nothing)
        if series.get("legend", True):
            entries[label] = entry(series, look)
    if empty and all(empty):
        no_values(ax)
    reference_lines(ax, panel, gid)
    for axis, size in sizes.items():
        set_ticks(ax, panel, axis, size)
    for note in panel.get("annotations", []):
        ax.annotate(shown(note["text"]), (note["x"], note["y"]), xytext=(3, 3), textcoords="offset points", fontsize=7,
                    bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8})
    key = panel.get("key", "shared")
    if key not in ("shared", "none") and entries:
        place = {"top": "upper", "bottom": "lower"}
        where = key.split("-")
        legend_of(ax, entries, loc=f"{place[where[0]]} {where[1]}", frameon=True, framealpha=0.85, edgecolor="none")
    return entries if key == "shared" else {}


def notes_of(figure, left_out):
    """What bands and bars are, and what cannot be seen."""
    notes = [figure["interval"]] if figure.get("interval") else []
    unseen = [f"{label} ({count})" for label, count in left_out["unseen"].items() if count]
    if unseen:
        notes.append("Values ≤ 0, not drawn on log axes: " + ", ".join(unseen))
    empty = [label for label, count in left_out["empty"].items() if count]
    if empty:
        notes.append("No values: " + ", ".join(empty))
    return notes


def drawn(figure, table):
    """The whole figure, laid out."""
    panels, columns = figure["panels"], max(1, min(figure.get("columns", 1), len(figure["panels"])))
    figure["columns"] = columns
    width = figure.get("width") or (ONE_COLUMN if columns == 1 else TWO_COLUMNS)
    rows = math.ceil(len(panels) / columns)
    heights = [max(panel_height(p, columns) for p in panels[r * columns:(r + 1) * columns]) for r in range(rows)]
    canvas = plt.figure(figsize=(width, sum(heights)), layout="constrained")
    canvas.after_layout = []
    grid = canvas.add_gridspec(rows, columns, height_ratios=list(heights))
    looks, entries = Looks(table, figure), {}
    left_out = {"unseen": collections.Counter(), "empty": collections.Counter()}
    for i in range(len(panels)):
        listed = draw_panel(canvas, canvas.add_subplot(grid[i // columns, i % columns]), figure, i, looks, left_out,
                            width / columns - 0.6)
        for label, handle in listed.items():
            entries.setdefault(label, handle)

    # Title above, legend and notes below, panels in what is left.
    title = wrapped(figure.get("title", ""), 0.86 * width, 8)
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
    canvas.get_layout_engine().set(rect=(0, bottom, 1, 1 - bottom), w_pad=0.04, h_pad=0.04, wspace=0.03, hspace=0.03)
    canvas.get_layout_engine().execute(canvas)
    canvas.set_layout_engine("none")
    for finish in canvas.after_layout:
        finish()
    return canvas


def description(figure):
    """What a reader who does not see the picture is told."""
    parts = [figure.get("caption", "")]
    for i, panel in enumerate(figure["panels"]):
        what = f"{panel['y']['label']} against {panel['x']['label']}"
        if panel.get("map"):
            parts.append(f"{name_of(figure, i)}: {panel['map']['label']} as colours, {what}.")
        else:
            parts.append(f"{name_of(figure, i)}: {what}: " + "; ".join(s["label"] for s in panel["series"]) + ".")
    return shown(" ".join(p for p in parts if p))


def replace_file(path, bytes_of_it):
    """The new file whole, or the old one."""
    folder, name = os.path.split(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(bytes_of_it)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def save(canvas, figure, source, stem):
    """Both files, named after the JSON, whose sha256 the SVG carries: so it is known which data a picture shows."""
    title = shown(figure.get("title") or figure["name"]).replace("\n", " ")
    svg, pdf = io.BytesIO(), io.BytesIO()
    canvas.savefig(svg, format="svg", metadata={"Date": None, "Title": title, "Source": f"sha256:{source}"})
    canvas.savefig(pdf, format="pdf", metadata={"CreationDate": None, "Title": title})
    escaped = description(figure).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = svg.getvalue().decode().replace("</title>", f"</title>\n <desc>{escaped}</desc>", 1)
    replace_file(f"{stem}.svg", text.encode())
    replace_file(f"{stem}.pdf", pdf.getvalue())


def draw_file(path, table):
    with open(path, "rb") as file:
        content = file.read()
    figure = json.loads(content)
    for panel in figure["panels"]:
        for series in panel.get("series", []):
            series.setdefault("style", "line")
    canvas = drawn(figure, table)
    try:
        save(canvas, figure, hashlib.sha256(content).hexdigest(), os.path.splitext(path)[0])
    finally:
        plt.close(canvas)


def prepare(style=None):
    """Our settings and a file of the reader's over them, not those that a matplotlib finds on this machine."""
    matplotlib.rcdefaults()
    plt.style.use([os.path.join(HERE, "rfbench.mplstyle")] + ([style] if style else []))
    matplotlib.rcParams.update({"svg.hashsalt": "rfbench", "text.parse_math": False, "text.usetex": False})


def looks_table():
    with open(os.path.join(HERE, "looks.json"), encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("figures", nargs="+", metavar="FIGURE.json")
    parser.add_argument("--style", metavar="FILE", help="matplotlib settings over those of rfbench.mplstyle")
    options = parser.parse_args()
    prepare(options.style)
    table = looks_table()
    failed = False
    for path in options.figures:
        try:
            draw_file(path, table)
            print(path, flush=True)
        except Exception as error:  # one figure that cannot be drawn leaves the others
            failed = True
            print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

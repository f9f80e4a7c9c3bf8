"""Limits, ticks and lines across of one panel."""
import math

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import patheffects, ticker

from looks import DASHES
from maps import edges_of
from words import number, shown, values, wrapped


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
    if panel.get("map"):  # its outermost cells are as wide as the others
        nodes = values(panel["map"][axis])
        if nodes.size > 1:
            found = np.concatenate([found, edges_of(nodes, spec.get("log"))])
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
    # Margins must not leave the numbers that there are.
    largest = 307.0 if spec.get("log") else 1e307
    low, high = np.clip([low - margin, high + margin], -largest, largest)
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


class Numbers(ticker.Formatter):
    """Numbers with as many digits as tell the ticks apart; 17 are those of a double."""

    def format_ticks(self, ticks):
        texts = []
        for digits in range(6, 18):
            texts = [number(tick, digits) for tick in ticks]
            if len(set(texts)) == len(set(ticks)):
                break
        return texts

    def __call__(self, tick, position=None):
        return number(tick)


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
        apart = 0.42 if axis == "x" else 0.28  # inches
        line.set_major_locator(ticker.MaxNLocator(max(3, int(inches / apart)), integer=whole, steps=[1, 2, 2.5, 5, 10]))
    line.set_major_formatter(Numbers())
    line.set_minor_formatter(ticker.NullFormatter())


def reference_lines(ax, panel, gid):
    """Lines across the panel; their words stand outside the frame, where no curve is."""
    for kind, draw, side in (("horizontal", ax.axhline, "right"), ("vertical", ax.axvline, "top")):
        # One without a place is left out, as a point is: the rest of the figure stands.
        marks = [m for m in panel.get(kind, []) if np.isfinite(values([m["at"]])[0])]
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

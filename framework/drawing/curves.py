"""Series: lines and points, their intervals, and marks for what is beyond the frame."""
import math

import matplotlib
import numpy as np

from looks import DASHES
from words import values


def draw_interval(ax, panel, series, drawn, look, gid, count):
    """A band or bars from low to high; where they reach beyond a log axis, they reach the frame. Bands are the fainter
    the more there are, so that curves are seen through all of them."""
    x, low, high = (values(series[k]) for k in ("x", "low", "high"))
    bottom, top = ax.get_ylim()
    drawn = drawn & ~np.isnan(low) & ~np.isnan(high)
    if series.get("spread") == "bars":
        part = ax.vlines(x[drawn], np.clip(low[drawn], bottom, top), np.clip(high[drawn], bottom, top),
                         color=look["colour"], linewidth=0.8)
    else:
        floor = bottom / 1e3 if panel["y"].get("log") else -1e300
        part = ax.fill_between(x, np.maximum(low, floor), np.minimum(high, 1e300), where=drawn, color=look["colour"],
                               alpha=min(0.16, 0.5 / max(count, 1)), linewidth=0, zorder=1.2)
        # A band has no width at a point with a gap on either side: its interval is a line.
        lone = alone(np.where(drawn, 0.0, math.nan))
        if lone.any():
            lines = ax.vlines(x[lone], np.clip(low[lone], bottom, top), np.clip(high[lone], bottom, top),
                              color=look["colour"], linewidth=0.8)
            lines.set_gid(f"{gid}-lone-intervals")
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
        size = 0.7 if series.get("like") else 1  # what lies on a curve leaves the curves beside it free
        result.update(linestyle="none", marker=mark, markersize=size * settings["lines.markersize"])
    elif style == "line and points":
        every = max(math.ceil(len(y) / 12), min(count, 2 * len(y) // 5), 1)
        marked = np.arange(len(y)) % every == place % every
        result.update(marker=mark, markevery=list(np.flatnonzero(marked | alone(y))))
    elif alone(y).any():
        result.update(marker=mark, markevery=list(np.flatnonzero(alone(y))))
    if style == "reference":
        result.update(linewidth=0.9, zorder=1.8)
    if style == "steps":
        result["drawstyle"] = "steps-post"
    return result


def mark_beyond(ax, x, y, look, gid, place=0, count=1):
    """Triangles at the edges of the axes, pointing to what lies beyond. As of the curves, each is smaller than those of
    the series before, and has a white rim, so that of several at one point all are seen."""
    size = 4.2 * (1 + 0.6 * (1 - place / (count - 1)) if count > 1 else 1)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    inside_x, inside_y = (x >= left) & (x <= right), (y >= bottom) & (y <= top)
    edges = ((inside_x & (y > top), x, np.full_like(y, top), "^"),
             (inside_x & (y < bottom), x, np.full_like(y, bottom), "v"),
             (inside_y & (x > right), np.full_like(x, right), y, ">"),
             (inside_y & (x < left), np.full_like(x, left), y, "<"))
    for there, at_x, at_y, mark in edges:
        if there.any():
            ax.plot(at_x[there], at_y[there], linestyle="none", marker=mark, markersize=size, color=look["colour"],
                    markeredgecolor="white", markeredgewidth=0.5, clip_on=False, zorder=5, gid=f"{gid}-beyond-{mark}")


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
        draw_interval(ax, panel, series, drawn, look, gid, len(places))
    ax.plot(x, finite, gid=gid, **stroke(series, finite, look, *places.get(series["label"], (0, 1))))

    # Every point that is cut off is marked, and every place where a line leaves the axes.
    bottom, top = ax.get_ylim()
    seen = np.where(unseen, math.nan, y)
    if series["style"] != "points":
        off = (seen > top) | (seen < bottom)
        seen[off & ~first_of_each_run(off)] = math.nan
    place = places.get(series["label"], (0, 1))
    mark_beyond(ax, x, seen, look, gid, *place)
    if series.get("spread") == "bars" and "low" in series:
        low, high = values(series["low"]), values(series["high"])
        if panel["y"].get("log"):
            low[low <= 0] = math.nan
        for end, name in ((low, "low"), (high, "high")):
            mark_beyond(ax, x, np.where(drawn, end, math.nan), look, f"{gid}-{name}", *place)

    return int(unseen.sum()), bool(np.isnan(y).all())

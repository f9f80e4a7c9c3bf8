"""One panel: its axes, series or map, lines, annotations and its own legend."""
import collections

from axes import limits, reference_lines, set_ticks
from curves import draw_series
from legends import entry, legend_of
from maps import draw_map, no_values
from words import shown, wrapped

PANEL_HEIGHT = {1: 2.3, 2: 2.2, 3: 1.85, 4: 1.45}  # inches, by the number of columns


def panel_height(panel, columns):
    """A line for each name on the y axis; rows of points need no more."""
    names = 0.14 * len(panel["y"].get("ticks", [])) + 0.6
    styles = {s["style"] for s in panel.get("series", [])}
    rows = panel["y"].get("ticks") and styles == {"points"}
    return names if rows else max(PANEL_HEIGHT.get(columns, 1.4), names)


def nothing_left_out():
    """Counts, by the label of a series: values that log axes cannot show, panels without any value, panels with some."""
    return {kind: collections.Counter() for kind in ("unseen", "empty", "drawn")}


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
        left_out["empty" if nothing else "drawn"][label] += 1
        empty.append(nothing)
        if series.get("legend", True):
            entries[label] = entry(series, look)
        elif series["style"] == "points" and series.get("like") in entries:  # one entry for a curve and what lies on it
            entries[series["like"]].set_marker(look["mark"])
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

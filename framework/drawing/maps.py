"""A quantity over a plane, as colours with contours."""
import numpy as np
from matplotlib import colors, ticker

from words import number, shown, values


def no_values(ax):
    ax.text(0.5, 0.5, "no values", transform=ax.transAxes, ha="center", va="center", fontsize=7)


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
    bar.set_label(shown(spec["label"]), labelpad=2)
    bar.ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: number(v)))
    bar.outline.set_linewidth(0.5)
    if diverging and z.min() < z.max():
        bar.ax.set_ylim(max(low, z.min()), min(high, z.max()))
    levels = sorted({level for level in spec.get("contours", []) if z.min() < level < z.max()})
    if levels:
        lines_of = ax.contour(x, y, z, levels=levels, colors="black" if diverging else "white", linewidths=0.7,
                              linestyles="solid")
        figure.after_layout.append(lambda: label_contours(ax, lines_of))
        if hasattr(lines_of, "get_paths"):  # one artist for all levels, since matplotlib 3.8
            lines_of.set_gid(f"{gid}-contours")
        else:
            for level, part in zip(levels, lines_of.collections):
                part.set_gid(f"{gid}-contour-{number(level)}")

"""What stands for a series, in a panel or below them all."""
from matplotlib import lines

from looks import DASHES
from words import shown


def entry(series, look):
    """What stands for a series in a legend."""
    style = series["style"]
    mark = look["mark"] if style in ("points", "line and points") else ""
    return lines.Line2D([], [], color=look["colour"], linestyle="none" if style == "points" else DASHES[look["dash"]],
                        marker=mark or ("." if style == "points" else None), markeredgewidth=0.7,
                        markerfacecolor=look["colour"],
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

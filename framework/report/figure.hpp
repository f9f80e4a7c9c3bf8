#pragma once
// Figures before they are drawn: panels of series or of a heat map, with named axes. All text is plain
// UTF-8 and appears as written (γ, |x + y|², R&D): no markup of any program is interpreted.
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rfbench::report {

/// A mark on an axis; its number is shown when the text is empty.
struct Tick {
    double at;
    std::string text;
};

struct Axis {
    std::string label;  ///< with the unit, e.g. "|x + y|²" or "time / s"
    bool log = false;   ///< values <= 0 are not drawn then, and the panel says how many there were
    std::optional<std::pair<double, double>> range = {};  ///< {left, right} or {bottom, top}; the data's otherwise
    std::vector<Tick> ticks = {};                         ///< chosen from the range when empty
};

enum class Style {
    line,
    points,
    line_points,  ///< long series carry a mark at every few points only
    steps,
    reference,  ///< thin grey and dashed: bounds, exact values, what others are compared with
};

/// How low and high are shown: as a shaded band or as error bars.
enum class Spread { band, bars };

/// Points (x[i], y[i]); NaN in y leaves a gap. What lies beyond the axes' ranges, infinities too, is marked at the
/// edge.
struct Series {
    /// Names the series in the legend and the CSV file, and has its look in framework/drawing/looks.json.
    std::string label;
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> low = {};  ///< empty, or with `high` the interval around each y
    std::vector<double> high = {};
    Style style = Style::line;
    Spread spread = Spread::band;
    bool in_legend = true;
    std::string like = {};  ///< a label whose look it takes instead: drawn points in the colour of their exact curve
};

/// A straight line across the whole panel at one value, with a word beside it.
struct ReferenceLine {
    double at;
    std::string text = {};
};

struct Annotation {
    double x;
    double y;
    std::string text;
};

enum class Palette {
    sequential,  ///< dark blue to yellow (viridis), for quantities from low to high
    diverging,   ///< blue, white, red with white at zero, for differences and log ratios
};

/// A sampled surface: z[i * y.size() + j] at (x[i], y[j]), x and y ascending. NaN leaves a hole.
struct HeatMap {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> z;
    std::string label;                  ///< of the colour scale, with the unit
    std::vector<double> contours = {};  ///< levels
    Palette palette = Palette::sequential;
    std::optional<std::pair<double, double>> range = {};  ///< of the colours; the data's otherwise
};

enum class Key {
    shared,  ///< the panel's series are in the figure's legend
    none,
    top_left,
    top_right,
    bottom_left,
    bottom_right,
};

struct Panel {
    std::string title = {};
    Axis x = {};
    Axis y = {};
    std::vector<Series> series = {};  ///< either series ...
    std::optional<HeatMap> map = {};  ///< ... or a map
    std::vector<ReferenceLine> horizontal = {};
    std::vector<ReferenceLine> vertical = {};
    std::vector<Annotation> annotations = {};
    Key key = Key::shared;
};

struct Figure {
    std::string name;  ///< of its files: letters, digits and . _ - only
    std::string title = {};
    std::string caption = {};  ///< for the page of results: what is seen
    /// Meaning of low and high of its series, or of lines across, in one line without a full stop: "Bands: 95 %
    /// intervals of the mean over 10 samples". Empty if there are none.
    std::string interval = {};
    std::vector<Panel> panels = {};
    int columns = 1;  ///< of panels: one makes a figure as wide as a column of a journal, more make one of two columns
};

/// Throws std::invalid_argument naming the figure, the panel and the series when there is nothing to draw, lengths
/// differ, a label repeats in a panel or holds a line break, `like` names no label, an interval is upside down, a range
/// is empty, not finite or not positive on a log axis, or a map's x or y does not ascend. Series without a single value
/// are in order.
void check(const Figure&);

}  // namespace rfbench::report

#pragma once
// Shared parts of reports of costs: seconds and peak_bytes against the length, in rounds, and where two methods cross.
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/shown.hpp"
#include "rfbench/report/figure.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::experiments {

inline constexpr double mebi = 1 << 20;  ///< bytes of a MiB

/// One method at one place, at the lengths it was measured at, ascending. The longer a run takes, the fewer rounds
/// there are of it: a length has the first of them, and NaN in all others.
struct CostLine {
    std::vector<double> lengths;
    std::vector<std::vector<double>> seconds;  ///< [round][length]
    std::vector<double> bytes;                 ///< [length]

    /// The variables `seconds`, over `repeat` and `along`, and `held`, over `along`, which is kept as `bytes`; all
    /// other axes are fixed.
    CostLine(const store::Dataset&, const report::Fixed&, const std::string& along = "length",
             const std::string& held = "peak_bytes");

    std::size_t points() const { return bytes.size(); }
    /// Rounds in which all lengths from this one on were measured.
    std::size_t rounds_from(std::size_t first) const;
    /// Seconds in ascending order.
    std::vector<double> times(std::size_t point) const;
    double median(std::size_t point) const;
};

/// How many lengths, from the shortest on, both were measured at.
std::size_t common_points(const CostLine&, const CostLine&);
/// From which length on `own` takes no longer than `other`, in each round that goes as far as the crossing of the first
/// one; NaN where it does not cross between lengths that both were measured at.
std::vector<double> crossings(const CostLine& own, const CostLine& other);
/// Seconds of `over` by those of `under` at the longest length both were measured at, in each round of it.
std::vector<double> last_ratios(const CostLine& over, const CostLine& under);

/// Whether a method is softmax attention, by any cell: some may be missing.
bool is_exact(const store::Dataset&, const std::string& method);
/// The softmax attention that others are compared with, the first of several; nothing where there is none.
std::optional<std::string> exact_of(const store::Dataset&);
/// Whether a method moves values to the output: the least that attention costs.
bool is_copy(const store::Dataset&, const std::string& method);

/// Number of a line at one of its lengths, and the ends of its bar; NaN: it has none.
struct CostValue {
    double y, low = std::nan(""), high = std::nan("");
};
/// Curves of a figure of costs: how its axes are called, which line a method has, and what is drawn of it.
struct CostCurves {
    std::string x, y;
    std::function<CostLine(const Shown&)> line;
    std::function<CostValue(const CostLine&, std::size_t point)> value;
};
/// Curves of all methods that were measured at a place, on logarithmic axes; copies are drawn as references.
report::Panel cost_panel(const store::Dataset&, const report::Fixed& place, const CostCurves&);

}  // namespace rfbench::experiments

#pragma once
// Shared parts of reports of costs: seconds and peak_bytes against the length, in rounds, and where two methods cross.
#include <vector>

#include "rfbench/report/slice.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::experiments {

inline constexpr double mebi = 1 << 20;  ///< bytes of a MiB

/// One method at one place, at the lengths it was measured at, ascending. The longer a run takes, the fewer rounds
/// there are of it: a length has the first of them, and NaN in all others.
struct CostLine {
    std::vector<double> lengths;
    std::vector<std::vector<double>> seconds;  ///< [round][length]
    std::vector<double> bytes;                 ///< [length]

    /// The variables `seconds`, over `repeat` and `along`, and `held`, over `along`; all other axes are fixed.
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

}  // namespace rfbench::experiments

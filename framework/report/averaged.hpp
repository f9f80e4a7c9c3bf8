#pragma once
// Averages (slice.hpp) as they are shown.
#include "rfbench/report/figure.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::report {

/// How far a band reaches to either side of a mean.
enum class Band { standard_deviation, two_standard_errors };

/// Means against x with a band. The band ends at a hundredth of the mean where it would go lower: on a logarithmic axis
/// it would have no end.
Series averaged_series(std::string label, std::vector<double> x, const Averages&, Style = Style::line,
                       Band = Band::standard_deviation);

/// A mean ± its standard error; Missing where there is no value.
Entry averaged_entry(const Averages&, std::size_t at = 0);

}  // namespace rfbench::report

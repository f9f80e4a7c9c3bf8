#pragma once
// Place at which a quantile of a falling quantity reaches a level: "M features bring nine draws of ten below eps".
#include <vector>

namespace rfbench::statistics {

/// The least of the values that at least `share` of them do not exceed. Throws std::invalid_argument for no values or a
/// share outside (0, 1].
double empirical_quantile(std::vector<double> values, double share);

/// The x at which y falls to `level` for the first time, by straight lines between the logarithms of neighbours: exact
/// for a power law. NaN when y does not pass the level between two of the x. x ascending; x, y and level above 0.
double log_crossing(const std::vector<double>& x, const std::vector<double>& y, double level);

}  // namespace rfbench::statistics

#include "rfbench/statistics/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "rfbench/text/number.hpp"

namespace rfbench::statistics {

double empirical_quantile(std::vector<double> values, double share) {
    if (values.empty() || !(share > 0 && share <= 1))
        throw std::invalid_argument("empirical_quantile: share " + shortest_text(share) + " of " +
                                    std::to_string(values.size()) +
                                    " values; there must be values, and a share in (0, 1]");
    std::sort(values.begin(), values.end());
    // 0.9 of ten values are nine of them, though 0.9 * 10 may round to a little more.
    const double rank = std::ceil(share * static_cast<double>(values.size()) * (1 - 1e-12));
    return values[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

double log_crossing(const std::vector<double>& x, const std::vector<double>& y, double level) {
    if (x.size() != y.size())
        throw std::invalid_argument("log_crossing: " + std::to_string(x.size()) + " x and " + std::to_string(y.size()) +
                                    " y");
    for (std::size_t k = 1; k < x.size(); ++k) {
        if (!(y[k] <= level && y[k - 1] > level)) continue;
        // The share of the way from log x_{k-1} to log x_k at which the line through both points has log y = log level.
        const double part = std::log(y[k - 1] / level) / std::log(y[k - 1] / y[k]);
        return x[k - 1] * std::pow(x[k] / x[k - 1], part);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace rfbench::statistics

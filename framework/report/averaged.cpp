#include "rfbench/report/averaged.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::report {

Series averaged_series(std::string label, std::vector<double> x, const Averages& of) {
    Series series{std::move(label), std::move(x), of.mean};
    for (std::size_t i = 0; i < of.mean.size(); ++i) {
        series.low.push_back(std::max(of.mean[i] - of.standard_deviation[i], 0.01 * of.mean[i]));
        series.high.push_back(of.mean[i] + of.standard_deviation[i]);
    }
    return series;
}

Entry averaged_entry(const Averages& of, std::size_t at) {
    if (of.count[at] == 0) return Missing{};
    return Estimate{of.mean[at], of.standard_deviation[at] / std::sqrt(static_cast<double>(of.count[at]))};
}

}  // namespace rfbench::report

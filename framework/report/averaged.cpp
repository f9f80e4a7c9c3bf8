#include "rfbench/report/averaged.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::report {
namespace {

double standard_error(const Averages& of, std::size_t at) {
    return of.standard_deviation[at] / std::sqrt(static_cast<double>(of.count[at]));
}

}  // namespace

Series averaged_series(std::string label, std::vector<double> x, const Averages& of, Style style, Band band) {
    Series series{.label = std::move(label), .x = std::move(x), .y = of.mean, .style = style};
    for (std::size_t i = 0; i < of.mean.size(); ++i) {
        const double reach = band == Band::standard_deviation ? of.standard_deviation[i] : 2 * standard_error(of, i);
        series.low.push_back(std::max(of.mean[i] - reach, 0.01 * of.mean[i]));
        series.high.push_back(of.mean[i] + reach);
    }
    return series;
}

Entry averaged_entry(const Averages& of, std::size_t at) {
    if (of.count[at] == 0) return Missing{};
    return Estimate{of.mean[at], standard_error(of, at)};
}

}  // namespace rfbench::report

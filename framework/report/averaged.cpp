#include "rfbench/report/averaged.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::report {

double half_width(const Averages& of, std::size_t at) {
    const std::size_t count = of.count[at];
    if (count < 2) return std::numeric_limits<double>::quiet_NaN();
    // Student's t times s / sqrt(n), with n - 1 degrees of freedom.
    const double standard_error = of.standard_deviation[at] / std::sqrt(static_cast<double>(count));
    return statistics::student_quantile(count, statistics::confidence) * standard_error;
}

Series averaged_series(std::string label, std::vector<double> x, const Averages& of, Style style) {
    Series series{.label = std::move(label), .x = std::move(x), .y = of.mean, .style = style};
    for (std::size_t i = 0; i < of.mean.size(); ++i) {
        const double mean = of.mean[i];
        const double factor = mean > 0 ? std::exp(half_width(of, i) / mean) : std::numeric_limits<double>::quiet_NaN();
        series.low.push_back(mean / factor);
        series.high.push_back(mean * factor);
    }
    return series;
}

std::vector<Series> averaged_curves(const store::Dataset& data, const std::string& variable, const CurveAxes& axes,
                                    const Fixed& where, Style style) {
    std::vector<Series> curves;
    for (const std::string& word : words(data, axes.by))
        curves.push_back(averaged_series(word, numbers(data, axes.along),
                                         average(data, variable, joined({{axes.by, word}}, where), axes.over), style));
    return curves;
}

std::string interval_words(const std::string& over) {
    return fmt::format("{:g} % Student intervals of the logarithm of the mean over {}", 100 * statistics::confidence,
                       over);
}

Series quartile_series(std::string label, std::vector<double> x, const Quartiles& of, Style style) {
    return {.label = std::move(label),
            .x = std::move(x),
            .y = of.median,
            .low = of.lower,
            .high = of.upper,
            .style = style};
}

Entry averaged_entry(const Averages& of, std::size_t at) {
    if (of.count[at] == 0) return Missing{};
    return Estimate{of.mean[at], half_width(of, at)};
}

Entry averaged_entry(const statistics::Mean& mean) {
    if (!std::isfinite(mean.value)) return Missing{};
    return Estimate{mean.value, mean.half_width};
}

Entry averaged_entry(const std::vector<double>& values) { return averaged_entry(statistics::mean_interval(values)); }

}  // namespace rfbench::report

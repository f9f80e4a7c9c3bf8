// Figures and tables of quasi/rate: errors, deviations and bias against M, and fitted exponents beside the claims.
#include "quasi/rate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/shown.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/linear_fit.hpp"
#include "study/singular.hpp"

namespace rfbench::experiments {
namespace {

constexpr double sure = 0.999;  // of hundreds of points, hardly one is called biased that is not

/// A method at points of one kind.
struct Place : Shown {
    std::string title;  ///< of the points

    Place of(const std::string& other) const { return {{other, where}, title}; }
};

std::vector<Place> places_of(const store::Dataset& data, const std::string& method) {
    std::vector<Place> places;
    const bool sources =
        std::any_of(data.axes.begin(), data.axes.end(), [](const auto& a) { return a.name == "points"; });
    if (sources) {
        for (const std::string& source : report::words(data, "points"))
            places.push_back({{method, {{"points", source}}}, source});
        return places;
    }
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double length : report::numbers(data, "length"))
            places.push_back({{method, {{"dimension", dimension}, {"length", length}}},
                              fmt::format("d = {}, length {}", dimension, length)});
    return places;
}

/// Values of the groups at one count.
std::vector<double> groups_at(const store::Dataset& data, const char* variable, const Place& place, double count) {
    return report::slice(data, variable, place.fixed({{"draws", count}})).values;
}

/// A curve against M: the mean over groups, with the interval of its logarithm, as report::averaged_series has it.
report::Series curve(const store::Dataset& data, const char* variable, const Place& place) {
    report::Series series{place.method, report::numbers(data, "draws"), {}};
    for (const double count : series.x) {
        const auto mean = statistics::mean_interval(groups_at(data, variable, place, count));
        const double factor = std::exp(mean.half_width / mean.value);
        series.y.push_back(mean.value);
        series.low.push_back(mean.value / factor);
        series.high.push_back(mean.value * factor);
    }
    series.style = report::Style::line_points;
    return series;
}

/// The squared bias with its interval. A product of two groups' means moves with both, so twice the scatter of the
/// groups is its own (the first-order term of the jackknife for pairs).
statistics::Mean squared_bias(const store::Dataset& data, const Place& place, double count, double confidence) {
    auto mean = statistics::mean_interval(groups_at(data, "squared_bias", place, count), confidence);
    mean.half_width *= 2;
    return mean;
}

/// The bias where it is seen above zero; gaps elsewhere.
report::Series bias_curve(const store::Dataset& data, const Place& place) {
    report::Series series{place.method, report::numbers(data, "draws"), {}};
    for (const double count : series.x) {
        const auto square = squared_bias(data, place, count, sure);
        // The squared bias of an unbiased estimator scatters around zero, and is positive half of the time by chance.
        const bool seen = square.value > square.half_width;
        const double missing = std::numeric_limits<double>::quiet_NaN();
        series.y.push_back(seen ? std::sqrt(square.value) : missing);
        series.low.push_back(seen ? std::sqrt(square.value - square.half_width) : missing);
        series.high.push_back(seen ? std::sqrt(square.value + square.half_width) : missing);
    }
    series.style = report::Style::line_points;
    return series;
}

/// A power of M through the first value of `like`.
report::Series claim(const report::Series& like, double exponent, const char* label) {
    report::Series series{label, like.x, {}};
    for (const double count : like.x) series.y.push_back(like.y.front() * std::pow(count / like.x.front(), exponent));
    series.style = report::Style::reference;
    return series;
}

template <class Curve>
report::Figure figure(const store::Dataset& data, const char* name, const char* title, const char* label,
                      const char* caption, const std::string& interval, bool with_claims, const Curve& curve_at) {
    const auto& methods = report::words(data, "method");
    report::Figure result{.name = name, .title = title, .caption = caption, .interval = interval, .columns = 2};
    for (const Place& place : places_of(data, "")) {
        report::Panel panel{.title = place.title};
        panel.x = {.label = "draws M", .log = true};
        panel.y = {.label = label, .log = true};
        for (const std::string& method : methods) panel.series.push_back(curve_at(place.of(method)));
        if (with_claims) {
            panel.series.push_back(claim(panel.series.front(), -0.5, "M^(-1/2)"));
            panel.series.push_back(claim(panel.series.front(), -1, "M^(-1)"));
        }
        result.panels.push_back(std::move(panel));
    }
    return result;
}

/// The exponent of M fitted to each group, over all counts.
statistics::Mean exponent(const store::Dataset& data, const char* variable, const Place& place) {
    const auto& counts = report::numbers(data, "draws");
    const auto values = report::slice(data, variable, place.fixed(), {"repeat", "draws"}).values;
    std::vector<double> exponents;
    // A fit for each group, whose scatter gives the interval.
    for (auto first = values.begin(); first != values.end(); first += static_cast<std::ptrdiff_t>(counts.size()))
        exponents.push_back(statistics::exponent(counts, {first, first + static_cast<std::ptrdiff_t>(counts.size())}));
    return statistics::mean_interval(exponents);
}

report::Table exponents(const store::Dataset& data, const char* name, const char* variable, const char* what) {
    const auto& counts = report::numbers(data, "draws");
    report::Table result{
        .name = name,
        .caption = fmt::format("Exponent of M in the {}, fitted from M = {} to {}, ± half of a 95 % interval. Claimed: "
                               "-0.5 for independent features, -1 for quasi-Monte Carlo points.",
                               what, counts.front(), counts.back()),
        .columns = {report::word_column("method")}};
    for (const Place& place : places_of(data, "")) result.columns.push_back({place.title});
    if (counts.size() < 2) return result;
    for (const std::string& method : report::words(data, "method")) {
        report::Row row{{method}};
        for (const Place& place : places_of(data, method))
            row.entries.push_back(report::averaged_entry(exponent(data, variable, place)));
        result.rows.push_back(row);
    }
    return result;
}

/// Share of the mean squared error that is squared bias, at the largest M.
report::Table bias_shares(const store::Dataset& data) {
    const double count = report::numbers(data, "draws").back();
    report::Table result{.name = "rate-bias",
                         .caption = fmt::format("Relative error at M = {}, and the share of its square that is squared "
                                                "bias (± half of a 95 % interval; about 0 for unbiased estimators).",
                                                count),
                         .columns = {report::word_column("method")}};
    for (const Place& place : places_of(data, "")) {
        result.columns.push_back({"error, " + place.title});
        result.columns.push_back(report::number_column("bias share, " + place.title, report::decimals(3)));
    }
    for (const std::string& method : report::words(data, "method")) {
        report::Row row{{method}};
        for (const Place& place : places_of(data, method)) {
            const auto error = statistics::mean_interval(groups_at(data, "relative_error", place, count));
            const auto bias = squared_bias(data, place, count, statistics::confidence);
            double square = 0;
            const auto errors = groups_at(data, "relative_error", place, count);
            for (const double one : errors) square += one * one / static_cast<double>(errors.size());
            row.entries.push_back(report::averaged_entry(error));
            row.entries.push_back(report::Estimate{bias.value / square, bias.half_width / square});
        }
        result.rows.push_back(row);
    }
    return result;
}

}  // namespace

Report rate_report(const store::Dataset& data) {
    const auto of = [&](const char* variable) {
        return [&data, variable](const Place& place) { return curve(data, variable, place); };
    };
    Report result{
        {figure(data, "rate-error", "Error of the kernel estimate", "relative error",
                "Root mean square error over pairs, relative to that of K, mean over groups of draws. Grey: the "
                "claimed powers, through the first value of the first method.",
                "Bands: " + report::interval_words("groups of draws"), true, of("relative_error")),
         figure(data, "rate-deviation", "Standard deviation of the kernel estimate", "relative standard deviation",
                "The part of the error that changes from draw to draw, mean over groups of draws.",
                "Bands: " + report::interval_words("groups of draws"), true, of("relative_deviation")),
         figure(data, "rate-bias", "Bias of the kernel estimate", "relative bias",
                "The part that stays, where it is seen above zero with 99.9 % confidence.",
                fmt::format("Bands: {} % intervals of the bias, beyond which hardly one of hundreds of points lies",
                            100 * sure),
                false, [&data](const Place& place) { return bias_curve(data, place); })},
        {exponents(data, "rate-error", "relative_error", "error"),
         exponents(data, "rate-deviation", "relative_deviation", "standard deviation"), bias_shares(data)}};
    if (const auto table = singular_table(data)) result.tables.push_back(*table);
    return result;
}

}  // namespace rfbench::experiments

#include "concentration/uniform_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "rfbench/report/averaged.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/linear_fit.hpp"

namespace rfbench::experiments {
namespace {

constexpr std::size_t min_points = 3;  // of an exponent

using report::numbers;
using report::words;

/// Axis along which M is shown.
struct SweptAxis {
    const char* axis;
    const char* symbol;
    const char* label;
};
constexpr SweptAxis swept_axes[] = {
    {"dimension", "d", "d"}, {"radius", "R", "R"}, {"length", "L", "L"}, {"error", "eps", "eps"}};

/// One setting; the axis that is swept is not in `at`. The ball has no length.
struct Setting {
    std::string method, sampling;
    bool ball;
    std::map<std::string, double> at;

    report::Fixed fixed(const std::string& swept, bool with_length) const {
        report::Fixed result{{"method", method}, {"sampling", sampling}};
        for (const auto& [axis, value] : at)
            if (axis != swept && (axis != "length" || with_length)) result.emplace_back(axis, value);
        return result;
    }
    std::string target() const { return ball ? "ball" : "entries"; }
};

/// Numbers of draws along an axis, one list for each group, and the theorem's orders.
struct Curve {
    std::vector<double> x, printed, corrected;
    std::vector<std::vector<double>> draws;  // [group][point]
};

/// A theorem's bound along the axis. It holds for all repeats and all lengths.
std::vector<double> along(const store::Dataset& data, const char* variable, const Setting& setting,
                          const SweptAxis& sweep) {
    const std::size_t points = numbers(data, sweep.axis).size();
    report::Fixed fixed = setting.fixed(sweep.axis, false);
    fixed.emplace_back("repeat", 0.0);  // the same in all
    auto values = report::slice(data, variable, fixed).values;
    // Theorems do not know the length: a level line.
    if (std::string(sweep.axis) == "length") values.assign(points, values.front());
    return values;
}

Curve curve(const store::Dataset& data, const Setting& setting, const SweptAxis& sweep) {
    const bool constant = setting.ball && std::string(sweep.axis) == "length";
    std::vector<std::string> order{sweep.axis, "repeat"};
    if (constant) order = {"repeat"};
    const auto values = report::slice(data, setting.ball ? "ball_features" : "matrix_features",
                                      setting.fixed(sweep.axis, !setting.ball), order)
                            .values;
    Curve result{numbers(data, sweep.axis),
                 along(data, "printed_order", setting, sweep),
                 along(data, "corrected_order", setting, sweep),
                 {}};
    const std::size_t groups = numbers(data, "repeat").size();
    for (std::size_t g = 0; g < groups; ++g) {
        std::vector<double> own;
        // Over the ball no length counts: each group has one number for all of them.
        for (std::size_t i = 0; i < result.x.size(); ++i) own.push_back(values[(constant ? 0 : i * groups) + g]);
        result.draws.push_back(own);
    }
    return result;
}

/// Points at which all groups reached eps within the counts.
std::vector<std::size_t> complete(const Curve& curve) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < curve.x.size(); ++i)
        if (std::none_of(curve.draws.begin(), curve.draws.end(), [&](const auto& own) { return std::isnan(own[i]); }))
            result.push_back(i);
    return result;
}

double exponent(const std::vector<double>& x, const std::vector<double>& y, const std::vector<std::size_t>& points) {
    std::vector<double> own_x, own_y;
    for (const std::size_t i : points) {
        own_x.push_back(x[i]);
        own_y.push_back(y[i]);
    }
    return statistics::exponent(own_x, own_y);
}

/// Geometric mean over groups and the ends of its Student interval, at one point.
struct Level {
    double value, low, high;
};
Level level_at(const Curve& curve, std::size_t point) {
    std::vector<double> logs;
    // M spans decades: its logarithm is averaged. A group that never reached eps makes it NaN, and the curve has a gap.
    for (const auto& own : curve.draws) logs.push_back(std::log(own[point]));
    const auto mean = statistics::mean_interval(logs);
    return {std::exp(mean.value), std::exp(mean.value - mean.half_width), std::exp(mean.value + mean.half_width)};
}

report::Series drawn_series(const Curve& curve, const std::string& label) {
    report::Series series{label, {}, {}};
    series.style = report::Style::line_points;
    series.spread = report::Spread::bars;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const Level at = level_at(curve, i);
        series.x.push_back(curve.x[i]);
        series.y.push_back(at.value);
        series.low.push_back(at.low);
        series.high.push_back(at.high);
    }
    return series;
}

/// An order has no constant: it is drawn through the first point that was measured.
report::Series order_series(const Curve& curve, const std::vector<double>& order, const std::string& label) {
    report::Series series{label, {}, {}};
    const auto points = complete(curve);
    if (points.empty() || std::isnan(order.front())) return series;
    const double scale = level_at(curve, points.front()).value / order[points.front()];
    for (std::size_t i = points.front(); i < curve.x.size(); ++i) {
        series.x.push_back(curve.x[i]);
        series.y.push_back(scale * order[i]);
    }
    return series;
}

/// The values of the axes that are not swept: every dimension, the largest length and radius, the first error.
std::vector<Setting> settings(const store::Dataset& data, const SweptAxis& sweep) {
    std::vector<Setting> result;
    const bool over_dimensions = std::string(sweep.axis) == "length" || std::string(sweep.axis) == "radius";
    const auto dimensions =
        over_dimensions ? numbers(data, "dimension") : std::vector<double>{numbers(data, "dimension").back()};
    for (const std::string& method : words(data, "method"))
        for (const double d : dimensions)
            for (const std::string& sampling : words(data, "sampling"))
                for (const bool ball : {false, true})
                    result.push_back({method,
                                      sampling,
                                      ball,
                                      {{"dimension", d},
                                       {"radius", numbers(data, "radius").back()},
                                       {"length", numbers(data, "length").back()},
                                       {"error", numbers(data, "error").front()}}});
    return result;
}

/// Whether all groups reached eps at some point of the curve.
bool measured(const Curve& curve) { return !complete(curve).empty(); }

/// From half the least to a hundred times the largest number of draws that was measured, with its interval: orders may
/// grow out of the panel.
std::pair<double, double> shown_draws(const report::Panel& panel) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const report::Series& series : panel.series)
        for (const auto* values : {&series.y, &series.low, &series.high}) {
            if (series.low.empty()) continue;  // an order
            for (const double value : *values) {
                if (!(value > 0 && std::isfinite(value))) continue;
                least = std::min(least, value);
                most = std::max(most, value);
            }
        }
    return {least / 2, 100 * most};
}

std::string panel_title(const Setting& setting, const SweptAxis& sweep) {
    std::string title = setting.method;
    if (std::string(sweep.axis) != "dimension") title += fmt::format(", d = {}", setting.at.at("dimension"));
    if (std::string(sweep.axis) != "error") title += fmt::format(", eps = {:.3g}", setting.at.at("error"));
    return title;
}

/// Lengths of rows have a unit that the configuration chooses; the axis says which.
std::string axis_label(const store::Dataset& data, const SweptAxis& sweep) {
    if (std::string(sweep.axis) != "radius") return sweep.label;
    return fmt::format("{}, {}", sweep.label, data.axis(sweep.axis).description);
}

report::Figure figure(const store::Dataset& data, const SweptAxis& sweep) {
    report::Figure result{
        .name = std::string("uniform-") + sweep.axis,
        .title = fmt::format("Draws M that bring the largest error of A below eps, against {}", sweep.symbol),
        .caption = fmt::format(
            "Entries: the largest |A^ - A| for L = {} rows of length R; ball: for all rows of length at most "
            "R. Geometric mean over groups of draws. Orders have no constant and are drawn through the first point of "
            "the ball, iid; where one of them is seen they coincide. They leave the panel a hundred times above what "
            "was "
            "measured.",
            numbers(data, "length").back()),
        .interval =
            fmt::format("Bars: {} % Student intervals of the mean logarithm over groups", 100 * statistics::confidence),
        .columns = 2};
    for (const Setting& setting : settings(data, sweep)) {
        const std::string title = panel_title(setting, sweep);
        // Settings of one title follow each other, and share a panel.
        if (result.panels.empty() || result.panels.back().title != title) {
            report::Panel panel{.title = title};
            panel.x = {.label = axis_label(data, sweep), .log = true};
            panel.y = {.label = "M", .log = true};
            result.panels.push_back(panel);
        }
        const Curve drawn = curve(data, setting, sweep);
        if (!measured(drawn)) continue;
        auto& series = result.panels.back().series;
        series.push_back(drawn_series(drawn, setting.target() + ", " + setting.sampling));
        const bool over_length = std::string(sweep.axis) == "length";
        // A bound that does not depend on the length is drawn without points.
        if (over_length && setting.ball) series.back().style = report::Style::line;
        // Theorems are about the ball, and of samplings they speak of one: orders go through its first point.
        if (over_length || !setting.ball || setting.sampling != words(data, "sampling").front()) continue;
        for (const auto& [order, label] :
             {std::pair{&drawn.printed, "order as printed"}, std::pair{&drawn.corrected, "order, corrected"}})
            if (const auto line = order_series(drawn, *order, label); line.x.size() > 1) series.push_back(line);
    }
    for (report::Panel& panel : result.panels) panel.y.range = shown_draws(panel);
    return result;
}

/// Whether this was measured at all: not every sampling serves a method, nor is the ball searched for all of them.
bool tried(const store::Dataset& data, const Setting& setting) {
    const report::Fixed fixed{{"method", setting.method}, {"sampling", setting.sampling}};
    return !report::all_missing(report::slice(data, setting.ball ? "ball_error" : "matrix_error", fixed).values);
}

/// Rows where there are enough points, and a note on the settings where there are not.
void add_exponents(const store::Dataset& data, const SweptAxis& sweep, report::Table& table) {
    bool first = true;
    std::string missing;
    for (const Setting& setting : settings(data, sweep)) {
        const bool constant = setting.ball && std::string(sweep.axis) == "length";
        if (constant || !tried(data, setting)) continue;
        const Curve drawn = curve(data, setting, sweep);
        const auto points = complete(drawn);
        if (points.size() < min_points) {
            missing += fmt::format("{}{}, {}, {}", missing.empty() ? "" : "; ", setting.method, setting.sampling,
                                   setting.target());
            if (std::string(sweep.axis) != "dimension") missing += fmt::format(", d = {}", setting.at.at("dimension"));
            continue;
        }
        std::vector<double> slopes;
        // A fit for each group, whose scatter gives the interval: a fit to means would have none.
        for (const auto& own : drawn.draws) slopes.push_back(exponent(drawn.x, own, points));
        const auto order = [&](const std::vector<double>& values) -> report::Entry {
            if (std::isnan(values.front())) return report::Missing{};
            return exponent(drawn.x, values, points);
        };
        report::Row row{{sweep.symbol, setting.method, setting.sampling, setting.target()}, first};
        if (std::string(sweep.axis) == "dimension")
            row.entries.emplace_back(report::Missing{});
        else
            row.entries.emplace_back(setting.at.at("dimension"));
        row.entries.emplace_back(drawn.x[points.front()]);
        row.entries.emplace_back(drawn.x[points.back()]);
        row.entries.push_back(report::averaged_entry(slopes));
        row.entries.push_back(order(drawn.printed));
        row.entries.push_back(order(drawn.corrected));
        table.rows.push_back(row);
        first = false;
    }
    if (!missing.empty())
        table.notes.push_back(
            fmt::format("No exponent against {} where fewer than {} of its {} values have, in every group of draws, an "
                        "M between {} "
                        "and {} at which errors fall below eps: {}.",
                        sweep.symbol, min_points, numbers(data, sweep.axis).size(), numbers(data, "draws").front(),
                        numbers(data, "draws").back(), missing));
}

report::Table exponent_table(const store::Dataset& data) {
    const report::Format two = report::decimals(2);
    report::Table table{.name = "uniform-exponents",
                        .caption = "Exponents of the number of draws M that brings the largest error of A below eps.",
                        .columns = {report::word_column("against"),
                                    report::word_column("method"),
                                    report::word_column("sampling"),
                                    report::word_column("over"),
                                    {"d"},
                                    {"from"},
                                    {"to"},
                                    report::number_column("exponent", two),
                                    report::number_column("printed order", two),
                                    report::number_column("corrected order", two)}};
    table.notes = {
        fmt::format(
            "Slopes of log M, fitted in each of {} groups of draws, their mean ± half the {} % Student interval. "
            "Printed and corrected: the slope of the order of Theorem 4 (trigonometric) or 21 (optimal-positive) over "
            "the same points.",
            numbers(data, "repeat").size(), 100 * statistics::confidence),
        fmt::format(
            "Entries: of A for {} rows of length R (unless L is swept); ball: over all rows of length at most R, as "
            "found by ascents, a lower bound. eps = {:.3g} unless it is swept.",
            numbers(data, "length").back(), numbers(data, "error").front())};
    const std::size_t general = table.notes.size();
    for (const SweptAxis& sweep : swept_axes)
        if (numbers(data, sweep.axis).size() >= min_points) add_exponents(data, sweep, table);
    if (table.rows.empty() && table.notes.size() == general)
        table.notes.push_back(fmt::format("No exponent: of d, R, L and eps none has {} values.", min_points));
    return table;
}

/// Theorem 2 with its constant beside the features the ball took.
report::Table theorem_2_table(const store::Dataset& data) {
    report::Table table{.name = "uniform-theorem-2",
                        .caption =
                            "Trigonometric features, iid: draws that Theorem 2 asks for and draws that it took, for an "
                            "error of eps in A over the ball.",
                        .columns = {{"d"}, {"R"}, {"eps"}, {"M by Theorem 2"}, {"M found"}, {"ratio"}}};
    const SweptAxis& sweep = swept_axes[0];
    for (const std::string& method : words(data, "method"))
        for (const std::string& sampling : words(data, "sampling"))
            for (const double radius : numbers(data, "radius"))
                for (const double eps : numbers(data, "error")) {
                    const Setting setting{method, sampling, true, {{"radius", radius}, {"error", eps}}};
                    const auto promised = along(data, "theorem_2_features", setting, sweep);
                    const Curve drawn = curve(data, setting, sweep);
                    for (const std::size_t i : complete(drawn))
                        if (!std::isnan(promised[i])) {
                            const double found = level_at(drawn, i).value;
                            table.rows.push_back({{drawn.x[i], radius, eps, promised[i], found, promised[i] / found}});
                        }
                }
    table.notes = {
        "Theorem 2 with the constant of Rahimi and Recht (2007), 2^10 d (R/eps)^2 exp(-M eps^2/(4(d+2))), at eps "
        "exp(-R^2/sqrt d) in K. Found: by ascents in the ball, a lower bound."};
    return table;
}

}  // namespace

Report uniform_report(const store::Dataset& data) {
    Report result;
    for (const SweptAxis& sweep : swept_axes)
        if (numbers(data, sweep.axis).size() >= min_points) result.figures.push_back(figure(data, sweep));
    result.tables.push_back(exponent_table(data));
    if (report::Table table = theorem_2_table(data); !table.rows.empty()) result.tables.push_back(table);
    return result;
}

}  // namespace rfbench::experiments

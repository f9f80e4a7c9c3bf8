#include "variance/orthogonal_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "rfbench/report/file_name.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/proportion.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {
namespace {

using report::numbers;
using report::words;

std::vector<double> exponentials(std::vector<double> logs) {
    for (double& value : logs) value = std::exp(value);
    return logs;
}

const char* distance_label(const store::Dataset& data, const std::string& method) {
    const auto along = report::slice(data, "along_difference", {{"method", method}}).values;
    return along.front() == 1 ? "|x - y|" : "|x + y|";
}

/// How far a figure reaches: to the end of the grid, or a little beyond the last distance at which a ratio or a drawn
/// point can be told from 1, if that is nearer.
double shown_until(const store::Dataset& data, const std::string& method, const std::string& sampling) {
    constexpr double visible = 0.005;
    const auto ratios = report::slice(data, "log_ratio", {{"method", method}, {"sampling", sampling}},
                                      {"dimension", "block", "distance"});
    const auto& distances = ratios.numbers("distance");
    const auto& drawn = numbers(data, "drawn_distance");
    double last = drawn.empty() ? 0 : *std::max_element(drawn.begin(), drawn.end());
    for (std::size_t i = 0; i < ratios.values.size(); ++i)
        if (std::abs(ratios.values[i]) > visible) last = std::max(last, distances[i % distances.size()]);
    return std::min(1.1 * last, *std::max_element(distances.begin(), distances.end()));
}

/// The exact curve of each d at M = d, with drawn points on it.
report::Panel panel_of(const store::Dataset& data, const std::string& method, const std::string& sampling) {
    const bool one_sampling = words(data, "sampling").size() == 1;
    report::Panel panel{.title = one_sampling ? method : method + ", " + sampling};
    panel.x = {.label = distance_label(data, method)};
    panel.y = {.label = "Var / Var(iid)"};
    panel.horizontal = {{1.0}};
    for (const double d : numbers(data, "dimension")) {
        const report::Fixed fixed{
            {"method", method}, {"sampling", sampling}, {"block", numbers(data, "block").front()}, {"dimension", d}};
        const auto exact = report::slice(data, "log_ratio", fixed);
        const std::string label = fmt::format("d = {}", d);
        panel.series.push_back({label, exact.numbers("distance"), exponentials(exact.values)});
        const auto drawn = report::slice(data, "drawn_ratio", fixed);
        const auto half = report::slice(data, "drawn_ratio_half_width", fixed);
        report::Series points{label + ", drawn", drawn.numbers("drawn_distance"), drawn.values};
        for (std::size_t i = 0; i < drawn.values.size(); ++i) {
            points.low.push_back(drawn.values[i] - half.values[i]);
            points.high.push_back(drawn.values[i] + half.values[i]);
        }
        points.style = report::Style::points;
        points.spread = report::Spread::bars;
        points.in_legend = false;
        // The same colour as the exact curve that the points lie on.
        points.like = label;
        panel.series.push_back(points);
    }
    return panel;
}

/// Largest difference of the exact ratios of other M / d from those of the first.
double change_with_blocks(const store::Dataset& data) {
    double most = 0;
    const auto ratios = [&](double block) {
        return exponentials(
            report::slice(data, "log_ratio", {{"block", block}}, {"method", "dimension", "sampling", "distance"})
                .values);
    };
    const std::vector<double> first = ratios(numbers(data, "block").front());
    for (const double block : numbers(data, "block")) {
        const std::vector<double> others = ratios(block);
        for (std::size_t i = 0; i < first.size(); ++i)
            if (!std::isnan(others[i])) most = std::max(most, std::abs(others[i] - first[i]));
    }
    return most;
}

/// A panel for each method and sampling.
report::Figure figure(const store::Dataset& data) {
    const auto& methods = words(data, "method");
    const auto& blocks = numbers(data, "block");
    report::Figure result{
        .name = "orthogonal",
        .title = fmt::format("Variance of {} over iid sampling, M = {}d", fmt::join(words(data, "sampling"), ", "),
                             blocks.front() == 1 ? "" : fmt::format("{} ", blocks.front())),
        .caption =
            "Exact ratio of variances against the distance; below 1 the coupling helps, above 1 it harms. Points are "
            "variances of drawn estimators, by importance sampling where features are exponential.",
        .interval = "Bars: 95 % intervals of variances of drawn estimators, which are the marks",
        .columns = static_cast<int>(std::min<std::size_t>(methods.size() * words(data, "sampling").size(), 2))};
    if (blocks.size() > 1)
        result.caption += fmt::format(" For M = {} d the ratios differ from these by {:.2g} at most.",
                                      fmt::join(blocks.begin() + 1, blocks.end(), " d, "), change_with_blocks(data));
    double end = 0;
    for (const std::string& sampling : words(data, "sampling"))
        for (const std::string& method : methods) end = std::max(end, shown_until(data, method, sampling));
    for (const std::string& method : methods)
        for (const std::string& sampling : words(data, "sampling")) {
            result.panels.push_back(panel_of(data, method, sampling));
            if (end > 0) result.panels.back().x.range = std::pair(0.0, end);
        }
    return result;
}

/// Whether a theorem speaks of the method.
bool promised(const store::Dataset& data, const std::string& method, const char* theorem) {
    return !report::all_missing(report::slice(data, theorem, {{"method", method}}).values);
}

/// "M = d" where the first block is one of d columns.
std::string draws(const store::Dataset& data) {
    const double blocks = numbers(data, "block").front();
    return blocks == 1 ? "M = d" : fmt::format("M = {} d", blocks);
}

/// Theorem 6 is the corrected Theorem 18 of A = 0.
const char* theorem_6_title(const store::Dataset& data, const std::string& method) {
    return method_identity(data, method).name == "positive" ? "Theorem 6" : "Theorem 18, corrected";
}

/// Exact ratios beside what the theorems promise, at the first number of blocks, a panel a dimension.
report::Figure bounds(const store::Dataset& data, const std::string& method) {
    report::Figure result{
        .name = "bounds-" + report::as_file_name(method),
        .title = method + ": exact gain of orthogonal sampling and the printed bounds, " + draws(data),
        .caption =
            "Exact ratio of variances and what the theorems promise. A curve of a bound below "
            "the exact one is a bound that fails.",
        .columns = 3};
    const auto add = [&](report::Panel& panel, const char* variable, const std::string& label, double d) {
        const report::Fixed fixed{{"method", method}, {"dimension", d}, {"block", numbers(data, "block").front()}};
        const auto slice = report::slice(data, variable, fixed);
        if (report::all_missing(slice.values)) return;
        panel.series.push_back({label, slice.numbers("distance"), exponentials(slice.values)});
    };
    for (const double d : numbers(data, "dimension")) {
        report::Panel panel{.title = fmt::format("d = {}", d)};
        panel.x = {.label = distance_label(data, method)};
        panel.y = {.label = "Var / Var(iid)"};
        panel.horizontal = {{1.0}};
        for (const std::string& sampling : words(data, "sampling")) {
            const auto exact = report::slice(data, "log_ratio",
                                             {{"method", method},
                                              {"dimension", d},
                                              {"sampling", sampling},
                                              {"block", numbers(data, "block").front()}});
            panel.series.push_back({sampling + ", exact", exact.numbers("distance"), exponentials(exact.values)});
        }
        add(panel, "theorem_3", "Theorem 3, leading term", d);
        add(panel, "theorem_6", theorem_6_title(data, method), d);
        add(panel, "theorem_18_printed", "Theorem 18 as printed", d);
        result.panels.push_back(panel);
    }
    return result;
}

/// The smallest distance of the grid at which orthogonal sampling is worse than iid.
double first_worse(const report::Slice& ratios) {
    for (std::size_t i = 0; i < ratios.values.size(); ++i)
        // Logarithms: above 0 the variance is larger than that of iid sampling.
        if (ratios.values[i] > 0) return ratios.numbers("distance")[i];
    return NAN;
}

report::Table summary(const store::Dataset& data) {
    report::Table table{
        .name = "orthogonal",
        .caption = "Largest gain over iid sampling and where a coupling becomes worse than iid, " + draws(data) + ".",
        .columns = {report::word_column("method"), {"d"}}};
    for (const std::string& sampling : words(data, "sampling")) {
        table.columns.push_back({sampling + ": least Var / Var(iid)"});
        table.columns.push_back({sampling + ": first worse at"});
    }
    for (const std::string& method : words(data, "method"))
        for (const double d : numbers(data, "dimension")) {
            report::Row row{{method, d}, d == numbers(data, "dimension").front()};
            for (const std::string& sampling : words(data, "sampling")) {
                const auto ratios = report::slice(data, "log_ratio",
                                                  {{"method", method},
                                                   {"dimension", d},
                                                   {"sampling", sampling},
                                                   {"block", numbers(data, "block").front()}});
                row.entries.emplace_back(std::exp(*std::min_element(ratios.values.begin(), ratios.values.end())));
                row.entries.emplace_back(first_worse(ratios));
            }
            table.rows.push_back(row);
        }
    table.notes = {
        "Distances are |x - y| where the variance depends on it alone, as that of trigonometric features does, and |x "
        "+ y| "
        "otherwise; a dash: never on the grid.",
        "Orthogonal positive, regularized and optimal positive features are never worse; orthogonal "
        "trigonometric ones are, from d = 3 on, at some distances: beyond the first for d = 3 and 4; for larger d "
        "better "
        "and worse alternate."};
    return table;
}

/// How often the intervals of drawn variances hold the exact one.
report::Table coverage(const store::Dataset& data) {
    constexpr double sure = 0.99;
    report::Table table{.name = "orthogonal-coverage",
                        .caption = "Points that were drawn, and how many of their 95 % intervals hold the exact value.",
                        .columns = {report::word_column("method"),
                                    report::word_column("sampling"),
                                    {"points"},
                                    {"within"},
                                    report::number_column("share", {report::Format::Kind::percent, 1}),
                                    report::number_column("99 % from", {report::Format::Kind::percent, 1}),
                                    report::number_column("to", {report::Format::Kind::percent, 1})}};
    const auto add = [&](const std::string& method, const std::string& sampling) {
        const report::Fixed fixed{{"method", method}, {"sampling", sampling}};
        const auto drawn = report::slice(data, "drawn_ratio", fixed).values;
        const auto half = report::slice(data, "drawn_ratio_half_width", fixed).values;
        const auto exact = report::slice(data, "drawn_exact", fixed).values;
        std::uint64_t points = 0, within = 0;
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            // Without a closed form there is nothing that an interval should hold.
            if (std::isnan(exact[i]) || std::isnan(drawn[i])) continue;
            ++points;
            within += std::abs(drawn[i] - exact[i]) <= half[i];
        }
        if (points == 0) return;
        const auto share = statistics::clopper_pearson(within, points, sure);
        table.rows.push_back({{method, sampling, static_cast<double>(points), static_cast<double>(within),
                               static_cast<double>(within) / static_cast<double>(points), share.low, share.high}});
    };
    for (const std::string& method : words(data, "method"))
        for (const std::string& sampling : words(data, "sampling")) add(method, sampling);
    table.notes = {
        "From, to: the Clopper-Pearson interval of the probability to hold it, which is 95 % where intervals are what "
        "they say."};
    return table;
}

/// How often the printed bound of Theorem 18 fails on the grid, and the corrected one.
report::Table violations(const store::Dataset& data) {
    report::Table table{
        .name = "bounds",
        .caption = "Points of the grid at which a bound exceeds the exact gain of orthogonal sampling.",
        .columns = {report::word_column("method"), report::word_column("bound"), {"points"}, {"violated"}}};
    for (const std::string& method : words(data, "method")) {
        if (!promised(data, method, "theorem_6")) continue;
        const std::vector<double> exact =
            report::slice(data, "log_ratio", {{"method", method}, {"sampling", "orthogonal"}},
                          {"dimension", "block", "distance"})
                .values;
        const std::pair<const char*, const char*> bounds[] = {{"theorem_6", theorem_6_title(data, method)},
                                                              {"theorem_18_printed", "Theorem 18 as printed"}};
        for (const auto& [variable, label] : bounds) {
            const std::vector<double> at_most =
                report::slice(data, variable, {{"method", method}}, {"dimension", "block", "distance"}).values;
            double violated = 0;
            // A promised variance below zero (NaN) is a violation too. Rounding: a few ulps of the logs.
            for (std::size_t i = 0; i < exact.size(); ++i)
                violated += std::isnan(at_most[i]) || at_most[i] < exact[i] - 1e-12;
            table.rows.push_back({{method, label, static_cast<double>(exact.size()), violated}});
        }
    }
    table.notes = {
        "Theorem 18 as printed has exp(-s/2) where its proof gives exp(-s); it is looked at where x.y is "
        "negative for small |x + y|."};
    return table;
}

}  // namespace

Report orthogonal_report(const store::Dataset& data) {
    Report result;
    result.figures.push_back(figure(data));
    for (const std::string& method : words(data, "method")) {
        if (promised(data, method, "theorem_3") || promised(data, method, "theorem_6"))
            result.figures.push_back(bounds(data, method));
    }
    result.tables = {summary(data), coverage(data)};
    if (report::has_word(data, "sampling", "orthogonal")) {
        report::Table table = violations(data);
        if (!table.rows.empty()) result.tables.push_back(table);
    }
    return result;
}

}  // namespace rfbench::experiments

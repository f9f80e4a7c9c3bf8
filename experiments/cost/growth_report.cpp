#include "cost/growth_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/cost_lines.hpp"
#include "report/verdict_report.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/confidence.hpp"

namespace rfbench::experiments {
namespace {

constexpr double family_error = 1 - statistics::confidence;

const std::vector<std::pair<std::string, std::string>> letters{
    {"rows", "N"}, {"length", "L"}, {"columns", "M"}, {"dimension", "d"}, {"cells", "cells"}, {"threads", "threads"}};

/// Times of one task while one size grows, as "linear, columns".
struct Line {
    std::string task, grows;
    double order;
    std::vector<double> sizes;
    CostLine times;

    Line(const store::Dataset& data, const std::string& label)
        : task(label.substr(0, label.rfind(", "))),
          grows(label.substr(label.rfind(", ") + 2)),
          order(report::slice(data, "order", {{"line", label}}).values.front()),
          times(data, {{"line", label}}, "step", "size") {
        sizes = times.bytes;
    }

    /// One a round in which all sizes were measured: long runs have fewer.
    std::vector<double> slopes() const {
        std::vector<double> all;
        for (std::size_t round = 0; round < times.rounds_from(0); ++round)
            all.push_back(statistics::exponent(sizes, times.seconds[round]));
        return all;
    }
    /// The slope that a factor `allowed` between the ends adds to the stated one.
    double limit(double allowed) const { return order + std::log(allowed) / std::log(sizes.back() / sizes.front()); }
};

/// Lines with a slope: at two sizes at least.
std::vector<Line> lines(const store::Dataset& data) {
    std::vector<Line> all;
    for (const std::string& label : report::words(data, "line"))
        if (Line own(data, label); own.sizes.size() > 1 && own.times.rounds_from(0) > 0) all.push_back(std::move(own));
    return all;
}

/// Medians against sizes, and the stated order through the first of them.
void add(report::Panel& panel, const Line& own) {
    report::Series series{.label = own.task, .x = own.sizes, .y = {}, .style = report::Style::line_points};
    report::Series stated{.label = own.task + ", stated", .x = own.sizes, .y = {}, .style = report::Style::reference};
    stated.in_legend = false;
    for (std::size_t i = 0; i < own.sizes.size(); ++i) {
        series.y.push_back(own.times.median(i));
        stated.y.push_back(own.times.median(0) * std::pow(own.sizes[i] / own.sizes[0], own.order));
    }
    panel.series.push_back(std::move(stated));
    panel.series.push_back(std::move(series));
}

report::Figure figure(const std::vector<Line>& all) {
    report::Figure figure{.name = "growth",
                          .title = "Growth of time with sizes",
                          .caption =
                              "Medians over rounds, one thread but where threads grow. Grey: the stated order, "
                              "through the smallest size.",
                          .columns = 3};
    for (const auto& [size, letter] : letters) {
        report::Panel panel;
        panel.title = size == letter ? size : fmt::format("{} {}", size, letter);
        panel.x = {.label = letter, .log = true};
        panel.y = {.label = "time / s", .log = true};
        for (const Line& own : all)
            if (own.grows == size) add(panel, own);
        if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
    }
    return figure;
}

report::Table table(const store::Dataset& data, const std::vector<Line>& all) {
    const double factor = std::stod(data.attributes.at(growth_factor));
    const report::Format two = report::decimals(2);
    report::Table table{.name = "growth",
                        .caption = "Exponents of time in each size, beside the stated ones.",
                        .columns = {report::word_column("task"),
                                    report::word_column("time"),
                                    report::word_column("grows"),
                                    {"from"},
                                    {"to"},
                                    {"time there", "ms"},
                                    {"stated"},
                                    report::number_column("exponent", two),
                                    report::number_column("limit", two),
                                    report::word_column("below the limit")}};
    std::vector<std::vector<decisions::Evidence>> claims;
    for (const Line& own : all) {
        const double limit = own.limit(factor);
        claims.push_back(
            {decisions::mean_evidence(own.slopes(), 0, {decisions::Relation::below, 0, limit}, family_error)});
        table.rows.push_back(
            {{own.task, data.attributes.at(growth_order + own.task), own.grows, own.sizes.front(), own.sizes.back(),
              1e3 * own.times.median(own.sizes.size() - 1), own.order, report::averaged_entry(own.slopes()), limit}});
    }
    const auto words = verdict_words(claims, false, family_error);
    for (std::size_t i = 0; i < words.size(); ++i) table.rows[i].entries.emplace_back(words[i]);
    table.notes = {fmt::format(
        "Exponents: slopes of logarithms over all sizes, in each round; mean ± half the {} % Student interval over "
        "rounds. Limit: the stated exponent, and what a factor of {} between the smallest and the largest size adds to "
        "it. Below the limit: holds, fails or undecided, at {:.2g} % for all rows together (Holm 1979). With threads, "
        "which share one task, time falls.",
        100 * statistics::confidence, factor, 100 * family_error)};
    return table;
}

}  // namespace

Report growth_report(const store::Dataset& data) {
    const std::vector<Line> all = lines(data);
    return {{figure(all)}, {table(data, all)}};
}

}  // namespace rfbench::experiments

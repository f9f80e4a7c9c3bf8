// Ranks over data sets with a critical difference (Demsar 2006), beside the averages.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "regression/accuracy_report.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/critical_difference.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {
namespace {

constexpr double error = 1 - statistics::confidence;

/// Features of one preparation, by their mean rank over the data sets, the best first.
struct Ranking {
    std::vector<Shown> contenders;
    statistics::MeanRanks ranks;  ///< in that order
    double critical;
    std::vector<std::pair<std::size_t, std::size_t>> level;

    std::string title(const store::Dataset& data, std::size_t m) const {
        return experiments::title(data, contenders[m]);
    }
};

/// Ranking of what was measured on all data sets; nothing for fewer than two of either.
std::optional<Ranking> ranking(const store::Dataset& data, const report::Fixed& preparation) {
    const auto& sets = words(data, "dataset");
    std::vector<Shown> all;
    std::vector<std::vector<double>> accuracies(sets.size());
    for (const Shown& one : contenders(data)) {
        if (is_reference(data, one.method) || preparation_words(one.where) != preparation_words(preparation)) continue;
        std::vector<double> own;
        for (const std::string& set : sets)
            if (const auto on_set = tuned(data, set, one).accuracy; !on_set.empty()) own.push_back(mean(on_set));
        if (own.size() != sets.size()) continue;
        all.push_back(one);
        for (std::size_t s = 0; s < sets.size(); ++s) accuracies[s].push_back(own[s]);
    }
    if (sets.size() < 2 || all.size() < 2) return {};

    // Equal ranks keep the order of the methods.
    const std::vector<double> given = statistics::mean_ranks(accuracies).mean;
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return given[a] < given[b]; });
    std::vector<Shown> sorted;
    for (const std::size_t m : order) sorted.push_back(all[m]);
    for (std::vector<double>& one : accuracies) {
        const std::vector<double> before = one;
        for (std::size_t i = 0; i < order.size(); ++i) one[i] = before[order[i]];
    }
    const statistics::MeanRanks ranks = statistics::mean_ranks(accuracies);
    const double critical = statistics::critical_difference(sorted.size(), sets.size(), error);
    return Ranking{sorted, ranks, critical, statistics::level_runs(ranks.mean, critical)};
}

std::vector<Ranking> rankings(const store::Dataset& data) {
    std::vector<Ranking> all;
    for (const report::Fixed& preparation : preparations(data))
        if (auto one = ranking(data, preparation)) all.push_back(std::move(*one));
    return all;
}

/// Letters of the runs that hold a method; a method that is level with none has none.
std::string letters(const Ranking& of, std::size_t m) {
    std::string text;
    for (std::size_t run = 0; run < of.level.size(); ++run)
        if (of.level[run].first <= m && m <= of.level[run].second) text += static_cast<char>('a' + run % 26);
    return text.empty() ? "–" : text;
}

/// Place of the method that others are compared with.
std::optional<std::size_t> control_of(const store::Dataset& data, const Ranking& of) {
    const std::optional<std::string> label = label_of(data, "optimal-positive");
    if (!label) return {};
    std::optional<std::size_t> found;
    // With several samplings the last, as where differences are shown.
    for (std::size_t m = 0; m < of.contenders.size(); ++m)
        if (of.contenders[m].method == *label && (of.contenders[m].word("sampling") == own_sampling ||
                                                  of.contenders[m].word("sampling") == samplings(data).back()))
            found = m;
    return found;
}

std::string test_words(const store::Dataset& data, const Ranking& of) {
    return fmt::format(
        "{}{} features on {} data sets: Friedman's chi squared {:.3g}, p = {:.2g}; F of Iman and Davenport (1980) "
        "{:.3g}, p = {:.2g}; critical difference {:.2f}.",
        preparations(data).size() == 1 ? "" : preparation_words(of.contenders.front().where) + ": ",
        of.contenders.size(), of.ranks.sets, of.ranks.chi_squared, of.ranks.p, of.ranks.f, of.ranks.p_of_f,
        of.critical);
}

report::Panel panel_of(const store::Dataset& data, const Ranking& of) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    report::Panel panel;
    if (preparations(data).size() > 1) panel.title = preparation_words(of.contenders.front().where);
    panel.x = {.label = "mean rank, 1 the most accurate"};
    double row = 0;
    report::Series difference{
        .label = "critical difference", .x = {1, 1 + of.critical}, .y = {row, row}, .in_legend = false};
    panel.y.ticks.push_back({row, "critical difference"});
    panel.series.push_back(difference);
    // One series has all bars, with gaps between them, another a mark for each method that a bar joins.
    report::Series bars{.label = "level", .x = {}, .y = {}, .in_legend = false};
    for (std::size_t run = 0; run < of.level.size(); ++run) {
        --row;
        panel.y.ticks.push_back({row, fmt::format("level {}", static_cast<char>('a' + run % 26))});
        for (std::size_t m = of.level[run].first; m <= of.level[run].second; ++m) {
            bars.x.push_back(of.ranks.mean[m]);
            bars.y.push_back(row);
        }
        bars.x.push_back(of.ranks.mean[of.level[run].second]);
        bars.y.push_back(none);
    }
    if (!of.level.empty()) {
        panel.series.push_back(bars);
        bars.label = "joined";
        bars.like = "level";
        bars.style = report::Style::points;
        panel.series.push_back(bars);
    }
    for (std::size_t m = 0; m < of.contenders.size(); ++m) {
        --row;
        panel.y.ticks.push_back({row, of.title(data, m)});
        panel.series.push_back({.label = of.title(data, m),
                                .x = {of.ranks.mean[m]},
                                .y = {row},
                                .style = report::Style::points,
                                .in_legend = false});
    }
    panel.y.range = {{row - 0.7, 0.7}};
    panel.key = report::Key::none;
    return panel;
}

}  // namespace

std::optional<report::Table> critical_table(const store::Dataset& data) {
    const std::vector<Ranking> all = rankings(data);
    if (all.empty()) return {};
    const report::Format two = report::decimals(2), three{report::Format::Kind::significant, 3};
    const bool controlled =
        std::any_of(all.begin(), all.end(), [&](const Ranking& one) { return control_of(data, one).has_value(); });
    report::Table table{.name = "accuracy-critical",
                        .caption = fmt::format(
                            "Mean rank of the features over the data sets, 1 the most accurate. Features that share a "
                            "letter are level: their ranks are less than the critical difference apart (Nemenyi, "
                            "family-wise error {} %, Demsar 2006).",
                            std::round(100 * error)),
                        .columns = {report::word_column("features"), report::number_column("mean rank", two),
                                    report::number_column("behind the first", two), report::word_column("level")}};
    if (controlled)
        table.columns.push_back(report::number_column("p against " + *label_of(data, "optimal-positive"), three));
    for (const Ranking& one : all) {
        const auto control = control_of(data, one);
        const std::vector<double> p =
            control ? statistics::against_control(one.ranks, *control) : std::vector<double>();
        for (std::size_t m = 0; m < one.contenders.size(); ++m) {
            report::Row row{
                {one.title(data, m), one.ranks.mean[m], one.ranks.mean[m] - one.ranks.mean[0], letters(one, m)},
                m == 0 && &one != &all.front()};
            if (controlled && control && m != *control)
                row.entries.emplace_back(p[m]);
            else if (controlled)
                row.entries.emplace_back(report::Missing{});
            table.rows.push_back(row);
        }
        table.notes.push_back(test_words(data, one));
    }
    if (controlled)
        table.notes.push_back(
            "p: normal, of equal mean ranks, adjusted for all comparisons with that one (Holm 1979).");
    return table;
}

std::optional<report::Figure> critical_figure(const store::Dataset& data) {
    const std::vector<Ranking> all = rankings(data);
    if (all.empty()) return {};
    report::Figure figure{
        .name = "accuracy-critical",
        .title = "Ranks over data sets",
        .caption = fmt::format("Mean rank of test accuracy over {} data sets, γ tuned on validation rows.",
                               all.front().ranks.sets),
        .interval = fmt::format("Bars join features whose ranks are less than the critical difference "
                                "apart (Nemenyi, family-wise error {} %)",
                                std::round(100 * error)),
        .columns = all.size() > 1 ? 2 : 1};
    for (const Ranking& one : all) figure.panels.push_back(panel_of(data, one));
    return figure;
}

}  // namespace rfbench::experiments

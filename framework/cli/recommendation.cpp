#include "recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/features/catalogue.hpp"
#include "study/method_identity.hpp"

namespace rfbench::cli {

namespace {

constexpr std::size_t shown = 3;

std::string found_in(const std::map<std::string, std::string>& texts, const std::string& name) {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string() : found->second;
}

report::Entry rank_of(const SetRanks& ranks, const std::string& name) {
    const auto found = ranks.mean.find(name);
    if (found == ranks.mean.end()) return report::Missing{};
    return found->second;
}

}  // namespace

report::Table recommended_table(const Recommendation& of) {
    report::Table table{.name = "recommended", .columns = {report::word_column("method")}};
    for (const char* title : {"value", "worse by"}) table.columns.push_back(report::number_column(title, {}));
    if (of.ranks) table.columns.push_back(report::number_column("mean rank", report::decimals(2)));
    for (const char* title : {"verdict", "drawbacks"}) table.columns.push_back(report::word_column(title));
    for (std::size_t k = 0; k < of.ranked.size() && k < shown; ++k) {
        const decisions::Ranked& one = of.ranked[k];
        report::Row row{{one.name, report::Estimate{one.mean, one.half_width}, report::Missing{}}};
        if (k > 0) row.entries.back() = report::Estimate{one.worse_by, one.worse_by_half_width};
        if (of.ranks) row.entries.push_back(rank_of(*of.ranks, one.name));
        row.entries.emplace_back(k == 0 ? "the best" : one.told_apart ? "worse" : "not told apart");
        row.entries.emplace_back(found_in(of.against, one.name));
        table.rows.push_back(row);
    }
    const auto others = static_cast<std::ptrdiff_t>(of.ranked.size()) - 1;
    const auto alike =
        std::count_if(of.ranked.begin() + 1, of.ranked.end(), [](const auto& one) { return !one.told_apart; });
    table.caption = fmt::format("By {}: {}.", of.configuration, of.words);
    table.notes = {fmt::format(
        "{} of {} other methods {} told apart from the best by differences{}, paired by {}, at 5 % for all of them "
        "together (Holm 1979).",
        others - alike, others, others - alike == 1 ? "is" : "are", of.by_logarithms ? " of logarithms" : "",
        of.paired_by)};
    if (of.ranks)
        table.notes.push_back(fmt::format(
            "Mean rank of {} methods over {} data sets, 1 the best; ranks less than {:.2f} apart are not told apart "
            "(Nemenyi's critical difference at 5 %, Demsar 2006).",
            of.ranks->mean.size(), of.ranks->sets, of.ranks->critical));
    table.notes.push_back(of.more);
    return table;
}

report::Figure recommended_figure(const Recommendation& of) {
    constexpr double gap = std::numeric_limits<double>::quiet_NaN();
    report::Panel panel;
    panel.x = {.label = of.words};
    // Intervals lie along x: one line with a gap after each.
    report::Series interval{.label = "95 % interval", .x = {}, .y = {}, .in_legend = false};
    const auto points = [](const char* label) {
        return report::Series{.label = label, .x = {}, .y = {}, .style = report::Style::points};
    };
    report::Series best = points("the best"), alike = points("not told apart"), worse = points("worse");
    double row = 0;
    for (const decisions::Ranked& one : of.ranked) {
        report::Series& series = row == 0 ? best : one.told_apart ? worse : alike;
        --row;
        panel.y.ticks.push_back({row, one.name});
        series.x.push_back(one.mean);
        series.y.push_back(row);
        for (const double end : {one.mean - one.half_width, one.mean + one.half_width, gap}) interval.x.push_back(end);
        for (const double y : {row, row, gap}) interval.y.push_back(y);
    }
    panel.y.range = {{row - 0.7, -0.3}};
    panel.series = {interval, best, alike, worse};
    return {.name = "recommended",
            .title = "By " + of.configuration,
            .caption = fmt::format(
                "{}. Not told apart are methods whose difference from the best{}, paired by {}, is not shown.",
                of.words, of.by_logarithms ? ", of logarithms" : "", of.paired_by),
            .interval = "Lines: 95 % intervals of the mean",
            .panels = {panel}};
}

std::vector<std::string> known_drawbacks(const store::Dataset& data, const std::string& label) {
    const std::string name = experiments::method_identity(data, label).name;
    const auto& all = features::catalogue();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.name == name; });
    // Baselines and functions are no mechanisms: what they do is in their description.
    if (found == all.end()) return {};
    std::vector<std::string> drawbacks;
    if (!found->estimates_kernel) drawbacks.emplace_back("estimates no kernel before it is trained");
    if (found->estimates_kernel && !found->unbiased) drawbacks.emplace_back("is biased");
    if (!found->positive) drawbacks.emplace_back("features may change sign");
    return drawbacks;
}

}  // namespace rfbench::cli

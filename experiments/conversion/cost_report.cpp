#include "conversion/cost_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/median.hpp"

namespace rfbench::experiments {
namespace {

using Times = std::vector<double>;

/// Seconds of all rounds; none where nothing was measured.
Times times(const store::Dataset& data, const std::string& variable, const report::Fixed& at) {
    Times all = report::slice(data, variable, at).values;
    // Long runs have fewer rounds.
    all.erase(std::remove_if(all.begin(), all.end(), [](double one) { return std::isnan(one); }), all.end());
    return all;
}

/// Whether strategies decide the features of a method: others than the first have times of it, for some source.
bool allotted(const store::Dataset& data, const std::string& method) {
    const auto& strategies = report::words(data, "strategy");
    if (strategies.size() == 1) return true;
    return std::any_of(strategies.begin() + 1, strategies.end(), [&](const std::string& strategy) {
        return !times(data, "sequence_seconds", {{"method", method}, {"strategy", strategy}}).empty();
    });
}

report::Entry median_milliseconds(Times all) {
    if (all.empty()) return report::Missing{};
    return 1000 * statistics::median(std::move(all));
}

/// Ratios round by round, which had the same disturbances.
report::Entry ratio(const Times& over, const Times& under) {
    Times all;
    for (std::size_t i = 0; i < std::min(over.size(), under.size()); ++i) all.push_back(over[i] / under[i]);
    return report::averaged_entry(all);
}

const char* rounds_words = "Medians over rounds on one thread; ratios: mean over rounds ± half its 95 % interval.";

report::Table strategy_table(const store::Dataset& data) {
    report::Table table{
        .name = "cost-strategies",
        .caption = fmt::format(
                       "Milliseconds of a forward pass of one sequence of {} tokens through converted networks, by how "
                       "features are spent over layers and heads, {} a head with Fix; outputs of one token. A strategy "
                       "is left out whose numbers of features a method cannot have. ",
                       data.attributes.at("length"), data.attributes.at("columns")) +
                   rounds_words,
        .columns = {report::word_column("source"),
                    report::word_column("method"),
                    report::word_column("strategy"),
                    {"features a head"},
                    {"a sequence", "ms"},
                    report::number_column("over the first", report::decimals(3))}};
    const auto& strategies = report::words(data, "strategy");
    for (const std::string& source : report::words(data, "source"))
        for (const std::string& method : report::words(data, "method")) {
            const auto at = [&](const std::string& strategy) {
                return report::Fixed{{"source", source}, {"method", method}, {"strategy", strategy}};
            };
            const Times fixed = times(data, "sequence_seconds", at(strategies.front()));
            const bool one = !allotted(data, method);
            for (const std::string& strategy : strategies) {
                const Times own = times(data, "sequence_seconds", at(strategy));
                if (own.empty()) continue;
                const double features = report::slice(data, "features", at(strategy)).values.front();
                table.rows.push_back(
                    {{source, method, one ? "–" : strategy,
                      std::isnan(features) ? report::Entry(report::Missing{}) : report::Entry(features),
                      median_milliseconds(own), ratio(own, fixed)}});
            }
        }
    report::group_by_first(table, 2);
    return table;
}

report::Table loss_table(const store::Dataset& data) {
    report::Table table{
        .name = "cost-losses",
        .caption = fmt::format(
                       "Milliseconds of a sample, a loss and its gradient by one sequence, when {} learned features of "
                       "every head are trained: squared and softmax (Nishikawa, Higuchi and Suzuki 2025), outputs "
                       "(LoLCATs) and distributions (Hedgehog, LUNA) head by head; direct by the network's own loss. ",
                       data.attributes.at("columns")) +
                   rounds_words,
        .columns = {report::word_column("source"),
                    report::word_column("loss"),
                    {"a sample", "ms"},
                    report::number_column("over direct", report::decimals(3))}};
    for (const std::string& source : report::words(data, "source")) {
        const Times direct = times(data, "sample_seconds", {{"source", source}, {"loss", "direct"}});
        for (const std::string& loss : report::words(data, "loss")) {
            const Times own = times(data, "sample_seconds", {{"source", source}, {"loss", loss}});
            table.rows.push_back({{source, loss, median_milliseconds(own), ratio(own, direct)}});
        }
    }
    report::group_by_first(table);
    return table;
}

report::Table step_table(const store::Dataset& data) {
    report::Table table{
        .name = "cost-steps",
        .caption = fmt::format("Milliseconds of a step of tuning by a mini-batch of the source, {} columns a head. ",
                               data.attributes.at("columns")) +
                   rounds_words,
        .columns = {report::word_column("source"),
                    report::word_column("method"),
                    {"a step", "ms"},
                    report::number_column("over softmax", report::decimals(3))}};
    for (const std::string& source : report::words(data, "source")) {
        Times softmax;
        for (const std::string& method : report::words(data, "method")) {
            const report::Fixed at{{"source", source}, {"method", method}};
            if (softmax.empty() && report::slice(data, "exact", at).values.front() == 1)
                softmax = times(data, "step_seconds", at);
        }
        for (const std::string& method : report::words(data, "method")) {
            const Times own = times(data, "step_seconds", {{"source", source}, {"method", method}});
            table.rows.push_back({{source, method, median_milliseconds(own), ratio(own, softmax)}});
        }
    }
    report::group_by_first(table);
    return table;
}

}  // namespace

Report conversion_cost_report(const store::Dataset& data) {
    return {{}, {strategy_table(data), loss_table(data), step_table(data)}};
}

}  // namespace rfbench::experiments

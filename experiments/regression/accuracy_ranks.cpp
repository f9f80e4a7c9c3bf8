#include <fmt/format.h>

#include <cmath>

#include "regression/accuracy_report.hpp"
#include "rfbench/report/best_mark.hpp"
#include "rfbench/statistics/ranks.hpp"

namespace rfbench::experiments {
namespace {

std::vector<double> accuracies_of(const store::Dataset& data, const std::string& method, const std::string& set,
                                  const report::Fixed& preparation) {
    return tuned(data, set, placed(data, method, samplings(data).back(), counts(data).back(), preparation)).accuracy;
}

/// Whether all of it was measured by the last sampling.
bool is_whole(const store::Dataset& data, const std::string& method) {
    for (const report::Fixed& preparation : preparations(data))
        for (const std::string& set : words(data, "dataset"))
            if (accuracies_of(data, method, set, preparation).empty()) return false;
    return true;
}

/// Features, by the last sampling: no references.
struct Features {
    std::vector<std::string> ranked, left_out;  ///< what lacks a value has no rank
};
Features features(const store::Dataset& data) {
    Features result;
    for (const std::string& method : words(data, "method"))
        if (!is_reference(data, method)) (is_whole(data, method) ? result.ranked : result.left_out).push_back(method);
    return result;
}

/// Mean accuracy of each of these.
std::vector<double> accuracies(const store::Dataset& data, const std::vector<std::string>& methods,
                               const std::string& set, const report::Fixed& preparation) {
    std::vector<double> result;
    for (const std::string& method : methods) result.push_back(mean(accuracies_of(data, method, set, preparation)));
    return result;
}

}  // namespace

report::Table rank_table(const store::Dataset& data) {
    report::Table table{.name = "accuracy-ranks",
                        .caption =
                            "Mean rank of the features over the data sets, 1 the most accurate, for each "
                            "encoding of categories and scaling of columns.",
                        .columns = {report::word_column("features")}};
    const auto [ranked, left_out] = features(data);
    for (const std::string& method : ranked) table.rows.push_back({{method}});
    for (const report::Fixed& preparation : preparations(data)) {
        table.columns.push_back(report::number_column(preparation_words(preparation), one_digit));
        std::vector<double> sums(table.rows.size(), 0);
        for (const std::string& set : words(data, "dataset")) {
            const auto ranks = statistics::descending_ranks(accuracies(data, ranked, set, preparation));
            for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += ranks[m];
        }
        for (std::size_t m = 0; m < sums.size(); ++m)
            table.rows[m].entries.emplace_back(sums[m] / static_cast<double>(words(data, "dataset").size()));
    }
    report::mark_best(table, report::Best::least, report::columns_from(table, 1));
    if (!left_out.empty())
        table.notes.push_back(fmt::format("Without a rank, since they lack values by {} sampling: {}.",
                                          samplings(data).back(), fmt::join(left_out, ", ")));
    return table;
}

report::Table agreement_table(const store::Dataset& data) {
    const report::Format two_digits = report::decimals(2);
    const report::Fixed base = preparations(data).front();
    report::Table table{
        .name = "accuracy-agreement",
        .caption = "Kendall's τ between the ranking of the features and that with " + preparation_words(base) + ".",
        .columns = {report::word_column("encoding, scaling")}};
    for (const std::string& set : words(data, "dataset"))
        table.columns.push_back(report::number_column(set, two_digits));
    table.columns.push_back(report::number_column("mean", two_digits));
    const std::vector<std::string> ranked = features(data).ranked;
    for (const report::Fixed& preparation : preparations(data)) {
        if (preparation == base) continue;
        report::Row row{{preparation_words(preparation)}};
        std::vector<double> taus;
        for (const std::string& set : words(data, "dataset")) {
            // Not a number where all features are equally accurate: such a set has no order to compare.
            const double tau = statistics::kendall_tau(accuracies(data, ranked, set, base),
                                                       accuracies(data, ranked, set, preparation));
            row.entries.emplace_back(tau);
            if (!std::isnan(tau)) taus.push_back(tau);
        }
        row.entries.emplace_back(mean(taus));
        table.rows.push_back(row);
    }
    table.notes = {
        "1: the same order, 0: unrelated, -1: reversed. Rankings are of mean accuracies over draws and "
        "splits; methods within an interval of each other change places by chance."};
    return table;
}

}  // namespace rfbench::experiments

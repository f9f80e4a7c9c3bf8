#include <fmt/format.h>

#include <cmath>

#include "regression/accuracy_report.hpp"
#include "rfbench/statistics/paired_test.hpp"

namespace rfbench::experiments {
namespace {

struct Comparison {
    std::string set;
    statistics::PairedDifference difference;
    double adjusted_p = 1;
};

struct Compared {
    Method method;
    std::vector<Comparison> comparisons;  // one a data set
};

/// Each method against the winner with the last sampling and the method's own preparation.
std::vector<Compared> compare(const store::Dataset& data, const std::string& winner) {
    std::vector<Compared> result;
    std::vector<double> p;
    for (const Method& method : methods(data)) {
        const Method base{winner, words(data, "sampling").back(), method.columns, method.preparation};
        if (method.mechanism == base.mechanism && method.sampling == base.sampling) continue;
        Compared own{method, {}};
        for (const std::string& set : words(data, "dataset")) {
            const std::vector<double> reference = tuned(data, set, base).accuracy;
            std::vector<double> gaps = tuned(data, set, method).accuracy;
            for (std::size_t s = 0; s < gaps.size(); ++s) gaps[s] -= reference[s];
            own.comparisons.push_back({set, statistics::paired_difference(gaps, test_to_training, confidence)});
            p.push_back(own.comparisons.back().difference.p);
        }
        result.push_back(own);
    }
    const std::vector<double> adjusted = statistics::holm(p);
    std::size_t next = 0;
    for (Compared& one : result)
        for (Comparison& comparison : one.comparisons) comparison.adjusted_p = adjusted[next++];
    return result;
}

}  // namespace

std::optional<report::Table> difference_table(const store::Dataset& data) {
    const std::string winner = "optimal-positive";
    if (splits(data) < 2 || !report::has_word(data, "mechanism", winner)) return {};
    const auto compared = compare(data, winner);

    report::Table table{.name = "accuracy-differences",
                        .caption = fmt::format("Accuracy above that of {} features with {} sampling, in points, over "
                                               "the same splits.",
                                               winner, words(data, "sampling").back()),
                        .columns = {report::word_column("features")}};
    for (const std::string& set : words(data, "dataset"))
        table.columns.push_back(report::number_column(set, one_digit));
    for (const auto& [method, comparisons] : compared) {
        report::Row row{{title(data, method)}};
        for (const Comparison& one : comparisons) {
            row.entries.emplace_back(report::Estimate{one.difference.mean, one.difference.half_width,
                                                      one.adjusted_p <= 1 - confidence ? "*" : ""});
        }
        table.rows.push_back(row);
    }
    table.notes = {interval_note(data),
                   fmt::format("*: different from zero at a family-wise error of {} % over all {} comparisons (Holm "
                               "1979).",
                               std::round(100 * (1 - confidence)), compared.size() * words(data, "dataset").size())};
    return table;
}

}  // namespace rfbench::experiments

#include <fmt/format.h>

#include <cmath>

#include "regression/accuracy_report.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/paired_test.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {
namespace {

struct Difference {
    statistics::PairedDifference of;
    double adjusted_p = 1;
};

struct Compared {
    Shown contender;
    std::vector<std::optional<Difference>> differences;  // one a data set; none where a value is not there
    std::optional<statistics::PairedDifference> mean;    // over all sets of the thesis, where they are there
};

/// Paired: split r has the same rows for both, so that what makes it hard is not in the difference.
std::optional<statistics::PairedDifference> paired(std::vector<double> accuracy, const std::vector<double>& reference) {
    if (accuracy.empty() || reference.empty()) return {};
    for (std::size_t s = 0; s < accuracy.size(); ++s) accuracy[s] -= reference[s];
    return statistics::paired_difference(accuracy, test_to_training, statistics::confidence);
}

/// How many differences there are: one family of tests.
std::size_t comparisons(const std::vector<Compared>& compared) {
    std::size_t count = 0;
    for (const Compared& one : compared)
        for (const std::optional<Difference>& difference : one.differences) count += difference.has_value();
    return count;
}

/// Each contender against the winner with its own sampling, or the last one, and the contender's own preparation.
std::vector<Compared> compare(const store::Dataset& data, const MethodIdentity& winner) {
    std::vector<Compared> result;
    std::vector<double> p;
    for (const Shown& contender : contenders(data)) {
        const Shown base = placed(data, winner.label, samplings(data).back(), counts(data).back(),
                                  {{"encoding", contender.word("encoding")}, {"scaling", contender.word("scaling")}});
        if (contender.method == base.method && contender.where == base.where) continue;
        Compared own{contender, {}, {}};
        for (const std::string& set : words(data, "dataset")) {
            const auto of = paired(tuned(data, set, contender).accuracy, tuned(data, set, base).accuracy);
            own.differences.push_back(of ? std::optional(Difference{*of}) : std::nullopt);
            if (of) p.push_back(of->p);
        }
        if (complete(data)) own.mean = paired(average(data, contender), average(data, base));
        result.push_back(own);
    }
    // One family: all contenders on all data sets, in the order in which the values of p were collected.
    const std::vector<double> adjusted = statistics::holm(p);
    std::size_t next = 0;
    for (Compared& one : result)
        for (std::optional<Difference>& difference : one.differences)
            if (difference) difference->adjusted_p = adjusted[next++];
    return result;
}

}  // namespace

std::optional<report::Table> difference_table(const store::Dataset& data) {
    const std::optional<std::string> label = label_of(data, "optimal-positive");
    if (splits(data) < 2 || !label) return {};
    const MethodIdentity winner = method_identity(data, *label);
    const auto compared = compare(data, winner);

    report::Table table{
        .name = "accuracy-differences",
        .caption = fmt::format("Accuracy above that of {} features with {} sampling, in points, over "
                               "the same splits.",
                               winner.label, winner.sampling.empty() ? samplings(data).back() : winner.sampling),
        .columns = {report::word_column("features")}};
    for (const std::string& set : words(data, "dataset"))
        table.columns.push_back(report::number_column(set, one_digit));
    if (complete(data)) table.columns.push_back(report::number_column("mean of the eight", report::decimals(2)));
    for (const auto& [contender, differences, mean] : compared) {
        report::Row row{{title(data, contender)}};
        for (const std::optional<Difference>& one : differences)
            row.entries.emplace_back(
                one ? report::Entry(report::Estimate{one->of.mean, one->of.half_width,
                                                     one->adjusted_p <= 1 - statistics::confidence ? "*" : ""})
                    : report::Missing{});
        if (complete(data))
            row.entries.emplace_back(mean ? report::Entry(report::Estimate{mean->mean, mean->half_width})
                                          : report::Missing{});
        table.rows.push_back(row);
    }
    table.notes = {interval_note(data),
                   fmt::format("*: different from zero at a family-wise error of {} % over all {} comparisons (Holm "
                               "1979).",
                               std::round(100 * (1 - statistics::confidence)), comparisons(compared))};
    return table;
}

}  // namespace rfbench::experiments

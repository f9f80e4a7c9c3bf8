#include "regression/accuracy_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "choices.hpp"
#include "regression/printed.hpp"
#include "regression/task.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/paired_test.hpp"
#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::experiments {
namespace {

constexpr double level = 0.95;
constexpr double test_to_training = 0.05 / 0.9;

const std::vector<std::string>& words(const store::Dataset& data, const char* axis) {
    return std::get<std::vector<std::string>>(data.axis(axis).labels);
}

bool is_reference(const std::string& mechanism) { return mechanism == "exact" || mechanism == "majority"; }

struct Method {
    std::string mechanism, sampling;
    double columns;  // real ones
};

const std::vector<double>& counts(const store::Dataset& data) {
    return std::get<std::vector<double>>(data.axis("real_columns").labels);
}

/// Test accuracies, one for each split, at the gamma that is best on the validation rows (the least of equals), in %.
/// Empty where nothing was measured.
struct Tuned {
    std::vector<double> accuracy, deviation, undecided;
};
Tuned tuned(const store::Dataset& data, const std::string& dataset, const Method& method) {
    const report::Fixed fixed{{"dataset", dataset},
                              {"mechanism", method.mechanism},
                              {"sampling", method.sampling},
                              {"real_columns", is_reference(method.mechanism) ? counts(data).front() : method.columns}};
    const std::vector<std::string> order{"split", "gamma"};
    const auto validation = report::slice(data, "validation_accuracy", fixed, order);
    const auto test = report::slice(data, "test_accuracy", fixed, order);
    const auto deviation = report::slice(data, "test_deviation", fixed, order);
    const auto undecided = report::slice(data, "undecided", fixed, order);
    const std::size_t gammas = validation.numbers("gamma").size();
    Tuned result;
    for (std::size_t first = 0; first < validation.values.size(); first += gammas) {
        const auto begin = validation.values.begin() + static_cast<std::ptrdiff_t>(first);
        const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(gammas));
        if (std::isnan(*best)) return {};
        const std::size_t at = static_cast<std::size_t>(best - validation.values.begin());
        result.accuracy.push_back(100 * test.values[at]);
        result.deviation.push_back(100 * deviation.values[at]);
        result.undecided.push_back(100 * undecided.values[at]);
    }
    return result;
}

double mean(const std::vector<double>& values) {
    statistics::RunningMoments moments;
    for (const double value : values) moments.add(value);
    return values.empty() ? std::numeric_limits<double>::quiet_NaN() : moments.mean();
}

/// Mean over splits and half its confidence interval; of one split, the accuracy alone.
report::Entry estimate(const std::vector<double>& accuracies) {
    if (accuracies.empty()) return report::Missing{};
    if (accuracies.size() == 1) return accuracies.front();
    const auto interval = statistics::paired_difference(accuracies, test_to_training, level);
    return report::Estimate{interval.mean, interval.half_width};
}

/// The mean over data sets, split by split; nothing unless every data set has been measured.
std::vector<double> average(const store::Dataset& data, const Method& method) {
    std::vector<double> sums;
    const auto& sets = words(data, "dataset");
    for (const std::string& set : sets) {
        const std::vector<double> own = tuned(data, set, method).accuracy;
        if (own.empty()) return {};
        sums.resize(own.size());
        for (std::size_t s = 0; s < own.size(); ++s) sums[s] += own[s] / static_cast<double>(sets.size());
    }
    return sums;
}

bool complete(const store::Dataset& data) {
    const auto& sets = words(data, "dataset");
    return std::all_of(thesis_sets().begin(), thesis_sets().end(), [&](const std::string& set) {
        return std::find(sets.begin(), sets.end(), set) != sets.end();
    });
}

/// All that was measured, with the most features.
std::vector<Method> methods(const store::Dataset& data) {
    const double columns = counts(data).back();
    std::vector<Method> result;
    for (const std::string& mechanism : words(data, "mechanism"))
        for (const std::string& sampling : words(data, "sampling"))
            if (!tuned(data, words(data, "dataset").front(), {mechanism, sampling, columns}).accuracy.empty())
                result.push_back({mechanism, sampling, columns});
    return result;
}

std::string title(const store::Dataset& data, const Method& method) {
    return words(data, "sampling").size() == 1 || is_reference(method.mechanism)
               ? method.mechanism
               : method.mechanism + ", " + method.sampling;
}

std::size_t splits(const store::Dataset& data) { return data.axis("split").size(); }

std::string interval_note(const store::Dataset& data) {
    if (splits(data) == 1) return "One random split, so no interval: a few points are noise on the small sets.";
    return fmt::format("Mean over {} random splits, ± half the {} % interval (Student's t, corrected for overlapping "
                       "training sets, Nadeau and Bengio 2003).",
                       splits(data), 100 * level);
}

report::Table accuracy_table(const store::Dataset& data) {
    const report::Format one_digit{report::Format::Kind::fixed, 1};
    report::Table table{.name = "accuracy",
                        .caption = "Test accuracy in % of kernel regression; γ tuned on validation rows. Below ours, where "
                                   "there is one, the printed number.",
                        .columns = {{"features", "", report::Alignment::left}, {"", "", report::Alignment::left}}};
    for (const std::string& set : words(data, "dataset"))
        table.columns.push_back({set, "", report::Alignment::right, one_digit});
    if (complete(data)) table.columns.push_back({"mean", "", report::Alignment::right, one_digit});
    for (const Method& method : methods(data)) {
        report::Row ours{{title(data, method), "ours"}}, printed{{"", "printed"}};
        double printed_sum = 0;
        bool any_printed = false;
        for (const std::string& set : words(data, "dataset")) {
            ours.entries.push_back(estimate(tuned(data, set, method).accuracy));
            const auto value = printed_accuracy(set, method.mechanism, method.sampling);
            printed.entries.push_back(value ? report::Entry(*value) : report::Entry(report::Missing{}));
            any_printed = any_printed || value;
            printed_sum += value.value_or(std::numeric_limits<double>::quiet_NaN());
        }
        if (complete(data)) {
            ours.entries.push_back(estimate(average(data, method)));
            printed.entries.push_back(printed_sum / static_cast<double>(words(data, "dataset").size()));
        }
        table.rows.push_back(ours);
        if (any_printed) table.rows.push_back(printed);
    }
    table.columns[1].title = "source";
    table.notes = {interval_note(data), "Printed: Likhosherstov 2022, Tables 6.2 and 6.3. exact: the kernel itself, without "
                                        "features; majority: the class of most training rows."};
    if (!complete(data)) table.notes.push_back("Without all eight data sets of the thesis no average is shown.");
    return table;
}

/// Paired differences from the thesis' winner, over the same splits.
std::optional<report::Table> differences(const store::Dataset& data) {
    const std::string winner = "optimal-positive";
    const auto& mechanisms = words(data, "mechanism");
    if (splits(data) < 2 || std::find(mechanisms.begin(), mechanisms.end(), winner) == mechanisms.end()) return {};
    const Method base{winner, words(data, "sampling").back(), counts(data).back()};
    struct Comparison {
        Method method;
        std::string set;
        statistics::PairedDifference difference;
    };
    std::vector<Comparison> comparisons;
    std::vector<double> p;
    for (const std::string& set : words(data, "dataset")) {
        const std::vector<double> reference = tuned(data, set, base).accuracy;
        for (const Method& method : methods(data)) {
            if (method.mechanism == base.mechanism && method.sampling == base.sampling) continue;
            std::vector<double> gaps = tuned(data, set, method).accuracy;
            for (std::size_t s = 0; s < gaps.size(); ++s) gaps[s] -= reference[s];
            comparisons.push_back({method, set, statistics::paired_difference(gaps, test_to_training, level)});
            p.push_back(comparisons.back().difference.p);
        }
    }
    const std::vector<double> adjusted = statistics::holm(p);

    report::Table table{.name = "accuracy-differences",
                        .caption = fmt::format("Accuracy above that of {} features with {} sampling, in points, over the same "
                                               "splits.",
                                               base.mechanism, base.sampling),
                        .columns = {{"features", "", report::Alignment::left}}};
    const report::Format one_digit{report::Format::Kind::fixed, 1};
    for (const std::string& set : words(data, "dataset"))
        table.columns.push_back({set, "", report::Alignment::right, one_digit});
    for (const Method& method : methods(data)) {
        report::Row row{{title(data, method)}};
        for (std::size_t i = 0; i < comparisons.size(); ++i) {
            const Comparison& one = comparisons[i];
            if (one.method.mechanism != method.mechanism || one.method.sampling != method.sampling) continue;
            const std::string text =
                report::entry_text(report::Estimate{one.difference.mean, one.difference.half_width}, one_digit);
            row.entries.emplace_back(text + (adjusted[i] <= 1 - level ? " *" : ""));
        }
        if (row.entries.size() > 1) table.rows.push_back(row);
    }
    table.notes = {interval_note(data), fmt::format("*: different from zero at a family-wise error of {} % over all {} "
                                                    "comparisons (Holm 1979).",
                                                    std::round(100 * (1 - level)), p.size())};
    return table;
}

report::Table undecided(const store::Dataset& data) {
    report::Table table{.name = "accuracy-undecided",
                        .caption = "Test rows in % for which no class had a score, because all features they share with the "
                                   "training rows are zero; they count as wrong. At the tuned γ.",
                        .columns = {{"features", "", report::Alignment::left}}};
    for (const std::string& set : words(data, "dataset")) table.columns.push_back({set});
    for (const Method& method : methods(data)) {
        report::Row row{{title(data, method)}};
        for (const std::string& set : words(data, "dataset"))
            row.entries.emplace_back(mean(tuned(data, set, method).undecided));
        table.rows.push_back(row);
    }
    return table;
}

/// Validation accuracy against gamma, a panel for each data set.
report::Figure tuning(const store::Dataset& data) {
    report::Figure figure{.name = "accuracy-tuning",
                          .title = "Test accuracy against γ",
                          .caption = "Mean over draws and splits of the accuracy on test rows.",
                          .columns = 2,
                          .names = mechanism_names()};
    for (const std::string& set : words(data, "dataset")) {
        report::Panel panel{.title = set};
        panel.x = {.label = "γ", .log = true};
        panel.y = {.label = "accuracy / %"};
        for (const std::string& mechanism : words(data, "mechanism")) {
            const bool reference = is_reference(mechanism);
            const std::string sampling = reference ? words(data, "sampling").front() : words(data, "sampling").back();
            const auto both = report::slice(data, "test_accuracy",
                                            {{"dataset", set},
                                             {"mechanism", mechanism},
                                             {"sampling", sampling},
                                             {"real_columns", reference ? counts(data).front() : counts(data).back()}},
                                            {"gamma", "split"});
            const auto means = report::average(both, "split");
            if (means.count.front() == 0) continue;
            report::Series series{mechanism, both.numbers("gamma"), {}};
            for (const double value : means.mean) series.y.push_back(100 * value);
            series.style = reference ? report::Style::reference : report::Style::line;
            panel.series.push_back(series);
        }
        figure.panels.push_back(panel);
    }
    return figure;
}

/// Accuracy at the tuned gamma against the number of features, a panel for each data set, up to the exact kernel's.
report::Figure growth(const store::Dataset& data) {
    report::Figure figure{.name = "accuracy-growth",
                          .title = "Test accuracy against the number of features",
                          .caption = "γ tuned on validation rows for each number of features. Mean over splits; bands are one "
                                     "standard deviation over splits.",
                          .columns = 2,
                          .names = mechanism_names()};
    for (const std::string& set : words(data, "dataset")) {
        report::Panel panel{.title = set};
        panel.x = {.label = "real columns", .log = true};
        panel.y = {.label = "accuracy / %"};
        for (const std::string& mechanism : words(data, "mechanism")) {
            const bool reference = is_reference(mechanism);
            const std::string sampling = reference ? words(data, "sampling").front() : words(data, "sampling").back();
            report::Series series{mechanism, counts(data), {}};
            for (const double columns : counts(data)) {
                const std::vector<double> accuracies = tuned(data, set, {mechanism, sampling, columns}).accuracy;
                series.y.push_back(mean(accuracies));
                if (accuracies.size() < 2 || reference) continue;
                statistics::RunningMoments moments;
                for (const double accuracy : accuracies) moments.add(accuracy);
                series.low.push_back(moments.mean() - moments.standard_deviation());
                series.high.push_back(moments.mean() + moments.standard_deviation());
            }
            series.style = reference ? report::Style::reference : report::Style::line_points;
            panel.series.push_back(series);
        }
        figure.panels.push_back(panel);
    }
    return figure;
}

}  // namespace

Report accuracy_report(const store::Dataset& data) {
    Report result{{tuning(data)}, {accuracy_table(data)}};
    if (counts(data).size() > 1) result.figures.push_back(growth(data));
    if (const auto table = differences(data)) result.tables.push_back(*table);
    result.tables.push_back(undecided(data));
    return result;
}

}  // namespace rfbench::experiments

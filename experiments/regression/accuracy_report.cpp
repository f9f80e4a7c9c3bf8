#include "regression/accuracy_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "regression/printed.hpp"
#include "report/reduction.hpp"
#include "rfbench/report/best_mark.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/proportion.hpp"
#include "sources/data_sets.hpp"
#include "study/method_identity.hpp"
#include "study/singular.hpp"

namespace rfbench::experiments {
namespace {

/// Whether the thesis speaks of this result: it is of a configuration of ours, on its data.
bool is_of_the_thesis(const store::Dataset& data) {
    return is_of(data, {"regression/mechanisms.yaml", "regression/orthogonal.yaml", "regression/extra.yaml",
                        "regression/counts.yaml", "regression/encodings.yaml", "regression/conjugation.yaml"});
}

/// The printed tables are those of one preparation, of 128 real columns, and of methods without parameters.
std::optional<double> printed_for(const store::Dataset& data, const std::string& set, const Shown& contender) {
    const MethodIdentity method = method_identity(data, contender.method);
    // Methods without features stand at the first number of columns, and beside those with the most.
    if (!is_of_the_thesis(data) || !method.plain || preparation_words(contender.where) != "one-hot, standardized" ||
        counts(data).back() != 128)
        return {};
    return printed_accuracy(set, method.name, method.sampling.empty() ? contender.word("sampling") : method.sampling);
}

report::Table accuracy_table(const store::Dataset& data) {
    report::Table table{.name = "accuracy",
                        .caption = "Test accuracy in % of kernel regression; γ tuned on validation rows.",
                        .columns = {report::word_column("features"), report::word_column("source")}};
    if (is_of_the_thesis(data)) table.caption += " Below ours, where there is one, the printed number.";
    for (const std::string& set : words(data, "dataset"))
        table.columns.push_back(report::number_column(set, one_digit));
    if (complete(data)) table.columns.push_back(report::number_column("mean of the eight", one_digit));
    for (const Shown& contender : contenders(data)) {
        report::Row ours{{title(data, contender), "ours"}}, printed{{"", "printed"}};
        bool any_printed = false;
        for (const std::string& set : words(data, "dataset")) {
            ours.entries.push_back(estimate(tuned(data, set, contender).accuracy));
            const auto value = printed_for(data, set, contender);
            printed.entries.push_back(value ? report::Entry(*value) : report::Entry(report::Missing{}));
            any_printed = any_printed || value;
        }
        if (complete(data)) {
            // One set without a printed number leaves the printed mean without one, too.
            double sum = 0;
            for (const std::string& set : thesis_sets())
                sum += printed_for(data, set, contender).value_or(std::numeric_limits<double>::quiet_NaN());
            ours.entries.push_back(estimate(average(data, contender)));
            printed.entries.push_back(sum / static_cast<double>(thesis_sets().size()));
        }
        table.rows.push_back(ours);
        if (any_printed) table.rows.push_back(printed);
    }
    // Printed rows have no first word; references use no features.
    std::vector<std::string> apart{""};
    for (const Shown& contender : contenders(data))
        if (is_reference(data, contender.method)) apart.push_back(title(data, contender));
    report::mark_best(table, report::Best::greatest, report::columns_from(table, 2), apart);
    table.notes = {interval_note(data),
                   "exact: the kernel itself, without features; majority: the class of most training rows."};
    if (is_of_the_thesis(data)) table.notes.push_back("Printed: Likhosherstov 2022, Tables 6.2 and 6.3.");
    if (is_of_the_thesis(data) && !complete(data))
        table.notes.push_back("Without all eight data sets of the thesis no average is shown.");
    return table;
}

report::Table undecided(const store::Dataset& data) {
    report::Table table{.name = "accuracy-undecided",
                        .caption =
                            "Test rows in % for which no class had a score, because all features they share "
                            "with the training rows are zero; they count as wrong. At the tuned γ.",
                        .columns = {report::word_column("features")}};
    for (const std::string& set : words(data, "dataset")) table.columns.push_back({set});
    for (const Shown& contender : contenders(data)) {
        report::Row row{{title(data, contender)}};
        for (const std::string& set : words(data, "dataset"))
            row.entries.emplace_back(mean(tuned(data, set, contender).undecided));
        table.rows.push_back(row);
    }
    return table;
}

/// The mean over splits and, where there are several, its interval, which is one of shares; NaN where nothing was
/// measured.
void add_mean(const store::Dataset& data, report::Series& series, const std::vector<double>& over_splits) {
    series.y.push_back(mean(over_splits));
    if (splits(data) < 2) return;
    const report::Entry shown = estimate(over_splits);
    const auto* interval = std::get_if<report::Estimate>(&shown);
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    const statistics::Interval shares =
        interval ? statistics::interval_of_share(std::clamp(interval->value / 100, 0.0, 1.0), interval->error / 100)
                 : statistics::Interval{missing, missing};
    series.low.push_back(100 * shares.low);
    series.high.push_back(100 * shares.high);
}

std::string bands(const store::Dataset& data) {
    return splits(data) > 1 ? "Bands: " + interval_words(data) + ", taken of its log-odds" : "";
}

/// Test accuracy against gamma.
report::Figure tuning(const store::Dataset& data) {
    const auto curve = [&](const std::string& set, const std::string& method) -> std::optional<report::Series> {
        const Shown shown =
            placed(data, method, samplings(data).back(), counts(data).back(), preparations(data).front());
        const auto accuracies =
            report::slice(data, "test_accuracy", shown.fixed({{"dataset", set}}), {"gamma", "split"}).values;
        if (report::all_missing(accuracies)) return {};
        report::Series series{method, report::numbers(data, "gamma"), {}};
        // The splits of one gamma lie side by side.
        const auto step = static_cast<std::ptrdiff_t>(splits(data));
        for (auto first = accuracies.begin(); first != accuracies.end(); first += step) {
            std::vector<double> own(first, first + step);
            for (double& value : own) value *= 100;
            add_mean(data, series, own);
        }
        return series;
    };
    std::vector<report::Panel> panels =
        panels_of_sets(data, {.label = "γ", .log = true}, {.label = "accuracy / %"}, curve);
    return {.name = "accuracy-tuning",
            .title = "Test accuracy against γ",
            .caption = "Mean over draws and splits of the accuracy on test rows.",
            .interval = bands(data),
            .panels = std::move(panels),
            .columns = 2};
}

/// Accuracy at the tuned gamma against the number of features, up to the exact kernel's.
report::Figure growth(const store::Dataset& data) {
    const auto curve = [&](const std::string& set, const std::string& method) {
        report::Series series{.label = method, .x = counts(data), .y = {}, .style = report::Style::line_points};
        for (const double columns : counts(data)) {
            const std::vector<double> accuracies =
                tuned(data, set, placed(data, method, samplings(data).back(), columns, preparations(data).front()))
                    .accuracy;
            if (is_reference(data, method))
                series.y.push_back(mean(accuracies));
            else
                add_mean(data, series, accuracies);
        }
        return series;
    };
    std::vector<report::Panel> panels =
        panels_of_sets(data, {.label = "real columns", .log = true}, {.label = "accuracy / %"}, curve);
    return {.name = "accuracy-growth",
            .title = "Test accuracy against the number of features",
            .caption = "γ tuned on validation rows for each number of features. Mean over splits.",
            .interval = bands(data),
            .panels = std::move(panels),
            .columns = 2};
}

}  // namespace

Report accuracy_report(const store::Dataset& data) {
    Report result{{tuning(data)}, {accuracy_table(data)}};
    if (counts(data).size() > 1) result.figures.push_back(growth(data));
    if (auto figure = critical_figure(data)) result.figures.push_back(std::move(*figure));
    if (const auto table = difference_table(data)) result.tables.push_back(*table);
    if (const auto table = critical_table(data)) result.tables.push_back(*table);
    if (preparations(data).size() > 1) {
        result.tables.push_back(rank_table(data));
        // Fewer than two have no order.
        if (result.tables.back().rows.size() > 1) result.tables.push_back(agreement_table(data));
    }
    result.tables.push_back(undecided(data));
    if (const auto table = singular_table(data)) result.tables.push_back(*table);
    return result;
}

}  // namespace rfbench::experiments

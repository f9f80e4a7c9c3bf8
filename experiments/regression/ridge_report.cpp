#include "regression/ridge_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "regression/accuracies.hpp"
#include "rfbench/report/best_mark.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "singular.hpp"

namespace rfbench::experiments {
namespace {

struct Ridge {
    std::string method, sampling;
    double columns;
};

report::Fixed fixed(const store::Dataset& data, const std::string& set, const Ridge& method) {
    return place(data, set, method.method, method.sampling, method.columns);
}

/// `test` for each split at the gamma and lambda where `validation` is least; empty where nothing was measured.
std::vector<double> tuned(const store::Dataset& data, const char* validation, const char* test, const std::string& set,
                          const Ridge& method) {
    const std::vector<std::string> order{"split", "gamma", "lambda"};
    const auto on_validation = report::slice(data, validation, fixed(data, set, method), order);
    const auto on_test = report::slice(data, test, fixed(data, set, method), order);
    const std::size_t choices = on_validation.values.size() / splits(data);
    std::vector<double> result;
    for (std::size_t split = 0; split < splits(data); ++split) {
        std::size_t best = on_validation.values.size();
        for (std::size_t i = split * choices; i < (split + 1) * choices; ++i)
            // Single choices are NaN where no draw could be solved; they are passed over.
            if (!std::isnan(on_validation.values[i]) &&
                (best == on_validation.values.size() || on_validation.values[i] < on_validation.values[best]))
                best = i;
        if (best == on_validation.values.size()) return {};
        result.push_back(on_test.values[best]);
    }
    return result;
}

bool is_measured(const store::Dataset& data, const char* variable, const Ridge& ridge) {
    const auto slice = report::slice(
        data, variable, {{"method", ridge.method}, {"sampling", ridge.sampling}, {"columns", ridge.columns}});
    return std::any_of(slice.values.begin(), slice.values.end(), [](double value) { return !std::isnan(value); });
}

/// All that were measured, each at every number of columns; what has columns of its own, or none, once.
std::vector<Ridge> ridges(const store::Dataset& data) {
    std::vector<Ridge> result;
    for (const std::string& method : words(data, "method"))
        for (const std::string& sampling : words(data, "sampling"))
            for (const double columns : counts(data)) {
                if (is_measured(data, "validation_error", {method, sampling, columns}) ||
                    is_measured(data, "validation_rmse", {method, sampling, columns}))
                    result.push_back({method, sampling, columns});
            }
    return result;
}

/// The sets for which this was measured: classes have an error, numbers a root mean square. Any method shows it.
std::vector<std::string> sets_with(const store::Dataset& data, const char* validation, const char* test) {
    std::vector<std::string> sets;
    for (const std::string& set : words(data, "dataset"))
        if (!tuned(data, validation, test, set, ridges(data).back()).empty()) sets.push_back(set);
    return sets;
}

/// The first entries of a row. The exact kernel has no columns.
report::Row row(const store::Dataset& data, const Ridge& ridge) {
    if (is_reference(data, ridge.method)) return {{ridge.method, report::Missing{}}};
    const bool several = samplings(data).size() > 1 && ridge.sampling != own_sampling;
    return {{ridge.method + (several ? ", " + ridge.sampling : ""), ridge.columns}};
}

/// The methods without features, which rows of features are not compared with.
std::vector<std::string> references(const store::Dataset& data) {
    std::vector<std::string> names = report::words(data, "method");
    std::erase_if(names, [&](const std::string& name) { return !is_reference(data, name); });
    return names;
}

report::Table table_of(const store::Dataset& data, std::string name, std::string caption,
                       const std::vector<std::string>& sets, report::Format format) {
    report::Table table{.name = std::move(name),
                        .caption = std::move(caption),
                        .columns = {report::word_column("features"), {"real columns"}},
                        .notes = {interval_note(data)}};
    for (const std::string& set : sets) table.columns.push_back(report::number_column(set, format));
    return table;
}

/// For the sets with classes; nothing when there are none.
std::optional<report::Table> error_table(const store::Dataset& data) {
    const auto sets = sets_with(data, "validation_error", "test_error");
    if (sets.empty()) return {};
    report::Table table = table_of(data, "ridge",
                                   "Test error in % of kernel ridge regression of one-hot classes; γ and λ tuned on "
                                   "validation rows.",
                                   sets, one_digit);
    for (const Ridge& method : ridges(data)) {
        report::Row own = row(data, method);
        for (const std::string& set : sets) {
            std::vector<double> errors = tuned(data, "validation_error", "test_error", set, method);
            for (double& error : errors) error *= 100;
            own.entries.push_back(estimate(errors));
        }
        table.rows.push_back(own);
    }
    report::mark_best(table, report::Best::least, report::columns_from(table, 2), references(data));
    return table;
}

/// For the sets whose classes are numbers, or that predict one; nothing when there are none.
std::optional<report::Table> number_table(const store::Dataset& data) {
    const auto sets = sets_with(data, "validation_rmse", "test_rmse");
    if (sets.empty()) return {};
    report::Table table =
        table_of(data, "ridge-numbers",
                 "Root mean squared test error of the class as a number, or of the target; γ and λ tuned on it.", sets,
                 report::decimals(3));
    for (const Ridge& method : ridges(data)) {
        report::Row own = row(data, method);
        for (const std::string& set : sets)
            own.entries.push_back(estimate(tuned(data, "validation_rmse", "test_rmse", set, method)));
        table.rows.push_back(own);
    }
    report::mark_best(table, report::Best::least, report::columns_from(table, 2), references(data));
    return table;
}

report::Table cost_table(const store::Dataset& data) {
    report::Table table{.name = "ridge-cost",
                        .caption =
                            "Millions of multiplications of one fit after the features or the kernel are there, "
                            "n³/6 exact and n R²/2 + R³/6 through R features; millions of numbers kept, n² and "
                            "n R.",
                        .columns = {report::word_column("data set"), {"n"}, {"exact"}},
                        .notes = {"Seconds of every cell are in the journal of the results."}};
    for (const double columns : counts(data)) table.columns.push_back({fmt::format("R = {}", columns)});
    table.columns.push_back({"kept, exact"});
    table.columns.push_back({fmt::format("kept, R = {}", counts(data).back())});
    for (const std::string& set : words(data, "dataset")) {
        // Every split has as many training rows, whatever is measured on them.
        const double n = report::slice(data, "training_rows", fixed(data, set, ridges(data).back()), {"split", "gamma"})
                             .values.front();
        report::Row own{{set, n, 1e-6 * n * n * n / 6}};
        for (const double columns : counts(data))
            own.entries.emplace_back(1e-6 * columns * columns * (n / 2 + columns / 6));
        own.entries.emplace_back(1e-6 * n * n);
        own.entries.emplace_back(1e-6 * n * counts(data).back());
        table.rows.push_back(own);
    }
    return table;
}

/// Shares of training rows whose features leave double's range, by gamma: the mean over data sets and splits.
report::Table lost_table(const store::Dataset& data) {
    report::Table table{.name = "ridge-lost",
                        .caption =
                            "Training rows in % whose features double cannot hold, by γ: they count as zero. "
                            "Ridge regression needs each row's own factor, so none is dropped.",
                        .columns = {report::word_column("features"), {"real columns"}}};
    const std::vector<double>& gammas = report::numbers(data, "gamma");
    for (const double gamma : gammas)
        table.columns.push_back(report::number_column(fmt::format("γ = {:.3g}", gamma), one_digit));
    for (const Ridge& method : ridges(data)) {
        if (is_reference(data, method.method)) continue;
        report::Row own = row(data, method);
        std::vector<statistics::RunningMoments> shares(gammas.size());
        for (const std::string& set : words(data, "dataset")) {
            const auto lost = report::slice(data, "lost", fixed(data, set, method), {"split", "gamma"});
            // Gammas come in turn, split after split.
            for (std::size_t i = 0; i < lost.values.size(); ++i) shares[i % gammas.size()].add(100 * lost.values[i]);
        }
        for (const auto& share : shares) own.entries.emplace_back(share.mean());
        table.rows.push_back(own);
    }
    return table;
}

/// Test error against the number of features, a panel for each data set, down to the exact kernel's.
report::Figure ridge_growth(const store::Dataset& data) {
    const auto curve = [&](const std::string& set, const std::string& method) -> std::optional<report::Series> {
        report::Series series{.label = method, .x = counts(data), .y = {}, .style = report::Style::line_points};
        for (const double columns : counts(data))
            series.y.push_back(100 * mean(tuned(data, "validation_error", "test_error", set,
                                                {method, samplings(data).back(), columns})));
        // Numbers to be predicted have no share of wrong rows.
        if (std::all_of(series.y.begin(), series.y.end(), [](double y) { return std::isnan(y); })) return std::nullopt;
        return std::optional(std::move(series));
    };
    std::vector<report::Panel> panels =
        panels_of_sets(data, {.label = "real columns", .log = true}, {.label = "error / %"}, curve);
    return {.name = "ridge-growth",
            .title = "Test error of kernel ridge regression",
            .caption = "Mean over draws and splits; γ and λ tuned on validation rows for each number of features.",
            .panels = std::move(panels),
            .columns = 2};
}

}  // namespace

Report ridge_report(const store::Dataset& data) {
    Report result;
    if (const auto table = error_table(data)) result.tables.push_back(*table);
    if (counts(data).size() > 1) result.figures.push_back(ridge_growth(data));
    if (const auto table = number_table(data)) result.tables.push_back(*table);
    result.tables.push_back(cost_table(data));
    result.tables.push_back(lost_table(data));
    if (const auto table = singular_table(data)) result.tables.push_back(*table);
    return result;
}

}  // namespace rfbench::experiments

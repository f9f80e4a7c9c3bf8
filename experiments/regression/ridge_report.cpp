#include "regression/ridge_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "regression/fits.hpp"
#include "rfbench/report/best_mark.hpp"
#include "rfbench/report/slice.hpp"
#include "study/singular.hpp"

namespace rfbench::experiments {
namespace {

constexpr Choice of_errors{"validation_error", "test_error", "lambda"},
    of_numbers{"validation_rmse", "test_rmse", "lambda"};

/// All that were measured.
std::vector<Shown> ridges(const store::Dataset& data) { return fits(data, {of_errors.least, of_numbers.least}); }

/// The sets for which any method has this: classes have an error, numbers a root mean square.
std::vector<std::string> sets_with(const store::Dataset& data, const Choice& choice) {
    const std::vector<Shown> all = ridges(data);
    std::vector<std::string> sets;
    for (const std::string& set : words(data, "dataset"))
        if (std::any_of(all.begin(), all.end(),
                        [&](const Shown& fit) { return !tuned(data, choice, set, fit).empty(); }))
            sets.push_back(set);
    return sets;
}

/// Adds a note on draws that had no solution at the choices that the table shows, if there were any.
void note_unsolved(const store::Dataset& data, const Choice& choice, const std::vector<std::string>& sets,
                   report::Table& table) {
    if (!data.has_variable("unsolved")) return;
    double most = 0;
    std::string where;
    for (const Shown& method : ridges(data))
        for (const std::string& set : sets)
            for (const double share : tuned(data, {choice.least, "unsolved", choice.penalty}, set, method))
                if (share > most) {
                    most = share;
                    where = fmt::format("{} on {}", method.method, set);
                }
    if (most > 0)
        table.notes.push_back(
            fmt::format("Draws whose matrix was not positive definite have no solution and are left out of means: at "
                        "the γ and λ that are chosen up to {:.3g} % of them ({}).",
                        100 * most, where));
}

/// For the sets with classes; nothing when there are none.
std::optional<report::Table> error_table(const store::Dataset& data) {
    const auto sets = sets_with(data, of_errors);
    if (sets.empty()) return {};
    report::Table table = table_of(data, "ridge",
                                   "Test error in % of kernel ridge regression of one-hot classes; γ and λ tuned on "
                                   "validation rows.",
                                   sets, one_digit);
    for (const Shown& method : ridges(data)) {
        report::Row own = row(data, method);
        for (const std::string& set : sets) {
            std::vector<double> errors = tuned(data, of_errors, set, method);
            for (double& error : errors) error *= 100;
            own.entries.push_back(estimate(errors));
        }
        table.rows.push_back(own);
    }
    report::mark_best(table, report::Best::least, report::columns_from(table, 2), references(data));
    note_unsolved(data, of_errors, sets, table);
    return table;
}

/// For the sets whose classes are numbers, or that predict one; nothing when there are none.
std::optional<report::Table> number_table(const store::Dataset& data) {
    const auto sets = sets_with(data, of_numbers);
    if (sets.empty()) return {};
    report::Table table = table_of(data, "ridge-numbers",
                                   "Root mean squared test error of the class as a number, or of the target; γ and λ "
                                   "tuned on that of validation rows.",
                                   sets, report::decimals(3));
    for (const Shown& method : ridges(data)) {
        report::Row own = row(data, method);
        for (const std::string& set : sets) own.entries.push_back(estimate(tuned(data, of_numbers, set, method)));
        table.rows.push_back(own);
    }
    report::mark_best(table, report::Best::least, report::columns_from(table, 2), references(data));
    note_unsolved(data, of_numbers, sets, table);
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
        const double n = report::first_measured(report::slice(data, "training_rows", {{"dataset", set}}).values);
        report::Row own{{set, n, 1e-6 * n * n * n / 6}};
        for (const double columns : counts(data))
            own.entries.emplace_back(1e-6 * columns * columns * (n / 2 + columns / 6));
        own.entries.emplace_back(1e-6 * n * n);
        own.entries.emplace_back(1e-6 * n * counts(data).back());
        table.rows.push_back(own);
    }
    if (ridges(data).empty() && data.has_variable("unsolved") && !report::all_missing(data.variable("unsolved").values))
        table.notes.emplace_back(
            "No fit has a solution: no matrix was positive definite to rounding. A larger λ makes it so.");
    return table;
}

/// Test error against the number of features, a panel for each data set, down to the exact kernel's.
report::Figure ridge_growth(const store::Dataset& data) {
    return {.name = "ridge-growth",
            .title = "Test error of kernel ridge regression",
            .caption = "Mean over draws and splits; γ and λ tuned on validation rows for each number of features.",
            .panels = growth(data, of_errors, {.label = "error / %"}),
            .columns = 2};
}

}  // namespace

Report ridge_report(const store::Dataset& data) {
    Report result;
    if (const auto table = error_table(data)) result.tables.push_back(*table);
    if (counts(data).size() > 1) result.figures.push_back(ridge_growth(data));
    if (const auto table = number_table(data)) result.tables.push_back(*table);
    result.tables.push_back(cost_table(data));
    result.tables.push_back(lost_table(data, "ridge-lost", ridges(data)));
    if (const auto table = singular_table(data)) result.tables.push_back(*table);
    return result;
}

}  // namespace rfbench::experiments

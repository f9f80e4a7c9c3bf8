#include "regression/svm_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "regression/fits.hpp"
#include "rfbench/report/best_mark.hpp"
#include "rfbench/report/slice.hpp"
#include "study/singular.hpp"

namespace rfbench::experiments {
namespace {

constexpr Choice of_errors{"validation_error", "test_error", "bound"},
    of_support{"validation_error", "support", "bound"}, of_unreached{"validation_error", "unreached", "bound"};

std::vector<Shown> machines(const store::Dataset& data) { return fits(data, {of_errors.least}); }

/// Shares in %, at the chosen gamma and C.
report::Table share_table(const store::Dataset& data, std::string name, std::string caption, const Choice& choice) {
    report::Table table = table_of(data, std::move(name), std::move(caption), words(data, "dataset"), one_digit);
    for (const Shown& fit : machines(data)) {
        report::Row own = row(data, fit);
        for (const std::string& set : words(data, "dataset")) {
            std::vector<double> shares = tuned(data, choice, set, fit);
            for (double& share : shares) share *= 100;
            own.entries.push_back(estimate(shares));
        }
        table.rows.push_back(own);
    }
    return table;
}

report::Table error_table(const store::Dataset& data) {
    report::Table table = share_table(data, "svm",
                                      "Test error in % of support vector machines, each class against the others; γ "
                                      "and C chosen on validation rows.",
                                      of_errors);
    report::mark_best(table, report::Best::least, report::columns_from(table, 2), references(data));
    return table;
}

/// Machines in % that ended before their gap, by C: over all data sets, splits and gammas, and at those chosen.
report::Table unreached_table(const store::Dataset& data) {
    report::Table table{
        .name = "svm-unreached",
        .caption =
            "Machines in % that ended after their rounds, before their duality gap, by C over all data sets, splits "
            "and γ, and at the choices of validation rows.",
        .columns = {report::word_column("features"), {"real columns"}}};
    for (const double bound : report::numbers(data, "bound"))
        table.columns.push_back(report::number_column(fmt::format("C = {:.3g}", bound), one_digit));
    table.columns.push_back(report::number_column("chosen", one_digit));
    for (const Shown& fit : machines(data)) {
        report::Row own = row(data, fit);
        const auto share_of = [](const std::vector<double>& values) {
            std::vector<double> measured;
            for (const double value : values)
                if (!std::isnan(value)) measured.push_back(100 * value);
            return mean(measured);
        };
        for (const double bound : report::numbers(data, "bound"))
            own.entries.emplace_back(share_of(report::slice(data, "unreached", fit.fixed({{"bound", bound}})).values));
        std::vector<double> chosen;
        for (const std::string& set : words(data, "dataset"))
            for (const double share : tuned(data, of_unreached, set, fit)) chosen.push_back(share);
        own.entries.emplace_back(share_of(chosen));
        table.rows.push_back(own);
    }
    return table;
}

report::Figure growth_figure(const store::Dataset& data, const char* name, const char* title, const char* label,
                             const Choice& choice) {
    return {.name = name,
            .title = title,
            .caption = "Mean over draws and splits; γ and C chosen on validation rows for each number of features.",
            .panels = growth(data, choice, {.label = label}),
            .columns = 2};
}

}  // namespace

Report svm_report(const store::Dataset& data) {
    Report result;
    result.tables.push_back(error_table(data));
    result.tables.push_back(share_table(data, "svm-support",
                                        "Training rows in % that are support vectors of any machine, at the γ and C "
                                        "of the test error.",
                                        of_support));
    result.tables.push_back(unreached_table(data));
    result.tables.push_back(lost_table(data, "svm-lost", machines(data)));
    if (const auto table = singular_table(data)) result.tables.push_back(*table);
    if (counts(data).size() > 1) {
        result.figures.push_back(
            growth_figure(data, "svm-growth", "Test error of support vector machines", "error / %", of_errors));
        result.figures.push_back(growth_figure(data, "svm-support", "Support vectors of machines through features",
                                               "training rows / %", of_support));
    }
    return result;
}

}  // namespace rfbench::experiments

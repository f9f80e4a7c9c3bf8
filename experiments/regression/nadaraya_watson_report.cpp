#include "regression/nadaraya_watson_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "regression/accuracies.hpp"
#include "report/best_report.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/report/best_mark.hpp"
#include "rfbench/statistics/median.hpp"
#include "study/method_identity.hpp"
#include "study/singular.hpp"

namespace rfbench::experiments {
namespace {

/// Values by split, each at the gamma that its own validation rows choose.
struct Chosen {
    std::vector<double> gamma, test, answered, nonpositive;
};
Chosen chosen(const store::Dataset& data, const report::Fixed& fixed) {
    const std::vector<double>& gammas = report::numbers(data, "gamma");
    const auto by_split = [&](const char* variable) {
        return report::slice(data, variable, fixed, {"split", "gamma"}).values;
    };
    const std::vector<double> validation = by_split("validation_rmse"), test = by_split("test_rmse"),
                              answered = by_split("answered_rmse"), nonpositive = by_split("nonpositive");
    Chosen all;
    for (std::size_t begin = 0; begin < validation.size(); begin += gammas.size()) {
        std::size_t best = begin;
        for (std::size_t at = begin; at < begin + gammas.size(); ++at) {
            // Takes the least gamma among equals, in whatever order they stand.
            const bool better = std::isnan(validation[best]) || validation[at] < validation[best];
            const bool smaller = validation[at] == validation[best] && gammas[at - begin] < gammas[best - begin];
            if (better || smaller) best = at;
        }
        // A split that was not measured has no gamma.
        if (std::isnan(validation[best])) continue;
        all.gamma.push_back(gammas[best - begin]);
        all.test.push_back(test[best]);
        if (!std::isnan(answered[best])) all.answered.push_back(answered[best]);
        all.nonpositive.push_back(nonpositive[best]);
    }
    return all;
}

constexpr const char* no_method = "mean of training targets";

/// Its RMSE, mean over splits.
double mean_of_targets(const store::Dataset& data, const std::string& set) {
    auto errors = report::slice(data, "mean_rmse", {{"dataset", set}}).values;
    std::erase_if(errors, [](double one) { return std::isnan(one); });
    return mean(errors);
}

report::Table table_of(const store::Dataset& data) {
    const report::Format three{report::Format::Kind::significant, 3};
    report::Table table{
        .name = "nadaraya-watson",
        .caption =
            "Kernel regression (2.1) of numbers: RMSE on test rows, each split at the gamma that "
            "its validation rows choose.",
        .columns = {report::word_column("data set"),
                    report::word_column("method"),
                    report::word_column("sampling"),
                    {"columns"},
                    report::number_column("gamma, median", three),
                    report::number_column("RMSE", three),
                    report::number_column("RMSE, answered", three),
                    report::number_column("denominators not positive", {report::Format::Kind::percent, 2})}};
    for (const std::string& set : report::words(data, "dataset")) {
        for (const std::string& method : report::words(data, "method"))
            for (const std::string& sampling : report::words(data, "sampling"))
                for (const double columns : report::numbers(data, "columns")) {
                    const Chosen best = chosen(
                        data, {{"dataset", set}, {"method", method}, {"sampling", sampling}, {"columns", columns}});
                    if (best.gamma.empty()) continue;
                    table.rows.push_back({{set, method, sampling, columns, statistics::median(best.gamma),
                                           estimate(best.test), estimate(best.answered), mean(best.nonpositive)}});
                }
        table.rows.push_back({{set, no_method, report::Missing{}, report::Missing{}, report::Missing{},
                               mean_of_targets(data, set), report::Missing{}, report::Missing{}}});
    }
    report::group_by_first(table);
    std::vector<std::string> apart = exact_labels(data);
    apart.emplace_back(no_method);
    report::mark_best(table, report::Best::least, report::columns_called(table, {"RMSE"}), apart);
    table.notes = {
        interval_note(data),
        "A row whose denominator is not positive has no prediction: the first RMSE takes the mean of the training "
        "targets there, the second leaves the row out. The exact kernel has no columns."};
    return table;
}

/// RMSE against columns, a panel a data set.
report::Figure figure_of(const store::Dataset& data) {
    report::Figure figure{.name = "nadaraya-watson",
                          .title = "Kernel regression of numbers through features",
                          .caption =
                              "RMSE on test rows against real columns. Dashed: the exact kernel, the mean of the "
                              "training targets, and methods of one number of columns.",
                          .columns = 2};
    const auto& columns = report::numbers(data, "columns");
    for (const std::string& set : report::words(data, "dataset")) {
        report::Panel panel{.title = set};
        panel.x = {.label = "real columns", .log = true};
        panel.y = {.label = "RMSE"};
        for (const std::string& method : report::words(data, "method"))
            for (const std::string& sampling : report::words(data, "sampling")) {
                report::Series series{fmt::format("{}, {}", method, sampling), {}, {}};
                for (const double count : columns) {
                    const Chosen best = chosen(
                        data, {{"dataset", set}, {"method", method}, {"sampling", sampling}, {"columns", count}});
                    if (best.gamma.empty()) continue;
                    series.x.push_back(count);
                    series.y.push_back(mean(best.test));
                }
                if (series.x.size() == 1 && columns.size() > 1)
                    panel.horizontal.push_back({series.y.front(), method});
                else if (!series.x.empty())
                    panel.series.push_back(series);
            }
        if (const double error = mean_of_targets(data, set); !std::isnan(error))
            panel.horizontal.push_back({error, no_method});
        figure.panels.push_back(panel);
    }
    return figure;
}

}  // namespace

Report nadaraya_watson_report(const store::Dataset& data) {
    Report result{{figure_of(data)}, {table_of(data)}};
    if (const auto table = singular_table(data)) result.tables.push_back(*table);
    return result;
}

}  // namespace rfbench::experiments

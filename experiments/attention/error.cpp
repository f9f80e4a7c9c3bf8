// Figure 3.6: how far the attention matrix and the output of linear attention are from those of softmax attention,
// against the number of features.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "attention/head_report.hpp"
#include "attention/heads.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/matrix_errors.hpp"
#include "rfbench/report/best_mark.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::attention}, .samplings = true, .default_samplings = "[iid, orthogonal]"};

/// Those of matrices are NaN: not every method has one.
attention::MatrixErrors errors_of_output(const HeadCell& cell) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    const auto inputs = cell.head().inputs();
    Points exact, out;
    attention::exact(inputs, attention::Visible::all, exact);
    const auto outcome = cell.attention()->attend(inputs, attention::Visible::all, out);
    return {
        {missing, missing, exact.squaredNorm()}, {missing, missing, (out - exact).squaredNorm()}, outcome.nonpositive};
}

store::Dataset compute(const HeadSweep& sweep, const Point& at) {
    const HeadCell own(sweep, at);
    const MethodChoice& method = own.method();
    const auto [size, error, nonpositive_rows] =
        method->head_features() ? attention::matrix_errors(own.head().inputs(), *own.map()) : errors_of_output(own);

    const auto queries = static_cast<double>(own.queries()), keys = static_cast<double>(own.keys());
    const double width = static_cast<double>(own.head().values.cols());
    // A method that estimates no kernel has no matrix to compare before rows are divided by their sums.
    const double kernel =
        method->estimates_kernel() ? std::exp(0.5 * (error.log_kernel - size.log_kernel)) : std::nan("");
    const double nonpositive = static_cast<double>(nonpositive_rows) / queries;
    const auto mean = [](double sum, double entries) { return std::vector{sum / entries}; };
    const auto relative = [](double sum, double whole) { return std::vector{std::sqrt(sum / whole)}; };
    return {
        {},
        {{"matrix_mse",
          {},
          mean(error.matrix, queries * keys),
          "",
          "mean squared error of the entries of the attention matrix"},
         {"relative_matrix_error",
          {},
          relative(error.matrix, size.matrix),
          "",
          "|A^ - A| / |A|, Frobenius, of the attention matrix"},
         {"relative_kernel_error", {}, {kernel}, "", "the same of the matrix exp(q.k / sqrt d), not normalised"},
         {"output_mse", {}, mean(error.output, queries * width), "", "mean squared error of the entries of the output"},
         {"relative_output_error",
          {},
          relative(error.output, size.output),
          "",
          "|O^ - O| / |O|, Frobenius, of the output"},
         {"nonpositive", {}, {nonpositive}, "", "share of rows with a denominator that is not positive"}},
        {}};
}

Sweep prepare(const config::Value& config) {
    const HeadSweep heads(config, "attention/error", taken);
    // Beside what all studies of heads hold, the tiles of matrices.
    Sweep sweep = heads.sweep(compute);
    // Not every method has a matrix.
    sweep.finite_but = {{"matrix_mse", "relative_matrix_error", "relative_kernel_error"}};
    sweep.bytes += attention::matrix_errors_bytes(heads.list.longest());
    return sweep;
}

report::Figure figure(const store::Dataset& data, const char* name, const char* title, const char* variable,
                      const char* label) {
    const auto& columns = report::numbers(data, "columns");
    const auto curve = [&](std::string series, const report::Slice& of) {
        return report::quartile_series(std::move(series), columns, report::quartiles(of, "repeat"),
                                       report::Style::line_points);
    };
    std::vector<report::Panel> panels = panels_of_heads(data, variable, {.label = label, .log = true}, curve);
    return {
        .name = name,
        .title = title,
        .caption =
            "Medians over repeats of heads and features, since the mean of an error with heavy tails is that of its "
            "largest sample: a denominator near zero multiplies an error without bound. Means are in the table. "
            "Mechanisms are compared at equal cost, in real feature columns.",
        .interval = "Bands: lower to upper quartile over repeats",
        .panels = std::move(panels),
        .columns = 2};
}

/// The heads at the largest cost: a column each.
std::vector<PlacedColumn> largest_cost(const store::Dataset& data) {
    const double count = report::numbers(data, "columns").back();
    std::vector<PlacedColumn> columns;
    for (const std::string& head : report::words(data, "head"))
        columns.push_back({{head}, {{"head", head}, {"columns", count}}});
    return columns;
}

report::Table means(const store::Dataset& data) {
    report::Table table = table_of_methods(
        data, "error",
        fmt::format(
            "Relative error of the output, |O^ - O| / |O|, at {} real columns, mean over repeats ± half its 95 % "
            "interval.",
            report::numbers(data, "columns").back()),
        "relative_output_error", largest_cost(data));
    report::mark_best(table, report::Best::least, report::columns_from(table, 2));
    table.notes = {"A mean with an interval about as large as itself is that of few samples: see the medians."};
    return table;
}

/// One number of the quartiles at the largest cost.
report::Table spread(const store::Dataset& data, const char* name, const std::string& what, report::Format format,
                     std::vector<double> report::Quartiles::*number) {
    auto columns = largest_cost(data);
    for (PlacedColumn& one : columns) one.column.format = format;
    report::Table table =
        table_of_methods(data, name,
                         fmt::format("Relative error of the output at {} real columns: {}.",
                                     report::numbers(data, "columns").back(), what),
                         "relative_output_error", columns, [&](const report::Slice& of) -> report::Entry {
                             const double value = (report::quartiles(of, "repeat").*number).front();
                             if (std::isnan(value)) return report::Missing{};
                             return value;
                         });
    // Shares of the largest sample are neither good nor bad.
    if (number != &report::Quartiles::largest_share)
        report::mark_best(table, report::Best::least, report::columns_from(table, 2));
    return table;
}

std::vector<report::Table> tables(const store::Dataset& data) {
    using report::Quartiles;
    const report::Format percent{report::Format::Kind::percent, 0};
    return {means(data), spread(data, "error-median", "median over repeats", {}, &Quartiles::median),
            spread(data, "error-lower-quartile", "lower quartile over repeats", {}, &Quartiles::lower),
            spread(data, "error-upper-quartile", "upper quartile over repeats", {}, &Quartiles::upper),
            spread(data, "error-largest", "share of the largest sample in the sum of all, so in the mean", percent,
                   &Quartiles::largest_share)};
}

Report report_of(const store::Dataset& data) {
    return {{figure(data, "error-matrix", "Error of the attention matrix", "matrix_mse", "mean squared error"),
             figure(data, "error-kernel", "Error of the matrix that is not normalised", "relative_kernel_error",
                    "|Â - A| / |A|"),
             figure(data, "error-output", "Error of the output", "output_mse", "mean squared error")},
            tables(data)};
}

}  // namespace

Study attention_error_study() {
    return {"attention",
            "error",
            "errors of the attention matrix and of the output against the number of features",
            "Likhosherstov 2022, Figure 3.6",
            1,
            taken,
            head_keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments

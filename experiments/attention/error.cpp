// Figure 3.6: how far the attention matrix and the output of linear attention are from those of softmax attention,
// against the number of features.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attention/head_report.hpp"
#include "attention/heads.hpp"
#include "attention/studies.hpp"

namespace rfbench::experiments {
namespace {

/// Rows of the attention matrix that are in memory at a time.
constexpr Index tile = 128;

/// Rows of softmax attention; `logs` are log exp(q.k / sqrt d).
struct ExactRows {
    Points logs, weights;

    ExactRows(const Head& head, Index first, Index n)
        : logs(head.queries.middleRows(first, n) * head.keys.transpose() /
               std::sqrt(static_cast<double>(head.queries.cols()))) {
        weights = (logs.colwise() - logs.rowwise().maxCoeff()).array().exp();
        weights.array().colwise() /= weights.rowwise().sum().array();
    }
};

/// Sums over the entries of the attention matrix, the unnormalised matrix and the output.
struct Errors {
    double matrix = 0, kernel = 0, output = 0;
    double nonpositive = 0;
};

/// The size of what is estimated: sums of squares.
struct Sizes {
    double matrix = 0, kernel = 0, output = 0;
};

/// Errors of rows first .. first + n - 1, of which `exact` are the true ones; kernel values are taken relative to
/// exp(highest).
void add_errors(const ExactRows& exact, double highest, const features::FeatureBlock<double>& queries,
                const features::FeatureBlock<double>& keys, Index first, const Points& values, Errors& errors) {
    const Index n = exact.logs.rows();
    const double key_scale = keys.log_scale.maxCoeff();
    Points estimates = queries.values.middleRows(first, n) * keys.values.transpose();
    estimates.array().rowwise() *= (keys.log_scale.array() - key_scale).exp().transpose();
    for (Index i = 0; i < n; ++i) {
        auto row = estimates.row(i);
        const double scale = std::exp(queries.log_scale[first + i] + key_scale - highest);
        errors.kernel += (row.array() * scale - (exact.logs.row(i).array() - highest).exp()).matrix().squaredNorm();
        const double sum = row.sum();
        errors.nonpositive += sum > 0 ? 0 : 1;
        // As attention gives it: the quotient, or zeros.
        if (sum == 0)
            row.setZero();
        else
            row /= sum;
    }
    errors.matrix += (estimates - exact.weights).squaredNorm();
    errors.output += (estimates * values - exact.weights * values).squaredNorm();
}

store::Dataset compute(const HeadSweep& sweep, const engine::Cell& cell) {
    const HeadCell own(sweep, cell);
    const Head& head = own.head();
    std::vector<features::FeatureBlock<double>> queries(sweep.columns.size()), keys(sweep.columns.size());
    for (std::size_t m = 0; m < sweep.columns.size(); ++m) {
        const auto map = own.map(static_cast<Index>(sweep.columns[m]));
        map.evaluate(features::Side::query, head.queries, queries[m]);
        map.evaluate(features::Side::key, head.keys, keys[m]);
    }
    // No exponent is larger than this (Cauchy and Schwarz).
    const double highest = std::sqrt(head.queries.rowwise().squaredNorm().maxCoeff() *
                                     head.keys.rowwise().squaredNorm().maxCoeff() /
                                     static_cast<double>(head.queries.cols()));
    std::vector<Errors> errors(sweep.columns.size());
    Sizes sizes;
    for (Index first = 0; first < sweep.length; first += tile) {
        const ExactRows exact(head, first, std::min(tile, sweep.length - first));
        sizes.matrix += exact.weights.squaredNorm();
        sizes.kernel += (exact.logs.array() - highest).exp().matrix().squaredNorm();
        sizes.output += (exact.weights * head.values).squaredNorm();
        for (std::size_t m = 0; m < errors.size(); ++m)
            add_errors(exact, highest, queries[m], keys[m], first, head.values, errors[m]);
    }

    const double length = static_cast<double>(sweep.length), width = static_cast<double>(head.values.cols());
    const bool estimate = sweep.mechanisms[cell.coordinates[2]].info->estimates_kernel;
    const std::vector<std::string> axes{"real_columns"};
    store::Variable matrix{"matrix_mse", axes, {}, "", "mean squared error of the entries of the attention matrix"};
    store::Variable relative{
        "relative_matrix_error", axes, {}, "", "|A^ - A| / |A|, Frobenius, of the attention matrix"};
    store::Variable kernel{
        "relative_kernel_error", axes, {}, "", "the same of the matrix exp(q.k / sqrt d), not normalised"};
    store::Variable output{"output_mse", axes, {}, "", "mean squared error of the entries of the output"};
    store::Variable relative_output{"relative_output_error", axes, {}, "", "|O^ - O| / |O|, Frobenius, of the output"};
    store::Variable nonpositive{"nonpositive", axes, {}, "", "share of rows with a denominator that is not positive"};
    for (const Errors& e : errors) {
        matrix.values.push_back(e.matrix / (length * length));
        relative.values.push_back(std::sqrt(e.matrix / sizes.matrix));
        kernel.values.push_back(estimate ? std::sqrt(e.kernel / sizes.kernel) : std::nan(""));
        output.values.push_back(e.output / (length * width));
        relative_output.values.push_back(std::sqrt(e.output / sizes.output));
        nonpositive.values.push_back(e.nonpositive / length);
    }
    return {{sweep.columns_axis()}, {matrix, relative, kernel, output, relative_output, nonpositive}, {}};
}

Sweep prepare(const config::Value& config) {
    const HeadSweep heads(config, "error");
    Sweep sweep;
    sweep.axes = heads.axes();
    sweep.cells = heads.cells();
    sweep.compute = [heads](const engine::Cell& cell) { return compute(heads, cell); };
    return sweep;
}

report::Figure figure(const store::Dataset& data, const char* name, const char* title, const char* variable,
                      const char* label) {
    const auto& columns = report::numbers(data, "real_columns");
    const auto curve = [&](std::string series, const report::Averages& of) {
        return report::averaged_series(std::move(series), columns, of, report::Style::line_points);
    };
    return {.name = name,
            .title = title,
            .caption = "Bands are one standard deviation over samples of heads and features. Mechanisms are compared "
                       "at equal cost, in real feature columns.",
            .panels = panels_of_heads(data, variable, {.label = label, .log = true}, curve),
            .columns = 2,
            .names = series_names(data)};
}

/// Relative output errors at the largest cost; ± standard errors over samples.
report::Table table(const store::Dataset& data) {
    const double count = report::numbers(data, "real_columns").back();
    std::vector<PlacedColumn> columns;
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale"))
            columns.push_back({{fmt::format("d = {}, sd {}", dimension, scale)},
                               {{"dimension", dimension}, {"scale", scale}, {"real_columns", count}}});
    return table_of_mechanisms(data, "error",
                               fmt::format("Relative error of the output, |O^ - O| / |O|, at {} real columns, "
                                           "± standard error over samples.",
                                           count),
                               "relative_output_error", columns);
}

Report report_of(const store::Dataset& data) {
    Report result{{figure(data, "error-matrix", "Error of the attention matrix", "matrix_mse", "mean squared error"),
                   figure(data, "error-kernel", "Error of the matrix that is not normalised", "relative_kernel_error",
                          "|Â - A| / |A|"),
                   figure(data, "error-output", "Error of the output", "output_mse", "mean squared error")},
                  {table(data)}};
    std::erase_if(result.figures, [](const report::Figure& one) { return one.panels.empty(); });
    return result;
}

}  // namespace

Study attention_error_study() {
    return {"attention", "error", "errors of the attention matrix and of the output against the number of features",
            "Likhosherstov 2022, Figure 3.6", 1, [] { return head_keys(); }, prepare, report_of};
}

}  // namespace rfbench::experiments

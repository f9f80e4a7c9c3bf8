// How far the output of linear attention is from that of softmax attention, at equal cost in real columns, for the
// features of DiJiang beside those they are to replace.
#include <fmt/format.h>

#include <algorithm>

#include "attention/heads.hpp"
#include "quasi/estimators.hpp"
#include "quasi/studies.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("estimators", estimators_schema(), "mechanisms, each with a sampling; fitted to each head"),
        required("length", integer(1, 1'000'000), "L, tokens of a head"),
        required("dimensions", integers(1, 1024), "d of a head"),
        required("scales", numbers(above(0).at_most(100)), "standard deviation of the entries of queries and keys"),
        required("real_columns", integers(1, 65536), "features in all; complex ones count twice"),
        required("samples", integer(2, 100'000), "heads and draws of features"),
    };
}

struct Setting {
    std::vector<Estimator> estimators;
    std::vector<double> dimensions, scales, columns, samples;
    Index length;
    Stream seed;
};

store::Dataset compute(const Setting& setting, const engine::Cell& cell) {
    const auto& at = cell.coordinates;
    const Estimator& estimator = setting.estimators[at[0]];
    const auto dimension = static_cast<Index>(setting.dimensions[at[1]]);
    // A head is the same for every estimator and, up to scale, for every scale.
    const Stream seed = setting.seed.child(at[3]).child(static_cast<std::uint64_t>(dimension));
    const Head head = draw_head(setting.length, dimension, setting.scales[at[2]], seed.child("head"));
    const attention::Inputs<double> inputs{head.queries, head.keys, head.values};
    Points exact, out;
    attention::exact<double>(inputs, attention::Visible::all, exact);

    const auto mechanism =
        features::fit(*estimator.info, attention::softmax_statistics(head.queries, head.keys), estimator.settings);
    store::Variable error{
        "relative_output_error", {"real_columns"}, {}, "", "|O^ - O| / |O|, Frobenius, of the output"};
    for (const double columns : setting.columns) {
        const Stream own = seed.child("features").child(estimator.label).child(static_cast<std::uint64_t>(columns));
        const auto map = attention::softmax_map(
            *mechanism, dimension, count_for_cost(*mechanism, static_cast<Index>(columns)), *estimator.sampling, own);
        attention::linear<double>(map, inputs, attention::Visible::all, out);
        error.values.push_back((out - exact).norm() / exact.norm());
    }
    // What no mechanism should lose to: every query gets the mean of all values.
    const Points mean = head.values.colwise().mean().replicate(setting.length, 1);
    const store::Variable uniform{"relative_uniform_error",
                                  {},
                                  {(mean - exact).norm() / exact.norm()},
                                  "",
                                  "|O^ - O| / |O| when all tokens weigh the same"};
    return {{{"real_columns", setting.columns, "", "real feature columns"}}, {error, uniform}, {}};
}

Sweep prepare(const config::Value& config) {
    const Setting setting{estimators(config.at("estimators")),
                          as_labels(config.at("dimensions").integers()),
                          config.at("scales").numbers(),
                          as_labels(config.at("real_columns").integers()),
                          numbered(config.at("samples").integer()),
                          static_cast<Index>(config.at("length").integer()),
                          study_stream(config, "quasi/attention")};
    require_dimensions(config.at("estimators"), setting.estimators, setting.dimensions);

    Sweep sweep;
    sweep.axes = {estimator_axis(setting.estimators),
                  {"dimension", setting.dimensions, "", "d"},
                  {"scale", setting.scales, "", "standard deviation of the entries of queries and keys"},
                  {"sample", setting.samples, "", "head and draw of features"}};
    sweep.cells = product_cells(sweep.axes);
    // A head, its exact output, an estimate, and the mean of all values.
    const double d = *std::max_element(setting.dimensions.begin(), setting.dimensions.end());
    sweep.bytes = 6 * d * static_cast<double>(setting.length) * sizeof(double);
    sweep.compute = [setting](const engine::Cell& cell) { return compute(setting, cell); };
    return sweep;
}

report::Averages errors(const store::Dataset& data, const std::string& estimator, double dimension, double scale) {
    return report::average(data, "relative_output_error",
                           {{"estimator", estimator}, {"dimension", dimension}, {"scale", scale}}, "sample");
}

/// The error of equal weights; that of all estimators, whose heads are the same.
double uniform_error(const store::Dataset& data, double dimension, double scale) {
    const report::Fixed fixed{
        {"estimator", report::words(data, "estimator").front()}, {"dimension", dimension}, {"scale", scale}};
    return report::average(data, "relative_uniform_error", fixed, "sample").mean[0];
}

report::Figure figure(const store::Dataset& data) {
    const auto& estimators = report::words(data, "estimator");
    report::Figure result{.name = "attention-output",
                          .title = "Error of the output of attention",
                          .caption =
                              "|O^ - O| / |O| at equal cost, means over samples of heads and features. Dashed: all "
                              "tokens weigh the same.",
                          .interval = "Bands: " + report::interval_words("samples"),
                          .columns = 2};
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale")) {
            report::Panel panel{.title = fmt::format("d = {}, standard deviation {}", dimension, scale)};
            panel.x = {.label = "real feature columns", .log = true};
            panel.y = {.label = "relative error", .log = true};
            panel.horizontal = {{uniform_error(data, dimension, scale), "equal weights"}};
            for (const std::string& estimator : estimators)
                panel.series.push_back(report::averaged_series(estimator, report::numbers(data, "real_columns"),
                                                               errors(data, estimator, dimension, scale),
                                                               report::Style::line_points));
            result.panels.push_back(std::move(panel));
        }
    return result;
}

report::Table table(const store::Dataset& data) {
    const auto& columns = report::numbers(data, "real_columns");
    report::Table result{.name = "attention-output",
                         .caption =
                             "Relative error of the output of attention, |O^ - O| / |O|, mean over samples ± half its "
                             "95 % interval, at the least and the largest number of real columns.",
                         .columns = {report::word_column("estimator")}};
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale"))
            for (const double count : {columns.front(), columns.back()})
                if (result.columns.back().title != fmt::format("d = {}, sd {}, {}", dimension, scale, count))
                    result.columns.push_back({fmt::format("d = {}, sd {}, {}", dimension, scale, count)});
    for (const std::string& estimator : report::words(data, "estimator")) {
        report::Row row{{estimator}};
        for (const double dimension : report::numbers(data, "dimension"))
            for (const double scale : report::numbers(data, "scale")) {
                const auto own = errors(data, estimator, dimension, scale);
                row.entries.push_back(report::averaged_entry(own));
                if (columns.size() > 1) row.entries.push_back(report::averaged_entry(own, columns.size() - 1));
            }
        result.rows.push_back(row);
    }
    report::Row row{{"equal weights"}, true};
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale"))
            for (std::size_t k = 0; k < std::min<std::size_t>(2, columns.size()); ++k)
                row.entries.push_back(uniform_error(data, dimension, scale));
    result.rows.push_back(row);
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study quasi_attention_study() {
    return {"quasi",
            "attention",
            "error of the output of attention at equal cost, fixed and weighted features",
            "Chen et al. 2024, (12), (13), Table 2",
            1,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments

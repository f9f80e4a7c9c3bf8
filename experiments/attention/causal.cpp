// Causal FAVOR++ (the open question 3 of Likhosherstov 2022): features fitted from what has been seen, from another
// sequence, or, as a reference that sees the future, from the whole sequence.
#include <fmt/format.h>

#include "attention/heads.hpp"
#include "attention/studies.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/prefix_fit.hpp"
#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("mechanism", one_of(mechanism_names()), "whose fit is in question"),
        defaulted("sampling", one_of({"iid", "orthogonal"}), "orthogonal", "how projections are drawn"),
        required("length", integer(2, 1'000'000), "L, tokens of a head"),
        required("dimensions", integers(1, 1024), "d of a head"),
        required("scales", numbers(above(0).at_most(100)), "standard deviation of the entries of queries and keys"),
        required("real_columns", integers(1, 65536), "features in all"),
        defaulted("first", integer(1, 1'000'000), "128",
                  "tokens before the first fit from the prefix; it is renewed when "
                  "their number has doubled"),
        required("samples", integer(2, 100'000), "heads and draws of features"),
    };
}

const std::vector<std::string> fits{"none (positive)", "prefix", "previous sequence", "whole sequence"};

struct Setting {
    const features::MechanismInfo* mechanism;
    const sampling::Scheme* sampling;
    std::vector<double> dimensions, scales, columns;
    Index length, first;
    Stream seed;
};

Points attend(const Setting& setting, const std::string& fit, const Head& head, const Head& previous, Index columns,
              const Stream& stream) {
    const Index d = head.queries.cols();
    Points out;
    const attention::Inputs<double> in{head.queries, head.keys, head.values};
    const auto through = [&](const features::Mechanism& mechanism) {
        const auto map =
            attention::softmax_map(mechanism, d, count_for_cost(mechanism, columns), *setting.sampling, stream);
        attention::linear(map, in, Visible::causal, out);
    };
    const auto fitted = [&](const Head& to) {
        return features::fit(*setting.mechanism, attention::softmax_statistics(to.queries, to.keys));
    };
    if (fit == fits[0])
        through(*features::fit(features::find("positive"), {}));
    else if (fit == fits[1])
        attention::causal_prefix_fitted<double>({setting.mechanism, {}, count_for_cost(*fitted(head), columns),
                                                 setting.sampling, stream, setting.first},
                                                in, out);
    else
        through(*fitted(fit == fits[2] ? previous : head));
    return out;
}

store::Dataset compute(const Setting& setting, const engine::Cell& cell) {
    const auto d = static_cast<Index>(setting.dimensions[cell.coordinates[0]]);
    const double scale = setting.scales[cell.coordinates[1]];
    const Stream seed = setting.seed.child(cell.coordinates[2]).child(static_cast<std::uint64_t>(d));
    const Head head = draw_head(setting.length, d, scale, seed.child("head"));
    const Head previous = draw_head(setting.length, d, scale, seed.child("previous"));
    Points exact;
    attention::exact<double>({head.queries, head.keys, head.values}, Visible::causal, exact);
    store::Variable error{"relative_output_error", {"fit", "real_columns"}, {}, "", "|O^ - O| / |O|, Frobenius"};
    for (const std::string& fit : fits)
        for (const double columns : setting.columns) {
            const Stream own = seed.child("features").child(static_cast<std::uint64_t>(columns));
            const Points out = attend(setting, fit, head, previous, static_cast<Index>(columns), own);
            error.values.push_back((out - exact).norm() / exact.norm());
        }
    return {{{"fit", fits, "", "where the features' parameters come from"},
             {"real_columns", setting.columns, "", "real feature columns"}},
            {error},
            {}};
}

Sweep prepare(const config::Value& config) {
    const Setting setting{&features::find(config.at("mechanism").text()),
                          &sampling::find(config.at("sampling").text()),
                          as_labels(config.at("dimensions").integers()),
                          config.at("scales").numbers(),
                          as_labels(config.at("real_columns").integers()),
                          static_cast<Index>(config.at("length").integer()),
                          static_cast<Index>(config.at("first").integer()),
                          study_stream(config, "attention/causal")};
    Sweep sweep;
    sweep.axes = {{"dimension", setting.dimensions, "", "d"},
                  {"scale", setting.scales, "", "standard deviation of the entries of queries and keys"},
                  {"sample", numbered(config.at("samples").integer()), "", "head and draw of features"}};
    sweep.cells = product_cells(sweep.axes);
    sweep.compute = [setting](const engine::Cell& cell) { return compute(setting, cell); };
    return sweep;
}

Report report_of(const store::Dataset& data) {
    report::Figure figure{
        .name = "causal",
        .title = "Causal attention: where parameters are fitted",
        .caption = "Relative error of the output; bands are one standard deviation over samples. A fit to the "
                   "whole sequence sees the future and is there as a reference.",
        .columns = 2};
    report::Table table{.name = "causal",
                        .caption = "Relative error of the causal output, ± standard error over samples.",
                        .columns = {{"d"}, {"scale"}, {"columns"}}};
    for (const std::string& fit : report::words(data, "fit")) table.columns.push_back({fit});
    const auto& columns = report::numbers(data, "real_columns");
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale")) {
            report::Panel panel{.title = fmt::format("d = {}, entries of standard deviation {}", dimension, scale)};
            panel.x = {.label = "real feature columns", .log = true};
            panel.y = {.label = "relative error", .log = true};
            std::vector<report::Row> rows;
            for (const double count : columns) rows.push_back({{dimension, scale, count}});
            for (const std::string& fit : report::words(data, "fit")) {
                const auto errors =
                    report::average(data, "relative_output_error",
                                    {{"dimension", dimension}, {"scale", scale}, {"fit", fit}}, "sample");
                for (std::size_t m = 0; m < columns.size(); ++m)
                    rows[m].entries.push_back(report::averaged_entry(errors, m));
                panel.series.push_back(report::averaged_series(fit, columns, errors, report::Style::line_points));
            }
            figure.panels.push_back(std::move(panel));
            for (const report::Row& row : rows) table.rows.push_back(row);
        }
    return {{figure}, {table}};
}

}  // namespace

Study causal_study() {
    return {"attention", "causal", "causal attention fitted from the prefix, a previous sequence or the whole",
            "Likhosherstov 2022, chapter 7, question 3", 1, keys, prepare, report_of};
}

}  // namespace rfbench::experiments

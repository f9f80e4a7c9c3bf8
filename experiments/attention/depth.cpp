// Figure 3.7: how the error of attention grows through the layers of a Transformer with random weights.
#include <fmt/format.h>

#include "attention/head_report.hpp"
#include "attention/heads.hpp"
#include "attention/studies.hpp"
#include "normal_points.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/attention/transformer.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::experiments {
namespace {

using attention::Inputs;
using attention::Outcome;
using attention::TransformerShape;
using attention::Visible;

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("mechanisms", mechanisms_schema(), "which features; fitted to each head's queries and keys"),
        defaulted("samplings", samplings_schema(), "[iid, orthogonal]", "how their projections are drawn"),
        required("length", integer(1, 100'000), "L, tokens of a sequence"),
        defaulted("layers", integer(1, 1000), "12", "of the Transformer"),
        defaulted("heads", integer(1, 1000), "8", "of each layer"),
        defaulted("hidden", integer(1, 16384), "256", "width of a token, a multiple of heads"),
        defaulted("feed_forward", integer(1, 65536), "1024", "width between the two maps of the feed-forward block"),
        defaulted("gain", real(above(0).at_most(100)), "1", "weights are N(0, gain^2 / columns in)"),
        required("real_columns", integers(1, 65536), "features of a head; complex ones count twice"),
        required("samples", integer(2, 100'000), "sequences, weights and draws of features"),
    };
}

struct Setting {
    std::vector<MechanismChoice> mechanisms;
    std::vector<const sampling::Scheme*> samplings;
    std::vector<double> columns, layers;
    TransformerShape shape;
    Index length;
    double gain;
    Stream seed;
};

attention::HeadAttention through_features(const Setting& setting, const engine::Cell& cell, Stream stream) {
    const MechanismChoice& choice = setting.mechanisms[cell.coordinates[0]];
    const sampling::Scheme& scheme = *setting.samplings[cell.coordinates[1]];
    const auto columns = static_cast<Index>(setting.columns[cell.coordinates[2]]);
    return [&choice, &scheme, columns, stream](Index layer, Index head, const Inputs<double>& in, Points& out) {
        const auto mechanism =
            features::fit(*choice.info, attention::softmax_statistics(in.queries, in.keys), choice.settings);
        const Stream own = stream.child(static_cast<std::uint64_t>(layer)).child(static_cast<std::uint64_t>(head));
        const auto map =
            attention::softmax_map(*mechanism, in.queries.cols(), count_for_cost(*mechanism, columns), scheme, own);
        return attention::linear(map, in, Visible::all, out);
    };
}

Outcome softmax(Index, Index, const Inputs<double>& in, Points& out) { return attention::exact(in, Visible::all, out); }

store::Dataset compute(const Setting& setting, const engine::Cell& cell) {
    const Stream seed = setting.seed.child(cell.coordinates[3]);
    const attention::Transformer transformer(setting.shape, setting.gain, seed.child("weights"));
    Points exact = normal_points(seed.child("tokens"), setting.length, setting.shape.hidden), estimate = exact;
    const auto attend = through_features(setting, cell,
                                         seed.child("features")
                                             .child(setting.mechanisms[cell.coordinates[0]].label)
                                             .child(setting.samplings[cell.coordinates[1]]->name));

    store::Variable error{"relative_error", {"layer"}, {}, "", "|X^ - X| / |X|, Frobenius, of the layer's output"};
    store::Variable nonpositive{"nonpositive", {"layer"}, {}, "", "share of denominators that are not positive"};
    for (Index r = 0; r < setting.shape.layers; ++r) {
        Outcome of_exact, of_estimate;
        exact = transformer.layer(r, exact, softmax, of_exact);
        estimate = transformer.layer(r, estimate, attend, of_estimate);
        error.values.push_back((estimate - exact).norm() / exact.norm());
        nonpositive.values.push_back(static_cast<double>(of_estimate.nonpositive) /
                                     static_cast<double>(setting.length * setting.shape.heads));
    }
    return {{{"layer", setting.layers, "", "layers passed"}}, {error, nonpositive}, {}};
}

Sweep prepare(const config::Value& config) {
    const auto size = [&](const char* key) { return static_cast<Index>(config.at(key).integer()); };
    Setting setting{mechanisms(config.at("mechanisms"), Need::features, "real_columns"),
                    samplings(config.at("samplings")),
                    as_labels(config.at("real_columns").integers()),
                    {},
                    {size("layers"), size("heads"), size("hidden"), size("feed_forward")},
                    size("length"),
                    config.at("gain").number(),
                    study_stream(config, "attention/depth")};
    if (setting.shape.hidden % setting.shape.heads != 0)
        throw InputError(
            fmt::format("hidden: {} is not a multiple of heads, {}", setting.shape.hidden, setting.shape.heads));
    require_dimension(config.at("mechanisms"), setting.mechanisms, setting.shape.hidden / setting.shape.heads);
    for (Index r = 1; r <= setting.shape.layers; ++r) setting.layers.push_back(static_cast<double>(r));

    Sweep sweep;
    sweep.axes = {mechanism_axis(setting.mechanisms),
                  sampling_axis(setting.samplings),
                  {"real_columns", setting.columns, "", "real feature columns of a head"},
                  {"sample", numbered(config.at("samples").integer()), "", "sequence, weights and draw of features"}};
    sweep.cells = product_cells(sweep.axes, [&](const std::vector<std::size_t>& at) {
        return drawable(*setting.mechanisms[at[0]].info, *setting.samplings[at[1]]);
    });
    sweep.compute = [setting](const engine::Cell& cell) { return compute(setting, cell); };
    return sweep;
}

/// Errors against layers, a panel for each cost.
report::Figure figure(const store::Dataset& data) {
    report::Figure result{.name = "depth",
                          .title = "Error through the layers of a Transformer",
                          .caption =
                              "Relative error of the layers' outputs when each attention is replaced by its "
                              "estimate, random weights; means over samples.",
                          .interval = "Bands: " + report::interval_words("samples"),
                          .columns = 2};
    const Curve curve = mean_curve(report::numbers(data, "layer"), report::Style::line);
    for (const double columns : report::numbers(data, "real_columns"))
        for (const PanelPlan& plan : panel_plans(data))
            result.panels.push_back(
                {.title = fmt::format("{} real columns a head{}", columns, plan.suffix),
                 .x = {.label = "layers"},
                 .y = {.label = "relative error", .log = true},
                 .series = curves(data, "relative_error", {{"real_columns", columns}}, plan, curve)});
    return result;
}

report::Table table(const store::Dataset& data) {
    const double last = report::numbers(data, "layer").back();
    std::vector<PlacedColumn> columns;
    for (const double count : report::numbers(data, "real_columns"))
        columns.push_back({{fmt::format("{} columns", count)}, {{"real_columns", count}, {"layer", last}}});
    return table_of_mechanisms(
        data, "depth", "Relative error of the output after the last layer, mean over samples ± half its 95 % interval.",
        "relative_error", columns);
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study depth_study() {
    return {"attention",
            "depth",
            "error of linear attention through the layers of a Transformer",
            "Likhosherstov 2022, Figure 3.7",
            1,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments

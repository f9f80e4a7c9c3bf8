// Learned features of each head, kept in the result file, and how their losses fell.
#include <fmt/format.h>

#include <cmath>

#include "dof/feature_choice.hpp"
#include "dof/studies.hpp"
#include "rfbench/report/slice.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = HeadInputs::keys();
    all.push_back(defaulted("losses", one_or_more(one_of({"learned-squared", "learned-softmax"})),
                            "[learned-squared, learned-softmax]", "what features are trained for"));
    all.push_back(defaulted("features", integer(1, 65536), "32", "M of each head"));
    for (KeyRule& rule : training_keys()) all.push_back(std::move(rule));
    return all;
}

struct Setting {
    HeadInputs inputs;
    std::vector<std::string> losses;
    Index count;
    dof::Training settings;
    Stream seed;
};

store::Dataset compute(const Setting& setting, const engine::Cell& cell) {
    const auto layer = static_cast<Index>(cell.coordinates[0]), head = static_cast<Index>(cell.coordinates[1]);
    FeatureProblem problem{{}, Points(0, setting.inputs.dimension()), 1, setting.settings};
    for (Index i = 0; i < setting.inputs.sequences(); ++i)
        problem.training.push_back(setting.inputs.sequence(layer, head, i).tokens);
    const Stream stream = setting.seed.child("features").child(cell.coordinates[0]).child(cell.coordinates[1]);
    const dof::Trained of = find_features(setting.losses[cell.coordinates[2]], setting.count, problem, stream);

    std::vector<double> coordinates, numbers, steps;
    for (Index l = 1; l <= setting.inputs.dimension(); ++l) coordinates.push_back(static_cast<double>(l));
    for (Index m = 1; m <= setting.count; ++m) numbers.push_back(static_cast<double>(m));
    for (int step = 0; step < setting.settings.steps; ++step) steps.push_back(step);
    const Points points = of.features.points;
    std::vector<double> losses = of.losses;
    losses.resize(steps.size(), std::nan(""));
    return {{{"coordinate", coordinates, "", "of a point"},
             {"feature", numbers, "", "number of the feature"},
             {"step", steps, "", "steps of training"}},
            {{"points", {"coordinate", "feature"}, {points.data(), points.data() + points.size()}, "", "z"},
             {"log_weights",
              {"feature"},
              {of.features.log_weights.begin(), of.features.log_weights.end()},
              "",
              "log alpha"},
             {"loss", {"step"}, losses, "", "loss of the mini-batch"},
             {"before", {}, {of.before}, "", "loss over all sequences before training"},
             {"after", {}, {of.after}, "", "and of the features that are kept"}},
            {}};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = Stream(static_cast<std::uint64_t>(config.at("seed").integer())).child("dof/learned");
    const Setting setting{HeadInputs(config, seed), config.at("losses").texts(),
                          static_cast<Index>(config.at("features").integer()), training(config), seed};
    Sweep sweep;
    sweep.axes = {setting.inputs.layer_axis(),
                  setting.inputs.head_axis(),
                  {"method", setting.losses, "", "what features are trained for"}};
    sweep.cells = product_cells(sweep.axes);
    sweep.data_hash = setting.inputs.data_hash();
    sweep.notes = setting.inputs.notes();
    sweep.bytes = sizeof(double) * setting.inputs.size();  // tokens of all sequences
    sweep.compute = [setting](const engine::Cell& cell) { return compute(setting, cell); };
    return sweep;
}

Report report_of(const store::Dataset& data) {
    report::Figure figure{.name = "learned",
                          .title = "Losses of learned features",
                          .caption = "Means over heads of the mini-batches' losses.",
                          .columns = 2};
    report::Table table{
        .name = "learned",
        .caption = "Losses over all sequences, means over heads: of random features, and of learned ones.",
        .columns = {{"method", "", report::Alignment::left}, {"layer"}, {"before"}, {"after"}}};
    for (const std::string& method : report::words(data, "method")) {
        report::Panel panel{.title = method};
        panel.x = {.label = "step"};
        panel.y = {.label = "loss", .log = true};
        const auto before = report::average(report::slice(data, "before", {{"method", method}}), "head");
        const auto after = report::average(report::slice(data, "after", {{"method", method}}), "head");
        for (std::size_t s = 0; s < report::numbers(data, "layer").size(); ++s) {
            const double layer = report::numbers(data, "layer")[s];
            const auto losses =
                report::average(report::slice(data, "loss", {{"method", method}, {"layer", layer}}), "head");
            panel.series.push_back({fmt::format("layer {}", layer), report::numbers(data, "step"), losses.mean});
            table.rows.push_back({{method, layer, before.mean[s], after.mean[s]}, s == 0});
        }
        figure.panels.push_back(std::move(panel));
    }
    return {{figure}, {table}};
}

}  // namespace

Study freedom_learned_study() {
    return {"dof",
            "learned",
            "learned features of each head, and how their losses fell",
            "Nishikawa, Higuchi and Suzuki 2025, section 3.3",
            1,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments

// Learned features of each head, kept in the result file, and how their losses fell.
#include <fmt/format.h>

#include <cmath>

#include "dof/training.hpp"
#include "rfbench/report/slice.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::trained},
                      .sampling = EntrySampling::drawn,
                      .default_methods =
                          "[{use: learned-points, loss: squared, label: learned-squared}, "
                          "{use: learned-points, loss: softmax, label: learned-softmax}]"};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all{head_source_key()};
    all.push_back(defaulted("columns", integer(1, 65536), "32", "M of each head"));
    for (KeyRule& rule : point_training_keys()) all.push_back(std::move(rule));
    return all;
}

/// Dataset of trained points: `count` features in `dimension` coordinates, found in at most `max_steps` steps.
store::Dataset dataset(const training::TrainedPoints& of, Index dimension, Index count, int max_steps) {
    std::vector<double> coordinates, numbers, steps;
    for (Index l = 1; l <= dimension; ++l) coordinates.push_back(static_cast<double>(l));
    for (Index m = 1; m <= count; ++m) numbers.push_back(static_cast<double>(m));
    for (int step = 0; step < max_steps; ++step) steps.push_back(step);
    const Points points = of.features.points;
    std::vector<double> losses = of.losses;
    // L-BFGS may end early: losses end there.
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
             {"loss", {"step"}, losses, "", "before the step: of its mini-batch, of all sequences for L-BFGS"},
             {"before", {}, {of.before}, "", "loss over all sequences before training"},
             {"after", {}, {of.after}, "", "and of the features that are kept"}},
            {}};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = study_stream(config, "dof/learned");
    const auto source = head_source(config, seed);
    require_end(*source, config);
    require_one_sequence(*source, config.at("heads"));
    const auto layers = layer_axis(*source, config), heads = head_axis(*source);
    const auto compared = method_axis(methods(config, taken), "what features are trained for");
    for (const MethodChoice& choice : compared) require_points_found(choice);
    const training::PointTraining settings = point_training(config);
    const Index columns = whole(config, "columns");
    Sweep sweep = Sweep::over(layers, heads, compared);
    sweep.notes = source->notes();
    sweep.bytes = sizeof(double) * source->size();  // tokens of all sequences
    // A descent that ends early has no further losses.
    sweep.finite_but = {{"loss"}};
    sweep.compute = [=, drawn = seed.child("features")](const Point& at) {
        const Index layer = at[layers], head = at[heads];
        // Training looks at sequences alone: of the sample only its dimension is read, and lambda not at all.
        HeadProblem problem{{}, Points(0, source->dimension()), 1, settings};
        for (Index i = 0; i < source->sequences(); ++i)
            problem.sequences.push_back(source->sequence(layer, head, i).tokens);
        const auto found =
            at[compared]->finder()->find(problem, columns, point_scheme(at[compared]), head_stream(drawn, layer, head));
        return dataset(found, source->dimension(), columns, settings.steps);
    };
    return sweep;
}

Report report_of(const store::Dataset& data) {
    report::Figure figure{
        .name = "learned",
        .title = "Losses of learned features",
        .caption =
            "Means over heads of the losses before each step, of its mini-batch or, for L-BFGS, of all "
            "sequences.",
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
            table.rows.push_back({{method, layer, before.mean[s], after.mean[s]}});
        }
        figure.panels.push_back(std::move(panel));
    }
    report::group_by_first(table);
    return {{figure}, {table}};
}

}  // namespace

Study freedom_learned_study() {
    return {"dof",
            "learned",
            "learned features of each head, and how their losses fell",
            "Nishikawa, Higuchi and Suzuki 2025, section 3.3",
            1,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments

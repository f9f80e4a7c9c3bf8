#include "cost/growth_tasks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cost/tokens.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/engine/run.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/networks/trainer.hpp"
#include "rfbench/process/temporary_folder.hpp"
#include "rfbench/regression/feature_regression.hpp"
#include "rfbench/regression/kernel_regression.hpp"
#include "rfbench/training/head_attention.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

std::shared_ptr<const attention::SoftmaxMap> positive_map(Index dimension, Index columns, const Stream& stream) {
    return std::make_shared<const attention::SoftmaxMap>(
        attention::softmax_map(*features::fit(features::find("positive"), {}), dimension, columns,
                               sampling::find("orthogonal"), stream.child("features")));
}

std::function<void()> features_run(const GrowthSizes& size, const Stream& stream) {
    return
        [map = positive_map(size.at("dimension"), size.at("columns"), stream),
         rows = Rows<float>(normal_points(stream.child("rows"), size.at("rows"), size.at("dimension")).cast<float>()),
         block = std::make_shared<features::FeatureBlock<float>>()] {
            map->evaluate(features::Side::query, rows, *block);
        };
}

/// A draw of orthogonal omegas: time that a layer takes before its first token.
std::function<void()> draw_run(const GrowthSizes& size, const Stream& stream) {
    const std::shared_ptr<const features::Mechanism> positive = features::fit(features::find("positive"), {});
    return [positive, d = size.at("dimension"), columns = size.at("columns"), stream] {
        features::draw(*positive, d, columns, sampling::find("orthogonal"), stream.child("features"));
    };
}

std::shared_ptr<const Tokens> tokens(const GrowthSizes& size, const Stream& stream) {
    return std::make_shared<const Tokens>(size.at("length"), size.at("dimension"), stream.child("tokens"));
}

std::function<void()> exact_run(const GrowthSizes& size, const Stream& stream) {
    return [in = tokens(size, stream), out = std::make_shared<Rows<float>>()] {
        attention::exact<float>(in->inputs(), Visible::all, *out);
    };
}

template <Visible visible>
std::function<void()> linear_run(const GrowthSizes& size, const Stream& stream) {
    return [in = tokens(size, stream), map = positive_map(size.at("dimension"), size.at("columns"), stream),
            out = std::make_shared<Rows<float>>()] { attention::linear<float>(*map, in->inputs(), visible, *out); };
}

/// Steps of Adam of a network with causal FAVOR+, two layers of two heads, on two sequences.
class TrainingStep {
public:
    TrainingStep(const GrowthSizes& size, const Stream& stream)
        : network_(shape(size), heads(size, stream)),
          trainer_(network_, network_.start({}, stream.child("start")), {.steps = 1'000'000, .rate = 1e-4}) {
        for (std::uint64_t s = 0; s < 2; ++s) {
            networks::Sequence<float> one;
            Stream own = stream.child("sequences").child(s);
            for (Index i = 0; i < size.at("length"); ++i) {
                one.tokens.push_back(static_cast<int>(own.below(vocabulary)));
                one.targets.push_back({i, static_cast<int>(own.below(vocabulary))});
            }
            sequences_.push_back(std::move(one));
        }
    }

    void run() { trainer_.step(sequences_); }

private:
    static constexpr Index vocabulary = 256;

    static networks::TransformerShape shape(const GrowthSizes& size) {
        networks::TransformerShape own;
        own.vocabulary = own.outputs = vocabulary;
        own.positions = size.at("length");
        own.layers = own.heads = 2;
        own.width = own.heads * size.at("dimension");
        own.inner = 4 * own.width;
        return own;
    }

    static networks::Heads heads(const GrowthSizes& size, const Stream& stream) {
        networks::Heads all;
        for (std::uint64_t h = 0; h < 4; ++h)
            all.push_back(
                training::fixed_attention(positive_map(size.at("dimension"), size.at("columns"), stream.child(h))));
        return all;
    }

    networks::Transformer network_;
    networks::Trainer<float> trainer_;
    std::vector<networks::Sequence<float>> sequences_;
};

std::function<void()> training_run(const GrowthSizes& size, const Stream& stream) {
    return [step = std::make_shared<TrainingStep>(size, stream)] { step->run(); };
}

constexpr Index num_queries = 512;  // rows that are classified

/// Training rows of two classes and queries, of lengths at which kernels are neither 0 nor 1.
struct Labelled {
    regression::ClassifiedRows training;
    Points queries;

    Labelled(Index rows, Index dimension, const Stream& stream)
        : training(regression::by_class(points(stream.child("rows"), rows, dimension), alternating(rows))),
          queries(points(stream.child("queries"), num_queries, dimension)) {}

    static Points points(const Stream& stream, Index rows, Index dimension) {
        return normal_points(stream, rows, dimension) / std::sqrt(static_cast<double>(dimension));
    }
    static std::vector<int> alternating(Index rows) {
        std::vector<int> classes;
        for (Index i = 0; i < rows; ++i) classes.push_back(static_cast<int>(i % 2));
        return classes;
    }
};

/// Features of training rows and queries by a draw that was made before, and the classes that follow: a cell of
/// regression/mechanisms but for its draw.
std::function<void()> regression_run(const GrowthSizes& size, const Stream& stream) {
    const Index d = size.at("dimension"), columns = size.at("columns");
    const auto data = std::make_shared<const Labelled>(size.at("rows"), d, stream);
    const auto mechanism = features::fit(features::find("positive"), {});
    std::shared_ptr<const features::FeatureMap> map =
        mechanism->map(features::draw(*mechanism, d, columns, sampling::find("orthogonal"), stream.child("features")));
    return [data, map] { regression::FeatureRegression(data->training, {data->queries}).predict(*map); };
}

std::function<void()> kernel_regression_run(const GrowthSizes& size, const Stream& stream) {
    return [data = std::make_shared<const Labelled>(size.at("rows"), size.at("dimension"), stream)] {
        regression::kernel_regression(data->training, data->queries, {1.0});
    };
}

engine::Plan plan_of(Index cells) {
    engine::Plan plan;
    plan.experiment = "growth";
    plan.config = "cells";
    plan.resolved = plan.common = "experiment: growth\n";
    std::vector<double> labels(static_cast<std::size_t>(cells));
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i] = static_cast<double>(i);
        plan.cells.push_back({fmt::format("cell={}", i), {i}});
    }
    plan.axes = {{"cell", labels, "", ""}};
    return plan;
}

/// Plans, computes, stores and collects a sweep whose cells take no time, in an empty folder.
std::function<void()> engine_run(const GrowthSizes& size, const Stream&) {
    return [plan = std::make_shared<const engine::Plan>(plan_of(size.at("cells")))] {
        const process::TemporaryFolder folder;
        engine::Options options;
        options.folder = folder.path();
        options.progress = engine::ProgressMode::quiet;
        options.signals = false;
        engine::run(
            *plan,
            [](const engine::Cell& cell) {
                return store::Dataset{
                    {}, {{"value", {}, {static_cast<double>(cell.coordinates[0])}, "", "a number"}}, {}};
            },
            options);
    };
}

}  // namespace

const std::vector<GrowthTask>& growth_tasks() {
    static const std::vector<GrowthTask> all{
        {"features", "N M d", {{"rows", 1}, {"columns", 1}, {"dimension", 1}, {"threads", -1}}, features_run},
        {"draw", "M d^2", {{"columns", 1}, {"dimension", 2}}, draw_run},
        {"exact", "L^2 d", {{"length", 2}, {"dimension", 1}, {"threads", -1}}, exact_run},
        {"linear",
         "L M d",
         {{"length", 1}, {"columns", 1}, {"dimension", 1}, {"threads", -1}},
         linear_run<Visible::all>},
        {"linear-causal",
         "L M d",
         {{"length", 1}, {"columns", 1}, {"dimension", 1}, {"threads", -1}},
         linear_run<Visible::causal>},
        {"training", "L (M d + d^2)", {{"length", 1}, {"columns", 1}, {"dimension", 2}, {"threads", -1}}, training_run},
        {"regression", "N M d", {{"rows", 1}, {"columns", 1}, {"dimension", 1}}, regression_run},
        {"kernel-regression", "N d", {{"rows", 1}, {"dimension", 1}}, kernel_regression_run},
        {"engine", "cells", {{"cells", 1}}, engine_run},
    };
    return all;
}

}  // namespace rfbench::experiments

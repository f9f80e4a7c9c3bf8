// A step of training of the network of configs/training/text.yaml by each attention: 2 layers of width 128, 4 heads of
// 64 columns, 16 sequences of 128 tokens, on one thread.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <memory>
#include <string>

#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/features/maps/nonlinearity.hpp"
#include "rfbench/features/mechanisms/luna.hpp"
#include "rfbench/networks/trainer.hpp"
#include "rfbench/training/head_attention.hpp"

namespace {

using namespace rfbench;
using Head = std::shared_ptr<const training::HeadAttention>;

constexpr Index heads = 4, layers = 2, width = 128, dimension = width / heads, columns = 64, length = 128, batch = 16;

Stream draws(Index head) { return Stream(3).child(static_cast<std::uint64_t>(head)); }

/// A mechanism that is not fitted.
Head drawn(const char* name, Index head) {
    const auto mechanism = features::fit(features::find(name), {});
    return training::fixed_attention(std::make_shared<attention::SoftmaxMap>(attention::softmax_map(
        *mechanism, dimension, columns / mechanism->columns(1), sampling::find("orthogonal"), draws(head))));
}

/// FAVOR++, fitted to the tokens before.
Head fitted(Index head) {
    const auto before = features::fit(features::find("positive"), {});
    const auto draw = features::draw(*before, dimension, columns, sampling::find("orthogonal"), draws(head));
    const auto map = [draw](const features::Mechanism& mechanism) {
        return std::make_shared<attention::SoftmaxMap>(mechanism.map(draw), dimension);
    };
    return training::fitted_attention(
        [map](const PointsView& queries, const PointsView& keys) {
            const auto statistics = attention::softmax_statistics(queries, keys, features::PoissonMoments::left_out);
            return map(*features::fit(features::find("optimal-positive"), statistics));
        },
        map(*before));
}

Head head_of(const std::string& name, Index head) {
    using attention::GeneralizedMap;
    if (name == "softmax") return training::softmax_attention();
    if (name == "FAVOR+") return drawn("positive", head);
    if (name == "FAVOR") return drawn("trigonometric", head);
    if (name == "FAVOR++") return fitted(head);
    if (name == "relu")
        return training::fixed_attention(std::make_shared<GeneralizedMap>(attention::generalized_map(
            features::nonlinearity("relu"), dimension, columns, sampling::find("orthogonal"), draws(head))));
    if (name == "linear-transformer")
        return training::fixed_attention(
            std::make_shared<GeneralizedMap>(attention::linear_transformer_map(dimension)));
    features::MapShape shape = features::luna_shape({{"output", std::string("elu+1")}});
    shape.dimension = dimension;
    shape.projections = columns / shape.channels->count();
    return training::learned_attention(shape);
}

void step(benchmark::State& state, const std::string& name) {
    omp_set_num_threads(1);
    networks::TransformerShape shape;
    shape.vocabulary = shape.outputs = 256;
    shape.positions = length;
    shape.layers = layers;
    shape.heads = heads;
    shape.width = width;
    shape.inner = 4 * width;
    networks::Heads all;
    for (Index h = 0; h < layers * heads; ++h) all.push_back(head_of(name, h));
    const networks::Transformer network(shape, all);
    networks::Trainer<float> trainer(network, network.start({}, Stream(1)), {.steps = 1'000'000, .rate = 1e-4});
    std::vector<networks::Sequence<float>> sequences(batch);
    Stream tokens(2);
    for (networks::Sequence<float>& one : sequences)
        for (Index i = 0; i < length; ++i) {
            one.tokens.push_back(static_cast<int>(tokens.below(256)));
            one.targets.push_back({i, static_cast<int>(tokens.below(256))});
        }
    for (auto _ : state) trainer.step(sequences);
    state.counters["tokens/s"] =
        benchmark::Counter(static_cast<double>(batch * length), benchmark::Counter::kIsIterationInvariantRate);
}

const bool registered = [] {
    for (const char* const name : {"softmax", "FAVOR+", "FAVOR", "relu", "linear-transformer", "FAVOR++", "luna"})
        benchmark::RegisterBenchmark((std::string("training_step/") + name).c_str(), step, std::string(name))
            ->Unit(benchmark::kMillisecond);
    return true;
}();

}  // namespace

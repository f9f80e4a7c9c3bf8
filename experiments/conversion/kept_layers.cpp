#include "conversion/kept_layers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "rfbench/attention/uniform_map.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::experiments {
namespace {

/// Loss of the teacher with uniform attention in one layer; infinite where that gives numbers that are not finite.
double loss_without(const StoredNetwork& teacher, Index layer, const std::vector<networks::Sequence<float>>& given) {
    const networks::TransformerShape& shape = teacher.network.shape();
    const std::shared_ptr<const training::HeadAttention> uniform =
        training::fixed_attention(std::make_shared<attention::UniformMap>());
    networks::Heads heads = networks::softmax_heads(shape.layers * shape.heads);
    std::fill(heads.begin() + layer * shape.heads, heads.begin() + (layer + 1) * shape.heads, uniform);
    const networks::Transformer network(shape, heads);
    networks::Workspace<float> work;
    try {
        return network.evaluate<float>(teacher.weights, given, work).loss.mean();
    } catch (const NotFinite&) {
        return std::numeric_limits<double>::infinity();
    }
}

/// Layers by what is lost without them, the most first; of equals the first.
std::vector<Index> by_importance(const StoredNetwork& teacher, const std::vector<networks::Sequence<float>>& given) {
    std::vector<Index> layers(static_cast<std::size_t>(teacher.network.shape().layers));
    std::iota(layers.begin(), layers.end(), 0);
    std::vector<double> losses;
    for (const Index layer : layers) losses.push_back(loss_without(teacher, layer, given));
    std::stable_sort(layers.begin(), layers.end(), [&](Index a, Index b) {
        return losses[static_cast<std::size_t>(a)] > losses[static_cast<std::size_t>(b)];
    });
    return layers;
}

std::vector<Index> at_random(Index count, Stream stream) {
    std::vector<Index> layers(static_cast<std::size_t>(count));
    std::iota(layers.begin(), layers.end(), 0);
    for (std::size_t i = layers.size(); i > 1; --i)
        std::swap(layers[i - 1], layers[static_cast<std::size_t>(stream.below(static_cast<std::uint32_t>(i)))]);
    return layers;
}

}  // namespace

std::vector<config::KeyRule> kept_keys() {
    using namespace config;
    return {defaulted("kept", integer(0, 100), "0", "layers that stay softmax attention"),
            defaulted("keep", one_of({"even", "random", "importance"}), "even",
                      "which of them stay; importance: where uniform attention raises the loss of training data most")};
}

void require_layers_to_keep(const config::Value& entry) {
    if (entry.at("keep").text() != "even" && whole(entry, "kept") == 0)
        entry.at("keep").refuse("no layer stays softmax attention: 'kept' says how many do, 0 unless given");
}

std::vector<Index> kept_layers(const config::Value& entry, const StoredNetwork& teacher,
                               const std::vector<networks::Sequence<float>>& given, const Stream& stream) {
    const Index count = whole(entry, "kept"), layers = teacher.network.shape().layers;
    std::vector<Index> kept;
    if (entry.at("keep").text() == "even")
        // In the middle of equal parts of the depth.
        for (Index i = 0; i < count; ++i) kept.push_back((2 * i + 1) * layers / (2 * count));
    else if (count > 0)
        kept = entry.at("keep").text() == "random" ? at_random(layers, stream) : by_importance(teacher, given);
    kept.resize(static_cast<std::size_t>(count));
    std::sort(kept.begin(), kept.end());
    return kept;
}

}  // namespace rfbench::experiments

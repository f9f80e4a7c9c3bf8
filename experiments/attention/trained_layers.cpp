#include "attention/trained_layers.hpp"

#include <stdexcept>

#include "rfbench/training/head_attention.hpp"

namespace rfbench::experiments {

TrainedLayers::TrainedLayers(StoredNetwork stored)
    : stored_(std::move(stored)),
      weights_(stored_.network.layout(), stored_.weights.values().cast<double>(), networks::Passes::forward) {
    if (shape().convolution > 0)
        throw std::invalid_argument("the network has a convolution behind its embedding, which is none of its layers");
}

Index TrainedLayers::tokens(Index number) const { return stored_.sequences[static_cast<std::size_t>(number)].length(); }

Points TrainedLayers::start(Index number, Index length) const {
    const networks::Sequence<float>& all = stored_.sequences[static_cast<std::size_t>(number)];
    networks::Sequence<double> one;
    if (all.tokens.empty())
        one.rows = all.rows.topRows(length).cast<double>();
    else
        one.tokens.assign(all.tokens.begin(), all.tokens.begin() + length);
    const networks::Embedding& embedding = stored_.network.embedding();
    Points given, x;
    embedding.forward<double>(weights_, {&one, 1}, {0, embedding.rows(length)}, given, x);
    return x;
}

Points TrainedLayers::layer(Index r, const Points& x, const networks::PlacedAttention& attend,
                            attention::Outcome& outcome) const {
    networks::Heads heads;
    for (Index h = 0; h < shape().heads; ++h)
        heads.push_back(
            training::forward_attention([&attend, r, h](const attention::Inputs<double>& in, attention::Visible,
                                                        Points& out) { return attend(r, h, in, out); }));
    // A copy takes the heads of this call: the layer itself, which all share, stays as it is.
    networks::Layer own = stored_.network.layer(r);
    own.attention().replace(std::move(heads));
    networks::Layer::Pass<double> pass;
    Points out = x;
    own.forward(weights_, {0, x.rows()}, pass, out);
    outcome += pass.attention.outcome;
    return out;
}

}  // namespace rfbench::experiments

#pragma once
// Layers of a Transformer with random weights: how errors of attention go through many layers.
#include <functional>

#include "rfbench/networks/layer.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::networks {

/// The sizes: d = hidden / heads in each head, hidden -> feed_forward -> hidden in each feed-forward part.
struct RandomLayersShape {
    Index layers = 12;
    Index heads = 8;
    Index hidden = 512;  ///< a multiple of heads
    Index feed_forward = 2048;
    NormPlace norm = NormPlace::as_printed;
};

/// Attention of one head of one layer, with its place.
using PlacedAttention =
    std::function<attention::Outcome(Index layer, Index head, const attention::Inputs<double>&, Points& out)>;

/// Weights are N(0, gain^2 / columns in), biases zero, layer normalization without trained scale, epsilon zero, and the
/// exact gelu.
class RandomLayers {
public:
    /// Throws std::invalid_argument naming what is not positive, when hidden is not a multiple of heads, and for a gain
    /// that is not finite.
    RandomLayers(const RandomLayersShape&, double gain, const Stream&);

    /// X' of layer r, 0 <= r < layers, from X, L x hidden. Throws std::invalid_argument for another layer or shape, for
    /// the first entry of X that is not finite, and when what attention gives is not L x hidden / heads.
    Points layer(Index r, const Points& x, const PlacedAttention&, attention::Outcome&) const;

private:
    RandomLayersShape shape_;
    Layout layout_;
    Layer layer_;                           // of which all have the shape
    std::vector<Weights<double>> weights_;  // of each
};

}  // namespace rfbench::networks

#pragma once
// A Transformer with random weights: how errors of attention go through many layers.
#include <functional>
#include <vector>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::attention {

struct TransformerShape {
    Index layers = 12, heads = 8, hidden = 512, feed_forward = 2048;  ///< hidden is a multiple of heads
};

/// Attention of one head of one layer, with its place.
using HeadAttention = std::function<Outcome(Index layer, Index head, const Inputs<double>&, Points& out)>;

/// Layers of Likhosherstov 2022, (2.13) and (2.14) as printed: Y = LN(MultiHead(X) + X), X' = LN(FFN(Y)) + Y with GeLU
/// between the two maps of FFN. Weights are N(0, gain^2 / columns in), biases zero, LN without trained scale.
class Transformer {
public:
    /// Throws std::invalid_argument naming what is not positive, when hidden is not a multiple of heads, and for a gain
    /// that is not finite.
    Transformer(const TransformerShape&, double gain, const Stream&);

    /// X' of layer r, 0 <= r < layers, from X, L x hidden. Throws std::invalid_argument for another layer or shape, for
    /// the first entry of X that is not finite, and when what attention gives is not L x hidden / heads.
    Points layer(Index r, const Points& x, const HeadAttention&, Outcome&) const;

    const TransformerShape& shape() const { return shape_; }

private:
    struct Weights {
        Points query, key, value, output;  // hidden x hidden
        Points widen, narrow;              // hidden x feed_forward, feed_forward x hidden
    };

    TransformerShape shape_;
    std::vector<Weights> layers_;
};

}  // namespace rfbench::attention

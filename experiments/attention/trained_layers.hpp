#pragma once
// The layers of a network that another configuration has trained, one after another, with other attention in them.
#include "rfbench/networks/random_layers.hpp"
#include "sources/stored_network.hpp"

namespace rfbench::experiments {

class TrainedLayers {
public:
    /// Throws std::invalid_argument for a network with a convolution after its embedding, which is no layer.
    explicit TrainedLayers(StoredNetwork);

    const networks::TransformerShape& shape() const { return stored_.network.shape(); }
    std::string hash() const { return stored_.hash(); }
    Index sequences() const { return static_cast<Index>(stored_.sequences.size()); }
    Index tokens(Index number) const;
    /// X of the first `length` tokens of a sequence held out, as they are given to the first layer.
    Points start(Index number, Index length) const;
    /// X' of layer r from X, with this attention in place of its own. Throws as Layer::forward does.
    Points layer(Index r, const Points& x, const networks::PlacedAttention&, attention::Outcome&) const;

private:
    StoredNetwork stored_;
    networks::Weights<double> weights_;
};

}  // namespace rfbench::experiments

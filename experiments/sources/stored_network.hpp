#pragma once
// Trained networks as a result file keeps them: weights by the names of the layout, and sequences held out of training.
#include <map>
#include <string>
#include <vector>

#include "rfbench/networks/transformer.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// Sequences without targets.
using NetworkInputs = std::vector<networks::Sequence<float>>;

/// The variables in which networks of several shapes are kept side by side: a parameter of the layout has the variable
/// of its name, as large as the largest of that name; a smaller one stands in its first rows and columns, among NaN.
/// `held_out` has the tokens of sequences, `held_out_rows` the rows of numbers of those that have them.
class NetworkFrame {
public:
    /// As large as these shapes need.
    explicit NetworkFrame(const std::vector<networks::TransformerShape>&);

    /// Which parameter of a network of this shape it has no room for, and how much; empty where it has.
    std::string lack(const networks::TransformerShape&) const;

    /// Adds one network with these values of its parameters, and the axes. At most `kept` sequences.
    void add(store::Dataset&, const networks::Transformer&, const networks::Column<float>& values, const NetworkInputs&,
             Index kept) const;

private:
    struct Extent {
        std::string name;
        Index rows, columns;
    };
    std::vector<Extent> extents_;
    Index positions_ = 0, inputs_ = 0;
    bool tokens_ = false;
};

/// The attribute `networks` of a result file: shapes by source, as JSON.
std::string network_shapes_text(const std::map<std::string, networks::TransformerShape>&);

struct StoredNetwork {
    networks::Transformer network;
    networks::Weights<float> weights;
    NetworkInputs sequences;
    std::string weights_hash;  ///< of the shape, too

    /// Hash of the shape, the weights and the sequences: results that stand on a network depend on it.
    std::string hash() const;
};

/// The sources whose networks a result has. Throws std::invalid_argument where it keeps none.
std::vector<std::string> network_sources(const store::Dataset&);

/// The network of a source and a seed. Throws std::invalid_argument where there is none, with the names there are;
/// where its training failed; and where weights do not have the shape of their network.
StoredNetwork read_network(const store::Dataset&, const std::string& source, double seed);

}  // namespace rfbench::experiments

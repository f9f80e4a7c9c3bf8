#pragma once
// Tasks of networks: a text to be continued, one with tokens hidden, images, pairs to be recalled, lists to be
// evaluated.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "rfbench/networks/transformer.hpp"
#include "sources/source_list.hpp"
#include "sources/stored_network.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

struct NetworkTask {
    using Sequences = std::vector<networks::Sequence<float>>;

    std::string kind;                  ///< by it training is keyed: tasks of one kind begin alike
    std::string data_hash;             ///< of the files it is made from; empty for drawn sequences
    networks::TransformerShape shape;  ///< tokens, what they see and outputs; sizes of layers are the study's
    networks::Initialization initialization;
    int steps;
    double rate;  ///< the largest of Adam
    /// Bits a character held out from the mean loss of a token there; NaN where tokens are no text.
    double bits;

    std::function<Sequences(const Stream&)> mini_batch;  ///< of what is trained on
    std::function<Sequences(Index most)> validation, held_out;
    /// Sequences that held_out() has at most; no limit where they are drawn.
    Index num_held_out = std::numeric_limits<Index>::max();
    /// The best without attention on so many sequences: bits a character by counts where tokens are a text, the
    /// share that a linear classifier is right of where they are an image; none of drawn sequences.
    std::function<double(Index most)> without_attention = {};
    /// By which softmax attention must be better than what needs none, or than a guess, for the task to judge
    /// attention: bits a character, or a share that is right.
    double margin = 0;
    /// Reads the network that it comes with; none: one is to be trained.
    std::function<std::shared_ptr<const StoredNetwork>()> network = {};

    /// Whether the end of a sequence may be told from another's: of a text whose tokens see those before them alone.
    bool continues() const { return !std::isnan(bits) && shape.visible == attention::Visible::causal; }
};

/// Key `initial_positions`, and its value; positions are drawn where it is not given.
config::KeyRule initial_positions_key();
networks::InitialPositions initial_positions_of(const config::Value&);

/// Throws config::Error at `wanted` where a source has fewer sequences held out than that.
void require_held_out(const config::Value& wanted, const Axis<NetworkTask>&);

/// Key `sources`: text, masked-text, images, recall, lists; and a model that comes with its network.
config::KeyRule network_tasks_key();

/// Sequences to look at are drawn from `stream` and the kind alone; mini-batches must be drawn from other streams.
/// Throws config::Error at the place of what cannot be trained on.
SourceList<NetworkTask> network_tasks(const config::Value& configuration, const Stream& stream);

}  // namespace rfbench::experiments

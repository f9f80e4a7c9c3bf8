#pragma once
#include <vector>

#include "rfbench/networks/sequence.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::networks {

/// Retrieval of a value by its key (associative recall): `pairs` tokens hold a key, all different, and a value each,
/// the last token holds one of these keys and asks for its value, which is the class.
struct Recall {
    Index pairs = 8;  ///< of a key and its value in a sequence
    Index keys = 16;  ///< to choose from, at least `pairs`
    int values = 4;   ///< classes, at least 2

    /// T of a sequence: the pairs, and the question.
    Index tokens() const { return pairs + 1; }
    /// p of a token: one-hot key, one-hot value, mark of the question.
    Index inputs() const { return keys + values + 1; }
};

/// Tokens are one-hot: the key, then the value (of the last token nothing), then 1 for the last token. Sequence i
/// depends on the stream and on i alone. Throws std::invalid_argument for sizes out of range.
std::vector<Sequence<double>> recall_examples(const Recall&, Index count, const Stream&);

}  // namespace rfbench::networks

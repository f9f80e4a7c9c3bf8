#pragma once
#include <vector>

#include "rfbench/networks/sequence.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::networks {

/// Keys, of which the first have values: what is recalled by a key (associative recall). Sequences of tokens that ask
/// for several are drawn by networks/drawn_sequences.hpp.
struct Pairs {
    std::vector<Index> keys;  ///< all there are, the ones that have values first, in random order
    std::vector<int> values;  ///< of those
};

/// Keys are uniform on 0 .. keys - 1 without replacement, values uniform on 0 .. values - 1.
Pairs drawn_pairs(Index pairs, Index keys, int values, Stream&);

/// Retrieval of one value by its key, with a pair a token: `pairs` tokens hold a key, all different, and a value each,
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

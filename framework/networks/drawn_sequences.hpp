#pragma once
// Random sequences of tokens for synthetic tasks: earlier tokens of the sequence determine each target.
#include "rfbench/networks/sequence.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::networks {

/// Tokens at places with neither a pair nor a question.
enum class Filling {
    blank,       ///< token 0
    other_keys,  ///< keys that the sequence's pairs do not have, so that pairs stay as they are
};

/// Multi-query associative recall (Arora et al. 2023, "Zoology", Section 3 and Appendix E): a sequence begins with
/// pairs of a key and its value; then every key is asked for once, in random order, and the target is its value.
///
///     k1 v1 k2 v2 k3 v3 . . k2 . . . k1 . k3 .
///                           v2       v1   v3
///
/// Token 0 is blank, tokens 1 .. vocabulary / 2 - 1 are keys, tokens from vocabulary / 2 on are values. The keys of the
/// pairs differ. The slots for questions are every second token after the pairs, n = 1, 2, ... in order. Each key draws
/// a slot, without replacement, with probability proportional to 1 / n: most questions follow soon, some very late.
struct PairRecall {
    Index length = 64;
    Index vocabulary = 512;
    Index pairs = 8;
    Filling filling = Filling::other_keys;

    Index keys() const { return vocabulary / 2 - 1; }
    Index values() const { return vocabulary - vocabulary / 2; }
};

/// Throws std::invalid_argument where the pairs and questions do not fit, or there are too few keys.
void check(const PairRecall&);
Sequence<float> drawn_sequence(const PairRecall&, const Stream&);

/// Copying (Kitaev et al. 2020; Likhosherstov 2022, Section 5.6.4): the sequence 0 v 0 v, v drawn uniformly from tokens
/// 1 to vocabulary - 1. Targets: each token of the second half but the last predicts the next token.
struct Copying {
    Index length = 64;  ///< even, at least 4
    Index vocabulary = 64;
};

/// Throws std::invalid_argument for another length, or fewer than three tokens.
void check(const Copying&);
Sequence<float> drawn_sequence(const Copying&, const Stream&);

}  // namespace rfbench::networks

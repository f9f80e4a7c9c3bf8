#pragma once
// Pieces of a text in which tokens are hidden, to be told from all others: masked language modelling ((2.21) of the
// thesis).
#include <vector>

#include "rfbench/statistics/context_counts.hpp"
#include "sources/texts.hpp"

namespace rfbench::experiments {

inline constexpr int hidden_token = bytes_there_are;  ///< in the place of a byte that is hidden

/// Places that are hidden in a piece of so many tokens: `share` of them, rounded, at least one; drawn without
/// replacement, ascending.
std::vector<Index> hidden_places(Index length, double share, Stream);

/// The pieces with tokens hidden, each of which is a target, and nothing else is. Piece i is hidden by the stream's
/// child i.
std::vector<networks::Sequence<float>> hide(std::vector<networks::Sequence<float>> pieces, double share, const Stream&);

/// The pieces that `part` is spread to, hidden likewise, for counts. Views of `part`.
std::vector<statistics::ToldPiece> told_pieces(const Text&, const std::string& part, Index pieces, double share,
                                               const Stream&);

/// Key `hidden`.
config::KeyRule hidden_key();

}  // namespace rfbench::experiments

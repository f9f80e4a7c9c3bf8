#pragma once
// Inputs and targets of networks.
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::networks {

/// Desired output of one token.
struct Target {
    Index token;  ///< whose output it is; of a network with one output a sequence, 0
    int value;    ///< 0 .. outputs - 1
};

/// Input and targets of a network. Tokens are indices into a vocabulary or rows of numbers; a network takes one kind.
template <class Scalar>
struct Sequence {
    std::vector<int> tokens = {};      ///< 0 .. vocabulary - 1
    Rows<Scalar> rows = {};            ///< a row a token, as many columns as the network has inputs
    std::vector<Target> targets = {};  ///< outputs that a loss asks for, in any number
    Index position = 0;  ///< of the first token: in a slice of a longer sequence, how many tokens come before it

    /// Tokens, or rows.
    Index length() const { return tokens.empty() ? rows.rows() : static_cast<Index>(tokens.size()); }
};

/// First row of each sequence in a part of a batch, and the end of the last one.
using Starts = std::vector<Index>;

}  // namespace rfbench::networks

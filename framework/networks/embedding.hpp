#pragma once
#include <span>

#include "rfbench/networks/multi_head.hpp"
#include "rfbench/networks/sequence.hpp"

namespace rfbench::networks {

/// Sizes of an embedding.
struct EmbeddingShape {
    Index vocabulary = 0;      ///< tokens are numbers below this; 0: tokens are rows of `inputs` numbers
    Index inputs = 0;          ///< columns of such rows
    Index positions = 0;       ///< tokens of the longest sequence
    bool class_token = false;  ///< a token of its own, learned, before each sequence
    bool tied = false;         ///< the table is what outputs are read from, too
    Index width = 0;           ///< columns of X
    Bias bias = Bias::with;    ///< of rows of numbers
};

/// X_i = (embedded token i) + (position i): a row of a table, or x A + b.
class Embedding {
public:
    /// Adds wte (the table; or wie.weight and wie.bias, A and b), wpe and cls to the layout. Throws
    /// std::invalid_argument unless it has either a vocabulary or inputs.
    Embedding(Layout&, const EmbeddingShape&);

    /// The sizes as they were given.
    const EmbeddingShape& shape() const { return shape_; }
    /// wte, vocabulary x width; of no entries, as those that follow, where there is none.
    const Parameter& table() const { return table_; }
    const Parameter& positions() const { return positions_; }      ///< wpe, positions x width
    const Parameter& class_token() const { return class_token_; }  ///< cls, 1 x width
    const Affine& map() const { return map_; }                     ///< A, inputs x width, and b
    /// Rows of X for a sequence of so many tokens.
    Index rows(Index length) const { return length + (shape_.class_token ? 1 : 0); }

    /// Throws std::invalid_argument when a sequence has no tokens, reaches beyond the positions, has a token that is
    /// not in the vocabulary, or rows of another width or not finite, naming it.
    template <class Scalar>
    void check(const Sequence<Scalar>&) const;
    /// X of these sequences, one after the other; `given` holds their rows of numbers, where they have them.
    template <class Scalar>
    void forward(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, const Starts&, Rows<Scalar>& given,
                 Rows<Scalar>& x) const;
    /// From the gradient of X: adds those of the parameters to `gradient`.
    template <class Scalar>
    void backward(std::span<const Sequence<Scalar>>, const Starts&, const Rows<Scalar>& given, const Rows<Scalar>& by_x,
                  Column<Scalar>& gradient) const;

private:
    EmbeddingShape shape_;
    Parameter table_, positions_, class_token_;
    Affine map_;
};

}  // namespace rfbench::networks

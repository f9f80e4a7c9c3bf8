#pragma once
// Causal attention of one head, a token at a time, as when a text is generated: what is remembered of the tokens so far
// is all keys and values, or sums over their features.
#include <memory>

#include "rfbench/attention/linear_form.hpp"

namespace rfbench::attention {

/// Tokens of one sequence in their order. Its outputs are those of causal attention of the whole, to rounding.
template <class Scalar>
class Decoder {
public:
    virtual ~Decoder() = default;

    /// Remembers tokens whose outputs are not needed, n x d and n x e: those of a prompt. Throws std::invalid_argument
    /// for rows of another width, or not finite, and unless there are as many keys as values.
    virtual void remember(const RowsView<Scalar>& keys, const RowsView<Scalar>& values) = 0;
    /// Remembers the next token, each a row, and writes its output, 1 x e. Throws as remember() and check() do.
    virtual Outcome step(const RowsView<Scalar>& query, const RowsView<Scalar>& key, const RowsView<Scalar>& value,
                         Rows<Scalar>& out) = 0;
    /// Bytes of the whole state.
    virtual std::size_t bytes() const = 0;
};

/// Softmax attention with a cache of keys and values, in blocks that are never moved: a step reads all of them once, in
/// O(n (d + e)) time. Blocks share the threads of the surrounding OpenMP settings; the bits do not depend on them.
/// Throws std::invalid_argument unless d and e are positive.
template <class Scalar>
std::unique_ptr<Decoder<Scalar>> exact_decoder(Index dimension, Index value_columns);

/// Linear attention in its causal form (linear_form.hpp): FeatureSums are all that is remembered, and a step takes O(R
/// (d + e)) whatever came before. Throws std::invalid_argument when there is no map, or e is not positive.
template <class Scalar>
std::unique_ptr<Decoder<Scalar>> linear_decoder(std::shared_ptr<const features::FeatureMap>, Index value_columns,
                                                const LinearForm& form = {});

}  // namespace rfbench::attention

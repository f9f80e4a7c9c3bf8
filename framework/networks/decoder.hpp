#pragma once
#include "rfbench/networks/transformer.hpp"

namespace rfbench::networks {

/// A causal network that is given a sequence token by token, as it is when it writes: softmax heads keep the keys and
/// values of all tokens so far, heads with a state (training/stateful_head.hpp) their sums. Outputs are those of
/// Transformer::outputs of the whole sequence, to rounding.
template <class Scalar>
class Decoder {
public:
    /// Throws std::invalid_argument for a network that is not causal, that has one output a sequence, takes rows of
    /// numbers, or has a convolution behind its embedding or a class token; and for heads of another kind, such as
    /// those that are fitted anew to each prefix.
    Decoder(const Transformer&, Weights<Scalar>);
    ~Decoder();
    /// Moves, and is not copied: what it remembers may be large.
    Decoder(Decoder&&) noexcept;

    /// Outputs behind the next token, vocabulary numbers. Throws as Embedding::check.
    Column<Scalar> step(int token);

    Index tokens() const;  ///< so far
    /// Bytes that are remembered of the tokens so far: keys and values, or sums.
    Index bytes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace rfbench::networks

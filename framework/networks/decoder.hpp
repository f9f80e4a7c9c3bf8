#pragma once
#include "rfbench/networks/transformer.hpp"

namespace rfbench::networks {

/// Decodes with a causal network, token by token. Softmax heads keep a cache of keys and values, heads with a state
/// (training/stateful_head.hpp) keep its sums. Outputs are those of Transformer::outputs for the whole sequence, to
/// rounding.
template <class Scalar>
class Decoder {
public:
    /// Throws std::invalid_argument for a network that is not causal, that has one output a sequence, takes rows of
    /// numbers, or has a convolution after its embedding or a class token; and for heads of another kind, such as
    /// those that are fitted anew to each prefix.
    Decoder(const Transformer&, Weights<Scalar>);
    ~Decoder();
    /// Movable, not copyable: the cache may be large.
    Decoder(Decoder&&) noexcept;

    /// Outputs after the next token, vocabulary numbers. Throws as Embedding::check.
    Column<Scalar> step(int token);

    Index tokens() const;  ///< so far
    /// Bytes of the cache and the states.
    Index bytes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace rfbench::networks

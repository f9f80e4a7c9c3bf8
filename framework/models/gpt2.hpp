#pragma once
// GPT-2 (Radford et al. 2019) is a Transformer (networks/transformer.hpp): causal attention, layer normalization before
// each part, gelu by tanh, the read-out tied to the table of tokens.
#include <span>
#include <vector>

#include "rfbench/models/token.hpp"
#include "rfbench/networks/transformer.hpp"

namespace rfbench::models {

/// GPT-2's form of a shape: all but the sizes and epsilon are set, and outputs are the vocabulary.
networks::TransformerShape gpt2_shape(networks::TransformerShape shape);

template <class Scalar>
struct Gpt2 {
    networks::Transformer network;
    networks::Weights<Scalar> weights;
};

/// Inputs of a head's attention, L x (width / heads) each; queries without the factor 1 / sqrt d.
template <class Scalar>
using HeadRows = networks::Transformer::HeadRows<Scalar>;

/// [layer][head]. The bits do not depend on the number of threads. Throws std::invalid_argument when there are no
/// tokens, more than positions, or one that is not in the vocabulary.
template <class Scalar>
std::vector<std::vector<HeadRows<Scalar>>> heads(const Gpt2<Scalar>&, std::span<const Token>);

/// L x vocabulary: row i is of the token after the i-th. Throws as heads() does.
template <class Scalar>
Rows<Scalar> logits(const Gpt2<Scalar>&, std::span<const Token>);

}  // namespace rfbench::models

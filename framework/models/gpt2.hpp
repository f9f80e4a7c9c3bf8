#pragma once
// GPT-2 (Radford et al. 2019): the Transformer of Vaswani et al. 2017 with causal attention and layer normalization
// before each part. For X, L x width, one token a row, starting with X = tokens[t] + positions[0 .. L - 1], each layer
// does, with trained W and b,
//   [Q K V] = LN(X) W + b,   X += concat_h(softmax(Q_h K_h' / sqrt d) V_h) W + b,   X += gelu(LN(X) W + b) W + b
// where gelu(z) = z (1 + tanh(sqrt(2 / pi) (z + 0.044715 z^3))) / 2 and
// LN(x) = scale (x - mean) / sqrt(var + epsilon) + shift. Logits are LN(X) tokens'.
#include <span>
#include <vector>

#include "rfbench/matrix.hpp"
#include "rfbench/models/token.hpp"

namespace rfbench::models {

struct Gpt2Shape {
    Index layers, heads, width;  ///< width is a multiple of heads
    Index inner;                 ///< columns within the gelu
    Index positions;             ///< the longest sequence
    Index vocabulary;
    double epsilon;  ///< of the layer normalization, > 0
};

template <class Scalar>
using RowVector = Eigen::Matrix<Scalar, 1, Eigen::Dynamic>;

/// x -> x matrix + bias.
template <class Scalar>
struct Affine {
    Rows<Scalar> matrix;
    RowVector<Scalar> bias;
};

template <class Scalar>
struct Norm {
    RowVector<Scalar> scale, shift;
};

template <class Scalar>
struct Gpt2Layer {
    Norm<Scalar> before_attention, before_inner;
    Affine<Scalar> project;        ///< width -> Q, K and V, 3 width
    Affine<Scalar> output;         ///< width -> width
    Affine<Scalar> widen, narrow;  ///< width -> inner -> width
};

template <class Scalar>
struct Gpt2 {
    Gpt2Shape shape;
    Rows<Scalar> tokens;     ///< vocabulary x width
    Rows<Scalar> positions;  ///< positions x width
    std::vector<Gpt2Layer<Scalar>> layers;
    Norm<Scalar> last;
};

/// What a head's attention is given, L x (width / heads) each; queries without the factor 1 / sqrt d.
template <class Scalar>
struct HeadRows {
    Rows<Scalar> queries, keys, values;
};

/// [layer][head]. The bits do not depend on the number of threads. Throws std::invalid_argument when there are no
/// tokens, more than positions, or one that is not in the vocabulary.
template <class Scalar>
std::vector<std::vector<HeadRows<Scalar>>> heads(const Gpt2<Scalar>&, std::span<const Token>);

/// L x vocabulary: row i is of the token after the i-th. Throws as heads() does.
template <class Scalar>
Rows<Scalar> logits(const Gpt2<Scalar>&, std::span<const Token>);

}  // namespace rfbench::models

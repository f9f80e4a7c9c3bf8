#include "rfbench/networks/embedding.hpp"

#include <stdexcept>

namespace rfbench::networks {

Embedding::Embedding(Layout& layout, const EmbeddingShape& shape) : shape_(shape) {
    if ((shape.vocabulary > 0) == (shape.inputs > 0))
        throw std::invalid_argument("network: a vocabulary of " + std::to_string(shape.vocabulary) + " and rows of " +
                                    std::to_string(shape.inputs) +
                                    " inputs; tokens are either numbers or rows: one of both must be positive");
    // A tied table is a factor of products, too; another is only looked up in and never packed.
    if (shape.vocabulary > 0 && shape.tied)
        table_ = layout.add_factor("wte.weight", shape.vocabulary, shape.width, Factor::transposed);
    else if (shape.vocabulary > 0)
        table_ = layout.add("wte.weight", shape.vocabulary, shape.width);
    else
        map_ = Affine(layout, "wie", shape.inputs, shape.width, shape.bias);
    positions_ = layout.add("wpe.weight", rows(shape.positions), shape.width);
    if (shape.class_token) class_token_ = layout.add("cls.weight", 1, shape.width);
}

template <class Scalar>
void Embedding::check(const Sequence<Scalar>& sequence) const {
    const Index length = sequence.length();
    if (length == 0) throw std::invalid_argument("network: there are no tokens; at least one is needed");
    if (sequence.position + length > shape_.positions)
        throw std::invalid_argument("network: there are " + std::to_string(sequence.position + length) +
                                    " tokens; the model has " + std::to_string(shape_.positions) + " positions");
    if (shape_.vocabulary > 0) {
        if (sequence.tokens.empty())
            throw std::invalid_argument("network: tokens are rows of numbers; the model takes numbers in a vocabulary");
        for (const int token : sequence.tokens)
            if (token < 0 || token >= shape_.vocabulary)
                throw std::invalid_argument("network: there is no token " + std::to_string(token) +
                                            "; the vocabulary has " + std::to_string(shape_.vocabulary));
        return;
    }
    if (!sequence.tokens.empty() || sequence.rows.cols() != shape_.inputs)
        throw std::invalid_argument("network: tokens are rows of " + std::to_string(sequence.rows.cols()) +
                                    " numbers; the model takes rows of " + std::to_string(shape_.inputs));
    attention::check_finite<Scalar>("network: tokens have", sequence.rows);
}

template <class Scalar>
void Embedding::forward(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> sequences,
                        const Starts& starts, Rows<Scalar>& given, Rows<Scalar>& x) const {
    const Index before = shape_.class_token ? 1 : 0;
    const auto positions = weights[positions_];
    x.resize(starts.back(), shape_.width);
    if (shape_.inputs > 0) {
        // Rows of numbers are put together, those of class tokens being zero, for one product.
        given.setZero(starts.back(), shape_.inputs);
        for (std::size_t s = 0; s < sequences.size(); ++s)
            given.middleRows(starts[s] + before, sequences[s].length()) = sequences[s].rows;
        map_.forward(weights, given, x);
    }
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        const Index length = starts[s + 1] - starts[s];
        auto own = x.middleRows(starts[s], length);
        if (shape_.vocabulary > 0)
            for (Index i = before; i < length; ++i)
                own.row(i) = weights[table_].row(sequences[s].tokens[static_cast<std::size_t>(i - before)]);
        if (before) own.row(0) = weights[class_token_];
        own += positions.middleRows(sequences[s].position, length);
    }
}

template <class Scalar>
void Embedding::backward(std::span<const Sequence<Scalar>> sequences, const Starts& starts, const Rows<Scalar>& given,
                         const Rows<Scalar>& by_x, Column<Scalar>& gradient) const {
    const Index before = shape_.class_token ? 1 : 0;
    auto by_positions = view(gradient, positions_);
    Rows<Scalar> by_tokens = by_x;
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        const Index length = starts[s + 1] - starts[s];
        by_positions.middleRows(sequences[s].position, length) += by_x.middleRows(starts[s], length);
        if (before) {
            // The class token has no row of numbers that the map could have a gradient from.
            view(gradient, class_token_) += by_x.row(starts[s]);
            by_tokens.row(starts[s]).setZero();
        }
        if (shape_.vocabulary == 0) continue;
        auto by_table = view(gradient, table_);
        for (Index i = before; i < length; ++i)
            by_table.row(sequences[s].tokens[static_cast<std::size_t>(i - before)]) += by_x.row(starts[s] + i);
    }
    if (shape_.inputs > 0) map_.backward(given, by_tokens, gradient);
}

template void Embedding::check(const Sequence<float>&) const;
template void Embedding::forward(const Weights<float>&, std::span<const Sequence<float>>, const Starts&, Rows<float>&,
                                 Rows<float>&) const;
template void Embedding::backward(std::span<const Sequence<float>>, const Starts&, const Rows<float>&,
                                  const Rows<float>&, Column<float>&) const;
template void Embedding::check(const Sequence<double>&) const;
template void Embedding::forward(const Weights<double>&, std::span<const Sequence<double>>, const Starts&,
                                 Rows<double>&, Rows<double>&) const;
template void Embedding::backward(std::span<const Sequence<double>>, const Starts&, const Rows<double>&,
                                  const Rows<double>&, Column<double>&) const;

}  // namespace rfbench::networks

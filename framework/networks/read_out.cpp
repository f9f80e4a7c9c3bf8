#include "rfbench/networks/read_out.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/features/maps/exponentials.hpp"

namespace rfbench::networks {

ReadOut::ReadOut(Layout& layout, ReadOutOf of, const Embedding& embedding, Index width, Index outputs, Bias bias)
    : of_(of), outputs_(outputs), before_(embedding.shape().class_token ? 1 : 0) {
    const EmbeddingShape& shape = embedding.shape();
    if (of == ReadOutOf::class_token && !shape.class_token)
        throw std::invalid_argument("network: outputs are to be read from the class token, but there is none");
    if (of == ReadOutOf::tied && shape.vocabulary != outputs)
        throw std::invalid_argument("network: the read-out is tied to a table of " + std::to_string(shape.vocabulary) +
                                    " tokens; there must be as many outputs, not " + std::to_string(outputs));
    if (of == ReadOutOf::tied)
        table_ = embedding.table();
    else
        map_ = Affine(layout, "lm_head", width, outputs, bias);
}

template <class Scalar>
void ReadOut::check(const Sequence<Scalar>& sequence) const {
    for (const Target& target : sequence.targets) {
        const Index last = pooled() ? 0 : sequence.length() - 1;
        if (target.token < 0 || target.token > last)
            throw std::invalid_argument("network: a target is of token " + std::to_string(target.token) +
                                        "; outputs are of tokens 0 to " + std::to_string(last));
        if (target.value < 0 || target.value >= outputs_)
            throw std::invalid_argument("network: a target is " + std::to_string(target.value) +
                                        "; outputs are numbered 0 to " + std::to_string(outputs_ - 1));
    }
}

template <class Scalar>
Rows<Scalar> ReadOut::pool(const RowsView<Scalar>& x) const {
    switch (of_) {
        case ReadOutOf::mean: return x.bottomRows(x.rows() - before_).colwise().mean();
        case ReadOutOf::last: return x.bottomRows(1);
        case ReadOutOf::class_token: return x.topRows(1);
        default: return x.bottomRows(x.rows() - before_);
    }
}

template <class Scalar>
void ReadOut::apply(const Weights<Scalar>& weights, const Rows<Scalar>& y, Rows<Scalar>& z) const {
    if (of_ == ReadOutOf::tied)
        multiply<Scalar>(y, weights.factor(table_), nullptr, z);
    else
        map_.forward(weights, y, z);
}

template <class Scalar>
Loss ReadOut::forward(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> sequences, const Starts& starts,
                      const Rows<Scalar>& x, Pass<Scalar>& pass) const {
    Loss loss;
    for (const auto& sequence : sequences) loss.targets += static_cast<Index>(sequence.targets.size());
    // Rows that have targets, and no others.
    pass.rows.resize(loss.targets, x.cols());
    Index at = 0;
    for (std::size_t s = 0; s < sequences.size(); ++s)
        for (const Target& target : sequences[s].targets)
            if (pooled())
                pass.rows.row(at++) = pool<Scalar>(x.middleRows(starts[s], starts[s + 1] - starts[s]));
            else
                pass.rows.row(at++) = x.row(starts[s] + before_ + target.token);
    apply(weights, pass.rows, pass.outputs);
    at = 0;
    Eigen::Array<Scalar, 1, Eigen::Dynamic> terms;
    for (const auto& sequence : sequences)
        for (const Target& target : sequence.targets) {
            // -log softmax(z)_value, relative to the largest output: no exponential is above one.
            const auto z = pass.outputs.row(at++).array();
            const Scalar high = features::largest(z);
            terms = z;
            loss.sum +=
                static_cast<double>(std::log(features::sum_exponentiated(terms, high)) + high - z[target.value]);
            // The answer is the first of several largest outputs.
            const bool largest = z[target.value] == high && (z.head(target.value) < high).all();
            loss.right += largest ? 1 : 0;
        }
    return loss;
}

template <class Scalar>
void ReadOut::differentiate(std::span<const Sequence<Scalar>> sequences, Scalar share, Pass<Scalar>& pass) const {
    // share (softmax(z) - 1 at the target's value).
    Index at = 0;
    for (const auto& sequence : sequences)
        for (const Target& target : sequence.targets) {
            auto z = pass.outputs.row(at++).array();
            z *= share / features::sum_exponentiated(z, features::largest(z));
            z[target.value] -= share;
        }
}

template <class Scalar>
void ReadOut::backward(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> sequences,
                       const Starts& starts, Pass<Scalar>& pass, Column<Scalar>& gradient, Rows<Scalar>& by_x) const {
    Rows<Scalar> by_rows;
    if (of_ == ReadOutOf::tied) {
        // z = y E': the table's gradient is z' y, beside what the embedding sends to the same table.
        add_outer<Scalar>(pass.outputs, pass.rows, view(gradient, table_));
        multiply<Scalar>(pass.outputs, weights.transposed(table_), nullptr, by_rows);
    } else {
        map_.backward(weights, pass.rows, pass.outputs, gradient, by_rows);
    }
    // Rows without targets have no gradient; a row with several has the sum of theirs.
    by_x.setZero(starts.back(), by_rows.cols());
    Index at = 0;
    for (std::size_t s = 0; s < sequences.size(); ++s)
        for (const Target& target : sequences[s].targets) {
            const Index first = starts[s], end = starts[s + 1];
            const auto row = by_rows.row(at++);
            switch (of_) {
                case ReadOutOf::mean:
                    for (Index i = first + before_; i < end; ++i)
                        by_x.row(i) += row / static_cast<Scalar>(end - first - before_);
                    break;
                case ReadOutOf::last: by_x.row(end - 1) += row; break;
                case ReadOutOf::class_token: by_x.row(first) += row; break;
                default: by_x.row(first + before_ + target.token) += row;
            }
        }
}

template void ReadOut::check(const Sequence<float>&) const;
template Rows<float> ReadOut::pool(const RowsView<float>&) const;
template void ReadOut::apply(const Weights<float>&, const Rows<float>&, Rows<float>&) const;
template Loss ReadOut::forward(const Weights<float>&, std::span<const Sequence<float>>, const Starts&,
                               const Rows<float>&, Pass<float>&) const;
template void ReadOut::differentiate(std::span<const Sequence<float>>, float, Pass<float>&) const;
template void ReadOut::backward(const Weights<float>&, std::span<const Sequence<float>>, const Starts&, Pass<float>&,
                                Column<float>&, Rows<float>&) const;
template void ReadOut::check(const Sequence<double>&) const;
template Rows<double> ReadOut::pool(const RowsView<double>&) const;
template void ReadOut::apply(const Weights<double>&, const Rows<double>&, Rows<double>&) const;
template Loss ReadOut::forward(const Weights<double>&, std::span<const Sequence<double>>, const Starts&,
                               const Rows<double>&, Pass<double>&) const;
template void ReadOut::differentiate(std::span<const Sequence<double>>, double, Pass<double>&) const;
template void ReadOut::backward(const Weights<double>&, std::span<const Sequence<double>>, const Starts&, Pass<double>&,
                                Column<double>&, Rows<double>&) const;

}  // namespace rfbench::networks

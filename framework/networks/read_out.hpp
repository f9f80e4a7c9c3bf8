#pragma once
#include "rfbench/networks/embedding.hpp"
#include "rfbench/networks/layer_norm.hpp"

namespace rfbench::networks {

/// Source of the outputs. For each token: the table that embeds tokens (tied), or a matrix of its own (own). For a
/// sequence: a matrix of its own applied to the mean over tokens, the last token or the class token.
enum class ReadOutOf { tied, own, mean, last, class_token };

/// How well targets are met.
struct Loss {
    double sum = 0;     ///< of -log softmax(z)_value over targets
    Index targets = 0;  ///< how many
    Index right = 0;    ///< whose value has the largest output

    /// Loss a target, in nats; NaN without targets.
    double mean() const { return sum / static_cast<double>(targets); }
    /// Share of targets that are right, from 0 to 1; NaN without targets.
    double accuracy() const { return static_cast<double>(right) / static_cast<double>(targets); }

    /// Counts both.
    Loss& operator+=(const Loss& other) {
        sum += other.sum;
        targets += other.targets;
        right += other.right;
        return *this;
    }
};

/// Outputs z = y W + b, or y E' where tied, y being rows of X, or their means.
class ReadOut {
public:
    /// Reads rows of `width` numbers. Adds lm_head, unless tied. Throws std::invalid_argument for a tied one without a
    /// table, or with other outputs than tokens, and for a class token that there is not.
    ReadOut(Layout&, ReadOutOf, const Embedding&, Index width, Index outputs, Bias);

    Index outputs() const { return outputs_; }  ///< columns of z
    /// W and b, width x outputs; without parameters where tied.
    const Affine& map() const { return map_; }
    /// Rows that outputs are read from.
    ReadOutOf of() const { return of_; }

    /// Throws std::invalid_argument for a target whose token is not in the sequence (not 0 if pooled()), or whose value
    /// is not in 0 .. outputs - 1.
    template <class Scalar>
    void check(const Sequence<Scalar>&) const;

    /// Outputs z of the targets' tokens, target after target, and the loss.
    template <class Scalar>
    struct Pass {
        Rows<Scalar> rows, outputs;  ///< y and z
    };
    /// Writes z into the pass and returns the loss; x has the rows of all sequences.
    template <class Scalar>
    Loss forward(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, const Starts&, const Rows<Scalar>& x,
                 Pass<Scalar>&) const;
    /// Replaces z in the pass by the gradient of share times the summed loss: share (softmax(z) - onehot(value)).
    template <class Scalar>
    void differentiate(std::span<const Sequence<Scalar>>, Scalar share, Pass<Scalar>&) const;
    /// Backward pass, after differentiate(): the pass holds the gradient with respect to z in place of z. Adds the
    /// parameters' gradients to `gradient` and writes the gradient with respect to X. The pass cannot be used again.
    template <class Scalar>
    void backward(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, const Starts&, Pass<Scalar>&,
                  Column<Scalar>& gradient, Rows<Scalar>& by_x) const;

    /// z of every row y.
    template <class Scalar>
    void apply(const Weights<Scalar>&, const Rows<Scalar>& y, Rows<Scalar>& z) const;
    /// Whether there is one output a sequence.
    bool pooled() const { return of_ != ReadOutOf::tied && of_ != ReadOutOf::own; }
    /// y of one sequence, whose rows of X these are: all rows, or one.
    template <class Scalar>
    Rows<Scalar> pool(const RowsView<Scalar>& x) const;

private:
    ReadOutOf of_;
    Index outputs_, before_;
    Parameter table_;
    Affine map_;
};

}  // namespace rfbench::networks

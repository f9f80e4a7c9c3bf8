#pragma once
#include "rfbench/networks/transformer.hpp"

namespace rfbench::networks {

/// Weights of the terms of a distillation loss (Goldstein et al. 2025, RADLADS):
///
///     task C + logits D + hidden H
///     C:  cross-entropy, the mean over targets of -log p^_value, p^ the softmax of the network's outputs
///     D:  mean over targets of KL(p || p^), p the softmax of the teacher's outputs
///     H:  mean over sequences and layers of |X^ - X|^2 / |X|^2, Frobenius, X the output of a layer of the teacher,
///         X^ that of the same layer of the network
struct Alignment {
    double task = 1, logits = 0, hidden = 0;
};

/// Gradients of such a loss, one sequence after the other.
template <class Scalar>
class AlignedGradient {
public:
    /// Networks and weights must stay where they are. Throws std::invalid_argument for networks of other widths, depths
    /// or outputs, and for parts that are negative or not finite.
    AlignedGradient(const Transformer& network, const Transformer& teacher, const Weights<Scalar>& of_teacher,
                    const Alignment&);

    /// Writes the gradient. The outcome has the losses C. Throws as Transformer::gradient.
    BatchOutcome operator()(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Column<Scalar>& gradient);
    /// The whole loss of the last batch.
    double loss() const { return loss_; }

private:
    void differentiate_outputs(const Sequence<Scalar>&, Scalar share);
    void differentiate_rows(std::size_t sequences);

    const Transformer& network_;
    const Transformer& teacher_;
    const Weights<Scalar>& of_teacher_;
    Alignment parts_;
    Transformer::Pass<Scalar> pass_, taught_;
    std::vector<Rows<Scalar>> layer_gradients_;
    double loss_ = 0;
};

}  // namespace rfbench::networks

#include "rfbench/networks/aligned_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/parallel/openmp_threads.hpp"

namespace rfbench::networks {
namespace {

void check_part(const char* name, double part) {
    if (!(part >= 0) || !std::isfinite(part))
        throw std::invalid_argument("training beside a teacher: the part of " + std::string(name) + " is " +
                                    std::to_string(part) + "; at least 0 is needed");
}

/// log softmax of a row.
template <class Scalar>
Eigen::Array<Scalar, 1, Eigen::Dynamic> log_softmax(const Rows<Scalar>& outputs, Index row) {
    const Eigen::Array<Scalar, 1, Eigen::Dynamic> z = outputs.row(row).array() - outputs.row(row).maxCoeff();
    return z - std::log(z.exp().sum());
}

}  // namespace

template <class Scalar>
AlignedGradient<Scalar>::AlignedGradient(const Transformer& network, const Transformer& teacher,
                                         const Weights<Scalar>& of_teacher, const Alignment& parts)
    : network_(network), teacher_(teacher), of_teacher_(of_teacher), parts_(parts) {
    check_part("the task", parts.task);
    check_part("logits", parts.logits);
    check_part("hidden states", parts.hidden);
    const TransformerShape &own = network.shape(), &other = teacher.shape();
    if (own.width != other.width || own.layers != other.layers || own.outputs != other.outputs)
        throw std::invalid_argument(
            "training beside a teacher: the networks have not the same width, layers and "
            "outputs");
    if (own.class_token != other.class_token)
        throw std::invalid_argument("training beside a teacher: one of both networks alone has a class token");
    if (parts.hidden > 0) layer_gradients_.resize(static_cast<std::size_t>(own.layers));
}

/// Puts the gradient of outputs in their place.
template <class Scalar>
void AlignedGradient<Scalar>::differentiate_outputs(const Sequence<Scalar>& sequence, Scalar share) {
    const auto task = static_cast<Scalar>(parts_.task), logits = static_cast<Scalar>(parts_.logits);
    Index row = 0;
    for (const Target& target : sequence.targets) {
        const auto own = log_softmax(pass_.read_out.outputs, row), other = log_softmax(taught_.read_out.outputs, row);
        loss_ += static_cast<double>(share * (logits * (other.exp() * (other - own)).sum() - task * own[target.value]));
        auto by_outputs = pass_.read_out.outputs.row(row++).array();
        by_outputs = share * ((task + logits) * own.exp() - logits * other.exp());
        by_outputs[target.value] -= share * task;
    }
}

/// The gradient of X^ after each layer: 2 (X^ - X) / |X|^2, of the mean over layers and sequences; none where hidden
/// states have no part.
template <class Scalar>
void AlignedGradient<Scalar>::differentiate_rows(std::size_t sequences) {
    const double share = parts_.hidden / static_cast<double>(layer_gradients_.size() * sequences);
    for (std::size_t r = 0; r < layer_gradients_.size(); ++r) {
        layer_gradients_[r] = pass_.layer_outputs[r] - taught_.layer_outputs[r];
        const double own = share / static_cast<double>(taught_.layer_outputs[r].squaredNorm());
        loss_ += own * static_cast<double>(layer_gradients_[r].squaredNorm());
        layer_gradients_[r] *= static_cast<Scalar>(2 * own);
    }
}

template <class Scalar>
BatchOutcome AlignedGradient<Scalar>::operator()(const Weights<Scalar>& weights,
                                                 std::span<const Sequence<Scalar>> batch, Column<Scalar>& gradient) {
    const Scalar share = 1 / static_cast<Scalar>(network_.targets(batch));
    // The teacher may have fewer tokens or positions.
    teacher_.targets(batch);
    // One sequence after the other: threads would wait for one another over short ones.
    const auto longest = std::max_element(batch.begin(), batch.end(),
                                          [](const auto& a, const auto& b) { return a.length() < b.length(); });
    const parallel::OpenMpThreads team(longest->length() <= max_serial_rows ? 1 : omp_get_max_threads());
    BatchOutcome outcome;
    gradient.setZero(network_.layout().size());
    loss_ = 0;
    for (const Sequence<Scalar>& sequence : batch) {
        const std::span<const Sequence<Scalar>> one(&sequence, 1);
        network_.forward(weights, one, pass_, Transformer::Keep::rows);
        teacher_.forward(of_teacher_, one, taught_, Transformer::Keep::rows);
        outcome.loss += pass_.outcome.loss;
        outcome.rows += pass_.outcome.rows;
        differentiate_outputs(sequence, share);
        differentiate_rows(batch.size());
        network_.backward_from_gradients(weights, one, layer_gradients_, pass_, gradient);
    }
    return outcome;
}

template class AlignedGradient<float>;
template class AlignedGradient<double>;

}  // namespace rfbench::networks

#include "rfbench/training/matching.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/attention/exact.hpp"

namespace rfbench::training {
namespace {

using attention::Visible;

attention::Inputs<double> inputs(const HeadSequence& sequence) {
    return {sequence.queries, sequence.keys, sequence.values};
}

Points softmax_output(const HeadSequence& sequence, Visible visible) {
    Points out;
    attention::exact<double>(inputs(sequence), visible, out);
    return out;
}

}  // namespace

Mismatch mismatch(const HeadAttention& head, const Vector& parameters, const std::vector<HeadSequence>& sequences,
                  Visible visible) {
    if (sequences.empty()) throw std::invalid_argument("learned attention: there are no sequences to compare on");
    // One quotient of sums, not a mean of quotients: a sequence whose outputs are near zero does not decide.
    double errors = 0, sizes = 0;
    Index nonpositive = 0, rows = 0;
    for (const HeadSequence& sequence : sequences) {
        const Points exact = softmax_output(sequence, visible);
        const auto pass = head.forward(parameters, inputs(sequence), visible);
        nonpositive += pass->outcome.nonpositive;
        errors += (pass->output - exact).squaredNorm();
        sizes += exact.squaredNorm();
        rows += exact.rows();
    }
    return {std::sqrt(errors / sizes), static_cast<double>(nonpositive) / static_cast<double>(rows)};
}

namespace {

/// Softmax weights and, in the same place, the estimated ones: outputs for values that are one at one token each.
HeadSequence with_identity(const HeadSequence& sequence) {
    const Index keys = sequence.keys.rows();
    return {sequence.queries, sequence.keys, Points::Identity(keys, keys)};
}

/// Sum over pairs of A log(A / A^), the gradient with respect to A^, and the weight that is lost.
struct PairSums {
    double divergence = 0, lost = 0;
    Points by_estimate;
};
PairSums pair_sums(const Points& exact, const Points& estimate) {
    PairSums sums;
    sums.by_estimate.setZero(exact.rows(), exact.cols());
    for (Index i = 0; i < exact.rows(); ++i)
        for (Index j = 0; j < exact.cols(); ++j) {
            const double weight = exact(i, j), own = estimate(i, j);
            // A weight of zero, of a key that is not seen or far off, has nothing to match.
            if (weight == 0) continue;
            if (!(own > 0)) {
                sums.lost += weight;
                continue;
            }
            sums.divergence += weight * std::log(weight / own);
            sums.by_estimate(i, j) = -weight / own;
        }
    return sums;
}

}  // namespace

Divergence divergence(const Points& weights, const Points& estimated) {
    if (weights.rows() != estimated.rows() || weights.cols() != estimated.cols())
        throw std::invalid_argument("divergence: weights are " + std::to_string(weights.rows()) + " x " +
                                    std::to_string(weights.cols()) + ", and those compared with them " +
                                    std::to_string(estimated.rows()) + " x " + std::to_string(estimated.cols()));
    const PairSums sums = pair_sums(weights, estimated);
    const auto rows = static_cast<double>(weights.rows());
    return {sums.divergence / rows, sums.lost / rows};
}

training::DescentResult match_softmax(Matched matched, const HeadAttention& head, const Vector& start,
                                      const std::vector<HeadSequence>& given, Visible visible,
                                      const training::Descent& descent, const Stream& stream) {
    // Softmax attention has no parameters: its outputs are made once, for all steps.
    std::vector<HeadSequence> sequences;
    std::vector<Points> exact;
    for (const HeadSequence& sequence : given) {
        sequences.push_back(matched == Matched::outputs ? sequence : with_identity(sequence));
        exact.push_back(softmax_output(sequences.back(), visible));
    }
    const auto loss = [&](const Vector& parameters, Index example, Vector& gradient) {
        const auto at = static_cast<std::size_t>(example);
        const auto pass = head.forward(parameters, inputs(sequences[at]), visible);
        // Queries, keys and values are given: of the gradients only that of the parameters is used.
        attention::Gradients<double> unused;
        if (matched == Matched::outputs) {
            const double scale = 1 / exact[at].squaredNorm();
            const Points difference = pass->output - exact[at];
            pass->backward(2 * scale * difference, unused, gradient);
            return scale * difference.squaredNorm();
        }
        const double share = 1 / static_cast<double>(exact[at].rows());
        const PairSums sums = pair_sums(exact[at], pass->output);
        pass->backward(share * sums.by_estimate, unused, gradient);
        return share * sums.divergence;
    };
    return training::descend(start, static_cast<Index>(sequences.size()), loss, descent, stream);
}

training::DescentResult match_softmax(const HeadAttention& head, const std::vector<HeadSequence>& sequences,
                                      Visible visible, const training::Descent& descent, const Stream& stream) {
    return match_softmax(Matched::outputs, head, head.start(stream.child("start")), sequences, visible, descent,
                         stream.child("batches"));
}

}  // namespace rfbench::training

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

training::Descended match_softmax(const HeadAttention& head, const std::vector<HeadSequence>& sequences,
                                  Visible visible, const training::Descent& descent, const Stream& stream) {
    // Softmax attention has no parameters: its outputs are made once, for all steps.
    std::vector<Points> exact;
    exact.reserve(sequences.size());
    for (const HeadSequence& sequence : sequences) exact.push_back(softmax_output(sequence, visible));
    const auto loss = [&](const Vector& parameters, Index example, Vector& gradient) {
        const auto at = static_cast<std::size_t>(example);
        const double scale = 1 / exact[at].squaredNorm();
        const auto pass = head.forward(parameters, inputs(sequences[at]), visible);
        const Points difference = pass->output - exact[at];
        // Queries, keys and values are given: of the gradients only that of the parameters is used.
        attention::Gradients<double> unused;
        pass->backward(2 * scale * difference, unused, gradient);
        return scale * difference.squaredNorm();
    };
    return training::descend(head.start(stream.child("start")), static_cast<Index>(sequences.size()), loss, descent,
                             stream.child("batches"));
}

}  // namespace rfbench::training

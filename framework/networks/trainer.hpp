#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/networks/low_rank.hpp"
#include "rfbench/networks/slicing.hpp"
#include "rfbench/networks/transformer.hpp"
#include "rfbench/training/adam.hpp"
#include "rfbench/training/descent.hpp"

namespace rfbench::networks {

/// Rate at a step: rises over the first `warm` of `steps` steps, then falls to 0 along half a cosine.
double warmup_cosine_rate(const training::Descent&, int warm, int step);

/// Factor of a parameter on the learning rate of the descent; 0 freezes the parameter.
using RateOf = std::function<double(const Parameter&)>;

/// Reason why a training ended early: the loss, its gradient, or rows of queries, keys or values are not finite.
enum class Divergence { none, loss, gradient, rows };

/// A training that cannot go on, and why.
struct Diverged : std::domain_error {
    /// The sentence names the number that is not finite, and the step.
    Diverged(Divergence why, const std::string& sentence) : std::domain_error(sentence), reason(why) {}
    Divergence reason;  ///< never `none`
};

template <class Scalar>
class SlicedGradient;

/// Trains a network, or a part of it, by Adam, one mini-batch after another, which the caller gives: so that heads may
/// be replaced and outputs looked at between steps.
template <class Scalar>
class Trainer {
public:
    /// Without `rate_of` all factors on the learning rate are 1. A parameter with the factor 0 keeps its bits, and its
    /// gradient does not count for the gradient norm that is clipped. Throws as training::check and Weights, and
    /// std::invalid_argument for a factor that is negative or not finite, and when all are 0. `network` must stay where
    /// it is while the trainer lives.
    Trainer(const Transformer& network, const Vector& start, const training::Descent&, int warm = 0,
            const RateOf& rate_of = {});
    /// Trains updates of low rank alone, which begin as `updates` says by the stream.
    Trainer(const Transformer& network, const Vector& start, const training::Descent&, int warm,
            const LowRank<Scalar>& updates, const Stream&);
    ~Trainer();

    /// Makes a step by a batch, and returns the mean loss of its targets before the step. Throws Diverged with
    /// the number of the step when the loss, its gradient or a number in between is not finite; the parameters stay as
    /// they were.
    BatchOutcome step(std::span<const Sequence<Scalar>> batch);
    /// From the next step on gradients are made slice by slice; of whole sequences again without a slicing. Throws as
    /// SlicedGradient (sliced_gradient.hpp).
    void slice(const std::optional<Slicing>&);
    /// Writes the gradient of the mean loss of a batch with respect to all parameters.
    using GradientOf =
        std::function<BatchOutcome(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Column<Scalar>&)>;
    /// Replaces the computation of gradients from the next step on: by another algorithm, or for another loss.
    void make_gradients(GradientOf gradient_of) { gradient_of_ = std::move(gradient_of); }

    /// Evaluates other sequences with the present parameters. Throws Diverged, as step() does, when a number
    /// is not finite.
    BatchOutcome evaluate(std::span<const Sequence<Scalar>> sequences);

    /// All that further steps depend on, beside the network's heads.
    struct State {
        int steps;                                    ///< made so far
        Column<Scalar> weights;                       ///< all parameters, or the factors of updates
        typename training::Adam<Scalar>::State adam;  ///< means of gradients and of their squares
    };
    /// For resume(), of this trainer or another one like it.
    State state() const { return {steps_, updates_ ? factors_ : weights_.values(), adam_.state()}; }
    /// Goes on from a state of this network, to the same bits. Throws std::invalid_argument for one of another size.
    void resume(const State&);

    /// Steps made so far.
    int steps() const { return steps_; }
    /// The parameters after them.
    const Weights<Scalar>& weights() const { return weights_; }

private:
    [[noreturn]] void stop(Divergence, const std::string& what) const;
    template <class Pass>
    BatchOutcome finite(Pass pass) const;
    BatchOutcome gradient(std::span<const Sequence<Scalar>> batch);
    void move(Column<Scalar>& values);

    const Transformer& network_;
    training::Descent descent_;
    int warm_, steps_ = 0;
    Weights<Scalar> weights_;
    std::optional<LowRank<Scalar>> updates_;  // none: the parameters themselves are trained
    Column<Scalar> factors_, held_;           // of updates, and the parameters without them
    training::Adam<Scalar> adam_;
    std::vector<double> rates_;  // of each parameter of the layout; none: the descent's for all
    Workspace<Scalar> work_;
    std::optional<Slicing> slicing_;                  // none: gradients are of whole sequences
    std::unique_ptr<SlicedGradient<Scalar>> sliced_;  // by that
    GradientOf gradient_of_;
    Column<Scalar> gradient_;
};

}  // namespace rfbench::networks

#pragma once
#include <functional>

#include "rfbench/networks/trainer.hpp"

namespace rfbench::networks {

/// The rate of a parameter as a multiple of the descent's: 0 leaves it as it is.
using RateOf = std::function<double(const Parameter&)>;

/// Trains a part of a network's parameters by Adam, with rates of their own, as Trainer trains all. A parameter whose
/// rate is 0 keeps its bits; its gradient does not count for the length to which gradients are shortened.
template <class Scalar>
class PartTrainer {
public:
    /// Throws as training::check and Weights, and std::invalid_argument for a rate that is negative or not finite, and
    /// when every rate is 0. `network` must stay where it is.
    PartTrainer(const Transformer& network, Column<Scalar> start, const training::Descent&, int warm,
                const RateOf& rate_of);

    /// Makes a step by a batch, and returns the mean loss of its targets before the step. Throws std::domain_error, as
    /// Trainer::step does, where it diverges.
    BatchOutcome step(std::span<const Sequence<Scalar>> batch);
    /// Evaluates other sequences with the present parameters. Throws likewise.
    BatchOutcome evaluate(std::span<const Sequence<Scalar>> sequences);

    using State = typename Trainer<Scalar>::State;
    State state() const { return {steps_, weights_.values(), adam_.state()}; }
    /// Goes on from a state of this network, to the same bits. Throws std::invalid_argument for one of another size.
    void resume(const State&);

    int steps() const { return steps_; }
    const Weights<Scalar>& weights() const { return weights_; }

private:
    [[noreturn]] void stop(const std::string& what) const;

    const Transformer& network_;
    training::Descent descent_;
    int warm_, steps_ = 0;
    Weights<Scalar> weights_;
    training::Adam<Scalar> adam_;
    std::vector<double> rates_;  // of each parameter of the layout
    Workspace<Scalar> work_;
    Column<Scalar> gradient_;
};

}  // namespace rfbench::networks

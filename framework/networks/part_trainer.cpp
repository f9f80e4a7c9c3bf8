#include "rfbench/networks/part_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rfbench/errors.hpp"

namespace rfbench::networks {
namespace {

std::vector<double> rates_of(const Layout& layout, const RateOf& rate_of) {
    std::vector<double> rates;
    for (const Parameter& one : layout.all()) {
        rates.push_back(rate_of(one));
        if (!(rates.back() >= 0) || !std::isfinite(rates.back()))
            throw std::invalid_argument("training: the rate of " + one.name + " is " + std::to_string(rates.back()) +
                                        " times the descent's; at least 0 is needed");
    }
    if (std::all_of(rates.begin(), rates.end(), [](double rate) { return rate == 0; }))
        throw std::invalid_argument("training: every parameter has the rate 0");
    return rates;
}

}  // namespace

template <class Scalar>
PartTrainer<Scalar>::PartTrainer(const Transformer& network, Column<Scalar> start, const training::Descent& descent,
                                 int warm, const RateOf& rate_of)
    : network_(network),
      descent_((training::check(descent), descent)),
      warm_(warm),
      weights_(network.layout(), std::move(start), Passes::both),
      adam_(network.layout().size()),
      rates_(rates_of(network.layout(), rate_of)) {}

template <class Scalar>
void PartTrainer<Scalar>::stop(const std::string& what) const {
    throw std::domain_error("training: " + what + " at step " + std::to_string(steps_) + "; a smaller rate may help");
}

template <class Scalar>
BatchOutcome PartTrainer<Scalar>::evaluate(std::span<const Sequence<Scalar>> sequences) {
    try {
        return network_.evaluate<Scalar>(weights_, sequences, work_);
    } catch (const NotFinite& error) {
        stop(error.what());
    }
}

template <class Scalar>
BatchOutcome PartTrainer<Scalar>::step(std::span<const Sequence<Scalar>> batch) {
    BatchOutcome outcome;
    try {
        outcome = network_.gradient<Scalar>(weights_, batch, work_, gradient_);
    } catch (const NotFinite& error) {
        stop(error.what());
    }
    if (!std::isfinite(outcome.loss.sum)) stop("the loss is not finite");
    const auto& all = network_.layout().all();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (rates_[i] == 0) gradient_.segment(all[i].first, all[i].size()).setZero();
    const double length = static_cast<double>(gradient_.norm());
    if (!std::isfinite(length)) stop("the gradient of the loss is not finite");
    if (length > descent_.longest) gradient_ *= static_cast<Scalar>(descent_.longest / length);
    weights_.change([&](Column<Scalar>& values) {
        Column<Scalar> stepped = values;
        adam_.step(gradient_, warmed_rate(descent_, warm_, steps_), stepped);
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto own = values.segment(all[i].first, all[i].size());
            const auto there = stepped.segment(all[i].first, all[i].size());
            // A rate of 1 has the bits of Trainer's step.
            if (rates_[i] == 1)
                own = there;
            else if (rates_[i] != 0)
                own += static_cast<Scalar>(rates_[i]) * (there - own);
        }
    });
    ++steps_;
    return outcome;
}

template <class Scalar>
void PartTrainer<Scalar>::resume(const State& state) {
    if (state.weights.size() != weights_.values().size())
        throw std::invalid_argument("training: a state of " + std::to_string(state.weights.size()) +
                                    " parameters; the network has " + std::to_string(weights_.values().size()));
    adam_.resume(state.adam);
    weights_.change([&](Column<Scalar>& values) { values = state.weights; });
    steps_ = state.steps;
}

template class PartTrainer<float>;
template class PartTrainer<double>;

}  // namespace rfbench::networks

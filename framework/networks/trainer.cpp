#include "rfbench/networks/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/errors.hpp"
#include "rfbench/networks/sliced_gradient.hpp"

namespace rfbench::networks {
namespace {

std::vector<double> rates_of(const Layout& layout, const RateOf& rate_of) {
    std::vector<double> rates;
    if (!rate_of) return rates;
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

double warmup_cosine_rate(const training::Descent& descent, int warm, int step) {
    // From 1 / warm on: a first step at rate 0 would be none.
    const double rising = warm > 0 ? std::min(1.0, static_cast<double>(step + 1) / warm) : 1;
    return rising * training::cosine_rate(descent.rate, step, descent.steps);
}

template <class Scalar>
Trainer<Scalar>::Trainer(const Transformer& network, const Vector& start, const training::Descent& descent, int warm,
                         const RateOf& rate_of)
    : network_(network),
      descent_((training::check(descent), descent)),
      warm_(warm),
      weights_(network.layout(), start.template cast<Scalar>(), Passes::both),
      adam_(start.size()),
      rates_(rates_of(network.layout(), rate_of)) {}

template <class Scalar>
Trainer<Scalar>::Trainer(const Transformer& network, const Vector& start, const training::Descent& descent, int warm,
                         const LowRank<Scalar>& updates, const Stream& stream)
    : network_(network),
      descent_((training::check(descent), descent)),
      warm_(warm),
      weights_(network.layout(), start.template cast<Scalar>(), Passes::both),
      updates_(updates),
      factors_(updates.start(stream)),
      held_(weights_.values()),
      adam_(factors_.size()) {}

template <class Scalar>
void Trainer<Scalar>::stop(Divergence reason, const std::string& what) const {
    throw Diverged(reason, "training: " + what + " at step " + std::to_string(steps_) + "; a smaller rate may help");
}

/// Stops where the loss is not finite. Queries that are not, or too long, are refused by attention: that is how most
/// trainings end that diverge.
template <class Scalar>
template <class Pass>
BatchOutcome Trainer<Scalar>::finite(Pass pass) const {
    try {
        const BatchOutcome outcome = pass();
        if (!std::isfinite(outcome.loss.sum)) stop(Divergence::loss, "the loss is not finite");
        return outcome;
    } catch (const NotFinite& error) {
        stop(Divergence::rows, error.what());
    }
}

template <class Scalar>
BatchOutcome Trainer<Scalar>::evaluate(std::span<const Sequence<Scalar>> sequences) {
    return finite([&] { return network_.evaluate<Scalar>(weights_, sequences, work_); });
}

template <class Scalar>
BatchOutcome Trainer<Scalar>::gradient(std::span<const Sequence<Scalar>> batch) {
    if (gradient_of_) return gradient_of_(weights_, batch, gradient_);
    return sliced_ ? (*sliced_)(weights_, batch, gradient_)
                   : network_.gradient<Scalar>(weights_, batch, work_, gradient_);
}

template <class Scalar>
BatchOutcome Trainer<Scalar>::step(std::span<const Sequence<Scalar>> batch) {
    const BatchOutcome outcome = finite([&] { return gradient(batch); });
    const auto& all = network_.layout().all();
    for (std::size_t i = 0; i < rates_.size(); ++i)
        if (rates_[i] == 0) gradient_.segment(all[i].first, all[i].size()).setZero();
    if (updates_) gradient_ = updates_->gradient(factors_, gradient_);
    const double length = static_cast<double>(gradient_.norm());
    if (!std::isfinite(length))
        stop(Divergence::gradient, gradient_.allFinite() ? "squares of the gradient of the loss are not finite"
                                                         : "the gradient of the loss is not finite");
    if (length > descent_.max_norm) gradient_ *= static_cast<Scalar>(descent_.max_norm / length);
    weights_.change([&](Column<Scalar>& values) { move(values); });
    ++steps_;
    return outcome;
}

/// Makes Adam's step, of each parameter by its rate.
template <class Scalar>
void Trainer<Scalar>::move(Column<Scalar>& values) {
    const double rate = warmup_cosine_rate(descent_, warm_, steps_);
    if (updates_) {
        adam_.step(gradient_, rate, factors_);
        values = held_;
        updates_->add(factors_, values);
        return;
    }
    if (rates_.empty()) {
        adam_.step(gradient_, rate, values);
        return;
    }
    Column<Scalar> stepped = values;
    adam_.step(gradient_, rate, stepped);
    const auto& all = network_.layout().all();
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto own = values.segment(all[i].first, all[i].size());
        const auto there = stepped.segment(all[i].first, all[i].size());
        // A rate of 1 has the bits of the whole step.
        if (rates_[i] == 1)
            own = there;
        else if (rates_[i] != 0)
            own += static_cast<Scalar>(rates_[i]) * (there - own);
    }
}

template <class Scalar>
void Trainer<Scalar>::slice(const std::optional<Slicing>& slicing) {
    // The same slicing again keeps the memory that it has.
    if (slicing == slicing_) return;
    sliced_ = slicing ? std::make_unique<SlicedGradient<Scalar>>(network_, *slicing) : nullptr;
    slicing_ = slicing;
}

template <class Scalar>
void Trainer<Scalar>::resume(const State& state) {
    const Index trained = updates_ ? factors_.size() : weights_.values().size();
    if (state.weights.size() != trained)
        throw std::invalid_argument("training: a state of " + std::to_string(state.weights.size()) +
                                    " parameters; the network has " + std::to_string(trained));
    adam_.resume(state.adam);
    weights_.change([&](Column<Scalar>& values) {
        values = updates_ ? held_ : state.weights;
        if (updates_) updates_->add(factors_ = state.weights, values);
    });
    steps_ = state.steps;
}

template <class Scalar>
Trainer<Scalar>::~Trainer() = default;

template class Trainer<float>;
template class Trainer<double>;

}  // namespace rfbench::networks

#include "rfbench/training/adam.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace rfbench::training {

template <class Scalar>
Adam<Scalar>::Adam(Index size) : state_{Column::Zero(size), Column::Zero(size)} {}

template <class Scalar>
void Adam<Scalar>::step(const Column& gradient, double rate, Column& parameters) {
    constexpr double beta1 = 0.9, beta2 = 0.999;
    constexpr auto epsilon = static_cast<Scalar>(1e-8);
    auto& [mean, square, power1, power2] = state_;
    if (gradient.size() != mean.size() || parameters.size() != mean.size())
        throw std::invalid_argument("Adam: " + std::to_string(parameters.size()) + " parameters and a gradient of " +
                                    std::to_string(gradient.size()) + "; it was made for " +
                                    std::to_string(mean.size()));
    mean = static_cast<Scalar>(beta1) * mean + static_cast<Scalar>(1 - beta1) * gradient;
    square = static_cast<Scalar>(beta2) * square + static_cast<Scalar>(1 - beta2) * gradient.cwiseAbs2();
    power1 *= beta1;
    power2 *= beta2;
    // Bias correction: moving averages that begin at zero are too small by the factor 1 - beta^step. The powers are
    // double for float parameters too: in float, 1 - 0.999 loses three digits.
    const auto own_rate = static_cast<Scalar>(rate / (1 - power1)), free = static_cast<Scalar>(1 - power2);
    parameters.array() -= own_rate * mean.array() / ((square.array() / free).sqrt() + epsilon);
}

template <class Scalar>
void Adam<Scalar>::resume(State state) {
    if (state.mean.size() != state_.mean.size() || state.square.size() != state_.square.size())
        throw std::invalid_argument("Adam: a state of " + std::to_string(state.mean.size()) + " and " +
                                    std::to_string(state.square.size()) + " parameters; it was made for " +
                                    std::to_string(state_.mean.size()));
    state_ = std::move(state);
}

template class Adam<float>;
template class Adam<double>;

double cosine_rate(double rate, int step, int steps) { return 0.5 * rate * (1 + std::cos(M_PI * step / steps)); }

}  // namespace rfbench::training

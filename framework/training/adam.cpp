#include "rfbench/training/adam.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::training {

template <class Scalar>
Adam<Scalar>::Adam(Index size) : mean_(Column::Zero(size)), square_(Column::Zero(size)) {}

template <class Scalar>
void Adam<Scalar>::step(const Column& gradient, double rate, Column& parameters) {
    constexpr double beta1 = 0.9, beta2 = 0.999;
    constexpr auto epsilon = static_cast<Scalar>(1e-8);
    if (gradient.size() != mean_.size() || parameters.size() != mean_.size())
        throw std::invalid_argument("Adam: " + std::to_string(parameters.size()) + " parameters and a gradient of " +
                                    std::to_string(gradient.size()) + "; it was made for " +
                                    std::to_string(mean_.size()));
    mean_ = static_cast<Scalar>(beta1) * mean_ + static_cast<Scalar>(1 - beta1) * gradient;
    square_ = static_cast<Scalar>(beta2) * square_ + static_cast<Scalar>(1 - beta2) * gradient.cwiseAbs2();
    power1_ *= beta1;
    power2_ *= beta2;
    const auto own_rate = static_cast<Scalar>(rate / (1 - power1_)), free = static_cast<Scalar>(1 - power2_);
    parameters.array() -= own_rate * mean_.array() / ((square_.array() / free).sqrt() + epsilon);
}

template class Adam<float>;
template class Adam<double>;

double cosine_rate(double rate, int step, int steps) { return 0.5 * rate * (1 + std::cos(M_PI * step / steps)); }

}  // namespace rfbench::training

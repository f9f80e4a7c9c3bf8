#include "rfbench/training/adam.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::training {

Adam::Adam(Index size) : mean_(Vector::Zero(size)), square_(Vector::Zero(size)) {}

void Adam::step(const Vector& gradient, double rate, Vector& parameters) {
    constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    if (gradient.size() != mean_.size() || parameters.size() != mean_.size())
        throw std::invalid_argument("Adam: " + std::to_string(parameters.size()) + " parameters and a gradient of " +
                                    std::to_string(gradient.size()) + "; it was made for " +
                                    std::to_string(mean_.size()));
    mean_ = beta1 * mean_ + (1 - beta1) * gradient;
    square_ = beta2 * square_ + (1 - beta2) * gradient.cwiseAbs2();
    power1_ *= beta1;
    power2_ *= beta2;
    parameters.array() -= rate / (1 - power1_) * mean_.array() / ((square_.array() / (1 - power2_)).sqrt() + epsilon);
}

double cosine_rate(double rate, int step, int steps) { return 0.5 * rate * (1 + std::cos(M_PI * step / steps)); }

}  // namespace rfbench::training

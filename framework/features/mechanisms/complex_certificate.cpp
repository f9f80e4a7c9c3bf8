#include "rfbench/features/mechanisms/complex_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rfbench::features {
namespace {

constexpr double max_xi = 12;

struct Range {
    double low, high;
};

Range times(double sign, Range range) { return sign > 0 ? range : Range{-range.high, -range.low}; }

/// (t (exp(-xi) - 1) + sqrt((exp(-xi) + 1)^2 + tan(theta)^2)) / 2, which rises with theta, and with xi for t = -1
/// alone.
double min_beta(const ParameterBox& box, double t) {
    const double inverse = std::exp(-(t > 0 ? box.max_xi : box.min_xi));
    return 0.5 * (t * (inverse - 1) + std::hypot(inverse + 1, std::tan(box.min_theta)));
}

/// log of (2 cos(theta) + r + 1 / r) / 4 = exp(2 Re lambda), r = |1 - 8A| = exp(xi) / cos(theta).
Range log_modulus(const ParameterBox& box) {
    const double least = std::exp(box.min_xi) / std::cos(box.min_theta);
    const double largest = box.max_theta < M_PI_2 ? std::exp(box.max_xi) / std::cos(box.max_theta) : HUGE_VAL;
    const auto sum = [](double r) { return r + 1 / r; };
    const double nearest = std::max(least, std::min(1.0, largest));
    const double min_cosine = box.max_theta < M_PI_2 ? std::cos(box.max_theta) : 0;
    return {std::log(0.25 * (2 * min_cosine + sum(nearest))),
            std::log(0.25 * (2 * std::cos(box.min_theta) + std::max(sum(least), sum(largest))))};
}

/// exp(-xi) sin(theta) cos(theta) = Im 1 / (1 - 8A).
Range imaginary_inverse(const ParameterBox& box) {
    const double first = std::sin(2 * box.min_theta), last = std::sin(2 * box.max_theta);
    const bool peak = box.min_theta <= M_PI_4 && box.max_theta >= M_PI_4;
    return {0.5 * std::exp(-box.max_xi) * std::max(0.0, std::min(first, last)),
            0.5 * std::exp(-box.min_xi) * (peak ? 1 : std::max(first, last))};
}

/// theta / 2 - atan(tan(theta) / (1 + exp(-xi))) = Im lambda.
Range imaginary_lambda(const ParameterBox& box) {
    const auto argument = [](double theta, double xi) {
        // The same as the arc tangent above, at theta = pi / 2 too.
        return std::atan2(std::sin(theta), std::cos(theta) * (1 + std::exp(-xi)));
    };
    return {0.5 * box.min_theta - argument(box.max_theta, box.max_xi),
            0.5 * box.max_theta - argument(box.min_theta, box.min_xi)};
}

double min_cosine(Range phase) {
    // An odd multiple of pi within?
    const double next = std::ceil((phase.low / M_PI - 1) / 2) * 2 + 1;
    if (next * M_PI <= phase.high) return -1;
    return std::min(std::cos(phase.low), std::cos(phase.high));
}

}  // namespace

double min_second_moment(const ParameterBox& box, double t, double q, Index d) {
    const double dimension = static_cast<double>(d);
    const double min_w = 1 / std::cos(box.min_theta);
    const double max_w = box.max_theta < M_PI_2 ? 1 / std::cos(box.max_theta) : HUGE_VAL;

    // exp(d mu + q beta): exp(2 mu) is cosh(xi / 2)^2 + exp(xi) tan(theta)^2 / 4.
    const double nearest = std::clamp(0.0, box.min_xi, box.max_xi), tangent = std::tan(box.min_theta);
    const double two_mu =
        std::log(std::pow(std::cosh(0.5 * nearest), 2) + 0.25 * std::exp(box.min_xi) * tangent * tangent);
    const double log_absolute = 0.5 * dimension * two_mu + q * min_beta(box, t);

    const Range modulus = log_modulus(box);
    const Range real =
        times(t, {q * std::exp(-box.max_xi) / (max_w * max_w), q * std::exp(-box.min_xi) / (min_w * min_w)});
    const Range lambda = imaginary_lambda(box);
    const Range inverse = times(t, imaginary_inverse(box));
    const double cosine =
        min_cosine({dimension * lambda.low + q * inverse.low, dimension * lambda.high + q * inverse.high});
    const double size =
        cosine > 0 ? 0.5 * dimension * modulus.low + real.low : 0.5 * dimension * modulus.high + real.high;
    // The first term over the second: by its modulus and phase, or, since its modulus is at most w^(-d/2) of the
    // second, by that.
    const double by_phase = cosine == 0 ? 0 : cosine * std::exp(size - log_absolute);
    const double ratio = std::max(by_phase, -std::pow(min_w, -0.5 * dimension));
    return ratio > -1 ? 0.5 * std::exp(log_absolute) * (1 + ratio) : 0;
}

Certificate certify_least_variance(double t, double q, Index d, double target, std::size_t max_boxes) {
    const double wanted = std::exp(target);
    std::vector<ParameterBox> left{{-max_xi, max_xi, 0, M_PI_2}};
    std::size_t boxes = 0;
    while (!left.empty()) {
        if (++boxes > max_boxes) return {false, boxes};
        const ParameterBox box = left.back();
        left.pop_back();
        if (min_second_moment(box, t, q, d) - 1 >= wanted) continue;
        ParameterBox one = box, other = box;
        const double xi = 0.5 * (box.min_xi + box.max_xi);
        // The phase of the first term changes with theta at a rate of q exp(-xi), and hardly with xi.
        const double stretched = (box.max_theta - box.min_theta) * (1 + q * std::exp(-xi));
        if (box.max_xi - box.min_xi > stretched)
            one.max_xi = other.min_xi = xi;
        else
            one.max_theta = other.min_theta = 0.5 * (box.min_theta + box.max_theta);
        left.push_back(one);
        left.push_back(other);
    }
    return {true, boxes};
}

}  // namespace rfbench::features

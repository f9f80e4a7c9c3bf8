#include "rfbench/theory/learned_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::theory {

double product_lipschitz_lemma_9(const FeatureSize& x, const FeatureSize& y) {
    const double largest = std::max(x.lipschitz, y.lipschitz);
    return std::max(x.sup, y.sup) * largest * largest;
}

double product_lipschitz_proposition_9(const FeatureSize& x, const FeatureSize& y) {
    return std::max(x.sup, y.sup) * std::max(x.lipschitz, y.lipschitz);
}

double product_lipschitz(const FeatureSize& x, const FeatureSize& y) {
    return x.sup * y.lipschitz + y.sup * x.lipschitz;
}

double log_gaussian_concentration(Index count, double error, double lipschitz) {
    const double relative = error / lipschitz;
    return std::log(2.0) - 0.5 * static_cast<double>(count) * relative * relative;
}

double mean_square_39_printed(Index count, double lipschitz) { return lipschitz / static_cast<double>(count); }

double mean_square_proposition_8(Index count, double lipschitz) {
    return lipschitz * lipschitz / static_cast<double>(count);
}

double sub_exponential_exponent(Index count, double error, double scale) {
    const double relative = error / scale;
    return static_cast<double>(count) * std::min(relative * relative, relative);
}

double product_scale_proposition_10(const UnboundedFeature& first, const UnboundedFeature& second) {
    return first.lipschitz * second.lipschitz;
}

double product_scale(const UnboundedFeature& first, const UnboundedFeature& second) {
    return first.lipschitz * second.lipschitz + std::abs(first.mean) * second.lipschitz +
           std::abs(second.mean) * first.lipschitz;
}

double product_norm_proposition_11(const UnboundedFeature& first, const UnboundedFeature& second) {
    return first.lipschitz * second.lipschitz;
}

double product_norm(const UnboundedFeature& first, const UnboundedFeature& second) {
    const auto norm = [](const UnboundedFeature& one) {
        return std::sqrt(8.0 / 3) * one.lipschitz + std::abs(one.mean) / std::sqrt(std::log(2.0));
    };
    return norm(first) * norm(second);
}

double exponent_42_printed(Index count, double error, double lipschitz) {
    return static_cast<double>(count) * std::min(error / (lipschitz * lipschitz), error / lipschitz);
}

namespace {

double square(double value) { return value * value; }

/// B1, (27), at a bound M of psi.
double within(const Parametrization& of, double bound) {
    return square(of.envelope * of.error + bound * of.error + square(of.error));
}

}  // namespace

double parametrization_square_printed(const Parametrization& of) {
    const double bound = of.envelope * of.channel;
    return within(of, bound) + of.envelope * square(of.channel) * of.outside +
           square(of.envelope + of.error) * bound * of.outside;
}

double parametrization_square(const Parametrization& of) {
    return within(of, of.channel) + 2 * square(of.envelope * of.channel) * of.outside +
           2 * square(of.envelope + of.error) * of.channels * square(of.channel) * of.outside;
}

double parametrization_error(double square, double largest_kernel) {
    return 2 * std::sqrt(square * largest_kernel) + square;
}

}  // namespace rfbench::theory

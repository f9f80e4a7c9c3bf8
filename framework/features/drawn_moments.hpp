#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::features {

/// `repeats` independent M-feature estimates K^(x, y) of one pair, over exp(log_unit): in units of K they are within
/// double's range where K itself is not.
std::vector<double> drawn_estimates(const Mechanism&, const Pair&, const sampling::Scheme&, Index count,
                                    std::int64_t repeats, const Stream&, double log_unit = 0);

/// Empirical mean and variance of independent estimates, with their standard errors (that of the variance from the
/// fourth moment).
struct DrawnMoments {
    double mean, mean_error;          ///< and its standard error
    double variance, variance_error;  ///< and its standard error
};
/// Moments of independent estimates of one quantity.
DrawnMoments moments_of(std::span<const double> estimates);

/// The same of `repeats` independent M-feature estimates of one pair.
DrawnMoments drawn_moments(const Mechanism&, const Pair&, const sampling::Scheme&, Index count, std::int64_t repeats,
                           const Stream&);

}  // namespace rfbench::features

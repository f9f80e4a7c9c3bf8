#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::features {

/// `repeats` independent M-feature estimates K^(x, y) of one pair.
std::vector<double> drawn_estimates(const Mechanism&, const Pair&, const sampling::Scheme&, Index count,
                                    std::int64_t repeats, const Stream&);

/// Empirical mean and variance of independent estimates, with their standard errors (that of the variance from the
/// fourth moment).
struct DrawnMoments {
    double mean, mean_error;          ///< and its standard error
    double variance, variance_error;  ///< and its standard error
};
/// Of independent estimates of one quantity.
DrawnMoments moments_of(std::span<const double> estimates);

/// The same of `repeats` independent M-feature estimates of one pair.
DrawnMoments drawn_moments(const Mechanism&, const Pair&, const sampling::Scheme&, Index count, std::int64_t repeats,
                           const Stream&);

}  // namespace rfbench::features

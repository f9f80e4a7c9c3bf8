#pragma once
// The variance of an estimator from draws, where few draws of its own law show nothing of it: exponential features have
// fourth moments of e^(8 |x + y|^2) and more, so that the sample variance of thousands of draws is mostly far too small
// and its standard error with it.
#include <cstdint>
#include <optional>
#include <string>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::features {

/// The normal law N(mean, variance I) of an omega.
struct Tilt {
    Vector mean;      ///< d
    double variance;  ///< of every coordinate
};

/// The law of an omega weighted by the square of its feature f1 f2, in proportion to N(0, I) (f1 f2)^2, where that is
/// normal: positive and optimal-positive (A real). regularized, whose features are those of positive at |omega| =
/// sqrt(d), has the tilt of positive. Nothing for other mechanisms.
std::optional<Tilt> square_tilt(const Mechanism&, const std::string& name, const Pair&);

/// A variance estimated from draws.
struct DrawnVariance {
    double value, error;  ///< and its standard error
};

/// Var K^(x, y) = E (K^ - E K^)^2 of the M-feature estimator by importance sampling: half of the `repeats` draws are
/// the scheme's, the others have one omega, any of them, from the tilt, and all others as the scheme couples them with
/// it. With weights below 2, and features below a multiple of the tilt's density, what is averaged is bounded: its
/// standard error can be estimated. Unbiased; without a tilt all draws are the scheme's.
///
/// The scheme must be one whose blocks are invariant under rotations, with lengths that are independent of all else:
/// iid, orthogonal or simplex. Throws std::invalid_argument for others.
DrawnVariance drawn_variance(const MechanismWithMoments&, const Pair&, const sampling::Scheme&, Index count,
                             std::int64_t repeats, const std::optional<Tilt>&, const Stream&);

}  // namespace rfbench::features

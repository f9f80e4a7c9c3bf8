#pragma once
// Mechanisms of functions that a user brings: NumPy functions of the Python package and of `--plugin`.
#include <functional>
#include <memory>
#include <string>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::features {

/// Features f1 and f2, the law of omega and, where it is known, E Z^2. Immutable; all members may be called from
/// several threads. They throw InputError for what the user's functions give and should not.
class MechanismFunctions {
public:
    virtual ~MechanismFunctions() = default;

    virtual std::string name() const = 0;  ///< for messages
    /// f(omega, x) of rows n x d and omegas d x M, as n x R finite real columns: [Re f1, Im f1] of complex queries,
    /// [Re f2, -Im f2] of complex keys. The factor 1 / M of the mean over draws is not in them.
    virtual Rows<double> features(Side, const Points& rows, const Projections& omega) const = 0;
    /// Quantile function of omega_l; none for N(0, I).
    virtual std::function<double(Index l, double u)> quantile() const = 0;
    /// log E Z^2 of one draw for all pairs of rows, n x n'; called only where it is known.
    virtual Points log_second_moments(const Points& x, const Points& y) const = 0;
};

/// The mechanism of these functions for rows of d numbers.
std::unique_ptr<Mechanism> mechanism_of(std::shared_ptr<const MechanismFunctions>, Index dimension);

/// The same with moments, where E Z^2 is known and E Z = K. Its moments throw InputError where E Z^2 is below K^2 by
/// more than rounding: no variance is negative.
std::unique_ptr<MechanismWithMoments> mechanism_with_moments_of(std::shared_ptr<const MechanismFunctions>,
                                                                Index dimension);

}  // namespace rfbench::features

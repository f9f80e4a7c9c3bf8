#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::dof {

/// Eigenvalues of the integral operator of the softmax kernel exp(x.y / sqrt d) under the law of a sample: those of its
/// Gram matrix divided by J, the number of points. Eigenvalue k is values[k] exp(log_scale).
struct Spectrum {
    Vector values;     ///< J, descending, at most J; those that rounding makes negative are 0
    double log_scale;  ///< a power of e taken out, so that nothing overflows

    /// Degrees of freedom tr S (S + lambda)^-1, S the operator (Nishikawa, Higuchi and Suzuki 2025, section 3.1): at
    /// most J, falling in lambda, and of one value for one law, however many points stand for it. Throws
    /// std::invalid_argument unless lambda is positive and finite.
    double degrees(double lambda) const;

    /// Degrees as in the paper's section 3.2, with the Gram matrix not divided by J: degrees(lambda / J), which grows
    /// with the size of the sample.
    double degrees_undivided(double lambda) const;

    /// The same of lambda = share tr S, whatever the size of tr S: so one share suits heads of all norms.
    double degrees_of_share(double share) const;

    /// log tr S: the mean of exp(|x|^2 / sqrt d).
    double log_trace() const;
};

/// points: J x d, queries and keys alike. O(J^3). Throws std::invalid_argument for no points or entries that are not
/// finite.
Spectrum softmax_spectrum(const PointsView& points);

}  // namespace rfbench::dof

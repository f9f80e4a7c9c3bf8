#include "rfbench/statistics/two_samples.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::statistics {

namespace {

RunningMoments moments_of(const std::vector<double>& values) {
    if (values.empty()) throw std::invalid_argument("welch: a sample has no values");
    RunningMoments moments;
    for (const double value : values) moments.add(value);
    return moments;
}

/// The error is 0, or NaN where something is not finite.
Difference without_spread(double value, double error) { return {value, error, error == 0 && value != 0 ? 0.0 : 1.0}; }

}  // namespace

Difference welch(const std::vector<double>& a, const std::vector<double>& b, double overlap) {
    const RunningMoments in_a = moments_of(a), in_b = moments_of(b);
    const double value = in_a.mean() - in_b.mean();
    if (in_a.count() < 2 || in_b.count() < 2) return {value, std::numeric_limits<double>::quiet_NaN(), 1};
    const double n_a = static_cast<double>(in_a.count()), n_b = static_cast<double>(in_b.count());
    const double square_a = in_a.variance() * (1 / n_a + overlap), square_b = in_b.variance() * (1 / n_b + overlap);
    const double error = std::sqrt(square_a + square_b);
    if (!(error > 0)) return without_spread(value, error);
    // Degrees of freedom by Satterthwaite, as shares so that squares of small errors do not underflow.
    const double share = square_a / (square_a + square_b);
    const double freedom = 1 / (share * share / (n_a - 1) + (1 - share) * (1 - share) / (n_b - 1));
    const boost::math::students_t law(freedom);
    return {value, error, 2 * cdf(complement(law, std::abs(value) / error))};
}

Difference normal_difference(double a, double error_a, double b, double error_b) {
    const double value = a - b, error = std::hypot(error_a, error_b);
    if (!(error > 0)) return without_spread(value, error);
    return {value, error, 2 * cdf(complement(boost::math::normal(), std::abs(value) / error))};
}

Difference share_difference(std::uint64_t successes_a, std::uint64_t trials_a, std::uint64_t successes_b,
                            std::uint64_t trials_b) {
    if (trials_a == 0 || trials_b == 0 || successes_a > trials_a || successes_b > trials_b)
        throw std::invalid_argument("share_difference: there must be trials, and at least as many as successes");
    const double k_a = static_cast<double>(successes_a), n_a = static_cast<double>(trials_a);
    const double k_b = static_cast<double>(successes_b), n_b = static_cast<double>(trials_b);
    const double all = k_a + k_b, pooled = all / (n_a + n_b);
    Difference of{k_a / n_a - k_b / n_b, std::sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b)), 1};
    if (all == 0) return of;
    const boost::math::binomial_distribution<> law(all, n_a / (n_a + n_b));
    const double at_most = cdf(law, k_a), at_least = k_a == 0 ? 1 : cdf(complement(law, k_a - 1));
    of.p = std::min(1.0, 2 * std::min(at_most, at_least));
    return of;
}

}  // namespace rfbench::statistics

#pragma once
// How often something happened, and how sure we are of its probability.
#include <cstdint>

namespace rfbench::statistics {

/// A confidence interval.
struct Interval {
    double low, high;
};

/// The interval of Clopper and Pearson (1934) for a probability after `successes` of `trials`: it covers the truth with
/// a probability of at least `level`, whatever the truth is, and each end alone errs with at most (1 - level) / 2.
/// Exact, by quantiles of beta laws. Throws std::invalid_argument without trials, for more successes than trials, or
/// for a level outside (0, 1).
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level);

/// The interval mean ± half_width of a mean of shares, taken of its log-odds: to first order the same, and within 0 and
/// 1 whatever the half width is. That of a mean of 0 or 1 is the mean. NaN where the half width is. Throws
/// std::invalid_argument for a mean outside [0, 1] or a half width below 0.
Interval interval_of_share(double mean, double half_width);

}  // namespace rfbench::statistics

#pragma once
// How often something happened, and how sure we are of its probability.
#include <cstdint>

namespace rfbench::statistics {

struct Interval {
    double low, high;
};

/// The interval of Clopper and Pearson (1934) for a probability after `successes` of `trials`: it covers the truth with
/// a probability of at least `level`, whatever the truth is, and each end alone errs with at most (1 - level) / 2.
/// Exact, by quantiles of beta laws. Throws std::invalid_argument without trials, for more successes than trials, or
/// for a level outside (0, 1).
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level);

}  // namespace rfbench::statistics

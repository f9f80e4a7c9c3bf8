#pragma once
// Tests whether two independent samples, or two counts, are of one law.
#include <cstdint>
#include <vector>

namespace rfbench::statistics {

/// A difference, its standard error, and the two-sided p-value of its being zero.
struct Difference {
    double value, error, p;
};

/// Mean of a less that of b, whose variances need not be equal (Welch 1947). `overlap` is added to 1/n of each, as for
/// splits that share rows (paired_test.hpp). Fewer than two values in one of them say nothing: p is 1 and the error
/// NaN, as where a value is not finite. Without any spread p is 0 where the means differ. Throws std::invalid_argument
/// for a sample without values.
Difference welch(const std::vector<double>& a, const std::vector<double>& b, double overlap = 0);

/// Two normal values with these standard errors. Without an error p is 0 where they differ; it is 1 for an error NaN.
Difference normal_difference(double a, double error_a, double b, double error_b);

/// Shares of two counts: given their sum, the first is binomial where both have one small probability, and is spread
/// less where that is large, so that p is an upper bound. Throws std::invalid_argument without trials, or for more
/// successes than trials.
Difference share_difference(std::uint64_t successes_a, std::uint64_t trials_a, std::uint64_t successes_b,
                            std::uint64_t trials_b);

}  // namespace rfbench::statistics

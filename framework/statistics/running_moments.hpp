#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace rfbench::statistics {

/// Mean and variance of a stream of numbers without storing it (Welford 1962); two of them merge exactly as if one had
/// seen both streams (Chan, Golub and LeVeque 1983).
class RunningMoments {
public:
    /// One more value.
    void add(double value);
    /// All values of the other, too.
    void merge(const RunningMoments& other);

    /// Number of values so far.
    std::uint64_t count() const { return count_; }
    /// Mean of the values so far; NaN before the first.
    double mean() const { return count_ == 0 ? std::numeric_limits<double>::quiet_NaN() : mean_; }
    /// Unbiased, over count - 1; NaN for fewer than two values.
    double variance() const;
    /// The root of variance().
    double standard_deviation() const;
    /// Standard error of the mean.
    double standard_error() const;

private:
    std::uint64_t count_ = 0;
    double mean_ = 0;
    double sum_of_squares_ = 0;  // about the mean
};

/// Half width of the two-sided confidence interval for a mean, in standard errors: Student's t with count - 1 degrees
/// of freedom. Throws std::invalid_argument for fewer than two values or a level outside (0, 1).
double student_quantile(std::uint64_t count, double level);

/// z such that P(|N(0, 1)| > z for at least one of `tests` independent tests) = error: the bound that keeps the error
/// of a whole family of z-tests at a stated level (Sidak).
double family_wise_quantile(double error, std::uint64_t tests);

}  // namespace rfbench::statistics

#pragma once
// Quantile functions: what coupled uniforms (antithetic, quasi-Monte Carlo) are turned into other laws with.
#include <cstdint>
#include <vector>

namespace rfbench {

/// The x with P(N(0, 1) <= x) = u, for 0 < u < 1: Wichura 1988, algorithm AS 241 (PPND16); relative error about 1e-15.
/// Odd about 1/2: normal_quantile(1 - u) = -normal_quantile(u) exactly. Throws std::invalid_argument outside (0, 1).
double normal_quantile(double u);

/// The largest mean of a Poisson law whose quantiles are found: a table of it has 2.5 million entries, or 40 megabytes.
constexpr double max_poisson_mean = 1e10;

/// poisson_quantile (stream.hpp) for many u and one mean: a table of the distribution function around the mode, made
/// once at a cost of about 25 sqrt(mean) + 40 operations, then a binary search. Probabilities are sums of positive
/// terms from the near end of their tail, so that both tails keep their relative accuracy, about (mean^(1/2) + 10) ulp.
class PoissonQuantile {
public:
    /// Resolves min(u, 1 - u) down to `smallest`. Throws std::invalid_argument unless mean is positive and at most
    /// max_poisson_mean.
    explicit PoissonQuantile(double mean, double smallest = 0x1p-54);

    /// The smallest k with P(X <= k) >= u. Throws std::invalid_argument unless 0 < u < 1.
    std::int64_t operator()(double u) const;

private:
    std::int64_t first_ = 0;     // k of the first entry
    std::vector<double> below_;  // S P(X <= k)
    std::vector<double> above_;  // S P(X > k)
    double total_ = 0;           // S: the sum of the weights, 1 at the mode
};

}  // namespace rfbench

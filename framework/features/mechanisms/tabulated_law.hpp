#pragma once
// Laws on 0, 1, 2, ..., one a coordinate, from a table of weights.
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// p_lk = (1 - m) w_lk / sum_k w_lk + m g_k, w = 0 beyond the table. The small mass m = 2^-43 (1.1e-13) of the law
/// g_k = 1 / (2K) in the table, g_k = (1 - r) r^(k - K) / 2 beyond it, gives every k a positive probability, so that
/// estimates are unbiased for points unlike those the weights came from; it adds at most 1.2e-13 to log E Z^2 a
/// coordinate. A much smaller one could not be drawn from a uniform of 53 bits. r = max(1/2, 1 - 10 / sqrt K) falls
/// more slowly than the squared Poisson weights of the largest point do there, so that their sum over g stays small.
class TabulatedLaw {
public:
    static constexpr double tail_mass = 0x1p-43;

    /// log_weights: a vector of K >= 1 for each coordinate, up to a constant; K may differ.
    explicit TabulatedLaw(const std::vector<Vector>& log_weights);

    /// K of coordinate l.
    Index table_size(Index l) const { return of(l).log_law.size(); }
    double log_probability(Index l, double k) const;
    /// -log(k!) - log(p_lk) / 2
    double log_half_weight(Index l, Index k) const;
    /// P(X_l > k)
    double tail(Index l, Index k) const;
    /// The smallest k with P(X_l <= k) >= u, 0 < u < 1.
    double quantile(Index l, double u) const;
    /// E X_l, d of them.
    std::vector<double> means() const;

private:
    struct Coordinate {
        double log_ratio;                         // log r
        Vector log_law, log_half_weights, tails;  // K each

        explicit Coordinate(const Vector& log_weights);
        double log_smoothing(double k) const;
    };
    const Coordinate& of(Index l) const { return coordinates_[static_cast<std::size_t>(l)]; }

    std::vector<Coordinate> coordinates_;
};

}  // namespace rfbench::features

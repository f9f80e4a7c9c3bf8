#pragma once
// Sufficient statistics of two sets of points, all that a mechanism may look at when it fits its parameters: averages
// over all pairs (x_i, y_j) follow from them without a pass over the pairs
// (Likhosherstov 2022, (6.15), (6.18), (6.20)).
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// Statistics of one set of points, n x d.
struct SetStatistics {
    Index rows = 0;                 ///< n
    Vector mean;                    ///< d
    Vector mean_absolute;           ///< d, mean |x_l|
    Vector minimum;                 ///< d
    Eigen::MatrixXd second_moment;  ///< d x d, mean x x'
    /// d vectors, entry k: log E[Poisson(k; x_l^2)] = log E[exp(-x_l^2) x_l^(2k) / k!], as many as in the other set:
    /// the rest of the sum over k of the root of both sets' product is below 1e-18 of it. Empty when left out.
    std::vector<Vector> log_poisson_moments;

    /// d.
    Index dimension() const { return mean.size(); }
    /// mean |x|^2.
    double mean_square_norm() const;
    /// mean x x' - mean x mean x', d x d.
    Eigen::MatrixXd covariance() const;
};

/// Statistics of two sets of points of the same dimension.
struct Statistics {
    SetStatistics x, y;  ///< of queries, of keys

    Index dimension() const { return x.dimension(); }  ///< d, columns of both sets
    /// mean |x + t y|^2 over all pairs, t = +1 or -1 (6.15).
    double mean_square_sum(double t) const;
    /// mean x_l^2 y_l^2 summed over l (6.18).
    double mean_product_square() const;
    /// mean |x_l y_l|, d (6.20).
    Vector mean_absolute_product() const;
};

/// The Poisson moments take O(d n max|x_l|) where all else takes O(d^2 n): for points of many scales they are left out
/// unless the mechanism wants them (MechanismInfo::poisson_moments).
enum class PoissonMoments { computed, left_out };

/// x and y may be the same points, which are gone through once then. Throws std::invalid_argument naming the set, row
/// and column of a non-finite value, when shapes differ or a set is empty, or for Poisson moments beyond |x_l| = 1e4.
Statistics statistics(const PointsView& x, const PointsView& y, PoissonMoments = PoissonMoments::computed);

}  // namespace rfbench::features

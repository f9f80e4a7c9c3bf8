#pragma once
// Kernel ridge regression (Likhosherstov 2022, 2.1.1; Rahimi and Recht 2007): with the kernel itself
//     f(x) = k(x)' (K + lambda I)^{-1} T,   O(n^3) operations and n^2 numbers for n rows,
// and, the kernel replaced by Phi Phi', as least squares in R features
//     f(x) = phi(x)' (Phi' Phi + lambda I)^{-1} Phi' T,   O(n R^2 + R^3) operations and n R numbers.
// T: n x K, one column for each number to be predicted. Both are the same function of the kernel.
#include <optional>
#include <vector>

#include "rfbench/features/feature_map.hpp"

namespace rfbench::regression {

/// Features as numbers: exp(log_scale[i]) values.row(i). Unlike ratios of scores, a ridge regression does depend on
/// every row's own factor, so none may be dropped; rows that double cannot hold are counted instead.
struct PlainFeatures {
    Points values;   ///< n x R, finite: rows that overflow are set to zero
    Index lost = 0;  ///< rows whose largest feature is below 1e-150 or above 1e150, where squares leave double's range
};
/// See PlainFeatures.
PlainFeatures plain_features(const features::FeatureBlock<double>&);

/// Throws std::invalid_argument when the features of these rows as queries and as keys differ: then P Q' is not a
/// matrix Phi Phi', and there is no ridge regression through them.
void check_symmetric(const features::FeatureMap&, const PointsView& rows);

/// Phi' Phi and Phi' T, for any number of penalties.
class FeatureRidge {
public:
    /// Phi, n x R, and T, n x K.
    FeatureRidge(const PointsView& features, const PointsView& targets);

    /// (Phi' Phi + lambda I)^{-1} Phi' T, R x K, by Cholesky; nothing when the matrix is not positive definite to
    /// rounding.
    std::optional<Eigen::MatrixXd> weights(double lambda) const;

private:
    Eigen::MatrixXd gram_, moments_;
};

/// The exact predictions for the queries, one n' x K result for each lambda, with K(x, y) = exp(-|x - y|^2 / 2);
/// nothing where K + lambda I is not positive definite to rounding. Holds two n x n matrices.
std::vector<std::optional<Points>> kernel_ridge(const PointsView& rows, const PointsView& targets,
                                                const PointsView& queries, const std::vector<double>& lambdas);

}  // namespace rfbench::regression

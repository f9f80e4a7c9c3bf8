#pragma once
#include <memory>

#include "rfbench/features/feature_map.hpp"

namespace rfbench::dof {

/// Positive features of the softmax kernel at given points with given weights:
/// K^(q, k) = (1/M) sum_m alpha_m phi(q; z_m) phi(k; z_m), phi(x; z) = exp(z.x / d^(1/4) - |x|^2 / (2 sqrt d))
/// (Nishikawa, Higuchi and Suzuki 2025, section 3.1). With z from a density p and alpha = N(z; 0, I) / p(z) it is
/// unbiased.
struct WeightedFeatures {
    Projections points;  ///< d x M
    Vector log_weights;  ///< M, log alpha

    /// Columns are phi sqrt(alpha). Throws std::invalid_argument when the numbers of points and weights differ.
    std::unique_ptr<features::FeatureMap> map() const;
};

/// log phi of each row (n x d) at each point: n x M.
Points log_features(const PointsView& rows, const Projections& points);

}  // namespace rfbench::dof

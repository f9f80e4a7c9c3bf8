#include "rfbench/dof/weighted_features.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/features/maps/exponential_map.hpp"

namespace rfbench::dof {

std::unique_ptr<features::FeatureMap> WeightedFeatures::map() const {
    if (points.cols() != log_weights.size())
        throw std::invalid_argument("weighted features: " + std::to_string(points.cols()) + " points and " +
                                    std::to_string(log_weights.size()) + " weights");
    const double scale = std::pow(static_cast<double>(points.rows()), -0.25);
    // Half of log alpha is on either side: the product of both has alpha.
    const features::ExponentialSide side{scale * points, 0.5 * log_weights, {.isotropic = -0.5 * scale * scale}};
    return features::exponential_map(side, side);
}

Points log_features(const PointsView& rows, const Projections& points) {
    const double scale = std::pow(static_cast<double>(points.rows()), -0.25);
    Points logs = rows * (scale * points);
    logs.colwise() -= 0.5 * scale * scale * rows.rowwise().squaredNorm();
    return logs;
}

}  // namespace rfbench::dof

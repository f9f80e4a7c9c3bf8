#include "rfbench/features/mechanisms/discrete_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/features/maps/discrete_map.hpp"
#include "rfbench/features/mechanisms/log_expm1.hpp"
#include "rfbench/theory/log_factorial.hpp"

namespace rfbench::features {
namespace {

/// Rows a tile of pairs: with a thousand columns it stays in the second-level cache.
constexpr Index pair_tile_rows = 128;

/// log R and 2 x.y carry rounding errors of about 1e-14 + 2e-16 of their size; below this their difference is taken
/// coordinate by coordinate.
bool cancelled(double log_ratio, double inner) {
    return !(log_ratio - 2 * inner > 1e-3 + 2e-5 * (log_ratio + 2 * std::abs(inner)));
}

}  // namespace

std::unique_ptr<FeatureMap> DiscreteMechanism::map(const Draw& draw) const {
    // log f is the sum of k log|x_l|, which the map adds, and -(log k! + log p_k) / 2.
    Vector bias = Vector::Zero(draw.omega.cols());
    for (Index m = 0; m < draw.omega.cols(); ++m)
        for (Index l = 0; l < draw.omega.rows(); ++l) {
            const double k = draw.omega(l, m);
            bias[m] -= 0.5 * (theory::log_factorial(k) + log_probability(l, k));
        }
    return discrete_map(draw.omega, bias);
}

Moments DiscreteMechanism::moments(const Pair& pair) const {
    double excess = 0;
    for (Index l = 0; l < pair.dimension; ++l) excess += log_excess(l, pair.x[l], pair.y[l]);
    return {pair.log_kernel(), excess - pair.minus, log_expm1(excess) - pair.minus};
}

void DiscreteMechanism::log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const {
    const Eigen::ArrayXd xx = x.rowwise().squaredNorm();
    const Eigen::ArrayXd yy = y.rowwise().squaredNorm();
    Points inner, log_ratio;
    Eigen::ArrayXd log_variance(y.rows());
    for (Index first = 0; first < x.rows(); first += pair_tile_rows) {
        const Index n = std::min(pair_tile_rows, x.rows() - first);
        log_ratio.resize(n, y.rows());
        // log R - 2 x.y is log(E Z^2 / K^2), for a tile of pairs at once.
        log_ratios(x.middleRows(first, n), y, log_ratio);
        inner.noalias() = x.middleRows(first, n) * y.transpose();
        for (Index i = 0; i < n; ++i) {
            log_variance = log_ratio.row(i) - 2 * inner.row(i);
            log_expm1(log_variance);
            out.row(first + i) = (log_variance - (yy + xx[first + i] - 2 * inner.row(i).array().transpose())).matrix();
            for (Index j = 0; j < y.rows(); ++j)
                if (cancelled(log_ratio(i, j), inner(i, j)))
                    out(first + i, j) = moments(Pair(x.row(first + i).data(), y.row(j).data(), x.cols())).log_variance;
        }
    }
}

}  // namespace rfbench::features

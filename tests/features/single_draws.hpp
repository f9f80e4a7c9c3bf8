#pragma once
// What one draw of a mechanism is, seen from outside: Z for every column of omega, recovered from the drawn feature
// map, and expectations over omega by the trapezoidal rule in one and two dimensions, which is exact to rounding for
// these integrands.
#include <cmath>
#include <cstdint>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::tests {

/// Z(w) / K(x, y) = f1(w, x) f2(w, y) / K for every column w of omega, real part.
inline Vector relative_estimates(const features::Mechanism& mechanism, const Vector& x, const Vector& y,
                                 const Projections& omega) {
    const auto map = mechanism.map({omega, Vector()});
    features::FeatureBlock<double> query, key;
    map->evaluate(features::Side::query, Points(x.transpose()), query);
    map->evaluate(features::Side::key, Points(y.transpose()), key);
    const Index n = omega.cols();
    Vector product = query.values.row(0).cwiseProduct(key.values.row(0)).transpose();
    if (product.size() == 2 * n) product = Vector(product.head(n) + product.tail(n));
    const double log_scale = query.log_scale[0] + key.log_scale[0] + 0.5 * (x - y).squaredNorm();
    return product * (static_cast<double>(n) * std::exp(log_scale));
}

/// Points w of a grid symmetric about 0 over (-reach, reach)^d, d = 1 or 2, and their normal probabilities. Columns i
/// and n - 1 - i are antithetic.
struct NormalGrid {
    Projections omega;
    Vector weight;
};
inline NormalGrid normal_grid(Index d, double reach, Index nodes) {
    const double step = 2 * reach / static_cast<double>(nodes - 1);
    const Vector axis = Vector::LinSpaced(nodes, -reach, reach);
    const Vector density = step / std::sqrt(2 * M_PI) * (-0.5 * axis.array().square()).exp();
    const Index n = d == 1 ? nodes : nodes * nodes;
    NormalGrid grid{Projections(d, n), Vector(n)};
    for (Index i = 0; i < n; ++i) {
        grid.weight[i] = density[i % nodes];
        grid.omega(0, i) = axis[i % nodes];
        if (d == 2) {
            grid.weight[i] *= density[i / nodes];
            grid.omega(1, i) = axis[i / nodes];
        }
    }
    return grid;
}

/// n x d points with independent N(0, scale^2) coordinates.
inline Points normal_points(std::uint64_t seed, Index n, Index d, double scale = 1) {
    Eigen::MatrixXd points(n, d);
    fill_normal(Stream(seed), points);
    return scale * points;
}

}  // namespace rfbench::tests

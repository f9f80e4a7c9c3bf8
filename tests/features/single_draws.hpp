#pragma once
// One draw of a mechanism, seen from outside: Z for every column of omega, recovered from the drawn feature
// map, and expectations over omega by the trapezoidal rule, which is exact to rounding for these integrands: in one and
// two dimensions over a grid, in more coordinate by coordinate.
#include <cmath>
#include <complex>
#include <cstdint>

#include "catch.hpp"
#include "rfbench/features/mechanism.hpp"

namespace rfbench::tests {

/// Z(w) / K(x, y) = f1(w, x) f2(w, y) / K for every column w of omega, before its real part is taken.
inline Eigen::VectorXcd relative_draws(const features::Mechanism& mechanism, const Vector& x, const Vector& y,
                                       const Projections& omega) {
    const auto map = mechanism.map({omega, Vector()});
    features::FeatureBlock<double> query, key;
    map->evaluate(features::Side::query, Points(x.transpose()), query);
    map->evaluate(features::Side::key, Points(y.transpose()), key);
    const Index n = omega.cols();
    // Complex features have their real parts first, then the imaginary ones.
    const auto complex = [n](const auto& row) {
        Eigen::VectorXcd values = row.head(n).transpose().template cast<std::complex<double>>();
        if (row.size() == 2 * n) values.imag() = row.tail(n).transpose();
        return values;
    };
    const double log_scale = query.log_scale[0] + key.log_scale[0] + 0.5 * (x - y).squaredNorm();
    return complex(query.values.row(0)).cwiseProduct(complex(key.values.row(0)).conjugate()) *
           (static_cast<double>(n) * std::exp(log_scale));
}

/// The same, real part: what an estimate is the mean of.
inline Vector relative_estimates(const features::Mechanism& mechanism, const Vector& x, const Vector& y,
                                 const Projections& omega) {
    return relative_draws(mechanism, x, y, omega).real();
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

/// Moments over omega ~ N(0, I_d) of Z / K, the real part of one draw: E Z, E Z^2, E Z(w) Z(-w).
struct DrawMoments {
    double mean, second, antithetic;
};

/// The largest relative difference between Z(w) and its product over coordinates, Z(0) prod_l Z(w_l e_l) / Z(0), over
/// the columns w of omega: rounding where log Z is quadratic in omega without mixed terms.
inline double product_error(const features::Mechanism& mechanism, const Vector& x, const Vector& y,
                            const Projections& omega) {
    const auto z = [&](const Projections& w) { return relative_draws(mechanism, x, y, w); };
    const std::complex<double> origin = z(Projections::Zero(omega.rows(), 1))[0];
    Eigen::VectorXcd product = Eigen::VectorXcd::Constant(omega.cols(), origin);
    for (Index l = 0; l < omega.rows(); ++l) {
        Projections axis = Projections::Zero(omega.rows(), omega.cols());
        axis.row(l) = omega.row(l);
        product = product.cwiseProduct(z(axis) / origin);
    }
    return ((z(omega) - product).array() / product.array()).abs().maxCoeff();
}

/// The moments of such a Z in any dimension: they are products over coordinates too, each factor a sum over `axis`, the
/// grid of one dimension.
inline DrawMoments product_moments(const features::Mechanism& mechanism, const Vector& x, const Vector& y,
                                   const NormalGrid& axis) {
    const Index d = x.size(), n = axis.weight.size();
    const auto z = [&](const Projections& w) { return relative_draws(mechanism, x, y, w); };
    const std::complex<double> origin = z(Projections::Zero(d, 1))[0];
    // Re Z Re Z' = Re (Z Z' + Z conj(Z')) / 2, for Z' = Z(w) and for Z' = Z(-w).
    std::complex<double> mean = origin, same = origin * origin, same_conjugate = std::norm(origin);
    std::complex<double> opposite = same, opposite_conjugate = same_conjugate;
    for (Index l = 0; l < d; ++l) {
        Projections omega = Projections::Zero(d, n);
        omega.row(l) = axis.omega.row(0);
        const Eigen::ArrayXcd ratio = z(omega).array() / origin, reverse = ratio.reverse();
        const auto average = [&](const Eigen::ArrayXcd& values) { return (axis.weight.array() * values).sum(); };
        mean *= average(ratio);
        same *= average(ratio * ratio);
        same_conjugate *= average(ratio * ratio.conjugate());
        opposite *= average(ratio * reverse);
        opposite_conjugate *= average(ratio * reverse.conjugate());
    }
    return {mean.real(), (same + same_conjugate).real() / 2, (opposite + opposite_conjugate).real() / 2};
}

/// The mechanism states the moments that products over coordinates give, relative to the kernel, and Z is such a
/// product at each omega.
inline void check_product_moments(const features::MechanismWithMoments& mechanism, const Vector& x, const Vector& y,
                                  const Projections& omega, const NormalGrid& axis) {
    // d + 1 exponents up to a few dozen, each to a few ulps.
    CHECK(product_error(mechanism, x, y, omega) <= 1e-12);
    const DrawMoments z = product_moments(mechanism, x, y, axis);
    const features::Pair pair(x, y);
    const double square = std::exp(2 * pair.log_kernel());
    CHECK(z.mean == Approx(1).epsilon(1e-12));
    CHECK(std::exp(mechanism.moments(pair).log_second_moment) / square == Approx(z.second).epsilon(1e-12));
    const auto antithetic = mechanism.covariance(pair, sampling::Coupling::antithetic);
    REQUIRE(antithetic.has_value());
    CHECK(std::abs(antithetic->value() / square - (z.antithetic - 1)) <= 1e-12 * z.second);
}

}  // namespace rfbench::tests

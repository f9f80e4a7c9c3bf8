#include "rfbench/sampling/box_discrepancy.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

namespace rfbench::sampling {
namespace {

/// (2 pi)^-1 int_{-b}^{b} exp(-beta^2 / 2) cos(beta w) dbeta.
double embedding(double w, double b) {
    return boost::math::quadrature::gauss<double, 60>::integrate(
               [&](double beta) { return std::exp(-0.5 * beta * beta) * std::cos(beta * w); }, 0.0, b) /
           M_PI;
}

}  // namespace

BoxDiscrepancy box_discrepancy(const Projections& omega, double b) {
    const Index d = omega.rows(), count = omega.cols();
    const double s = static_cast<double>(count);
    // (2 pi)^-1 int exp(-beta^2) over [-b, b]; all products of d factors are over its power.
    const double one = std::sqrt(M_PI) * std::erf(b) / (2 * M_PI);
    double means = 0;
    for (Index j = 0; j < count; ++j) {
        double product = 1;
        for (Index l = 0; l < d; ++l) product *= embedding(omega(l, j), b) / one;
        means += product;
    }
    // sinc_b: the factor of equal points is b / pi.
    double pairs = s * std::pow(b / (M_PI * one), static_cast<double>(d));
    for (Index i = 0; i < count; ++i)
        for (Index j = 0; j < i; ++j) {
            double product = 2;
            for (Index l = 0; l < d; ++l) {
                const double gap = omega(l, i) - omega(l, j);
                product *= (std::abs(gap) < 1e-8 ? b : std::sin(b * gap) / gap) / (M_PI * one);
            }
            pairs += product;
        }
    const double rest = -2 * means / s + pairs / (s * s);
    return {1 + rest, std::pow(2.0, static_cast<double>(d)) + rest};
}

}  // namespace rfbench::sampling

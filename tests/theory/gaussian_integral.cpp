#include "rfbench/theory/gaussian_integral.hpp"

#include <cmath>

#include "catch.hpp"

using namespace rfbench;
using theory::GaussianIntegral;

namespace {

/// E exp(a.z - z'Az/2) by the trapezoidal rule in standard coordinates z = mean + R t, which converges faster than any
/// power of the step.
double by_quadrature(const Eigen::Matrix2d& matrix, const Vector& mean, const Eigen::Matrix2d& root, const Vector& a) {
    const double step = 0.05;
    double sum = 0;
    for (double s = -12; s <= 12; s += step)
        for (double t = -12; t <= 12; t += step) {
            const Vector z = mean + root * Eigen::Vector2d(s, t);
            sum += std::exp(a.dot(z) - 0.5 * z.dot(matrix * z) - 0.5 * (s * s + t * t));
        }
    return sum * step * step / (2 * M_PI);
}

}  // namespace

TEST_CASE("Gaussian integrals equal quadrature, with singular covariances too") {
    const Eigen::Matrix2d matrix{{3, -1}, {-1, 2}};
    const Vector mean{{0.4, -0.7}};
    const Eigen::Matrix2d full{{0.9, 0.0}, {0.5, 0.6}}, line{{0.8, 0.0}, {-0.3, 0.0}}, point = Eigen::Matrix2d::Zero();
    for (const Eigen::Matrix2d& root : {full, line, point}) {
        const GaussianIntegral integral(matrix, mean, root * root.transpose());
        const Projections exponents{{0.0, 1.5, -2.0}, {0.0, 0.3, 1.0}};
        const Vector values = integral(exponents);
        for (Index k = 0; k < 3; ++k)
            CHECK(std::exp(values[k]) == Approx(by_quadrature(matrix, mean, root, exponents.col(k))).epsilon(1e-11));

        const Eigen::MatrixXd sums = integral.of_sums(exponents, exponents);
        for (Index i = 0; i < 3; ++i)
            for (Index j = 0; j < 3; ++j)
                CHECK(sums(i, j) == Approx(integral(exponents.col(i) + exponents.col(j))[0]).margin(1e-13));
    }
}

TEST_CASE("a Gaussian integral with A = 0 is the moment generating function, at any size") {
    const Vector mean{{1, 2, 3}}, a{{100, -50, 20}};
    const Eigen::Matrix3d covariance{{2, 0.5, 0}, {0.5, 1, 0.2}, {0, 0.2, 3}};
    const GaussianIntegral integral(Eigen::Matrix3d::Zero(), mean, covariance);
    CHECK(integral(a)[0] == Approx(a.dot(mean) + 0.5 * a.dot(covariance * a)).epsilon(1e-14));
    CHECK_THROWS_WITH(GaussianIntegral(Eigen::Matrix2d::Zero(), mean, covariance),
                      "Gaussian integral: A, the mean and the covariance differ in dimension");
}

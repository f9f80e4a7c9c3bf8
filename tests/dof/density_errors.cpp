// Errors that the theorems of DoF bound, against plain sums over the points, and the bounds themselves.
#include "rfbench/dof/density_errors.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/dof/operator_error.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "rfbench/dof/spectrum.hpp"

using namespace rfbench;

namespace {

Points law(Index count) {
    Eigen::MatrixXd entries(2, count);
    fill_normal(Stream(3), entries);
    return 0.7 * entries.transpose();
}

}  // namespace

TEST_CASE("density errors are norms of matrices over the points", "[dof]") {
    const Points x = law(7);
    const double lambda = 0.05;
    const auto features = dof::OptimalDensity(x, lambda).draw(40, Stream(5));
    const auto errors = dof::density_errors(x, features, lambda);
    const double root_d = std::sqrt(2.0);
    Eigen::MatrixXd exact(7, 7), estimate(7, 7);
    for (Index i = 0; i < 7; ++i)
        for (Index j = 0; j < 7; ++j) {
            exact(i, j) = std::exp(x.row(i).dot(x.row(j)) / root_d) / 7;
            double sum = 0;
            for (Index m = 0; m < 40; ++m) {
                const Vector z = features.points.col(m);
                sum += std::exp(features.log_weights[m] + (x.row(i) + x.row(j)).dot(z) / std::pow(2, 0.25) -
                                (x.row(i).squaredNorm() + x.row(j).squaredNorm()) / (2 * root_d));
            }
            estimate(i, j) = sum / 40 / 7;
        }
    CHECK(errors.operator_error == Approx(dof::relative_operator_error(x, features, lambda)).epsilon(1e-9));
    CHECK(errors.kernel_square == Approx((exact - estimate).squaredNorm()).epsilon(1e-9));
    CHECK(errors.trace == Approx(estimate.trace()).epsilon(1e-9));
    CHECK(errors.integral_0 == Approx((exact - estimate).jacobiSvd().singularValues()[0]).epsilon(1e-9));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of(exact);
    for (const double alpha : {0.25, 0.5}) {
        const Eigen::MatrixXd power = of.eigenvectors() *
                                      (of.eigenvalues().array() + lambda).pow(-alpha).matrix().asDiagonal() *
                                      of.eigenvectors().transpose();
        CHECK((alpha < 0.3 ? errors.integral_quarter : errors.integral_half) ==
              Approx(((exact - estimate) * power).eval().jacobiSvd().singularValues()[0]).epsilon(1e-9));
    }
    double wrong = 0, whole = 0;
    for (Index i = 0; i < 7; ++i)
        for (Index j = 0; j < 7; ++j) {
            const double a = exact(i, j) / exact.row(i).sum();
            wrong += std::pow(estimate(i, j) / estimate.row(i).sum() - a, 2);
            whole += a * a;
        }
    CHECK(errors.output == Approx(std::sqrt(wrong / whole)).epsilon(1e-9));

    // Proposition 1, for three features, which leave much out: for f = S^(1/2) g the infimum is a ridge regression
    // whose penalty makes |beta|^2 at most 4/M. No g of many has more than the supremum, and the best of them nearly
    // has it.
    const Eigen::MatrixXd root = of.operatorSqrt();
    const auto few = dof::OptimalDensity(x, lambda).draw(3, Stream(6));
    Points phi = dof::log_features(x, few.points);
    phi.rowwise() += 0.5 * few.log_weights.transpose();
    phi = phi.array().exp() / std::sqrt(3.0 * 7);
    const Eigen::MatrixXd of_few = phi * phi.transpose();
    const double supremum = dof::density_errors(x, few, lambda).approximation;
    double largest = 0;
    for (std::uint64_t k = 0; k < 200; ++k) {
        Eigen::MatrixXd g(7, 1);
        fill_normal(Stream(k + 1), g);
        // Late directions are those that few features miss.
        const Vector f =
            root *
            (of.eigenvectors() * (g.col(0).array() * Vector::LinSpaced(7, 1, 0.1).array()).matrix()).normalized();
        double inner = 0;
        for (double log_nu = -14; log_nu < 3; log_nu += 0.1) {
            const double nu = std::exp(log_nu);
            const Eigen::MatrixXd ridged = of_few + nu * Eigen::MatrixXd::Identity(7, 7);
            inner = std::max(inner, nu * f.dot(ridged.ldlt().solve(f)) - 4 * nu);
        }
        largest = std::max(largest, inner);
    }
    CHECK(largest <= supremum * 1.001 + 1e-9);
    CHECK(largest > 0.5 * supremum);
    CHECK(supremum > 1e-3);
}

TEST_CASE("N of the limit density is at least that of the optimal one, and no z of many has more", "[dof]") {
    const Points x = law(7);
    for (const double lambda : {0.3, 0.01}) {
        const double limit = dof::degrees_of_limit_density(x, lambda);
        CHECK(limit >= dof::softmax_spectrum(x).degrees(lambda));
        // log q_lambda / q_inf is the quadratic form's share of it: N(z) = phi' (K + J lambda)^-1 phi / q_inf.
        const dof::OptimalDensity optimal(x, lambda), whole(x, std::numeric_limits<double>::infinity());
        Projections z(2, 500);
        fill_normal(Stream(9), z);
        const Vector ratio = optimal.log_density(3 * z) - whole.log_density(3 * z);
        const double found = dof::softmax_spectrum(x).degrees(lambda) * std::exp(ratio.maxCoeff());
        CHECK(found <= limit * (1 + 1e-3));
        CHECK(found > 0.2 * limit);
    }
}

TEST_CASE("N of the limit density is that of some z, far out too, and not of points that no z leaves alone", "[dof]") {
    // The point between others is never all that is left; of two that are near each other one is, very far out.
    Points line(4, 1);
    line << -0.5, 0, 0.499, 0.5;
    for (const double lambda : {0.3, 0.01}) {
        const dof::OptimalDensity optimal(line, lambda), whole(line, std::numeric_limits<double>::infinity());
        Projections z(1, 2403);
        z.leftCols(2401) = Eigen::RowVectorXd::LinSpaced(2401, -60, 60);
        z.rightCols(2) << -1e5, 1e5;
        const Vector ratio = optimal.log_density(z) - whole.log_density(z);
        const double found = dof::softmax_spectrum(line).degrees(lambda) * std::exp(ratio.maxCoeff());
        CHECK(dof::degrees_of_limit_density(line, lambda) == Approx(found).epsilon(0.02));
    }
}

TEST_CASE("bounds of DoF as they are printed in its appendix", "[dof]") {
    // The t that M allows is the one that asks for M.
    for (const double t : {0.1, 1.0, 2.5})
        CHECK(dof::allowed_error(5, dof::sufficient_features(5, t, 0.1), 0.1) == Approx(t).epsilon(1e-9));
    CHECK(std::isnan(dof::allowed_error(5, 5, 0.1)));
    CHECK(dof::tail_of_lemma_2(5, 1000, 0.5) ==
          Approx(10 * (1 + 24 / std::pow(std::log(101), 2)) * std::exp(-125 / (5 * (1 + 1.0 / 6)))));
    const dof::OperatorSize size{1.4, 0.8};
    CHECK(dof::bound_theorem_6(size, 0.1, 0.5, 0.2) == Approx(0.1 * 0.5 / 0.2 * 7 + 0.25 * 1.12));
    CHECK(dof::bound_theorem_7(size, 0.1, 0.5, 0.25) ==
          Approx(std::sqrt(2.0) * (std::sqrt(0.8) + std::pow(0.1, 0.75)) * 0.5));
    CHECK(dof::bound_theorem_7_sharper(size, 0.1, 0.5, 0.25) == Approx(0.5 * std::pow(0.9, 0.75)));
}

// Decompositions are checked by what they are: factors multiply to the matrix, to rounding, and are of the stated form.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "catch.hpp"
#include "rfbench/decompositions/cholesky.hpp"
#include "rfbench/decompositions/growing_cholesky.hpp"
#include "rfbench/decompositions/pseudo_inverse.hpp"
#include "rfbench/decompositions/singular_values.hpp"
#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;
using namespace rfbench::decompositions;
using Eigen::MatrixXd;

namespace {

MatrixXd normal_matrix(Index rows, Index columns) {
    Stream stream = Stream(7).child(rows).child(columns);
    MatrixXd matrix(rows, columns);
    for (double& entry : matrix.reshaped()) entry = stream.normal();
    return matrix;
}

/// Backward stable factors of n x n matrices lose at most a few n ulps of the largest entry's size (Higham 2002).
double rounding(Index n) { return 16 * static_cast<double>(n) * std::numeric_limits<double>::epsilon(); }

bool orthogonal(const MatrixXd& q) {
    return (q.transpose() * q - MatrixXd::Identity(q.cols(), q.cols())).norm() <= rounding(q.cols());
}

}  // namespace

TEST_CASE("Cholesky: L is lower, L L' is A, and solutions solve") {
    for (const Index n : {1, 2, 7, 65, 200}) {
        const MatrixXd root = normal_matrix(n, n + 3), a = root * root.transpose();
        const Cholesky factor(a);
        REQUIRE(factor.positive_definite());
        const MatrixXd& lower = factor.lower();
        CHECK(lower.isLowerTriangular(0));
        CHECK((lower * lower.transpose() - a).norm() <= rounding(n) * a.norm());
        for (const Index columns : {1, 5}) {
            const MatrixXd b = normal_matrix(n, columns);
            const MatrixXd half = factor.solve_lower(b), whole = factor.solve(b);
            CHECK((lower * half - b).norm() <= rounding(n) * lower.norm() * half.norm());
            CHECK((a * whole - b).norm() <= rounding(n) * a.norm() * whole.norm());
        }
    }
}

TEST_CASE("Cholesky: the upper triangle is not read, and what is not positive definite is told") {
    MatrixXd a{{4, 1e300}, {2, 5}};
    CHECK(Cholesky(a).lower() == MatrixXd{{2, 0}, {1, 2}});
    a(1, 1) = 0.5;
    CHECK_FALSE(Cholesky(a).positive_definite());
}

TEST_CASE("growing Cholesky: solutions solve after rows were added, taken away and added again") {
    const Index n = 120;
    const MatrixXd root = normal_matrix(n, n + 3), a = root * root.transpose();
    GrowingCholesky factor(n);
    const auto append = [&](Index i) { return factor.append(a.col(i).head(i), a(i, i)); };
    const auto check = [&] {
        const Index size = factor.size();
        const MatrixXd own = a.topLeftCorner(size, size);
        const Eigen::VectorXd b = normal_matrix(size, 1), x = factor.solve(b);
        CHECK((own * x - b).norm() <= rounding(size) * own.norm() * x.norm());
        const double pivot = Cholesky(own).lower().diagonal().minCoeff();
        CHECK(std::abs(factor.min_pivot() - pivot) <= rounding(size) * own.norm() / pivot);
    };
    CHECK(factor.min_pivot() == 1);
    for (Index i = 0; i < n; ++i) REQUIRE(append(i));
    check();
    factor.keep(70);
    check();
    for (Index i = 70; i < 90; ++i) REQUIRE(append(i));
    check();
}

TEST_CASE("growing Cholesky: a row that depends on those before it is refused, and adds nothing") {
    GrowingCholesky factor(3);
    REQUIRE(factor.append(Eigen::VectorXd(0), 4));
    CHECK_FALSE(factor.append(Eigen::VectorXd{{2}}, 1));
    CHECK_FALSE(factor.append(Eigen::VectorXd{{2}}, 0.5));
    CHECK(factor.size() == 1);
    CHECK(factor.append(Eigen::VectorXd{{2}}, 5));
    CHECK(factor.min_pivot() == 2);
}

TEST_CASE("the pseudo-inverse is that of Penrose's four conditions, of any rank") {
    for (const auto& [n, m, rank] :
         {std::tuple<Index, Index, Index>{1, 1, 1}, {7, 7, 7}, {9, 5, 5}, {5, 9, 3}, {20, 20, 4}}) {
        const MatrixXd a = normal_matrix(n, rank) * normal_matrix(rank, m);
        const PseudoInverse inverse(a, 1e-12);
        const MatrixXd x = inverse.matrix();
        REQUIRE((x.rows() == m && x.cols() == n));
        // Errors grow with the condition of what is not left out.
        const double lost = rounding(n + m) * (a.norm() * x.norm()) * (a.norm() * x.norm());
        const auto alike = [&](const MatrixXd& left, const MatrixXd& right) {
            return (left - right).norm() <= lost * std::max(left.norm(), right.norm());
        };
        CHECK(alike(a * x * a, a));
        CHECK(alike(x * a * x, x));
        CHECK(alike(a * x, (a * x).transpose()));
        CHECK(alike(x * a, (x * a).transpose()));
        const MatrixXd b = normal_matrix(n, 3);
        CHECK(alike(inverse.times(b), x * b));
    }
}

TEST_CASE("symmetric eigenvalues ascend, and V diag(values) V' is A") {
    for (const Index n : {1, 2, 7, 65}) {
        const MatrixXd half = normal_matrix(n, n), a = half + half.transpose();
        const auto [values, vectors] = symmetric_eigen(a);
        CHECK(orthogonal(vectors));
        CHECK((vectors * values.asDiagonal() * vectors.transpose() - a).norm() <= rounding(n) * a.norm());
        CHECK(std::is_sorted(values.begin(), values.end()));
        CHECK((symmetric_eigenvalues(a) - values).norm() <= rounding(n) * a.norm());
    }
}

TEST_CASE("singular values descend, and U diag(values) V' is A, singular or not") {
    for (const Index n : {1, 2, 7, 65}) {
        MatrixXd a = normal_matrix(n, n);
        for (const bool singular : {false, true}) {
            if (singular) a.col(n / 2).setZero();
            const auto [left, values, right] = singular_values(a);
            CHECK(orthogonal(left));
            CHECK(orthogonal(right));
            CHECK((left * values.asDiagonal() * right.transpose() - a).norm() <= rounding(n) * a.norm());
            CHECK(std::is_sorted(values.begin(), values.end(), std::greater<>()));
            CHECK(values.minCoeff() >= 0);
        }
    }
}

TEST_CASE("small singular values are as accurate as large ones where columns differ in scale") {
    // Their product is that of |det B| and the scales: an error of any of them shows, however small it is.
    for (const Index n : {2, 5, 12}) {
        const MatrixXd b = normal_matrix(n, n);
        MatrixXd a = b;
        double log_scales = 0;
        for (Index j = 0; j < n; ++j) {
            const double scale = std::pow(10.0, -4.0 * static_cast<double>(j));
            a.col(j) *= scale;
            log_scales += std::log(scale);
        }
        const double log_determinant = singular_values(b).values.array().log().sum();
        const double condition = singular_values(b).values[0] / singular_values(b).values[n - 1];
        CHECK(std::abs(singular_values(a).values.array().log().sum() - log_determinant - log_scales) <=
              rounding(n) * static_cast<double>(n) * condition);
    }
    const MatrixXd zero = MatrixXd::Zero(3, 3);
    CHECK(singular_values(zero).values == Eigen::VectorXd::Zero(3));
    CHECK(orthogonal(singular_values(zero).left));
    CHECK_THROWS(singular_values(MatrixXd::Constant(2, 2, std::nan(""))));
    for (const double size : {1e-200, 1e200}) {
        const MatrixXd a = size * normal_matrix(6, 6);
        CHECK(singular_values(a).values[5] / size ==
              Approx(singular_values(normal_matrix(6, 6)).values[5]).epsilon(1e-12));
    }
}

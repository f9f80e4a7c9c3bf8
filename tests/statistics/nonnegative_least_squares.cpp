#include "rfbench/statistics/nonnegative_least_squares.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "support/decompositions.hpp"

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;
using rfbench::statistics::nonnegative_least_squares;
using rfbench::statistics::projected_gradient;

namespace {

/// Numbers in (-1, 1) from a recurrence: the test needs variety, not randomness.
class Numbers {
public:
    explicit Numbers(unsigned seed) : state_(seed) {}
    double operator()() {
        state_ = state_ * 1664525u + 1013904223u;
        return static_cast<double>(state_) / 2147483648.0 - 1;
    }

private:
    unsigned state_;
};

struct Problem {
    MatrixXd h;
    VectorXd b;
    double at(const VectorXd& w) const { return w.dot(h * w) - 2 * b.dot(w); }
};

/// min |A w - y|^2 with A rows x n.
Problem problem(unsigned seed, Index rows, Index n) {
    Numbers next(seed);
    MatrixXd a(rows, n);
    VectorXd y(rows);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < n; ++j) a(i, j) = next();
        y[i] = next();
    }
    return {a.transpose() * a, a.transpose() * y};
}

/// The least value over all sets of coordinates in use whose unconstrained minimum is not negative.
double by_enumeration(const Problem& p) {
    const Index n = p.b.size();
    double least = 0;
    for (unsigned set = 1; set < 1u << n; ++set) {
        std::vector<Index> used;
        for (Index i = 0; i < n; ++i)
            if (set >> i & 1) used.push_back(i);
        const VectorXd part = rfbench::tests::solved(p.h(used, used), p.b(used));
        if ((part.array() < 0).any()) continue;
        VectorXd w = VectorXd::Zero(n);
        w(used) = part;
        least = std::min(least, p.at(w));
    }
    return least;
}

}  // namespace

TEST_CASE("nonnegative least squares finds the minimum of all sets of coordinates in use") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const Problem p = problem(seed, 12, 8);
        const VectorXd w = nonnegative_least_squares(p.h, p.b);
        INFO("seed " << seed << ", w = " << w.transpose());
        CHECK((w.array() >= 0).all());
        CHECK(p.at(w) == Approx(by_enumeration(p)).epsilon(1e-12));
    }
}

TEST_CASE("nonnegative least squares: no gradient along coordinates in use, none downhill along the others") {
    for (const Index n : {1, 5, 40, 120}) {
        const Problem p = problem(7, n + 10, n);
        const VectorXd w = nonnegative_least_squares(p.h, p.b), gradient = p.b - p.h * w;
        // The residual of a Cholesky solution: n ulps of what is summed, times the n of the factor's own.
        const double rounding = static_cast<double>(n * n) * std::numeric_limits<double>::epsilon() *
                                (p.h.cwiseAbs() * w + p.b.cwiseAbs()).maxCoeff();
        for (Index i = 0; i < n; ++i) {
            if (w[i] > 0)
                CHECK(std::abs(gradient[i]) <= rounding);
            else
                CHECK(gradient[i] <= rounding);
        }
    }
}

TEST_CASE("nonnegative least squares: dependent coordinates, zero ones, and nothing to gain") {
    // Twice the same column, and one of zeros: 5 = w_0 + w_1, and it ends.
    const MatrixXd twice{{1, 1, 0}, {1, 1, 0}, {0, 0, 0}};
    const VectorXd w = nonnegative_least_squares(twice, VectorXd{{5, 5, 0}});
    CHECK(w[0] + w[1] == Approx(5).epsilon(1e-15));
    CHECK(w[2] == 0);
    CHECK(nonnegative_least_squares(MatrixXd::Identity(3, 3), VectorXd{{-1, 0, -2}}).isZero(0));
    CHECK(nonnegative_least_squares(MatrixXd(0, 0), VectorXd(0)).size() == 0);

    // Smooth columns, nearly dependent: of rank about a dozen to rounding.
    Problem smooth{MatrixXd(80, 80), VectorXd(80)};
    for (Index i = 0; i < 80; ++i) {
        for (Index j = 0; j < 80; ++j) smooth.h(i, j) = std::exp(-0.001 * static_cast<double>((i - j) * (i - j)));
        smooth.b[i] = std::exp(-0.0005 * static_cast<double>((i - 33) * (i - 33)));
    }
    const VectorXd some = nonnegative_least_squares(smooth.h, smooth.b);
    CHECK(some.allFinite());
    CHECK((some.array() >= 0).all());
    CHECK(((smooth.b - smooth.h * some).array() < 1e-9).all());
}

TEST_CASE("projected gradient steps end at the same minimum and never leave the orthant") {
    const Problem p = problem(3, 60, 20);
    const double least = p.at(nonnegative_least_squares(p.h, p.b));
    const VectorXd start = VectorXd::Ones(20);
    CHECK(projected_gradient(p.h, p.b, start, 0) == start);
    // Beck and Teboulle 2009, Theorem 4.4: f - f* <= 2 L |w_0 - w*|^2 / (k + 1)^2, of half the objective.
    const double l = p.h.cwiseAbs().rowwise().sum().maxCoeff();
    const double far = (start - nonnegative_least_squares(p.h, p.b)).squaredNorm();
    for (const int steps : {1, 10, 100, 3000}) {
        const VectorXd w = projected_gradient(p.h, p.b, start, steps);
        CHECK((w.array() >= 0).all());
        CHECK(p.at(w) >= least - 1e-12 * std::abs(least));
        CHECK(p.at(w) - least <= 4 * l * far / std::pow(steps + 1, 2) + 1e-12 * std::abs(least));
    }
}

TEST_CASE("nonnegative least squares refuses what does not fit or is not finite") {
    const MatrixXd one = MatrixXd::Identity(2, 2);
    CHECK_THROWS_WITH(nonnegative_least_squares(one, VectorXd::Ones(3)),
                      "nonnegative least squares: H is 2 x 2, b has 3 entries");
    CHECK_THROWS_WITH(nonnegative_least_squares(one, VectorXd{{1, NAN}}),
                      "nonnegative least squares: H and b must be finite");
    CHECK_THROWS_AS(projected_gradient(one, VectorXd::Ones(2), VectorXd{{1, -1}}, 3), std::invalid_argument);
}

#include "rfbench/regression/indicator_regression.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::regression;

TEST_CASE("indicator regression: least squares of indicators, in blocks, by its normal equations", "[regression]") {
    Points rows(7, 2);
    rows << 0, 1, 2, 0.5, -1, 3, 4, 1, 0.25, -2, 1, 1, -3, 0;
    const std::vector<int> classes{0, 1, 2, 1, 0, 1, 2};
    IndicatorRegression regression(2, 3);
    regression.add(rows.topRows(3), {0, 1, 2});
    regression.add(rows.bottomRows(4), {1, 0, 1, 2});
    const double ridge = 0.125;
    const Points map = regression.fit(ridge);
    REQUIRE(map.rows() == 3);
    REQUIRE(map.cols() == 3);
    // The gradient of what is least: residuals are orthogonal to the constant, and to columns up to the ridge.
    Points all(7, 3), indicators = Points::Zero(7, 3);
    all << rows, Vector::Ones(7);
    for (Index i = 0; i < 7; ++i) indicators(i, classes[static_cast<std::size_t>(i)]) = 1;
    Points gradient = all.transpose() * (all * map - indicators);
    gradient.topRows(2) += 7 * ridge * map.topRows(2);
    CHECK(gradient.cwiseAbs().maxCoeff() < 1e-12);
    // Indicators sum to one, and so do their fits.
    for (Index i = 0; i < 7; ++i) CHECK((all * map).row(i).sum() == Approx(1).epsilon(1e-12));
}

TEST_CASE("indicator regression: classes that a line parts are told apart, and rows are in whatever unit",
          "[regression]") {
    Points rows(6, 1);
    rows << -3, -2, -1, 1, 2, 3;
    IndicatorRegression regression(1, 2);
    regression.add(rows, {0, 0, 0, 1, 1, 1});
    CHECK(largest_outputs(regression.fit(1e-6), rows) == std::vector<int>{0, 0, 0, 1, 1, 1});
    // Nothing but the constant is left under a ridge without end: the most frequent class.
    IndicatorRegression uneven(1, 2);
    uneven.add(rows, {0, 0, 0, 0, 1, 1});
    CHECK(largest_outputs(uneven.fit(1e12), rows) == std::vector<int>(6, 0));
}

TEST_CASE("indicator regression: what does not fit is refused", "[regression]") {
    IndicatorRegression regression(2, 2);
    CHECK_THROWS_AS(regression.fit(1), std::invalid_argument);
    CHECK_THROWS_AS(regression.add(Points::Zero(1, 3), {0}), std::invalid_argument);
    CHECK_THROWS_AS(regression.add(Points::Zero(1, 2), {0, 1}), std::invalid_argument);
    CHECK_THROWS_AS(regression.add(Points::Zero(1, 2), {2}), std::invalid_argument);
    regression.add(Points::Zero(1, 2), {1});
    CHECK_THROWS_AS(regression.fit(0), std::invalid_argument);
}

#include "rfbench/dof/operator_error.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "catch.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// A feature a point, 2 x / d^(1/4), by whose weight it alone makes the point's own entry c_m times the kernel's; what
/// it adds to entry (i, i) is less by exp(-2 |x_i - x_m|^2 / sqrt d).
dof::WeightedFeatures own_features(const Points& x, const Vector& c) {
    const double root = std::sqrt(static_cast<double>(x.cols()));
    const Projections points = 2 / std::sqrt(root) * x.transpose();
    const Vector log_own = dof::log_features(x, points).diagonal();
    const Vector log_kernel = x.rowwise().squaredNorm() / root;
    return {points, log_kernel - 2 * log_own + (static_cast<double>(x.rows()) * c).array().log().matrix()};
}

}  // namespace

TEST_CASE("errors of operators are found where exp(|x|^2) is beyond double's range") {
    // Points so far apart that K and its estimate are diagonal, and lambda is nothing: the error is the largest |1 -
    // c|.
    const Points x = 60 * normal_points(24, 4, Stream(21), 0.7);
    const Vector c = Vector::LinSpaced(24, 0.25, 1.5);
    const double largest = x.rowwise().squaredNorm().maxCoeff();
    REQUIRE(largest / 2 > 745);
    // Exponents of up to four times this size are rounded.
    CHECK(std::abs(dof::relative_operator_error(x, own_features(x, c), 0.1) - 0.75) <= 16 * epsilon * largest);
}

TEST_CASE("errors of operators fall with lambda, and no faster than 1 / lambda, however they are scaled") {
    // Between these two, lambda exp(-|x|^2 / sqrt d) J leaves exp(-700) .. exp(700): rows have scales of their own.
    for (const auto& [size, side] : {std::pair{14.0, -700.0}, {0.1, 700.0}}) {
        const Points x = normal_points(12, 4, Stream(22), size);
        const double highest = x.rowwise().squaredNorm().maxCoeff() / 2;
        const dof::WeightedFeatures features = own_features(x, Vector::LinSpaced(12, 0.25, 1.5));
        const double log_lambda = highest + side - std::log(12.0);
        CAPTURE(highest, log_lambda);
        REQUIRE(std::abs(log_lambda) < 700);
        const double low = dof::relative_operator_error(x, features, std::exp(log_lambda - 1e-6));
        const double high = dof::relative_operator_error(x, features, std::exp(log_lambda + 1e-6));
        const double rounding = 1 + 64 * epsilon * (highest + 700);
        CHECK(high <= low * rounding);
        CHECK(low <= high * std::exp(2e-6) * rounding);
    }
}

TEST_CASE("a lambda that repeated points need larger is refused") {
    const Points once = normal_points(20, 3, Stream(23), 0.7);
    Points x(40, 3);
    x << once, once;
    const dof::WeightedFeatures features =
        dof::OptimalDensity(x, std::numeric_limits<double>::infinity()).draw(100, Stream(24));
    CHECK(std::isfinite(dof::relative_operator_error(x, features, 0.1)));
    CHECK(contains(refusal<std::invalid_argument>([&] { dof::relative_operator_error(x, features, 1e-17); }),
                   "with lambda = 1e-17 the kernel's matrix plus lambda is singular to rounding"));
}

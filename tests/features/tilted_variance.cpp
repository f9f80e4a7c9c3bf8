// Variances of drawn estimators by importance sampling against the exact ones: intervals that cover as often as they
// say, also where the sample variance of the same number of draws shows nothing.
#include "rfbench/features/tilted_variance.hpp"

#include <fmt/format.h>

#include <cmath>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/drawn_moments.hpp"
#include "rfbench/statistics/proportion.hpp"
#include "rfbench/statistics/running_moments.hpp"

using namespace rfbench;

namespace {

constexpr std::int64_t repeats = 1000;

struct Point {
    double exact;
    features::DrawnVariance drawn;
};

/// x = y (x = -y for trigonometric) at this distance, d coordinates, M = multiple d + 1 draws: the last block is cut.
Point point(const std::string& name, const std::string& scheme_name, Index d, Index multiple, double distance) {
    Vector x = Vector::Zero(d);
    x[0] = 0.5 * distance;
    const Vector y = name == "trigonometric" ? Vector(-x) : x;
    const features::Pair pair(x, y);
    const auto mechanism =
        features::fit_with_moments(features::find(name), features::statistics(x.transpose(), y.transpose()));
    const auto& scheme = sampling::find(scheme_name);
    const Index count = multiple * d + 1;
    const Stream stream = Stream(5)
                              .child(name)
                              .child(scheme_name)
                              .child(static_cast<std::uint64_t>(d))
                              .child(static_cast<std::uint64_t>(multiple))
                              .child(static_cast<std::uint64_t>(1000 * distance));
    const auto tilt = features::square_tilt(*mechanism, name, pair);
    REQUIRE(tilt.has_value() == (name != "trigonometric"));
    return {std::exp(*features::estimator_log_variance(*mechanism, pair, scheme, count)),
            features::drawn_variance(*mechanism, pair, scheme, count, repeats, tilt, stream)};
}

}  // namespace

TEST_CASE("95 % intervals of drawn variances cover exact ones 95 % of the time, up to the heaviest tails",
          "[variance]") {
    const double quantile = statistics::student_quantile(repeats, 0.95);
    constexpr std::uint64_t all = 4 * 3 * 3 * 2 * 6;
    const double farthest = statistics::family_wise_quantile(1e-4, all);  // of all points
    std::uint64_t points = 0, within = 0;
    for (const char* name : {"positive", "optimal-positive", "regularized", "trigonometric"})
        for (const char* scheme : {"iid", "orthogonal", "simplex"})
            for (const Index d : {2, 3, 8})
                for (const Index multiple : {1, 3})
                    for (const double distance : {0.5, 1.0, 1.5, 2.0, 3.0, 4.0}) {
                        const Point at = point(name, scheme, d, multiple, distance);
                        INFO(fmt::format("{}, {}, d = {}, M = {} d + 1, distance {}: {} for {} ± {}", name, scheme, d,
                                         multiple, distance, at.drawn.value, at.exact, at.drawn.error));
                        ++points;
                        within += std::abs(at.drawn.value - at.exact) <= quantile * at.drawn.error;
                        // The interval says something: that there is a variance.
                        CHECK(quantile * at.drawn.error < at.drawn.value);
                        CHECK(std::abs(at.drawn.value - at.exact) < farthest * at.drawn.error);
                    }
    REQUIRE(points == all);
    // The interval of Clopper and Pearson for the coverage, wrong once in a thousand tries.
    const auto coverage = statistics::clopper_pearson(within, points, 0.999);
    INFO(fmt::format("{} of {} within: {} to {}", within, points, coverage.low, coverage.high));
    CHECK(coverage.low <= 0.95);
    CHECK(coverage.high >= 0.95);
}

TEST_CASE("the sample variance of so many draws would not do", "[variance]") {
    // Positive features at |x + y| = 2: its interval misses nearly always, from below.
    Vector x(2);
    x << 1, 0;
    const features::Pair pair(x, x);
    const auto mechanism =
        features::fit_with_moments(features::find("positive"), features::statistics(x.transpose(), x.transpose()));
    const auto& scheme = sampling::find("simplex");
    const double exact = std::exp(*features::estimator_log_variance(*mechanism, pair, scheme, 2));
    int covered = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
        const auto drawn = features::drawn_moments(*mechanism, pair, scheme, 2, repeats, Stream(i));
        covered += std::abs(drawn.variance - exact) <= 1.96 * drawn.variance_error;
    }
    CHECK(covered < 20);
}

TEST_CASE("schemes that are not invariant under rotations are refused a tilt", "[variance]") {
    Vector x(2);
    x << 0.5, 0;
    const features::Pair pair(x, x);
    const auto mechanism =
        features::fit_with_moments(features::find("positive"), features::statistics(x.transpose(), x.transpose()));
    const auto tilt = features::square_tilt(*mechanism, "positive", pair);
    CHECK_THROWS_AS(features::drawn_variance(*mechanism, pair, sampling::find("sobol"), 4, 10, tilt, Stream(1)),
                    std::invalid_argument);
    CHECK_FALSE(features::square_tilt(*mechanism, "trigonometric", pair).has_value());
}

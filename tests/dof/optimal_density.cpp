// Draws of q_inf and q_lambda against what defines them. z-tests at 5 standard errors: with other seeds, correct code
// would fail one of these about once in 10^5 runs.
#include "rfbench/dof/optimal_density.hpp"

#include <limits>

#include "catch.hpp"
#include "rfbench/dof/operator_error.hpp"
#include "rfbench/dof/spectrum.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using statistics::RunningMoments;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void check_mean(const RunningMoments& moments, double expected) {
    CAPTURE(moments.mean(), expected);
    CHECK(std::abs(moments.mean() - expected) < 5 * moments.standard_error());
}

}  // namespace

TEST_CASE("densities have mass one, and their draws are distributed by them") {
    const Points x = normal_points(20, 2, Stream(3), 0.8);
    for (const double lambda : {infinity, 0.5, 0.05}) {
        CAPTURE(lambda);
        const dof::OptimalDensity density(x, lambda);
        Eigen::MatrixXd normal(2, 40000);
        fill_normal(Stream(4), normal);
        RunningMoments mass, inverse, weighted;
        for (const double log : density.log_density(normal)) mass.add(std::exp(log));
        check_mean(mass, 1);
        const dof::WeightedFeatures drawn = density.draw(20000, Stream(5));
        for (Index m = 0; m < 20000; ++m) {
            // E 1/q and E z_1/q under q are those of 1 and z_1 under N(0, I).
            inverse.add(std::exp(drawn.log_weights[m]));
            weighted.add(std::exp(drawn.log_weights[m]) * drawn.points(0, m));
        }
        check_mean(inverse, 1);
        check_mean(weighted, 0);
    }
}

TEST_CASE("weighted features are unbiased for the softmax kernel") {
    const Points x = normal_points(16, 4, Stream(6), 0.7);
    const Points pair = normal_points(2, 4, Stream(7));
    const double kernel = std::exp(pair.row(0).dot(pair.row(1)) / 2);
    for (const double lambda : {infinity, 0.1}) {
        const dof::OptimalDensity density(x, lambda);
        const dof::WeightedFeatures drawn = density.draw(20000, Stream(8));
        const Points logs = dof::log_features(pair, drawn.points);
        RunningMoments moments;
        for (Index m = 0; m < 20000; ++m) moments.add(std::exp(logs(0, m) + logs(1, m) + drawn.log_weights[m]));
        check_mean(moments, kernel);
        // The feature map gives the same estimate.
        features::FeatureBlock<double> q, k;
        const auto map = drawn.map();
        map->evaluate(features::Side::query, pair.topRows(1), q);
        map->evaluate(features::Side::key, pair.bottomRows(1), k);
        const double estimate = std::exp(q.log_scale[0] + k.log_scale[0]) * q.values.row(0).dot(k.values.row(0));
        CHECK(std::abs(estimate / moments.mean() - 1) < 1e-12);
    }
}

TEST_CASE("with q_inf the expected squared error of the kernel is ((tr S)^2 - tr S^2) / M") {
    const Points x = normal_points(12, 3, Stream(9), 0.8);
    const dof::Spectrum spectrum = dof::softmax_spectrum(x);
    const double scale = std::exp(spectrum.log_scale), squares = spectrum.values.squaredNorm() * scale * scale;
    const double trace = spectrum.values.sum() * scale;
    const dof::OptimalDensity density(x, infinity);
    RunningMoments errors;
    for (std::uint64_t draw = 0; draw < 4000; ++draw) {
        const double relative = dof::relative_kernel_error(x, density.draw(8, Stream(10).child(draw)));
        errors.add(relative * relative * squares);
    }
    check_mean(errors, (trace * trace - squares) / 8);
}

TEST_CASE("the share of accepted proposals is lambda N / tr S") {
    const Points x = normal_points(20, 2, Stream(11), 0.8);
    const dof::OptimalDensity limit(x, infinity), density(x, 0.05);
    const dof::WeightedFeatures proposals = limit.draw(20000, Stream(12));
    // q_lambda / q_inf, whose largest value is 1 / acceptance
    const Vector ratios = density.log_density(proposals.points) + proposals.log_weights;
    CHECK(ratios.maxCoeff() <= -std::log(density.acceptance()));
    CHECK(density.acceptance() < 0.5);
    RunningMoments mass;
    for (const double log : ratios) mass.add(std::exp(log));
    check_mean(mass, 1);
}

TEST_CASE(
    "the corrected number of features keeps the operator's error below t; the printed one does not "
    "(erratum 35)") {
    const Points x = normal_points(24, 2, Stream(13), 0.7);
    const double lambda = 0.05, delta = 0.1;
    const double n = dof::softmax_spectrum(x).degrees(lambda);
    const dof::OptimalDensity density(x, lambda);
    const auto enough = static_cast<Index>(std::ceil(dof::sufficient_features(n, 0.1, delta)));
    // They differ by a factor t, so the printed number is seen to fail where t is small.
    const auto printed = static_cast<Index>(std::ceil(dof::sufficient_features_as_printed(n, 0.01, delta)));
    int above = 0, above_printed = 0;
    for (std::uint64_t draw = 0; draw < 10; ++draw) {
        above += dof::relative_operator_error(x, density.draw(enough, Stream(14).child(draw)), lambda) > 0.1;
        above_printed += dof::relative_operator_error(x, density.draw(printed, Stream(15).child(draw)), lambda) > 0.01;
    }
    // Under the bound each draw fails with probability delta at most: 6 of 10 with less than 2 in 10^4.
    CHECK(above < 6);
    CHECK(above_printed >= 6);
}

TEST_CASE("draws depend on the stream and their number alone; what has no density is refused") {
    const Points x = normal_points(10, 3, Stream(16));
    const dof::OptimalDensity density(x, 0.3);
    const dof::WeightedFeatures few = density.draw(5, Stream(17)), many = density.draw(9, Stream(17));
    CHECK((few.points.array() == many.points.leftCols(5).array()).all());
    CHECK(contains(refusal([&] { (void)dof::OptimalDensity(x, 0); }), "must be positive"));
    const std::string small = refusal([&] { (void)dof::OptimalDensity(x, 1e-12); });
    CHECK(contains(small, "with lambda = 1e-12 a share of "));
    CHECK(!contains(small, "0.000000"));
    CHECK(contains(small, " of the proposals would be accepted; take a larger lambda"));
    CHECK(contains(refusal([&] { (void)dof::OptimalDensity(Points(0, 3), 1); }), "no points"));
}

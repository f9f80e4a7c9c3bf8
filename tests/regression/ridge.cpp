// Kernel ridge regression: the two forms are one function, and features approach the kernel.
#include "rfbench/regression/ridge.hpp"

#include <cmath>

#include "catch.hpp"
#include "regression/drawn_map.hpp"
#include "support/decompositions.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::regression;
using namespace rfbench::tests;

namespace {

PlainFeatures of(const features::FeatureMap& map, const Points& rows) {
    features::FeatureBlock<double> block;
    map.evaluate(features::Side::query, rows, block);
    return plain_features(block);
}

}  // namespace

TEST_CASE("Ridge in features is kernel ridge with the features' kernel", "[ridge]") {
    const Points x = normal_points(40, 3, Stream(1), 0.7), queries = normal_points(10, 3, Stream(2), 0.7),
                 targets = normal_points(40, 2, Stream(3), 1);
    const auto map = drawn("optimal-positive", x, 24);
    const Points phi = of(*map, x).values, asked = of(*map, queries).values;
    for (const double lambda : {1e-3, 0.1, 10.0}) {
        const auto weights = FeatureRidge(phi, targets).weights(lambda);
        REQUIRE(weights);
        const Eigen::MatrixXd kernel = phi * phi.transpose() + lambda * Eigen::MatrixXd::Identity(40, 40);
        const Points dual = asked * phi.transpose() * solved(kernel, targets);
        CHECK((asked * *weights - dual).cwiseAbs().maxCoeff() < 1e-8 * (1 + dual.cwiseAbs().maxCoeff()));
    }
}

TEST_CASE("Exact kernel ridge solves its equations", "[ridge]") {
    const Points x = normal_points(30, 2, Stream(4), 1), targets = normal_points(30, 1, Stream(5), 1);
    // At the training rows themselves (K + lambda I) a = T, so f = K a = T - lambda a; a from an independent solver.
    for (const double lambda : {0.01, 1.0}) {
        Eigen::MatrixXd kernel(30, 30);
        for (Index i = 0; i < 30; ++i)
            for (Index j = 0; j < 30; ++j) kernel(i, j) = std::exp(-0.5 * (x.row(i) - x.row(j)).squaredNorm());
        kernel.diagonal().array() += lambda;
        const Points expected = targets - lambda * solved(kernel, targets);
        const auto ours = kernel_ridge(x, targets, x, {lambda})[0];
        REQUIRE(ours);
        CHECK((*ours - expected).cwiseAbs().maxCoeff() < 1e-9);
    }
}

TEST_CASE("Ridge through features approaches exact kernel ridge as M grows", "[ridge]") {
    const Points x = normal_points(60, 2, Stream(6), 0.6), queries = normal_points(30, 2, Stream(7), 0.6);
    const Points targets = x.array().sin().matrix();
    const Points exact = *kernel_ridge(x, targets, queries, {0.5})[0];
    for (const char* name : {"trigonometric", "optimal-positive", "geometric"}) {
        INFO(name);
        std::vector<double> errors;
        for (const Index count : {16, 1024}) {
            double sum = 0;
            for (std::uint64_t seed = 0; seed < 20; ++seed) {
                const auto map = drawn(name, x, count, seed);
                const auto weights = FeatureRidge(of(*map, x).values, targets).weights(0.5);
                REQUIRE(weights);
                sum += (of(*map, queries).values * *weights - exact).squaredNorm();
            }
            errors.push_back(std::sqrt(sum / 20) / exact.norm());
        }
        // Small errors fall as M^{-1/2}, by 8 here; those at M = 16 are not small, for they are at most about one.
        CHECK(errors[1] < errors[0] / 3);
        CHECK(errors[1] < 0.2);
    }
}

TEST_CASE("Features beyond double are counted, not rescaled", "[ridge]") {
    const features::FeatureBlock<double> block{Points{{1, 0.5}, {1, 0.5}, {1, 0.5}, {0, 0}}, Vector{{0, -800, 800, 0}}};
    const PlainFeatures plain = plain_features(block);
    CHECK(plain.lost == 3);
    CHECK(plain.values == Points{{1, 0.5}, {0, 0}, {0, 0}, {0, 0}});
    const features::FeatureBlock<double> scaled{Points{{1, 0.5}}, Vector::Constant(1, std::log(3.0))};
    CHECK(plain_features(scaled).values(0, 1) == Approx(1.5));
}

TEST_CASE("Only features that are the same on both sides serve a ridge regression", "[ridge]") {
    const Points x = normal_points(10, 3, Stream(8), 0.5);
    for (const char* name : {"trigonometric", "positive", "optimal-positive", "poisson", "geometric"})
        CHECK_NOTHROW(check_symmetric(*drawn(name, x, 8), x));
    CHECK_THROWS_AS(check_symmetric(*drawn("hybrid", x, 2), x), std::invalid_argument);
}

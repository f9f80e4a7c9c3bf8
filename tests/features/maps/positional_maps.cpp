#include "rfbench/features/maps/positional_maps.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/features/differentiable_map.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

TEMPLATE_TEST_CASE("turned rows are linear: of zeros they have the gradient of all others", "", double, float) {
    const auto map = retention_map(4, 0.9);
    Rows<TestType> rows = Rows<TestType>::Zero(2, 5);
    rows.row(0).setOnes();
    rows.col(4).setConstant(3);
    FeatureBlock<TestType> block;
    map->evaluate(Side::key, rows, block);
    CHECK(block.vanished == 1);
    // One loss for both: the pullback takes the scales, which it holds, out of the gradient.
    const Points sent = normal_points(1, 4, Stream(1));
    const Rows<TestType> weights = (block.log_scale.array().exp().matrix() * sent).template cast<TestType>();
    Rows<TestType> out;
    map->differentiable()->pullback<TestType>(Side::key, rows, block, weights, out);
    CHECK(out.row(0).norm() > 0);
    // A logarithm, its exponential and four products of two roundings.
    CHECK((out.row(0) - out.row(1)).norm() <= 16 * std::numeric_limits<TestType>::epsilon() * out.row(0).norm());
}

TEMPLATE_TEST_CASE("turned rows of the smallest numbers are not zero", "", double, float) {
    const auto map = retention_map(4, 0.9);
    Rows<TestType> rows = Rows<TestType>::Ones(2, 5);
    rows.row(1).head(4).setConstant(std::numeric_limits<TestType>::denorm_min());
    FeatureBlock<TestType> block;
    map->evaluate(Side::key, rows, block);
    CHECK(block.vanished == 0);
    CHECK(block.values.row(1) == block.values.row(0));
    const auto smallest = static_cast<double>(std::numeric_limits<TestType>::denorm_min());
    CHECK(block.log_scale[1] - block.log_scale[0] == Approx(std::log(smallest)));
}

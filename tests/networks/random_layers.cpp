#include "rfbench/networks/random_layers.hpp"

#include <cmath>
#include <limits>

#include "attention/explicit_softmax.hpp"
#include "attention/sequences.hpp"
#include "catch.hpp"
#include "rfbench/attention/exact.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using networks::NormPlace;
using networks::PlacedAttention;
using networks::RandomLayers;
using networks::RandomLayersShape;
using namespace rfbench::tests;

namespace {

constexpr double gain = 1.5;

Outcome attend(Index, Index, const Inputs<double>& in, Points& out) { return exact(in, Visible::all, out); }

/// A matrix of layer 0 under Stream(3).
Points weights(const char* name, Index rows, Index columns) {
    Eigen::MatrixXd entries(rows, columns);
    fill_normal(Stream(3).child(std::uint64_t(0)).child(name), entries);
    return entries * gain / std::sqrt(static_cast<double>(rows));
}

Points normalised(const Points& x) {
    Points out = x;
    for (Index i = 0; i < x.rows(); ++i) {
        const double mean = x.row(i).mean(), variance = (x.row(i).array() - mean).square().mean();
        out.row(i) = (x.row(i).array() - mean) / std::sqrt(variance);
    }
    return out;
}

}  // namespace

TEST_CASE("a layer is its definition: heads, residuals, layer norms and the feed-forward block") {
    const Index length = 5, hidden = 6, wide = 10;
    const RandomLayers layers({.layers = 1, .heads = 3, .hidden = hidden, .feed_forward = wide}, gain, Stream(3));
    const Points x = normal_points(length, hidden, Stream(1));
    const Points q = x * weights("query", hidden, hidden), k = x * weights("key", hidden, hidden);
    const Points v = x * weights("value", hidden, hidden);
    Points heads(length, hidden);
    for (Index h = 0; h < 3; ++h)
        heads.middleCols(2 * h, 2) =
            softmax_weights(q.middleCols(2 * h, 2), k.middleCols(2 * h, 2), seen(length, length, Visible::all)) *
            v.middleCols(2 * h, 2);
    const auto feed_forward = [&](const Points& y) {
        Points inner = y * weights("widen", hidden, wide);
        for (double& z : inner.reshaped()) z = z * (1 + std::erf(z / std::sqrt(2.0))) / 2;
        return Points(inner * weights("narrow", wide, hidden));
    };
    const Points y = normalised(heads * weights("output", hidden, hidden) + x);
    const Points expected = normalised(feed_forward(y)) + y, meant = normalised(feed_forward(y) + y);

    Outcome outcome;
    const Points out = layers.layer(0, x, attend, outcome);
    // A few hundred operations on numbers of order one, of which layer norms divide by deviations above 0.1.
    CHECK((out - expected).cwiseAbs().maxCoeff() <= 1e4 * std::numeric_limits<double>::epsilon());
    CHECK(outcome.nonpositive == 0);
    const RandomLayers after(
        {.layers = 1, .heads = 3, .hidden = hidden, .feed_forward = wide, .norm = NormPlace::after}, gain, Stream(3));
    CHECK((after.layer(0, x, attend, outcome) - meant).cwiseAbs().maxCoeff() <=
          1e4 * std::numeric_limits<double>::epsilon());
}

TEST_CASE("a layer asks for each head of its own and adds up what became of their rows") {
    const RandomLayers layers({.layers = 2, .heads = 2, .hidden = 4, .feed_forward = 4}, 1, Stream(3));
    std::vector<std::pair<Index, Index>> asked;
    Outcome outcome;
    const auto count = [&](Index layer, Index head, const Inputs<double>& in, Points& out) {
        asked.emplace_back(layer, head);
        attend(layer, head, in, out);
        return Outcome{head + 1};
    };
    layers.layer(1, normal_points(3, 4, Stream(1)), count, outcome);
    CHECK(asked == std::vector<std::pair<Index, Index>>{{1, 0}, {1, 1}});
    CHECK(outcome.nonpositive == 3);
    CHECK(layers.layer(0, Points(0, 4), attend, outcome).rows() == 0);
    // Layers have weights of their own.
    const Points x = normal_points(3, 4, Stream(1));
    CHECK((layers.layer(0, x, attend, outcome).array() != layers.layer(1, x, attend, outcome).array()).all());
}

TEST_CASE("random layers refuse what they cannot do, naming argument and row") {
    const RandomLayersShape shape{.layers = 2, .heads = 2, .hidden = 4, .feed_forward = 4};
    for (const double bad : {std::nan(""), -std::numeric_limits<double>::infinity()})
        CHECK(refusal([&] { RandomLayers(shape, bad, Stream(3)); }) ==
              "layers: gain is " + std::to_string(bad) + "; it must be finite");
    CHECK(refusal([&] { RandomLayers({.heads = 3, .hidden = 4}, 1, Stream(3)); }) ==
          "layers: hidden is 4, which is not a multiple of heads, 3");
    const RandomLayers layers(shape, 1, Stream(3));
    Points x = normal_points(3, 4, Stream(1));
    const auto layer = [&](Index r, const Points& rows, const PlacedAttention& how = attend) {
        return refusal([&] {
            Outcome outcome;
            layers.layer(r, rows, how, outcome);
        });
    };
    CHECK(layer(2, x) == "layers: there is no layer 2; the layers are 0 .. 1");
    CHECK(layer(-1, x) == "layers: there is no layer -1; the layers are 0 .. 1");
    CHECK(layer(0, x.leftCols(3)) == "layers: x is 3 x 3; it must have hidden = 4 columns");
    CHECK(layer(0, Points::Zero(3, 5)) == "layers: x is 3 x 5; it must have hidden = 4 columns");
    CHECK(layer(1, x, [](Index, Index head, const Inputs<double>&, Points& out) {
              out.setZero(3 - head, 2);
              return Outcome();
          }) == "network: attention of head 1 gave 2 x 2; it must give 3 x 2");
    x(2, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(layer(0, x) == "layers: x has nan at row 2, column 1; all entries must be finite");
}

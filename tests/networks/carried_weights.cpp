#include "rfbench/networks/carried_weights.hpp"

#include <cmath>

#include "catch.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/networks/transformer.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;

namespace {

TransformerShape carried_shape(Index layers) {
    TransformerShape s;
    s.vocabulary = s.outputs = 5;
    s.positions = 6;
    s.layers = layers;
    s.heads = 2;
    s.width = 8;
    s.inner = 12;
    return s;
}

/// Heads with parameters in the first layer, softmax in the second.
Heads learned_and_softmax() {
    const std::shared_ptr<const training::HeadAttention> learned = training::learned_attention(
        {.dimension = 4, .projections = 2, .channels = features::network_channels({2, 3, "tanh", "elu+1"})});
    Heads heads{learned, learned};
    for (const auto& one : softmax_heads(2)) heads.push_back(one);
    return heads;
}

Column<float> start_of(const Transformer& network, std::uint64_t seed) {
    return network.start({}, Stream(seed)).cast<float>();
}

Rows<float> outputs(const Transformer& network, const Column<float>& values) {
    const Sequence<float> sequence{{0, 3, 1, 4, 2, 2}};
    return network.outputs(Weights<float>(network.layout(), values, Passes::forward), sequence);
}

/// exp(q.k / sqrt d) for d = 4 by explicit features: in each coordinate terms of the exponential's series, of which
/// those left out are below 1e-19 for |q_i k_i| / 2 up to 1/20.
class SeriesMap final : public features::FeatureMapOf<SeriesMap> {
public:
    static constexpr Index terms = 10;
    Index columns() const override { return terms * terms * terms * terms; }
    template <class Scalar>
    void evaluate_rows(features::Side, const RowsView<Scalar>& rows, features::FeatureBlock<Scalar>& out) const {
        out.values.resize(rows.rows(), columns());
        out.log_scale.setZero(rows.rows());
        out.vanished = 0;
        for (Index i = 0; i < rows.rows(); ++i)
            for (Index r = 0; r < columns(); ++r) {
                double feature = 1;
                for (Index c = 0, left = r; c < 4; ++c, left /= terms) {
                    const auto power = static_cast<double>(left % terms);
                    feature *= std::pow(static_cast<double>(rows(i, c)) / std::sqrt(2.0), power) /
                               std::sqrt(std::tgamma(power + 1));
                }
                out.values(i, r) = static_cast<Scalar>(feature);
            }
    }
};

}  // namespace

TEST_CASE("softmax swapped for the kernel's explicit features is the softmax network") {
    const Heads series(4, training::fixed_attention(std::make_shared<SeriesMap>()));
    const Transformer softmax(carried_shape(2)), swapped(carried_shape(2), series);
    const Column<double> given = softmax.start({.gain = 0.1}, Stream(1));
    const Column<double> there =
        carried(softmax.layout(), given, swapped.layout(), Column<double>(swapped.start({}, Stream(2))));
    const Sequence<double> sequence{{0, 3, 1, 4, 2, 2}};
    const auto outputs_of = [&](const Transformer& network, const Column<double>& values) {
        return network.outputs<double>(Weights<double>(network.layout(), values, Passes::forward), sequence);
    };
    for (const auto& layer : softmax.heads<double>(Weights<double>(softmax.layout(), given, Passes::forward), sequence))
        for (const auto& head : layer)
            REQUIRE(head.queries.cwiseAbs().maxCoeff() * head.keys.cwiseAbs().maxCoeff() < 0.1);
    // 10,000 features a weight, each exact to some roundings: errors of 1e-16 times the root of that, and more of ours.
    CHECK((outputs_of(swapped, there) - outputs_of(softmax, given)).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(outputs_of(softmax, given).cwiseAbs().maxCoeff() > 1e-3);
}

TEST_CASE("weights carried to a network with other heads, and back, change no output") {
    const Transformer softmax(carried_shape(2)), mixed(carried_shape(2), learned_and_softmax());
    // No two values are alike: biases begin as zeros in every network.
    const Column<float> given = Column<float>::LinSpaced(softmax.layout().size(), -0.5F, 0.5F);
    // Heads of the first layer have parameters, which move all parameters after them.
    REQUIRE(mixed.layout().size() > softmax.layout().size());
    const Column<float> there = carried(softmax.layout(), given, mixed.layout(), start_of(mixed, 2));
    const Column<float> back = carried(mixed.layout(), there, softmax.layout(), start_of(softmax, 3));
    CHECK((back.array() == given.array()).all());
    CHECK((outputs(softmax, back).array() == outputs(softmax, given).array()).all());
}

TEST_CASE("what the other network does not have keeps the value it begins with") {
    const Transformer softmax(carried_shape(2)), mixed(carried_shape(2), learned_and_softmax());
    const Column<float> start = start_of(mixed, 2);
    const Column<float> there = carried(softmax.layout(), start_of(softmax, 1), mixed.layout(), start);
    const Parameter& head = mixed.layout().find("h.0.attn.head.1");
    CHECK((there.segment(head.first, head.size()).array() == start.segment(head.first, head.size()).array()).all());
}

TEST_CASE("a parameter that has another shape is not carried, and named") {
    const Transformer one(carried_shape(1));
    TransformerShape other = carried_shape(1);
    other.inner = 16;
    const Transformer wider(other);
    CHECK(tests::refusal<std::invalid_argument>(
              [&] { carried(one.layout(), start_of(one, 1), wider.layout(), start_of(wider, 1)); }) ==
          "network: parameter h.0.mlp.c_fc.weight is 8 x 12 where it is carried from, and 8 x 16 where it is carried "
          "to");
    CHECK(tests::refusal<std::invalid_argument>([&] {
              carried(one.layout(), start_of(wider, 1), wider.layout(), start_of(wider, 1));
          }).starts_with("network: "));
}

#include "rfbench/training/head_attention.hpp"

#include <omp.h>

#include <limits>

#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/training/stateful_head.hpp"
#include "support/gradients.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::training;
using namespace rfbench::tests;
using attention::Gradients;
using attention::Visible;
using features::Envelope;
using features::LearnedMap;
using features::MapShape;
using features::network_channels;

namespace {

/// Queries, keys and values after one another in one vector: 6 x 3, 6 x 3, 6 x 2.
struct FlatTokens {
    Points queries, keys, values;

    explicit FlatTokens(const Vector& all)
        : queries(all.head(18).reshaped<Eigen::RowMajor>(6, 3)),
          keys(all.segment(18, 18).reshaped<Eigen::RowMajor>(6, 3)),
          values(all.tail(12).reshaped<Eigen::RowMajor>(6, 2)) {}
    attention::Inputs<double> inputs() const { return {queries, keys, values}; }
};

Vector flattened(const Gradients<double>& gradients) {
    Vector all(48);
    all << Vector(gradients.queries.reshaped<Eigen::RowMajor>()), Vector(gradients.keys.reshaped<Eigen::RowMajor>()),
        Vector(gradients.values.reshaped<Eigen::RowMajor>());
    return all;
}

void check_head(const HeadAttention& head, const Vector& parameters) {
    const Vector tokens = 0.7 * normal_vector(48, Stream(1));
    const Points weights = normal_points(6, 2, Stream(2));
    for (const Visible visible : {Visible::all, Visible::causal}) {
        const auto loss = [&](const Vector& p, const Vector& x) {
            const FlatTokens given(x);
            return head.forward(p, given.inputs(), visible)->output.cwiseProduct(weights).sum();
        };
        Gradients<double> gradients;
        Vector by_parameters = Vector::Zero(parameters.size());
        const FlatTokens given(tokens);
        head.forward(parameters, given.inputs(), visible)->backward(weights, gradients, by_parameters);
        CHECK(gradients.left_out == 0);
        check_gradient([&](const Vector& x) { return loss(parameters, x); }, tokens, flattened(gradients));
        if (parameters.size() > 0)
            check_gradient([&](const Vector& p) { return loss(p, tokens); }, parameters, by_parameters);
    }
}

}  // namespace

TEST_CASE("gradients through softmax, fixed and learned attention are those of finite differences, causal or not") {
    check_head(*softmax_attention(), {});
    const auto mechanism = features::fit(features::find("positive"), {});
    auto map = std::make_shared<attention::SoftmaxMap>(
        attention::softmax_map(*mechanism, 3, 8, sampling::find("iid"), Stream(3)));
    check_head(*fixed_attention(map), {});
    // Another map for each length, none of which depends on what it is fitted to.
    const auto for_length = [&](const PointsView& queries, const PointsView&) {
        return std::make_shared<attention::SoftmaxMap>(attention::softmax_map(
            *mechanism, 3, 8, sampling::find("iid"), Stream(static_cast<std::uint64_t>(queries.rows()))));
    };
    check_head(*fitted_attention(for_length, map, 2), {});
    for (const Envelope envelope : {Envelope::none, Envelope::token, Envelope::channels}) {
        const MapShape shape{.dimension = 3,
                             .projections = 2,
                             .channels = network_channels({3, 4, "tanh", "exp"}),
                             .envelope = envelope};
        check_head(*learned_attention(shape),
                   shape.start(Stream(4)) + 0.3 * normal_vector(shape.parameters(), Stream(5)));
    }
}

TEST_CASE("softmax attention as a layer is exact attention; a learned layer is linear attention through its map") {
    const Vector tokens = normal_vector(48, Stream(6));
    const MapShape shape{.dimension = 3, .projections = 2, .channels = network_channels({3, 4, "relu", "identity"})};
    const Vector parameters = shape.start(Stream(7));
    for (const Visible visible : {Visible::all, Visible::causal}) {
        Points expected;
        const FlatTokens given(tokens);
        attention::exact<double>(given.inputs(), visible, expected);
        CHECK((softmax_attention()->forward(Vector(), given.inputs(), visible)->output.array() == expected.array())
                  .all());

        const auto layer = learned_attention(shape);
        const auto pass = layer->forward(parameters, given.inputs(), visible);
        const Points& out = pass->output;
        const auto of_map = attention::linear<double>(LearnedMap(shape, parameters), given.inputs(), visible, expected);
        CHECK(pass->outcome.nonpositive == of_map.nonpositive);
        // Both divide the same sums; signed features may cancel, here to a hundredth at most.
        CHECK((out - expected).cwiseAbs().maxCoeff() < 1e-12 * (1 + expected.cwiseAbs().maxCoeff()));
    }
}

TEST_CASE("causal features fitted to prefixes: each section is linear attention through its own map") {
    const auto mechanism = features::fit(features::find("positive"), {});
    const auto drawn = [&](Index seen) {
        return std::make_shared<attention::SoftmaxMap>(
            attention::softmax_map(*mechanism, 3, 8, sampling::find("iid"), Stream(static_cast<std::uint64_t>(seen))));
    };
    const FlatTokens tokens(normal_vector(48, Stream(11)));
    const auto head = fitted_attention(
        [&](const PointsView& queries, const PointsView&) { return drawn(queries.rows()); }, drawn(0), 2);
    const auto pass = head->forward(Vector(), tokens.inputs(), Visible::causal);
    // Sections 0 1 | 2 3 | 4 5, fitted to 0, 2 and 4 tokens.
    for (const Index seen : {0, 2, 4}) {
        Points out;
        attention::linear<double>(*drawn(seen), tokens.inputs(), Visible::causal, out);
        CHECK((pass->output.middleRows(seen, 2) - out.middleRows(seen, 2)).cwiseAbs().maxCoeff() < 1e-14);
    }
}

TEST_CASE("causal features fitted to prefixes: a row counts once, by the features that it is attended with") {
    // One feature, whose sign is that of the coordinate: rows of negative queries have negative denominators, in the
    // first two sections; in the last one, whose feature is the square, none has.
    const auto map = [](const char* name) {
        return std::make_shared<attention::GeneralizedMap>(features::nonlinearity(name), 1);
    };
    Points queries(8, 1), keys = Points::Ones(8, 1), values = Points::Ones(8, 2);
    queries << -1, 1, -1, -1, -1, -1, 1, -1;
    const auto head = fitted_attention(
        [&](const PointsView& before, const PointsView&) { return map(before.rows() < 4 ? "identity" : "square"); },
        map("identity"), 2);
    CHECK(head->forward(Vector(), {queries, keys, values}, Visible::causal)->outcome.nonpositive == 3);
}

TEST_CASE(
    "gradients of exact attention in tiles are those of all weights at once, with the same bits for any threads") {
    // Several tiles, the last of them shorter, keys that are padding.
    const Index length = 250;
    const Points q = normal_points(length, 5, Stream(21)), k = normal_points(length, 5, Stream(22));
    const Points v = normal_points(length, 3, Stream(23)), g = normal_points(length, 3, Stream(24));
    std::vector<unsigned char> kept(static_cast<std::size_t>(length), 1);
    for (std::size_t j = 3; j < kept.size(); j += 7) kept[j] = 0;
    for (const Visible visible : {Visible::all, Visible::causal})
        for (const bool padded : {false, true}) {
            attention::Inputs<double> in{q, k, v};
            if (padded) in.kept = kept;
            // All weights at once.
            Points p = q * k.transpose() / std::sqrt(5.0);
            for (Index i = 0; i < length; ++i) {
                for (Index j = 0; j < length; ++j)
                    if ((visible == Visible::causal && j > i) || !in.keeps(j))
                        p(i, j) = -std::numeric_limits<double>::infinity();
                p.row(i) = (p.row(i).array() - p.row(i).maxCoeff()).exp();
                p.row(i) /= p.row(i).sum();
            }
            const Points by_weights = g * v.transpose();
            Points by_scores = by_weights.colwise() - p.cwiseProduct(by_weights).rowwise().sum();
            by_scores = by_scores.cwiseProduct(p) / std::sqrt(5.0);

            Gradients<double> one;
            for (const int threads : {1, 2, 3}) {
                omp_set_num_threads(threads);
                Gradients<double> to;
                Vector none;
                softmax_attention()->forward(Vector(), in, visible)->backward(g, to, none);
                if (threads == 1) {
                    // Sums of 250 products of numbers below 5 and weights that add up to one.
                    CHECK((to.queries - by_scores * k).cwiseAbs().maxCoeff() < 1e-12);
                    CHECK((to.keys - by_scores.transpose() * q).cwiseAbs().maxCoeff() < 1e-12);
                    CHECK((to.values - p.transpose() * g).cwiseAbs().maxCoeff() < 1e-12);
                    one = to;
                }
                CHECK((to.queries.array() == one.queries.array()).all());
                CHECK((to.keys.array() == one.keys.array()).all());
                CHECK((to.values.array() == one.values.array()).all());
            }
            omp_set_num_threads(omp_get_num_procs());
        }
}

TEST_CASE("an envelope of a query cancels: with keys' gates alike, a token's envelope changes nothing") {
    MapShape gated{.dimension = 3,
                   .projections = 2,
                   .channels = network_channels({3, 4, "tanh", "elu+1"}),
                   .envelope = Envelope::token};
    MapShape plain = gated;
    plain.envelope = Envelope::none;
    const Vector p = plain.start(Stream(8));
    Vector q(gated.parameters());
    // Gates that depend on the first coordinate only, in which all keys are the same.
    q << p.head(8), Vector{{2.0, 0.0, 0.0, -0.5}}, p.tail(p.size() - 8);
    FlatTokens tokens(normal_vector(48, Stream(9)));
    tokens.keys.col(0).setConstant(0.3);
    const Points with = learned_attention(gated)->forward(q, tokens.inputs(), Visible::all)->output;
    const Points without = learned_attention(plain)->forward(p, tokens.inputs(), Visible::all)->output;
    CHECK((with - without).cwiseAbs().maxCoeff() < 1e-13);
}

TEST_CASE("layers refuse NaN, wrong shapes and parameters they do not have") {
    FlatTokens tokens(normal_vector(48, Stream(10)));
    CHECK_THROWS_WITH(softmax_attention()->forward(Vector::Zero(2), tokens.inputs(), Visible::all),
                      "attention: 2 parameters for a method that has none");
    const MapShape shape{.dimension = 3, .projections = 2, .channels = network_channels({3, 4, "relu", "relu"})};
    tokens.keys(2, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(learned_attention(shape)->forward(shape.start(Stream(1)), tokens.inputs(), Visible::all),
                      Catch::Contains("keys have nan at row 2, column 1"));
    CHECK_THROWS_WITH(softmax_attention()->forward(Vector(), tokens.inputs(), Visible::all),
                      Catch::Contains("row 2, column 1"));
}

TEST_CASE("heads that have states give in slices what they give at once, and others have none") {
    const auto mechanism = features::fit(features::find("positive"), {});
    auto map = std::make_shared<attention::SoftmaxMap>(
        attention::softmax_map(*mechanism, 3, 8, sampling::find("iid"), Stream(3)));
    const MapShape shape{.dimension = 3, .projections = 2, .channels = network_channels({3, 4, "tanh", "exp"})};
    const FlatTokens tokens(0.7 * normal_vector(48, Stream(1)));
    const Points sent = normal_points(6, 2, Stream(2));
    const auto cut = [&](Index first) -> attention::Inputs<double> {
        return {tokens.queries.middleRows(first, 3), tokens.keys.middleRows(first, 3),
                tokens.values.middleRows(first, 3)};
    };
    for (const std::shared_ptr<const HeadAttention>& head :
         {std::shared_ptr<const HeadAttention>(fixed_attention(map)), {learned_attention(shape)}}) {
        const Vector parameters = head->start(Stream(4));
        Gradients<double> whole, first, second;
        Vector by_whole = Vector::Zero(parameters.size()), by_slices = by_whole;
        const auto pass = head->forward(parameters, tokens.inputs(), Visible::causal);
        pass->backward(sent, whole, by_whole);

        REQUIRE(head->stateful() != nullptr);
        const StatefulHead& slices = *head->stateful();
        HeadSums sums(slices.features(), 2);
        const HeadSums none = sums;
        const auto before = slices.forward(parameters, cut(0), sums);
        HeadSums later = none;
        later.before = sums.after;
        const auto after = slices.forward(parameters, cut(3), later);
        after->backward(sent.bottomRows(3), second, by_slices);
        sums.later = later.later;
        before->backward(sent.topRows(3), first, by_slices);
        // Six tokens, numbers of order one: what few roundings leave.
        const auto near = [](const auto& a, const auto& b) { return (a - b).norm() <= 1e-13 * (1 + b.norm()); };
        CHECK(near(before->output, pass->output.topRows(3)));
        CHECK(near(after->output, pass->output.bottomRows(3)));
        CHECK(near(first.queries, whole.queries.topRows(3)));
        CHECK(near(first.keys, whole.keys.topRows(3)));
        CHECK(near(first.values, whole.values.topRows(3)));
        CHECK(near(second.keys, whole.keys.bottomRows(3)));
        CHECK(near(by_slices, by_whole));
        // A slice's own sums are what it adds.
        attention::FeatureSums<double> own = slices.sums(parameters, cut(3), 3);
        own.add(sums.after);
        CHECK(own.exponent() == later.after.exponent());
        CHECK(near(own.numerators(), later.after.numerators()));
        CHECK(near(own.denominators(), later.after.denominators()));
    }
    const auto same = [&](const PointsView&, const PointsView&) { return map; };
    for (const std::shared_ptr<const HeadAttention>& head : {std::shared_ptr<const HeadAttention>(softmax_attention()),
                                                             {fitted_attention(same, map, 2)},
                                                             {fixed_attention(map)->masked({{6}, false})}})
        CHECK(head->stateful() == nullptr);
}

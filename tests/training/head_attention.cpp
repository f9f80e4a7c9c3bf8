#include "rfbench/training/head_attention.hpp"

#include <limits>

#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
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
struct Tokens {
    Points queries, keys, values;

    explicit Tokens(const Vector& all)
        : queries(all.head(18).reshaped<Eigen::RowMajor>(6, 3)),
          keys(all.segment(18, 18).reshaped<Eigen::RowMajor>(6, 3)),
          values(all.tail(12).reshaped<Eigen::RowMajor>(6, 2)) {}
    attention::Inputs<double> inputs() const { return {queries, keys, values}; }
};

Vector flat(const Gradients<double>& gradients) {
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
            Points out;
            head.forward(p, Tokens(x).inputs(), visible, out);
            return out.cwiseProduct(weights).sum();
        };
        Gradients<double> gradients;
        Vector by_parameters = Vector::Zero(parameters.size());
        head.backward(parameters, Tokens(tokens).inputs(), visible, weights, gradients, by_parameters);
        CHECK(gradients.left_out == 0);
        check_gradient([&](const Vector& x) { return loss(parameters, x); }, tokens, flat(gradients));
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
    check_head(*fixed_attention([map](const auto&) { return map; }), {});
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
        Points out, expected;
        softmax_attention()->forward({}, Tokens(tokens).inputs(), visible, out);
        attention::exact<double>(Tokens(tokens).inputs(), visible, expected);
        CHECK((out - expected).cwiseAbs().maxCoeff() < 1e-14);

        const auto of_layer = learned_attention(shape)->forward(parameters, Tokens(tokens).inputs(), visible, out);
        const auto of_map =
            attention::linear<double>(LearnedMap(shape, parameters), Tokens(tokens).inputs(), visible, expected);
        CHECK(of_layer.nonpositive == of_map.nonpositive);
        // Both divide the same sums; signed features may cancel, here to a hundredth at most.
        CHECK((out - expected).cwiseAbs().maxCoeff() < 1e-12 * (1 + expected.cwiseAbs().maxCoeff()));
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
    Tokens tokens(normal_vector(48, Stream(9)));
    tokens.keys.col(0).setConstant(0.3);
    Points with, without;
    learned_attention(gated)->forward(q, tokens.inputs(), Visible::all, with);
    learned_attention(plain)->forward(p, tokens.inputs(), Visible::all, without);
    CHECK((with - without).cwiseAbs().maxCoeff() < 1e-13);
}

TEST_CASE("layers refuse NaN, wrong shapes and parameters they do not have") {
    Tokens tokens(normal_vector(48, Stream(10)));
    Points out;
    CHECK_THROWS_WITH(softmax_attention()->forward(Vector::Zero(2), tokens.inputs(), Visible::all, out),
                      "attention: 2 parameters for a method that has none");
    const MapShape shape{.dimension = 3, .projections = 2, .channels = network_channels({3, 4, "relu", "relu"})};
    tokens.keys(2, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(learned_attention(shape)->forward(shape.start(Stream(1)), tokens.inputs(), Visible::all, out),
                      Catch::Contains("keys have nan at row 2, column 1"));
    CHECK_THROWS_WITH(softmax_attention()->forward({}, tokens.inputs(), Visible::all, out),
                      Catch::Contains("row 2, column 1"));
}

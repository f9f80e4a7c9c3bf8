#include "rfbench/training/masked_head.hpp"

#include "rfbench/attention/masked_exact.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "support/gradients.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::training;
using namespace rfbench::tests;
using attention::ToeplitzMask;
using attention::Visible;

namespace {

/// 7 tokens: queries, keys 7 x 3 and values 7 x 2.
struct MaskedTokens {
    Points queries = 0.7 * normal_points(7, 3, Stream(1)), keys = 0.7 * normal_points(7, 3, Stream(2));
    Points values = normal_points(7, 2, Stream(3));
    attention::Inputs<double> inputs() const { return {queries, keys, values}; }
};

std::shared_ptr<const features::FeatureMap> drawn() {
    const auto mechanism = features::fit(features::find("positive"), {});
    return std::make_shared<attention::SoftmaxMap>(
        attention::softmax_map(*mechanism, 3, 8, sampling::find("iid"), Stream(4)));
}

/// Fitted to the queries and keys at hand.
std::shared_ptr<const features::FeatureMap> fitted(const PointsView& queries, const PointsView& keys) {
    const auto mechanism =
        features::fit(features::find("optimal-positive"), attention::softmax_statistics(queries, keys));
    return std::make_shared<attention::SoftmaxMap>(
        attention::softmax_map(*mechanism, 3, 8, sampling::find("iid"), Stream(5)));
}

const MaskGrid with_class_token{{2, 3}, true};

}  // namespace

TEST_CASE(
    "masks that are learned: gradients of their numbers, the class token's too, are those of finite differences") {
    const MaskedTokens tokens;
    const Points weights = normal_points(7, 2, Stream(6));
    const auto check = [&](const HeadAttention& head, Visible visible, bool held) {
        Vector parameters = head.start(Stream(7)) + 0.3 * normal_vector(head.parameters(), Stream(8));
        parameters[2] *= -1;  // |z| falls as z rises
        const auto pass = head.forward(parameters, tokens.inputs(), visible);
        attention::Gradients<double> gradients;
        Vector by_parameters = Vector::Zero(parameters.size());
        pass->backward(weights, gradients, by_parameters);
        check_gradient(
            [&](const Vector& z) {
                return head.forward(z, tokens.inputs(), visible)->output.cwiseProduct(weights).sum();
            },
            parameters, by_parameters);
        const auto of_values = [&](const Vector& x) {
            const Points values = x.reshaped<Eigen::RowMajor>(7, 2);
            return head.forward(parameters, {tokens.queries, tokens.keys, values}, visible)
                ->output.cwiseProduct(weights)
                .sum();
        };
        check_gradient(of_values, tokens.values.reshaped<Eigen::RowMajor>(),
                       gradients.values.reshaped<Eigen::RowMajor>());
        if (held) return;  // what is fitted to queries is held fixed
        const auto of_queries = [&](const Vector& x) {
            const Points queries = x.reshaped<Eigen::RowMajor>(7, 3);
            return head.forward(parameters, {queries, tokens.keys, tokens.values}, visible)
                ->output.cwiseProduct(weights)
                .sum();
        };
        check_gradient(of_queries, tokens.queries.reshaped<Eigen::RowMajor>(),
                       gradients.queries.reshaped<Eigen::RowMajor>());
    };
    CHECK(softmax_attention()->masked(with_class_token)->parameters() == 3 * 5 + 1);
    check(*softmax_attention()->masked(with_class_token), Visible::all, false);
    check(*fixed_attention(drawn())->masked(with_class_token), Visible::all, false);
    check(*fitted_attention(fitted, drawn())->masked(with_class_token), Visible::all, true);
    // Causal masks have hidden numbers, which change nothing.
    check(*softmax_attention()->masked({{7}}), Visible::causal, false);
    check(*fixed_attention(drawn())->masked({{7}}), Visible::causal, false);
}

TEST_CASE("a mask that is learned begins as one of ones, and is |z| of its offsets then") {
    const MaskedTokens tokens;
    for (const bool softmax : {true, false}) {
        const auto base = softmax ? softmax_attention() : fixed_attention(drawn());
        const auto head = base->masked(with_class_token);
        const Vector start = head->start(Stream(1));
        const Points plain = base->forward(Vector(), tokens.inputs(), Visible::all)->output;
        // A mean over 7 tokens, by sums in another order.
        CHECK((head->forward(start, tokens.inputs(), Visible::all)->output - plain).cwiseAbs().maxCoeff() < 1e-13);
        const Vector z = normal_vector(16, Stream(9));
        Points expected;
        const ToeplitzMask mask({2, 3}, true, z.cwiseAbs());
        if (softmax)
            attention::masked_exact<double>(mask, tokens.inputs(), expected);
        else
            attention::masked<double>(*drawn(), mask, tokens.inputs(), expected);
        CHECK(head->forward(z, tokens.inputs(), Visible::all)->output == expected);
    }
    CHECK(learned_attention(
              {.dimension = 3, .projections = 2, .channels = features::network_channels({3, 4, "tanh", "exp"})})
              ->masked(with_class_token) == nullptr);
}

TEST_CASE("masks that are learned refuse what does not fit") {
    const MaskedTokens tokens;
    const auto head = softmax_attention()->masked(with_class_token);
    const auto said = [&](const HeadAttention& of, const Vector& z, Visible visible) {
        return refusal([&] { of.forward(z, tokens.inputs(), visible); });
    };
    CHECK(contains(said(*head, Vector::Ones(15), Visible::all), "15 parameters for a mask that is made of 16"));
    CHECK(contains(said(*head, Vector::Constant(16, std::nan("")), Visible::all), "must be finite"));
    CHECK(contains(said(*head, Vector::Ones(16), Visible::causal), "a class token"));
    CHECK(contains(said(*softmax_attention()->masked({{2, 4}}), Vector::Ones(21), Visible::all),
                   "the mask is for 8 tokens, given 7"));
    CHECK(contains(said(*fitted_attention(fitted, drawn())->masked({{7}}), Vector::Ones(13), Visible::causal),
                   "features that are fitted take no causal mask"));
}

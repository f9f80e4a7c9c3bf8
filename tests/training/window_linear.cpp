#include "rfbench/training/window_linear.hpp"

#include "catch.hpp"
#include "rfbench/features/maps/affine_features.hpp"
#include "rfbench/training/linear_head.hpp"
#include "rfbench/training/matching.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::training;
using namespace rfbench::tests;
using attention::Visible;

namespace {

constexpr Index size = 4, tokens = 11, window = 4;

struct WindowTokens {
    Points queries = normal_points(tokens, size, Stream(1)), keys = normal_points(tokens, size, Stream(2)),
           values = normal_points(tokens, 3, Stream(3));

    attention::Inputs<double> inputs() const { return {queries, keys, values}; }
};

std::shared_ptr<const features::MapFamily> window_maps() {
    return features::hedgehog_maps(size, 6, features::FeatureSum::free);
}

Vector window_parameters(const HeadAttention& head) {
    return head.start(Stream(4)) + 0.3 * normal_vector(head.parameters(), Stream(5));
}

/// The definition, pair by pair.
Points by_pairs(const WindowTokens& given, const Vector& parameters, bool with_window, bool with_features) {
    features::FeatureBlock<double> queries, keys;
    const auto map = window_maps()->map(parameters.tail(parameters.size() - 1));
    map->evaluate(features::Side::query, RowsView<double>(given.queries), queries);
    map->evaluate(features::Side::key, RowsView<double>(given.keys), keys);
    const double gate = 1 / (1 + std::exp(-parameters[0]));
    Points out(tokens, given.values.cols());
    for (Index i = 0; i < tokens; ++i) {
        const Index begin = i - i % window;
        double high = -std::numeric_limits<double>::infinity();
        for (Index j = begin; j <= i; ++j) high = std::max(high, given.queries.row(i).dot(given.keys.row(j)) / 2);
        Vector sum = Vector::Zero(given.values.cols());
        double weights = 0;
        for (Index j = 0; j <= i; ++j) {
            double weight = 0;
            if (with_window && j >= begin)
                weight = gate * std::exp(given.queries.row(i).dot(given.keys.row(j)) / 2 - high);
            else if (with_features)
                weight =
                    std::exp(queries.log_scale[i] + keys.log_scale[j]) * queries.values.row(i).dot(keys.values.row(j));
            sum += weight * given.values.row(j).transpose();
            weights += weight;
        }
        out.row(i) = sum.transpose() / weights;
    }
    return out;
}

}  // namespace

TEST_CASE("a window and features in one sum are by their definition, whole and without either") {
    const WindowTokens given;
    const auto head = window_linear_attention(window, window_maps());
    const Vector parameters = window_parameters(*head);
    REQUIRE(head->parameters() == 1 + 2 * size * 3);
    CHECK(head->start(Stream(1))[0] == Approx(std::log(0.1 / 0.9)));
    const auto output = [&](const HeadAttention& one) {
        return one.forward(parameters, given.inputs(), Visible::causal)->output;
    };
    // Sums of at most eleven positive terms, each to some ulps.
    CHECK((output(*head) - by_pairs(given, parameters, true, true)).cwiseAbs().maxCoeff() < 1e-14);
    CHECK((output(*without(*head, Branch::linear)) - by_pairs(given, parameters, true, false)).cwiseAbs().maxCoeff() <
          1e-14);
    CHECK((output(*without(*head, Branch::window)) - by_pairs(given, parameters, false, true)).cwiseAbs().maxCoeff() <
          1e-14);
    CHECK(without(*softmax_attention(), Branch::window) == nullptr);
}

TEST_CASE("a window as long as the sequence is softmax attention") {
    const WindowTokens given;
    const auto head = window_linear_attention(tokens, window_maps());
    const Points whole = head->forward(window_parameters(*head), given.inputs(), Visible::causal)->output;
    const Points exact = softmax_attention()->forward(Vector(), given.inputs(), Visible::causal)->output;
    CHECK((whole - exact).cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE("a head that is softmax attention has nothing to be distilled to") {
    const WindowTokens given;
    const auto head = window_linear_attention(tokens, window_maps());
    const Vector start = window_parameters(*head);
    for (const Matched matched : {Matched::outputs, Matched::distributions}) {
        const auto found = match_softmax(matched, *head, start, {{given.queries, given.keys, given.values}},
                                         Visible::causal, {.steps = 1, .batch = 1}, Stream(1));
        CHECK(std::abs(found.losses.front()) < 1e-14);
    }
}

TEST_CASE("long keys after a window change nothing before it, and overflow nothing") {
    WindowTokens given;
    const auto head = window_linear_attention(window, window_maps());
    const Vector parameters = window_parameters(*head);
    const Points before = head->forward(parameters, given.inputs(), Visible::causal)->output;
    given.keys.bottomRows(3) *= 1000;
    const auto pass = head->forward(parameters, given.inputs(), Visible::causal);
    CHECK(pass->output.allFinite());
    CHECK((pass->output.topRows(tokens - 3).array() == before.topRows(tokens - 3).array()).all());
    attention::Gradients<double> gradients;
    Vector by_parameters = Vector::Zero(parameters.size());
    pass->backward(normal_points(tokens, 3, Stream(6)), gradients, by_parameters);
    CHECK(gradients.keys.allFinite());
    CHECK(by_parameters.allFinite());
}

TEST_CASE("windows with features refuse what they cannot do") {
    const WindowTokens given;
    const auto head = window_linear_attention(window, window_maps());
    const Vector parameters = head->start(Stream(1));
    const auto said = [&](auto call) { return refusal<std::invalid_argument>(call); };
    CHECK(said([&] { head->forward(parameters, given.inputs(), Visible::all); }) ==
          "attention: windows with features before them are causal");
    CHECK(said([&] { head->forward(Vector(Vector::Zero(2)), given.inputs(), Visible::causal); }) ==
          "attention: 2 parameters for a head that has 25");
    CHECK(said([] { window_linear_attention(0, window_maps()); }) ==
          "attention: windows of 0 keys; at least 1 is needed");
    Vector not_finite = parameters;
    not_finite[0] = std::nan("");
    CHECK(said([&] { head->forward(not_finite, given.inputs(), Visible::causal); }) ==
          "attention: the gate's parameter is nan");
    const auto alone = without(*head, Branch::window);
    CHECK(said([&] { alone->forward(Vector(Vector::Zero(2)), given.inputs(), Visible::causal); }) ==
          "attention: 2 parameters for a head that has 25");
    std::vector<unsigned char> kept(tokens, 1);
    attention::Inputs<double> padded = given.inputs();
    padded.kept = kept;
    CHECK(said([&] { head->forward(parameters, padded, Visible::causal); }) ==
          "attention: windows with features take no padding");
}

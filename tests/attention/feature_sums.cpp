#include "rfbench/attention/feature_sums.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sequences.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

SoftmaxMap positive_map(Index dimension) {
    const auto mechanism = features::fit(features::find("positive"), {});
    return softmax_map(*mechanism, dimension, 16, sampling::find("orthogonal"), Stream(1));
}

}  // namespace

TEST_CASE("weights of keys beyond the exponents there are are the largest or smallest") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> logs{0, 1e8, -1e8, 1e10, -1e10, 1e300, -infinity};
    features::FeatureBlock<double> block;
    block.log_scale = Eigen::Map<const Vector>(logs.data(), static_cast<Index>(logs.size()));
    KeyWeights<double> weights;
    const Points rows(block.log_scale.size(), 1);
    weights.assign(block, Inputs<double>{rows, rows, rows}, 0);
    for (Index j = 0; j < weights.exponents.size(); ++j) {
        INFO("log scale " << block.log_scale[j]);
        CHECK(weights.exponents[j] >= -KeyWeights<double>::max_exponent);
        CHECK(weights.exponents[j] <= KeyWeights<double>::max_exponent);
        CHECK((weights.mantissas[j] >= 1 - 1e-6 && weights.mantissas[j] <= 2 + 1e-6));
        if (std::abs(block.log_scale[j]) > 1e8) continue;
        // An ulp of 1e8.
        CHECK(std::abs(std::log(weights.mantissas[j]) + weights.exponents[j] * M_LN2 - block.log_scale[j]) < 1e-7);
    }
    CHECK(weights.exponents[3] == weights.exponents[5]);
    CHECK(weights.exponents[4] == weights.exponents[6]);
}

TEST_CASE("attention to keys of huge norm is still a mean of values") {
    Sequence s = sequence(150, 150, 4, 3, 1.0, 2);
    s.keys *= 1e6;
    const SoftmaxMap map = positive_map(4);
    for (const Visible visible : {Visible::all, Visible::causal}) {
        Points out;
        linear<double>(map, {s.queries, s.keys, s.values}, visible, out);
        CHECK(out.cwiseAbs().maxCoeff() <= s.values.cwiseAbs().maxCoeff() * (1 + 1e-12));
    }
}

TEST_CASE("decoding goes on from stored sums to the bit") {
    const Sequence s = sequence(300, 300, 4, 3, 1.0, 3);
    const SoftmaxMap map = positive_map(4);
    const auto part = [&](Index first, Index n) {
        return Inputs<double>{s.queries.middleRows(first, n), s.keys.middleRows(first, n),
                              s.values.middleRows(first, n)};
    };
    for (const Index stop : {0, 1, 60, 137}) {
        INFO("stop at " << stop);
        FeatureSums<double> state(map.columns(), 3);
        Points out, expected;
        causal<double>(map, part(0, stop), state, out);
        const std::vector<double> numerators(state.numerators().data(),
                                             state.numerators().data() + state.numerators().size());
        const std::vector<double> denominators(state.denominators().data(),
                                               state.denominators().data() + state.denominators().size());
        FeatureSums<double> restored(Eigen::Map<const Points>(numerators.data(), map.columns(), 3),
                                     Eigen::Map<const Vector>(denominators.data(), map.columns()), state.exponent());
        causal<double>(map, part(stop, 300 - stop), state, expected);
        causal<double>(map, part(stop, 300 - stop), restored, out);
        CHECK(out == expected);
        CHECK(restored.numerators() == state.numerators());
        CHECK(restored.denominators() == state.denominators());
        CHECK(restored.exponent() == state.exponent());
    }
}

TEST_CASE("sums that cannot have been stored are refused") {
    const Points numerators = Points::Ones(4, 3);
    const Vector denominators = Vector::Ones(4);
    const auto answer = [](const Points& sums, const Vector& weights, int exponent) {
        return refusal([&] { FeatureSums<double>(sums, weights, exponent); });
    };
    CHECK(answer(numerators, denominators, 0) == "accepted");
    CHECK(answer(numerators, denominators, KeyWeights<double>::max_exponent) == "accepted");
    CHECK(answer(Points::Zero(4, 3), Vector::Zero(4), KeyWeights<double>::none) == "accepted");
    CHECK(answer(numerators, denominators.head(3), 0) ==
          "attention: the state has numerators of 4 features and denominators of 3; both must be as many");
    CHECK(answer(numerators, denominators, 1 << 30) ==
          "attention: the state's exponent is 1073741824; it must be between -536870911 and 536870911, or -536870912 "
          "where no key was seen and all sums are zero");
    CHECK(contains(answer(numerators, Vector::Zero(4), KeyWeights<double>::none), "exponent is -536870912"));
    CHECK(contains(answer(Points::Zero(4, 3), denominators, KeyWeights<double>::none), "exponent is -536870912"));
    Points bad = numerators;
    bad(2, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(answer(bad, denominators, 0) ==
          "attention: the state's numerators have nan at row 2, column 1; all entries must be finite");
    Vector infinite = denominators;
    infinite[3] = std::numeric_limits<double>::infinity();
    CHECK(answer(numerators, infinite, 0) ==
          "attention: the state's denominators have inf at row 3, column 0; all entries must be finite");
}

TEST_CASE("rows without entries are centred, and normalised in groups") {
    Eigen::Array<double, 1, Eigen::Dynamic> none(0);
    CHECK(centre(none) == 0);
    Points out(5, 0);
    CHECK(normalise<double>(Norm::group, Vector::Ones(5), out, 0).nonpositive == 5);
}

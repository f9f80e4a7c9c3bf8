#include "rfbench/attention/symbol_weights.hpp"

#include <cmath>
#include <stdexcept>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::attention;

namespace {

/// Weights of two sequences of four tokens.
Points first() {
    Points all(4, 4);
    all << .1, .2, .3, .4, .4, .3, .2, .1, .25, .25, .25, .25, .7, .1, .1, .1;
    return all;
}
Points second() { return first().rowwise().reverse(); }

const std::vector<int> one{0, 1, -1, 0}, other{1, 2, 0, 1};

}  // namespace

TEST_CASE("attention between symbols is the sum over their pairs, without a token's own") {
    SymbolWeights weights(3, 4);
    weights.add(one, first());
    Points expected = Points::Zero(3, 3);
    expected(0, 0) = .4 + .7;
    expected(0, 1) = .2 + .1;
    expected(1, 0) = .4 + .1;
    CHECK(weights.sums().isApprox(expected, 1e-15));

    weights.add(other, second());
    // second() is .4 .3 .2 .1, .1 .2 .3 .4, four of .25, .1 .1 .1 .7.
    expected(1, 2) += .3 + .1;
    expected(1, 0) += .2 + .1;
    expected(1, 1) += .1 + .1;
    expected(2, 1) += .1 + .4;
    expected(2, 0) += .3;
    expected(0, 1) += .25 + .25;
    expected(0, 2) += .25;
    CHECK(weights.sums().isApprox(expected, 1e-15));

    // By place, each pair has the mean of both: .25 in the first three rows, .4 .1 .1 .4 in the last.
    Points placed = Points::Zero(3, 3);
    placed(0, 0) = .25 + .4;
    placed(0, 1) = .25 + .1 + .25 + .25;
    placed(1, 0) = .25 + .25 + .25 + .1;
    placed(1, 2) = .25 + .1;
    placed(1, 1) = .25 + .4;
    placed(2, 1) = .25 + .25;
    placed(2, 0) = .25;
    placed(0, 2) = .25;
    CHECK(weights.by_place().isApprox(placed, 1e-15));
}

TEST_CASE("attention that looks at places alone finds nothing alike") {
    SymbolWeights weights(3, 4);
    weights.add(one, first());
    weights.add(other, first());
    CHECK(weights.by_place().isApprox(weights.sums(), 1e-15));
    CHECK(alike_ratio(weights.sums(), weights.by_place(), {0, 0, 1}) == Approx(1).epsilon(1e-14));
}

TEST_CASE("what is alike has its share of attention over that of pairs of two kinds, beyond places") {
    Points sums(3, 3), placed(3, 3);
    sums << 9, 3, 1, 5, 9, 2, 1, 4, 9;
    placed << 1, 2, 2, 2, 1, 2, 2, 2, 1;
    // 3 + 5 over 2 + 2 for the pairs of one kind, 1 + 2 + 1 + 4 over 8 for those of two.
    CHECK(alike_ratio(sums, placed, {0, 0, 1}) == Approx(2));
    CHECK(std::isnan(alike_ratio(sums, placed, {0, 0, 0})));
    CHECK(std::isnan(alike_ratio(sums, placed, {0, 1, 2})));
    CHECK_THROWS_AS(alike_ratio(sums, placed, {0, 1}), std::invalid_argument);
}

TEST_CASE("symbols beyond the last and sizes that differ are refused") {
    SymbolWeights weights(2, 4);
    CHECK_THROWS_AS(weights.add(other, first()), std::invalid_argument);
    CHECK_THROWS_AS(weights.add({0, 1}, first()), std::invalid_argument);
    CHECK_THROWS_AS(weights.add({0, 1, 0, 1}, Points::Zero(4, 3)), std::invalid_argument);
    CHECK_THROWS_AS(SymbolWeights(0, 4), std::invalid_argument);
    CHECK(weights.by_place() == Points::Zero(2, 2));
}

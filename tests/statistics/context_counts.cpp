#include "rfbench/statistics/context_counts.hpp"

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

#include "catch.hpp"

using namespace rfbench::statistics;

TEST_CASE("context counts: orders are those of a text whose entropies are known", "[statistics]") {
    // a and b in turn: nothing is known of one alone, all of one after another.
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "ab";
    const auto bits = context_bits(text, {text}, {text}, 2);
    REQUIRE(bits.size() == 3);
    // Weights are as near to 1 as their bisection comes, so that uniform bytes have no part in it.
    CHECK(bits[0] == Approx(1).epsilon(1e-3));
    CHECK(bits[1] < 1e-9);
    CHECK(bits[2] < 1e-9);
}

TEST_CASE("context counts: two orders by hand", "[statistics]") {
    // aab: a twice, b once; after a once a and once b, after b nothing.
    const auto bits = context_bits("aab", {"aa", "ab", "bb"}, {"aa", "ba"}, 1);
    // Validation tells the symbols a, b, b of order 0: the slope of their likelihood in l vanishes at
    // (2/3 - u) / (2/3 l + u (1 - l)) + 2 (1/3 - u) / (1/3 l + u (1 - l)) = 0, u = 1/256, which no l below 1 does.
    const double u = 1.0 / 256;
    const auto slope = [u](double l) {
        return (2.0 / 3 - u) / (2.0 / 3 * l + u * (1 - l)) + 2 * (1.0 / 3 - u) / (1.0 / 3 * l + u * (1 - l));
    };
    REQUIRE(slope(1) > 0);
    CHECK(bits[0] == Approx(-std::log2(2.0 / 3)).epsilon(1e-12));
    // Order 1 tells those after a 1/2, beside 2/3 for a and 1/3 for b, by the l that is best for a and b:
    // (1/2 - 2/3) / (2/3 - l/6) + (1/2 - 1/3) / (1/3 + l/6) = 0, which is l = 1. Behind b stays order 0.
    CHECK(bits[1] == Approx((1 - std::log2(2.0 / 3)) / 2).epsilon(1e-9));
}

TEST_CASE("context counts: pieces know nothing of each other, and more orders need not gain", "[statistics]") {
    // Uniform letters: counts of long contexts are of chance alone, and a fitted weight leaves them out.
    std::mt19937 generator(5);
    std::string text, other;
    for (int i = 0; i < 20000; ++i) text += static_cast<char>('a' + generator() % 16);
    for (int i = 0; i < 4000; ++i) other += static_cast<char>('a' + generator() % 16);
    const std::string_view all(other);
    const auto bits = context_bits(text, {all.substr(0, 2000)}, {all.substr(2000)}, 4);
    for (const double one : bits) CHECK(one == Approx(4).epsilon(0.01));
    // One symbol a piece is no context for the next piece.
    const auto apart = context_bits("abababab", {"xa", "xb"}, {"xa", "xb"}, 1);
    CHECK(apart[0] == Approx(1).epsilon(1e-9));
    CHECK(apart[1] == apart[0]);
}

TEST_CASE("context counts: what cannot be counted is refused", "[statistics]") {
    CHECK_THROWS_AS(context_bits("", {"ab"}, {"ab"}, 1), std::invalid_argument);
    CHECK_THROWS_AS(context_bits("ab", {"a"}, {"ab"}, 1), std::invalid_argument);
    CHECK_THROWS_AS(context_bits("ab", {"ab"}, std::vector<std::string_view>{}, 1), std::invalid_argument);
    CHECK_THROWS_AS(context_bits("ab", {"ab"}, {"ab"}, 7), std::invalid_argument);
}

TEST_CASE("context counts: a symbol between two is told by both, and not by one that is hidden", "[statistics]") {
    // Behind a and before b stands x or y, told by neither alone: axb, ayc, dxc, dyb.
    std::string text;
    for (int i = 0; i < 500; ++i) text += "axbaycdxcdyb";
    const std::vector<std::vector<int>> contexts{{}, {-1}, {-1, 1}};
    const ToldPiece piece{"axbaycdxcdyb", {1, 4, 7, 10}};
    const auto bits = context_bits(text, {piece}, {piece}, contexts);
    REQUIRE(bits.size() == 3);
    CHECK(bits[1] == Approx(1).epsilon(0.01));
    CHECK(bits[2] < 1e-9);
    // With its left neighbour hidden, too, the symbol has order 0 alone.
    const ToldPiece beside{"axbaycdxcdyb", {0, 1}};
    const auto hidden = context_bits(text, {piece}, {beside}, contexts);
    ToldPiece known = beside;
    known.hidden = false;
    const auto told = context_bits(text, {piece}, {known}, contexts);
    CHECK(hidden[2] == hidden[0]);
    CHECK(told[2] < told[0]);
    CHECK_THROWS_AS(context_bits(text, {piece}, {piece}, {{0}}), std::invalid_argument);
    CHECK_THROWS_AS(context_bits(text, {piece}, {piece}, {{1, 2, 3, 4, 5, 6, 7}}), std::invalid_argument);
}

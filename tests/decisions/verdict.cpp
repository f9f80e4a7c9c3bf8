#include "rfbench/decisions/verdict.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace rfbench::decisions;

namespace {

Evidence with(double p_for, double p_against) { return {0, 0, 0, p_for, p_against, 5}; }
Judged shown(double p) { return {p, 1, false}; }

}  // namespace

TEST_CASE("A claim of all cells is as sure as its worst, and refuted at Bonferroni's level") {
    const std::vector<Evidence> cells{with(0.01, 1), with(0.04, 1), with(1, 0.01)};
    const Judged all = combined(cells, Quantifier::all, false);
    CHECK(all.p_for == 1);
    CHECK(all.p_against == Approx(0.03));
    const Judged some = combined(cells, Quantifier::some, false);
    CHECK(some.p_for == Approx(0.03));
    CHECK(some.p_against == 1);
    CHECK_THROWS_AS(combined({}, Quantifier::all, false), std::invalid_argument);
}

TEST_CASE("Holm decides within a family") {
    // Holm (1979) at 5 %: 0.01 <= 0.05 / 3 is rejected, 0.03 > 0.05 / 2 is not, and nothing behind it.
    const std::vector<Judged> family{shown(0.03), shown(0.01), shown(0.04)};
    CHECK(verdicts(family, 0.05) == std::vector{Verdict::undecided, Verdict::holds, Verdict::undecided});
    CHECK(verdicts({shown(0.03)}, 0.05) == std::vector{Verdict::holds});
}

TEST_CASE("What is refuted fails, and a bound holds unless it is") {
    CHECK(verdicts({{1, 0.001, false}}, 0.05) == std::vector{Verdict::fails});
    CHECK(verdicts({{1, 0.3, true}, {1, 0.001, true}}, 0.05) == std::vector{Verdict::holds, Verdict::fails});
}

// Evidence against values of SciPy 1.10.1 (scipy.stats: t, norm, binomtest), which the comments name.
#include "rfbench/decisions/evidence.hpp"

#include <limits>
#include <stdexcept>

#include "catch.hpp"

using namespace rfbench::decisions;
using Catch::Matchers::WithinRel;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const std::vector<double> values{0.3, -0.1, 0.5, 0.2, 0.4};
constexpr double rounding = 1e-12;  // of the tails of both libraries, some thousand ulp

Threshold above(double t) { return {Relation::above, t, inf}; }
Threshold below(double t) { return {Relation::below, -inf, t}; }

}  // namespace

TEST_CASE("A mean above a threshold is tested by Student's law, two-sided") {
    const Evidence of = mean_evidence(values, 0, above(0), 0.95);
    CHECK_THAT(of.p_for, WithinRel(0.06498591034212067, rounding));  // ttest_1samp(x, 0)
    CHECK(of.p_against == 1);
    CHECK_THAT(of.low, WithinRel(-0.025852519098702897, 1e-11));  // mean -+ t.ppf(0.975, 4) s / sqrt(5)
    CHECK_THAT(of.high, WithinRel(0.5458525190987028, rounding));
    // The same values speak against the opposite claim as much as for this one.
    CHECK(mean_evidence(values, 0, below(0), 0.95).p_against == of.p_for);
}

TEST_CASE("Overlapping splits widen the error of a mean") {
    const Evidence of = mean_evidence(values, 0.05 / 0.9, above(0), 0.95);
    CHECK_THAT(of.p_for, WithinRel(0.08920896969880832, rounding));  // 2 t.sf(mean / (s sqrt(1/5 + 0.05/0.9)), 4)
    CHECK_THAT(of.high, WithinRel(0.58312435183917, rounding));
}

TEST_CASE("Equivalence takes the worse of two one-sided tests") {
    const Threshold margin{Relation::within, -0.2, 0.7};
    const Evidence of = mean_evidence(values, 0, margin, 0.95);
    CHECK_THAT(of.p_for,
               WithinRel(0.006456268141645011, rounding));  // max(t.sf((mean + 0.2) / e), t.cdf((mean - 0.7) / e))
    CHECK(of.p_against == 1);
}

TEST_CASE("A share is tested by binomial tails") {
    const Evidence many = share_evidence(7, 50, {Relation::not_above, 0, 0.05}, 0.95);
    CHECK_THAT(many.p_against, WithinRel(0.011786447797264277, rounding));  // binomtest(7, 50, 0.05, 'greater')
    CHECK(many.p_for == 1);
    const Evidence few = share_evidence(7, 50, {Relation::not_below, 0.3, 1}, 0.95);
    CHECK_THAT(few.p_against, WithinRel(0.0072642030676041865, rounding));  // binomtest(7, 50, 0.3, 'less')
    CHECK_THAT(few.low, WithinRel(0.0581917003403721, rounding));           // beta.ppf(0.025, 7, 44)
    CHECK_THAT(few.high, WithinRel(0.2673960024970084, rounding));          // beta.ppf(0.975, 8, 43)
}

TEST_CASE("No success violates no bound, not even one of zero or less") {
    CHECK(share_evidence(0, 100, {Relation::not_above, 0, 0}, 0.95).p_against == 1);
    CHECK(share_evidence(1, 100, {Relation::not_above, 0, 0}, 0.95).p_against == 0);
    CHECK(share_evidence(1, 100, {Relation::not_above, 0, -0.5}, 0.95).p_against == 0);
    CHECK(share_evidence(100, 100, {Relation::not_above, 0, 1.5}, 0.95).p_against == 1);
}

TEST_CASE("A bound is violated beyond an interval only") {
    const Threshold bound{Relation::not_above, 0, 0};
    CHECK(mean_evidence(values, 0, bound, 0.95).p_against > 0.03);  // the mean is above, the interval is not
    CHECK(exact_evidence(1e-300, bound).p_against == 0);
    CHECK(exact_evidence(0, bound).p_against == 1);
}

TEST_CASE("Values without error are compared as they are") {
    CHECK(exact_evidence(2, above(2)).p_against == 0);
    CHECK(exact_evidence(2, above(1)).p_for == 0);
    CHECK(exact_evidence(2, {Relation::within, 2, 3}).p_for == 0);
    CHECK(mean_evidence({2, 2, 2}, 0, above(1), 0.95).p_for == 0);
    CHECK(mean_evidence({2}, 0, above(1), 0.95).p_for == 1);  // of one value the error is not known
}

TEST_CASE("An infinite repeat decides nothing") {
    for (const std::vector<double>& repeats : {std::vector<double>{inf, 1, 2}, {1, 2, inf}, {-inf, 1, 2}})
        for (const Threshold& at : {above(0), below(0)}) {
            const Evidence of = mean_evidence(repeats, 0, at, 0.95);
            CHECK(of.p_for == 1);
            CHECK(of.p_against == 1);
        }
}

TEST_CASE("A z-score is a normal value of error one") {
    const Evidence of = normal_evidence(2.5, 1, {Relation::not_outside, 0, 0}, 0.95);
    CHECK_THAT(of.p_against, WithinRel(0.012419330651552265, rounding));  // 2 norm.sf(2.5)
    CHECK_THROWS_AS(normal_evidence(1, 0, above(0), 0.95), std::invalid_argument);
}

TEST_CASE("The number of repeats that would decide is the least") {
    const auto at = [&](std::uint64_t n) { return repeated(values, n, 0, above(0.15), 0.95); };
    CHECK(deciding_count(5, 0.05 / 3, at) ==
          29);  // the first n at which 2 t.sf((mean - 0.15) / (s / sqrt n), n - 1) is
    // Splits that overlap leave an error that no number of them takes away.
    const auto overlapping = [&](std::uint64_t n) { return repeated(values, n, 0.5, above(0.2), 0.95); };
    CHECK_FALSE(deciding_count(5, 0.05, overlapping));
}

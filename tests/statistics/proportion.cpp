#include "rfbench/statistics/proportion.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <vector>

#include "catch.hpp"

using namespace rfbench::statistics;

namespace {

/// P(the interval misses p) on either side, by the exact binomial sum.
struct Misses {
    double below = 0, above = 0;  // the interval lies below p, above p
};
Misses misses(const std::vector<Interval>& intervals, double p) {
    const double trials = static_cast<double>(intervals.size() - 1);
    Misses result;
    for (std::size_t k = 0; k < intervals.size(); ++k) {
        const double mass = boost::math::pdf(boost::math::binomial(trials, p), static_cast<double>(k));
        if (intervals[k].high < p) result.below += mass;
        if (intervals[k].low > p) result.above += mass;
    }
    return result;
}

std::vector<Interval> all_intervals(std::uint64_t trials, double level) {
    std::vector<Interval> result;
    for (std::uint64_t k = 0; k <= trials; ++k) result.push_back(clopper_pearson(k, trials, level));
    return result;
}

}  // namespace

TEST_CASE("Clopper-Pearson intervals cover every probability at their level, each side by itself", "[statistics]") {
    for (const std::uint64_t trials : {1u, 7u, 30u, 200u})
        for (const double level : {0.8, 0.95, 0.999}) {
            const auto intervals = all_intervals(trials, level);
            for (int i = 1; i < 400; ++i) {
                const double p = i / 400.0;
                const Misses missed = misses(intervals, p);
                INFO("n = " << trials << ", level " << level << ", p = " << p);
                REQUIRE(missed.below <= 0.5 * (1 - level) * (1 + 1e-9));
                REQUIRE(missed.above <= 0.5 * (1 - level) * (1 + 1e-9));
            }
        }
}

TEST_CASE("Clopper-Pearson intervals are as short as coverage lets them be", "[statistics]") {
    // At its own end of an interval, the tail beyond k has exactly the error that is allowed.
    const double level = 0.9, trials = 40;
    for (int k = 1; k < 40; ++k) {
        const Interval interval = clopper_pearson(static_cast<std::uint64_t>(k), 40, level);
        const boost::math::binomial at_low(trials, interval.low), at_high(trials, interval.high);
        CHECK(boost::math::cdf(boost::math::complement(at_low, k - 1)) == Approx(0.05).epsilon(1e-9));
        CHECK(boost::math::cdf(at_high, k) == Approx(0.05).epsilon(1e-9));
    }
}

TEST_CASE("Clopper-Pearson intervals at the ends, mirrored, and refused", "[statistics]") {
    // Nothing in n trials: (1 - high)^n = (1 - level) / 2.
    const Interval none = clopper_pearson(0, 50, 0.95);
    CHECK(none.low == 0);
    CHECK(none.high == Approx(-std::expm1(std::log(0.025) / 50)).epsilon(1e-12));
    const Interval some = clopper_pearson(3, 50, 0.95), mirrored = clopper_pearson(47, 50, 0.95);
    CHECK(mirrored.low == Approx(1 - some.high).epsilon(1e-12));
    CHECK(mirrored.high == Approx(1 - some.low).epsilon(1e-12));
    CHECK(clopper_pearson(50, 50, 0.95).high == 1);
    CHECK_THROWS_AS(clopper_pearson(0, 0, 0.95), std::invalid_argument);
    CHECK_THROWS_AS(clopper_pearson(5, 4, 0.95), std::invalid_argument);
    CHECK_THROWS_AS(clopper_pearson(1, 4, 1.0), std::invalid_argument);
}

TEST_CASE("Intervals of mean shares are those of the mean to first order, and never leave 0 to 1", "[statistics]") {
    for (const double mean : {0.004, 0.3, 0.5, 0.97}) {
        // The next term is of second order: half width / (p (1 - p)) times half width, at most.
        const double half = 1e-4 * mean * (1 - mean);
        const Interval narrow = interval_of_share(mean, half);
        CHECK(std::abs(narrow.low - (mean - half)) < 1e-4 * half);
        CHECK(std::abs(narrow.high - (mean + half)) < 1e-4 * half);
        for (const double wide : {0.5, 1.5, 20.0}) {
            const Interval interval = interval_of_share(mean, wide);
            CHECK(interval.low >= 0);
            CHECK(interval.low < mean);
            CHECK(interval.high > mean);
            CHECK(interval.high <= 1);
        }
    }
    CHECK(interval_of_share(1, 0).low == 1);
    CHECK(interval_of_share(0, 0).high == 0);
    for (const double mean : {0.0, 0.5, 1.0}) CHECK(std::isnan(interval_of_share(mean, std::nan("")).low));
    CHECK_THROWS_AS(interval_of_share(1.5, 0), std::invalid_argument);
    CHECK_THROWS_AS(interval_of_share(0.5, -1), std::invalid_argument);
}

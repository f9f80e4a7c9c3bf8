#include "rfbench/decisions/evidence.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/statistics/proportion.hpp"
#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::decisions {

bool is_bound(Relation relation) {
    return relation == Relation::not_above || relation == Relation::not_below || relation == Relation::not_outside;
}

namespace {

/// One-sided p-values: that the truth is at most t, and that it is at least t.
using Tail = std::function<double(double t)>;

/// `more`: p-value of "at most t", small where the value is far above; `less`: of "at least t".
void decide(Evidence& of, const Threshold& at, const Tail& more, const Tail& less) {
    const auto twice = [](double p) { return std::min(1.0, 2 * p); };
    switch (at.relation) {
        case Relation::above:
            of.p_for = twice(more(at.low));
            of.p_against = twice(less(at.low));
            break;
        case Relation::below:
            of.p_for = twice(less(at.high));
            of.p_against = twice(more(at.high));
            break;
        case Relation::within:
            of.p_for = std::max(more(at.low), less(at.high));
            of.p_against = twice(std::min(less(at.low), more(at.high)));
            break;
        case Relation::not_above: of.p_against = more(at.high); break;
        case Relation::not_below: of.p_against = less(at.low); break;
        case Relation::not_outside: of.p_against = twice(std::min(less(at.low), more(at.high))); break;
    }
}

bool is_true(double value, const Threshold& at) {
    const bool enough = value >= at.low, small = value <= at.high;
    switch (at.relation) {
        case Relation::above: return value > at.low;
        case Relation::below: return value < at.high;
        case Relation::not_above: return small;
        case Relation::not_below: return enough;
        case Relation::within:
        case Relation::not_outside: return enough && small;
    }
    throw std::logic_error("is_true: unknown relation");
}

/// From the mean of n values with this standard deviation.
Evidence student(double mean, double deviation, std::uint64_t n, double ratio, const Threshold& at, double level) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    Evidence of{mean, unknown, unknown, 1, 1, n};
    if (n < 2) return of;
    const double error = deviation * std::sqrt(1 / static_cast<double>(n) + ratio);
    // An infinite value has no spread, and decides nothing by itself.
    if (std::isnan(error)) return of;
    if (error == 0) {
        of = exact_evidence(mean, at);
        of.count = n;
        return of;
    }
    const double half = statistics::student_quantile(n, level) * error;
    of.low = mean - half;
    of.high = mean + half;
    const boost::math::students_t law(static_cast<double>(n - 1));
    decide(
        of, at, [&](double t) { return cdf(complement(law, (mean - t) / error)); },
        [&](double t) { return cdf(law, (mean - t) / error); });
    return of;
}

}  // namespace

Evidence exact_evidence(double value, const Threshold& at) {
    const bool holds = is_true(value, at);
    return {value, value, value, holds && !is_bound(at.relation) ? 0.0 : 1.0, holds ? 1.0 : 0.0, 1};
}

Evidence mean_evidence(const std::vector<double>& values, double test_to_training, const Threshold& at, double level) {
    if (values.empty()) throw std::invalid_argument("mean_evidence: there are no values");
    return repeated(values, values.size(), test_to_training, at, level);
}

Evidence repeated(const std::vector<double>& values, std::uint64_t n, double test_to_training, const Threshold& at,
                  double level) {
    if (!(test_to_training >= 0)) throw std::invalid_argument("mean_evidence: the ratio of rows is below 0");
    statistics::RunningMoments moments;
    for (const double value : values) moments.add(value);
    return student(moments.mean(), moments.standard_deviation(), n, test_to_training, at, level);
}

Evidence share_evidence(std::uint64_t successes, std::uint64_t trials, const Threshold& at, double level) {
    const statistics::Interval interval = statistics::clopper_pearson(successes, trials, level);
    const double k = static_cast<double>(successes), n = static_cast<double>(trials);
    Evidence of{k / n, interval.low, interval.high, 1, 1, trials};
    // P(X >= k) is the incomplete beta function of p with parameters k and n - k + 1; P(X <= k) its complement at k
    // + 1.
    const auto at_least = [&](double p) {
        return successes == 0 ? 1.0 : boost::math::ibeta(k, n - k + 1, std::clamp(p, 0.0, 1.0));
    };
    const auto at_most = [&](double p) {
        return successes == trials ? 1.0 : boost::math::ibetac(k + 1, n - k, std::clamp(p, 0.0, 1.0));
    };
    decide(of, at, at_least, at_most);
    return of;
}

Evidence normal_evidence(double value, double standard_error, const Threshold& at, double level) {
    if (!(standard_error > 0)) throw std::invalid_argument("normal_evidence: the standard error is not above 0");
    const boost::math::normal law;
    const double half = quantile(law, 0.5 * (1 + level)) * standard_error;
    Evidence of{value, value - half, value + half, 1, 1, 1};
    decide(
        of, at, [&](double t) { return cdf(complement(law, (value - t) / standard_error)); },
        [&](double t) { return cdf(law, (value - t) / standard_error); });
    return of;
}

std::optional<std::uint64_t> deciding_count(std::uint64_t first, double level,
                                            const std::function<Evidence(std::uint64_t n)>& at) {
    constexpr std::uint64_t most = 1'000'000;
    const auto decides = [&](std::uint64_t n) {
        const Evidence of = at(n);
        return std::min(of.p_for, of.p_against) <= level;
    };
    std::uint64_t low = std::max<std::uint64_t>(first, 2), high = low;
    while (!decides(high)) {
        if (high >= most) return {};
        low = high;
        high = std::min(most, 2 * high);
    }
    // It decides at `high`, and did not at `low`.
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (decides(middle) ? high : low) = middle;
    }
    return high;
}

}  // namespace rfbench::decisions

#include "rfbench/statistics/critical_difference.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "rfbench/statistics/paired_test.hpp"
#include "rfbench/statistics/ranks.hpp"

namespace rfbench::statistics {

namespace {

void require_methods(std::size_t methods) {
    if (methods < 2) throw std::invalid_argument("ranks of " + std::to_string(methods) + " methods; two are needed");
}

/// Standard error of a difference of two mean ranks where all methods are level.
double rank_error(std::size_t methods, std::size_t sets) {
    const auto k = static_cast<double>(methods);
    return std::sqrt(k * (k + 1) / (6 * static_cast<double>(sets)));
}

/// Sum of t^3 - t over groups of t equal values.
double ties(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    double sum = 0;
    for (auto first = values.begin(); first != values.end();) {
        const auto last = std::upper_bound(first, values.end(), *first);
        const auto count = static_cast<double>(last - first);
        sum += count * count * count - count;
        first = last;
    }
    return sum;
}

void test_all(MeanRanks& ranks, double sum_of_ties) {
    const auto k = static_cast<double>(ranks.mean.size()), n = static_cast<double>(ranks.sets);
    double squares = 0;
    for (const double rank : ranks.mean) squares += std::pow(rank - (k + 1) / 2, 2);
    const double untied = 1 - sum_of_ties / (n * k * (k * k - 1));
    // All are equal everywhere: there is nothing to tell apart.
    if (!(untied > 0)) {
        ranks.chi_squared = ranks.f = std::numeric_limits<double>::quiet_NaN();
        ranks.p = ranks.p_of_f = 1;
        return;
    }
    ranks.chi_squared = 12 * n / (k * (k + 1)) * squares / untied;
    ranks.p = cdf(complement(boost::math::chi_squared(k - 1), ranks.chi_squared));
    const double rest = n * (k - 1) - ranks.chi_squared;
    // The same order on all sets: chi squared is as large as it can be, up to rounding.
    const bool unanimous = !(rest > 4 * n * k * std::numeric_limits<double>::epsilon());
    ranks.f = unanimous ? std::numeric_limits<double>::infinity() : (n - 1) * ranks.chi_squared / rest;
    ranks.p_of_f = unanimous ? 0 : cdf(complement(boost::math::fisher_f(k - 1, (k - 1) * (n - 1)), ranks.f));
}

}  // namespace

double range_probability(double q, int k) {
    if (k < 2) throw std::invalid_argument("the range of " + std::to_string(k) + " numbers; there must be two");
    if (!(q > 0)) return 0;
    const boost::math::normal normal;
    // The trapezoid rule over the whole line: its error falls as exp(-2 pi^2 / step^2) for an entire integrand that
    // falls as a Gaussian does. Beyond 10 the density is below 1e-22.
    constexpr int steps_per_unit = 16;
    double sum = 0;
    for (int i = -10 * steps_per_unit; i <= 10 * steps_per_unit; ++i) {
        const double z = static_cast<double>(i) / steps_per_unit;
        // Differences of upper tails where these are small, so that they are not rounded away.
        const double between = z > q / 2 ? cdf(complement(normal, z - q)) - cdf(complement(normal, z))
                                         : cdf(normal, z) - cdf(normal, z - q);
        sum += pdf(normal, z) * std::pow(between, k - 1);
    }
    return std::min(1.0, k * sum / steps_per_unit);
}

double range_quantile(double probability, int k) {
    if (!(probability > 0 && probability < 1))
        throw std::invalid_argument("the probability of a range must be between 0 and 1");
    double low = 0, high = 1;
    while (std::isfinite(high) && range_probability(high, k) < probability) high *= 2;
    // Halved until no double is between.
    for (double middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high))
        (range_probability(middle, k) < probability ? low : high) = middle;
    return high;
}

MeanRanks mean_ranks(const std::vector<std::vector<double>>& values) {
    if (values.size() < 2)
        throw std::invalid_argument("ranks on " + std::to_string(values.size()) + " data sets; two are needed");
    require_methods(values.front().size());
    MeanRanks result{std::vector<double>(values.front().size(), 0), values.size(), 0, 1, 0, 1};
    double sum_of_ties = 0;
    for (const std::vector<double>& one : values) {
        if (one.size() != result.mean.size())
            throw std::invalid_argument("ranks of " + std::to_string(one.size()) + " and of " +
                                        std::to_string(result.mean.size()) + " methods; all sets need the same");
        if (std::any_of(one.begin(), one.end(), [](double value) { return std::isnan(value); }))
            throw std::invalid_argument("a value that is ranked is not a number");
        const std::vector<double> ranks = descending_ranks(one);
        for (std::size_t m = 0; m < ranks.size(); ++m) result.mean[m] += ranks[m] / static_cast<double>(values.size());
        sum_of_ties += ties(one);
    }
    test_all(result, sum_of_ties);
    return result;
}

double critical_difference(std::size_t methods, std::size_t sets, double error) {
    require_methods(methods);
    if (sets == 0) throw std::invalid_argument("there is no data set to rank on");
    return range_quantile(1 - error, static_cast<int>(methods)) / std::sqrt(2.0) * rank_error(methods, sets);
}

std::vector<double> against_control(const MeanRanks& ranks, std::size_t control) {
    const double own = ranks.mean.at(control), error = rank_error(ranks.mean.size(), ranks.sets);
    std::vector<double> p;
    for (std::size_t m = 0; m < ranks.mean.size(); ++m)
        if (m != control)
            p.push_back(2 * cdf(complement(boost::math::normal(), std::abs(ranks.mean[m] - own) / error)));
    std::vector<double> adjusted = holm(p);
    adjusted.insert(adjusted.begin() + static_cast<std::ptrdiff_t>(control), 1);
    return adjusted;
}

std::vector<std::pair<std::size_t, std::size_t>> level_runs(const std::vector<double>& ascending, double difference) {
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for (std::size_t first = 0; first < ascending.size(); ++first) {
        std::size_t last = first;
        while (last + 1 < ascending.size() && ascending[last + 1] - ascending[first] < difference) ++last;
        // A run that ends where the one before did is a part of it.
        if (last > first && (runs.empty() || runs.back().second < last)) runs.emplace_back(first, last);
    }
    return runs;
}

}  // namespace rfbench::statistics

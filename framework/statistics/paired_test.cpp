#include "rfbench/statistics/paired_test.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::statistics {

PairedDifference paired_difference(const std::vector<double>& differences, double test_to_training, double level) {
    if (!(test_to_training >= 0))
        throw std::invalid_argument("paired_difference: the ratio of rows must not be negative");
    RunningMoments moments;
    for (const double difference : differences) moments.add(difference);
    const double quantile = student_quantile(moments.count(), level);
    const double n = static_cast<double>(moments.count());
    const double error = std::sqrt(moments.variance() * (1 / n + test_to_training));
    PairedDifference result{moments.mean(), quantile * error, 1};
    if (error > 0) {
        const boost::math::students_t law(n - 1);
        result.p = 2 * boost::math::cdf(boost::math::complement(law, std::abs(result.mean) / error));
    } else if (error == 0 && result.mean != 0) {
        result.p = 0;
    }
    return result;
}

std::vector<double> holm(const std::vector<double>& p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    std::vector<double> adjusted(p.size());
    double largest = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        // Rejection ends at the first p-value that is not small enough: no later one is adjusted to less than it.
        largest = std::max(largest, static_cast<double>(p.size() - rank) * p[order[rank]]);
        adjusted[order[rank]] = std::min(1.0, largest);
    }
    return adjusted;
}

}  // namespace rfbench::statistics

#include "rfbench/statistics/proportion.hpp"

#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/text/number.hpp"

namespace rfbench::statistics {

Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level) {
    if (trials == 0 || successes > trials)
        throw std::invalid_argument("clopper_pearson: " + std::to_string(successes) + " successes of " +
                                    std::to_string(trials) + " trials; there must be trials, and at least as many");
    if (!(level > 0 && level < 1))
        throw std::invalid_argument("clopper_pearson: the level is " + shortest_text(level) +
                                    "; it must lie between 0 and 1");
    const double k = static_cast<double>(successes), rest = static_cast<double>(trials - successes);
    const double tail = 0.5 * (1 - level);
    // At the ends so many successes or more, and so many or fewer, have the probability `tail`. The lower end is 0
    // without a success, the upper one 1 without a failure.
    Interval result{0, 1};
    if (successes > 0) result.low = boost::math::quantile(boost::math::beta_distribution<>(k, rest + 1), tail);
    if (successes < trials)
        result.high =
            boost::math::quantile(boost::math::complement(boost::math::beta_distribution<>(k + 1, rest), tail));
    return result;
}

Interval interval_of_share(double mean, double half_width) {
    if (!(mean >= 0 && mean <= 1) || half_width < 0)
        throw std::invalid_argument("interval_of_share: a mean of " + shortest_text(mean) + " and a half width of " +
                                    shortest_text(half_width) +
                                    "; shares lie between 0 and 1, and no half width is below 0");
    if (std::isnan(half_width)) return {half_width, half_width};
    if (mean == 0 || mean == 1) return {mean, mean};
    // d log(p / (1 - p)) = dp / (p (1 - p))
    const double log_odds = std::log(mean / (1 - mean)), half = half_width / (mean * (1 - mean));
    return {1 / (1 + std::exp(half - log_odds)), 1 / (1 + std::exp(-half - log_odds))};
}

}  // namespace rfbench::statistics

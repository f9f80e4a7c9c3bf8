#include "rfbench/statistics/proportion.hpp"

#include <boost/math/distributions/beta.hpp>
#include <stdexcept>
#include <string>

namespace rfbench::statistics {

Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level) {
    if (trials == 0 || successes > trials)
        throw std::invalid_argument("clopper_pearson: " + std::to_string(successes) + " successes of " +
                                    std::to_string(trials) + " trials; there must be trials, and at least as many");
    if (!(level > 0 && level < 1))
        throw std::invalid_argument("clopper_pearson: the level is " + std::to_string(level) +
                                    "; it must lie between 0 and 1");
    const double k = static_cast<double>(successes), rest = static_cast<double>(trials - successes);
    const double tail = 0.5 * (1 - level);
    Interval result{0, 1};
    if (successes > 0) result.low = boost::math::quantile(boost::math::beta_distribution<>(k, rest + 1), tail);
    if (successes < trials)
        result.high =
            boost::math::quantile(boost::math::complement(boost::math::beta_distribution<>(k + 1, rest), tail));
    return result;
}

}  // namespace rfbench::statistics

#include "rfbench/features/drawn_moments.hpp"

#include <cmath>

#include "rfbench/parallel/parts.hpp"
#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::features {

std::vector<double> drawn_estimates(const Mechanism& mechanism, const Pair& pair, const sampling::Scheme& scheme,
                                    Index count, std::int64_t repeats, const Stream& stream, double log_unit) {
    const Points query = pair.x.transpose();
    const Points key = pair.y.transpose();
    FeatureBlock<double> queries, keys;
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(repeats));
    for (const Index r : parallel::Parts(repeats)) {
        // A stream a repeat: more repeats leave the first ones as they are.
        const Stream own = stream.child(static_cast<std::uint64_t>(r));
        const auto map = mechanism.map(draw(mechanism, pair.dimension, count, scheme, own));
        map->evaluate(Side::query, query, queries);
        map->evaluate(Side::key, key, keys);
        const LogMatrix k = estimate(queries, keys);
        values.push_back(k.sign(0, 0) == 0 ? 0.0 : k.sign(0, 0) * std::exp(k.log_abs(0, 0) - log_unit));
    }
    return values;
}

DrawnMoments moments_of(std::span<const double> estimates) {
    rfbench::statistics::RunningMoments moments;
    for (const double value : estimates) moments.add(value);
    const double count = static_cast<double>(estimates.size()), variance = moments.variance();
    double fourth = 0;
    for (const double value : estimates) fourth += std::pow(value - moments.mean(), 4) / count;
    // The last is the standard error of the variance, sqrt((mu_4 - sigma^4) / n).
    return {moments.mean(), moments.standard_error(), variance,
            std::sqrt(std::max(0.0, fourth - variance * variance) / count)};
}

DrawnMoments drawn_moments(const Mechanism& mechanism, const Pair& pair, const sampling::Scheme& scheme, Index count,
                           std::int64_t repeats, const Stream& stream) {
    return moments_of(drawn_estimates(mechanism, pair, scheme, count, repeats, stream));
}

}  // namespace rfbench::features

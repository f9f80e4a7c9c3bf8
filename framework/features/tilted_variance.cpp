#include "rfbench/features/tilted_variance.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::features {
namespace {

/// log of the tilt's density over that of N(0, I).
double log_density_ratio(const Tilt& tilt, const Eigen::Ref<const Vector>& omega) {
    const double d = static_cast<double>(omega.size());
    return 0.5 * omega.squaredNorm() - 0.5 * (omega - tilt.mean).squaredNorm() / tilt.variance -
           0.5 * d * std::log(tilt.variance);
}

/// p / q for q = p / 2 + p (mean over m of the density ratios) / 2.
double weight(const Tilt& tilt, const Projections& omega) {
    double mean = 0;
    for (Index m = 0; m < omega.cols(); ++m)
        mean += std::exp(log_density_ratio(tilt, omega.col(m))) / static_cast<double>(omega.cols());
    return 2 / (1 + mean);
}

/// One column becomes a draw of the tilt; the others turn with its direction. Given the direction of one column, the
/// others have the law they had before, turned: blocks are invariant under rotations and reflections, and the length of
/// a column says nothing of the others.
void place_tilted(const Tilt& tilt, Stream stream, Projections& omega) {
    const Index m = static_cast<Index>(stream.below(static_cast<std::uint64_t>(omega.cols())));
    Vector placed(omega.rows());
    for (double& entry : placed) entry = stream.normal();
    placed = tilt.mean + std::sqrt(tilt.variance) * placed;

    // The reflection that takes one direction to the other.
    const Vector mirror = omega.col(m).normalized() - placed.normalized();
    if (const double square = mirror.squaredNorm(); square > 0)
        omega -= (2 / square) * mirror * (mirror.transpose() * omega).eval();
    omega.col(m) = placed;
}

}  // namespace

std::optional<Tilt> square_tilt(const Mechanism& mechanism, const std::string& name, const Pair& pair) {
    const Vector sum = pair.x + pair.y;
    if (name == "positive" || name == "regularized") return Tilt{2 * sum, 1};
    if (name != "optimal-positive") return {};
    // f1 f2 = D^2 exp(2 A |w|^2 + B w.(x + y) + ...) with B^2 = 1 - 4A.
    const double a = std::get<double>(mechanism.parameters().at("A"));
    const double variance = 1 / (1 - 8 * a);
    return Tilt{2 * std::sqrt(1 - 4 * a) * variance * sum, variance};
}

DrawnVariance drawn_variance(const MechanismWithMoments& mechanism, const Pair& pair, const sampling::Scheme& scheme,
                             Index count, std::int64_t repeats, const std::optional<Tilt>& tilt, const Stream& stream) {
    using enum sampling::Coupling;
    const bool turns = scheme.coupling == independent || scheme.coupling == orthogonal || scheme.coupling == simplex;
    if (tilt && !(turns && scheme.exact_marginals))
        throw std::invalid_argument("drawn_variance: '" + scheme.name +
                                    "' draws are not invariant under rotations; iid, orthogonal and simplex ones are");
    const Points query = pair.x.transpose(), key = pair.y.transpose();
    const double mean = std::exp(mechanism.moments(pair).log_mean);
    FeatureBlock<double> queries, keys;
    statistics::RunningMoments squares;
    for (std::int64_t r = 0; r < repeats; ++r) {
        const Stream own = stream.child(static_cast<std::uint64_t>(r));
        Draw drawn = draw(mechanism, pair.dimension, count, scheme, own);
        // Half of the draws have one omega where the square of its feature is large, and the weight sets that right.
        if (tilt && own.child("law").uniform() < 0.5) place_tilted(*tilt, own.child("tilt"), drawn.omega);
        const auto map = mechanism.map(drawn);
        map->evaluate(Side::query, query, queries);
        map->evaluate(Side::key, key, keys);
        const LogMatrix k = estimate(queries, keys);
        const double error = (k.sign(0, 0) == 0 ? 0.0 : k.sign(0, 0) * std::exp(k.log_abs(0, 0))) - mean;
        squares.add(error * error * (tilt ? weight(*tilt, drawn.omega) : 1));
    }
    return {squares.mean(), squares.standard_error()};
}

}  // namespace rfbench::features

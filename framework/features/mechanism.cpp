#include "rfbench/features/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/theory/coupling.hpp"

namespace rfbench::features {

Pair::Pair(const double* x_data, const double* y_data, Index d)
    : x(x_data, d),
      y(y_data, d),
      dimension(d),
      xx(x.squaredNorm()),
      yy(y.squaredNorm()),
      xy(x.dot(y)),
      plus((x + y).squaredNorm()),
      minus((x - y).squaredNorm()) {}

Pair::Pair(const Vector& x_vector, const Vector& y_vector) : Pair(x_vector.data(), y_vector.data(), x_vector.size()) {
    if (x_vector.size() != y_vector.size())
        throw std::invalid_argument("pair: x has " + std::to_string(x_vector.size()) + " coordinates, y has " +
                                    std::to_string(y_vector.size()));
}

Moments Moments::from_logs(double log_mean, double log_second_moment) {
    // Var = E Z^2 (1 - exp(gap)); where rounding leaves no gap there is no variance.
    const double gap = 2 * log_mean - log_second_moment;
    const double log_variance =
        gap < 0 ? log_second_moment + std::log(-std::expm1(gap)) : -std::numeric_limits<double>::infinity();
    return {log_mean, log_second_moment, log_variance};
}

void MechanismWithMoments::log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const {
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j)
            out(i, j) = moments(Pair(x.row(i).data(), y.row(j).data(), x.cols())).log_variance;
}

namespace {

/// Columns first, first + 1, ... of u become quantiles of the mechanism's law.
void apply_quantile(const std::function<double(Index, double)>& quantile, Eigen::Ref<Projections> u) {
    for (Index m = 0; m < u.cols(); ++m)
        for (Index l = 0; l < u.rows(); ++l) u(l, m) = quantile(l, u(l, m));
}

void require_draws(Index count) {
    if (count < 1)
        throw std::invalid_argument("draw: the count is " + std::to_string(count) + "; at least 1 is needed");
}

/// Stream from which the columns of one group are drawn.
Stream group_stream(const Stream& stream, std::size_t group) { return stream.child("group").child(group); }

std::string schemes_with_uniforms() {
    std::string names;
    for (const sampling::Scheme& scheme : sampling::catalogue())
        if (scheme.uniforms) names += (names.empty() ? "" : ", ") + scheme.name;
    return names;
}

}  // namespace

Draw draw(const Mechanism& mechanism, Index dimension, Index count, const sampling::Scheme& scheme,
          const Stream& stream) {
    require_draws(count);
    const auto quantile = mechanism.quantile();
    if (quantile && !scheme.uniforms)
        throw InputError("sampling '" + scheme.name + "' needs directions, and this mechanism's omega is " +
                         "discrete; it can be drawn by " + schemes_with_uniforms());
    const std::vector<Index> groups = mechanism.groups(count);
    const Index total = std::accumulate(groups.begin(), groups.end(), Index{0});
    Draw result;
    result.omega.resize(dimension, total);
    Index first = 0;
    // Columns are coupled within a group; groups are independent, each by a stream of its own.
    for (std::size_t g = 0; g < groups.size(); ++g) {
        auto columns = result.omega.middleCols(first, groups[g]);
        const Stream own = group_stream(stream, g);
        if (quantile) {
            scheme.uniforms(own, columns);
            apply_quantile(quantile, columns);
        } else {
            scheme.normals(own, columns);
        }
        first += groups[g];
    }
    if (mechanism.has_phase()) {
        Stream phases = stream.child("phase");
        result.phase.resize(total);
        for (Index m = 0; m < total; ++m) result.phase[m] = 2 * M_PI * phases.uniform();
    }
    return result;
}

Projections draw_normals(Index dimension, Index count, const sampling::Scheme& scheme, const Stream& stream) {
    require_draws(count);
    Projections omega(dimension, count);
    scheme.normals(group_stream(stream, 0), omega);
    return omega;
}

std::optional<double> estimator_log_variance(const MechanismWithMoments& mechanism, const Pair& pair,
                                             const sampling::Scheme& scheme, Index count) {
    if (!scheme.exact_marginals) return {};
    const double log_variance = mechanism.moments(pair).log_variance;
    const double independent = log_variance - std::log(static_cast<double>(count));
    const std::vector<Index> groups = mechanism.groups(count);
    // Groups of a single draw couple nothing.
    const bool single = *std::max_element(groups.begin(), groups.end()) == 1;
    if (scheme.coupling == sampling::Coupling::independent || single) return independent;
    const auto covariance = mechanism.covariance(pair, scheme.coupling);
    if (!covariance || groups.size() != 1) return {};
    // Antithetic draws are coupled in pairs, others in blocks of as many as there are dimensions.
    const Index block = scheme.coupling == sampling::Coupling::antithetic ? 2 : pair.dimension;
    return theory::coupled_log_variance(log_variance, *covariance, count, theory::coupled_pairs(count, block));
}

}  // namespace rfbench::features

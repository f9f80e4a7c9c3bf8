#include "rfbench/dof/optimal_density.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rfbench/dof/spectrum.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench::dof {

constexpr double min_acceptance = 1e-5;

OptimalDensity::OptimalDensity(const PointsView& points, double lambda) : points_(points) {
    if (!(lambda > 0))
        throw std::invalid_argument("optimal density: lambda is " + shortest_text(lambda) + "; it must be positive");
    const Spectrum spectrum = softmax_spectrum(points);
    const double count = static_cast<double>(points.rows()), root = std::sqrt(static_cast<double>(points.cols()));
    const Vector diagonal = points.rowwise().squaredNorm() / root;
    const double highest = diagonal.maxCoeff();
    cumulative_ = (diagonal.array() - highest).exp();
    for (Index i = 1; i < cumulative_.size(); ++i) cumulative_[i] += cumulative_[i - 1];
    const double total = cumulative_[cumulative_.size() - 1];
    log_trace_ = highest + std::log(total);
    cumulative_ /= total;
    if (std::isinf(lambda)) return;

    // lambda N / tr S, of which tr S may be beyond double's range.
    acceptance_ = std::exp(std::log(lambda) + std::log(spectrum.degrees(lambda)) - spectrum.log_trace());
    if (acceptance_ < min_acceptance)
        throw std::invalid_argument("optimal density: with lambda = " + shortest_text(lambda) + " a share of " +
                                    shortest_text(acceptance_) +
                                    " of the proposals would be accepted; take a larger lambda");
    // The entries stay within double's range: lambda is not far below tr S, their mean on the diagonal.
    const Eigen::MatrixXd logs = points_ * points_.transpose() / root;
    const Eigen::MatrixXd gram = (logs.array() - std::log(count * lambda)).exp();
    solver_ = decompositions::Cholesky(gram + Eigen::MatrixXd::Identity(points.rows(), points.rows()));
}

Vector OptimalDensity::propose(Stream& stream) const {
    // A component of the mixture, by the quantile of its weights; the last one has what rounding leaves of their sum.
    const auto chosen = std::lower_bound(cumulative_.begin(), std::prev(cumulative_.end()), stream.uniform());
    const double scale = 2 * std::pow(static_cast<double>(points_.cols()), -0.25);
    Vector z = scale * points_.row(std::distance(cumulative_.begin(), chosen)).transpose();
    for (double& entry : z) entry += stream.normal();
    return z;
}

std::pair<double, double> OptimalDensity::forms(const Vector& z) const {
    Vector phi = log_features(points_, z).col(0);
    const double highest = phi.maxCoeff();
    phi = (phi.array() - highest).exp();
    const double square = phi.squaredNorm();
    // phi is relative to exp(highest), which cancels in the quotient.
    const double quotient = limit() ? 1 : solver_.solve_lower(phi).squaredNorm() / square;
    return {2 * highest + std::log(square), quotient};
}

Vector OptimalDensity::log_density(const Projections& z) const {
    Vector logs(z.cols());
    for (Index m = 0; m < z.cols(); ++m) {
        const auto [log_square, quotient] = forms(z.col(m));
        // q_lambda / q_inf = quotient / acceptance
        logs[m] = log_square - log_trace_ + std::log(quotient) - std::log(acceptance_);
    }
    return logs;
}

WeightedFeatures OptimalDensity::draw(Index count, const Stream& stream) const {
    WeightedFeatures drawn{Projections(points_.cols(), count), {}};
    for (Index m = 0; m < count; ++m) {
        Stream own = stream.child(static_cast<std::uint64_t>(m));
        Vector z = propose(own);
        // q_lambda / q_inf is the quotient up to a constant, and the quotient is at most 1: the probability of
        // acceptance.
        while (!limit() && !(own.uniform() <= forms(z).second)) z = propose(own);
        drawn.points.col(m) = z;
    }
    drawn.log_weights = -log_density(drawn.points);
    return drawn;
}

}  // namespace rfbench::dof

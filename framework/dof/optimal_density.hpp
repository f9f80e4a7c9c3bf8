#pragma once
#include "rfbench/decompositions/cholesky.hpp"
#include "rfbench/dof/weighted_features.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::dof {

/// The densities from which positive features of the softmax kernel are drawn best for a law of points, which a sample
/// x_1 .. x_J stands for (Bach 2017; Nishikawa, Higuchi and Suzuki 2025, section 3.1). With respect to N(0, I):
///
///     q_lambda(z) = phi(z)' (K + J lambda I)^-1 phi(z) / N_lambda,   phi(z)_i = phi(x_i; z), K the Gram matrix
///
/// and its limit for large lambda, q_inf(z) = |phi(z)|^2 / tr K: a mixture of N(2 x_i d^(-1/4), I) with weights
/// K_ii / tr K, which is drawn directly. q_lambda is drawn from it by rejection; a share lambda N_lambda / tr S of the
/// proposals is accepted, S = K / J.
class OptimalDensity {
public:
    /// lambda: the regularisation, or infinity for q_inf. Throws std::invalid_argument for no points, entries that are
    /// not finite, lambda not above 0, or one so small that less than one proposal in 10^5 would be accepted (it says
    /// which share would be).
    OptimalDensity(const PointsView& points, double lambda);

    /// The expected share of proposals that are accepted; 1 for q_inf.
    double acceptance() const { return acceptance_; }

    /// log q(z) with respect to N(0, I), for each column of z.
    Vector log_density(const Projections& z) const;

    /// M points from q with weights 1 / q. Point m depends on the stream and m alone.
    WeightedFeatures draw(Index count, const Stream&) const;

private:
    bool limit() const { return !(acceptance_ < 1); }
    Vector propose(Stream&) const;
    /// log |phi|^2 and the quotient phi' (K + J lambda I)^-1 phi J lambda / |phi|^2, at most 1.
    std::pair<double, double> forms(const Vector& z) const;

    Points points_;
    Vector cumulative_;  // of K_ii / tr K
    double log_trace_;   // log tr K
    double acceptance_ = 1;
    decompositions::Cholesky solver_;  // of (K / (J lambda) + I), where lambda is finite
};

}  // namespace rfbench::dof

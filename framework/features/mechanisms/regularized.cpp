#include <cmath>
#include <stdexcept>

#include "rfbench/features/maps/exponential_map.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/log_expm1.hpp"
#include "rfbench/random/length.hpp"
#include "rfbench/theory/chebyshev.hpp"
#include "rfbench/theory/coupling.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// log 0F1(; d/2; d q / 4): log of exp(s) K_reg at |x + y|^2 = q.
double log_mean_factor(double d, double q) { return theory::log_hypergeometric_0f1(0.5 * d, 0.25 * d * q); }

/// log (E Z^2 / K_reg^2) at |x + y|^2 = q; about q for small q.
double log_excess(double d, double q) {
    return theory::log_hypergeometric_0f1(0.5 * d, d * q) - 2 * log_mean_factor(d, q);
}

class Regularized final : public MechanismWithMoments {
public:
    Settings parameters() const override { return {}; }
    Index columns(Index count) const override { return count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        const double length = std::sqrt(static_cast<double>(draw.omega.rows()));
        Projections directions = draw.omega;
        for (Index m = 0; m < directions.cols(); ++m) {
            const double norm = length_in_order(directions.col(m));
            if (norm == 0) throw std::invalid_argument("regularized: omega is the zero vector, which has no direction");
            directions.col(m) *= length / norm;
        }
        const ExponentialSide side{directions, Vector::Zero(directions.cols()), {.isotropic = -1}};
        return exponential_map(side, side);
    }

    Moments moments(const Pair& pair) const override {
        const double d = static_cast<double>(pair.dimension);
        const double log_mean = log_mean_factor(d, pair.plus) - pair.norms();
        const double excess = log_excess(d, pair.plus);
        return {log_mean, 2 * log_mean + excess, 2 * log_mean + log_expm1(excess)};
    }

    void log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override {
        // Both logs are |x + y|^2 times a smooth, even function of |x + y|.
        const double d = static_cast<double>(x.cols());
        const Vector xx = x.rowwise().squaredNorm();
        const Vector yy = y.rowwise().squaredNorm();
        const double longest = (std::sqrt(xx.maxCoeff()) + std::sqrt(yy.maxCoeff())) * (1 + 1e-12) + 1e-150;
        // The functions bend within some sqrt(d) of 0: an interpolant up to here has nodes enough there.
        if (longest > 1000 * std::sqrt(d)) return MechanismWithMoments::log_variances(x, y, out);
        const auto over_square = [&](double (*f)(double, double)) {
            // At 0 the quotient is 0 / 0; so near to it, it has its limit to rounding.
            const double shortest = 1e-9 * longest;
            return theory::Chebyshev(
                [=](double length) {
                    const double q = std::pow(std::max(length, shortest), 2);
                    return f(d, q) / q;
                },
                0, longest, 1e-14);
        };
        const theory::Chebyshev mean = over_square(log_mean_factor);
        const theory::Chebyshev excess = over_square(log_excess);
        Eigen::ArrayXd plus(y.rows()), length(y.rows()), log_mean(y.rows()), gap(y.rows());
        for (Index i = 0; i < x.rows(); ++i) {
            plus = (y.rowwise() + x.row(i)).rowwise().squaredNorm();
            length = plus.sqrt().min(longest);
            mean.evaluate(length, log_mean);
            excess.evaluate(length, gap);
            gap *= plus;
            // log(exp(gap) - 1) without overflow
            out.row(i) = (2 * (log_mean * plus - xx[i] - yy.array()) + gap + (1 - (-gap).exp()).log()).transpose();
            // 1 - exp(-gap) cancels where the gap is small.
            for (Index j = 0; j < y.rows(); ++j)
                if (gap[j] < 1e-3)
                    out(i, j) = 2 * (log_mean[j] * plus[j] - xx[i] - yy[j]) + std::log(std::expm1(gap[j]));
        }
    }

    std::optional<theory::SignedLog> covariance(const Pair& pair, sampling::Coupling coupling) const override {
        switch (coupling) {
            case sampling::Coupling::orthogonal:
                return theory::orthogonal_covariance_regularized(pair.dimension, pair.plus, pair.norms());
            case sampling::Coupling::simplex:
                return theory::simplex_covariance_regularized(pair.dimension, pair.plus, pair.norms());
            case sampling::Coupling::antithetic: {
                // Z(w) Z(-w) = exp(-2s), and K_reg >= exp(-s)
                const double factor = log_mean_factor(static_cast<double>(pair.dimension), pair.plus);
                return theory::SignedLog{2 * (factor - pair.norms()) + std::log(-std::expm1(-2 * factor)), -1};
            }
            default: return {};
        }
    }
};

std::unique_ptr<MechanismWithMoments> fit_regularized(const Statistics&, const Settings&) {
    return std::make_unique<Regularized>();
}

}  // namespace

const MechanismInfo& regularized() {
    static const MechanismInfo info{
        .name = "regularized",
        .paper_name = "RegRF",
        .summary = "positive features with omegas of fixed length sqrt(d); bounded, and biased: K_reg <= K",
        .features = "f(x) = exp(sqrt(d) w.x / |w| - |x|^2) on both sides, w ~ N(0, I)",
        .variance =
            "E Z = K_reg = exp(-s) 0F1(; d/2; d |x+y|^2 / 4), E Z^2 = exp(-2s) 0F1(; d/2; d |x+y|^2), "
            "s = |x|^2 + |y|^2; the estimate is of K_reg",
        .reference = "Choromanski et al. 2021; Likhosherstov 2022, (4.5), Theorem 7",
        .cost = "no fit; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {},
        .positive = true,
        .unbiased = false,
        .differentiable = true,
        .couplings = {sampling::Coupling::orthogonal, sampling::Coupling::simplex, sampling::Coupling::antithetic},
        .fit = fit_regularized};
    return info;
}

}  // namespace rfbench::features

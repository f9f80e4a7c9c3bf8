#include "rfbench/features/optimal_discrete.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/features/discrete_mechanism.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// Mass of a geometric law 2^-(k+1) mixed in, so that every k has a positive probability and the estimate is unbiased for
/// points beyond those it was fitted to. It costs log E Z^2 at most this much a coordinate.
constexpr double tail_mass = 1e-12;

double log_tail(double k) { return std::log(tail_mass) - (k + 1) * M_LN2; }

class OptimalDiscrete final : public DiscreteMechanism {
public:
    /// log_weights: d x K, the law up to a factor a row.
    explicit OptimalDiscrete(Eigen::MatrixXd log_weights) : log_law_(std::move(log_weights)) {
        cumulative_.resize(log_law_.rows(), log_law_.cols());
        for (Index l = 0; l < log_law_.rows(); ++l) {
            const double high = log_law_.row(l).maxCoeff();
            const double log_sum = high + std::log((log_law_.row(l).array() - high).exp().sum());
            double sum = 0;
            for (Index k = 0; k < log_law_.cols(); ++k) {
                const double own = log_law_(l, k) - log_sum + std::log1p(-tail_mass);
                log_law_(l, k) = theory::log_add(own, log_tail(static_cast<double>(k)));
                sum += std::exp(log_law_(l, k));
                cumulative_(l, k) = sum;
            }
        }
    }

    Settings parameters() const override {
        std::vector<double> means;
        for (Index l = 0; l < log_law_.rows(); ++l) {
            double mean = 0;
            for (Index k = 0; k < log_law_.cols(); ++k) mean += static_cast<double>(k) * std::exp(log_law_(l, k));
            means.push_back(mean);
        }
        return {{"mean", means}};
    }
    std::function<double(Index, double)> quantile() const override {
        return [this](Index l, double u) {
            const auto row = cumulative_.row(l);
            const auto found = std::lower_bound(row.begin(), row.end(), u);
            if (found != row.end()) return static_cast<double>(found - row.begin());
            // Beyond the table P(X > k) = tail_mass 2^-(k+1).
            return std::max(static_cast<double>(row.size()), std::ceil(-std::log2((1 - u) / tail_mass) - 1));
        };
    }
    double log_probability(Index l, double k) const override {
        return k < static_cast<double>(log_law_.cols()) ? log_law_(l, static_cast<Index>(k)) : log_tail(k);
    }

    double log_excess(Index l, double x, double y) const override {
        // log sum_k Poisson(k; x^2) Poisson(k; y^2) / p_k + (x - y)^2, relative to the largest term.
        const double product = std::abs(x * y);
        if (product == 0) return -log_probability(l, 0) - 2 * x * y;
        const double log_square = 2 * std::log(product);
        double high = -std::numeric_limits<double>::infinity();
        double sum = 0;
        for (double k = 0;; ++k) {
            const double term = k * log_square - 2 * theory::log_gamma(k + 1) - log_probability(l, k);
            if (term > high) {
                sum = sum * std::exp(high - term) + 1;
                high = term;
            } else {
                sum += std::exp(term - high);
            }
            // Past the table the ratio of terms is 2 x^2 y^2 / (k+1)^2 and falls.
            const bool past = k >= static_cast<double>(log_law_.cols()) && (k + 1) * (k + 1) > 4 * product * product;
            if ((past || k > product) && term < high - 42) break;
        }
        return std::max(0.0, high + std::log(sum) - 2 * x * y);
    }

private:
    Eigen::MatrixXd log_law_;
    Points cumulative_;
};

std::unique_ptr<Mechanism> fit_optimal_discrete(const Statistics& statistics, const Settings&) {
    const Eigen::MatrixXd& x = statistics.x.log_poisson_moments;
    const Eigen::MatrixXd& y = statistics.y.log_poisson_moments;
    // Beyond the shorter table one of the factors is nothing.
    const Index terms = std::min(x.cols(), y.cols());
    return std::make_unique<OptimalDiscrete>(0.5 * (x.leftCols(terms) + y.leftCols(terms)));
}

}  // namespace

const MechanismInfo& optimal_discrete() {
    static const MechanismInfo info{
        .name = "optimal-discrete",
        .paper_name = "ours",
        .summary = "signed monomials with, for each coordinate, the law of least variance over the two sets",
        .features = "f(x) = exp(-|x|^2/2) prod_l x_l^w_l (w_l! p_l,w_l)^(-1/2) on both sides, "
                    "p_lk prop. to sqrt(E[exp(-x_l^2) x_l^2k] E[exp(-y_l^2) y_l^2k]) / k!",
        .variance = "mean of E Z^2 over pairs = prod_l (sum_k sqrt(s_lk)/k!)^2; one pair: exp(2 sum |x_l y_l| - |x|^2 - |y|^2)",
        .reference = "ours, for the open question of Likhosherstov 2022, 6.4.2",
        .cost = "fit O((L + L') d K), K powers that count; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {},
        .discrete = true,
        .fit = fit_optimal_discrete};
    return info;
}

}  // namespace rfbench::features

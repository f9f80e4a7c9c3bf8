#include "rfbench/features/tabulated_law.hpp"

#include <algorithm>
#include <cmath>

#include "rfbench/features/tail_table.hpp"
#include "rfbench/theory/log_factorial.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
double TabulatedLaw::log_smoothing(double k) const {
    const double size = static_cast<double>(log_law_.cols());
    const double log_mass = std::log(0.5 * tail_mass);
    return k < size ? log_mass - std::log(size) : log_mass + std::log(-std::expm1(log_ratio_)) + (k - size) * log_ratio_;
}

TabulatedLaw::TabulatedLaw(const Eigen::MatrixXd& log_weights)
    : log_ratio_(std::log(std::max(0.5, 1 - 10 / std::sqrt(static_cast<double>(log_weights.cols()))))),
      log_law_(log_weights.rows(), log_weights.cols()),
      log_half_weights_(log_law_.rows(), log_law_.cols()) {
    const Index terms = log_law_.cols();
    for (Index l = 0; l < log_law_.rows(); ++l) {
        const double high = log_weights.row(l).maxCoeff();
        const double log_sum = high + std::log((log_weights.row(l).array() - high).exp().sum());
        Vector tails(terms);
        double tail = 0.5 * tail_mass;
        for (Index k = terms - 1; k >= 0; --k) {
            const double order = static_cast<double>(k);
            const double own = log_weights(l, k) - log_sum + std::log1p(-tail_mass);
            log_law_(l, k) = theory::log_add(own, log_smoothing(order));
            log_half_weights_(l, k) = -theory::log_factorial(order) - 0.5 * log_law_(l, k);
            tails[k] = tail;
            tail += std::exp(log_law_(l, k));
        }
        tails_.push_back(std::move(tails));
    }
}

double TabulatedLaw::log_probability(Index l, double k) const {
    return k < static_cast<double>(log_law_.cols()) ? log_law_(l, static_cast<Index>(k)) : log_smoothing(k);
}

double TabulatedLaw::log_half_weight(Index l, Index k) const {
    if (k < log_law_.cols()) return log_half_weights_(l, k);
    const double order = static_cast<double>(k);
    return -theory::log_factorial(order) - 0.5 * log_smoothing(order);
}

double TabulatedLaw::tail(Index l, Index k) const {
    if (k < log_law_.cols()) return tails_[static_cast<std::size_t>(l)][k];
    return 0.5 * tail_mass * std::exp(static_cast<double>(k + 1 - log_law_.cols()) * log_ratio_);
}

double TabulatedLaw::quantile(Index l, double u) const {
    const double k = static_cast<double>(quantile_in(tails_[static_cast<std::size_t>(l)], u));
    const double size = static_cast<double>(log_law_.cols());
    if (k < size) return k;
    // P(X > k) = m r^(k + 1 - K) / 2 <= 1 - u.
    return std::max(size, std::ceil(size - 1 + std::log(2 * (1 - u) / tail_mass) / log_ratio_));
}

std::vector<double> TabulatedLaw::means() const {
    // E X = sum_k P(X > k); beyond the table a geometric series.
    const double beyond = 0.5 * tail_mass / std::expm1(-log_ratio_);
    std::vector<double> result;
    for (const Vector& tails : tails_) result.push_back(tails.sum() + beyond);
    return result;
}

}  // namespace rfbench::features

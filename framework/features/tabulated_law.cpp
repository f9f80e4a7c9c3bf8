#include "rfbench/features/tabulated_law.hpp"

#include <algorithm>
#include <cmath>

#include "rfbench/features/tail_table.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

double log_geometric(double k) { return std::log(TabulatedLaw::tail_mass) - (k + 1) * M_LN2; }

}  // namespace

TabulatedLaw::TabulatedLaw(const Eigen::MatrixXd& log_weights)
    : log_law_(log_weights.rows(), log_weights.cols()), log_half_weights_(log_law_.rows(), log_law_.cols()) {
    const Index terms = log_law_.cols();
    for (Index l = 0; l < log_law_.rows(); ++l) {
        const double high = log_weights.row(l).maxCoeff();
        const double log_sum = high + std::log((log_weights.row(l).array() - high).exp().sum());
        Vector tails(terms);
        double tail = std::exp(log_geometric(static_cast<double>(terms - 1)));
        for (Index k = terms - 1; k >= 0; --k) {
            const double order = static_cast<double>(k);
            const double own = log_weights(l, k) - log_sum + std::log1p(-tail_mass);
            log_law_(l, k) = theory::log_add(own, log_geometric(order));
            log_half_weights_(l, k) = -theory::log_gamma(order + 1) - 0.5 * log_law_(l, k);
            tails[k] = tail;
            tail += std::exp(log_law_(l, k));
        }
        tails_.push_back(std::move(tails));
    }
}

double TabulatedLaw::log_probability(Index l, double k) const {
    return k < static_cast<double>(log_law_.cols()) ? log_law_(l, static_cast<Index>(k)) : log_geometric(k);
}

double TabulatedLaw::log_half_weight(Index l, Index k) const {
    if (k < log_law_.cols()) return log_half_weights_(l, k);
    const double order = static_cast<double>(k);
    return -theory::log_gamma(order + 1) - 0.5 * log_geometric(order);
}

double TabulatedLaw::tail(Index l, Index k) const {
    return k < log_law_.cols() ? tails_[static_cast<std::size_t>(l)][k]
                               : std::exp(log_geometric(static_cast<double>(k)));
}

double TabulatedLaw::quantile(Index l, double u) const {
    const Index k = quantile_in(tails_[static_cast<std::size_t>(l)], u);
    if (k < log_law_.cols()) return static_cast<double>(k);
    // P(X > k) = m 2^-(k+1) <= 1 - u.
    return std::max(static_cast<double>(k), std::ceil(std::log2(tail_mass / (1 - u)) - 1));
}

std::vector<double> TabulatedLaw::means() const {
    // E X = sum_k P(X > k), and beyond the table as much again as at its end.
    std::vector<double> result;
    for (const Vector& tails : tails_) result.push_back(tails.sum() + tails[tails.size() - 1]);
    return result;
}

}  // namespace rfbench::features

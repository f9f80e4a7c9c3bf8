#include "rfbench/features/mechanisms/tabulated_law.hpp"

#include <algorithm>
#include <cmath>

#include "rfbench/features/mechanisms/tail_table.hpp"
#include "rfbench/theory/log_factorial.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {

double TabulatedLaw::Coordinate::log_smoothing(double k) const {
    const double size = static_cast<double>(log_law.size());
    // Half of the small mass is spread over the table, half falls geometrically beyond it.
    const double log_mass = std::log(0.5 * tail_mass);
    return k < size ? log_mass - std::log(size) : log_mass + std::log(-std::expm1(log_ratio)) + (k - size) * log_ratio;
}

TabulatedLaw::Coordinate::Coordinate(const Vector& log_weights)
    : log_ratio(std::log(std::max(0.5, 1 - 10 / std::sqrt(static_cast<double>(log_weights.size()))))),
      log_law(log_weights.size()),
      log_half_weights(log_weights.size()),
      tails(log_weights.size()) {
    const double high = log_weights.maxCoeff();
    const double log_sum = high + std::log((log_weights.array() - high).exp().sum());
    double tail = 0.5 * tail_mass;
    // From the last k down, so that tails are added up from their smallest terms.
    for (Index k = log_law.size() - 1; k >= 0; --k) {
        const double order = static_cast<double>(k);
        const double own = log_weights[k] - log_sum + std::log1p(-tail_mass);
        log_law[k] = theory::log_add(own, log_smoothing(order));
        log_half_weights[k] = -theory::log_factorial(order) - 0.5 * log_law[k];
        tails[k] = tail;
        tail += std::exp(log_law[k]);
    }
}

TabulatedLaw::TabulatedLaw(const std::vector<Vector>& log_weights)
    : coordinates_(log_weights.begin(), log_weights.end()) {}

double TabulatedLaw::log_probability(Index l, double k) const {
    return k < static_cast<double>(table_size(l)) ? of(l).log_law[static_cast<Index>(k)] : of(l).log_smoothing(k);
}

double TabulatedLaw::log_half_weight(Index l, Index k) const {
    if (k < table_size(l)) return of(l).log_half_weights[k];
    const double order = static_cast<double>(k);
    return -theory::log_factorial(order) - 0.5 * of(l).log_smoothing(order);
}

double TabulatedLaw::tail(Index l, Index k) const {
    if (k < table_size(l)) return of(l).tails[k];
    return 0.5 * tail_mass * std::exp(static_cast<double>(k + 1 - table_size(l)) * of(l).log_ratio);
}

double TabulatedLaw::quantile(Index l, double u) const {
    const double k = static_cast<double>(quantile_in(of(l).tails, u));
    const double size = static_cast<double>(table_size(l));
    if (k < size) return k;
    // P(X > k) = m r^(k + 1 - K) / 2 <= 1 - u.
    return std::max(size, std::ceil(size - 1 + std::log(2 * (1 - u) / tail_mass) / of(l).log_ratio));
}

std::vector<double> TabulatedLaw::means() const {
    // E X = sum_k P(X > k); beyond the table a geometric series.
    std::vector<double> result;
    for (const Coordinate& own : coordinates_)
        result.push_back(own.tails.sum() + 0.5 * tail_mass / std::expm1(-own.log_ratio));
    return result;
}

}  // namespace rfbench::features

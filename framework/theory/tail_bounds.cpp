#include "rfbench/theory/tail_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/text/number.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::theory {
namespace {

constexpr double max_phi = 512, min_phi = 1e-4;  // times the greatest Z
constexpr int grid_points = 300;
/// The terms x^n / n! sum to all but 1e-15 of exp(x), x <= 512, before this n; moments of a Z <= 1 only fall.
constexpr int series_terms = 760;

double probability(double log_bound) { return std::min(0.0, log_bound); }

/// log[M(M-1) q+^2 / (4(d+2))]
double log_pairs(Index d, Index count, double plus) {
    const double m = static_cast<double>(count);
    return std::log(m * (m - 1) / (4 * static_cast<double>(d + 2))) + 2 * std::log(plus);
}

}  // namespace

double log_hoeffding(Index count, double error, double width) {
    const double ratio = error / width;
    return probability(std::log(2.0) - 2 * static_cast<double>(count) * ratio * ratio);
}

double log_theorem_20_printed(Index d, Index count, double error, double a, double norms) {
    const double exponent = norms / (2 * a) - 0.5 * static_cast<double>(d) * std::log1p(-4 * a);
    return probability(std::log(2.0) - 0.5 * static_cast<double>(count) * error * error * std::exp(exponent));
}

double log_theorem_20(Index d, Index count, double error, double a, double norms) {
    return log_hoeffding(count, error, std::exp(0.5 * static_cast<double>(d) * std::log1p(-4 * a) - norms / (4 * a)));
}

BoundedLaw regularized_law(Index d, double plus, double norms) {
    const double dimension = static_cast<double>(d);
    return {
        [=](double n) { return log_hypergeometric_0f1(0.5 * dimension, 0.25 * n * n * dimension * plus) - n * norms; },
        std::sqrt(dimension * plus) - norms};
}

BoundedLaw generalized_exponential_law(Index d, double a, double plus, double norms) {
    if (!(a < 0))
        throw std::invalid_argument("generalized_exponential_law: A is " + shortest_text(a) +
                                    "; the features are bounded for A below 0 only");
    const double dimension = static_cast<double>(d), slope = 1 - 4 * a;
    return {[=](double n) {
                return n * (0.5 * dimension * std::log(slope) - norms) - 0.5 * dimension * std::log1p(-4 * n * a) +
                       0.5 * n * n * slope * plus / (1 - 4 * n * a);
            },
            0.5 * dimension * std::log(slope) - slope * plus / (8 * a) - norms};
}

Chernoff::Chernoff(const BoundedLaw& law) : log_greatest_(law.log_greatest) {
    // With x = phi times the greatest Z, E exp(phi Z) is the sum of x^n times these coefficients, E (Z / greatest)^n /
    // n!.
    for (int n = 0; n < series_terms; ++n)
        log_moments_.push_back(n == 0 ? 0.0 : law.log_moment(n) - n * log_greatest_ - log_gamma(n + 1.0));
    const double step = std::log(max_phi / min_phi) / (grid_points - 1);
    for (int i = 0; i < grid_points; ++i) {
        const double log_x = std::log(min_phi) + i * step;
        log_phi_.push_back(log_x - log_greatest_);
        log_mgf_.push_back(log_sum(log_x));
    }
}

double Chernoff::log_moment_generating(double phi) const { return log_sum(std::log(phi) + log_greatest_); }

double Chernoff::log_sum(double log_x) const {
    double high = 0;
    for (std::size_t n = 0; n < log_moments_.size(); ++n)
        high = std::max(high, static_cast<double>(n) * log_x + log_moments_[n]);
    double sum = 0;
    for (std::size_t n = 0; n < log_moments_.size(); ++n)
        sum += std::exp(static_cast<double>(n) * log_x + log_moments_[n] - high);
    return high + std::log(sum);
}

double Chernoff::log_bound(Index count, double level) const {
    return log_bound(count, level, [](Index, double) { return -std::numeric_limits<double>::infinity(); });
}

double Chernoff::log_bound(Index count, double level, const std::function<double(Index, double)>& log_subtracted,
                           Index block) const {
    const double m = static_cast<double>(count), full = static_cast<double>(count / block);
    const Index rest = count % block;
    // Markov's inequality at every phi of the grid: the least of log(E exp(phi Z)^M - what is subtracted) - phi M
    // level.
    double best = 0;
    for (std::size_t i = 0; i < log_phi_.size(); ++i) {
        const auto log_of_block = [&](Index draws) {
            const double log_power = static_cast<double>(draws) * log_mgf_[i];
            const double gap = log_subtracted(draws, log_phi_[i]) - log_power;
            return gap >= 0 ? -std::numeric_limits<double>::infinity() : log_power + std::log1p(-std::exp(gap));
        };
        const double of_blocks = (full > 0 ? full * log_of_block(block) : 0.0) + (rest > 0 ? log_of_block(rest) : 0.0);
        best = std::min(best, of_blocks - std::exp(log_phi_[i]) * m * level);
    }
    return best;
}

double log_subtracted_theorem_8_printed(Index d, Index count, double log_phi, double plus, double norms) {
    return log_pairs(d, count, plus) + 4 * log_phi - static_cast<double>(count) * norms;
}

double log_subtracted_theorem_8(Index d, Index count, double log_phi, double plus, double norms) {
    return log_pairs(d, count, plus) + 4 * (log_phi - norms);
}

double log_subtracted_sharper(Index d, Index count, double log_phi, double plus, double norms) {
    const double c = std::exp(log_phi - norms);
    return log_pairs(d, count, plus) + 2 * (log_phi - norms) + 2 * std::log1p(c) + static_cast<double>(count) * c;
}

}  // namespace rfbench::theory

#pragma once
// Tests of laws. Every check compares a p-value with `level`: with fewer than 2,000 checks in the random and sampling
// tests together, the chance that a correct program fails any of them, over the choice of the seeds, is below 2e-6.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

namespace rfbench::tests {

constexpr double level = 1e-9;

/// P(|N(0, 1)| > |z|).
inline double two_sided(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

/// P(chi-squared with n degrees of freedom > x), by the recurrence Q(a + 1, y) = Q(a, y) + y^a e^-y / Gamma(a + 1) from
/// Q(1/2, y) = erfc(sqrt y) or Q(1, y) = e^-y; all terms are positive.
inline double chi_squared_tail(int n, double x) {
    if (x <= 0) return 1;
    const double y = x / 2;
    double a = n % 2 == 1 ? 0.5 : 1.0;
    double tail = n % 2 == 1 ? std::erfc(std::sqrt(y)) : std::exp(-y);
    for (; 2 * a < n; a += 1) tail += std::exp(a * std::log(y) - y - std::lgamma(a + 1));
    return tail;
}

/// p-value of the Kolmogorov-Smirnov test that values follow the continuous distribution function cdf (Stephens 1970).
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> values, Cdf cdf) {
    std::sort(values.begin(), values.end());
    const double n = static_cast<double>(values.size());
    double distance = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double f = cdf(values[i]), k = static_cast<double>(i);
        distance = std::max({distance, f - k / n, (k + 1) / n - f});
    }

    const double x = distance * (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n));
    if (x < 0.3) return 1;
    double sum = 0;
    for (int k = 1; k <= 100; ++k) sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
    return sum;
}

/// p-value of the chi-squared test of counts against expected counts; neighbouring cells are joined until 10 are
/// expected in each.
inline double chi_squared(const std::vector<double>& counts, const std::vector<double>& expected) {
    double statistic = 0, count = 0, mean = 0;
    int cells = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        count += counts[i];
        mean += expected[i];
        double left = 0;
        for (std::size_t j = i + 1; j < counts.size(); ++j) left += expected[j];
        if ((mean < 10 || left < 10) && i + 1 < counts.size()) continue;
        statistic += (count - mean) * (count - mean) / mean;
        ++cells;
        count = mean = 0;
    }
    return chi_squared_tail(cells - 1, statistic);
}

/// Mean of independent values with its standard error, for z-tests.
class Mean {
public:
    void add(double x) {
        ++n_;
        const double step = x - mean_;
        mean_ += step / n_;
        squares_ += step * (x - mean_);
    }
    double mean() const { return mean_; }
    double variance() const { return squares_ / (n_ - 1); }
    double error() const { return std::sqrt(variance() / n_); }
    double z(double expected) const { return (mean_ - expected) / error(); }

private:
    double n_ = 0, mean_ = 0, squares_ = 0;
};

inline std::vector<double> entries(const Eigen::Ref<const Eigen::MatrixXd>& m) {
    std::vector<double> values;
    for (Eigen::Index j = 0; j < m.cols(); ++j)
        for (Eigen::Index i = 0; i < m.rows(); ++i) values.push_back(m(i, j));
    return values;
}

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
inline double chi_cdf(int d, double x) { return 1 - chi_squared_tail(d, x * x); }

}  // namespace rfbench::tests

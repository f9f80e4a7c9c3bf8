#include "rfbench/random/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "rfbench/random/stream.hpp"

namespace rfbench {
namespace {

constexpr double largest = 0x1p62;

[[noreturn]] void refuse(const char* function, const char* name, double value, const char* allowed) {
    std::ostringstream message;
    message.precision(17);
    message << function << ": " << name << " is " << value << ", but must be " << allowed;
    throw std::invalid_argument(message.str());
}

void check_probability(const char* function, const char* name, double u) {
    if (!(u > 0 && u < 1)) refuse(function, name, u, "between 0 and 1, both excluded");
}

void check_mean(double mean) {
    if (!(mean > 0 && mean <= max_poisson_mean)) refuse("poisson_quantile", "mean", mean, "positive and at most 1e10");
}

}  // namespace

PoissonQuantile::PoissonQuantile(double mean, double smallest) {
    check_mean(mean);
    const double negligible = std::max(smallest * 0x1p-60, 0x1p-1020);
    const double mode = std::floor(mean);

    // Weights relative to the mode, outwards until they no longer count: w_{k-1} = w_k k / mean, w_{k+1} = w_k mean /
    // (k + 1). Then in ascending order of k.
    std::vector<double> weights;
    double k = mode;
    for (double w = 1; w > negligible && k > 0; k -= 1) {
        w *= k / mean;
        weights.push_back(w);
    }
    std::reverse(weights.begin(), weights.end());
    first_ = static_cast<std::int64_t>(k);
    weights.push_back(1);
    k = mode + 1;
    for (double w = mean / k; w > negligible; w *= mean / k) {
        weights.push_back(w);
        k += 1;
    }

    // Sums from either end.
    const std::size_t n = weights.size();
    below_.resize(n);
    above_.resize(n);
    for (std::size_t i = 0; i < n; ++i) below_[i] = weights[i] + (i == 0 ? 0 : below_[i - 1]);
    above_[n - 1] = 0;
    for (std::size_t i = n - 1; i > 0; --i) above_[i - 1] = above_[i] + weights[i];
    total_ = below_[n - 1];
}

std::int64_t PoissonQuantile::operator()(double u) const {
    check_probability("poisson_quantile", "u", u);

    // 1 - u is exact for u >= 1/2.
    if (u < 0.5) {
        const auto at = std::lower_bound(below_.begin(), below_.end(), u * total_);
        return first_ + (at - below_.begin());
    }
    const double rest = (1 - u) * total_;
    const auto at = std::partition_point(above_.begin(), above_.end(), [&](double tail) { return tail > rest; });
    return first_ + (at - above_.begin());
}

std::int64_t poisson_quantile(double mean, double u) {
    check_probability("poisson_quantile", "u", u);
    check_mean(mean);
    if (mean > 16 || u > 0.999) return PoissonQuantile(mean, std::min(u, 1 - u))(u);

    // The usual case, without a table: one pass from k = 0.
    std::int64_t k = 0;
    double weight = std::exp(-mean), sum = weight;
    while (sum < u) {
        ++k;
        weight *= mean / static_cast<double>(k);
        sum += weight;
    }
    return k;
}

// P(X <= k) = 1 - (1 - q)^(k+1) >= u  <=>  k + 1 >= log(1 - u) / log(1 - q).
std::int64_t geometric_quantile(double q, double u) {
    check_probability("geometric_quantile", "q", q);
    check_probability("geometric_quantile", "u", u);
    const double rate = std::log1p(-q), target = std::log1p(-u), ratio = target / rate;
    if (ratio >= largest) return static_cast<std::int64_t>(largest);

    // Rounding may put a ratio next to an integer on its wrong side.
    const auto reaches = [&](double k) { return (k + 1) * rate <= target; };
    double k = std::max(std::ceil(ratio) - 1, 0.0);
    if (k > 0 && reaches(k - 1))
        k -= 1;
    else if (!reaches(k) && reaches(k + 1))
        k += 1;
    return static_cast<std::int64_t>(k);
}

}  // namespace rfbench

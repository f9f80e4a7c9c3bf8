#include "rfbench/theory/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rfbench/text/number.hpp"

namespace rfbench::theory {
namespace {

/// Coefficients of the interpolant at n Chebyshev points of the first kind. All cosines are of multiples of pi / (2n).
std::vector<double> coefficients(const std::function<double(double)>& f, double centre, double radius, std::size_t n) {
    std::vector<double> cosine(4 * n), values(n), result(n);
    for (std::size_t m = 0; m < 4 * n; ++m)
        cosine[m] = std::cos(M_PI * static_cast<double>(m) / static_cast<double>(2 * n));
    for (std::size_t j = 0; j < n; ++j) values[j] = f(centre + radius * cosine[2 * j + 1]);
    for (std::size_t k = 0; k < n; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += values[j] * cosine[k * (2 * j + 1) % (4 * n)];
        result[k] = (k == 0 ? 1.0 : 2.0) * sum / static_cast<double>(n);
    }
    return result;
}

}  // namespace

Chebyshev::Chebyshev(const std::function<double(double)>& f, double low, double high, double tolerance)
    : centre_(0.5 * (low + high)), radius_(std::max(0.5 * (high - low), 1e-300)) {
    for (std::size_t n = 16; n <= 4096; n *= 2) {
        coefficients_ = coefficients(f, centre_, radius_, n);
        double largest = 0;
        for (const double c : coefficients_) largest = std::max(largest, std::abs(c));
        const double small = tolerance * largest;
        // The function is resolved once the last quarter of the coefficients is negligible; what is negligible at the
        // end goes.
        const bool settled = std::all_of(coefficients_.end() - static_cast<std::ptrdiff_t>(n / 4), coefficients_.end(),
                                         [&](double c) { return std::abs(c) <= small; });
        if (!settled) continue;
        while (coefficients_.size() > 1 && std::abs(coefficients_.back()) <= small) coefficients_.pop_back();
        return;
    }
    throw std::runtime_error("Chebyshev: 4096 nodes do not resolve the function on [" + shortest_text(low) + ", " +
                             shortest_text(high) + "]");
}

void Chebyshev::evaluate(const Eigen::Ref<const Eigen::ArrayXd>& points, Eigen::Ref<Eigen::ArrayXd> values) const {
    // Clenshaw's recurrence, a block of points at a time.
    constexpr Index block = 512;
    Eigen::Array<double, block, 1> t, b0, b1, b2;
    for (Index first = 0; first < points.size(); first += block) {
        const Index n = std::min(block, points.size() - first);
        t.head(n) = (points.segment(first, n) - centre_) / radius_;
        b1.head(n).setZero();
        b2.head(n).setZero();
        for (std::size_t k = coefficients_.size() - 1; k > 0; --k) {
            b0.head(n) = coefficients_[k] + 2 * t.head(n) * b1.head(n) - b2.head(n);
            b2.head(n) = b1.head(n);
            b1.head(n) = b0.head(n);
        }
        values.segment(first, n) = coefficients_[0] + t.head(n) * b1.head(n) - b2.head(n);
    }
}

}  // namespace rfbench::theory

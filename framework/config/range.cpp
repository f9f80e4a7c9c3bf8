#include "rfbench/config/range.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace rfbench::config {
namespace {

constexpr int significant_digits = 15;

// The text d.ddd...e[+-]xx with this many digits after the point.
struct Scientific {
    std::array<char, 48> text{};
    char* end = nullptr;

    Scientific(double value, int digits) {
        end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits).ptr;
    }
    int exponent() const {
        const char* at = std::find(text.data(), static_cast<const char*>(end), 'e') + 1;
        int value = 0;
        std::from_chars(*at == '+' ? at + 1 : at, end, value);
        return value;
    }
    double value(double otherwise) const {
        double result = otherwise;
        const auto read = std::from_chars(text.data(), end, result);
        return read.ec == std::errc{} && std::isfinite(result) ? result : otherwise;
    }
};

// Rounds to the decimal place that is the last of the 15 significant digits of `scale`.
double rounded(double value, double scale) {
    if (value == 0.0 || scale == 0.0) return 0.0;
    // A value below the scale loses as many digits as its exponent is lower, so that all points end at one decimal
    // place. Decimal text rounds exactly; scaling by a power of ten would round twice.
    const int dropped =
        Scientific(scale, significant_digits - 1).exponent() - Scientific(value, significant_digits - 1).exponent();
    const int digits = significant_digits - 1 - dropped;
    return digits < 0 ? 0.0 : Scientific(value, std::min(digits, significant_digits + 1)).value(value) + 0.0;
}

}  // namespace

std::vector<double> linspace(double a, double b, std::int64_t n) {
    // Both ends are weighed, instead of steps being added: no error grows along the axis, and a range backwards has the
    // same points.
    const double scale = std::max(std::abs(a), std::abs(b));
    std::vector<double> values{a};
    for (std::int64_t i = 1; i + 1 < n; ++i) {
        // The range of long double keeps the sum from overflowing.
        const long double sum = static_cast<long double>(n - 1 - i) * a + static_cast<long double>(i) * b;
        values.push_back(rounded(static_cast<double>(sum / static_cast<long double>(n - 1)), scale));
    }
    values.push_back(b);
    return values;
}

std::vector<double> logspace(double a, double b, std::int64_t n) {
    // In long double: the error of a logarithm, up to 700 in size, is the relative error of its point, where 15 digits
    // count.
    const long double log_a = std::log(static_cast<long double>(a)), log_b = std::log(static_cast<long double>(b));
    std::vector<double> values{a};
    for (std::int64_t i = 1; i + 1 < n; ++i) {
        const long double share = static_cast<long double>(i) / static_cast<long double>(n - 1);
        const auto point = static_cast<double>(std::exp(log_a * (1 - share) + log_b * share));
        values.push_back(rounded(point, point));
    }
    values.push_back(b);
    return values;
}

std::vector<double> doublings(double a, double b) {
    std::vector<double> values;
    for (double value = a; value <= b; value *= 2) values.push_back(value);
    return values;
}

}  // namespace rfbench::config

#include "rfbench/features/mechanisms/scaled_bessel_i0.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rfbench::features {
namespace {

constexpr double split = 8;
constexpr std::size_t near_terms = 32;  // the Chebyshev coefficients fall below 1e-17 of the smallest value
constexpr std::size_t far_terms = 28;

template <std::size_t N>
using Polynomial = std::array<double, N>;

/// exp(-u) I_0(u), the mean of exp(-u (1 - cos t)) over a period: the trapezoidal rule is exact to rounding for u up
/// to 1e4, the farthest node.
long double by_quadrature(long double u) {
    constexpr int nodes = 512;
    long double sum = 0;
    for (int j = 0; j < nodes; ++j)
        sum += std::exp(-u * (1 - std::cos((j + 0.5L) * std::numbers::pi_v<long double> / nodes)));
    return sum / nodes;
}

/// The powers of t of the interpolant of f at N Chebyshev nodes of [-1, 1].
template <std::size_t N, class F>
Polynomial<N> interpolate(F f) {
    std::array<long double, N> values, coefficients{}, powers{};
    const auto angle = [](std::size_t k) {
        return (static_cast<long double>(k) + 0.5L) * std::numbers::pi_v<long double> / N;
    };
    for (std::size_t k = 0; k < N; ++k) values[k] = f(std::cos(angle(k)));
    for (std::size_t j = 0; j < N; ++j)
        for (std::size_t k = 0; k < N; ++k)
            coefficients[j] +=
                (j == 0 ? 1.0L : 2.0L) / N * values[k] * std::cos(static_cast<long double>(j) * angle(k));

    // T_{j+1} = 2 t T_j - T_{j-1}, by their powers of t.
    std::array<long double, N> before{}, current{}, next{};
    before[0] = current[1] = 1;
    for (std::size_t i = 0; i < N; ++i) powers[i] = coefficients[0] * before[i] + coefficients[1] * current[i];
    for (std::size_t j = 2; j < N; ++j) {
        for (std::size_t i = 0; i < N; ++i) next[i] = (i > 0 ? 2 * current[i - 1] : 0) - before[i];
        for (std::size_t i = 0; i < N; ++i) powers[i] += coefficients[j] * next[i];
        before = current;
        current = next;
    }
    Polynomial<N> result;
    for (std::size_t i = 0; i < N; ++i) result[i] = static_cast<double>(powers[i]);
    return result;
}

/// In t = u / 4 - 1.
const Polynomial<near_terms>& near_polynomial() {
    static const auto polynomial =
        interpolate<near_terms>([](long double t) { return by_quadrature(split / 2 * (1 + t)); });
    return polynomial;
}

/// In t = 16 / u - 1.
const Polynomial<far_terms>& far_polynomial() {
    static const auto polynomial = interpolate<far_terms>([](long double t) {
        const long double u = 2 * split / (1 + t);
        return std::sqrt(u) * by_quadrature(u);
    });
    return polynomial;
}

/// Written out at compile time, so that the loops over a block below are in vector instructions.
template <std::size_t First = 0, std::size_t N>
double horner(const Polynomial<N>& c, double t) {
    if constexpr (First == N - 1)
        return c[First];
    else
        return horner<First + 1>(c, t) * t + c[First];
}

constexpr Index block = 64;

using Block = Eigen::Array<double, block, 1>;

/// values = polynomial(t)
template <std::size_t N>
void evaluate(const Polynomial<N>& c, const Block& t, Block& values) {
    const double* from = t.data();
    double* to = values.data();
#pragma omp simd
    for (Index j = 0; j < block; ++j) to[j] = horner(c, from[j]);
}

}  // namespace

void scaled_bessel_i0(Eigen::Ref<Eigen::ArrayXd> u) {
    const auto& near_c = near_polynomial();
    const auto& far_c = far_polynomial();
    Block t, near_values, far_values;
    for (Index first = 0; first < u.size(); first += block) {
        const Index n = std::min(block, u.size() - first);
        auto part = u.segment(first, n);
        const bool any_near = part.minCoeff() < split, any_far = part.maxCoeff() >= split;
        // Each polynomial sees arguments of its own range only.
        if (any_near) {
            t.setZero();
            t.head(n) = (2 / split) * part.min(split) - 1;
            evaluate(near_c, t, near_values);
        }
        if (any_far) {
            t.setZero();
            t.head(n) = 2 * split / part.max(split) - 1;
            evaluate(far_c, t, far_values);
            far_values.head(n) /= part.max(split).sqrt();
        }
        if (!any_far)
            part = near_values.head(n);
        else if (!any_near)
            part = far_values.head(n);
        else
            for (Index j = 0; j < n; ++j) part[j] = part[j] < split ? near_values[j] : far_values[j];
    }
}

}  // namespace rfbench::features

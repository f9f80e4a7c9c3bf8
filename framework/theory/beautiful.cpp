#include "rfbench/theory/beautiful.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/theory/log_factorial.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::theory {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();
constexpr int num_terms = 160;  // of even powers: convergent series are below 1e-16 of their sum long before

/// Nodes at exp(log_length) by the trapezoidal rule, which converges exponentially for densities that vanish smoothly.
template <class LogDensity>
Lengths on_grid(double low, double high, double step, double unit, LogDensity log_density) {
    Lengths law{{}, {}, false};
    double sum = 0;
    for (double s = low; s <= high; s += step) {
        const double weight = std::exp(log_density(s));
        if (weight < 1e-290) continue;
        law.length.push_back(unit * std::exp(s));
        law.weight.push_back(weight);
        sum += weight;
    }
    for (double& weight : law.weight) weight /= sum;
    return law;
}

BeautifulFunction of_one_argument(std::string name, std::string formula, std::function<double(int)> log_coefficient,
                                  std::function<double(double)> value) {
    return {std::move(name), std::move(formula), [=](int k, double) { return log_coefficient(k); },
            [=](double x, double) { return value(x); }};
}

BeautifulFunction power(const char* name, const char* formula, int exponent) {
    return of_one_argument(
        name, formula, [=](int k) { return k == exponent ? 0 : nothing; },
        [=](double x) { return std::pow(x, exponent); });
}

BeautifulFunction scaled_exponential(const char* name, const char* formula, double factor) {
    return of_one_argument(
        name, formula, [=](int k) { return std::log(factor) - log_factorial(k); },
        [=](double x) { return factor * std::exp(x); });
}

/// log E u^(2a), u a coordinate of a random direction.
double log_direction_moment(Index d, int a) {
    const double half = 0.5 * static_cast<double>(d);
    return log_gamma(half) - log_gamma(half + a) + log_half_gamma(a) - log_half_gamma(0);
}

/// log tau: E u_1^(2a) u_2^(2b) over E u^(2a) E u^(2b), below zero (Lemma 2).
double log_coupling(Index d, int a, int b) {
    const double half = 0.5 * static_cast<double>(d);
    return log_gamma(half + a) + log_gamma(half + b) - log_gamma(half) - log_gamma(half + a + b);
}

/// log of |z|^(2a) E c_2a(y) y^(2a) E u^(2a), y the length.
double log_term(const BeautifulFunction& function, const Lengths& lengths, Index d, double norm, int a) {
    double largest = nothing, sum = 0;
    std::vector<double> logs;
    for (std::size_t i = 0; i < lengths.length.size(); ++i) {
        const double y = lengths.length[i];
        const double log_power = a == 0 ? 0 : 2 * a * std::log(y * norm);
        logs.push_back(function.log_coefficient(2 * a, y) + log_power + std::log(lengths.weight[i]));
        largest = std::max(largest, logs.back());
    }
    if (largest == nothing) return nothing;
    for (const double one : logs) sum += std::exp(one - largest);
    return largest + std::log(sum) + log_direction_moment(d, a);
}

/// E f(u_1) of a coordinate of a random direction. The weight is as wide as 1 / sqrt(d), and panels get narrower with
/// it.
template <class F>
double over_direction(Index d, F f) {
    using Rule = boost::math::quadrature::gauss<double, 60>;
    const auto weight = [&](double angle) { return std::pow(std::sin(angle), static_cast<double>(d - 2)); };
    const int panels = std::max(1, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(d) / 32))));
    double mass = 0, sum = 0;
    for (int panel = 0; panel < panels; ++panel) {
        const double low = M_PI * panel / panels, high = M_PI * (panel + 1) / panels;
        mass += Rule::integrate(weight, low, high);
        sum += Rule::integrate([&](double angle) { return weight(angle) * f(std::cos(angle)); }, low, high);
    }
    return sum / mass;
}

/// E f(u_1, ..., u_M) of coordinates of one random direction in d dimensions: u_1 is its cosine with an axis, the
/// others are sin times coordinates of a direction in d - 1 dimensions. In one dimension a direction is a sign.
double over_coordinates(Index d, Index count, std::vector<double>& u, double rest,
                        const std::function<double(const std::vector<double>&)>& f) {
    if (count == 0) return f(u);
    const auto with = [&](double coordinate, double left, Index dimension) {
        u.push_back(rest * coordinate);
        const double value = over_coordinates(dimension, count - 1, u, rest * left, f);
        u.pop_back();
        return value;
    };
    if (d == 1) return 0.5 * (with(1, 0, 1) + with(-1, 0, 1));
    return over_direction(d,
                          [&](double cosine) { return with(cosine, std::sqrt((1 - cosine) * (1 + cosine)), d - 1); });
}

double subtracted(const Lengths& lengths, Index d, Index count, double norm, double phi, double log_constant) {
    const double dimension = static_cast<double>(d), m = static_cast<double>(count);
    return std::pow(phi * norm, 4) * m * (m - 1) / (4 * dimension * dimension * (dimension + 2)) *
           std::pow(lengths.second_moment(), 2) * std::exp(log_constant);
}

}  // namespace

double Lengths::second_moment() const {
    double sum = 0;
    for (std::size_t i = 0; i < length.size(); ++i) sum += weight[i] * length[i] * length[i];
    return sum;
}

Lengths constant_length(Index d) { return {{std::sqrt(static_cast<double>(d))}, {1}, true}; }

Lengths two_lengths(Index d, double p) { return {{0, std::sqrt(static_cast<double>(d) / p)}, {1 - p, p}, true}; }

Lengths chi_length(Index d, double degrees) {
    const double unit = std::sqrt(static_cast<double>(d) / degrees);
    // Beyond this, exp(degrees s) leaves the range of double, and the density is narrow: the grid is about its mode,
    // and values are relative to the largest.
    constexpr double many_degrees = 300;
    if (degrees > many_degrees) {
        const double mode = 0.5 * std::log(degrees), deviation = 1 / std::sqrt(2 * degrees);
        return on_grid(mode - 16 * deviation, mode + 16 * deviation, 0.2 * deviation, unit,
                       [=](double s) { return degrees * ((s - mode) - 0.5 * std::expm1(2 * (s - mode))); });
    }
    return on_grid(-40 / degrees, 4, 0.01, unit, [=](double s) { return degrees * s - 0.5 * std::exp(2 * s); });
}

Lengths log_normal_length(Index d, double log_deviation) {
    // E exp(2 sigma g) = exp(2 sigma^2).
    return on_grid(-12 * log_deviation, 25 * log_deviation, 0.02 * log_deviation,
                   std::sqrt(static_cast<double>(d)) * std::exp(-log_deviation * log_deviation),
                   [=](double s) { return -0.5 * s * s / (log_deviation * log_deviation); });
}

const std::vector<BeautifulFunction>& beautiful_functions() {
    static const double b = std::sqrt(1.5);
    static const std::vector<BeautifulFunction> all{
        scaled_exponential("exp", "exp(x)", 1),
        scaled_exponential("exp-small", "exp(x) / 32", 1.0 / 32),
        scaled_exponential("exp-large", "32 exp(x)", 32),
        of_one_argument(
            "cosh", "cosh(x)", [](int k) { return k % 2 == 0 ? -log_factorial(k) : nothing; },
            [](double x) { return std::cosh(x); }),
        power("square", "x^2", 2),
        power("fourth", "x^4", 4),
        {"reciprocal", "1 / (1 - x / 8)", [](int k, double) { return -k * std::log(8.0); },
         [](double x, double) { return 1 / (1 - x / 8); }, 8},
        // Generalized exponential features with A = -1/8, less what does not depend on omega.
        {"tilted", "exp(-y^2 / 4 + sqrt(1.5) x)",
         [](int k, double y) { return -0.25 * y * y + k * std::log(b) - log_factorial(k); },
         [](double x, double y) { return std::exp(-0.25 * y * y + b * x); }},
    };
    return all;
}

BeautifulMoments beautiful_moments(const BeautifulFunction& function, const Lengths& lengths, Index d, double norm) {
    if (d < 2) throw std::invalid_argument("beautiful_moments: d is " + std::to_string(d) + "; two or more are wanted");
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const double longest = lengths.bounded ? lengths.length.back() : std::numeric_limits<double>::infinity();
    if (!(longest * norm < function.radius || std::isinf(function.radius))) return {none, none, none, none};
    std::vector<double> logs;
    double mean = 0;
    for (int a = 0; a < num_terms; ++a) {
        logs.push_back(log_term(function, lengths, d, norm, a));
        mean += std::exp(logs.back());
    }
    if (!std::isfinite(mean) || std::exp(logs.back()) > 1e-16 * mean) return {none, none, none, none};
    double reduction = 0;
    for (int a = 1; a < num_terms; ++a)
        for (int b = 1; b < num_terms; ++b)
            if (const double both = logs[a] + logs[b]; both > nothing)
                reduction += std::exp(both) * -std::expm1(log_coupling(d, a, b));
    double square = 0;
    for (std::size_t i = 0; i < lengths.length.size(); ++i)
        square += lengths.weight[i] * over_direction(d, [&](double u) {
                      return std::pow(function.value(lengths.length[i] * norm * u, lengths.length[i]), 2);
                  });
    return {mean, std::exp(logs.front()), square - mean * mean, reduction};
}

double min_reduction(const BeautifulMoments& moments, Index d) {
    const double gain = moments.mean - moments.at_origin;
    return 2 * gain * gain / static_cast<double>(d + 2);
}

GeneratingFunctions generating_functions(const BeautifulFunction& function, const Lengths& lengths, Index d,
                                         Index count, double norm, double phi) {
    if (!lengths.bounded || count > d || count < 1)
        throw std::invalid_argument("generating_functions: lengths must be bounded, and draws from 1 to d");
    // All combinations of lengths, which are independent.
    const std::size_t nodes = lengths.length.size();
    std::vector<std::size_t> chosen(static_cast<std::size_t>(count), 0);
    double orthogonal = 0, one = 0;
    for (bool more = true; more;) {
        double weight = 1;
        for (const std::size_t i : chosen) weight *= lengths.weight[i];
        std::vector<double> u;
        orthogonal += weight * over_coordinates(d, count, u, 1, [&](const std::vector<double>& at) {
                          double sum = 0;
                          for (std::size_t m = 0; m < at.size(); ++m) {
                              const double y = lengths.length[chosen[m]];
                              sum += function.value(y * norm * at[m], y);
                          }
                          return std::exp(phi * sum);
                      });
        more = false;
        for (std::size_t& i : chosen) {
            if (++i < nodes) {
                more = true;
                break;
            }
            i = 0;
        }
    }
    for (std::size_t i = 0; i < nodes; ++i) {
        const double y = lengths.length[i];
        one += lengths.weight[i] *
               over_direction(d, [&](double u) { return std::exp(phi * function.value(y * norm * u, y)); });
    }
    return {orthogonal, std::pow(one, static_cast<double>(count))};
}

double subtracted_theorem_10_printed(const BeautifulFunction& function, const Lengths& lengths, Index d, Index count,
                                     double norm, double phi) {
    const double first = function.log_coefficient(1, 0), none = function.log_coefficient(0, 0);
    const double others = count > 2 ? static_cast<double>(count - 2) * none : 0;
    return subtracted(lengths, d, count, norm, phi, 2 * first + others);
}

double subtracted_theorem_10(const BeautifulFunction& function, const Lengths& lengths, Index d, Index count,
                             double norm, double phi) {
    return subtracted(lengths, d, count, norm, phi, 4 * function.log_coefficient(1, 0));
}

}  // namespace rfbench::theory

#include "rfbench/features/generalized_exponential_optimum.hpp"

#include <LBFGSB.h>

#include <cmath>
#include <stdexcept>

#include "rfbench/features/dense_exponential.hpp"
#include "rfbench/features/generalized_exponential_variance.hpp"

namespace rfbench::features {
namespace {

using Complex = std::complex<double>;

/// 8A = 1 - exp(xi) (1 - i eta): every point of the plane satisfies Re(1 - 8A) > 0.
Complex a_of(double xi, double eta) { return {-std::expm1(xi) / 8, std::exp(xi) * eta / 8}; }

/// The objective in scaled variables, which remembers the best point it has seen.
class Objective {
public:
    Objective(double t, double q, Index d, double scale, GeneralizedExponentialOptimum start)
        : t_(t),
          q_(q),
          d_(d),
          scale_(scale),
          rounding_(1e-9 + 1e-15 * q * q * std::exp(-start.log_relative)),
          best_(start) {}

    double operator()(const Vector& point, Vector& gradient) {
        const double xi = scale_ * point[0], eta = scale_ * point[1];
        const Complex a = a_of(xi, eta);
        const GeneralizedExponentialVariance variance(a, t_, d_);
        const double value = variance.log_relative(q_);
        const auto slope = variance.gradient(q_);
        gradient[0] = scale_ * (-slope.real * std::exp(xi) / 8 + slope.imaginary * a.imag());
        gradient[1] = scale_ * slope.imaginary * std::exp(xi) / 8;
        if (!std::isfinite(value) || !gradient.allFinite())
            throw std::runtime_error("generalized-exponential: the objective is not finite here");
        if (value < best_.log_relative - rounding_) best_ = {a, t_, value};
        return value;
    }

    const GeneralizedExponentialOptimum& best() const { return best_; }

private:
    double t_, q_;
    Index d_;
    double scale_;
    // What log(Var / K^2) is known to: Var is summed from terms of q^2. A complex A that is better by rounding only would
    // cost twice the columns for nothing.
    double rounding_;
    GeneralizedExponentialOptimum best_;
};

LBFGSpp::LBFGSBParam<double> solver_parameters() {
    LBFGSpp::LBFGSBParam<double> parameters;
    parameters.epsilon = 1e-9;
    parameters.epsilon_rel = 0;
    parameters.past = 1;
    parameters.delta = 1e-14;
    parameters.max_iterations = 200;
    return parameters;
}

}  // namespace

double optimal_rho_less_one(double q, double d) {
    if (q == 0) return 0;
    auto slope = [&](double x) { return d * x / (2 * (1 + x) * (2 + x)) - q / (1 + std::exp((2 + x) * q)); };
    // Bisection, by the geometric mean once both ends are positive: the root may be as small as q / d.
    double low = 0, high = M_SQRT2;
    for (int step = 0; step < 2000; ++step) {
        const double middle = low > 0 ? std::sqrt(low) * std::sqrt(high) : high / 16;
        if (middle <= low || middle >= high || middle < 1e-300) break;
        (slope(middle) < 0 ? low : high) = middle;
    }
    return high;
}

GeneralizedExponentialOptimum real_optimum(double t, double q, Index d) {
    const double dimension = static_cast<double>(d);
    double a = 0;
    if (t > 0) {
        a = optimal_a(q, dimension);
    } else {
        const double excess = optimal_rho_less_one(q, dimension);
        a = excess / (1 + excess) / 8;
    }
    return {a, t, GeneralizedExponentialVariance(a, t, d).log_relative(q)};
}

GeneralizedExponentialOptimum complex_optimum(double t, double q, Index d) {
    const GeneralizedExponentialOptimum real = real_optimum(t, q, d);
    if (!std::isfinite(real.log_relative)) return real;  // no variance: nothing to gain

    // Near A = 0 the variance changes over steps of about q / d, elsewhere of about d^{-1/2}.
    const double scale = std::min(1.0, q) / std::sqrt(static_cast<double>(d));
    const double start = std::log1p(-8 * real.a.real());
    Objective objective(t, q, d, scale, real);
    const LBFGSpp::LBFGSBParam<double> parameters = solver_parameters();
    const Vector lower = Eigen::Vector2d(-10, -1e3) / scale, upper = Eigen::Vector2d(60, 1e3) / scale;
    for (const auto& [xi, eta] : {std::pair{start, scale / 4}, {start, scale}, {start + scale, 4 * scale}, {start, 1.0},
                                  {0.0, scale}, {start + 1, 3.0}}) {
        LBFGSpp::LBFGSBSolver<double> solver(parameters);
        Vector point = Eigen::Vector2d(xi, eta) / scale;
        double value = 0;
        try {
            solver.minimize(objective, point, value, lower, upper);
        } catch (const std::exception&) {
            // A failed line search or a value that is not finite ends this start; the best point so far stands.
        }
    }
    return objective.best();
}

}  // namespace rfbench::features

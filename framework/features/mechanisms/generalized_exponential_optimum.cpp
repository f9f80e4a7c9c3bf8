#include "rfbench/features/mechanisms/generalized_exponential_optimum.hpp"

#include <LBFGSB.h>

#include <cmath>
#include <stdexcept>

#include "rfbench/features/mechanisms/dense_exponential.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_variance.hpp"

namespace rfbench::features {
namespace {

using Complex = std::complex<double>;

/// 8A = 1 - exp(xi) (1 - i eta): every point of the plane satisfies Re(1 - 8A) > 0.
Complex a_of(double xi, double eta) { return {-std::expm1(xi) / 8, std::exp(xi) * eta / 8}; }

/// The steps in xi and eta over which the variance changes by its own size: d^{-1/2} for large q; for small q the
/// variance at A = 0 is about q (t = +1) or q^2/2 (t = -1), and d step^2 is to be of that size.
double step_scale(double t, double q, Index d) {
    const double near = std::min(1.0, q);
    return (t > 0 ? std::sqrt(near) : near) / std::sqrt(static_cast<double>(d));
}

/// The objective in variables scaled by their steps, which remembers the best point it has seen.
class Objective {
public:
    Objective(double t, double q, Index d, Complex start)
        : t_(t),
          q_(q),
          d_(d),
          scale_(step_scale(t, q, d)),
          best_{start, t, GeneralizedExponentialVariance(start, t, d).log_relative(q)} {}

    Vector point(Complex a) const {
        const double left = 1 - 8 * a.real();
        return Eigen::Vector2d(std::log1p(-8 * a.real()), 8 * a.imag() / left) / scale_;
    }

    double operator()(const Vector& point, Vector& gradient) {
        const double xi = scale_ * point[0], eta = scale_ * point[1];
        const Complex a = a_of(xi, eta);
        const GeneralizedExponentialVariance variance(a, t_, d_);
        const double value = variance.log_relative(q_);
        const auto slope = variance.gradient(q_);
        // d Re A = -exp(xi) / 8 d xi, and d Im A = Im A d xi + exp(xi) / 8 d eta.
        gradient[0] = scale_ * (-slope.real * std::exp(xi) / 8 + slope.imaginary * a.imag());
        gradient[1] = scale_ * slope.imaginary * std::exp(xi) / 8;
        if (!std::isfinite(value) || !gradient.allFinite())
            throw std::runtime_error("generalized-exponential: the objective is not finite here");
        if (value < best_.log_relative) best_ = {a, t_, value};
        return value;
    }

    const GeneralizedExponentialOptimum& best() const { return best_; }

private:
    double t_, q_;
    Index d_;
    double scale_;
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
        // A = (1 - 1/rho) / 8 from rho - 1, which may be far below one.
        const double excess = optimal_rho_less_one(q, dimension);
        a = excess / (1 + excess) / 8;
    }
    return {a, t, GeneralizedExponentialVariance(a, t, d).log_relative(q)};
}

GeneralizedExponentialOptimum descend(Complex start, double t, double q, Index d) {
    Objective objective(t, q, d, start);
    const LBFGSpp::LBFGSBParam<double> parameters = solver_parameters();
    LBFGSpp::LBFGSBSolver<double> solver(parameters);
    const double scale = step_scale(t, q, d);
    const Vector lower = Eigen::Vector2d(-10, -1e3) / scale, upper = Eigen::Vector2d(60, 1e3) / scale;
    Vector point = objective.point(start);
    double value = 0;
    try {
        solver.minimize(objective, point, value, lower, upper);
    } catch (const std::exception&) {
        // The solver reports a failed line search by throwing; best() is what the descent came to.
    }
    return objective.best();
}

GeneralizedExponentialOptimum complex_optimum(double t, double q, Index d) {
    const GeneralizedExponentialOptimum real = real_optimum(t, q, d);
    if (!std::isfinite(real.log_relative)) return real;  // no variance: nothing to gain

    // The variance is even in Im A, so the real optimum is a stationary point: descents begin beside it, near and far.
    GeneralizedExponentialOptimum best = real;
    const double scale = step_scale(t, q, d), xi = std::log1p(-8 * real.a.real());
    for (const Complex start : {a_of(xi, scale / 4), a_of(xi, scale), a_of(xi + scale, 4 * scale), a_of(xi, 1),
                                a_of(0, scale), a_of(xi + 1, 3)}) {
        const GeneralizedExponentialOptimum end = descend(start, t, q, d);
        if (end.log_relative < best.log_relative) best = end;
    }
    // Var is summed from terms of q^2, and log Var known to their rounding.
    const double rounding = 1e-9 + 1e-15 * q * q * std::exp(-real.log_relative);
    return best.log_relative < real.log_relative - rounding ? best : real;
}

}  // namespace rfbench::features

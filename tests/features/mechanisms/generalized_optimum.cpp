// The fit of generalized exponential features: closed forms against minimisation, gradients, and never worse than any
// special case.
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "catch.hpp"
#include "features/single_draws.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_optimum.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_variance.hpp"
#include "rfbench/theory/special.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;
using Complex = std::complex<double>;

TEST_CASE("The gradient of the GERF objective is its derivative", "[features][gerf]") {
    for (const Complex a : {Complex(-0.3), Complex(-0.06, 0.12), Complex(0.05, -0.1), Complex(-2, 1.5), Complex(0.01)})
        for (const double t : {1.0, -1.0})
            for (const Index d : {1, 8, 64})
                for (const double q : {0.05, 1.0, 40.0}) {
                    INFO("A = " << a << ", t = " << t << ", d = " << d << ", q = " << q);
                    const auto value = [&](Complex at) {
                        return GeneralizedExponentialVariance(at, t, d).log_relative(q);
                    };
                    const auto gradient = GeneralizedExponentialVariance(a, t, d).gradient(q);
                    // Five points: a relative error of about (h / step)^4, where f varies over steps of
                    // (1/8 - Re A) min(1, q) / d, and a few ulp(f) / h.
                    const double h = 2e-3 * (0.125 - a.real()) * std::min(1.0, q) / static_cast<double>(d);
                    const auto slope = [&](Complex direction) {
                        return (8 * (value(a + h * direction) - value(a - h * direction)) -
                                (value(a + 2 * h * direction) - value(a - 2 * h * direction))) /
                               (12 * h);
                    };
                    const double scale = 1 + std::abs(gradient.real) + std::abs(gradient.imaginary);
                    CHECK(std::abs(gradient.real - slope({1, 0})) <= 1e-7 * scale);
                    CHECK(std::abs(gradient.imaginary - slope({0, 1})) <= 1e-7 * scale);
                }
}

TEST_CASE("rho* minimises the real t = +1 second moment, and the printed (6.14) does not", "[features][gerf][errata]") {
    const auto objective = [](double rho, double h, double d) { return d * theory::gaussian_log_norm(rho) + rho * h; };
    for (const double d : {1.0, 2.0, 64.0})
        for (const double h : {1e-8, 0.01, 0.8125, 10.0, 1e4}) {
            const double rho = theory::optimal_rho(h, d);
            INFO("d = " << d << ", h = " << h << ", rho = " << rho);
            // Stationary: d (rho - 1) / (2 rho (1 + rho)) + h = 0, to rounding of its two terms.
            CHECK(std::abs(d * (rho - 1) / (2 * rho * (1 + rho)) + h) <= 4e-16 * (d / rho + h));
            for (const double factor : {0.5, 0.9, 1.1, 2.0})
                CHECK(objective(rho, h, d) <= objective(rho * factor, h, d));
        }
    // (6.14) as printed, with "- 2h - d" under the root.
    const double d = 2, h = 0.8125;
    const double printed = std::sqrt((2 * h + d) * (2 * h + d) + 8 * d * h - 2 * h - d) / (4 * h);
    CHECK(printed == Approx(1.46).epsilon(0.005));
    CHECK(std::abs(theory::optimal_rho(h, d) - 0.457781641248) <= 5e-13);
    CHECK(objective(printed, h, d) > objective(theory::optimal_rho(h, d), h, d) + 0.1);
}

TEST_CASE("The t = -1 root is the minimiser of the real second moment", "[features][gerf]") {
    for (const double d : {1.0, 2.0, 8.0, 64.0})
        for (const double q : {1e-6, 1e-3, 0.1, 0.6, 2.0, 10.0, 100.0}) {
            INFO("d = " << d << ", q = " << q);
            const double excess = optimal_rho_less_one(q, d);
            // Stationary to the rounding of the equation's sides.
            const double left = d * excess / (2 * (1 + excess) * (2 + excess));
            const double right = q / (1 + std::exp((2 + excess) * q));
            CHECK(left == Approx(right).epsilon(1e-13));
            const auto second = [&](double x) {
                return d * theory::gaussian_log_norm(1 + x) + std::log1p(std::exp(-(2 + x) * q));
            };
            const auto [at, least] = boost::math::tools::brent_find_minima(second, -0.9, 20.0, 52);
            // Brent's values are flat to sqrt(ulp) around the minimum.
            CHECK(second(excess) <= least + 1e-15);
            CHECK(std::abs(at - excess) <= 1e-6);
        }
}

TEST_CASE("The fitted GERF is never worse than its special cases", "[features][gerf]") {
    for (const Index d : {1, 2, 8, 64})
        for (const double plus : {0.0, 1e-6, 1e-3, 0.1, 1.0, 4.0, 30.0, 300.0})
            for (const double minus : {0.0, 1e-6, 1e-3, 0.1, 1.0, 4.0, 30.0, 300.0}) {
                // x + y along e1, x - y along e1 as well.
                Vector x = Vector::Zero(d), y = Vector::Zero(d);
                x[0] = (std::sqrt(plus) + std::sqrt(minus)) / 2;
                y[0] = (std::sqrt(plus) - std::sqrt(minus)) / 2;
                const Statistics one = features::statistics(Points(x.transpose()), Points(y.transpose()));
                const Pair pair(x, y);
                const double gerf = fit_with_moments(generalized_exponential(), one, {})->moments(pair).log_variance;
                INFO("d = " << d << ", plus = " << plus << ", minus = " << minus << ": " << gerf);
                CHECK_FALSE(std::isnan(gerf));
                if (std::min(pair.plus, pair.minus) == 0) CHECK(gerf == -INFINITY);
                if (gerf == -INFINITY) continue;
                const auto no_worse = [&](const MechanismInfo& info, const Settings& settings) {
                    const double other = fit_with_moments(info, one, settings)->moments(pair).log_variance;
                    // Either variance is known to a few ulps of minus^2 K^2 (at d = 1 the optimum is minus^4 K^2 / 6).
                    const double slack = 1e-9 + 1e-15 * minus * minus * std::exp(-pair.minus - gerf);
                    CHECK(gerf <= other + slack);
                };
                no_worse(positive(), {});
                no_worse(trigonometric(), {});
                no_worse(optimal_positive(), {});
                no_worse(generalized_exponential(), {{"t", 1.0}});
                no_worse(generalized_exponential(), {{"t", -1.0}});
                const double excess = optimal_rho_less_one(pair.minus, static_cast<double>(d));
                no_worse(generalized_exponential(), {{"A", Complex(excess / (8 * (1 + excess)))}, {"t", -1.0}});
                no_worse(generalized_exponential(), {{"A", Complex(-0.06, 0.12)}});
            }
}

TEST_CASE("No point of a grid over the half plane beats the fitted A", "[features][gerf]") {
    for (const Index d : {1, 3, 64})
        for (const double q : {1e-3, 0.3, 3.0, 50.0})
            for (const double t : {1.0, -1.0}) {
                const GeneralizedExponentialOptimum best = complex_optimum(t, q, d);
                INFO("d = " << d << ", q = " << q << ", t = " << t << ", A = " << best.a);
                CHECK(best.log_relative <= real_optimum(t, q, d).log_relative);
                CHECK(best.log_relative == GeneralizedExponentialVariance(best.a, t, d).log_relative(q));
                double least = best.log_relative;
                for (double xi = -3; xi < 9; xi += 0.1)
                    for (double eta = 0; eta < 40; eta = 1.15 * eta + 0.01) {
                        const Complex a((1 - std::exp(xi)) / 8, std::exp(xi) * eta / 8);
                        least = std::min(least, GeneralizedExponentialVariance(a, t, d).log_relative(q));
                    }
                CHECK(least >= best.log_relative - 1e-9);
                CHECK(best.a.imag() == 0);
            }
}

TEST_CASE("Descents from complex starts come to the real optimum", "[features][gerf]") {
    for (const Index d : {2, 8, 64})
        for (const double q : {0.01, 0.3, 3.0, 50.0})
            for (const double t : {1.0, -1.0}) {
                const GeneralizedExponentialOptimum real = real_optimum(t, q, d);
                const double near = std::min(1.0, t > 0 ? std::sqrt(q) : q);
                const double step = near / std::sqrt(static_cast<double>(d));
                for (const auto& [stretch, eta] : {std::pair{1.0, 1.0}, {1.3, -1.0}, {0.8, 1.0}}) {
                    const double left = (1 - 8 * real.a.real()) * std::pow(stretch, step);
                    const Complex start((1 - left) / 8, left * step * eta / 8);
                    const GeneralizedExponentialOptimum end = descend(start, t, q, d);
                    INFO("d = " << d << ", q = " << q << ", t = " << t << ", from " << start << " to " << end.a
                                << ", real " << real.a);
                    // The start is worse by a hundred times what the end may be.
                    CHECK(GeneralizedExponentialVariance(start, t, d).log_relative(q) > real.log_relative + 1e-5);
                    CHECK(std::abs(end.log_relative - real.log_relative) <= 1e-7);
                }
            }
}

TEST_CASE("The fit is deterministic and honours what is given", "[features][gerf]") {
    const Statistics both =
        features::statistics(normal_points(20, 5, Stream(1), 0.7), normal_points(30, 5, Stream(2), 0.4));
    const auto once = fit_with_moments(generalized_exponential(), both, {}),
               again = fit_with_moments(generalized_exponential(), both, {});
    CHECK(once->parameters() == again->parameters());
    const auto fixed = fit_with_moments(generalized_exponential(), both, {{"A", Complex(-0.1, 0.2)}})->parameters();
    CHECK(std::get<Complex>(fixed.at("A")) == Complex(-0.1, 0.2));
    for (const double t : {1.0, -1.0})
        CHECK(std::get<double>(fit_with_moments(generalized_exponential(), both, {{"t", t}})->parameters().at("t")) ==
              t);
    // The reported parameters, given back, make the same mechanism.
    CHECK(fit_with_moments(generalized_exponential(), both, once->parameters())->parameters() == once->parameters());
}

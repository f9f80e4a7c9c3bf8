// Moments of the discrete features against sums over their laws, by formulas of their own in long double, and through
// the features themselves.
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <functional>

#include "catch.hpp"
#include "features/single_draws.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "rfbench/features/mechanisms/discrete_mechanism.hpp"
#include "rfbench/features/mechanisms/scaled_bessel_i0.hpp"
#include "rfbench/features/mechanisms/tabulated_law.hpp"
#include "rfbench/random/quantiles.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

constexpr double eps = 2.3e-16;

Vector one(double v) { return Vector::Constant(1, v); }

std::unique_ptr<MechanismWithMoments> fit_pair(const MechanismInfo& info, const Vector& x, const Vector& y,
                                               const Settings& settings = {}) {
    return fit_with_moments(info, features::statistics(Points(x.transpose()), Points(y.transpose())), settings);
}

using LogLaw = std::function<long double(long double k)>;

/// E (Z/K - 1)^2 and E (Z/K)^2 of one coordinate, by a sum over the law in long double.
struct Sums {
    long double variance = 0, second = 0;
};
Sums brute_force(const LogLaw& log_law, double x, double y, int terms) {
    const long double v = static_cast<long double>(x) * y;
    Sums sums;
    for (int k = 0; k < terms; ++k) {
        const long double log_p = log_law(k);
        const long double log_ratio =
            -v + (k == 0 ? 0 : k * std::log(std::abs(v))) - std::lgamma(static_cast<long double>(k) + 1) - log_p;
        const long double own = std::exp(log_p + 2 * log_ratio);
        const long double sign = v < 0 && k % 2 == 1 ? -1 : 1;
        const long double gap = sign * std::exp(log_ratio) - 1;
        // Beyond 1e26 the square is the ratio's own; beyond 1e4932 only that can be formed.
        sums.variance += log_ratio > 60 ? own : std::exp(log_p) * gap * gap;
        sums.second += own;
    }
    return sums;
}

struct Family {
    const MechanismInfo* info;
    const char* parameter;
    std::vector<double> values;
    std::function<LogLaw(double parameter)> law;
};

std::vector<Family> families() {
    const auto poisson_law = [](double lambda) -> LogLaw {
        return [lambda](long double k) {
            return k * std::log(static_cast<long double>(lambda)) - lambda - std::lgamma(k + 1);
        };
    };
    const auto geometric_law = [](double q) -> LogLaw {
        return [q](long double k) {
            return std::log(static_cast<long double>(q)) + k * std::log1p(-static_cast<long double>(q));
        };
    };
    const auto negative_binomial_law = [](double q) -> LogLaw {
        return [q](long double k) {
            return 0.5L * std::log1p(-static_cast<long double>(q)) + k * std::log(static_cast<long double>(q)) +
                   std::lgamma(k + 0.5L) - std::lgamma(0.5L) - std::lgamma(k + 1);
        };
    };
    return {{&poisson(), "lambda", {0.02, 0.2, 1, 7}, poisson_law},
            {&geometric(), "q", {0.02, 0.3, 0.9, 0.999}, geometric_law},
            {&negative_binomial(), "q", {1e-3, 0.3, 0.8, 0.98}, negative_binomial_law}};
}

const std::vector<const MechanismInfo*>& unshifted() {
    static const std::vector<const MechanismInfo*> all{&poisson(), &geometric(), &optimal_discrete(),
                                                       &negative_binomial()};
    return all;
}

}  // namespace

TEST_CASE("Variances of one coordinate equal sums over the law", "[features][discrete]") {
    const std::vector<std::pair<double, double>> pairs{{0.7, 0.5},   {-0.7, 0.5},  {1e-3, 2e-3}, {0.05, 0.04},
                                                       {0.1, -0.03}, {0.31, 0.33}, {3, 2},       {-3, -2},
                                                       {4, -1},      {0, 1},       {0, 0}};
    for (const Family& family : families())
        for (const double value : family.values)
            for (const auto& [x, y] : pairs) {
                INFO(family.info->name << ", " << family.parameter << " = " << value << ", x = " << x << ", y = " << y);
                const auto mechanism = fit_pair(*family.info, one(x), one(y), {{family.parameter, value}});
                const Vector query = one(x), key = one(y);
                const Moments moments = mechanism->moments(Pair(query, key));
                // 4000 powers: the slowest law is the geometric with r^4000 = 0.98^4000 = 1e-35.
                const Sums sums = brute_force(family.law(value), x, y, 4000);
                const double log_kernel = -0.5 * (x - y) * (x - y);
                const double excess = static_cast<double>(std::log(sums.second));
                CHECK(moments.log_mean == Approx(log_kernel).epsilon(1e-15));
                CHECK(std::abs(moments.log_second_moment - (excess + 2 * log_kernel)) <=
                      16 * eps * (1 + std::abs(excess)));
                // The excess is a difference of terms of this size; small ones are gathered first.
                const double terms = std::abs(excess) + 4 * std::abs(x * y) + 1e-2;
                const double tolerance = 1e-12 + 8 * eps * terms / std::min(1.0, std::abs(excess));
                const double log_variance = static_cast<double>(std::log(sums.variance)) + 2 * log_kernel;
                CHECK(std::abs(moments.log_variance - log_variance) <= tolerance);
            }
}

TEST_CASE("Small optimal variances keep their digits", "[features][discrete]") {
    for (const Family& family : families())
        for (const double x : {1e-2, 0.1, 0.3, 0.6}) {
            const auto mechanism = fit_pair(*family.info, one(x), one(0.9 * x));
            const double value = std::get<double>(mechanism->parameters().at(family.parameter));
            INFO(family.info->name << ", " << family.parameter << " = " << value << ", x = " << x);
            const Sums sums = brute_force(family.law(value), x, 0.9 * x, 400);
            const Vector query = one(x), key = one(0.9 * x);
            const double log_variance = mechanism->moments(Pair(query, key)).log_variance;
            const double expected = static_cast<double>(std::log(sums.variance)) - 0.01 * x * x;
            // Poisson's best variance of one pair is zero, and what is left is rounding of lambda.
            if (family.info == &poisson())
                CHECK(log_variance < std::log(16 * eps * eps));
            else {
                // q, a 53-bit number, stands for 1 - q in the law: a relative error eps / (1 - q) there.
                const double rest = std::min(value, 1 - value);
                CHECK(std::abs(log_variance - expected) <= 1e-11 + 4 * eps / rest);
            }
        }
}

TEST_CASE("The features' own mean and second moment are those stated", "[features][discrete]") {
    // All powers up to 60 in two dimensions, weighted by the mechanism's law.
    constexpr Index powers = 60;
    Projections omega(2, powers * powers);
    for (Index j = 0; j < powers; ++j)
        for (Index i = 0; i < powers; ++i) omega.col(powers * j + i) << static_cast<double>(i), static_cast<double>(j);
    const std::vector<std::pair<Eigen::Vector2d, Eigen::Vector2d>> pairs{
        {{0.5, -0.4}, {0.3, 0.6}}, {{-0.5, -0.4}, {-0.3, -0.6}}, {{0.8, 0}, {0.7, 0.5}}, {{1.1, -0.9}, {1.2, 0.1}}};
    for (const MechanismInfo* info : unshifted())
        for (const auto& [x2, y2] : pairs) {
            const Vector x = x2, y = y2;
            INFO(info->name << ", x = " << x.transpose() << ", y = " << y.transpose());
            const auto mechanism =
                fit_with_moments(*info, features::statistics(Points{{0.5, -0.9}, {1.0, 0.3}}, Points{{0.8, 0.6}}), {});
            const auto& law = dynamic_cast<const DiscreteMechanism&>(*mechanism);
            const Vector z = tests::relative_estimates(*mechanism, x, y, omega);
            long double mean = 0, second = 0, mass = 0;
            for (Index m = 0; m < omega.cols(); ++m) {
                const double p = std::exp(law.log_probability(0, omega(0, m)) + law.log_probability(1, omega(1, m)));
                mass += p;
                mean += p * z[m];
                second += p * z[m] * z[m];
            }
            const Pair pair(x, y);
            const double relative_second = std::exp(mechanism->moments(pair).log_second_moment + pair.minus);
            // The geometric law's tail beyond 60 weighs at most 0.6^60 = 5e-14; terms carry about 100 roundings.
            CHECK(static_cast<double>(mass) == Approx(1).epsilon(1e-12));
            CHECK(static_cast<double>(mean) == Approx(1).epsilon(1e-12 * relative_second));
            CHECK(static_cast<double>(second) == Approx(relative_second).epsilon(1e-12));
        }
}

TEST_CASE("Quantiles invert the law", "[features][discrete]") {
    const Points x = normal_points(20, 2, Stream(1), 1.2), y = normal_points(20, 2, Stream(2), 0.8);
    const Statistics both = features::statistics(x, y);
    std::vector<double> levels{1e-15, 1e-6, 0.5, 0.999999, 1 - 1e-9, 1 - 1e-12, 1 - 0x1p-46, 1 - 0x1p-49};
    for (int i = 1; i < 200; ++i) levels.push_back(i / 200.0);
    for (const MechanismInfo* info : unshifted()) {
        const auto mechanism = fit_with_moments(*info, both);
        const auto& law = dynamic_cast<const DiscreteMechanism&>(*mechanism);
        const auto quantile = mechanism->quantile();
        for (Index l = 0; l < 2; ++l) {
            // tails[k] = P(X >= k)
            std::vector<long double> tails(1001, 0);
            for (int k = 999; k >= 0; --k)
                tails[static_cast<std::size_t>(k)] = tails[static_cast<std::size_t>(k) + 1] +
                                                     std::exp(static_cast<long double>(law.log_probability(l, k)));
            CHECK(static_cast<double>(tails[0]) == Approx(1).epsilon(1e-13));
            for (const double u : levels) {
                INFO(info->name << ", l = " << l << ", u = 1 - " << 1 - u);
                const std::size_t k = static_cast<std::size_t>(quantile(l, u));
                REQUIRE(k < 1000);
                // Equality to 1e-9 of the tail (1e-13 of the whole) lets a level on a step fall on either side.
                const double rest = 1 - u, slack = 1e-9 * rest + 1e-15 * (rest > 0.1 ? 100 : 0);
                CHECK(static_cast<double>(tails[k + 1]) <= rest + slack);
                CHECK(static_cast<double>(tails[k]) >= rest - slack);
            }
        }
    }
}

TEST_CASE("Poisson laws of large means are normal ones, from one table", "[features][discrete]") {
    for (const double lambda : {0.9e8, 1.1e8, 1e10}) {
        const auto quantile = fit_pair(poisson(), one(1), one(1), {{"lambda", lambda}})->quantile();
        // Cornish and Fisher: lambda + z sqrt(lambda) + (z^2 - 1) / 6, whose next term is z^3 / sqrt(lambda) / 72 and
        // less than 1 here, as the step to a whole number is. A table a number would take an hour.
        for (int i = 1; i < 100000; ++i) {
            const double z = normal_quantile(i / 100000.0);
            const double expected = lambda + z * std::sqrt(lambda) + (z * z - 1) / 6;
            if (!(std::abs(quantile(0, i / 100000.0) - expected) <= 2)) FAIL("lambda " << lambda << ", i " << i);
        }
    }
    // Optima beyond it are brought to it, and what is given beyond it is refused.
    for (const double size : {1e6, 1e100}) {
        const Statistics far = features::statistics(Points{{size}}, Points{{size}}, PoissonMoments::left_out);
        CHECK(std::get<double>(fit_with_moments(poisson(), far)->parameters().at("lambda")) == 1e10);
    }
    for (const MechanismInfo* info : {&poisson(), &poisson_shifted()})
        CHECK(refusal<InputError>([&] {
                  fit_pair(*info, one(1), one(1), {{"lambda", 1e17}});
              }) == std::string(info->name) + ": lambda = 1e+17; it must be above 0 and at most 1e+10");
}

TEST_CASE("A negative binomial near q = 1 is half a chi-squared over 1 - q", "[features][discrete]") {
    const double rest = 1e-9;
    const auto mechanism = fit_pair(negative_binomial(), one(1), one(1), {{"q", 1 - rest}});
    const auto quantile = mechanism->quantile();
    // Quantiles of chi-squared with one degree of freedom: squares of normal ones.
    for (const auto& [u, normal] : std::vector<std::pair<double, double>>{
             {0.5, 0.674489750196082}, {0.9, 1.64485362695147}, {0.999, 3.29052673149190}})
        CHECK(quantile(0, u) * rest == Approx(0.5 * normal * normal).epsilon(1e-6));
}

TEST_CASE("A negative binomial next to q = 1 has quantiles beyond 2^53", "[features][discrete]") {
    // There not every whole number is a double: half a chi-squared over 1 - q, to 1e-12, as its formula holds.
    const auto quantile = fit_pair(negative_binomial(), one(1), one(1), {{"q", 1 - 0x1p-53}})->quantile();
    for (int i = 1; i < 200; ++i) {
        const double u = i / 200.0, normal = normal_quantile(0.5 + 0.5 * u);
        INFO("u = " << u);
        CHECK(quantile(0, u) * 0x1p-53 == Approx(0.5 * normal * normal).epsilon(1e-12));
    }
}

TEST_CASE("Independent draws have the stated mean and variance", "[features][discrete]") {
    constexpr Index draws = 20000;
    const double bound = rfbench::statistics::family_wise_quantile(1e-6, 100);
    const Points xs = normal_points(50, 3, Stream(3), 0.5), ys = normal_points(50, 3, Stream(4), 0.4);
    const Vector x{{0.5, -0.3, 0.4}}, y{{0.4, 0.35, 0.3}};
    const Pair pair(x, y);
    for (const MechanismInfo* info : {&poisson(), &geometric(), &optimal_discrete(), &negative_binomial(),
                                      &poisson_shifted(), &geometric_shifted()}) {
        INFO(info->name);
        const auto mechanism = fit_with_moments(*info, features::statistics(xs, ys));
        const Draw drawn = draw(*mechanism, 3, draws, sampling::find("iid"), Stream(17));
        const Vector z = tests::relative_estimates(*mechanism, x, y, drawn.omega);
        const double mean = z.mean();
        const Eigen::ArrayXd squares = (z.array() - 1).square();
        const double variance = squares.mean();
        const double stated = std::exp(mechanism->moments(pair).log_variance + pair.minus);
        CHECK(std::abs(mean - 1) <= bound * std::sqrt(stated / static_cast<double>(draws)));
        const double error = std::sqrt((squares - variance).square().mean() / static_cast<double>(draws));
        INFO("variance " << variance << ", stated " << stated);
        CHECK(std::abs(variance - stated) <= bound * error);
    }
}

TEST_CASE("exp(-u) I0(u) by polynomials", "[features][discrete]") {
    std::vector<double> points{0, 1e-300, 1e-9, 0.1, 7.999999, 8, 8.000001, 16, 1e3, 1e4, 1e6, 1e30};
    for (int i = 0; i < 3000; ++i) points.push_back(0.02 * i);
    for (int i = 0; i < 1000; ++i) points.push_back(std::exp(0.03 * i));
    Eigen::ArrayXd values = Eigen::Map<const Eigen::ArrayXd>(points.data(), static_cast<Index>(points.size()));
    scaled_bessel_i0(values);
    double worst = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const long double u = points[i];
        // Hankel's series beyond 600, whose fifth term is below 1e-15.
        const long double r = 1 / (8 * u);
        const long double expected = u < 600 ? boost::math::cyl_bessel_i(0, u) * std::exp(-u)
                                             : (1 + r * (1 + r * (4.5L + r * (37.5L + r * 459.375L)))) /
                                                   std::sqrt(2 * 3.14159265358979323846L * u);
        worst = std::max(worst, static_cast<double>(std::abs(values[static_cast<Index>(i)] / expected - 1)));
    }
    CHECK(worst <= 4e-15);
}

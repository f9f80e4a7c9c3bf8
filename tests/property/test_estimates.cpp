// Every mechanism with every sampling: the drawn estimator's mean is the one the mechanism states, and its variance is
// the exact one wherever there is a closed form.
//
// z-tests with fixed seeds. The family-wise error level is stated below: with correct code, at most one run in a
// million of the whole family (over new seeds) would fail.
#include <cmath>

#include "catalogue_cases.hpp"
#include "catch.hpp"
#include "rfbench/features/drawn_moments.hpp"
#include "rfbench/statistics/running_moments.hpp"

using namespace rfbench;
using namespace rfbench::features;

namespace {

constexpr double family_wise_error = 1e-6;
constexpr std::uint64_t tests_in_family = 10000;  // an upper bound on the z-tests of this file

struct Example {
    Vector x, y;
};

/// Small norms, so that the fourth moments that the variance tests rest on are well estimated; both signs of
/// coordinates, and directions along e1 and the diagonal, where biased samplers are off the most.
std::vector<Example> examples(Index d) {
    Vector e = Vector::Zero(d), diagonal = Vector::Constant(d, 1 / std::sqrt(static_cast<double>(d)));
    e[0] = 1;
    Vector mixed = 0.4 * diagonal;
    mixed[d - 1] *= -1;
    return {{0.35 * e, 0.3 * e}, {-0.35 * e, -0.3 * e}, {0.35 * diagonal, 0.25 * diagonal}, {mixed, 0.5 * e}};
}

}  // namespace

TEST_CASE("Estimators have the stated mean and the exact variance", "[property]") {
    const double bound = rfbench::statistics::family_wise_quantile(family_wise_error, tests_in_family);
    for (const tests::Case& one : tests::cases()) {
        if (!one.mechanism->has_moments) continue;
        for (const auto& [d, count] : std::vector<std::pair<Index, Index>>{{2, 2}, {3, 5}, {4, 8}}) {
            const Statistics fitted_on =
                features::statistics(tests::cloud(7, 40, d, 0.4), tests::cloud(8, 40, d, 0.3, 0.1));
            const auto mechanism = fit(*one.mechanism, fitted_on);
            for (const Example& example : examples(d)) {
                INFO(one.mechanism->name << " x " << one.scheme->name << ", d = " << d << ", M = " << count
                                         << ", x = " << example.x.transpose() << ", y = " << example.y.transpose());
                const Pair pair(example.x, example.y);
                const DrawnMoments drawn = drawn_moments(*mechanism, pair, *one.scheme, count, 2000, Stream(2026));
                const double mean = std::exp(mechanism->moments(pair).log_mean);
                if (one.scheme->exact_marginals) {
                    INFO("mean " << drawn.mean << ", stated " << mean);
                    // An antithetic or constant estimator may have no variance at all: then equality to rounding.
                    const double error = drawn.mean_error + 1e-13 * mean;
                    CHECK(std::abs(drawn.mean - mean) <= bound * error);
                }
                const auto exact = estimator_log_variance(*mechanism, pair, *one.scheme, count);
                if (exact) {
                    INFO("variance " << drawn.variance << ", exact " << std::exp(*exact));
                    CHECK(std::abs(drawn.variance - std::exp(*exact)) <=
                          bound * drawn.variance_error + 1e-12 * mean * mean);
                }
            }
        }
    }
}

TEST_CASE("Unbiased mechanisms state the kernel as their mean", "[property]") {
    for (const MechanismInfo& info : catalogue()) {
        if (!info.has_moments) continue;
        INFO(info.name);
        const Points x = tests::cloud(1, 5, 4, 0.7), y = tests::cloud(2, 5, 4, 0.5, 0.2);
        const auto mechanism = fit(info, features::statistics(x, y));
        for (Index i = 0; i < 5; ++i) {
            const Pair pair(x.row(i).data(), y.row(i).data(), 4);
            const Moments moments = mechanism->moments(pair);
            if (info.unbiased)
                CHECK(moments.log_mean == Approx(pair.log_kernel()).epsilon(1e-12));
            else
                CHECK(moments.log_mean < pair.log_kernel());
            // E Z^2 = Var + (E Z)^2
            const double second = std::exp(moments.log_variance) + std::exp(2 * moments.log_mean);
            CHECK(std::exp(moments.log_second_moment) == Approx(second).epsilon(1e-10));
        }
    }
}

TEST_CASE("Mechanisms without moments say so", "[property]") {
    const Points x = tests::cloud(1, 5, 4, 0.7);
    for (const MechanismInfo& info : catalogue()) {
        if (info.has_moments) continue;
        INFO(info.name);
        CHECK_FALSE(info.unbiased);
        const auto mechanism = fit(info, features::statistics(x, x));
        CHECK_THROWS_AS(mechanism->moments(Pair(x.row(0).data(), x.row(1).data(), 4)), std::invalid_argument);
    }
}

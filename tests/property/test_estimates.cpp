// Every mechanism with every sampling: the drawn estimator's mean is the one the mechanism states, and its variance is
// the exact one wherever there is a closed form.
//
// z-tests with fixed seeds. The family-wise error level is stated below: with correct code, at most one run in a million
// of the whole family (over new seeds) would fail.
#include <cmath>
#include <limits>

#include "catalogue_cases.hpp"
#include "catch.hpp"
#include "rfbench/statistics/running_moments.hpp"

using namespace rfbench;
using namespace rfbench::features;
using rfbench::statistics::RunningMoments;

namespace {

constexpr double family_wise_error = 1e-6;
constexpr std::uint64_t tests_in_family = 10000;  // an upper bound on the z-tests of this file

struct Draws {
    RunningMoments estimate;
    double variance_error;  // standard error of the empirical variance, from the fourth moment
};

/// R independent M-feature estimates of one pair.
Draws draw_estimates(const Mechanism& mechanism, const sampling::Scheme& scheme, const Vector& x, const Vector& y,
                     Index count, int repeats) {
    const Points query = x.transpose();
    const Points key = y.transpose();
    FeatureBlock<double> queries, keys;
    std::vector<double> values;
    RunningMoments moments;
    const Stream seed(2026);
    for (int r = 0; r < repeats; ++r) {
        const auto map = mechanism.map(draw(mechanism, x.size(), count, scheme, seed.child(static_cast<std::uint64_t>(r))));
        map->evaluate(Side::query, query, queries);
        map->evaluate(Side::key, key, keys);
        const LogMatrix k = estimate(queries, keys);
        values.push_back(k.sign(0, 0) == 0 ? 0.0 : k.sign(0, 0) * std::exp(k.log_abs(0, 0)));
        moments.add(values.back());
    }
    double fourth = 0;
    for (const double v : values) fourth += std::pow(v - moments.mean(), 4) / repeats;
    const double variance = moments.variance();
    return {moments, std::sqrt(std::max(0.0, fourth - variance * variance) / repeats)};
}

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
        for (const auto& [d, count] : std::vector<std::pair<Index, Index>>{{2, 2}, {3, 5}, {4, 8}}) {
            const Statistics fitted_on = features::statistics(tests::cloud(7, 40, d, 0.4), tests::cloud(8, 40, d, 0.3, 0.1));
            const auto mechanism = fit(*one.mechanism, fitted_on);
            for (const Example& example : examples(d)) {
                INFO(one.mechanism->name << " x " << one.scheme->name << ", d = " << d << ", M = " << count << ", x = "
                                         << example.x.transpose() << ", y = " << example.y.transpose());
                const Pair pair(example.x, example.y);
                const Draws draws = draw_estimates(*mechanism, *one.scheme, example.x, example.y, count, 2000);
                const double mean = std::exp(mechanism->moments(pair).log_mean);
                if (one.scheme->exact_marginals) {
                    INFO("mean " << draws.estimate.mean() << ", stated " << mean);
                    // An antithetic or constant estimator may have no variance at all: then equality to rounding.
                    const double error = draws.estimate.standard_error() + 1e-13 * mean;
                    CHECK(std::abs(draws.estimate.mean() - mean) <= bound * error);
                }
                const auto exact = estimator_log_variance(*mechanism, pair, *one.scheme, count);
                if (exact) {
                    INFO("variance " << draws.estimate.variance() << ", exact " << std::exp(*exact));
                    CHECK(std::abs(draws.estimate.variance() - std::exp(*exact)) <=
                          bound * draws.variance_error + 1e-12 * mean * mean);
                }
            }
        }
    }
}

TEST_CASE("Unbiased mechanisms state the kernel as their mean", "[property]") {
    for (const MechanismInfo& info : catalogue()) {
        INFO(info.name);
        const Points x = tests::cloud(1, 5, 4, 0.7), y = tests::cloud(2, 5, 4, 0.5, 0.2);
        const auto mechanism = fit(info, features::statistics(x, y));
        for (Index i = 0; i < 5; ++i) {
            const Pair pair(x.row(i).data(), y.row(i).data(), 4);
            const Moments moments = mechanism->moments(pair);
            if (info.unbiased) CHECK(moments.log_mean == Approx(pair.log_kernel()).epsilon(1e-12));
            else CHECK(moments.log_mean < pair.log_kernel());
            // E Z^2 = Var + (E Z)^2
            const double second = std::exp(moments.log_variance) + std::exp(2 * moments.log_mean);
            CHECK(std::exp(moments.log_second_moment) == Approx(second).epsilon(1e-10));
        }
    }
}

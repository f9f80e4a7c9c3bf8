// Every mechanism with every sampling: the drawn estimator's mean is the one the mechanism states, and its variance is
// the exact one wherever there is a closed form.
//
// z-tests with fixed seeds. The family-wise error level is stated below: with correct code, at most one run in a
// million of the whole family (over new seeds) would fail.
#include <cmath>

#include "mechanism_cases.hpp"
#include "rfbench/features/drawn_moments.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

constexpr double family_wise_error = 1e-6;
constexpr std::uint64_t tests_in_family = 10000;  // an upper bound on the z-tests of this file

struct Example {
    Vector x, y;
};

constexpr Index repeats = 4000;

/// Small norms, so that the fourth moments that the variance tests rest on are well estimated; both signs of
/// coordinates, and directions along e1 and the diagonal, where biased samplers are off the most.
std::vector<Example> examples(Index d) {
    Vector e = Vector::Zero(d), diagonal = Vector::Constant(d, 1 / std::sqrt(static_cast<double>(d)));
    e[0] = 1;
    Vector mixed = 0.4 * diagonal;
    mixed[d - 1] *= -1;
    return {{0.35 * e, 0.3 * e}, {-0.35 * e, -0.3 * e}, {0.35 * diagonal, 0.25 * diagonal}, {mixed, 0.5 * e}};
}

/// Independent M-feature estimates of every example, a column each. One draw serves all examples: each column has the
/// law that it would have alone, and the family-wise level asks for no more.
Eigen::MatrixXd estimates(const Mechanism& mechanism, const std::vector<Example>& examples,
                          const sampling::Scheme& scheme, Index count) {
    const Index n = static_cast<Index>(examples.size()), d = examples[0].x.size();
    Points x(n, d), y(n, d);
    for (Index k = 0; k < n; ++k) {
        x.row(k) = examples[static_cast<std::size_t>(k)].x.transpose();
        y.row(k) = examples[static_cast<std::size_t>(k)].y.transpose();
    }
    Eigen::MatrixXd values(repeats, n);
    FeatureBlock<double> queries, keys;
    for (Index r = 0; r < repeats; ++r) {
        const Stream own = Stream(2026).child(static_cast<std::uint64_t>(r));
        const auto map = mechanism.map(draw(mechanism, d, count, scheme, own));
        map->evaluate(Side::query, x, queries);
        map->evaluate(Side::key, y, keys);
        const LogMatrix k = estimate(queries, keys);
        values.row(r) = (k.sign.array() * k.log_abs.array().exp()).matrix().diagonal().transpose();
    }
    return values;
}

bool can_draw(const MechanismInfo& mechanism, const sampling::Scheme& scheme) {
    return !mechanism.discrete || scheme.uniforms != nullptr;
}

}  // namespace

MECHANISM_TEST_CASE("Estimators have the stated mean and the exact variance", tests::with_moments) {
    const double bound = rfbench::statistics::family_wise_quantile(family_wise_error, tests_in_family);
    for (const sampling::Scheme& scheme : sampling::catalogue()) {
        if (!can_draw(info, scheme)) continue;
        for (const auto& [d, count] : std::vector<std::pair<Index, Index>>{{2, 2}, {3, 5}, {4, 8}}) {
            // If points x and y are alike, the fitted parameters may be next to those that change nothing: an error in
            // them does not show. In three dimensions they are not alike.
            const bool alike = d != 3;
            const Statistics fitted_on =
                features::statistics(normal_points(40, d, Stream(7), alike ? 0.4 : 0.9),
                                     normal_points(40, d, Stream(8), alike ? 0.3 : 0.25, alike ? 0.1 : 0.3));
            const auto mechanism = fit_with_moments(info, fitted_on);
            const std::vector<Example> pairs = examples(d);
            const Eigen::MatrixXd values = estimates(*mechanism, pairs, scheme, count);
            for (std::size_t k = 0; k < pairs.size(); ++k) {
                const auto& [x, y] = pairs[k];
                INFO(scheme.name << ", d = " << d << ", M = " << count << ", x = " << x.transpose()
                                 << ", y = " << y.transpose());
                const Pair pair(x, y);
                const DrawnMoments drawn =
                    moments_of({values.col(static_cast<Index>(k)).data(), static_cast<std::size_t>(repeats)});
                const double mean = std::exp(mechanism->moments(pair).log_mean);
                if (scheme.exact_marginals) {
                    INFO("mean " << drawn.mean << ", stated " << mean);
                    // An antithetic or constant estimator may have no variance at all: then equality to rounding.
                    const double error = drawn.mean_error + 1e-13 * mean;
                    CHECK(std::abs(drawn.mean - mean) <= bound * error);
                }
                const auto exact = estimator_log_variance(*mechanism, pair, scheme, count);
                if (exact) {
                    INFO("variance " << drawn.variance << ", exact " << std::exp(*exact));
                    CHECK(std::abs(drawn.variance - std::exp(*exact)) <=
                          bound * drawn.variance_error + 1e-12 * mean * mean);
                }
            }
        }
    }
}

MECHANISM_TEST_CASE("Unbiased mechanisms state the kernel as their mean", tests::with_moments) {
    const Points x = normal_points(5, 4, Stream(1), 0.7), y = normal_points(5, 4, Stream(2), 0.5, 0.2);
    const auto mechanism = fit_with_moments(info, features::statistics(x, y));
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

MECHANISM_TEST_CASE("What states moments is fitted with them, and nothing else is", tests::any_mechanism) {
    const Points x = normal_points(5, 4, Stream(1), 0.7);
    const Statistics statistics = features::statistics(x, x);
    const auto mechanism = fit(info, statistics);
    CHECK((dynamic_cast<const MechanismWithMoments*>(mechanism.get()) != nullptr) == info.has_moments());
    if (info.has_moments()) return;
    CHECK_FALSE(info.unbiased);
    CHECK_THROWS_AS(fit_with_moments(info, statistics), std::invalid_argument);
}

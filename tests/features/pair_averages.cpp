// Averages over pairs against sums over all of them, and standard errors against the errors of many samples.
#include "rfbench/features/pair_averages.hpp"

#include <cmath>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using rfbench::tests::normal_points;

namespace {

/// Numbers of rows that are no multiples of a tile's; the last row of both sets is 0, where positive features have no
/// variance.
Points cloud(const char* side, Index rows) {
    Points points = normal_points(rows, 3, Stream(4).child(side), 0.6, side == std::string("y") ? 0.3 : 0);
    points.row(rows - 1).setZero();
    return points;
}

std::unique_ptr<MechanismWithMoments> fitted(const std::string& name, const Points& x, const Points& y) {
    return fit_with_moments(find(name), features::statistics(x, y));
}

struct Sums {
    statistics::RunningMoments logs, estimators, kernels;
    std::int64_t zeros = 0;
};
Sums sums_over_pairs(const MechanismWithMoments& mechanism, const Points& x, const Points& y,
                     const sampling::Scheme& scheme, Index count) {
    Sums sums;
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j) {
            const Pair pair(x.row(i).data(), y.row(j).data(), x.cols());
            sums.kernels.add(pair.log_kernel());
            const double log = mechanism.moments(pair).log_variance;
            if (std::isinf(log)) {
                ++sums.zeros;
                continue;
            }
            sums.logs.add(log);
            sums.estimators.add(estimator_log_variance(mechanism, pair, scheme, count).value_or(NAN));
        }
    return sums;
}

}  // namespace

TEST_CASE("averages over pairs are those of all of them, whatever the tiles", "[features]") {
    const Points x = cloud("x", 700), y = cloud("y", 530);
    for (const auto& [name, sampling] :
         {std::pair("positive", "iid"), {"optimal-positive", "orthogonal"}, {"hybrid", "sobol"}}) {
        INFO(name << ", " << sampling);
        const auto mechanism = fitted(name, x, y);
        const auto& scheme = sampling::find(sampling);
        const PairAverages found = average_pairs(*mechanism, x, y, scheme, 5);
        const Sums all = sums_over_pairs(*mechanism, x, y, scheme, 5);
        CHECK(found.pairs == 700 * 530);
        CHECK(found.zeros == all.zeros);
        CHECK(found.log_variance.value == Approx(all.logs.mean()).epsilon(1e-11));
        CHECK(found.log_variance_sd == Approx(all.logs.standard_deviation()).epsilon(1e-5));
        CHECK(found.log_variance.standard_error == 0);
        CHECK(found.estimator.has_value() == !std::isnan(all.estimators.mean()));
        if (found.estimator) CHECK(found.estimator->value == Approx(all.estimators.mean()).epsilon(1e-11));
        CHECK(mean_log_kernel(x, y) == Approx(all.kernels.mean()).epsilon(1e-12));
    }
    CHECK(average_pairs(*fitted("positive", x, y), x, y, sampling::find("iid"), 1).zeros == 1);
}

TEST_CASE("averages over pairs have the same bits for any number of threads", "[features]") {
    const Points x = cloud("x", 700), y = cloud("y", 530);
    const auto mechanism = fitted("positive", x, y);
    const auto averaged = [&](int threads) {
        const parallel::OpenMpThreads own(threads);
        const auto& scheme = sampling::find("orthogonal");
        const PairAverages all = average_pairs(*mechanism, x, y, scheme, 5);
        const PairAverages drawn = average_drawn_pairs(*mechanism, x, y, scheme, 5, 33, Stream(1));
        CHECK(drawn.pairs == 33 * 64 * 64);
        return std::vector{all.log_variance.value, all.log_variance_sd,
                           all.estimator->value,   drawn.log_variance.value,
                           drawn.log_variance_sd,  drawn.log_variance.standard_error,
                           drawn.estimator->value, drawn.estimator->standard_error};
    };
    CHECK(averaged(1) == averaged(2));
}

TEST_CASE("averages over drawn pairs err as their standard errors say", "[features]") {
    // Fewer rows than a block takes, and more.
    const Points x = cloud("x", 40), y = cloud("y", 300);
    const auto mechanism = fitted("optimal-positive", x, y);
    const auto& scheme = sampling::find("orthogonal");
    const PairAverages all = average_pairs(*mechanism, x, y, scheme, 5);
    constexpr int samples = 400;
    statistics::RunningMoments errors, estimators;
    double squares = 0, stated = 0, estimators_stated = 0;
    for (int s = 0; s < samples; ++s) {
        const PairAverages drawn =
            average_drawn_pairs(*mechanism, x, y, scheme, 5, 2, Stream(2).child(std::uint64_t(s)));
        const double error = drawn.log_variance.value - all.log_variance.value;
        errors.add(error);
        estimators.add(drawn.estimator->value - all.estimator->value);
        squares += error * error / samples;
        stated += std::pow(drawn.log_variance.standard_error, 2) / samples;
        estimators_stated += std::pow(drawn.estimator->standard_error, 2) / samples;
    }
    CHECK(std::abs(errors.mean()) < 4 * errors.standard_error());
    CHECK(std::abs(estimators.mean()) < 4 * estimators.standard_error());
    // Both are means of chi squares of one degree of freedom, whose variance is 2: four standard errors of their ratio.
    const double tolerance = 4 * std::sqrt(2 * 2.0 / samples);
    CHECK(stated / squares == Approx(1).epsilon(tolerance));
    CHECK(estimators_stated / estimators.variance() == Approx(1).epsilon(tolerance));
    CHECK_THROWS_WITH(average_drawn_pairs(*mechanism, x, y, scheme, 5, 1, Stream(1)),
                      Catch::Contains("needs two blocks at least, not 1"));
}

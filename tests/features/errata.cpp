// Printed formulas that are wrong, shown failing where ours holds. Numbers of errata as in docs/mechanisms.md.
#include <cmath>
#include <functional>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/drawn_moments.hpp"
#include "rfbench/statistics/running_moments.hpp"

using namespace rfbench;
using namespace rfbench::features;

namespace {

const Vector x{{0.5, -0.25}};
const Vector y{{0.25, 0.75}};

std::unique_ptr<MechanismWithMoments> fitted(const char* name, const Settings& settings = {}) {
    return fit_with_moments(features::find(name), features::statistics(x.transpose(), y.transpose()), settings);
}

/// z-scores of the drawn variance of one feature against stated variances.
std::function<double(double stated)> variance_z(const char* name, const Settings& settings = {}) {
    const auto mechanism = fitted(name, settings);
    const auto drawn = drawn_moments(*mechanism, Pair(x, y), sampling::find("iid"), 1, 200000, Stream(5));
    return [drawn](double stated) { return (drawn.variance - stated) / drawn.variance_error; };
}

}  // namespace

TEST_CASE("(2.10): the variance of trigonometric features is (1 - K^2)^2 / 2, not (1 - K^2) / 2", "[errata]") {
    const Pair pair(x, y);
    const double k2 = std::exp(-pair.minus);
    const double ours = std::exp(fitted("trigonometric")->moments(pair).log_variance);
    CHECK(ours == Approx(0.21412573).epsilon(1e-7));
    const auto z = variance_z("trigonometric");
    CHECK(std::abs(z(ours)) < 5);
    CHECK(0.5 * (1 - k2) == Approx(0.32720).epsilon(1e-4));
    CHECK(std::abs(z(0.5 * (1 - k2))) > 50);
}

TEST_CASE("A random phase adds to the variance of a cosine feature", "[errata]") {
    const Pair pair(x, y);
    const double ours = std::exp(fitted("cosine-phase")->moments(pair).log_variance);
    const double k2 = std::exp(-pair.minus);
    CHECK(ours == Approx(1 - k2 + 0.5 * k2 * k2).epsilon(1e-14));
    CHECK(ours == Approx(0.71413).epsilon(1e-4));
    const auto z = variance_z("cosine-phase");
    CHECK(std::abs(z(ours)) < 5);
    CHECK(std::abs(z(0.5 * (1 - k2) * (1 - k2))) > 50);
    // Per real column too: two cosines cost as much as one complex exponential.
    CHECK(ours / 2 > std::exp(fitted("trigonometric")->moments(pair).log_variance));
}

TEST_CASE("After (6.10): with the printed variances of its parts the hybrid's is wrong", "[errata]") {
    const Pair pair(x, y);
    for (const bool shared : {true, false}) {
        const double ours = std::exp(fitted("hybrid", {{"shared", shared}})->moments(pair).log_variance);
        const auto z = variance_z("hybrid", {{"shared", shared}});
        CHECK(std::abs(z(ours)) < 5);
        const double k2 = std::exp(-pair.minus), k = std::exp(pair.log_kernel());
        const double theta = std::acos(pair.xy / std::sqrt(pair.xx * pair.yy));
        const double a = 1 - theta / M_PI, w = a * (1 - a);
        const double cov = shared ? -k2 * (1 - std::cos(pair.xx - pair.yy)) : 0;
        const double printed = (a * a + w) * 0.5 * (1 - k2) + ((1 - a) * (1 - a) + w) * (std::exp(4 * pair.xy) - k) +
                               2 * (a * (1 - a) - w) * cov;
        CHECK(std::abs(z(printed)) > 10);
    }
}

TEST_CASE("(6.6): a hybrid unit has (M3 + 1)(2 M1 + M2) real columns, not (M1 + 1)(...)", "[errata]") {
    const auto mechanism = fitted("hybrid", {{"M1", 3.0}, {"M2", 3.0}, {"M3", 2.0}});
    CHECK(mechanism->columns(1) == 3 * (2 * 3 + 3));
    CHECK(mechanism->map(draw(*mechanism, 2, 1, sampling::find("iid"), Stream(1)))->columns() == 27);
}

TEST_CASE("(6.20): with the printed prefactor L / L' the fitted q is worse when the sets differ in size", "[errata]") {
    Projections a(3, 50), b(3, 5);
    fill_normal(Stream(1), a);
    fill_normal(Stream(2), b);
    const Points xs = 0.5 * a.transpose(), ys = 0.5 * b.transpose();
    const Statistics right = features::statistics(xs, ys);
    Statistics printed = right;
    // L / L' times the sums in place of 1 / (L L'): the averages come out L^2 times too large.
    printed.x.mean_absolute *= 50.0 * 50.0;
    const MechanismInfo& info = features::find("geometric");
    const auto mean = [&](const MechanismWithMoments& mechanism) {
        Points logs(50, 5);
        mechanism.log_variances(xs, ys, logs);
        return logs.mean();
    };
    CHECK(mean(*fit_with_moments(info, right)) < mean(*fit_with_moments(info, printed)) - 1);
}

TEST_CASE("The shift of PoisRF+ is over all rows of both sets: else features are not positive", "[errata]") {
    const Points xs{{0.5, 0.2}, {0.1, 0.4}};
    const Points ys{{0.6, -0.9}, {-0.7, 0.3}, {-2.0, -3.0}};
    const auto mechanism = fit_with_moments(features::find("poisson-shifted"), features::statistics(xs, ys));
    const auto shift = std::get<std::vector<double>>(mechanism->parameters().at("shift"));
    CHECK(shift[0] < -2.0);
    CHECK(shift[1] < -3.0);
    CHECK(shift[0] > -2.0 - 1e-7);
}

TEST_CASE("Without the conjugate trigonometric features estimate K(x, -y)", "[errata]") {
    const Vector opposite = -y;
    const auto wrong = fitted("trigonometric", {{"conjugate", false}}), right = fitted("trigonometric");
    const auto moments = wrong->moments(features::Pair(x, y)), expected = right->moments(features::Pair(x, opposite));
    CHECK(moments.log_mean == Approx(expected.log_mean).epsilon(1e-14));
    CHECK(moments.log_variance == Approx(expected.log_variance).epsilon(1e-14));
    // On the same omegas the estimates are equal too.
    const auto draw = features::draw(*wrong, 2, 64, sampling::find("iid"), Stream(1));
    features::FeatureBlock<double> query, key, key_opposite;
    wrong->map(draw)->evaluate(features::Side::query, Points(x.transpose()), query);
    wrong->map(draw)->evaluate(features::Side::key, Points(y.transpose()), key);
    right->map(draw)->evaluate(features::Side::key, Points(opposite.transpose()), key_opposite);
    const auto ours = features::estimate(query, key), theirs = features::estimate(query, key_opposite);
    CHECK(ours.log_abs(0, 0) == Approx(theirs.log_abs(0, 0)).epsilon(1e-12));
}

TEST_CASE("Algorithm 1: without the factor 1 / sqrt M of its features the estimate is M times too large", "[errata]") {
    const Index count = 64;
    const auto positive = fitted("positive");
    const Draw own = draw(*positive, 2, count, sampling::find("iid"), Stream(9));
    double printed = 0;
    for (Index m = 0; m < count; ++m)
        printed += std::exp(own.omega.col(m).dot(x + y) - x.squaredNorm() - y.squaredNorm());
    FeatureBlock<double> query, key;
    positive->map(own)->evaluate(Side::query, Points(x.transpose()), query);
    positive->map(own)->evaluate(Side::key, Points(y.transpose()), key);
    CHECK(std::exp(estimate(query, key).log_abs(0, 0)) == Approx(printed / static_cast<double>(count)).epsilon(1e-13));
    const double k = std::exp(Pair(x, y).log_kernel());
    const double error = std::sqrt(std::exp(positive->moments(Pair(x, y)).log_variance) / static_cast<double>(count));
    CHECK(std::abs(printed / static_cast<double>(count) - k) < 5 * error);
    CHECK(printed - k > 50 * error);
}

TEST_CASE("Under Theorem 5: a variance vanishes at angle pi, or 0, only where |x| = |y|", "[errata]") {
    const auto no_variance = [](const char* name, const Vector& one, const Vector& other) {
        return std::isinf(fitted(name)->moments(Pair(one, other)).log_variance);
    };
    const Vector opposite = -x, shorter = -0.5 * x, along = 0.5 * x;
    CHECK(no_variance("positive", x, opposite));
    CHECK(!no_variance("positive", x, shorter));
    CHECK(no_variance("trigonometric", x, x));
    CHECK(!no_variance("trigonometric", x, along));
    CHECK(no_variance("hybrid", x, x));
    CHECK(no_variance("hybrid", x, opposite));
    CHECK(!no_variance("hybrid", x, along));
    CHECK(!no_variance("hybrid", x, shorter));
}

TEST_CASE("Without the conjugate hybrid features mix K(x, -y) with K(x, y): mean and variance are the stated ones",
          "[errata]") {
    // z-tests: 12 of them, none fails by chance in a million runs.
    const double bound = rfbench::statistics::family_wise_quantile(1e-6, 12);
    const Vector at{{0.5, -0.3, 0.2}}, near{{0.4, 0.5, -0.1}}, opposite{{-0.2, 0.3, -0.4}};
    for (const bool shared : {true, false})
        for (const Vector& other : {at, near, opposite}) {
            const features::Pair pair(at, other);
            const auto mechanism = features::fit_with_moments(features::find("hybrid"),
                                                              features::statistics(at.transpose(), other.transpose()),
                                                              {{"conjugate", false}, {"shared", shared}});
            const auto drawn = features::drawn_moments(*mechanism, pair, sampling::find("iid"), 1, 100'000, Stream(5));
            const auto moments = mechanism->moments(pair);
            INFO("shared " << shared << ", y = " << other.transpose());
            CHECK(std::abs(drawn.mean - std::exp(moments.log_mean)) <= bound * drawn.mean_error + 1e-13);
            CHECK(std::abs(drawn.variance - std::exp(moments.log_variance)) <= bound * drawn.variance_error + 1e-13);
            CHECK(std::exp(moments.log_second_moment) ==
                  Approx(std::exp(2 * moments.log_mean) + std::exp(moments.log_variance)).epsilon(1e-12));
        }
}

TEST_CASE("A hybrid estimate of K(x, x) has no variance", "[errata]") {
    const auto moments = fitted("hybrid")->moments(Pair(x, x));
    CHECK(moments.log_mean == 0);
    CHECK(moments.log_second_moment == 0);
    CHECK(std::isinf(moments.log_variance));
}

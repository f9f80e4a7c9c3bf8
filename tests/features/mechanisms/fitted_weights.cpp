// The mechanisms of DiJiang: radii, weights, and what the paper says of them.
#include "rfbench/features/mechanisms/fitted_weights.hpp"

#include <cmath>

#include "catch.hpp"
#include "features/single_draws.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/differentiable_map.hpp"
#include "rfbench/features/drawn_moments.hpp"
#include "rfbench/features/mechanisms/positive_fixed.hpp"
#include "rfbench/random/quantiles.hpp"
#include "rfbench/statistics/nonnegative_least_squares.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "rfbench/theory/special.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

Projections drawn(const char* sampling, Index d, Index count, std::uint64_t seed = 3) {
    Projections omega(d, count);
    sampling::find(sampling).normals(Stream(seed), omega);
    return omega;
}

/// Mean over pairs of ((1/M) sum w_m f_m(x_i) f_m(y_i) - K)^2.
double squared_error(const Projections& omega, const Vector& log_weights, double isotropic, const Points& x,
                     const Points& y) {
    rfbench::statistics::RunningMoments moments;
    for (Index i = 0; i < x.rows(); ++i) {
        const Vector sum = (x.row(i) + y.row(i)).transpose();
        const double norms = x.row(i).squaredNorm() + y.row(i).squaredNorm();
        const double estimate =
            (omega.transpose() * sum + log_weights).array().exp().mean() * std::exp(isotropic * norms);
        moments.add(std::pow(estimate - std::exp(-0.5 * (x.row(i) - y.row(i)).squaredNorm()), 2));
    }
    return moments.mean();
}

std::unique_ptr<Mechanism> fitted(const char* name, const Points& x, const Settings& settings = {}) {
    return fit(find(name), features::statistics(x, x), settings);
}

}  // namespace

TEST_CASE("normal radii are the normal quantiles of the chi probabilities of lengths; directions stay") {
    for (const Index d : {1, 2, 5, 64}) {
        const Projections omega = drawn("iid", d, 200), changed = with_normal_radii(omega);
        for (Index m = 0; m < 200; ++m) {
            const double radius = omega.col(m).dot(changed.col(m)) / omega.col(m).norm();
            CHECK((changed.col(m) - radius / omega.col(m).norm() * omega.col(m)).norm() <= 1e-14 * std::abs(radius));
            // P(chi(d) <= |w|) for d = 1 and 2 by elementary functions.
            const double length = omega.col(m).norm();
            const double t = 0.5 * std::erfc(-radius / M_SQRT2);
            if (d == 1) CHECK(t == Approx(std::erf(length / M_SQRT2)).epsilon(1e-12));
            if (d == 2) CHECK(t == Approx(-std::expm1(-length * length / 2)).epsilon(1e-12));
        }
    }
    // Far out on either side.
    const Projections extremes{{1e-200, 1e-3, 1e3}};
    const Projections changed = with_normal_radii(extremes);
    CHECK(changed.allFinite());
    CHECK(changed(0, 0) < changed(0, 1));
    CHECK(changed(0, 2) > 30);
    CHECK_THROWS_WITH(with_normal_radii(Projections::Zero(3, 2)),
                      "normal radii: omega is the zero vector, which has no direction");
}

TEST_CASE("positive-fixed with the lengths as drawn is positive: the chi(d) radii that make it unbiased", "[errata]") {
    // Erratum 47: 1F1(1/2; d/2; q/2) e^{-q/2} at |x + y|^2 = 1 is .79, .69, .61 for d = 2, 4, 64; with chi(d) radii 1.
    for (const auto& [d, ratio] : std::vector<std::pair<Index, double>>{{1, 1.0}, {2, 0.79}, {4, 0.69}, {64, 0.61}}) {
        const Vector x = 0.7 * Vector::Unit(d, 0), y = 0.3 * Vector::Unit(d, 0);
        const Pair pair(x, y);
        const auto printed =
            fit_with_moments(find("positive-fixed"), features::statistics(x.transpose(), x.transpose()));
        const auto right = fitted("positive", x.transpose());
        CHECK(std::exp(printed->moments(pair).log_mean - pair.log_kernel()) == Approx(ratio).margin(0.005));
        // A map of many columns is as many maps of one: the same draws serve both mechanisms.
        const Projections omega = drawn("iid", d, 100'000, 47);
        const auto relative = [&](const Mechanism& mechanism) {
            rfbench::statistics::RunningMoments moments;
            for (const double z : tests::relative_estimates(mechanism, x, y, omega)) moments.add(z);
            return moments;
        };
        const auto of_printed = relative(*printed), of_right = relative(*right);
        // Four z-tests each way.
        const double bound = rfbench::statistics::family_wise_quantile(1e-6, 12);
        const double stated = std::exp(printed->moments(pair).log_mean - pair.log_kernel());
        CHECK(std::abs(of_right.mean() - 1) <= bound * of_right.standard_error());
        CHECK(std::abs(of_printed.mean() - stated) <= bound * of_printed.standard_error());
        if (d > 1) CHECK(std::abs(of_printed.mean() - 1) > bound * of_printed.standard_error());
    }
}

TEST_CASE("fixed directions are only asymptotically unbiased, even with chi(d) radii", "[errata]") {
    const Vector x = Vector::Constant(4, 0.5);
    const Pair pair(x, x);  // |x + y| = 2
    const auto mechanism = fitted("positive", x.transpose());
    const double kernel = std::exp(pair.log_kernel());
    const auto bias = [&](Index count) {
        const auto& scheme = sampling::find("sphere-points");
        const auto drawn = drawn_moments(*mechanism, pair, scheme, count, 200'000 / count, Stream(8));
        return std::pair(std::abs(drawn.mean - kernel), drawn.mean_error);
    };
    const auto [few, error] = bias(4);
    CHECK(few > 6 * error);
    CHECK(few > 10 * bias(1024).first);
}

TEST_CASE("weights minimise the mean squared error: closed form against sums over points") {
    // Means and covariances of their own for x and y.
    const Index d = 3, count = 6, pairs = 200'000;
    const Points x = normal_points(pairs, d, Stream(1), 0.5), y = normal_points(pairs, d, Stream(2), 0.4, 0.2);
    const Statistics stats = features::statistics(x, y);
    const Projections omega = drawn("orthogonal", d, count);
    const Eigen::MatrixXd exponentials = ((x + y) * omega).array().exp() / static_cast<double>(count);
    const Eigen::ArrayXd norms = x.rowwise().squaredNorm() + y.rowwise().squaredNorm();
    const Vector kernel = (-0.5 * (x - y).rowwise().squaredNorm()).array().exp();
    for (const double isotropic : {-1.0, -0.5}) {
        // H = E[phi phi'], rhs = E[phi K] over pairs; phi_m = f_m(x) f_m(y) / M.
        const Eigen::MatrixXd phi = (isotropic * norms).exp().matrix().asDiagonal() * exponentials;
        const Eigen::MatrixXd h = phi.transpose() * phi / static_cast<double>(pairs);
        const Vector rhs = phi.transpose() * kernel / static_cast<double>(pairs);
        const Vector sampled = rfbench::statistics::nonnegative_least_squares(h, rhs);
        const Vector log_weights = fitted_log_weights(omega, isotropic, stats, 0);
        const Vector closed = log_weights.array().exp();
        // The minimum is flat: what counts is the error each reaches on the sample, where `sampled` is the best.
        const auto objective = [&](const Vector& w) { return w.dot(h * w) - 2 * rhs.dot(w); };
        const Vector equal = Vector::Ones(count);
        INFO("sampled " << sampled.transpose() << ", closed form " << closed.transpose());
        CHECK(objective(closed) >= objective(sampled) - 1e-12);
        // Both ends of 1 / sqrt(pairs), squared, times the few parameters.
        CHECK(objective(closed) - objective(sampled) <= 1e-3 * (objective(equal) - objective(sampled)));
    }
}

TEST_CASE("Theorem 3.3: fitted weights are no worse than equal ones, and steps of the gradient lie between",
          "[errata]") {
    const Index d = 8;
    const Points x = normal_points(20'000, d, Stream(11), 0.35), y = normal_points(20'000, d, Stream(12), 0.35);
    const Statistics stats = features::statistics(x, y);
    for (const char* sampling : {"sphere-points", "dct", "iid"})
        for (const Index count : {4, 16, 64}) {
            const Projections omega = drawn(sampling, d, count);
            const auto error = [&](const Vector& log_weights) { return squared_error(omega, log_weights, -1, x, y); };
            const double equal = error(Vector::Zero(count)), best = error(fitted_log_weights(omega, -1, stats, 0));
            INFO(sampling << ", M = " << count << ": equal " << equal << ", best " << best);
            CHECK(best < equal);
            const double few = error(fitted_log_weights(omega, -1, stats, 10)),
                         many = error(fitted_log_weights(omega, -1, stats, 3000));
            // The points are normal, the fit is to their moments: objectives on the sample agree to its accuracy.
            CHECK(few <= equal);
            CHECK(best <= 1.02 * many);
            CHECK(many <= 1.02 * few);
        }
}

TEST_CASE("(29) of DiJiang as printed, with 1/s in place of weights, is no squared discrepancy: it falls below zero",
          "[errata]") {
    // The same quadratic form for our features: E K^2 - 2 sum xi b + sum xi xi' H, printed with 1/s^2 H in the last.
    const Points x = normal_points(2000, 3, Stream(21), 0.5);
    const Projections omega = drawn("iid", 3, 5);
    Eigen::MatrixXd phi(2000, 5);
    Vector kernel(2000);
    for (Index i = 0; i < 2000; ++i) {
        const Index j = (i + 1) % 2000;
        const Vector sum = (x.row(i) + x.row(j)).transpose();
        const double norms = x.row(i).squaredNorm() + x.row(j).squaredNorm();
        phi.row(i) = (omega.transpose() * sum).array().exp() * std::exp(-norms);
        kernel[i] = std::exp(-0.5 * (x.row(i) - x.row(j)).squaredNorm());
    }
    const Eigen::MatrixXd h = phi.transpose() * phi / 2000;
    const Vector b = phi.transpose() * kernel / 2000;
    const double norm = kernel.squaredNorm() / 2000;
    for (const double size : {0.1, 1.0, 10.0, 100.0}) {
        const Vector xi = Vector::Constant(5, size);
        CHECK(norm - 2 * b.dot(xi) + xi.dot(h * xi) >= 0);
        const double printed = norm - 2 * b.dot(xi) / 5 + Vector::Ones(5).dot(h * Vector::Ones(5)) / 25;
        if (size >= 10) CHECK(printed < 0);
    }
}

TEST_CASE("weighted features with the norms left out, or softmax over features, are not estimates of K") {
    const Points x = normal_points(50, 4, Stream(31), 0.6);
    const auto released = fitted("discrete-cosine", x, {{"softmax", true}});
    const auto map = released->map(draw(*released, 4, 9, sampling::find("dct-columns"), Stream(2)));
    FeatureBlock<double> block;
    map->evaluate(Side::key, x, block);
    for (Index i = 0; i < 50; ++i) {
        // softmax over features, times exp(-|x|^2 / 2), which attention takes out again
        const double sum = block.values.row(i).sum() * std::exp(block.log_scale[i]);
        CHECK(sum == Approx(std::exp(-0.5 * x.row(i).squaredNorm())).epsilon(1e-14));
    }
}

TEST_CASE("gradients of the softmax over features are those of differences") {
    const Points x = normal_points(3, 4, Stream(41), 0.6);
    const auto mechanism = fitted("discrete-cosine", x, {{"softmax", true}});
    const auto map = mechanism->map(draw(*mechanism, 4, 7, sampling::find("dct"), Stream(2)));
    FeatureBlock<double> block, moved;
    map->evaluate(Side::query, x, block);
    Eigen::MatrixXd weights(7, 3);
    fill_normal(Stream(9), weights);
    const Rows<double> gradient = weights.transpose();
    Rows<double> out;
    map->differentiable()->pullback(Side::query, x, block, gradient, out);
    const auto value = [&](const Points& rows, Index i) {
        map->evaluate(Side::query, rows, moved);
        return std::exp(moved.log_scale[i] - block.log_scale[i]) * moved.values.row(i).dot(gradient.row(i));
    };
    const double step = 1e-5;
    for (Index i = 0; i < 3; ++i)
        for (Index k = 0; k < 4; ++k) {
            Points up = x, down = x;
            up(i, k) += step;
            down(i, k) -= step;
            // Central differences: step^2 of the third derivative and ulps over the step.
            CHECK(out(i, k) == Approx((value(up, i) - value(down, i)) / (2 * step)).margin(1e-8));
        }
}

TEST_CASE("steps must be a whole number, 0 or more") {
    const Points x = normal_points(5, 2, Stream(51), 0.5);
    CHECK_THROWS_AS(fitted("positive-weighted", x, {{"steps", -1.0}}), std::invalid_argument);
    CHECK_THROWS_AS(fitted("discrete-cosine", x, {{"steps", 0.5}}), std::invalid_argument);
    CHECK(std::get<double>(fitted("positive-weighted", x, {{"steps", 7.0}})->parameters().at("steps")) == 7);
}

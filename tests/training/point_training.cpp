#include "rfbench/training/point_training.hpp"

#include <algorithm>

#include "catch.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/dof/fitted_weights.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "rfbench/features/catalogue.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using attention::Visible;
using dof::Loss;

namespace {

std::vector<dof::Sequence> sequences(std::size_t count, Index length, Index d, double scale) {
    std::vector<dof::Sequence> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back({normal_points(length, d, Stream(20).child(i).child(0), scale),
                       normal_points(length, d, Stream(20).child(i).child(1), scale)});
    return all;
}

std::vector<const dof::Sequence*> addresses(const std::vector<dof::Sequence>& all) {
    std::vector<const dof::Sequence*> out;
    for (const auto& one : all) out.push_back(&one);
    return out;
}

dof::WeightedFeatures start(Index d, Index count) {
    Eigen::MatrixXd points(d, count);
    fill_normal(Stream(21), points);
    return {points, Vector::LinSpaced(count, -0.5, 0.5)};
}

}  // namespace

TEST_CASE("gradients of both losses are those of finite differences") {
    const auto data = sequences(2, 9, 3, 1.0);
    const auto all = addresses(data);
    for (const Loss loss : {Loss::squared, Loss::softmax})
        for (const Visible visible : {Visible::all, Visible::causal}) {
            const dof::WeightedFeatures at = start(3, 5);
            const auto exact = evaluate(loss, visible, at, all);
            const double h = 1e-5;
            const auto difference = [&](auto change) {
                dof::WeightedFeatures up = at, down = at;
                change(up, h);
                change(down, -h);
                return (evaluate(loss, visible, up, all).loss - evaluate(loss, visible, down, all).loss) / (2 * h);
            };
            // Central differences: h^2 of the third derivative, and rounding of the loss over h.
            const double tolerance = 1e-8 * (1 + exact.points.cwiseAbs().maxCoeff() + std::abs(exact.loss));
            for (Index m = 0; m < 5; ++m) {
                for (Index l = 0; l < 3; ++l)
                    CHECK(std::abs(difference([&](auto& f, double e) { f.points(l, m) += e; }) - exact.points(l, m)) <
                          tolerance);
                CHECK(std::abs(difference([&](auto& f, double e) { f.log_weights[m] += e; }) - exact.log_weights[m]) <
                      tolerance);
            }
        }
}

TEST_CASE("losses are those of their definitions, in whole matrices") {
    const auto data = sequences(1, 7, 4, 0.8);
    const dof::WeightedFeatures at = start(4, 6);
    const Points q = dof::log_features(data[0].queries, at.points).array().exp();
    const Points k = dof::log_features(data[0].keys, at.points).array().exp();
    const Points estimate = q * (at.log_weights.array().exp() / 6).matrix().asDiagonal() * k.transpose();
    const Points exact = (data[0].queries * data[0].keys.transpose() / 2).array().exp();
    CHECK(std::abs(evaluate(Loss::squared, Visible::all, at, addresses(data)).loss -
                   (exact - estimate).squaredNorm() / exact.squaredNorm()) < 1e-13);
    double divergence = 0;
    for (Index i = 0; i < 7; ++i)
        for (Index j = 0; j <= i; ++j) {
            const double p = exact(i, j) / exact.row(i).head(i + 1).sum();
            divergence += p * std::log(p * estimate.row(i).head(i + 1).sum() / estimate(i, j)) / 7;
        }
    CHECK(std::abs(evaluate(Loss::softmax, Visible::causal, at, addresses(data)).loss - divergence) < 1e-13);
}

TEST_CASE("losses of any map are those of weighted features; signed ones have no divergence") {
    const auto data = sequences(1, 7, 4, 0.8);
    const dof::WeightedFeatures at = start(4, 6);
    for (const Loss loss : {Loss::squared, Loss::softmax})
        for (const Visible visible : {Visible::all, Visible::causal})
            CHECK(std::abs(dof::loss(loss, visible, *at.map(), data[0]) -
                           evaluate(loss, visible, at, addresses(data)).loss) < 1e-13);
    const auto mechanism = features::fit(features::find("trigonometric"), {});
    const auto map = attention::softmax_map(*mechanism, 4, 1, sampling::find("iid"), Stream(22));
    const dof::Sequence wide = sequences(1, 7, 4, 3.0)[0];
    CHECK(std::isfinite(dof::loss(Loss::squared, Visible::causal, map, wide)));
    CHECK(std::isinf(dof::loss(Loss::softmax, Visible::causal, map, wide)));
}

TEST_CASE("the squared loss is found where double holds neither it nor the kernels") {
    const dof::Sequence large = sequences(1, 7, 4, 25.0)[0];
    const auto mechanism = features::fit(features::find("trigonometric"), {});
    const auto map = attention::softmax_map(*mechanism, 4, 2, sampling::find("iid"), Stream(23));
    features::FeatureBlock<double> queries, keys;
    map.evaluate(features::Side::query, large.queries, queries);
    map.evaluate(features::Side::key, large.keys, keys);
    // A long double has room for exponents up to 11,356.
    long double errors = 0, size = 0;
    for (Index i = 0; i < 7; ++i)
        for (Index j = 0; j <= i; ++j) {
            const long double exact =
                std::exp(static_cast<long double>(large.queries.row(i).dot(large.keys.row(j)) / 2));
            const long double estimate = std::exp(static_cast<long double>(queries.log_scale[i] + keys.log_scale[j])) *
                                         static_cast<long double>(queries.values.row(i).dot(keys.values.row(j)));
            errors += (estimate - exact) * (estimate - exact);
            size += exact * exact;
        }
    const auto expected = static_cast<double>(std::log(errors / size));
    CHECK(expected > 710);
    // Exponents of some 10^3, each with a rounding of double.
    CHECK(std::abs(dof::log_squared_loss(Visible::causal, map, large) - expected) < 1e-10);
}

TEST_CASE(
    "the softmax loss is least where the estimate is the kernel; as printed, without 1/sqrt d, it is not "
    "(erratum 41)") {
    const auto data = sequences(1, 6, 4, 1.0);
    Points both(12, 4);
    both << data[0].queries, data[0].keys;
    const double count = 40000;
    const auto drawn = dof::OptimalDensity(both, std::numeric_limits<double>::infinity()).draw(40000, Stream(22));
    const double loss = evaluate(Loss::softmax, Visible::all, drawn, addresses(data)).loss;
    // Since phi_i phi_j <= |phi|^2 / 2, E K^2 <= tr(K) K / (2 M): relative variances of estimates, of which a
    // divergence is half a mean. Twice what is expected at most.
    const Points gram = (both * both.transpose() / 2).array().exp();
    CHECK(loss < gram.trace() / (2 * gram.topRightCorner(6, 6).minCoeff() * count));
    CHECK(loss >= 0);
    auto printed = data;
    printed[0].queries *= 2;  // q.k in place of q.k / sqrt d
    const Points weights = (printed[0].queries * printed[0].keys.transpose() / 2).array().exp();
    const Points kernel = (data[0].queries * data[0].keys.transpose() / 2).array().exp();
    double divergence = 0;
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j < 6; ++j) {
            const double p = weights(i, j) / weights.row(i).sum();
            divergence += p * std::log(p * kernel.row(i).sum() / kernel(i, j)) / 6;
        }
    CHECK(divergence > 0.1);
}

TEST_CASE("training makes the loss smaller and gives the same bits again") {
    const auto data = sequences(6, 16, 4, 1.0);
    for (const training::Optimiser optimiser : {training::Optimiser::adam, training::Optimiser::lbfgs})
        for (const Loss loss : {Loss::squared, Loss::softmax}) {
            training::PointTraining settings{.loss = loss, .optimiser = optimiser, .steps = 60, .batch = 2};
            const training::TrainedPoints once = training::train_points(start(4, 8), data, settings, Stream(23));
            const training::TrainedPoints again = training::train_points(start(4, 8), data, settings, Stream(23));
            CHECK(once.after < 0.7 * once.before);
            CHECK((once.features.points.array() == again.features.points.array()).all());
            CHECK(once.losses == again.losses);
            CHECK(once.after == evaluate(loss, settings.visible, once.features, addresses(data)).loss);
            // Each of the weights has a gradient of its own.
            CHECK((once.features.log_weights.array() != start(4, 8).log_weights.array()).all());
            settings.weights = false;
            const training::TrainedPoints points_only = training::train_points(start(4, 8), data, settings, Stream(23));
            CHECK((points_only.features.log_weights.array() == start(4, 8).log_weights.array()).all());
            CHECK(points_only.after < points_only.before);
        }
}

TEST_CASE("L-BFGS notes one loss a step, which fall, and gives back nothing worse") {
    for (const Loss loss : {Loss::squared, Loss::softmax})
        for (const double scale : {0.5, 1.0, 2.0, 4.0}) {
            const auto data = sequences(1, 6, 3, scale);
            const training::TrainedPoints out = training::train_points(
                start(3, 4), data, {.loss = loss, .optimiser = training::Optimiser::lbfgs, .steps = 400}, Stream(25));
            INFO("scale " << scale << ", " << out.losses.size() << " steps");
            // A start that is a minimum has no step.
            if (out.losses.empty()) {
                CHECK(out.after == out.before);
                continue;
            }
            CHECK(out.after <= *std::min_element(out.losses.begin(), out.losses.end()));
            // One loss a step, whatever the line searches took: they fall from the start.
            CHECK(out.losses.size() <= 400);
            CHECK(out.losses.front() == out.before);
            CHECK(std::is_sorted(out.losses.rbegin(), out.losses.rend()));
        }
}

TEST_CASE("training that leads nowhere returns what it began with") {
    const auto data = sequences(2, 8, 3, 1.0);
    const training::TrainedPoints wild =
        training::train_points(start(3, 4), data, {.steps = 3, .rate = 1e4}, Stream(24));
    CHECK(wild.after == wild.before);
    CHECK((wild.features.points.array() == start(3, 4).points.array()).all());
    CHECK(contains(refusal([&] { (void)training::train_points(start(3, 4), data, {.steps = 0}, Stream(24)); }),
                   "steps, batch and rate are 0"));
    CHECK(contains(refusal([&] { (void)training::train_points(start(3, 4), {}, {}, Stream(24)); }), "no sequences"));
}

TEST_CASE("fitted weights are the minimum of the squared loss for their points") {
    const auto data = sequences(3, 12, 3, 1.0);
    for (const Visible visible : {Visible::all, Visible::causal}) {
        const dof::WeightedFeatures fitted = dof::fit_weights(start(3, 10).points, visible, data);
        const auto at = evaluate(Loss::squared, visible, fitted, addresses(data));
        CHECK(at.loss < evaluate(Loss::squared, visible, start(3, 10), addresses(data)).loss);
        // d loss / d log w vanishes at the minimum, where w = 0 too; the solver stops within rounding of sums of
        // 3 x 144 terms.
        CHECK(at.log_weights.cwiseAbs().maxCoeff() < 1e-10);
        // No weight of zero wants to grow: a little of it does not help.
        int zero = 0;
        for (Index m = 0; m < 10; ++m) {
            if (fitted.log_weights[m] > -1e27) continue;
            ++zero;
            dof::WeightedFeatures more = fitted;
            more.log_weights[m] = std::log(1e-4);
            CHECK(evaluate(Loss::squared, visible, more, addresses(data)).loss >= at.loss);
        }
        CHECK(zero > 0);
    }
    CHECK(contains(refusal([&] { dof::fit_weights(start(3, 4).points, Visible::all, {}); }), "no sequences"));
}

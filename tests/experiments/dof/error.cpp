// The study dof/error: errors of features that are allocated and found by degrees of freedom.

#include "catch.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "support/decompositions.hpp"
#include "written_out.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::written_out;
using rfbench::tests::contains;

namespace {

const Study& study() { return find("dof", "error"); }

/// Weights >= 0 of ten points or so that make the mean of |K^ - K|^2 / |K|^2 over sequences least, by trying every set
/// of points that may have one: the least over a set without bounds, where it is within them.
Vector best_log_weights(const Projections& points, const std::vector<dof::Sequence>& sequences) {
    const Index count = points.cols();
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(count, count);
    Vector b = Vector::Zero(count);
    for (const dof::Sequence& one : sequences) {
        const Points exact = causal_kernel(one.queries, one.keys);
        std::vector<Points> of_points;
        for (Index m = 0; m < count; ++m) {
            const dof::WeightedFeatures single{points.col(m), Vector::Zero(1)};
            const Points query = features_at(one.queries, single), key = features_at(one.keys, single);
            of_points.push_back(
                Points(query * key.transpose() / static_cast<double>(count)).triangularView<Eigen::Lower>());
        }
        for (Index m = 0; m < count; ++m) {
            const Points& own = of_points[static_cast<std::size_t>(m)];
            b[m] += own.cwiseProduct(exact).sum() / exact.squaredNorm();
            for (Index n = 0; n < count; ++n)
                h(m, n) += own.cwiseProduct(of_points[static_cast<std::size_t>(n)]).sum() / exact.squaredNorm();
        }
    }
    double least = 0;
    Vector best = Vector::Zero(count);
    for (int set = 1; set < 1 << count; ++set) {
        std::vector<Index> chosen;
        for (Index m = 0; m < count; ++m)
            if (set >> m & 1) chosen.push_back(m);
        const Eigen::MatrixXd within = h(chosen, chosen);
        const Vector weights = tests::solved(within, b(chosen));
        const double loss = weights.dot(within * weights) - 2 * weights.dot(b(chosen));
        if (weights.minCoeff() < 0 || loss >= least) continue;
        least = loss;
        best.setZero();
        best(chosen) = weights;
    }
    return best.unaryExpr([](double w) { return w > 0 ? std::log(w) : -1e28; });
}

}  // namespace

TEST_CASE("allocations cost the same, and learned features have smaller errors than drawn ones", "[experiments]") {
    const Sweep sweep = prepared(study(), small_heads + "columns: 12\npoints: 64\ntests: 1\nsteps: 60\nrepeats: 2\n");
    double fixed = 0, heads = 0;
    for (const engine::Cell& cell : sweep.cells()) {
        if (cell.key.find("method=iid,repeat=0") == std::string::npos) continue;
        const double features = value(computed(sweep, cell), "features");
        if (cell.key.find("allocation=Fix") != std::string::npos) fixed += features;
        if (cell.key.find("allocation=DoF of each head") != std::string::npos) heads += features;
    }
    CHECK(fixed == 48);
    CHECK(std::abs(heads - fixed) <= 2);  // rounding, a half for each of four heads
    const auto of = [&](const char* method, const char* variable) {
        return value(computed(sweep, {"layer=1", "head=1", "allocation=Fix", std::string("method=") + method}),
                     variable);
    };
    CHECK(of("learned-softmax", "divergence") < of("iid", "divergence"));
    // Same bits again, training included.
    CHECK(of("learned-squared", "divergence") == of("learned-squared", "divergence"));
}

TEST_CASE("dof/error: test sequences that leave none to fit to are refused", "[experiments]") {
    CHECK(contains(refused(study(), small_heads + "tests: 4\n"), "leave none to fit to"));
}

TEST_CASE("dof/error: every variable is what written-out kernels give, of sequences that nothing is fitted to",
          "[experiments]") {
    const std::string yaml = small_heads + "columns: 10\npoints: 64\ntests: 2\nsteps: 20\nrepeats: 2\n";
    const Sweep sweep = prepared(study(), yaml);
    const Stream seed = Stream(1).child("dof/error");
    const auto source = head_source(parsed(study(), yaml), seed);
    const Stream stream = own_stream("dof/error", 0, 1).child(std::uint64_t{10}).child(std::uint64_t{1});
    const Points points = source->sample(0, 1, 2, 64, seed.child("sample").child(std::uint64_t{0}).child(1));
    const std::vector<dof::Sequence> seen{source->sequence(0, 1, 0).tokens, source->sequence(0, 1, 1).tokens};
    const Vector none = Vector::Zero(10);
    const dof::WeightedFeatures start{normal(4, 10, "orthogonal", stream), none};
    const auto trained = [&](dof::Loss loss) {
        return training::train_points(start, seen, small_training(loss), stream.child("training")).features;
    };
    const std::pair<const char*, dof::WeightedFeatures> found[] = {
        {"iid", {normal(4, 10, "iid", stream), none}},
        {"orthogonal", start},
        {"q-lambda", dof::OptimalDensity(points, 0.0625).draw(10, stream)},
        {"q-inf", dof::OptimalDensity(points, std::numeric_limits<double>::infinity()).draw(10, stream)},
        {"weighted", {start.points, best_log_weights(start.points, seen)}},
        {"learned-squared", trained(dof::Loss::squared)},
        {"learned-softmax", trained(dof::Loss::softmax)}};
    for (const auto& [method, features] : found) {
        INFO(method);
        const auto data =
            computed(sweep, {"layer=1", "head=2", "allocation=Fix", std::string("method=") + method, "repeat=1"});
        double kernel = 0, apart = 0, error = 0, size = 0;
        for (const Index number : {2, 3}) {
            const HeadSequence test = source->sequence(0, 1, number);
            const Points exact = causal_kernel(test.tokens.queries, test.tokens.keys);
            const Points estimate = causal_estimate(test, features);
            kernel += kernel_loss(exact, estimate) / 2;
            apart += divergence(exact, estimate) / 2;
            error += (shares(estimate) * test.values - shares(exact) * test.values).squaredNorm();
            size += (shares(exact) * test.values).squaredNorm();
        }
        CHECK(value(data, "features") == 10);
        CHECK(value(data, "relative_kernel_error") == Approx(std::sqrt(kernel)).epsilon(1e-9));
        CHECK(value(data, "divergence") == Approx(apart).epsilon(1e-9));
        CHECK(value(data, "relative_output_error") == Approx(std::sqrt(error / size)).epsilon(1e-9));
    }
}

TEST_CASE("dof/error: another test sequence moves the errors and nothing that is found", "[experiments]") {
    // Three sequences are fitted to; the fourth, or the fourth and the fifth, are measured.
    const auto yaml = [](int sequences, int tests) {
        return "columns: 10\npoints: 64\nsteps: 20\nrepeats: 2\n"
               "heads: {use: decaying, scales: 1, decays: [0, 1], dimension: 4, length: 24, sequences: " +
               std::to_string(sequences) + "}\ntests: " + std::to_string(tests) + "\n";
    };
    const Sweep one = prepared(study(), yaml(4, 1)), two = prepared(study(), yaml(5, 2));
    const auto source = head_source(parsed(study(), yaml(5, 2)), Stream(1).child("dof/error"));
    for (const char* method : {"iid", "q-lambda", "weighted", "learned-softmax"}) {
        INFO(method);
        const std::vector<std::string> cell{"head=2", "allocation=DoF of each head", std::string("method=") + method,
                                            "repeat=0"};
        const auto first = computed(one, cell), both = computed(two, cell);
        CHECK(value(first, "features") == value(both, "features"));
        CHECK(value(first, "divergence") != value(both, "divergence"));
        if (std::string(method) != "iid") continue;
        // The mean of both is that of the first and of the other, by the same features.
        const auto count = static_cast<Index>(value(first, "features"));
        const Stream stream =
            own_stream("dof/error", 0, 1).child(static_cast<std::uint64_t>(count)).child(std::uint64_t{0});
        const HeadSequence other = source->sequence(0, 1, 4);
        const double apart = divergence(causal_kernel(other.tokens.queries, other.tokens.keys),
                                        causal_estimate(other, {normal(4, count, "iid", stream), Vector::Zero(count)}));
        CHECK(value(both, "divergence") == Approx((value(first, "divergence") + apart) / 2).epsilon(1e-9));
    }
}

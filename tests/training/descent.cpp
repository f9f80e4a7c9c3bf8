#include "rfbench/training/descent.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/training/batches.hpp"

using namespace rfbench;
using namespace rfbench::training;

TEST_CASE("every round of mini-batches holds each number once, in another order") {
    Batches batches(10, Stream(1));
    std::vector<std::vector<Index>> rounds;
    for (int round = 0; round < 3; ++round) {
        std::vector<Index> all;
        for (int part = 0; part < 2; ++part)
            for (const Index i : batches.next(5)) all.push_back(i);
        rounds.push_back(all);
        std::sort(all.begin(), all.end());
        for (Index i = 0; i < 10; ++i) CHECK(all[static_cast<std::size_t>(i)] == i);
    }
    CHECK(rounds[0] != rounds[1]);
    CHECK(rounds[1] != rounds[2]);
    CHECK(Batches(3, Stream(1)).next(8).size() == 3);
    CHECK_THROWS_WITH(Batches(0, Stream(1)), "mini-batches: there is nothing to train on");
}

TEST_CASE("orders of rounds are equally probable, and one does not follow from the one before") {
    // Each of six orders has 1000 of 6000, deviation 29; each of 36 pairs of one round and the next 167,
    // deviation 12.7.
    std::map<std::vector<Index>, int> first, pairs;
    for (std::uint64_t number = 0; number < 6000; ++number) {
        Batches batches(3, Stream(4).child(number));
        std::vector<Index> both = batches.next(3);
        ++first[both];
        for (const Index i : batches.next(3)) both.push_back(i);
        ++pairs[both];
    }
    CHECK(first.size() == 6);
    for (const auto& [order, count] : first) CHECK(std::abs(count - 1000) < 6 * 29);
    CHECK(pairs.size() == 36);
    for (const auto& [order, count] : pairs) CHECK(std::abs(count - 167) < 6 * 12.7);
}

namespace {

/// |x - target of the example|^2 / 2: the mean is least at the mean of the targets.
ExampleLoss distance(const Eigen::MatrixXd& targets) {
    return [&targets](const Vector& x, Index example, Vector& gradient) {
        const Vector difference = x - targets.col(example);
        gradient += difference;
        return 0.5 * difference.squaredNorm();
    };
}

}  // namespace

TEST_CASE("descent comes to the mean of the examples, with the same bits for any number of threads") {
    Eigen::MatrixXd targets(3, 40);
    fill_normal(Stream(2), targets);
    const Descent descent{.steps = 800, .batch = 13, .rate = 0.05};
    const Vector start = Vector::Constant(3, 2.0);
    omp_set_num_threads(1);
    const DescentResult one = descend(start, 40, distance(targets), descent, Stream(3));
    // The last steps' rates are below rate / 100, and a step is no longer than its rate.
    CHECK((one.parameters - targets.rowwise().mean()).cwiseAbs().maxCoeff() < 0.02);
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        const DescentResult more = descend(start, 40, distance(targets), descent, Stream(3));
        CHECK((more.parameters.array() == one.parameters.array()).all());
        CHECK(more.losses == one.losses);
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("gradients are means over the mini-batch: two examples of one target are as one") {
    // Adam hides the size of gradients from the parameters, but not from what is the longest: 1.4 is below 1.5.
    const Eigen::MatrixXd targets = Eigen::MatrixXd::Zero(1, 2);
    const Vector start = Vector::Constant(1, 1.4);
    const DescentResult both = descend(start, 2, distance(targets), {5, 2, 0.1, 1.5}, Stream(5));
    const DescentResult free = descend(start, 2, distance(targets), {5, 1, 0.1, 1000}, Stream(5));
    CHECK(both.parameters[0] == Approx(free.parameters[0]).epsilon(1e-14));
    for (std::size_t step = 0; step < 5; ++step) CHECK(both.losses[step] == Approx(free.losses[step]).epsilon(1e-14));
}

TEST_CASE("gradients longer than the longest are shortened to it, shorter ones are not") {
    // Two steps along gradients of lengths 100 and 1: Adam weighs what it is handed.
    int calls = 0;
    const ExampleLoss steep = [&](const Vector&, Index, Vector& gradient) {
        gradient[0] += ++calls == 1 ? 100 : 1;
        return 0.0;
    };
    omp_set_num_threads(1);
    for (const double longest : {2.0, 1000.0}) {
        calls = 0;
        const DescentResult out = descend(Vector::Zero(1), 1, steep, {2, 1, 0.1, longest}, Stream(1));
        const double first = std::min(longest, 100.0);
        // As tests/training/adam.cpp has it; the second rate is half the first.
        const double mean = (0.09 * first + 0.1) / 0.19, square = (0.000999 * first * first + 0.001) / 0.001999;
        CHECK(out.parameters[0] == Approx(-0.1 - 0.05 * mean / std::sqrt(square)).epsilon(1e-6));
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("descent refuses what cannot be trained, and stops where a loss is not finite") {
    const ExampleLoss nothing = [](const Vector&, Index, Vector&) { return 0.0; };
    const auto with = [&](Descent descent) { descend(Vector::Zero(1), 3, nothing, descent, Stream(1)); };
    CHECK_THROWS_WITH(with({.steps = 0}), "training: 0 steps; at least 1 is needed");
    CHECK_THROWS_WITH(with({.batch = 0}), "training: mini-batches of 0; at least 1 is needed");
    CHECK_THROWS_WITH(with({.rate = 0}), "training: the rate is 0; it must be above 0");
    CHECK_THROWS_WITH(with({.max_norm = -1}), "training: the maximum gradient norm is -1; it must be above 0");
    int calls = 0;
    const ExampleLoss breaks = [&](const Vector&, Index, Vector&) { return ++calls > 4 ? std::nan("") : 1.0; };
    omp_set_num_threads(1);
    CHECK_THROWS_WITH(descend(Vector::Zero(1), 1, breaks, {.steps = 10, .batch = 1}, Stream(1)),
                      "training: the loss or its gradient is not finite at step 4; a smaller rate may help");
    omp_set_num_threads(omp_get_num_procs());
    // Attention refuses to go back from numbers that are not finite: that is the descent's divergence, too.
    const ExampleLoss not_finite = [](const Vector&, Index, Vector&) -> double { throw rfbench::NotFinite("inf"); };
    try {
        descend(Vector::Zero(1), 1, not_finite, {.steps = 1, .batch = 1}, Stream(1));
        FAIL("a gradient that is not finite was taken");
    } catch (const training::NotFinite& error) {
        CHECK(error.step == 0);
    }
    const ExampleLoss refuses = [](const Vector&, Index example, Vector&) -> double {
        throw std::invalid_argument("example " + std::to_string(example));
    };
    CHECK_THROWS_AS(descend(Vector::Zero(1), 5, refuses, {.steps = 1, .batch = 5}, Stream(1)), std::invalid_argument);
}

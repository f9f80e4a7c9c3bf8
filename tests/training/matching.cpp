#include "rfbench/training/matching.hpp"

#include <omp.h>

#include <cmath>

#include "rfbench/attention/exact.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "support/gradients.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::training;
using namespace rfbench::tests;
using attention::Visible;
using features::network_channels;

namespace {

std::vector<HeadSequence> sequences(std::size_t count, double scale, const Stream& stream) {
    std::vector<HeadSequence> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back({scale * normal_points(20, 4, stream.child(i).child(0)),
                       scale * normal_points(20, 4, stream.child(i).child(1)),
                       normal_points(20, 3, stream.child(i).child(2))});
    return all;
}

}  // namespace

TEST_CASE(
    "training brings a learned map nearer to softmax attention on sequences it has not seen, with the same bits") {
    const auto head =
        learned_attention({.dimension = 4, .projections = 4, .channels = network_channels({4, 8, "relu", "elu+1"})});
    const auto training = sequences(12, 1.5, Stream(1)), held_out = sequences(6, 1.5, Stream(2));
    const training::Descent descent{.steps = 150, .batch = 4, .rate = 0.02};
    omp_set_num_threads(1);
    const auto one = match_softmax(*head, training, Visible::all, descent, Stream(3));
    const double before = mismatch(*head, head->start(Stream(3).child("start")), held_out, Visible::all).relative_error;
    const Mismatch after = mismatch(*head, one.parameters, held_out, Visible::all);
    CHECK(after.relative_error < 0.85 * before);
    CHECK(after.nonpositive == 0);
    CHECK(one.losses.size() == 150);
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        const auto more = match_softmax(*head, training, Visible::all, descent, Stream(3));
        CHECK((more.parameters.array() == one.parameters.array()).all());
        CHECK(more.losses == one.losses);
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("matching descends along the sum over sequences of |O^ - O|^2 / |O|^2, however long their values are") {
    const auto head =
        learned_attention({.dimension = 4, .projections = 2, .channels = network_channels({2, 3, "tanh", "elu+1"})});
    auto training = sequences(2, 1.0, Stream(5));
    training[1].values *= 100;
    const Vector start = head->start(Stream(6).child("start"));
    const double rate = 1e-3;
    const auto one = match_softmax(*head, training, Visible::all, {.steps = 1, .batch = 2, .rate = rate}, Stream(6));
    const auto loss = [&](const Vector& at) {
        double sum = 0;
        for (const HeadSequence& sequence : training)
            sum += std::pow(mismatch(*head, at, {sequence}, Visible::all).relative_error, 2);
        return sum / 2;
    };
    CHECK(one.losses[0] == Approx(loss(start)).epsilon(1e-13));
    // The first step of Adam is the rate, against the sign of each derivative.
    const double h = 1e-4;
    for (Index i = 0; i < start.size(); ++i) {
        const Vector unit = h * Vector::Unit(start.size(), i);
        const double slope = (loss(start + unit) - loss(start - unit)) / (2 * h);
        // h^2 of a third derivative of order one, rounding of the losses over h.
        if (std::abs(slope) < 1e-6) continue;
        CHECK(one.parameters[i] - start[i] == Approx(slope > 0 ? -rate : rate).epsilon(1e-2));
    }
}

TEST_CASE("matching takes the whole gradient: what is longer than the longest is shortened, and nothing else") {
    // Adam hides a factor of all gradients, but not where only the first of them are shortened.
    const auto head =
        learned_attention({.dimension = 4, .projections = 2, .channels = network_channels({2, 3, "tanh", "elu+1"})});
    const auto training = sequences(1, 1.0, Stream(7));
    const Vector start = head->start(Stream(8).child("start"));
    const ExampleLoss loss = [&](const Vector& at, Index, Vector& gradient) {
        const auto value = [&](const Vector& x) {
            return std::pow(mismatch(*head, x, training, Visible::all).relative_error, 2);
        };
        const double h = 1e-4;
        for (Index i = 0; i < at.size(); ++i) {
            const Vector unit = h * Vector::Unit(at.size(), i);
            gradient[i] += (value(at + unit) - value(at - unit)) / (2 * h);
        }
        return value(at);
    };
    Vector first = Vector::Zero(start.size());
    loss(start, 0, first);
    const training::Descent descent{.steps = 12, .batch = 1, .rate = 0.05, .max_norm = 0.8 * first.norm()};
    const auto one = match_softmax(*head, training, Visible::all, descent, Stream(8));
    const auto expected = descend(start, 1, loss, descent, Stream(9));
    // h^2 of a third derivative of order one; twelve steps of the rate.
    CHECK((one.parameters - expected.parameters).norm() < 1e-3 * (expected.parameters - start).norm());
}

TEST_CASE("softmax attention has no mismatch with itself, and nothing to compare on is refused") {
    CHECK(mismatch(*softmax_attention(), {}, sequences(2, 1, Stream(4)), Visible::causal).relative_error < 1e-14);
    CHECK_THROWS_WITH(mismatch(*softmax_attention(), {}, {}, Visible::all),
                      "learned attention: there are no sequences to compare on");
}

TEST_CASE("weights diverge from themselves by nothing, and as written out from others") {
    const Points exact{{1, 0}, {0.25, 0.75}}, estimate{{0.5, 0.5}, {0.5, 0.5}};
    CHECK(divergence(exact, exact).mean == 0);
    CHECK(divergence(exact, estimate).mean ==
          Approx((std::log(2.0) + 0.25 * std::log(0.5) + 0.75 * std::log(1.5)) / 2));
    CHECK(divergence(exact, estimate).lost == 0);
    // The second row's larger weight is lost: the rest of that row stays.
    const Points lost{{1, 0}, {1.5, -0.5}};
    CHECK(divergence(exact, lost).mean == Approx(0.25 * std::log(0.25 / 1.5) / 2));
    CHECK(divergence(exact, lost).lost == Approx(0.375));
    CHECK_THROWS_AS(divergence(exact, Points(1, 2)), std::invalid_argument);
}

TEST_CASE("matching distributions descends along the mean divergence of weights") {
    const auto head =
        learned_attention({.dimension = 4, .projections = 2, .channels = network_channels({2, 3, "tanh", "elu+1"})});
    const auto training = sequences(2, 1.0, Stream(5));
    const Vector start = head->start(Stream(6).child("start"));
    for (const Visible visible : {Visible::all, Visible::causal}) {
        const auto loss = [&](const Vector& at) {
            double sum = 0;
            for (HeadSequence one : training) {
                one.values = Points::Identity(20, 20);
                Points exact;
                attention::exact<double>({one.queries, one.keys, one.values}, visible, exact);
                sum += divergence(exact, head->forward(at, {one.queries, one.keys, one.values}, visible)->output).mean;
            }
            return sum / 2;
        };
        const double rate = 1e-3;
        const auto one = match_softmax(Matched::distributions, *head, start, training, visible,
                                       {.steps = 1, .batch = 2, .rate = rate}, Stream(6));
        CHECK(one.losses.front() == Approx(loss(start)).epsilon(1e-10));
        // Adam's first step goes by the sign of each slope.
        const double step = 1e-6;
        for (Index i = 0; i < start.size(); ++i) {
            Vector up = start, down = start;
            up[i] += step;
            down[i] -= step;
            const double slope = (loss(up) - loss(down)) / (2 * step);
            if (std::abs(slope) > 1e-6)
                CHECK((one.parameters[i] - start[i]) == Approx(slope > 0 ? -rate : rate).epsilon(1e-3));
        }
    }
}

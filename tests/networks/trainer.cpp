#include "rfbench/networks/trainer.hpp"

#include <omp.h>

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;

namespace {

constexpr int period = 3;

TransformerShape shape() {
    TransformerShape s;
    s.vocabulary = s.outputs = 4;
    s.positions = 8;
    s.layers = 2;
    s.heads = 2;
    s.width = 8;
    s.inner = 16;
    return s;
}

/// Each next token is the one `period` tokens before, but for the first ones.
std::vector<Sequence<float>> batch(const Stream& stream) {
    std::vector<Sequence<float>> all(8);
    Stream own = stream;
    for (auto& one : all) {
        for (int i = 0; i < 8; ++i)
            one.tokens.push_back(i < period ? static_cast<int>(own.below(4))
                                            : one.tokens[static_cast<std::size_t>(i - period)]);
        for (Index i = period - 1; i < 7; ++i) one.targets.push_back({i, one.tokens[static_cast<std::size_t>(i + 1)]});
    }
    return all;
}

}  // namespace

TEST_CASE("a network of two layers learns what repeats, with the same bits for any number of threads") {
    const Transformer network(shape());
    const Vector start = network.start({}, Stream(1));
    const training::Descent descent{.steps = 400, .batch = 8, .rate = 0.01};
    omp_set_num_threads(1);
    Trainer<float> trainer(network, start, descent, 20);
    double first = 0, last = 0;
    Eigen::VectorXf after_ten;
    for (int step = 0; step < descent.steps; ++step) {
        const Loss loss = trainer.step(batch(Stream(2).child(static_cast<std::uint64_t>(step)))).loss;
        last = loss.sum / static_cast<double>(loss.targets);
        if (step == 0) first = last;
        if (step == 9) after_ten = trainer.weights().values();
    }
    // At first nothing is known of four tokens; at last the distance is.
    CHECK(first == Approx(std::log(4.0)).epsilon(0.05));
    CHECK(last < 0.1);
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        Trainer<float> other(network, start, descent, 20);
        for (int step = 0; step < 10; ++step) other.step(batch(Stream(2).child(static_cast<std::uint64_t>(step))));
        CHECK((other.weights().values().array() == after_ten.array()).all());
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("the rate rises over the first steps and falls to nothing") {
    const training::Descent descent{.steps = 100, .rate = 0.5};
    CHECK(warmup_cosine_rate(descent, 10, 0) == Approx(0.05));
    CHECK(warmup_cosine_rate(descent, 10, 4) == Approx(0.25 * (1 + std::cos(0.04 * M_PI)) / 2));
    CHECK(warmup_cosine_rate(descent, 10, 50) == Approx(0.25));
    CHECK(warmup_cosine_rate(descent, 0, 0) == Approx(0.5));
}

TEST_CASE("gradients that are longer than the longest are shortened to it") {
    // Adam does not see a factor that all gradients have, but sees lengths that differ made equal.
    const Transformer network(shape());
    const auto after_steps = [&](double longest) {
        Trainer<float> trainer(network, network.start({}, Stream(1)), {.steps = 4, .rate = 0.01, .max_norm = longest},
                               0);
        for (std::uint64_t step = 0; step < 4; ++step) trainer.step(batch(Stream(3).child(step)));
        return trainer.weights().values();
    };
    CHECK(after_steps(1e9) == after_steps(1e10));
    CHECK(after_steps(1e-3) != after_steps(1e9));
}

TEST_CASE("a training that diverges says at which step, and keeps the parameters that it had") {
    const Transformer network(shape());
    Trainer<float> trainer(network, network.start({}, Stream(1)), {.steps = 5, .rate = 1e30}, 0);
    trainer.step(batch(Stream(3)));
    const Eigen::VectorXf before = trainer.weights().values();
    const std::string said = tests::refusal<std::domain_error>([&] {
        for (int step = 1; step < 4; ++step) trainer.step(batch(Stream(3)));
    });
    CHECK(said.starts_with("training: "));
    CHECK(said.find("at step ") != std::string::npos);
    CHECK(said.ends_with("; a smaller rate may help"));
    CHECK(trainer.steps() >= 1);
    if (trainer.steps() == 1) CHECK((trainer.weights().values().array() == before.array()).all());
    // A loss may be finite and its gradient not: of tokens that are zeros each of three normalizations has a slope of
    // 1e10, so that squares of gradients, of 1e20 and more, are above what a float holds.
    TransformerShape steep = shape();
    steep.layers = 1;
    steep.epsilon = 1e-20;
    steep.read_out = ReadOutOf::own;
    const Transformer zeros(steep);
    Vector beginning = zeros.start({.embedding = 0.5}, Stream(1));
    view(beginning, zeros.embedding().table()).setZero();
    view(beginning, zeros.embedding().positions()).setZero();
    Trainer<float> refusing(zeros, beginning, {.steps = 5, .rate = 0.1}, 0);
    CHECK(tests::contains(tests::refusal<std::domain_error>([&] { refusing.step(batch(Stream(3))); }),
                          "squares of the gradient of the loss are not finite"));
    try {
        refusing.step(batch(Stream(3)));
        FAIL("a gradient that is not finite was taken");
    } catch (const Diverged& error) {
        CHECK(error.reason == Divergence::gradient);
    }
    // The same where it is looked at between steps.
    CHECK_THROWS_AS(trainer.evaluate(batch(Stream(3))), std::domain_error);
}

TEST_CASE("a loss that is not finite ends an evaluation as it ends a step") {
    TransformerShape own = shape();
    own.read_out = ReadOutOf::own;
    const Transformer network(own);
    // Outputs that are 6e38 apart, each of which a float holds: so much is the loss of each target that is 1.
    Vector start = network.start({}, Stream(1));
    view(start, network.layout().find("lm_head.bias")) << 3e38, -3e38, 0, 0;
    Trainer<float> trainer(network, start, {.steps = 5, .rate = 0.1});
    const auto reason = [](auto pass) {
        try {
            pass();
        } catch (const Diverged& error) {
            return error.reason;
        }
        return Divergence::none;
    };
    CHECK(reason([&] { trainer.evaluate(batch(Stream(3))); }) == Divergence::loss);
    CHECK(reason([&] { trainer.step(batch(Stream(3))); }) == Divergence::loss);
    // The loss of targets that are all 0 is 0.
    std::vector<Sequence<float>> met = batch(Stream(3));
    for (auto& one : met)
        for (Target& target : one.targets) target.value = 0;
    CHECK(trainer.evaluate(met).loss.sum == 0);
}

TEST_CASE("a training that goes on from a state ends with the same bits") {
    const Transformer network(shape());
    const Vector start = network.start({}, Stream(1));
    const training::Descent descent{.steps = 9, .batch = 8, .rate = 0.01};
    const auto some = [](int step) { return batch(Stream(2).child(static_cast<std::uint64_t>(step))); };
    Trainer<float> whole(network, start, descent, 3), first(network, start, descent, 3);
    for (int step = 0; step < 9; ++step) whole.step(some(step));
    for (int step = 0; step < 4; ++step) first.step(some(step));
    Trainer<float> second(network, network.start({}, Stream(5)), descent, 3);
    second.resume(first.state());
    CHECK(second.steps() == 4);
    for (int step = 4; step < 9; ++step) second.step(some(step));
    CHECK((second.weights().values().array() == whole.weights().values().array()).all());

    auto other = first.state();
    other.weights.conservativeResize(3);
    CHECK(tests::refusal([&] { second.resume(other); }) ==
          "training: a state of 3 parameters; the network has " + std::to_string(start.size()));
    other = first.state();
    other.adam.square.conservativeResize(3);
    CHECK(tests::refusal([&] { second.resume(other); }).starts_with("Adam: a state of "));
}

TEST_CASE("a training slice by slice takes the steps of one by whole sequences, but for rounding") {
    const auto head = std::make_shared<attention::GeneralizedMap>(features::nonlinearity("square"), 4);
    const std::shared_ptr<const training::HeadAttention> linear = training::fixed_attention(head);
    const Transformer network(shape(), Heads(4, linear));
    const Vector start = network.start({}, Stream(1));
    const training::Descent descent{.steps = 10, .batch = 8, .rate = 0.01};
    Trainer<double> whole(network, start, descent), sliced(network, start, descent), turned(network, start, descent);
    sliced.slice(Slicing{3});
    for (int step = 0; step < 10; ++step) {
        std::vector<Sequence<double>> sequences;
        for (const auto& one : batch(Stream(2).child(static_cast<std::uint64_t>(step))))
            sequences.push_back({one.tokens, {}, one.targets});
        whole.step(sequences);
        sliced.step(sequences);
        // Whole sequences again from half of the steps on.
        turned.slice(step < 5 ? std::optional(Slicing{3}) : std::nullopt);
        turned.step(sequences);
    }
    // Each of ten steps of Adam may enlarge a rounding by what its gradient is smaller than the largest, 1e4 here.
    CHECK((sliced.weights().values() - whole.weights().values()).norm() < 1e-9);
    CHECK(sliced.weights().values() != whole.weights().values());
    CHECK((turned.weights().values() - whole.weights().values()).norm() < 1e-9);
    CHECK(turned.weights().values() != sliced.weights().values());
    CHECK(tests::contains(tests::refusal([&] {
                              sliced.slice(Slicing{9}), sliced.step(std::vector{Sequence<double>{{1}, {}, {{0, 1}}}});
                          }),
                          "slices are of 9 tokens"));

    // A refusal is repeated, and changes nothing.
    const Transformer without_states(
        {.vocabulary = 5, .positions = 8, .layers = 1, .heads = 1, .width = 4, .inner = 4, .outputs = 5});
    Trainer<double> refusing(without_states, without_states.start({}, Stream(1)), descent);
    for (int time = 0; time < 2; ++time)
        CHECK(tests::contains(tests::refusal([&] { refusing.slice(Slicing{3}); }), "has no state"));
}

#include <cmath>

#include "catch.hpp"
#include "rfbench/networks/trainer.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;

namespace {

TransformerShape part_shape() {
    TransformerShape s;
    s.vocabulary = s.outputs = 4;
    s.positions = 8;
    s.layers = 2;
    s.heads = 2;
    s.width = 8;
    s.inner = 16;
    return s;
}

std::vector<Sequence<float>> part_batch(std::uint64_t number) {
    std::vector<Sequence<float>> all(4);
    Stream own = Stream(7).child(number);
    for (auto& one : all)
        for (int i = 0; i < 8; ++i) {
            one.tokens.push_back(static_cast<int>(own.below(4)));
            one.targets.push_back({i, one.tokens.back()});
        }
    return all;
}

const training::Descent part_descent{.steps = 6, .batch = 4, .rate = 0.01};

Vector part_start(const Transformer& network) { return network.start({}, Stream(1)); }

/// Values after five steps.
Column<float> after_steps(const Transformer& network, const RateOf& rate_of) {
    Trainer<float> trainer(network, part_start(network), part_descent, 2, rate_of);
    for (std::uint64_t step = 0; step < 5; ++step) trainer.step(part_batch(step));
    return trainer.weights().values();
}

bool is_attention(const Parameter& one) { return one.name.find(".attn.") != std::string::npos; }

}  // namespace

TEST_CASE("where all rates are those of the descent a part is trained as the whole, to the bit") {
    const Transformer network(part_shape());
    Trainer<float> whole(network, network.start({}, Stream(1)), part_descent, 2);
    for (std::uint64_t step = 0; step < 5; ++step) whole.step(part_batch(step));
    const Column<float> part = after_steps(network, [](const Parameter&) { return 1.0; });
    CHECK((part.array() == whole.weights().values().array()).all());
}

TEST_CASE("the trainer of a part leaves the rest to the bit, and trains the part") {
    const Transformer network(part_shape());
    const Column<float> start = part_start(network).cast<float>();
    const Column<float> after =
        after_steps(network, [](const Parameter& one) { return is_attention(one) ? 1.0 : 0.0; });
    for (const Parameter& one : network.layout().all()) {
        INFO(one.name);
        const auto before = start.segment(one.first, one.size()).array(),
                   now = after.segment(one.first, one.size()).array();
        if (is_attention(one))
            CHECK_FALSE((before == now).all());
        else
            CHECK((before == now).all());
    }
}

TEST_CASE("a rate of its own moves a parameter by as much of Adam's step") {
    const Transformer network(part_shape());
    const Column<float> start = part_start(network).cast<float>();
    const auto first_step = [&](double rate) {
        Trainer<float> trainer(network, part_start(network), part_descent, 0,
                               [rate](const Parameter& one) { return is_attention(one) ? rate : 1.0; });
        trainer.step(part_batch(0));
        return Column<float>(trainer.weights().values() - start);
    };
    const Column<float> full = first_step(1), tenth = first_step(0.1);
    const Parameter& own = network.layout().find("h.1.attn.c_attn.weight");
    // Entries are below 1 and steps 0.01: their difference is known to a rounding of the entry, 6e-8, twice.
    CHECK((0.1F * full - tenth).segment(own.first, own.size()).cwiseAbs().maxCoeff() < 2e-7F);
    CHECK(full.segment(own.first, own.size()).cwiseAbs().maxCoeff() > 5e-3F);
}

TEST_CASE("gradients of what stays do not count for the length to which those of the part are shortened") {
    const Transformer network(part_shape());
    training::Descent descent = part_descent;
    descent.max_norm = 1e-3;
    Trainer<double> trainer(network, part_start(network), descent, 0,
                            [](const Parameter& one) { return is_attention(one) ? 1.0 : 0.0; });
    std::vector<Sequence<double>> batch(1);
    for (int i = 0; i < 8; ++i) {
        batch[0].tokens.push_back(i % 4);
        batch[0].targets.push_back({i, i % 3});
    }
    trainer.step(batch);
    // Adam's first mean is a tenth of the gradient.
    const auto mean = trainer.state().adam.mean;
    double square = 0;
    for (const Parameter& one : network.layout().all())
        if (is_attention(one)) square += mean.segment(one.first, one.size()).squaredNorm();
    CHECK(std::abs(10 * std::sqrt(square) / 1e-3 - 1) < 1e-12);
}

TEST_CASE("a training of a part goes on from its state to the same bits") {
    const Transformer network(part_shape());
    const RateOf rates = [](const Parameter& one) { return is_attention(one) ? 0.5 : 0.0; };
    Trainer<float> first(network, part_start(network), part_descent, 2, rates);
    for (std::uint64_t step = 0; step < 3; ++step) first.step(part_batch(step));
    Trainer<float> second(network, part_start(network), part_descent, 2, rates);
    second.resume(first.state());
    for (std::uint64_t step = 3; step < 5; ++step) second.step(part_batch(step));
    CHECK((second.weights().values().array() == after_steps(network, rates).array()).all());
}

TEST_CASE("rates of a part that cannot be are refused") {
    const Transformer network(part_shape());
    const auto said = [&](double rate) {
        return tests::refusal<std::invalid_argument>([&] {
            Trainer<float>(network, part_start(network), part_descent, 0, [rate](const Parameter&) { return rate; });
        });
    };
    CHECK(said(-1).starts_with("training: the rate of wte.weight is -1.0"));
    CHECK(said(0) == "training: every parameter has the rate 0");
}

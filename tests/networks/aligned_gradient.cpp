#include "rfbench/networks/aligned_gradient.hpp"

#include "rfbench/networks/trainer.hpp"
#include "support/gradients.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;
using namespace rfbench::tests;

namespace {

TransformerShape aligned_shape() {
    TransformerShape s;
    s.vocabulary = s.outputs = 4;
    s.positions = 5;
    s.layers = 2;
    s.heads = 2;
    s.width = 4;
    s.inner = 6;
    s.convolution = 2;
    s.read_out = ReadOutOf::own;
    return s;
}

std::vector<Sequence<double>> aligned_batch() {
    std::vector<Sequence<double>> all(2);
    Stream own(7);
    for (auto& one : all)
        for (int i = 0; i < 5; ++i) {
            one.tokens.push_back(static_cast<int>(own.below(4)));
            if (i != 2) one.targets.push_back({i, static_cast<int>(own.below(4))});
        }
    return all;
}

Weights<double> aligned_weights(const Transformer& network, const Vector& values) {
    return Weights<double>(network.layout(), values, Passes::both);
}

}  // namespace

TEST_CASE("gradients of a loss beside a teacher are those of finite differences, part by part") {
    const Transformer network(aligned_shape()), teacher(aligned_shape());
    const Weights<double> of_teacher = aligned_weights(teacher, teacher.start({.embedding = 1}, Stream(2)));
    const Vector at = network.start({.embedding = 1}, Stream(1));
    const auto batch = aligned_batch();
    for (const Alignment& parts : {Alignment{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.3, 0.2}}) {
        INFO(parts.task << " " << parts.logits << " " << parts.hidden);
        AlignedGradient<double> aligned(network, teacher, of_teacher, parts);
        Column<double> gradient, unused;
        aligned(aligned_weights(network, at), batch, gradient);
        check_gradient(
            [&](const Vector& values) {
                aligned(aligned_weights(network, values), batch, unused);
                return aligned.loss();
            },
            at, gradient);
    }
}

TEST_CASE("the loss of the task beside a teacher is the network's own, and a teacher has none beside itself") {
    const Transformer network(aligned_shape());
    const Weights<double> weights = aligned_weights(network, network.start({.embedding = 1}, Stream(1)));
    const auto batch = aligned_batch();
    Column<double> own, aligned;
    Workspace<double> work;
    const BatchOutcome expected = network.gradient<double>(weights, batch, work, own);
    AlignedGradient<double> task(network, network, weights, {1, 0, 0});
    const BatchOutcome got = task(weights, batch, aligned);
    CHECK(got.loss.mean() == Approx(expected.loss.mean()).epsilon(1e-14));
    CHECK(task.loss() == Approx(expected.loss.mean()).epsilon(1e-14));
    CHECK((aligned - own).norm() < 1e-14 * (1 + own.norm()));
    AlignedGradient<double> itself(network, network, weights, {0, 1, 1});
    itself(weights, batch, aligned);
    CHECK(std::abs(itself.loss()) < 1e-15);
    CHECK(aligned.norm() < 1e-15);
}

TEST_CASE("a teacher of another shape, and parts below zero, are refused") {
    TransformerShape other = aligned_shape();
    other.layers = 1;
    const Transformer network(aligned_shape()), teacher(other);
    const Weights<double> of_teacher = aligned_weights(teacher, teacher.start({}, Stream(1)));
    const auto said = [&](const Alignment& parts) {
        return refusal<std::invalid_argument>([&] { AlignedGradient<double>(network, teacher, of_teacher, parts); });
    };
    CHECK(said({1, 0, 0}) == "training beside a teacher: the networks have not the same width, layers and outputs");
    CHECK(said({1, -1, 0}).starts_with("training beside a teacher: the part of logits is -1"));
}

TEST_CASE("a teacher that cannot read a sequence of the batch is refused, as is one alone with a class token") {
    TransformerShape other = aligned_shape();
    other.positions = 3;
    const Transformer network(aligned_shape()), teacher(other);
    const Weights<double> weights = aligned_weights(network, network.start({}, Stream(1)));
    const Weights<double> of_teacher = aligned_weights(teacher, teacher.start({}, Stream(1)));
    AlignedGradient<double> aligned(network, teacher, of_teacher, {1, 0, 0});
    Column<double> gradient;
    CHECK(refusal<std::invalid_argument>([&] { aligned(weights, aligned_batch(), gradient); }) ==
          "sequence 0: network: there are 5 tokens; the model has 3 positions");
    other = aligned_shape();
    other.class_token = true;
    const Transformer before(other);
    const Weights<double> of_before = aligned_weights(before, before.start({}, Stream(1)));
    CHECK(refusal<std::invalid_argument>([&] {
              AlignedGradient<double>(network, before, of_before, {1, 0, 0});
          }) == "training beside a teacher: one of both networks alone has a class token");
}

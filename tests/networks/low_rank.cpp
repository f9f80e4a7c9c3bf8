#include "rfbench/networks/low_rank.hpp"

#include <Eigen/SVD>

#include "rfbench/networks/trainer.hpp"
#include "support/gradients.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;
using namespace rfbench::tests;

namespace {

TransformerShape low_rank_shape() {
    TransformerShape s;
    s.vocabulary = s.outputs = 4;
    s.positions = 8;
    s.layers = 2;
    s.heads = 2;
    s.width = 8;
    s.inner = 16;
    return s;
}

std::vector<Sequence<double>> low_rank_batch(std::uint64_t number) {
    std::vector<Sequence<double>> all(3);
    Stream own = Stream(7).child(number);
    for (auto& one : all)
        for (int i = 0; i < 8; ++i) {
            one.tokens.push_back(static_cast<int>(own.below(4)));
            one.targets.push_back({i, one.tokens.front()});
        }
    return all;
}

bool is_updated(const Parameter& one) { return one.name.ends_with(".attn.c_attn.weight"); }

const training::Descent low_rank_descent{.steps = 6, .batch = 3, .rate = 0.01};

}  // namespace

TEST_CASE("gradients of factors are those of finite differences of the network's loss") {
    const Transformer network(low_rank_shape());
    const LowRank<double> updates(network.layout(), 2, is_updated);
    const Column<double> held = network.start({}, Stream(1));
    // Away from B = 0, where A has no gradient.
    const Column<double> factors =
        updates.start(Stream(2)) + 0.1 * normal_vector(updates.start(Stream(2)).size(), Stream(3));
    const auto batch = low_rank_batch(0);
    const auto weights = [&](const Column<double>& at) {
        Column<double> values = held;
        updates.add(at, values);
        return Weights<double>(network.layout(), values, Passes::both);
    };
    Workspace<double> work;
    Column<double> by_values;
    network.gradient<double>(weights(factors), batch, work, by_values);
    check_gradient([&](const Vector& at) { return network.evaluate<double>(weights(at), batch, work).loss.mean(); },
                   factors, updates.gradient(factors, by_values));
}

TEST_CASE("a training of updates begins at the network, changes their matrices by so much rank, and nothing else") {
    const Transformer network(low_rank_shape());
    const Vector start = network.start({}, Stream(1));
    const LowRank<double> updates(network.layout(), 2, is_updated);
    Trainer<double> trainer(network, start, low_rank_descent, 0, updates, Stream(2));
    CHECK(trainer.weights().values() == start);
    for (std::uint64_t step = 0; step < 5; ++step) trainer.step(low_rank_batch(step));
    for (const Parameter& one : network.layout().all()) {
        INFO(one.name);
        const Points change =
            view(trainer.weights().values(), one) - view(static_cast<const Column<double>&>(start), one);
        if (!is_updated(one)) {
            CHECK(change.cwiseAbs().maxCoeff() == 0);
            continue;
        }
        const Eigen::VectorXd sizes = Eigen::JacobiSVD<Eigen::MatrixXd>(change).singularValues();
        CHECK(sizes[1] > 1e-4);
        // The difference of sums of some ulps of entries below one.
        CHECK(sizes[2] < 1e-14);
    }
}

TEST_CASE("a training of updates goes on from its state to the same bits") {
    const Transformer network(low_rank_shape());
    const Vector start = network.start({}, Stream(1));
    const LowRank<double> updates(network.layout(), 2, is_updated);
    Trainer<double> whole(network, start, low_rank_descent, 0, updates, Stream(2)),
        first(network, start, low_rank_descent, 0, updates, Stream(2)),
        second(network, start, low_rank_descent, 0, updates, Stream(2));
    for (std::uint64_t step = 0; step < 5; ++step) whole.step(low_rank_batch(step));
    for (std::uint64_t step = 0; step < 3; ++step) first.step(low_rank_batch(step));
    second.resume(first.state());
    CHECK(second.weights().values() == first.weights().values());
    for (std::uint64_t step = 3; step < 5; ++step) second.step(low_rank_batch(step));
    CHECK(second.weights().values() == whole.weights().values());
}

TEST_CASE("updates that cannot be are refused") {
    const Transformer network(low_rank_shape());
    const auto said = [](auto call) { return refusal<std::invalid_argument>(call); };
    CHECK(said([&] { LowRank<double>(network.layout(), 0, is_updated); }) ==
          "training: updates of rank 0; at least 1 is needed");
    CHECK(said([&] { LowRank<double>(network.layout(), 1, [](const Parameter&) { return false; }); }) ==
          "training: there is no matrix to be updated");
}

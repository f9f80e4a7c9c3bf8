#include "rfbench/networks/sliced_gradient.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "attention/maps.hpp"
#include "catch.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/features/maps/positional_maps.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "rfbench/training/linear_head.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;
using namespace rfbench::tests;
using training::HeadAttention;

namespace {

using Head = std::shared_ptr<const HeadAttention>;

/// Attention of every kind that has states, for heads of dimension 3.
std::vector<std::pair<std::string, Head>> kinds() {
    std::vector<std::pair<std::string, Head>> all;
    const ::Sequence sample = sequence(200, 200, 3, 3, 0.5, 1);
    auto maps = softmax_maps(sample, 8, has_gradient);
    for (auto& map : generalized_maps(3, 8)) maps.push_back(std::move(map));
    for (auto& map : maps)
        all.emplace_back(map.name,
                         training::fixed_attention(std::shared_ptr<const features::FeatureMap>(std::move(map.map))));
    for (const char* output : {"sigmoid", "exp"})
        all.emplace_back(
            output,
            training::learned_attention(
                {.dimension = 3, .projections = 2, .channels = features::network_channels({2, 3, "tanh", output})}));
    return all;
}

TransformerShape shape_of(Index layers, Index positions) {
    TransformerShape shape;
    shape.vocabulary = shape.outputs = 5;
    shape.positions = positions;
    shape.layers = layers;
    shape.heads = 2;
    shape.width = 6;
    shape.inner = 7;
    return shape;
}

template <class Scalar>
networks::Sequence<Scalar> tokens(Index length, int key) {
    networks::Sequence<Scalar> one;
    for (Index i = 0; i < length; ++i) one.tokens.push_back(static_cast<int>((i * i + 3 * i + key) % 5));
    // Not every token has a target, and one has two.
    for (Index i = 0; i < length; i += 2) one.targets.push_back({i, static_cast<int>((i + key) % 5)});
    one.targets.push_back({length - 1, 2});
    return one;
}

/// Small enough that no denominator of signed features is near zero.
Vector values_of(const Transformer& network) {
    return network.start({.gain = 0.3, .embedding = 0.3}, Stream(3)) +
           0.02 * normal_vector(network.layout().size(), Stream(4));
}

template <class Scalar>
Column<Scalar> whole(const Transformer& network, const std::vector<networks::Sequence<Scalar>>& batch) {
    Workspace<Scalar> work;
    Column<Scalar> gradient;
    const Column<Scalar> values = values_of(network).template cast<Scalar>();
    network.gradient<Scalar>(Weights<Scalar>(network.layout(), values, Passes::both), batch, work, gradient);
    return gradient;
}

template <class Scalar>
Column<Scalar> sliced(const Transformer& network, const Slicing& slicing,
                      const std::vector<networks::Sequence<Scalar>>& batch) {
    SlicedGradient<Scalar> slices(network, slicing);
    Column<Scalar> gradient;
    const Column<Scalar> values = values_of(network).template cast<Scalar>();
    slices(Weights<Scalar>(network.layout(), values, Passes::both), batch, gradient);
    return gradient;
}

/// |a - b| / |b|.
template <class Scalar>
double discrepancy(const Column<Scalar>& a, const Vector& b) {
    return (a.template cast<double>() - b).norm() / b.norm();
}

/// Sliced gradients in both precisions beside that of whole sequences. What rounding does to the latter, a, is how far
/// float is from double; slices round in another order, twice for what is done twice, so 8 a is ample. Sums got back by
/// subtraction have a rounding of the whole sum for each of P slices, and may be 1 / P of it.
void check_slices(const std::string& name, const Transformer& network, Index length, const std::vector<Index>& sizes,
                  const std::vector<Recovery>& recoveries = {Recovery::checkpoints, Recovery::subtraction,
                                                             Recovery::double_sums}) {
    const Vector expected = whole<double>(network, {tokens<double>(length, 1)});
    const double rounding = discrepancy(whole<float>(network, {tokens<float>(length, 1)}), expected);
    REQUIRE(rounding < 1e-3);
    for (const Index size : sizes)
        for (const Recovery recovery : recoveries) {
            const Index count = (length + size - 1) / size;
            const auto slices = static_cast<double>(count);
            const double more = recovery == Recovery::subtraction ? slices * slices : 1;
            const Slicing slicing{size, recovery};
            INFO(name << ", slices of " << size << ", recovery " << static_cast<int>(recovery));
            CHECK(discrepancy(sliced<float>(network, slicing, {tokens<float>(length, 1)}), expected) <
                  8 * more * rounding);
            const double in_double = recovery == Recovery::checkpoints ? 1 : slices * slices;
            CHECK(discrepancy(sliced<double>(network, slicing, {tokens<double>(length, 1)}), expected) <
                  8 * in_double * std::ldexp(rounding, -29));
        }
}

}  // namespace

TEST_CASE("the gradient slice by slice is that of the whole sequence, by every kind of attention that has states") {
    for (const auto& [name, head] : kinds())
        check_slices(name, Transformer(shape_of(2, 70), Heads(4, head)), 70, {9, 60});
}

TEST_CASE("positions go on from slice to slice; sums that decay cannot be had back by subtraction") {
    const Head cosine =
        training::linear_attention({features::one_map(features::cosformer_map(3, 1000)), {.positions = true}});
    const Head decaying = training::linear_attention(
        {features::retention_maps(3, 2), {.norm = attention::Norm::group, .positions = true, .causal_alone = true}});
    check_slices("cosformer", Transformer(shape_of(2, 70), Heads(4, cosine)), 70, {9, 60});
    check_slices("retnet", Transformer(shape_of(2, 70), Heads(4, decaying)), 70, {9, 60}, {Recovery::checkpoints});
}

TEST_CASE("heads that store all prefix sums give the same gradients, of whole sequences and of slices") {
    const Index length = 70;
    const std::vector batch{tokens<double>(length, 1)};
    const std::vector in_float{tokens<float>(length, 1)};
    for (const auto& [name, head] : kinds()) {
        INFO(name);
        const Head stores = head->stateful()->with_prefix_sums();
        const Transformer network(shape_of(2, length), Heads(4, head)), storing(shape_of(2, length), Heads(4, stores));
        const Vector expected = whole<double>(network, batch);
        // As check_slices() has it: what rounding does to float, and 29 bits less of it in double.
        const double rounding = discrepancy(whole<float>(network, in_float), expected);
        CHECK(discrepancy(whole<float>(storing, in_float), expected) < 8 * rounding);
        CHECK(discrepancy(whole<double>(storing, batch), expected) < std::ldexp(8 * rounding, -29));
        // Both round differently: where they agree to the bit, nothing was stored.
        CHECK(whole<double>(storing, batch) != expected);
        for (const Recovery recovery : {Recovery::checkpoints, Recovery::subtraction}) {
            const double more = recovery == Recovery::subtraction ? 10 * 10 : 1;
            const Vector slices = sliced<double>(storing, {7, recovery}, batch);
            CHECK(discrepancy(slices, expected) < std::ldexp(8 * more * rounding, -29));
        }
    }
}

TEST_CASE("a gradient says which tokens went through the network, and which sums were taken back") {
    const Head head = kinds().front().second;
    const Transformer network(shape_of(1, 100), Heads(2, head));
    const Weights<double> weights(network.layout(), values_of(network), Passes::both);
    const std::vector batch{tokens<double>(100, 1)};
    const auto work = [&](const Slicing& slicing) {
        SlicedGradient<double> slices(network, slicing);
        Column<double> gradient;
        slices(weights, batch, gradient);
        slices(weights, batch, gradient);
        return slices.work();
    };
    // Ten slices: all but the last forwards, each again from its state, and neither the first state nor the last but
    // one taken back. Checkpoints before slices 3, 6 and 9: two slices of each run a third time.
    CHECK(work({10, Recovery::subtraction}) == SlicedWork{190, 100, 80});
    CHECK(work({10, Recovery::checkpoints, 10}) == SlicedWork{190, 100, 0});
    CHECK(work({10, Recovery::checkpoints}) == SlicedWork{250, 100, 0});
    CHECK(work({100, Recovery::subtraction}) == SlicedWork{100, 100, 0});
}

TEST_CASE("slices are of one token, of all, or of any number between, and heads of a network may differ") {
    const auto all = kinds();
    Heads heads;
    for (const std::size_t kind :
         {std::size_t{0}, all.size() - 1, all.size() / 2, all.size() - 2, all.size() / 3, all.size() - 9})
        heads.push_back(all[kind].second);
    TransformerShape shape = shape_of(3, 130);
    check_slices("three layers", Transformer(shape, heads), 130, {1, 7, 60, 64, 129, 130});
    shape.norm = NormPlace::after;
    shape.read_out = ReadOutOf::own;
    shape.outputs = 5;
    check_slices("normalization after", Transformer(shape, heads), 100, {1, 33});
}

TEMPLATE_TEST_CASE("bits are those of the whole sequence when it is one slice, for any threads and checkpoints", "",
                   float, double) {
    const auto all = kinds();
    const Transformer network(shape_of(2, 300), {all[0].second, all.back().second, all[7].second, all[0].second});
    const std::vector batch{tokens<TestType>(300, 1), tokens<TestType>(290, 2)};
    const auto alike = [](const Column<TestType>& a, const Column<TestType>& b) {
        return (a.array() == b.array()).all();
    };
    for (const Recovery recovery : {Recovery::checkpoints, Recovery::subtraction, Recovery::double_sums})
        CHECK(alike(sliced<TestType>(network, {300, recovery}, {batch[0]}), whole<TestType>(network, {batch[0]})));
    for (const Recovery recovery : {Recovery::checkpoints, Recovery::subtraction, Recovery::double_sums}) {
        omp_set_num_threads(1);
        const auto expected = sliced<TestType>(network, {270, recovery}, batch);
        CHECK(discrepancy(expected, whole<double>(network, {tokens<double>(300, 1), tokens<double>(290, 2)})) < 1e-4);
        for (const int threads : {2, 3}) {
            omp_set_num_threads(threads);
            CHECK(alike(sliced<TestType>(network, {270, recovery}, batch), expected));
        }
        omp_set_num_threads(omp_get_num_procs());
    }
    // Every state stored, and fewer: what is computed again has the same bits.
    const std::vector one{batch[0]};
    const auto expected = sliced<TestType>(network, {13, Recovery::checkpoints, 24}, one);
    for (Index checkpoints = 0; checkpoints < 24; ++checkpoints)
        CHECK(alike(sliced<TestType>(network, {13, Recovery::checkpoints, checkpoints}, one), expected));
}

TEST_CASE("sums in double give what floats have forgotten, where some keys weigh far more than others") {
    const auto all = kinds();
    const auto found =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return one.first == "positive, iid"; });
    REQUIRE(found != all.end());
    const Transformer network(shape_of(2, 128), Heads(4, found->second));
    // Queries and keys are seven times as long as those of `values_of`.
    const Column<float> values = network.start({.gain = 2, .embedding = 1, .shrink = false}, Stream(3)).cast<float>();
    const Weights<float> weights(network.layout(), values, Passes::both);
    const std::vector batch{tokens<float>(128, 1)};
    Workspace<float> work;
    Column<float> expected;
    network.gradient<float>(weights, batch, work, expected);
    const auto of = [&](Recovery recovery) {
        Column<float> gradient;
        SlicedGradient<float>(network, {2, recovery})(weights, batch, gradient);
        return discrepancy(gradient, expected.cast<double>());
    };
    const double exact = of(Recovery::checkpoints);
    CHECK(exact > 0);
    // Double has 29 bits more than float.
    CHECK(of(Recovery::double_sums) < 2 * exact);
    CHECK(of(Recovery::subtraction) > 4 * exact);
}

TEST_CASE("memory does not grow with the sequence but for stored states, which are as many as the plan says") {
    const auto head = kinds().front().second;
    const Transformer network(shape_of(2, 4096), Heads(4, head));
    const Column<float> values = values_of(network).cast<float>();
    const Weights<float> weights(network.layout(), values, Passes::both);
    const auto peak = [&](Index length, const Slicing& slicing) {
        const std::vector batch{tokens<float>(length, 1)};
        Column<float> gradient;
        const memory::HighWaterMark mark;
        SlicedGradient<float>(network, slicing)(weights, batch, gradient);
        return static_cast<double>(mark.bytes());
    };
    // A list of states and its allocations take this beside their numbers.
    const double state = state_bytes(network), around = state + 4 * (2 * sizeof(attention::FeatureSums<double>) + 64);
    // The allocator may round any block up by 16 bytes more or less: peaks of one length differ by some hundred bytes.
    // A state kept of every slice would be at least one number each.
    const double a_number_a_slice = (4096.0 - 512.0) / 32 * sizeof(float);
    for (const Recovery recovery : {Recovery::subtraction, Recovery::double_sums})
        CHECK(peak(4096, {32, recovery}) < peak(512, {32, recovery}) + a_number_a_slice);
    const double none = peak(512, {32, Recovery::subtraction});
    for (const Index length : {512, 4096})
        for (const Index checkpoints : {0, 1, 8, 16}) {
            const Slicing slicing{32, Recovery::checkpoints, checkpoints};
            const auto stored = static_cast<double>(plan(slicing, length).max_stored);
            INFO(length << " tokens, " << checkpoints << " checkpoints");
            CHECK(peak(length, slicing) >= none + (stored - 1) * state);
            CHECK(peak(length, slicing) <= none + (stored + 2) * around);
        }
    CHECK(plan({32, Recovery::checkpoints}, 4096).max_stored == 21);
    CHECK(plan({1, Recovery::checkpoints}, 10000).max_stored == 198);
    CHECK(plan({32, Recovery::checkpoints, 128}, 4096).max_stored == 127);
    CHECK(plan({32, Recovery::subtraction}, 4096).max_stored == 0);
}

TEST_CASE("a gradient that cannot be had slice by slice is refused, and why") {
    const auto head = kinds().front().second;
    const auto said = [&](const TransformerShape& shape, const Heads& heads, const Slicing& slicing = {4}) {
        const Transformer network(shape, heads);
        return refusal([&] { sliced<double>(network, slicing, {tokens<double>(10, 1)}); });
    };
    const TransformerShape shape = shape_of(2, 10);
    const Heads heads(4, head);
    CHECK(said(shape, heads) == "accepted");
    CHECK(said(shape, heads, {0}) ==
          "sliced gradient: slices are of 0 tokens; they can be of 1 to 10, which is the whole sequence");
    CHECK(said(shape, heads, {11}) ==
          "sliced gradient: slices are of 11 tokens; they can be of 1 to 10, which is the whole sequence");
    CHECK(
        said(shape, heads, {4, Recovery::checkpoints, 4}) ==
        "sliced gradient: 4 checkpoints for 3 slices of 4 tokens; there can be 1 to 3, or 0 for the square root of the "
        "number of slices");
    const std::string state = std::to_string(static_cast<int>(state_bytes(Transformer(shape, heads))));
    CHECK(said(shape, heads, {4, Recovery::checkpoints, 3, 10}) ==
          "sliced gradient: 2 states of 3 slices of 4 tokens take " + std::to_string(2 * std::stoi(state)) +
              " bytes; 10 are allowed. Longer slices or other numbers of checkpoints need fewer; taking sums back by "
              "subtraction needs none");
    CHECK(said(shape, heads, {4, Recovery::subtraction, 0, 10}) == "accepted");

    const std::string stateless =
        " has no state that slices could hand on; linear attention through fixed or learned features has, and without "
        "a mask";
    const Head masked = head->masked({{10}, false});
    const Head fitted =
        training::fitted_attention([](const PointsView&, const PointsView&) { return nullptr; },
                                   std::make_shared<attention::GeneralizedMap>(features::nonlinearity("relu"), 3));
    for (const Head& other : {Head(training::softmax_attention()), masked, fitted})
        CHECK(said(shape, {head, head, head, other}) == "sliced gradient: head 1 of layer 1" + stateless);
    const auto with = [&](auto change) {
        TransformerShape other = shape;
        change(other);
        return said(other, heads);
    };
    CHECK(with([](TransformerShape& s) { s.visible = attention::Visible::all; }) ==
          "sliced gradient: every token sees every other; a network can be sliced when it is causal");
    CHECK(
        with([](TransformerShape& s) { s.read_out = ReadOutOf::last; }) ==
        "sliced gradient: outputs are read from whole sequences; a network can be sliced when each token has its own");
    CHECK(with([](TransformerShape& s) { s.class_token = true; }) ==
          "sliced gradient: there is a class token, which slices cannot share");
    CHECK(with([](TransformerShape& s) { s.convolution = 3; }) ==
          "sliced gradient: there is a convolution over 3 tokens, which reaches from slice to slice; convolution: 0 is "
          "needed");
}

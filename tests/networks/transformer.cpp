#include "rfbench/networks/transformer.hpp"

#include <omp.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "support/gradients.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;
using namespace rfbench::tests;
using training::HeadAttention;

namespace {

std::shared_ptr<const features::FeatureMap> drawn(const char* mechanism, Index dimension, std::uint64_t key) {
    const auto fitted = features::fit(features::find(mechanism), {});
    return std::make_shared<attention::SoftmaxMap>(
        attention::softmax_map(*fitted, dimension, 8, sampling::find("iid"), Stream(key)));
}

/// Attention of every kind that has gradients, for heads of dimension 3.
std::vector<std::shared_ptr<const HeadAttention>> kinds() {
    return {training::softmax_attention(), training::fixed_attention(drawn("positive", 3, 1)),
            training::fixed_attention(std::make_shared<attention::GeneralizedMap>(
                attention::generalized_map(features::nonlinearity("sigmoid"), 3, 8, sampling::find("iid"), Stream(2)))),
            training::fitted_attention(
                [](const PointsView& queries, const PointsView&) {
                    return drawn("positive", 3, static_cast<std::uint64_t>(queries.rows()));
                },
                drawn("positive", 3, 3), 2),
            training::learned_attention(
                {.dimension = 3, .projections = 2, .channels = features::network_channels({2, 3, "tanh", "sigmoid"})})};
}

TransformerShape small() {
    TransformerShape shape;
    shape.vocabulary = shape.outputs = 5;
    shape.positions = 6;
    shape.layers = 2;
    shape.heads = 2;
    shape.width = 6;
    shape.inner = 7;
    return shape;
}

/// Sequences of one network, of different lengths: numbers or rows, with all the targets that there can be.
template <class Scalar>
std::vector<Sequence<Scalar>> sequences(const TransformerShape& shape, const std::vector<Index>& lengths) {
    std::vector<Sequence<Scalar>> all;
    for (const Index length : lengths) {
        Sequence<Scalar> one;
        const auto key = static_cast<std::uint64_t>(all.size());
        if (shape.vocabulary > 0)
            for (Index i = 0; i < length; ++i)
                one.tokens.push_back(static_cast<int>((i * i + 3 * length) % shape.vocabulary));
        else
            one.rows = normal_points(length, shape.inputs, Stream(40 + key)).template cast<Scalar>();
        const bool pooled = shape.read_out != ReadOutOf::tied && shape.read_out != ReadOutOf::own;
        for (Index i = 0; i < (pooled ? 1 : length); ++i)
            one.targets.push_back({i, static_cast<int>((i + length) % shape.outputs)});
        all.push_back(std::move(one));
    }
    return all;
}

/// Finite differences of the mean loss in every parameter.
void check_network(const TransformerShape& shape, const Heads& heads) {
    const Transformer network(shape, heads);
    const auto batch = sequences<double>(shape, {5, 3});
    const Vector at =
        network.start({.embedding = 0.5}, Stream(3)) + 0.2 * normal_vector(network.layout().size(), Stream(4));
    // Many small evaluations: threads would wait for one another most of the time.
    omp_set_num_threads(1);
    Workspace<double> work;
    Vector gradient;
    network.gradient<double>(Weights<double>(network.layout(), at, Passes::both), batch, work, gradient);
    check_gradient(
        [&](const Vector& values) {
            const Weights<double> weights(network.layout(), values, Passes::forward);
            const Loss loss = network.evaluate<double>(weights, batch, work).loss;
            return loss.sum / static_cast<double>(loss.targets);
        },
        at, gradient);
    omp_set_num_threads(omp_get_num_procs());
}

}  // namespace

TEST_CASE("gradients through every kind of attention are those of finite differences") {
    for (const auto& kind : kinds()) {
        TransformerShape shape = small();
        shape.layers = 1;
        check_network(shape, Heads(2, kind));
        shape.visible = attention::Visible::all;
        check_network(shape, Heads(2, kind));
    }
}

TEST_CASE("gradients through a gate and a convolution of values are those of finite differences") {
    for (const attention::Visible visible : {attention::Visible::causal, attention::Visible::all})
        for (const BesideHeads& beside : {BesideHeads{true, 0}, BesideHeads{false, 3}, BesideHeads{true, 3}}) {
            TransformerShape shape = small();
            shape.visible = visible;
            shape.beside = beside;
            check_network(shape, {});
        }
    TransformerShape shape = small();
    shape.visible = attention::Visible::all;
    shape.beside.convolution = 2;
    CHECK_THROWS_WITH(Transformer(shape),
                      "network: a convolution over 2 tokens has no middle; where every token sees "
                      "every other it must be odd");
}

TEST_CASE("gradients through every kind of layer, embedding and read-out are those of finite differences") {
    for (const NormPlace norm : {NormPlace::before, NormPlace::after, NormPlace::as_printed})
        for (const Gelu gelu : {Gelu::exact, Gelu::by_tanh}) {
            TransformerShape shape = small();
            shape.norm = norm;
            shape.gelu = gelu;
            check_network(shape, {});
        }
    for (const ReadOutOf of : {ReadOutOf::own, ReadOutOf::mean, ReadOutOf::last, ReadOutOf::class_token})
        for (const auto& [numbers, class_token] :
             {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
            if (of == ReadOutOf::class_token && !class_token) continue;
            TransformerShape shape = small();
            shape.layers = 1;
            shape.read_out = of;
            shape.class_token = class_token;
            shape.outputs = 3;
            if (!numbers) shape.vocabulary = 0;
            shape.inputs = numbers ? 0 : 3;
            shape.visible = attention::Visible::all;
            check_network(shape, {});
        }
}

TEMPLATE_TEST_CASE("losses and gradients have the same bits for any number of threads and whatever was done before", "",
                   float, double) {
    TransformerShape shape = small();
    shape.positions = 150;
    for (const auto& kind : kinds()) {
        const Transformer network(shape, Heads(4, kind));
        const Column<TestType> values = network.start({}, Stream(5)).template cast<TestType>();
        const Weights<TestType> weights(network.layout(), values, Passes::both);
        // Parts of one and of several sequences.
        const auto batch = sequences<TestType>(shape, {150, 150, 20, 90, 130, 10, 10, 10, 140, 3});
        const auto other = sequences<TestType>(shape, {70, 150});
        Column<TestType> one, gradient;
        omp_set_num_threads(1);
        Workspace<TestType> fresh;
        const auto expected = network.gradient<TestType>(weights, batch, fresh, one);
        CHECK(one.allFinite());
        for (const int threads : {2, 3}) {
            omp_set_num_threads(threads);
            Workspace<TestType> used;
            network.gradient<TestType>(weights, other, used, gradient);
            const auto outcome = network.gradient<TestType>(weights, batch, used, gradient);
            CHECK(outcome.loss.sum == expected.loss.sum);
            CHECK(outcome.loss.right == expected.loss.right);
            CHECK((gradient.array() == one.array()).all());
            CHECK(network.evaluate<TestType>(weights, batch, used).loss.sum == expected.loss.sum);
        }
        omp_set_num_threads(omp_get_num_procs());
    }
}

TEST_CASE("an evaluation takes the memory of one layer however many there are, a gradient that of all") {
    const auto peak = [](Index layers, bool with_gradient) {
        TransformerShape shape = small();
        shape.positions = 100;
        shape.layers = layers;
        const Transformer network(shape);
        const Column<float> values = network.start({}, Stream(9)).cast<float>();
        const Weights<float> weights(network.layout(), values, Passes::both);
        const auto batch = sequences<float>(shape, {100});
        Workspace<float> work;
        Column<float> gradient(network.layout().size());
        const memory::HighWaterMark mark;
        if (with_gradient)
            network.gradient<float>(weights, batch, work, gradient);
        else
            network.evaluate<float>(weights, batch, work);
        return static_cast<double>(mark.bytes());
    };
    // A layer holds at least what its two normalizations, its heads and its feed-forward part are given.
    const double layer = 100 * (4 * 6 + 2 * 7) * sizeof(float), empty = sizeof(Layer::Pass<float>);
    // How threads meet moves peaks by what their buffers take.
    omp_set_num_threads(1);
    // From the second layer on there is all that a layer leaves while the next one works. Blocks are counted by their
    // sizes in multiples of 16 bytes, and one byte more of a layer than of another would be thousands.
    const double rounding = 64;
    CHECK(peak(9, false) <= peak(2, false) + 7 * empty + rounding);
    CHECK(peak(9, true) >= peak(1, true) + 8 * layer);
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("outputs of a sequence are those that its loss is of, and a causal network does not see the future") {
    TransformerShape shape = small();
    shape.beside = {.gate = true, .convolution = 3};
    const Transformer network(shape);
    const Vector values =
        network.start({.embedding = 0.5}, Stream(6)) + 0.1 * normal_vector(network.layout().size(), Stream(7));
    const Weights<double> weights(network.layout(), values, Passes::forward);
    auto batch = sequences<double>(shape, {6});
    const Points z = network.outputs(weights, batch[0]);
    REQUIRE(z.rows() == 6);
    double sum = 0;
    for (const Target& target : batch[0].targets)
        sum += std::log(z.row(target.token).array().exp().sum()) - z(target.token, target.value);
    Workspace<double> work;
    CHECK(network.evaluate<double>(weights, batch, work).loss.sum == Approx(sum).epsilon(1e-13));

    batch[0].tokens[4] = (batch[0].tokens[4] + 1) % 5;
    const Points changed = network.outputs(weights, batch[0]);
    CHECK((changed.topRows(4).array() == z.topRows(4).array()).all());
    CHECK(changed.row(4) != z.row(4));
    const auto heads = network.heads(weights, batch[0]);
    REQUIRE(heads.size() == 2);
    REQUIRE(heads[1].size() == 2);
    CHECK(heads[1][1].keys.rows() == 6);
    CHECK(heads[1][1].keys.cols() == 3);
}

TEST_CASE("a network begins with the deviations that it says, those at the ends of parts less by the layers") {
    TransformerShape shape = small();
    shape.width = 24;
    shape.inner = 30;
    shape.read_out = ReadOutOf::own;
    const Transformer network(shape);
    for (const bool shrink : {true, false}) {
        const Vector all = network.start({.gain = 0.7, .embedding = 0.1, .shrink = shrink}, Stream(11));
        for (const Parameter& one : network.layout().all()) {
            const Vector own = all.segment(one.first, one.size());
            if (one.name.ends_with(".bias")) {
                CHECK(own.isZero(0));
            } else if (one.name.find("ln_") != std::string::npos) {
                CHECK(own == Vector::Ones(own.size()));
            } else {
                const bool drawn_alike = one.name.starts_with("w") || one.name.starts_with("lm_head");
                const double ends = shrink && one.name.find("c_proj") != std::string::npos ? 2 : 1;  // sqrt(2 layers)
                const double deviation = drawn_alike ? 0.1 : 0.7 / (ends * std::sqrt(static_cast<double>(one.rows)));
                // The root mean square of n normal numbers is off by 1 / sqrt(2 n); six of that.
                const double found = std::sqrt(own.squaredNorm() / static_cast<double>(own.size()));
                INFO(one.name << ": " << found << ", not " << deviation);
                CHECK(std::abs(found / deviation - 1) < 6 / std::sqrt(2 * static_cast<double>(own.size())));
            }
        }
    }
}

TEST_CASE("positions that begin as sinusoids know distances, and nothing else begins otherwise") {
    TransformerShape shape = small();
    shape.width = 24;
    shape.positions = 9;
    const Transformer network(shape);
    const Vector drawn = network.start({.embedding = 0.3}, Stream(11)),
                 waves = network.start({.embedding = 0.3, .positions = InitialPositions::sinusoids}, Stream(11));
    const Parameter& own = network.embedding().positions();
    Vector rest = waves - drawn;
    rest.segment(own.first, own.size()).setZero();
    CHECK(rest.isZero(0));
    const Points table = view(waves, own);
    const double amplitude = 0.3 * std::sqrt(2.0);
    CHECK(table(0, 0) == 0);
    CHECK(table(5, 0) == Approx(amplitude * std::sin(5.0)));
    CHECK(table(5, 1) == Approx(amplitude * std::cos(5.0)));
    CHECK(table(8, 22) == Approx(amplitude * std::sin(8 * std::pow(10'000.0, -22 / 24.0))));
    // sin a sin b + cos a cos b = cos(a - b): products of rows are functions of their distance.
    const Points products = table * table.transpose();
    for (Index i = 0; i < 8; ++i)
        for (Index j = 0; j < 8; ++j) CHECK(products(i + 1, j + 1) == Approx(products(i, j)).margin(1e-13));
    CHECK(products(0, 0) == Approx(24 * 0.3 * 0.3));
}

TEST_CASE("sinusoids have a row for the class token, too") {
    TransformerShape shape = small();
    shape.width = 8;
    shape.positions = 4;
    shape.class_token = true;
    const Transformer network(shape);
    const Points table = view(network.start({.embedding = 0.3, .positions = InitialPositions::sinusoids}, Stream(11)),
                              network.embedding().positions());
    REQUIRE(table.rows() == 5);
    CHECK(table(4, 0) == Approx(0.3 * std::sqrt(2.0) * std::sin(4.0)));
}

TEST_CASE("heads may be replaced by others of as many parameters") {
    TransformerShape shape = small();
    const std::shared_ptr<const HeadAttention> other = training::fixed_attention(drawn("positive", 3, 2));
    Transformer network(
        shape, Heads(4, std::shared_ptr<const HeadAttention>(training::fixed_attention(drawn("positive", 3, 1)))));
    const Weights<double> weights(network.layout(), network.start({}, Stream(7)), Passes::forward);
    const auto batch = sequences<double>(shape, {6});
    const Points before = network.outputs(weights, batch[0]);
    network.replace_heads(Heads(4, other));
    CHECK(network.outputs(weights, batch[0]) != before);
    CHECK(refusal([&] { network.replace_heads(Heads(4, kinds().back())); }) ==
          "network: heads are replaced by others, or by heads of other parameters");
    // The first layer keeps its heads where the second refuses its own.
    const Points kept = network.outputs(weights, batch[0]);
    const std::shared_ptr<const HeadAttention> third = training::fixed_attention(drawn("positive", 3, 3));
    CHECK(refusal([&] { network.replace_heads({third, third, kinds().back(), third}); }) != "");
    CHECK(network.outputs(weights, batch[0]) == kept);
    CHECK(refusal([&] { network.replace_heads(Heads(3, other)); }) == "network: 3 heads are given for 2 layers of 2");
}

TEST_CASE("a network refuses what it cannot take, naming the sequence, the token and the parameter") {
    const TransformerShape shape = small();
    const Transformer network(shape);
    const Vector values = network.start({}, Stream(8));
    const Weights<double> weights(network.layout(), values, Passes::both);
    Workspace<double> work;
    const auto said = [&](std::size_t which, auto change) {
        auto batch = sequences<double>(shape, {6, 4});
        change(batch[which]);
        return refusal([&] { network.evaluate<double>(weights, batch, work); });
    };
    using One = Sequence<double>;
    CHECK(said(1, [](One& s) { s.tokens[2] = 5; }) == "sequence 1: network: there is no token 5; the vocabulary has 5");
    CHECK(said(0, [](One& s) { s.tokens.clear(); }) ==
          "sequence 0: network: there are no tokens; at least one is needed");
    CHECK(said(0, [](One& s) { s.tokens.resize(7); }) ==
          "sequence 0: network: there are 7 tokens; the model has 6 positions");
    CHECK(said(1, [](One& s) { s.targets[0].value = -1; }) ==
          "sequence 1: network: a target is -1; outputs are numbered 0 to 4");
    CHECK(said(1, [](One& s) { s.targets[0].token = 4; }) ==
          "sequence 1: network: a target is of token 4; outputs are of tokens 0 to 3");
    CHECK(refusal([&] {
              auto batch = sequences<double>(shape, {6});
              batch[0].targets.clear();
              network.evaluate<double>(weights, batch, work);
          }) == "network: the batch has no target");

    Vector spoilt = values;
    spoilt[network.layout().find("h.1.mlp.c_fc.weight").first + 7 + 2] = std::nan("");
    CHECK(refusal([&] { Weights<double>(network.layout(), spoilt, Passes::both); }) ==
          "network: parameter h.1.mlp.c_fc.weight has nan at row 1, column 2; all entries must be finite");
    CHECK(refusal([&] { Weights<double>(network.layout(), values.head(4), Passes::both); }) ==
          "network: 4 parameters; it has " + std::to_string(network.layout().size()));
    const auto shaped = [](auto change) {
        TransformerShape other = small();
        change(other);
        return refusal([&] { Transformer{other}; });
    };
    CHECK(shaped([](auto& s) { s.heads = 4; }) == "network: width is 6, which is not a multiple of heads, 4");
    CHECK(shaped([](auto& s) { s.layers = 0; }) == "network: layers is 0; at least 1 is needed");
    CHECK(shaped([](auto& s) { s.outputs = 4; }) ==
          "network: the read-out is tied to a table of 5 tokens; there must be as many outputs, not 4");
    CHECK(shaped([](auto& s) { s.read_out = ReadOutOf::class_token; }) ==
          "network: outputs are to be read from the class token, but there is none");
}

#include "rfbench/networks/decoder.hpp"

#include "catch.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/features/maps/positional_maps.hpp"
#include "rfbench/training/linear_head.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;

namespace {

TransformerShape decoded_shape() {
    TransformerShape s;
    s.vocabulary = s.outputs = 7;
    s.positions = 40;
    s.layers = 2;
    s.heads = 2;
    s.width = 8;
    s.inner = 12;
    return s;
}

std::shared_ptr<const training::HeadAttention> fixed() {
    return training::fixed_attention(std::make_shared<attention::GeneralizedMap>(attention::linear_transformer_map(4)));
}
std::shared_ptr<const training::HeadAttention> learned() {
    return training::learned_attention(
        {.dimension = 4, .projections = 2, .channels = features::network_channels({2, 3, "tanh", "elu+1"})});
}

std::vector<int> drawn_tokens(int count) {
    Stream stream(5);
    std::vector<int> tokens;
    for (int i = 0; i < count; ++i) tokens.push_back(static_cast<int>(stream.below(7)));
    return tokens;
}

}  // namespace

TEST_CASE("a network that is given tokens one by one has the outputs of the whole sequence") {
    const auto softmax = softmax_heads(4);
    const Heads linear{fixed(), learned(), fixed(), learned()}, mixed{softmax[0], fixed(), learned(), softmax[1]};
    // Features that know their position, a decay and a norm in place of a denominator.
    const std::shared_ptr<const training::HeadAttention> cosine =
        training::linear_attention({features::one_map(features::cosformer_map(4, 40)), {.positions = true}});
    const std::shared_ptr<const training::HeadAttention> decaying = training::linear_attention(
        {features::retention_maps(4, 2), {.norm = attention::Norm::group, .positions = true, .causal_alone = true}});
    for (const Heads& heads : {softmax, linear, mixed, Heads(4, cosine), Heads(4, decaying)}) {
        const Transformer network(decoded_shape(), heads);
        const Weights<double> weights(network.layout(), network.start({.embedding = 1}, Stream(1)), Passes::forward);
        const std::vector<int> tokens = drawn_tokens(40);
        const Rows<double> whole = network.outputs<double>(weights, {tokens});
        Decoder<double> decoder(network, weights);
        for (Index i = 0; i < 40; ++i) {
            const Column<double> out = decoder.step(tokens[static_cast<std::size_t>(i)]);
            // Sums of some 40 tokens through two layers: some hundred roundings of numbers about one.
            CHECK((out - whole.row(i).transpose()).cwiseAbs().maxCoeff() < 1e-12);
        }
        CHECK(decoder.tokens() == 40);
    }
}

TEST_CASE("a decoder remembers keys and values of softmax heads, and sums of others") {
    const auto softmax = softmax_heads(4);
    const auto bytes = [](const Heads& heads, int tokens) {
        const Transformer network(decoded_shape(), heads);
        Decoder<float> decoder(
            network, Weights<float>(network.layout(), network.start({}, Stream(1)).cast<float>(), Passes::forward));
        for (const int token : drawn_tokens(tokens)) decoder.step(token);
        return decoder.bytes();
    };
    CHECK(bytes(softmax, 5) == 5 * 4 * (4 + 4) * 4);
    CHECK(bytes(softmax, 40) == 40 * 4 * (4 + 4) * 4);
    // Four features, four values and a number each.
    const Heads linear(4, fixed());
    CHECK(bytes(linear, 5) == 4 * 4 * (4 + 1) * 4);
    CHECK(bytes(linear, 40) == 4 * 4 * (4 + 1) * 4);
}

TEST_CASE("a network that cannot write token by token is refused") {
    const auto said = [](const TransformerShape& shape, const Heads& heads = {}) {
        const Transformer network(shape, heads);
        return tests::refusal<std::invalid_argument>([&] {
            Decoder<double>(network, Weights<double>(network.layout(), network.start({}, Stream(1)), Passes::forward));
        });
    };
    TransformerShape shape = decoded_shape();
    shape.visible = attention::Visible::all;
    CHECK(said(shape) == "decoding: every token of the network sees all others");
    shape = decoded_shape();
    shape.convolution = 2;
    CHECK(said(shape) == "decoding: a convolution after its embedding sees more than one token");
    shape = decoded_shape();
    shape.read_out = ReadOutOf::mean;
    CHECK(said(shape) == "decoding: it has one output a sequence");
    const std::shared_ptr<const training::HeadAttention> fitted = training::fitted_attention(
        [](const PointsView&, const PointsView&) {
            return std::make_shared<attention::GeneralizedMap>(attention::linear_transformer_map(4));
        },
        std::make_shared<attention::GeneralizedMap>(attention::linear_transformer_map(4)), 4);
    CHECK(said(decoded_shape(), Heads(4, fitted)) ==
          "decoding: a head has neither a state nor keys and values to keep");
}

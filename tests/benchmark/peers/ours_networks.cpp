// A step of training, for peers.py.
#include "ours_networks.hpp"

#include <memory>

#include "rfbench/networks/trainer.hpp"

namespace peers {
namespace {

using namespace rfbench;

/// One step of Adam of a GPT over bytes: 4 layers, 4 heads, width 128, 16 sequences of 256 tokens, softmax attention.
struct GptStep {
    static constexpr Index layers = 4, width = 128, inner = 512, length = 256, batch = 16, vocabulary = 256;

    static networks::TransformerShape shape() {
        networks::TransformerShape s;
        s.vocabulary = s.outputs = vocabulary;
        s.positions = length;
        s.layers = layers;
        s.heads = 4;
        s.width = width;
        s.inner = inner;
        return s;
    }

    GptStep() : network(shape()), trainer(network, network.start({}, Stream(1)), {.steps = 1'000'000, .rate = 1e-4}) {
        Stream own(2);
        for (Index s = 0; s < batch; ++s) {
            networks::Sequence<float> one;
            for (Index i = 0; i < length; ++i) {
                one.tokens.push_back(static_cast<int>(own.below(vocabulary)));
                one.targets.push_back({i, static_cast<int>(own.below(vocabulary))});
            }
            sequences.push_back(std::move(one));
        }
    }

    networks::Transformer network;
    networks::Trainer<float> trainer;
    std::vector<networks::Sequence<float>> sequences;
};

Row gpt_step() {
    const auto step = std::make_shared<GptStep>();
    // Products of rows with all matrices, forwards and twice backwards; scores and outputs of attention, of which half
    // are seen, forwards and two and a half times as much backwards.
    constexpr double tokens = GptStep::batch * GptStep::length, width = GptStep::width;
    constexpr double entries =
        GptStep::layers * (4 * width * width + 2 * width * GptStep::inner) + width * GptStep::vocabulary;
    constexpr double attention = GptStep::layers * tokens * 4 * GptStep::length * width / 2;
    constexpr double exponentials = GptStep::layers * tokens * (2 * 4 * GptStep::length / 2.0 + GptStep::inner);
    return {[step] { step->trainer.step(step->sequences); }, 6 * tokens * entries + 3.5 * attention, exponentials};
}

}  // namespace

std::map<std::string, Row (*)()> network_rows() { return {{"gpt_step", gpt_step}}; }

}  // namespace peers

// A step of training, for peers.py.
#include "ours_networks.hpp"

#include <memory>

#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/networks/trainer.hpp"
#include "rfbench/training/head_attention.hpp"

namespace peers {
namespace {

using namespace rfbench;

/// One step of Adam of a GPT over bytes: 4 layers, 4 heads, width 128, 16 sequences of 256 tokens.
struct GptStep {
    static constexpr Index layers = 4, heads = 4, width = 128, inner = 512, length = 256, batch = 16, vocabulary = 256;
    static constexpr Index columns = 64;  ///< of FAVOR+, a head

    static networks::TransformerShape shape() {
        networks::TransformerShape s;
        s.vocabulary = s.outputs = vocabulary;
        s.positions = length;
        s.layers = layers;
        s.heads = heads;
        s.width = width;
        s.inner = inner;
        return s;
    }

    static networks::Heads favor() {
        networks::Heads own;
        for (Index h = 0; h < layers * heads; ++h)
            own.push_back(training::fixed_attention(std::make_shared<attention::SoftmaxMap>(
                attention::softmax_map(*features::fit(features::find("positive"), {}), width / heads, columns,
                                       sampling::find("orthogonal"), Stream(static_cast<std::uint64_t>(3 + h))))));
        return own;
    }

    explicit GptStep(const networks::Heads& attend)
        : network(shape(), attend), trainer(network, network.start({}, Stream(1)), {.steps = 1'000'000, .rate = 1e-4}) {
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

/// The step, where attention of all layers and heads has so many multiply-adds twice over and exponentials.
Row row(const networks::Heads& attend, double attention, double exponentials) {
    const auto step = std::make_shared<GptStep>(attend);
    // Products of rows with all matrices, forwards and twice backwards.
    constexpr double tokens = GptStep::batch * GptStep::length, width = GptStep::width;
    constexpr double entries =
        GptStep::layers * (4 * width * width + 2 * width * GptStep::inner) + width * GptStep::vocabulary;
    return {[step] { step->trainer.step(step->sequences); }, 6 * tokens * entries + attention,
            exponentials + GptStep::layers * tokens * GptStep::inner};
}

constexpr double rows_of_layers = GptStep::layers * GptStep::batch * GptStep::length;

/// Softmax: scores and outputs, of which half are seen, forwards and two and a half times as much backwards.
Row gpt_step() {
    return row({}, 3.5 * rows_of_layers * 4 * GptStep::length * GptStep::width / 2,
               rows_of_layers * 2 * GptStep::heads * GptStep::length / 2.0);
}

/// FAVOR+: 8 L M d forwards and 18 L M d with gradients, as docs/performance.md counts, for each head's d = 32.
Row gpt_step_favor() {
    return row(GptStep::favor(), 18 * rows_of_layers * GptStep::columns * GptStep::width,
               rows_of_layers * 2 * GptStep::heads * GptStep::columns);
}

}  // namespace

std::map<std::string, Row (*)()> network_rows() { return {{"gpt_step", gpt_step}, {"gpt_step_favor", gpt_step_favor}}; }

}  // namespace peers

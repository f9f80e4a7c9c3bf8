// cosFormer: relu features whose weights fall with the distance of tokens as a cosine does.
#include "rfbench/features/maps/positional_maps.hpp"
#include "rfbench/training/linear_head.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class Cosformer final : public Method, public Outputs, public NetworkLayers, public Decoders {
public:
    const Outputs* outputs() const override { return this; }
    const NetworkLayers* layers() const override { return this; }
    const Decoders* decoders() const override { return this; }
    std::unique_ptr<attention::Decoder<float>> decoder(const AttentionSize& size, const sampling::Scheme&,
                                                       const Stream&) const override {
        return attention::linear_decoder<float>(map(size), size.dimension, form);
    }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream&) const override {
        return attention::linear_method(map(size), form);
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::linear_attention({features::one_map(map(size)), form});
    }

    // A position is that of a token.
    bool attends_across() const override { return false; }

private:
    inline static const attention::LinearForm form{.positions = true, .name = "cosformer"};

    static std::shared_ptr<const features::FeatureMap> map(const AttentionSize& size) {
        return features::cosformer_map(size.dimension, size.length);
    }
};

}  // namespace

std::vector<MethodInfo> cosformer_methods() {
    return {
        {.name = "cosformer",
         .summary = "relu(x) cos and relu(x) sin of pi i / (2 L) at token i of at most L: 2 d columns",
         .reference = "Qin et al. 2022",
         .keys = {},
         .abilities = abilities_of(Cosformer()),
         .drawn = false,
         .budgeted = false,
         .make = [](const config::Value&) -> std::shared_ptr<const Method> { return std::make_shared<Cosformer>(); }}};
}

}  // namespace rfbench::experiments

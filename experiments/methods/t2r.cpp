// T2R: relu of a trained affine map.
#include "rfbench/features/maps/affine_features.hpp"
#include "rfbench/training/linear_head.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class T2r final : public Method, public NetworkLayers, public Decoders {
public:
    const NetworkLayers* layers() const override { return this; }
    const Decoders* decoders() const override { return this; }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::linear_attention({maps(size)});
    }
    std::unique_ptr<attention::Decoder<float>> decoder(const AttentionSize& size, const sampling::Scheme&,
                                                       const Stream& stream) const override {
        const auto all = maps(size);
        return attention::linear_decoder<float>(all->map(all->start(stream)), size.dimension);
    }

private:
    static std::shared_ptr<const features::MapFamily> maps(const AttentionSize& size) {
        return features::t2r_maps(size.dimension, size.columns);
    }
};

}  // namespace

std::vector<MethodInfo> t2r_methods() {
    return {{.name = "t2r",
             .summary = "features relu(W'x + b), W and b trained where they are used",
             .reference = "Kasai et al. 2021",
             .keys = {},
             .abilities = abilities_of(T2r()),
             .drawn = false,
             .budgeted = true,
             .make = [](const config::Value&) -> std::shared_ptr<const Method> { return std::make_shared<T2r>(); }}};
}

}  // namespace rfbench::experiments

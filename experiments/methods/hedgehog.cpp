// Hedgehog: exponentials of a trained linear map and of its negative.
#include <algorithm>

#include "rfbench/features/maps/affine_features.hpp"
#include "rfbench/training/linear_head.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class Hedgehog final : public Method, public NetworkLayers, public Decoders {
public:
    explicit Hedgehog(features::FeatureSum sum) : sum_(sum) {}

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
    std::shared_ptr<const features::MapFamily> maps(const AttentionSize& size) const {
        // Columns come in pairs.
        return features::hedgehog_maps(size.dimension, std::max<Index>(2, size.columns - size.columns % 2), sum_);
    }

    features::FeatureSum sum_;
};

}  // namespace

std::vector<MethodInfo> hedgehog_methods() {
    using namespace config;
    using features::FeatureSum;
    const auto make = [](const Value& entry) -> std::shared_ptr<const Method> {
        return std::make_shared<Hedgehog>(entry.at("normalised").boolean() ? FeatureSum::one : FeatureSum::free);
    };
    return {
        {.name = "hedgehog",
         .summary = "features [exp(W'x), exp(-W'x)], W trained where it is used, one of queries and one of keys",
         .reference = "Zhang et al. 2024",
         .keys = {defaulted("normalised", boolean(), "false", "whether features are divided by their sum: softmax")},
         .abilities = abilities_of(Hedgehog(FeatureSum::free)),
         .drawn = false,
         .budgeted = true,
         .make = make}};
}

}  // namespace rfbench::experiments

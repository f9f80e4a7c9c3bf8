// LoLCATs: softmax over the keys of a window, and trained features of those before it, in one sum.
#include <algorithm>

#include "rfbench/features/maps/affine_features.hpp"
#include "rfbench/training/window_linear.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class Lolcats final : public Method, public NetworkLayers {
public:
    explicit Lolcats(Index window) : window_(window) {}

    const NetworkLayers* layers() const override { return this; }
    bool trains_on_all() const override { return false; }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream&) const override {
        // Columns come in pairs. Features add up to 1, as the authors' do, so that a key's weight is at most 1 by them
        // as it is in a window: free features would outweigh windows by their number.
        const Index columns = std::max<Index>(2, size.columns - size.columns % 2);
        return training::window_linear_attention(
            window_, features::hedgehog_maps(size.dimension, columns, features::FeatureSum::one));
    }

private:
    Index window_;
};

}  // namespace

std::vector<MethodInfo> lolcats_methods() {
    using namespace config;
    const auto make = [](const Value& entry) -> std::shared_ptr<const Method> {
        return std::make_shared<Lolcats>(static_cast<Index>(entry.at("window").integer()));
    };
    return {
        {.name = "lolcats",
         .summary =
             "softmax over keys of the query's block, and Hedgehog's normalised features of those before it; causal",
         .reference = "Zhang et al. 2025",
         .keys = {defaulted("window", integer(1, 1'000'000), "32", "tokens of a block")},
         .abilities = abilities_of(Lolcats(1)),
         .drawn = false,
         .budgeted = true,
         .make = make}};
}

}  // namespace rfbench::experiments

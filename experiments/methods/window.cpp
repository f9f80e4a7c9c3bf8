// Local attention: softmax over the keys that are near and the first ones.
#include "rfbench/attention/window.hpp"

#include <algorithm>

#include "rfbench/training/compressed_attention.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class WindowMethod final : public Method, public Outputs, public NetworkLayers, public Decoders {
public:
    WindowMethod(std::optional<Index> width, Index sinks) : width_(width), sinks_(sinks) {}

    const Outputs* outputs() const override { return this; }
    const NetworkLayers* layers() const override { return this; }
    const Decoders* decoders() const override { return this; }
    std::unique_ptr<attention::Decoder<float>> decoder(const AttentionSize& size, const sampling::Scheme&,
                                                       const Stream&) const override {
        return attention::window_decoder<float>(window(size), size.dimension, size.dimension);
    }
    bool attends_across() const override { return false; }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream&) const override {
        return attention::window_method(window(size));
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::window_attention(window(size));
    }

private:
    /// A key costs what a real column does: d products for its score, e for its value.
    attention::Window window(const AttentionSize& size) const {
        return {width_.value_or(std::max<Index>(1, size.columns - sinks_)), sinks_};
    }

    std::optional<Index> width_;
    Index sinks_;
};

}  // namespace

std::vector<MethodInfo> window_methods() {
    using namespace config;
    const auto make = [](const Value& entry) -> std::shared_ptr<const Method> {
        const std::optional<Index> width =
            entry.has("width") ? std::optional<Index>(entry.at("width").integer()) : std::nullopt;
        return std::make_shared<WindowMethod>(width, entry.at("sinks").integer());
    };
    return {{.name = "window",
             .summary = "softmax over the keys that are near, the last ones where it is causal, and the first ones",
             .reference = "Beltagy et al. 2020; Xiao et al. 2024",
             .keys = {optional("width", integer(1, 1'000'000), "keys of the window; columns less sinks unless given"),
                      defaulted("sinks", integer(0, 1'000'000), "4", "first keys, which every later query sees")},
             .abilities = abilities_of(WindowMethod(1, 0)),
             .drawn = false,
             .budgeted = true,
             .make = make}};
}

}  // namespace rfbench::experiments

// Retention: a state that decays, turned queries and keys, and a norm in place of a denominator.
#include <cmath>

#include "rfbench/features/maps/positional_maps.hpp"
#include "rfbench/training/linear_head.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class Retention final : public Method, public Outputs, public NetworkLayers, public Decoders {
public:
    /// Without a decay each head has its own.
    Retention(std::optional<double> decay, bool trained) : decay_(decay), trained_(trained) {}

    const Outputs* outputs() const override { return this; }
    const NetworkLayers* layers() const override { return this; }
    const Decoders* decoders() const override { return this; }
    std::unique_ptr<attention::Decoder<float>> decoder(const AttentionSize& size, const sampling::Scheme&,
                                                       const Stream&) const override {
        return attention::linear_decoder<float>(features::retention_map(size.dimension, decay(size)), size.dimension,
                                                form);
    }
    bool attends_to_all() const override { return false; }
    bool attends_across() const override { return false; }
    bool trains_on_all() const override { return false; }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream&) const override {
        return attention::linear_method(features::retention_map(size.dimension, decay(size)), form);
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream&) const override {
        const double own = decay(size);
        return training::linear_attention(
            {trained_ ? features::retention_maps(size.dimension, std::log(own) - std::log1p(-own))
                      : features::one_map(features::retention_map(size.dimension, own)),
             form});
    }

private:
    inline static const attention::LinearForm form{
        .norm = attention::Norm::group, .positions = true, .causal_alone = true, .name = "retnet"};

    /// 1 - 2^(-5 - h) of head h, as the authors have it, which forgets within 32 tokens and more.
    double decay(const AttentionSize& size) const {
        return decay_.value_or(1 - std::ldexp(1.0, -5 - static_cast<int>(std::min<Index>(size.head, 40))));
    }

    std::optional<double> decay_;
    bool trained_;
};

}  // namespace

std::vector<MethodInfo> retnet_methods() {
    using namespace config;
    const auto make = [](const Value& entry) -> std::shared_ptr<const Method> {
        const std::optional<double> decay =
            entry.has("decay") ? std::optional<double>(entry.at("decay").number()) : std::nullopt;
        return std::make_shared<Retention>(decay, entry.at("trained_decay").boolean());
    };
    return {
        {.name = "retnet",
         .summary = "retention: a state that decays, turned queries and keys, group normalization in place of a "
                    "denominator; causal alone, d columns",
         .reference = "Sun et al. 2023",
         .keys = {optional("decay", real(above(0).below(1)), "gamma a token; 1 - 2^(-5 - h) of head h unless given"),
                  defaulted("trained_decay", boolean(), "false", "whether layers train it, from there on")},
         .abilities = abilities_of(Retention({}, false)),
         .drawn = false,
         .budgeted = false,
         .make = make}};
}

}  // namespace rfbench::experiments

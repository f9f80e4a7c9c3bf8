// Uniform attention: the mean of the values that a query sees.
#include "rfbench/attention/uniform_map.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class Uniform final : public Method, public HeadFeatures, public Outputs, public NetworkLayers {
public:
    const HeadFeatures* head_features() const override { return this; }
    const Outputs* outputs() const override { return this; }
    const NetworkLayers* layers() const override { return this; }
    Drawing features(const PointsView&, const PointsView&) const override {
        // It has one column whatever the budget is, and nothing of it is drawn.
        return [](Index, const sampling::Scheme&, const Stream&) { return std::make_shared<attention::UniformMap>(); };
    }
    std::unique_ptr<attention::Method> attention(const AttentionSize&, const sampling::Scheme&,
                                                 const Stream&) const override {
        return attention::linear_method(std::make_unique<attention::UniformMap>());
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize&, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::fixed_attention(std::make_shared<attention::UniformMap>());
    }
};

}  // namespace

std::vector<MethodInfo> uniform_methods() {
    return {
        {.name = "uniform",
         .summary = "the mean of the values that a query sees, one feature that is 1: the zero of recovery",
         .reference = "none",
         .keys = {},
         .abilities = abilities_of(Uniform()),
         .drawn = false,
         .budgeted = false,
         .make = [](const config::Value&) -> std::shared_ptr<const Method> { return std::make_shared<Uniform>(); }}};
}

}  // namespace rfbench::experiments

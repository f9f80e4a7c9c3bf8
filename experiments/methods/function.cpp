// Generalized attention: features g(W' x) that estimate no kernel.
#include "methods/baseline.hpp"
#include "rfbench/attention/generalized_map.hpp"

namespace rfbench::experiments {
namespace {

class FunctionMethod final : public Baseline, public HeadFeatures, public NetworkLayers {
public:
    explicit FunctionMethod(const features::Nonlinearity& function) : Baseline(true), function_(function) {}

    const HeadFeatures* head_features() const override { return this; }
    const NetworkLayers* layers() const override { return this; }
    bool drawn() const override { return true; }
    bool drawn_by(const sampling::Scheme&) const override { return true; }
    bool redraws() const override { return true; }

    Drawing features(const PointsView& queries, const PointsView&) const override {
        // Nothing is fitted: the rows only say how many coordinates there are.
        return [&function = function_, dimension = queries.cols()](Index columns, const sampling::Scheme& scheme,
                                                                   const Stream& stream) {
            return map(function, dimension, columns, scheme, stream);
        };
    }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme& scheme,
                                                 const Stream& stream) const override {
        return attention::linear_method(std::make_unique<attention::GeneralizedMap>(
            attention::generalized_map(function_, size.dimension, size.columns, scheme, stream)));
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme& scheme,
                                                         const Stream& stream) const override {
        return training::fixed_attention(map(function_, size.dimension, size.columns, scheme, stream));
    }

private:
    static std::shared_ptr<const features::FeatureMap> map(const features::Nonlinearity& function, Index dimension,
                                                           Index columns, const sampling::Scheme& scheme,
                                                           const Stream& stream) {
        return std::make_shared<attention::GeneralizedMap>(
            attention::generalized_map(function, dimension, columns, scheme, stream));
    }

    // An entry of the catalogue, which lives as long as the program: what refers to it may outlive the method.
    const features::Nonlinearity& function_;
};

}  // namespace

std::vector<MethodInfo> function_methods() {
    std::vector<MethodInfo> all;
    for (const features::Nonlinearity& function : features::nonlinearities())
        all.push_back({.name = function.name,
                       .summary = "generalized attention, features g(W' x), g(z) = " + function.formula,
                       .reference = function.reference,
                       .keys = {},
                       .abilities = abilities_of(FunctionMethod(function)),
                       .drawn = true,
                       .budgeted = true,
                       .make = [](const config::Value& entry) -> std::shared_ptr<const Method> {
                           return std::make_shared<FunctionMethod>(features::nonlinearity(entry.at("use").text()));
                       }});
    return all;
}

}  // namespace rfbench::experiments

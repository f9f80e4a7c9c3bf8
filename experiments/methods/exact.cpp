// Softmax attention, and regression by the kernel itself: the references that others estimate.
#include "methods/baseline.hpp"
#include "rfbench/regression/kernel_regression.hpp"

namespace rfbench::experiments {
namespace {

class Exact final : public Baseline, public NetworkLayers, public Predictor {
public:
    Exact() : Baseline(true) {}
    const NetworkLayers* layers() const override { return this; }
    const Predictor* predictor() const override { return this; }
    bool exact() const override { return true; }
    std::unique_ptr<attention::Method> attention(const AttentionSize&, const sampling::Scheme&,
                                                 const Stream&) const override {
        return attention::exact_method();
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize&, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::softmax_attention();
    }
    std::vector<regression::Predictions> predict(const regression::ClassifiedRows& training, const Points& rows,
                                                 const std::vector<double>& gammas) const override {
        return regression::kernel_regression(training, rows, gammas);
    }
};

}  // namespace

std::vector<MethodInfo> exact_methods() {
    return {{.name = "exact",
             .summary = "softmax attention, and in regression the Gaussian kernel itself",
             .reference = "Vaswani et al. 2017",
             .keys = {},
             .abilities = abilities_of(Exact()),
             .drawn = false,
             .budgeted = false,
             .make = [](const config::Value&) -> std::shared_ptr<const Method> { return std::make_shared<Exact>(); }}};
}

}  // namespace rfbench::experiments

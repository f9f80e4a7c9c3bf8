// Nystromformer: softmax by way of as many landmarks as there are columns.
#include <algorithm>

#include "methods/baseline.hpp"
#include "rfbench/training/compressed_attention.hpp"

namespace rfbench::experiments {
namespace {

class Nystrom final : public Baseline, public NetworkLayers {
public:
    Nystrom() : Baseline(false) {}
    const NetworkLayers* layers() const override { return this; }
    bool trains_causally() const override { return false; }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream&) const override {
        // There cannot be more landmarks than tokens.
        return attention::nystrom_method(std::min(size.columns, size.length));
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::nystrom_attention(std::min(size.columns, size.length));
    }
};

}  // namespace

std::vector<MethodInfo> nystrom_methods() {
    return {
        {.name = "nystrom",
         .summary = "softmax by way of as many landmarks as there are columns",
         .reference = "Xiong et al. 2021",
         .keys = {},
         .abilities = abilities_of(Nystrom()),
         .drawn = false,
         .budgeted = true,
         .make = [](const config::Value&) -> std::shared_ptr<const Method> { return std::make_shared<Nystrom>(); }}};
}

}  // namespace rfbench::experiments

// Linformer: softmax over as many mixtures of keys as there are columns: random ones, or trained in a layer.
#include "rfbench/attention/linformer.hpp"

#include <algorithm>

#include "methods/baseline.hpp"
#include "rfbench/training/compressed_attention.hpp"

namespace rfbench::experiments {
namespace {

class Linformer final : public Baseline, public NetworkLayers {
public:
    Linformer() : Baseline(false) {}
    const NetworkLayers* layers() const override { return this; }
    bool trains_causally() const override { return false; }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream& stream) const override {
        // Column j of the mixtures belongs to token j: a shorter sequence takes the first columns.
        return attention::linformer_method(attention::random_compression(size.columns, size.length, stream));
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::linformer_attention(std::min(size.columns, size.length), size.length);
    }
};

}  // namespace

std::vector<MethodInfo> linformer_methods() {
    return {
        {.name = "linformer",
         .summary = "softmax over as many mixtures of keys as there are columns, random, or trained in a layer",
         .reference = "Wang et al. 2020",
         .keys = {},
         .abilities = abilities_of(Linformer()),
         .drawn = false,
         .budgeted = true,
         .make = [](const config::Value&) -> std::shared_ptr<const Method> { return std::make_shared<Linformer>(); }}};
}

}  // namespace rfbench::experiments

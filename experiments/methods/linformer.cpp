// Linformer: softmax over as many mixtures of keys as there are columns: random ones, or trained in a layer.
#include "rfbench/attention/linformer.hpp"

#include <algorithm>

#include "methods/baseline.hpp"
#include "rfbench/training/compressed_attention.hpp"

namespace rfbench::experiments {
namespace {

class Linformer final : public Baseline, public NetworkLayers {
public:
    explicit Linformer(bool trained) : Baseline(false), trained_(trained) {}
    const NetworkLayers* layers() const override { return this; }
    bool trains_causally() const override { return false; }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream& stream) const override {
        // Column j of the mixtures belongs to token j: a shorter sequence takes the first columns.
        return attention::linformer_method(attention::random_compression(size.columns, size.length, stream));
    }
    bool redraws() const override { return !trained_; }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream& stream) const override {
        const Index mixed = std::min(size.columns, size.length);
        if (trained_) return training::linformer_attention(mixed, size.length);
        return training::drawn_linformer_attention(attention::random_compression(mixed, size.length, stream));
    }

private:
    bool trained_;
};

}  // namespace

std::vector<MethodInfo> linformer_methods() {
    return {{.name = "linformer",
             .summary = "softmax over as many mixtures of keys as there are columns, random, or trained in a layer",
             .reference = "Wang et al. 2020",
             .keys = {config::defaulted("trained", config::boolean(), "true",
                                        "whether the mixtures of a layer are trained: two matrices; else one, drawn")},
             .abilities = abilities_of(Linformer(true)),
             .drawn = false,
             .budgeted = true,
             .make = [](const config::Value& entry) -> std::shared_ptr<const Method> {
                 return std::make_shared<Linformer>(entry.at("trained").boolean());
             }}};
}

}  // namespace rfbench::experiments

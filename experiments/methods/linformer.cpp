// Linformer: softmax over as many random mixtures of keys as there are columns.
#include "rfbench/attention/linformer.hpp"

#include "methods/baseline.hpp"

namespace rfbench::experiments {
namespace {

class Linformer final : public Baseline {
public:
    Linformer() : Baseline(false) {}
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream& stream) const override {
        return attention::linformer_method(attention::random_compression(size.columns, size.length, stream));
    }
};

}  // namespace

std::vector<MethodInfo> linformer_methods() {
    return {
        {.name = "linformer",
         .summary = "softmax over as many random mixtures of keys as there are columns",
         .reference = "Wang et al. 2020",
         .keys = {},
         .abilities = abilities_of(Linformer()),
         .drawn = false,
         .budgeted = true,
         .make = [](const config::Value&) -> std::shared_ptr<const Method> { return std::make_shared<Linformer>(); }}};
}

}  // namespace rfbench::experiments

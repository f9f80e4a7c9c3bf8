// Nystromformer: softmax by way of as many landmarks as there are columns.
#include <algorithm>

#include "methods/baseline.hpp"

namespace rfbench::experiments {
namespace {

class Nystrom final : public Baseline {
public:
    Nystrom() : Baseline(false) {}
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream&) const override {
        return attention::nystrom_method(std::min(size.columns, size.length));
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

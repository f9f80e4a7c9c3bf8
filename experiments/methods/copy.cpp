// Values to the output: no attention does with less.
#include "methods/baseline.hpp"
#include "rfbench/training/copying_attention.hpp"

namespace rfbench::experiments {
namespace {

class Copying final : public attention::Method {
public:
    bool can_be_causal() const override { return true; }
    // Outputs are the values: there must be a query for each.
    bool can_cross() const override { return false; }
    attention::Outcome attend(const attention::Inputs<double>& in, attention::Visible,
                              Rows<double>& out) const override {
        out = in.values;
        return {};
    }
    attention::Outcome attend(const attention::Inputs<float>& in, attention::Visible, Rows<float>& out) const override {
        out = in.values;
        return {};
    }
};

class Copy final : public Baseline, public NetworkLayers {
public:
    Copy() : Baseline(true) {}
    const NetworkLayers* layers() const override { return this; }
    bool attends_across() const override { return false; }
    std::unique_ptr<attention::Method> attention(const AttentionSize&, const sampling::Scheme&,
                                                 const Stream&) const override {
        return std::make_unique<Copying>();
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize&, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::copying_attention();
    }
};

}  // namespace

std::vector<MethodInfo> copy_methods() {
    return {{.name = "copy",
             .summary = "values to the output: no attention does with less",
             .reference = "none: the bound on any cost",
             .keys = {},
             .abilities = abilities_of(Copy()),
             .drawn = false,
             .budgeted = false,
             .make = [](const config::Value&) -> std::shared_ptr<const Method> { return std::make_shared<Copy>(); }}};
}

}  // namespace rfbench::experiments

// Random feature attention: trigonometric features of directions, and sums that forget by a gate.
#include <cmath>

#include "methods/mechanism.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/maps/unit_rows.hpp"
#include "rfbench/training/gated_head.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class RandomFeatureAttention final : public Method, public HeadFeatures, public Outputs, public NetworkLayers {
public:
    RandomFeatureAttention(double sigma, bool forgets) : sigma_(sigma), forgets_(forgets) {}

    // A gate that was not trained says nothing of its method.
    const HeadFeatures* head_features() const override { return forgets_ ? nullptr : this; }
    const Outputs* outputs() const override { return forgets_ ? nullptr : this; }
    const NetworkLayers* layers() const override { return this; }
    bool drawn() const override { return true; }
    bool drawn_by(const sampling::Scheme&) const override { return true; }
    bool trains_on_all() const override { return !forgets_; }
    bool redraws() const override { return true; }
    Drawing features(const PointsView& queries, const PointsView&) const override {
        return [*this, d = queries.cols()](Index columns, const sampling::Scheme& scheme, const Stream& stream) {
            return map({.length = 0, .dimension = d, .columns = columns}, scheme, stream);
        };
    }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme& scheme,
                                                 const Stream& stream) const override {
        return attention::linear_method(map(size, scheme, stream));
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme& scheme,
                                                         const Stream& stream) const override {
        if (!forgets_) return training::fixed_attention(map(size, scheme, stream));
        // A gate that begins at 31/32 forgets within 32 tokens, as the first head of retention does.
        return training::gated_attention(map(size, scheme, stream), size.dimension, std::log(31.0));
    }

private:
    /// Features of exp(q.k / sigma^2) for q and k of length 1.
    std::shared_ptr<const features::FeatureMap> map(const AttentionSize& size, const sampling::Scheme& scheme,
                                                    const Stream& stream) const {
        const auto mechanism =
            features::fit(features::find("trigonometric"),
                          features::statistics(Points::Zero(1, size.dimension), Points::Zero(1, size.dimension)));
        const double length = std::pow(static_cast<double>(size.dimension), 0.25) / sigma_;
        return features::unit_rows(
            std::make_shared<attention::SoftmaxMap>(attention::softmax_map(
                *mechanism, size.dimension, draws_within(*mechanism, size.columns), scheme, stream)),
            length);
    }

    double sigma_;
    bool forgets_;
};

}  // namespace

std::vector<MethodInfo> rfa_methods() {
    using namespace config;
    return {{.name = "rfa",
             .summary = "random feature attention: trigonometric features of queries and keys of length 1, with a gate "
                        "by which sums forget, causal alone",
             .reference = "Peng et al. 2021",
             .keys = {defaulted("sigma", real(above(0)), "1", "the kernel is exp(q.k / sigma^2)"),
                      defaulted("forget", boolean(), "false", "whether layers train the gate")},
             .abilities = abilities_of(RandomFeatureAttention(1, false)),
             .drawn = true,
             .budgeted = true,
             .make = [](const Value& entry) -> std::shared_ptr<const Method> {
                 return std::make_shared<RandomFeatureAttention>(entry.at("sigma").number(),
                                                                 entry.at("forget").boolean());
             }}};
}

}  // namespace rfbench::experiments

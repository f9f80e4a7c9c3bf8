// The Linear Transformer: elu(x) + 1 of queries and keys themselves.
#include "methods/baseline.hpp"
#include "rfbench/attention/generalized_map.hpp"

namespace rfbench::experiments {
namespace {

class LinearTransformer final : public Baseline, public HeadFeatures, public NetworkLayers {
public:
    LinearTransformer() : Baseline(true) {}
    const HeadFeatures* head_features() const override { return this; }
    const NetworkLayers* layers() const override { return this; }
    Drawing features(const PointsView& queries, const PointsView&) const override {
        // Its columns are the coordinates, whatever the budget is, and nothing of it is drawn.
        return [dimension = queries.cols()](Index, const sampling::Scheme&, const Stream&) { return map(dimension); };
    }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream&) const override {
        return attention::linear_transformer_method(size.dimension);
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::fixed_attention(map(size.dimension));
    }

private:
    static std::shared_ptr<const features::FeatureMap> map(Index dimension) {
        return std::make_shared<attention::GeneralizedMap>(attention::linear_transformer_map(dimension));
    }
};

}  // namespace

std::vector<MethodInfo> linear_transformer_methods() {
    return {{.name = "linear-transformer",
             .summary = "linear attention through elu(x) + 1, without projections: d columns",
             .reference = "Katharopoulos et al. 2020",
             .keys = {},
             .abilities = abilities_of(LinearTransformer()),
             .drawn = false,
             .budgeted = false,
             .make = [](const config::Value&) -> std::shared_ptr<const Method> {
                 return std::make_shared<LinearTransformer>();
             }}};
}

}  // namespace rfbench::experiments

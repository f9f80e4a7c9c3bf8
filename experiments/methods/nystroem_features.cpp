// Nystroem features: the kernel between rows and landmarks, which are drawn from the rows that it is fitted to.
#include "rfbench/features/maps/nystroem_map.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class NystroemFeatures final : public Method, public RowFeatures {
public:
    const RowFeatures* row_features() const override { return this; }
    RowDrawing of_rows(const PointsView& queries, const PointsView& keys) const override {
        // In regression both are the training rows, which then stand there once.
        const bool same = queries.data() == keys.data();
        Points rows(queries.rows() + (same ? 0 : keys.rows()), queries.cols());
        rows.topRows(queries.rows()) = queries;
        if (!same) rows.bottomRows(keys.rows()) = keys;
        return {1, [rows = std::move(rows)](Index draws, const sampling::Scheme&, const Stream& stream) -> RowMap {
                    auto map = std::make_shared<features::NystroemMap>(
                        features::draw_landmarks(rows, draws, stream.child("landmarks")));
                    const Index singular = map->singular();
                    return {std::move(map), singular};
                }};
    }
};

}  // namespace

std::vector<MethodInfo> nystroem_features_methods() {
    return {{.name = "nystroem-features",
             .summary = "K(x, Z) K(Z, Z)^(-1/2), landmarks Z drawn from the training rows",
             .reference = "Williams and Seeger 2001",
             .keys = {},
             .abilities = abilities_of(NystroemFeatures()),
             .drawn = false,
             .budgeted = true,
             .make = [](const config::Value&) -> std::shared_ptr<const Method> {
                 return std::make_shared<NystroemFeatures>();
             }}};
}

}  // namespace rfbench::experiments

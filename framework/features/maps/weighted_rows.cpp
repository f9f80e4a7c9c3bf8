#include "rfbench/features/maps/weighted_rows.hpp"

#include <stdexcept>
#include <string>

#include "rfbench/features/differentiable_map.hpp"

namespace rfbench::features {
namespace {

class WeightedRows final : public FeatureMapOf<WeightedRows>, public DifferentiableMapOf<WeightedRows> {
public:
    WeightedRows(std::shared_ptr<const FeatureMap> map, Vector query, Vector key)
        : map_(std::move(map)), query_(std::move(query)), key_(std::move(key)) {
        if (!map_) throw std::invalid_argument("rows with weights: there is no feature map");
    }

    Index columns() const override { return map_->columns(); }
    LargestEntry largest_entry() const override { return map_->largest_entry(); }
    const DifferentiableMap* differentiable() const override { return map_->differentiable() ? this : nullptr; }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        const Index d = rows.cols() - 1;
        map_->evaluate(side, RowsView<Scalar>(rows.leftCols(d)), out);
        for (Index i = 0; i < rows.rows(); ++i) out.log_scale[i] += log_weight(side, rows(i, d));
    }

    template <class Scalar>
    void pull_rows_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                        const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
        const Index d = rows.cols() - 1;
        // The map divides by its own scale; with the weight in it, by that of the weighted features.
        FeatureBlock<Scalar> own = features;
        for (Index i = 0; i < rows.rows(); ++i) own.log_scale[i] -= log_weight(side, rows(i, d));
        Rows<Scalar> by_rows;
        map_->differentiable()->pullback<Scalar>(side, rows.leftCols(d), own, gradient, by_rows);
        out.resize(rows.rows(), d + 1);
        out.leftCols(d) = by_rows;
        out.col(d) = gradient.cwiseProduct(features.values).rowwise().sum();
    }

private:
    double log_weight(Side side, double number) const {
        const Vector& weights = side == Side::query ? query_ : key_;
        if (!(number >= 0 && number < static_cast<double>(weights.size())))
            throw std::invalid_argument("rows with weights: row " + std::to_string(number) + " of " +
                                        std::to_string(weights.size()));
        return weights[static_cast<Index>(number)];
    }

    std::shared_ptr<const FeatureMap> map_;
    Vector query_, key_;
};

}  // namespace

std::shared_ptr<const FeatureMap> weighted_rows(std::shared_ptr<const FeatureMap> map, Vector query_log_weights,
                                                Vector key_log_weights) {
    return std::make_shared<WeightedRows>(std::move(map), std::move(query_log_weights), std::move(key_log_weights));
}

}  // namespace rfbench::features

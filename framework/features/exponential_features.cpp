#include "rfbench/features/exponential_features.hpp"

#include <cmath>

#include "rfbench/features/affine_product.hpp"
#include "rfbench/features/row_tiles.hpp"

namespace rfbench::features {
namespace {

/// The row terms, in double: they are as large as squared lengths.
Vector row_terms(const RowTerm& term, const RowsView<float>& rows) {
    Vector result = Vector::Constant(rows.rows(), term.constant);
    const Points wide = rows.cast<double>();
    if (term.isotropic != 0) result += term.isotropic * wide.rowwise().squaredNorm();
    if (term.linear.size() > 0) result += wide * term.linear;
    if (term.quadratic.size() > 0) result += (wide * term.quadratic).cwiseProduct(wide).rowwise().sum();
    return result;
}

class ExponentialFeatures final : public FeatureMap {
public:
    ExponentialFeatures(const ExponentialSide& query, const ExponentialSide& key)
        : inner_(exponential_map(query, key)), sides_{{{query.weights, query.bias}, query.row},
                                                      {{key.weights, key.bias}, key.row}} {}

    Index columns() const override { return inner_->columns(); }
    void evaluate(Side side, const RowsView<double>& rows, FeatureBlock<double>& out) const override {
        inner_->evaluate(side, rows, out);
    }
    void evaluate(Side side, const RowsView<float>& rows, FeatureBlock<float>& out) const override {
        inner_->evaluate(side, rows, out);
    }
    bool evaluate_logs(Side which, const RowsView<float>& rows, LogFeatureBlock& out) const override {
        const OneSide& side = sides_[which == Side::query ? 0 : 1];
        out.logs.resize(rows.rows(), columns());
        out.signs.resize(0, 0);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            side.product.apply(rows.middleRows(first, n), &out.logs(first, 0));
        });
        out.log_scale = row_terms(side.row, rows).array() - 0.5 * std::log(static_cast<double>(columns()));
        return true;
    }

private:
    struct OneSide {
        AffineProduct<float> product;
        RowTerm row;
    };

    std::unique_ptr<FeatureMap> inner_;
    OneSide sides_[2];
};

}  // namespace

std::unique_ptr<FeatureMap> exponential_features(const ExponentialSide& query, const ExponentialSide& key) {
    return std::make_unique<ExponentialFeatures>(query, key);
}

}  // namespace rfbench::features

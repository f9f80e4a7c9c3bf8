#include "rfbench/features/maps/unit_rows.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/features/differentiable_map.hpp"

namespace rfbench::features {
namespace {

class UnitRows final : public FeatureMapOf<UnitRows>, public DifferentiableMapOf<UnitRows> {
public:
    UnitRows(std::shared_ptr<const FeatureMap> map, double length) : map_(std::move(map)), length_(length) {
        if (!map_) throw std::invalid_argument("rows of equal length: there is no feature map");
        if (!(length > 0 && std::isfinite(length)))
            throw std::invalid_argument("rows of equal length: the length must be positive and finite");
    }

    Index columns() const override { return map_->columns(); }
    const DifferentiableMap* differentiable() const override { return map_->differentiable() ? this : nullptr; }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        map_->evaluate(side, RowsView<Scalar>(directions(rows)), out);
    }

    template <class Scalar>
    void pull_rows_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                        const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
        const Rows<Scalar> y = directions(rows);
        map_->differentiable()->pullback<Scalar>(side, y, features, gradient, out);
        // y = l x / |x|, so that dy = l (dx - u (u.dx)) / |x| with u = y / l.
        const auto l = static_cast<Scalar>(length_);
        for (Index i = 0; i < rows.rows(); ++i) {
            const Scalar norm = rows.row(i).stableNorm();
            if (norm > 0) {
                const Scalar along = out.row(i).dot(y.row(i)) / (l * l);
                out.row(i) = (out.row(i) - along * y.row(i)) * (l / norm);
            } else {
                out.row(i).setZero();
            }
        }
    }

private:
    template <class Scalar>
    Rows<Scalar> directions(const RowsView<Scalar>& rows) const {
        Rows<Scalar> y = rows;
        for (Index i = 0; i < y.rows(); ++i) {
            // The largest entry first: the length of what is left neither overflows nor underflows.
            const Scalar high = y.cols() > 0 ? y.row(i).cwiseAbs().maxCoeff() : Scalar(0);
            if (!(high > 0)) continue;
            y.row(i) /= high;
            y.row(i) *= static_cast<Scalar>(length_) / y.row(i).norm();
        }
        return y;
    }

    std::shared_ptr<const FeatureMap> map_;
    double length_;
};

}  // namespace

std::shared_ptr<const FeatureMap> unit_rows(std::shared_ptr<const FeatureMap> map, double length) {
    return std::make_shared<UnitRows>(std::move(map), length);
}

}  // namespace rfbench::features

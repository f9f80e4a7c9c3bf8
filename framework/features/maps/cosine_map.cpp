#include "rfbench/features/maps/cosine_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/features/differentiable_map.hpp"
#include "rfbench/features/maps/cosine_transforms.hpp"
#include "rfbench/features/maps/double_and_float.hpp"
#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/features/maps/row_tiles.hpp"
#include "rfbench/features/maps/squared_length.hpp"

namespace rfbench::features {
namespace {

using sampling::CosineSide;

/// Below this dimension products with a dense matrix are faster (docs/quasi.md).
constexpr Index fast_from = 256;

class CosineMap final : public FeatureMapOf<CosineMap>, public DifferentiableMapOf<CosineMap> {
public:
    CosineMap(const ExponentialSide& side, const CosineProjections& projections)
        : transforms_(projections.side, side.weights.rows()),
          radii_(projections.radii),
          bias_(side.bias),
          row_(side.row),
          dense_(exponential_map(side, side)) {}

    Index columns() const override { return radii_.size(); }
    LargestEntry largest_entry() const override {
        // Before radii, transforms add up d complex entries, two rows each, times complex factors of modulus 2 at most.
        const double sums = 8 * static_cast<double>(transforms_.in<double>().dimension());
        return dense_->largest_entry().both(
            {std::numeric_limits<double>::max() / sums, std::numeric_limits<float>::max() / sums});
    }

    template <class Scalar>
    void evaluate_rows(Side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        const CosineTransforms<Scalar>& transforms = transforms_.in<Scalar>();
        prepare(rows, transforms.dimension(), columns(), out);
        const double log_weight = row_.constant - 0.5 * std::log(static_cast<double>(columns()));
        using Array = Eigen::Array<Scalar, 1, Eigen::Dynamic>;
        const Array radii = radii_.transpose().array().template cast<Scalar>();
        const Array bias = bias_.transpose().array().template cast<Scalar>();
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            // c_m.x of all directions by transforms of a few rows at a time; W_m.x is radii_m times that.
            typename CosineTransforms<Scalar>::Workspace workspace(transforms);
            constexpr Index at_once = CosineTransforms<Scalar>::rows_at_once;
            for (Index i = first; i < first + n; i += at_once)
                transforms.apply(rows.middleRows(i, std::min(at_once, first + n - i)), columns(), &out.values(i, 0),
                                 out.values.outerStride(), workspace);
            for (Index i = first; i < first + n; ++i) {
                auto row = out.values.row(i).array();
                row = row * radii + bias;
                const Scalar high = largest(row);
                // From here on as in the exponential map: over the row's largest, whose logarithm goes into the scale.
                exponentiate(row, high, row);
                out.log_scale[i] = static_cast<double>(high) + log_weight + row_.isotropic * squared_length(rows, i);
            }
        });
    }

    template <class Scalar>
    void pull_rows_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                        const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
        dense_->differentiable()->pullback(side, rows, features, gradient, out);
    }

private:
    DoubleAndFloat<CosineTransforms> transforms_;
    Vector radii_, bias_;
    RowTerm row_;
    std::unique_ptr<FeatureMap> dense_;
};

}  // namespace

std::optional<CosineProjections> cosine_projections(const Projections& weights) {
    // A radius is a sum of d rounded products.
    const double rounding = static_cast<double>(weights.rows() + 2) * std::numeric_limits<double>::epsilon();
    for (const CosineSide side : {CosineSide::rows, CosineSide::columns}) {
        CosineProjections found{side, Vector(weights.cols())};
        Index m = 0;
        for (; m < weights.cols(); ++m) {
            const Vector direction = sampling::cosine_direction(side, weights.rows(), m);
            // The rest of a column across its direction must be rounding.
            found.radii[m] = direction.dot(weights.col(m));
            const double distance = (weights.col(m) - found.radii[m] * direction).norm();
            if (!(distance <= rounding * std::abs(found.radii[m]))) break;
        }
        if (m == weights.cols()) return found;
    }
    return {};
}

std::unique_ptr<FeatureMap> cosine_map(const ExponentialSide& side) {
    if (side.row.linear.size() > 0 || side.row.quadratic.size() > 0)
        throw std::invalid_argument("cosine map: the row term may have a constant and a multiple of |x|^2 only");
    const auto projections = cosine_projections(side.weights);
    if (!projections)
        throw std::invalid_argument(
            "cosine map: the projections are not along the directions of sampling 'dct' or "
            "'dct-columns'");
    return std::make_unique<CosineMap>(side, *projections);
}

std::unique_ptr<FeatureMap> cosine_or_dense_map(const ExponentialSide& side) {
    const bool fast = side.weights.rows() >= fast_from && cosine_projections(side.weights);
    return fast ? cosine_map(side) : exponential_map(side, side);
}

}  // namespace rfbench::features

#pragma once
#include "rfbench/features/differentiable_map.hpp"

namespace rfbench::attention {

/// One feature that is 1 for every row: linear attention through it gives each query the mean of the values it sees.
/// It is the zero from which others are told.
class UniformMap final : public features::FeatureMapOf<UniformMap>, public features::DifferentiableMapOf<UniformMap> {
public:
    Index columns() const override { return 1; }
    template <class Scalar>
    void evaluate_rows(features::Side, const RowsView<Scalar>& rows, features::FeatureBlock<Scalar>& out) const {
        out.values.setOnes(rows.rows(), 1);
        out.log_scale.setZero(rows.rows());
        out.vanished = 0;
    }
    /// Nothing depends on the rows.
    template <class Scalar>
    void pull_rows_back(features::Side, const RowsView<Scalar>& rows, const features::FeatureBlock<Scalar>&,
                        const Rows<Scalar>&, Rows<Scalar>& out) const {
        out.setZero(rows.rows(), rows.cols());
    }
};

}  // namespace rfbench::attention

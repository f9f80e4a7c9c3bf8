#pragma once
#include "rfbench/products/panels.hpp"

namespace rfbench::features {

/// x -> x W + b for rows x, W d x M, b of M entries. Immutable.
template <class Scalar>
class AffineProduct {
public:
    AffineProduct(const Projections& weights, const Vector& bias)
        : weights_(products::strided(weights.cast<Scalar>().eval())), bias_(bias.cast<Scalar>()) {}

    Index dimension() const { return weights_.rows(); }  ///< d
    Index columns() const { return weights_.columns(); }  ///< M

    /// Writes rows W + b to out, n x M and dense.
    void apply(const RowsView<Scalar>& rows, Scalar* out) const {
        weights_.multiply(products::strided(rows), bias_.data(), 0, out, columns());
    }

private:
    products::Panels<Scalar> weights_;
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> bias_;
};

}  // namespace rfbench::features
